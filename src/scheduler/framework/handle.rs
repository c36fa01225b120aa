//! What plugins may read, and answers that are kept for a cycle.

use std::rc::Rc;

use super::class::{Classes, PodClass};
use super::lister::{DeviceLister, NominatedPods, Nothing, VolumeLister, WorkloadLister};
use super::node_info::{ClassCount, NodeInfo};
use super::terms::NamespaceLister;

/// The nodes as a cycle sees them, in the order in which they are visited. [`NodeInfo::node`] is `Some` for
/// each.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// The nodes.
    pub nodes: &'a [Rc<NodeInfo>],
    /// The classes of the pods on these nodes. Without them results are the same, but slower.
    pub classes: Option<&'a Classes>,
}

impl<'a> Snapshot<'a> {
    /// A node by name.
    pub fn get(&self, name: &str) -> Option<&'a Rc<NodeInfo>> {
        self.nodes.iter().find(|n| &**n.name() == name)
    }
}

/// What plugins may read (`framework.Handle`).
#[derive(Clone, Copy)]
pub struct Handle<'a> {
    /// The nodes and the pods on them.
    pub snapshot: Snapshot<'a>,
    /// Claims, volumes and storage classes.
    pub volumes: &'a dyn VolumeLister,
    /// Claims for devices, and what there is of devices.
    pub devices: &'a dyn DeviceLister,
    /// Reads namespaces.
    pub namespaces: &'a dyn NamespaceLister,
    /// Reads Services and controllers.
    pub workloads: &'a dyn WorkloadLister,
    /// The pods that have a nominated node.
    pub nominated: &'a dyn NominatedPods,
}

impl<'a> Handle<'a> {
    /// A handle for a cluster that has only nodes and the pods on them.
    pub fn of_nodes(nodes: &'a [Rc<NodeInfo>]) -> Handle<'a> {
        Handle {
            snapshot: Snapshot { nodes, classes: None },
            volumes: &Nothing,
            devices: &Nothing,
            namespaces: &Nothing,
            workloads: &Nothing,
            nominated: &Nothing,
        }
    }
}

/// Remembers yes-or-no answers by a number, so that each question is answered only once.
#[derive(Clone, Debug, Default)]
pub struct Memo(Vec<(u128, bool)>);

impl Memo {
    /// The remembered answer for `id`, or that of `ask`, which is then remembered.
    pub fn get(&mut self, id: u128, ask: impl FnOnce() -> bool) -> bool {
        match self.0.binary_search_by(|(other, _)| other.cmp(&id)) {
            Ok(i) => self.0.get(i).is_some_and(|e| e.1),
            Err(i) => {
                let answer = ask();
                self.0.insert(i, (id, answer));
                answer
            }
        }
    }
}

/// Which classes of pods a selector matches, found out once for each cycle.
#[derive(Clone, Debug)]
pub enum ClassMemo {
    /// The ids of all matching classes, sorted.
    Complete(Vec<u128>),
    /// The snapshot has no classes: the answers so far.
    Seen(Memo),
}

impl ClassMemo {
    /// Applies `ask` to all classes of the snapshot, if it has them.
    pub fn new(h: &Handle<'_>, ask: impl Fn(&PodClass) -> bool) -> ClassMemo {
        match h.snapshot.classes {
            Some(all) => ClassMemo::Complete(all.iter().filter(|c| ask(c)).map(|c| c.id).collect()),
            None => ClassMemo::Seen(Memo::default()),
        }
    }

    /// Calls `each` with every matching class on a node. `ask` must be the function given to
    /// [`ClassMemo::new`].
    pub fn on_node(
        &mut self,
        node: &NodeInfo,
        ask: impl Fn(&PodClass) -> bool,
        mut each: impl FnMut(&ClassCount),
    ) {
        match self {
            ClassMemo::Complete(ids) => ids.iter().filter_map(|id| node.class(*id)).for_each(each),
            ClassMemo::Seen(memo) => {
                for c in node.classes() {
                    if memo.get(c.class.id, || ask(&c.class)) {
                        each(c);
                    }
                }
            }
        }
    }
}
