//! The table of commands and their flags.

use super::call::CHUNK;
use super::command::{ALL, ALL_NAMESPACES, CREATED, CliCommand, VALIDATE, command};
use super::flags::{Flag, array, boolean, duration, int, optional, slice, text};
use super::output::{DRY_RUN, PRINT, managed};
use super::resource::{FILENAME, SELECTOR};
use super::{
    annotate, api_resources, apply, attach, auth, autoscale, certificate, config, create, debug, delete,
    describe, diff, edit, events, exec, explain, expose, generators, get, kustomize, label, logs, node,
    overrides, patch, replace, rollout, run, scale, set, taint, top, unbuilt, wait,
};

pub(super) const COMMANDS: &[CliCommand] = &[
    command(
        "get",
        &[
            PRINT,
            SELECTOR,
            FILENAME,
            &[
                ALL_NAMESPACES,
                boolean("show-labels"),
                slice("label-columns").short('L'),
                boolean("no-headers"),
                boolean("show-kind"),
                text("sort-by"),
                boolean("ignore-not-found"),
                boolean("watch").short('w'),
                boolean("watch-only"),
                boolean("output-watch-events"),
                boolean("server-print").or("true"),
                int("chunk-size").or(CHUNK),
                text("raw"),
                text("subresource"),
            ],
        ],
        get::run,
    ),
    command(
        "apply",
        &[
            PRINT,
            &managed(apply::MANAGER),
            SELECTOR,
            FILENAME,
            VALIDATE,
            &[
                boolean("all"),
                boolean("prune"),
                boolean("overwrite").or("true"),
                boolean("server-side"),
                boolean("force-conflicts"),
                boolean("force"),
                boolean("wait"),
                boolean("openapi-patch").or("true"),
                optional("cascade", "background").or("background"),
                int("grace-period").or("-1"),
                duration("timeout"),
                array("prune-allowlist"),
                text("subresource"),
                boolean("record"),
            ],
        ],
        apply::run,
    )
    .with(apply::COMMANDS_OF),
    command(
        "create",
        &[PRINT, CREATED, SELECTOR, FILENAME, VALIDATE, &[text("raw"), boolean("edit")]],
        create::run,
    )
    .with(generators::CREATE),
    command(
        "replace",
        &[PRINT, &managed("kubectl-replace"), FILENAME, VALIDATE, replace::FLAGS],
        replace::run,
    ),
    command(
        "delete",
        &[
            PRINT,
            DRY_RUN,
            SELECTOR,
            FILENAME,
            ALL,
            &[
                optional("cascade", "background").or("background"),
                int("grace-period").or("-1"),
                boolean("force"),
                boolean("now"),
                boolean("wait").or("true"),
                duration("timeout"),
                boolean("ignore-not-found"),
                text("raw"),
                boolean("interactive").short('i'),
            ],
        ],
        delete::run,
    ),
    command(
        "scale",
        &[
            PRINT,
            DRY_RUN,
            SELECTOR,
            FILENAME,
            ALL,
            &[
                int("replicas"),
                int("current-replicas").or("-1"),
                text("resource-version"),
                duration("timeout"),
            ],
        ],
        scale::run,
    )
    .requires(&["replicas"]),
    command("set", &[], set::group).with(set::COMMANDS_OF).says(set::HELP),
    command(
        "patch",
        &[
            PRINT,
            &managed("kubectl-patch"),
            FILENAME,
            &[
                text("patch").short('p'),
                text("patch-file"),
                text("type").or("strategic"),
                boolean("local"),
                text("subresource"),
            ],
        ],
        patch::run,
    ),
    command("label", &[PRINT, &managed("kubectl-label"), SELECTOR, FILENAME, ALL, LABEL], label::run),
    command(
        "annotate",
        &[PRINT, &managed("kubectl-annotate"), SELECTOR, FILENAME, ALL, LABEL],
        annotate::run,
    ),
    command("rollout", &[], rollout::group).with(rollout::COMMANDS_OF).says(rollout::HELP),
    command(
        "expose",
        &[PRINT, &managed("kubectl-expose"), FILENAME, overrides::FLAGS, expose::EXPOSE_FLAGS],
        expose::run,
    ),
    command("run", &[PRINT, &managed("kubectl-run"), overrides::FLAGS, run::RUN_FLAGS], run::run)
        .requires(&["image"]),
    command("cordon", &[DRY_RUN, SELECTOR], node::cordon),
    command("uncordon", &[DRY_RUN, SELECTOR], node::uncordon),
    command("drain", &[DRY_RUN, SELECTOR, node::DRAIN_FLAGS], node::drain),
    command(
        "taint",
        &[PRINT, &managed("kubectl-taint"), SELECTOR, &[boolean("overwrite"), boolean("all")], VALIDATE],
        taint::run,
    ),
    command(
        "wait",
        &[PRINT, SELECTOR, FILENAME, ALL, &[array("for"), duration("timeout").or("30s"), boolean("local")]],
        wait::run,
    ),
    command(
        "events",
        &[
            PRINT,
            &[
                ALL_NAMESPACES,
                text("for"),
                slice("types"),
                boolean("no-headers"),
                boolean("watch").short('w'),
                int("chunk-size").or(CHUNK),
            ],
        ],
        events::run,
    ),
    command(
        "api-resources",
        &[&[
            text("output").short('o'),
            text("api-group"),
            optional("namespaced", "true"),
            slice("verbs"),
            slice("categories"),
            text("sort-by"),
            boolean("no-headers"),
            boolean("show-managed-fields"),
            boolean("cached"),
        ]],
        api_resources::api_resources,
    ),
    command("api-versions", &[], api_resources::api_versions),
    command("version", &[&[boolean("client"), text("output").short('o')]], api_resources::version),
    command("cluster-info", &[], api_resources::cluster_info),
    command(
        "describe",
        &[SELECTOR, FILENAME, ALL, &[boolean("show-events").or("true"), int("chunk-size").or(CHUNK)]],
        describe::run,
    ),
    command("edit", &[PRINT, FILENAME, VALIDATE, &[text("field-manager").or("kubectl-edit")]], edit::run),
    command(
        "explain",
        &[&[boolean("recursive").short('R'), text("api-version"), text("output").or("plaintext")]],
        explain::run,
    ),
    command("logs", &[logs::FLAGS], logs::run),
    command("exec", &[exec::FLAGS], exec::run),
    command("attach", &[attach::FLAGS], attach::run),
    command("port-forward", &[&[text("address"), duration("pod-running-timeout")]], unbuilt::port_forward),
    command("top", &[], top::group).with(top::COMMANDS_OF).says(top::HELP),
    command("auth", &[], auth::group).with(auth::COMMANDS).says(auth::HELP),
    command("autoscale", &[PRINT, &managed("kubectl-autoscale"), FILENAME, autoscale::FLAGS], autoscale::run)
        .requires(&["max"]),
    command("diff", &[FILENAME, SELECTOR, VALIDATE, diff::FLAGS], diff::run),
    command("config", &[], config::group).with(config::COMMANDS).says(config::HELP),
    command("debug", &[FILENAME, debug::FLAGS], debug::run),
    command("cp", &[unbuilt::CP_FLAGS], unbuilt::cp),
    command("proxy", &[unbuilt::PROXY_FLAGS], unbuilt::proxy),
    command("certificate", &[], certificate::group).with(certificate::COMMANDS_OF).says(certificate::HELP),
    command("alpha", &[], unbuilt::alpha),
    command("completion", &[], unbuilt::completion),
    command("kustomize", &[kustomize::FLAGS], kustomize::run),
    command("plugin", &[], unbuilt::nothing).with(unbuilt::PLUGIN),
    command("options", &[], unbuilt::options),
];

const LABEL: &[Flag] = &[boolean("overwrite"), boolean("list"), boolean("local"), text("resource-version")];
