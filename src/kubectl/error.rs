//! Errors in kubectl's words (`k8s.io/kubectl/pkg/cmd/util`, `CheckErr`).

use super::SERVER;
use crate::api::quote::go_quote;
use crate::apimachinery::{Details, Status};

/// Why a command fails.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The server refused.
    Status(Box<Refusal>),
    /// kubectl itself refused, in these words.
    Text(String),
    /// Several things went wrong.
    Many(Vec<Error>),
}

/// A refusal of the server, and what kubectl says before its message. All else is asked of the status.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The server's answer.
    pub status: Status,
    /// What kubectl was about, for example `error when creating "web.yaml": `.
    pub about: String,
}

impl std::ops::Deref for Refusal {
    type Target = Status;

    fn deref(&self) -> &Status {
        &self.status
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Error {
        Error::Status(Box::new(Refusal { status, about: String::new() }))
    }
}

impl Error {
    /// A refusal in words.
    pub fn text(message: impl Into<String>) -> Error {
        Error::Text(message.into())
    }

    /// One error as itself, several as [`Error::Many`], none as `None`.
    pub fn aggregate(mut errors: Vec<Error>) -> Option<Error> {
        match errors.len() {
            0 => None,
            1 => errors.pop(),
            _ => Some(Error::Many(errors)),
        }
    }

    /// Several errors as one whose message is a list (`utilerrors.Aggregate`); none as `None`.
    pub fn one(mut errors: Vec<Error>) -> Option<Error> {
        if errors.len() < 2 {
            return errors.pop();
        }
        let mut messages: Vec<String> = Vec::new();
        for message in errors.iter().map(Error::message) {
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
        Some(Error::Text(match messages.as_slice() {
            [one] => one.clone(),
            many => format!("[{}]", many.join(", ")),
        }))
    }

    /// Says which file it was about (`AddSourceToErr`).
    #[must_use]
    pub fn source(self, verb: &str, source: &str) -> Error {
        if source.is_empty() {
            return self;
        }
        self.about(&format!("error when {verb} {source}: ", source = go_quote(source)))
    }

    /// Says what kubectl was about before the message of one error.
    #[must_use]
    pub fn about(self, prefix: &str) -> Error {
        match self {
            Error::Status(mut s) => {
                s.about.insert_str(0, prefix);
                Error::Status(s)
            }
            Error::Text(t) => Error::Text(prefix.to_owned() + &t),
            many @ Error::Many(_) => many,
        }
    }

    /// What is written to stderr.
    pub fn render(&self) -> String {
        match self {
            Error::Status(s) if s.reason == "Invalid" => invalid(s),
            // With the place that kubectl was at, the error is no `url.Error` any more, so it is printed as one of kubectl's own.
            Error::Status(s) if s.code == 0 && !s.about.is_empty() => format!("error: {}", unreached(s)),
            Error::Status(s) => standard(s),
            Error::Text(t) if t.starts_with("error: ") => t.clone(),
            Error::Text(t) => format!("error: {t}"),
            Error::Many(all) => all.iter().map(|e| e.message() + "\n").collect(),
        }
    }

    /// Without the `error: ` that stands before a lone one.
    pub fn message(&self) -> String {
        match self {
            Error::Status(s) => standard(s),
            Error::Text(t) => t.clone(),
            Error::Many(all) => all.iter().map(Error::message).collect::<Vec<_>>().join("\n"),
        }
    }

    /// Whether the server did not find it.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Error::Status(s) if s.is_not_found())
    }

    /// The server refused because the object has changed meanwhile.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Error::Status(s) if s.is_conflict())
    }
}

/// What is said when no server has answered (`StandardErrorMessage`, of a `url.Error`): with the place that kubectl was at, the error
/// is no `url.Error` any more.
fn unreached(s: &Refusal) -> String {
    if s.about.is_empty() {
        let host = SERVER.trim_start_matches("https://");
        return format!(
            "The connection to the server {host} was refused - did you specify the right host or port?"
        );
    }
    format!("{}{}", s.about, s.message)
}

fn standard(s: &Refusal) -> String {
    if s.code == 0 {
        return unreached(s);
    }
    match &*s.reason {
        "" => format!("Error from server: {}{}", s.about, s.message),
        reason => format!("Error from server ({reason}): {}{}", s.about, s.message),
    }
}

fn invalid(s: &Refusal) -> String {
    let none = Details::default();
    let d = s.details.as_deref().unwrap_or(&none);
    let mut text = "The request is invalid".to_owned();
    if !d.kind.is_empty() || !d.name.is_empty() {
        text = format!("The {} {} is invalid", d.kind, go_quote(&d.name));
    } else if !s.message.is_empty() && d.causes.is_empty() {
        text = format!("The request is invalid: {}{}", s.about, s.message);
    }
    let mut causes: Vec<String> = Vec::new();
    for c in &d.causes {
        let line = format!("{}: {}", c.field, c.message);
        if !causes.contains(&line) {
            causes.push(line);
        }
    }
    match causes.as_slice() {
        [] => text,
        // A message that ends with a line of its own leaves an empty line.
        [one] => format!("{text}: {one}\n"),
        many => {
            text.push_str(": \n");
            for c in many {
                text.push_str("* ");
                text.push_str(c);
                text.push('\n');
            }
            text
        }
    }
}
