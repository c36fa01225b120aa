//! Lines of a routing table.

use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;

/// A line of a routing table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The addresses that the line is for.
    pub to: IpNet,
    /// The next machine; `None` if the addresses are on the line's own network.
    pub via: Option<IpAddr>,
    /// The interface.
    pub dev: String,
    /// The node's own address on the interface, if the kernel made the line for it.
    pub src: Option<IpAddr>,
    /// Whether the next machine is taken to be on the interface's network, whatever its address.
    pub onlink: bool,
}

impl Route {
    /// A line to addresses that are on an interface's own network.
    pub fn link(to: IpNet, dev: &str, src: Option<IpAddr>) -> Route {
        Route { to, via: None, dev: dev.to_owned(), src, onlink: false }
    }

    /// A line to addresses behind another machine.
    pub fn via(to: IpNet, via: IpAddr, dev: &str) -> Route {
        Route { to, via: Some(via), dev: dev.to_owned(), src: None, onlink: false }
    }
}

impl fmt::Display for Route {
    /// As `ip route` shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to.prefix_len() {
            0 => f.write_str("default")?,
            n if n == self.to.max_prefix_len() => write!(f, "{}", self.to.addr())?,
            _ => write!(f, "{}", self.to)?,
        }
        if let Some(via) = self.via {
            write!(f, " via {via}")?;
        }
        write!(f, " dev {}", self.dev)?;
        match (self.via, self.src) {
            (None, Some(src)) => write!(f, " proto kernel scope link src {src}")?,
            (None, None) => f.write_str(" scope link")?,
            (Some(_), _) => {}
        }
        if self.onlink {
            f.write_str(" onlink")?;
        }
        Ok(())
    }
}

/// The line that a packet to an address follows: of those that have the address the one with the longest prefix.
pub fn longest(routes: Vec<Route>, to: IpAddr) -> Option<Route> {
    routes.into_iter().filter(|r| r.to.contains(&to)).max_by_key(|r| r.to.prefix_len())
}
