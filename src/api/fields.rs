//! Field selectors (`k8s.io/apimachinery/pkg/fields`) and the few fields of each kind that may be
//! selected by.

use std::fmt;

use super::kinds::Kind;
use super::names::quote;
use super::object::Object;
use super::types::{Event, Job, Namespace, Node, Pod, ReplicaSet, ReplicationController, Secret, Service};
use crate::api::order;

/// One condition: a field is, or is not, a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRequirement {
    /// The field's path, `status.phase`.
    pub field: String,
    /// `=` (or `==`), else `!=`.
    pub equals: bool,
    /// The value, unescaped.
    pub value: String,
}

/// Conditions on fields, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    requirements: Vec<FieldRequirement>,
}

impl FieldSelector {
    /// Reads the text of `?fieldSelector=` (`fields.ParseSelector`). It does not ask whether the
    /// fields exist; [`FieldSelector::for_kind`] does.
    ///
    /// # Errors
    /// Kubernetes' words.
    pub fn parse(text: &str) -> Result<FieldSelector, String> {
        let mut parts = split_terms(text);
        order::sort(&mut parts);
        let mut requirements = Vec::new();
        for part in parts.into_iter().filter(|p| !p.is_empty()) {
            let Some((at, operator)) = find_operator(part) else {
                return Err(format!("invalid selector: '{text}'; can't understand '{part}'"));
            };
            let (field, rest) = part.split_at(at);
            let value = unescape(rest.strip_prefix(operator).unwrap_or(rest))?;
            requirements.push(FieldRequirement { field: field.to_owned(), equals: operator != "!=", value });
        }
        Ok(FieldSelector { requirements })
    }

    /// The same for a kind: refuses fields that it cannot be selected by, and renames old ones.
    ///
    /// # Errors
    /// Kubernetes' words, for the first bad field in order of the terms' text.
    pub fn for_kind(mut self, kind: Kind) -> Result<FieldSelector, String> {
        for r in &mut self.requirements {
            check(kind, &r.field)?;
            if kind == Kind::Pod && r.field == "spec.host" {
                r.field = "spec.nodeName".to_owned();
            }
        }
        Ok(self)
    }

    /// Whether it restricts nothing.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Its conditions.
    pub fn requirements(&self) -> &[FieldRequirement] {
        &self.requirements
    }

    /// The value that a field must have, if there is exactly one.
    pub fn requires_exact_match(&self, field: &str) -> Option<&str> {
        self.requirements.iter().find(|r| r.equals && r.field == field).map(|r| r.value.as_str())
    }

    /// Whether all conditions hold of the fields; an absent one is empty.
    pub fn matches(&self, fields: &dyn Fn(&str) -> Option<String>) -> bool {
        self.requirements.iter().all(|r| (fields(&r.field).unwrap_or_default() == r.value) == r.equals)
    }

    /// Whether all conditions hold of an object.
    pub fn matches_object(&self, object: &Object) -> bool {
        self.matches(&|path| field_of(object, path).ok())
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, r) in self.requirements.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let operator = if r.equals { "=" } else { "!=" };
            write!(f, "{comma}{}{operator}{}", r.field, escape(&r.value))?;
        }
        Ok(())
    }
}

/// Escapes `\`, `,` and `=` of a value (`fields.EscapeValue`).
pub fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=")
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('\\' | ',' | '=')) => out.push(c),
                Some(c) => return Err(format!("invalid field selector: invalid escape sequence: \\{c}")),
                None => return Err("invalid field selector: invalid escape sequence: \\".to_owned()),
            },
            // Go prints the rune as its number.
            ',' | '=' => {
                return Err(format!("invalid field selector: unescaped character in value: {}", c as u32));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

fn split_terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    text.split(|c| {
        let split = !escaped && c == ',';
        escaped = !escaped && c == '\\';
        split
    })
    .collect()
}

fn find_operator(term: &str) -> Option<(usize, &'static str)> {
    term.char_indices().find_map(|(i, _)| {
        let rest = term.get(i..)?;
        ["!=", "==", "="].into_iter().find(|op| rest.starts_with(op)).map(|op| (i, op))
    })
}

/// The fields by which objects of a kind can be selected; `None` for kinds that Kubernetes has
/// no list for: they have name and namespace, and another message.
fn selectable(kind: Kind) -> Option<&'static [&'static str]> {
    Some(match kind {
        Kind::Pod => &[
            "metadata.name",
            "metadata.namespace",
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
            "spec.host",
        ],
        Kind::Node => &["metadata.name", "spec.unschedulable"],
        Kind::Event => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
            "metadata.namespace",
            "metadata.name",
        ],
        Kind::Namespace => &["status.phase", "metadata.name"],
        Kind::Job => &["metadata.name", "metadata.namespace", "status.successful"],
        Kind::Secret => &["type", "metadata.namespace", "metadata.name"],
        Kind::Service => &["metadata.namespace", "metadata.name", "spec.clusterIP", "spec.type"],
        Kind::ReplicaSet | Kind::ReplicationController => {
            &["metadata.name", "metadata.namespace", "status.replicas"]
        }
        _ => return None,
    })
}

fn check(kind: Kind, path: &str) -> Result<(), String> {
    match selectable(kind) {
        Some(paths) if paths.contains(&path) => Ok(()),
        Some(_) if kind == Kind::Job => Err(format!("field label {} not supported for Job", quote(path))),
        Some(_) => Err(format!("field label not supported: {path}")),
        None if matches!(path, "metadata.name" | "metadata.namespace") => Ok(()),
        None => Err(format!(
            "{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            quote(path)
        )),
    }
}

/// The value of a field by which objects of its kind can be selected; empty if it is absent.
///
/// # Errors
/// Kubernetes' words for a field that is not one of those.
pub fn field_of(object: &Object, path: &str) -> Result<String, String> {
    check(object.kind(), path)?;
    let value = match path {
        "metadata.name" => Some(object.name().to_owned()),
        "metadata.namespace" => Some(object.namespace().to_owned()),
        _ => None
            .or_else(|| object.get::<Pod>().and_then(|o| pod_field(o, path)))
            .or_else(|| object.get::<Event>().and_then(|o| event_field(o, path)))
            .or_else(|| other_field(object, path)),
    };
    Ok(value.unwrap_or_default())
}

fn pod_field(pod: &Pod, path: &str) -> Option<String> {
    let (spec, status) = (pod.spec.as_ref(), pod.status.as_ref());
    match path {
        "spec.nodeName" | "spec.host" => spec?.node_name.clone(),
        "spec.restartPolicy" => spec?.restart_policy.clone(),
        "spec.schedulerName" => spec?.scheduler_name.clone(),
        "spec.serviceAccountName" => spec?.service_account_name.clone(),
        "spec.hostNetwork" => Some(spec.and_then(|s| s.host_network).unwrap_or_default().to_string()),
        "status.phase" => status?.phase.clone(),
        "status.podIP" => status?.pod_ip.clone(),
        "status.nominatedNodeName" => status?.nominated_node_name.clone(),
        _ => None,
    }
}

fn event_field(event: &Event, path: &str) -> Option<String> {
    let involved = &event.involved_object;
    match path {
        "involvedObject.kind" => involved.kind.clone(),
        "involvedObject.namespace" => involved.namespace.clone(),
        "involvedObject.name" => involved.name.clone(),
        "involvedObject.uid" => involved.uid.clone(),
        "involvedObject.apiVersion" => involved.api_version.clone(),
        "involvedObject.resourceVersion" => involved.resource_version.clone(),
        "involvedObject.fieldPath" => involved.field_path.clone(),
        "reason" => event.reason.clone(),
        "reportingComponent" => event.reporting_component.clone(),
        "source" => {
            let component = event.source.as_ref().and_then(|s| s.component.clone());
            component.filter(|c| !c.is_empty()).or_else(|| event.reporting_component.clone())
        }
        "type" => event.type_.clone(),
        _ => None,
    }
}

fn other_field(object: &Object, path: &str) -> Option<String> {
    match path {
        "spec.unschedulable" => {
            let spec = object.get::<Node>()?.spec.as_ref();
            Some(spec.and_then(|s| s.unschedulable).unwrap_or_default().to_string())
        }
        "status.phase" => object.get::<Namespace>()?.status.as_ref()?.phase.clone(),
        "status.successful" => {
            let status = object.get::<Job>()?.status.as_ref();
            Some(status.and_then(|s| s.succeeded).unwrap_or(0).to_string())
        }
        "type" => object.get::<Secret>()?.type_.clone(),
        "spec.clusterIP" => object.get::<Service>()?.spec.as_ref()?.cluster_ip.clone(),
        "spec.type" => object.get::<Service>()?.spec.as_ref()?.type_.clone(),
        "status.replicas" if object.kind() == Kind::ReplicationController => {
            let status = object.get::<ReplicationController>()?.status.as_ref();
            Some(status.map_or(0, |s| s.replicas).to_string())
        }
        "status.replicas" => {
            Some(object.get::<ReplicaSet>()?.status.as_ref().map_or(0, |s| s.replicas).to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn parse(kind: Kind, text: &str) -> Result<FieldSelector, String> {
        FieldSelector::parse(text)?.for_kind(kind)
    }

    #[test]
    fn texts() {
        for (text, want) in [
            ("", ""),
            ("metadata.name=a,,", "metadata.name=a"),
            ("b!=x,a==y", "a=y,b!=x"),
            ("a=x\\,y\\=z\\\\", "a=x\\,y\\=z\\\\"),
        ] {
            assert_eq!(FieldSelector::parse(text).unwrap().to_string(), want);
        }
        for (text, want) in [
            ("abc", "invalid selector: 'abc'; can't understand 'abc'"),
            ("a=b=c", "invalid field selector: unescaped character in value: 61"),
            ("a=\\b", "invalid field selector: invalid escape sequence: \\b"),
            ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
        ] {
            assert_eq!(FieldSelector::parse(text).unwrap_err(), want);
        }
    }

    #[test]
    fn unknown_fields() {
        assert_eq!(
            parse(Kind::Pod, "spec.containers=x").unwrap_err(),
            "field label not supported: spec.containers"
        );
        assert_eq!(
            parse(Kind::Deployment, "status.replicas=1").unwrap_err(),
            "\"status.replicas\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        );
    }

    #[test]
    fn matching() {
        let pod = Object::from_value(
            Kind::Pod,
            json!({"metadata": {"name": "p", "namespace": "d"}, "spec": {"containers": [], "nodeName": "n"},
                   "status": {"phase": "Running"}}),
        )
        .unwrap();
        for (text, want) in [
            ("", true),
            ("spec.nodeName=n,status.phase!=Failed", true),
            ("spec.host=n", true),
            ("spec.host!=n", false),
            ("spec.hostNetwork=false", true),
            ("status.nominatedNodeName=", true),
            ("metadata.namespace=other", false),
        ] {
            assert_eq!(parse(Kind::Pod, text).unwrap().matches_object(&pod), want, "{text}");
        }
    }
}
