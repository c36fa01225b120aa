//! The cluster's DNS: the one that every cluster has, which is no object, or CoreDNS in pods, as kubeadm adds it.

use std::net::{IpAddr, SocketAddr};

use super::Cluster;
use super::fault::NoSuchFault;
use super::network::Network;
use crate::api::Key;
use crate::api::types::{EndpointSlice, Service};
use crate::apiserver::Write;
use crate::kubelet::queries::{Queried, Query};
use crate::kubelet::{self, Dns};
use crate::network::coredns::{Outside, PORT};
use crate::network::dns::{self, Objects, RecordType, Records};
use crate::network::{Answer, Outcome, Protocol, Question};

/// The objects of the addon.
pub const MANIFEST: &str = include_str!("../../static/addons/coredns.yaml");

/// Who creates the objects.
const USER: &str = "kubeadm";

/// Through how many other servers a query may be handed on. A real one would go on until somebody gives up waiting.
const HOPS_LIMIT: usize = 4;

impl Cluster {
    /// Whether the cluster's DNS is CoreDNS in pods.
    pub fn has_core_dns(&self) -> bool {
        self.core_dns
    }

    /// Creates the objects of CoreDNS, or deletes them. Those that are there already stay as they are, as kubeadm leaves a
    /// Corefile that somebody has changed.
    pub(super) fn install_core_dns(&mut self, installed: bool) -> Result<Vec<Write>, NoSuchFault> {
        if installed == self.core_dns {
            return Err(NoSuchFault);
        }
        let writes = self.install(MANIFEST, USER, installed)?;
        self.core_dns = installed;
        Ok(writes)
    }
}

/// A pod of CoreDNS that answers.
struct Serving<'a> {
    network: &'a Network<'a>,
    pod: &'a Key,
    hops: usize,
}

impl Objects for Serving<'_> {
    fn service(&self, key: &Key) -> Option<&Service> {
        self.network.service(key)
    }

    fn services(&self) -> Vec<&Service> {
        self.network.services()
    }

    fn slices(&self, service: &Key) -> Vec<&EndpointSlice> {
        self.network.slices(service)
    }

    fn has_namespace(&self, name: &str) -> bool {
        self.network.has_namespace(name)
    }

    fn has_pod(&self, namespace: &str, address: IpAddr) -> bool {
        self.network.has_pod(namespace, address)
    }
}

impl Outside for Serving<'_> {
    fn forward(&self, server: IpAddr, name: &str, type_: RecordType) -> Option<Records> {
        let question = Question::Lookup { server, name: name.into(), type_ };
        match self.network.asked(self.pod, &question, self.hops + 1) {
            Answer::Records(records) => records.filter(|r| r.failure.is_none()),
            Answer::Replies { .. } => None,
        }
    }
}

impl Network<'_> {
    /// Whether a lookup at an address is a packet that somebody in the cluster gets, and not a question to the DNS that is no
    /// object.
    pub(super) fn is_sent_to(&self, server: IpAddr) -> bool {
        let of_pod = || self.hosts().any(|host| host.state.pod_of(server).is_some());
        self.is_a_service(server) || (self.core_dns && self.is_cluster_address(server)) || of_pod()
    }

    /// What becomes of the packets of a lookup. A client asks again from the same port, so the kernel leads it to the same
    /// endpoint again: that of the first packet.
    pub(super) fn packets(&self, from: &Key, server: IpAddr, seed: u64) -> Answer {
        let to = SocketAddr::new(server, PORT);
        let replies = self.replies(from, to, &Question::Connect { to, protocol: Protocol::Udp });
        Answer::Replies { replies: replies.into(), seed }
    }

    /// What a DNS server answers to a pod. `hops` counts the servers that the query has been handed on by.
    pub(super) fn asked(&self, from: &Key, question: &Question, hops: usize) -> Answer {
        let Question::Lookup { server, name, type_ } = question else { return Answer::Records(None) };
        let lookup = || dns::lookup(self, name, *type_);
        let of_cluster = self.is_cluster_address(*server);
        if !self.is_sent_to(*server) {
            // The DNS that is no object, or one outside of the cluster.
            if self.is_kept_from_dns(from, *server) {
                return Answer::Records(None);
            }
            let records = if of_cluster { lookup() } else { dns::upstream(name, *type_) };
            return Answer::Records(Some(records));
        }
        if hops > HOPS_LIMIT {
            return Answer::Records(None);
        }
        let to = SocketAddr::new(*server, PORT);
        let seed = super::network::seed_of(from, question);
        let all = self.packets(from, *server, seed);
        let Some(reply) = all.pick(0) else { return Answer::Records(None) };
        match reply.outcome {
            Outcome::Connected => {}
            Outcome::Refused => return Answer::always(Outcome::Refused),
            _ => return Answer::Records(None),
        }
        let address = reply.endpoint.unwrap_or(to);
        match self.coredns_at(address.ip()) {
            Some((state, pod, dns)) => {
                let asked = (&**name, *type_);
                let noting = self.noting.as_ref();
                let cached = noting.filter(|n| n.caches);
                let cached = cached.and_then(|_| state.cached(&pod, dns.configured, asked, self.now));
                let serving = Serving { network: self, pod: &pod, hops };
                let serve = || dns.configuration.serve(&serving, address.port(), name, *type_);
                let mut served = cached.unwrap_or_else(serve);
                let records = served.records.clone();
                if let Some(noting) = noting {
                    served.kept = served.kept.filter(|_| noting.caches);
                    if served.logged || served.kept.is_some() {
                        let client = self.sender(from, *server).map_or(*server, |s| s.address);
                        let client = SocketAddr::new(client, super::network::SOURCE_PORT);
                        let id = u16::try_from(seed & 0xffff).unwrap_or_default();
                        let (at, name, type_) = (self.now, name.clone(), *type_);
                        let query = Query { at, client, id, name, type_, served };
                        noting.noted.borrow_mut().queries.push(Queried { pod, since: dns.since, query });
                    }
                }
                Answer::Records(Some(records))
            }
            // Another program, which is taken to answer as CoreDNS does.
            None => Answer::Records(Some(lookup())),
        }
    }

    /// The pod of CoreDNS that has an address, and the memory of its kubelet.
    fn coredns_at(&self, address: IpAddr) -> Option<(&kubelet::State, Key, Dns)> {
        self.hosts().find_map(|host| {
            let pod = host.state.pod_of(address)?;
            let caches = &host.process.caches;
            let dns = kubelet::network::coredns(host.state, caches, &host.node, pod, self.now)?;
            Some((host.state, pod.clone(), dns))
        })
    }
}
