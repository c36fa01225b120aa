//! Whether the matches and filters of an HTTPRoute can be told to nginx (`validateMatch` in `internal/controller/state/graph/httproute.go`,
//! `validateFilter` in `common_filter.go`, `internal/controller/nginx/config/validation`).

use super::field::{invalid, not_found, not_supported, required};
use super::objects::{Filter, HeaderFilter, HttpMatch, NameValue, OWN_GROUP, PathChange, ValueMatch};
use crate::network::pattern::compile;

/// The paths with which the controller's own locations begin.
const INTERNAL: &str = "/_ngf-internal";

/// The types of filters that are known: `RequestMirror` and `CORS`, which the controller knows, too, are not simulated.
const FILTERS: [&str; 5] =
    ["ResponseHeaderModifier", "RequestHeaderModifier", "ExtensionRef", "RequestRedirect", "URLRewrite"];

const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

fn path_characters(path: &str) -> bool {
    path.starts_with('/') && !path.contains(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | ';'))
}

const PATH: &str = "must start with / and must not include any whitespace character, `{`, `}` or `;` (e.g. '/',  or '/path',  or '/path/subpath-123', regex used for validation is '/[^\\s{};]*')";

/// What is wrong with a match.
pub fn of_match(found: &HttpMatch, at: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if let Some(path) = &found.path {
        let value = path.value.as_deref().unwrap_or("/");
        let at = format!("{at}.path.value");
        if value.starts_with(INTERNAL) {
            let detail =
                format!("path cannot start with {INTERNAL}. This prefix is reserved for internal use");
            errors.push(invalid(&at, value, &detail));
        } else if value.is_empty() {
            errors.push(invalid(&at, value, "cannot be empty"));
        } else if !path_characters(value) {
            errors.push(invalid(&at, value, PATH));
        } else if path.type_.as_deref() == Some("RegularExpression")
            && let Err(why) = compile(value, false)
        {
            errors.push(invalid(&at, value, &format!("invalid regex for path {value:?}: {why}")));
        }
    }
    errors.extend(values(&found.headers, &format!("{at}.headers")));
    errors.extend(values(&found.query_params, &format!("{at}.queryParams")));
    let method = found.method.as_deref().filter(|m| !METHODS.contains(m));
    errors.extend(method.map(|m| not_supported(&format!("{at}.method"), m, &METHODS)));
    errors
}

fn values(all: &[ValueMatch], at: &str) -> Vec<String> {
    let one = |(i, found): (usize, &ValueMatch)| {
        let blank = found.value.trim().is_empty();
        let blank = blank.then(|| "cannot be empty after trimming whitespace".to_owned());
        let is_expression = found.is_expression();
        let broken = || is_expression.then(|| compile(&found.value, false).err()).flatten();
        blank.or_else(broken).map(|why| invalid(&format!("{at}[{i}].value"), &found.value, &why))
    };
    all.iter().enumerate().filter_map(one).collect()
}

/// What is wrong with filters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadFilters {
    /// What cannot be done.
    pub invalid: Vec<String>,
    /// What is not there.
    pub unresolved: Vec<String>,
}

impl BadFilters {
    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.invalid.is_empty() && self.unresolved.is_empty()
    }
}

/// What is wrong with the filters of a rule.
pub fn of_filters(filters: &[Filter], at: &str) -> BadFilters {
    let mut bad = BadFilters::default();
    for (i, filter) in filters.iter().enumerate() {
        let at = format!("{at}[{i}]");
        match (filter.type_.as_str(), filter) {
            ("RequestRedirect", Filter { request_redirect: Some(redirect), .. }) => {
                let at = format!("{at}.requestRedirect");
                let scheme = redirect.scheme.as_deref().filter(|s| !matches!(*s, "http" | "https"));
                let supported = ["http", "https"];
                let scheme = scheme.map(|s| not_supported(&format!("{at}.scheme"), s, &supported));
                bad.invalid.extend(scheme);
                bad.invalid.extend(host(redirect.hostname.as_deref(), &at));
                bad.invalid.extend(path(redirect.path.as_ref(), &at));
            }
            ("URLRewrite", Filter { url_rewrite: Some(rewrite), .. }) => {
                let at = format!("{at}.urlRewrite");
                bad.invalid.extend(host(rewrite.hostname.as_deref(), &at));
                bad.invalid.extend(path(rewrite.path.as_ref(), &at));
            }
            ("RequestHeaderModifier", Filter { request_header_modifier: Some(change), .. }) => {
                bad.invalid.extend(headers(change, &format!("{at}.RequestHeaderModifier")));
            }
            ("ResponseHeaderModifier", Filter { response_header_modifier: Some(change), .. }) => {
                let at = format!("{at}.ResponseHeaderModifier");
                let found = headers(change, &at);
                bad.invalid.extend(if found.is_empty() { kept_by_nginx(change, &at) } else { found });
            }
            ("ExtensionRef", Filter { extension_ref: Some(reference), .. }) => {
                let at = format!("{at}.extensionRef");
                let kinds = ["SnippetsFilter", "AuthenticationFilter"];
                if reference.group != OWN_GROUP {
                    bad.invalid.push(not_supported(&at, &reference.group, &[OWN_GROUP]));
                } else if !kinds.contains(&reference.kind.as_str()) {
                    bad.invalid.push(not_supported(&at, &reference.kind, &kinds));
                } else {
                    // There are no definitions of these kinds.
                    bad.unresolved.push(not_found(&at, &format!("{}/{}", reference.kind, reference.name)));
                }
            }
            (type_, _) if FILTERS.contains(&type_) => bad.invalid.push(required(&at, "cannot be nil")),
            (type_, _) => bad.invalid.push(not_supported(&format!("{at}.type"), type_, &FILTERS)),
        }
    }
    bad
}

fn is_escaped(text: &str) -> bool {
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '"' | '$' | '\r' | '\n' => return false,
            '\\' if letters.next().is_none_or(|c| c == '$') => return false,
            _ => {}
        }
    }
    true
}

const ESCAPED: &str =
    "a valid value must have all '\"' escaped and must not contain any '$' or end with an unescaped '\\'";

fn host(name: Option<&str>, at: &str) -> Option<String> {
    let name = name.filter(|n| !is_escaped(n))?;
    Some(invalid(&format!("{at}.hostname"), name, ESCAPED))
}

fn path(change: Option<&PathChange>, at: &str) -> Option<String> {
    let text = change?.text();
    let at = format!("{at}.path");
    if text.is_empty() {
        None
    } else if !path_characters(text) {
        Some(invalid(&at, text, PATH))
    } else {
        text.contains('$').then(|| invalid(&at, text, "cannot contain $"))
    }
}

fn headers(change: &HeaderFilter, at: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let named = |all: &[NameValue]| all.iter().map(|h| h.name.clone()).collect::<Vec<_>>();
    let lists = [("add", named(&change.add)), ("set", named(&change.set)), ("remove", change.remove.clone())];
    for (list, names) in &lists {
        let at = format!("{at}.{list}");
        let mut seen: Vec<String> = Vec::new();
        for name in names {
            let lower = name.to_ascii_lowercase();
            if seen.contains(&lower) {
                errors.push(invalid(&at, name, "header name is not unique"));
            }
            if matches!(lower.as_str(), "host" | "connection" | "upgrade") {
                let detail =
                    "unsupported header name configured, unsupported names are: connection, host, upgrade";
                errors.push(invalid(&at, name, detail));
            }
            seen.push(lower);
        }
    }
    for (list, fields) in [("add", &change.add), ("set", &change.set)] {
        for field in fields.iter().filter(|f| !is_escaped(&f.value)) {
            // A variable of nginx is a value, too, but none is known here.
            errors.push(invalid(&format!("{at}.{list}"), &field.value, ESCAPED));
        }
    }
    errors
}

/// Header fields of an answer that nginx writes by itself.
fn kept_by_nginx(change: &HeaderFilter, at: &str) -> Vec<String> {
    let own = ["server", "date", "x-pad", "content-type", "content-length", "connection"];
    let mut errors = Vec::new();
    let added = change.add.iter().map(|h| ("add", &h.name));
    let all = added.chain(change.set.iter().map(|h| ("set", &h.name)));
    for (list, name) in all.chain(change.remove.iter().map(|name| ("remove", name))) {
        let lower = name.to_ascii_lowercase();
        if own.contains(&lower.as_str()) || lower.starts_with("x-accel") {
            errors.push(invalid(&format!("{at}.{list}"), name, "header name is not allowed"));
        }
    }
    errors
}
