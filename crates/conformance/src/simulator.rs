//! Steady as the system under test: its own API server, controllers and scheduler, with the
//! recordings' stand-in kubelets plugged in where the product has real ones.

use std::path::Path;
use std::rc::Rc;

use steady::api::types::{Node as ApiNode, PersistentVolume, PersistentVolumeClaim, Pod};
use steady::api::{ApiKind, Key, Kind, MetaExt, Object, Timestamp};
use steady::apimachinery::{self, Body, DeleteOptions, Filter, Request, Subresource, Verb};
use steady::apiserver;
use steady::apiserver::http;
use steady::client::{Component, Context, Controller, Handler, Notification, Reconciler, Result, Why};
use steady::cluster::{Cluster, Config, NodeSpec};
use steady::etcd::Map;
use steady::kubectl::{self, Waited};

use crate::kubelet::{self, KubeletWrite, Memory};
use crate::provisioner;
use crate::system::{HttpRequest, HttpResponse, KubectlOutput, Op, Setup, System, Write};

/// Seconds without a write after which a cluster counts as quiet.
const QUIET_SECONDS: i64 = 2;
/// How far apart two nodes do the same thing.
const NODE_MILLIS: i64 = 2;
/// How far apart a node does the same thing for two pods.
const NODES_MILLIS: i64 = 8;

/// A kubelet that follows the table in the recordings' README.
#[derive(Clone, Debug)]
pub struct StandInKubelet {
    node: Rc<str>,
    number: u32,
}

/// What it remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    pods: Map<Rc<str>, Memory>,
    addresses: u32,
    // By how many milliseconds each pod's life is late: the recorded nodes wrote one after another,
    // never two at the same moment, and which came first shows in what controllers did in between.
    late: Map<Rc<str>, i64>,
}

impl StandInKubelet {
    /// The kubelet of `node-<n>`.
    pub fn new(node: &str) -> StandInKubelet {
        let number = node.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        StandInKubelet { node: node.into(), number }
    }
}

impl Reconciler for StandInKubelet {
    type State = State;

    fn name(&self) -> Rc<str> {
        "kubelet".into()
    }

    fn watches(&self) -> Vec<(Kind, Filter)> {
        vec![(Kind::Pod, Filter::NodeName(self.node.clone())), (Kind::Node, Filter::Name(self.node.clone()))]
    }

    fn handle(&self, cx: &mut Handler<'_, State>, seen: &Notification) {
        match seen.object().map(Object::kind) {
            Some(Kind::Pod) => {
                if let Some(o) = &seen.new {
                    cx.enqueue(o.key());
                }
            }
            Some(Kind::Node) => {
                let down = |o: &Option<Object>| {
                    o.as_ref().and_then(ApiNode::from_object).is_some_and(|n| kubelet::node::is_down(n))
                };
                if down(&seen.old) != down(&seen.new) {
                    cx.enqueue(Key::new("", &self.node));
                    let keys: Vec<Key> = cx.caches.of(Kind::Pod).list(None).map(Object::key).collect();
                    keys.into_iter().for_each(|k| cx.enqueue(k));
                }
            }
            _ => {}
        }
    }

    async fn sync(self, cx: Context<State>, key: Key) -> Result {
        if key.namespace.is_empty() {
            return self.report(&cx, &key).await;
        }
        let Some(mut pod) = cx.lister::<Pod>().get(&key).cloned() else { return Ok(()) };
        let down =
            cx.lister::<ApiNode>().get(&Key::new("", &self.node)).is_some_and(|n| kubelet::node::is_down(n));
        let uid: Rc<str> = pod.metadata.uid().into();
        let number = i64::from(self.number);
        if cx.state(|s| !s.late.contains_key(&uid)) {
            let id = uid.clone();
            cx.update_state(move |s| {
                let late = i64::try_from(s.late.len()).unwrap_or(0) * NODES_MILLIS + number * NODE_MILLIS;
                s.late.insert(id.clone(), late);
            });
        }
        let late = jiff::SignedDuration::from_millis(cx.state(|s| s.late.get(&uid).copied()).unwrap_or(0));
        loop {
            let (memory, used) = cx.state(|s| (s.pods.get(&uid).copied(), s.addresses));
            let node = kubelet::Node { number: self.number, down, next_ip: used + 1 };
            let next = kubelet::next(&pod, node, cx.now(), memory);
            let (id, memory, took) = (uid.clone(), next.memory, next.took_ip);
            cx.update_state(move |s| {
                s.pods.insert(id.clone(), memory);
                s.addresses += u32::from(took);
            });
            match next.write {
                Some(KubeletWrite::Status(status)) => {
                    let mut to = pod.clone();
                    Rc::make_mut(&mut to).status = Some((*status).into());
                    match cx.patch_status(pod.clone(), to).because(Why::new("stand_in")).await {
                        Ok(p) => pod = p,
                        Err(e) if e.is_not_found() => return Ok(()),
                        Err(e) => return Err(e.into()),
                    }
                }
                Some(KubeletWrite::Delete) => {
                    let options = DeleteOptions {
                        grace_period_seconds: Some(0),
                        uid: Some(uid.to_string()),
                        ..Default::default()
                    };
                    match cx.delete(Kind::Pod, key.clone(), options).because(Why::new("stand_in")).await {
                        Ok(_) => {}
                        Err(e) if e.is_not_found() => {}
                        Err(e) => return Err(e.into()),
                    }
                    return Ok(());
                }
                None => {
                    if let Some(at) = next.wake {
                        cx.enqueue_after(key, (at + late).duration_since(cx.now()));
                    }
                    return Ok(());
                }
            }
        }
    }
}

impl StandInKubelet {
    /// A node that is no longer down says so.
    async fn report(&self, cx: &Context<State>, key: &Key) -> Result {
        let Some(node) = cx.lister::<ApiNode>().get(key).cloned() else { return Ok(()) };
        let silent =
            node.status.iter().flat_map(|s| s.conditions.iter().flatten()).any(|c| c.status == "Unknown");
        if kubelet::node::is_down(&node) || !silent {
            return Ok(());
        }
        let mut to = node.clone();
        Rc::make_mut(&mut to).status = Some(kubelet::node::report(&node, self.number, cx.now()));
        cx.patch_status(node, to).because(Why::new("stand_in")).await?;
        Ok(())
    }
}

/// The recordings' [provisioner], as a component.
#[derive(Clone, Copy, Debug)]
pub struct StandInProvisioner;

/// How long it takes to notice a claim: it looked again and again.
const PROVISIONER_MILLIS: i64 = 50;

impl Reconciler for StandInProvisioner {
    type State = Map<Key, Timestamp>;

    fn name(&self) -> Rc<str> {
        "provisioner".into()
    }

    fn watches(&self) -> Vec<(Kind, Filter)> {
        vec![(Kind::PersistentVolumeClaim, Filter::All), (Kind::PersistentVolume, Filter::All)]
    }

    fn handle(&self, cx: &mut Handler<'_, Self::State>, seen: &Notification) {
        if let Some(o) = &seen.new {
            let key = o.key();
            if !cx.state.contains_key(&key) {
                let now = cx.now;
                cx.state.insert(key.clone(), now);
                cx.enqueue_after(&key, jiff::SignedDuration::from_millis(PROVISIONER_MILLIS), false);
            }
        }
    }

    async fn sync(self, cx: Context<Self::State>, key: Key) -> Result {
        let k = key.clone();
        cx.update_state(move |s| {
            s.remove(&k);
        });
        if key.namespace.is_empty() {
            let volume = cx.lister::<PersistentVolume>().get(&key).cloned();
            if volume.is_some_and(|v| provisioner::is_to_go(&v)) {
                let delete = cx.delete(Kind::PersistentVolume, key, DeleteOptions::default());
                delete.because(Why::new("stand_in")).await?;
            }
            return Ok(());
        }
        let claim = cx.lister::<PersistentVolumeClaim>().get(&key).cloned();
        let Some(volume) = claim.and_then(|c| provisioner::volume(&c)) else { return Ok(()) };
        if cx.lister::<PersistentVolume>().get(&volume.metadata.key()).is_none() {
            cx.create(volume).because(Why::new("stand_in")).await?;
        }
        Ok(())
    }
}

/// Steady.
pub struct Simulator {
    cluster: Cluster,
    writes: Vec<Write>,
    last_write: Timestamp,
    texts: std::cell::OnceCell<Rc<http::Texts>>,
}

impl Simulator {
    /// A fresh cluster.
    pub fn new(setup: &Setup) -> Simulator {
        let cluster = cluster(setup);
        let last_write = cluster.now();
        Simulator { cluster, writes: Vec::new(), last_write, texts: Default::default() }
    }

    fn note(&mut self, writes: &[apiserver::Write]) {
        for node in writes.iter().filter_map(|w| ApiNode::from_object(w.next.as_ref()?)) {
            self.cluster.set_heartbeat(node.metadata.name(), !kubelet::node::is_down(node));
        }
        note(&mut self.writes, &mut self.last_write, self.cluster.now(), writes);
    }

    fn run_until(&mut self, to: Timestamp) {
        let (writes, last) = (&mut self.writes, &mut self.last_write);
        // A cluster that runs in a circle differs from the recording soon enough.
        let _ = self.cluster.run_until(to, |cluster, command| {
            note(writes, last, cluster.now(), &command.writes);
        });
    }
}

/// A cluster as the recordings began with: what is judged, also by those who ask it in another way.
pub fn cluster(setup: &Setup) -> Cluster {
    let mut config = Config::nodes(if setup.controllers { setup.nodes } else { 0 });
    config.start += std::time::Duration::from_secs(u64::from(setup.seconds_past_minute));
    config.kubelet = Rc::new(|node| vec![Controller::boxed(StandInKubelet::new(node)) as Box<dyn Component>]);
    config.addons = Rc::new(|| vec![Controller::boxed(StandInProvisioner) as Box<dyn Component>]);
    config.addon_objects = vec![provisioner::storage_class().into()];
    if setup.real_default {
        let of_kind = |o: &Object| o.kind() == Kind::Service;
        config.addon_objects.extend(steady::cluster::kubernetes_service().into_iter().filter(of_kind));
    }
    if !setup.controllers {
        config.controllers = Rc::new(Vec::new);
        config.scheduler = Rc::new(Vec::new);
        config.addons = Rc::new(Vec::new);
        config.addon_objects = Vec::new();
    }
    let mut cluster = Cluster::new(&config);
    if !setup.controllers {
        // A controller makes it; the recordings had none.
        let key = Key::new("default", "kube-root-ca.crt");
        let _ = cluster.request(&Request::new(&"kubectl".into(), Verb::Delete, Kind::ConfigMap, key));
    }
    let nodes: Vec<String> =
        cluster.api().etcd().range(Kind::Node, None).map(|(_, r)| r.object.name().to_owned()).collect();
    nodes.iter().for_each(|name| introduce(&mut cluster, name));
    // What was said of the nodes when they came lies in another namespace there.
    let events: Vec<Key> =
        cluster.api().etcd().range(Kind::Event, None).map(|(k, _)| k.key.clone()).collect();
    for key in events {
        let _ = cluster.request(&Request::new(&"kubectl".into(), Verb::Delete, Kind::Event, key));
    }
    cluster
}

/// What kind of machine a node is, as the stand-in kubelets said it once, before anything began.
fn introduce(cluster: &mut Cluster, name: &str) {
    let key = Key::new("", name);
    let at = steady::api::ObjectRef { kind: Kind::Node, key: key.clone() };
    let node = cluster.api().etcd().get(&at).and_then(|r| ApiNode::from_object(&r.object)).cloned();
    let Some(mut node) = node else { return };
    let info = kubelet::node::info(name);
    Rc::make_mut(&mut node).status.get_or_insert_default().node_info = Some(info);
    let request = Request::new(&"kubelet".into(), Verb::Update, Kind::Node, key)
        .subresource(Subresource::Status)
        .body(Body::Object(node.into()));
    let _ = cluster.request(&request);
    let _ = cluster.settle();
}

fn note(into: &mut Vec<Write>, last: &mut Timestamp, now: Timestamp, writes: &[apiserver::Write]) {
    for w in writes {
        let op = match (&w.prev, &w.next) {
            (None, _) => Op::Added,
            (Some(_), Some(_)) => Op::Modified,
            (Some(_), None) => Op::Deleted,
        };
        let object = match op {
            Op::Deleted => w.prev.as_ref(),
            _ => w.next.as_ref(),
        };
        let Some(object) = object else { continue };
        if object.kind() == Kind::Lease {
            continue;
        }
        *last = now;
        let value = object.to_value();
        let mut by = w.user.to_string();
        if object.kind() == Kind::Event {
            let of =
                |p: &str| value.pointer(p).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            by = of("/source/component");
            if by.is_empty() {
                by = of("/reportingComponent");
            }
        }
        into.push(Write { op, object: value, by, verb: w.verb_string() });
    }
}

/// kubectl's client; no command of a recording took longer than its second field says.
struct Client<'a>(&'a mut Simulator, Timestamp);

/// So long, in seconds, a command may wait in all.
const COMMAND_SECONDS: u64 = 100;

impl kubectl::ApiClient for Client<'_> {
    fn http(&mut self, request: &apimachinery::HttpRequest) -> apimachinery::HttpResponse {
        if request.path.starts_with("/openapi") {
            let texts = self.0.texts.get_or_init(|| Rc::new(steady_schema::texts())).clone();
            self.0.cluster.set_texts(texts);
        }
        let (response, writes) = self.0.cluster.http(request);
        self.0.note(&writes);
        response
    }
    fn now(&self) -> Timestamp {
        self.0.cluster.now()
    }
    fn edit(&mut self, text: &str) -> Option<String> {
        // The recordings' editor was `true`.
        Some(text.to_owned())
    }
    fn wait(&mut self, wait: &kubectl::Wait) -> Waited {
        let end = self.1;
        if self.now() >= end {
            return Waited::Never;
        }
        let until = wait.until.unwrap_or(end).min(end);
        let simulator = &mut *self.0;
        while simulator.cluster.now() < until {
            if simulator.cluster.is_steady() {
                simulator.run_until(until);
                break;
            }
            let to = simulator.cluster.now() + std::time::Duration::from_millis(100);
            simulator.run_until(to.min(until));
            if wait.is_over(&mut |request| simulator.cluster.http(request).0) {
                return Waited::Again;
            }
        }
        if wait.until.is_some() { Waited::Again } else { Waited::Never }
    }
}

impl System for Simulator {
    fn kubectl(&mut self, command: &str, dir: &Path) -> KubectlOutput {
        let files = |name: &str| std::fs::read_to_string(dir.join(name)).ok();
        let end = self.cluster.now() + std::time::Duration::from_secs(COMMAND_SECONDS);
        let out = kubectl::run(command, &files, &mut Client(self, end));
        KubectlOutput { exit: out.exit, stdout: out.stdout, stderr: out.stderr }
    }

    fn http(&mut self, r: &HttpRequest) -> HttpResponse {
        let request = apimachinery::HttpRequest {
            method: r.method.clone(),
            path: r.path.clone(),
            query: r.query.clone(),
            content_type: r.content_type.clone().unwrap_or_default(),
            accept: r.accept.clone().unwrap_or_default(),
            user_agent: "conformance/1.0".into(),
            body: r.body.clone().unwrap_or_default().into_bytes(),
        };
        let (response, writes) = self.cluster.http(&request);
        self.note(&writes);
        HttpResponse {
            status: response.status,
            content_type: response.content_type,
            warnings: response.warnings,
            body: response.body,
        }
    }

    fn wait(&mut self, seconds: f64) {
        let to = self.cluster.now() + std::time::Duration::from_secs_f64(seconds.max(0.0));
        self.run_until(to);
    }

    fn settle(&mut self) {
        loop {
            let before = self.last_write;
            self.run_until(before + std::time::Duration::from_secs(QUIET_SECONDS.unsigned_abs()));
            if self.last_write == before {
                return;
            }
        }
    }

    fn add_node(&mut self, name: &str) {
        let components: Vec<Box<dyn Component>> = vec![Controller::boxed(StandInKubelet::new(name))];
        self.cluster.add_node(&NodeSpec::standard(name), components);
        introduce(&mut self.cluster, name);
        let _ = self.cluster.settle();
    }

    fn writes(&self) -> &[Write] {
        &self.writes
    }

    fn now(&self) -> f64 {
        self.cluster.now().as_millisecond() as f64 / 1000.0
    }
}
