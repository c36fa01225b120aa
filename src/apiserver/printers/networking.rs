//! Ingresses, IngressClasses, NetworkPolicies, roles and their bindings.

use std::collections::BTreeSet;

use super::{created, name, or_none};
use crate::api::types::{
    ClusterRoleBinding, Ingress, IngressClass, NetworkPolicy, ObjectMeta, networking as net, rbac,
};
use crate::api::{MetaExt, Timestamp, labels};

/// So many hosts are shown.
const HOSTS_SHOWN: usize = 3;

pub(in crate::apiserver) fn ingress(i: &Ingress, now: Timestamp) -> Vec<String> {
    let spec = i.spec.clone().unwrap_or_default();
    let tls = spec.tls.as_ref().is_some_and(|t| !t.is_empty());
    vec![
        name(&i.metadata),
        spec.ingress_class_name.unwrap_or_else(|| "<none>".into()),
        hosts(spec.rules.as_deref().unwrap_or_default()),
        addresses(i),
        if tls { "80, 443" } else { "80" }.to_owned(),
        created(&i.metadata, now),
    ]
}

/// `formatHosts`: rules without a host count as places, too.
fn hosts(rules: &[net::IngressRule]) -> String {
    let mut shown: Vec<&str> = Vec::new();
    let mut more = false;
    for host in rules.iter().map(|r| r.host.as_deref().unwrap_or_default()) {
        more |= shown.len() == HOSTS_SHOWN;
        if !more && !host.is_empty() {
            shown.push(host);
        }
    }
    match (shown.join(","), more) {
        (text, _) if text.is_empty() => "*".into(),
        (text, true) => format!("{text} + {} more...", rules.len() - HOSTS_SHOWN),
        (text, false) => text,
    }
}

/// Where a balancer answers, in order.
pub(crate) fn addresses(i: &Ingress) -> String {
    let balancer = i.status.as_ref().and_then(|s| s.load_balancer.as_ref());
    let points = balancer.and_then(|b| b.ingress.as_deref()).unwrap_or_default();
    let named = points.iter().filter_map(|p| {
        let some = |t: &'_ Option<String>| t.clone().filter(|t| !t.is_empty());
        some(&p.ip).or_else(|| some(&p.hostname))
    });
    let all: BTreeSet<String> = named.collect();
    all.into_iter().collect::<Vec<_>>().join(",")
}

pub(in crate::apiserver) fn class(c: &IngressClass, now: Timestamp) -> Vec<String> {
    let spec = c.spec.clone().unwrap_or_default();
    let parameters = spec.parameters.as_ref().map(|p| match &p.api_group {
        Some(group) => format!("{}.{group}/{}", p.kind, p.name),
        None => format!("{}/{}", p.kind, p.name),
    });
    let mut title = name(&c.metadata);
    if c.metadata.annotation("ingressclass.kubernetes.io/is-default-class") == Some("true") {
        title.push_str(" (default)");
    }
    vec![
        title,
        spec.controller.unwrap_or_default(),
        or_none(parameters.as_deref()),
        created(&c.metadata, now),
    ]
}

pub(in crate::apiserver) fn policy(p: &NetworkPolicy, now: Timestamp) -> Vec<String> {
    let selector = p.spec.as_ref().and_then(|s| s.pod_selector.clone()).unwrap_or_default();
    vec![name(&p.metadata), labels::format_label_selector(&selector), created(&p.metadata, now)]
}

pub(in crate::apiserver) fn cluster_binding(b: &ClusterRoleBinding, now: Timestamp) -> Vec<String> {
    binding(&b.metadata, &b.role_ref, b.subjects.as_deref(), now)
}

pub(in crate::apiserver) fn binding(
    meta: &ObjectMeta,
    role: &rbac::RoleRef,
    subjects: Option<&[rbac::Subject]>,
    now: Timestamp,
) -> Vec<String> {
    let of = |kind: &str| -> String {
        let all = subjects.unwrap_or_default().iter().filter(|s| s.kind == kind);
        let names = all.map(|s| match kind {
            "ServiceAccount" => format!("{}/{}", s.namespace.as_deref().unwrap_or_default(), s.name),
            _ => s.name.clone(),
        });
        names.collect::<Vec<_>>().join(", ")
    };
    vec![
        name(meta),
        format!("{}/{}", role.kind, role.name),
        created(meta, now),
        of("User"),
        of("Group"),
        of("ServiceAccount"),
    ]
}

#[cfg(test)]
mod tests {
    use super::class;
    use crate::api::Timestamp;
    use crate::api::types::{IngressClass, ObjectMeta};

    /// Since 1.36 (#134422), as StorageClasses are.
    #[test]
    fn the_default_class_is_marked() {
        let titled = |default: Option<&str>| {
            let annotations = default.map(|d| {
                [("ingressclass.kubernetes.io/is-default-class".to_owned(), d.to_owned())]
                    .into_iter()
                    .collect()
            });
            let metadata = ObjectMeta { name: Some("nginx".into()), annotations, ..Default::default() };
            class(&IngressClass { metadata, spec: None }, Timestamp::UNIX_EPOCH).first().cloned()
        };
        assert_eq!(titled(Some("true")).as_deref(), Some("nginx (default)"));
        assert_eq!(titled(Some("false")).as_deref(), Some("nginx"));
        assert_eq!(titled(None).as_deref(), Some("nginx"));
    }
}
