//! Health checks (`k8s.io/apiserver/pkg/server/healthz`). Kubernetes has one check more for each hook that runs after the
//! start of the server.

use super::answer;
use super::query::Query;
use crate::api::quote::go_quote;
use crate::apimachinery::HttpResponse;

/// What is looked at, in this order.
pub(super) const CHECKS: [&str; 3] = ["ping", "log", "etcd"];

/// Answers `/healthz`, `/livez`, `/readyz` or the path of one check. `storage` says whether etcd answers.
pub(super) fn answer(endpoint: &str, check: Option<&str>, query: &Query, storage: bool) -> HttpResponse {
    let is_well = |name: &str| name != "etcd" || storage;
    if let Some(name) = check {
        return match CHECKS.contains(&name) {
            true if is_well(name) => answer::text(200, "ok"),
            true => answer::text(500, "internal server error: etcd does not answer\n"),
            false => answer::text(404, "404 page not found\n"),
        };
    }
    let mut excluded: Vec<&str> = query.all("exclude");
    let (mut told, mut failed) = (String::new(), false);
    for name in CHECKS {
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
        (true, _) => answer::text(500, &format!("{told}{endpoint} check failed\n")),
        (false, true) => answer::text(200, &format!("{told}{endpoint} check passed\n")),
        (false, false) => answer::text(200, "ok"),
    }
}
