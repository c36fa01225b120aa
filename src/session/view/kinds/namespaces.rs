//! Namespaces.

use super::{About, KindView, Shows, stuck};
use crate::api::types::Namespace;
use crate::api::{MetaExt, Object};
use crate::cluster::Cluster;
use crate::session::view::ails::Ails;
use crate::session::view::card::Place;
use crate::session::view::events::Condition;

/// Namespaces.
pub(super) struct Namespaces;

impl KindView for Namespaces {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: Shows::Made,
            keeper: "namespace-controller",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    /// What keeps a namespace that is being deleted: a condition (all conditions of namespaces mean trouble when they are
    /// true), or a finalizer of its spec or its metadata.
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let namespace = object.get::<Namespace>().filter(|n| n.metadata.is_deleting())?;
        let conditions = namespace.status.iter().flat_map(|s| s.conditions.iter().flatten());
        let condition = conditions
            .filter(|c| c.status == "True")
            .map(|c| Condition::new(&c.type_, &c.status, c.reason.as_deref(), c.message.as_deref()))
            .next();
        let of_spec = || {
            let finalizers = namespace.spec.as_ref()?.finalizers.clone().filter(|f| !f.is_empty())?;
            Some(Ails::Finalizers(finalizers))
        };
        condition.map(Ails::Condition).or_else(|| stuck(object)).or_else(of_spec)
    }
    usual!(card, report, next_run, node, ordinal, selects, names, offers);
}
