//! The addresses of a Service, kept from one sync to the next: a sync changes those of the pods that have changed. The
//! Services that this is for have the same port numbers on every pod, so that all addresses are in one subset.

use std::rc::Rc;

use super::found::News;
use super::subsets::{CAPACITY, address, family, port, repack};
use super::{fixed_ports, is_headless};
use crate::api::MetaExt;
use crate::api::persistent::Map;
use crate::api::types::{EndpointAddress, EndpointPort, EndpointSubset, Pod, Service, ServiceSpec};

/// An address and the uid of its pod: what an address is recognised by, and their order.
type At = (String, String);

/// The addresses of a Service, all of them.
#[derive(Clone, Debug)]
pub(super) struct Published {
    service: Rc<Service>,
    ports: Option<Vec<EndpointPort>>,
    ready: Map<At, Rc<EndpointAddress>>,
    not_ready: Map<At, Rc<EndpointAddress>>,
    turn: u64,
}

/// The ports of the one subset of a Service; `None` if it may need several subsets.
fn ports(spec: &ServiceSpec) -> Option<Option<Vec<EndpointPort>>> {
    let ports = fixed_ports(spec)?;
    if ports.is_empty() {
        return is_headless(spec).then_some(None);
    }
    // They are packed as those of one address.
    let one = || EndpointAddress::default();
    let packed = repack(ports.into_iter().map(|(p, number)| (one(), true, Some(port(p, number)))).collect());
    packed.into_iter().next().map(|subset| subset.ports)
}

impl Published {
    /// The addresses after what a sync has found; `None` if they may need several subsets.
    pub(super) fn after(
        before: Option<&Rc<Published>>,
        service: &Rc<Service>,
        news: &News,
    ) -> Option<Published> {
        let spec = service.spec.as_ref()?;
        let known = |p: &&Rc<Published>| Rc::ptr_eq(&p.service, service) && p.turn + 1 == news.found.turn;
        if let Some(known) = before.filter(known).filter(|_| !news.afresh) {
            let mut now = Published { turn: news.found.turn, ..Published::clone(known) };
            for pod in &news.changed {
                pod.old.iter().for_each(|old| now.remove(spec, old));
                pod.new.iter().for_each(|new| now.insert(spec, new));
            }
            return Some(now);
        }
        let (ready, not_ready) = (Map::new(), Map::new());
        let (service, turn) = (service.clone(), news.found.turn);
        let mut now = Published { service: service.clone(), ports: ports(spec)?, ready, not_ready, turn };
        news.found.pods.values().for_each(|pod| now.insert(spec, pod));
        Some(now)
    }

    fn insert(&mut self, spec: &ServiceSpec, pod: &Pod) {
        let Some((address, ready)) = address(&self.service, spec, pod) else { return };
        let at = (address.ip.clone(), pod.metadata.uid().to_owned());
        let map = if ready { &mut self.ready } else { &mut self.not_ready };
        map.insert(at, Rc::new(address));
    }

    fn remove(&mut self, spec: &ServiceSpec, pod: &Pod) {
        let Some(ip) = super::addresses(pod, family(spec)).next() else { return };
        let at = (ip.to_owned(), pod.metadata.uid().to_owned());
        self.ready.remove(&at);
        self.not_ready.remove(&at);
    }

    /// How many addresses there are.
    pub(super) fn len(&self) -> usize {
        self.ready.len() + self.not_ready.len()
    }

    /// The addresses for which an object has room, ready ones first: those that are ready, and those that are not.
    fn shown(&self) -> [(usize, &Map<At, Rc<EndpointAddress>>); 2] {
        let ready = self.ready.len().min(CAPACITY);
        [(ready, &self.ready), (self.not_ready.len().min(CAPACITY - ready), &self.not_ready)]
    }

    /// Whether an object has these addresses and no others.
    pub(super) fn is_in(&self, subsets: &[EndpointSubset]) -> bool {
        let subset = match subsets {
            [] => return self.len() == 0,
            [subset] => subset,
            _ => return false,
        };
        let lists = [&subset.addresses, &subset.not_ready_addresses];
        self.len() > 0
            && subset.ports == self.ports
            && self.shown().into_iter().zip(lists).all(|((most, all), list)| match list {
                Some(list) => most > 0 && list.iter().eq(all.values().take(most).map(|a| &**a)),
                None => most == 0,
            })
    }

    /// The subset with these addresses; `None` if there are none.
    pub(super) fn subset(&self) -> Option<EndpointSubset> {
        let [addresses, not_ready_addresses] = self.shown().map(|(most, all)| {
            let list = || all.values().take(most).map(|a| EndpointAddress::clone(a)).collect();
            (most > 0).then(list)
        });
        let ports = self.ports.clone();
        (self.len() > 0).then_some(EndpointSubset { addresses, not_ready_addresses, ports })
    }
}
