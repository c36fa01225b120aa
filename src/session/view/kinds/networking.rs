//! Services with the ranges and addresses they have, the Ingresses in front of them, and NetworkPolicies.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{About, KindView, Named, Selects, Shows, stuck};
use crate::api::labels::Selector;
use crate::api::service_cidr::ready_condition;
use crate::api::types::discovery::{Endpoint, LABEL_SERVICE_NAME};
use crate::api::types::{
    EndpointSlice, Endpoints, IPAddress, Ingress, IntOrString, NetworkPolicy, Service, ServiceCIDR,
    ServicePort, ServiceSpec,
};
use crate::api::{Kind, MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Place, Standing};
use crate::session::view::events::Condition;

/// The ports of a Service whose `targetPort` is the name of a container's port: the name of each, and that of the container's port.
/// Where no pod has such a port, the EndpointSlice controller leaves it out. A number is no promise of the pods' manifests.
fn named_targets(object: &Object) -> Vec<(&str, &str)> {
    fn named(port: &ServicePort) -> Option<(&str, &str)> {
        let Some(IntOrString::String(target)) = &port.target_port else { return None };
        Some((port.name.as_deref().unwrap_or_default(), target.as_str()))
    }
    let spec = object.get::<Service>().and_then(|s| s.spec.as_ref());
    spec.iter().flat_map(|spec| spec.ports.iter().flatten()).filter_map(named).collect()
}

/// Services.
pub(super) struct Services;

/// Whether a Service is a name for another host. Nobody looks at its selector.
fn is_external(spec: &ServiceSpec) -> bool {
    spec.type_.as_deref() == Some("ExternalName")
}

impl KindView for Services {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: Shows::Made,
            keeper: "endpoints-controller",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    /// None of its EndpointSlices has an endpoint that is ready (the `Endpoints` of `kubectl describe` are empty), or none of those has
    /// the port that one of its ports names. Endpoints of a Service without a selector are its author's business.
    fn ails(&self, cluster: &Cluster, object: &Object) -> Option<Ails> {
        if self.selects(object).is_none() {
            return stuck(object);
        }
        let targets = named_targets(object);
        let is_served = |has: &BTreeSet<&str>| targets.iter().all(|(port, _)| has.contains(port));
        // A look at all slices of the namespace for each of its Services would cost too much in a large one.
        let endpoints = ObjectRef { kind: Kind::ENDPOINTS, key: object.key() };
        let endpoints = cluster.api().cached(&endpoints).and_then(|o| o.get::<Endpoints>());
        let subsets = endpoints.into_iter().flat_map(|e| e.subsets.iter().flatten());
        let mut ready = subsets.filter(|s| s.addresses.as_ref().is_some_and(|a| !a.is_empty())).peekable();
        if ready.peek().is_some() {
            let ports = ready.flat_map(|s| s.ports.iter().flatten());
            if is_served(&ports.map(|p| p.name.as_deref().unwrap_or_default()).collect()) {
                return stuck(object);
            }
        }
        let slices = cluster.api().cached_list(Kind::ENDPOINT_SLICE, Some(object.namespace()));
        // An endpoint that does not say whether it is ready counts as ready.
        let is_ready = |e: &Endpoint| e.conditions.as_ref().and_then(|c| c.ready) != Some(false);
        let ready: Vec<&Rc<EndpointSlice>> = slices
            .filter_map(|(_, o)| o.get::<EndpointSlice>())
            .filter(|slice| slice.metadata.label(LABEL_SERVICE_NAME) == Some(object.name()))
            .filter(|slice| slice.endpoints.iter().flatten().any(is_ready))
            .collect();
        let ports = ready.iter().flat_map(|slice| slice.ports.iter().flatten());
        let has: BTreeSet<&str> = ports.map(|p| p.name.as_deref().unwrap_or_default()).collect();
        let lacks = || {
            let (_, target) = targets.iter().find(|(port, _)| !has.contains(port))?;
            Some(Ails::NoSuchTargetPort((*target).to_owned()))
        };
        stuck(object).or_else(|| if ready.is_empty() { Some(Ails::NoEndpoints) } else { lacks() })
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        let spec = object.get::<Service>()?.spec.as_ref()?;
        let labels = spec.selector.as_ref().filter(|l| !l.is_empty() && !is_external(spec))?;
        Some(Selects { selector: Selector::from_set(labels), kind: Kind::POD, only_orphans: false })
    }
    usual!(card, report, next_run, node, ordinal, names, offers);
}

/// Ingresses.
pub(super) struct Ingresses;

/// The names of the Services of an Ingress' default backend and of its paths.
fn backends(ingress: &Ingress) -> impl Iterator<Item = &str> {
    let spec = ingress.spec.as_ref();
    let rules = spec.into_iter().flat_map(|s| s.rules.iter().flatten());
    let paths = rules.filter_map(|r| r.http.as_ref()).flat_map(|h| &h.paths);
    let backends = spec.and_then(|s| s.default_backend.as_ref()).into_iter().chain(paths.map(|p| &p.backend));
    backends.filter_map(|b| Some(b.service.as_ref()?.name.as_str()))
}

impl KindView for Ingresses {
    fn about(&self) -> About {
        About::ASIDE
    }
    /// A Service that it sends requests to is not there: the error in the `Backends` of `kubectl describe`. Or the
    /// ingress controller of the cluster, if it has one, does not serve it, and none has written an address.
    fn ails(&self, cluster: &Cluster, object: &Object) -> Option<Ails> {
        let ingress = object.get::<Ingress>()?;
        let mut services =
            backends(ingress).map(|name| ObjectRef::new(Kind::SERVICE, object.namespace(), name));
        let missing = services.find(|service| cluster.api().cached(service).is_none());
        let missing = missing.map(Ails::Missing).or_else(|| stuck(object));
        let status = ingress.status.as_ref().and_then(|s| s.load_balancer.as_ref());
        let has_address = status.is_some_and(|l| l.ingress.as_ref().is_some_and(|all| !all.is_empty()));
        let served = || cluster.ingress_controller().is_none_or(|c| c.serves(&object.key()));
        missing.or_else(|| (!has_address && !served()).then_some(Ails::NotServed))
    }
    /// Its Services and its class.
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let Some(ingress) = object.get::<Ingress>() else { return Vec::new() };
        let class = ingress.spec.as_ref().and_then(|s| s.ingress_class_name.as_deref());
        let services = backends(ingress).map(|name| Named::near(Kind::SERVICE, name));
        services.chain(class.map(|name| Named::near(Kind::INGRESS_CLASS, name))).collect()
    }
    usual!(card, report, next_run, node, ordinal, selects, offers);
}

/// NetworkPolicies.
pub(super) struct NetworkPolicies;

impl KindView for NetworkPolicies {
    fn about(&self) -> About {
        About::ASIDE
    }
    /// The pods that it is about. Of a policy for all pods of its namespace no lines are drawn.
    fn selects(&self, object: &Object) -> Option<Selects> {
        let spec = object.get::<NetworkPolicy>()?.spec.as_ref()?;
        let selector = Selector::from_label_selector(spec.pod_selector.as_ref()).ok()?;
        let selector = Some(selector).filter(|s| !s.is_empty())?;
        Some(Selects { selector, kind: Kind::POD, only_orphans: false })
    }
    usual!(card, ails, report, next_run, node, ordinal, names, offers);
}

/// ServiceCIDRs.
pub(super) struct ServiceRanges;

impl KindView for ServiceRanges {
    fn about(&self) -> About {
        About { keeper: "service-cidr-controller", ..About::ASIDE }
    }
    /// The condition `Ready`.
    fn card(&self, object: &Object) -> Card {
        let ready = object.get::<ServiceCIDR>().and_then(|cidr| ready_condition(cidr));
        Card::Resource(ready.map(|c| {
            let good = c.status == "True";
            Standing { good, word: if good { c.type_.clone() } else { format!("{}: {}", c.type_, c.status) } }
        }))
    }
    /// It is not ready: none of its addresses is given out. So it is with a range that is being deleted while Services have
    /// addresses of it.
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let ready = object.get::<ServiceCIDR>().and_then(|cidr| ready_condition(cidr));
        let condition = ready
            .filter(|c| c.status != "True")
            .map(|c| Condition::new(&c.type_, &c.status, Some(&c.reason), Some(&c.message)));
        condition.map(Ails::Condition).or_else(|| stuck(object))
    }
    usual!(report, next_run, node, ordinal, selects, names, offers);
}

/// IPAddresses.
pub(super) struct Addresses;

impl KindView for Addresses {
    fn about(&self) -> About {
        About { keeper: "ipallocator-repair-controller", record: true, ..About::ASIDE }
    }
    /// What has the address: a Service.
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let Some(parent) = object.get::<IPAddress>().map(|a| &a.spec.parent_ref) else { return Vec::new() };
        let core = parent.group.as_deref().unwrap_or_default().is_empty();
        if !core || parent.resource != Kind::SERVICE.plural() {
            return Vec::new();
        }
        vec![Named { kind: Kind::SERVICE, namespace: parent.namespace.as_deref(), name: &parent.name }]
    }
    usual!(card, ails, report, next_run, node, ordinal, selects, offers);
}
