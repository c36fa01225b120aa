//! What a client says of its requests when it is asked to be verbose
//! (`k8s.io/client-go/transport/round_trippers.go`, `rest/request.go`), in klog's text form
//! (`k8s.io/klog/v2/internal/serialize`).
//!
//! At `-v=6` that is a line for each answer, at 7 and 8 the headers and bodies as well, at 9 the request
//! as a curl command. Time is virtual, so everything takes 0 milliseconds; the connection stands.

use std::fmt::Write as _;

use crate::api::{Timestamp, order};
use crate::apimachinery::{HttpRequest, HttpResponse};

/// Where kubectl finds the API server.
pub const SERVER: &str = "https://127.0.0.1:6443";
/// From this level on requests are told of.
pub const VERBOSE: u8 = 6;
/// The longest body at levels 8 and 9, in bytes.
const BODY_V8: usize = 1024;
const BODY_V9: usize = 10_240;

/// What is logged about a request and its answer at a level of verbosity; nothing below [`VERBOSE`].
pub fn debugging(level: u8, at: Timestamp, request: &HttpRequest, response: &HttpResponse) -> String {
    let mut log = Log { out: String::new(), at };
    if level < VERBOSE {
        return log.out;
    }
    let url = url(request);
    let (verb, url) = (quoted(&request.method), quoted(&url));
    if level >= 8 && !request.body.is_empty() {
        let body = cut(level, &String::from_utf8_lossy(&request.body));
        log.line("helper.go:246", "Request Body", &[("body", text(&body))]);
    }
    match level {
        6 => {}
        7 | 8 => {
            let headers = text(&headers(&all_headers(request)));
            log.line(
                "round_trippers.go:527",
                "Request",
                &[("verb", verb.clone()), ("url", url.clone()), ("headers", headers)],
            );
        }
        _ => log.line("round_trippers.go:527", "Request", &[("curlCommand", text(&curl(request)))]),
    }
    let mut said = Vec::new();
    if matches!(level, 6 | 9..) {
        said.extend([("verb", verb), ("url", url)]);
    }
    said.push(("status", quoted(&status(response.status))));
    if level >= 8 {
        said.push(("headers", text(&headers(&response_headers(at, response)))));
    }
    said.push(("milliseconds", "0".to_owned()));
    if level >= 9 {
        said.push(("getConnectionMilliseconds", "0".to_owned()));
    }
    log.line("round_trippers.go:632", "Response", &said);
    if level >= 8 {
        log.line("helper.go:246", "Response Body", &[("body", text(&cut(level, &response.body)))]);
    }
    log.out
}

/// The request as a command that can be typed, without its body.
pub fn curl(request: &HttpRequest) -> String {
    let headers: String =
        all_headers(request).iter().map(|(k, v)| format!(" -H {}", quoted(&format!("{k}: {v}")))).collect();
    format!("curl -v -X{} {headers} '{}'\n", request.method, url(request))
}

fn url(request: &HttpRequest) -> String {
    let query = if request.query.is_empty() { String::new() } else { format!("?{}", request.query) };
    format!("{SERVER}{}{query}", request.path)
}

fn request_headers(request: &HttpRequest) -> Vec<(&'static str, String)> {
    let mut headers = vec![("Accept", request.accept.clone())];
    if !request.content_type.is_empty() {
        headers.push(("Content-Type", request.content_type.clone()));
    }
    headers.push(("User-Agent", request.user_agent.clone()));
    headers
}

/// The headers of a request, sorted. A token is not told.
fn all_headers(request: &HttpRequest) -> Vec<(String, String)> {
    let of_request = request_headers(request).into_iter().map(|(name, value)| (name.to_owned(), value));
    let mut headers: Vec<(String, String)> = of_request.chain(request.identity.iter().cloned()).collect();
    for (_, value) in headers.iter_mut().filter(|(name, _)| name == "Authorization") {
        *value = "Bearer <masked>".to_owned();
    }
    order::sort_by_key(&mut headers, |(name, _)| name.clone());
    headers
}

/// Of the headers those that there are here; real ones also name the audit event and the flow.
fn response_headers(at: Timestamp, response: &HttpResponse) -> Vec<(&'static str, String)> {
    let mut headers = vec![
        ("Cache-Control", "no-cache, private".to_owned()),
        ("Content-Length", response.body.len().to_string()),
        ("Content-Type", response.content_type.clone()),
        ("Date", at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()),
    ];
    headers.extend(response.retry_after.map(|s| ("Retry-After", s.to_string())));
    headers.extend(response.warnings.iter().map(|w| ("Warning", w.clone())));
    headers
}

fn headers<N: std::fmt::Display>(list: &[(N, String)]) -> String {
    list.iter().map(|(k, v)| format!("{k}: {v}\n")).collect()
}

/// `201 Created`, as Go's `http.StatusText` has it; empty if there was no answer.
pub fn status(code: u16) -> String {
    let text = match code {
        200 => "OK",
        201 => "Created",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        410 => "Gone",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "",
    };
    if code == 0 {
        return String::new();
    }
    format!("{code} {text}").trim_end().to_owned()
}

/// At most so much of a body as the level shows.
fn cut(level: u8, body: &str) -> String {
    let most = match level {
        8 => BODY_V8,
        9 => BODY_V9,
        _ => return body.to_owned(),
    };
    if body.len() <= most {
        return body.to_owned();
    }
    // Go counts bytes and may cut a character; here the character before it is the last.
    let end = (0..=most).rev().find(|i| body.is_char_boundary(*i)).unwrap_or(0);
    format!("{} [truncated {} chars]", body.get(..end).unwrap_or_default(), body.len() - most)
}

/// A string value: quoted on one line, or its lines indented between `<` and `>`.
fn text(value: &str) -> String {
    if !value.contains('\n') {
        return quoted(value);
    }
    let mut out = "<\n".to_owned();
    for line in value.strip_suffix('\n').unwrap_or(value).split('\n') {
        out.push('\t');
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(" >");
    out
}

/// Go's `%q`, of text without control characters but the usual three.
fn quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if u32::from(c) < 0x20 || c == '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

struct Log {
    out: String,
    at: Timestamp,
}

impl Log {
    /// `I0102 15:04:05.000000       1 file.go:123] "message" key=value`
    fn line(&mut self, file: &str, message: &str, values: &[(&str, String)]) {
        let time = self.at.strftime("%m%d %H:%M:%S%.6f");
        let _ = write!(self.out, "I{time}       1 {file}] {}", quoted(message));
        for (key, value) in values {
            let _ = write!(self.out, " {key}={value}");
        }
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_level_says_what_it_says() {
        let request = HttpRequest {
            method: "POST".into(),
            path: "/api/v1/namespaces/default/configmaps".into(),
            query: "fieldManager=kubectl-create".into(),
            content_type: "application/json".into(),
            accept: "application/json".into(),
            user_agent: "kubectl/v1".into(),
            body: b"{\"kind\":\"ConfigMap\"}\n".to_vec(),
            ..HttpRequest::default()
        };
        let response = HttpResponse {
            status: 201,
            content_type: "application/json".into(),
            body: "{\"kind\":\"ConfigMap\"}\n".into(),
            ..HttpResponse::default()
        };
        let at: Timestamp = "2026-01-02T03:04:05.678Z".parse().unwrap();
        let say = |level| debugging(level, at, &request, &response);
        assert_eq!(say(5), "");
        assert_eq!(
            say(6),
            "I0102 03:04:05.678000       1 round_trippers.go:632] \"Response\" verb=\"POST\" url=\"https://127.0.0.1:6443/api/v1/namespaces/default/configmaps?fieldManager=kubectl-create\" status=\"201 Created\" milliseconds=0\n"
        );
        assert_eq!(say(7).lines().count(), 6);
        assert!(say(7).contains("headers=<\n\tAccept: application/json\n\tContent-Type: application/json\n\tUser-Agent: kubectl/v1\n >\n"));
        assert!(say(8).contains("\"Response Body\" body=<\n\t{\"kind\":\"ConfigMap\"}\n >\n"));
        assert!(say(9).contains("\"Request\" curlCommand=<\n\tcurl -v -XPOST  -H \"Accept: application/json\" -H \"Content-Type: application/json\" -H \"User-Agent: kubectl/v1\" 'https://127.0.0.1:6443/api/v1/namespaces/default/configmaps?fieldManager=kubectl-create'\n >\n"), "{}", say(9));
        assert!(say(9).contains("Date: Fri, 02 Jan 2026 03:04:05 GMT"));
    }

    #[test]
    fn long_bodies_are_cut() {
        assert_eq!(cut(8, &"é".repeat(600)), format!("{} [truncated 176 chars]", "é".repeat(512)));
        assert_eq!(cut(10, &"a".repeat(20_000)).len(), 20_000);
    }
}
