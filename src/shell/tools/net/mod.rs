//! Commands about the network. They ask what the C library and the programs ask there: names of `/etc/hosts` and of the DNS
//! servers in `/etc/resolv.conf`, then a connection. Whoever runs the shell answers ([`Outside`](crate::shell::Outside)).
//!
//! | module | what it is |
//! | --- | --- |
//! | `resolve` | `getaddrinfo` of the C library: search domains, `ndots`, servers that do not answer |
//! | `nslookup` | `nslookup`, `getent` |
//! | `http` | what `wget` and `curl` share: an HTTP request with its time limits |
//! | `sent` | the same: the body, and whose certificates they take |
//! | `wget`, `curl` | the two |
//! | `connect` | `nc` |
//! | `ping`, `traceroute` | the two, each with what its command lines ask for in a module of its own |

mod connect;
mod curl;
mod http;
mod nslookup;
mod ping;
mod ping_options;
mod resolve;
mod sent;
mod traceroute;
mod traceroute_options;
mod wget;

pub(super) use connect::nc;
pub(super) use curl::curl;
pub(super) use nslookup::{getent, nslookup};
pub(super) use ping::ping;
pub(super) use traceroute::traceroute;
pub(super) use wget::wget;

use std::ops::RangeInclusive;

use jiff::SignedDuration;

/// How long Linux tries to connect to an address that does not answer (`tcp_syn_retries` = 6).
const SYN_TIMEOUT: SignedDuration = SignedDuration::from_secs(127);

/// How long Linux looks for the machine with an address of its own network.
const ARP_TIMEOUT: SignedDuration = SignedDuration::from_secs(3);

/// Why a tool does nothing: what it says, and its exit code.
struct Refused {
    says: String,
    code: i32,
}

/// A number as the tools of BusyBox read one (`xatou_range`, `libbb/xatonum_template.c`).
fn busybox_number(tool: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, Refused> {
    let digits = Some(text).filter(|t| t.starts_with(|c: char| c.is_ascii_digit()));
    match digits.and_then(|t| t.parse::<u64>().ok()) {
        Some(n) if range.contains(&n) => Ok(n),
        Some(_) => {
            let says = format!("{tool}: number {text} is not in {}..{} range", range.start(), range.end());
            Err(Refused { says, code: 1 })
        }
        None => Err(Refused { says: format!("{tool}: invalid number '{text}'"), code: 1 }),
    }
}

/// An option of a command line: its letter or its long name, and its value.
struct Flag<'a> {
    name: &'a str,
    value: &'a str,
    /// The place of the word in which its value stands, or else its name; the name of the command is in place 0.
    at: usize,
}

/// Takes a command line apart, which begins with the name of the command. `valued` are the options that take a value: a letter
/// or a long name.
fn flags<'a>(args: &'a [String], valued: &[&str]) -> (Vec<Flag<'a>>, Vec<&'a str>) {
    let (mut all, mut operands) = (Vec::new(), Vec::new());
    let mut rest = args.iter().map(String::as_str).enumerate().skip(1);
    while let Some((at, arg)) = rest.next() {
        if arg == "--" {
            operands.extend(rest.by_ref().map(|(_, operand)| operand));
        } else if let Some(long) = arg.strip_prefix("--") {
            let (at, name, value) = match long.split_once('=') {
                Some((name, value)) => (at, name, value),
                None if valued.contains(&long) => {
                    let (at, value) = rest.next().unwrap_or((at, ""));
                    (at, long, value)
                }
                None => (at, long, ""),
            };
            all.push(Flag { name, value, at });
        } else if let Some(letters) = arg.strip_prefix('-').filter(|l| !l.is_empty()) {
            for (start, c) in letters.char_indices() {
                let end = start + c.len_utf8();
                let name = letters.get(start..end).unwrap_or_default();
                if valued.contains(&name) {
                    let value = letters.get(end..).filter(|v| !v.is_empty()).map(|v| (at, v));
                    let (at, value) = value.or_else(|| rest.next()).unwrap_or((at, ""));
                    all.push(Flag { name, value, at });
                    break;
                }
                all.push(Flag { name, value: "", at });
            }
        } else {
            operands.push(arg);
        }
    }
    (all, operands)
}

fn has(flags: &[Flag<'_>], names: &[&str]) -> bool {
    flags.iter().any(|f| names.contains(&f.name))
}

fn value<'a>(flags: &[Flag<'a>], names: &[&str]) -> Option<&'a str> {
    flags.iter().rev().find(|f| names.contains(&f.name)).map(|f| f.value)
}
