//! `metav1.Status`: the refusals of the API server.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use crate::api::Kind;
use crate::api::quote::go_quote;

/// A refusal, with the reason and code of `k8s.io/apimachinery/pkg/api/errors`. It is written and read as the API
/// server's JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The HTTP status code; 0 if no server has answered.
    pub code: u16,
    /// `NotFound`, `AlreadyExists`, `Conflict`, `Invalid` …; empty where Kubernetes leaves it empty.
    pub reason: Cow<'static, str>,
    /// A sentence for people.
    pub message: String,
    /// What the refusal is about.
    pub details: Option<Box<Details>>,
    /// `metadata.continue`: how a list that cannot go on as it was begun goes on nevertheless; empty for any other refusal.
    pub continues: String,
}

/// What a [`Status`] is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The object's name, or what was asked for.
    pub name: String,
    /// The API group; empty for core.
    pub group: String,
    /// A resource (`deployments`) or a kind (`Deployment`): Kubernetes uses both.
    pub kind: String,
    /// The object's uid, where known.
    pub uid: String,
    /// One entry per violation.
    pub causes: Vec<Cause>,
    /// After how many seconds to try again; 0 if that is not said.
    pub retry_after_seconds: u32,
}

/// One of the causes of a refusal (`StatusCause`), mostly a field with what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// `FieldValueInvalid` …
    pub reason: String,
    /// A sentence that says what is wrong.
    pub message: String,
    /// The path of the field.
    pub field: String,
}

impl Details {
    /// Details that name a resource.
    pub fn resource(kind: Kind, name: &str) -> Details {
        Details {
            name: name.into(),
            group: kind.stored().group().into(),
            kind: kind.plural().into(),
            ..Default::default()
        }
    }

    /// Details that name a kind.
    pub fn kind(kind: Kind, name: &str) -> Details {
        Details {
            name: name.into(),
            group: kind.stored().group().into(),
            kind: kind.as_str().into(),
            ..Default::default()
        }
    }
}

impl Status {
    /// A refusal without details.
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Status {
        Status {
            code,
            reason: reason.into(),
            message: message.into(),
            details: None,
            continues: String::new(),
        }
    }

    /// Sets the details of the refusal.
    #[must_use]
    pub fn with(mut self, details: Details) -> Status {
        self.details = Some(Box::new(details));
        self
    }

    /// The refusal that an answer with this HTTP status code has in its body. A body that is no `Status` is the message
    /// itself (`errors.NewGenericServerResponse`).
    pub fn of_answer(code: u16, body: &str) -> Status {
        let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
        Status::of_value(code, &value).unwrap_or_else(|| {
            let body = body.trim();
            let (reason, message) = match code {
                404 => ("NotFound", "the server could not find the requested resource".to_owned()),
                503 => {
                    ("ServiceUnavailable", "the server is currently unable to handle the request".to_owned())
                }
                429 => ("TooManyRequests", body.to_owned()),
                500.. => {
                    // `maxUnstructuredResponseTextBytes` of client-go's `rest/request.go`
                    let shown = go_quote(body.get(..body.floor_char_boundary(2048)).unwrap_or_default());
                    let message =
                        format!("an error on the server ({shown}) has prevented the request from succeeding");
                    ("InternalError", message)
                }
                _ => ("", body.to_owned()),
            };
            Status::new(code, reason, message)
        })
    }

    /// The refusal that is written as this JSON; `None` if the JSON is no `Status`. `code` counts where the JSON has none.
    fn of_value(code: u16, value: &Value) -> Option<Status> {
        let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        if text(value, "kind") != "Status" {
            return None;
        }
        let cause = |c: &Value| Cause {
            reason: text(c, "reason"),
            message: text(c, "message"),
            field: text(c, "field"),
        };
        let details = value.get("details").map(|d| {
            let causes = d.get("causes").and_then(Value::as_array);
            Box::new(Details {
                name: text(d, "name"),
                group: text(d, "group"),
                kind: text(d, "kind"),
                uid: text(d, "uid"),
                causes: causes.into_iter().flatten().map(cause).collect(),
                retry_after_seconds: d
                    .get("retryAfterSeconds")
                    .and_then(Value::as_u64)
                    .and_then(|n| u32::try_from(n).ok())
                    .unwrap_or(0),
            })
        });
        let own = value.get("code").and_then(Value::as_u64).and_then(|c| u16::try_from(c).ok());
        let reason = Cow::Owned(text(value, "reason"));
        let continues = value.get("metadata").map(|m| text(m, "continue")).unwrap_or_default();
        let (code, message) = (own.unwrap_or(code), text(value, "message"));
        Some(Status { code, reason, message, details, continues })
    }

    /// 404 for an object.
    pub fn not_found(kind: Kind, name: &str) -> Status {
        Status::new(
            404,
            "NotFound",
            format!("{} {name} not found", kind.group_resource(), name = go_quote(name)),
        )
        .with(Details::resource(kind, name))
    }

    /// 500 with its reason.
    pub fn internal_error(why: &str) -> Status {
        let cause = Cause { message: why.to_owned(), ..Cause::default() };
        Status::new(500, "InternalError", format!("Internal error occurred: {why}"))
            .with(Details { causes: vec![cause], ..Details::default() })
    }

    /// 404 for a path.
    pub fn no_such_path() -> Status {
        Status::new(404, "NotFound", "the server could not find the requested resource")
            .with(Details::default())
    }

    /// 409: the name is taken.
    pub fn already_exists(kind: Kind, name: &str) -> Status {
        Status::new(
            409,
            "AlreadyExists",
            format!("{} {name} already exists", kind.group_resource(), name = go_quote(name)),
        )
        .with(Details::resource(kind, name))
    }

    /// 409: the object was changed in between.
    pub fn conflict(kind: Kind, name: &str, why: &str) -> Status {
        Status::new(
            409,
            "Conflict",
            format!(
                "Operation cannot be fulfilled on {} {name}: {why}",
                kind.group_resource(),
                name = go_quote(name)
            ),
        )
        .with(Details::resource(kind, name))
    }

    /// 409: a precondition of a delete does not hold; these name the kind, not the resource.
    pub fn precondition_failed(kind: Kind, name: &str, why: &str) -> Status {
        Status::new(
            409,
            "Conflict",
            format!(
                "Operation cannot be fulfilled on {} {name}: {why}",
                kind.group_kind(),
                name = go_quote(name)
            ),
        )
        .with(Details::kind(kind, name))
    }

    /// A refusal with 403 and the reason `Forbidden`.
    pub fn forbidden(kind: Kind, name: &str, why: &str) -> Status {
        let subject = if name.is_empty() {
            kind.group_resource()
        } else {
            format!("{} {name}", kind.group_resource(), name = go_quote(name))
        };
        Status::new(403, "Forbidden", format!("{subject} is forbidden: {why}"))
            .with(Details::resource(kind, name))
    }

    /// A refusal with 400 and the reason `BadRequest`.
    pub fn bad_request(message: impl Into<String>) -> Status {
        Status::new(400, "BadRequest", message)
    }

    /// A refusal with 405 and the reason `MethodNotAllowed`.
    pub fn method_not_supported(kind: Kind, action: &str) -> Status {
        Status::new(
            405,
            "MethodNotAllowed",
            format!("{action} is not supported on resources of kind {}", go_quote(kind.group_resource())),
        )
        .with(Details {
            group: kind.stored().group().into(),
            kind: kind.plural().into(),
            ..Default::default()
        })
    }

    /// 410: the revision is no longer known.
    pub fn expired(message: impl Into<String>) -> Status {
        Status::new(410, "Expired", message)
    }

    /// 410 for a watch or list from a compacted revision.
    pub fn too_old(asked: u64, oldest: u64) -> Status {
        Status::expired(format!("too old resource version: {asked} ({oldest})"))
    }

    /// 429: an eviction that a budget refuses, and after how many seconds to try it again; 0 if that is not said.
    pub fn too_many_evictions(why: String, retry_after_seconds: u32) -> Status {
        let message = "Cannot evict pod as it would violate the pod's disruption budget.";
        let cause = Cause { reason: "DisruptionBudget".into(), message: why, ..Cause::default() };
        Status::new(429, "TooManyRequests", message).with(Details {
            causes: vec![cause],
            retry_after_seconds,
            ..Details::default()
        })
    }

    /// Whether it is a 404.
    pub fn is_not_found(&self) -> bool {
        self.reason == "NotFound"
    }

    /// Whether the object was changed in between.
    pub fn is_conflict(&self) -> bool {
        self.reason == "Conflict"
    }

    /// Whether an object of that name exists already.
    pub fn is_already_exists(&self) -> bool {
        self.reason == "AlreadyExists"
    }

    /// Whether the namespace is being deleted.
    pub fn is_namespace_terminating(&self) -> bool {
        self.details.iter().flat_map(|d| &d.causes).any(|c| c.reason == "NamespaceTerminating")
    }

    /// After how many seconds to try again; 0 if that is not said. A timeout says it always.
    pub fn retry_after_seconds(&self) -> u32 {
        match &self.details {
            Some(_) if self.reason == "Timeout" => 1,
            Some(details) => details.retry_after_seconds,
            None => 0,
        }
    }

    /// The JSON of the status; its text in the order of the struct is [`ordered`](super::ordered).
    pub fn to_value(&self) -> Value {
        let mut v = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if !self.continues.is_empty() {
            v["metadata"]["continue"] = self.continues.as_str().into();
        }
        if !self.reason.is_empty() {
            v["reason"] = (*self.reason).into();
        }
        if let Some(d) = &self.details {
            v["details"] = d.to_value();
            if self.retry_after_seconds() > 0 {
                v["details"]["retryAfterSeconds"] = self.retry_after_seconds().into();
            }
        }
        v
    }
}

impl Details {
    /// The JSON of the details without the empty fields.
    pub fn to_value(&self) -> Value {
        let mut m = serde_json::Map::new();
        for (k, s) in [("name", &self.name), ("group", &self.group), ("kind", &self.kind), ("uid", &self.uid)]
        {
            if !s.is_empty() {
                m.insert(k.into(), s.as_str().into());
            }
        }
        if !self.causes.is_empty() {
            let causes = self.causes.iter().map(|c| {
                let mut m = serde_json::Map::new();
                for (k, s) in [("reason", &c.reason), ("message", &c.message), ("field", &c.field)] {
                    if !s.is_empty() {
                        m.insert(k.into(), s.as_str().into());
                    }
                }
                Value::Object(m)
            });
            m.insert("causes".into(), causes.collect());
        }
        if self.retry_after_seconds > 0 {
            m.insert("retryAfterSeconds".into(), self.retry_after_seconds.into());
        }
        Value::Object(m)
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Status, D::Error> {
        Status::of_value(500, &Value::deserialize(from)?).ok_or_else(|| D::Error::custom("no Status"))
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Status {}
