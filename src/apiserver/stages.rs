//! The stages that a request goes through, and the object as it was at each
//! (`k8s.io/apiserver/pkg/server/config.go`'s handler chain, `pkg/endpoints/handlers`,
//! `pkg/registry/generic/registry`).
//!
//! Stages are only noted for [`ApiServer::trace`], which handles a request on a copy of the server, by the same code that
//! handles every other.

use serde::{Deserialize, Serialize};

use super::context::RequestContext;
use super::{ApiServer, Write, http};
use crate::api::Object;
use crate::apimachinery::{HttpRequest, Request, Response};

/// A stage of a request. Authentication and authorization come before the first of these; here every user is who they
/// say and may do everything, so there is nothing to note of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stage {
    /// The body becomes an object.
    Decode,
    /// A patch, a scale or a binding is worked into the stored object.
    Patch,
    /// Fields that are not given get their defaults.
    Default,
    /// Admission plug-ins that change the object, or refuse it.
    Mutate,
    /// The resourceVersion and the uid of the request are compared with the stored ones.
    Compare,
    /// What only the server writes: uid, creationTimestamp, generation, the status of a new object
    /// (`PrepareForCreate`, `PrepareForUpdate`, `BeforeDelete`).
    Prepare,
    /// The object is validated by the rules of its kind.
    Validate,
    /// Admission plug-ins that only refuse.
    Admit,
    /// The object is written to etcd, and the watchers are told.
    Store,
}

impl Stage {
    /// The name of the stage: `decode`.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Decode => "decode",
            Stage::Patch => "patch",
            Stage::Default => "default",
            Stage::Mutate => "mutate",
            Stage::Compare => "compare",
            Stage::Prepare => "prepare",
            Stage::Validate => "validate",
            Stage::Admit => "admit",
            Stage::Store => "store",
        }
    }
}

/// A stage that a request came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Entered {
    /// The stage.
    pub stage: Stage,
    /// The admission plug-in; empty elsewhere.
    pub plugin: &'static str,
    /// The object as it came to the stage; `None` where there was none yet, as with a patch.
    pub object: Option<Object>,
}

/// All that happened to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The stages that the request came to, in order. A refused request was refused in the last of them.
    pub entered: Vec<Entered>,
    /// The answer.
    pub response: Response,
    /// The writes that the request made.
    pub writes: Vec<Write>,
    /// For each watch that got an event of these writes, the process that watches.
    pub told: Vec<u32>,
    /// The texts of the `Warning` headers.
    pub warnings: Vec<String>,
}

impl ApiServer {
    /// How a request would be handled, stage by stage. Nothing happens: a copy of the server handles it.
    pub fn trace(&self, request: &Request) -> Trace {
        self.traced(|copy, cx| Response::from(copy.handle(request, cx)))
    }

    /// How a request of a client that speaks HTTP would be handled; `None` if it writes no object.
    pub fn trace_http(&self, request: &HttpRequest) -> Option<Trace> {
        let mut writes = true;
        let trace = self.traced(|copy, cx| match http::serve_in(copy, request, cx).exchange {
            Some(exchange) => exchange.1,
            None => {
                writes = false;
                Response::Success { code: 200, details: None }
            }
        });
        writes.then_some(trace)
    }

    fn traced(&self, handle: impl FnOnce(&mut ApiServer, &mut RequestContext) -> Response) -> Trace {
        let mut copy = self.clone();
        copy.writes.clear();
        copy.woken.clear();
        let mut cx = RequestContext::noting_stages();
        let response = handle(&mut copy, &mut cx);
        Trace {
            response,
            writes: copy.take_writes(),
            told: std::mem::take(&mut copy.woken),
            warnings: std::mem::take(&mut cx.warnings),
            entered: cx.into_stages(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::{Key, Kind};
    use crate::apimachinery::{Body, Verb};
    use crate::cluster::{Cluster, Config};
    use serde_json::json;

    #[test]
    fn a_pod_goes_its_way_and_the_server_stays_as_it_is() {
        let cluster = Cluster::new(&Config::nodes(1));
        let pod =
            json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
        let request = Request::new(&"kubectl".into(), Verb::Create, Kind::POD, Key::new("default", "p"))
            .body(Body::Object(Object::from_value(Kind::POD, pod).unwrap()));
        let before = cluster.digest();
        let trace = cluster.api().trace(&request);
        assert_eq!(cluster.digest(), before);
        assert_eq!(trace.response.code(), 201);
        assert_eq!(trace.writes.len(), 1);
        assert!(!trace.told.is_empty());
        let way: Vec<String> =
            trace.entered.iter().map(|e| format!("{} {}", e.stage.as_str(), e.plugin)).collect();
        assert_eq!(
            way.join(", "),
            "decode , default , mutate NamespaceLifecycle, mutate LimitRanger, mutate ServiceAccount, mutate Priority, mutate DefaultTolerationSeconds, mutate RuntimeClass, prepare , validate , admit LimitRanger, admit RuntimeClass, admit ResourceQuota, store "
        );
        // The same request in earnest comes out the same.
        let mut twin = cluster.clone();
        assert_eq!(twin.request(&request).0, trace.response);
    }

    #[test]
    fn a_refusal_is_of_the_last_stage() {
        let mut cluster = Cluster::new(&Config::nodes(1));
        let pod = |image: &str| json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": image}]}});
        let create = Request::new(&"kubectl".into(), Verb::Create, Kind::POD, Key::new("default", "p"));
        let with = |image: &str| {
            create.clone().body(Body::Object(Object::from_value(Kind::POD, pod(image)).unwrap()))
        };
        let last = |t: &Trace| t.entered.last().map(|e| e.stage);
        let bad = cluster.api().trace(&with(" "));
        assert_eq!((bad.response.code(), last(&bad)), (422, Some(Stage::Validate)));
        cluster.request(&with("nginx"));
        let stored = cluster.api().etcd().iter().find(|(k, _)| k.kind == Kind::POD).unwrap().1.object.clone();
        let mut stale = stored.clone();
        stale.meta_mut().resource_version = Some("1".into());
        let update = Request::new(&"kubectl".into(), Verb::Update, Kind::POD, stale.key());
        let conflict = cluster.api().trace(&update.body(Body::Object(stale)));
        assert_eq!((conflict.response.code(), last(&conflict)), (409, Some(Stage::Compare)));
    }
}
