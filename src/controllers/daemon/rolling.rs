//! Replaces pods of old revisions, within the bounds of the update strategy (`rollingUpdate`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::controller_utils::is_available;
use super::SetSync;
use super::manage::Changes;
use crate::api::intstr::{Rounding, scaled_value};
use crate::api::quote::go_quote;
use crate::api::types::{IntOrString, Node, Pod};
use crate::api::{Key, MetaExt};
use crate::client::{Error, Result, Why};
use crate::controllers::history::Revisioned;

/// How many nodes a rolling update may work on at once.
struct Bounds {
    max_surge: usize,
    max_unavailable: usize,
    /// The number of nodes that shall have a pod.
    desired: usize,
}

/// The pods on a node that are not being deleted, if there is at most one of each.
struct OnNode {
    new: Option<Rc<Pod>>,
    old: Option<Rc<Pod>>,
}

impl SetSync<'_> {
    fn bound(
        &self,
        of: fn(&crate::api::types::RollingUpdateDaemonSet) -> Option<&IntOrString>,
    ) -> Option<IntOrString> {
        let strategy = self.set.spec.as_ref().and_then(|s| s.update_strategy.as_ref())?;
        let rolls = strategy.type_.as_deref() == Some("RollingUpdate");
        strategy.rolling_update.as_ref().filter(|_| rolls).and_then(of).cloned()
    }

    /// Whether a new pod may run beside an old one (`AllowsSurge`).
    pub(super) fn allows_surge(&self) -> bool {
        let surge = self.bound(|r| r.max_surge.as_ref());
        surge.is_some_and(|s| scaled_value(Some(&s), 1, Rounding::Up).is_ok_and(|n| n > 0))
    }

    /// The bounds of the update (`updatedDesiredNodeCounts`).
    fn bounds(&self, nodes: &[Rc<Node>]) -> Result<Bounds> {
        let desired = nodes.iter().filter(|n| self.daemon.fits(n).should_run).count();
        let total = i32::try_from(desired).unwrap_or(i32::MAX);
        let scaled = |value: Option<IntOrString>, name: &str| match value {
            None => Ok(0),
            Some(v) => scaled_value(Some(&v), total, Rounding::Up)
                .map(|n| usize::try_from(n).unwrap_or(0))
                .map_err(|e| {
                    Error::Other(format!("couldn't get unavailable numbers: invalid value for {name}: {e}"))
                }),
        };
        let mut max_unavailable = scaled(self.bound(|r| r.max_unavailable.as_ref()), "MaxUnavailable")?;
        let max_surge = scaled(self.bound(|r| r.max_surge.as_ref()), "MaxSurge")?;
        // With neither, nothing could ever be replaced.
        if desired > 0 && max_unavailable == 0 && max_surge == 0 {
            max_unavailable = 1;
        }
        Ok(Bounds { max_surge, max_unavailable, desired })
    }

    /// The new and the old pod on a node; `None` if there are several of either, which `manage` puts in order first
    /// (`findUpdatedPodsOnNode`).
    fn on_node(&self, pods: &[Rc<Pod>]) -> Option<OnNode> {
        let there = pods.iter().filter(|p| !p.metadata.is_deleting());
        let (new, old): (Vec<&Rc<Pod>>, Vec<&Rc<Pod>>) = there.partition(|p| self.is_updated(p));
        if new.len() > 1 || old.len() > 1 {
            return None;
        }
        Some(OnNode { new: new.first().map(|p| (*p).clone()), old: old.first().map(|p| (*p).clone()) })
    }

    fn available(&self, pod: &Pod) -> bool {
        is_available(pod, self.set.min_ready_seconds(), self.cx.now())
    }

    pub(super) async fn rolling_update(&self) -> Result {
        let nodes = self.nodes();
        let bounds = self.bounds(&nodes)?;
        // A node that shall have a pod and has none counts, too.
        let mut all: BTreeMap<&str, &[Rc<Pod>]> = BTreeMap::new();
        for node in nodes.iter().filter(|n| self.daemon.fits(n).should_run) {
            all.insert(node.metadata.name(), &[]);
        }
        for (node, pods) in &self.by_node {
            all.insert(node, pods);
        }
        let changes = match bounds.max_surge {
            0 => self.replace(&all, &bounds),
            _ => self.surge(&all, &bounds)?,
        };
        self.sync_nodes(changes).await
    }

    /// Without surge, old pods are deleted so that no more than `maxUnavailable` nodes have no available pod. New ones
    /// are created by `manage`.
    fn replace(&self, all: &BTreeMap<&str, &[Rc<Pod>]>, bounds: &Bounds) -> Changes {
        let mut unavailable = 0;
        let (mut allowed, mut candidates) = (Vec::new(), Vec::new());
        for (node, pods) in all {
            match self.on_node(pods) {
                Some(OnNode { new: Some(new), old: None }) => {
                    unavailable += usize::from(!self.available(&new));
                }
                Some(OnNode { new: None, old: Some(old) }) => {
                    let why = self.replaced(&old, node);
                    if !self.available(&old) {
                        allowed.push((old, why));
                        unavailable += 1;
                    } else if unavailable < bounds.max_unavailable {
                        candidates.push((old, why));
                    }
                }
                _ => unavailable += 1,
            }
        }
        candidates.truncate(bounds.max_unavailable.saturating_sub(unavailable));
        allowed.extend(candidates);
        Changes { create_on: Vec::new(), delete: allowed }
    }

    /// With surge, new pods are created beside available old ones on at most `maxSurge` nodes, and an old pod is
    /// deleted when the new one is available.
    fn surge(&self, all: &BTreeMap<&str, &[Rc<Pod>]>, bounds: &Bounds) -> Result<Changes> {
        let (mut surging, mut available) = (0, 0);
        let (mut allowed, mut candidates) = (Vec::new(), Vec::new());
        let (mut delete, mut not_wanted) = (Vec::new(), Vec::new());
        for (node, pods) in all {
            let Some(there) = self.on_node(pods) else {
                surging += 1;
                continue;
            };
            let counted = there.old.as_ref().or(there.new.as_ref());
            available += usize::from(counted.is_some_and(|p| self.available(p)));
            let Some(old) = there.old else { continue };
            match there.new {
                Some(new) if self.available(&new) => delete.push((old.clone(), self.replaced(&old, node))),
                Some(_) => surging += 1,
                None => {
                    let found = self.cx.lister::<Node>().get(&Key::new("", node)).cloned();
                    let found = found.ok_or_else(|| {
                        Error::Other(format!(
                            "couldn't get node for nodeName {node}: node {node} not found",
                            node = go_quote(node)
                        ))
                    })?;
                    let (stays, well) = (self.daemon.fits(&found).should_run, self.available(&old));
                    let why =
                        || Why::new("manage.not_wanted").with("pod", old.metadata.name()).with("node", node);
                    match (well, stays) {
                        (false, false) => delete.push((old.clone(), why())),
                        (false, true) => allowed.push((*node).to_owned()),
                        (true, false) => not_wanted.push((old.clone(), why())),
                        (true, true) if surging < bounds.max_surge => candidates.push((*node).to_owned()),
                        (true, true) => {}
                    }
                }
            }
        }
        // A pod on a node that shall have none any more goes when there are enough others.
        not_wanted.truncate(available.saturating_sub(bounds.desired));
        delete.extend(not_wanted);
        candidates.truncate(bounds.max_surge.saturating_sub(surging));
        allowed.extend(candidates);
        Ok(Changes { create_on: allowed, delete })
    }
}
