//! What shall hold in every state, or of every step.

use crate::api::pod::{is_active, is_ready};
use crate::api::types::{Deployment, Pod, ReplicaSet};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::apiserver::ApiServer;
use crate::cluster::Cluster;
use crate::controllers::deployment::util;

/// How an invariant does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Of which object.
    pub object: Option<ObjectRef>,
    /// The values that were compared, as data: a name and a value each.
    pub values: Vec<(&'static str, String)>,
    /// Why it cannot be said whether it holds, if that is so. That is not the same as holding, and is
    /// not the same as not holding.
    pub undecided: Option<String>,
}

impl Violation {
    /// Something does not hold.
    pub fn new(object: Option<ObjectRef>, values: Vec<(&'static str, String)>) -> Violation {
        Violation { object, values, undecided: None }
    }

    /// It cannot be said whether it holds.
    pub fn undecided(why: impl Into<String>) -> Violation {
        Violation { object: None, values: Vec::new(), undecided: Some(why.into()) }
    }
}

/// What an invariant may look at: the objects by which states are told apart. Events and leases are not
/// among them; states that differ only in those are one.
pub fn objects(cluster: &Cluster) -> impl Iterator<Item = &Object> {
    let all = cluster.api().cached_all().filter(|(r, _)| is_counted(r));
    all.map(|(_, object)| object)
}

/// Whether an object makes a difference between states.
pub(super) fn is_counted(reference: &ObjectRef) -> bool {
    ![Kind::EVENT, Kind::LEASE].contains(&reference.kind)
}

/// Something that shall hold. The default of each question is that it does.
pub trait Invariant {
    /// Its name.
    fn name(&self) -> &str;

    /// Of a state.
    ///
    /// # Errors
    /// How it does not hold.
    fn state(&self, _cluster: &Cluster) -> Result<(), Violation> {
        Ok(())
    }

    /// Of a state in which nothing can happen any more.
    ///
    /// # Errors
    /// How it does not hold.
    fn steady(&self, _cluster: &Cluster) -> Result<(), Violation> {
        Ok(())
    }

    /// Of a step.
    ///
    /// # Errors
    /// How it does not hold.
    fn step(&self, _before: &Cluster, _after: &Cluster) -> Result<(), Violation> {
        Ok(())
    }
}

/// What Kubernetes promises of every Deployment, whatever the order.
pub fn builtin() -> Vec<Box<dyn Invariant>> {
    vec![
        Box::new(MaxUnavailable),
        Box::new(MaxSurge),
        Box::new(OneController),
        Box::new(NoOrphan),
        Box::new(BoundOnce),
    ]
}

/// A rollout deletes no ready pod that `maxUnavailable` does not allow.
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

/// A rollout makes no pod that `maxSurge` does not allow.
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

/// No object has two owners that control it.
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

/// When all is still, nothing is owned by what is not there.
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

/// No pod changes its node.
struct BoundOnce;

impl Invariant for BoundOnce {
    fn name(&self) -> &'static str {
        "boundOnce"
    }

    fn step(&self, before: &Cluster, after: &Cluster) -> Result<(), Violation> {
        let node = |p: &Pod| p.spec.as_ref().and_then(|s| s.node_name.clone()).unwrap_or_default();
        for (reference, object) in after.api().cached_list(Kind::POD, None) {
            let old = before.api().cached(reference);
            // Only what was written can have changed.
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

/// The Deployments that are rolled out step by step.
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
