//! What the controller remembers: the desired state of the world, the actual state of the world
//! (`attachdetach/cache`), and the operations under way (`nestedpendingoperations`).

use std::rc::Rc;

use jiff::SignedDuration;

use super::node;
use crate::api::persistent::Map;
use crate::api::types::{Node, Pod};
use crate::api::{MetaExt, Timestamp, csi, later};
use crate::client::Memory;

/// The first delay after an operation that failed (`initialDurationBeforeRetry`).
const FIRST_DELAY: SignedDuration = SignedDuration::from_millis(500);
/// The longest delay after an operation that failed (`maxDurationBeforeRetry`).
const LONGEST_DELAY: SignedDuration = SignedDuration::from_secs(122);

/// The unique name of a volume and the name of a node.
pub(super) type Pair = (Rc<str>, Rc<str>);

/// What the controller remembers between syncs.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Whether the actual state was read from Nodes and VolumeAttachments after the start.
    pub(super) populated: bool,
    /// The nodes whose volumes the controller attaches, each with whether volumes of terminated pods stay attached.
    pub(super) managed: Map<Rc<str>, bool>,
    /// The desired state of the world: which volumes pods need on which node.
    pub(super) desired: Map<Pair, Wanted>,
    /// The actual state of the world: which volumes are, or may be, attached to which node.
    pub(super) actual: Map<Pair, Attached>,
    /// The operations under way or to be retried, by volume; volumes that can be attached to several nodes at a time have
    /// one for each node, the others one with an empty node.
    pub(super) operations: Map<Pair, Operation>,
    /// The nodes whose `status.volumesAttached` is to be written.
    pub(super) unreported: Map<Rc<str>, ()>,
}

/// A CSI volume, as far as the controller needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spec {
    /// The name of the PersistentVolume.
    pub(super) volume: Rc<str>,
    /// Whether it may be attached to several nodes at the same time.
    pub(super) multi_attach: bool,
}

/// A volume that pods need on a node.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) spec: Spec,
    /// The pods, by uid.
    pub(super) pods: Map<Rc<str>, Rc<Pod>>,
    /// Whether the event that it is attached to another node was recorded.
    pub(super) multi_attach_reported: bool,
}

/// A volume that is, or may be, attached to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attached {
    /// The volume; `None` if it is only known from a Node's status.
    pub(super) spec: Option<Spec>,
    /// Whether an operation said so. If not, the state is uncertain.
    pub(super) confirmed: bool,
    /// Whether the node's kubelet may have mounted it.
    pub(super) mounted: bool,
    /// Whether it belongs to `status.volumesAttached` of the node.
    pub(super) report: bool,
    /// When no pod needed it any more; `None` as long as one does.
    pub(super) detach_requested: Option<Timestamp>,
}

/// An attach or detach operation of a volume.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    /// What is under way; `None` if the last attempt failed and the next one waits for its time.
    pub(super) doing: Option<Doing>,
    /// How many attempts in a row have failed.
    pub(super) failures: u32,
    /// When it may be tried again after a failure.
    pub(super) retry: Option<Timestamp>,
}

/// An operation that waits for a VolumeAttachment to change.
#[derive(Clone, Debug)]
pub(super) struct Doing {
    pub(super) detach: bool,
    pub(super) node: Rc<str>,
    /// When it fails with a timeout.
    pub(super) until: Timestamp,
    /// Whether its VolumeAttachment was deleted since the operation began.
    pub(super) deleted: bool,
    /// The pods that needed the volume when an attach operation began.
    pub(super) pods: Vec<Rc<Pod>>,
    pub(super) spec: Option<Spec>,
}

impl Operation {
    /// An operation that begins, after the failures of the one before it.
    pub(super) fn begin(before: Option<&Operation>, doing: Doing) -> Operation {
        Operation { doing: Some(doing), failures: before.map_or(0, |o| o.failures), retry: None }
    }

    /// The state of the volume's operations after this one has failed: the next attempt waits twice as long, from
    /// `FIRST_DELAY` up to `LONGEST_DELAY`.
    pub(super) fn failed(&self, now: Timestamp) -> Operation {
        let delay = FIRST_DELAY.saturating_mul(1 << self.failures.min(10)).min(LONGEST_DELAY);
        Operation { doing: None, failures: self.failures.saturating_add(1), retry: Some(later(now, delay)) }
    }

    /// When the operation goes on without a change of its VolumeAttachment, and whether that can show something new. A
    /// second failure does not, so a cluster whose driver has no attacher becomes steady.
    pub(super) fn next(&self) -> Option<(Timestamp, bool)> {
        let timeout = self.doing.as_ref().map(|d| (d.until, self.failures == 0));
        timeout.or(self.retry.map(|at| (at, self.failures <= 1)))
    }

    /// Whether another operation has to wait for this one.
    pub(super) fn blocks(&self, now: Timestamp) -> bool {
        self.doing.is_some() || self.retry.is_some_and(|at| at > now)
    }
}

impl State {
    /// The key of the operations of a volume on a node.
    pub(super) fn operation_key(pair: &Pair, spec: Option<&Spec>) -> Pair {
        let several = spec.is_none_or(|s| s.multi_attach);
        (pair.0.clone(), if several { pair.1.clone() } else { Rc::from("") })
    }

    /// Notes that the VolumeAttachment of a volume on a node was deleted, if an operation waits for it.
    pub(super) fn note_deleted(&mut self, volume: &Rc<str>, node: &str) {
        let here = |o: &Operation| o.doing.as_ref().is_some_and(|d| *d.node == *node);
        let found = State::of(&self.operations, volume).find(|(_, o)| here(o)).map(|(key, _)| key.clone());
        if let Some(doing) =
            found.and_then(|key| self.operations.get_mut(&key)).and_then(|o| o.doing.as_mut())
        {
            doing.deleted = true;
        }
    }

    /// The entries of a volume in a map by volume and node.
    pub(super) fn of<'a, T>(
        map: &'a Map<Pair, T>,
        volume: &Rc<str>,
    ) -> impl Iterator<Item = (&'a Pair, &'a T)> {
        let name = volume.clone();
        map.range((volume.clone(), Rc::from(""))..).take_while(move |((v, _), _)| *v == name)
    }

    /// Adds a pod that needs volumes on its node. The result is whether anything was new.
    pub(super) fn add_pod(&mut self, pod: &Rc<Pod>, node: &Rc<str>, volumes: Vec<(Rc<str>, Spec)>) -> bool {
        let mut new = false;
        let uid: Rc<str> = pod.metadata.uid().into();
        for (name, spec) in volumes {
            let pair = (name, node.clone());
            let mut wanted = self.desired.get(&pair).cloned().unwrap_or_else(|| Wanted {
                spec: spec.clone(),
                pods: Map::default(),
                multi_attach_reported: false,
            });
            wanted.spec = spec;
            new |= wanted.pods.insert(uid.clone(), pod.clone()).is_none();
            self.desired.insert(pair, wanted);
        }
        new
    }

    /// Removes a pod. The result is the volumes that it needed.
    pub(super) fn remove_pod(&mut self, pod: &Pod) -> Vec<Rc<str>> {
        let uid = pod.metadata.uid();
        let needed = |w: &Wanted| w.pods.contains_key(uid);
        let pairs: Vec<Pair> =
            self.desired.iter().filter(|(_, w)| needed(w)).map(|(p, _)| p.clone()).collect();
        for pair in &pairs {
            let Some(wanted) = self.desired.get_mut(pair) else { continue };
            wanted.pods.remove(uid);
            if wanted.pods.is_empty() {
                self.desired.remove(pair);
            }
        }
        pairs.into_iter().map(|(volume, _)| volume).collect()
    }

    /// Notes that a volume is attached. Its kubelet may mount it from now on.
    pub(super) fn mark_attached(&mut self, pair: Pair, spec: Option<Spec>) {
        self.unreported.insert(pair.1.clone(), ());
        let known = self.actual.get(&pair).and_then(|a| a.spec.clone());
        self.actual.insert(
            pair,
            Attached {
                spec: spec.or(known),
                confirmed: true,
                mounted: true,
                report: true,
                detach_requested: None,
            },
        );
    }

    /// Notes that an operation failed, so that nobody knows whether a volume is attached.
    pub(super) fn mark_uncertain(&mut self, pair: Pair, spec: Option<Spec>) {
        match self.actual.get_mut(&pair) {
            Some(known) => known.confirmed = false,
            None => {
                let new =
                    Attached { spec, confirmed: false, mounted: true, report: false, detach_requested: None };
                self.actual.insert(pair, new);
            }
        }
    }

    /// Takes over which volumes a node's kubelet says are mounted (`SetVolumesMountedByNode`). The result is the volumes
    /// for which that has changed.
    pub(super) fn set_mounted(&mut self, name: &Rc<str>, node: &Node) -> Vec<Rc<str>> {
        let used = node::volumes_in_use(node);
        let mut changed = Vec::new();
        let here: Vec<Pair> = self.actual.keys().filter(|(_, n)| n == name).cloned().collect();
        for pair in here {
            let mounted = used.iter().any(|v| **v == *pair.0);
            if let Some(attached) = self.actual.get_mut(&pair).filter(|a| a.mounted != mounted) {
                attached.mounted = mounted;
                changed.push(pair.0);
            }
        }
        changed
    }

    /// The volumes that are reported as attached to a node, in the order of their names.
    pub(super) fn reported_on(&self, node: &str) -> Vec<Rc<str>> {
        let here = self.actual.iter().filter(|((_, n), a)| **n == *node && a.report);
        here.map(|((volume, _), _)| volume.clone()).collect()
    }
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let name = |volume: &Rc<str>, spec: Option<&Spec>| match (spec, csi::parts(volume)) {
            (Some(spec), _) => spec.volume.to_string(),
            (None, Some((_, handle))) => handle.to_owned(),
            (None, None) => volume.to_string(),
        };
        let managed =
            self.managed.iter().map(|(node, keep)| format!("attaches volumes of {node}, keeps them {keep}"));
        let desired = self.desired.iter().map(|((volume, node), w)| {
            let pods: Vec<String> = w.pods.values().map(|p| p.metadata.key().to_string()).collect();
            let reported = if w.multi_attach_reported { ", has said that it is elsewhere" } else { "" };
            format!("wants {} on {node} for {}{reported}", name(volume, Some(&w.spec)), pods.join(" "))
        });
        let actual = self.actual.iter().map(|((volume, node), a)| {
            let waits = a.detach_requested.map(|at| now.duration_since(at).as_millis());
            let state = if a.confirmed { "attached" } else { "perhaps attached" };
            format!(
                "knows {} as {state} to {node}, mounted {}, reported {}, unneeded for {waits:?} ms",
                name(volume, a.spec.as_ref()),
                a.mounted,
                a.report
            )
        });
        let operations = self.operations.iter().map(|((volume, _), o)| {
            let what = o.doing.as_ref().map(|d| {
                let left = d.until.duration_since(now).as_millis();
                let verb = if d.detach { "detached from" } else { "attached to" };
                let deleted = if d.deleted { ", has seen its attachment go" } else { "" };
                format!("waits until it is {verb} {}, {left} ms at most{deleted}", d.node)
            });
            let retry = o.retry.map(|at| format!("tries again in {} ms", at.duration_since(now).as_millis()));
            let state = what.or(retry).unwrap_or_default();
            format!("{} {state}, failed {} times", name(volume, None), o.failures)
        });
        let unreported = self.unreported.keys().map(|node| format!("has to report the volumes of {node}"));
        managed.chain(desired).chain(actual).chain(operations).chain(unreported).collect()
    }
}
