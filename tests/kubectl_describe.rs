//! Descriptions of nodes, Services and storage against an API server without controllers, after kubectl's `describe.go`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used)]

use steady::api::Timestamp;
use steady::apimachinery::{HttpRequest, HttpResponse};
use steady::apiserver::ApiServer;
use steady::apiserver::http::http;
use steady::kubectl::{self, ApiClient, DiscoveryCache};

struct Server(ApiServer);

impl ApiClient for Server {
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        http(&mut self.0, request)
    }
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// What kubectl prints in a cluster with these objects.
fn described(manifest: &str, command: &str) -> String {
    let mut server = Server(ApiServer::new(1));
    let mut run = |line: &str| {
        let files = |_: &str| Some(manifest.to_owned());
        let out = kubectl::run(line, &files, &mut DiscoveryCache::default(), &mut server);
        assert_eq!(out.exit, 0, "{line}: {}", out.stderr);
        out.stdout
    };
    run("create namespace default");
    run("create serviceaccount default");
    run("apply -f all.yaml");
    let text = run(command);
    // The width of columns is not what these tests are about.
    text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
}

const NODE: &str = "
apiVersion: v1
kind: Node
metadata: {name: one}
status:
  capacity: {cpu: 4, memory: 8Gi, pods: 110}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeName: one
  containers:
  - {name: c, image: 'i:1', resources: {requests: {cpu: 1160m, memory: 1Gi}}}
";

/// `describeNodeResource`: 1160 / 4000 * 100 is 28.999… as a float.
#[test]
fn the_share_of_a_node_is_cut_off_as_in_go() {
    let text = described(NODE, "describe node one");
    assert!(text.contains("\ndefault p 1160m (28%) 0 (0%) 1Gi (12%) 0 (0%) "), "{text}");
    assert!(
        text.contains("cpu 1160m (28%) 0 (0%)\nmemory 1Gi (12%) 0 (0%)\nephemeral-storage 0 (0%) 0 (0%)\n"),
        "{text}"
    );
}

/// `formatEndpointSlices` looks at one more endpoint before it knows that the list is full.
#[test]
fn an_endpoint_that_is_not_ready_is_counted_as_no_more() {
    let endpoint =
        |ip: &str, ready: bool| format!("- {{addresses: [{ip}], conditions: {{ready: {ready}}}}}\n");
    let service = |family: &str, endpoints: String| {
        format!(
            "apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {{name: web-1, labels: {{kubernetes.io/service-name: web}}}}
addressType: {family}
ports: [{{port: 80}}]
endpoints:
{endpoints}---
apiVersion: v1
kind: Service
metadata: {{name: web}}
spec: {{clusterIP: None, ports: [{{port: 80}}]}}
"
        )
    };
    let three: String = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|ip| endpoint(ip, true)).concat();
    let text = described(&service("IPv4", three.clone()), "describe service web");
    assert!(text.contains("Endpoints: 10.0.0.1:80,10.0.0.2:80,10.0.0.3:80\n"), "{text}");
    let text = described(&service("IPv4", three + &endpoint("10.0.0.4", false)), "describe service web");
    assert!(text.contains("Endpoints: 10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 0 more...\n"), "{text}");
    let text = described(&service("IPv6", endpoint("\"2001:db8::1\"", true)), "describe service web");
    assert!(text.contains("Endpoints: [2001:db8::1]:80\n"), "{text}");
}

/// `printTopologySelectorTermsMultilineWithIndent`
#[test]
fn the_topologies_of_a_class_stand_beside_their_terms() {
    let class = "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: s}
provisioner: example.com/disks
allowedTopologies:
- matchLabelExpressions:
  - {key: zone, values: [a, b]}
  - {key: region, values: [c]}
";
    let text = described(class, "describe storageclass s");
    assert!(text.contains("AllowedTopologies:\nTerm 0: zone in [a, b]\nregion in [c]\n"), "{text}");
}

/// `GetPersistentVolumeClass`: the annotation that came before the field.
#[test]
fn the_class_of_a_volume_may_be_an_annotation() {
    let volume = "
apiVersion: v1
kind: PersistentVolume
metadata: {name: v, annotations: {volume.beta.kubernetes.io/storage-class: old}}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /tmp/v}}
";
    assert!(described(volume, "describe pv v").contains("StorageClass: old\n"));
}

/// `describePersistentVolumeClaim`, `getPodsForPVC`
#[test]
fn a_pod_uses_a_claim_once_for_each_volume() {
    let all = "
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: 'i:1'}]
  volumes:
  - {name: a, persistentVolumeClaim: {claimName: c}}
  - {name: b, persistentVolumeClaim: {claimName: c}}
";
    assert!(described(all, "describe pvc c").contains("Used By: p\np\n"));
}
