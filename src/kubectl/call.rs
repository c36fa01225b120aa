//! The requests of kubectl, as `k8s.io/client-go/rest` builds them: method, path, query, headers, body. Bodies are JSON
//! and not typed objects, since a person may write a field of a wrong type or one that no kind has.

use serde_json::Value;

use super::error::Error;
use crate::api::quote::go_quote;
use crate::api::{Key, Kind, release};
use crate::apimachinery::{
    Body, DeleteOptions, FieldValidation, HttpRequest, Request, Subresource, Verb, wire,
};

const JSON: &str = "application/json";
/// A list is asked for in parts of so many objects (`--chunk-size`).
pub(super) const CHUNK: &str = "500";

/// The `User-Agent`. Its first word owns the fields of a write that names no field manager.
fn user_agent() -> String {
    format!("kubectl/{} (linux/amd64) kubernetes", release::KUBECTL)
}

/// The form of the answer that kubectl accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accept {
    /// The objects.
    Objects,
    /// A table, each row with the metadata of its object, or with the whole object (`includeObject=Object`).
    Table {
        /// Whether the rows have whole objects.
        whole: bool,
    },
    /// All groups with their resources at once (`apidiscovery.k8s.io/v2`).
    Discovery,
}

impl Accept {
    fn header(self) -> &'static str {
        match self {
            Accept::Objects => JSON,
            Accept::Table { .. } => {
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
            }
            Accept::Discovery => {
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
            }
        }
    }
}

/// A request about objects.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) verb: Verb,
    pub(super) kind: Kind,
    /// The name is empty for a collection, the namespace for all namespaces.
    pub(super) key: Key,
    /// `scale`, or whatever a person names; empty for the object itself.
    pub(super) subresource: String,
    pub(super) body: Payload,
    pub(super) accept: Accept,
    /// `labelSelector`; empty for none.
    pub(super) label_selector: String,
    /// `fieldSelector`; empty for none.
    pub(super) field_selector: String,
    /// `continue`: where a list goes on; empty for its beginning.
    pub(super) continue_token: String,
    /// Whether a list is asked for in parts.
    pub(super) chunked: bool,
    /// `dryRun=All`
    pub(super) dry_run: bool,
    pub(super) field_validation: FieldValidation,
    /// `fieldManager`; empty for the server's default.
    pub(super) field_manager: String,
    /// `force`: a server-side apply takes fields from other managers.
    pub(super) force: bool,
}

/// The body of a [`Call`].
#[derive(Clone, Debug)]
pub(super) enum Payload {
    None,
    /// An object.
    Object(Value),
    /// `application/json-patch+json`, as text: the server says what is wrong with it.
    JsonPatch(String),
    /// `application/merge-patch+json`, as text.
    MergePatch(String),
    /// `application/strategic-merge-patch+json`, as text.
    StrategicPatch(String),
    /// `application/apply-patch+yaml`
    Apply(Value),
    /// The options of a deletion.
    Delete(DeleteOptions),
    /// The options of an eviction.
    Evict(DeleteOptions),
}

impl Payload {
    /// The media type; empty for no body.
    pub(super) fn media_type(&self) -> &'static str {
        match self {
            Payload::None => "",
            Payload::Object(_) | Payload::Delete(_) | Payload::Evict(_) => JSON,
            Payload::JsonPatch(_) => "application/json-patch+json",
            Payload::MergePatch(_) => "application/merge-patch+json",
            Payload::StrategicPatch(_) => "application/strategic-merge-patch+json",
            Payload::Apply(_) => "application/apply-patch+yaml",
        }
    }
}

impl Call {
    /// A request without a body.
    pub(super) fn new(verb: Verb, kind: Kind, namespace: &str, name: &str) -> Call {
        let namespace = if kind.namespaced() { namespace } else { "" };
        Call {
            verb,
            kind,
            key: Key::new(namespace, name),
            subresource: String::new(),
            body: Payload::None,
            accept: Accept::Objects,
            label_selector: String::new(),
            field_selector: String::new(),
            continue_token: String::new(),
            chunked: true,
            dry_run: false,
            field_validation: FieldValidation::Warn,
            field_manager: String::new(),
            force: false,
        }
    }

    /// Sets the body of the request.
    #[must_use]
    pub(super) fn body(mut self, body: Payload) -> Call {
        self.body = body;
        self
    }

    /// The request as it travels.
    ///
    /// # Errors
    /// A name or a namespace that no path can hold (`rest.IsValidPathSegmentName`).
    pub(super) fn http(&self) -> Result<HttpRequest, Error> {
        check_segment("resource name", &self.key.name)?;
        check_segment("namespace", &self.key.namespace)?;
        check_segment("subresource", &self.subresource)?;
        let (content_type, body) = self.content();
        Ok(HttpRequest {
            method: self.verb.method().into(),
            path: escaped(&self.path(), b"-_.~$&+,/:;=@"),
            query: self.query(),
            content_type: content_type.into(),
            accept: self.accept.header().into(),
            user_agent: user_agent(),
            body,
            ..HttpRequest::default()
        })
    }

    fn request(&self, subresource: Subresource) -> Request {
        Request::new(&"kubectl".into(), self.verb, self.kind, self.key.clone()).subresource(subresource)
    }

    fn path(&self) -> String {
        if self.subresource.is_empty() {
            return self.request(Subresource::None).path();
        }
        let object =
            Call { verb: Verb::Get, subresource: String::new(), body: Payload::None, ..self.clone() };
        format!("{}/{}", object.path(), self.subresource)
    }

    fn query(&self) -> String {
        let validated = matches!(self.verb, Verb::Create | Verb::Update | Verb::Patch);
        let whole = self.accept == Accept::Table { whole: true };
        // The options of a deletion stand in its body.
        let dry_run = self.dry_run && self.verb != Verb::Delete;
        let all = [
            ("continue", self.continue_token.as_str()),
            ("dryRun", if dry_run { "All" } else { "" }),
            ("fieldManager", &self.field_manager),
            ("fieldSelector", &self.field_selector),
            ("fieldValidation", if validated { self.field_validation.as_str() } else { "" }),
            ("force", if self.force { "true" } else { "" }),
            ("includeObject", if whole { "Object" } else { "" }),
            ("labelSelector", &self.label_selector),
            ("limit", if self.verb == Verb::List && self.chunked { CHUNK } else { "" }),
        ];
        let given = all.iter().filter(|(_, value)| !value.is_empty());
        given.map(|(key, value)| format!("{key}={}", escaped(value, b"-_.~"))).collect::<Vec<_>>().join("&")
    }

    /// The media type and the bytes of the body.
    fn content(&self) -> (&'static str, Vec<u8>) {
        let bytes = match &self.body {
            Payload::None => Vec::new(),
            Payload::Object(value) => format!("{value}\n").into_bytes(),
            Payload::JsonPatch(text) | Payload::MergePatch(text) | Payload::StrategicPatch(text) => {
                text.clone().into_bytes()
            }
            Payload::Apply(value) => value.to_string().into_bytes(),
            Payload::Delete(options) => self.delete_options(Subresource::None, options),
            Payload::Evict(options) => self.delete_options(Subresource::Eviction, options),
        };
        (self.body.media_type(), bytes)
    }

    fn delete_options(&self, subresource: Subresource, options: &DeleteOptions) -> Vec<u8> {
        let request = Request { dry_run: self.dry_run, ..self.request(subresource) };
        wire(&request.body(Body::Delete(options.clone()))).body
    }
}

/// A request for a path that a person names (`--raw`), or that is not about objects.
pub(super) fn raw(method: &str, path: &str, accept: Accept, body: Vec<u8>) -> HttpRequest {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    HttpRequest {
        method: method.into(),
        path: path.into(),
        query: query.into(),
        content_type: if body.is_empty() { String::new() } else { JSON.into() },
        accept: accept.header().into(),
        user_agent: user_agent(),
        body,
        ..HttpRequest::default()
    }
}

fn check_segment(what: &str, text: &str) -> Result<(), Error> {
    let wrong = match text {
        "." | ".." => format!("may not be '{text}'"),
        text if text.contains('/') => "may not contain '/'".to_owned(),
        text if text.contains('%') => "may not contain '%'".to_owned(),
        _ => return Ok(()),
    };
    Err(Error::Text(format!("invalid {what} {text}: [{wrong}]", text = go_quote(text))))
}

/// Percent-encodes all but letters, digits and the bytes that are allowed.
pub(super) fn escaped(text: &str, allowed: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        match b {
            b if b.is_ascii_alphanumeric() || allowed.contains(&b) => out.push(b.into()),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}
