//! `kubectl api-resources`, `api-versions`, `version`, `cluster-info`.

use std::collections::BTreeSet;

use super::cache::Resource;
use super::call::{Accept, raw};
use super::command;
use super::discovery::resources;
use super::flags::Args;
use super::invocation::{Invocation, Result, fail};
use super::{config, tabwriter};
use crate::api::{order, release};

pub(super) fn api_resources(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return command::usage(
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

pub(super) fn api_versions(cx: &mut Invocation<'_>, _: &Args) -> Result {
    let all = resources(cx)?;
    let versions: BTreeSet<&str> = all.iter().map(|r| r.group_version.as_str()).collect();
    for v in versions {
        cx.say(v);
    }
    Ok(())
}

pub(super) fn version(cx: &mut Invocation<'_>, args: &Args) -> Result {
    cx.say(&format!("Client Version: {}", release::KUBECTL));
    cx.say(&format!("Kustomize Version: {}", release::KUSTOMIZE));
    if !args.on("client") {
        let answer = cx.exchange(&raw("GET", "/version", Accept::Objects, Vec::new()))?;
        cx.say(&format!("Server Version: {}", answer.text("/gitVersion")));
    }
    Ok(())
}

pub(super) fn cluster_info(cx: &mut Invocation<'_>, _: &Args) -> Result {
    cx.say(&format!("Kubernetes control plane is running at {}", config::SERVER));
    cx.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(())
}
