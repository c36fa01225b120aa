//! Services.

use super::{KindView, Selects, Shows};
use crate::api::labels::Selector;
use crate::api::types::Service;
use crate::api::{Kind, Object};
use crate::cluster::Cluster;
use crate::session::view::card::{Card, Place};
use crate::session::view::offers::{Offer, deletion};

/// Services.
pub(super) struct Services;

impl KindView for Services {
    fn place(&self) -> Place {
        Place::Aside
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "endpoints-controller"
    }
    fn makes(&self) -> Option<Kind> {
        None
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
