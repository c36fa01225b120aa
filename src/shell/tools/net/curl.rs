//! `curl`, version 8.

use jiff::SignedDuration;

use super::http::{Failed, Limits, Request, with_own};
use super::sent::{self, FORM};
use super::{flags, has, value};
use crate::api::Timestamp;
use crate::network::Response;
use crate::network::question::{Extras, HeaderFields, Mistrust, Trust, reason};
use crate::network::url::{NotAUrl, Url};
use crate::shell::machine::{Ran, Shell};
use crate::shell::text;

const VALUED: [&str; 49] = [
    "o",
    "X",
    "H",
    "d",
    "m",
    "w",
    "A",
    "u",
    "F",
    "T",
    "b",
    "c",
    "e",
    "K",
    "x",
    "r",
    "y",
    "Y",
    "z",
    "E",
    "output",
    "request",
    "header",
    "data",
    "max-time",
    "write-out",
    "user-agent",
    "user",
    "form",
    "upload-file",
    "cookie",
    "connect-timeout",
    "retry",
    "retry-delay",
    "retry-max-time",
    "cacert",
    "cert",
    "key",
    "data-raw",
    "data-binary",
    "data-ascii",
    "data-urlencode",
    "json",
    "capath",
    "oauth2-bearer",
    "max-redirs",
    "url",
    "resolve",
    "proxy",
];

/// What curl says after the message of a certificate that it does not take (`CURL_CA_CERT_ERRORMSG` in `src/tool_operate.c`).
const UNVERIFIED: &str = "More details here: https://curl.se/docs/sslcerts.html\n\n\
    curl failed to verify the legitimacy of the server and therefore could not\n\
    establish a secure connection to it. To learn more about this situation and\n\
    how to fix it, please visit the webpage mentioned above.";

/// Statuses after which `--retry` tries again.
const TRANSIENT: [u16; 6] = [408, 429, 500, 502, 503, 504];

/// The lines of a response before its body.
pub(super) fn headers(response: &Response, now: Timestamp) -> Vec<String> {
    let mut lines =
        vec![format!("HTTP/1.1 {} {}", response.status, reason(response.status)).trim_end().to_owned()];
    if !response.server.is_empty() {
        lines.push(format!("Server: {}", response.server));
    }
    lines.push(now.strftime("Date: %a, %d %b %Y %H:%M:%S GMT").to_string());
    if !response.content_type.is_empty() {
        lines.push(format!("Content-Type: {}", response.content_type));
    }
    lines.push(format!("Content-Length: {}", response.body.len()));
    if !response.location.is_empty() {
        lines.push(format!("Location: {}", response.location));
    }
    lines.extend(response.headers.iter().map(|(name, value)| format!("{name}: {value}")));
    lines
}

/// The form that `--json` says.
const JSON: &str = "application/json";

/// How many redirects `--location` follows (`--max-redirs`).
const REDIRECTS: usize = 50;

/// Where a response sends the client; `None` if it does not, or nowhere that curl could go.
fn followed(from: &Url, response: &Response) -> Option<Url> {
    let redirects = (300..400).contains(&response.status);
    redirects.then(|| from.location(&response.location)).flatten()
}

/// What one attempt came to.
enum Attempt {
    Answered(std::rc::Rc<Response>),
    /// It failed with this status of curl's and message.
    Failed(i32, String),
}

pub(in crate::shell::tools) fn curl(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let (flags, operands) = flags(args, &VALUED);
    let given = value(&flags, &["url"]).or(operands.last().copied());
    let Some(given) = given else {
        shell.error(
            "curl: (2) no URL specified\ncurl: try 'curl --help' or 'curl --manual' for more information",
        );
        return Ok(2);
    };
    let silent = has(&flags, &["s", "silent"]) && !has(&flags, &["S", "show-error"]);
    let fail = |shell: &mut Shell<'_>, code: i32, message: &str| {
        if !silent {
            shell.error(&format!("curl: ({code}) {message}"));
            if code == 60 {
                shell.error(UNVERIFIED);
            }
        }
        Ok(code)
    };
    let mut url = match Url::parse(given) {
        Ok(url) => url,
        Err(NotAUrl::Scheme(scheme)) => {
            return fail(shell, 1, &format!("Protocol \"{scheme}\" not supported"));
        }
        Err(NotAUrl::Port(_)) => {
            return fail(shell, 3, "URL rejected: Port number was not a decimal number between 0 and 65535");
        }
        Err(NotAUrl::NoHost) => return fail(shell, 3, "URL rejected: No host part in the URL"),
    };
    let verbose = has(&flags, &["v", "verbose"]);
    let seconds = |names: &[&str]| value(&flags, names).and_then(text::duration).filter(|t| t.is_positive());
    let limits = Limits { connect: seconds(&["connect-timeout"]), total: seconds(&["m", "max-time"]) };
    let head = has(&flags, &["I", "head"]);
    let body = match sent::curl_body(shell, &flags)? {
        Ok(body) => body,
        Err(path) => return fail(shell, 26, &format!("Failed to open {path}")),
    };
    let gets = has(&flags, &["G", "get"]);
    if let Some(query) = body.as_ref().filter(|_| gets) {
        let sign = if url.path.contains('?') { '&' } else { '?' };
        url.path.push_str(&format!("{sign}{query}"));
    }
    let body = body.filter(|_| !gets);
    let posts = has(&flags, &["F", "form"]) || body.is_some();
    let mut method = match value(&flags, &["X", "request"]) {
        Some(method) => method,
        None if head => "HEAD",
        None if has(&flags, &["T", "upload-file"]) => "PUT",
        None if posts => "POST",
        None => "GET",
    };
    let host = flags.iter().rev().filter(|f| matches!(f.name, "H" | "header"));
    let host =
        host.filter_map(|f| f.value.split_once(':')).find(|(name, _)| name.eq_ignore_ascii_case("host"));
    let mut host = host.map_or_else(|| url.authority(), |(_, host)| host.trim().to_owned());
    let bearer = value(&flags, &["oauth2-bearer"]).map(|token| format!("Bearer {token}"));
    let mut own: Vec<(&str, &str)> = bearer.iter().map(|bearer| ("Authorization", bearer.as_str())).collect();
    if has(&flags, &["json"]) {
        own.extend([("Content-Type", JSON), ("Accept", JSON)]);
    } else if body.is_some() && !has(&flags, &["T", "upload-file"]) {
        own.push(("Content-Type", FORM));
    }
    let mut fields = with_own(&flags, &own);
    let follows = has(&flags, &["L", "location"]);
    let agent = value(&flags, &["A", "user-agent"]).unwrap_or("curl/8.14.1");
    let trust = match has(&flags, &["k", "insecure"]) {
        true => Trust::Anything,
        false => {
            let of_environment =
                ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].iter().find_map(|name| shell.variable(name));
            let file = value(&flags, &["cacert"]).map(Into::into).or(of_environment);
            match sent::trust(shell, file.as_deref()) {
                Ok(trust) => trust,
                // The file is read for a connection over TLS.
                Err(_) if !url.tls => Trust::System,
                Err(file) => return fail(shell, 77, &format!("error setting certificate file: {file}")),
            }
        }
    };
    let mut body = body.unwrap_or_default();
    let most = value(&flags, &["max-redirs"]).and_then(|n| n.parse().ok()).unwrap_or(REDIRECTS);
    let mut redirects = 0;
    let mut tries = value(&flags, &["retry"]).and_then(|n| n.parse::<u32>().ok()).unwrap_or(0).min(100);
    let delay = seconds(&["retry-delay"]);
    let refused_too = has(&flags, &["retry-connrefused", "retry-all-errors"]);
    let mut wait = SignedDuration::from_secs(1);
    let response = loop {
        let trust = if url.tls { trust.clone() } else { Trust::Anything };
        let extras = Extras::of(agent, &url, trust, &body);
        let request = Request { method, host: &host, headers: &fields, extras: &extras };
        let attempt = attempt(shell, &url, &request, limits, verbose)?;
        let again = match &attempt {
            Attempt::Answered(r) => TRANSIENT.contains(&r.status),
            Attempt::Failed(7, _) => refused_too,
            Attempt::Failed(code, _) => *code == 28 || *code == 6,
        };
        if again && tries > 0 {
            tries -= 1;
            shell.pass(delay.unwrap_or(wait))?;
            wait = wait.saturating_add(wait);
            continue;
        }
        match attempt {
            Attempt::Answered(response) if follows => {
                let Some(next) = followed(&url, &response) else { break response };
                redirects += 1;
                if redirects > most {
                    return fail(shell, 47, &format!("Maximum ({most}) redirects followed"));
                }
                if response.status == 303 || (matches!(response.status, 301 | 302) && method == "POST") {
                    // `http_switch_to_get` of `lib/http.c`.
                    (method, body) = (if head { "HEAD" } else { "GET" }, String::new());
                }
                if next.authority() != url.authority() || next.tls != url.tls {
                    // What says who sends it goes to no other host (`Curl_auth_allowed_to_host`).
                    let kept = fields.iter().filter(|(name, _)| {
                        !["authorization", "cookie"].contains(&name.to_ascii_lowercase().as_str())
                    });
                    fields = HeaderFields::new(kept.cloned().collect());
                }
                host = next.authority();
                url = next;
            }
            Attempt::Answered(response) => break response,
            Attempt::Failed(code, message) => {
                write_out(shell, value(&flags, &["w", "write-out"]), 0);
                return fail(shell, code, &message);
            }
        }
    };
    let lines = headers(&response, shell.now);
    if verbose {
        for line in &lines {
            shell.error(&format!("< {line}"));
        }
        shell.error("< ");
    }
    let failed = has(&flags, &["f", "fail"]) && response.status >= 400;
    let mut out = String::new();
    if (head || has(&flags, &["i", "include"])) && !failed {
        lines.iter().for_each(|line| out.push_str(&format!("{line}\r\n")));
        out.push_str("\r\n");
    }
    if !head && !failed {
        out.push_str(&response.body);
    }
    let to_file = has(&flags, &["O", "remote-name"]).then(|| {
        url.path.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned()
    });
    match value(&flags, &["o", "output"]).map(str::to_owned).or(to_file) {
        Some(path) if path != "-" => {
            if shell.put(&path, &out).is_err() {
                return fail(shell, 23, "client returned ERROR on write");
            }
        }
        _ => shell.print(&out),
    }
    if response.goes_on.is_positive() {
        // More may come, until the server ends the answer or the client gives up.
        if let Some(total) = limits.total.filter(|total| *total < response.goes_on) {
            shell.pass(total)?;
            let (millis, bytes) = (total.as_millis(), response.body.len());
            let got = format!("Operation timed out after {millis} milliseconds with {bytes} bytes received");
            write_out(shell, value(&flags, &["w", "write-out"]), response.status);
            return fail(shell, 28, &got);
        }
        shell.pass(response.goes_on)?;
    }
    if verbose {
        shell.error(&format!("* Connection #0 to host {} left intact", url.host));
    }
    write_out(shell, value(&flags, &["w", "write-out"]), response.status);
    if failed {
        return fail(shell, 22, &format!("The requested URL returned error: {}", response.status));
    }
    Ok(0)
}

/// Why the certificate of a server is not taken (`lib/vtls/openssl.c`).
fn untrusted(why: Mistrust, url: &Url) -> String {
    let kind = match url.host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(_)) => "ipv4 address",
        Ok(std::net::IpAddr::V6(_)) => "ipv6 address",
        Err(_) => "host name",
    };
    match why {
        Mistrust::Issuer => "SSL certificate problem: unable to get local issuer certificate".to_owned(),
        Mistrust::Name => {
            format!("SSL: no alternative certificate subject name matches target {kind} '{}'", url.host)
        }
    }
}

/// What `-w` prints: of its variables those about the status.
fn write_out(shell: &mut Shell<'_>, format: Option<&str>, status: u16) {
    if let Some(format) = format {
        let text = format.replace("%{http_code}", &format!("{status:03}"));
        let text = text.replace("%{response_code}", &format!("{status:03}"));
        shell.print(&text.replace("\\n", "\n").replace("\\t", "\t").replace("%%", "%"));
    }
}

fn attempt(
    shell: &mut Shell<'_>,
    url: &Url,
    request: &Request<'_>,
    limits: Limits,
    verbose: bool,
) -> Result<Attempt, crate::shell::machine::Stop> {
    let Request { method, host, headers, .. } = *request;
    let agent = &*request.extras.agent;
    shell.note_sending(|| request.sending(url, limits));
    let name = &url.host;
    let (addresses, _) = match shell.addresses(name)? {
        Ok(found) => found,
        Err(_) => {
            if verbose {
                shell.error(&format!("* Could not resolve host: {name}\n* closing connection #0"));
            }
            return Ok(Attempt::Failed(6, format!("Could not resolve host: {name}")));
        }
    };
    let port = url.port();
    if verbose && name.parse::<std::net::IpAddr>().is_err() {
        let of = |v6: bool| {
            let all: Vec<String> =
                addresses.iter().filter(|a| a.is_ipv6() == v6).map(ToString::to_string).collect();
            if all.is_empty() { "(none)".to_owned() } else { all.join(", ") }
        };
        shell.error(&format!(
            "* Host {name}:{port} was resolved.\n* IPv6: {}\n* IPv4: {}",
            of(true),
            of(false)
        ));
    }
    let mut last = Attempt::Failed(7, String::new());
    let begun = shell.now;
    // Every address is tried until one accepts.
    for address in addresses {
        let to = std::net::SocketAddr::new(address, port);
        if verbose {
            shell.error(&format!("*   Trying {to}..."));
        }
        let answer = shell.fetch(url, address, request, limits)?;
        let took = shell.now.duration_since(begun).as_millis();
        let failed = match answer {
            Ok(response) => {
                if verbose {
                    shell.error(&format!(
                        "* Connected to {name} ({address}) port {port}\n> {method} {} HTTP/1.1\n> Host: {host}\n> User-Agent: {agent}\n> Accept: */*",
                        url.path
                    ));
                    headers.iter().for_each(|(name, value)| shell.error(&format!("> {name}: {value}")));
                    shell.error("> ");
                }
                return Ok(Attempt::Answered(response));
            }
            Err(failed) => failed,
        };
        let connecting = format!("Failed to connect to {name} port {port} after {took} ms");
        let (code, message, shown) = match failed {
            Failed::Refused => {
                (7, format!("{connecting}: Could not connect to server"), "Connection refused")
            }
            Failed::Unreachable => {
                (7, format!("{connecting}: Could not connect to server"), "No route to host")
            }
            Failed::ConnectTimeout { own: true, .. } if limits.connect.is_none() => {
                (28, format!("Connection timed out after {took} milliseconds"), "Connection timed out")
            }
            Failed::ConnectTimeout { .. } => {
                (28, format!("{connecting}: Timeout was reached"), "Connection timed out")
            }
            Failed::Timeout { .. } => {
                let got = "milliseconds with 0 bytes received";
                (28, format!("Operation timed out after {took} {got}"), "Operation timed out")
            }
            Failed::Untrusted(why) => (60, untrusted(why, url), "SSL certificate problem"),
            Failed::Closed => (52, "Empty reply from server".to_owned(), "Empty reply from server"),
            Failed::NoTls => (
                35,
                "TLS connect error: error:0A0000C6:SSL routines::packet length too long".to_owned(),
                "TLS connect error",
            ),
        };
        if verbose {
            shell.error(&format!("* connect to {to} failed: {shown}"));
        }
        last = Attempt::Failed(code, message);
        if !matches!(code, 7) {
            break;
        }
    }
    Ok(last)
}
