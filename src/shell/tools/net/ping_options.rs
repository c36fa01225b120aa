//! What a command line of `ping` asks for: that of BusyBox (`networking/ping.c`) and that of iputils (`ping/ping.c`). Each says in its own
//! words what it cannot read.

use std::net::IpAddr;
use std::num::IntErrorKind;

use jiff::SignedDuration;

use super::{Flag, Refused, busybox_number, flags};
use crate::network::question::TTL;
use crate::shell::text;

/// The largest number that the tools take where they name no other limit (`INT_MAX`).
const INT_MAX: u64 = 0x7fff_ffff;
/// The most data that an echo request over IPv4 carries (`ICMP_MAX_DATALEN`): what the headers of IP and ICMP leave of a packet.
const DATA: u64 = 65_507;
/// The same over IPv6 (`ICMPV6_MAX_DATALEN`), where the length of a packet is said without its header.
const DATA_V6: u64 = 65_527;

/// What is asked for.
pub(super) struct Options<'a> {
    /// The host; `None` if the line names none.
    pub(super) host: Option<&'a str>,
    /// How many bytes of data a request carries.
    pub(super) size: u16,
    pub(super) ttl: u8,
    /// How many requests are sent; `None` if any number.
    pub(super) count: Option<u64>,
    /// When it ends; `None` if never.
    pub(super) deadline: Option<SignedDuration>,
    /// How long it waits for an answer.
    pub(super) wait: SignedDuration,
    /// The time between two requests.
    pub(super) interval: SignedDuration,
    /// Whether packets may not be cut.
    pub(super) whole: bool,
    /// What is said before anything is sent.
    pub(super) warnings: Vec<String>,
}

impl Options<'_> {
    fn new() -> Self {
        Options {
            host: None,
            size: 56,
            ttl: TTL,
            count: None,
            deadline: None,
            wait: SignedDuration::from_secs(10),
            interval: SignedDuration::from_secs(1),
            whole: false,
            warnings: Vec::new(),
        }
    }
}

fn seconds(n: u64) -> SignedDuration {
    SignedDuration::from_secs(i64::try_from(n).unwrap_or(i64::MAX))
}

/// What getopt says of an option without the value that it needs.
fn needs_value(flag: &Flag<'_>, code: i32) -> Result<(), Refused> {
    match flag.value {
        "" => Err(Refused { says: format!("ping: option requires an argument -- '{}'", flag.name), code }),
        _ => Ok(()),
    }
}

/// The options of BusyBox.
pub(super) fn of_busybox(args: &[String]) -> Result<Options<'_>, Refused> {
    const VALUED: [&str; 8] = ["c", "w", "W", "i", "s", "I", "t", "p"];
    let (flags, operands) = flags(args, &VALUED);
    let mut asked = Options { host: operands.first().copied(), ..Options::new() };
    if flags.iter().any(|f| f.name == "M") {
        return Err(Refused { says: "ping: invalid option -- 'M'".to_owned(), code: 1 });
    }
    let number = |f: &Flag<'_>, most| busybox_number("ping", f.value, 0..=most);
    // getopt itself reads these numbers (`xatoi_positive`), and the others are read afterwards.
    for flag in flags.iter().filter(|f| VALUED.contains(&f.name)) {
        needs_value(flag, 1)?;
        match flag.name {
            "c" => asked.count = Some(number(flag, INT_MAX)?).filter(|n| *n > 0),
            "w" => asked.deadline = Some(number(flag, INT_MAX)?).filter(|n| *n > 0).map(seconds),
            "W" => asked.wait = seconds(number(flag, INT_MAX)?),
            // Without effect where the kernel refuses it, which is not looked at.
            "t" => {
                let ttl = u8::try_from(number(flag, INT_MAX)?).ok();
                asked.ttl = ttl.filter(|n| *n > 0).unwrap_or(TTL);
            }
            _ => {}
        }
    }
    for flag in &flags {
        match flag.name {
            "s" => asked.size = u16::try_from(number(flag, u16::MAX.into())?).unwrap_or(u16::MAX),
            "i" => {
                let interval = text::duration(flag.value);
                let says = || format!("ping: invalid number '{}'", flag.value);
                asked.interval = interval.ok_or_else(|| Refused { says: says(), code: 1 })?;
            }
            _ => {}
        }
    }
    Ok(asked)
}

/// A number as iputils reads one (`strtol_or_err`, `iputils_common.c`).
fn number(text: &str, min: u64, max: u64) -> Result<u64, Refused> {
    let refused = |why: &str| Refused { says: format!("ping: invalid argument: '{text}'{why}"), code: 1 };
    match text.trim_start().parse::<i64>() {
        Ok(n) => u64::try_from(n)
            .ok()
            .filter(|n| (min..=max).contains(n))
            .ok_or_else(|| refused(&format!(": out of range: {min} <= value <= {max}"))),
        Err(e) => Err(match e.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
                refused(": Numerical result out of range")
            }
            _ => refused(""),
        }),
    }
}

/// Seconds as iputils reads them (`ping_strtod`): of what is no number it only warns, and takes what stands before that.
fn time(text: &str, bad: &str, warnings: &mut Vec<String>) -> Result<SignedDuration, Refused> {
    let part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let end = text.find(|c| !part(c)).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let parsed = number.parse::<f64>().ok();
    let garbage = if parsed.is_some() { rest } else { text };
    if !garbage.is_empty() {
        warnings.push(format!("ping: option argument contains garbage: {garbage}"));
        warnings.push("ping: this will become fatal error in the future".to_owned());
    }
    let seconds = parsed.unwrap_or(0.0);
    if seconds < 0.0 {
        return Err(Refused { says: format!("ping: {bad}: {text}"), code: 2 });
    }
    Ok(SignedDuration::from_millis((seconds * 1000.0).clamp(0.0, 3.2e12) as i64))
}

/// The options of iputils.
pub(super) fn of_iputils(args: &[String]) -> Result<Options<'_>, Refused> {
    const VALUED: [&str; 15] = ["c", "w", "W", "i", "s", "I", "t", "M", "p", "Q", "l", "m", "S", "T", "F"];
    const LONG_MAX: u64 = 0x7fff_ffff_ffff_ffff;
    let (flags, operands) = flags(args, &VALUED);
    let mut asked = Options { host: operands.first().copied(), ..Options::new() };
    let (mut size, mut ttl) = (u64::from(asked.size), None);
    for flag in flags.iter().filter(|f| VALUED.contains(&f.name)) {
        needs_value(flag, 2)?;
        match flag.name {
            "c" => asked.count = Some(number(flag.value, 1, LONG_MAX)?),
            "s" => size = number(flag.value, 0, INT_MAX)?,
            "t" => ttl = u8::try_from(number(flag.value, 0, 255)?).ok(),
            "w" => asked.deadline = Some(number(flag.value, 0, INT_MAX)?).filter(|n| *n > 0).map(seconds),
            "W" => asked.wait = time(flag.value, "bad linger time", &mut asked.warnings)?,
            "i" => asked.interval = time(flag.value, "bad timing interval", &mut asked.warnings)?,
            "M" if matches!(flag.value, "do" | "probe") => asked.whole = true,
            // With these the kernel cuts what is too large.
            "M" if matches!(flag.value, "dont" | "want") => asked.whole = false,
            "M" => {
                let says = format!("ping: invalid -M argument: {}", flag.value);
                return Err(Refused { says, code: 2 });
            }
            _ => {}
        }
    }
    let Some(host) = asked.host else {
        return Err(Refused { says: "ping: usage error: Destination address required".to_owned(), code: 2 });
    };
    let address = host.parse::<IpAddr>().ok();
    let most = if address.is_some_and(|a| a.is_ipv4()) { DATA } else { DATA_V6 };
    if size > most {
        let says = format!("ping: invalid -s value: '{size}': out of range: 0 <= value <= {most}");
        return Err(Refused { says, code: 1 });
    }
    asked.size = u16::try_from(size).unwrap_or(u16::MAX);
    asked.ttl = ttl.unwrap_or(TTL);
    Ok(asked)
}
