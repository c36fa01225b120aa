//! `kubectl api-resources`, `api-versions`, `version`, `cluster-info`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::cache::Resource;
use super::call::{Accept, raw};
use super::command;
use super::discovery::resources;
use super::flags::Args;
use super::invocation::{Invocation, Result, fail};
use super::{SERVER, go, kyaml, tabwriter};
use crate::api::quote::go_quote;
use crate::api::{order, release, yaml};

/// An `APIResource`. Its fields, and those of the two structs below, stand in the order of Go's struct, in which `-o json`
/// prints them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiResource<'a> {
    name: &'a str,
    singular_name: &'a str,
    namespaced: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    group: &'a str,
    version: &'a str,
    kind: &'a str,
    verbs: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    short_names: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    categories: &'a [String],
}

/// An `APIResourceList` of resources of all groups, which is of no group version itself.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ApiResourceList<'a> {
    kind: &'static str,
    api_version: &'static str,
    group_version: &'static str,
    resources: Vec<ApiResource<'a>>,
}

pub(super) fn api_resources(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return command::usage(
            "kubectl api-resources",
            format!("unexpected arguments: [{}]", args.words.join(" ")),
        );
    }
    let output = args.text("output");
    if !matches!(output, "" | "wide" | "name" | "json" | "yaml" | "kyaml") {
        return fail(format!(
            "unable to match a printer suitable for the output format {output}, allowed formats are: json,kyaml,name,wide,yaml",
            output = go_quote(output)
        ));
    }
    if !matches!(args.text("sort-by"), "" | "name" | "kind") {
        return fail("--sort-by accepts only name or kind");
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
    shown.retain(|r| args.all("verbs").iter().all(|verb| r.verbs.contains(verb)));
    shown.retain(|r| args.all("categories").iter().all(|category| r.categories.contains(category)));
    let by = args.text("sort-by").to_owned();
    order::sort_by_key(&mut shown, |r| {
        let first = match by.as_str() {
            "name" => &r.name,
            "kind" => &r.kind,
            _ => &r.group,
        };
        (first, &r.name)
    });
    match output {
        "name" => {
            for r in shown {
                let dot = if r.group.is_empty() { "" } else { "." };
                cx.say(&format!("{}{dot}{}", r.name, r.group));
            }
        }
        "json" => cx.say(&go::json_indent(&list_of(&shown))),
        "yaml" => cx.out.push_str(&yaml::to_yaml(&json!(list_of(&shown)))),
        "kyaml" => cx.out.push_str(&kyaml::document(&json!(list_of(&shown)))),
        _ => print_table(cx, &shown, output == "wide", !args.on("no-headers")),
    }
    Ok(())
}

fn list_of<'a>(shown: &[&'a Resource]) -> ApiResourceList<'a> {
    let resources = shown.iter().map(|r| ApiResource {
        name: &r.name,
        singular_name: &r.singular,
        namespaced: r.namespaced,
        group: &r.group,
        version: r.group_version.rsplit('/').next().unwrap_or_default(),
        kind: &r.kind,
        verbs: &r.verbs,
        short_names: &r.short,
        categories: &r.categories,
    });
    ApiResourceList {
        kind: "APIResourceList",
        api_version: "v1",
        group_version: "",
        resources: resources.collect(),
    }
}

fn print_table(cx: &mut Invocation<'_>, shown: &[&Resource], wide: bool, headers: bool) {
    let mut lines = String::new();
    if headers {
        lines.push_str("NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND");
        lines.push_str(if wide { "\tVERBS\tCATEGORIES\n" } else { "\n" });
    }
    for r in shown {
        let short = r.short.join(",");
        lines.push_str(&format!("{}\t{short}\t{}\t{}\t{}", r.name, r.group_version, r.namespaced, r.kind));
        if wide {
            lines.push_str(&format!("\t{}\t{}", r.verbs.join(","), r.categories.join(",")));
        }
        lines.push('\n');
    }
    let text = tabwriter::align(&lines, tabwriter::TABLE);
    cx.out.push_str(&text);
}

pub(super) fn api_versions(cx: &mut Invocation<'_>, _: &Args) -> Result {
    let all = resources(cx)?;
    let versions: BTreeSet<&str> = all.iter().map(|r| r.group_version.as_str()).collect();
    for v in versions {
        cx.say(v);
    }
    Ok(())
}

/// What a program says of its build (`version.Info`).
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct BuildInfo {
    major: String,
    minor: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    emulation_major: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    emulation_minor: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    min_compatibility_major: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    min_compatibility_minor: String,
    git_version: String,
    git_commit: String,
    git_tree_state: String,
    build_date: String,
    go_version: String,
    compiler: String,
    platform: String,
}

/// What `version -o json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Versions {
    client_version: BuildInfo,
    kustomize_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_version: Option<BuildInfo>,
}

/// What kubectl says of its own build. Of what stands there, only the version is that of a release.
fn own_build() -> BuildInfo {
    BuildInfo {
        major: "1".into(),
        minor: release::MINOR_NUMBER.into(),
        git_version: release::KUBECTL.into(),
        git_commit: "local".into(),
        git_tree_state: "clean".into(),
        build_date: release::BUILD_DATE.into(),
        go_version: release::GO_VERSION.into(),
        compiler: "gc".into(),
        platform: "linux/amd64".into(),
        ..BuildInfo::default()
    }
}

pub(super) fn version(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let with_server = !args.on("client");
    if with_server && !args.words.is_empty() {
        return fail(format!("extra arguments: [{}]", args.words.join(" ")));
    }
    let output = args.text("output");
    if !matches!(output, "" | "yaml" | "json") {
        return fail("--output must be 'yaml' or 'json'");
    }
    let asked = with_server.then(|| cx.exchange(&raw("GET", "/version", Accept::Objects, Vec::new())));
    let (server_version, refused) = match asked {
        Some(Ok(answer)) => (serde_json::from_str(&answer.response.body).ok(), Ok(())),
        Some(Err(stop)) => (None, Err(stop)),
        None => (None, Ok(())),
    };
    let all = Versions { client_version: own_build(), kustomize_version: release::KUSTOMIZE, server_version };
    match output {
        "json" => cx.say(&go::json_indented(&all, "  ")),
        // The text ends with a line's end of its own.
        "yaml" => cx.say(&yaml::to_yaml(&json!(all))),
        _ => {
            cx.say(&format!("Client Version: {}", all.client_version.git_version));
            cx.say(&format!("Kustomize Version: {}", all.kustomize_version));
            if let Some(server) = &all.server_version {
                cx.say(&format!("Server Version: {}", server.git_version));
            }
        }
    }
    refused
}

pub(super) fn cluster_info(cx: &mut Invocation<'_>, _: &Args) -> Result {
    cx.say(&format!("Kubernetes control plane is running at {}", SERVER));
    cx.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(())
}
