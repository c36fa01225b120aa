//! The network between containers: names, addresses, and what becomes of a connection. All of it is pure.
//!
//! A process asks a [`Question`]: the addresses of a name, a connection, an HTTP request. Whoever knows the whole cluster
//! answers it ([`crate::cluster`]), with what this room says:
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cni`] | network plugins: how a packet comes from node to node |
//! | [`coredns`] | CoreDNS as a program: its Corefile, and what its plugins answer |
//! | [`dns`] | the names of the cluster: CoreDNS' plugin `kubernetes` |
//! | [`gateway`] | NGINX Gateway Fabric as a program: from Gateways and HTTPRoutes to conditions and routes |
//! | [`header`] | the header fields of HTTP messages |
//! | [`ingress`] | ingress-nginx as a program: from Ingresses to routes, and from a request to an endpoint |
//! | [`moved`] | what one list of endpoints has that another one has not |
//! | [`passing`] | what a proxy in a pod does with a request: it answers, or asks somebody else |
//! | `pattern` | the regular expressions of proxies |
//! | [`policy`] | NetworkPolicies: whether a connection may be opened |
//! | [`proxy`] | kube-proxy: the rules that it writes on a node for Services, and the way of a packet through them |
//! | [`question`] | what a process can ask, and what it is answered |
//! | [`resolver`] | what a process knows of names by itself: `/etc/resolv.conf`, `/etc/hosts` |
//! | [`serving`] | what is known of a process that answers HTTP requests |
//! | [`traffic`] | clients that send a stream of requests, and what becomes of these |
//! | [`url`] | the parts of a URL as clients read it |
//! | [`visit`] | a request that has come to a process, for its log |
//!
//! Nothing here has a clock, a store or a client: objects go in, rules and answers come out.
//!
//! ```
//! use steady::api::Timestamp;
//! use steady::api::types::{EndpointSlice, Service};
//! use steady::network::Protocol;
//! use steady::network::proxy::{Chance, Config, Kernel, Origin, Packet, Proxier};
//!
//! let service: Service = serde_json::from_value(serde_json::json!({
//!     "apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "default", "name": "web"},
//!     "spec": {"clusterIP": "10.96.0.10", "ports": [{"port": 80}]},
//! })).unwrap();
//! let slice: EndpointSlice = serde_json::from_value(serde_json::json!({
//!     "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
//!     "metadata": {
//!         "namespace": "default", "name": "web-1", "labels": {"kubernetes.io/service-name": "web"}
//!     },
//!     "ports": [{"name": "", "port": 8080}],
//!     "endpoints": [{"addresses": ["10.244.0.5"]}],
//! })).unwrap();
//! let rules = Proxier::sync(&Config::default(), [&service].into_iter(), [&slice].into_iter());
//!
//! let packet = Packet {
//!     source: "10.244.0.9:40000".parse().unwrap(),
//!     destination: "10.96.0.10:80".parse().unwrap(),
//!     protocol: Protocol::Tcp,
//!     origin: Origin::Pod,
//!     interface: "veth1".to_owned(),
//! };
//! let mut chance = || Chance::new(0.5);
//! let walk = rules.walk(&packet, Timestamp::UNIX_EPOCH, &mut Kernel::default(), &mut chance);
//! assert_eq!(walk.verdict.to_string(), "10.244.0.5:8080");
//! assert!(rules.to_string().contains("-j DNAT --to-destination 10.244.0.5:8080"));
//! ```

pub mod cni;
pub mod coredns;
pub mod dns;
pub mod gateway;
pub mod header;
pub mod ingress;
pub mod moved;
pub mod nginx;
mod outside;
pub mod passing;
mod pattern;
pub mod policy;
mod protocol;
pub mod proxy;
pub mod question;
mod records;
pub mod resolver;
pub mod serving;
pub mod traffic;
pub mod url;
pub mod visit;

pub use protocol::Protocol;
pub use question::{Answer, Because, Outcome, Question, Reply, Response};
