//! `nc`, of BusyBox and of OpenBSD.

use std::net::SocketAddr;

use super::http::Failed;
use super::{flags, has, value};
use crate::network::{Protocol, Question};
use crate::shell::machine::{Ran, Shell};
use crate::shell::{Listens, Tools, text};

/// The names of ports as `/etc/services` has them, of which `nc` of OpenBSD tells.
const SERVICES: [(u16, &str); 9] = [
    (22, "ssh"),
    (53, "domain"),
    (80, "http"),
    (443, "https"),
    (3306, "mysql"),
    (5432, "postgresql"),
    (6379, "redis"),
    (8080, "http-alt"),
    (11_211, "*"),
];

pub(in crate::shell::tools) fn nc(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let (flags, operands) = flags(args, &["w", "p", "i", "s", "e", "q"]);
    if has(&flags, &["l"]) {
        // It listens until somebody connects, which here is for ever.
        let port = value(&flags, &["p"]).or(operands.last().copied()).and_then(|p| p.parse::<u16>().ok());
        let protocol = if has(&flags, &["u"]) { Protocol::Udp } else { Protocol::Tcp };
        let from = shell.now;
        shell.listens.extend(port.map(|port| Listens { from, port, protocol }));
        return Err(shell.serve(143));
    }
    let busybox = shell.program.tools == Tools::Busybox;
    let Some(host) = operands.first() else {
        shell.error("nc: missing operand");
        return Ok(1);
    };
    let given = operands.get(1).copied().unwrap_or_default();
    let Some(port) = given.parse::<u16>().ok().filter(|p| *p > 0) else {
        shell.error(&match (busybox, given.is_empty()) {
            (true, _) => format!("nc: bad port spec '{given}'"),
            (false, true) => "nc: missing port number".to_owned(),
            (false, false) => format!("nc: port number invalid: {given}"),
        });
        return Ok(1);
    };
    let address = match shell.address(host)? {
        Ok(address) => address,
        Err(why) => {
            shell.error(&match busybox {
                true => format!("nc: bad address '{host}'"),
                false => {
                    format!("nc: getaddrinfo for host \"{host}\" port {port}: {}", why.message())
                }
            });
            return Ok(1);
        }
    };
    let protocol = if has(&flags, &["u"]) { Protocol::Udp } else { Protocol::Tcp };
    let outcome = shell.connect(Question::Connect { to: SocketAddr::new(address, port), protocol })?;
    // Who sends a datagram does not hear what becomes of it.
    let limit = value(&flags, &["w"]).and_then(text::duration).filter(|t| t.is_positive());
    let verbose = has(&flags, &["v"]);
    if protocol == Protocol::Tcp
        && let Some(failed) = shell.connecting(&outcome, limit)?
    {
        match (busybox, failed) {
            (true, Failed::ConnectTimeout { own: true, .. }) => shell.error("nc: timed out"),
            (true, failed) => {
                shell.error(&format!("nc: can't connect to remote host ({address}): {}", failed.message()));
            }
            (false, failed) if verbose => {
                let why = match failed {
                    Failed::ConnectTimeout { own: true, .. } => {
                        "timed out: Operation now in progress".to_owned()
                    }
                    failed => format!("failed: {}", failed.message()),
                };
                shell.error(&format!("nc: connect to {host} ({address}) port {port} (tcp) {why}"));
            }
            (false, _) => {}
        }
        return Ok(1);
    }
    if verbose {
        let service = SERVICES.iter().find(|(p, _)| *p == port).map_or("*", |(_, name)| name);
        let protocol = protocol.to_string();
        shell.error(&match busybox {
            true => format!("{host} ({address}:{port}) open"),
            false => {
                format!("Connection to {host} ({address}) {port} port [{protocol}/{service}] succeeded!")
            }
        });
    }
    Ok(0)
}
