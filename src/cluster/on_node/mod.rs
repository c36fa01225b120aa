//! Looking into a node: what the tools of a machine show of it, when somebody runs them there (with kind:
//! `docker exec NODE COMMAND`).
//!
//! These tools change nothing. `iptables-save` and its siblings print the rules in the kernel ([`Cluster::rules_on`]), and
//! `crictl` what the container runtime knows, which is in the kubelet's memory.
//!
//! | module | the tools |
//! | --- | --- |
//! | `iptables` | `iptables-save`, `iptables -S`, and those of IPv6 |
//! | `nft` | `nft list` |
//! | `ipvs` | `ipvsadm`, `ipvsadm-save`, `ipset` |
//! | `ip` | `ip route` |
//! | `request` | `curl`, and what the person's own machine has beside it |
//! | `crictl`, `inspect`, `humanize` | `crictl ps`, `pods`, `images`, `inspect`, `inspectp`; durations and sizes as it writes them |

mod crictl;
mod humanize;
mod inspect;
mod ip;
mod iptables;
mod ipvs;
mod nft;
mod request;

pub use request::OWN_TOOLS;

use super::Cluster;
use super::process::Process;
use crate::api::Key;
use crate::client::Caches;
use crate::kubelet;
use crate::network::proxy::Family;

/// The tools of a node, each with the words that can follow it.
pub const NODE_TOOLS: [(&str, &[&str]); 11] = [
    ("crictl", &["images", "inspect", "inspectp", "pods", "ps"]),
    ("curl", &["-s"]),
    ("ip", &["-4", "-6", "route"]),
    ("ip6tables", &["-S", "-t"]),
    ("ip6tables-save", &["-t"]),
    ("ipset", &["list"]),
    ("iptables", &["-S", "-t"]),
    ("iptables-save", &["-t"]),
    ("ipvsadm", &["-Ln"]),
    ("ipvsadm-save", &["-n"]),
    ("nft", &["list"]),
];

/// What a tool has printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeOutput {
    /// What it printed to standard output.
    pub stdout: String,
    /// What it printed to standard error.
    pub stderr: String,
    /// Its exit code.
    pub exit: i32,
}

/// A node that is looked at, by what its kubelet has.
#[derive(Clone, Copy)]
struct Looked<'a> {
    cluster: &'a Cluster,
    state: &'a kubelet::State,
    caches: &'a Caches,
    node: &'a Key,
}

impl NodeOutput {
    fn of(stdout: String) -> NodeOutput {
        NodeOutput { stdout, ..NodeOutput::default() }
    }

    fn failed(exit: i32, stderr: impl Into<String>) -> NodeOutput {
        NodeOutput { stderr: stderr.into(), exit, ..NodeOutput::default() }
    }

    /// For what the real tool could do.
    fn not_built(tool: &str, what: &str, built: &str) -> NodeOutput {
        NodeOutput::failed(1, format!("{tool}: {what} is not built here: there is {built}\n"))
    }
}

/// Why nothing was run on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRun {
    /// There is no machine of that name.
    NoSuchNode,
    /// The machine has no such command.
    NoSuchCommand,
}

impl Cluster {
    /// The names of the machines that are nodes, in order. A Node object that somebody made by hand has none.
    pub fn machines(&self) -> impl Iterator<Item = &str> {
        let kubelets = self.processes().filter(|p| kubelet_of(p).is_some());
        kubelets.filter_map(|p| p.node.as_deref())
    }

    /// The file in which the kubelet of a node keeps which processors containers have for themselves; `None` if there is no such
    /// machine.
    pub fn cpu_manager_state(&self, node: &str) -> Option<String> {
        let mut own = self.processes().filter(|p| p.node.as_deref() == Some(node));
        own.find_map(kubelet_of).map(kubelet::cpu_manager_state)
    }

    /// Runs one of the [`NODE_TOOLS`] on a node, also on one that is cut off. Nothing changes. `nth` is how many were run before: which
    /// endpoint a request meets follows from it.
    pub fn run_on_node(&self, node: &str, words: &[String], nth: u64) -> Result<NodeOutput, NotRun> {
        let mut own = self.processes().filter(|p| p.node.as_deref() == Some(node));
        let of = |p| kubelet_of(p).map(|state| (p, state));
        let (process, state) = own.find_map(of).ok_or(NotRun::NoSuchNode)?;
        if words.first().is_some_and(|name| name == "curl") {
            return Ok(self.request_from_node(node, process.running, words, nth));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (name, arguments) = words.split_first().ok_or(NotRun::NoSuchCommand)?;
        let rules = || self.rules_on(node);
        Ok(match *name {
            "iptables-save" => iptables::save(name, &rules(), Family::Ipv4, arguments, self.now()),
            "ip6tables-save" => iptables::save(name, &rules(), Family::Ipv6, arguments, self.now()),
            "iptables" => iptables::list(name, &rules(), Family::Ipv4, arguments),
            "ip6tables" => iptables::list(name, &rules(), Family::Ipv6, arguments),
            "ip" => {
                let network = self.topology();
                let own = network.machine(node).ok_or(NotRun::NoSuchCommand)?;
                ip::run(&network, own, arguments)
            }
            "nft" => nft::run(&rules(), arguments),
            "ipvsadm" => ipvs::ipvsadm(&rules(), arguments),
            "ipvsadm-save" => ipvs::save(&rules()),
            "ipset" => ipvs::ipset(&rules(), arguments),
            "crictl" => {
                let node = &Key::new("", node);
                crictl::run(&Looked { cluster: self, state, caches: &process.caches, node }, arguments)
            }
            _ => return Err(NotRun::NoSuchCommand),
        })
    }
}

/// What the kubelet of a process remembers, if it is one.
fn kubelet_of(process: &Process) -> Option<&kubelet::State> {
    process.components.iter().find_map(|c| c.state().downcast_ref::<kubelet::State>())
}
