//! One kubelet and an API server: the kubelet's requests and events in virtual time. The expected timelines
//! are in `snapshots/`; `INSTA_UPDATE=always cargo test kubelet` updates them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod admission;
mod cpus;
mod ephemeral;
mod eviction;
mod image_gc;
mod lifecycle;
mod limits;
mod network_ready;
mod nodeshutdown;
mod oom;
mod pleg;
mod probes;
mod programs;
mod random;
mod resize;
mod static_pod_url;
mod static_pods;
mod stuck;
mod thresholds;
mod unit;
mod volumes;

use std::fmt::Write as _;
use std::rc::Rc;

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::api::types::{ContainerStatus, Event, Node, Pod};
use crate::api::{Key, Kind, Object, ObjectRef, Timestamp};
use crate::apimachinery::{Body, DeleteOptions, Patch, Request, Verb};
use crate::apiserver::Write;
use crate::cluster::{Actor, Cluster, Config};
use crate::kubelet::KubeletFault;

/// A cluster with one node, and the log of what happened.
pub(super) struct Lab {
    pub(super) cluster: Cluster,
    start: Timestamp,
    pub(super) log: String,
}

impl Lab {
    pub(super) fn new() -> Lab {
        let mut config = Config::nodes(1);
        config.controllers = Rc::new(Vec::new);
        config.scheduler = Rc::new(Vec::new);
        config.addons = Rc::new(Vec::new);
        config.addon_objects = Vec::new();
        let cluster = Cluster::new(&config);
        let start = cluster.now();
        Lab { cluster, start, log: String::new() }
    }

    /// The kubelet among the cluster's components.
    pub(super) const KUBELET: Actor = Actor { process: 2, component: 0 };

    pub(super) fn create(&mut self, kind: Kind, value: Value) -> &mut Self {
        let mut object = Object::from_value(kind, value).unwrap();
        object.meta_mut().namespace = kind.namespaced().then(|| "default".into());
        let request = Request::new(&"me".into(), Verb::Create, kind, object.key());
        let (response, _) = self.cluster.request(&request.body(Body::Object(object)));
        assert_eq!(response.code(), 201, "{response:?}");
        self
    }

    /// Creates a pod on the node, with the fields that the API server and the scheduler would set.
    pub(super) fn pod(&mut self, value: Value) -> &mut Self {
        self.named("p", value)
    }

    /// The same with another name.
    pub(super) fn named(&mut self, name: &str, mut value: Value) -> &mut Self {
        value["metadata"]["name"] = name.into();
        let spec = &mut value["spec"];
        spec["nodeName"] = "node-1".into();
        let mut default = |name: &str, v: Value| {
            if spec[name].is_null() {
                spec[name] = v;
            }
        };
        default("restartPolicy", "Always".into());
        default("terminationGracePeriodSeconds", 30.into());
        default("automountServiceAccountToken", false.into());
        for list in ["containers", "initContainers"] {
            for c in spec[list].as_array_mut().into_iter().flatten() {
                if c["image"].is_null() {
                    c["image"] = "team/app:1".into();
                }
                if c["imagePullPolicy"].is_null() {
                    c["imagePullPolicy"] = "IfNotPresent".into();
                }
            }
        }
        self.create(Kind::POD, value)
    }

    pub(super) fn say(&mut self, what: &str) -> &mut Self {
        let at = self.at(self.cluster.now());
        let _ = writeln!(self.log, "{at}-- {what}");
        self
    }

    pub(super) fn delete(&mut self, grace: Option<i64>) -> &mut Self {
        self.say("the pod is deleted");
        let options = DeleteOptions { grace_period_seconds: grace, ..Default::default() };
        let request = Request::new(&"me".into(), Verb::Delete, Kind::POD, Key::new("default", "p"));
        let (response, _) = self.cluster.request(&request.body(Body::Delete(options)));
        assert_eq!(response.code(), 200);
        self
    }

    /// Changes the stored pod.
    pub(super) fn edit(&mut self, what: &str, change: impl FnOnce(&mut Pod)) -> &mut Self {
        self.say(what);
        let mut pod = (*self.get()).clone();
        change(&mut pod);
        let object = Object::from(pod);
        let request = Request::new(&"me".into(), Verb::Update, Kind::POD, object.key());
        let (response, _) = self.cluster.request(&request.body(Body::Object(object)));
        assert_eq!(response.code(), 200, "{response:?}");
        self
    }

    /// Changes the annotations of the node.
    pub(super) fn annotate_node(&mut self, annotations: Value) -> &mut Self {
        self.say("the node is annotated");
        let change = Patch::Merge(json!({"metadata": {"annotations": annotations}}));
        let request = Request::new(&"me".into(), Verb::Patch, Kind::NODE, Key::new("", "node-1"));
        let (response, _) = self.cluster.request(&request.body(Body::Patch(change)));
        assert_eq!(response.code(), 200, "{response:?}");
        self
    }

    pub(super) fn fault(&mut self, what: &str, fault: KubeletFault) -> &mut Self {
        self.say(what);
        assert!(self.cluster.component_fault(Self::KUBELET, &fault));
        self
    }

    pub(super) fn get(&self) -> Rc<Pod> {
        self.pod_named("p")
    }

    /// The stored pod of this name.
    pub(super) fn pod_named(&self, name: &str) -> Rc<Pod> {
        let at = ObjectRef::new(Kind::POD, "default", name);
        self.cluster.api().etcd().get(&at).unwrap().object.get::<Pod>().unwrap().clone()
    }

    /// The phase of a pod, with its reason.
    pub(super) fn phase(&self, name: &str) -> String {
        let pod = self.pod_named(name);
        let status = pod.status.as_ref().unwrap();
        [status.phase.as_deref(), status.reason.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Changes annotations of a pod.
    pub(super) fn annotate(&mut self, name: &str, annotations: Value) -> &mut Self {
        let change = Patch::Merge(json!({"metadata": {"annotations": annotations}}));
        let request = Request::new(&"me".into(), Verb::Patch, Kind::POD, Key::new("default", name));
        let (response, _) = self.cluster.request(&request.body(Body::Patch(change)));
        assert_eq!(response.code(), 200, "{response:?}");
        self
    }

    /// A condition of the node: its status, and how many seconds after the start of the lab it was set.
    pub(super) fn node_condition(&self, type_: &str) -> (String, i64) {
        let node = self.node();
        let all = node.status.as_ref().and_then(|s| s.conditions.clone()).unwrap();
        let c = all.into_iter().find(|c| c.type_ == type_).unwrap();
        let since = c.last_transition_time.unwrap().0.duration_since(self.start).as_secs();
        (c.status, since)
    }

    /// The stored Node.
    pub(super) fn node(&self) -> Rc<Node> {
        let at = ObjectRef::new(Kind::NODE, "", "node-1");
        self.cluster.api().etcd().get(&at).unwrap().object.get::<Node>().unwrap().clone()
    }

    /// The events with this reason: what each is about, its message and its count.
    pub(super) fn events(&self, reason: &str) -> Vec<(String, String, i32)> {
        let all = self.cluster.api().etcd().range(Kind::EVENT, None);
        all.filter_map(|(_, r)| r.object.get::<Event>().cloned())
            .filter(|e| e.reason.as_deref() == Some(reason))
            .map(|e| {
                let about = e.involved_object.name.clone().unwrap_or_default();
                (about, e.message.clone().unwrap_or_default(), e.count.unwrap_or(1))
            })
            .collect()
    }

    fn at(&self, t: Timestamp) -> String {
        let seconds = t.duration_since(self.start).as_secs_f64();
        format!("{:<7}", format!("+{seconds}s"))
    }

    /// Runs until the cluster is steady.
    pub(super) fn steady(&mut self) -> &mut Self {
        for _ in 0..2000 {
            let Ok(command) = self.cluster.clone().next_command(None) else { return self };
            let again = self.cluster.next_command(None).unwrap();
            assert_eq!(command, again, "a copy does the same");
            let now = self.cluster.now();
            self.note(now, &command.writes);
            self.note(now, &command.events);
        }
        panic!("not steady:\n{}", self.log);
    }

    /// Runs for this many seconds, background deadlines included.
    pub(super) fn wait(&mut self, seconds: i64) -> &mut Self {
        let to = self.cluster.now() + SignedDuration::from_secs(seconds);
        let mut writes = Vec::new();
        self.cluster.run_until(to, |c, command| writes.push((c.now(), command.writes.clone()))).unwrap();
        for (at, w) in writes {
            self.note(at, &w);
        }
        self
    }

    fn note(&mut self, at: Timestamp, writes: &[Write]) {
        let at = self.at(at);
        for w in writes {
            let Some(object) = w.next.as_ref() else {
                let _ = writeln!(self.log, "{at}{} {}", w.verb_string(), w.object);
                continue;
            };
            if let Some(pod) = object.get::<Pod>() {
                let _ = writeln!(self.log, "{at}{} {}", w.verb_string(), summary(pod));
            } else if let Some(e) = object.get::<Event>() {
                let of = e.involved_object.field_path.as_deref().unwrap_or("-");
                let count = match e.count {
                    Some(n) if n > 1 => format!(" (x{n})"),
                    _ => String::new(),
                };
                let (type_, reason) = (e.type_.as_deref().unwrap(), e.reason.as_deref().unwrap());
                let uid = e.involved_object.uid.as_deref().unwrap_or("-");
                let message = e.message.as_deref().unwrap().replace(uid, "UID");
                let _ = writeln!(self.log, "{at}  event {type_} {reason}{count} {of}: {message}");
            }
        }
    }
}

fn summary(pod: &Pod) -> String {
    let status = pod.status.as_ref().unwrap();
    let mut out = status.phase.clone().unwrap_or_default();
    if let Some(r) = &status.reason {
        let _ = write!(out, " ({r})");
    }
    let init = status.init_container_statuses.iter().flatten();
    for c in init.chain(status.container_statuses.iter().flatten()) {
        let _ = write!(out, " | {}", container(c));
    }
    let holds: Vec<String> = status
        .conditions
        .iter()
        .flatten()
        .filter(|c| c.type_ != "PodScheduled")
        .map(|c| {
            let sign = if c.status == "True" { '+' } else { '-' };
            let reason = c.reason.as_ref().map(|r| format!("({r})")).unwrap_or_default();
            format!("{sign}{}{reason}", c.type_)
        })
        .collect();
    let _ = write!(out, " | {}", holds.join(" "));
    out.replace("PodReadyToStartContainers", "Sandbox")
}

fn container(c: &ContainerStatus) -> String {
    let text = |s: &crate::api::types::ContainerState| match (&s.running, &s.terminated, &s.waiting) {
        (Some(_), _, _) => "running".to_owned(),
        (_, Some(t), _) => format!("{} {}", t.reason.as_deref().unwrap_or_default(), t.exit_code),
        (_, _, Some(w)) => w.reason.clone().unwrap_or_default(),
        _ => "?".to_owned(),
    };
    let mut out = format!("{}: {}", c.name, text(c.state.as_ref().unwrap()));
    if c.ready {
        out.push_str(" ready");
    }
    if c.started == Some(true) && !c.ready {
        out.push_str(" started");
    }
    if let Some(l) = c.last_state.as_ref().filter(|l| l.terminated.is_some()) {
        let _ = write!(out, ", before {}", text(l));
    }
    if c.restart_count > 0 {
        let _ = write!(out, ", restarts {}", c.restart_count);
    }
    out
}

/// The manifest of a pod with one container.
pub(super) fn one(container: Value) -> Value {
    let mut c = container;
    c["name"] = "app".into();
    json!({"spec": {"containers": [c]}})
}
