//! What a network plugin that enforces NetworkPolicies knows: the policies, and who has which address.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use crate::api::types::{Namespace, NetworkPolicy, Node, Pod};
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::apiserver::ApiServer;
use crate::network::Protocol;
use crate::network::policy::{Connection, Denied, Direction, End, Objects, decide_side};

/// The policies of a cluster.
#[derive(Clone, Copy)]
pub(super) struct Policing<'a>(pub(super) &'a ApiServer);

/// Who has an address, for policies.
#[derive(Clone, Debug)]
pub(super) struct Holder {
    address: IpAddr,
    pod: Option<Rc<Pod>>,
    node: Option<Rc<str>>,
}

impl Holder {
    fn end(&self) -> End<'_> {
        End { address: self.address, pod: self.pod.as_deref(), node: self.node.as_deref() }
    }

    /// Somebody who is no pod with an address of its own: a machine, or a host outside.
    pub(super) fn machine(address: IpAddr, node: Option<&Key>) -> Holder {
        Holder { address, pod: None, node: node.map(|n| n.name.to_string().into()) }
    }
}

impl<'a> Policing<'a> {
    /// Whether there are policies at all.
    pub(super) fn is_needed(self) -> bool {
        self.0.cached_list(Kind::NETWORK_POLICY, None).next().is_some()
    }

    /// A pod with an address of its own.
    pub(super) fn pod(self, key: &Key, address: IpAddr, node: &Key) -> Holder {
        let at = ObjectRef { kind: Kind::POD, key: key.clone() };
        let pod = self.0.cached(&at).and_then(|o| o.get::<Pod>()).cloned();
        Holder { pod, ..Holder::machine(address, Some(node)) }
    }

    /// The cluster's DNS, where there is no Service of it: a pod of CoreDNS, as kubeadm labels it.
    pub(super) fn dns(self, address: IpAddr) -> Holder {
        let port = |name: &str, protocol: Protocol| serde_json::json!({"name": name, "containerPort": 53, "protocol": protocol.name()});
        let pod = serde_json::json!({
            "metadata": {"namespace": "kube-system", "name": "coredns", "labels": {"k8s-app": "kube-dns"}},
            "spec": {"containers": [{
                "name": "coredns", "ports": [port("dns", Protocol::Udp), port("dns-tcp", Protocol::Tcp)],
            }]},
        });
        let pod = serde_json::from_value::<Pod>(pod).ok().map(Rc::new);
        Holder { pod, ..Holder::machine(address, None) }
    }

    /// The node that has an address itself.
    pub(super) fn node_with(self, address: IpAddr) -> Option<Key> {
        let mut nodes = self.0.cached_list(Kind::NODE, None).filter_map(|(_, o)| o.get::<Node>());
        let has = |n: &&Rc<Node>| {
            let all = n.status.iter().flat_map(|s| s.addresses.iter().flatten());
            all.filter(|a| a.type_ == "InternalIP").any(|a| a.address.parse() == Ok(address))
        };
        nodes.find(has).map(|n| n.metadata.key())
    }

    /// Why the policies of one side do not allow a connection.
    pub(super) fn denies(
        self,
        direction: Direction,
        source: &Holder,
        destination: &Holder,
        port: Option<(Protocol, u16)>,
    ) -> Option<Denied> {
        let connection = Connection { source: source.end(), destination: destination.end(), port };
        decide_side(&self, &connection, direction).err()
    }
}

impl Objects for Policing<'_> {
    fn policies<'a>(&'a self, namespace: &'a str) -> Vec<&'a NetworkPolicy> {
        let all = self.0.cached_list(Kind::NETWORK_POLICY, Some(namespace));
        all.filter_map(|(_, o)| o.get::<NetworkPolicy>().map(|p| &**p)).collect()
    }

    fn namespace_labels(&self, namespace: &str) -> Option<BTreeMap<String, String>> {
        let at = ObjectRef { kind: Kind::NAMESPACE, key: Key::new("", namespace) };
        self.0.cached(&at)?.get::<Namespace>().map(|n| n.metadata.labels_or_empty().clone())
    }
}
