//! What the API server does as it is told, but advises against: the `Warning` headers that a kind's
//! strategy gives to a write that is valid (`WarningsOnCreate`, `WarningsOnUpdate` in
//! `k8s.io/kubernetes/pkg/registry/*/strategy.go`, and `pkg/api/*/warnings.go`).

mod overlap;
pub(super) mod pod_spec;

use std::net::IpAddr;

use super::validation::ip::{is_standard_cidr, network, parse_cidr, parse_sloppy};
use super::validation::{self, Path};
use crate::api::quote::go_quote;
use crate::api::types as t;
use crate::api::volume::BETA_CLASS;
use crate::api::{MetaExt, Object, quantity};
use crate::network::traffic::{REQUESTS, declared, why_unread};

const CLASS_ATTRIBUTE: &str = r#"deprecated since v1.8; use "storageClassName" attribute instead"#;

/// A name that will be a host's should be one.
pub(super) fn label_name(out: &mut Vec<String>, name: &str, used: &str) {
    let messages = validation::dns1123_label(name);
    if !messages.is_empty() {
        out.push(format!(
            "metadata.name: this is used in {used}, which can result in surprising behavior; a DNS label is recommended: [{}]",
            messages.join(" ")
        ));
    }
}

/// What an object declares about clients outside of the cluster, and nobody can read: it is warned of whenever it is written anew.
pub(super) fn clients_outside(out: &mut Vec<String>, object: &Object, old: Option<&Object>) {
    if old.is_some_and(|old| declared(old) == declared(object)) {
        return;
    }
    if let Some(why) = why_unread(object) {
        out.push(format!("metadata.annotations[{REQUESTS}]: cannot be read: {why}"));
    }
}

pub(super) fn beta_class(out: &mut Vec<String>, meta: &t::ObjectMeta) {
    if meta.annotation(BETA_CLASS).is_some() {
        out.push(format!("metadata.annotations[{BETA_CLASS}]: {CLASS_ATTRIBUTE}"));
    }
}

/// A claim's spec, or that of a claim a pod brings along.
pub(super) fn claim_spec(out: &mut Vec<String>, spec: &t::PersistentVolumeClaimSpec, path: &Path) {
    let Some(resources) = &spec.resources else { return };
    for (name, map) in [("requests", &resources.requests), ("limits", &resources.limits)] {
        fraction(out, map.as_ref(), "storage", &path.child("resources").child(name));
    }
}

/// A term of a node selector. `values`: whether values that are no label's values are told of too,
/// where validation lets them pass.
pub(super) fn node_term(out: &mut Vec<String>, term: &t::NodeSelectorTerm, values: bool, path: &Path) {
    for (i, expression) in term.match_expressions.iter().flatten().enumerate() {
        let at = path.child("matchExpressions").index(i);
        if let Some(why) = deprecated_label(&expression.key) {
            out.push(format!("{}: {} is {why}", at.child("key"), expression.key));
        }
        for (j, value) in expression.values.iter().flatten().enumerate().filter(|_| values) {
            for message in validation::label_value(value) {
                out.push(format!("{}: {value} is invalid, {message}", at.child("values").index(j)));
            }
        }
    }
}

/// A selector of nodes by their labels (`GetWarningsForNodeSelector` in `pkg/api/node/util.go`).
pub(super) fn node_labels(out: &mut Vec<String>, selector: &t::LabelSelector, path: &Path) {
    for (i, expression) in selector.match_expressions.iter().flatten().enumerate() {
        if let Some(why) = deprecated_label(&expression.key) {
            let at = path.child("matchExpressions").index(i).child("key");
            out.push(format!("{at}: {} is {why}", expression.key));
        }
    }
    for label in selector.match_labels.iter().flat_map(|labels| labels.keys()) {
        if let Some(why) = deprecated_label(label) {
            out.push(format!("{}: {why}", path.child("matchLabels").named(label)));
        }
    }
}

/// Why a label of nodes should not be used any more.
pub(super) fn deprecated_label(key: &str) -> Option<&'static str> {
    Some(match key {
        "beta.kubernetes.io/arch" => r#"deprecated since v1.14; use "kubernetes.io/arch" instead"#,
        "beta.kubernetes.io/os" => r#"deprecated since v1.14; use "kubernetes.io/os" instead"#,
        "failure-domain.beta.kubernetes.io/region" => {
            r#"deprecated since v1.17; use "topology.kubernetes.io/region" instead"#
        }
        "failure-domain.beta.kubernetes.io/zone" => {
            r#"deprecated since v1.17; use "topology.kubernetes.io/zone" instead"#
        }
        "beta.kubernetes.io/instance-type" => {
            r#"deprecated since v1.17; use "node.kubernetes.io/instance-type" instead"#
        }
        "app.kubernetes.io/created-by" => "deprecated since v1.9",
        "scheduler.alpha.kubernetes.io/preferAvoidPods" => {
            "deprecated since v1.22; use Taints and Tolerations instead"
        }
        "node-role.kubernetes.io/master" => r#"use "node-role.kubernetes.io/control-plane" instead"#,
        _ => return None,
    })
}

/// An amount of bytes that is no whole number.
fn fraction(
    out: &mut Vec<String>,
    map: Option<&std::collections::BTreeMap<String, t::Quantity>>,
    name: &str,
    path: &Path,
) {
    let Some(quantity) = map.and_then(|m| m.get(name)) else { return };
    let amount = quantity::amount_of(Some(quantity));
    if amount.milli_value() % 1000 != 0 {
        out.push(format!(
            "{}: fractional byte value {} is invalid, must be an integer",
            path.key(name),
            go_quote(amount.canonical())
        ));
    }
}

/// An address that is not in its canonical form (`GetWarningsForIP`). One that would be refused if it were new may have been
/// stored before it was.
pub(super) fn ip(out: &mut Vec<String>, value: &str, path: &Path) {
    let Some(ip) = parse_sloppy(value) else { return };
    let canonical = ip.to_canonical();
    if value.parse::<IpAddr>().is_err() || canonical != ip {
        out.push(format!(
            "{path}: non-standard IP address {value} is invalid: use {}",
            go_quote(canonical.to_string()),
            value = go_quote(value)
        ));
    } else if ip.is_ipv6() && ip.to_string() != value {
        out.push(format!(
            "{path}: IPv6 address {value} should be in RFC 5952 canonical format ({})",
            go_quote(ip.to_string()),
            value = go_quote(value)
        ));
    }
}

/// [`ip`] for a range of addresses (`GetWarningsForCIDR`).
pub(super) fn cidr(out: &mut Vec<String>, value: &str, path: &Path) {
    let Some((ip, bits)) = parse_cidr(value) else { return };
    let before = out.len();
    let canonical = ip.to_canonical();
    // Of an IPv4 address in IPv6's form Go counts the bits that are IPv4's.
    let bits = if canonical == ip { bits } else { bits.saturating_sub(96) };
    let network = network(canonical, bits);
    let range = format!("{network}/{bits}");
    if network != canonical {
        let whole = if ip.is_ipv4() { 32 } else { 128 };
        out.push(format!(
            "{path}: CIDR value {} is ambiguous in this context (should be {} or {}?)",
            go_quote(value),
            go_quote(&range),
            go_quote(format!("{canonical}/{whole}"))
        ));
    }
    if !is_standard_cidr(value) || canonical != ip {
        out.push(format!(
            "{path}: non-standard CIDR value {} is invalid: use {}",
            go_quote(value),
            go_quote(&range)
        ));
    }
    if out.len() == before && ip.is_ipv6() && range != value {
        out.push(format!(
            "{path}: IPv6 CIDR value {} should be in RFC 5952 canonical format ({})",
            go_quote(value),
            go_quote(range)
        ));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object};
    use crate::apiserver::rest::{warnings_on_create, warnings_on_update};
    use serde_json::json;

    fn of(kind: Kind, value: serde_json::Value) -> Vec<String> {
        warnings_on_create(&Object::from_value(kind, value).unwrap())
    }

    #[test]
    fn a_name_with_dots_makes_a_poor_hostname() {
        let pod = json!({"metadata": {"name": "a.b"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
        assert_eq!(
            of(Kind::POD, pod.clone()),
            [
                "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"
            ]
        );
        let deployment = json!({"metadata": {"name": "a.b"}, "spec": {"selector": {}, "template": pod}});
        assert_eq!(
            of(Kind::DEPLOYMENT, deployment),
            [
                "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"
            ]
        );
    }

    #[test]
    fn a_service_is_told_what_of_it_counts_for_nothing() {
        let headless = json!({"metadata": {"name": "s"}, "spec": {
            "type": "ClusterIP", "clusterIP": "None", "clusterIPs": ["None"], "sessionAffinity": "ClientIP",
            "externalIPs": ["1.2.3.4"], "trafficDistribution": "PreferClose"}});
        assert_eq!(
            of(Kind::SERVICE, headless),
            [
                "spec.externalIPs is ignored for headless services",
                "spec.SessionAffinity is ignored for headless services",
                r#"spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone""#,
            ]
        );
    }

    #[test]
    fn a_template_that_is_as_it_was_is_not_spoken_of_again() {
        let value = |generation: i64| {
            json!({"metadata": {"name": "d", "generation": generation}, "spec": {"selector": {}, "template": {"spec": {
                "nodeSelector": {"beta.kubernetes.io/os": "linux"}, "containers": [{"name": "c", "image": "i"}]}}}})
        };
        let object = |generation| Object::from_value(Kind::DEPLOYMENT, value(generation)).unwrap();
        assert!(warnings_on_update(&object(1), &object(1)).is_empty());
        assert_eq!(
            warnings_on_update(&object(2), &object(1)),
            [
                r#"spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead"#
            ]
        );
    }

    #[test]
    fn half_a_byte_cannot_be_stored() {
        let claim =
            json!({"metadata": {"name": "c"}, "spec": {"resources": {"requests": {"storage": "500m"}}}});
        assert_eq!(
            of(Kind::PERSISTENT_VOLUME_CLAIM, claim),
            [
                r#"spec.resources.requests[storage]: fractional byte value "500m" is invalid, must be an integer"#
            ]
        );
    }

    #[test]
    fn workloads_and_policies_are_advised_too() {
        let template = json!({"spec": {"containers": [{"name": "c", "image": "i"}], "nodeSelector": {"beta.kubernetes.io/os": "linux"}}});
        let label =
            r#"nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead"#;
        let cron = json!({"metadata": {"name": "c", "generation": 1}, "spec": {"schedule": "TZ=UTC * * * * *", "jobTemplate": {"spec": {"template": template}}}});
        assert_eq!(
            of(Kind::CRON_JOB, cron.clone()),
            [format!("spec.jobTemplate.spec.template.spec.{label}")]
        );
        let old = Object::from_value(Kind::CRON_JOB, cron).unwrap();
        let tz = "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
        assert_eq!(warnings_on_update(&old, &old), [tz]);
        let claims = json!([{"spec": {"resources": {"requests": {"storage": "100m"}}}}]);
        let set = json!({"metadata": {"name": "s"}, "spec": {"selector": {}, "template": {"spec": {"containers": []}}, "revisionHistoryLimit": -2, "volumeClaimTemplates": claims}});
        let fraction =
            r#"resources.requests[storage]: fractional byte value "100m" is invalid, must be an integer"#;
        let limit = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";
        assert_eq!(
            of(Kind::STATEFUL_SET, set.clone()),
            [format!("spec.volumeClaimTemplates[0].{fraction}"), limit.to_owned()]
        );
        let set = Object::from_value(Kind::STATEFUL_SET, set).unwrap();
        assert_eq!(
            warnings_on_update(&set, &set),
            [format!("spec.volumeClaimTemplates[0].Spec.{fraction}"), limit.to_owned()]
        );
        let ingress = |spec| json!({"metadata": {"name": "i", "annotations": {"kubernetes.io/ingress.class": "a"}}, "spec": spec});
        let class = r#"annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead"#;
        assert_eq!(of(Kind::INGRESS, ingress(json!({}))), [class]);
        assert!(of(Kind::INGRESS, ingress(json!({"ingressClassName": "a"}))).is_empty());
    }
}
