//! Services, and the Ingresses in front of them.

use super::{KindView, Selects};
use crate::api::labels::Selector;
use crate::api::types::{Ingress, Service};
use crate::api::{Kind, Object};
use crate::cluster::Cluster;
use crate::session::view::card::Card;
use crate::session::view::offers::{Offer, deletion};

/// Services.
pub(super) struct Services;

impl KindView for Services {
    fn keeper(&self) -> &'static str {
        "endpoints-controller"
    }
    fn card(&self, _: &Object) -> Card {
        Card::Other
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        let labels = object.get::<Service>()?.spec.as_ref()?.selector.as_ref().filter(|l| !l.is_empty())?;
        Some(Selects { selector: Selector::from_set(labels), kind: Kind::POD, only_orphans: false })
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
}

/// Ingresses.
pub(super) struct Ingresses;

impl KindView for Ingresses {
    fn card(&self, _: &Object) -> Card {
        Card::Other
    }
    /// The Services of its default backend and of its paths.
    fn names<'o>(&self, object: &'o Object) -> Vec<(Kind, &'o str)> {
        let Some(spec) = object.get::<Ingress>().and_then(|i| i.spec.as_ref()) else { return Vec::new() };
        let paths = spec.rules.iter().flatten().filter_map(|r| r.http.as_ref()).flat_map(|h| &h.paths);
        let backends = spec.default_backend.iter().chain(paths.map(|p| &p.backend));
        backends.filter_map(|b| Some((Kind::SERVICE, b.service.as_ref()?.name.as_str()))).collect()
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
}
