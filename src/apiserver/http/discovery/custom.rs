//! Discovery of what CustomResourceDefinitions make
//! (`k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_discovery_controller.go`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::READ_WRITE;
use crate::api::Kind;
use crate::apiserver::apiextensions::{Definition, Definitions};

/// The verbs of a custom resource.
pub(crate) const VERBS: &[&str] =
    &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
/// Its verbs while the definition is being deleted.
const TERMINATING_VERBS: &[&str] = &["delete", "deletecollection", "get", "list", "watch"];

fn verbs(definition: &Definition) -> &'static [&'static str] {
    if definition.is_terminating() { TERMINATING_VERBS } else { VERBS }
}

/// A group without `kind` and `apiVersion`.
fn group_value(definitions: &Definitions, group: &str) -> Value {
    let version = |v: &&str| json!({"groupVersion": format!("{group}/{v}"), "version": v});
    let versions: Vec<Value> = definitions.versions(group).iter().map(version).collect();
    json!({"name": group, "preferredVersion": versions.first(), "versions": versions})
}

/// The groups, in the order of their names.
pub(super) fn groups(definitions: &Definitions) -> impl Iterator<Item = Value> {
    definitions.groups().map(|group| group_value(definitions, group))
}

/// `/apis/stable.example.com`
pub(super) fn group(definitions: &Definitions, name: &str) -> Value {
    let mut value = group_value(definitions, name);
    value["kind"] = "APIGroup".into();
    value["apiVersion"] = "v1".into();
    value
}

/// The definitions that serve a version of a group, with the kind in that version.
fn serving<'a>(
    definitions: &'a Definitions,
    group: &str,
    version: &str,
) -> impl Iterator<Item = (&'a Definition, Kind)> {
    definitions.established(group).filter_map(move |d| Some((&**d, d.served(version)?)))
}

/// A number for the version that objects are stored in (`discovery.StorageVersionHash`).
fn storage_version_hash(definition: &Definition, kind: Kind) -> String {
    let text = format!("{}/{}/{}", kind.group(), definition.storage(), kind.as_str());
    let hash = Sha256::digest(text.as_bytes());
    STANDARD.encode(hash.get(..8).unwrap_or_default())
}

/// `/apis/stable.example.com/v1`
pub(super) fn resources(definitions: &Definitions, group: &str, version: &str) -> Value {
    let mut resources = Vec::new();
    for (definition, kind) in serving(definitions, group, version) {
        let mut whole = json!({
            "name": kind.plural(), "singularName": kind.singular(), "namespaced": kind.namespaced(),
            "kind": kind.as_str(), "verbs": verbs(definition),
            "storageVersionHash": storage_version_hash(definition, kind),
        });
        if !kind.short_names().is_empty() {
            whole["shortNames"] = json!(kind.short_names());
        }
        if !kind.categories().is_empty() {
            whole["categories"] = json!(kind.categories());
        }
        resources.push(whole);
        for part in kind.subresources() {
            let mut value = json!({
                "name": format!("{}/{part}", kind.plural()), "singularName": "",
                "namespaced": kind.namespaced(), "kind": kind.as_str(), "verbs": READ_WRITE,
            });
            if *part == "scale" {
                value["group"] = "autoscaling".into();
                value["version"] = "v1".into();
                value["kind"] = "Scale".into();
            }
            resources.push(value);
        }
    }
    json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": format!("{group}/{version}"),
        "resources": resources,
    })
}

/// The groups as `apidiscovery.k8s.io/v2` has them.
pub(super) fn aggregated(definitions: &Definitions) -> impl Iterator<Item = Value> {
    definitions.groups().map(|group| {
        let versions: Vec<Value> = definitions
            .versions(group)
            .iter()
            .map(|version| {
                let resources: Vec<Value> = serving(definitions, group, version)
                    .map(|(definition, kind)| aggregated_resource(definition, kind))
                    .collect();
                json!({"version": version, "freshness": "Current", "resources": resources})
            })
            .collect();
        json!({"metadata": {"name": group}, "versions": versions})
    })
}

fn aggregated_resource(definition: &Definition, kind: Kind) -> Value {
    let own = json!({"group": kind.group(), "version": kind.version(), "kind": kind.as_str()});
    let mut value = json!({
        "resource": kind.plural(), "responseKind": own, "singularResource": kind.singular(),
        "scope": if kind.namespaced() { "Namespaced" } else { "Cluster" }, "verbs": verbs(definition),
    });
    if !kind.short_names().is_empty() {
        value["shortNames"] = json!(kind.short_names());
    }
    if !kind.categories().is_empty() {
        value["categories"] = json!(kind.categories());
    }
    let part = |name: &&str| {
        let kind = match *name {
            "scale" => json!({"group": "autoscaling", "version": "v1", "kind": "Scale"}),
            _ => own.clone(),
        };
        json!({"subresource": name, "responseKind": kind, "verbs": READ_WRITE})
    };
    let parts: Vec<Value> = kind.subresources().iter().map(part).collect();
    if !parts.is_empty() {
        value["subresources"] = parts.into();
    }
    value
}
