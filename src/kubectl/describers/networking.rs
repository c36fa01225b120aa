//! Ingresses, IngressClasses and NetworkPolicies.

use super::super::error::Error;
use super::super::invocation::{Invocation, Result, Stop};
use super::{Writer, annotations, core};
use crate::api::types::{
    Ingress, IngressClass, IntOrString, LabelSelector, NetworkPolicy, Service, networking as net,
};
use crate::api::{Kind, Object, cells, intstr, labels};

pub(in super::super) fn ingress(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(i) = object.get::<Ingress>() else { return Ok(true) };
    let spec = i.spec.clone().unwrap_or_default();
    w.line(0, &format!("Name:\t{}", object.name()));
    w.map(0, "Labels", i.metadata.labels.as_ref());
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
    w.line(0, &format!("Address:\t{}", cells::ingress_addresses(i)));
    w.line(0, &format!("Ingress Class:\t{}", spec.ingress_class_name.as_deref().unwrap_or("<none>")));
    let default = match &spec.default_backend {
        Some(b) => backend(cx, object.namespace(), b)?,
        None => "<default>".into(),
    };
    w.line(0, &format!("Default backend:\t{default}"));
    if let Some(tls) = spec.tls.as_ref().filter(|t| !t.is_empty()) {
        w.line(0, "TLS:");
        for t in tls {
            let hosts = t.hosts.clone().unwrap_or_default().join(",");
            match t.secret_name.as_deref().unwrap_or_default() {
                "" => w.line(1, &format!("SNI routes {hosts}")),
                secret => w.line(1, &format!("{secret} terminates {hosts}")),
            }
        }
    }
    w.line(0, "Rules:");
    w.line(1, "Host\tPath\tBackends");
    w.line(1, "----\t----\t--------");
    let mut none = true;
    for rule in spec.rules.iter().flatten() {
        let Some(http) = &rule.http else { continue };
        none = false;
        let host = rule.host.as_deref().filter(|h| !h.is_empty()).unwrap_or("*");
        w.line(1, &format!("{host}\t"));
        for p in &http.paths {
            let to = backend(cx, object.namespace(), &p.backend)?;
            w.line(2, &format!("\t{} \t{to}", p.path.as_deref().unwrap_or_default()));
        }
    }
    if none {
        w.line(1, &format!("*\t*\t{default}"));
    }
    annotations(w, 0, i.metadata.annotations.as_ref());
    Ok(true)
}

/// Where a request goes, and what answers there.
fn backend(cx: &mut Invocation<'_>, namespace: &str, backend: &net::IngressBackend) -> Result<String> {
    if let Some(s) = &backend.service {
        let port = s.port.clone().unwrap_or_default();
        let number = port.number.unwrap_or(0);
        let port_name = port.name.unwrap_or_default();
        let shown = if number == 0 { port_name.clone() } else { number.to_string() };
        let head = format!("{}:{shown}", s.name);
        let service = match cx.get(Kind::SERVICE, namespace, &s.name) {
            Ok(service) => service,
            Err(Stop::Error(Error::Status(status))) => {
                return Ok(format!("{head} (<error: {}>)", status.message));
            }
            Err(stop) => return Err(stop),
        };
        let ports = service.get::<Service>().and_then(|s| s.spec.as_ref()?.ports.clone()).unwrap_or_default();
        let name = ports.into_iter().rfind(|p| {
            let name = p.name.as_deref().unwrap_or_default();
            (number != 0 && p.port == number) || (!port_name.is_empty() && port_name == name)
        });
        let name = name.and_then(|p| p.name).unwrap_or_default();
        return Ok(format!("{head} ({})", core::endpoints_of(cx, namespace, &s.name, &name)?));
    }
    Ok(backend.resource.as_ref().map_or_else(String::new, |r| {
        let group = r.api_group.as_deref().unwrap_or("<none>");
        format!("APIGroup: {group}, Kind: {}, Name: {}", r.kind, r.name)
    }))
}

pub(in super::super) fn ingress_class(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(c) = object.get::<IngressClass>() else { return Ok(true) };
    let spec = c.spec.clone().unwrap_or_default();
    w.line(0, &format!("Name:\t{}", object.name()));
    w.map(0, "Labels", c.metadata.labels.as_ref());
    annotations(w, 0, c.metadata.annotations.as_ref());
    w.line(0, &format!("Controller:\t{}", spec.controller.unwrap_or_default()));
    if let Some(p) = &spec.parameters {
        w.line(0, "Parameters:");
        if let Some(group) = &p.api_group {
            w.line(1, &format!("APIGroup:\t{group}"));
        }
        w.line(1, &format!("Kind:\t{}", p.kind));
        w.line(1, &format!("Name:\t{}", p.name));
    }
    Ok(true)
}

pub(in super::super) fn network_policy(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(p) = object.get::<NetworkPolicy>() else { return Ok(false) };
    let spec = p.spec.clone().unwrap_or_default();
    let made = p.metadata.creation_timestamp.as_ref();
    let made =
        made.map_or_else(|| "<nil>".into(), |t| t.0.strftime("%Y-%m-%d %H:%M:%S +0000 UTC").to_string());
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
    w.line(0, &format!("Created on:\t{made}"));
    w.map(0, "Labels", p.metadata.labels.as_ref());
    annotations(w, 0, p.metadata.annotations.as_ref());
    w.line(0, "Spec:");
    let of = spec.pod_selector.unwrap_or_default();
    let selected = match labels::format_label_selector(&of) {
        text if text == "<none>" => {
            "<none> (Allowing the specific traffic to all pods in this namespace)".into()
        }
        text => text,
    };
    // The second half is indented as if it began a line.
    w.line(1, &format!("PodSelector:     {selected}"));
    let types = spec.policy_types.unwrap_or_default();
    let has = |kind: &str| types.iter().any(|t| t == kind);
    if has("Ingress") {
        w.line(1, "Allowing ingress traffic:");
        let rules: Vec<_> =
            spec.ingress.iter().flatten().map(|r| (r.ports.as_deref(), r.from.as_deref())).collect();
        traffic(w, &rules, "ingress", ("From", "source"));
    } else {
        w.line(1, "Not affecting ingress traffic");
    }
    if has("Egress") {
        w.line(1, "Allowing egress traffic:");
        let rules: Vec<_> =
            spec.egress.iter().flatten().map(|r| (r.ports.as_deref(), r.to.as_deref())).collect();
        traffic(w, &rules, "egress", ("To", "destination"));
    } else {
        w.line(1, "Not affecting egress traffic");
    }
    let types = if types.is_empty() { "<none>".into() } else { types.join(", ") };
    w.line(1, &format!("Policy Types: {types}"));
    Ok(false)
}

type Rule<'a> = (Option<&'a [net::NetworkPolicyPort]>, Option<&'a [net::NetworkPolicyPeer]>);

fn traffic(w: &mut Writer, rules: &[Rule<'_>], direction: &str, (head, whom): (&str, &str)) {
    if rules.is_empty() {
        w.line(2, &format!("<none> (Selected pods are isolated for {direction} connectivity)"));
    }
    for (i, (ports, peers)) in rules.iter().enumerate() {
        let (ports, peers) = (ports.unwrap_or_default(), peers.unwrap_or_default());
        if i > 0 {
            w.line(2, "----------");
        }
        if ports.is_empty() {
            w.line(2, "To Port: <any> (traffic allowed to all ports)");
        }
        for p in ports {
            let protocol = p.protocol.as_deref().unwrap_or("TCP");
            let port = p.port.as_ref().map_or_else(|| "<nil>".into(), |p: &IntOrString| intstr::to_string(p));
            match p.end_port {
                None => w.line(2, &format!("To Port: {port}/{protocol}")),
                Some(end) => w.line(2, &format!("To Port Range: {port}-{end}/{protocol}")),
            }
        }
        if peers.is_empty() {
            w.line(2, &format!("{head}: <any> (traffic not restricted by {whom})"));
        }
        for peer in peers {
            w.line(2, &format!("{head}:"));
            let mut selector = |name: &str, s: &Option<LabelSelector>| {
                if let Some(s) = s {
                    w.line(3, &format!("{name}: {}", labels::format_label_selector(s)));
                }
            };
            selector("NamespaceSelector", &peer.namespace_selector);
            selector("PodSelector", &peer.pod_selector);
            if let (None, None, Some(b)) = (&peer.pod_selector, &peer.namespace_selector, &peer.ip_block) {
                w.line(3, "IPBlock:");
                w.line(4, &format!("CIDR: {}", b.cidr));
                w.line(4, &format!("Except: {}", b.except.clone().unwrap_or_default().join(", ")));
            }
        }
    }
}
