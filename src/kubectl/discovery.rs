//! `kubectl api-resources`, `api-versions`, `version`, `cluster-info`

use super::commands;
use super::context::{Context, Result, fail};
use super::flags::Args;
use super::tabwriter;
use crate::api::order;
use crate::apiserver::http::discovery::{served, versions};

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
    // Also kinds that are not built here, as the API server's discovery has them: whoever asks for one
    // of those is told.
    let mut resources = served();
    if args.has("api-group") {
        resources.retain(|r| r.group == args.text("api-group"));
    }
    if args.has("namespaced") {
        resources.retain(|r| r.namespaced == args.on("namespaced"));
    }
    order::sort_by_key(&mut resources, |r| (r.group, r.name));
    if output == "name" {
        for r in resources {
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
    for r in resources {
        let short = r.short.join(",");
        lines.push_str(&format!("{}\t{short}\t{}\t{}\t{}", r.name, r.version, r.namespaced, r.kind));
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
    let mut versions = versions();
    order::sort(&mut versions);
    for v in versions {
        cx.say(&v);
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
    cx.say("Kubernetes control plane is running at https://127.0.0.1:6443");
    cx.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(())
}
