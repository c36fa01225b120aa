//! Services, namespaces, configuration; and kinds without a description of their own.

use super::super::invocation::{Invocation, Result};
use super::{Writer, annotations};
use crate::api::labels::format_labels;
use crate::api::types::discovery::LABEL_SERVICE_NAME;
use crate::api::types::{ConfigMap, EndpointSlice, Namespace, Secret, Service};
use crate::api::well_known::{SECRET_TYPE_SERVICE_ACCOUNT_TOKEN, SERVICE_ACCOUNT_TOKEN_KEY};
use crate::api::{Kind, Object, intstr};

fn head(w: &mut Writer, object: &Object) {
    w.line(0, &format!("Name:\t{}", object.name()));
    if object.kind().namespaced() {
        w.line(0, &format!("Namespace:\t{}", object.namespace()));
    }
    w.map(0, "Labels", object.meta().labels.as_ref());
    annotations(w, 0, object.meta().annotations.as_ref());
}

pub(in super::super) fn service(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(s) = object.get::<Service>() else { return Ok(true) };
    let slices = slices_of(cx, object.namespace(), object.name())?;
    let spec = s.spec.clone().unwrap_or_default();
    head(w, object);
    let selector = format_labels(spec.selector.as_ref());
    w.line(0, &format!("Selector:\t{selector}"));
    w.line(0, &format!("Type:\t{}", spec.type_.as_deref().unwrap_or_default()));
    if let Some(p) = &spec.ip_family_policy {
        w.line(0, &format!("IP Family Policy:\t{p}"));
    }
    let joined = |list: &Option<Vec<String>>| list.as_ref().filter(|l| !l.is_empty()).map(|l| l.join(","));
    let none = || "<none>".to_owned();
    w.line(0, &format!("IP Families:\t{}", joined(&spec.ip_families).unwrap_or_else(none)));
    w.line(0, &format!("IP:\t{}", spec.cluster_ip.as_deref().unwrap_or_default()));
    w.line(0, &format!("IPs:\t{}", joined(&spec.cluster_ips).unwrap_or_else(none)));
    if let Some(ips) = joined(&spec.external_ips) {
        w.line(0, &format!("External IPs:\t{ips}"));
    }
    if let Some(ip) = spec.load_balancer_ip.as_deref().filter(|n| !n.is_empty()) {
        w.line(0, &format!("Desired LoadBalancer IP:\t{ip}"));
    }
    if let Some(n) = spec.external_name.as_deref().filter(|n| !n.is_empty()) {
        w.line(0, &format!("External Name:\t{n}"));
    }
    let balancer = s.status.as_ref().and_then(|s| s.load_balancer.as_ref());
    if let Some(points) = balancer.and_then(|b| b.ingress.as_ref()).filter(|i| !i.is_empty()) {
        let shown: Vec<String> = points
            .iter()
            .map(|p| match (p.ip.as_deref().filter(|ip| !ip.is_empty()), &p.ip_mode) {
                (Some(ip), Some(mode)) => format!("{ip} ({mode})"),
                (Some(ip), None) => ip.to_owned(),
                (None, _) => p.hostname.clone().unwrap_or_default(),
            })
            .collect();
        w.line(0, &format!("LoadBalancer Ingress:\t{}", shown.join(", ")));
    }
    for p in spec.ports.iter().flatten() {
        let protocol = p.protocol.as_deref().unwrap_or("TCP");
        let name = p.name.as_deref().filter(|n| !n.is_empty()).unwrap_or("<unset>");
        w.line(0, &format!("Port:\t{name}\t{}/{protocol}", p.port));
        let target = p.target_port.as_ref().map_or_else(|| p.port.to_string(), intstr::to_string);
        w.line(0, &format!("TargetPort:\t{target}/{protocol}"));
        if let Some(app) = &p.app_protocol {
            w.line(0, &format!("AppProtocol:\t{app}"));
        }
        if let Some(n) = p.node_port.filter(|n| *n > 0) {
            w.line(0, &format!("NodePort:\t{name}\t{n}/{protocol}"));
        }
        let port = p.name.as_deref().unwrap_or_default();
        w.line(0, &format!("Endpoints:\t{}", endpoints(&slices, port)));
    }
    w.line(0, &format!("Session Affinity:\t{}", spec.session_affinity.as_deref().unwrap_or_default()));
    if let Some(p) = &spec.external_traffic_policy {
        w.line(0, &format!("External Traffic Policy:\t{p}"));
    }
    if let Some(p) = &spec.internal_traffic_policy {
        w.line(0, &format!("Internal Traffic Policy:\t{p}"));
    }
    if let Some(port) = spec.health_check_node_port.filter(|n| *n != 0) {
        w.line(0, &format!("HealthCheck NodePort:\t{port}"));
    }
    if let Some(ranges) = joined(&spec.load_balancer_source_ranges) {
        w.line(0, &format!("LoadBalancer Source Ranges:\t{ranges}"));
    }
    if let Some(d) = &spec.traffic_distribution {
        w.line(0, &format!("Traffic Distribution:\t{d}"));
    }
    Ok(true)
}

fn slices_of(cx: &mut Invocation<'_>, namespace: &str, service: &str) -> Result<Vec<Object>> {
    let of = format!("{}={service}", LABEL_SERVICE_NAME);
    cx.list(Kind::ENDPOINT_SLICE, namespace, &of)
}

/// The ready addresses behind a port of a Service.
pub(super) fn endpoints_of(
    cx: &mut Invocation<'_>,
    namespace: &str,
    service: &str,
    port: &str,
) -> Result<String> {
    Ok(endpoints(&slices_of(cx, namespace, service)?, port))
}

/// The ready addresses behind a port, three of them by name (`formatEndpointSlices`). After three, any further endpoint
/// leads to a count of the others, also if none of them is ready: `+ 0 more...`.
fn endpoints(slices: &[Object], port: &str) -> String {
    const LISTED: usize = 3;
    if slices.is_empty() {
        return "<none>".into();
    }
    let (mut shown, mut count, mut more) = (Vec::new(), 0, false);
    let mut add = |slice: &EndpointSlice, number: Option<i32>| {
        for endpoint in slice.endpoints.iter().flatten() {
            more |= shown.len() == LISTED;
            if endpoint.conditions.as_ref().and_then(|c| c.ready) == Some(false) {
                continue;
            }
            let ip = endpoint.addresses.first().map(String::as_str).unwrap_or_default();
            if !more {
                shown.push(match number {
                    None => ip.to_owned(),
                    Some(number) if ip.contains(':') => format!("[{ip}]:{number}"),
                    Some(number) => format!("{ip}:{number}"),
                });
            }
            count += 1;
        }
    };
    for slice in slices.iter().filter_map(|o| o.get::<EndpointSlice>()) {
        let ports = slice.ports.as_deref().unwrap_or_default();
        if ports.is_empty() {
            add(slice, None);
        }
        for p in ports.iter().filter(|p| p.name.as_deref().unwrap_or_default() == port) {
            add(slice, Some(p.port.unwrap_or_default()));
        }
    }
    let listed = shown.join(",");
    if more { format!("{listed} + {} more...", count - LISTED) } else { listed }
}

pub(in super::super) fn config_map(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(c) = object.get::<ConfigMap>() else { return Ok(true) };
    head(w, object);
    w.raw("\nData\n====");
    for (k, v) in c.data.iter().flatten() {
        w.raw(&format!("{k}:\n----\n{v}\n"));
    }
    w.raw("\nBinaryData\n====");
    for (k, v) in c.binary_data.iter().flatten() {
        w.raw(&format!("{k}: {} bytes", v.0.len()));
    }
    w.raw("");
    Ok(true)
}

pub(in super::super) fn secret(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(s) = object.get::<Secret>() else { return Ok(false) };
    head(w, object);
    w.raw(&format!("\nType:\t{}\n\nData\n====", s.type_.as_deref().unwrap_or_default()));
    for (k, v) in s.data.iter().flatten() {
        // A token is there to be copied.
        let shown =
            k == SERVICE_ACCOUNT_TOKEN_KEY && s.type_.as_deref() == Some(SECRET_TYPE_SERVICE_ACCOUNT_TOKEN);
        match shown {
            true => w.raw(&format!("{k}:\t{}", String::from_utf8_lossy(&v.0))),
            false => w.raw(&format!("{k}:\t{} bytes", v.0.len())),
        }
    }
    Ok(false)
}

pub(in super::super) fn namespace(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(n) = object.get::<Namespace>() else { return Ok(false) };
    head(w, object);
    w.line(
        0,
        &format!("Status:\t{}", n.status.as_ref().and_then(|s| s.phase.as_deref()).unwrap_or_default()),
    );
    let conditions = n.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    if !conditions.is_empty() {
        w.line(0, "Conditions:");
        w.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage");
        w.line(1, "----\t------\t------------------\t------\t-------");
    }
    for c in conditions {
        let text = |t: &Option<String>| t.clone().unwrap_or_default();
        let since = super::instant(c.last_transition_time.as_ref());
        let (reason, message) = (text(&c.reason), text(&c.message));
        w.line(1, &format!("{}\t{}\t{since}\t{reason}\t{message}", c.type_, c.status));
    }
    super::limits::of_namespace(cx, w, object.name())?;
    Ok(false)
}
