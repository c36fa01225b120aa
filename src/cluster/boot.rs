//! How a cluster starts, and the objects it starts with.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::json;
use sha2::{Digest, Sha256};

use super::Cluster;
use super::action::Actor;
use super::aggregate::METRICS_SERVER;
use super::clock::Clock;
use super::process::Process;
use crate::api::csi;
use crate::api::ip_family::IpFamily;
use crate::api::order;
use crate::api::persistent::Vector;
use crate::api::service_cidr::DEFAULT_SERVICE_CIDR;
use crate::api::types::Node;
use crate::api::{ApiKind, Kind, Object, Timestamp, release, root_ca};
use crate::apimachinery::{Body, Request, Verb};
use crate::apiserver::ApiServer;
use crate::client::Component;
use crate::controllers::clusterroleaggregation;
use crate::controllers::root_ca_cert_publisher::{DESCRIPTION, DESCRIPTION_ANNOTATION};
use crate::etcd::Etcd;

/// A node for a cluster to start with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSpec {
    /// The node's name.
    pub name: String,
    /// Labels beside those that a kubelet sets.
    pub labels: BTreeMap<String, String>,
    /// Annotations that its kubelet sets.
    pub annotations: BTreeMap<String, String>,
    /// The features that its kubelet declares (KEP-5328).
    pub declared_features: Vec<String>,
    /// The runtime handlers that its kubelet reports, beside those that the annotations name; the one without a name is the
    /// default one. A kubelet of another kind may report none.
    pub runtime_handlers: Vec<String>,
    /// Quantities of `cpu`, `memory` and `pods`: both capacity and allocatable.
    pub capacity: BTreeMap<String, String>,
}

impl NodeSpec {
    /// A node with 4 CPUs, 8Gi of memory and room for 110 pods.
    pub fn standard(name: &str) -> NodeSpec {
        let capacity = [("cpu", "4"), ("memory", "8Gi"), ("pods", "110"), ("ephemeral-storage", "100Gi")];
        NodeSpec {
            name: name.into(),
            labels: BTreeMap::new(),
            annotations: [(csi::CONTROLLER_MANAGED_ATTACH.to_owned(), "true".to_owned())].into(),
            declared_features: crate::kubelet::DECLARED_FEATURES.map(str::to_owned).to_vec(),
            runtime_handlers: crate::kubelet::RUNTIME_HANDLERS.map(str::to_owned).to_vec(),
            capacity: order::gather(capacity.into_iter().map(|(k, v)| (k.into(), v.into()))),
        }
    }
}

type Components = Rc<dyn Fn() -> Vec<Box<dyn Component>>>;
type NodeComponents = Rc<dyn Fn(&str) -> Vec<Box<dyn Component>>>;

/// What a cluster is made of. Equal configurations lead to equal clusters.
#[derive(Clone)]
pub struct Config {
    /// The seed of uids and generated names.
    pub seed: u64,
    /// The virtual time at the start.
    pub start: Timestamp,
    /// The nodes.
    pub nodes: Vec<NodeSpec>,
    /// How many members etcd has, usually 1, 3 or 5; 0 counts as 1.
    pub etcd: usize,
    /// The address families that kube-apiserver and the machines of the nodes have. [`Config::with_ip_family`] sets it with
    /// the flags of the controllers.
    pub ip_family: IpFamily,
    /// The components of kube-controller-manager.
    pub controllers: Components,
    /// The components of kube-scheduler.
    pub scheduler: Components,
    /// The controllers that run in kube-apiserver.
    pub apiserver: Components,
    /// The components of a node's kubelet process, by the node's name.
    pub kubelet: NodeComponents,
    /// The components of the process beside Kubernetes, such as a provisioner. Without any there is no such
    /// process.
    pub addons: Components,
    /// The components of the metrics server. Without any none is installed; a person can install one later
    /// ([`Fault::MetricsServer`](super::Fault::MetricsServer)).
    pub metrics_server: Components,
    /// Objects that are created at the start: the Service of the API server, the default StorageClass.
    pub addon_objects: Vec<Object>,
}

/// The default start of virtual time, 2026-01-01T00:00:00Z, in seconds since 1970.
const START: i64 = 1_767_225_600;

impl Config {
    /// Kubernetes with `n` standard nodes, named `node-1`, `node-2` and so on.
    pub fn nodes(n: usize) -> Config {
        Config {
            seed: 1,
            start: Timestamp::from_second(START).unwrap_or(Timestamp::UNIX_EPOCH),
            nodes: (1..=n).map(|i| NodeSpec::standard(&format!("node-{i}"))).collect(),
            etcd: 1,
            ip_family: IpFamily::default(),
            controllers: Rc::new(|| crate::controllers::all(IpFamily::default())),
            scheduler: Rc::new(crate::scheduler::components),
            apiserver: Rc::new(|| crate::controlplane::all(IpFamily::default())),
            kubelet: Rc::new(crate::kubelet::components),
            addons: Rc::new(crate::provisioner::components),
            metrics_server: Rc::new(Vec::new),
            addon_objects: kubernetes_service()
                .into_iter()
                .chain([crate::provisioner::storage_class(crate::provisioner::NAME).into()])
                .collect(),
        }
    }

    /// The same cluster with other address families: of the API server, of its controllers, of kube-controller-manager and
    /// of the nodes.
    #[must_use]
    pub fn with_ip_family(self, ip_family: IpFamily) -> Config {
        Config {
            ip_family,
            controllers: Rc::new(move || crate::controllers::all(ip_family)),
            apiserver: Rc::new(move || crate::controlplane::all(ip_family)),
            ..self
        }
    }
}

impl Cluster {
    /// A cluster after its start: all nodes are registered, every informer has listed, and time has not
    /// passed.
    pub fn new(config: &Config) -> Cluster {
        let mut cluster = Cluster {
            api: ApiServer::with_etcd(config.seed, Etcd::with_members(config.etcd)),
            processes: Vector::new(),
            ready: Default::default(),
            clock: Clock::new(config.start),
            turn: Actor::default(),
            due: Vector::new(),
            elects: false,
            asking: Rc::default(),
            network_changed: false,
            rules_changed: BTreeSet::new(),
            led_by: Rc::default(),
            asks_server: Rc::default(),
            callers_ask_server: false,
            server_changed: false,
            sends: false,
            memo: Rc::default(),
            traffic: Default::default(),
            proxy_mode: None,
            hosted: Rc::default(),
            proxy_chosen: false,
            plugin: Default::default(),
            core_dns: false,
            storage: Default::default(),
            affinity: Default::default(),
            callers: Default::default(),
        };
        cluster.api.set_ip_family(config.ip_family);
        let controllers = (config.controllers)();
        let aggregates = controllers.iter().any(|c| *c.name() == *clusterroleaggregation::NAME);
        cluster.api.set_default_policy(config.start, aggregates);
        for object in
            bootstrap_objects(config.ip_family).into_iter().chain(config.addon_objects.iter().cloned())
        {
            cluster.bootstrap(object);
        }
        cluster.add_process(Process::new("kube-controller-manager", None, controllers));
        cluster.add_process(Process::new("kube-scheduler", None, (config.scheduler)()));
        let addons = (config.addons)();
        if let Some(name) = addons.first().map(|c| c.name()) {
            let mut process = Process::new(&name, None, addons);
            process.program = None;
            cluster.add_process(process);
        }
        for node in &config.nodes {
            cluster.add_node(node, (config.kubelet)(&node.name));
        }
        // It comes last, so that the processes which were there before it keep their numbers in links.
        cluster.add_process(Process::new("kube-apiserver", None, (config.apiserver)()));
        let metrics_server = (config.metrics_server)();
        if !metrics_server.is_empty() {
            cluster.add_process(Process::new(METRICS_SERVER, None, metrics_server));
        }
        // If the components never settle, steps of the cluster will show that.
        let _ = cluster.settle();
        cluster.turn = Actor::default();
        cluster.due = Vector::new();
        cluster
    }

    /// Creates a Node, and adds its kubelet process.
    pub fn add_node(&mut self, spec: &NodeSpec, components: Vec<Box<dyn Component>>) {
        let index = 1 + self.processes.iter().filter(|p| p.node.is_some()).count();
        self.bootstrap(node_object(spec, index, self.api.ip_family(), self.clock.now()));
        self.add_process(Process::new("kubelet", Some(spec.name.as_str().into()), components));
    }

    pub(super) fn add_process(&mut self, process: Process) {
        let id = u32::try_from(self.processes.len()).unwrap_or(u32::MAX);
        self.processes.push_back(Rc::new(process));
        self.ready.insert(id);
    }

    /// Creates an object as part of the start.
    fn bootstrap(&mut self, object: Object) {
        let user: Rc<str> = Rc::from(if object.kind() == Kind::NODE { "kubelet" } else { "kube-apiserver" });
        let request = Request::new(&user, Verb::Create, object.kind(), object.key());
        // If the API server refused an object, it would be missing, and this room's tests would fail.
        let _ = self.request(&request.clone().body(Body::Object(object.clone())));
        if object.get::<Node>().is_some() {
            let status = Request::new(&user, Verb::Update, object.kind(), object.key())
                .subresource(crate::apimachinery::Subresource::Status);
            let _ = self.request(&status.body(Body::Object(object)));
        }
    }
}

/// The API server as pods reach it: the Service `kubernetes`, its Endpoints and its EndpointSlice
/// (`pkg/controlplane/controller/kubernetesservice`).
pub fn kubernetes_service() -> Vec<Object> {
    const NAME: &str = "kubernetes";
    // The machine of the control plane; the nodes' addresses follow it.
    const ADDRESS: &str = "172.18.0.1";
    let port = json!({"name": "https", "port": 6443, "protocol": "TCP"});
    let meta = |labels: serde_json::Value| json!({"name": NAME, "namespace": "default", "labels": labels});
    let values = [
        (
            Kind::SERVICE,
            json!({
                "metadata": meta(json!({"component": "apiserver", "provider": NAME})),
                "spec": {
                    "type": "ClusterIP",
                    "clusterIP": "10.96.0.1",
                    "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
                },
            }),
        ),
        (
            Kind::ENDPOINTS,
            json!({
                "metadata": meta(json!({"endpointslice.kubernetes.io/skip-mirror": "true"})),
                "subsets": [{"addresses": [{"ip": ADDRESS}], "ports": [port]}],
            }),
        ),
        (
            Kind::ENDPOINT_SLICE,
            json!({
                "metadata": meta(json!({"kubernetes.io/service-name": NAME})),
                "addressType": "IPv4",
                "endpoints": [{"addresses": [ADDRESS], "conditions": {"ready": true}}],
                "ports": [port],
            }),
        ),
    ];
    values.into_iter().filter_map(|(kind, value)| Object::from_value(kind, value).ok()).collect()
}

fn bootstrap_objects(ip_family: IpFamily) -> Vec<Object> {
    // Services that are created later get their addresses from it.
    let cidrs: Vec<String> = ip_family.service_ranges().map(|range| range.to_string()).collect();
    let range = json!({"metadata": {"name": DEFAULT_SERVICE_CIDR}, "spec": {"cidrs": cidrs}});
    let mut values = vec![(Kind::SERVICE_CIDR, range)];
    for ns in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        values.push((Kind::NAMESPACE, json!({"metadata": {"name": ns}})));
    }
    for ns in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        values.push((Kind::SERVICE_ACCOUNT, json!({"metadata": {"name": "default", "namespace": ns}})));
        values.push((
            Kind::CONFIG_MAP,
            json!({
                "metadata": {
                    "name": "kube-root-ca.crt", "namespace": ns,
                    "annotations": {DESCRIPTION_ANNOTATION: DESCRIPTION},
                },
                "data": {"ca.crt": root_ca::CERTIFICATE},
            }),
        ));
    }
    // `pkg/apis/scheduling/v1.SystemPriorityClasses`
    for (name, value, description) in [
        (
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their current node.",
        ),
        (
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
        ),
    ] {
        values.push((
            Kind::PRIORITY_CLASS,
            json!({
                "metadata": {"name": name}, "value": value, "description": description,
                "preemptionPolicy": "PreemptLowerPriority",
            }),
        ));
    }
    // All values are written above and fit their kinds.
    values.into_iter().filter_map(|(kind, value)| Object::from_value(kind, value).ok()).collect()
}

fn node_object(spec: &NodeSpec, index: usize, ip_family: IpFamily, now: Timestamp) -> Object {
    // The networks that kind gives its machines: 172.18.0.0/16 and fc00:f853:ccd:e793::/64.
    let host = index + 1;
    let address = format!("172.18.{}.{}", host / 256, host % 256);
    let mut addresses = vec![json!({"type": "InternalIP", "address": address})];
    if ip_family == IpFamily::Dual {
        let address = format!("fc00:f853:ccd:e793::{host:x}");
        addresses.push(json!({"type": "InternalIP", "address": address}));
    }
    addresses.push(json!({"type": "Hostname", "address": spec.name}));
    let mut labels = json!({
        "beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": spec.name,
    });
    for (k, v) in &spec.labels {
        labels[k] = v.as_str().into();
    }
    let condition = |type_: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": type_, "status": status, "reason": reason, "message": message,
            "lastHeartbeatTime": now, "lastTransitionTime": now,
        })
    };
    let value = json!({
        "metadata": {"name": spec.name, "labels": labels, "annotations": spec.annotations},
        "status": {
            "capacity": spec.capacity,
            "allocatable": spec.capacity,
            "declaredFeatures": Some(&spec.declared_features).filter(|f| !f.is_empty()),
            "features": Some(json!({"supplementalGroupsPolicy": true})).filter(|_| !spec.declared_features.is_empty()),
            "conditions": [
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
            ],
            "addresses": addresses,
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": system_info(&spec.name),
        },
    });
    let mut object = Object::from_value(Kind::NODE, value).unwrap_or_else(|_| Node::default().into());
    if let Some(node) = Node::from_object_mut(&mut object) {
        let own = spec.runtime_handlers.iter().map(String::as_str);
        let handlers = crate::kubelet::runtime_handlers(own, Some(&spec.annotations));
        node.status.get_or_insert_default().runtime_handlers = Some(handlers).filter(|h| !h.is_empty());
    }
    object
}

/// What a kubelet says of its machine, as if it was a node of kind (`k8s.io/kubernetes/pkg/kubelet/nodestatus`).
/// The machine's identifiers come from the node's name.
fn system_info(node: &str) -> serde_json::Value {
    let id = |what: &str| -> String {
        let digest = Sha256::digest(format!("{what}/{node}"));
        digest.iter().take(16).map(|b| format!("{b:02x}")).collect()
    };
    // 8-4-4-4-12 digits
    let uuid = |what: &str| {
        let mut text = id(what);
        for at in [20, 16, 12, 8] {
            text.insert(at, '-');
        }
        text
    };
    json!({
        "architecture": "amd64", "operatingSystem": "linux", "kubeletVersion": release::GIT_VERSION,
        "kubeProxyVersion": "", "containerRuntimeVersion": "containerd://2.2.0", "kernelVersion": crate::shell::KERNEL,
        "osImage": "Debian GNU/Linux 12 (bookworm)",
        "machineID": id("machine"), "systemUUID": uuid("system"), "bootID": uuid("boot"),
    })
}
