//! Static pods and their mirror pods (`test/e2e_node/mirror_pod_test.go`, `mirror_pod_grace_period_test.go`,
//! `pkg/kubelet/config/common_test.go`, `pkg/kubelet/kubelet_test.go`, KEP-1314).

use serde_json::{Value, json};

use super::{Lab, one};
use crate::api::types::Pod;
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Request, Verb};
use crate::cluster::{Cluster, Config, Fault};
use crate::kubelet::Manifest;

/// The name of the static pod `web` on its node.
const WEB: &str = "web-node-1";

fn manifest(pod: &Value) -> Option<String> {
    Some(crate::api::yaml::to_yaml(pod))
}

fn web(image: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": image}]},
    })
}

impl Lab {
    fn put(&mut self, file: &str, text: Option<String>) -> &mut Self {
        self.say(if text.is_some() { "a manifest is put" } else { "the manifest is taken away" });
        self.cluster.fault(&Fault::Manifest { node: "node-1".into(), file: file.into(), text }).unwrap();
        self
    }

    fn has(&self, name: &str) -> bool {
        self.cluster.api().etcd().get(&ObjectRef::new(Kind::POD, "default", name)).is_some()
    }

    fn delete_named(&mut self, name: &str, grace: Option<i64>) -> &mut Self {
        self.say("the mirror pod is deleted");
        let options = DeleteOptions { grace_period_seconds: grace, ..Default::default() };
        let request = Request::new(&"me".into(), Verb::Delete, Kind::POD, Key::new("default", name));
        let (response, _) = self.cluster.request(&request.body(Body::Delete(options)));
        assert_eq!(response.code(), 200, "{response:?}");
        self
    }

    /// The id of the running container `web` of the static pod.
    fn container(&self) -> Option<String> {
        self.cluster.container_id(&Key::new("default", WEB), "web").map(|id| id.to_string())
    }

    fn refusal(&self) -> String {
        self.cluster.manifests().next().unwrap().2.pod.clone().unwrap_err().to_string()
    }
}

fn uid(pod: &Pod) -> String {
    pod.metadata.uid().to_owned()
}

/// `tryReconcileMirrorPods`, `CreateMirrorPod`
#[test]
fn a_static_pod_runs_and_a_mirror_pod_shows_it() {
    let mut lab = Lab::new();
    lab.put("web.yaml", manifest(&web("team/web:1"))).steady();
    insta::assert_snapshot!(lab.log);
    let mirror = lab.pod_named(WEB);
    let meta = &mirror.metadata;
    let hash = meta.annotation("kubernetes.io/config.hash").unwrap();
    assert_eq!(hash.len(), 32);
    assert_eq!(meta.annotation("kubernetes.io/config.mirror"), Some(hash));
    assert_eq!(meta.annotation("kubernetes.io/config.source"), Some("file"));
    assert_eq!(meta.annotation("kubernetes.io/config.seen"), Some("2026-01-01T00:00:00Z"));
    assert_ne!(meta.uid.as_deref(), Some(hash));
    let owner = serde_json::to_value(&meta.owner_references).unwrap();
    let node = lab.node().metadata.uid.clone();
    let expected =
        json!([{"apiVersion": "v1", "kind": "Node", "name": "node-1", "uid": node, "controller": true}]);
    assert_eq!(owner, expected);
    let spec = mirror.spec.as_ref().unwrap();
    assert_eq!(spec.node_name.as_deref(), Some("node-1"));
    assert_eq!(spec.service_account_name, None);
    let tolerations = serde_json::to_value(&spec.tolerations).unwrap();
    assert_eq!(tolerations, json!([{"operator": "Exists", "effect": "NoExecute"}]));
    // The generation of a static pod is 0, and no API server counts it.
    let status = mirror.status.as_ref().unwrap();
    assert_eq!(status.observed_generation, None);
    assert_eq!(status.qos_class.as_deref(), Some("BestEffort"));
}

/// "should be recreated when mirror pod gracefully deleted", "… forcibly deleted": the containers run on.
#[test]
fn a_mirror_pod_that_is_deleted_comes_back() {
    for grace in [None, Some(0)] {
        let mut lab = Lab::new();
        lab.put("web.yaml", manifest(&web("team/web:1"))).steady();
        let (before, runs) = (lab.pod_named(WEB), lab.container());
        assert!(runs.is_some());
        lab.delete_named(WEB, grace).steady();
        let after = lab.pod_named(WEB);
        assert_ne!(uid(&before), uid(&after));
        assert_eq!(after.metadata.deletion_timestamp, None);
        assert_eq!(before.status, after.status, "{}", lab.log);
        assert_eq!(lab.container(), runs);
        assert!(lab.events("Killing").is_empty());
    }
}

/// "should be updated when static pod updated": another manifest is another pod, which waits for the end of the first one.
#[test]
fn a_changed_manifest_is_another_pod() {
    let mut lab = Lab::new();
    lab.put("web.yaml", manifest(&web("team/web:1"))).steady();
    let (before, runs) = (lab.pod_named(WEB), lab.container());
    lab.log.clear();
    lab.put("web.yaml", manifest(&web("team/web:2"))).steady();
    insta::assert_snapshot!(lab.log);
    let after = lab.pod_named(WEB);
    let hash = |pod: &Pod| pod.metadata.annotation("kubernetes.io/config.hash").map(str::to_owned);
    assert_ne!(hash(&before), hash(&after));
    assert_ne!(lab.container(), runs);
    assert_eq!(after.spec.as_ref().unwrap().containers[0].image.as_deref(), Some("team/web:2"));
    assert_eq!(after.status.as_ref().unwrap().container_statuses.as_ref().unwrap()[0].restart_count, 0);
}

/// `kubelet_pods.go`, `HandlePodCleanups`; "mirror pod termination should satisfy grace period when static pod is deleted"
#[test]
fn a_manifest_that_is_taken_away_ends_the_pod_with_its_grace_period() {
    let mut lab = Lab::new();
    let mut pod = web("team/web:1");
    pod["metadata"]["annotations"] = json!({"sim.steady/ignores-sigterm": "true"});
    pod["spec"]["terminationGracePeriodSeconds"] = 20.into();
    lab.put("web.yaml", manifest(&pod)).steady();
    let begins = lab.cluster.now();
    lab.log.clear();
    lab.put("web.yaml", None).steady();
    insta::assert_snapshot!(lab.log);
    // The relist after the pod's last sync, the grace period, and the relist after that.
    assert_eq!(lab.cluster.now().duration_since(begins).as_millis(), 500 + 20_000 + 1000);
    assert!(!lab.has(WEB) && lab.container().is_none());
    // The file of the same text is the same pod.
    lab.put("web.yaml", manifest(&pod)).steady();
    assert_eq!(lab.phase(WEB), "Running");
    // It is taken away and put back while the pod ends: that goes on, and it begins anew.
    let runs = lab.container();
    lab.put("web.yaml", None).wait(5);
    assert_eq!(lab.container(), runs);
    lab.put("web.yaml", manifest(&pod)).steady();
    assert_eq!(lab.phase(WEB), "Running");
    assert!(lab.container().is_some());
}

/// `TestStaticPodNameGenerate`, `TestDecodeSinglePodRejectsClusterTrustBundleVolumes` and its siblings;
/// `podutil.HasAPIObjectReference`
#[test]
fn a_manifest_that_needs_the_api_server_is_refused() {
    let refusal = |change: fn(&mut Value)| {
        let mut pod = web("team/web:1");
        change(&mut pod);
        let mut lab = Lab::new();
        lab.put("web.yaml", manifest(&pod)).steady();
        assert!(!lab.has(WEB) && lab.container().is_none());
        lab.refusal()
    };
    let may_not = |what: &str| format!("static pods may not reference {what}");
    assert_eq!(refusal(|p| p["spec"]["serviceAccountName"] = "default".into()), may_not("serviceaccounts"));
    assert_eq!(
        refusal(|p| p["spec"]["containers"][0]["envFrom"] = json!([{"secretRef": {"name": "s"}}])),
        may_not("secrets")
    );
    assert_eq!(
        refusal(|p| p["spec"]["volumes"] = json!([{"name": "v", "configMap": {"name": "c"}}])),
        may_not("configmaps")
    );
    assert_eq!(
        refusal(
            |p| p["spec"]["volumes"] = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}])
        ),
        may_not("persistentvolumeclaims")
    );
    let csi = |p: &mut Value| {
        p["spec"]["volumes"] = json!([{"name": "v", "csi": {"driver": "csi.example.com"}}]);
    };
    assert_eq!(refusal(csi), may_not("csidrivers (via CSI volumes)"));
    assert_eq!(refusal(|p| p["metadata"] = json!({})), "invalid pod: name is needed for the pod");
    assert_eq!(
        refusal(|p| p["spec"]["containers"] = json!([])),
        "invalid pod: [spec.containers: Required value]"
    );
    let why = refusal(|p| p["kind"] = "Deployment".into());
    assert_eq!(why, "couldn't parse as pod(invalid pod: v1 Deployment), please check config file");
}

/// Fields that no pod has are left out, a file whose name begins with a dot is no manifest (`extractFromDir`), and the last
/// of two files with one pod counts.
#[test]
fn what_is_in_the_directory_counts() {
    let mut lab = Lab::new();
    let mut pod = web("team/web:1");
    pod["spec"]["noSuchField"] = 1.into();
    lab.put(".web.yaml.swp", manifest(&web("team/web:0"))).put("a.yaml", manifest(&pod)).steady();
    assert_eq!(lab.phase(WEB), "Running");
    let image = |lab: &Lab| lab.pod_named(WEB).spec.as_ref().unwrap().containers[0].image.clone().unwrap();
    assert_eq!(image(&lab), "team/web:1");
    lab.put("b.yaml", manifest(&web("team/web:2"))).steady();
    assert_eq!(image(&lab), "team/web:2");
    lab.put("b.yaml", None).steady();
    assert_eq!(image(&lab), "team/web:1");
    let same = Fault::Manifest { node: "node-1".into(), file: "a.yaml".into(), text: manifest(&pod) };
    assert!(lab.cluster.fault(&same).is_err());
}

/// Static pods need no API server: neither to start nor to go on (`TestSyncPodsStartPod`; the status manager skips static
/// pods without a mirror pod).
#[test]
fn static_pods_run_without_an_api_server() {
    let mut lab = Lab::new();
    lab.cluster.fault(&Fault::MemberDown { member: "etcd-1".into() }).unwrap();
    lab.put("web.yaml", manifest(&web("team/web:1"))).wait(30);
    let runs = lab.container();
    assert!(runs.is_some(), "{}", lab.log);
    lab.cluster.fault(&Fault::MemberUp { member: "etcd-1".into() }).unwrap();
    lab.steady();
    assert_eq!((lab.phase(WEB), lab.container()), ("Running".into(), runs));
}

/// A kubelet that was cut off finds what was done to its files (inotify tells a kubelet that runs; one that starts reads the
/// directory). `pkg/kubelet/config/file_linux.go`, `doWatch`, and `file.go`, `listConfig`.
#[test]
fn a_kubelet_finds_its_files_when_it_is_back() {
    let mut lab = Lab::new();
    lab.cluster.fault(&Fault::NodeDown { node: "node-1".into() }).unwrap();
    lab.put("web.yaml", manifest(&web("team/web:1"))).wait(10);
    assert!(!lab.has(WEB));
    lab.cluster.fault(&Fault::NodeUp { node: "node-1".into() }).unwrap();
    lab.steady();
    assert_eq!(lab.phase(WEB), "Running");
    let restart = Fault::Restart { process: "kubelet".into(), node: Some("node-1".into()) };
    lab.cluster.fault(&restart).unwrap();
    lab.steady();
    assert_eq!(lab.phase(WEB), "Running");
    let status = lab.pod_named(WEB).status.clone().unwrap().container_statuses.clone().unwrap();
    assert_eq!(status[0].restart_count, 1);
}

/// `TestDeletePodDirsForDeletedPods` aside: a mirror pod that nobody's manifest stands behind is deleted, and a static pod
/// waits for the end of a pod of its name.
#[test]
fn a_mirror_pod_without_a_static_pod_is_deleted() {
    let mut lab = Lab::new();
    let mut pod = web("team/web:1");
    pod["metadata"] = json!({"name": "other", "annotations": {"kubernetes.io/config.mirror": "abc"}});
    pod["spec"]["nodeName"] = "node-1".into();
    lab.create(Kind::POD, pod).steady();
    assert!(!lab.has("other"));
    lab.named(WEB, json!({"spec": {"containers": [{"name": "web"}]}})).steady();
    let runs = lab.container();
    lab.put("web.yaml", manifest(&web("team/web:2"))).steady();
    assert_eq!(lab.container(), runs);
    lab.delete_named(WEB, None).steady();
    let mirror = lab.pod_named(WEB);
    assert_eq!(mirror.spec.as_ref().unwrap().containers[0].image.as_deref(), Some("team/web:2"));
    assert!(mirror.metadata.annotation("kubernetes.io/config.mirror").is_some());
    assert_eq!(lab.phase(WEB), "Running");
}

/// `IsCriticalPod`: a kubelet neither evicts a static pod nor ends it for another one; for a static pod it ends others
/// (`pkg/kubelet/preemption/preemption_test.go`).
#[test]
fn others_make_room_for_a_static_pod() {
    let mut lab = Lab::new();
    let big = json!({"spec": {"containers": [{"name": "app", "resources": {"requests": {"cpu": "3"}}}]}});
    lab.named("big", big).steady();
    let mut pod = web("team/web:1");
    pod["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "2"}});
    lab.put("web.yaml", manifest(&pod)).steady();
    assert_eq!((lab.phase("big"), lab.phase(WEB)), ("Failed Preempting".into(), "Running".into()));
    lab.annotate_node(json!({"sim.steady/memory": "1Gi"}));
    lab.steady();
    assert_eq!(lab.phase(WEB), "Running");
}

/// The mirror pod of a namespace that does not exist cannot be made. The pod runs, and is shown once the namespace is there.
/// `tryReconcileMirrorPods` of `kubelet.go` only logs the error, and tries again.
#[test]
fn a_static_pod_runs_unseen_where_its_namespace_is_missing() {
    let mut lab = Lab::new();
    let mut pod = web("team/web:1");
    pod["metadata"]["namespace"] = "shop".into();
    lab.put("web.yaml", manifest(&pod)).steady();
    let runs = |lab: &Lab| lab.cluster.container_id(&Key::new("shop", WEB), "web").is_some();
    let shown = |lab: &Lab| lab.cluster.api().etcd().get(&ObjectRef::new(Kind::POD, "shop", WEB)).is_some();
    assert!(runs(&lab) && !shown(&lab), "{}", lab.log);
    lab.create(Kind::NAMESPACE, json!({"metadata": {"name": "shop"}})).steady();
    assert!(runs(&lab) && shown(&lab), "{}", lab.log);
}

fn part(component: &str) -> Value {
    let mut command = vec![component.to_owned()];
    if component == "etcd" {
        command.push("--name=etcd-1".into());
    }
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": component, "namespace": "kube-system",
            "labels": {"component": component, "tier": "control-plane"},
        },
        "spec": {
            "hostNetwork": true, "priorityClassName": "system-node-critical",
            "containers": [{"name": component, "image": "registry.k8s.io/part:1", "command": command}],
        },
    })
}

/// kubeadm's control plane (`cmd/kubeadm/app/phases/controlplane/manifests.go`): whoever moves a manifest away stops the
/// program.
#[test]
fn parts_of_the_control_plane_run_as_long_as_their_static_pods_do() {
    let mut cluster = Cluster::new(&Config::nodes(1));
    let runs = |c: &Cluster, name: &str| c.processes().find(|p| &*p.name == name).unwrap().running;
    let put = |c: &mut Cluster, name: &str, is_there: bool| {
        let text = is_there.then(|| crate::api::yaml::to_yaml(&part(name)));
        c.fault(&Fault::Manifest { node: "node-1".into(), file: format!("{name}.yaml"), text }).unwrap();
    };
    let steady = |c: &mut Cluster| while c.next_command(None).is_ok() {};
    for name in ["kube-scheduler", "kube-controller-manager", "etcd"] {
        put(&mut cluster, name, true);
    }
    steady(&mut cluster);
    let pods = cluster.api().etcd().range(Kind::POD, Some("kube-system")).count();
    assert_eq!(pods, 3);
    assert!(runs(&cluster, "kube-scheduler") && runs(&cluster, "kube-controller-manager"));
    put(&mut cluster, "kube-scheduler", false);
    steady(&mut cluster);
    assert!(!runs(&cluster, "kube-scheduler") && runs(&cluster, "kube-controller-manager"));
    put(&mut cluster, "kube-scheduler", true);
    steady(&mut cluster);
    assert!(runs(&cluster, "kube-scheduler"));
    // Without etcd nothing can be read or written, and the kubelet starts it again all the same.
    put(&mut cluster, "etcd", false);
    let later = cluster.now() + jiff::SignedDuration::from_secs(60);
    cluster.run_until(later, |_, _| ()).unwrap();
    assert!(!cluster.api().etcd().raft().has_leader());
    put(&mut cluster, "etcd", true);
    steady(&mut cluster);
    assert!(cluster.api().etcd().raft().has_leader());
    let etcd = ObjectRef::new(Kind::POD, "kube-system", "etcd-node-1");
    let pod = cluster.api().etcd().get(&etcd).unwrap().object.get::<Pod>().unwrap().clone();
    assert_eq!(crate::api::pod::phase(&pod), "Running");
}

/// A cluster of one node on which these parts of the control plane run as static pods.
fn hosted(names: &[&str]) -> Cluster {
    let mut cluster = Cluster::new(&Config::nodes(1));
    names.iter().for_each(|name| put_part(&mut cluster, name, true));
    steady(&mut cluster);
    cluster
}

fn put_part(cluster: &mut Cluster, name: &str, is_there: bool) {
    let text = is_there.then(|| crate::api::yaml::to_yaml(&part(name)));
    cluster.fault(&Fault::Manifest { node: "node-1".into(), file: format!("{name}.yaml"), text }).unwrap();
}

fn steady(cluster: &mut Cluster) {
    while cluster.next_command(None).is_ok() {}
}

/// Lets things happen until the API server can be reached, or cannot be any more.
fn until_it_serves(cluster: &mut Cluster, serves: bool) {
    for _ in 0..10_000 {
        if cluster.api().serves() == serves {
            return;
        }
        let action = cluster.fair().unwrap();
        cluster.act(&action).unwrap();
    }
    panic!("it never came to that");
}

fn restarts(cluster: &Cluster, name: &str) -> i32 {
    let at = ObjectRef::new(Kind::POD, "kube-system", &format!("{name}-node-1"));
    let object = cluster.api().cached(&at).unwrap();
    let status = object.get::<Pod>().unwrap().status.clone().unwrap();
    status.container_statuses.as_ref().unwrap()[0].restart_count
}

fn get_pods(cluster: &mut Cluster) -> u16 {
    let request = crate::apimachinery::HttpRequest {
        method: "GET".into(),
        path: "/api/v1/pods".into(),
        ..Default::default()
    };
    cluster.http(&request).0.status
}

/// kubeadm's control plane (`cmd/kubeadm/app/phases/controlplane/manifests.go`): the API server is its container, and the kubelet needs
/// nobody to start it again (`pkg/kubelet/pod_workers.go`, `pkg/kubelet/status/status_manager.go`).
#[test]
fn the_api_server_ends_and_comes_back_with_its_container() {
    let mut cluster = hosted(&["kube-apiserver"]);
    assert!(cluster.api().serves() && get_pods(&mut cluster) == 200);
    let fault = crate::kubelet::KubeletFault::CrashContainer {
        pod: Key::new("kube-system", "kube-apiserver-node-1"),
        container: "kube-apiserver".into(),
        exit_code: 1,
    };
    cluster.fault(&Fault::Kubelet { node: Some("node-1".into()), fault }).unwrap();
    until_it_serves(&mut cluster, false);
    assert_eq!(get_pods(&mut cluster), 0);
    // All watches have ended.
    let watching = |c: &Cluster| {
        let informers = c.processes().flat_map(|p| &p.informers).filter(|n| !n.is_stopped());
        let ends = |w| c.api().watches.pending(w).is_some();
        informers.filter(|n| n.watch.is_some_and(ends)).count()
    };
    assert_eq!(watching(&cluster), 0);
    steady(&mut cluster);
    assert!(cluster.api().serves() && watching(&cluster) > 0);
    assert_eq!(restarts(&cluster, "kube-apiserver"), 1);
    // Its manifest is taken away, and the kubelet starts again meanwhile, which has nobody to list from.
    put_part(&mut cluster, "kube-apiserver", false);
    steady(&mut cluster);
    assert!(!cluster.api().serves() && get_pods(&mut cluster) == 0);
    cluster.fault(&Fault::Restart { process: "kubelet".into(), node: Some("node-1".into()) }).unwrap();
    steady(&mut cluster);
    assert!(!cluster.api().serves());
    put_part(&mut cluster, "kube-apiserver", true);
    steady(&mut cluster);
    assert!(cluster.api().serves());
    let pods = cluster.api().cached_list(Kind::POD, Some("kube-system")).count();
    assert_eq!((pods, restarts(&cluster, "kube-apiserver")), (1, 0));
}

/// The containers of other pods are started again while nobody answers, and the status is told later (`syncBatch`).
#[test]
fn a_kubelet_goes_on_without_the_api_server() {
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).steady();
    let first = lab.cluster.container_id(&Key::new("default", "p"), "app");
    lab.cluster.fault(&Fault::Stop { process: "kube-apiserver".into(), node: None }).unwrap();
    let fault = crate::kubelet::KubeletFault::CrashContainer {
        pod: Key::new("default", "p"),
        container: "app".into(),
        exit_code: 1,
    };
    lab.cluster.fault(&Fault::Kubelet { node: None, fault }).unwrap();
    lab.wait(30);
    let second = lab.cluster.container_id(&Key::new("default", "p"), "app");
    assert!(second.is_some() && second != first, "{}", lab.log);
    let told = |lab: &Lab| {
        let status = lab.pod_named("p").status.clone().unwrap();
        status.container_statuses.as_ref().unwrap()[0].restart_count
    };
    assert_eq!(told(&lab), 0);
    lab.cluster.fault(&Fault::Start { process: "kube-apiserver".into(), node: None }).unwrap();
    lab.steady();
    assert_eq!(told(&lab), 1);
}

/// `staging/src/k8s.io/apiserver/pkg/server/options/etcd.go`: the check `etcd` belongs to `/livez`;
/// `staging/src/k8s.io/apiserver/pkg/storage/storagebackend/factory/etcd3.go`: `dialTimeout`.
#[test]
fn the_api_server_crashes_without_etcd() {
    let mut cluster = Cluster::new(&Config::nodes(1));
    put_part(&mut cluster, "etcd", true);
    let mut server = part("kube-apiserver");
    let probe = json!({"httpGet": {"host": "172.18.0.2", "path": "/livez", "port": 6443, "scheme": "HTTPS"},
        "periodSeconds": 10, "failureThreshold": 8});
    server["spec"]["containers"][0]["livenessProbe"] = probe;
    let text = Some(crate::api::yaml::to_yaml(&server));
    let file = "kube-apiserver.yaml".into();
    cluster.fault(&Fault::Manifest { node: "node-1".into(), file, text }).unwrap();
    steady(&mut cluster);
    put_part(&mut cluster, "etcd", false);
    let since = cluster.now();
    until_it_serves(&mut cluster, false);
    // Eight failures, ten seconds apart, and the time that it takes to stop.
    let takes = cluster.now().duration_since(since).as_secs();
    assert!((70..=120).contains(&takes), "{takes}");
    // It is started again and again, and never comes so far that it serves.
    let later = cluster.now() + jiff::SignedDuration::from_secs(300);
    cluster.run_until(later, |c, _| assert!(!c.api().serves())).unwrap();
    put_part(&mut cluster, "etcd", true);
    steady(&mut cluster);
    assert!(cluster.api().serves());
    assert!(restarts(&cluster, "kube-apiserver") > 1);
}

/// A cluster that begins with mirror pods has their static pods, whose containers run on.
#[test]
fn mirror_pods_of_another_cluster_bring_their_static_pods() {
    let mut lab = Lab::new();
    lab.put("web.yaml", manifest(&web("team/web:1"))).steady();
    let all: Vec<Value> = {
        let objects = [(Kind::NODE, "", "node-1"), (Kind::POD, "default", WEB)];
        let store = lab.cluster.api().etcd();
        objects.map(|(k, ns, n)| store.get(&ObjectRef::new(k, ns, n)).unwrap().object.to_value()).to_vec()
    };
    let config = Config { nodes: Vec::new(), ..Config::nodes(0) };
    let mut other = Cluster::new(&config);
    assert_eq!(other.restore(&config, &all), []);
    while other.next_command(None).is_ok() {}
    let found: Vec<(&str, &str, &Manifest)> = other.manifests().collect();
    assert_eq!(
        found.iter().map(|(node, file, _)| (*node, *file)).collect::<Vec<_>>(),
        [("node-1", "web.yaml")]
    );
    assert!(found[0].2.text.contains("name: web\n"), "{}", found[0].2.text);
    let at = ObjectRef::new(Kind::POD, "default", WEB);
    let uid_in = |c: &Cluster| c.api().etcd().get(&at).unwrap().object.uid().to_owned();
    assert_eq!(uid_in(&other), uid_in(&lab.cluster));
    let id = |c: &Cluster| c.container_id(&Key::new("default", WEB), "web");
    assert_eq!(id(&other), id(&lab.cluster));
}
