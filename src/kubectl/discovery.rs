//! What the API server serves (`k8s.io/client-go/discovery`): the resources of all groups, asked for when a command needs
//! them, and kept from one command to the next; `kubectl api-resources`, `api-versions`, `version`, `cluster-info`.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

use super::call::{Accept, raw};
use super::commands;
use super::context::{Context, Result, fail};
use super::flags::Args;
use super::tabwriter;
use crate::api::{CustomNames, Kind, Scope, order, release};

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

/// The resources that are cached, or else those that the server lists now.
pub(super) fn known(cx: &mut Context<'_>) -> Result<Rc<[Resource]>> {
    match &cx.cache.0 {
        Some(cached) => Ok(cached.clone()),
        None => resources(cx),
    }
}

/// Looks for something in the cached resources, and if it is not among them in those that the server lists now
/// (`restmapper.NewDeferredDiscoveryRESTMapper`).
pub(super) fn find<T>(cx: &mut Context<'_>, look: impl Fn(&[Resource]) -> Option<T>) -> Result<Option<T>> {
    match look(&known(cx)?) {
        Some(found) => Ok(Some(found)),
        None => Ok(look(&resources(cx)?)),
    }
}

/// Every resource in every version that the server lists; those of a group's preferred version come first. A command asks
/// for them once, and the cache is what it got.
pub(super) fn resources(cx: &mut Context<'_>) -> Result<Rc<[Resource]>> {
    if cx.discovered
        && let Some(all) = &cx.cache.0
    {
        return Ok(all.clone());
    }
    let mut all = Vec::new();
    for path in ["/api", "/apis"] {
        let answer = cx.exchange(&raw("GET", path, Accept::Discovery, Vec::new()))?;
        items(answer.value(), "items").for_each(|group| of_group(group, &mut all));
    }
    let all: Rc<[Resource]> = all.into();
    cx.cache = DiscoveryCache(Some(all.clone()));
    cx.discovered = true;
    Ok(all)
}

/// The kind that `apiVersion` and `kind` of a manifest name; `None` if the server serves no such kind.
pub(super) fn kind_of(cx: &mut Context<'_>, api_version: &str, kind: &str) -> Result<Option<Kind>> {
    if let Some(kind) = Kind::of(api_version, kind) {
        return Ok(Some(kind));
    }
    find(cx, |all| {
        all.iter().find(|r| r.group_version == api_version && r.kind == kind).map(Resource::handle)
    })
}

fn items<'a>(of: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    of.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The resources of an `APIGroupDiscovery`.
fn of_group(group: &Value, out: &mut Vec<Resource>) {
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

pub(super) fn api_resources(cx: &mut Context<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return commands::usage(
            "kubectl api-resources",
            format!("unexpected arguments: [{}]", args.words.join(" ")),
        );
    }
    let output = args.text("output");
    if !matches!(output, "" | "wide" | "name") {
        return fail(format!("--output {output} is not available"));
    }
    // Discovery also lists kinds that are not built here. There are no objects of these, and none can be made.
    let all = resources(cx)?;
    let mut seen = BTreeSet::new();
    let mut shown: Vec<&Resource> = all.iter().filter(|r| seen.insert((&r.group, &r.name))).collect();
    if args.has("api-group") {
        shown.retain(|r| r.group == args.text("api-group"));
    }
    if args.has("namespaced") {
        shown.retain(|r| r.namespaced == args.on("namespaced"));
    }
    order::sort_by_key(&mut shown, |r| (&r.group, &r.name));
    if output == "name" {
        for r in shown {
            let dot = if r.group.is_empty() { "" } else { "." };
            cx.say(&format!("{}{dot}{}", r.name, r.group));
        }
        return Ok(());
    }
    let mut lines = String::new();
    if !args.on("no-headers") {
        lines.push_str("NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND");
        lines.push_str(if output == "wide" { "\tVERBS\tCATEGORIES\n" } else { "\n" });
    }
    for r in shown {
        let short = r.short.join(",");
        lines.push_str(&format!("{}\t{short}\t{}\t{}\t{}", r.name, r.group_version, r.namespaced, r.kind));
        if output == "wide" {
            lines.push_str(&format!("\t{}\t{}", r.verbs.join(","), r.categories.join(",")));
        }
        lines.push('\n');
    }
    let text = tabwriter::align(&lines, tabwriter::TABLE);
    cx.out.push_str(&text);
    Ok(())
}

pub(super) fn api_versions(cx: &mut Context<'_>, _: &Args) -> Result {
    let all = resources(cx)?;
    let versions: BTreeSet<&str> = all.iter().map(|r| r.group_version.as_str()).collect();
    for v in versions {
        cx.say(v);
    }
    Ok(())
}

pub(super) fn version(cx: &mut Context<'_>, args: &Args) -> Result {
    cx.say(&format!("Client Version: {}", release::KUBECTL));
    cx.say(&format!("Kustomize Version: {}", release::KUSTOMIZE));
    if !args.on("client") {
        let answer = cx.exchange(&raw("GET", "/version", Accept::Objects, Vec::new()))?;
        cx.say(&format!("Server Version: {}", answer.text("/gitVersion")));
    }
    Ok(())
}

pub(super) fn cluster_info(cx: &mut Context<'_>, _: &Args) -> Result {
    cx.say(&format!("Kubernetes control plane is running at {}", super::unbuilt::SERVER));
    cx.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(())
}
