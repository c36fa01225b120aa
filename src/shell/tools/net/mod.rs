//! Commands about the network. They ask what the C library and the programs ask there: names of `/etc/hosts` and of the DNS
//! servers in `/etc/resolv.conf`, then a connection. Whoever runs the shell answers ([`Outside`](crate::shell::Outside)).
//!
//! | module | what it is |
//! | --- | --- |
//! | `resolve` | `getaddrinfo` of the C library: search domains, `ndots`, servers that do not answer |
//! | `nslookup` | `nslookup`, `getent` |
//! | `http` | what `wget` and `curl` share: an HTTP request with its time limits |
//! | `wget`, `curl` | the two |
//! | `connect` | `nc` |
//! | `ping` | `ping`, `traceroute` |

mod connect;
mod curl;
mod http;
mod nslookup;
mod ping;
mod resolve;
mod wget;

pub(super) use connect::nc;
pub(super) use curl::curl;
pub(super) use nslookup::{getent, nslookup};
pub(super) use ping::{ping, traceroute};
pub(super) use wget::wget;

use jiff::SignedDuration;

/// How long Linux tries to connect to an address that does not answer (`tcp_syn_retries` = 6).
const SYN_TIMEOUT: SignedDuration = SignedDuration::from_secs(127);

/// How long Linux looks for the machine with an address of its own network.
const ARP_TIMEOUT: SignedDuration = SignedDuration::from_secs(3);

/// An option of a command line: its letter or its long name, and its value.
struct Flag<'a> {
    name: &'a str,
    value: &'a str,
}

/// Takes a command line apart, which begins with the name of the command. `valued` are the options that take a value: a letter
/// or a long name.
fn flags<'a>(args: &'a [String], valued: &[&str]) -> (Vec<Flag<'a>>, Vec<&'a str>) {
    let (mut all, mut operands) = (Vec::new(), Vec::new());
    let mut rest = args.iter().skip(1).map(String::as_str);
    while let Some(arg) = rest.next() {
        if arg == "--" {
            operands.extend(rest.by_ref());
        } else if let Some(long) = arg.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, value),
                None if valued.contains(&long) => (long, rest.next().unwrap_or_default()),
                None => (long, ""),
            };
            all.push(Flag { name, value });
        } else if let Some(letters) = arg.strip_prefix('-').filter(|l| !l.is_empty()) {
            for (at, c) in letters.char_indices() {
                let end = at + c.len_utf8();
                let name = letters.get(at..end).unwrap_or_default();
                if valued.contains(&name) {
                    let value = letters.get(end..).filter(|v| !v.is_empty());
                    all.push(Flag { name, value: value.or_else(|| rest.next()).unwrap_or_default() });
                    break;
                }
                all.push(Flag { name, value: "" });
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
