//! The API server as HTTP clients see it: a request in, a response out, no sockets.
//!
//! ```
//! use steady::apiserver::{ApiServer, http::{HttpRequest, http}};
//! let mut api = ApiServer::new(1);
//! let body = br#"{"metadata": {"name": "team-a"}, "specc": {}}"#.to_vec();
//! let create = HttpRequest { method: "POST".into(), path: "/api/v1/namespaces".into(), body, ..HttpRequest::default() };
//! let answer = http(&mut api, &create);
//! assert_eq!(answer.status, 201);
//! assert_eq!(answer.warnings, [r#"299 - "unknown field \"specc\"""#]);
//! let list = HttpRequest { method: "GET".into(), path: "/api/v1/namespaces".into(), ..HttpRequest::default() };
//! assert!(http(&mut api, &list).body.contains("team-a"));
//! ```

mod answer;
#[rustfmt::skip]
mod columns;
mod decode;
mod discovery;
mod negotiate;
mod openapi;
mod patch;
mod path;
mod query;
mod read;
mod scale;
mod table;
mod watch;
mod write;

use std::rc::Rc;

use super::{ApiServer, Details, Status, Subresource};

use answer::Answer;
use negotiate::{Media, Shape};
use path::{Path, Target};
use query::Query;

pub(super) use decode::to_object;
pub use decode::{decode_object, decode_value};
pub(super) use patch::refusal;
pub use patch::{PatchType, patched};
pub use query::FieldValidation;
pub(super) use scale::of as scale_of;

/// The largest body that is read, in bytes.
pub const BODY_LIMIT: usize = 3 * 1024 * 1024;
/// What stands for who asks when the client does not say.
const UNKNOWN_AGENT: &str = "unknown";
/// The longest name of a field manager, in bytes.
const MANAGER_MAX: usize = 128;

/// A request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `POST`, `PUT`, `PATCH`, `DELETE`
    pub method: String,
    /// `/api/v1/namespaces/default/pods`
    pub path: String,
    /// What stands behind the `?`; percent-encoded or not.
    pub query: String,
    /// `Content-Type`; empty for JSON.
    pub content_type: String,
    /// `Accept`; empty for JSON.
    pub accept: String,
    /// `User-Agent`: its first word is who owns the fields that are written.
    pub user_agent: String,
    /// The body.
    pub body: Vec<u8>,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// `Content-Type`
    pub content_type: String,
    /// The values of the `Warning` headers.
    pub warnings: Vec<String>,
    /// The body; of a watch, one event per line.
    pub body: String,
    /// For a watch, the revision up to which it told everything: where to go on.
    pub watched: Option<u64>,
}

/// Answers a request.
pub fn http(api: &mut ApiServer, request: &HttpRequest) -> HttpResponse {
    let mut call = Call { api, request, query: Query::parse(&request.query), warnings: Vec::new() };
    let result = call.run();
    let mut warnings = std::mem::take(&mut call.warnings);
    warnings.append(&mut api.warned);
    // The same warning is given once.
    let mut seen = std::collections::BTreeSet::new();
    warnings.retain(|w| seen.insert(w.clone()));
    let mut response = match result {
        Ok(r) => r,
        Err(status) => {
            // A refusal comes alone: no recording has a warning beside one.
            warnings.clear();
            answer::failure(&status)
        }
    };
    response.warnings = warnings.iter().map(|w| warning(w)).collect();
    response
}

/// A `Warning` header: code 299, no agent, the text quoted.
fn warning(text: &str) -> String {
    format!("299 - \"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A request while it is answered.
struct Call<'a> {
    api: &'a mut ApiServer,
    request: &'a HttpRequest,
    query: Query,
    warnings: Vec<String>,
}

type Result<T> = std::result::Result<T, Status>;

fn method_not_allowed() -> Status {
    Status::new(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
        .with(Details::default())
}

impl Call<'_> {
    fn run(&mut self) -> Result<HttpResponse> {
        if self.request.body.len() > BODY_LIMIT {
            return Err(Status::new(
                413,
                "RequestEntityTooLarge",
                format!("Request entity too large: limit is {BODY_LIMIT}"),
            ));
        }
        let path = path::parse(&self.request.path);
        let target = match path {
            Path::Objects(target) => target,
            Path::NoSuchResource => return Err(Status::no_such_path()),
            Path::Unbuilt { kind, api_version, name, resource } => {
                return self.unbuilt(kind, &api_version, name.as_deref(), &resource);
            }
            other => return self.about_itself(&other),
        };
        let media = negotiate::negotiate(&self.request.accept)?;
        let answer = match self.request.method.as_str() {
            "GET" => return self.read(&target, media),
            "POST" => self.post(&target)?,
            "PUT" => self.put(&target)?,
            "PATCH" => self.patch(&target)?,
            "DELETE" => self.delete(&target)?,
            _ => return Err(method_not_allowed()),
        };
        Ok(self.render(answer, media))
    }

    /// Discovery, health, version.
    fn about_itself(&self, path: &Path) -> Result<HttpResponse> {
        if *path == Path::Nothing {
            return Ok(answer::text(404, "404 page not found\n"));
        }
        if self.request.method != "GET" {
            return Err(method_not_allowed());
        }
        if *path == Path::Health {
            return Ok(answer::text(200, "ok"));
        }
        let media = negotiate::negotiate(&self.request.accept)?;
        let aggregated = media.shape == Shape::AggregatedDiscovery;
        let plain = Media { shape: Shape::Whole, ..media };
        Ok(match path {
            Path::CoreVersions | Path::Groups if aggregated => {
                answer::json(200, &discovery::aggregated(*path == Path::CoreVersions), media)
            }
            Path::CoreVersions => answer::json(200, &discovery::core_versions(), plain),
            Path::Groups => answer::json(200, &discovery::groups(), plain),
            Path::Group(name) => answer::json(200, &discovery::one_group(name), plain),
            Path::Resources { group, version } => {
                answer::json(200, &discovery::resources(group, version), plain)
            }
            Path::OpenApi(rest) => {
                let document = match rest.as_str() {
                    "v3" => Some(openapi::index()),
                    rest => rest.strip_prefix("v3/").and_then(openapi::document),
                };
                answer::json(200, &document.ok_or_else(Status::no_such_path)?, plain)
            }
            Path::Version => answer::json(200, &discovery::version(), plain),
            _ => return Err(Status::no_such_path()),
        })
    }

    /// A kind that is not built: there are none of it.
    fn unbuilt(
        &self,
        kind: &str,
        api_version: &str,
        name: Option<&str>,
        resource: &str,
    ) -> Result<HttpResponse> {
        if self.request.method != "GET" {
            return Err(method_not_allowed());
        }
        if let Some(name) = name {
            let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
            return Err(Status::new(404, "NotFound", format!("{resource} {name:?} not found")).with(
                Details { name: name.into(), group: group.into(), kind: plural.into(), ..Details::default() },
            ));
        }
        let media = negotiate::negotiate(&self.request.accept)?;
        if self.query.on("watch") {
            return Ok(HttpResponse {
                status: 200,
                content_type: media.content_type().into(),
                watched: Some(self.api.etcd.revision()),
                ..HttpResponse::default()
            });
        }
        let metadata = serde_json::json!({"resourceVersion": self.api.etcd.revision().to_string()});
        Ok(match media.shape {
            Shape::Table => answer::json(200, &table::none(&metadata), media),
            _ => {
                let list = serde_json::json!({
                    "kind": format!("{kind}List"), "apiVersion": api_version, "metadata": metadata, "items": [],
                });
                answer::json(200, &list, media)
            }
        })
    }

    fn read(&mut self, target: &Target, media: Media) -> Result<HttpResponse> {
        // Only a collection can be asked to be watched; one object's path has a prefix for it.
        let watch = target.watch || (target.name.is_none() && self.query.on("watch"));
        match (&target.name, target.subresource) {
            (_, Subresource::None) if watch => {
                let watched = self.api.http_watch(target, &self.query)?;
                Ok(self.render_watch(target, watched, media))
            }
            (None, _) => {
                let list = self.api.http_list(target, &self.query)?;
                Ok(self.render_list(target.kind, &list, media))
            }
            (
                Some(_),
                Subresource::None
                | Subresource::Status
                | Subresource::EphemeralContainers
                | Subresource::Resize,
            ) => {
                let object = self.api.http_get(target, &self.query)?;
                Ok(self.render(Answer::object(object, false), media))
            }
            (Some(_), Subresource::Scale) => {
                let object = self.api.http_get(target, &self.query)?;
                Ok(self.render(Answer::scale(&object)?, media))
            }
            _ => Err(method_not_allowed()),
        }
    }

    /// Who is said to own the fields that a request writes.
    fn manager(&self, given: &str) -> Rc<str> {
        if !given.is_empty() {
            return given.into();
        }
        let agent = self.request.user_agent.split('/').next().unwrap_or_default();
        let mut name: String = agent.chars().filter(|c| !c.is_control()).collect();
        while name.len() > MANAGER_MAX {
            name.pop();
        }
        if name.is_empty() { UNKNOWN_AGENT.into() } else { name.into() }
    }
}

#[cfg(test)]
mod facts;
#[cfg(test)]
mod tests;
