//! What becomes of the slices of a Service: which are created, changed and deleted, as few as possible
//! (`reconcileByAddressType`, `reconcileByPortMapping` of `k8s.io/endpointslice`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{HEADLESS, is_headless, plan::Plan, topology};
use crate::api::types::discovery::{
    Endpoint, EndpointPort, EndpointSlice, LABEL_MANAGED_BY, LABEL_SERVICE_NAME,
};
use crate::api::types::{ObjectMeta, Service};
use crate::api::{Kind, MetaExt, Name, order, owner_reference};

/// The value of [`LABEL_MANAGED_BY`] for slices of the EndpointSlice controller.
pub(super) const CONTROLLER: &str = "endpointslice-controller.k8s.io";
/// The most endpoints in a slice (`--max-endpoints-per-slice`).
pub(super) const MAX_ENDPOINTS: usize = 100;

/// The ports of a slice, as a value that has an order.
pub(super) type Ports = Vec<(String, Option<i32>, Option<String>, Option<String>)>;

pub(super) fn ports_key(ports: &[EndpointPort]) -> Ports {
    let mut key: Ports = ports
        .iter()
        .map(|p| (p.name.clone().unwrap_or_default(), p.port, p.protocol.clone(), p.app_protocol.clone()))
        .collect();
    order::sort(&mut key);
    key
}

/// The wanted endpoints, by their ports.
pub(super) type Desired = BTreeMap<Ports, (Vec<EndpointPort>, Vec<Endpoint>)>;

/// Whether two versions of an endpoint differ. The hints of a topology mode come later and are left out
/// (`EndpointsEqualBeyondHash`).
fn differ(service: &Service, new: &Endpoint, old: &Endpoint) -> bool {
    if topology::is_wanted(service) { *new != Endpoint { hints: None, ..old.clone() } } else { new != old }
}

/// By what an endpoint is recognised: its addresses in order, its hostname, and the namespace and the name of its pod
/// (`hashEndpoint`). Everything else is changed in place.
pub(super) type Identity<'a> = (Vec<&'a str>, &'a str, &'a str, &'a str);

pub(super) fn identity(e: &Endpoint) -> Identity<'_> {
    let mut addresses: Vec<&str> = e.addresses.iter().map(String::as_str).collect();
    order::sort(&mut addresses);
    let pod = e.target_ref.as_ref();
    let (namespace, name) = (pod.and_then(|r| r.namespace.as_deref()), pod.and_then(|r| r.name.as_deref()));
    (
        addresses,
        e.hostname.as_deref().unwrap_or_default(),
        namespace.unwrap_or_default(),
        name.unwrap_or_default(),
    )
}

/// Gives each wanted endpoint the place of the old endpoint with its identity. Returns for each slice that is not settled,
/// and each endpoint in it, what is wanted there, and the endpoints that have no place yet.
fn place(
    wanted: Vec<Endpoint>,
    existing: &[Rc<EndpointSlice>],
    settled: &BTreeSet<Name>,
) -> (Vec<Vec<Option<Endpoint>>>, Vec<Endpoint>) {
    let mut places: Vec<Vec<Option<Endpoint>>> = Vec::new();
    let mut known: BTreeMap<Identity<'_>, (usize, usize)> = BTreeMap::new();
    for (i, slice) in existing.iter().enumerate() {
        if settled.contains(slice.metadata.name()) {
            places.push(Vec::new());
            continue;
        }
        let old = slice.endpoints.as_deref().unwrap_or_default();
        places.push(vec![None; old.len()]);
        for (n, e) in old.iter().enumerate() {
            // Of two old endpoints with one identity, the second goes.
            known.entry(identity(e)).or_insert((i, n));
        }
    }
    let mut rest = Vec::new();
    for e in wanted {
        let found = known.get(&identity(&e)).copied();
        match found.and_then(|(i, n)| places.get_mut(i)?.get_mut(n)) {
            Some(slot) => *slot = Some(e),
            None => rest.push(e),
        }
    }
    (places, rest)
}

/// Whether a slice was made for this Service, not for an earlier one of its name (`ownedBy`).
pub(super) fn owned_by(slice: &EndpointSlice, service: &Service) -> bool {
    let owners = slice.metadata.owner_references.as_deref().unwrap_or_default();
    owners.iter().any(|o| o.uid == service.metadata.uid() && o.kind == "Service" && o.api_version == "v1")
}

/// Which slices of a family to create, update and delete (`reconcileByAddressType`). Those that are settled have just what is
/// wanted of them, which `desired` leaves out.
pub(super) fn reconcile(
    service: &Service,
    family: &str,
    desired: Desired,
    existing: &[Rc<EndpointSlice>],
    settled: &BTreeSet<Name>,
) -> Plan {
    let mut plan = Plan::default();
    let mut by_ports: BTreeMap<Ports, Vec<Rc<EndpointSlice>>> = BTreeMap::new();
    for slice in existing {
        if !owned_by(slice, service) {
            plan.delete.push(slice.clone());
            continue;
        }
        let key = ports_key(slice.ports.as_deref().unwrap_or_default());
        by_ports.entry(key).or_default().push(slice.clone());
    }
    for (key, (ports, endpoints)) in desired {
        let slices = by_ports.remove(&key).unwrap_or_default();
        reconcile_ports((service, family), &ports, endpoints, slices, settled, &mut plan);
    }
    plan.delete.extend(by_ports.into_values().flatten());
    if existing.len() == plan.delete.len() && plan.create.is_empty() {
        // A Service without pods has one empty slice.
        let placeholder = new_slice(service, family, Vec::new(), Vec::new());
        match plan.delete.as_slice() {
            [one] if is_placeholder(one, &placeholder) => plan.delete.clear(),
            _ => plan.create.push(placeholder),
        }
    }
    plan
}

fn is_placeholder(slice: &EndpointSlice, placeholder: &EndpointSlice) -> bool {
    slice.endpoints.as_ref().is_none_or(Vec::is_empty)
        && slice.ports.as_ref().is_none_or(Vec::is_empty)
        && slice.metadata.labels == placeholder.metadata.labels
}

/// The same for the slices with these ports (`reconcileByPortMapping`).
fn reconcile_ports(
    (service, family): (&Service, &str),
    ports: &[EndpointPort],
    wanted: Vec<Endpoint>,
    existing: Vec<Rc<EndpointSlice>>,
    settled: &BTreeSet<Name>,
    plan: &mut Plan,
) {
    let labels = slice_labels(service);
    let mut unchanged: Vec<Rc<EndpointSlice>> = Vec::new();
    let mut changed: Vec<Rc<EndpointSlice>> = Vec::new();
    let (places, rest) = place(wanted, &existing, settled);
    for (slice, found) in existing.into_iter().zip(places) {
        if settled.contains(slice.metadata.name()) {
            unchanged.push(slice);
            continue;
        }
        let old = slice.endpoints.as_deref().unwrap_or_default();
        let updated =
            old.iter().zip(&found).any(|(e, new)| new.as_ref().is_some_and(|new| differ(service, new, e)));
        let kept: Vec<Endpoint> = found.into_iter().flatten().collect();
        if updated || kept.len() != old.len() {
            if kept.is_empty() {
                plan.delete.push(slice);
                continue;
            }
            let mut new = slice;
            let s = Rc::make_mut(&mut new);
            s.endpoints = Some(kept);
            s.metadata.labels = Some(labels.clone());
            changed.push(new);
        } else if own_labels(slice.metadata.labels_or_empty()) != own_labels(&labels) {
            let mut new = slice;
            Rc::make_mut(&mut new).metadata.labels = Some(labels.clone());
            changed.push(new);
        } else {
            unchanged.push(slice);
        }
    }
    let mut wanted = rest.into_iter();
    // The fullest slices are filled up first.
    order::sort_by_key(&mut changed, |s| std::cmp::Reverse(len(s)));
    for slice in &mut changed {
        fill(Rc::make_mut(slice), &mut wanted);
    }
    while wanted.len() > 0 {
        // The fullest slice that has room for all remaining endpoints.
        let fits = |s: &&Rc<EndpointSlice>| wanted.len() + len(s) <= MAX_ENDPOINTS;
        let best = unchanged.iter().filter(fits).max_by_key(|s| len(s)).cloned();
        match best.filter(|_| wanted.len() < MAX_ENDPOINTS) {
            Some(slice) => {
                unchanged.retain(|s| s.metadata.name != slice.metadata.name);
                let mut new = slice;
                fill(Rc::make_mut(&mut new), &mut wanted);
                changed.push(new);
            }
            None => {
                let mut new = new_slice(service, family, ports.to_vec(), Vec::new());
                fill(&mut new, &mut wanted);
                plan.create.push(new);
            }
        }
    }
    plan.update.extend(changed);
    plan.unchanged.extend(unchanged);
}

pub(super) fn len(slice: &EndpointSlice) -> usize {
    slice.endpoints.as_ref().map_or(0, Vec::len)
}

fn fill(slice: &mut EndpointSlice, wanted: &mut std::vec::IntoIter<Endpoint>) {
    let endpoints = slice.endpoints.get_or_insert_default();
    let room = MAX_ENDPOINTS.saturating_sub(endpoints.len());
    endpoints.extend(wanted.take(room));
}

/// The Service's labels, and those that mark a slice (`setEndpointSliceLabels`).
fn slice_labels(service: &Service) -> BTreeMap<String, String> {
    let mut labels = service.metadata.labels.clone().unwrap_or_default();
    labels.remove(HEADLESS);
    if service.spec.as_ref().is_some_and(is_headless) {
        labels.insert(HEADLESS.into(), String::new());
    }
    labels.insert(LABEL_SERVICE_NAME.into(), service.metadata.name().to_owned());
    labels.insert(LABEL_MANAGED_BY.into(), CONTROLLER.into());
    labels
}

/// The labels that are the Service's own, without those that the controller sets: a slice is not written for these alone.
fn own_labels(labels: &BTreeMap<String, String>) -> BTreeMap<&str, &str> {
    let is_reserved = |label: &str| [LABEL_SERVICE_NAME, LABEL_MANAGED_BY, HEADLESS].contains(&label);
    order::gather(labels.iter().filter(|(k, _)| !is_reserved(k)).map(|(k, v)| (k.as_str(), v.as_str())))
}

fn new_slice(
    service: &Service,
    family: &str,
    ports: Vec<EndpointPort>,
    endpoints: Vec<Endpoint>,
) -> EndpointSlice {
    EndpointSlice {
        metadata: ObjectMeta {
            generate_name: Some(format!("{}-", service.metadata.name())),
            namespace: service.metadata.namespace.clone(),
            labels: Some(slice_labels(service)),
            owner_references: Some(vec![owner_reference(Kind::SERVICE, &service.metadata)]),
            ..Default::default()
        },
        address_type: family.into(),
        endpoints: Some(endpoints).filter(|e| !e.is_empty()),
        ports: Some(ports).filter(|p| !p.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::types::ObjectReference;

    fn service() -> Service {
        let metadata = ObjectMeta {
            name: Some("web".into()),
            namespace: Some("default".into()),
            uid: Some("u".into()),
            ..Default::default()
        };
        Service { metadata, ..Default::default() }
    }

    fn endpoint(n: usize) -> Endpoint {
        Endpoint {
            addresses: vec![format!("10.0.{}.{}", n / 250, n % 250)],
            node_name: Some("node-1".into()),
            target_ref: Some(ObjectReference {
                namespace: Some("default".into()),
                name: Some(format!("web-{n}")),
                uid: Some(format!("u{n}")),
                ..Default::default()
            }),
            ..Default::default()
        }
    }

    fn slice(name: &str, endpoints: Vec<Endpoint>) -> Rc<EndpointSlice> {
        let mut slice = new_slice(&service(), "IPv4", Vec::new(), endpoints);
        slice.metadata.name = Some(name.into());
        Rc::new(slice)
    }

    fn plan(wanted: Vec<Endpoint>, existing: &[Rc<EndpointSlice>]) -> Plan {
        let desired = Desired::from([(Ports::new(), (Vec::new(), wanted))]);
        reconcile(&service(), "IPv4", desired, existing, &BTreeSet::new())
    }

    fn names(slice: &EndpointSlice) -> Vec<&str> {
        let pods = slice.endpoints.iter().flatten().map(|e| e.target_ref.as_ref());
        pods.map(|r| r.unwrap().name.as_deref().unwrap()).collect()
    }

    #[test]
    fn endpoints_keep_their_places_and_new_ones_fill_the_gaps() {
        let existing = [
            slice("a", (0..100).rev().map(endpoint).collect()),
            slice("b", (100..200).map(endpoint).collect()),
            slice("c", (200..210).map(endpoint).collect()),
        ];
        let same = plan((0..210).map(endpoint).collect(), &existing);
        assert!(same.create.is_empty() && same.update.is_empty() && same.delete.is_empty());
        assert_eq!(same.unchanged, existing);

        // Two pods of the second slice went, those of the third went, and three came.
        let wanted = (0..200).filter(|n| !matches!(n, 120 | 130)).chain(300..303);
        let plan = plan(wanted.map(endpoint).collect(), &existing);
        assert_eq!(plan.delete, existing[2..]);
        assert_eq!(plan.unchanged, existing[..1]);
        let [updated] = plan.update.as_slice() else { panic!("{:?}", plan.update) };
        let pods: Vec<String> = (100..200)
            .filter(|n| !matches!(n, 120 | 130))
            .chain(300..302)
            .map(|n| format!("web-{n}"))
            .collect();
        assert_eq!(
            (updated.metadata.name.as_deref(), names(updated)),
            (Some("b"), pods.iter().map(String::as_str).collect())
        );
        let [created] = plan.create.as_slice() else { panic!("{:?}", plan.create) };
        assert_eq!(names(created), ["web-302"]);
    }

    /// `setEndpointSliceLabels` in `k8s.io/endpointslice/utils.go` compares the labels without those that it sets itself.
    #[test]
    fn a_slice_is_not_written_for_the_labels_of_the_controller_alone() {
        let labelled = |labels: &[(&str, &str)]| {
            let mut slice = slice("a", vec![endpoint(0)]);
            let own = Rc::make_mut(&mut slice).metadata.labels.get_or_insert_default();
            own.extend(labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())));
            plan(vec![endpoint(0)], &[slice]).update.len()
        };
        assert_eq!(labelled(&[(HEADLESS, ""), (LABEL_MANAGED_BY, "somebody")]), 0);
        assert_eq!(labelled(&[("other", "x")]), 1);
    }

    /// `hashEndpoint` has a pod's name and not its uid: a pod that comes again with its address stays where it was.
    #[test]
    fn an_endpoint_is_changed_in_place() {
        let existing = [slice("a", (0..3).map(endpoint).collect())];
        let mut again = endpoint(1);
        again.target_ref.as_mut().unwrap().uid = Some("new".into());
        let plan = plan(vec![again.clone(), endpoint(2), endpoint(0)], &existing);
        let [updated] = plan.update.as_slice() else { panic!("{:?}", plan.update) };
        assert_eq!(updated.endpoints, Some(vec![endpoint(0), again, endpoint(2)]));
    }
}
