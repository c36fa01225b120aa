//! [`System`]: what a simulator has to implement to be judged.

use std::path::Path;

use serde_json::Value;

/// How a system starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The number of nodes, `node-1` to `node-N`: 4 CPU, 8Gi, 100Gi ephemeral storage and 110 pods each,
    /// address `172.18.0.<n+1>`.
    pub nodes: usize,
    /// Whether the names of nodes are compared (the recording had the nodes for itself).
    pub scheduling: bool,
    /// Whether controllers, scheduler and stand-in kubelets run. Without them nothing happens between two
    /// requests, which is how the `api/` rows were recorded.
    pub controllers: bool,
    /// Whether the namespace of the run is the real `default`, with the API server's own Service. Cases were
    /// recorded in a namespace of their own that is called `default` afterwards. The Service's endpoints
    /// were not kept.
    pub real_default: bool,
    /// What decides where Kubernetes leaves something to chance: names, uids, and which of equally good nodes a pod gets.
    pub seed: u64,
    /// How many seconds after a full minute the run begins.
    pub seconds_past_minute: u32,
    /// Whether a metrics server serves `metrics.k8s.io/v1beta1` as [`metrics`](crate::metrics) says.
    pub metrics: bool,
}

impl Default for Setup {
    /// Three nodes and all components, 20 seconds after a full minute, as in most recordings.
    fn default() -> Setup {
        Setup {
            nodes: 3,
            scheduling: false,
            controllers: true,
            real_default: false,
            seed: 1,
            seconds_past_minute: 20,
            metrics: false,
        }
    }
}

/// The output of a kubectl command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KubectlOutput {
    /// The exit code.
    pub exit: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// A request to the API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// The path, for example `/api/v1/namespaces/default/pods`.
    pub path: String,
    /// The text after `?`, without percent-encoding; empty if there is none.
    pub query: String,
    /// The header `Content-Type`, if there is one.
    pub content_type: Option<String>,
    /// The header `Accept`, if there is one; otherwise JSON is meant.
    pub accept: Option<String>,
    /// Further headers in order; a name can occur several times. They name the user: `Impersonate-…`, and
    /// `Authorization` (empty for a request without it). Without one of these the user is an admin of the
    /// group `system:masters`.
    pub headers: Vec<(String, String)>,
    /// The body as sent. Keys are in the order of the recording, and it is not always JSON.
    pub body: Option<String>,
}

/// The API server's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// The header `Content-Type`.
    pub content_type: String,
    /// The values of the `Warning` headers, for example `299 - "unknown field \"spec.replica\""`.
    pub warnings: Vec<String>,
    /// The body. That of a watch has one JSON event in each line, up to the watch's timeout.
    pub body: String,
    /// The names of headers that were sent and that the system cannot take. They are reported with every
    /// difference of this response.
    pub ignored: Vec<String>,
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// It was created.
    Added,
    /// It was changed.
    Modified,
    /// It was deleted.
    Deleted,
}

impl Op {
    /// The type of the watch event.
    pub fn as_str(self) -> &'static str {
        match self {
            Op::Added => "ADDED",
            Op::Modified => "MODIFIED",
            Op::Deleted => "DELETED",
        }
    }
}

/// One change of the store, in the order of revisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// What happened.
    pub op: Op,
    /// The whole object after the write (before it, for a deletion) as the API server would write it to
    /// JSON: with `kind`, `apiVersion`, and the nulls that Go writes.
    pub object: Value,
    /// The user of the request: the controller's service account (`replicaset-controller`),
    /// `kube-scheduler`, `kubectl` or `kubelet`. For an Event, its source component.
    pub by: String,
    /// The API verb and subresource: `create`, `update/status`, `create/binding`, `delete`.
    pub verb: String,
}

/// A cluster that can be judged by the recordings.
pub trait System {
    /// Runs a kubectl command line (without `kubectl`). Files are relative to `dir`; `stdin` is the standard
    /// input, empty if `None`.
    fn kubectl(&mut self, command: &str, dir: &Path, stdin: Option<&str>) -> KubectlOutput;
    /// A bearer token of a user, for `Authorization`; `None` if the system has no tokens.
    fn token(&mut self, _user: &str) -> Option<String> {
        None
    }
    /// Sends a request to the API server.
    fn http(&mut self, request: &HttpRequest) -> HttpResponse;
    /// Lets this many seconds pass.
    fn wait(&mut self, seconds: f64);
    /// Runs until nothing but heartbeats was written for two seconds of the cluster's time.
    fn settle(&mut self);
    /// Lets time pass until a moment (seconds since 1970), unless it has passed already: the pause before
    /// the recorder's next step.
    fn pause_until(&mut self, at: f64) {
        let early = at - self.now();
        if early > 0.0 {
            self.wait(early);
        }
    }
    /// Registers one more node.
    fn add_node(&mut self, name: &str);
    /// Every change of the store since the system began, its set-up included.
    fn writes(&self) -> &[Write];
    /// The cluster's time, in seconds since 1970.
    fn now(&self) -> f64;
}

/// Makes a new system for each case, on the thread on which the case runs.
pub type Factory<'a> = dyn Fn(&Setup) -> Box<dyn System> + Sync + 'a;

/// A system that does nothing, with which the judge must not be satisfied.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullSystem;

impl System for NullSystem {
    fn kubectl(&mut self, _: &str, _: &Path, _: Option<&str>) -> KubectlOutput {
        let text = String::from("there is no system\n");
        KubectlOutput { exit: -1, stdout: text.clone(), stderr: text }
    }
    fn http(&mut self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::default()
    }
    fn wait(&mut self, _: f64) {}
    fn settle(&mut self) {}
    fn add_node(&mut self, _: &str) {}
    fn writes(&self) -> &[Write] {
        &[]
    }
    fn now(&self) -> f64 {
        0.0
    }
}
