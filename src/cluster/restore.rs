//! A cluster that begins with objects of another one, as they are: with their uids, their status and their owners.
//! Everything else of a control plane follows from its objects, so nothing else is taken over (etcd's snapshots have no
//! more either). What the components of the new cluster make of the objects are its first steps.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;

use super::command::Search;
use super::process::Process;
use super::{Cluster, Config, Fault};
use crate::api::types::Node;
use crate::api::{Kind, Object};
use crate::apimachinery::{Body, Request, Verb};

/// The components that keep records of other objects which `kubectl get all` does not print. In the cluster that the
/// objects come from these records were there, so they are written before the first step.
const RECORDERS: [&str; 6] = [
    "endpoints-controller",
    "endpointslice-controller",
    "endpointslice-mirroring-controller",
    "ipallocator-repair-controller",
    "root-ca-certificate-publisher-controller",
    "serviceaccount-controller",
];

/// The components whose records of templates (ControllerRevisions) `kubectl get all` does not print. The rest of what
/// they do is theirs.
const KEEPERS_OF_HISTORY: [&str; 2] = ["daemonset-controller", "statefulset-controller"];

/// The most commands of one recorder.
const RECORDS_LIMIT: usize = 20_000;

/// An object that could not be restored: its kind, its name, and why.
pub type NotRestored = (String, String, String);

impl Cluster {
    /// Restores objects, given as JSON. Those without a uid are created as by a client. Nodes get a kubelet, which finds the
    /// containers of its pods as the pods' status says; the kubelet of a node whose `Ready` condition is `Unknown` is not
    /// running. An object of this cluster whose uid is that of another one among them gets a new uid. Returns what could not be
    /// restored.
    pub fn restore(&mut self, config: &Config, objects: &[Value]) -> Vec<NotRestored> {
        let mut refused = Vec::new();
        let mut uids = BTreeSet::new();
        let (objects, again): (Vec<&Value>, Vec<&Value>) = objects.iter().partition(|value| {
            let uid = text(value, "/metadata/uid");
            uid.is_empty() || uids.insert(uid)
        });
        let has_its_uid = |value: &&Value| {
            let why = format!("metadata.uid: Duplicate value: {}", text(value, "/metadata/uid"));
            (text(value, "/kind").to_owned(), text(value, "/metadata/name").to_owned(), why)
        };
        refused.extend(again.iter().map(has_its_uid));
        self.make_room_for_uids(&objects);
        let first = |value: &Value| {
            let kind = value.get("kind").and_then(Value::as_str).unwrap_or_default();
            ["Namespace", "Node", "CustomResourceDefinition"].contains(&kind)
        };
        for value in objects.iter().copied().filter(|v| first(v)) {
            self.restore_one(value, &mut refused);
        }
        let nodes = self.api().cached_list(Kind::NODE, None);
        let nodes: Vec<Rc<Node>> = nodes.filter_map(|(_, o)| o.get::<Node>().cloned()).collect();
        for node in &nodes {
            let name: Rc<str> = node.metadata.name.as_deref().unwrap_or_default().into();
            if !self.processes().any(|p| p.node.as_ref() == Some(&name)) {
                self.add_process(Process::new("kubelet", Some(name.clone()), (config.kubelet)(&name)));
            }
        }
        // If the components never settle, steps of the cluster will show that.
        let _ = self.settle();
        for value in objects.iter().copied().filter(|v| !first(v)) {
            self.restore_one(value, &mut refused);
        }
        self.adopt_mirror_pods();
        self.find_callers();
        self.write_records();
        for node in nodes.iter().filter(|n| is_lost(n)) {
            let node = node.metadata.name.clone().unwrap_or_default();
            // The node is there, so its kubelet can be stopped.
            let _ = self.fault(&Fault::NodeDown { node: node.as_str().into() });
        }
        self.turn = Default::default();
        self.due = Default::default();
        refused
    }

    /// Gives other uids to those objects of this cluster that have the uid of another object which is to be restored.
    fn make_room_for_uids(&mut self, objects: &[&Value]) {
        let mut given: BTreeMap<String, &Value> =
            objects.iter().map(|object| (text(object, "/metadata/uid").to_owned(), *object)).collect();
        given.remove("");
        self.api.reserve_uids(given.keys().cloned());
        let is_same = |object: &Object, value: &Value| {
            let (kind, name) = (text(value, "/kind"), text(value, "/metadata/name"));
            let namespace = text(value, "/metadata/namespace");
            object.kind().as_str() == kind && object.name() == name && object.namespace() == namespace
        };
        let others = self.api.etcd().iter().map(|(_, record)| &record.object);
        let taken = others.filter(|o| given.get(o.uid()).is_some_and(|value| !is_same(o, value)));
        for object in taken.cloned().collect::<Vec<_>>() {
            let mut value = object.to_value();
            if let Some(meta) = value.get_mut("metadata").and_then(Value::as_object_mut) {
                meta.remove("uid");
            }
            // What is in the store can be decoded.
            let _ = self.api.restore(object.kind(), value);
        }
    }

    fn restore_one(&mut self, value: &Value, refused: &mut Vec<NotRestored>) {
        self.api.set_now(self.clock.now());
        let text = |path: &str| text(value, path).to_owned();
        let (api_version, kind, name) = (text("/apiVersion"), text("/kind"), text("/metadata/name"));
        let Some(of) = self.api.kind_of(&api_version, &kind) else {
            let why = format!("no kind {kind:?} in version {api_version:?}");
            return refused.push((kind, name, why));
        };
        let done = if text("/metadata/uid").is_empty() {
            self.create_given(of, value)
        } else if name.is_empty() {
            Err("metadata.name: Required value: name is required".to_owned())
        } else if of.namespaced() && text("/metadata/namespace").is_empty() {
            Err("metadata.namespace: Required value".to_owned())
        } else {
            self.api.restore(of, value.clone()).map_err(|status| status.message)
        };
        self.wake();
        self.api.take_writes();
        if let Err(why) = done {
            refused.push((kind, name, why));
        }
    }

    fn create_given(&mut self, kind: Kind, value: &Value) -> Result<(), String> {
        let object = Object::from_value(kind, value.clone()).map_err(|e| e.to_string())?;
        let request = Request::new(&"kubectl".into(), Verb::Create, kind, object.key());
        match self.request(&request.body(Body::Object(object))).0 {
            crate::apimachinery::Response::Failure(status) => Err(status.message),
            _ => Ok(()),
        }
    }

    /// Lets the recorders write what they would write without time passing.
    fn write_records(&mut self) {
        for actor in self.actors().collect::<Vec<_>>() {
            let Some(name) = self.actor_name(actor) else { continue };
            let history = KEEPERS_OF_HISTORY.contains(&&*name);
            if !history && !RECORDERS.contains(&&*name) {
                continue;
            }
            for _ in 0..RECORDS_LIMIT {
                let mut next = self.clone();
                let Ok(command) = next.find(Search::new(Some(actor))) else { break };
                if next.now() != self.now() || (history && command.request.kind != Kind::CONTROLLER_REVISION)
                {
                    break;
                }
                *self = next;
            }
        }
    }
}

/// A text at a path; empty if there is none.
fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// Whether the control plane has not heard of a node for long.
fn is_lost(node: &Node) -> bool {
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    conditions.iter().any(|c| c.type_ == "Ready" && c.status == "Unknown")
}
