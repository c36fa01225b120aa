//! Commands about the network. What they know of it is the DNS: a name of the cluster has an address, or it does not
//! exist. A connection to a name that has one is accepted, and what is read from it is empty.

use std::rc::Rc;

use super::super::machine::{Ran, Shell};
use super::{Options, Tools};

/// The host and the port of a URL or of `host:port`.
fn host_of(url: &str) -> (&str, Option<&str>) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn is_address(host: &str) -> bool {
    host.parse::<std::net::IpAddr>().is_ok()
}

impl Shell<'_> {
    /// The address of a host; `None` if its name does not exist.
    fn address(&mut self, host: &str) -> Option<Rc<str>> {
        match host {
            "localhost" => Some("127.0.0.1".into()),
            _ if is_address(host) => Some(host.into()),
            _ => self.resolve(host),
        }
    }

    /// Whether a connection is accepted. One within the container, or to an address that nobody has a name for, is not
    /// known.
    fn reaches(&mut self, host: &str) -> bool {
        let inside = host == "localhost" || is_address(host);
        self.certain &= !inside;
        true
    }
}

pub(super) fn nslookup(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let Some(name) = args.iter().skip(1).find(|a| !a.starts_with('-')).cloned() else { return Ok(1) };
    let server = shell.read("/etc/resolv.conf").unwrap_or_default();
    let server =
        server.lines().find_map(|l| l.strip_prefix("nameserver ")).unwrap_or("10.96.0.10").to_owned();
    let gnu = shell.program.tools == Tools::Gnu;
    shell.print(&if gnu {
        format!("Server:\t\t{server}\nAddress:\t{server}#53\n\n")
    } else {
        format!("Server:\t\t{server}\nAddress:\t{server}:53\n\n")
    });
    match shell.address(&name) {
        Some(address) => {
            shell.print(&format!("Name:\t{name}\nAddress: {address}\n\n"));
            Ok(0)
        }
        None => {
            shell.print(&format!("** server can't find {name}: NXDOMAIN\n\n"));
            Ok(1)
        }
    }
}

pub(super) fn getent(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let Some(name) = args.get(2).cloned() else { return Ok(2) };
    match shell.address(&name) {
        Some(address) => {
            shell.print(&format!("{address}\t{name}\n"));
            Ok(0)
        }
        None => Ok(2),
    }
}

pub(super) fn wget(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "OTtPUY");
    let Some(url) = o.operands.last() else {
        shell.error("wget: missing URL");
        return Ok(1);
    };
    let (host, port) = host_of(url);
    let (quiet, gnu) = (o.has('q'), shell.program.tools == Tools::Gnu);
    let Some(address) = shell.address(host) else {
        if gnu {
            if !quiet {
                shell.error(&format!("wget: unable to resolve host address '{host}'"));
            }
            return Ok(4);
        }
        shell.error(&format!("wget: bad address '{host}'"));
        return Ok(1);
    };
    shell.reaches(host);
    if !quiet && !gnu {
        let port = port.unwrap_or(if url.starts_with("https:") { "443" } else { "80" });
        shell.error(&format!("Connecting to {host} ({address}:{port})"));
    }
    let to = o.value('O').map(str::to_owned);
    if to.as_deref() != Some("-") && !o.has('s') {
        let last = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let path = to.unwrap_or_else(|| if last == host { "index.html".into() } else { last.to_owned() });
        if shell.open(&path, false).is_err() {
            shell.error(&format!("wget: can't open '{path}': No such file or directory"));
            return Ok(1);
        }
    }
    Ok(0)
}

pub(super) fn curl(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "oXHdmwAuTFbceKx");
    let Some(url) = o.operands.last() else {
        shell.error("curl: (2) no URL specified");
        return Ok(2);
    };
    let (host, _) = host_of(url);
    if shell.address(host).is_none() {
        if !o.has('s') || o.has('S') {
            shell.error(&format!("curl: (6) Could not resolve host: {host}"));
        }
        return Ok(6);
    }
    shell.reaches(host);
    if let Some(path) = o.value('o')
        && shell.open(path, false).is_err()
    {
        return Ok(23);
    }
    Ok(0)
}

pub(super) fn nc(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "wpise");
    if o.has('l') {
        // It listens until somebody connects.
        return Err(shell.serve(143));
    }
    let Some(host) = o.operands.first() else {
        shell.error("nc: missing operand");
        return Ok(1);
    };
    if shell.address(host).is_none() {
        shell.error(&match shell.program.tools {
            Tools::Busybox => format!("nc: bad address '{host}'"),
            Tools::Gnu => {
                let port = o.operands.get(1).copied().unwrap_or_default();
                format!("nc: getaddrinfo for host \"{host}\" port {port}: Name or service not known")
            }
        });
        return Ok(1);
    }
    shell.reaches(host);
    if o.has('v') {
        let port = o.operands.get(1).copied().unwrap_or_default();
        shell.error(&format!("{host} ({port}) open"));
    }
    Ok(0)
}

pub(super) fn ping(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "cwWis");
    let Some(host) = o.operands.first() else { return Ok(1) };
    let Some(address) = shell.address(host) else {
        shell.error(&match shell.program.tools {
            Tools::Busybox => format!("ping: bad address '{host}'"),
            Tools::Gnu => format!("ping: {host}: Name or service not known"),
        });
        return Ok(if shell.program.tools == Tools::Busybox { 1 } else { 2 });
    };
    shell.reaches(host);
    shell.print(&format!("PING {host} ({address}): 56 data bytes\n"));
    let Some(count) = o.value('c').and_then(|n| n.parse::<u32>().ok()) else { return Err(shell.block()) };
    for i in 0..count.min(1000) {
        if i > 0 {
            shell.pass(jiff::SignedDuration::from_secs(1))?;
        }
        shell.print(&format!("64 bytes from {address}: seq={i} ttl=64 time=0.100 ms\n"));
    }
    Ok(0)
}
