//! StatefulSets and DaemonSets.

use std::rc::Rc;

use super::{About, KindView, Named, Selects, Shows, orphans};
use crate::api::types::{DaemonSet, StatefulSet};
use crate::api::{Kind, MetaExt, Object};
use crate::cluster::Cluster;
use crate::session::view::card::{Card, Place};
use crate::session::view::offers::{Offer, deletion, line, scaling};
use crate::session::view::report::{Counts, Report, selecting, updated_of};

/// StatefulSets.
pub(super) struct StatefulSets;

impl KindView for StatefulSets {
    fn about(&self) -> About {
        About {
            place: Place::Middle,
            shows: Shows::Made,
            keeper: "statefulset-controller",
            makes: Some(Kind::POD),
            record: false,
            bookkeeping: &[],
        }
    }
    fn card(&self, object: &Object) -> Card {
        let Some(set) = object.get::<StatefulSet>() else { return Card::Other };
        let status = set.status.as_ref();
        Card::Workload {
            want: set.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1),
            ready: status.and_then(|s| s.ready_replicas).unwrap_or(0),
            have: status.map_or(0, |s| s.replicas),
            revision: None,
            succeeds: false,
            halt: None,
        }
    }
    fn report(&self, cluster: &Cluster, object: &Object) -> Option<Report> {
        object
            .get::<StatefulSet>()
            .filter(|set| set.metadata.controller().is_none())
            .map(|set| stateful_set(cluster, set))
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        orphans(object.get::<StatefulSet>()?.spec.as_ref().map(|s| &s.selector))
    }
    /// The headless Service that gives the pods their names in DNS.
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let spec = object.get::<StatefulSet>().and_then(|s| s.spec.as_ref());
        let service = spec.and_then(|s| s.service_name.as_deref()).filter(|n| !n.is_empty());
        service.map(|n| Named::near(Kind::SERVICE, n)).into_iter().collect()
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let want = object.get::<StatefulSet>().and_then(|s| s.spec.as_ref()?.replicas).unwrap_or(1);
        let mut out = scaling(object, want);
        out.push(line("act-restart", "rollout restart", object, ""));
        out.push(line("act-undo", "rollout undo", object, ""));
        out.push(deletion(object));
        out
    }
    usual!(ails, next_run, node, ordinal);
}

/// DaemonSets.
pub(super) struct DaemonSets;

impl KindView for DaemonSets {
    fn about(&self) -> About {
        About {
            place: Place::Middle,
            shows: Shows::Made,
            keeper: "daemonset-controller",
            makes: Some(Kind::POD),
            record: false,
            bookkeeping: &["metadata.annotations.deprecated.daemonset.template.generation"],
        }
    }
    fn card(&self, object: &Object) -> Card {
        let Some(status) = object.get::<DaemonSet>().and_then(|s| s.status.as_ref()) else {
            return Card::Workload {
                want: 0,
                ready: 0,
                have: 0,
                revision: None,
                succeeds: false,
                halt: None,
            };
        };
        Card::Workload {
            want: status.desired_number_scheduled,
            ready: status.number_ready,
            have: status.current_number_scheduled.saturating_add(status.number_misscheduled),
            revision: None,
            succeeds: false,
            halt: None,
        }
    }
    fn report(&self, cluster: &Cluster, object: &Object) -> Option<Report> {
        object
            .get::<DaemonSet>()
            .filter(|set| set.metadata.controller().is_none())
            .map(|set| daemon_set(cluster, set))
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
    usual!(ails, next_run, node, ordinal, names);
}

fn stateful_set(cluster: &Cluster, set: &Rc<StatefulSet>) -> Report {
    let spec = set.spec.as_ref();
    let status = set.status.clone().unwrap_or_default();
    let observed = status.observed_generation >= set.metadata.generation;
    let want = spec.and_then(|s| s.replicas).unwrap_or(1);
    let strategy = spec.and_then(|s| s.update_strategy.as_ref());
    let partition = strategy.and_then(|s| s.rolling_update.as_ref()?.partition).unwrap_or(0);
    let updated = if observed { status.updated_replicas.unwrap_or(0) } else { updated_of(cluster, set) };
    Report {
        counts: Counts::Pods {
            want,
            updated,
            available: status.available_replicas.unwrap_or(0),
            total: status.replicas,
        },
        ready: status.ready_replicas.unwrap_or(0),
        old: partition.min(want),
        halt: None,
        observed,
        failure: None,
        selector: selecting(spec.map(|s| &s.selector)),
    }
}

fn daemon_set(cluster: &Cluster, set: &Rc<DaemonSet>) -> Report {
    let status = set.status.clone().unwrap_or_default();
    let observed = status.observed_generation >= set.metadata.generation;
    let updated =
        if observed { status.updated_number_scheduled.unwrap_or(0) } else { updated_of(cluster, set) };
    Report {
        counts: Counts::Pods {
            want: status.desired_number_scheduled,
            updated,
            available: status.number_available.unwrap_or(0),
            total: status.current_number_scheduled.saturating_add(status.number_misscheduled),
        },
        ready: status.number_ready,
        old: 0,
        halt: None,
        observed,
        failure: None,
        selector: selecting(set.spec.as_ref().map(|s| &s.selector)),
    }
}
