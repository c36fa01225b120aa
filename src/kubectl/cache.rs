//! The resources that the API server lists, as kubectl keeps them from one command to the next.

use std::rc::Rc;

use serde_json::Value;

use crate::api::{CustomNames, Kind, Scope};

/// A resource that discovery lists, in one of the versions of its group.
pub(super) struct Resource {
    pub(super) group: String,
    /// `apps/v1`
    pub(super) group_version: String,
    /// `deployments`
    pub(super) name: String,
    pub(super) singular: String,
    pub(super) namespaced: bool,
    pub(super) kind: String,
    pub(super) verbs: Vec<String>,
    pub(super) short: Vec<String>,
    pub(super) categories: Vec<String>,
    /// Its subresources: `status`, `scale`.
    pub(super) parts: Vec<String>,
}

impl Resource {
    /// The kind of its objects: a built-in one, or one that a CustomResourceDefinition made. A kind of Kubernetes that is
    /// not built here is like the latter; there are no objects of it.
    pub(super) fn handle(&self) -> Kind {
        let version = self.group_version.rsplit('/').next().unwrap_or_default();
        Kind::of_resource(&self.group, version, &self.name).unwrap_or_else(|| {
            Kind::custom(&CustomNames {
                group: self.group.clone(),
                version: version.to_owned(),
                kind: self.kind.clone(),
                list_kind: format!("{}List", self.kind),
                plural: self.name.clone(),
                singular: self.singular.clone(),
                short_names: self.short.clone(),
                categories: self.categories.clone(),
                scope: if self.namespaced { Scope::Namespaced } else { Scope::Cluster },
                subresources: self.parts.clone(),
            })
        })
    }

    /// Whether a word names the resource, in the plural, in the singular or short.
    pub(super) fn is(&self, word: &str) -> bool {
        self.name == word || self.singular == word || self.short.iter().any(|s| s == word)
    }
}

/// The resources that kubectl keeps in its home directory from one command to the next
/// (`k8s.io/client-go/discovery/cached/disk`). The cache of a new home directory is empty.
///
/// A command takes a kind from here if it finds it, and asks the server only for a kind that it does not find. So a kind
/// whose definition was deleted is still known: the command sends its request, and the server answers 404.
#[derive(Clone, Default)]
pub struct DiscoveryCache(Option<Rc<[Resource]>>);

impl DiscoveryCache {
    /// The cache after the server listed these resources.
    pub(super) fn filled(all: Rc<[Resource]>) -> DiscoveryCache {
        DiscoveryCache(Some(all))
    }

    /// The resources; `None` if the server was not asked.
    pub(super) fn resources(&self) -> Option<&Rc<[Resource]>> {
        self.0.as_ref()
    }

    /// Whether the server was asked.
    pub fn is_filled(&self) -> bool {
        self.0.is_some()
    }
}

impl std::fmt::Debug for DiscoveryCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DiscoveryCache({} resources)", self.0.as_ref().map_or(0, |all| all.len()))
    }
}

/// The elements of a list in an answer.
pub(super) fn items<'a>(of: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    of.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Adds the resources of an `APIGroupDiscovery`.
pub(super) fn of_group(group: &Value, out: &mut Vec<Resource>) {
    let text =
        |of: &Value, path: &str| of.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let texts = |of: &Value, key: &str| items(of, key).filter_map(Value::as_str).map(str::to_owned).collect();
    let name = text(group, "/metadata/name");
    for version in items(group, "versions") {
        let of_version = text(version, "/version");
        let group_version = if name.is_empty() { of_version } else { format!("{name}/{of_version}") };
        out.extend(items(version, "resources").map(|r| Resource {
            group: name.clone(),
            group_version: group_version.clone(),
            name: text(r, "/resource"),
            singular: text(r, "/singularResource"),
            namespaced: text(r, "/scope") == "Namespaced",
            kind: text(r, "/responseKind/kind"),
            verbs: texts(r, "verbs"),
            short: texts(r, "shortNames"),
            categories: texts(r, "categories"),
            parts: items(r, "subresources").map(|part| text(part, "/subresource")).collect(),
        }));
    }
}
