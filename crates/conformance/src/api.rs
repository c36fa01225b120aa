//! The `api/` rows: requests sent in order, and responses compared strictly after normalisation.
//!
//! A row is two facts, `status` and `body`, and a third one, `warnings`, if some were recorded.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::matching::{Bindings, Rules, differ};
use crate::report::{Fact, Outcome, names, read};
use crate::system::{Factory, HttpRequest, HttpResponse, Setup, System};

/// The only group that was recorded on a cluster with controllers.
const WITH_CONTROLLERS: &str = "32-bootstrap-rbac";

/// The only group in which pods are created in namespaces of the group. Without controllers these namespaces
/// have no ServiceAccount `default`, so the recorder created it by hand. These requests are not in the
/// recording, but the numbers of uids and revisions show where they were.
const WITH_ACCOUNTS: &str = "31-pod-security";

/// The beginning of a recorded `Authorization` header with a user's own token.
const TOKEN_OF: &str = "Bearer <token of ";

/// A recorded request and its response.
#[derive(Clone, Debug)]
pub struct Row {
    /// The group's name, for example `02-crud`.
    pub group: String,
    /// The row's number in the group.
    pub n: u64,
    /// The request, with placeholders.
    pub request: HttpRequest,
    /// The HTTP status.
    pub status: u16,
    /// The response's body; `{"text": …}` if it is not JSON, `{"watch": […]}` for a watch.
    pub response: Value,
    /// The `Warning` headers.
    pub warnings: Vec<String>,
    /// The content type, if it is not JSON.
    pub response_type: Option<String>,
    /// Whether only a part of the response was kept.
    pub trimmed: bool,
    /// Whether the recordings disagree. Then the row is not judged.
    pub varies: bool,
}

/// A recorded body as the recorder sent it: with a blank after each comma and colon, as Python's `json.dumps` writes JSON.
/// Some refusals quote the body.
fn as_sent(compact: &str) -> String {
    let mut out = String::with_capacity(compact.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in compact.chars() {
        out.push(c);
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else if c == '"' {
            quoted = true;
        } else if matches!(c, ',' | ':') {
            out.push(' ');
        }
    }
    out
}

impl Row {
    /// Parses a line of a recording.
    ///
    /// # Errors
    /// If the line is not as the README says.
    pub fn parse(line: &str) -> Result<Row, String> {
        // The order of the body's keys is kept, because errors are reported in that order.
        let raw: BTreeMap<String, Box<RawValue>> = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let text = |k: &str| row.get(k).and_then(Value::as_str).map(str::to_owned);
        let truth = |k: &str| row.get(k).and_then(Value::as_bool).unwrap_or(false);
        let body = match row.get("body") {
            None | Some(Value::Null) => None,
            Some(Value::String(s)) => Some(s.clone()),
            Some(_) => raw.get("body").map(|b| as_sent(b.get())),
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
                headers: headers(row.get("headers"))?,
                body,
            },
            status: row.get("status").and_then(Value::as_u64).and_then(|s| s.try_into().ok()).unwrap_or(0),
            response: row.get("response").cloned().unwrap_or(Value::Null),
            warnings: warnings.filter_map(Value::as_str).map(str::to_owned).collect(),
            response_type: text("responseType"),
            trimmed: truth("trimmed"),
            varies: truth("varies"),
        })
    }

    /// The request, with values in place of its placeholders.
    pub fn real_request(&self, bindings: &mut Bindings, system: &mut dyn System) -> HttpRequest {
        let mut header = |value: &str| {
            let user = value.strip_prefix(TOKEN_OF).and_then(|v| v.strip_suffix('>'));
            let token = user.and_then(|u| system.token(u));
            token.map_or_else(|| value.to_owned(), |t| format!("Bearer {t}"))
        };
        HttpRequest {
            headers: self.request.headers.iter().map(|(k, v)| (k.clone(), header(v))).collect(),
            path: bindings.real(&self.request.path),
            query: bindings.real(&self.request.query),
            body: self.request.body.as_ref().map(|b| bindings.real(b)),
            ..self.request.clone()
        }
    }

    /// Compares a response with the recorded one.
    pub fn compare(&self, have: &HttpResponse, bindings: &mut Bindings) -> Vec<Fact> {
        if self.varies {
            return Vec::new();
        }
        let name = self.name();
        let ignored = match have.ignored.join(", ") {
            names if names.is_empty() => String::new(),
            names => format!(" (the system takes no header {names})"),
        };
        let told = |difference: Option<String>| difference.map(|d| d + &ignored);
        let status = (self.status != have.status).then(|| {
            format!("want {}, have {} {}", self.status, have.status, crate::report::short(&have.body, 200))
        });
        let body = self.compare_body(have, bindings);
        let warnings = (self.warnings != have.warnings)
            .then(|| format!("want {:?}, have {:?}", self.warnings, have.warnings));
        let mut out = vec![
            Fact::new("status", name.clone(), told(status)),
            Fact::new("body", name.clone(), told(body)),
        ];
        if !self.warnings.is_empty() || warnings.is_some() {
            let recorded = !self.warnings.is_empty();
            out.push(Fact { part: "warnings", name, recorded, difference: told(warnings) });
        }
        out
    }

    /// The request in one line: method, path, query, and the user if it is not the admin.
    fn name(&self) -> String {
        let r = &self.request;
        let mut out =
            format!("{} {}{}{}", r.method, r.path, if r.query.is_empty() { "" } else { "?" }, r.query);
        for (name, value) in &r.headers {
            out.push_str(&format!(" [{name}: {value}]"));
        }
        out
    }

    fn compare_body(&self, have: &HttpResponse, bindings: &mut Bindings) -> Option<String> {
        // A missing response must not count as an empty watch.
        if have.status == 0 {
            return Some(format!("no answer: {}", have.body));
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
        let rules = Rules { managed_fields: self.group.contains("apply"), trimmed: self.trimmed };
        match parsed {
            Ok(mut value) => {
                let mut want = self.response.clone();
                sort_rules_review(&mut want);
                sort_rules_review(&mut value);
                bindings.value("", &want, &value, rules)
            }
            Err(_) => Some(differ(&self.response.to_string(), &have.body)),
        }
    }
}

/// Creates the ServiceAccount `default` of a namespace that a row has created.
fn make_account(system: &mut dyn System, row: &Row) {
    let makes = row.request.method == "POST" && row.request.path == "/api/v1/namespaces" && row.status == 201;
    let name = row.response.pointer("/metadata/name").and_then(Value::as_str);
    if let Some(name) = name.filter(|_| makes) {
        system.http(&HttpRequest {
            method: "POST".into(),
            path: format!("/api/v1/namespaces/{name}/serviceaccounts"),
            content_type: Some("application/json".into()),
            body: Some(r#"{"metadata": {"name": "default"}}"#.into()),
            ..HttpRequest::default()
        });
    }
}

/// The headers of a row. The value is a list if a header was sent several times.
fn headers(value: Option<&Value>) -> Result<Vec<(String, String)>, String> {
    let mut out = Vec::new();
    for (name, value) in value.and_then(Value::as_object).into_iter().flatten() {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            one => std::slice::from_ref(one),
        };
        for value in values {
            let text = value.as_str().ok_or_else(|| format!("header {name} is {value}"))?;
            out.push((name.clone(), text.to_owned()));
        }
    }
    Ok(out)
}

/// Sorts all lists in the status of a SelfSubjectRulesReview, whose order varies.
fn sort_rules_review(answer: &mut Value) {
    fn sort(value: &mut Value) {
        match value {
            Value::Array(items) => {
                items.iter_mut().for_each(sort);
                items.sort_by_cached_key(Value::to_string);
            }
            Value::Object(map) => map.values_mut().for_each(sort),
            _ => {}
        }
    }
    if answer.get("kind").and_then(Value::as_str) == Some("SelfSubjectRulesReview")
        && let Some(status) = answer.get_mut("status")
    {
        sort(status);
    }
}

/// The rows of one file.
///
/// # Errors
/// If the file cannot be read, or a line is not a row.
pub fn rows(file: &Path) -> Result<Vec<Row>, String> {
    let line = |l: &str| Row::parse(l).map_err(|e| format!("{}: {e}", file.display()));
    read(file)?.lines().filter(|l| !l.trim().is_empty()).map(line).collect()
}

/// Runs every group whose name begins with `filter`. Returns one outcome for each row.
///
/// # Errors
/// If a file cannot be read.
pub fn run(folder: &Path, filter: &str, factory: &Factory<'_>) -> Result<Vec<Outcome>, String> {
    let files = names(folder)?;
    let groups: Vec<&str> =
        files.iter().filter_map(|f| f.strip_suffix(".jsonl")).filter(|g| g.starts_with(filter)).collect();
    let outcomes = crate::parallel::each(&groups, |group| run_group(folder, group, factory))?;
    Ok(outcomes.into_iter().flatten().collect())
}

fn run_group(folder: &Path, group: &str, factory: &Factory<'_>) -> Result<Vec<Outcome>, String> {
    let rows = rows(&folder.join(format!("{group}.jsonl")))?;
    let controllers = group == WITH_CONTROLLERS;
    let setup = Setup { nodes: if controllers { 3 } else { 0 }, controllers, ..Setup::default() };
    let mut bindings = Bindings::default();
    let mut system = crate::guarded(|| {
        let mut system = factory(&setup);
        if controllers {
            system.settle();
        }
        system
    });
    let mut out = Vec::new();
    for row in &rows {
        let answer = match &mut system {
            Ok(s) => crate::guarded(|| {
                let request = row.real_request(&mut bindings, s.as_mut());
                let answer = s.http(&request);
                if group == WITH_ACCOUNTS {
                    make_account(s.as_mut(), row);
                }
                answer
            }),
            Err(e) => Err(e.clone()),
        };
        // After a panic the system gets no further requests.
        if let (Err(e), Ok(_)) = (&answer, &system) {
            system = Err(e.clone());
        }
        let have = answer.unwrap_or_else(|e| HttpResponse { body: e, ..HttpResponse::default() });
        let facts = row.compare(&have, &mut bindings);
        let unjudged = row.varies.then(|| "the recordings disagree about it".to_owned());
        let unheard = !have.ignored.is_empty();
        let name = format!("api/{group}/{}", row.n);
        out.push(Outcome { name, facts, unjudged, unheard, ..Outcome::default() });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_header_that_is_sent_several_times_is_a_list() {
        let value = json!({"Impersonate-User": "a", "Impersonate-Group": ["b", "c"]});
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
        };
        let want =
            pairs(&[("Impersonate-Group", "b"), ("Impersonate-Group", "c"), ("Impersonate-User", "a")]);
        assert_eq!(headers(Some(&value)), Ok(want));
        assert_eq!(headers(None), Ok(Vec::new()));
        assert!(headers(Some(&json!({"X": 1}))).is_err());
    }

    #[test]
    fn lists_of_a_rules_review_have_no_order() {
        let review = |verbs: [&str; 2]| json!({"kind": "SelfSubjectRulesReview", "status": {"resourceRules": [{"verbs": verbs}]}});
        let (mut a, mut b) = (review(["get", "list"]), review(["list", "get"]));
        sort_rules_review(&mut a);
        sort_rules_review(&mut b);
        assert_eq!(a, b);
        let other = json!({"kind": "Role", "status": [2, 1]});
        let mut same = other.clone();
        sort_rules_review(&mut same);
        assert_eq!(same, other);
    }
}
