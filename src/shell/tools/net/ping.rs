//! `ping` and `traceroute`: those of BusyBox, `ping` of iputils, and the `traceroute` that distributions have.

use std::net::IpAddr;

use jiff::SignedDuration;

use super::nslookup::name_of;
use super::resolve::resolv_conf;
use super::{flags, has, value};
use crate::network::question::TTL;
use crate::network::{Because, Outcome, Question, Reply};
use crate::shell::machine::{Ran, Shell, Stop};
use crate::shell::{Tools, text};

/// The headers of IP and ICMP around the data of an echo request, in bytes.
fn headers(to: IpAddr) -> u16 {
    if to.is_ipv4() { 28 } else { 48 }
}

pub(in crate::shell::tools) fn ping(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let busybox = shell.program.tools == Tools::Busybox;
    let valued: &[&str] = if busybox {
        &["c", "w", "W", "i", "s", "I", "t"]
    } else {
        &["c", "w", "W", "i", "s", "I", "t", "M"]
    };
    let (flags, operands) = flags(args, valued);
    if busybox && has(&flags, &["M"]) {
        shell.error("ping: invalid option -- 'M'");
        return Ok(1);
    }
    let Some(host) = operands.first().map(|h| (*h).to_owned()) else { return Ok(1) };
    let address = match shell.address(&host)? {
        Ok(address) => address,
        Err(why) => {
            shell.error(&match busybox {
                true => format!("ping: bad address '{host}'"),
                false => format!("ping: {host}: {}", why.message()),
            });
            return Ok(if busybox { 1 } else { 2 });
        }
    };
    let size = value(&flags, &["s"]).and_then(|n| n.parse::<u16>().ok()).unwrap_or(56);
    let size = size.min(u16::MAX - headers(address));
    let ttl = value(&flags, &["t"]).and_then(|n| n.parse::<u8>().ok()).filter(|n| *n > 0).unwrap_or(TTL);
    let all = size + headers(address);
    // With `dont` and without the option the kernel cuts what is too large.
    let whole = value(&flags, &["M"]).filter(|m| matches!(*m, "do" | "probe")).map(|_| all);
    let met = shell.meet(Question::Echo { to: address, ttl, whole })?;
    let met = met.unwrap_or_else(|| Reply::of_all(Outcome::TimedOut, Because::Nothing));
    let answers = matches!(met.outcome, Outcome::Connected | Outcome::Answered(_));
    let error = error_of(&met).filter(|_| !busybox);
    shell.print(&if busybox {
        format!("PING {host} ({address}): {size} data bytes\n")
    } else {
        format!("PING {host} ({address}) {size}({all}) bytes of data.\n")
    });
    let limit = value(&flags, &["w"]).and_then(text::duration);
    let count = value(&flags, &["c"]).and_then(|n| n.parse::<u32>().ok());
    let Some(count) = count.or(limit.and_then(|l| u32::try_from(l.as_secs()).ok())) else {
        return Err(shell.block());
    };
    let count = count.clamp(1, 1000);
    let wait = value(&flags, &["W"]).and_then(text::duration).unwrap_or(SignedDuration::from_secs(10));
    let back = size.saturating_add(8);
    for i in 0..count {
        if i > 0 {
            shell.pass(SignedDuration::from_secs(1))?;
        }
        match &error {
            Some(Error::Local(mtu)) => {
                shell.error(&format!("ping: local error: message too long, mtu={mtu}"));
            }
            Some(Error::Expired(router)) => {
                shell.print(&format!("From {router} icmp_seq={} Time to live exceeded\n", i + 1));
            }
            None if answers && busybox => {
                shell.print(&format!("{back} bytes from {address}: seq={i} ttl=64 time=0.100 ms\n"));
            }
            None if answers => {
                let seq = i + 1;
                shell.print(&format!("{back} bytes from {address}: icmp_seq={seq} ttl=64 time=0.100 ms\n"));
            }
            None => {}
        }
    }
    if !answers && error.is_none() {
        shell.pass(limit.map_or(wait, |l| l.min(wait)))?;
    }
    let (received, lost) = if answers { (count, 0) } else { (0, 100) };
    shell.print(&if busybox {
        let times = if answers { "round-trip min/avg/max = 0.100/0.100/0.100 ms\n" } else { "" };
        format!(
            "\n--- {host} ping statistics ---\n{count} packets transmitted, {received} packets received, {lost}% packet loss\n{times}"
        )
    } else {
        let took = u64::from(count.saturating_sub(1)) * 1000;
        let times = if answers { "rtt min/avg/max/mdev = 0.100/0.100/0.100/0.000 ms\n" } else { "" };
        let errors = if error.is_some() { format!(" +{count} errors,") } else { String::new() };
        format!(
            "\n--- {host} ping statistics ---\n{count} packets transmitted, {received} received,{errors} {lost}% packet loss, time {took}ms\n{times}"
        )
    });
    Ok(i32::from(!answers))
}

/// What is said of an echo request that was not answered.
enum Error {
    /// The sender's own kernel does not send it: its interface takes no packets of more bytes than these.
    Local(u16),
    /// This machine has passed it on for the last time.
    Expired(IpAddr),
}

fn error_of(reply: &Reply) -> Option<Error> {
    match (reply.because, reply.endpoint) {
        (Because::TooLarge(mtu), _) => Some(Error::Local(mtu)),
        (Because::Expired, Some(router)) => Some(Error::Expired(router.ip())),
        _ => None,
    }
}

/// `traceroute` with the options that both have (`networking/traceroute.c` of BusyBox, traceroute(8)). Its probes meet what echo requests
/// meet.
pub(in crate::shell::tools) fn traceroute(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let busybox = shell.program.tools == Tools::Busybox;
    let (flags, operands) = flags(args, &["m", "q", "w", "f", "p", "s", "i", "t", "z", "g", "N"]);
    let Some(host) = operands.first().map(|h| (*h).to_owned()) else {
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
    let number = |name: &str, otherwise: u8| {
        value(&flags, &[name]).and_then(|n| n.parse::<u8>().ok()).filter(|n| *n > 0).unwrap_or(otherwise)
    };
    let (first, most, probes) = (number("f", 1), number("m", 30), number("q", 3));
    let wait = value(&flags, &["w"]).and_then(text::duration).unwrap_or(SignedDuration::from_secs(5));
    let numeric = has(&flags, &["n"]);
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
