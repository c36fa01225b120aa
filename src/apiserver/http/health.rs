//! Health checks (`k8s.io/apiserver/pkg/server/healthz`).

use crate::api::quote::go_quote;
use crate::apimachinery::{HttpResponse, Query};

/// What is looked at, in this order. The hooks that run after the start of the server are those of what is here: the
/// controllers of `controlplane`, the watch cache (`storage-readiness`), and the objects that a cluster starts with. They have ended before the first request is
/// answered.
const CHECKS: [&str; 15] = [
    "ping",
    "log",
    "etcd",
    ETCD_READINESS,
    INFORMER_SYNC,
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/storage-readiness",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/rbac/bootstrap-roles",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
    SHUTDOWN,
];
const ETCD_READINESS: &str = "etcd-readiness";
const INFORMER_SYNC: &str = "informer-sync";
/// The server is never asked to shut down: who stops its process stops its answers.
const SHUTDOWN: &str = "shutdown";

/// The checks of `healthz`, `livez` or `readyz`: the last one has some of its own.
pub(super) fn checks(endpoint: &str) -> impl Iterator<Item = &'static str> {
    let ready = endpoint == "readyz";
    CHECKS
        .into_iter()
        .filter(move |check| ready || ![ETCD_READINESS, INFORMER_SYNC, SHUTDOWN].contains(check))
}

/// Answers `/healthz`, `/livez`, `/readyz` or the path of one check. `storage` says whether etcd answers.
pub(super) fn answer(endpoint: &str, check: Option<&str>, query: &Query, storage: bool) -> HttpResponse {
    let is_well = |name: &str| !matches!(name, "etcd" | ETCD_READINESS) || storage;
    if let Some(name) = check {
        return match checks(endpoint).any(|check| check == name) {
            true if is_well(name) => HttpResponse::text(200, "ok"),
            true => HttpResponse::text(500, "internal server error: etcd does not answer\n"),
            false => HttpResponse::text(404, "404 page not found\n"),
        };
    }
    let mut excluded: Vec<&str> = query.all("exclude");
    let (mut told, mut failed) = (String::new(), false);
    for name in checks(endpoint) {
        if excluded.contains(&name) {
            excluded.retain(|e| *e != name);
            told.push_str(&format!("[+]{name} excluded: ok\n"));
        } else if is_well(name) {
            told.push_str(&format!("[+]{name} ok\n"));
        } else {
            failed = true;
            told.push_str(&format!("[-]{name} failed: reason withheld\n"));
        }
    }
    excluded.sort_unstable();
    excluded.dedup();
    if !excluded.is_empty() {
        let names: Vec<String> = excluded.iter().map(go_quote).collect();
        let names = names.join(",");
        told.push_str(&format!("warn: some health checks cannot be excluded: no matches for {names}\n"));
    }
    match (failed, query.has("verbose")) {
        (true, _) => HttpResponse::text(500, &format!("{told}{endpoint} check failed\n")),
        (false, true) => HttpResponse::text(200, &format!("{told}{endpoint} check passed\n")),
        (false, false) => HttpResponse::text(200, "ok"),
    }
}
