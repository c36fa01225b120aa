//! What kubectl asks the API server, as it would travel: JSON bodies, not typed objects, since what
//! a person wrote may be of the wrong type or have fields that no kind knows.

use serde_json::Value;

use crate::api::{Key, Kind};
use crate::apimachinery::{DeleteOptions, FieldValidation, HttpRequest, Response, Subresource, Verb, wire};

/// Who kubectl says it is.
const USER_AGENT: &str = "kubectl/v1.36.4 (linux/amd64) kubernetes";

/// One request of kubectl's.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What for.
    pub verb: Verb,
    /// Of which resource.
    pub kind: Kind,
    /// Which one; the name is empty for a collection, the namespace for all of them.
    pub key: Key,
    /// Which part of it.
    pub subresource: Subresource,
    /// With what.
    pub body: Payload,
    /// `labelSelector`; empty for none.
    pub label_selector: String,
    /// `fieldSelector`; empty for none.
    pub field_selector: String,
    /// `dryRun=All`
    pub dry_run: bool,
    /// `fieldValidation`
    pub field_validation: FieldValidation,
    /// `fieldManager`; empty for the server's default.
    pub field_manager: &'static str,
    /// `force`: takes fields from other managers in a server-side apply.
    pub force: bool,
}

/// What a [`Call`] carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// Nothing.
    None,
    /// An object as JSON.
    Object(Value),
    /// `application/json-patch+json`, as text: the server says what is wrong with it.
    JsonPatch(String),
    /// `application/merge-patch+json`, as text.
    MergePatch(String),
    /// `application/strategic-merge-patch+json`, as text.
    StrategicPatch(String),
    /// `application/apply-patch+yaml`
    Apply(Value),
    /// How to delete.
    Delete(DeleteOptions),
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The answer.
    pub response: Response,
    /// The texts of its `Warning` headers.
    pub warnings: Vec<String>,
}

impl From<Response> for Answer {
    fn from(response: Response) -> Answer {
        Answer { response, warnings: Vec::new() }
    }
}

impl Call {
    /// A request without a body.
    pub fn new(verb: Verb, kind: Kind, namespace: &str, name: &str) -> Call {
        let namespace = if kind.namespaced() { namespace } else { "" };
        Call {
            verb,
            kind,
            key: Key::new(namespace, name),
            subresource: Subresource::None,
            body: Payload::None,
            label_selector: String::new(),
            field_selector: String::new(),
            dry_run: false,
            field_validation: FieldValidation::Warn,
            field_manager: "",
            force: false,
        }
    }

    /// With a body.
    #[must_use]
    pub fn body(mut self, body: Payload) -> Call {
        self.body = body;
        self
    }

    /// The call as it travels.
    pub fn wire(&self) -> HttpRequest {
        let escaped = |text: &str| {
            let mut out = String::with_capacity(text.len());
            for b in text.bytes() {
                match b {
                    b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(b.into()),
                    b => out.push_str(&format!("%{b:02X}")),
                }
            }
            out
        };
        let validation = match self.field_validation {
            _ if !self.verb.writes() || matches!(self.verb, Verb::Delete | Verb::DeleteCollection) => "",
            FieldValidation::Ignore => "Ignore",
            FieldValidation::Warn => "Warn",
            FieldValidation::Strict => "Strict",
        };
        let all = [
            ("dryRun", if self.dry_run { "All" } else { "" }),
            ("fieldManager", self.field_manager),
            ("fieldSelector", &self.field_selector),
            ("fieldValidation", validation),
            ("force", if self.force { "true" } else { "" }),
            ("labelSelector", &self.label_selector),
            ("limit", if self.verb == Verb::List { "500" } else { "" }),
        ];
        let query: Vec<String> =
            all.iter().filter(|(_, v)| !v.is_empty()).map(|(k, v)| format!("{k}={}", escaped(v))).collect();
        let (content_type, body) = match &self.body {
            Payload::None => ("", String::new()),
            Payload::Object(value) => ("application/json", format!("{value}\n")),
            Payload::JsonPatch(text) => ("application/json-patch+json", text.clone()),
            Payload::MergePatch(text) => ("application/merge-patch+json", text.clone()),
            Payload::StrategicPatch(text) => ("application/strategic-merge-patch+json", text.clone()),
            Payload::Apply(value) => ("application/apply-patch+yaml", value.to_string()),
            Payload::Delete(options) => {
                let delete = crate::apimachinery::Request::new(
                    &"kubectl".into(),
                    self.verb,
                    self.kind,
                    self.key.clone(),
                );
                let body = crate::apimachinery::Body::Delete(options.clone());
                let body = wire(&delete.subresource(self.subresource).body(body)).body;
                ("application/json", String::from_utf8_lossy(&body).into_owned())
            }
        };
        HttpRequest {
            method: self.verb.method().into(),
            path: self.path(),
            query: query.join("&"),
            content_type: content_type.into(),
            accept: "application/json".into(),
            user_agent: USER_AGENT.into(),
            body: body.into_bytes(),
        }
    }

    /// The path it goes to.
    pub fn path(&self) -> String {
        crate::apimachinery::Request::new(&"kubectl".into(), self.verb, self.kind, self.key.clone())
            .subresource(self.subresource)
            .path()
    }
}
