//! The answers that kubectl gets: HTTP, decoded once.

use std::cell::OnceCell;

use serde_json::Value;

use super::call::Call;
use super::error::Error;
use crate::api::{Kind, Object};
use crate::apimachinery::{HttpResponse, Status};

/// An answer with the JSON of its body, which is parsed when it is first asked for.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) response: HttpResponse,
    value: OnceCell<Value>,
}

/// One part of a list.
pub(super) struct Part {
    pub(super) items: Vec<Value>,
    /// The token that the next part is asked for with; empty for the last part.
    pub(super) continue_token: String,
}

impl Answer {
    pub(super) fn new(response: HttpResponse) -> Answer {
        Answer { response, value: OnceCell::new() }
    }

    /// The refusal, if the server refused, or if there was none to answer.
    pub(super) fn refusal(&self) -> Option<Status> {
        if self.response.status == 0 {
            return Some(Status::new(0, "", self.response.body.clone()));
        }
        (self.response.status >= 400).then(|| Status::of_answer(self.response.status, &self.response.body))
    }

    /// [`Answer::refusal`] of a request about objects. A message that client-go makes itself, since the body is no
    /// `Status`, ends with the HTTP method, the resource and the name that were asked for
    /// (`errors.NewGenericServerResponse`).
    pub(super) fn refusal_of(&self, method: &str, call: &Call) -> Option<Status> {
        let mut status = self.refusal()?;
        if status.code != 0 && self.text("/kind") != "Status" {
            let name = if call.key.name.is_empty() { String::new() } else { format!(" {}", call.key.name) };
            let about = format!(" ({} {}{name})", method.to_lowercase(), call.kind.group_resource());
            status.message.push_str(&about);
        }
        Some(status)
    }

    /// The JSON of the body; `null` if the body is none.
    pub(super) fn value(&self) -> &Value {
        self.value.get_or_init(|| serde_json::from_str(&self.response.body).unwrap_or(Value::Null))
    }

    /// The text at a path of the JSON (`/metadata/name`); empty if there is none.
    pub(super) fn text(&self, path: &str) -> &str {
        self.value().pointer(path).and_then(Value::as_str).unwrap_or_default()
    }

    /// The object of a kind that the body is.
    ///
    /// # Errors
    /// The server sent something else.
    pub(super) fn object(&self, kind: Kind) -> Result<Object, Error> {
        object(kind, self.value().clone())
    }

    /// The items of a list, or the rows of a table.
    pub(super) fn part(&self, items: &str) -> Part {
        let items = self.value().get(items).and_then(Value::as_array).cloned().unwrap_or_default();
        Part { items, continue_token: self.text("/metadata/continue").to_owned() }
    }
}

/// The typed object of its JSON.
pub(super) fn object(kind: Kind, value: Value) -> Result<Object, Error> {
    Object::from_value(kind, value).map_err(|e| Error::Text(format!("unable to decode the answer: {e}")))
}

/// The text of a `Warning` header: `299 - "text"`; `None` for a header of another form.
pub(super) fn warning(header: &str) -> Option<String> {
    let quoted = header.strip_prefix("299 ")?.split_once(' ')?.1;
    let quoted = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        text.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_read_as_it_was_meant() {
        let header = r#"299 - "unknown field \"spec\\x\"""#;
        assert_eq!(warning(header).as_deref(), Some(r#"unknown field "spec\x""#));
        assert_eq!(warning("199 - \"x\""), None);
    }

    #[test]
    fn an_answer_that_is_no_status_is_a_refusal_too() {
        let answer = |status: u16, body: &str| {
            Answer::new(HttpResponse { status, body: body.into(), ..HttpResponse::default() })
        };
        assert_eq!(answer(200, "ok").refusal(), None);
        let refused = |status: u16, body: &str| answer(status, body).refusal().map(|s| s.message);
        assert_eq!(
            refused(500, "no etcd\n").as_deref(),
            Some("an error on the server (\"no etcd\") has prevented the request from succeeding")
        );
        assert_eq!(
            refused(409, r#"{"kind":"Status","message":"taken","code":409}"#).as_deref(),
            Some("taken")
        );
    }
}
