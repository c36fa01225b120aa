//! The command line of `steady-door`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use steady::api::Timestamp;

use crate::{Options, Time};

/// The text of `--help`.
pub const USAGE: &str = "\
steady-door [--time clock|stepped] [--nodes N] [--seed N] [--start TIME]
                 [--port N] [--address IP [--i-know-this-is-open]] [--kubeconfig FILE]

  --time        clock: time follows the clock (default)
                stepped: nothing moves but by requests to /steady/… (docs/door.md)
  --nodes       how many nodes of 4 CPU, 8Gi, 110 pods (default 3, at most 1000)
  --seed        names, uids and ties come from it (default 1)
  --start       when a stepped cluster begins, 2026-01-01T00:00:00Z unless said; `now` for now
  --port        0 for a free one (default 8001)
  --address     where to listen (default 127.0.0.1)
  --i-know-this-is-open
                nobody is asked for a password, so another address than this machine's own wants
                this as well
  --kubeconfig  writes a kubeconfig that leads here; not over a file that something else wrote";

/// The default port: that of `kubectl proxy`, which serves plain HTTP as well.
const PORT: u16 = 8001;
/// The most nodes.
const NODES: usize = 1000;

/// The parsed arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Args {
    /// How the door is opened.
    pub options: Options,
    /// The number of nodes.
    pub nodes: usize,
    /// The seed of uids and generated names.
    pub seed: u64,
    /// The virtual time at which a stepped cluster begins; `None` for the library's default.
    pub start: Option<Timestamp>,
    /// The file to which a kubeconfig is written, if one is wanted.
    pub kubeconfig: Option<PathBuf>,
}

/// Parses the arguments; `None` if help is wanted.
///
/// # Errors
/// The message about a wrong argument.
pub fn parse(mut args: impl Iterator<Item = String>, now: Timestamp) -> Result<Option<Args>, String> {
    let mut options = Options::default();
    let (mut ip, mut port) = (IpAddr::V4(Ipv4Addr::LOCALHOST), PORT);
    let (mut nodes, mut seed, mut start, mut kubeconfig) = (3, 1, None, None);
    while let Some(arg) = args.next() {
        let (name, given) = match arg.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (arg.clone(), None),
        };
        let mut value = || given.clone().or_else(|| args.next()).ok_or(format!("{name} wants a value"));
        match name.as_str() {
            "--help" | "-h" => return Ok(None),
            "--i-know-this-is-open" => options.open = true,
            "--time" => {
                options.time = match value()?.as_str() {
                    "clock" => Time::Clock,
                    "stepped" => Time::Stepped,
                    other => return Err(format!("--time {other}: clock or stepped")),
                }
            }
            "--nodes" => {
                let n = value()?.parse().ok().filter(|n| *n <= NODES);
                nodes = n.ok_or(format!("--nodes wants a number up to {NODES}"))?;
            }
            "--seed" => seed = value()?.parse().map_err(|_| "--seed wants a number")?,
            "--start" => {
                start = Some(match value()?.as_str() {
                    "now" => now,
                    text => text.parse().map_err(|e| format!("--start {text}: {e}"))?,
                });
            }
            "--port" => port = value()?.parse().map_err(|_| "--port wants a number up to 65535")?,
            "--address" => ip = value()?.parse().map_err(|_| "--address wants an IP address")?,
            "--kubeconfig" => kubeconfig = Some(value()?.into()),
            _ => return Err(format!("`{arg}` is not known here\n\n{USAGE}")),
        }
    }
    if options.time == Time::Clock {
        if start.is_some() {
            return Err("--start is for --time stepped: the clock says what time it is".into());
        }
        start = Some(now);
    }
    if !ip.is_loopback() && !options.open {
        return Err(format!(
            "{ip} can be reached from other machines, and nobody is asked for a password: if that is meant, say --i-know-this-is-open"
        ));
    }
    options.address = SocketAddr::new(ip, port);
    Ok(Some(Args { options, nodes, seed, start, kubeconfig }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(line: &str) -> Result<Option<Args>, String> {
        parse(line.split_whitespace().map(str::to_owned), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn what_can_be_said() {
        let args = read("--time=stepped --nodes 5 --port 0 --start 2030-01-01T00:00:00Z").unwrap().unwrap();
        assert_eq!((args.nodes, args.options.time, args.options.address.port()), (5, Time::Stepped, 0));
        assert_eq!(args.start.unwrap().to_string(), "2030-01-01T00:00:00Z");
        assert_eq!(read("-h"), Ok(None));
        for wrong in ["--nodes 1001", "--nodes", "--time fast", "--port 65536", "--start now", "--more"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn it_must_be_told_twice_to_listen_to_others() {
        assert!(read("--address 0.0.0.0").unwrap_err().contains("--i-know-this-is-open"));
        assert!(read("--address :: --i-know-this-is-open").unwrap().unwrap().options.open);
        assert!(read("--address 127.0.0.2").is_ok());
        assert!(read("--address ::1").is_ok());
    }
}
