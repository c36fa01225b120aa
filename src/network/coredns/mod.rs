//! CoreDNS as a program: what its Corefile says, and what it answers then.
//!
//! | module | what it is |
//! | --- | --- |
//! | `corefile` | the text: server blocks and directives (Caddy's parser) |
//! | `setup`, `setup_names` | what each plugin reads of its directives |
//! | `plugins` | the plugins' settings |
//! | `serve` | a query on its way through the plugins |
//!
//! Plugins that CoreDNS has and that are not simulated are refused with an error that says so ([`NOT_SIMULATED`]); a word that is
//! no plugin is refused in CoreDNS' own words. What is asked comes to a server by its zone, and goes through its plugins in the
//! order of CoreDNS' `plugin.cfg`, whatever their order in the file is.

mod corefile;
mod plugins;
mod serve;
mod setup;
mod setup_names;

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

pub use plugins::{Cache, Class, Health, Log, Server};
pub use serve::{Outside, Served};

/// The port of DNS.
pub const PORT: u16 = 53;

/// The plugins that are simulated, in the order in which CoreDNS asks them (`plugin.cfg`).
const PLUGINS: [&str; 21] = [
    "metadata",
    "cancel",
    "reload",
    "bufsize",
    "bind",
    "debug",
    "ready",
    "health",
    "prometheus",
    "errors",
    "log",
    "loadbalance",
    "cache",
    "rewrite",
    "minimal",
    "hosts",
    "kubernetes",
    "loop",
    "forward",
    "whoami",
    "nsid",
];

/// The plugins of CoreDNS that are not simulated. A Corefile with one of them is refused.
pub const NOT_SIMULATED: [&str; 32] = [
    "root",
    "geoip",
    "quic",
    "grpc_server",
    "https",
    "https3",
    "timeouts",
    "multisocket",
    "tls",
    "trace",
    "pprof",
    "dnstap",
    "local",
    "dns64",
    "acl",
    "any",
    "chaos",
    "tsig",
    "header",
    "dnssec",
    "autopath",
    "template",
    "transfer",
    "route53",
    "azure",
    "clouddns",
    "k8s_external",
    "file",
    "auto",
    "secondary",
    "etcd",
    "view",
];

/// What CoreDNS does if nobody gives it a configuration (`core/dnsserver/register.go`).
pub const DEFAULT: &str = ". {\nwhoami\nlog\n}\n";

/// A configuration that CoreDNS can run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The servers, in the order of the file.
    pub servers: Vec<Rc<Server>>,
    /// The checksum that the plugin `reload` prints.
    pub checksum: String,
}

/// What CoreDNS finds when it reads its configuration.
pub struct Finds<'a> {
    /// The path of the Corefile, for messages.
    pub file: &'a str,
    /// The port of servers whose keys name none.
    pub port: u16,
    /// The environment.
    pub env: &'a BTreeMap<String, String>,
    /// The texts of other files, by their paths.
    pub read: &'a dyn Fn(&str) -> Option<String>,
}

impl std::fmt::Debug for Finds<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Finds").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Configuration {
    /// Reads a Corefile.
    ///
    /// # Errors
    /// What CoreDNS prints before it exits.
    pub fn read(text: &str, finds: &Finds<'_>) -> Result<Configuration, String> {
        let known: Vec<&str> = PLUGINS.into_iter().chain(NOT_SIMULATED).collect();
        let blocks = corefile::parse(finds.file, text, finds.env, &known)?;
        let servers = blocks.iter().map(|b| setup::server(b, finds).map(Rc::new));
        let servers: Vec<Rc<Server>> = servers.collect::<Result<_, _>>()?;
        let mut seen = Vec::new();
        for (zone, port) in servers.iter().flat_map(|s| s.zones.iter().map(|z| (z, s.port))) {
            if seen.contains(&(zone, port)) {
                return Err(format!("cannot serve dns://{zone}.:{port} - it is already defined"));
            }
            seen.push((zone, port));
        }
        Ok(Configuration { servers, checksum: corefile::checksum(&blocks) })
    }

    /// The ports on which it listens for queries, over UDP and over TCP.
    pub fn ports(&self) -> Vec<u16> {
        let mut all: Vec<u16> = self.servers.iter().map(|s| s.port).collect();
        crate::api::order::sort(&mut all);
        all.dedup();
        all
    }

    /// The ports on which it listens for HTTP: those of the plugins `health`, `ready` and `prometheus`, each with its path.
    pub fn http_ports(&self) -> Vec<(u16, &'static str)> {
        let of = |s: &Rc<Server>| {
            let health = s.health.map(|h| (h.port, "/health"));
            [health, s.ready.map(|p| (p, "/ready")), s.prometheus.map(|p| (p, "/metrics"))]
        };
        self.servers.iter().flat_map(of).flatten().collect()
    }

    /// How often it looks whether its Corefile has changed; `None` if it does not.
    pub fn reloads(&self) -> Option<SignedDuration> {
        self.servers.iter().find_map(|s| s.reload)
    }

    /// For how long it answers after SIGTERM.
    pub fn lameduck(&self) -> SignedDuration {
        let all = self.servers.iter().filter_map(|s| s.health);
        all.map(|h| h.lameduck).max().unwrap_or_default()
    }

    /// What CoreDNS prints before it ends, because it would ask itself (the plugin `loop`): a server hands queries on to the
    /// pod's own address of loopback, on which it listens.
    pub fn loop_found(&self) -> Option<String> {
        let loops = |s: &Rc<Server>| s.finds_loops && s.port == PORT && s.asks_itself();
        let server = self.servers.iter().find(|s| loops(s))?;
        let zone = server.zones.first().map_or("", |z| z);
        // The name is chance there, and always the same here.
        let query = format!("4547991504243258144.3688648895315093531.{zone}");
        Some(format!(
            "[FATAL] plugin/loop: Loop (127.0.0.1:34536 -> :{PORT}) detected for zone \"{zone}.\", see \
             https://coredns.io/plugins/loop#troubleshooting. Query: \"HINFO {query}\""
        ))
    }

    /// What the servers are called when they start: `.:53`.
    pub fn names(&self) -> Vec<String> {
        let of = |s: &Rc<Server>| s.zones.iter().map(|z| format!("{z}.:{}", s.port)).collect::<Vec<_>>();
        self.servers.iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests;
