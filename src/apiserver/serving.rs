//! Whether the API server's program runs. While it does not, nobody listens at its port: a client cannot connect, and every
//! watch has ended with its connection (`net/http`, `dial tcp …: connect: connection refused`).

use super::ApiServer;
use crate::apimachinery::{HttpRequest, HttpResponse, Request, Status};

/// Where the components of the cluster find the server.
pub(super) const INSIDE: &str = "172.18.0.1:6443";
/// Where kubectl finds it.
const OUTSIDE: &str = "127.0.0.1:6443";

/// What Go's `net/http` says of a request to an address at which nobody listens (`net/url.Error`).
fn refused(method: &str, host: &str, path: &str) -> String {
    let (first, rest) = method.split_at(method.len().min(1));
    let verb = first.to_ascii_uppercase() + &rest.to_ascii_lowercase();
    format!("{verb} \"https://{host}{path}\": dial tcp {host}: connect: connection refused")
}

impl ApiServer {
    /// Whether the server's program runs, so that clients can connect.
    pub fn serves(&self) -> bool {
        !self.down
    }

    /// The server's program starts or ends. At its end all connections do, and so all watches. A program that has started has a
    /// watch cache that knows nothing of what was before (`watch_cache.go`, `listResourceVersion`).
    pub fn set_serving(&mut self, serves: bool) {
        if serves == self.serves() {
            return;
        }
        self.down = !serves;
        if serves {
            self.cached_since = self.etcd.revision();
        } else {
            self.watches.remove_all();
        }
    }

    /// Refuses a request of a component while nobody listens.
    ///
    /// # Errors
    /// A refusal with the code 0: no server has answered.
    pub(super) fn listens(&self, request: &Request) -> Result<(), Status> {
        if self.serves() {
            return Ok(());
        }
        Err(Status::new(0, "", refused(request.verb.method(), INSIDE, &request.path())))
    }

    /// What a client that speaks HTTP gets while nobody listens: the status 0, and in the place of a body what its program says of the
    /// connection. `None` while the server can be reached.
    pub(super) fn unreached(&self, request: &HttpRequest) -> Option<HttpResponse> {
        if self.serves() {
            return None;
        }
        let query = if request.query.is_empty() { String::new() } else { format!("?{}", request.query) };
        let body = refused(&request.method, OUTSIDE, &format!("{}{query}", request.path));
        Some(HttpResponse { body, ..HttpResponse::default() })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::{Key, Kind};
    use crate::apimachinery::{Filter, Verb};
    use crate::apiserver::http;

    /// Go's `net/url.Error` and `net.OpError`; `staging/src/k8s.io/apiserver/pkg/storage/cacher/watch_cache.go`,
    /// `getAllEventsSinceLocked`: a cache begins with the revision of its first list, and what is asked of the time before is too old.
    #[test]
    fn nobody_listens_while_the_program_does_not_run() {
        let mut api = ApiServer::new(1);
        let get = Request::new(&"me".into(), Verb::Get, Kind::POD, Key::new("default", "p"));
        assert_eq!(api.request(&get).code(), 404);
        let watch = api.watches.add(1, Kind::POD, Filter::All);
        let before = api.resource_version();
        api.set_serving(false);
        assert_eq!(api.watches.pending(watch), None);
        let refused = api.request(&get);
        assert_eq!(refused.code(), 0);
        let status = api.listens(&get).unwrap_err();
        assert_eq!(
            status.message,
            "Get \"https://172.18.0.1:6443/api/v1/namespaces/default/pods/p\": dial tcp 172.18.0.1:6443: connect: connection refused"
        );
        let list = HttpRequest {
            method: "GET".into(),
            path: "/api/v1/pods".into(),
            query: "limit=500".into(),
            ..HttpRequest::default()
        };
        let answer = http::http(&mut api, &list);
        assert_eq!(
            (answer.status, answer.body.as_str()),
            (
                0,
                "Get \"https://127.0.0.1:6443/api/v1/pods?limit=500\": dial tcp 127.0.0.1:6443: connect: connection refused"
            )
        );
        api.set_serving(true);
        assert_eq!(http::http(&mut api, &list).status, 200);
        // Nothing has been written since, so a watch can go on from there.
        assert!(api.watch_from(Kind::POD, &Filter::All, before).is_ok());
    }
}
