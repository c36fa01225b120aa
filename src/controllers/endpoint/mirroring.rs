//! The EndpointSlice mirroring controller (`pkg/controller/endpointslicemirroring`). The Endpoints of a
//! Service without a selector are written by a person or a client; this controller copies them into
//! EndpointSlices, for components that read only those.

use std::rc::Rc;

use crate::api::ip_family::{IPV4, IPV6, family_of};
use crate::api::types::discovery::{
    Endpoint, EndpointConditions, EndpointPort, EndpointSlice, LABEL_MANAGED_BY, LABEL_SERVICE_NAME,
};
use crate::api::types::{EndpointAddress, EndpointSubset, Endpoints, ObjectMeta, Service};
use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, owner_reference};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, EventFlavour, Reconciler, Result, Seen, Watches, Why};

const CONTROLLER: &str = "endpointslicemirroring-controller.k8s.io";
const SKIP_MIRROR: &str = "endpointslice.kubernetes.io/skip-mirror";
const LEADER: &str = "control-plane.alpha.kubernetes.io/leader";
/// How many addresses of a subset are mirrored (`--mirroring-max-endpoints-per-subset`).
const MAX_PER_SUBSET: usize = 1000;

/// The EndpointSlice mirroring controller.
#[derive(Clone, Copy, Debug)]
pub struct EndpointSliceMirroringController;

type Cx = Context;

impl Reconciler for EndpointSliceMirroringController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "endpointslice-mirroring-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "endpointslicemirroring-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "endpoint-slice-mirroring-controller".into(), host: None }
    }

    fn watches(&self) -> Watches {
        Watches::new().for_::<Endpoints>().for_::<Service>().watches(|cx, seen: Seen<'_, EndpointSlice>| {
            // If a slice of this controller was changed or deleted, its Service is enqueued to restore it.
            let m = &seen.object().metadata;
            if seen.old.is_some()
                && m.label(LABEL_MANAGED_BY) == Some(CONTROLLER)
                && let Some(service) = m.label(LABEL_SERVICE_NAME)
            {
                cx.enqueue(Key::new(&seen.key.namespace, service));
            }
        })
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let existing: Vec<Rc<EndpointSlice>> = cx
            .lister::<EndpointSlice>()
            .list(Some(&key.namespace))
            .filter(|s| {
                let m = &s.metadata;
                m.label(LABEL_MANAGED_BY) == Some(CONTROLLER)
                    && m.label(LABEL_SERVICE_NAME) == Some(&key.name)
            })
            .cloned()
            .collect();
        let endpoints = cx.lister::<Endpoints>().get(&key).filter(|e| should_mirror(&e.metadata)).cloned();
        let service = cx.lister::<Service>().get(&key);
        let by_hand = service.is_some_and(|s| s.spec.as_ref().is_none_or(|s| s.selector.is_none()));
        let Some(endpoints) = endpoints.filter(|_| by_hand) else {
            return delete_all(&cx, &key, existing).await;
        };
        let subsets = endpoints.subsets.as_deref().unwrap_or_default();
        let mut wanted: Vec<EndpointSlice> = subsets.iter().flat_map(|s| mirror(&endpoints, s)).collect();
        let mut left = Vec::new();
        for slice in existing {
            // A slice is updated to the subset with the same ports, or else to any other one with addresses of its type.
            let family = |w: &EndpointSlice| w.address_type == slice.address_type;
            let same = wanted.iter().position(|w| family(w) && w.ports == slice.ports);
            let Some(i) = same.or_else(|| wanted.iter().position(family)) else {
                left.push(slice);
                continue;
            };
            let new = wanted.remove(i);
            let is = |s: &EndpointSlice| {
                (
                    s.endpoints.clone(),
                    s.ports.clone(),
                    s.metadata.labels.clone(),
                    s.metadata.annotations.clone(),
                )
            };
            if is(&slice) == is(&new) {
                continue;
            }
            let mut to = slice;
            let s = Rc::make_mut(&mut to);
            s.endpoints = new.endpoints;
            s.ports = new.ports;
            s.metadata.labels = new.metadata.labels;
            s.metadata.annotations = new.metadata.annotations;
            // What is written is a new slice with the name of the old one.
            s.metadata.generate_name = None;
            cx.update(to).because(why(&key)).await?;
        }
        for slice in wanted {
            match cx.create(slice).because(why(&key)).await {
                Err(e) if e.is_namespace_terminating() => return Ok(()),
                Err(e) => return Err(e.into()),
                Ok(_) => {}
            }
        }
        delete_all(&cx, &key, left).await
    }
}

fn why(key: &Key) -> Why {
    let at = ObjectRef { kind: Kind::ENDPOINTS, key: key.clone() };
    Why::new("endpointslicemirroring.reconcile").read("endpoints", at, "subsets", &key.name)
}

async fn delete_all(cx: &Cx, key: &Key, slices: Vec<Rc<EndpointSlice>>) -> Result {
    for slice in slices {
        let at = slice.metadata.key();
        match cx.delete(EndpointSlice::KIND, at, DeleteOptions::default()).because(why(key)).await {
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => {}
        }
    }
    Ok(())
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
            ports: subset.ports.as_ref().map(|p| p.iter().map(port).collect()),
        })
    };
    [IPV4, IPV6].into_iter().filter_map(slice).collect()
}
