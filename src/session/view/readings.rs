//! Two readings of "declarative".
//!
//! A Deployment is a record of intent, but for what? Its controller writes only ReplicaSets. In this reading
//! the state matches if the ReplicaSet with its template wants as many pods as the Deployment, and every
//! other one wants none. People mean Pods: in this reading the state matches if exactly that many pods with
//! its template are available and there are no others. The first can be true long before the second, or for
//! ever without it: a ReplicaSet can want pods for which no node has room.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::types::{Deployment, Pod, ReplicaSet};
use crate::api::{Kind, MetaExt, ObjectRef};
use crate::cluster::Cluster;
use crate::controllers::controller_utils::{is_available, is_terminal};
use crate::controllers::deployment::util;

/// The state of a Deployment's declaration in both readings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readings {
    /// The Deployment.
    pub object: ObjectRef,
    /// The number of pods that it declares.
    pub want: i32,
    /// The number of pods that the ReplicaSet with its template wants; `None` if there is no such
    /// ReplicaSet.
    pub asked: Option<i32>,
    /// The number of pods that its other ReplicaSets want.
    pub asked_by_old: i32,
    /// The number of its pods that have its template and are available.
    pub available: i32,
    /// The number of all its pods, those being deleted included.
    pub pods: i32,
}

impl Readings {
    /// Whether the state matches, read as a record of intent for ReplicaSets.
    pub fn as_replica_sets(&self) -> bool {
        self.asked == Some(self.want) && self.asked_by_old == 0
    }

    /// Whether the state matches, read as a record of intent for Pods.
    pub fn as_pods(&self) -> bool {
        self.available == self.want && self.pods == self.want
    }
}

/// The number of pods of one ReplicaSet.
#[derive(Default)]
struct Count {
    available: i32,
    all: i32,
}

/// Reads every Deployment in both ways, by the stored objects and not by what controllers have reported.
pub fn readings(cluster: &Cluster) -> Vec<Readings> {
    let api = cluster.api();
    let deployments: Vec<(&ObjectRef, &Rc<Deployment>)> = api
        .cached_list(Kind::DEPLOYMENT, None)
        .filter_map(|(reference, object)| Some((reference, object.get::<Deployment>()?)))
        .collect();
    if deployments.is_empty() {
        return Vec::new();
    }
    let mut of_deployment: BTreeMap<&str, Vec<Rc<ReplicaSet>>> = BTreeMap::new();
    let mut counts: BTreeMap<&str, (i32, Count)> = BTreeMap::new();
    let min_ready: BTreeMap<&str, i32> = deployments
        .iter()
        .map(|(_, d)| (d.metadata.uid(), d.spec.as_ref().and_then(|s| s.min_ready_seconds).unwrap_or(0)))
        .collect();
    for rs in api.cached_list(Kind::REPLICA_SET, None).filter_map(|(_, o)| o.get::<ReplicaSet>()) {
        let Some(owner) = rs.metadata.controller() else { continue };
        if let Some(seconds) = min_ready.get(owner.uid.as_str()) {
            of_deployment.entry(owner.uid.as_str()).or_default().push(rs.clone());
            counts.insert(rs.metadata.uid(), (*seconds, Count::default()));
        }
    }
    for pod in api.cached_list(Kind::POD, None).filter_map(|(_, o)| o.get::<Pod>()) {
        let owner = pod.metadata.controller().map(|o| o.uid.as_str());
        let Some((seconds, count)) = owner.and_then(|uid| counts.get_mut(uid)) else { continue };
        // A pod that has ended is not restarted and has been replaced, so it does not count.
        if is_terminal(pod) {
            continue;
        }
        count.all += 1;
        count.available +=
            i32::from(!pod.metadata.is_deleting() && is_available(pod, *seconds, cluster.now()));
    }
    let read = |(reference, d): (&ObjectRef, &Rc<Deployment>)| {
        let own = of_deployment.get(d.metadata.uid()).map_or(&[][..], Vec::as_slice);
        let new = util::find_new(d, own);
        let count = |rs: &Rc<ReplicaSet>| counts.get(rs.metadata.uid()).map(|(_, c)| c);
        Readings {
            object: reference.clone(),
            want: util::wanted(d),
            asked: new.as_ref().map(|rs| util::replicas(rs)),
            asked_by_old: util::but(own, new.as_ref()).iter().map(|rs| util::replicas(rs)).sum(),
            available: new.as_ref().and_then(count).map_or(0, |c| c.available),
            pods: own.iter().filter_map(count).map(|c| c.all).sum(),
        }
    };
    deployments.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Depth, Session, scenario};

    fn both(s: &Session) -> (bool, bool) {
        let r = readings(s.cluster());
        assert_eq!(r.len(), 1);
        (r[0].as_replica_sets(), r[0].as_pods())
    }

    fn run(s: &mut Session) {
        while s.step(Depth::Command, None) {}
    }

    #[test]
    fn intent_for_replica_sets_is_met_before_intent_for_pods() {
        let mut s = scenario::find("01-first-deployment").unwrap().open();
        assert_eq!(both(&s), (false, false));
        let mut seen = vec![both(&s)];
        while s.step(Depth::Command, None) {
            seen.push(both(&s));
        }
        seen.dedup();
        assert_eq!(seen, [(false, false), (true, false), (true, true)]);
        s.kubectl("scale deployment/web --replicas=5", &[]);
        assert_eq!(both(&s), (false, false));
        run(&mut s);
        assert_eq!(both(&s), (true, true));
    }

    #[test]
    fn steady_and_as_declared_part_ways() {
        // The cluster is steady. As intent for ReplicaSets the state matches; for Pods it never will.
        let mut s = scenario::find("13-no-room").unwrap().open();
        run(&mut s);
        assert!(s.cluster().is_steady());
        assert_eq!(both(&s), (true, false));
        // The cluster is steady, and the state matches in neither reading.
        let mut s = scenario::find("05-stuck-rollout").unwrap().open();
        run(&mut s);
        assert!(s.cluster().is_steady());
        assert_eq!(both(&s), (false, false));
        // The state matches in both readings before the cluster is steady: statuses still have to be
        // reported.
        let mut s = scenario::find("01-first-deployment").unwrap().open();
        let mut early = 0;
        while s.step(Depth::Command, None) {
            early += usize::from(both(&s) == (true, true) && !s.cluster().is_steady());
        }
        assert!(early > 0);
    }

    #[test]
    fn pods_on_their_way_out_are_pods_too_many() {
        let mut s = scenario::find("01-first-deployment").unwrap().open();
        run(&mut s);
        s.kubectl("scale deployment/web --replicas=2", &[]);
        let mut seen = Vec::new();
        while s.step(Depth::Command, None) {
            let r = readings(s.cluster()).remove(0);
            seen.push((r.as_replica_sets(), r.pods));
        }
        assert!(seen.contains(&(true, 3)), "{seen:?}");
        assert_eq!(seen.last(), Some(&(true, 2)));
    }
}
