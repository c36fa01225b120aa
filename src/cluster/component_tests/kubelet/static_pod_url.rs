//! Static pods from a URL (`pkg/kubelet/config/http_test.go`, `http.go`, `common.go`).

use serde_json::{Value, json};

use super::Lab;
use crate::api::types::Pod;
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::cluster::Fault;
use crate::kubelet::UrlSource;

/// The address of the pod of [`Lab::serve`]: the first one of its node.
const URL: &str = "http://10.88.0.2:8080/pods.yaml";
const WEB: &str = "web-node-1";

fn web(name: &str, image: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"containers": [{"name": "web", "image": image}]},
    })
}

impl Lab {
    /// Starts a server of which everybody gets a text, and tells the kubelet its URL.
    fn serve(&mut self, text: &str) -> &mut Self {
        self.named(
            "server",
            json!({
                "metadata": {"annotations": {"sim.steady/answers": text}},
                "spec": {"containers": [{"name": "main", "ports": [{"containerPort": 8080}]}]},
            }),
        );
        self.steady();
        assert_eq!(self.pod_named("server").status.as_ref().unwrap().pod_ip.as_deref(), Some("10.88.0.2"));
        self.annotate_node(json!({"sim.steady/manifest-url": URL})).settle()
    }

    /// Runs until nothing is left to do, and on until the kubelet has asked once more: a request that brings nothing is no
    /// command.
    fn settle(&mut self) -> &mut Self {
        self.steady().wait(25).steady()
    }

    fn answer(&mut self, annotation: &str, text: &str) -> &mut Self {
        let change = json!({"metadata": {"annotations": {annotation: text}}});
        let request = crate::apimachinery::Request::new(
            &"me".into(),
            crate::apimachinery::Verb::Patch,
            Kind::POD,
            Key::new("default", "server"),
        );
        let body = crate::apimachinery::Body::Patch(crate::apimachinery::Patch::Merge(change));
        let (response, _) = self.cluster.request(&request.body(body));
        assert_eq!(response.code(), 200, "{response:?}");
        self
    }

    fn source(&self) -> UrlSource {
        let component = self.cluster.component(Self::KUBELET).unwrap();
        let state = component.state().downcast_ref::<crate::kubelet::State>().unwrap();
        (**state.url.as_ref().unwrap()).clone()
    }

    fn error(&self) -> String {
        self.source().failure().map(ToString::to_string).unwrap_or_default()
    }

    fn is_there(&self, name: &str) -> bool {
        self.cluster.api().etcd().get(&ObjectRef::new(Kind::POD, "default", name)).is_some()
    }

    fn runs(&self, name: &str) -> bool {
        self.cluster.container_id(&Key::new("default", name), "web").is_some()
    }
}

fn hash(pod: &Pod) -> String {
    pod.metadata.annotation("kubernetes.io/config.hash").unwrap_or_default().to_owned()
}

/// `TestExtractPodsFromHTTP` ("Single pod"): the pod is named after its node, and its uid follows from the URL. A pod of a URL
/// tolerates no taints by itself (`applyDefaults`).
#[test]
fn the_pod_of_a_url_runs_and_a_mirror_pod_shows_it() {
    let mut lab = Lab::new();
    lab.serve(&web("web", "team/web:1").to_string());
    let mirror = lab.pod_named(WEB);
    assert_eq!(mirror.status.as_ref().unwrap().phase.as_deref(), Some("Running"), "{}", lab.log);
    assert_eq!(mirror.metadata.annotation("kubernetes.io/config.source"), Some("http"));
    // The mirror pod has those that admission adds to every pod.
    let tolerations = mirror.spec.as_ref().unwrap().tolerations.as_deref().unwrap_or_default();
    assert!(!tolerations.is_empty() && tolerations.iter().all(|t| t.key.is_some()), "{tolerations:?}");
    assert_eq!(lab.error(), "");
}

/// `TestExtractPodsFromHTTP` ("Multiple pods"), `wait.Until` with the period of 20 s: another answer counts at the next request.
#[test]
fn another_answer_counts_at_the_next_request() {
    let mut lab = Lab::new();
    let list = |images: &[(&str, &str)]| {
        let items: Vec<Value> = images.iter().map(|(name, image)| web(name, image)).collect();
        json!({"apiVersion": "v1", "kind": "PodList", "items": items}).to_string()
    };
    lab.serve(&list(&[("web", "team/web:1"), ("db", "team/db:1")]));
    assert!(lab.runs(WEB) && lab.runs("db-node-1"), "{}", lab.log);
    let asked = lab.source().asked.unwrap();
    let before = hash(&lab.pod_named(WEB));
    lab.wait(7);
    lab.answer("sim.steady/answers", &list(&[("web", "team/web:2")])).settle();
    assert_eq!(lab.source().asked.unwrap().duration_since(asked).as_secs() % 20, 0);
    assert!(lab.source().asked.unwrap() > asked);
    assert_ne!(hash(&lab.pod_named(WEB)), before);
    assert!(!lab.is_there("db-node-1") && !lab.runs("db-node-1"), "{}", lab.log);
}

/// `extractFromURL`: whoever cannot be asked, or answers with something else, leaves the pods as they are.
#[test]
fn a_url_that_stops_answering_keeps_the_pods() {
    let mut lab = Lab::new();
    lab.serve(&web("web", "team/web:1").to_string());
    lab.answer("sim.steady/answer-status", "503").settle();
    assert_eq!(lab.error(), format!("{URL}: 503 Service Unavailable"));
    assert!(lab.runs(WEB));
    lab.answer("sim.steady/answer-status", "200").answer("sim.steady/answers", "hello").settle();
    let expected = format!("{URL}: received 'hello\n', but couldn't parse as single (");
    assert!(lab.error().starts_with(&expected), "{}", lab.error());
    assert!(lab.runs(WEB));
    lab.answer("sim.steady/answer-seconds", "11").settle();
    assert!(lab.error().ends_with("(Client.Timeout exceeded while awaiting headers)"), "{}", lab.error());
    lab.answer("sim.steady/listens", "9090").settle();
    assert_eq!(lab.error(), format!("Get \"{URL}\": dial tcp 10.88.0.2:8080: connect: connection refused"));
    let mut bad = web("web", "team/web:2");
    bad["spec"]["serviceAccountName"] = "default".into();
    lab.answer("sim.steady/listens", "8080")
        .answer("sim.steady/answer-seconds", "0")
        .answer("sim.steady/answers", &bad.to_string())
        .settle();
    assert_eq!(lab.error(), "static pods may not reference serviceaccounts");
    assert!(lab.runs(WEB));
    // Another URL that does not answer: the pods of the one before run on. Without any they end.
    lab.annotate_node(json!({"sim.steady/manifest-url": "http://10.88.0.2:9090"})).settle();
    assert!(lab.error().ends_with("connection refused") && lab.runs(WEB));
    lab.annotate_node(json!({"sim.steady/manifest-url": null})).settle();
    assert!(!lab.runs(WEB) && !lab.is_there(WEB), "{}", lab.log);
}

/// `http.NewRequest`, `http.Client.Do`: a name is looked up at the DNS of the machine, which knows no Services.
#[test]
fn a_node_knows_no_names_of_services() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({"sim.steady/manifest-url": "http://web.default.svc.cluster.local/"})).settle();
    let expected = "Get \"http://web.default.svc.cluster.local/\": dial tcp: lookup web.default.svc.cluster.local on 172.18.0.1:53: no such host";
    assert_eq!(lab.error(), expected);
    lab.annotate_node(json!({"sim.steady/manifest-url": "http://10.99.99.99/"})).settle();
    assert!(lab.error().contains("Client.Timeout"), "{}", lab.error());
    lab.annotate_node(json!({"sim.steady/manifest-url": "https://example.com/pods"})).settle();
    assert_eq!(lab.error(), "zero-length data received from https://example.com/pods");
    lab.annotate_node(json!({"sim.steady/manifest-url": "example.com/pods"})).settle();
    assert_eq!(lab.error(), "Get \"example.com/pods\": unsupported protocol scheme \"\"");
    assert_eq!(lab.events("InvalidManifestURL").len(), 0);
}

/// A flag that a kubelet does not start with (`ValidateKubeletConfiguration` and the package `flag`): here there is no such source,
/// and an event says why. `NewSourceURL`: the period of the flag is that of the requests.
#[test]
fn a_flag_that_cannot_be_read_is_told() {
    let mut lab = Lab::new();
    lab.serve(&web("web", "team/web:1").to_string());
    assert!(lab.runs(WEB));
    lab.annotate_node(json!({"sim.steady/http-check-frequency": "often"})).settle();
    assert!(!lab.runs(WEB));
    let events = lab.events("InvalidManifestURL");
    assert!(format!("{events:?}").contains("--http-check-frequency"), "{events:?}");
    lab.annotate_node(json!({"sim.steady/http-check-frequency": "1m"})).settle();
    assert!(lab.runs(WEB), "{}", lab.log);
    let asked = lab.source().asked.unwrap();
    lab.wait(5);
    lab.answer("sim.steady/answers", &web("web", "team/web:2").to_string()).settle();
    assert_eq!(lab.source().asked.unwrap().duration_since(asked).as_secs() % 60, 0);
}

/// An empty answer ends the pods (`TestExtractPodsFromHTTP`).
#[test]
fn an_empty_answer_ends_the_pods() {
    let mut lab = Lab::new();
    let pod = web("web", "team/web:1").to_string();
    let script = "echo \"$POD\" > /html/pods.yaml; sleep 30; : > /html/pods.yaml; sleep 600";
    let mount = |path: &str| json!([{"name": "html", "mountPath": path}]);
    lab.named(
        "server",
        json!({"spec": {"volumes": [{"name": "html", "emptyDir": {}}], "containers": [
            {"name": "main", "image": "nginx:1.27", "volumeMounts": mount("/usr/share/nginx/html")},
            {
                "name": "writer", "image": "busybox:1.37", "command": ["sh", "-c", script],
                "env": [{"name": "POD", "value": pod}], "volumeMounts": mount("/html"),
            },
        ]}}),
    );
    lab.annotate_node(json!({"sim.steady/manifest-url": "http://10.88.0.2/pods.yaml"})).wait(30);
    assert!(lab.runs(WEB), "{}", lab.error());
    lab.wait(30).steady();
    assert_eq!(lab.error(), "zero-length data received from http://10.88.0.2/pods.yaml");
    assert!(!lab.runs(WEB) && !lab.is_there(WEB));
}

/// `MakeDefaultPod…` names a pod after its node, whichever source has it; `PodStorage.merge` (`pkg/kubelet/config/config.go`) keeps the pods
/// of each source. A pod that both sources have comes from the file here; a node that starts anew knows the pods of a URL when that answers.
#[test]
fn a_node_that_starts_anew_waits_for_the_answer() {
    let mut lab = Lab::new();
    lab.serve(&web("web", "team/web:1").to_string());
    let file =
        |text: Option<String>| Fault::Manifest { node: "node-1".into(), file: "web.yaml".into(), text };
    lab.cluster.fault(&file(Some(web("web", "team/web:2").to_string()))).unwrap();
    lab.steady();
    assert_eq!(lab.pod_named(WEB).metadata.annotation("kubernetes.io/config.source"), Some("file"));
    lab.cluster.fault(&file(None)).unwrap();
    lab.steady();
    assert_eq!(lab.pod_named(WEB).metadata.annotation("kubernetes.io/config.source"), Some("http"));
    let restart = Fault::Restart { process: "kubelet".into(), node: Some("node-1".into()) };
    lab.cluster.fault(&restart).unwrap();
    lab.wait(20);
    assert!(!lab.runs(WEB), "{}", lab.log);
    // The server has got another address.
    assert!(lab.error().contains("Client.Timeout"), "{}", lab.error());
    let pod = lab.pod_named("server");
    let url = format!("http://{}:8080/", pod.status.as_ref().unwrap().pod_ip.as_deref().unwrap());
    lab.annotate_node(json!({"sim.steady/manifest-url": url})).settle();
    assert!(lab.runs(WEB), "{}\n{}", lab.error(), lab.log);
}
