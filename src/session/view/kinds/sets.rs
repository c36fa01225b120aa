//! StatefulSets and DaemonSets.

use super::{KindView, Selects, Shows};
use crate::api::labels::Selector;
use crate::api::types::{DaemonSet, LabelSelector, StatefulSet};
use crate::api::{Kind, Object};
use crate::cluster::Cluster;
use crate::session::view::card::{Card, Place};
use crate::session::view::offers::{Offer, deletion, line, scaling};

/// The pods without an owner that a set would adopt.
fn orphans(selector: Option<&LabelSelector>) -> Option<Selects> {
    let selector = Selector::from_label_selector(Some(selector?)).ok()?;
    Some(Selects { selector, kind: Kind::POD, only_orphans: true })
}

/// StatefulSets.
pub(super) struct StatefulSets;

impl KindView for StatefulSets {
    fn place(&self) -> Place {
        Place::Middle
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "statefulset-controller"
    }
    fn makes(&self) -> Option<Kind> {
        Some(Kind::POD)
    }
    fn card(&self, object: &Object) -> Card {
        let Some(set) = object.get::<StatefulSet>() else { return Card::Other };
        let status = set.status.as_ref();
        Card::Workload {
            want: set.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1),
            ready: status.and_then(|s| s.ready_replicas).unwrap_or(0),
            have: status.map_or(0, |s| s.replicas),
            revision: None,
            paused: false,
        }
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        orphans(object.get::<StatefulSet>()?.spec.as_ref().map(|s| &s.selector))
    }
    /// The headless Service that gives the pods their names in DNS.
    fn names<'o>(&self, object: &'o Object) -> Vec<(Kind, &'o str)> {
        let spec = object.get::<StatefulSet>().and_then(|s| s.spec.as_ref());
        let service = spec.and_then(|s| s.service_name.as_deref()).filter(|n| !n.is_empty());
        service.map(|n| (Kind::SERVICE, n)).into_iter().collect()
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let want = object.get::<StatefulSet>().and_then(|s| s.spec.as_ref()?.replicas).unwrap_or(1);
        let mut out = scaling(object, want);
        out.push(line("act-restart", "rollout restart", object, ""));
        out.push(line("act-undo", "rollout undo", object, ""));
        out.push(deletion(object));
        out
    }
}

/// DaemonSets.
pub(super) struct DaemonSets;

impl KindView for DaemonSets {
    fn place(&self) -> Place {
        Place::Middle
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "daemonset-controller"
    }
    fn makes(&self) -> Option<Kind> {
        Some(Kind::POD)
    }
    fn card(&self, object: &Object) -> Card {
        let Some(status) = object.get::<DaemonSet>().and_then(|s| s.status.as_ref()) else {
            return Card::Workload { want: 0, ready: 0, have: 0, revision: None, paused: false };
        };
        Card::Workload {
            want: status.desired_number_scheduled,
            ready: status.number_ready,
            have: status.current_number_scheduled.saturating_add(status.number_misscheduled),
            revision: None,
            paused: false,
        }
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        orphans(object.get::<DaemonSet>()?.spec.as_ref().map(|s| &s.selector))
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![
            line("act-restart", "rollout restart", object, ""),
            line("act-undo", "rollout undo", object, ""),
            deletion(object),
        ]
    }
}
