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
