//! The container runtime that a pod's sandbox is created with (`kuberuntime_sandbox.go`; `pkg/kubelet/runtimeclass`;
//! KEP-585).

use std::collections::{BTreeMap, BTreeSet};

use super::images::sandbox_id;
use super::timings::{self, later};
use super::turn::Turn;
use super::wake::{Retry, WakeSort};
use crate::api::quote::go_quote;
use crate::api::types::{Node, NodeRuntimeHandler, NodeRuntimeHandlerFeatures, RuntimeClass};
use crate::api::{Key, MetaExt};

/// The handler that containerd has from the start.
const DEFAULT_HANDLER: &str = "runc";
/// The annotation of a Node that names further handlers, separated by commas or blanks.
const HANDLERS: &str = "sim.steady/runtime-handlers";

/// The handlers of every node: the default one has a name, and stands without it, too.
pub const RUNTIME_HANDLERS: [&str; 2] = ["", DEFAULT_HANDLER];

/// The handlers of a Node with these annotations, as the kubelet reports them (`status.runtimeHandlers`), sorted. Each has
/// the features of runc on a recent kernel.
pub fn runtime_handlers<'a>(
    own: impl Iterator<Item = &'a str>,
    annotations: Option<&'a BTreeMap<String, String>>,
) -> Vec<NodeRuntimeHandler> {
    let further = annotations.and_then(|a| a.get(HANDLERS)).map(String::as_str).unwrap_or_default();
    let further = further.split([',', ' ']).filter(|h| !h.is_empty());
    let names: BTreeSet<&str> = own.chain(further).collect();
    let features =
        NodeRuntimeHandlerFeatures { recursive_read_only_mounts: Some(true), user_namespaces: Some(true) };
    let handler = |name: &str| NodeRuntimeHandler {
        name: Some(name.to_owned()).filter(|n| !n.is_empty()),
        features: Some(features.clone()),
    };
    names.into_iter().map(handler).collect()
}

/// Whether the Node names other handlers than before.
pub(super) fn handlers_changed(old: &Node, new: &Node) -> bool {
    old.metadata.annotation(HANDLERS) != new.metadata.annotation(HANDLERS)
}

impl Turn<'_> {
    /// Why the pod's sandbox cannot be created: its host's name is too long, the pod's RuntimeClass is gone, or the node does not have
    /// its handler.
    pub(super) fn sandbox_refused(&self) -> Option<String> {
        self.kernel_host_name().err().or_else(|| self.runtime_is_missing())
    }

    fn runtime_is_missing(&self) -> Option<String> {
        let name = self.spec.runtime_class_name.as_deref().filter(|n| !n.is_empty())?;
        let Some(class) = self.caches.get::<RuntimeClass>(&Key::new("", name)) else {
            // The kubelet's lister calls the resource by the word of one.
            return Some(format!("runtimeclass.node.k8s.io {} not found", go_quote(name)));
        };
        let handler = class.handler.as_str();
        let node = self.caches.get::<Node>(self.node_key);
        let further = node.and_then(|n| n.metadata.annotation(HANDLERS)).unwrap_or_default();
        if handler == DEFAULT_HANDLER || further.split([',', ' ']).any(|h| h == handler) {
            return None;
        }
        let id = sandbox_id(&self.rt.uid, self.rt.sandbox_failures);
        Some(format!(
            "rpc error: code = Unknown desc = unable to get OCI runtime for sandbox {}: no runtime for {} is configured",
            go_quote(id),
            go_quote(handler)
        ))
    }

    /// The sandbox could not be created: notes the event and the retry. From the second failure on, the retry is a
    /// background deadline, because it can only fail again until a RuntimeClass or the Node changes.
    pub(super) fn sandbox_failed(&mut self, why: &str) {
        self.note_run_sandbox(Err(why));
        self.event(None, "Warning", "FailedCreatePodSandBox", format!("Failed to create pod sandbox: {why}"));
        let sort = if self.rt.sandbox_failures > 0 { WakeSort::Background } else { WakeSort::Foreground };
        self.rt.sandbox_failures = self.rt.sandbox_failures.saturating_add(1);
        self.rt.waits_for_config = true;
        self.rt.synced.failed = true;
        self.rt.retry = Some(Retry { at: later(self.now, timings::SYNC_RETRY), sort });
    }
}
