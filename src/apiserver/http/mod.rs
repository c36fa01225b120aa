//! The API server as HTTP clients see it: a request in, a response out, no sockets.
//!
//! ```
//! use steady::apimachinery::HttpRequest;
//! use steady::apiserver::{ApiServer, http::http};
//! let mut api = ApiServer::new(1);
//! let body = br#"{"metadata": {"name": "team-a"}, "specc": {}}"#.to_vec();
//! let create = HttpRequest { method: "POST".into(), path: "/api/v1/namespaces".into(), body, ..HttpRequest::default() };
//! let answer = http(&mut api, &create);
//! assert_eq!(answer.status, 201);
//! assert_eq!(answer.warnings, [r#"299 - "unknown field \"specc\"""#]);
//! let list = HttpRequest { method: "GET".into(), path: "/api/v1/namespaces".into(), ..HttpRequest::default() };
//! assert!(http(&mut api, &list).body.contains("team-a"));
//! ```

mod about_itself;
mod aggregated;
mod answer;
mod component_status;
mod custom;
mod decode;
mod discovery;
mod etag;
mod exec;
mod followed_log;
mod health;
mod indent;
mod list;
mod log;
mod negotiate;
mod openapi;
mod patch;
mod path;
mod piece;
mod query;
mod read;
mod review;
mod runtime;
mod scale;
mod stream;
mod table;
mod texts;
mod unbuilt;
mod warning;
mod watch;
mod watch_handler;
mod write;

use std::rc::Rc;

use super::ApiServer;
use super::context::RequestContext;
use super::{Kubelets, NoKubelets};
use crate::api::Kind;
use crate::api::quote::{go_quote, is_print};
use crate::apimachinery::{
    Details, Exchanged, HttpRequest, HttpResponse, Query, Request, Response, Status, Subresource,
};

use answer::Answer;
use negotiate::{Media, Shape};
use path::{RequestPath, Target};

pub use discovery::version;
pub use openapi::{Texts, TypeTexts, texts_of};
pub use piece::Piece;
pub use stream::Stream;
pub use texts::TextCache;
pub use watch::{BOOKMARK_SECONDS, WATCH_SECONDS};

/// The largest body that is read, in bytes.
pub const BODY_LIMIT: usize = 3 * 1024 * 1024;
/// The warning about every request for Endpoints (`k8s.io/apiserver/pkg/endpoints/deprecation`).
const ENDPOINTS_DEPRECATED: &str =
    "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
/// The user and field manager of a request without a `User-Agent`.
const UNKNOWN_AGENT: &str = "unknown";
/// The longest name of a field manager, in bytes.
const MANAGER_MAX: usize = 128;

/// The answer to a request, and what goes with it.
#[derive(Clone, Debug, Default)]
pub struct Served {
    /// The answer.
    pub response: HttpResponse,
    /// The body of a list or a watch, which is made as it is read; the answer's own body is empty then.
    pub stream: Option<Stream>,
    /// For a request that writes objects: the request, without its body, and its answer, with typed objects. The key of
    /// the request names the object even where the path does not.
    pub exchange: Option<Box<(Request, Response)>>,
    /// Whether something was changed that is not stored: a command that was executed in a container has written files.
    pub changed: bool,
    /// The requests that such a command has sent itself and that have written objects.
    pub exchanges: Vec<Exchanged>,
}

/// Answers a request of a server without kubelets. The body of a list is whole; that of a watch has the events up to now.
pub fn http(api: &mut ApiServer, request: &HttpRequest) -> HttpResponse {
    serve_whole(api, request, &NoKubelets).response
}

/// Answers a request as [`http`] does, and tells what goes with the answer. No stream is left to be read.
pub fn serve_whole(api: &mut ApiServer, request: &HttpRequest, kubelets: &dyn Kubelets) -> Served {
    let mut served = serve(api, request, kubelets);
    let Some(mut stream) = served.stream.take() else { return served };
    let mut cache = TextCache::default();
    loop {
        let piece = stream.more(api, kubelets, &mut cache);
        if piece.is_empty() {
            return served;
        }
        for text in piece.into_texts() {
            served.response.body.push_str(&String::from_utf8_lossy(&text));
        }
    }
}

/// Answers a request; the caller reads the body of a list, a watch, or a log that is followed.
pub fn serve(api: &mut ApiServer, request: &HttpRequest, kubelets: &dyn Kubelets) -> Served {
    serve_in(api, request, kubelets, &mut RequestContext::default())
}

/// Answers a request; its stages are noted in the context. Afterwards the context has the warnings of the answer.
pub(super) fn serve_in(
    api: &mut ApiServer,
    request: &HttpRequest,
    kubelets: &dyn Kubelets,
    cx: &mut RequestContext,
) -> Served {
    if let Some(response) = api.unreached(request) {
        return Served { response, ..Served::default() };
    }
    let query = Query::parse(&request.query);
    let warnings = Vec::new();
    let mut call = Call {
        api,
        kubelets,
        request,
        query,
        cx,
        warnings,
        stream: None,
        asked: None,
        answered: None,
        changed: false,
        exchanges: Vec::new(),
    };
    let result = call.run();
    let pretty = call.pretty() && (result.is_err() || !path::is_finished_text(&request.path));
    let Call { cx, mut warnings, mut stream, asked, answered, changed, exchanges, .. } = call;
    let answered = match &result {
        Ok(_) => answered,
        Err(status) => Some(Response::Failure(Box::new(status.clone()))),
    };
    let exchange = asked.zip(answered).map(Box::new);
    let advice = std::mem::take(&mut cx.warnings);
    if result.is_ok() {
        // A kind's strategy warns of what was stored; the decoder warns of the body even if the request is refused.
        warnings.extend(advice);
    }
    warnings.append(&mut cx.admission_warnings);
    // The same warning is given once.
    let mut seen = std::collections::BTreeSet::new();
    warnings.retain(|w| seen.insert(w.clone()));
    let mut response = match result {
        Ok(r) => r,
        Err(status) => answer::failure(&status),
    };
    if pretty && response.content_type.starts_with("application/json") {
        match &mut stream {
            None => response.body = indent::indented(&response.body),
            Some(stream) if stream.is_watch() => {}
            Some(stream) => stream.indent = Some(indent::Indent::default()),
        }
    }
    response.warnings = warning::headers(&warnings);
    cx.warnings = warnings;
    Served { response, stream, exchange, changed, exchanges }
}

/// The answer to a request whose body has more than [`BODY_LIMIT`] bytes, for a server of sockets that does not read so
/// many.
pub fn too_large() -> HttpResponse {
    answer::failure(&Status::new(
        413,
        "RequestEntityTooLarge",
        format!("Request entity too large: limit is {BODY_LIMIT}"),
    ))
}

/// The answer to a request while there are too many (`k8s.io/apiserver/pkg/server/filters`).
pub fn too_many() -> HttpResponse {
    HttpResponse {
        retry_after: Some(1),
        ..HttpResponse::text(429, "Too many requests, please try again later.\n")
    }
}

/// A request while it is answered.
struct Call<'a> {
    api: &'a mut ApiServer,
    kubelets: &'a dyn Kubelets,
    request: &'a HttpRequest,
    query: Query,
    cx: &'a mut RequestContext,
    /// What authentication and the decoder warn of.
    warnings: Vec<String>,
    /// The body that is made as it is read.
    stream: Option<Stream>,
    /// The typed request, without its body, of a request that writes objects.
    asked: Option<Request>,
    /// The typed answer to it.
    answered: Option<Response>,
    /// Whether something was changed that is not stored.
    changed: bool,
    /// The requests of a command in a container that have written.
    exchanges: Vec<Exchanged>,
}

type Result<T> = std::result::Result<T, Status>;

fn method_not_allowed() -> Status {
    Status::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
        .with(Details::default())
}

/// Checks that a name can stand in a key of the store (`registry.NamespaceKeyFunc`).
fn check_segment(name: &str) -> Result<()> {
    let why = match name {
        "." | ".." => format!("may not be '{name}'"),
        name if name.contains('%') => "may not contain '%'".to_owned(),
        _ => return Ok(()),
    };
    Err(Status::bad_request(format!("Name parameter invalid: {}: {why}", go_quote(name))))
}

impl Call<'_> {
    // Opening the page creates and patches objects. What answers other requests is not inlined, so that it is in the
    // second part of the page's wasm.
    fn run(&mut self) -> Result<HttpResponse> {
        let user = self.api.admit_sender(self.request, &self.query, &mut self.warnings)?;
        self.cx.user = Some(user);
        if self.request.body.len() > BODY_LIMIT {
            return Ok(too_large());
        }
        if let Some(rest) =
            aggregated::below(&self.request.path).filter(|_| self.api.aggregated.is_registered())
        {
            return self.aggregated(&rest);
        }
        let path = path::parse_in(&self.request.path, &self.api.definitions)?;
        let target = match path {
            RequestPath::Objects(target) => target,
            RequestPath::NoSuchResource => return Err(Status::no_such_path()),
            RequestPath::Unbuilt { kind: "ComponentStatus", name, .. } => {
                return self.component_statuses(name.as_deref());
            }
            RequestPath::Unbuilt { kind, api_version, name, resource } => {
                return self.unbuilt(kind, &api_version, name.as_deref(), &resource);
            }
            RequestPath::Review { review, namespace } => return self.review(review, namespace.as_deref()),
            RequestPath::Runtime { kind, namespace, name, .. } if kind == Kind::SERVICE_ACCOUNT => {
                return self.token(&namespace, &name);
            }
            RequestPath::Runtime { kind, namespace, name, part } => {
                return self.runtime(kind, &namespace, &name, part);
            }
            RequestPath::NotImplemented(why) => return Err(Status::new(501, "", why)),
            other => return self.about_itself(&other),
        };
        if target.kind == Kind::ENDPOINTS {
            self.warnings.push(ENDPOINTS_DEPRECATED.into());
        }
        if let Some(view) = &target.view {
            if custom::is_misplaced(&target, &self.request.method) {
                return Ok(HttpResponse::text(404, "404 page not found\n"));
            }
            self.warnings.extend(view.deprecation_warning());
            self.cx.view = Some(view.clone());
        }
        let media = negotiate::negotiate(&self.request.accept)?;
        if media.shape == Shape::Table {
            self.check_include_object()?;
        }
        if self.request.method != "POST" {
            target.name.as_deref().map_or(Ok(()), check_segment)?;
        }
        let from_cache = self.request.method == "GET"
            && (target.watch || self.query.on("watch") || self.query.text("resourceVersion") == "0");
        if !from_cache {
            self.api.storage_answers()?;
        }
        let answer = match self.request.method.as_str() {
            "GET" => return self.read(&target, media),
            "POST" => self.post(&target)?,
            "PUT" => self.put(&target)?,
            "PATCH" => self.patch(&target)?,
            "DELETE" => self.delete(&target)?,
            _ => return Err(method_not_allowed()),
        };
        Ok(self.render(answer, target.kind, media))
    }

    /// Whether the body is indented for people (`negotiation.isPrettyPrint`).
    fn pretty(&self) -> bool {
        match self.query.text("pretty") {
            "" => ["curl", "Wget", "Mozilla/5.0"].iter().any(|a| self.request.user_agent.starts_with(a)),
            text => matches!(text, "1" | "t" | "T" | "true" | "TRUE" | "True"),
        }
    }

    #[inline(never)]
    fn read(&mut self, target: &Target, media: Media) -> Result<HttpResponse> {
        // `?watch` is for collections; a single object is watched through a path with the prefix `watch`.
        let watch = target.watch || (target.name.is_none() && self.query.on("watch"));
        match (&target.name, target.subresource) {
            (_, Subresource::None) if watch => self.watch(target, media),
            (None, _) => {
                let list = self.api.http_list(target, &self.query)?;
                Ok(self.render_list(target, list, media))
            }
            (
                Some(_),
                Subresource::None
                | Subresource::Status
                | Subresource::EphemeralContainers
                | Subresource::Resize
                | Subresource::Approval,
            ) => {
                let object = self.api.http_get(target, &self.query)?;
                Ok(self.render(Answer::object(object, false), target.kind, media))
            }
            (Some(_), Subresource::Scale) => {
                let object = self.api.http_get(target, &self.query)?;
                let scale = scale::shown(&object, target.view.as_ref())?;
                Ok(self.render(Answer::Scale(scale), target.kind, media))
            }
            _ => Err(method_not_allowed()),
        }
    }

    /// The field manager of a request: the one that it names, or else its user agent.
    fn manager(&self, given: &str) -> Rc<str> {
        if !given.is_empty() {
            return given.into();
        }
        let agent = self.request.user_agent.split('/').next().unwrap_or_default();
        let mut name: String = agent.chars().filter(|c| is_print(*c)).collect();
        while name.len() > MANAGER_MAX {
            name.pop();
        }
        if name.is_empty() { UNKNOWN_AGENT.into() } else { name.into() }
    }
}

#[cfg(test)]
mod certificates_tests;
#[cfg(test)]
mod clients_tests;
#[cfg(test)]
mod custom_tests;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod limits_tests;
#[cfg(test)]
mod mutation_tests;
#[cfg(test)]
mod owners_tests;
#[cfg(test)]
mod pod_security_tests;
#[cfg(test)]
mod policy_tests;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod versions_tests;
