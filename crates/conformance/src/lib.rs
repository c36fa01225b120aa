//! Judges a simulated cluster by recorded runs of real Kubernetes (`tests/conformance/`).
//!
//! Any implementation of [`System`] can be judged. The judge does not look inside it: it sends kubectl
//! command lines, HTTP requests and time, and reads the writes.
//!
//! # What one fact is
//!
//! The result is *N of M facts*. M counts each of the following on which the recordings agree:
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
//! What happens before the first step of a case (nodes, the StorageClass) is the system's set-up and not
//! judged. Responses on which the recordings disagree, and commands at which the recorded kubectl crashed,
//! are not judged either; the report names each of them.
//!
//! What a run does beyond the recordings (an event or a writer that was never recorded) is a fact that is
//! not met: it makes M larger, so doing more never helps. What `varies` between recordings is not compared.
//! If the system lacks a feature, the facts that depend on it count and are not met. The order of writes
//! ([`history::causal`]) is reported with `--verbose` and does not count.

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

/// The folder with the recordings in this repository.
pub fn default_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance")
}

/// Runs a function and turns a panic of the system under test into a text, so that one bad case does not
/// hide the others.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        format!("panic: {}", text.unwrap_or("without words"))
    })
}

/// The suites.
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
    /// All suites, in the order in which they are run.
    pub const ALL: [Suite; 4] = [Suite::Cases, Suite::Api, Suite::Kubectl, Suite::Hash];

    /// The suite with this name on the command line.
    pub fn parse(name: &str) -> Option<Suite> {
        Some(match name {
            "cases" => Suite::Cases,
            "api" => Suite::Api,
            "kubectl" => Suite::Kubectl,
            "hash" => Suite::Hash,
            _ => return None,
        })
    }

    /// Runs the part of the suite whose names begin with `filter`.
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
