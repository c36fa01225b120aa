//! What a simulator has to offer to be judged: [`System`].

use std::path::Path;

use serde_json::Value;

/// How a system starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// `node-1` to `node-N`: 4 CPU, 8Gi, 100Gi ephemeral storage, 110 pods each, `172.18.0.<n+1>`.
    pub nodes: usize,
    /// Whether node names mean something in this run (the recording had the nodes for itself).
    pub scheduling: bool,
    /// Controllers, scheduler and the stand-in kubelets run. Without them nothing happens between
    /// two requests: that is how the `api/` rows were recorded.
    pub controllers: bool,
    /// The namespace of the run is the real `default`, with the API server's own Service in it; cases
    /// had a namespace to themselves that is called so afterwards. Its endpoints were not kept.
    pub real_default: bool,
    /// The run begins this many seconds after a full minute.
    pub seconds_past_minute: u32,
    /// A metrics server serves `metrics.k8s.io/v1beta1` with what [`metrics`](crate::metrics) says.
    pub metrics: bool,
}

impl Default for Setup {
    /// Three nodes and all components, 20 seconds after a full minute: how most recordings began.
    fn default() -> Setup {
        Setup {
            nodes: 3,
            scheduling: false,
            controllers: true,
            real_default: false,
            seconds_past_minute: 20,
            metrics: false,
        }
    }
}

/// What a kubectl command line printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KubectlOutput {
    /// Its exit code.
    pub exit: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// A request to the API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `POST`, `PUT`, `PATCH`, `DELETE`
    pub method: String,
    /// `/api/v1/namespaces/default/pods`
    pub path: String,
    /// What stands behind the `?`, not percent-encoded; empty for none.
    pub query: String,
    /// `Content-Type`, if any.
    pub content_type: Option<String>,
    /// `Accept`, if any; JSON otherwise.
    pub accept: Option<String>,
    /// Further headers, in order; a name may stand here several times. They say who asks:
    /// `Impersonate-…`, and `Authorization` (empty for a request without it). Without one of these
    /// an admin of group `system:masters` asks.
    pub headers: Vec<(String, String)>,
    /// The body as sent: keys in the order of the recording, and not always JSON.
    pub body: Option<String>,
}

/// The API server's answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// `Content-Type`
    pub content_type: String,
    /// The values of the `Warning` headers: `299 - "unknown field \"spec.replica\""`.
    pub warnings: Vec<String>,
    /// The body. A watch gives one JSON event per line, up to its timeout.
    pub body: String,
    /// Names of headers that were sent and that the system has no way to take: said beside every
    /// difference of this answer.
    pub ignored: Vec<String>,
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// It is new.
    Added,
    /// It changed.
    Modified,
    /// It is gone.
    Deleted,
}

impl Op {
    /// The word of a watch event.
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
    /// The whole object after the write (before it, for a deletion), as the API server would
    /// write it to JSON: with `kind`, `apiVersion`, and the nulls Go writes.
    pub object: Value,
    /// Who made the request: the controller's service account (`replicaset-controller`),
    /// `kube-scheduler`, `kubectl`, `kubelet`. For an Event: its source component.
    pub by: String,
    /// The API verb and subresource: `create`, `update/status`, `create/binding`, `delete`.
    pub verb: String,
}

/// A cluster that can be judged by the recordings.
pub trait System {
    /// One kubectl command line (without the word `kubectl`), files relative to `dir`. `stdin` is
    /// what the command is fed; nothing where it is `None`.
    fn kubectl(&mut self, command: &str, dir: &Path, stdin: Option<&str>) -> KubectlOutput;
    /// A bearer token of a user, for `Authorization`; `None` if the system knows none.
    fn token(&mut self, _user: &str) -> Option<String> {
        None
    }
    /// One request to the API server.
    fn http(&mut self, request: &HttpRequest) -> HttpResponse;
    /// Lets this many seconds pass.
    fn wait(&mut self, seconds: f64);
    /// Goes on until nothing but heartbeats was written for two seconds of the cluster's time.
    fn settle(&mut self);
    /// Lets time pass until a moment (seconds since 1970), if it is not that late yet: the pause
    /// before the recorder's next step.
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

/// Makes a fresh system for every case, in whatever thread the case runs.
pub type Factory<'a> = dyn Fn(&Setup) -> Box<dyn System> + Sync + 'a;

/// A system that does nothing: what a judge must not be satisfied with.
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
