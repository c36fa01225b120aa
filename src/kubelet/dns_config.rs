//! What the resolver of a pod is told, as `pkg/kubelet/network/dns` has it: servers, domains to search, and options.

use super::turn::Turn;
use crate::api::types::Service;
use crate::api::{Key, MetaExt};
use crate::network::resolver::{NODE_DNS, SERVERS_LIMIT};

/// The address of the cluster's DNS where there is no Service for it, as kubeadm sets it.
const DNS: &str = "10.96.0.10";

/// The longest domain (`DNS1123SubdomainMaxLength`).
const DOMAIN_LIMIT: usize = 253;
/// The most domains to search (`MaxDNSSearchPaths` of `pkg/apis/core/validation`).
const SEARCHES_LIMIT: usize = 32;
/// The longest line of them (`MaxDNSSearchListChars`).
const SEARCH_LINE_LIMIT: usize = 2048;

/// What the resolver of a pod is told.
pub(super) struct Resolver {
    pub(super) servers: Vec<String>,
    pub(super) searches: Vec<String>,
    pub(super) options: Vec<String>,
    /// What is said of servers and domains that were left out because there were too many.
    pub(super) omitted: Vec<String>,
}

impl Resolver {
    /// The same within the limits (`formDNSConfigFitsLimits`).
    fn within_limits(mut self) -> Resolver {
        if self.servers.len() > SERVERS_LIMIT {
            self.servers.truncate(SERVERS_LIMIT);
            self.omitted.push(format!(
                "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: {}",
                self.servers.join(" ")
            ));
        }
        let all = self.searches.len();
        self.searches.truncate(SEARCHES_LIMIT);
        // A resolver can abort at a domain that is longer than a name may be.
        self.searches.retain(|domain| domain.len() <= DOMAIN_LIMIT);
        while self.searches.iter().map(String::len).sum::<usize>() + self.searches.len().saturating_sub(1)
            > SEARCH_LINE_LIMIT
        {
            self.searches.pop();
        }
        if self.searches.len() < all {
            self.omitted.push(format!(
                "Search Line limits were exceeded, some search paths have been omitted, the applied search line is: {}",
                self.searches.join(" ")
            ));
        }
        self
    }
}

impl Turn<'_> {
    /// What the pod's resolver is told.
    pub(super) fn resolver(&self) -> Resolver {
        let ns = MetaExt::namespace(&self.pod.metadata);
        let config = self.spec.dns_config.as_ref();
        let policy = self.spec.dns_policy.as_deref().unwrap_or("ClusterFirst");
        let (mut servers, mut searches, mut options) =
            (Vec::new(), Vec::new(), Vec::<(String, String)>::new());
        match policy {
            "None" => {}
            "Default" => {
                servers.push(NODE_DNS.to_owned());
                options.push(("ndots".to_owned(), "0".to_owned()));
            }
            "ClusterFirst" if self.spec.host_network == Some(true) => {
                servers.push(NODE_DNS.to_owned());
                options.push(("ndots".to_owned(), "0".to_owned()));
            }
            _ => {
                let service = self.caches.get::<Service>(&Key::new("kube-system", "kube-dns"));
                let server = service.and_then(|s| s.spec.as_ref()?.cluster_ip.clone());
                servers.push(server.unwrap_or_else(|| DNS.into()));
                searches.extend([
                    format!("{ns}.svc.cluster.local"),
                    "svc.cluster.local".into(),
                    "cluster.local".into(),
                ]);
                options.push(("ndots".to_owned(), "5".to_owned()));
            }
        }
        servers.extend(config.iter().flat_map(|c| c.nameservers.iter().flatten().cloned()));
        searches.extend(config.iter().flat_map(|c| c.searches.iter().flatten().cloned()));
        for option in config.iter().flat_map(|c| c.options.iter().flatten()) {
            let (name, value) =
                (option.name.clone().unwrap_or_default(), option.value.clone().unwrap_or_default());
            options.retain(|(before, _)| *before != name);
            options.push((name, value));
        }
        let word = |(name, value): &(String, String)| {
            if value.is_empty() { name.clone() } else { format!("{name}:{value}") }
        };
        Resolver {
            servers: unique(servers),
            searches: unique(searches),
            options: options.iter().map(word).collect(),
            omitted: Vec::new(),
        }
        .within_limits()
    }

    /// Tells of servers and domains that are left out. The kubelet does so each time it makes the configuration of a sandbox.
    pub(super) fn tell_of_resolver(&mut self) {
        for message in self.resolver().omitted {
            self.event(None, "Warning", "DNSConfigForming", message);
        }
    }

    /// The file in which that stands.
    pub(super) fn resolv_conf(&self) -> String {
        let Resolver { servers, searches, options, .. } = self.resolver();
        let mut text = String::new();
        if !searches.is_empty() {
            text.push_str(&format!("search {}\n", searches.join(" ")));
        }
        for server in servers {
            text.push_str(&format!("nameserver {server}\n"));
        }
        if !options.is_empty() {
            text.push_str(&format!("options {}\n", options.join(" ")));
        }
        text
    }
}

fn unique(all: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(all.len());
    for one in all {
        if !out.contains(&one) {
            out.push(one);
        }
    }
    out
}
