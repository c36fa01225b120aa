//! `ip route` of a node, as iproute2 prints it: the routes are those by which packets find their way ([`Machine::routes`]).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::NodeOutput;
use crate::network::cni::{Machine, Network, Route, longest};

const BUILT: &str = "ip [-4|-6] route and ip route get ADDRESS";

/// Runs `ip` on a machine.
pub(super) fn run(network: &Network, own: &Machine, arguments: &[&str]) -> NodeOutput {
    let (options, words): (Vec<&str>, Vec<&str>) = arguments.iter().partition(|a| a.starts_with('-'));
    if let Some(other) = options.iter().find(|o| !matches!(**o, "-4" | "-6")) {
        return NodeOutput::not_built("ip", other, BUILT);
    }
    let six = options.contains(&"-6");
    let like: IpAddr = if six { Ipv6Addr::UNSPECIFIED.into() } else { Ipv4Addr::UNSPECIFIED.into() };
    match words.as_slice() {
        ["r" | "ro" | "route"] | ["r" | "ro" | "route", "show" | "list" | "ls"] => {
            NodeOutput::of(routes(own.routes(network, like)))
        }
        ["r" | "ro" | "route", "get", to] => match to.parse() {
            Ok(to) => get(own, network, to),
            Err(_) => {
                NodeOutput::failed(1, format!("Error: any valid prefix is expected rather than \"{to}\".\n"))
            }
        },
        [] => NodeOutput::not_built("ip", "nothing", BUILT),
        words => NodeOutput::not_built("ip", &words.join(" "), BUILT),
    }
}

/// The kernel's table: the default route, and then the others by their addresses.
fn routes(mut all: Vec<Route>) -> String {
    all.sort_by_key(|r| r.to);
    all.iter().map(|r| format!("{r} \n")).collect()
}

/// The line that a packet to an address follows.
fn get(own: &Machine, network: &Network, to: IpAddr) -> NodeOutput {
    if own.addresses.contains(&to) {
        return NodeOutput::of(format!("local {to} dev lo src {to} uid 0 \n    cache <local> \n"));
    }
    let Some(route) = longest(own.routes(network, to), to) else {
        return NodeOutput::failed(2, "RTNETLINK answers: Network is unreachable\n");
    };
    let via = route.via.map(|via| format!(" via {via}")).unwrap_or_default();
    let src = own.address_on(&route.dev, to).map(|src| format!(" src {src}")).unwrap_or_default();
    NodeOutput::of(format!("{to}{via} dev {}{src} uid 0 \n    cache \n", route.dev))
}
