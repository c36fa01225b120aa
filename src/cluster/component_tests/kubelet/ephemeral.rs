//! Ephemeral containers (`pkg/kubelet/kuberuntime/kuberuntime_manager_test.go`, `TestComputePodActionsWithInitAndEphemeralContainers`;
//! `test/e2e/common/node/ephemeral_containers.go`).

use serde_json::{Value, json};

use super::{Lab, one};
use crate::api::{Key, Kind};
use crate::apimachinery::{Body, Patch, Request, Subresource, Verb};

/// Adds an ephemeral container, in front of those that are there.
fn debug(lab: &mut Lab, container: Value) {
    patch(lab, json!({"spec": {"ephemeralContainers": [container]}}));
}

fn patch(lab: &mut Lab, change: Value) {
    let request = Request::new(&"me".into(), Verb::Patch, Kind::POD, Key::new("default", "p"))
        .subresource(Subresource::EphemeralContainers)
        .body(Body::Patch(Patch::Strategic(change)));
    let (response, _) = lab.cluster.request(&request);
    assert_eq!(response.code(), 200, "{response:?}");
}

fn status(lab: &Lab) -> Value {
    serde_json::to_value(lab.get().status.as_ref().unwrap()).unwrap()
}

fn debugger(name: &str, script: &str) -> Value {
    json!({"name": name, "image": "busybox:1.37", "command": ["sh", "-c", script]})
}

/// It runs beside the others, ends, and is never started again; readiness and phase are not its concern.
/// `kuberuntime_manager.go`, `computePodActions`; `kubelet_pods.go`, `getPhase`, which does not count it.
#[test]
fn an_ephemeral_container_runs_once() {
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).steady();
    debug(&mut lab, debugger("look", "echo seen; sleep 30; exit 3"));
    lab.wait(10);
    let running = status(&lab);
    let of = &running["ephemeralContainerStatuses"][0];
    assert_eq!((&of["name"], &of["ready"], &of["restartCount"]), (&json!("look"), &json!(false), &json!(0)));
    assert!(of["state"]["running"].is_object() && of["containerID"].is_string(), "{of}");
    assert_eq!(of["started"], Value::Null);
    lab.steady();
    let ended = status(&lab);
    let of = &ended["ephemeralContainerStatuses"][0];
    assert_eq!(of["state"]["terminated"]["exitCode"], 3);
    assert_eq!((of["restartCount"].as_i64(), ended["phase"].as_str()), (Some(0), Some("Running")));
    assert_eq!(ended["containerStatuses"].as_array().unwrap().len(), 1);
    lab.wait(600);
    assert_eq!(status(&lab)["ephemeralContainerStatuses"], ended["ephemeralContainerStatuses"]);
    let started = lab.events("Started");
    assert_eq!(started.iter().map(|e| e.2).sum::<i32>(), 2, "{started:?}");
    assert!(lab.log.contains("spec.ephemeralContainers{look}: Container started"), "{}", lab.log);
}

/// `getTargetID` (`kuberuntime_container.go`); the page "Debug Running Pods": the processes of the target are seen. Without a target a
/// container sees its own.
#[test]
fn an_ephemeral_container_sees_the_processes_of_its_target() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"image": "busybox:1.37", "command": ["sleep", "7777"]}))).steady();
    // A line above the processes; the shell and `ps` are two of them.
    let sees = "exit $(ps | wc -l)";
    let mut with_target = debugger("with", sees);
    with_target["targetContainerName"] = "app".into();
    debug(&mut lab, with_target);
    debug(&mut lab, debugger("without", sees));
    lab.steady();
    let status = status(&lab);
    let code = |i: usize| &status["ephemeralContainerStatuses"][i]["state"]["terminated"]["exitCode"];
    assert_eq!([code(0), code(1)], [&json!(4), &json!(3)]);
}

/// `getTargetID`: a target that the runtime has never had is none.
#[test]
fn a_target_that_is_not_there_is_refused() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["spec"]["initContainers"] =
        json!([{"name": "init", "image": "busybox:1.37", "command": ["sleep", "infinity"]}]);
    lab.pod(pod).wait(20);
    let mut container = debugger("look", "ps");
    container["targetContainerName"] = "app".into();
    debug(&mut lab, container);
    lab.wait(20);
    let status = status(&lab);
    let waiting = &status["ephemeralContainerStatuses"][0]["state"]["waiting"];
    assert_eq!(waiting["reason"], "CreateContainerConfigError");
    assert_eq!(waiting["message"], "unable to find target container app");
    assert!(lab.events("Failed").iter().any(|e| e.1 == "Error: unable to find target container app"));
}

/// "even when there are errors starting an init container": a pod that does not start can be looked into.
/// `kuberuntime_manager.go`, `SyncPod`, step 6.
#[test]
fn a_pod_that_does_not_start_can_be_looked_into() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["spec"]["initContainers"] =
        json!([{"name": "init", "image": "busybox:1.37", "command": ["sh", "-c", "sleep 600; exit 1"]}]);
    lab.pod(pod).wait(20);
    debug(&mut lab, debugger("look", "sleep 1000"));
    lab.wait(10);
    let now = status(&lab);
    assert!(now["ephemeralContainerStatuses"][0]["state"]["running"].is_object(), "{now}");
    assert_eq!(now["phase"], "Pending");
    assert_eq!(now["containerStatuses"][0]["state"]["waiting"]["reason"], "PodInitializing");
}

/// It does not keep a pod alive whose other containers have ended, and ends with it; a second one can be added.
/// `kuberuntime_manager.go`, `computePodActions`: only the other containers keep a pod alive.
#[test]
fn an_ephemeral_container_ends_with_its_pod() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["spec"]["restartPolicy"] = "Never".into();
    pod["metadata"]["annotations"] = json!({"sim.steady/run-seconds.app": "60"});
    lab.pod(pod).wait(10);
    debug(&mut lab, debugger("one", "sleep 10000"));
    lab.wait(5);
    debug(&mut lab, debugger("two", "sleep 10000"));
    lab.wait(5);
    let now = status(&lab);
    let all = now["ephemeralContainerStatuses"].as_array().unwrap();
    assert!(all.len() == 2 && all.iter().all(|c| c["state"]["running"].is_object()), "{now}");
    lab.steady();
    let over = status(&lab);
    assert_eq!(over["phase"], "Succeeded");
    let ended = over["ephemeralContainerStatuses"].as_array().unwrap().iter();
    let codes: Vec<_> = ended.map(|c| c["state"]["terminated"]["exitCode"].as_i64().unwrap()).collect();
    assert_eq!(codes, [137, 137]);
}

/// A patch without `$setElementOrder` puts the new one in front (`strategicpatch/patch.go`, `normalizeElementOrder`). Each keeps its
/// instance: `convertToAPIContainerStatuses` and `computePodActions` know a container by its name.
#[test]
fn an_ephemeral_container_is_known_by_its_name() {
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).steady();
    debug(&mut lab, debugger("old", "exit 3"));
    lab.steady();
    let before = status(&lab)["ephemeralContainerStatuses"][0].clone();
    assert_eq!(before["state"]["terminated"]["exitCode"], 3);
    debug(&mut lab, debugger("new", "sleep 1000; exit 4"));
    lab.wait(10);
    let spec = serde_json::to_value(lab.get().spec.as_ref().unwrap()).unwrap();
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&spec["ephemeralContainers"]), ["new", "old"]);
    let now = status(&lab);
    let all = &now["ephemeralContainerStatuses"];
    assert_eq!(names(all), ["new", "old"]);
    assert_eq!(all[1], before);
    assert!(all[0]["state"]["running"].is_object(), "{all}");
    assert_ne!(all[0]["containerID"], before["containerID"]);
    // A third one between them, as a client that sends the whole list can put it.
    let order = json!([{"name": "new"}, {"name": "mid"}, {"name": "old"}]);
    let change = json!({"spec": {
        "$setElementOrder/ephemeralContainers": order,
        "ephemeralContainers": [debugger("mid", "exit 5")],
    }});
    patch(&mut lab, change);
    lab.steady();
    let all = status(&lab)["ephemeralContainerStatuses"].clone();
    let codes: Vec<_> =
        all.as_array().unwrap().iter().map(|c| c["state"]["terminated"]["exitCode"].as_i64()).collect();
    assert_eq!(
        (names(&all), codes),
        (vec!["mid".into(), "new".into(), "old".into()], vec![Some(5), Some(4), Some(3)])
    );
    assert_eq!(all[2], before);
    // The pod's own container and three others, each started once.
    let started = lab.events("Started");
    assert_eq!(started.iter().map(|e| e.2).sum::<i32>(), 4, "{started:?}");
}

/// A container that somebody has added to look into a pod counts as any other when memory runs out (`mm/oom_kill.c` of Linux, which asks no
/// one for the list in the pod's spec; `GetContainerOOMScoreAdjust`, `pkg/kubelet/qos/policy.go`). It is not started again.
#[test]
fn an_ephemeral_container_that_uses_up_the_memory_is_killed() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["metadata"]["annotations"] = json!({"sim.steady/memory.look": "9Gi"});
    lab.pod(pod).named("other", one(json!({}))).steady();
    debug(&mut lab, debugger("look", "sleep 1000"));
    lab.steady();
    let of = |name: &str| serde_json::to_value(lab.pod_named(name).status.as_ref().unwrap()).unwrap();
    let (p, other) = (of("p"), of("other"));
    let ended = &p["ephemeralContainerStatuses"][0]["state"]["terminated"];
    assert_eq!((&ended["reason"], &ended["exitCode"]), (&json!("OOMKilled"), &json!(137)));
    let restarts = |status: &Value| status["containerStatuses"][0]["restartCount"].clone();
    assert_eq!([restarts(&p), restarts(&other)], [json!(0), json!(0)]);
    assert!(lab.events("SystemOOM")[0].1.starts_with("System OOM encountered, victim process: sh, pid: "));
    assert_eq!(lab.events("Evicted"), []);
}
