//! A request, stage by stage.
//!
//! Stages are only noted for [`ApiServer::trace`], which handles a request on a copy of the server, by the same code that
//! handles every other.

use super::context::RequestContext;
use super::stage::Entered;
use super::{ApiServer, NoKubelets, Write, http};
use crate::apimachinery::{HttpRequest, Request, Response};

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
        let trace = self.traced(|copy, cx| match http::serve_in(copy, request, &NoKubelets, cx).exchange {
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
