//! The `api/` rows: requests sent in order, answers compared strictly after normalisation.
//!
//! A row is two facts, `status` and `body`, and a third one, `warnings`, where some were recorded.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::matching::{Bindings, differ};
use crate::report::{Fact, Outcome, names, read};
use crate::system::{Factory, HttpRequest, HttpResponse, Setup};

/// A recorded request and its answer.
#[derive(Clone, Debug)]
pub struct Row {
    /// The group, `02-crud`.
    pub group: String,
    /// Its number in the group.
    pub n: u64,
    /// The request, with placeholders.
    pub request: HttpRequest,
    /// The HTTP status.
    pub status: u16,
    /// The answer; `{"text": …}` if it is not JSON, `{"watch": […]}` for a watch.
    pub response: Value,
    /// `Warning` headers.
    pub warnings: Vec<String>,
    /// The content type, where it is not JSON.
    pub response_type: Option<String>,
    /// The recordings disagree: never judge by it.
    pub varies: bool,
}

impl Row {
    /// Reads a line.
    ///
    /// # Errors
    /// If it is not what the README says.
    pub fn parse(line: &str) -> Result<Row, String> {
        // The body keeps the order of its keys: errors are reported in that order.
        let raw: BTreeMap<String, Box<RawValue>> = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let text = |k: &str| row.get(k).and_then(Value::as_str).map(str::to_owned);
        let body = match row.get("body") {
            None | Some(Value::Null) => None,
            Some(Value::String(s)) => Some(s.clone()),
            Some(_) => raw.get("body").map(|b| b.get().to_owned()),
        };
        let warnings = row.get("warnings").and_then(Value::as_array).into_iter().flatten();
        Ok(Row {
            group: text("group").unwrap_or_default(),
            n: row.get("n").and_then(Value::as_u64).unwrap_or(0),
            request: HttpRequest {
                method: text("method").unwrap_or_default(),
                path: text("path").unwrap_or_default(),
                query: text("query").unwrap_or_default(),
                content_type: text("contentType"),
                accept: text("accept"),
                body,
            },
            status: row.get("status").and_then(Value::as_u64).and_then(|s| s.try_into().ok()).unwrap_or(0),
            response: row.get("response").cloned().unwrap_or(Value::Null),
            warnings: warnings.filter_map(Value::as_str).map(str::to_owned).collect(),
            response_type: text("responseType"),
            varies: row.get("varies").and_then(Value::as_bool).unwrap_or(false),
        })
    }

    /// The request with what its placeholders stand for.
    pub fn real_request(&self, bindings: &mut Bindings) -> HttpRequest {
        HttpRequest {
            path: bindings.real(&self.request.path),
            query: bindings.real(&self.request.query),
            body: self.request.body.as_ref().map(|b| bindings.real(b)),
            ..self.request.clone()
        }
    }

    /// Holds an answer against the recorded one.
    pub fn compare(&self, have: &HttpResponse, bindings: &mut Bindings) -> Vec<Fact> {
        if self.varies {
            return Vec::new();
        }
        let r = &self.request;
        let name = format!("{} {}{}{}", r.method, r.path, if r.query.is_empty() { "" } else { "?" }, r.query);
        let status = (self.status != have.status).then(|| {
            format!("want {}, have {} {}", self.status, have.status, crate::report::short(&have.body, 200))
        });
        let body = self.compare_body(have, bindings);
        let warnings = (self.warnings != have.warnings)
            .then(|| format!("want {:?}, have {:?}", self.warnings, have.warnings));
        let mut out = vec![Fact::new("status", name.clone(), status), Fact::new("body", name.clone(), body)];
        if !self.warnings.is_empty() || warnings.is_some() {
            let recorded = !self.warnings.is_empty();
            out.push(Fact { part: "warnings", name, recorded, difference: warnings });
        }
        out
    }

    fn compare_body(&self, have: &HttpResponse, bindings: &mut Bindings) -> Option<String> {
        // No answer at all must not pass for an empty watch.
        if have.status == 0 {
            return Some("no answer".into());
        }
        if let Some(text) = self.response.get("text").and_then(Value::as_str) {
            let wanted = self.response_type.as_deref().unwrap_or("");
            if !wanted.is_empty() && wanted != have.content_type {
                return Some(format!("content type: want {wanted}, have {}", have.content_type));
            }
            return bindings.text(text, &have.body);
        }
        let parsed = if self.response.get("watch").is_some() {
            let events: Result<Vec<Value>, _> =
                have.body.lines().filter(|l| !l.trim().is_empty()).map(serde_json::from_str).collect();
            events.map(|e| serde_json::json!({ "watch": e }))
        } else {
            serde_json::from_str(&have.body)
        };
        match parsed {
            Ok(value) => bindings.value("", &self.response, &value, self.group.contains("apply")),
            Err(_) => Some(differ(&self.response.to_string(), &have.body)),
        }
    }
}

/// The rows of one file.
///
/// # Errors
/// If the file cannot be read or a line is not a row.
pub fn rows(file: &Path) -> Result<Vec<Row>, String> {
    read(file)?.lines().filter(|l| !l.trim().is_empty()).map(Row::parse).collect()
}

/// Runs every group whose name begins with `filter`; one outcome per row.
///
/// # Errors
/// If a file cannot be read.
pub fn run(folder: &Path, filter: &str, factory: &Factory<'_>) -> Result<Vec<Outcome>, String> {
    let mut out = Vec::new();
    for file in names(folder)? {
        let Some(group) = file.strip_suffix(".jsonl").filter(|g| g.starts_with(filter)) else { continue };
        let rows = rows(&folder.join(&file))?;
        let setup = Setup {
            nodes: 0,
            scheduling: false,
            controllers: false,
            real_default: false,
            seconds_past_minute: 20,
        };
        let mut bindings = Bindings::default();
        let mut system = crate::guarded(|| factory(&setup));
        for row in &rows {
            let request = row.real_request(&mut bindings);
            let answer = match &mut system {
                Ok(s) => crate::guarded(|| s.http(&request)),
                Err(e) => Err(e.clone()),
            };
            // After a panic the system is not asked again.
            if let (Err(e), Ok(_)) = (&answer, &system) {
                system = Err(e.clone());
            }
            let have = answer.unwrap_or_else(|e| HttpResponse { body: e, ..HttpResponse::default() });
            let facts = row.compare(&have, &mut bindings);
            out.push(Outcome { name: format!("api/{group}/{}", row.n), facts, notes: Vec::new() });
        }
    }
    Ok(out)
}
