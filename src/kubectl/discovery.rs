//! `kubectl api-resources`, `api-versions`, `version`, `cluster-info`

use super::commands;
use super::context::{Context, Result, fail};
use super::flags::Args;
use super::tabwriter;
use crate::api::Kind;

const VERBS: &str = "create,delete,deletecollection,get,list,patch,update,watch";
const ALL_KINDS: [&str; 10] = [
    "pods",
    "replicationcontrollers",
    "services",
    "daemonsets",
    "deployments",
    "replicasets",
    "statefulsets",
    "horizontalpodautoscalers",
    "cronjobs",
    "jobs",
];

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
    let mut kinds: Vec<Kind> = Kind::ALL.to_vec();
    if args.has("api-group") {
        kinds.retain(|k| k.group() == args.text("api-group"));
    }
    if args.has("namespaced") {
        kinds.retain(|k| k.namespaced() == args.on("namespaced"));
    }
    kinds.sort_by_key(|k| (k.group(), k.plural()));
    let mut lines = String::new();
    if output == "name" {
        for k in kinds {
            cx.say(&k.group_resource());
        }
        return Ok(());
    }
    if !args.on("no-headers") {
        lines.push_str("NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND");
        lines.push_str(if output == "wide" { "\tVERBS\tCATEGORIES\n" } else { "\n" });
    }
    for k in kinds {
        lines.push_str(&format!(
            "{}\t{}\t{}\t{}\t{}",
            k.plural(),
            k.short_names().join(","),
            k.api_version(),
            k.namespaced(),
            k.as_str()
        ));
        if output == "wide" {
            let category = if ALL_KINDS.contains(&k.plural()) { "all" } else { "" };
            lines.push_str(&format!("\t{VERBS}\t{category}"));
        }
        lines.push('\n');
    }
    let text = tabwriter::align(&lines, tabwriter::TABLE);
    cx.out.push_str(&text);
    Ok(())
}

pub(super) fn api_versions(cx: &mut Context<'_>, _: &Args) -> Result {
    let mut versions: Vec<&str> = Kind::ALL.iter().map(|k| k.api_version()).collect();
    versions.sort_unstable();
    versions.dedup();
    for v in versions {
        cx.say(v);
    }
    Ok(())
}

pub(super) fn version(cx: &mut Context<'_>, args: &Args) -> Result {
    cx.say("Client Version: v1.36.4");
    cx.say("Kustomize Version: v5.8.1");
    if !args.on("client") {
        cx.say("Server Version: v1.36.2");
    }
    Ok(())
}

pub(super) fn cluster_info(cx: &mut Context<'_>, _: &Args) -> Result {
    cx.say("Kubernetes control plane is running in this page.");
    cx.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(())
}
