//! What the servers of official images write to their logs: their first lines, a line for each request, and that they are told to
//! stop.
//!
//! Sources: `docker-nginx` (`entrypoint/*.sh`, `nginx.conf` with its format `main`), nginx (`ngx_http_log_module.c`,
//! `ngx_process_cycle.c`), the `httpd.conf` of the image `httpd` (format `common`, to standard output) and httpd (`mod_log_config.c`,
//! `server/mpm/event/event.c`). Lines that name what nobody knows here are left out: the kernel, the compiler, the numbers of worker
//! processes.

use jiff::Timestamp;

use super::known_images::program_name;
use super::servers::Server;
use crate::network::visit::Visit;
use crate::shell::Node;

/// A line: whether it is of standard error, and its text.
pub(super) type Said = (bool, String);

/// In which form a server writes a line for each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// nginx's `combined`, or the image's `main`, which ends with `X-Forwarded-For`.
    Nginx { forwarded: bool },
    /// httpd's `common`, or its `combined` with referer and agent.
    Httpd { combined: bool },
}

/// A value in a log: quotes, backslashes and what is not printed are written as numbers, or with a backslash.
fn escaped(text: &str, quotes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' if quotes => out.push_str(&format!("\\{}", char::from(byte))),
            b'"' | b'\\' | 0..=31 | 127.. if quotes => out.push_str(&format!("\\x{byte:02x}")),
            b'"' | b'\\' | 0..=31 | 127.. => out.push_str(&format!("\\x{byte:02X}")),
            _ => out.push(char::from(byte)),
        }
    }
    out
}

/// A value, or `-` if there is none.
fn or_dash(text: &str, quotes: bool) -> String {
    if text.is_empty() { "-".to_owned() } else { escaped(text, quotes) }
}

impl Format {
    /// The line of a request.
    pub(super) fn line(self, visit: &Visit) -> String {
        let Visit { came, at, client, method, path, agent, referer, forwarded, status, bytes, given_up } =
            visit;
        let client = client.map_or_else(|| "-".to_owned(), |c| c.to_string());
        let time = |at: &Timestamp| at.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string();
        match self {
            Format::Nginx { forwarded: with } => {
                let request = format!("{method} {} HTTP/1.1", escaped(path, false));
                // A client that does not wait for the answer (`NGX_HTTP_CLIENT_CLOSED_REQUEST`).
                let (status, bytes) = if *given_up { (499, 0) } else { (*status, *bytes) };
                let (referer, agent) = (or_dash(referer, false), or_dash(agent, false));
                let more = if with { format!(" \"{}\"", or_dash(forwarded, false)) } else { String::new() };
                let time = time(at);
                format!(
                    "{client} - - [{time}] \"{request}\" {status} {bytes} \"{referer}\" \"{agent}\"{more}\n"
                )
            }
            Format::Httpd { combined } => {
                let request = format!("{method} {} HTTP/1.1", escaped(path, true));
                // It says when the request came, and `-` for an empty body (`%b`).
                let bytes = if *bytes == 0 { "-".to_owned() } else { bytes.to_string() };
                let more = if combined {
                    format!(" \"{}\" \"{}\"", or_dash(referer, true), or_dash(agent, true))
                } else {
                    String::new()
                };
                format!("{client} - - [{}] \"{request}\" {status} {bytes}{more}\n", time(came))
            }
        }
    }
}

/// A line of nginx's error log of the level `notice`, from its first process.
fn notice(at: Timestamp, text: &str) -> Said {
    (true, format!("{} [notice] 1#1: {text}\n", at.strftime("%Y/%m/%d %H:%M:%S")))
}

/// A line of httpd's error log of the level `notice`.
fn httpd_notice(at: Timestamp, module: &str, text: &str) -> Said {
    let time = at.strftime("%a %b %d %H:%M:%S.%6f %Y");
    (true, format!("[{time}] [{module}:notice] [pid 1:tid 1] {text}\n"))
}

impl Server<'_> {
    /// In which form it writes a line for each request to its log; `None` if it writes none there, or if nobody knows.
    pub(super) fn log_format(&self) -> Option<Format> {
        match program_name(self.words) {
            "nginx" => {
                let configured = self.nginx_configuration();
                let is_off = |line: &str| line.split_whitespace().eq(["access_log", "off;"]);
                let off = configured.values().any(|text| text.lines().any(is_off));
                let forwarded = configured.keys().all(|path| **path != *"/etc/nginx/nginx.conf");
                (!off).then_some(Format::Nginx { forwarded })
            }
            "httpd" | "httpd-foreground" => match (self.files)("/usr/local/apache2/conf/httpd.conf") {
                Some(Node::File(text)) => text.lines().find_map(|line| {
                    let words: Vec<&str> = line.split_whitespace().collect();
                    match words.as_slice() {
                        ["CustomLog", "/proc/self/fd/1", name] => {
                            Some(Format::Httpd { combined: *name == "combined" })
                        }
                        _ => None,
                    }
                }),
                _ => Some(Format::Httpd { combined: false }),
            },
            _ => None,
        }
    }

    /// What it writes when it starts; `wrapped` if its image's script starts it.
    pub(super) fn first_lines(&self, at: Timestamp, wrapped: bool) -> Vec<Said> {
        match program_name(self.words) {
            "nginx" => {
                let quiet = self.env.get("NGINX_ENTRYPOINT_QUIET_LOGS").is_some_and(|v| !v.is_empty());
                let mut all = if wrapped && !quiet { self.nginx_entrypoint() } else { Vec::new() };
                let version = self.version("nginx");
                all.push(notice(at, "using the \"epoll\" event method"));
                if version.contains('/') {
                    all.push(notice(at, &version));
                }
                all.push(notice(at, "start worker processes"));
                all
            }
            "httpd" | "httpd-foreground" => {
                let named = match (self.files)("/usr/local/apache2/conf/httpd.conf") {
                    Some(Node::File(text)) => text.lines().any(|l| l.trim_start().starts_with("ServerName ")),
                    _ => false,
                };
                let address = self.addresses.first().map(|a| &**a).unwrap_or_default();
                let nameless = format!(
                    "AH00558: httpd: Could not reliably determine the server's fully qualified domain name, using {address}. Set the 'ServerName' directive globally to suppress this message\n"
                );
                // It reads its configuration twice.
                let mut all =
                    if named { Vec::new() } else { vec![(true, nameless.clone()), (true, nameless)] };
                let version = format!("{} (Unix)", self.version("Apache"));
                let resumes = format!("AH00489: {version} configured -- resuming normal operations");
                all.push(httpd_notice(at, "mpm_event", &resumes));
                all.push(httpd_notice(at, "core", "AH00094: Command line: 'httpd -D FOREGROUND'"));
                all
            }
            _ => Vec::new(),
        }
    }

    /// What the scripts in nginx's image write, one after the other.
    fn nginx_entrypoint(&self) -> Vec<Said> {
        const SCRIPT: &str = "/docker-entrypoint.sh:";
        const DIRECTORY: &str = "/docker-entrypoint.d";
        const DEFAULT: &str = "/etc/nginx/conf.d/default.conf";
        let mut all = vec![
            format!("{SCRIPT} {DIRECTORY}/ is not empty, will attempt to perform configuration"),
            format!("{SCRIPT} Looking for shell scripts in {DIRECTORY}/"),
        ];
        let mut run = |what: &str, name: &str, says: Vec<String>| {
            all.push(format!("{SCRIPT} {what} {DIRECTORY}/{name}"));
            all.extend(says.into_iter().map(|text| format!("{name}: {text}")));
        };
        let mounted = (self.below)("/etc/nginx/conf.d");
        let listens = if mounted.iter().any(|path| path == DEFAULT) {
            vec![format!("info: can not modify {DEFAULT} (read-only file system?)")]
        } else if matches!((self.files)("/etc/nginx/conf.d"), Some(Node::Directory)) {
            vec![format!("info: {DEFAULT} is not a file or does not exist")]
        } else {
            vec![
                format!("info: Getting the checksum of {DEFAULT}"),
                format!("info: Enabled listen on IPv6 in {DEFAULT}"),
            ]
        };
        run("Launching", "10-listen-on-ipv6-by-default.sh", listens);
        // Images before 1.23.4 do not have it.
        if self.number().is_none_or(|number| number >= [1, 23, 4]) {
            run("Sourcing", "15-local-resolvers.envsh", Vec::new());
        }
        let templates = (self.below)("/etc/nginx/templates");
        let made = templates.iter().filter_map(|path| {
            let name = path.rsplit('/').next()?.strip_suffix(".template")?;
            Some(format!("Running envsubst on {path} to /etc/nginx/conf.d/{name}"))
        });
        run("Launching", "20-envsubst-on-templates.sh", made.collect());
        run("Launching", "30-tune-worker-processes.sh", Vec::new());
        all.push(format!("{SCRIPT} Configuration complete; ready for start up"));
        all.into_iter().map(|text| (false, format!("{text}\n"))).collect()
    }

    /// The numbers of the version in the image's tag, if it has three.
    fn number(&self) -> Option<[u32; 3]> {
        let version = self.version("");
        let numbers: Vec<u32> =
            version.trim_start_matches('/').split('.').filter_map(|n| n.parse().ok()).collect();
        numbers.try_into().ok()
    }

    /// What it writes when it gets the signal that its image names for its end.
    pub(super) fn stop_line(&self, at: Timestamp) -> Option<Said> {
        match program_name(self.words) {
            "nginx" => Some(notice(at, "signal 3 (SIGQUIT) received, shutting down")),
            "httpd" | "httpd-foreground" => {
                Some(httpd_notice(at, "mpm_event", "AH00492: caught SIGWINCH, shutting down gracefully"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The forms are those of logs that people have published: of nginx with the format `main`, and of httpd 2.4.66.
    #[test]
    fn a_line_has_the_form_of_the_image_s_log() {
        let at: Timestamp = "2026-04-14T16:08:09.25Z".parse().unwrap();
        let visit = Visit {
            came: at,
            at,
            client: Some([192, 168, 1, 58].into()),
            method: "GET".into(),
            path: "/readyz".into(),
            agent: "kube-probe/9.9".into(),
            referer: "".into(),
            forwarded: "".into(),
            status: 200,
            bytes: 5,
            given_up: false,
        };
        let main = Format::Nginx { forwarded: true };
        let head = "192.168.1.58 - - [14/Apr/2026:16:08:09 +0000]";
        assert_eq!(
            main.line(&visit),
            format!("{head} \"GET /readyz HTTP/1.1\" 200 5 \"-\" \"kube-probe/9.9\" \"-\"\n")
        );
        assert_eq!(
            Format::Httpd { combined: false }.line(&visit),
            format!("{head} \"GET /readyz HTTP/1.1\" 200 5\n")
        );
        let odd = Visit { path: "/\"é".into(), bytes: 0, given_up: true, ..visit };
        assert!(main.line(&odd).contains("\"GET /\\x22\\xC3\\xA9 HTTP/1.1\" 499 0 "));
        assert!(
            Format::Httpd { combined: true }
                .line(&odd)
                .contains("\"GET /\\\"\\xc3\\xa9 HTTP/1.1\" 200 - \"-\" \"kube-probe/9.9\"\n")
        );
    }
}
