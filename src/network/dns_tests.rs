//! Facts from the tests of CoreDNS' plugin `kubernetes` (`handler_test.go`), whose objects these are, and from the
//! specification of DNS-based service discovery.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::*;

struct World {
    services: Vec<Service>,
    slices: Vec<EndpointSlice>,
}

impl Objects for World {
    fn service(&self, key: &Key) -> Option<&Service> {
        self.services.iter().find(|s| s.metadata.key() == *key)
    }
    fn services(&self) -> Vec<&Service> {
        self.services.iter().collect()
    }
    fn slices(&self, service: &Key) -> Vec<&EndpointSlice> {
        let of = |s: &&EndpointSlice| {
            s.metadata.namespace() == &*service.namespace
                && s.metadata.label("kubernetes.io/service-name") == Some(&service.name)
        };
        self.slices.iter().filter(of).collect()
    }
    fn has_namespace(&self, name: &str) -> bool {
        name == "testns"
    }
    fn has_pod(&self, namespace: &str, address: IpAddr) -> bool {
        namespace == "testns" && address == IpAddr::from([10, 240, 0, 1])
    }
}

fn world() -> World {
    let service = |name: &str, spec: Value| -> Service {
        serde_json::from_value(json!({"metadata": {"name": name, "namespace": "testns"}, "spec": spec}))
            .unwrap()
    };
    let http = json!([{"name": "http", "protocol": "TCP", "port": 80}]);
    let slice = |service: &str, endpoints: Value, ports: Value| -> EndpointSlice {
        let labels = json!({"kubernetes.io/service-name": service});
        serde_json::from_value(json!({
            "metadata": {"name": format!("{service}-1"), "namespace": "testns", "labels": labels},
            "addressType": "IPv4", "endpoints": endpoints, "ports": ports,
        }))
        .unwrap()
    };
    let to = |name: &str| json!({"type": "ExternalName", "externalName": name});
    World {
        services: vec![
            service("svc1", json!({"clusterIP": "10.0.0.1", "ports": http})),
            service(
                "svc-dual-stack",
                json!({"clusterIP": "10.0.0.3", "clusterIPs": ["10.0.0.3", "10::3"], "ports": http}),
            ),
            service("hdls1", json!({"clusterIP": "None"})),
            service("hdlsprtls", json!({"clusterIP": "None"})),
            service("hdlsempty", json!({"clusterIP": "None", "ports": http})),
            service("external", to("ext.interwebs.test")),
            service("twice", to("inside.testns.svc.cluster.local")),
            service("nowhere", to("svc0.testns.svc.cluster.local")),
            service("itself", to("itself.testns.svc.cluster.local")),
            service("site", to("www.example.com")),
            service("inside", to("svc1.testns.svc.cluster.local")),
        ],
        slices: vec![
            slice(
                "hdls1",
                json!([
                    {"addresses": ["172.0.0.2"]},
                    {"addresses": ["172.0.0.4"], "hostname": "dup-name", "conditions": {"ready": true}},
                    {"addresses": ["172.0.0.9"], "conditions": {"ready": false}},
                ]),
                http.clone(),
            ),
            slice("hdlsprtls", json!([{"addresses": ["172.0.0.20"]}]), json!([])),
            slice("svc1", json!([{"addresses": ["172.0.1.1"], "hostname": "one"}]), http),
        ],
    }
}

fn ask(name: &str, type_: RecordType) -> Records {
    lookup(&world(), name, type_)
}

fn addresses(name: &str) -> Option<Vec<String>> {
    let r = ask(name, RecordType::A);
    r.exists.then(|| r.addresses.iter().map(IpAddr::to_string).collect())
}

/// `plugin/kubernetes/kubernetes.go`, `findServices`: the addresses of a Service. `plugin/kubernetes/handler.go`, `ServeDNS`: a
/// name without such records exists.
#[test]
fn a_service_has_its_cluster_ip() {
    assert_eq!(addresses("svc1.testns.svc.cluster.local").unwrap(), ["10.0.0.1"]);
    assert_eq!(addresses("SVC1.testns.svc.cluster.local").unwrap(), ["10.0.0.1"]);
    assert_eq!(addresses("svc-dual-stack.testns.svc.cluster.local").unwrap(), ["10.0.0.3"]);
    let v6 = ask("svc-dual-stack.testns.svc.cluster.local", RecordType::Aaaa);
    assert_eq!(v6.addresses, ["10::3".parse::<IpAddr>().unwrap()]);
    // A name with other records has none of this type, but it exists.
    let none = ask("svc1.testns.svc.cluster.local", RecordType::Aaaa);
    assert_eq!((none.exists, none.addresses.len()), (true, 0));
    for missing in
        ["svc0.testns.svc.cluster.local", "svc1.other.svc.cluster.local", "svc1.testns.cluster.local", "web"]
    {
        assert_eq!(addresses(missing), None, "{missing}");
    }
}

/// `plugin/kubernetes/kubernetes.go`, `findServices` and `endpointHostname`.
#[test]
fn a_headless_service_has_its_ready_endpoints() {
    assert_eq!(addresses("hdls1.testns.svc.cluster.local").unwrap(), ["172.0.0.2", "172.0.0.4"]);
    assert_eq!(addresses("dup-name.hdls1.testns.svc.cluster.local").unwrap(), ["172.0.0.4"]);
    assert_eq!(addresses("172-0-0-2.hdls1.testns.svc.cluster.local").unwrap(), ["172.0.0.2"]);
    assert_eq!(addresses("hdlsprtls.testns.svc.cluster.local").unwrap(), ["172.0.0.20"]);
    assert_eq!(
        addresses("one.svc1.testns.svc.cluster.local").unwrap(),
        ["172.0.1.1"],
        "endpoints of any Service"
    );
    assert_eq!(
        addresses("hdlsempty.testns.svc.cluster.local"),
        None,
        "without endpoints the name does not exist"
    );
    assert_eq!(addresses("172-0-0-9.hdls1.testns.svc.cluster.local"), None, "not ready");
}

/// `plugin/backend_lookup.go`, `SRV`: the weights. `plugin/kubernetes/kubernetes.go`, `matchPortAndProtocol`.
#[test]
fn ports_have_srv_records() {
    let of = |name: &str| {
        let r = ask(name, RecordType::Srv);
        r.exists.then(|| {
            r.services.iter().map(|s| format!("{} {} {}", s.weight, s.port, s.target)).collect::<Vec<_>>()
        })
    };
    assert_eq!(
        of("_http._tcp.svc1.testns.svc.cluster.local").unwrap(),
        ["100 80 svc1.testns.svc.cluster.local"]
    );
    assert_eq!(
        of("_http._tcp.hdls1.testns.svc.cluster.local").unwrap(),
        ["50 80 172-0-0-2.hdls1.testns.svc.cluster.local", "50 80 dup-name.hdls1.testns.svc.cluster.local"]
    );
    assert_eq!(of("http.tcp.svc1.testns.svc.cluster.local"), of("_http._tcp.svc1.testns.svc.cluster.local"));
    assert_eq!(of("_*._tcp.svc1.testns.svc.cluster.local"), None);
    assert_eq!(of("_http._udp.svc1.testns.svc.cluster.local"), None);
    assert_eq!(of("_foo._tcp.svc1.testns.svc.cluster.local"), None);
}

/// `plugin/kubernetes/kubernetes.go`, `findServices` and `Services`; `plugin/backend_lookup.go`, `A`.
#[test]
fn an_external_name_stands_for_another() {
    let r = ask("external.testns.svc.cluster.local", RecordType::A);
    assert_eq!(
        (r.exists, r.aliases.last().map(|a| &**a), r.addresses.len()),
        (true, Some("ext.interwebs.test"), 0)
    );
    assert_eq!(addresses("site.testns.svc.cluster.local").unwrap(), ["203.0.113.1"]);
    assert_eq!(addresses("inside.testns.svc.cluster.local").unwrap(), ["10.0.0.1"]);
    let twice = ask("twice.testns.svc.cluster.local", RecordType::A);
    let aliases: Vec<&str> = twice.aliases.iter().map(|a| &**a).collect();
    assert_eq!(aliases, ["inside.testns.svc.cluster.local", "svc1.testns.svc.cluster.local"]);
    assert_eq!(twice.addresses.len(), 1);
    // In the cluster: no such Service, and one that stands for itself (`A` and `Services` of CoreDNS).
    for nowhere in ["nowhere", "itself"] {
        let r = ask(&format!("{nowhere}.testns.svc.cluster.local"), RecordType::A);
        assert_eq!((r.exists, r.aliases.len(), r.addresses.len()), (true, 0, 0), "{nowhere}");
    }
    let ports = ask("inside.testns.svc.cluster.local", RecordType::Srv);
    assert_eq!((ports.exists, ports.aliases.len(), ports.services.len()), (true, 0, 0));
}

/// `plugin/kubernetes/reverse.go`, `serviceRecordForIP`; `plugin/kubernetes/kubernetes.go`, `findPods`.
#[test]
fn addresses_have_names_and_pods_have_addresses() {
    let names = |ip: &str| {
        let name = reverse_name(ip.parse().unwrap());
        ask(&name, RecordType::Ptr).names.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(names("10.0.0.1"), ["svc1.testns.svc.cluster.local"]);
    assert_eq!(names("10::3"), ["svc-dual-stack.testns.svc.cluster.local"]);
    assert_eq!(names("172.0.0.4"), ["dup-name.hdls1.testns.svc.cluster.local"]);
    assert!(names("172.0.0.77").is_empty());
    assert_eq!(addresses("10-240-0-1.testns.pod.cluster.local").unwrap(), ["10.240.0.1"]);
    assert_eq!(addresses("10-240-0-1.other.pod.cluster.local"), None);
    assert_eq!(addresses("web.testns.pod.cluster.local"), None);
}

#[test]
fn names_outside_of_the_cluster_are_the_nodes() {
    assert_eq!(addresses("example.com").unwrap(), ["203.0.113.1"]);
    assert_eq!(addresses("www.example.co.uk").unwrap(), ["203.0.113.1"]);
    assert_eq!(addresses("svc1.testns"), None);
    assert_eq!(addresses("web.de"), None, "this may be a Service and a namespace");
    assert_eq!(addresses("web..com"), None);
}
