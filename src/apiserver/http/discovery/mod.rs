//! Discovery: which groups, versions and resources there are.
//!
//! The table has everything that Kubernetes serves by default, also kinds that are not built
//! here: a client that asks for `all` shall see empty lists, not refusals.

mod custom;
#[cfg(test)]
mod documented;
#[rustfmt::skip]
mod table;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{health, indent};
use crate::api::release;
use crate::apimachinery::HttpResponse;
use crate::apiserver::apiextensions::Definitions;

/// The verbs of most resources.
const ALL: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
/// The verbs of `status` and `scale`.
const READ_WRITE: &[&str] = &["get", "patch", "update"];

/// A group.
struct Group {
    name: &'static str,
    versions: &'static [(&'static str, &'static [Resource])],
}

/// A resource, or a part of one.
struct Resource {
    name: &'static str,
    singular: &'static str,
    namespaced: bool,
    /// Group and version of the kind, where they are not the resource's.
    of: (&'static str, &'static str),
    kind: &'static str,
    verbs: &'static [&'static str],
    short: &'static [&'static str],
    categories: &'static [&'static str],
    /// `storageVersionHash`
    hash: &'static str,
}

fn group(name: &str) -> Option<&'static Group> {
    table::GROUPS.iter().find(|g| g.name == name)
}

/// Whether there is a group of that name.
pub(super) fn has_group(name: &str) -> bool {
    group(name).is_some()
}

/// Whether a group has that version.
pub(super) fn has_version(name: &str, version: &str) -> bool {
    group(name).is_some_and(|g| g.versions.iter().any(|(v, _)| *v == version))
}

/// The kind of a resource in a path.
pub(super) fn find(name: &str, version: &str, plural: &str) -> Option<&'static str> {
    let (_, resources) = group(name)?.versions.iter().find(|(v, _)| *v == version)?;
    resources.iter().find(|r| r.name == plural).map(|r| r.kind)
}

/// Whether the scheme knows a kind: everything served, and old versions that no path serves.
pub(super) fn is_registered(api_version: &str, kind: &str) -> bool {
    let (name, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let served = group(name)
        .and_then(|g| g.versions.iter().find(|(v, _)| *v == version))
        .is_some_and(|(_, resources)| resources.iter().any(|r| r.kind == kind && r.of == ("", "")));
    let old: &[&str] = match api_version {
        "extensions/v1beta1" => &["DaemonSet", "Deployment", "Ingress", "NetworkPolicy", "ReplicaSet"],
        "apps/v1beta1" => &["ControllerRevision", "Deployment", "StatefulSet"],
        "apps/v1beta2" => &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
        "batch/v1beta1" => &["CronJob"],
        "policy/v1beta1" => &["PodDisruptionBudget"],
        "storage.k8s.io/v1beta1" => &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
        "coordination.k8s.io/v1beta1" => &["Lease"],
        "scheduling.k8s.io/v1beta1" | "scheduling.k8s.io/v1alpha1" => &["PriorityClass"],
        "events.k8s.io/v1beta1" => &["Event"],
        _ => &[],
    };
    served || old.contains(&kind)
}

fn group_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// `/`: the paths that there are, sorted (`k8s.io/apiserver/pkg/server/routes`). `elsewhere` is the group of another API
/// server, if one is registered.
pub(super) fn index(definitions: &Definitions, elsewhere: Option<Value>) -> HttpResponse {
    let mut paths: BTreeSet<String> =
        ["/.well-known/openid-configuration", "/openid/v1/jwks"].map(str::to_owned).into();
    paths.extend(
        ["/api", "/api/v1", "/apis", "/apis/", "/openapi/v3", "/openapi/v3/", "/version"].map(str::to_owned),
    );
    if cfg!(not(target_arch = "wasm32")) {
        paths.insert("/openapi/v2".into());
    }
    for endpoint in ["healthz", "livez", "readyz"] {
        paths.insert(format!("/{endpoint}"));
        paths.extend(health::checks(endpoint).map(|check| format!("/{endpoint}/{check}")));
    }
    let mut groups = groups(definitions);
    if let Some(all) = groups["groups"].as_array_mut() {
        all.extend(elsewhere);
    }
    for group in groups["groups"].as_array().into_iter().flatten() {
        paths.insert(format!("/apis/{}", group["name"].as_str().unwrap_or_default()));
        for version in group["versions"].as_array().into_iter().flatten() {
            paths.insert(format!("/apis/{}", version["groupVersion"].as_str().unwrap_or_default()));
        }
    }
    let body = indent::indented(&json!({"paths": paths}).to_string());
    HttpResponse { status: 200, content_type: "application/json".into(), body, ..HttpResponse::default() }
}

/// `/api`
pub(super) fn core_versions() -> Value {
    json!({
        "kind": "APIVersions", "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}],
    })
}

fn group_value(g: &Group) -> Value {
    let versions: Vec<Value> = g
        .versions
        .iter()
        .map(|(v, _)| json!({"groupVersion": group_version(g.name, v), "version": v}))
        .collect();
    json!({"name": g.name, "preferredVersion": versions.first(), "versions": versions})
}

/// `/apis`
pub(super) fn groups(definitions: &Definitions) -> Value {
    let built_in = table::GROUPS.iter().filter(|g| !g.name.is_empty()).map(group_value);
    let groups: Vec<Value> = built_in.chain(custom::groups(definitions)).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `/apis/apps`
pub(super) fn one_group(name: &str, definitions: &Definitions) -> Value {
    if group(name).is_none() {
        return custom::group(definitions, name);
    }
    let mut value = group(name).map(group_value).unwrap_or_default();
    value["kind"] = "APIGroup".into();
    value["apiVersion"] = "v1".into();
    value
}

/// `/api/v1`, `/apis/apps/v1`
pub(super) fn resources(name: &str, version: &str, definitions: &Definitions) -> Value {
    if !has_version(name, version) {
        return custom::resources(definitions, name, version);
    }
    let list = group(name).and_then(|g| g.versions.iter().find(|(v, _)| *v == version)).map(|(_, r)| *r);
    let resources: Vec<Value> = list
        .unwrap_or_default()
        .iter()
        .map(|r| {
            let mut v = json!({
                "name": r.name, "singularName": r.singular, "namespaced": r.namespaced,
                "kind": r.kind, "verbs": r.verbs,
            });
            if !r.of.0.is_empty() {
                v["group"] = r.of.0.into();
            }
            if !r.of.1.is_empty() {
                v["version"] = r.of.1.into();
            }
            if !r.short.is_empty() {
                v["shortNames"] = json!(r.short);
            }
            if !r.categories.is_empty() {
                v["categories"] = json!(r.categories);
            }
            if !r.hash.is_empty() {
                v["storageVersionHash"] = r.hash.into();
            }
            v
        })
        .collect();
    let mut value = json!({
        "kind": "APIResourceList", "groupVersion": group_version(name, version), "resources": resources,
    });
    if !name.is_empty() {
        value["apiVersion"] = "v1".into();
    }
    value
}

/// `/api` or `/apis` as `apidiscovery.k8s.io/v2` has it.
pub(super) fn aggregated(core: bool, definitions: &Definitions) -> Value {
    let built_in = table::GROUPS
        .iter()
        .filter(|g| g.name.is_empty() == core)
        .map(|g| {
            let versions: Vec<Value> = g
                .versions
                .iter()
                .map(|(v, resources)| {
                    json!({"version": v, "freshness": "Current", "resources": aggregated_resources(g.name, v, resources)})
                })
                .collect();
            let mut metadata = json!({});
            if !core {
                metadata["name"] = g.name.into();
            }
            json!({"metadata": metadata, "versions": versions})
        });
    let custom = custom::aggregated(definitions).filter(|_| !core);
    let items: Vec<Value> = built_in.chain(custom).collect();
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items})
}

fn aggregated_resources(group: &str, version: &str, resources: &[Resource]) -> Vec<Value> {
    let kind_of = |r: &Resource| {
        let (g, v) = if r.of.1.is_empty() { (group, version) } else { r.of };
        json!({"group": g, "version": v, "kind": r.kind})
    };
    resources
        .iter()
        .filter(|r| !r.name.contains('/'))
        .map(|r| {
            let mut v = json!({
                "resource": r.name, "responseKind": kind_of(r), "singularResource": r.singular,
                "scope": if r.namespaced { "Namespaced" } else { "Cluster" }, "verbs": r.verbs,
            });
            if !r.short.is_empty() {
                v["shortNames"] = json!(r.short);
            }
            if !r.categories.is_empty() {
                v["categories"] = json!(r.categories);
            }
            let parts: Vec<Value> = resources
                .iter()
                .filter_map(|s| Some((s.name.strip_prefix(r.name)?.strip_prefix('/')?, s)))
                .map(|(name, s)| json!({"subresource": name, "responseKind": kind_of(s), "verbs": s.verbs}))
                .collect();
            if !parts.is_empty() {
                v["subresources"] = parts.into();
            }
            v
        })
        .collect()
}

/// `/version`, in the order of its fields, which is for people to read.
pub fn version() -> String {
    let fields = [
        ("major", "1"),
        ("minor", release::MINOR_NUMBER),
        ("emulationMajor", "1"),
        ("emulationMinor", release::MINOR_NUMBER),
        ("minCompatibilityMajor", "1"),
        ("minCompatibilityMinor", release::MINOR_BEFORE),
        ("gitVersion", release::GIT_VERSION),
        ("gitCommit", "local"),
        ("gitTreeState", "clean"),
        ("buildDate", release::BUILD_DATE),
        ("goVersion", release::GO_VERSION),
        ("compiler", "gc"),
        ("platform", "linux/amd64"),
    ];
    let lines: Vec<String> =
        fields.iter().map(|(name, value)| format!("  \"{name}\": \"{value}\"")).collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Kind;

    #[test]
    fn every_kind_that_is_served_is_discovered() {
        for kind in Kind::BUILT_IN {
            assert_eq!(find(kind.group(), kind.version(), kind.plural()), Some(kind.as_str()));
            for sub in kind.subresources() {
                let name = format!("{}/{sub}", kind.plural());
                assert!(find(kind.group(), kind.version(), &name).is_some(), "{name}");
            }
        }
    }
}
