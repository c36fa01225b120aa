//! Commands that tell of the machine, of the network of the pod and of the processes beside them: `free`, `ip` and `ps`. Those of
//! BusyBox are built; the layout is that of its sources (`procps/free.c`, `procps/ps.c`, `networking/libiproute`).

use std::net::IpAddr;

use ipnet::IpNet;

use super::super::machine::{Ran, Shell};
use crate::network::cni::ETHERNET_MTU;

/// The number of the first process that is started beside a container's own. It is made up.
const NEXT_PROCESS: u32 = 7;

/// The memory of the node. What is used is what pods use.
pub(super) fn free(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    // Another moment has other numbers.
    shell.certain = false;
    let mut shift = 0;
    for arg in args.iter().skip(1) {
        shift = match arg.as_str() {
            "-k" => 0,
            "-m" => 10,
            "-g" => 20,
            // Those of other units round in their own way, and BusyBox has no others.
            other => {
                shell.error(&format!("free: invalid option -- '{}'", other.trim_start_matches('-')));
                return Ok(1);
            }
        };
    }
    shell.print("              total        used        free      shared  buff/cache   available\n");
    if let Some((total, used)) = shell.program.machine.memory {
        let (total, used) = (total >> shift, used.min(total) >> shift);
        let left = total.saturating_sub(used);
        shell.print(&format!("Mem:   {total:>12}{used:>12}{left:>12}{0:>12}{0:>12}{left:>12}\n", 0));
        shell.print(&format!("Swap:  {0:>12}{0:>12}{0:>12}\n", 0));
    }
    Ok(0)
}

/// The first process of the container, those that share its namespace, the shell that runs the command, if one does, and the command itself.
pub(super) fn ps(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let program = shell.program;
    let own = program.words.join(" ");
    let mut all: Vec<(u32, String)> = Vec::new();
    let line = args.join(" ");
    let first = program.machine.process.as_ref().filter(|_| !program.first);
    let mut others = Vec::new();
    match first {
        Some(first) => {
            all.push((1, first.clone()));
            others.extend(program.machine.beside.iter().cloned());
            others.push(own.clone());
        }
        None => all.push((1, own.clone())),
    }
    // Without a shell the command is the program itself.
    if line != own {
        others.push(line);
    }
    all.extend((NEXT_PROCESS..).zip(others));
    let user = if program.user.0 == 0 { "root".to_owned() } else { program.user.0.to_string() };
    let lines: String = all
        .iter()
        .map(|(n, words)| format!("{n:5} {user:<8} {:>5} {}\n", "0:00", on_one_line(words)))
        .collect();
    shell.print(&format!("PID   USER     TIME  COMMAND\n{lines}"));
    Ok(0)
}

/// A command line as `ps` lists it: control characters, line breaks among them, are spaces (`read_cmdline` of BusyBox'
/// `libbb/procps.c`).
fn on_one_line(words: &str) -> String {
    words.chars().map(|c| if c.is_ascii_control() { ' ' } else { c }).collect()
}

/// `ip addr`, `ip link` and `ip route`, as the CNI plugin `ptp` leaves them, which kind's nodes have.
pub(super) fn ip(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let addresses = shell.program.machine.addresses.clone();
    let mtu = shell.program.machine.mtu.unwrap_or(ETHERNET_MTU);
    let four = args.iter().any(|a| a == "-4");
    let six = args.iter().any(|a| a == "-6");
    let mut words = args.iter().skip(1).map(String::as_str).filter(|a| !a.starts_with('-'));
    let what = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.filter(|w| !matches!(*w, "show" | "list" | "ls" | "dev")).collect();
    let known = args.iter().skip(1).filter(|a| a.starts_with('-')).all(|a| matches!(a.as_str(), "-4" | "-6"));
    let families = (!six, !four || six);
    let text = match what {
        _ if !known => {
            shell.certain = false;
            return Ok(1);
        }
        "a" | "addr" | "address" if matches!(rest.as_slice(), [] | ["lo" | "eth0"]) => {
            devices((&addresses, mtu), rest.first().copied(), families)
        }
        "l" | "link" if matches!(rest.as_slice(), [] | ["lo" | "eth0"]) => {
            devices((&addresses, mtu), rest.first().copied(), (false, false))
        }
        "r" | "route" if rest.is_empty() => {
            let family = |net: &&IpNet| net.addr().is_ipv6() == six;
            addresses.iter().filter(family).map(routes).collect()
        }
        _ => {
            // Nobody knows what else there is.
            shell.certain = false;
            return Ok(1);
        }
    };
    shell.print(&text);
    Ok(0)
}

const FOR_EVER: &str = "       valid_lft forever preferred_lft forever\n";

/// The interfaces with their addresses: those of IPv4, of IPv6 or of both.
fn devices((addresses, mtu): (&[IpNet], u16), only: Option<&str>, (four, six): (bool, bool)) -> String {
    let wanted = |net: &&IpNet| if net.addr().is_ipv6() { six } else { four };
    let mut out = String::new();
    if only.is_none_or(|device| device == "lo") {
        out.push_str("1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue qlen 1000\n");
        out.push_str("    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n");
        if four {
            out.push_str(&format!("    inet 127.0.0.1/8 scope host lo\n{FOR_EVER}"));
        }
        if six {
            out.push_str(&format!("    inet6 ::1/128 scope host \n{FOR_EVER}"));
        }
    }
    if only.is_none_or(|device| device == "eth0") && !addresses.is_empty() {
        out.push_str(&format!(
            "2: eth0@if3: <BROADCAST,MULTICAST,UP,LOWER_UP,M-DOWN> mtu {mtu} qdisc noqueue \n"
        ));
        out.push_str(&format!("    link/ether {} brd ff:ff:ff:ff:ff:ff\n", hardware_address(addresses)));
        for net in addresses.iter().filter(wanted) {
            match net {
                IpNet::V4(net) => {
                    out.push_str(&format!("    inet {net} brd {} scope global eth0\n", net.broadcast()));
                }
                IpNet::V6(net) => out.push_str(&format!("    inet6 {net} scope global \n")),
            }
            out.push_str(FOR_EVER);
        }
    }
    out
}

/// A hardware address. It is made up of the pod's address.
fn hardware_address(addresses: &[IpNet]) -> String {
    let bytes: Vec<u8> = match addresses.first().map(IpNet::addr) {
        Some(IpAddr::V4(ip)) => ip.octets().to_vec(),
        Some(IpAddr::V6(ip)) => ip.octets().into_iter().skip(12).collect(),
        None => Vec::new(),
    };
    let bytes: Vec<String> = [0x0a, 0x58].into_iter().chain(bytes).map(|b| format!("{b:02x}")).collect();
    bytes.join(":")
}

/// The routes of an address: everything goes over the first address of its range, which is the node's.
fn routes(net: &IpNet) -> String {
    let (range, own) = (net.trunc(), net.addr());
    // An IPv6 range has no address of its own, so its hosts begin with the one that the range is called by.
    let own_first = usize::from(range.addr().is_ipv6());
    let Some(gateway) = range.hosts().nth(own_first) else { return String::new() };
    format!(
        "default via {gateway} dev eth0 \n{range} via {gateway} dev eth0  src {own} \n{gateway} dev eth0 scope link  src {own} \n"
    )
}
