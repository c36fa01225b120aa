//! `traceroute`: that of BusyBox, and the one that distributions have.

use std::net::IpAddr;

use super::nslookup::name_of;
use super::ping::{Error, error_of};
use super::resolve::resolv_conf;
use super::{Refused, traceroute_options};
use crate::network::{Because, Outcome, Question, Reply};
use crate::shell::Tools;
use crate::shell::machine::{Ran, Shell, Stop};

/// `traceroute` with the options that both have (`networking/traceroute.c` of BusyBox, traceroute(8)). Its probes meet what echo requests
/// meet.
pub(in crate::shell::tools) fn traceroute(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let busybox = shell.program.tools == Tools::Busybox;
    let asked =
        if busybox { traceroute_options::of_busybox(args) } else { traceroute_options::of_others(args) };
    let asked = match asked {
        Ok(asked) => asked,
        Err(Refused { says, code }) => {
            shell.error(&says);
            return Ok(code);
        }
    };
    let traceroute_options::Options { first, most, probes, wait, numeric, .. } = asked;
    let Some(host) = asked.host.map(str::to_owned) else {
        shell.error("Usage: traceroute [-n] [-f FIRST_TTL] [-m MAX_TTL] [-q PROBES] [-w SECONDS] HOST");
        return Ok(1);
    };
    let address = match shell.address(&host)? {
        Ok(address) => address,
        Err(why) => {
            shell.error(&match busybox {
                true => format!("traceroute: bad address '{host}'"),
                false => format!("{host}: {}", why.message()),
            });
            return Ok(if busybox { 1 } else { 2 });
        }
    };
    let bytes = if busybox { 46 } else { 60 };
    shell.print(&format!("traceroute to {host} ({address}), {most} hops max, {bytes} byte packets\n"));
    for ttl in first..=most {
        let probe = Question::Echo { to: address, ttl, whole: None };
        let reply = shell.meet(probe)?.unwrap_or_else(|| Reply::of_all(Outcome::TimedOut, Because::Nothing));
        let arrived = matches!(reply.outcome, Outcome::Connected | Outcome::Answered(_));
        let by = match error_of(&reply) {
            Some(Error::Expired(router)) => Some(router),
            _ => Some(address).filter(|_| arrived),
        };
        shell.print(&format!("{ttl:2}"));
        match by {
            Some(by) => {
                let shown = if numeric { by.to_string() } else { named(shell, by)? };
                let times = "  0.100 ms".repeat(probes.into());
                shell.print(&format!("  {shown}{times}\n"));
            }
            // Nothing comes back. BusyBox waits for each probe, the other one for all of them together.
            None => {
                let times = if busybox { probes } else { 1 };
                shell.pass(wait.saturating_mul(times.into()))?;
                shell.print(&format!("{}\n", "  *".repeat(probes.into())));
            }
        }
        if arrived {
            break;
        }
    }
    Ok(0)
}

/// An address behind its name, or behind itself if it has none.
fn named(shell: &mut Shell<'_>, address: IpAddr) -> Result<String, Stop> {
    let conf = resolv_conf(shell);
    let name = name_of(shell, &conf, address)?;
    let name = name.trim();
    Ok(if name.is_empty() { format!("{address} ({address})") } else { format!("{name} ({address})") })
}
