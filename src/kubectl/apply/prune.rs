//! `kubectl apply --prune`: objects that were applied once and are in no file any more are deleted
//! (`k8s.io/kubectl/pkg/util/prune`).

use std::collections::BTreeSet;

use super::super::call::{Call, Payload};
use super::super::flags::Args;
use super::super::invocation::{Invocation, Result, fail};
use super::super::output::{self, DryRun};
use super::options;
use crate::api::quote::go_quote;
use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;
use crate::api::{Kind, MetaExt, Object};
use crate::apimachinery::Verb;

/// The kinds that are pruned unless `--prune-allowlist` names others.
const KINDS: [Kind; 16] = [
    Kind::CONFIG_MAP,
    Kind::ENDPOINTS,
    Kind::PERSISTENT_VOLUME_CLAIM,
    Kind::POD,
    Kind::REPLICATION_CONTROLLER,
    Kind::SECRET,
    Kind::SERVICE,
    Kind::JOB,
    Kind::CRON_JOB,
    Kind::INGRESS,
    Kind::DAEMON_SET,
    Kind::DEPLOYMENT,
    Kind::REPLICA_SET,
    Kind::STATEFUL_SET,
    Kind::NAMESPACE,
    Kind::PERSISTENT_VOLUME,
];

/// What was applied.
#[derive(Default)]
pub(super) struct Visited {
    pub(super) uids: BTreeSet<String>,
    pub(super) namespaces: BTreeSet<String>,
}

impl Visited {
    pub(super) fn add(&mut self, object: &Object) {
        self.uids.insert(object.uid().to_owned());
    }
}

/// The kinds that `--prune-allowlist` names, as `group/version/kind`.
pub(super) fn allowed(args: &Args) -> Result<Vec<Kind>> {
    let mut kinds = Vec::new();
    for text in args.all("prune-allowlist") {
        let [group, version, kind] = text.split('/').collect::<Vec<_>>()[..] else {
            return fail(format!(
                "invalid GroupVersionKind format: {text}, please follow <group/version/kind>"
            ));
        };
        let group = if group == "core" { "" } else { group };
        let slash = if group.is_empty() { "" } else { "/" };
        let api_version = format!("{group}{slash}{version}");
        match Kind::of(&api_version, kind) {
            Some(kind) => kinds.push(kind),
            None => {
                return fail(format!(
                    "no matches for kind {kind} in version {api_version}",
                    kind = go_quote(kind),
                    api_version = go_quote(&api_version)
                ));
            }
        }
    }
    Ok(kinds)
}

pub(super) fn all(cx: &mut Invocation<'_>, args: &Args, visited: &Visited, dry_run: DryRun) -> Result {
    let mut kinds = allowed(args)?;
    if kinds.is_empty() {
        kinds = KINDS.to_vec();
        let time = cx.now().strftime("%m%d %H:%M:%S%.6f");
        cx.err.push_str(&format!(
            "W{time}       1 prune.go:71] Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.\n"
        ));
    }
    let (namespaced, cluster_wide): (Vec<Kind>, Vec<Kind>) = kinds.into_iter().partition(|k| k.namespaced());
    for namespace in &visited.namespaces {
        for kind in &namespaced {
            of_kind(cx, args, *kind, namespace, visited, dry_run)?;
        }
    }
    for kind in cluster_wide {
        of_kind(cx, args, kind, "", visited, dry_run)?;
    }
    Ok(())
}

fn of_kind(
    cx: &mut Invocation<'_>,
    args: &Args,
    kind: Kind,
    namespace: &str,
    visited: &Visited,
    dry_run: DryRun,
) -> Result {
    let objects = cx.list(kind, namespace, args.text("selector"))?;
    for object in objects {
        if object.meta().annotation(LAST_APPLIED_CONFIG_ANNOTATION).is_none()
            || visited.uids.contains(object.uid())
        {
            continue;
        }
        if dry_run != DryRun::Client {
            let mut call =
                Call::new(Verb::Delete, kind, namespace, object.name()).body(Payload::Delete(options(args)?));
            call.dry_run = dry_run == DryRun::Server;
            cx.send(&call)?;
        }
        output::report(cx, args, &object.to_value(), "pruned", dry_run)?;
    }
    Ok(())
}
