//! Steady as the system under test: its own API server, controllers and scheduler, with the recordings'
//! stand-in kubelets in place of its own.

use std::path::Path;
use std::rc::Rc;

use steady::api::types::Node as ApiNode;
use steady::api::{ApiKind, Key, Kind, MetaExt, Object, Timestamp};
use steady::apimachinery::{self, Body, Patch, Request, Response, Subresource, Verb};
use steady::apiserver;
use steady::apiserver::http;
use steady::client::{Component, Controller};
use steady::cluster::{Cluster, Config, NodeSpec};
use steady::kubectl::{self, WaitFor, Waited};

use crate::kubelet;
use crate::provisioner;
use crate::stand_ins::{StandInKubelet, StandInMetricsServer, StandInProvisioner};
use crate::system::{HttpRequest, HttpResponse, KubectlOutput, Op, Setup, System, Write};

/// After this many seconds without a write a cluster counts as quiet.
const QUIET_SECONDS: u64 = 2;
/// After this many seconds the run continues, even if the cluster is not quiet.
const RESTLESS_SECONDS: u64 = 900;

/// Steady as a system under test.
pub struct Simulator {
    cluster: Cluster,
    writes: Vec<Write>,
    last_write: Timestamp,
    texts: std::cell::OnceCell<Rc<http::Texts>>,
    /// The resources that kubectl knows from its earlier commands.
    discovered: kubectl::DiscoveryCache,
}

impl Simulator {
    /// A new cluster.
    pub fn new(setup: &Setup) -> Simulator {
        let cluster = cluster(setup);
        let last_write = cluster.now();
        Simulator {
            cluster,
            writes: Vec::new(),
            last_write,
            texts: Default::default(),
            discovered: Default::default(),
        }
    }

    fn note(&mut self, writes: &[apiserver::Write]) {
        for node in writes.iter().filter_map(|w| ApiNode::from_object(w.next.as_ref()?)) {
            self.cluster.set_heartbeat(node.metadata.name(), !kubelet::node::is_down(node));
        }
        note(&mut self.writes, &mut self.last_write, self.cluster.now(), writes);
    }

    fn run_until(&mut self, to: Timestamp) {
        let (writes, last) = (&mut self.writes, &mut self.last_write);
        // A cluster that repeats itself for ever will differ from the recording.
        let _ = self.cluster.run_until(to, |cluster, command| {
            note(writes, last, cluster.now(), &command.writes);
        });
    }
}

/// A cluster as it was when the recordings began, also for those who judge it in another way.
pub fn cluster(setup: &Setup) -> Cluster {
    let mut config = Config::nodes(if setup.controllers { setup.nodes } else { 0 });
    config.seed = setup.seed;
    // The recordings' kubelets left the attaching of volumes to nobody.
    config.nodes.iter_mut().for_each(|n| n.annotations.clear());
    // The stand-in kubelets of the recordings declare no features.
    config.nodes.iter_mut().for_each(|node| {
        node.declared_features.clear();
        node.runtime_handlers.clear();
    });
    config.start += std::time::Duration::from_secs(u64::from(setup.seconds_past_minute));
    config.kubelet = Rc::new(|node| vec![Controller::boxed(StandInKubelet::new(node)) as Box<dyn Component>]);
    config.addons = Rc::new(|| vec![Controller::boxed(StandInProvisioner) as Box<dyn Component>]);
    config.addon_objects = vec![provisioner::storage_class().into()];
    if setup.metrics {
        config.metrics_server =
            Rc::new(|| vec![Controller::boxed(StandInMetricsServer) as Box<dyn Component>]);
    }
    if setup.real_default {
        let of_kind = |o: &Object| o.kind() == Kind::SERVICE;
        config.addon_objects.extend(steady::cluster::kubernetes_service().into_iter().filter(of_kind));
    }
    if !setup.controllers {
        config.controllers = Rc::new(Vec::new);
        config.scheduler = Rc::new(Vec::new);
        config.addons = Rc::new(Vec::new);
        config.addon_objects = Vec::new();
    }
    let mut cluster = Cluster::new(&config);
    cluster.set_token_auth(token_users());
    if !setup.controllers {
        // A controller creates this ConfigMap; the recordings did not have it.
        let key = Key::new("default", "kube-root-ca.crt");
        let _ = cluster.request(&Request::new(&"kubectl".into(), Verb::Delete, Kind::CONFIG_MAP, key));
    }
    let nodes: Vec<String> =
        cluster.api().etcd().range(Kind::NODE, None).map(|(_, r)| r.object.name().to_owned()).collect();
    for name in nodes {
        introduce(&mut cluster, &name);
        let _ = cluster.settle();
    }
    // In the recordings the events about the registration of nodes are in another namespace.
    let events: Vec<Key> =
        cluster.api().etcd().range(Kind::EVENT, None).map(|(k, _)| k.key.clone()).collect();
    for key in events {
        let _ = cluster.request(&Request::new(&"kubectl".into(), Verb::Delete, Kind::EVENT, key));
    }
    cluster
}

/// Writes a node's system information, as the stand-in kubelets did once before the recordings began.
fn introduce(cluster: &mut Cluster, name: &str) {
    let key = Key::new("", name);
    let at = steady::api::ObjectRef { kind: Kind::NODE, key: key.clone() };
    let node = cluster.api().etcd().get(&at).and_then(|r| ApiNode::from_object(&r.object)).cloned();
    let Some(mut node) = node else { return };
    let info = kubelet::node::info(name);
    Rc::make_mut(&mut node).status.get_or_insert_default().node_info = Some(info);
    let request = Request::new(&"kubelet".into(), Verb::Update, Kind::NODE, key)
        .subresource(Subresource::Status)
        .body(Body::Object(node.into()));
    let _ = cluster.request(&request);
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
        if object.kind() == Kind::LEASE {
            continue;
        }
        *last = now;
        let value = object.to_value();
        let mut by = w.user.to_string();
        if object.kind() == Kind::EVENT {
            let of =
                |p: &str| value.pointer(p).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            by = of("/source/component");
            if by.is_empty() {
                by = of("/reportingComponent");
            }
        }
        let mut verb = w.verb_string();
        if op == Op::Deleted && by == OWN_CLIENT {
            (by, verb) = deleter(into, &value);
        }
        into.push(Write { op, object: value, by, verb });
    }
}

/// The user of what kube-apiserver does itself. The recorder did not find it in the audit log: where it removed an object,
/// the history names the request that asked for the deletion, or else the one that changed the object last.
const OWN_CLIENT: &str = "kube-apiserver";

/// Whom a history names for a removal by kube-apiserver, and with which verb; nobody if the object was never changed.
fn deleter(writes: &[Write], object: &serde_json::Value) -> (String, String) {
    let uid = |o: &serde_json::Value| o.pointer("/metadata/uid").cloned();
    let mut changes = writes.iter().rev().filter(|w| w.op == Op::Modified && uid(&w.object) == uid(object));
    let deletes = |w: &&Write| w.verb.starts_with("delete");
    let last = changes.clone().find(deletes).or_else(|| changes.next());
    last.map(|w| (w.by.clone(), w.verb.clone())).unwrap_or_default()
}

/// The user whose token the recorder used where a request names no other one.
const ADMIN: &str = "admin";

/// The users who have a token in the recordings' `--token-auth-file`: the recorder itself, and the components. Others have
/// one as well, and can do what everybody can.
fn token_users() -> std::collections::BTreeMap<String, apimachinery::UserInfo> {
    let user = |name: &str, groups: &[&str]| {
        let user =
            apimachinery::UserInfo { uid: name.to_owned(), ..apimachinery::UserInfo::new(name, groups) };
        (token_of(name), user)
    };
    [
        user(ADMIN, &["system:masters"]),
        user("system:kube-scheduler", &[]),
        user("system:kube-controller-manager", &[]),
    ]
    .into()
}

/// The token of a user.
pub fn token_of(user: &str) -> String {
    format!("token-of-{user}")
}

/// The headers that say who asks: those that are given, and else the recorder's own token.
pub fn identity(headers: &[(String, String)]) -> Vec<(String, String)> {
    let mut headers = headers.to_vec();
    if !headers.iter().any(|(name, _)| name == "Authorization") {
        headers.push(("Authorization".to_owned(), format!("Bearer {}", token_of(ADMIN))));
    }
    headers
}

/// kubectl's client. The second field is the time at which a command that waits is ended.
struct Client<'a>(&'a mut Simulator, Timestamp);

/// The longest time, in seconds, that a command may wait.
const COMMAND_SECONDS: u64 = 100;

impl kubectl::ApiClient for Client<'_> {
    fn http(&mut self, request: &apimachinery::HttpRequest) -> apimachinery::HttpResponse {
        if request.path.starts_with("/openapi") {
            let texts = self.0.texts.get_or_init(|| Rc::new(steady_schema::texts())).clone();
            self.0.cluster.set_texts(texts);
        }
        let headers: Vec<(String, String)> = request.identity.clone();
        let request = apimachinery::HttpRequest { identity: identity(&headers), ..request.clone() };
        let (response, writes) = self.0.cluster.http(&request);
        self.0.note(&writes);
        response
    }
    fn now(&self) -> Timestamp {
        self.0.cluster.now()
    }
    fn edit(&mut self, text: &str) -> kubectl::Edited {
        // The recordings' editor was `true`.
        kubectl::Edited::Saved(text.to_owned(), text.to_owned())
    }
    fn wait(&mut self, wait: &kubectl::CommandWait) -> Waited {
        let end = self.1;
        // Nobody runs a line for a command.
        if self.now() >= end || matches!(wait.what, WaitFor::Line(_)) {
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

/// The directory that a command runs in, and what it is fed.
struct Directory<'a> {
    dir: &'a Path,
    stdin: Option<&'a str>,
}

impl kubectl::Files for Directory<'_> {
    fn read(&self, path: &str) -> Option<String> {
        match path {
            "-" => self.stdin.map(str::to_owned),
            _ => std::fs::read_to_string(self.dir.join(path)).ok(),
        }
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(self.dir.join(path)).ok()? {
            let entry = entry.ok()?;
            let slash = if entry.file_type().ok()?.is_dir() { "/" } else { "" };
            names.push(format!("{}{slash}", entry.file_name().to_string_lossy()));
        }
        names.sort();
        Some(names)
    }
}

impl System for Simulator {
    fn kubectl(&mut self, command: &str, dir: &Path, stdin: Option<&str>) -> KubectlOutput {
        let files = Directory { dir, stdin };
        let end = self.cluster.now() + std::time::Duration::from_secs(COMMAND_SECONDS);
        let mut cache = std::mem::take(&mut self.discovered);
        let out = kubectl::run(command, &files, &mut cache, &mut Client(self, end));
        self.discovered = cache;
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
            identity: identity(&r.headers),
            body: r.body.clone().unwrap_or_default().into_bytes(),
            ..apimachinery::HttpRequest::default()
        };
        let (response, writes) = self.cluster.http(&request);
        self.note(&writes);
        // The recorder repeated a request until what kube-apiserver's own controllers do for a definition was done.
        let now = self.cluster.now();
        self.run_until(now);
        HttpResponse {
            status: response.status,
            content_type: response.content_type,
            warnings: response.warnings,
            body: response.body,
            ignored: Vec::new(),
        }
    }

    fn token(&mut self, user: &str) -> Option<String> {
        Some(token_of(user))
    }

    fn wait(&mut self, seconds: f64) {
        let to = self.cluster.now() + std::time::Duration::from_secs_f64(seconds.max(0.0));
        self.run_until(to);
    }

    fn settle(&mut self) {
        let latest = self.cluster.now() + std::time::Duration::from_secs(RESTLESS_SECONDS);
        while self.cluster.now() < latest {
            let before = self.last_write;
            self.run_until(before + std::time::Duration::from_secs(QUIET_SECONDS));
            if self.last_write == before {
                return;
            }
        }
    }

    fn add_node(&mut self, name: &str) {
        let kubelet = StandInKubelet::new(name);
        let mut node = kubelet::node::registration(name, kubelet.number());
        let request = |verb| Request::new(&"kubelet".into(), verb, Kind::NODE, Key::new("", name));
        let create = request(Verb::Create).body(Body::Object(node.clone().into()));
        let (response, writes) = self.cluster.request(&create);
        self.note(&writes);
        if let Response::Object { object, .. } = &response
            && let Some(created) = ApiNode::from_object(object)
        {
            node = (**created).clone();
        }
        let from = Rc::new(node.clone());
        node.status = Some(kubelet::node::report(&from, kubelet.number(), self.cluster.now()));
        let change = Patch::Between { from: from.into(), to: Rc::new(node).into() };
        let report = request(Verb::Patch).subresource(Subresource::Status).body(Body::Patch(change));
        let (_, writes) = self.cluster.request(&report);
        self.note(&writes);
        // The node exists, so this starts only its kubelet, and writes the node's system information.
        let (annotations, declared_features, runtime_handlers) = Default::default();
        let standard = NodeSpec::standard(name);
        let spec = NodeSpec { annotations, declared_features, runtime_handlers, ..standard };
        self.cluster.add_node(&spec, vec![Controller::boxed(kubelet)]);
        introduce(&mut self.cluster, name);
    }

    fn writes(&self) -> &[Write] {
        &self.writes
    }

    fn now(&self) -> f64 {
        self.cluster.now().as_millisecond() as f64 / 1000.0
    }
}
