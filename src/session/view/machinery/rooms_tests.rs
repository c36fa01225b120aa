#![allow(clippy::unwrap_used)]
//! The rooms of a kubelet and its calls to the runtime as text. `STEADY_UPDATE=1` updates the expected texts.

use std::fmt::Write as _;

use jiff::SignedDuration;

use super::tests::{actor, expect};
use super::*;
use crate::api::{Kind, ObjectRef};
use crate::session::view::crash;
use crate::session::{Depth, Passing, Session, Start};

/// A pod with what a kubelet can be asked to do: an init container, hooks, probes, volumes, limits, a host port.
const POD: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 20
  initContainers:
  - {name: prepare, image: busybox:1.36, command: [sh, -c, "sleep 1"]}
  containers:
  - name: app
    image: busybox:1.36
    command: [sh, -c, "trap 'exit 0' TERM; echo ready > /tmp/ready; while true; do sleep 1; done"]
    env: [{name: COLOUR, value: blue}]
    ports: [{containerPort: 80, hostPort: 8080}]
    resources: {requests: {cpu: 250m, memory: 64Mi}, limits: {cpu: 500m, memory: 128Mi}}
    volumeMounts: [{name: settings, mountPath: /etc/settings, readOnly: true}, {name: scratch, mountPath: /scratch}]
    startupProbe: {exec: {command: [cat, /tmp/ready]}, periodSeconds: 1}
    lifecycle:
      postStart: {exec: {command: [sh, -c, "sleep 2"]}}
      preStop: {exec: {command: [sh, -c, "sleep 3"]}}
  volumes:
  - {name: settings, configMap: {name: settings}}
  - {name: scratch, emptyDir: {}}
"#;

fn applied(manifest: &str) -> Session {
    let mut s = Session::new(Start::default());
    s.apply(manifest);
    s
}

/// Steps until nothing happens any more, and says the calls of each step.
fn all_calls(s: &mut Session, depth: Depth, long: bool) -> String {
    let mut out = String::new();
    while s.step(depth, None) {
        let view = runtime_calls(s, s.at()).unwrap();
        assert_eq!(view.more, 0);
        view.calls.iter().for_each(|c| say(&mut out, c, long));
    }
    out
}

fn say(out: &mut String, c: &CallView, long: bool) {
    let when = match (c.returns, c.after) {
        (true, _) => " returns".to_owned(),
        (false, 0) => String::new(),
        (false, ms) => format!(" in {ms} ms"),
    };
    let takes = c.takes.map(|ms| format!(" takes {ms} ms")).unwrap_or_default();
    let about = c.container.as_deref().or(c.pod.as_deref()).unwrap_or("-");
    let error = c.error.as_ref().map(|e| format!(" error: {e}")).unwrap_or_default();
    let _ = writeln!(out, "{}{when} {about}{takes}{error}", c.method);
    if !long {
        return;
    }
    c.request.iter().for_each(|(path, value)| _ = writeln!(out, "  {path}: {value}"));
    c.answer.iter().for_each(|(path, value)| _ = writeln!(out, "  → {path}: {value}"));
    c.parts.iter().for_each(|p| _ = writeln!(out, "  {} {}: {}", p.by, p.what, p.text));
}

fn say_rooms(r: &Rooms) -> String {
    let mut out = String::new();
    for s in &r.sources {
        let _ = writeln!(out, "source {}: {:?} and {}", s.name, s.pods.0, s.pods.1);
    }
    for w in &r.workers.0 {
        let _ = writeln!(
            out,
            "worker {} {}: waits for {:?} of {:?}, {:?} ms left, {} steps, {:?}",
            w.pod, w.phase, w.waits, w.container, w.left, w.steps, w.reason
        );
    }
    let _ = writeln!(out, "relists every {} ms, next {:?}", r.relists.period, r.relists.next);
    for e in &r.pleg.0 {
        let unseen = match (e.unnoticed, e.unseen) {
            (true, _) => ", unnoticed",
            (false, true) => ", unseen",
            (false, false) => "",
        };
        let _ =
            writeln!(out, "pleg {} {} {} {:?} {} ms ago{unseen}", e.event, e.pod, e.container, e.exit, e.ago);
    }
    for p in &r.probes.0 {
        let _ = writeln!(
            out,
            "probe {} {} {} {}: result {:?}, last {:?} {:?}, every {} s, {:?} ms ago{}",
            p.pod,
            p.container,
            p.probe,
            p.handler,
            p.result,
            p.last,
            p.counted,
            p.period,
            p.ago,
            if p.on_hold { ", on hold" } else { "" }
        );
    }
    let _ = writeln!(out, "statuses to write {:?}, written {}", r.statuses, r.reported);
    for v in &r.volumes.0 {
        let _ = writeln!(out, "volume {} {} ({}): {} {:?}", v.pod, v.volume, v.source, v.state, v.version);
    }
    let _ = writeln!(out, "volumes there {} of {}", r.worlds.1, r.worlds.0);
    for s in &r.signals {
        let _ = writeln!(
            out,
            "signal {}: {:?} met {} for {:?}, grace {}",
            s.signal, s.amounts, s.is_met, s.since, s.grace
        );
    }
    let _ = writeln!(out, "pressures {:?}, looks in {:?}", r.pressures, r.looks);
    let _ = writeln!(out, "garbage {:?}", r.garbage);
    let _ = writeln!(out, "lease {:?}, status {:?}", r.lease, r.status);
    for s in &r.sandboxes.0 {
        let _ = writeln!(out, "sandbox {} {:?} ready {}: {:?}", s.pod, s.handler, s.ready, s.containers);
    }
    let _ = writeln!(out, "pulling {:?}", r.pulling);
    out
}

fn rooms(s: &Session) -> Rooms {
    let kubelet = actor(s.cluster(), "kubelet");
    *machine(s.cluster(), kubelet, |_| false).unwrap().rooms.unwrap()
}

/// `kuberuntime_manager.go`, `SyncPod`: the sandbox, then each container: image, create, start, hook.
/// `kuberuntime_container.go`, `killContainer`: the preStop hook, then `StopContainer` with what is left of the grace period.
#[test]
fn the_calls_of_a_pod_s_life() {
    let mut s = applied(POD);
    expect("cri-start", &all_calls(&mut s, Depth::Command, true));
    s.kubectl("delete pod web --wait=false", &[]);
    expect("cri-stop", &all_calls(&mut s, Depth::Command, true));
}

/// The calls are the same at whatever depth a person steps, and at the finest one each belongs to one action.
#[test]
fn the_calls_are_the_same_at_each_depth() {
    let mut texts = Vec::new();
    for depth in [Depth::Command, Depth::Reconcile, Depth::Machinery] {
        let mut s = applied(POD);
        texts.push(all_calls(&mut s, depth, false));
    }
    assert_eq!(texts.first(), texts.get(1));
    assert_eq!(texts.first(), texts.get(2));
    assert!(texts.first().unwrap().starts_with("RunPodSandbox"));
}

/// Looking changes nothing: a run whose calls were looked at goes on as one whose calls were not.
#[test]
fn looking_changes_nothing() {
    let (mut looked, mut not) = (applied(POD), applied(POD));
    loop {
        let went = looked.step(Depth::Machinery, None);
        assert_eq!(went, not.step(Depth::Machinery, None));
        if !went {
            break;
        }
        runtime_calls(&looked, looked.at()).unwrap();
        // Also a copy that goes on after it was looked at.
        if looked.current().steps % 37 == 0 {
            assert_eq!(looked.cluster().digest(), not.cluster().digest());
        }
    }
    assert_eq!(looked.cluster().digest(), not.cluster().digest());
}

/// `pkg/kubelet/runtimeclass`; containerd's `sandbox_run.go`: the handler decides which shim and which OCI runtime.
#[test]
fn gvisor_by_runtime_class() {
    let mut s = applied(
        r#"
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: gvisor}
handler: runsc
---
apiVersion: v1
kind: Pod
metadata: {name: safe}
spec:
  runtimeClassName: gvisor
  containers: [{name: app, image: nginx:1.27}]
"#,
    );
    let refused = all_calls(&mut s, Depth::Command, false);
    assert!(refused.starts_with("RunPodSandbox default/safe error: rpc error: code = Unknown"), "{refused}");
    let nodes: Vec<String> = s.cluster().machines().map(str::to_owned).collect();
    for node in nodes {
        s.kubectl(&format!("annotate node {node} sim.steady/runtime-handlers=runsc"), &[]);
    }
    expect("cri-gvisor", &all_calls(&mut s, Depth::Command, true));
}

/// `image_manager.go`: with `Always` the kubelet asks the registry at once; an image that no registry has is asked for again.
#[test]
fn images() {
    let pod = |image: &str, policy: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, image: {image}, imagePullPolicy: {policy}}}]}}"
        )
    };
    let calls = |image, policy| all_calls(&mut applied(&pod(image, policy)), Depth::Command, false);
    let always = calls("nginx:1.27", "Always");
    assert!(!always.contains("ImageStatus c\nPullImage"), "{always}");
    let present = calls("nginx:1.27", "IfNotPresent");
    assert!(present.contains("ImageStatus c\nPullImage c takes 2000 ms\nPullImage returns c\n"), "{present}");
    let missing = calls("team/app:missing", "IfNotPresent");
    assert!(missing.contains("PullImage returns c error: rpc error: code = NotFound"), "{missing}");
    assert!(!missing.contains("CreateContainer"));
    let never = calls("nginx:1.27", "Never");
    assert!(never.contains("ImageStatus c\n") && !never.contains("PullImage"), "{never}");
}

#[test]
fn the_rooms_of_a_kubelet() {
    let mut s = applied(POD);
    let mut seen = std::collections::BTreeSet::new();
    let mut text = String::new();
    loop {
        let r = rooms(&s);
        let word = r.workers.0.first().and_then(|w| w.waits.clone());
        if let Some(word) = word.filter(|w| seen.insert(w.clone())) {
            let _ = writeln!(text, "== while a worker waits: {word}\n{}", say_rooms(&r));
        }
        if !s.step(Depth::Machinery, None) {
            break;
        }
    }
    let _ = writeln!(text, "== in the end\n{}", say_rooms(&rooms(&s)));
    let pod = ObjectRef::new(Kind::POD, "default", "web");
    s.fault(&crash(&s, &pod, "app", 1).unwrap()).unwrap();
    while s.step(Depth::Machinery, None) {
        let r = rooms(&s);
        if r.pleg.0.iter().any(|e| e.unnoticed) {
            let _ = writeln!(text, "== before a relist\n{}", say_rooms(&r));
            break;
        }
    }
    while s.step(Depth::Machinery, None) {}
    s.kubectl("delete pod web --wait=false", &[]);
    while s.step(Depth::Machinery, None) {
        let r = rooms(&s);
        if r.workers.0.iter().any(|w| &*w.phase == "SyncTerminatingPod") {
            let _ = writeln!(text, "== while it is being stopped\n{}", say_rooms(&r));
            break;
        }
    }
    expect("rooms", &text);
}

/// The rooms cost what is on the node, and show a few of each.
#[test]
fn long_rooms_are_cut() {
    let mut s = applied(
        r#"
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 60
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: "nginx:1.27", readinessProbe: {httpGet: {port: 80}}}
"#,
    );
    while s.step(Depth::Command, None) {}
    let r = rooms(&s);
    assert_eq!(r.workers.0.len(), SHOWN);
    assert!(r.workers.1 > SHOWN && r.probes.1 > SHOWN && r.sandboxes.1 > SHOWN && r.pleg.1 > SHOWN);
    assert_eq!(r.statuses.0.len(), 0);
}

/// The network of the node: no CNI plugin has to do with the pod. A handler that nobody knows: nothing is said of its programs.
#[test]
fn a_pod_on_the_network_of_the_node_and_an_unknown_handler() {
    let parts = |s: &mut Session| all_calls(s, Depth::Command, true);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {hostNetwork: true, containers: [{name: c, image: nginx:1.27}]}";
    let mut s = applied(pod);
    let started = parts(&mut s);
    assert!(started.contains("namespace_options.network: NODE"), "{started}");
    assert!(started.contains("containerd host-network") && !started.contains("config.hostname"));
    s.kubectl("delete pod p --wait=false", &[]);
    let stopped = parts(&mut s);
    assert!(stopped.contains("StopPodSandbox") && !stopped.contains("CNI_COMMAND"), "{stopped}");
    let mut s = Session::new(Start::default());
    let nodes: Vec<String> = s.cluster().machines().map(str::to_owned).collect();
    for node in nodes {
        s.kubectl(&format!("annotate node {node} sim.steady/runtime-handlers=fast"), &[]);
    }
    s.apply(
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: fast}\nhandler: fast\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {runtimeClassName: fast, containers: [{name: c, image: nginx:1.27}]}",
    );
    let unknown = parts(&mut s);
    assert!(unknown.contains("shim shim-unknown: fast") && !unknown.contains("oci "), "{unknown}");
}

/// `prober/prober.go`: a probe with `exec` is an `ExecSync` with its timeout. `kuberuntime_manager.go`, `doPodResizeAction`.
#[test]
fn a_probe_that_hangs_and_a_resize_in_place() {
    let mut s = applied(
        r#"
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    image: busybox:1.36
    command: [sh, -c, "sleep 100000"]
    resources: {requests: {cpu: 100m}, limits: {cpu: 200m}}
    readinessProbe: {exec: {command: [sleep, "5"]}, timeoutSeconds: 2}
"#,
    );
    let text = all_calls(&mut s, Depth::Command, false);
    assert!(text.contains("ExecSync c takes 2000 ms error: rpc error: code = DeadlineExceeded"), "{text}");
    let patch = r#"{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"100m"},"limits":{"cpu":"400m"}}}]}}"#;
    let out = s.kubectl(&format!("patch pod p --subresource resize --patch '{patch}'"), &[]);
    let text = all_calls(&mut s, Depth::Command, true);
    assert!(text.contains("UpdateContainerResources c"), "{out:?} {text}");
    assert!(text.contains("linux.cpu_quota: 40000"), "{text}");
}

/// The volume manager has all volumes that containers mount, of whatever source (`desired_state_of_world_populator.go`,
/// `processPodVolumes`; `pkg/volume/emptydir`, `hostpath`, `image`), and those are there from when the sandbox is made
/// (`kubelet.go`, `SyncPod`: `WaitForAttachAndMount` comes before the runtime's `SyncPod`).
#[test]
fn volumes_of_every_source_are_in_the_room() {
    let mut s = applied(
        r#"
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  automountServiceAccountToken: false
  containers:
  - name: c
    image: busybox:1.36
    command: [sleep, infinity]
    volumeMounts:
    - {name: scratch, mountPath: /scratch}
    - {name: logs, mountPath: /logs}
    - {name: tools, mountPath: /tools}
    - {name: all, mountPath: /all}
  volumes:
  - {name: scratch, emptyDir: {}}
  - {name: logs, hostPath: {path: /var/log}}
  - {name: tools, image: {reference: "nginx:1.27"}}
  - {name: all, projected: {sources: [{downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}]}}
  - {name: unused, emptyDir: {}}
"#,
    );
    let of = |s: &Session| {
        let r = rooms(s);
        let mut all: Vec<String> =
            r.volumes.0.iter().map(|v| format!("{} {} {}", v.volume, v.source, v.state)).collect();
        all.sort();
        (all, r.worlds)
    };
    let mut before = None;
    while rooms(&s).sandboxes.0.is_empty() {
        before = Some(of(&s)).filter(|(all, _)| !all.is_empty()).or(before);
        assert!(s.step(Depth::Machinery, None));
    }
    // All four are wanted before there is a sandbox.
    assert!(before.unwrap().1.0 == 4);
    while s.step(Depth::Command, None) {}
    let there =
        ["all projected written", "logs hostPath mounted", "scratch emptyDir mounted", "tools image mounted"];
    assert_eq!(of(&s), (there.map(str::to_owned).to_vec(), (4, 4)));
}

/// The room of the container manager: `pkg/kubelet/cm/cpumanager/policy_static.go` (`GetDefaultCPUSet`, `Allocate`),
/// `topologymanager/scope_container.go`, and `nodeshutdown_manager_linux.go` (`processShutdownEvent`).
#[test]
fn the_room_of_the_container_manager() {
    let pod = |name: &str, cpu: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c, image: \"busybox:1.36\", command: [sleep, infinity], resources: {{limits: {{cpu: \"{cpu}\", memory: 64Mi}}}}}}]}}\n"
        )
    };
    let mut s = Session::new(Start { nodes: 1, ..Start::default() });
    while s.step(Depth::Command, None) {}
    assert_eq!(rooms(&s).manager, ManagerRoom::default());
    let flags = [
        "cpu-manager-policy=static",
        "reserved-cpus=0",
        "numa-nodes=2",
        "topology-manager-policy=single-numa-node",
        "shutdown-grace-period=30s",
    ];
    let flags: Vec<String> = flags.iter().map(|f| format!("sim.steady/{f}")).collect();
    s.kubectl(&format!("annotate node node-1 {}", flags.join(" ")), &[]);
    while s.step(Depth::Command, None) {}
    // The one that is refused comes first: the scheduler counts CPUs, and would find too few beside the other.
    for (name, cpu) in [("wide", "3"), ("own", "2")] {
        s.apply(&pod(name, cpu));
        while s.step(Depth::Command, None) {}
    }
    let m = rooms(&s).manager;
    let p = m.processors.unwrap();
    assert_eq!((p.topology.0.as_str(), p.topology.1.as_str(), p.numa), ("single-numa-node", "container", 2));
    assert_eq!((p.reserved.as_str(), p.shared.as_str()), ("0", "0-1"));
    let [own] = p.exclusive.0.as_slice() else { panic!("{:?}", p.exclusive) };
    assert_eq!(
        (own.pod.as_str(), own.cpus.as_str(), own.numa.as_slice()),
        ("default/own", "2-3", [1].as_slice())
    );
    let [refused] = m.rejected.0.as_slice() else { panic!("{:?}", m.rejected) };
    assert_eq!((refused.pod.as_str(), refused.what.as_str()), ("default/wide", "TopologyAffinityError"));
    assert_eq!(m.shutdown, None);
    s.kubectl("annotate node node-1 sim.steady/shutdown=true", &[]);
    while rooms(&s).manager.shutdown.is_none_or(|shutdown| shutdown.waits.is_none()) {
        assert!(s.step(Depth::Machinery, None));
    }
    let shutdown = rooms(&s).manager.shutdown.unwrap();
    assert!(shutdown.groups.0 <= shutdown.groups.1);
    assert!(shutdown.waits.is_some_and(|(_, left)| left > 0));
}

/// `freeSpace` of `pkg/kubelet/images/image_gc_manager.go` logs "Removing image to free bytes" and calls `RemoveImage` for each image; there is
/// no event of it. So the call is what can be seen: as a finest step, and in the moment in which time passed until the image manager looked.
#[test]
fn an_image_that_is_removed_to_free_bytes_is_a_call() {
    let removed = |s: &Session| -> Vec<String> {
        let calls = runtime_calls(s, s.at()).unwrap().calls.into_iter().filter(|c| c.method == "RemoveImage");
        calls.flat_map(|c| c.request).map(|(_, value)| value).collect()
    };
    let full = || {
        let mut s = Session::new(Start { nodes: 1, ..Start::default() });
        for line in [
            "annotate nodes --all sim.steady/eviction-hard='memory.available<100Mi'",
            "run p --image=team/old:1",
            "delete pod p --wait=false",
            "run q --image=team/new:1",
        ] {
            assert_eq!(s.kubectl(line, &[]).exit, 0, "{line}");
            while s.step(Depth::Command, None) {}
        }
        let mut passing = Passing::by(&s, SignedDuration::from_secs(300));
        while passing.once(&mut s) {}
        assert_eq!(s.kubectl("annotate nodes --all sim.steady/system-disk=85Gi", &[]).exit, 0);
        s
    };
    let mut s = full();
    let mut passing = Passing::by(&s, SignedDuration::from_secs(700));
    let mut all = Vec::new();
    while passing.once(&mut s) {
        all.extend(removed(&s));
    }
    all.extend(removed(&s));
    all.dedup();
    assert!(all.len() == 1 && all[0].ends_with("team/old:1"), "{all:?}");
    let mut s = full();
    let mut seen = Vec::new();
    for _ in 0..3000 {
        if !s.step(Depth::Machinery, None) || !seen.is_empty() {
            break;
        }
        seen.extend(removed(&s));
    }
    assert!(seen.len() == 1 && seen[0].ends_with("team/old:1"), "{seen:?}");
}
