//! The graph of objects and their owners, as the informers deliver them (`graph.go` and `graph_builder.go`).

use std::rc::Rc;

use imbl::shared_ptr::RcK;

use super::Task;
use crate::api::persistent::{Map, Vector};
use crate::api::types::OwnerReference;
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{FINALIZER_FOREGROUND, FINALIZER_ORPHAN};
use crate::client::Kinds;

/// How many owners that do not exist are remembered.
const ABSENT_OWNERS: usize = 500;

/// A set whose clones share their content.
type Set<T> = imbl::GenericOrdSet<T, RcK>;

/// The coordinates of an object in references: kind, namespace, name and uid.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The object's kind.
    pub kind: Kind,
    /// The object's namespace and name.
    pub key: Key,
    /// The object's uid.
    pub uid: Rc<str>,
}

impl Identity {
    fn of(object: &Object) -> Identity {
        Identity { kind: object.kind(), key: object.key(), uid: object.uid().into() }
    }

    /// What a reference in an object of this namespace means, if its kind is built in or one of `custom`; `None` if the
    /// API server does not serve such a kind.
    fn of_owner(reference: &OwnerReference, namespace: &str, custom: &[Kind]) -> Option<Identity> {
        let group = || reference.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let is = |k: &&Kind| k.as_str() == reference.kind && k.group() == group();
        let built_in = Kind::of(&reference.api_version, &reference.kind).map(Kind::stored);
        let kind = built_in.or_else(|| custom.iter().find(is).copied())?;
        let namespace = if kind.namespaced() { namespace } else { "" };
        Some(Identity { kind, key: Key::new(namespace, &reference.name), uid: reference.uid.as_str().into() })
    }

    /// The object's kind, namespace and name.
    pub fn reference(&self) -> ObjectRef {
        ObjectRef { kind: self.kind, key: self.key.clone() }
    }
}

/// An object in the graph.
#[derive(Clone, Debug)]
pub struct ObjectNode {
    /// The object's coordinates.
    pub identity: Identity,
    /// The object's owner references.
    pub owners: Vec<OwnerReference>,
    /// The uids of the objects that name this one as an owner.
    pub dependents: Set<Rc<str>>,
    /// Whether the object is being deleted in the foreground and waits for its dependents.
    pub deleting_dependents: bool,
    /// Whether the object has a `deletionTimestamp`.
    pub being_deleted: bool,
    /// Whether an informer has delivered the object. A node that was only named as an owner is virtual.
    pub observed: bool,
}

impl ObjectNode {
    fn namespace(&self) -> &str {
        &self.identity.key.namespace
    }
}

/// All objects with their owners. Clones share their content.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Map<Rc<str>, Rc<ObjectNode>>,
    // Objects that the API server did not have when asked (`absentOwnerCache`).
    absent: Set<Identity>,
    absent_in_order: Vector<Identity>,
    /// The custom kinds that are served.
    custom: Kinds,
    /// Custom kinds that were served. A reference to one of them still tells an owner that is known to be absent.
    earlier: Kinds,
}

impl Default for Graph {
    fn default() -> Graph {
        let (nodes, absent) = (Map::new(), Set::new());
        let (absent_in_order, custom, earlier) = (Vector::new(), Rc::new([]) as Kinds, Rc::new([]));
        Graph { nodes, absent, absent_in_order, custom, earlier }
    }
}

impl Graph {
    /// A node, by its uid.
    pub fn get(&self, uid: &str) -> Option<&Rc<ObjectNode>> {
        self.nodes.get(uid)
    }

    /// The object that an owner reference means, in an object of this namespace; `None` if the API server
    /// never served its kind.
    pub fn owner(&self, reference: &OwnerReference, namespace: &str) -> Option<Identity> {
        let of = |custom| Identity::of_owner(reference, namespace, custom);
        of(&self.custom).or_else(|| of(&self.earlier))
    }

    /// Whether the API server serves a kind.
    pub fn is_served(&self, kind: Kind) -> bool {
        !kind.is_custom() || self.custom.contains(&kind)
    }

    /// Other custom kinds are served than before. References to new ones mean something now; of those that went, no
    /// objects are left.
    pub fn set_custom_kinds(&mut self, custom: Kinds, tasks: &mut Vec<Task>) {
        let before = std::mem::replace(&mut self.custom, custom);
        let known: Vec<Kind> = self.earlier.iter().chain(before.iter()).copied().collect();
        self.earlier = known.iter().copied().filter(|k| !self.custom.contains(k)).collect();
        let gone = |kind: Kind| before.contains(&kind) && !self.custom.contains(&kind);
        let gone: Vec<Identity> =
            self.nodes.values().map(|n| &n.identity).filter(|i| gone(i.kind)).cloned().collect();
        for identity in gone {
            self.remove(&identity, tasks);
        }
        let mut found = Vec::new();
        for node in self.nodes.values() {
            let kind = node.identity.kind;
            if !node.observed && self.custom.contains(&kind) && !before.contains(&kind) {
                tasks.push(Task::AttemptToDelete(node.identity.uid.clone()));
            }
            let is_new = |o: &OwnerReference| {
                Identity::of_owner(o, node.namespace(), &known).is_none()
                    && self.owner(o, node.namespace()).is_some()
            };
            let owners: Vec<OwnerReference> = node.owners.iter().filter(|o| is_new(o)).cloned().collect();
            if !owners.is_empty() {
                found.push((node.identity.uid.clone(), owners));
            }
        }
        for (uid, owners) in found {
            self.add_to_owners(&uid, &owners, tasks);
        }
    }

    /// The number of nodes, virtual ones included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the graph has no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes of the objects that name this one as an owner.
    pub fn dependents<'a>(&'a self, node: &'a ObjectNode) -> impl Iterator<Item = &'a Rc<ObjectNode>> + 'a {
        node.dependents.iter().filter_map(|uid| self.nodes.get(uid))
    }

    /// The dependents that delay the deletion of a node (`blockOwnerDeletion`).
    pub fn blocking_dependents<'a>(
        &'a self,
        node: &'a ObjectNode,
    ) -> impl Iterator<Item = &'a Rc<ObjectNode>> + 'a {
        self.dependents(node).filter(|d| {
            let blocks = |o: &OwnerReference| o.uid == *node.identity.uid && is_blocking(o);
            d.owners.iter().any(blocks)
        })
    }

    /// Whether an owner is remembered as not existing.
    pub fn is_absent(&self, owner: &Identity) -> bool {
        self.absent.contains(owner)
    }

    /// Remembers that an owner does not exist. The oldest entry beyond `ABSENT_OWNERS` is dropped.
    pub fn add_absent(&mut self, owner: Identity) {
        if self.absent.insert(owner.clone()).is_some() {
            return;
        }
        self.absent_in_order.push_back(owner);
        if self.absent_in_order.len() > ABSENT_OWNERS
            && let Some(oldest) = self.absent_in_order.pop_front()
        {
            self.absent.remove(&oldest);
        }
    }

    fn edit(&mut self, uid: &str, change: impl FnOnce(&mut ObjectNode)) {
        if let Some(node) = self.nodes.get_mut(uid) {
            change(Rc::make_mut(node));
        }
    }

    /// An informer has delivered an object: updates the graph, and pushes the tasks that follow to `tasks`.
    pub fn observe(&mut self, old: Option<&Object>, new: &Object, tasks: &mut Vec<Task>) {
        if old.is_some_and(|o| is_same(o, new)) {
            return;
        }
        let meta = new.meta();
        let identity = Identity::of(new);
        let uid = identity.uid.clone();
        let foreground = meta.is_deleting() && meta.has_finalizer(FINALIZER_FOREGROUND);
        match self.nodes.get(&uid).cloned() {
            None => {
                let node = ObjectNode {
                    identity,
                    owners: meta.owners().to_vec(),
                    dependents: Set::new(),
                    deleting_dependents: foreground,
                    being_deleted: meta.is_deleting(),
                    observed: true,
                };
                self.nodes.insert(uid.clone(), Rc::new(node));
                self.add_to_owners(&uid, meta.owners(), tasks);
            }
            Some(node) => {
                if !node.observed {
                    self.replace_virtual(&node, identity, tasks);
                }
                self.update_owners(&node, meta.owners(), tasks);
                if meta.is_deleting() {
                    self.edit(&uid, |n| n.being_deleted = true);
                }
            }
        }
        self.process_transitions(&uid, old, new, tasks);
    }

    /// An informer has delivered an object that was a virtual node.
    fn replace_virtual(&mut self, node: &ObjectNode, seen: Identity, tasks: &mut Vec<Task>) {
        if node.identity != seen {
            let (_, others) = self.partition_dependents(node, &seen);
            for dependent in others {
                self.report_invalid_namespace(&dependent, &seen, tasks);
                tasks.push(Task::AttemptToDelete(dependent.identity.uid.clone()));
            }
        }
        self.edit(&node.identity.uid, |n| {
            n.identity = seen;
            n.observed = true;
        });
    }

    fn update_owners(&mut self, node: &ObjectNode, owners: &[OwnerReference], tasks: &mut Vec<Task>) {
        if node.owners == owners {
            return;
        }
        let uid = &node.identity.uid;
        let find = |list: &[OwnerReference], uid: &str| list.iter().find(|o| o.uid == uid).cloned();
        for before in node.owners.iter().filter(|o| is_blocking(o)) {
            // The object has blocked the deletion of this owner and does not block it any more.
            let unblocked = find(owners, &before.uid).is_none_or(|o| !is_blocking(&o));
            if unblocked && self.nodes.contains_key(&*before.uid) {
                tasks.push(Task::AttemptToDelete(before.uid.as_str().into()));
            }
        }
        self.edit(uid, |n| n.owners = owners.to_vec());
        let added: Vec<OwnerReference> =
            owners.iter().filter(|o| find(&node.owners, &o.uid).is_none()).cloned().collect();
        self.add_to_owners(uid, &added, tasks);
        for removed in node.owners.iter().filter(|o| find(owners, &o.uid).is_none()) {
            self.edit(&removed.uid, |n| {
                n.dependents.remove(uid);
            });
        }
    }

    /// Adds a node as a dependent to its owners. An owner that no informer has delivered becomes a virtual
    /// node, and a task checks whether it exists (`addDependentToOwners`).
    fn add_to_owners(&mut self, uid: &Rc<str>, owners: &[OwnerReference], tasks: &mut Vec<Task>) {
        let Some(node) = self.nodes.get(uid).cloned() else { return };
        let mut doubtful = false;
        for owner in owners {
            let Some(identity) = self.owner(owner, node.namespace()) else { continue };
            match self.nodes.get_mut(&identity.uid) {
                None => {
                    let virtual_node = ObjectNode {
                        owners: Vec::new(),
                        dependents: Set::unit(uid.clone()),
                        deleting_dependents: false,
                        being_deleted: false,
                        observed: false,
                        identity,
                    };
                    tasks.push(Task::AttemptToDelete(virtual_node.identity.uid.clone()));
                    self.nodes.insert(virtual_node.identity.uid.clone(), Rc::new(virtual_node));
                }
                Some(found) => {
                    let found = Rc::make_mut(found);
                    found.dependents.insert(uid.clone());
                    if found.identity != identity {
                        let seen = found.observed.then(|| found.identity.clone());
                        if let Some(seen) = seen {
                            self.report_invalid_namespace(&node, &seen, tasks);
                        }
                        doubtful = true;
                    }
                }
            }
        }
        if doubtful {
            tasks.push(Task::AttemptToDelete(uid.clone()));
        }
    }

    /// Pushes a task that records an event: the owner is in another namespace.
    fn report_invalid_namespace(&self, dependent: &ObjectNode, owner: &Identity, tasks: &mut Vec<Task>) {
        let other = owner.kind.namespaced() && owner.key.namespace != dependent.identity.key.namespace;
        if other {
            let (dependent, owner) = (dependent.identity.uid.clone(), owner.uid.clone());
            tasks.push(Task::OwnerRefInvalidNamespace { dependent, owner });
        }
    }

    /// Pushes the tasks for an object whose deletion has begun with a finalizer of the garbage collector.
    fn process_transitions(
        &mut self,
        uid: &Rc<str>,
        old: Option<&Object>,
        new: &Object,
        tasks: &mut Vec<Task>,
    ) {
        let starts = |finalizer: &str| {
            let has = |o: &Object| o.meta().is_deleting() && o.meta().has_finalizer(finalizer);
            has(new) && !old.is_some_and(has)
        };
        if starts(FINALIZER_ORPHAN) {
            tasks.push(Task::AttemptToOrphan(uid.clone()));
            return;
        }
        if starts(FINALIZER_FOREGROUND) {
            self.edit(uid, |n| n.deleting_dependents = true);
            if let Some(node) = self.nodes.get(uid) {
                tasks.extend(node.dependents.iter().map(|d| Task::AttemptToDelete(d.clone())));
            }
            tasks.push(Task::AttemptToDelete(uid.clone()));
        }
    }

    /// Removes the node of an object that does not exist: its dependents may have to be deleted, and its
    /// owners may have waited for it.
    pub fn remove(&mut self, identity: &Identity, tasks: &mut Vec<Task>) {
        let Some(node) = self.nodes.remove(&identity.uid) else { return };
        for owner in &node.owners {
            self.edit(&owner.uid, |n| {
                n.dependents.remove(&identity.uid);
            });
        }
        if !node.dependents.is_empty() {
            self.add_absent(identity.clone());
        }
        tasks.extend(node.dependents.iter().map(|d| Task::AttemptToDelete(d.clone())));
        for owner in &node.owners {
            if self.nodes.get(&*owner.uid).is_some_and(|n| n.deleting_dependents) {
                tasks.push(Task::AttemptToDelete(owner.uid.as_str().into()));
            }
        }
    }

    /// An informer has delivered the deletion of an object.
    pub fn observe_deletion(&mut self, object: &Object, tasks: &mut Vec<Task>) {
        self.remove(&Identity::of(object), tasks);
    }

    /// The API server does not have an object with these coordinates (a virtual delete event).
    pub fn virtual_delete(&mut self, gone: &Identity, tasks: &mut Vec<Task>) {
        let Some(node) = self.nodes.get(&gone.uid).cloned() else { return };
        let (matching, others) = self.partition_dependents(&node, gone);
        let settled = if node.observed { node.identity == *gone } else { others.is_empty() };
        if settled {
            return self.remove(gone, tasks);
        }
        // Dependents name different objects with the same uid. Only those that name the missing one are to
        // be deleted.
        if !matching.is_empty() {
            self.add_absent(gone.clone());
            tasks.extend(matching.iter().map(|d| Task::AttemptToDelete(d.identity.uid.clone())));
        }
        if !node.observed
            && node.identity == *gone
            && let Some(other) = self.alternate_identity(&others, gone)
        {
            self.edit(&gone.uid, |n| n.identity = other);
            tasks.push(Task::AttemptToDelete(gone.uid.clone()));
        }
    }

    /// The dependents that name this owner, and those that name another object with the same uid. A
    /// dependent can be in both.
    fn partition_dependents(
        &self,
        node: &ObjectNode,
        owner: &Identity,
    ) -> (Vec<Rc<ObjectNode>>, Vec<Rc<ObjectNode>>) {
        let (mut matching, mut others) = (Vec::new(), Vec::new());
        for dependent in self.dependents(node) {
            let meant = |o: &&OwnerReference| o.uid == *owner.uid;
            let means = |o: &OwnerReference| self.owner(o, dependent.namespace()).as_ref() == Some(owner);
            if dependent.owners.iter().filter(meant).any(means) {
                matching.push(dependent.clone());
            }
            if dependent.owners.iter().filter(meant).any(|o| !means(o)) {
                others.push(dependent.clone());
            }
        }
        (matching, others)
    }

    /// Other coordinates under which dependents name this uid: the next ones after `gone`, or else the first
    /// ones.
    fn alternate_identity(&self, dependents: &[Rc<ObjectNode>], gone: &Identity) -> Option<Identity> {
        let all: Set<Identity> = dependents
            .iter()
            .flat_map(|d| d.owners.iter().filter_map(|o| self.owner(o, d.namespace())))
            .filter(|i| i.uid == gone.uid && i != gone)
            .collect();
        all.iter().find(|i| *i > gone).or_else(|| all.get_min()).cloned()
    }
}

fn is_blocking(owner: &OwnerReference) -> bool {
    owner.block_owner_deletion == Some(true)
}

/// Whether two versions of an object are equal for the graph, as they are in most updates.
fn is_same(old: &Object, new: &Object) -> bool {
    let (o, n) = (old.meta(), new.meta());
    let is_same = || {
        o.uid == n.uid
            && o.owner_references == n.owner_references
            && o.deletion_timestamp.is_some() == n.deletion_timestamp.is_some()
            && o.finalizers == n.finalizers
    };
    // The versions of a pod mostly share their metadata.
    std::ptr::eq(o, n) || is_same()
}
