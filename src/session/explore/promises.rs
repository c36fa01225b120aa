//! The built-in invariants: what Kubernetes promises, whatever the order of actions.

use super::invariant::{Invariant, Violation};
use super::requests::NoRequestLost;
use crate::api::pod::{is_active, is_ready};
use crate::api::types::{Deployment, Pod, ReplicaSet};
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::apiserver::ApiServer;
use crate::cluster::Cluster;
use crate::controllers::deployment::util;

/// The built-in invariants: what Kubernetes promises, whatever the order of actions.
pub fn builtin() -> Vec<Box<dyn Invariant>> {
    vec![
        Box::new(MaxUnavailable),
        Box::new(MaxSurge),
        Box::new(OneController),
        Box::new(NoOrphan),
        Box::new(BoundOnce),
        Box::new(NoRequestLost),
    ]
}

/// A rollout deletes no ready pod that `maxUnavailable` protects.
struct MaxUnavailable;

impl Invariant for MaxUnavailable {
    fn name(&self) -> &'static str {
        "maxUnavailable"
    }

    fn step(&self, before: &Cluster, after: &Cluster) -> Result<(), Violation> {
        let (old, new) = (before.api(), after.api());
        for (reference, d) in rolling(new) {
            let runs = |p: &&Pod| is_active(p) && is_ready(p);
            let taken = pods_of(old, d).any(|p| {
                let now = new.cached(&ObjectRef { kind: Kind::POD, key: p.metadata.key() });
                runs(&p) && !now.and_then(|o| o.get::<Pod>()).is_some_and(|p| is_active(p))
            });
            let least = util::wanted(d) - util::max_unavailable(d);
            let ready = i32::try_from(pods_of(new, d).filter(runs).count()).unwrap_or(i32::MAX);
            if taken && ready < least {
                let values = vec![("ready", ready.to_string()), ("least", least.to_string())];
                return Err(Violation::new(Some(reference.clone()), values));
            }
        }
        Ok(())
    }
}

/// A rollout creates no pod beyond `maxSurge`. A pod that is being deleted does not count, as for the controllers.
struct MaxSurge;

impl Invariant for MaxSurge {
    fn name(&self) -> &'static str {
        "maxSurge"
    }

    fn step(&self, before: &Cluster, after: &Cluster) -> Result<(), Violation> {
        for (reference, d) in rolling(after.api()) {
            let count = |c: &Cluster| {
                let pods = pods_of(c.api(), d).filter(|p| is_active(p)).count();
                i32::try_from(pods).unwrap_or(i32::MAX)
            };
            let most = util::wanted(d) + util::max_surge(d);
            let pods = count(after);
            if pods > most && pods > count(before) {
                let values = vec![("pods", pods.to_string()), ("most", most.to_string())];
                return Err(Violation::new(Some(reference.clone()), values));
            }
        }
        Ok(())
    }
}

/// No object has two owner references with `controller: true`.
struct OneController;

impl Invariant for OneController {
    fn name(&self) -> &'static str {
        "oneController"
    }

    fn state(&self, cluster: &Cluster) -> Result<(), Violation> {
        for (reference, object) in cluster.api().cached_all() {
            let owners = object.meta().owners().iter();
            let n = owners.filter(|o| o.controller == Some(true)).count();
            if n > 1 {
                let values = vec![("controllers", n.to_string())];
                return Err(Violation::new(Some(reference.clone()), values));
            }
        }
        Ok(())
    }
}

/// In a steady state no object has an owner that does not exist.
struct NoOrphan;

impl Invariant for NoOrphan {
    fn name(&self) -> &'static str {
        "noOrphan"
    }

    fn steady(&self, cluster: &Cluster) -> Result<(), Violation> {
        let api = cluster.api();
        let uids: std::collections::BTreeSet<&str> = api.cached_all().map(|(_, o)| o.uid()).collect();
        for (reference, object) in api.cached_all() {
            let owners = object.meta().owners();
            if !owners.is_empty() && owners.iter().all(|o| !uids.contains(o.uid.as_str())) {
                let names: Vec<&str> = owners.iter().map(|o| o.name.as_str()).collect();
                let values = vec![("owners", names.join(", "))];
                return Err(Violation::new(Some(reference.clone()), values));
            }
        }
        Ok(())
    }
}

/// A pod that is bound to a node stays on it.
struct BoundOnce;

impl Invariant for BoundOnce {
    fn name(&self) -> &'static str {
        "boundOnce"
    }

    fn step(&self, before: &Cluster, after: &Cluster) -> Result<(), Violation> {
        let node = |p: &Pod| p.spec.as_ref().and_then(|s| s.node_name.clone()).unwrap_or_default();
        for (reference, object) in after.api().cached_list(Kind::POD, None) {
            let old = before.api().cached(reference);
            // An object that was not written is the same allocation.
            let Some(old) = old.filter(|o| !o.ptr_eq(object)) else { continue };
            let (Some(old), Some(new)) = (old.get::<Pod>(), object.get::<Pod>()) else {
                continue;
            };
            let (was, is) = (node(old), node(new));
            if old.metadata.uid == new.metadata.uid && !was.is_empty() && was != is {
                let values = vec![("was", was), ("is", is)];
                return Err(Violation::new(Some(reference.clone()), values));
            }
        }
        Ok(())
    }
}

/// The Deployments with the strategy `RollingUpdate`.
fn rolling(api: &ApiServer) -> impl Iterator<Item = (&ObjectRef, &Deployment)> {
    let all = api.cached_list(Kind::DEPLOYMENT, None);
    let all = all.filter_map(|(r, object)| object.get::<Deployment>().map(|d| (r, &**d)));
    all.filter(|(_, d)| {
        let strategy = d.spec.as_ref().and_then(|s| s.strategy.as_ref()).and_then(|s| s.type_.as_deref());
        strategy == Some("RollingUpdate") && !d.metadata.is_deleting()
    })
}

/// The pods of a Deployment's ReplicaSets.
fn pods_of<'a>(api: &'a ApiServer, d: &'a Deployment) -> impl Iterator<Item = &'a Pod> {
    let namespace = MetaExt::namespace(&d.metadata);
    let sets = api.cached_list(Kind::REPLICA_SET, Some(namespace));
    let sets = sets.filter_map(|(_, o)| o.get::<ReplicaSet>());
    let mine: Vec<Key> = sets
        .filter(|rs| rs.metadata.controller().is_some_and(|o| o.uid == d.metadata.uid()))
        .map(|rs| Key::new("", rs.metadata.uid()))
        .collect();
    let pods = api.cached_list(Kind::POD, Some(namespace)).filter_map(|(_, o)| o.get::<Pod>());
    pods.map(|p| &**p)
        .filter(move |p| p.metadata.controller().is_some_and(|o| mine.iter().any(|k| *k.name == *o.uid)))
}
