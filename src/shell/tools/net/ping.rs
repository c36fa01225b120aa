//! `ping`: that of BusyBox, and that of iputils.

use std::net::IpAddr;

use jiff::SignedDuration;

use super::{Refused, ping_options};
use crate::network::{Because, Outcome, Question, Reply};
use crate::shell::Tools;
use crate::shell::machine::{Ran, Shell};

/// The most requests of one command line.
const COUNT_LIMIT: u64 = 1000;

/// The headers of IP and ICMP around the data of an echo request, in bytes.
fn headers(to: IpAddr) -> u16 {
    if to.is_ipv4() { 28 } else { 48 }
}

pub(in crate::shell::tools) fn ping(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let busybox = shell.program.tools == Tools::Busybox;
    let asked = if busybox { ping_options::of_busybox(args) } else { ping_options::of_iputils(args) };
    let asked = match asked {
        Ok(asked) => asked,
        Err(Refused { says, code }) => {
            shell.error(&says);
            return Ok(code);
        }
    };
    let Some(host) = asked.host.map(str::to_owned) else { return Ok(1) };
    asked.warnings.iter().for_each(|warning| shell.error(warning));
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
    if asked.ttl == 0 && address.is_ipv4() {
        // The kernel does not take it (`do_ip_setsockopt` in `net/ipv4/ip_sockglue.c`).
        shell.error("ping: cannot set unicast time-to-live: Invalid argument");
        return Ok(2);
    }
    let size = asked.size.min(u16::MAX - headers(address));
    let all = size + headers(address);
    let whole = asked.whole.then_some(all);
    // A hop limit of 0 is taken over IPv6, and ends at the first router as 1 does.
    let ttl = asked.ttl.max(1);
    let met = shell.meet(Question::Echo { to: address, ttl, whole })?;
    let met = met.unwrap_or_else(|| Reply::of_all(Outcome::TimedOut, Because::Nothing));
    let answers = matches!(met.outcome, Outcome::Connected | Outcome::Answered(_));
    let error = error_of(&met).filter(|_| !busybox);
    shell.print(&if busybox {
        format!("PING {host} ({address}): {size} data bytes\n")
    } else {
        format!("PING {host} ({address}) {size}({all}) bytes of data.\n")
    });
    let interval = asked.interval;
    let within = |limit: SignedDuration| {
        let many = limit.as_millis() / interval.as_millis().max(1);
        u64::try_from(many).unwrap_or(u64::MAX)
    };
    let Some(count) = asked.count.or(asked.deadline.map(within)) else {
        return Err(shell.block());
    };
    let count = count.clamp(1, COUNT_LIMIT);
    let back = size.saturating_add(8);
    for i in 0..count {
        if i > 0 {
            shell.pass(interval)?;
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
        shell.pass(asked.deadline.map_or(asked.wait, |l| l.min(asked.wait)))?;
    }
    let (received, lost) = if answers { (count, 0) } else { (0, 100) };
    shell.print(&if busybox {
        let times = if answers { "round-trip min/avg/max = 0.100/0.100/0.100 ms\n" } else { "" };
        format!(
            "\n--- {host} ping statistics ---\n{count} packets transmitted, {received} packets received, {lost}% packet loss\n{times}"
        )
    } else {
        let took = interval.as_millis().saturating_mul(i128::from(count.saturating_sub(1)));
        let times = if answers { "rtt min/avg/max/mdev = 0.100/0.100/0.100/0.000 ms\n" } else { "" };
        let errors = if error.is_some() { format!(" +{count} errors,") } else { String::new() };
        format!(
            "\n--- {host} ping statistics ---\n{count} packets transmitted, {received} received,{errors} {lost}% packet loss, time {took}ms\n{times}"
        )
    });
    Ok(i32::from(!answers))
}

/// What is said of an echo request that was not answered.
pub(super) enum Error {
    /// The sender's own kernel does not send it: its interface takes no packets of more bytes than these.
    Local(u16),
    /// This machine has passed it on for the last time.
    Expired(IpAddr),
}

pub(super) fn error_of(reply: &Reply) -> Option<Error> {
    match (reply.because, reply.endpoint) {
        (Because::TooLarge(mtu), _) => Some(Error::Local(mtu)),
        (Because::Expired, Some(router)) => Some(Error::Expired(router.ip())),
        _ => None,
    }
}
