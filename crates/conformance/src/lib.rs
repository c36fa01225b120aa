//! Judges a simulated cluster by recorded runs of real Kubernetes (`tests/conformance/`).
//!
//! Anything that implements [`System`] can be judged. It is never looked into: it gets kubectl
//! command lines, HTTP requests and time, and shows its writes.
//!
//! # What one fact is
//!
//! The result is *N of M facts*. M counts every one of these that the recordings agree on:
//!
//! | suite | one fact is |
//! | --- | --- |
//! | `cases` | the successive `spec.replicas` of one object (`replicas`) |
//! | | the successive `[status, reason, message]` of one condition of one object (`conditions`) |
//! | | the number of objects of one kind that were created, or deleted (`creates`, `deletes`) |
//! | | one event (about what, type, reason, message) and how often it happened (`events`) |
//! | | that one component used one verb on one kind (`writers`) |
//! | | the final objects of one name, generated suffixes taken as one (`final`) |
//! | | of one kubectl step: its `exit`; `stdout` and `stderr` unless they vary |
//! | `api` | of one request: its `status`; its `body`; its `warnings`, where there are any |
//! | `kubectl` | of one command: its `exit`, `stdout`, `stderr` |
//! | `hash` | of one template: its `hash`, and the one with a `collision` |
//!
//! What goes before the first step of a case (nodes, the StorageClass) is the system's set-up and
//! not judged. An answer of which the recordings disagree, and a command at which the recorded
//! kubectl itself crashed, are not judged either; the report names each of them.
//!
//! What a run does beyond the recordings (an event nobody saw, a writer never seen) is a fact that
//! is not met: it makes M larger, so doing more is never better than doing right. What `varies`
//! between recordings is not compared. A feature that the system lacks is no excuse: what depends on
//! it is counted and not met. The order of writes ([`history::causal`]) is reported with
//! `--verbose` and counts for nothing.

pub mod api;
pub mod cases;
pub mod facts;
pub mod groups;
pub mod hash;
pub mod history;
pub mod kubelet;
pub mod matching;
pub mod metrics;
pub mod normalise;
pub mod parallel;
pub mod placeholders;
pub mod printed;
pub mod provisioner;
pub mod ratchet;
pub mod report;
pub mod session;
pub mod simulator;
pub mod stand_ins;
pub mod system;
pub mod wiring;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

pub use report::{Fact, Outcome};
pub use system::{Factory, HttpRequest, HttpResponse, KubectlOutput, NullSystem, Op, Setup, System, Write};

/// The recordings in this repository.
pub fn default_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance")
}

/// A panic of the system under test becomes text: one bad case must not hide the others.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        format!("panic: {}", text.unwrap_or("without words"))
    })
}

/// Which of the suites to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// `cases/`
    Cases,
    /// `api/`
    Api,
    /// `kubectl/`
    Kubectl,
    /// `pod-template-hash/`
    Hash,
}

impl Suite {
    /// All of them, in the order they are run.
    pub const ALL: [Suite; 4] = [Suite::Cases, Suite::Api, Suite::Kubectl, Suite::Hash];

    /// By its name on the command line.
    pub fn parse(name: &str) -> Option<Suite> {
        Some(match name {
            "cases" => Suite::Cases,
            "api" => Suite::Api,
            "kubectl" => Suite::Kubectl,
            "hash" => Suite::Hash,
            _ => return None,
        })
    }

    /// Runs what of it begins with `filter`.
    ///
    /// # Errors
    /// If the recordings cannot be read.
    pub fn run(
        self,
        dir: &Path,
        filter: &str,
        factory: &Factory<'_>,
        hash: &hash::HashFn<'_>,
    ) -> Result<Vec<Outcome>, String> {
        match self {
            Suite::Cases => cases::run(&dir.join("cases"), filter, factory),
            Suite::Api => api::run(&dir.join("api"), filter, factory),
            Suite::Kubectl => session::run(&dir.join("kubectl"), filter, factory),
            Suite::Hash => hash::run(&dir.join("pod-template-hash"), filter, hash),
        }
    }
}
