//! In which slice each pod of a Service is, kept from one sync to the next. A sync looks at the slices that are others than
//! it knows or that have a pod that has changed, and at the pods in these; all other slices stay as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::found::News;
use super::plan::Plan;
use super::{addresses, belongs};
use crate::api::persistent::Map;
use crate::api::types::discovery::EndpointSlice;
use crate::api::types::{Node, Pod, Service};
use crate::api::{Key, Kind, MetaExt, Name, Object};
use crate::client::{Caches, Snapshot};

/// What is known of the slices of a Service with addresses of one type.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    service: Rc<Service>,
    /// The nodes; an endpoint has the zone of its node.
    nodes: Snapshot,
    /// The slices that have just what is wanted of them, by name.
    slices: Map<Name, Rc<EndpointSlice>>,
    /// The pods in these, each with the name of its slice.
    at: Map<Name, Name>,
    /// The pods that are wanted and are in none of these.
    unplaced: Map<Name, ()>,
    /// How many pods are published, with an address of this type or without.
    published: usize,
    turn: u64,
}

/// What a sync has to look at.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    /// The pods.
    pub(super) pods: Vec<Rc<Pod>>,
    /// The names of the slices that need no look.
    pub(super) settled: BTreeSet<Name>,
    /// How many pods are published, in these slices, too.
    pub(super) published: usize,
}

fn name(slice: &EndpointSlice) -> Name {
    slice.metadata.name().into()
}

/// The names of the pods in a slice.
fn pods_in(slice: &EndpointSlice) -> impl Iterator<Item = Name> {
    let pods = slice.endpoints.iter().flatten().filter_map(|e| e.target_ref.as_ref()?.name.as_deref());
    pods.map(Name::from)
}

impl Look {
    /// A look at everything.
    pub(super) fn at_all(news: &News) -> Look {
        let pods: Vec<Rc<Pod>> = news.found.pods.values().cloned().collect();
        let published = pods.iter().filter(|p| belongs(p, true)).count();
        Look { pods, settled: BTreeSet::new(), published }
    }
}

/// Whether the nodes are for endpoints what they were: each is there, and in the same zone.
fn are_alike(before: &Snapshot, caches: &Caches) -> bool {
    let zone = |node: Option<&Object>| {
        let node = node.and_then(Object::get::<Node>)?;
        Some(node.metadata.label("topology.kubernetes.io/zone").map(str::to_owned))
    };
    caches.of(Kind::NODE).changed_since(before).all(|node| zone(node.old) == zone(node.new))
}

impl Placed {
    /// What a sync has to look at; `None` if nothing is known for it, so that it looks at everything.
    pub(super) fn look(
        &self,
        service: &Rc<Service>,
        news: &News,
        existing: &[Rc<EndpointSlice>],
        caches: &Caches,
    ) -> Option<Look> {
        if news.afresh
            || self.turn + 1 != news.found.turn
            || !Rc::ptr_eq(&self.service, service)
            || !are_alike(&self.nodes, caches)
        {
            return None;
        }
        let by_name: BTreeMap<&str, &Rc<EndpointSlice>> =
            existing.iter().map(|s| (s.metadata.name(), s)).collect();
        let mut open: BTreeSet<Name> = BTreeSet::new();
        let mut pods: BTreeSet<Name> = BTreeSet::new();
        let mut next: Vec<Name> = self.unplaced.keys().cloned().collect();
        next.extend(news.changed.iter().map(|p| p.key.name.clone()));
        for slice in existing {
            let at = name(slice);
            if !self.slices.get(&at).is_some_and(|known| Rc::ptr_eq(known, slice)) {
                next.extend(pods_in(slice));
                next.extend(self.slices.get(&at).into_iter().flat_map(|s| pods_in(s)));
                open.insert(at);
            }
        }
        let gone = self.slices.iter().filter(|(at, _)| !by_name.contains_key(at.as_str()));
        next.extend(gone.flat_map(|(_, slice)| pods_in(slice)));
        while let Some(pod) = next.pop() {
            if let Some(at) = self.at.get(&pod)
                && let Some(slice) = by_name.get(at.as_str())
                && open.insert(at.clone())
            {
                next.extend(pods_in(slice));
            }
            pods.insert(pod);
        }
        let count = |pod: &Option<Rc<Pod>>| usize::from(pod.as_ref().is_some_and(|p| belongs(p, true)));
        let (left, came) =
            news.changed.iter().fold((0, 0), |(left, came), p| (left + count(&p.old), came + count(&p.new)));
        let namespace = service.metadata.namespace();
        let found = |pod: Name| news.found.pods.get(&Key { name: pod, ..Key::new(namespace, "") }).cloned();
        Some(Look {
            pods: pods.into_iter().filter_map(found).collect(),
            settled: by_name.keys().copied().map(Name::from).filter(|at| !open.contains(at)).collect(),
            published: (self.published + came).saturating_sub(left),
        })
    }

    /// What is known after a sync has looked and planned. `before` is what was known if the sync has not looked at
    /// everything.
    pub(super) fn after(
        before: Option<&Placed>,
        service: &Rc<Service>,
        (news, looked): (&News, &Look),
        (family, plan): (&str, &Plan),
        caches: &Caches,
    ) -> Placed {
        let mut now = before.cloned().unwrap_or_else(|| Placed {
            service: service.clone(),
            nodes: Snapshot::default(),
            slices: Map::new(),
            at: Map::new(),
            unplaced: Map::new(),
            published: 0,
            turn: 0,
        });
        now.nodes = caches.of(Kind::NODE).snapshot();
        now.turn = news.found.turn;
        now.published = looked.published;
        let open: Vec<Name> = now.slices.keys().filter(|at| !looked.settled.contains(*at)).cloned().collect();
        for at in open {
            for pod in now.slices.remove(&at).iter().flat_map(|slice| pods_in(slice)) {
                now.at.remove(&pod);
            }
        }
        for slice in &plan.unchanged {
            let at = name(slice);
            if looked.settled.contains(&at) {
                continue;
            }
            pods_in(slice).for_each(|pod| {
                now.at.insert(pod, at.clone());
            });
            now.slices.insert(at, slice.clone());
        }
        let wanted = |pod: &&Rc<Pod>| belongs(pod, true) && addresses(pod, family).next().is_some();
        let names = looked.pods.iter().filter(wanted).map(|pod| Name::from(pod.metadata.name()));
        now.unplaced = names.filter(|pod| !now.at.contains_key(pod)).map(|pod| (pod, ())).collect();
        now
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::controllers::endpoint::found::Triggers;
    use serde_json::json;

    fn pod(n: usize, version: &str) -> Object {
        let value = json!({
            "metadata": {"name": format!("p-{n}"), "namespace": "d", "labels": {"app": "web"}, "resourceVersion": version},
            "status": {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]},
        });
        Object::from_value(Kind::POD, value).unwrap()
    }

    fn slice(n: usize) -> Rc<EndpointSlice> {
        let endpoint = |n: usize| json!({"addresses": ["10.0.0.1"], "targetRef": {"kind": "Pod", "name": format!("p-{n}")}});
        let endpoints: Vec<_> = (n * 100..(n + 1) * 100).map(endpoint).collect();
        let value =
            json!({"metadata": {"name": format!("s-{n}")}, "addressType": "IPv4", "endpoints": endpoints});
        Rc::new(serde_json::from_value(value).unwrap())
    }

    /// A change of one pod costs a look at the hundred pods of its slice, however many there are.
    #[test]
    fn a_sync_looks_at_the_slices_with_something_new() {
        let (key, mut caches, mut triggers) = (Key::new("d", "web"), Caches::default(), Triggers::default());
        (0..1000).for_each(|n| {
            caches.of_mut(Kind::POD).upsert(Key::new("d", &format!("p-{n}")), pod(n, "1"));
        });
        let service =
            json!({"metadata": {"name": "web", "namespace": "d"}, "spec": {"selector": {"app": "web"}}});
        let service: Rc<Service> = Rc::new(serde_json::from_value(service).unwrap());
        let mut existing: Vec<Rc<EndpointSlice>> = (0..9).map(slice).collect();
        let mut sync = |caches: &Caches, existing: &[Rc<EndpointSlice>], before: Option<&Placed>| {
            let news = triggers.look(&key, &service, caches).unwrap();
            triggers.set(key.clone(), news.found.clone());
            let look = before.and_then(|b| b.look(&service, &news, existing, caches));
            let before = before.filter(|_| look.is_some());
            let look = look.unwrap_or_else(|| Look::at_all(&news));
            let plan = Plan { unchanged: existing.to_vec(), ..Plan::default() };
            let after = Placed::after(before, &service, (&news, &look), ("IPv4", &plan), caches);
            (after, (look.pods.len(), look.settled.len(), look.published))
        };
        let (first, looked) = sync(&caches, &existing, None);
        assert_eq!(looked, (1000, 0, 1000));
        // A hundred pods are in no slice, and are looked at until they are.
        let (second, looked) = sync(&caches, &existing, Some(&first));
        assert_eq!(looked, (100, 9, 1000));
        existing.push(slice(9));
        let (third, looked) = sync(&caches, &existing, Some(&second));
        assert_eq!(looked, (100, 9, 1000));
        let (fourth, looked) = sync(&caches, &existing, Some(&third));
        assert_eq!(looked, (0, 10, 1000));
        caches.of_mut(Kind::POD).upsert(Key::new("d", "p-250"), pod(250, "2"));
        caches.of_mut(Kind::POD).remove(&Key::new("d", "p-260"));
        let (_, looked) = sync(&caches, &existing, Some(&fourth));
        assert_eq!(looked, (99, 9, 999), "the slice of both");
    }
}
