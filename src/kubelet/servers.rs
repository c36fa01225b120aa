//! Facts about servers: what well-known programs answer to an HTTP request. [`super::server_ports`] says where they listen, and
//! [`super::server_log`] what they write to their logs.
//!
//! Source: the default configurations of the programs' images (see `known_images`), and for agnhost
//! `kubernetes/test/images/agnhost`. What a program answers that is not here, nobody knows.

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::known_images::{self, program_name};
use crate::api::types::Container;
use crate::api::{Timestamp, order};
use crate::network::nginx::{self, Configuration, Done, Texts, There, Wanted};
use crate::network::question::{HeaderFields, reason};
use crate::network::{Outcome, Response};
use crate::shell::Node;

/// A program that runs in a container.
pub(super) struct Server<'a> {
    /// The words that the runtime runs.
    pub(super) words: &'a [String],
    /// The environment.
    pub(super) env: &'a BTreeMap<String, String>,
    /// The image.
    pub(super) image: &'a str,
    /// The name of its host.
    pub(super) host: &'a str,
    /// The addresses of its pod.
    pub(super) addresses: &'a [Rc<str>],
    /// For how long it has run.
    pub(super) after: SignedDuration,
    /// The ports that it was told to open.
    pub(super) opened: &'a [u16],
    /// Its files.
    pub(super) files: &'a dyn Fn(&str) -> Option<Node>,
    /// The paths of the files that are mounted below a directory.
    pub(super) below: &'a dyn Fn(&str) -> Vec<String>,
}

/// An HTTP request.
pub(super) struct Asked<'a> {
    /// The port that it came to.
    pub(super) port: u16,
    pub(super) method: &'a str,
    /// The header `Host`.
    pub(super) host: &'a str,
    /// The path with the query.
    pub(super) path: &'a str,
    /// The other header fields.
    pub(super) headers: &'a HeaderFields,
}

/// What a server does with connections that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keeps {
    /// How long it leaves one open on which nothing is asked; `None` if for ever.
    pub(super) idle: Option<SignedDuration>,
    /// How many requests it answers over one; `None` if any number.
    pub(super) requests: Option<u32>,
    /// Whether it closes them after SIGTERM.
    pub(super) drains: bool,
}

/// The programs that give another answer after some time, though nothing has happened to them.
const CHANGING: &[&str] = &["agnhost", "nginx-ingress-controller", NGINX_OF_GATEWAYS];

/// A part of the name of the image of the nginx that NGINX Gateway Fabric makes for a Gateway, and whose agent is told by it.
pub(super) const NGINX_OF_GATEWAYS: &str = "nginx-gateway-fabric/nginx";

/// Whether a container may run a program that gives another answer after some time.
pub(super) fn changes_with_time(spec: &Container) -> bool {
    let is = |word: &str| CHANGING.iter().any(|program| word.contains(program));
    let image = spec.image.as_deref().unwrap_or_default();
    let known = || known_images::find(image).is_some_and(|k| k.entrypoint.iter().any(|word| is(word)));
    let mut words = spec.command.iter().flatten().chain(spec.args.iter().flatten());
    is(image) || words.any(|word| is(word)) || known()
}

const WELCOME: &str = "<!DOCTYPE html>\n<html>\n<head>\n<title>Welcome to nginx!</title>\n<style>\nhtml { color-scheme: light dark; }\nbody { width: 35em; margin: 0 auto;\nfont-family: Tahoma, Verdana, Arial, sans-serif; }\n</style>\n</head>\n<body>\n<h1>Welcome to nginx!</h1>\n<p>If you see this page, the nginx web server is successfully installed and\nworking. Further configuration is required.</p>\n\n<p>For online documentation and support please refer to\n<a href=\"http://nginx.org/\">nginx.org</a>.<br/>\nCommercial support is available at\n<a href=\"http://nginx.com/\">nginx.com</a>.</p>\n\n<p><em>Thank you for using nginx.</em></p>\n</body>\n</html>\n";
/// When nginx's first page was written, in seconds since 1970, by the version that the image names. From published answers to
/// requests; an answer of another version has no date.
const WELCOME_DATES: &[(&str, i64)] = &[
    ("nginx/1.21.6", 0x61f0_1158),
    ("nginx/1.25.3", 0x6537_cac7),
    ("nginx/1.27.4", 0x67a3_4638),
    ("nginx/1.27.5", 0x67ff_9c07),
];
const WORKS: &str = "<html><body><h1>It works!</h1></body></html>\n";
/// When httpd's first page was written, and the part of its `ETag` that says so in microseconds (`ap_make_etag`).
const WORKS_DATE: &str = "Mon, 11 Jun 2007 18:53:14 GMT";
const WORKS_TAG: &str = "432a5e4a73a80";

impl Server<'_> {
    /// The value of an option: behind it, or after `=`.
    pub(super) fn option(&self, names: &[&str]) -> Option<String> {
        let mut words = self.words.iter().skip(1);
        while let Some(word) = words.next() {
            match word.split_once('=') {
                Some((name, value)) if names.contains(&name) => return Some(value.to_owned()),
                None if names.contains(&word.as_str()) => return words.next().cloned(),
                _ => {}
            }
        }
        None
    }

    /// The files of a configuration of nginx that are mounted. Templates are filled in with the environment's variables, as the
    /// image's script `20-envsubst-on-templates.sh` does it.
    pub(super) fn nginx_configuration(&self) -> Texts {
        let text = |path: &str| match (self.files)(path) {
            Some(Node::File(text)) => Some(text),
            _ => None,
        };
        let mut all = Texts::new();
        for path in (self.below)("/etc/nginx/templates") {
            let Some(name) = path.rsplit('/').next().and_then(|n| n.strip_suffix(".template")) else {
                continue;
            };
            let filled = text(&path).map(|text| envsubst(&text, self.env));
            all.extend(filled.map(|text| (format!("/etc/nginx/conf.d/{name}").into(), text)));
        }
        let own = (self.below)("/etc/nginx/conf.d").into_iter().chain((self.below)("/etc/nginx"));
        all.extend(own.filter_map(|path| Some((path.as_str().into(), text(&path)?))));
        all
    }

    /// What a configuration of nginx that is mounted says of a request; `None` if none is, or nginx would refuse it.
    pub(super) fn nginx_does(&self, asked: &Asked<'_>) -> Option<Done> {
        if program_name(self.words) != "nginx" {
            return None;
        }
        let configuration =
            Configuration::read(&Some(self.nginx_configuration()).filter(|c| !c.is_empty())?)?;
        let Asked { port, host, method, path, .. } = *asked;
        let there = |path: &str| match (self.files)(path) {
            Some(Node::File(_)) => There::File,
            Some(_) => There::Directory,
            None => match path.strip_prefix(nginx::PAGES) {
                Some("") => There::Directory,
                Some("/index.html") if !matches!((self.files)(nginx::PAGES), Some(Node::Directory)) => {
                    There::File
                }
                _ => There::Nothing,
            },
        };
        Some(configuration.find(&Wanted { port, host, method, path, hostname: self.host }, &there))
    }

    /// The program and its version as the header `Server` has it, if the image's tag begins with one.
    pub(super) fn version(&self, program: &str) -> String {
        let tag = self.image.split('@').next().and_then(|i| i.rsplit_once(':')).map(|(_, tag)| tag);
        let version = tag.and_then(|t| t.split('-').next()).filter(|v| v.matches('.').count() == 2);
        let number = version.filter(|v| v.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
        number.map_or_else(|| program.to_owned(), |v| format!("{program}/{v}"))
    }

    /// What it does with connections that are kept, as the configuration of its image has it (`keepalive_timeout` and
    /// `keepalive_requests` of nginx, `KeepAliveTimeout` and `MaxKeepAliveRequests` of httpd), and how it stops: both images name
    /// the signal after which the server closes what it has answered (`STOPSIGNAL`).
    pub(super) fn keeps(&self) -> Keeps {
        let of = |idle, requests| Keeps {
            idle: Some(SignedDuration::from_secs(idle)),
            requests: Some(requests),
            drains: true,
        };
        match program_name(self.words) {
            "nginx" => of(65, 1000),
            "httpd" | "httpd-foreground" => of(5, 100),
            _ => Keeps::default(),
        }
    }

    /// What it answers to a request; `None` if nobody knows.
    pub(super) fn answer(&self, asked: &Asked<'_>) -> Option<Outcome> {
        let path = asked.path.split('?').next().unwrap_or_default();
        let respond_with = |status: u16, server: &str, type_: &str, body: String, headers: HeaderFields| {
            Some(Outcome::Answered(Rc::new(Response {
                by: None,
                location: "".into(),
                headers,
                status,
                server: server.into(),
                content_type: type_.into(),
                body: body.into(),
                takes: SignedDuration::ZERO,
                goes_on: SignedDuration::ZERO,
            })))
        };
        let respond = |status: u16, server: &str, type_: &str, body: String| {
            respond_with(status, server, type_, body, HeaderFields::default())
        };
        // A part of a file can be asked for.
        let file = |dated: Option<(String, String)>| {
            let dated = dated.into_iter().flat_map(|(modified, tag)| {
                [("Last-Modified".into(), modified.into()), ("ETag".into(), tag.into())]
            });
            HeaderFields::new(dated.chain([("Accept-Ranges".into(), "bytes".into())]).collect())
        };
        let plain = "text/plain; charset=utf-8";
        match program_name(self.words) {
            "nginx" => {
                let version = self.version("nginx");
                let error = |status: u16, reason: &str| {
                    format!(
                        "<html>\r\n<head><title>{status} {reason}</title></head>\r\n<body>\r\n<center><h1>{status} {reason}</h1></center>\r\n<hr><center>{version}</center>\r\n</body>\r\n</html>\r\n"
                    )
                };
                let (page, fields) = match self.nginx_does(asked) {
                    None if self.nginx_configuration().is_empty() => {
                        (self.page(nginx::PAGES, path), Vec::new())
                    }
                    // What another server answers that is asked then is worked out by `cluster::passing`.
                    None | Some(Done::Unclear | Done::Pass(_)) => {
                        return respond(200, &version, "text/html", String::new());
                    }
                    Some(Done::Closed) => return Some(Outcome::Closed),
                    Some(Done::Text { status, content_type, body, fields }) => {
                        return respond_with(
                            status,
                            &version,
                            &content_type,
                            body,
                            HeaderFields::new(fields),
                        );
                    }
                    Some(Done::Error(status)) => {
                        return respond(status, &version, "text/html", error(status, reason(status)));
                    }
                    Some(Done::Redirect { status, to }) => {
                        let page = respond(status, &version, "text/html", error(status, reason(status)));
                        return page.map(|page| located(page, &to));
                    }
                    Some(Done::File { status, path, fields }) => match (self.files)(&path) {
                        Some(Node::File(text)) => {
                            let type_ = nginx::type_of(&path).unwrap_or("application/octet-stream");
                            let all = file(None).iter().cloned().chain(fields).collect();
                            return respond_with(status, &version, type_, text, HeaderFields::new(all));
                        }
                        _ => (Page::Own, fields),
                    },
                };
                match page {
                    Page::File(text) => respond_with(200, &version, "text/html", text, file(None)),
                    Page::Own => {
                        let written = WELCOME_DATES.iter().find(|(of, _)| *of == version);
                        // `ngx_http_set_etag`, and `Last-Modified` as RFC 9110 has it.
                        let dated = written.and_then(|(_, seconds)| {
                            let modified = Timestamp::from_second(*seconds).ok()?;
                            let modified = modified.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
                            Some((modified, format!("\"{seconds:x}-{:x}\"", WELCOME.len())))
                        });
                        let all = file(dated).iter().cloned().chain(fields).collect();
                        respond_with(200, &version, "text/html", WELCOME.to_owned(), HeaderFields::new(all))
                    }
                    Page::Missing => respond(404, &version, "text/html", error(404, "Not Found")),
                    Page::Forbidden => respond(403, &version, "text/html", error(403, "Forbidden")),
                }
            }
            "httpd" | "httpd-foreground" => {
                // With the operating system only if the version is known (`ServerTokens Full`).
                let version = match self.version("Apache") {
                    version if version.contains('/') => format!("{version} (Unix)"),
                    version => version,
                };
                match self.page("/usr/local/apache2/htdocs", path) {
                    Page::File(text) => respond_with(200, &version, "text/html", text, file(None)),
                    Page::Own => {
                        let tag = format!("\"{:x}-{WORKS_TAG}\"", WORKS.len());
                        let dated = file(Some((WORKS_DATE.to_owned(), tag)));
                        respond_with(200, &version, "text/html", WORKS.to_owned(), dated)
                    }
                    Page::Missing => {
                        let text = "The requested URL was not found on this server.";
                        let head = "<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML 2.0//EN\">\n<html><head>\n<title>404 Not Found</title>\n</head><body>\n<h1>Not Found</h1>";
                        respond(
                            404,
                            &version,
                            "text/html; charset=iso-8859-1",
                            format!("{head}\n<p>{text}</p>\n</body></html>\n"),
                        )
                    }
                    Page::Forbidden => {
                        respond(403, &version, "text/html; charset=iso-8859-1", "Forbidden\n".to_owned())
                    }
                }
            }
            "apache2-foreground" if matches!(path, "/" | "/index.php") => {
                let page = known_images::computes(self.image)?.page;
                respond(200, &self.version("Apache"), "text/html", page.to_owned())
            }
            "whoami" if path == "/health" => respond(200, "", "", String::new()),
            "whoami" => {
                let mut body = format!("Hostname: {}\nIP: 127.0.0.1\nIP: ::1\n", self.host);
                self.addresses.iter().for_each(|a| body.push_str(&format!("IP: {a}\n")));
                body.push_str(&format!("{} {} HTTP/1.1\nHost: {}\n", asked.method, asked.path, asked.host));
                let mut fields: Vec<String> = asked
                    .headers
                    .iter()
                    .map(|(name, value)| format!("{}: {value}\n", canonical(name)))
                    .collect();
                order::sort(&mut fields);
                fields.iter().for_each(|field| body.push_str(field));
                body.push('\n');
                respond(200, "", plain, body)
            }
            "http-echo" if path == "/health" => {
                respond(200, "", "application/json", "{\"status\":\"ok\"}\n".to_owned())
            }
            "http-echo" => {
                let text = self.option(&["-text", "--text"]).or_else(|| self.env.get("ECHO_TEXT").cloned());
                respond(200, "", plain, format!("{}\n", text.unwrap_or_default()))
            }
            "hello-app" => {
                let version = if self.image.ends_with(":2.0") { "2.0.0" } else { "1.0.0" };
                let body = format!("Hello, world!\nVersion: {version}\nHostname: {}\n", self.host);
                respond(200, "", plain, body)
            }
            "agnhost" => match (self.words.get(1).map(String::as_str), path) {
                (Some("netexec"), "/hostname" | "/hostName") => respond(200, "", plain, self.host.to_owned()),
                (Some("netexec"), "/healthz") => respond(200, "", "", String::new()),
                (Some("netexec"), "/echo") => {
                    let message = asked.path.split_once("msg=").map(|(_, m)| m.to_owned());
                    respond(200, "", plain, message.unwrap_or_default())
                }
                (Some("netexec"), "/") => respond(200, "", plain, "NOW: ".to_owned()),
                (Some("serve-hostname"), _) => respond(200, "", plain, format!("{}\n", self.host)),
                (Some("test-webserver"), _) => respond(200, "", plain, String::new()),
                _ => {
                    let status = known_images::answer(self.words, path, self.after)?.status;
                    respond(status, "", plain, String::new())
                }
            },
            "run.sh" if self.image.contains("echoserver") => {
                let body = format!(
                    "\n\nHostname: {}\n\nPod Information:\n\t-no pod information available-\n\nRequest Information:\n\tmethod={}\n\treal path={}\n\n",
                    self.host, asked.method, asked.path
                );
                respond(200, &self.version("echoserver"), "text/plain", body)
            }
            // It is well when nginx runs and has been told its first backends.
            "nginx-ingress-controller" if path == "/healthz" => {
                let (status, body) =
                    if self.after >= SignedDuration::from_secs(1) { (200, "ok") } else { (500, "not ok") };
                respond(status, "", plain, body.to_owned())
            }
            "nginx-ingress-controller" => respond(404, "", "text/html", String::new()),
            // What it answers to other requests stands in the configuration that it was told.
            "entrypoint.sh" if self.image.contains(NGINX_OF_GATEWAYS) => {
                respond(if path == "/readyz" { 200 } else { 404 }, "", "text/html", String::new())
            }
            "catalina.sh" => respond(404, "", "text/html;charset=utf-8", String::new()),
            "apache2-foreground" => respond(302, "Apache", "text/html", String::new()),
            "prometheus" if matches!(path, "/-/healthy" | "/-/ready") => {
                let what = if path.ends_with("ready") { "Ready" } else { "Healthy" };
                respond(200, "", plain, format!("Prometheus Server is {what}.\n"))
            }
            // These do not speak HTTP.
            "redis-server" | "valkey-server" | "postgres" | "mysqld" | "mariadbd" | "mongod"
            | "memcached" | "rabbitmq-server" | "cassandra" => Some(Outcome::Closed),
            _ => None,
        }
    }

    /// What a web server finds below its directory of documents.
    fn page(&self, root: &str, path: &str) -> Page {
        let directory = path.ends_with('/');
        let wanted = if directory { format!("{root}{path}index.html") } else { format!("{root}{path}") };
        match (self.files)(&wanted) {
            Some(Node::File(text)) => Page::File(text),
            _ if path == "/" || path == "/index.html" => {
                // A volume that is mounted there hides what the image has.
                let mounted = matches!((self.files)(root), Some(Node::Directory));
                match (mounted, directory) {
                    (false, _) => Page::Own,
                    (true, true) => Page::Forbidden,
                    (true, false) => Page::Missing,
                }
            }
            _ => Page::Missing,
        }
    }
}

/// The answer with the header field `Location`.
fn located(answer: Outcome, to: &str) -> Outcome {
    match answer {
        Outcome::Answered(response) => {
            Outcome::Answered(Rc::new(Response { location: to.into(), ..(*response).clone() }))
        }
        other => other,
    }
}

/// Whether files are mounted where nginx has its configuration.
pub(super) fn may_pass_on(spec: &Container) -> bool {
    spec.volume_mounts.iter().flatten().any(|m| m.mount_path.starts_with("/etc/nginx"))
}

/// What `envsubst` makes of a text: `$NAME` and `${NAME}` become the variable's value, where there is such a variable.
fn envsubst(text: &str, env: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let braced = behind.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let plain = behind.split_at_checked(behind.find(|c| !is_word(c)).unwrap_or(behind.len()));
        let found = braced.or(plain).and_then(|(name, after)| Some((env.get(name)?, after)));
        match found {
            Some((value, after)) => {
                out.push_str(value);
                rest = after;
            }
            None => {
                out.push('$');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The name of a header field as Go writes it (`textproto.CanonicalMIMEHeaderKey`).
fn canonical(name: &str) -> String {
    let part = |part: &str| {
        let (first, rest) = part.split_at_checked(1).unwrap_or((part, ""));
        format!("{}{}", first.to_ascii_uppercase(), rest.to_ascii_lowercase())
    };
    name.split('-').map(part).collect::<Vec<_>>().join("-")
}

/// A page of a web server.
enum Page {
    /// A file.
    File(String),
    /// The image's own first page.
    Own,
    /// There is no such file.
    Missing,
    /// It is a directory without an index.
    Forbidden,
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    pub(in crate::kubelet) fn with<T>(
        image: &str,
        words: &[&str],
        files: &[(&str, &str)],
        see: impl Fn(&Server<'_>) -> T,
    ) -> T {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let file = |path: &str| {
            let found = files.iter().find(|(p, _)| *p == path).map(|(_, t)| Node::File((*t).to_owned()));
            found.or_else(|| {
                let below = format!("{path}/");
                files.iter().any(|(p, _)| p.starts_with(&below)).then_some(Node::Directory)
            })
        };
        let below = |directory: &str| {
            files.iter().filter(|(p, _)| p.starts_with(directory)).map(|(p, _)| (*p).to_owned()).collect()
        };
        see(&Server {
            words: &words,
            env: &BTreeMap::new(),
            image,
            host: "web-1",
            addresses: &["10.244.0.5".into()],
            after: SignedDuration::from_secs(1),
            opened: &[8081],
            files: &file,
            below: &below,
        })
    }

    fn get(image: &str, words: &[&str], files: &[(&str, &str)], path: &str) -> (u16, String) {
        let asked = Asked { port: 80, method: "GET", host: "web", path, headers: &HeaderFields::default() };
        match with(image, words, files, |s| s.answer(&asked)) {
            Some(Outcome::Answered(r)) => (r.status, r.body.to_string()),
            other => panic!("{other:?}"),
        }
    }

    /// As `curl -I` has printed them of `nginx:1.27.5`, `nginx:1.27.4` and `httpd:2.4`.
    #[test]
    fn a_first_page_says_when_it_was_written() {
        let fields = |image: &str, program: &str, path: &str| {
            let asked =
                Asked { port: 80, method: "GET", host: "web", path, headers: &HeaderFields::default() };
            match with(image, &[program], &[("/usr/share/nginx/html/a", "A")], |s| s.answer(&asked)) {
                Some(Outcome::Answered(r)) => {
                    let named = |name: &str| r.headers.get(name).unwrap_or_default();
                    let all = ["Last-Modified", "ETag", "Accept-Ranges"].map(named);
                    (r.server.to_string(), all.join(" "))
                }
                other => panic!("{other:?}"),
            }
        };
        let of = |server: &str, text: &str| (server.to_owned(), text.to_owned());
        let httpd = fields("httpd:2.4.62-alpine", "httpd-foreground", "/");
        assert_eq!(
            httpd,
            of("Apache/2.4.62 (Unix)", "Mon, 11 Jun 2007 18:53:14 GMT \"2d-432a5e4a73a80\" bytes")
        );
        assert_eq!(fields("nginx:1.27.5", "nginx", "/a"), of("nginx/1.27.5", "  bytes"));
        assert_eq!(fields("nginx:1.27.5", "nginx", "/b"), of("nginx/1.27.5", "  "));
        let own = |image: &str| {
            let asked =
                Asked { port: 80, method: "GET", host: "web", path: "/", headers: &HeaderFields::default() };
            match with(image, &["nginx"], &[], |s| s.answer(&asked)) {
                Some(Outcome::Answered(r)) => r.headers.get("Last-Modified").zip(r.headers.get("ETag")),
                other => panic!("{other:?}"),
            }
        };
        let dated = |modified: &str, tag: &str| Some((modified.to_owned(), tag.to_owned()));
        assert_eq!(own("nginx:1.27.5"), dated("Wed, 16 Apr 2025 12:01:11 GMT", "\"67ff9c07-267\""));
        assert_eq!(own("nginx:1.27.4-alpine"), dated("Wed, 05 Feb 2025 11:06:32 GMT", "\"67a34638-267\""));
        assert_eq!(own("nginx:1.27"), None, "its tag does not say which one it is");
    }

    /// The default configuration of nginx' image; `main.go` of github.com/hashicorp/http-echo; `app.go` of
    /// github.com/traefik/whoami; Kubernetes' `test/images/agnhost/netexec/netexec.go`.
    #[test]
    fn servers_answer_with_their_files_or_their_own_page() {
        let nginx = &["nginx", "-g", "daemon off;"];
        assert!(get("nginx:1.27.5-alpine", nginx, &[], "/").1.contains("Welcome to nginx!"));
        let missing = get("nginx:1.27.5-alpine", nginx, &[], "/healthz");
        assert_eq!(missing.0, 404);
        assert!(missing.1.contains("<center>nginx/1.27.5</center>"));
        let mounted = [("/usr/share/nginx/html/a.html", "A")];
        assert_eq!(get("nginx", nginx, &mounted, "/a.html?x=1"), (200, "A".into()));
        assert_eq!(get("nginx", nginx, &mounted, "/").0, 403);
        assert_eq!(get("hashicorp/http-echo", &["/http-echo", "-text=hi"], &[], "/x"), (200, "hi\n".into()));
        assert!(
            get("traefik/whoami", &["/whoami"], &[], "/").1.starts_with("Hostname: web-1\nIP: 127.0.0.1\n")
        );
        assert_eq!(get("agnhost", &["/agnhost", "netexec"], &[], "/hostname"), (200, "web-1".into()));
    }
}
