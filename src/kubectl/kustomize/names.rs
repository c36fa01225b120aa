//! Namespaces, prefixes and suffixes.

use serde_json::Value;

use super::{Resource, each};

/// Puts the objects into a namespace, and the service accounts among the subjects of bindings.
pub(super) fn namespace(namespace: &str, all: &mut [Resource]) {
    if namespace.is_empty() {
        return;
    }
    let accounts: Vec<String> =
        all.iter().filter(|r| r.kind() == "ServiceAccount").map(|r| r.name().to_owned()).collect();
    for resource in all {
        if resource.kind() == "Namespace" {
            resource.rename(namespace.to_owned());
        } else if resource.namespaced() {
            resource.value["metadata"]["namespace"] = namespace.into();
        }
        if matches!(resource.kind(), "RoleBinding" | "ClusterRoleBinding") {
            each(&mut resource.value, &["subjects"], &mut |subject| {
                let text = |key: &str| subject.get(key).and_then(Value::as_str).unwrap_or_default();
                let own = text("name") == "default" || accounts.iter().any(|a| a == text("name"));
                if text("kind") == "ServiceAccount" && own {
                    subject["namespace"] = namespace.into();
                }
            });
        }
    }
}

/// Puts a prefix before each name and a suffix after it.
pub(super) fn affixes(prefix: &str, suffix: &str, all: &mut [Resource]) {
    if prefix.is_empty() && suffix.is_empty() {
        return;
    }
    let kept = ["CustomResourceDefinition", "APIService", "Namespace"];
    for resource in all.iter_mut().filter(|r| !kept.contains(&r.kind())) {
        let name = format!("{prefix}{}{suffix}", resource.name());
        resource.rename(name);
    }
}
