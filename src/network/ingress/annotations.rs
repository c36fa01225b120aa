//! What annotations of an Ingress say to ingress-nginx (`internal/ingress/annotations`).

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::MetaExt;
use crate::api::types::Ingress;

/// What the annotations' names begin with (`DefaultAnnotationsPrefix`).
pub const PREFIX: &str = "nginx.ingress.kubernetes.io/";

/// The annotations that are honoured. All others below [`PREFIX`] are not simulated, and an Ingress with one of them is served
/// without it; the controller says so in an event.
pub const HONOURED: [&str; 21] = [
    "app-root",
    "backend-protocol",
    "canary",
    "canary-weight",
    "canary-weight-total",
    "default-backend",
    "force-ssl-redirect",
    "permanent-redirect",
    "permanent-redirect-code",
    "preserve-trailing-slash",
    "proxy-connect-timeout",
    "proxy-next-upstream",
    "proxy-next-upstream-tries",
    "proxy-read-timeout",
    "rewrite-target",
    "service-upstream",
    "ssl-redirect",
    "temporal-redirect",
    "temporal-redirect-code",
    "upstream-vhost",
    "use-regex",
];

/// The annotations that the controller takes for too risky, whatever they say (`AnnotationRiskCritical`, where
/// `annotations-risk-level` is `High`): an Ingress with one of them is refused.
pub const TOO_RISKY: [&str; 5] =
    ["auth-snippet", "configuration-snippet", "modsecurity-snippet", "server-snippet", "stream-snippet"];

/// What the annotations of an Ingress say, with the defaults of ingress-nginx.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// `rewrite-target`: the path that the backend gets, with `$1` for the first group of the path's expression.
    pub rewrite_target: Option<Rc<str>>,
    /// `use-regex`: the paths of the host are regular expressions.
    pub use_regex: bool,
    /// `ssl-redirect`: plain requests for a host with TLS are redirected.
    pub ssl_redirect: bool,
    /// `force-ssl-redirect`: also those for a host without.
    pub force_ssl_redirect: bool,
    /// `preserve-trailing-slash`: the redirect to TLS keeps a slash at the end.
    pub preserve_trailing_slash: bool,
    /// `app-root`: where `/` is redirected to.
    pub app_root: Option<Rc<str>>,
    /// `permanent-redirect` or `temporal-redirect`, with the status: all requests are redirected there.
    pub redirect: Option<(u16, Rc<str>)>,
    /// `service-upstream`: the Service's address is the one endpoint.
    pub service_upstream: bool,
    /// `backend-protocol`: whether the backend is asked over TLS (`HTTPS`).
    pub backend_tls: bool,
    /// `upstream-vhost`: the header `Host` that the backend gets.
    pub upstream_vhost: Option<Rc<str>>,
    /// `default-backend`: the Service that answers when the path's own has no endpoints.
    pub default_backend: Option<Rc<str>>,
    /// `canary` with `canary-weight` and `canary-weight-total`.
    pub canary: Option<(u32, u32)>,
    /// `proxy-next-upstream`: whether another endpoint is asked when one refuses, or ends the connection.
    pub next_on_error: bool,
    /// Whether another endpoint is asked when one does not answer in time.
    pub next_on_timeout: bool,
    /// The statuses of answers after which another endpoint is asked (`http_502`).
    pub next_on: Rc<[u16]>,
    /// `proxy-next-upstream-tries`: how many endpoints are asked; 0 is without limit.
    pub tries: u32,
    /// `proxy-connect-timeout`
    pub connect_timeout: SignedDuration,
    /// `proxy-read-timeout`
    pub read_timeout: SignedDuration,
}

impl Default for Options {
    /// What ingress-nginx does without annotations (`NewDefault` in `internal/ingress/controller/config/config.go`).
    fn default() -> Options {
        Options {
            rewrite_target: None,
            use_regex: false,
            ssl_redirect: true,
            force_ssl_redirect: false,
            preserve_trailing_slash: false,
            app_root: None,
            redirect: None,
            service_upstream: false,
            backend_tls: false,
            upstream_vhost: None,
            default_backend: None,
            canary: None,
            next_on_error: true,
            next_on_timeout: true,
            next_on: Rc::new([]),
            tries: 3,
            connect_timeout: SignedDuration::from_secs(5),
            read_timeout: SignedDuration::from_secs(60),
        }
    }
}

/// A boolean as Go's `strconv.ParseBool` reads it.
fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// What is wrong with the annotations of an Ingress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// The annotation is not simulated.
    NotSimulated(String),
    /// The value cannot be read, so the default holds.
    Invalid(String),
    /// The value cannot be read, so the Ingress is refused (`Extract` in `annotations.go`).
    Refused(String),
    /// The annotation is too risky, so the Ingress is refused.
    TooRisky(String),
}

impl Complaint {
    /// Whether the Ingress is refused: a new one is not served, and one that is served goes on as it was before.
    pub fn refuses(&self) -> bool {
        matches!(self, Complaint::Refused(_) | Complaint::TooRisky(_))
    }
}

/// Whether all characters of a text are letters, digits, `-._~/:` or some others (`alphaNumericChars` in `parser/validators.go`).
fn consists(text: &str, others: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "-._~/:".contains(c) || others.contains(c))
}

/// Whether a text may be the path of a rewrite (`RegexPathWithCapture`).
fn is_path(text: &str) -> bool {
    consists(text, "$")
}

/// Whether a text may be a URL (`URLIsValidRegex`).
fn is_url(text: &str) -> bool {
    consists(text, ",?&=")
}

/// Whether a text of [these characters](is_url) is a URL with the scheme `http`, `https` or another that begins like that
/// (`isValidURL` in `annotations/redirect`).
fn is_http(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let letters = scheme.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c));
    let host = rest.strip_prefix("//").and_then(|r| r.split(['/', '?']).next());
    let port = host.and_then(|h| h.rsplit_once(':')).map(|(_, port)| port).unwrap_or_default();
    letters && scheme.to_ascii_lowercase().starts_with("http") && port.chars().all(|c| c.is_ascii_digit())
}

/// Whether a text is the name of a Service (`ValidateServiceName`: a DNS label that begins with a letter).
fn is_service(text: &str) -> bool {
    let inner = text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    inner && text.len() <= 63 && text.starts_with(|c: char| c.is_ascii_lowercase()) && !text.ends_with('-')
}

/// Whether a text may be the value of `proxy-next-upstream` (`validUpstreamAnnotation`).
fn is_next_upstream(text: &str) -> bool {
    const WORDS: [&str; 11] = [
        "error",
        "timeout",
        "invalid_header",
        "http_500",
        "http_502",
        "http_503",
        "http_504",
        "http_403",
        "http_404",
        "http_429",
        "non_idempotent",
    ];
    let text = text.strip_suffix(' ').unwrap_or(text);
    text.split(' ').all(|word| word == "off" || WORDS.contains(&word))
}

/// Annotations that are being read.
struct Reading<'a> {
    ingress: &'a Ingress,
    complaints: Vec<Complaint>,
}

impl<'a> Reading<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        self.ingress.metadata.annotation(&format!("{PREFIX}{name}")).filter(|t| !t.is_empty())
    }

    fn read<T>(&mut self, name: &str, read: impl FnOnce(&'a str) -> Option<T>) -> Option<T> {
        let text = self.text(name)?;
        let value = read(text);
        if value.is_none() {
            self.complaints.push(Complaint::Invalid(format!("{PREFIX}{name}")));
        }
        value
    }

    /// Reads a value that has to be as it should: otherwise the Ingress is refused.
    fn required(&mut self, name: &str, valid: impl FnOnce(&str) -> bool) -> Option<&'a str> {
        let text = self.text(name)?;
        if !valid(text) {
            self.complaints.push(Complaint::Refused(format!("{PREFIX}{name}")));
            return None;
        }
        Some(text)
    }

    fn not_simulated(&mut self, name: &str) {
        self.complaints.push(Complaint::NotSimulated(format!("{PREFIX}{name}")));
    }

    fn flag(&mut self, name: &str, default: bool) -> bool {
        self.read(name, boolean).unwrap_or(default)
    }

    fn seconds(&mut self, name: &str, default: SignedDuration) -> SignedDuration {
        let seconds = |text: &str| text.parse::<u32>().ok().map(|s| SignedDuration::from_secs(i64::from(s)));
        self.read(name, seconds).unwrap_or(default)
    }

    /// `permanent-redirect` and `temporal-redirect` (`annotations/redirect`): the temporal one comes first.
    fn redirect(&mut self) -> Option<(u16, Rc<str>)> {
        // A code that is none of a redirect counts as none.
        let code = |text: &str, last: u16| text.parse::<u16>().ok().filter(|c| (300..=last).contains(c));
        for (name, default, last) in [("temporal-redirect", 302, 307), ("permanent-redirect", 301, 308)] {
            let to = self.required(name, is_url);
            let permanent = last == 308;
            if to.is_none() && !permanent {
                continue;
            }
            let status = self.required(&format!("{name}-code"), |text| text.parse::<i64>().is_ok());
            let status = status.and_then(|t| code(t, last)).unwrap_or(default);
            let to = to?;
            if !permanent && !is_http(to) {
                self.complaints.push(Complaint::Invalid(format!("{PREFIX}{name}")));
                return None;
            }
            return Some((status, to.into()));
        }
        None
    }

    /// `backend-protocol`: whether it is spoken over TLS. The protocols besides HTTP are not simulated.
    fn backend_tls(&mut self) -> bool {
        const NAME: &str = "backend-protocol";
        let word = self.read(NAME, |text| {
            let word = text.trim().to_ascii_lowercase();
            ["http", "https", "auto_http", "grpc", "grpcs", "fcgi"].contains(&word.as_str()).then_some(word)
        });
        if word.as_deref().is_some_and(|w| !matches!(w, "http" | "https")) {
            self.not_simulated(NAME);
        }
        word.as_deref() == Some("https")
    }

    /// `upstream-vhost`. nginx' variables, which it may have, are not simulated.
    fn upstream_vhost(&mut self) -> Option<Rc<str>> {
        const NAME: &str = "upstream-vhost";
        let host = self.required(NAME, |text| consists(text.trim(), r"^$[](){}*+?|&=\"))?.trim();
        if host.contains('$') {
            self.not_simulated(NAME);
            return None;
        }
        Some(host).filter(|h| !h.is_empty()).map(Rc::from)
    }
}

impl Options {
    /// Reads the annotations of an Ingress.
    pub fn read(ingress: &Ingress) -> (Options, Vec<Complaint>) {
        let mut r = Reading { ingress, complaints: Vec::new() };
        let default = Options::default();
        let names = ingress.metadata.annotations.iter().flatten().map(|(name, _)| name);
        let unknown = names.filter(|name| name.strip_prefix(PREFIX).is_some_and(|n| !HONOURED.contains(&n)));
        let complaint = |name: &String| {
            let risky = name.strip_prefix(PREFIX).is_some_and(|n| TOO_RISKY.contains(&n));
            if risky { Complaint::TooRisky(name.clone()) } else { Complaint::NotSimulated(name.clone()) }
        };
        r.complaints.extend(unknown.map(complaint));
        let next: Vec<&str> = match r.read("proxy-next-upstream", |t| is_next_upstream(t).then_some(t)) {
            Some(text) => text.split_whitespace().collect(),
            None => vec!["error", "timeout"],
        };
        let on = |word: &str| next.contains(&word) && !next.contains(&"off");
        let statuses = next.iter().filter_map(|w| w.strip_prefix("http_")?.parse().ok());
        let canary = r.flag("canary", false).then(|| {
            // Less than nothing is nothing.
            let number =
                |text: &str| text.parse::<i64>().ok().map(|n| u32::try_from(n.max(0)).unwrap_or(u32::MAX));
            let total = r.read("canary-weight-total", number).unwrap_or(100).max(100);
            (r.read("canary-weight", number).unwrap_or(0).min(total), total)
        });
        let options = Options {
            rewrite_target: r.read("rewrite-target", |t| is_path(t).then(|| Rc::from(t))),
            use_regex: r.flag("use-regex", false),
            ssl_redirect: r.flag("ssl-redirect", default.ssl_redirect),
            force_ssl_redirect: r.flag("force-ssl-redirect", false),
            preserve_trailing_slash: r.flag("preserve-trailing-slash", false),
            app_root: r.read("app-root", |t| (t.starts_with('/') && is_path(t)).then(|| Rc::from(t))),
            redirect: r.redirect(),
            service_upstream: r.flag("service-upstream", false),
            backend_tls: r.backend_tls(),
            upstream_vhost: r.upstream_vhost(),
            default_backend: r.required("default-backend", is_service).map(Rc::from),
            canary,
            next_on_error: on("error"),
            next_on_timeout: on("timeout"),
            next_on: if next.contains(&"off") { Rc::new([]) } else { statuses.collect() },
            tries: r.read("proxy-next-upstream-tries", |t| t.parse().ok()).unwrap_or(default.tries),
            connect_timeout: r.seconds("proxy-connect-timeout", default.connect_timeout),
            read_timeout: r.seconds("proxy-read-timeout", default.read_timeout),
        };
        (options, r.complaints)
    }

    /// Whether the path of a location is rewritten (`needsRewrite`).
    pub fn rewrites(&self, path: &str) -> bool {
        self.rewrite_target.as_deref().is_some_and(|target| target != path)
    }
}
