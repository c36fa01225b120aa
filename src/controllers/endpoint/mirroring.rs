//! The EndpointSlice mirroring controller (`pkg/controller/endpointslicemirroring`). The Endpoints of a
//! Service without a selector are written by a person or a client; this controller copies them into
//! EndpointSlices, for components that read only those.

use std::rc::Rc;

use jiff::SignedDuration;

use super::ports::sort_slice_ports;
use super::reconcile::identity;
use super::subsets::{Entry, repack};
use super::tracker::{Tracker, service_of};
use crate::api::ip_family::{IPV4, IPV6, family_of};
use crate::api::types::discovery::{
    Endpoint, EndpointConditions, EndpointPort, EndpointSlice, LABEL_MANAGED_BY, LABEL_SERVICE_NAME,
};
use crate::api::types::{EndpointAddress, EndpointSubset, Endpoints, ObjectMeta, Service};
use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp, order, owner_reference};
use crate::apimachinery::DeleteOptions;
use crate::client::{
    Caches, Context, Error, EventFlavour, Handler, Memory, RateLimit, Reconciler, Result, Seen, Watches, Why,
};

const CONTROLLER: &str = "endpointslicemirroring-controller.k8s.io";
const SKIP_MIRROR: &str = "endpointslice.kubernetes.io/skip-mirror";
const LEADER: &str = "control-plane.alpha.kubernetes.io/leader";
/// How many addresses of a subset are mirrored (`--mirroring-max-endpoints-per-subset`).
const MAX_PER_SUBSET: usize = 1000;
/// How often Endpoints are tried again after an error (`maxRetries`).
const MAX_RETRIES: u32 = 15;
/// How long Endpoints wait after their first failure (`defaultSyncBackOff`), and at most (`maxSyncBackOff`).
const SYNC_BACK_OFF: SignedDuration = SignedDuration::from_secs(1);
const MAX_SYNC_BACK_OFF: SignedDuration = SignedDuration::from_secs(100);

/// The EndpointSlice mirroring controller.
#[derive(Clone, Copy, Debug)]
pub struct EndpointSliceMirroringController;

/// What the controller remembers: the slices that it has written.
#[derive(Clone, Debug, Default)]
pub struct State(Tracker);

impl Memory for State {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        self.0.lines()
    }

    fn waits_for(&self, caches: &Caches) -> Vec<String> {
        self.0.waits_for(|key| slices_of(caches, key))
    }
}

type Cx = Context<State>;

impl Reconciler for EndpointSliceMirroringController {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "endpointslice-mirroring-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "endpointslicemirroring-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "endpoint-slice-mirroring-controller".into(), host: None }
    }

    fn watches(&self) -> Watches<State> {
        Watches::new().watches(handle_endpoints).watches(handle_service).watches(handle_slice)
    }

    fn rate_limit(&self) -> RateLimit {
        RateLimit { base: SYNC_BACK_OFF, max: MAX_SYNC_BACK_OFF }
    }

    fn max_retries(&self) -> Option<u32> {
        Some(MAX_RETRIES)
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let existing = slices_of(cx.caches(), &key);
        let endpoints = cx.lister::<Endpoints>().get(&key).filter(|e| should_mirror(&e.metadata)).cloned();
        let service = cx.lister::<Service>().get(&key);
        let by_hand = service.is_some_and(|s| !has_selector(s));
        let Some(endpoints) = endpoints.filter(|_| by_hand) else {
            let k = key.clone();
            cx.update_state(move |s| s.0.forget(&k));
            return delete_all(&cx, &key, existing).await;
        };
        if cx.state(|s| s.0.is_stale(&key, &existing)) {
            return Err(Error::Other("EndpointSlice informer cache is out of date".into()));
        }
        let wanted = desired(&cx, &endpoints);
        finalize(&cx, &endpoints, Plan::new(&endpoints, wanted, existing)).await
    }
}

fn has_selector(service: &Service) -> bool {
    service.spec.as_ref().is_some_and(|s| s.selector.is_some())
}

fn is_mine(slice: &EndpointSlice) -> bool {
    slice.metadata.label(LABEL_MANAGED_BY) == Some(CONTROLLER)
}

/// The slices that mirror the Endpoints of a Service.
fn slices_of(caches: &Caches, service: &Key) -> Vec<Rc<EndpointSlice>> {
    let of_kind = caches.of(Kind::ENDPOINT_SLICE).list(Some(&service.namespace));
    let slices = of_kind.filter_map(EndpointSlice::from_object).filter(|s| is_mine(s));
    slices.filter(|s| s.metadata.label(LABEL_SERVICE_NAME) == Some(&service.name)).cloned().collect()
}

/// Enqueues Endpoints that are mirrored, or were (`onEndpointsUpdate`).
fn handle_endpoints(cx: &mut Handler<'_, State>, seen: Seen<'_, Endpoints>) {
    if [seen.old, seen.new].into_iter().flatten().any(|e| should_mirror(&e.metadata)) {
        cx.enqueue(seen.key.clone());
    }
}

/// Enqueues a Service without a selector when it comes or goes, and one that gets or loses its selector
/// (`onServiceUpdate`).
fn handle_service(cx: &mut Handler<'_, State>, seen: Seen<'_, Service>) {
    let matters = match (seen.old, seen.new) {
        (Some(old), Some(new)) => has_selector(old) != has_selector(new),
        _ => !has_selector(seen.object()),
    };
    if matters {
        cx.enqueue(seen.key.clone());
    }
}

/// Enqueues the Service of a slice that somebody else has written or deleted (`onEndpointSliceUpdate`).
fn handle_slice(cx: &mut Handler<'_, State>, seen: Seen<'_, EndpointSlice>) {
    let services = match (seen.old, seen.new) {
        (Some(old), Some(new)) if service_of(old) != service_of(new) => [service_of(new), service_of(old)],
        (old, Some(new)) => {
            let moved = old.is_some_and(|old| is_mine(old) != is_mine(new));
            let others = is_mine(new) && cx.state.0.should_sync(new);
            [service_of(new).filter(|_| moved || others), None]
        }
        (Some(old), None) if is_mine(old) && cx.state.0.gone(old) => [service_of(old), None],
        (_, None) => [None, None],
    };
    services.into_iter().flatten().for_each(|service| cx.enqueue(service));
}

/// The slices that are wanted: for each subset one for each type of addresses that it has. Tells if there are more
/// addresses than are mirrored.
fn desired(cx: &Cx, endpoints: &Rc<Endpoints>) -> Vec<EndpointSlice> {
    let subsets = repack(endpoints.subsets.iter().flatten().flat_map(entries).collect());
    let addresses = |s: &EndpointSubset| {
        s.addresses.as_ref().map_or(0, Vec::len) + s.not_ready_addresses.as_ref().map_or(0, Vec::len)
    };
    let skipped: usize = subsets.iter().map(|s| addresses(s).saturating_sub(MAX_PER_SUBSET)).sum();
    if skipped > 0 {
        let message = format!(
            "A max of {MAX_PER_SUBSET} addresses can be mirrored to EndpointSlices per Endpoints subset. {skipped} addresses were skipped"
        );
        cx.event(&**endpoints, "Warning", "TooManyAddressesToMirror", message);
    }
    subsets.iter().flat_map(|s| mirror(endpoints, s)).collect()
}

/// Each address of a subset with each of its ports.
fn entries(subset: &EndpointSubset) -> Vec<Entry> {
    let ports: Vec<Option<crate::api::types::EndpointPort>> = match subset.ports.as_deref() {
        None | Some([]) => vec![None],
        Some(ports) => ports.iter().cloned().map(Some).collect(),
    };
    let ready = subset.addresses.iter().flatten().map(|a| (a, true));
    let all = ready.chain(subset.not_ready_addresses.iter().flatten().map(|a| (a, false)));
    all.flat_map(|(a, ready)| ports.iter().map(move |p| (a.clone(), ready, p.clone()))).collect()
}

/// Which slices are created, updated and deleted (`slicesByAction`), and which are as they shall be.
#[derive(Default)]
struct Plan {
    unchanged: Vec<Rc<EndpointSlice>>,
    create: Vec<EndpointSlice>,
    update: Vec<EndpointSlice>,
    delete: Vec<Rc<EndpointSlice>>,
}

impl Plan {
    /// A wanted slice takes the place of the first one with its ports and its type of addresses
    /// (`reconcileByPortMapping`); if there is none, that of any slice that is to be deleted (`recycleSlices`).
    fn new(endpoints: &Endpoints, wanted: Vec<EndpointSlice>, existing: Vec<Rc<EndpointSlice>>) -> Plan {
        let mut plan = Plan::default();
        let with_ports = |s: Rc<EndpointSlice>| {
            let mut ports = s.ports.clone().unwrap_or_default();
            sort_slice_ports(&mut ports);
            (ports, s)
        };
        let mut existing: Vec<(Vec<EndpointPort>, Rc<EndpointSlice>)> =
            existing.into_iter().map(with_ports).collect();
        for mut new in wanted {
            let like_new = |(ports, s): &(Vec<EndpointPort>, Rc<EndpointSlice>)| {
                s.address_type == new.address_type && *ports == new.ports.as_deref().unwrap_or_default()
            };
            let (of_ports, rest): (Vec<_>, Vec<_>) = existing.into_iter().partition(like_new);
            existing = rest;
            let mut of_ports = of_ports.into_iter().map(|(_, s)| s);
            let Some(first) = of_ports.next() else {
                plan.create.push(new);
                continue;
            };
            plan.delete.extend(of_ports);
            if is_mirror(endpoints, &first, &new) {
                plan.unchanged.push(first);
            } else {
                new.metadata.generate_name = None;
                new.metadata.name.clone_from(&first.metadata.name);
                plan.update.push(new);
            }
        }
        plan.delete.extend(existing.into_iter().map(|(_, s)| s));
        for mut new in std::mem::take(&mut plan.create) {
            match plan.delete.iter().position(|s| s.address_type == new.address_type) {
                Some(i) => {
                    new.metadata.name.clone_from(&plan.delete.remove(i).metadata.name);
                    plan.update.push(new);
                }
                None => plan.create.push(new),
            }
        }
        plan
    }
}

/// Whether a slice is as wanted.
fn is_mirror(endpoints: &Endpoints, slice: &EndpointSlice, wanted: &EndpointSlice) -> bool {
    let mut labels = slice.metadata.labels.clone().unwrap_or_default();
    labels.remove(LABEL_MANAGED_BY);
    labels.remove(LABEL_SERVICE_NAME);
    same_endpoints(
        slice.endpoints.as_deref().unwrap_or_default(),
        wanted.endpoints.as_deref().unwrap_or_default(),
    ) && labels == endpoints.metadata.labels.clone().unwrap_or_default()
        && slice.metadata.annotations.clone().unwrap_or_default()
            == wanted.metadata.annotations.clone().unwrap_or_default()
        && !is_of_earlier_endpoints(endpoints, slice)
}

/// Whether a slice belongs to Endpoints of the same name that were there before (`needRebuildExistingSlices`).
fn is_of_earlier_endpoints(endpoints: &Endpoints, slice: &EndpointSlice) -> bool {
    let (name, uid) = (endpoints.metadata.name(), endpoints.metadata.uid());
    slice.metadata.owners().iter().any(|o| o.kind == "Endpoints" && o.name == name && o.uid != uid)
}

/// Whether two lists have the same endpoints, in any order.
fn same_endpoints(a: &[Endpoint], b: &[Endpoint]) -> bool {
    let sorted = |list: &[Endpoint]| {
        let mut places: Vec<usize> = (0..list.len()).collect();
        order::sort_by_key(&mut places, |i| list.get(*i).map(identity));
        places
    };
    let same = |(i, j): (usize, usize)| a.get(i) == b.get(j);
    a.len() == b.len() && sorted(a).into_iter().zip(sorted(b)).all(same)
}

/// Writes the slices of a plan (`finalize`).
async fn finalize(cx: &Cx, endpoints: &Endpoints, plan: Plan) -> Result {
    let key = endpoints.metadata.key();
    let of = format!("EndpointSlice for Endpoints {key}");
    cx.update_state(move |s| plan.unchanged.iter().for_each(|slice| s.0.know(slice)));
    if !endpoints.metadata.is_deleting() {
        for slice in plan.create {
            match cx.create(slice).because(why(&key)).await {
                Err(e) if e.is_namespace_terminating() => return Ok(()),
                Err(e) => return Err(Error::Other(format!("failed to create {of}: {}", e.message))),
                Ok(created) => cx.update_state(move |s| s.0.wrote(&created)),
            }
        }
    }
    for slice in plan.update {
        let name = slice.metadata.name().to_owned();
        match cx.update(Rc::new(slice)).because(why(&key)).await {
            Err(e) => return Err(Error::Other(format!("failed to update {name} {of}: {}", e.message))),
            Ok(updated) => cx.update_state(move |s| s.0.wrote(&updated)),
        }
    }
    for slice in plan.delete {
        let at = slice.metadata.key();
        if let Err(e) = cx.delete(EndpointSlice::KIND, at, DeleteOptions::default()).because(why(&key)).await
        {
            let name = slice.metadata.name();
            return Err(Error::Other(format!("failed to delete {name} {of}: {}", e.message)));
        }
        cx.update_state(move |s| s.0.deleted(&slice));
    }
    Ok(())
}

fn why(key: &Key) -> Why {
    let at = ObjectRef { kind: Kind::ENDPOINTS, key: key.clone() };
    Why::new("endpointslicemirroring.reconcile").read("endpoints", at, "subsets", &key.name)
}

/// Deletes the slices of Endpoints that are not mirrored any more (`deleteEndpoints`).
async fn delete_all(cx: &Cx, key: &Key, slices: Vec<Rc<EndpointSlice>>) -> Result {
    let (all, mut errors) = (slices.len(), Vec::new());
    for slice in slices {
        let at = slice.metadata.key();
        if let Err(e) = cx.delete(EndpointSlice::KIND, at, DeleteOptions::default()).because(why(key)).await {
            errors.push(e.message.clone());
        }
    }
    let Some(first) = errors.first() else { return Ok(()) };
    let failed = errors.len();
    Err(Error::Other(format!(
        "error(s) deleting {failed}/{all} EndpointSlices for {key} Endpoints, including: {first}"
    )))
}

fn should_mirror(meta: &ObjectMeta) -> bool {
    meta.label(SKIP_MIRROR) != Some("true") && meta.annotation(LEADER).is_none()
}

/// The slices of a subset: one for each type of addresses that it has.
fn mirror(endpoints: &Endpoints, subset: &EndpointSubset) -> Vec<EndpointSlice> {
    let endpoint = |a: &EndpointAddress, ready: bool| Endpoint {
        addresses: vec![a.ip.clone()],
        conditions: Some(EndpointConditions { ready: Some(ready), ..Default::default() }),
        hostname: a.hostname.clone().filter(|h| !h.is_empty()),
        node_name: a.node_name.clone(),
        target_ref: a.target_ref.clone(),
        ..Default::default()
    };
    let ready = subset.addresses.iter().flatten().map(|a| endpoint(a, true));
    let not_ready = subset.not_ready_addresses.iter().flatten().map(|a| endpoint(a, false));
    let all: Vec<Endpoint> = ready.chain(not_ready).take(MAX_PER_SUBSET).collect();
    let mut labels = endpoints.metadata.labels.clone().unwrap_or_default();
    labels.insert(LABEL_SERVICE_NAME.into(), endpoints.metadata.name().to_owned());
    labels.insert(LABEL_MANAGED_BY.into(), CONTROLLER.into());
    let mut annotations = endpoints.metadata.annotations.clone().unwrap_or_default();
    annotations.remove(LAST_APPLIED_CONFIG_ANNOTATION);
    annotations.remove(super::LAST_CHANGE_TRIGGER_TIME);
    let port = |p: &crate::api::types::EndpointPort| EndpointPort {
        name: Some(p.name.clone().unwrap_or_default()),
        port: Some(p.port),
        protocol: p.protocol.clone(),
        app_protocol: p.app_protocol.clone(),
    };
    let mut ports: Vec<EndpointPort> = subset.ports.iter().flatten().map(port).collect();
    sort_slice_ports(&mut ports);
    let slice = |family: &str| {
        let of_family = |e: &&Endpoint| e.addresses.iter().all(|a| family_of(a) == family);
        let found: Vec<Endpoint> = all.iter().filter(of_family).cloned().collect();
        (!found.is_empty()).then(|| EndpointSlice {
            metadata: ObjectMeta {
                generate_name: Some(format!("{}-", endpoints.metadata.name())),
                namespace: endpoints.metadata.namespace.clone(),
                labels: Some(labels.clone()),
                annotations: Some(annotations.clone()).filter(|a| !a.is_empty()),
                owner_references: Some(vec![owner_reference(Kind::ENDPOINTS, &endpoints.metadata)]),
                ..Default::default()
            },
            address_type: family.into(),
            endpoints: Some(found),
            ports: Some(ports.clone()).filter(|p| !p.is_empty()),
        })
    };
    [IPV4, IPV6].into_iter().filter_map(slice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_the_same_in_any_order_and_as_often() {
        let endpoint = |ip: &str, ready: bool| Endpoint {
            addresses: vec![ip.into()],
            conditions: Some(EndpointConditions { ready: Some(ready), ..Default::default() }),
            ..Default::default()
        };
        let (x, y) = (endpoint("10.0.0.1", true), endpoint("10.0.0.2", true));
        assert!(same_endpoints(&[x.clone(), y.clone()], &[y.clone(), x.clone()]));
        assert!(!same_endpoints(&[x.clone(), y.clone()], &[endpoint("10.0.0.2", false), x.clone()]));
        assert!(!same_endpoints(&[x.clone(), x.clone(), y.clone()], &[x.clone(), y.clone(), y.clone()]));
        assert!(!same_endpoints(std::slice::from_ref(&x), &[x.clone(), y]));
    }

    /// `reconcileByPortMapping` in `pkg/controller/endpointslicemirroring/reconciler.go`: a slice of Endpoints that were there
    /// before gets its new owner (`needRebuildExistingSlices`).
    #[test]
    fn a_slice_of_endpoints_that_were_made_again_is_written() {
        let endpoints = |uid: &str| Endpoints {
            metadata: ObjectMeta {
                name: Some("web".into()),
                namespace: Some("default".into()),
                uid: Some(uid.into()),
                ..Default::default()
            },
            ..Default::default()
        };
        let address = EndpointAddress { ip: "10.0.0.1".into(), ..Default::default() };
        let subset = EndpointSubset { addresses: Some(vec![address]), ..Default::default() };
        let slices = |uid: &str| mirror(&endpoints(uid), &subset);
        let mut existing = slices("old").remove(0);
        existing.metadata.name = Some("web-x".into());
        let existing = Rc::new(existing);
        let same = Plan::new(&endpoints("old"), slices("old"), vec![existing.clone()]);
        assert_eq!((same.update.len(), same.unchanged), (0, vec![existing.clone()]));
        let again = Plan::new(&endpoints("new"), slices("new"), vec![existing]);
        let owners: Vec<&str> =
            again.update.iter().flat_map(|s| s.metadata.owners()).map(|o| o.uid.as_str()).collect();
        assert_eq!(owners, ["new"]);
    }
}
