#![allow(clippy::unwrap_used)]

use super::*;
use crate::session::{Depth, Link, Replay, Session, scenario};

/// What `kubectl get …` prints of a session at its moment.
fn printed(session: &Session, line: &str) -> String {
    let out = session.clone().kubectl(line, &[]);
    assert_eq!(out.exit, 0, "{}", out.stderr);
    out.stdout
}

fn imported(text: &str) -> (Report, Session) {
    let imported = read(text).unwrap_or_else(|e| panic!("{e}"));
    (imported.report.clone(), Session::new(imported.start()))
}

/// The commands until the cluster is steady, as `component verb object`.
fn commands(session: &mut Session) -> Vec<String> {
    let mut out = Vec::new();
    while out.len() < 400 && session.step(Depth::Command, None) {
        out.extend(
            session
                .current()
                .commands()
                .iter()
                .map(|c| format!("{} {} {}", c.by, c.request.verb_string(), c.request.object())),
        );
    }
    out
}

fn steady(id: &str) -> Session {
    let mut session = scenario::find(id).unwrap().open();
    commands(&mut session);
    session
}

#[test]
fn what_kubectl_printed_of_a_steady_cluster_is_steady() {
    for id in ["01-first-deployment", "24-stateful-set", "25-daemon-set", "33-service", "31-drain"] {
        let from = steady(id);
        // In the middle of a rollout a StatefulSet needs its older ControllerRevision, which `all` does not contain.
        let what = if id == "24-stateful-set" { "all,controllerrevisions" } else { "all" };
        let text = printed(&from, &format!("get {what} --all-namespaces -o yaml"));
        let (report, mut to) = imported(&text);
        let did = commands(&mut to);
        assert_eq!(did, Vec::<String>::new(), "{id}");
        assert!(report.unknown.is_empty() && report.unreadable.is_empty(), "{id} {report:?}");
        // What was there is there, as it was.
        for line in
            ["get pods -o wide --no-headers", "get deployments,replicasets,statefulsets,daemonsets -o name"]
        {
            let cut = |text: String| -> Vec<Vec<String>> {
                let words = |l: &str| l.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                // The fifth column of pods is their age.
                text.lines()
                    .map(words)
                    .map(|mut w| {
                        if w.len() > 4 {
                            w.remove(4);
                        }
                        w
                    })
                    .collect()
            };
            assert_eq!(cut(printed(&to, line)), cut(printed(&from, line)), "{id} {line}");
        }
    }
}

#[test]
fn an_imported_cluster_goes_on_as_the_first_would() {
    let from = steady("04-rolling-update");
    let (_, mut to) = imported(&printed(&from, "get all -o yaml"));
    assert_eq!(commands(&mut to), Vec::<String>::new());
    to.kubectl("set image deployment/web nginx=nginx:1.29", &[]);
    let after = commands(&mut to);
    assert!(after.iter().any(|c| c.starts_with("deployment-controller create ReplicaSet")), "{after:?}");
    assert!(printed(&to, "get deployment web --no-headers").contains("4/4"));
    // A link repeats it, and its objects are in it once.
    let link = Link::of(&to).encode();
    assert!(link.starts_with('f') && link.len() < 9_000, "{}", link.len());
    let mut replay = Replay::new(&Link::decode(&link).unwrap());
    while !replay.advance(50) {}
    let replayed = replay.finish();
    assert!(replayed.same);
    assert_eq!(replayed.session.cluster().digest(), to.cluster().digest());
}

#[test]
fn what_is_broken_there_is_broken_here() {
    let mut from = steady("11-crash-loop");
    from.kubectl("create deployment typo --image=app:missing", &[]);
    commands(&mut from);
    let (_, mut to) = imported(&printed(&from, "get all -o yaml"));
    let pods = printed(&to, "get pods --no-headers");
    assert!(pods.contains("CrashLoopBackOff") && pods.contains("ImagePullBackOff"), "{pods}");
    // The image is pulled again when its back-off ends, which is an event.
    let did = commands(&mut to);
    let made = |c: &&String| (c.contains("create") || c.contains("delete")) && !c.contains(" Event ");
    assert_eq!(did.iter().find(made), None, "{did:?}");
}

/// An object without a namespace stands where kubectl would create it, and in the place of the one that is there.
#[test]
fn what_names_no_namespace_is_in_default() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata: {name: kubernetes, uid: 5fb30f8e-5db4-47a7-9b1c-9d3897c9e184}\n  \
                spec: {ports: [{port: 443}]}\n";
    let session = Session::new(read(text).unwrap().start());
    let all = session.cluster().api().cached_list(Kind::SERVICE, None);
    let all: Vec<String> = all.map(|(of, o)| format!("{} {}", of.key, o.uid())).collect();
    assert_eq!(all, ["default/kubernetes 5fb30f8e-5db4-47a7-9b1c-9d3897c9e184"]);
}

#[test]
fn what_is_missing_is_made_and_said() {
    let text = r#"
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: db-0
    namespace: shop
    uid: 0a1b2c3d-0000-4000-8000-000000000001
    creationTimestamp: "2026-03-01T10:00:00Z"
    managedFields: [{manager: kubelet, operation: Update}]
    resourceVersion: "8812"
    ownerReferences:
    - {apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: db, uid: 9a, controller: true}
  spec:
    nodeName: ip-10-0-0-7
    nodeSelector: {disk: ssd}
    serviceAccountName: db
    restartPolicy: Always
    containers:
    - name: db
      image: registry.example/db:3
      envFrom: [{secretRef: {name: password}}]
      env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: size}}}]
      resources: {requests: {cpu: "6", memory: 1Gi}}
    volumes:
    - {name: data, persistentVolumeClaim: {claimName: data-db-0}}
  status:
    phase: Running
    podIP: 10.2.0.9
    hostIP: 10.0.0.7
    startTime: "2026-03-01T10:00:01Z"
    conditions:
    - {type: Ready, status: "True", lastTransitionTime: "2026-03-01T10:00:05Z"}
    - {type: PodReadyToStartContainers, status: "True"}
    containerStatuses:
    - name: db
      image: registry.example/db:3
      imageID: registry.example/db@sha256:1
      containerID: containerd://77
      ready: true
      started: true
      restartCount: 2
      state: {running: {startedAt: "2026-03-01T10:00:04Z"}}
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: db, namespace: shop, uid: 9a}
---
apiVersion: v1
kind: Service
metadata: {name: broken, uid: 77777777-1}
spec: {ports: many}
"#;
    assert!(is_likely(text));
    let (report, mut session) = imported(text);
    let made = |kind: &str| report.made.get(kind).cloned().unwrap_or_default();
    assert_eq!(made("Namespace"), ["shop"]);
    assert_eq!(made("Node"), ["ip-10-0-0-7"]);
    assert_eq!(
        (made("Secret"), made("ConfigMap")),
        (vec!["password".to_owned()], vec!["settings".to_owned()])
    );
    assert_eq!(
        (made("PersistentVolumeClaim"), made("ServiceAccount")),
        (vec!["data-db-0".to_owned()], vec!["db".to_owned()])
    );
    assert_eq!(report.unknown.get("argoproj.io/v1alpha1 Rollout"), Some(&1));
    assert_eq!(report.unreadable.len(), 1, "{report:?}");
    assert_eq!(report.orphaned, 1);
    assert_eq!(session.now().to_string(), "2026-03-01T10:00:06Z");
    assert_eq!(commands(&mut session), Vec::<String>::new());
    let pod = printed(&session, "get pod db-0 -n shop -o wide --no-headers");
    assert!(pod.contains("Running") && pod.contains("10.2.0.9") && pod.contains("ip-10-0-0-7"), "{pod}");
    let node =
        printed(&session, "get node ip-10-0-0-7 -o jsonpath={.status.capacity.cpu},{.metadata.labels.disk}");
    assert_eq!(node, "6,ssd");
    assert!(printed(&session, "get pvc -n shop --no-headers").contains("Bound"));
    assert!(printed(&session, "get configmap settings -n shop -o yaml").contains("size:"));
}

/// What Kubernetes itself had at the end of each recorded case, with values in the place of what the recordings leave out.
#[test]
fn what_real_clusters_had_is_a_start() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/cases");
    let mut cases: Vec<_> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    cases.sort();
    let (mut clusters, mut pods) = (0, 0);
    for case in cases {
        let text = std::fs::read_to_string(case.join("final.json")).unwrap();
        let mut items: Value = serde_json::from_str(&text).unwrap();
        fill(&mut items);
        let all = items.as_array().unwrap().clone();
        let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
        if all.is_empty() {
            assert_eq!(read(&list).unwrap_err(), ImportError::NoCluster);
            continue;
        }
        let what = case.file_name().unwrap().to_string_lossy().into_owned();
        let (report, session) = imported(&list);
        assert!(report.unreadable.is_empty(), "{what} {:?}", report.unreadable);
        // Each is taken, or its kind is said to be unknown.
        let taken: usize = report.taken.values().chain(report.unknown.values()).sum();
        assert_eq!(taken, all.len(), "{what} {report:?}");
        clusters += 1;
        for pod in all.iter().filter(|o| o["kind"] == "Pod") {
            let (name, namespace) = (text_at(pod, "/metadata/name"), text_at(pod, "/metadata/namespace"));
            let line =
                format!("get pod {name} -n {namespace} -o jsonpath={{.status.phase}},{{.spec.nodeName}}");
            let was = format!("{},{}", text_at(pod, "/status/phase"), text_at(pod, "/spec/nodeName"));
            assert_eq!(printed(&session, &line), was, "{what} {name}");
            pods += 1;
        }
    }
    assert!(clusters > 100 && pods > 150, "{clusters} clusters with {pods} pods");
}

/// Puts moments in the place of `T+5.0`, and something that is valid in the place of `<r1>`.
fn fill(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(seconds) = text.strip_prefix("T+").and_then(|t| t.parse::<f64>().ok()) {
                let at = "2026-01-01T00:00:00Z".parse::<Timestamp>().unwrap();
                *text = (at + jiff::SignedDuration::from_secs(seconds as i64)).to_string();
            } else if text.contains('<') && !text.contains('{') {
                *text =
                    text.replace("<id>", "containerd://1").replace("<pem>", "cGVt").replace(['<', '>'], "");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(fill),
        Value::Object(map) => map.values_mut().for_each(fill),
        _ => {}
    }
}

#[test]
fn what_is_no_cluster_is_refused() {
    assert_eq!(read("kind: Pod\napiVersion: v1\nmetadata: {name: a}\n").unwrap_err(), ImportError::NoCluster);
    assert_eq!(read("").unwrap_err(), ImportError::NoCluster);
    assert!(matches!(read("a: [").unwrap_err(), ImportError::Yaml(_)));
    assert!(!is_likely(&scenario::all().remove(0).manifest));
    let large = format!("a: {}", "x".repeat(TEXT_LIMIT));
    assert_eq!(read(&large).unwrap_err(), ImportError::TooLarge(TEXT_LIMIT));
}

#[test]
fn what_is_exported_can_be_imported() {
    use crate::session::export::{Which, yaml};
    for id in ["01-first-deployment", "24-stateful-set", "23-custom-resource"] {
        let from = steady(id);
        let text = yaml(from.cluster(), &from.boot().unwrap(), Which::All);
        let (report, mut to) = imported(&text);
        assert!(report.unknown.is_empty() && report.unreadable.is_empty(), "{id} {report:?}");
        assert_eq!(commands(&mut to), Vec::<String>::new(), "{id}");
    }
    // What was declared can be applied to another cluster.
    let from = steady("33-service");
    let text = yaml(from.cluster(), &from.boot().unwrap(), Which::Declared);
    let mut other = Session::new(Start::default());
    let out = other.apply(&text);
    assert_eq!((out.exit, out.stderr.as_str()), (0, ""), "{text}");
    assert!(!text.contains("uid:") && !text.contains("kind: Pod\n"), "{text}");
}
