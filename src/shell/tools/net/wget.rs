//! `wget`, of BusyBox (`networking/wget.c`) and of GNU.

use jiff::SignedDuration;

use super::http::{Failed, Limits, Request, with_own};
use super::sent;
use super::{flags, has, value};
use crate::network::question::{Extras, Mistrust, Trust, reason};
use crate::network::url::{NotAUrl, Url};
use crate::shell::machine::{Ran, Shell};
use crate::shell::{Tools, text};

/// How long `wget` waits for an answer, of BusyBox (`-T`) as of GNU (`--read-timeout`).
const READ_TIMEOUT: SignedDuration = SignedDuration::from_secs(900);

const VALUED: [&str; 25] = [
    "O",
    "o",
    "T",
    "t",
    "P",
    "U",
    "Y",
    "w",
    "Q",
    "output-document",
    "timeout",
    "tries",
    "header",
    "post-data",
    "post-file",
    "user-agent",
    "method",
    "body-data",
    "connect-timeout",
    "read-timeout",
    "user",
    "password",
    "body-file",
    "ca-certificate",
    "ca-directory",
];

pub(in crate::shell::tools) fn wget(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let (flags, operands) = flags(args, &VALUED);
    let Some(given) = operands.last() else {
        shell.error("wget: missing URL");
        return Ok(1);
    };
    let gnu = shell.program.tools == Tools::Gnu;
    let url = match Url::parse(given) {
        Ok(url) => url,
        Err(why) => {
            shell.error(&match (why, gnu) {
                (NotAUrl::Scheme(scheme), true) => format!("{given}: Unsupported scheme '{scheme}'."),
                (NotAUrl::Scheme(_), false) => format!("wget: not an http or ftp url: {given}"),
                (NotAUrl::Port(_), true) => format!("{given}: Bad port number."),
                (NotAUrl::Port(port), false) => format!("wget: bad port spec '{port}'"),
                (NotAUrl::NoHost, true) => format!("{given}: Invalid host name."),
                (NotAUrl::NoHost, false) => "wget: bad address ''".to_owned(),
            });
            return Ok(1);
        }
    };
    let quiet = has(&flags, &["q", "quiet"]);
    let spider = has(&flags, &["spider"]);
    let say = |shell: &mut Shell<'_>, text: &str| {
        if !quiet {
            shell.error(text);
        }
    };
    let now = shell.now.strftime("%Y-%m-%d %H:%M:%S").to_string();
    if gnu {
        say(
            shell,
            &format!(
                "--{now}--  {}://{}{}",
                if url.tls { "https" } else { "http" },
                url.authority(),
                url.path
            ),
        );
    }
    let seconds = |names: &[&str]| value(&flags, names).and_then(text::duration).filter(|t| t.is_positive());
    let limit = seconds(&["T", "timeout"]);
    let limits = Limits {
        connect: seconds(&["connect-timeout"]).or(limit),
        total: seconds(&["read-timeout"]).or(limit),
    };
    let method = match value(&flags, &["method"]) {
        Some(method) => method,
        None if has(&flags, &["post-data", "post-file"]) => "POST",
        None if spider => "HEAD",
        None => "GET",
    };
    let host = value(&flags, &["header"]).and_then(|h| h.strip_prefix("Host:")).map(str::trim);
    let host = host.map_or_else(|| url.authority(), str::to_owned);
    let body = match sent::wget_body(shell, &flags)? {
        Ok(body) => body,
        Err(path) => {
            let why = "No such file or directory";
            shell.error(&match gnu {
                true => format!("BODY data file '{path}' missing: {why}"),
                false => format!("wget: can't open '{path}': {why}"),
            });
            return Ok(if gnu { 3 } else { 1 });
        }
    };
    let form = [("Content-Type", sent::FORM)];
    let headers = with_own(&flags, if body.is_some() { &form } else { &[] });
    let named = flags.iter().rev().find(|f| matches!(f.name, "U" | "user-agent")).map(|f| f.value);
    let agent = named.unwrap_or(if gnu { "Wget/1.21.3" } else { "Wget" });
    let trust = match url.tls {
        true if gnu && !sent::is_insecure(&flags) => {
            let file = value(&flags, &["ca-certificate"]);
            sent::trust(shell, file).unwrap_or_else(|_| {
                say(shell, "ERROR: Cannot open CA certificate file");
                Trust::System
            })
        }
        // BusyBox' own TLS checks no certificates.
        _ => Trust::Anything,
    };
    let extras = Extras::of(agent, &url, trust, &body.unwrap_or_default());
    let request = Request { method, host: &host, headers: &headers, extras: &extras };
    // Without a limit of its own either one waits so long for an answer.
    let whole = Limits { total: limits.total.or(Some(READ_TIMEOUT)), ..limits };
    shell.note_sending(|| request.sending(&url, whole));
    let address = match shell.address(&url.host)? {
        Ok(address) => address,
        Err(why) if gnu => {
            say(shell, &format!("Resolving {0} ({0})... failed: {1}.", url.host, why.message()));
            say(shell, &format!("wget: unable to resolve host address '{}'", url.host));
            return Ok(4);
        }
        Err(_) => {
            shell.error(&format!("wget: bad address '{}'", url.host));
            return Ok(1);
        }
    };
    if gnu && address.to_string() != url.host {
        say(shell, &format!("Resolving {0} ({0})... {address}", url.host));
    }
    if !gnu {
        say(shell, &format!("Connecting to {} ({address}:{})", url.authority(), url.port()));
    }
    let connecting = || {
        let shown = if address.to_string() == url.host {
            format!("{address}:{}", url.port())
        } else {
            format!("{0} ({0})|{address}|:{1}", url.host, url.port())
        };
        format!("Connecting to {shown}... ")
    };
    let fetched = shell.fetch(&url, address, &request, limits)?;
    let connected = matches!(fetched, Ok(_) | Err(Failed::Timeout { .. } | Failed::Closed | Failed::NoTls));
    if !gnu && url.tls && connected && !sent::is_insecure(&flags) {
        shell.error("wget: note: TLS certificate validation not implemented");
    }
    let response = match fetched {
        Ok(response) => response,
        Err(failed) if gnu => {
            if let Failed::Untrusted(why) = failed {
                say(shell, &format!("{}connected.", connecting()));
                say(shell, &untrusted(why, &url.host));
                return Ok(5);
            }
            let connected = matches!(failed, Failed::Timeout { .. } | Failed::Closed | Failed::NoTls);
            if connected {
                say(shell, &format!("{}connected.", connecting()));
                say(
                    shell,
                    match failed {
                        Failed::Timeout { .. } => {
                            "HTTP request sent, awaiting response... Read error (Connection timed out) in headers."
                        }
                        Failed::NoTls => {
                            "OpenSSL: error:0A0000C6:SSL routines::packet length too long\nUnable to establish SSL connection."
                        }
                        _ => "HTTP request sent, awaiting response... No data received.",
                    },
                );
            } else {
                say(shell, &format!("{}failed: {}.", connecting(), failed.message()));
            }
            return Ok(4);
        }
        Err(failed) => {
            shell.error(&match failed {
                Failed::ConnectTimeout { own: true, .. } | Failed::Timeout { .. } => {
                    "wget: download timed out".to_owned()
                }
                Failed::NoTls => "wget: TLS error from peer (alert code 80): internal error".to_owned(),
                // Nothing has failed when the data ends, so no error of the system stands behind it.
                Failed::Closed => "wget: error getting response".to_owned(),
                failed => format!("wget: can't connect to remote host ({address}): {}", failed.message()),
            });
            return Ok(1);
        }
    };
    if gnu {
        say(shell, &format!("{}connected.", connecting()));
        say(
            shell,
            &format!(
                "HTTP request sent, awaiting response... {} {}",
                response.status,
                reason(response.status)
            ),
        );
    }
    if has(&flags, &["S", "server-response"]) {
        for line in super::curl::headers(&response, shell.now) {
            shell.error(&format!("  {line}"));
        }
    }
    if response.status >= 400 {
        if gnu {
            say(shell, &format!("{now} ERROR {}: {}.", response.status, reason(response.status)));
            return Ok(8);
        }
        shell.error(&format!(
            "wget: server returned error: HTTP/1.1 {} {}",
            response.status,
            reason(response.status)
        ));
        return Ok(1);
    }
    if spider {
        say(shell, if gnu { "Remote file exists." } else { "remote file exists" });
        return Ok(0);
    }
    if response.goes_on.is_positive() {
        match whole.total.filter(|total| *total < response.goes_on) {
            Some(total) => {
                shell.pass(total)?;
                shell.error(if gnu {
                    "Read error (Connection timed out) in headers."
                } else {
                    "wget: download timed out"
                });
                return Ok(if gnu { 4 } else { 1 });
            }
            None => shell.pass(response.goes_on)?,
        }
    }
    let size = response.body.len();
    if gnu {
        say(shell, &format!("Length: {size} [{}]", response.content_type));
    }
    let last = url.path.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let path = match value(&flags, &["O", "output-document"]) {
        Some("-") => {
            shell.print(&response.body);
            if gnu {
                say(shell, &format!("Saving to: 'STDOUT'\n\n{now} - written to stdout [{size}/{size}]\n"));
            } else {
                say(shell, &format!("writing to stdout\n{}\nwritten to stdout", bar("-", size)));
            }
            return Ok(0);
        }
        Some(path) => path.to_owned(),
        None if last.is_empty() => "index.html".to_owned(),
        None => last.to_owned(),
    };
    if let Err(why) = shell.put(&path, &response.body) {
        shell.error(&format!("wget: can't open '{path}': {why}"));
        return Ok(1);
    }
    if gnu {
        say(shell, &format!("Saving to: '{path}'\n\n{now} - '{path}' saved [{size}/{size}]\n"));
    } else {
        say(shell, &format!("saving to '{path}'\n{}\n'{path}' saved", bar(&path, size)));
    }
    Ok(0)
}

/// What GNU's, built with GnuTLS as Debian's is, says of a certificate that it does not take (`src/gnutls.c`, `ssl_check_certificate`).
fn untrusted(why: Mistrust, host: &str) -> String {
    match why {
        Mistrust::Issuer => format!(
            "ERROR: The certificate of '{host}' is not trusted.\nERROR: The certificate of '{host}' doesn't have a known issuer."
        ),
        Mistrust::Name => format!("The certificate's owner does not match hostname '{host}'"),
    }
}

/// The progress of BusyBox when all is there (`libbb/progress.c`).
fn bar(name: &str, size: usize) -> String {
    format!("{name:<20} 100% |{}| {size:>5}  0:00:00 ETA", "*".repeat(32))
}
