//! Service.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/service/strategy.go`,
//! `pkg/registry/core/service/storage/{storage,alloc}.go`, `pkg/api/service/warnings.go` and `pkg/printers/internalversion/printers.go`.

pub(in crate::apiserver) mod allocation;
mod families;
mod fields;
pub(in crate::apiserver) mod ip_allocator;
pub(in crate::apiserver) mod update;
mod validation;

use std::collections::BTreeSet;
use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::labels::format_labels;
use crate::api::types::{
    IntOrString, LoadBalancerIngress, LoadBalancerStatus, Service, ServicePort, ServiceSpec, ServiceStatus,
};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::defaults::default;
use crate::apiserver::printers::{created, name, or_none};
use crate::apiserver::validation::{Errors, Path};
use crate::apiserver::warnings;

/// The default of how long a client is sent to the same pod, in seconds.
const DEFAULT_CLIENT_IP_AFFINITY_SECONDS: i32 = 10800;

impl Strategy for Service {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Type", "type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName, ClusterIP, NodePort, and LoadBalancer. \"ClusterIP\" allocates a cluster-internal IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If clusterIP is \"None\", no virtual IP is allocated and the endpoints are published as a set of endpoints rather than a virtual IP. \"NodePort\" builds on ClusterIP and allocates a port on every node which routes to the same endpoints as the clusterIP. \"LoadBalancer\" builds on NodePort and creates an external load-balancer (if supported in the current cloud) which routes to the same endpoints as the clusterIP. \"ExternalName\" aliases this service to the specified externalName. Several other fields do not apply to ExternalName services. More info: https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types"),
        Column::text("Cluster-IP", "clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified manually, is in-range (as per system configuration), and is not in use, it will be allocated to the service; otherwise creation of the service will fail. This field may not be changed through updates unless the type field is also being changed to ExternalName (which requires this field to be blank) or the type field is being changed from ExternalName (in which case this field may optionally be specified, as describe above).  Valid values are \"None\", empty string (\"\"), or a valid IP address. Setting this to \"None\" makes a \"headless service\" (no virtual IP), which is useful when direct endpoint connections are preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is specified when creating a Service of type ExternalName, creation will fail. This field will be wiped when updating a Service to type ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies"),
        Column::text("External-IP", "externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.  These IPs are not managed by Kubernetes.  The user is responsible for ensuring that traffic arrives at a node with this IP.  A common example is external load-balancers that are not part of the Kubernetes system."),
        Column::text("Port(s)", "The list of ports that are exposed by this service. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies"),
        AGE,
        Column::text("Selector", "Route service traffic to pods with label keys and values matching this selector. If empty or not present, the service is assumed to have an external process managing its endpoints, which Kubernetes will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields =
        SelectableFields::These(&["metadata.namespace", "metadata.name", "spec.clusterIP", "spec.type"]);
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage { prefix: Some("services/specs"), ..Storage::RETURNS_DELETED_OBJECT };

    nothing_for!(convert);

    fn default(this: &mut Rc<Self>) {
        let service = Rc::make_mut(this);
        let spec = service.spec.get_or_insert_default();
        default(&mut spec.session_affinity, "None");
        match spec.session_affinity.as_deref() {
            Some("None") => spec.session_affinity_config = None,
            Some("ClientIP") => {
                spec.session_affinity_config
                    .get_or_insert_default()
                    .client_ip
                    .get_or_insert_default()
                    .timeout_seconds
                    .get_or_insert(DEFAULT_CLIENT_IP_AFFINITY_SECONDS);
            }
            _ => {}
        }
        default(&mut spec.type_, "ClusterIP");
        for port in spec.ports.iter_mut().flatten() {
            default(&mut port.protocol, "TCP");
            let unset = match &port.target_port {
                None | Some(IntOrString::Int(0)) => true,
                Some(IntOrString::String(name)) => name.is_empty(),
                Some(IntOrString::Int(_)) => false,
            };
            if unset {
                port.target_port = Some(IntOrString::Int(port.port));
            }
        }
        let kind = spec.type_.clone().unwrap_or_default();
        let external_ips = spec.external_ips.as_ref().is_some_and(|ips| !ips.is_empty());
        if matches!(kind.as_str(), "LoadBalancer" | "NodePort") || (kind == "ClusterIP" && external_ips) {
            default(&mut spec.external_traffic_policy, "Cluster");
        }
        if matches!(kind.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
            spec.internal_traffic_policy.get_or_insert_with(|| "Cluster".to_owned());
        }
        if kind == "LoadBalancer" {
            spec.allocate_load_balancer_node_ports.get_or_insert(true);
        }
        let balancer = service.status.get_or_insert_default().load_balancer.get_or_insert_default();
        if kind == "LoadBalancer" {
            for ingress in balancer.ingress.iter_mut().flatten() {
                if ingress.ip.as_ref().is_some_and(|ip| !ip.is_empty()) {
                    ingress.ip_mode.get_or_insert_with(|| "VIP".to_owned());
                }
            }
        }
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.status =
            Some(ServiceStatus { load_balancer: Some(LoadBalancerStatus::default()), conditions: None });
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        if let (Some(new), Some(old)) = (this.spec.as_mut(), old.spec.as_ref()) {
            fields::drop_dependent(new, old);
        }
        // The balancer may still be there, but what is shown of the Service is what it asks for.
        if this.spec.as_ref().and_then(|s| s.type_.as_deref()) != Some("LoadBalancer")
            && let Some(status) = &mut this.status
        {
            status.load_balancer = Some(LoadBalancerStatus::default());
        }
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        validation::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        update::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        update::status_update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warn(out, self);
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        warn(out, self);
    }

    fn field(&self, path: &str) -> Option<String> {
        let spec = self.spec.as_ref()?;
        match path {
            "spec.clusterIP" => spec.cluster_ip.clone(),
            "spec.type" => spec.type_.clone(),
            _ => None,
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let spec = self.spec.clone().unwrap_or_default();
        let ip = spec.cluster_ips.as_ref().and_then(|i| i.first()).or(spec.cluster_ip.as_ref());
        vec![
            name(&self.metadata),
            spec.type_.clone().unwrap_or_default(),
            or_none(ip.map(String::as_str)),
            external_ip(self),
            ports(spec.ports.as_deref().unwrap_or_default()),
            created(&self.metadata, now),
            format_labels(spec.selector.as_ref()),
        ]
    }
}

fn external_ip(s: &Service) -> String {
    let spec = s.spec.clone().unwrap_or_default();
    let external = spec.external_ips.unwrap_or_default();
    match spec.type_.as_deref() {
        Some("ClusterIP" | "NodePort") if !external.is_empty() => external.join(","),
        Some("ClusterIP" | "NodePort") => "<none>".into(),
        Some("LoadBalancer") => {
            let ingress = s.status.as_ref().and_then(|s| s.load_balancer.as_ref()?.ingress.as_ref());
            let name = |i: &LoadBalancerIngress| {
                [&i.ip, &i.hostname].into_iter().flatten().find(|n| !n.is_empty()).cloned()
            };
            // Each once, and sorted (`loadBalancerStatusStringer`).
            let names: BTreeSet<String> = ingress.into_iter().flatten().filter_map(name).collect();
            let mut all: Vec<String> = names.into_iter().collect();
            all.extend(external);
            if all.is_empty() { "<pending>".into() } else { all.join(",") }
        }
        Some("ExternalName") => spec.external_name.unwrap_or_default(),
        _ => "<unknown>".into(),
    }
}

fn ports(ports: &[ServicePort]) -> String {
    let texts: Vec<String> = ports
        .iter()
        .map(|p| {
            let protocol = p.protocol.as_deref().unwrap_or("TCP");
            match p.node_port.filter(|n| *n > 0) {
                Some(n) => format!("{}:{n}/{protocol}", p.port),
                None => format!("{}/{protocol}", p.port),
            }
        })
        .collect();
    if texts.is_empty() { "<none>".into() } else { texts.join(",") }
}

/// Warns of fields that are ignored or deprecated and of addresses that are not in canonical form
/// (`GetWarningsForService`).
fn warn(out: &mut Vec<String>, service: &Service) {
    const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
    if service.metadata.annotation(HINTS).is_some() {
        out.push(format!(
            "annotation {HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"
        ));
    }
    let none = ServiceSpec::default();
    let spec = service.spec.as_ref().unwrap_or(&none);
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let (kind, address) = (text(&spec.type_), text(&spec.cluster_ip));
    let path = Path::new("spec");
    let external = spec.external_ips.as_deref().unwrap_or_default();
    if !address.is_empty() && address != "None" {
        for (i, address) in spec.cluster_ips.iter().flatten().enumerate() {
            warnings::ip(out, address, &path.child("clusterIPs").index(i));
        }
    }
    let headless = kind == "ClusterIP" && address == "None";
    if headless {
        if !text(&spec.load_balancer_ip).is_empty() {
            out.push("spec.loadBalancerIP is ignored for headless services".to_owned());
        }
        if !external.is_empty() {
            out.push("spec.externalIPs is ignored for headless services".to_owned());
        }
        if text(&spec.session_affinity) != "None" {
            out.push("spec.SessionAffinity is ignored for headless services".to_owned());
        }
    }
    for (i, address) in external.iter().enumerate() {
        warnings::ip(out, address, &path.child("externalIPs").index(i));
    }
    if !external.is_empty() && !headless && kind != "ExternalName" {
        out.push(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned(),
        );
    }
    if !text(&spec.load_balancer_ip).is_empty() {
        warnings::ip(out, &text(&spec.load_balancer_ip), &path.child("loadBalancerIP"));
    }
    for (i, range) in spec.load_balancer_source_ranges.iter().flatten().enumerate() {
        warnings::cidr(out, range, &path.child("loadBalancerSourceRanges").index(i));
    }
    if kind == "ExternalName" && !external.is_empty() {
        out.push(r#"spec.externalIPs is ignored when spec.type is "ExternalName""#.to_owned());
    }
    if kind != "ExternalName" && !text(&spec.external_name).is_empty() {
        out.push(r#"spec.externalName is ignored when spec.type is not "ExternalName""#.to_owned());
    }
    if spec.traffic_distribution.as_deref() == Some("PreferClose") {
        out.push(r#"spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone""#.to_owned());
    }
}
