//! Start, stop and end of containers and pods.

use serde_json::json;

use super::{Lab, one};
use crate::cluster::Fault;
use crate::kubelet::KubeletFault;

macro_rules! timeline {
    ($lab:expr) => {
        insta::assert_snapshot!($lab.log)
    };
}

/// `kuberuntime_manager.go`, `SyncPod`: first the sandbox, then its containers. `images/image_manager.go`, `pullImage`, and
/// `kuberuntime_container.go`, `startContainer`: the events.
#[test]
fn normal_start() {
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).steady();
    timeline!(lab);
}

/// `kuberuntime_container.go`, `computeInitContainerActions`: the next one is started when the one before it has ended well.
#[test]
fn init_containers_in_order() {
    let mut lab = Lab::new();
    lab.pod(json!({"spec": {
        "initContainers": [
            {"name": "first", "command": ["sleep", "5"]},
            {"name": "second", "image": "team/tool:1", "command": ["true"]},
        ],
        "containers": [{"name": "app"}],
    }}))
    .steady();
    timeline!(lab);
}

/// `kuberuntime_container.go`, `computeInitContainerActions`: one that failed is started again. `kuberuntime_manager.go`,
/// `doBackOff`: the time it waits counts from its end.
#[test]
fn an_init_container_that_fails_is_tried_again() {
    let mut lab = Lab::new();
    lab.pod(json!({
        "metadata": {"annotations": {"sim.steady/exit-code.first": "1"}},
        "spec": {"initContainers": [{"name": "first"}], "containers": [{"name": "app"}]},
    }))
    .wait(40);
    timeline!(lab);
}

/// `kubelet_pods.go`, `getPhase`, and `kuberuntime_container.go`, `ShouldContainerBeRestarted` (KEP-5307): a rule of the init container comes
/// before its policy.
#[test]
fn a_rule_restarts_an_init_container_that_never_restarts() {
    let mut lab = Lab::new();
    let rules = json!([{"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}]);
    lab.pod(json!({
        "metadata": {"annotations": {"sim.steady/exit-code.first": "42", "sim.steady/run-seconds.first": "1"}},
        "spec": {
            "initContainers": [{"name": "first", "restartPolicy": "Never", "restartPolicyRules": rules}],
            "containers": [{"name": "app"}],
        },
    }))
    .wait(30);
    let status = lab.get().status.clone().unwrap();
    assert_eq!(status.phase.as_deref(), Some("Pending"));
    assert!(status.init_container_statuses.as_ref().unwrap()[0].restart_count > 0, "{}", lab.log);
}

/// `kuberuntime_container.go`, `computeInitContainerActions`: the pod is killed. `kubelet_pods.go`, `getPhase`: it has failed.
#[test]
fn an_init_container_that_fails_ends_a_pod_that_never_restarts() {
    let mut lab = Lab::new();
    lab.pod(json!({"spec": {
        "restartPolicy": "Never",
        "initContainers": [{"name": "first", "command": ["false"]}],
        "containers": [{"name": "app"}],
    }}))
    .steady();
    timeline!(lab);
}

/// `kubelet_pods.go`, `getPhase`: the pod has failed once all have ended and one of them did not end well. `status_manager.go`,
/// `mergePodStatus`: the phase waits for the end of the containers.
#[test]
fn restart_policy_never() {
    let mut lab = Lab::new();
    lab.pod(json!({"spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "good", "command": ["sleep", "5"]}, {"name": "bad", "command": ["sh", "-c", "sleep 8; exit 3"]}],
    }}))
    .steady();
    timeline!(lab);
}

/// `container/helpers.go`, `ShouldContainerBeRestarted`: the exit code decides.
#[test]
fn restart_policy_on_failure() {
    let mut lab = Lab::new();
    lab.pod(json!({
        "metadata": {"annotations": {"sim.steady/run-seconds": "5", "sim.steady/exit-code": "1"}},
        "spec": {"restartPolicy": "OnFailure", "containers": [{"name": "app"}]},
    }))
    .wait(15)
    .edit("it is mended", |p| {
        p.metadata.annotations.as_mut().unwrap().insert("sim.steady/exit-code".into(), "0".into());
    })
    .steady();
    timeline!(lab);
}

/// containerd's `internal/cri/server/container_start.go`, `StartContainer`: the reason `StartError` with exit code 128.
/// `kuberuntime_container.go`, `startContainer`: the reason `RunContainerError`.
#[test]
fn a_program_that_the_image_does_not_have_cannot_be_started() {
    let mut lab = Lab::new();
    let container = json!({"name": "app", "image": "busybox:1.36", "command": ["nosuch", "-x"]});
    lab.pod(json!({"spec": {"containers": [container]}})).wait(20);
    timeline!(lab);
}

/// KEP-753. `kuberuntime_manager.go`, `computePodActions`: no sidecar keeps a pod alive whose containers have ended.
#[test]
fn a_sidecar_starts_first_and_stops_last() {
    let mut lab = Lab::new();
    lab.pod(json!({"spec": {
        "restartPolicy": "Never",
        "initContainers": [{"name": "proxy", "restartPolicy": "Always"}],
        "containers": [{"name": "app", "command": ["sleep", "5"]}],
    }}))
    .steady();
    timeline!(lab);
}

/// KEP-753. `kuberuntime_termination_order.go`, `newTerminationOrdering`: sidecars wait for the containers, and for the sidecars
/// after them.
#[test]
fn a_deleted_pod_stops_its_sidecars_last() {
    let mut lab = Lab::new();
    lab.pod(json!({
        "metadata": {"annotations": {"sim.steady/stop-seconds.app": "4"}},
        "spec": {
            "initContainers": [
                {"name": "one", "restartPolicy": "Always"},
                {"name": "two", "restartPolicy": "Always"},
            ],
            "containers": [{"name": "app"}],
        },
    }))
    .steady()
    .delete(None)
    .steady();
    timeline!(lab);
}

/// `kuberuntime_container.go`, `killContainer`: the hook runs before the signal.
#[test]
fn graceful_stop_with_a_hook() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"lifecycle": {"preStop": {"exec": {"command": ["sleep", "5"]}}}})))
        .steady()
        .delete(None)
        .steady();
    timeline!(lab);
}

/// A hook's command runs in the container (`pkg/kubelet/lifecycle/handlers.go`), so its signal comes to the first process before the kubelet
/// sends its own, ten seconds later.
#[test]
fn a_hook_that_sends_the_signal_itself_ends_the_container_before_the_kubelet_does() {
    let ended = |hook: &str| {
        let mut lab = Lab::new();
        let command = ["sh", "-c", hook];
        let hook = json!({"preStop": {"exec": {"command": command}}});
        lab.pod(one(json!({"image": "nginx:1.28", "lifecycle": hook}))).steady();
        let begun = lab.cluster.now();
        lab.delete(None).steady();
        lab.cluster.now().duration_since(begun).as_secs()
    };
    let (by_kubelet, by_hook) = (ended("sleep 10"), ended("kill -QUIT 1; sleep 10"));
    assert!(by_kubelet >= 10 && by_hook < 5, "{by_kubelet} {by_hook}");
}

/// `kuberuntime_container.go`, `setTerminationGracePeriod`; containerd's `internal/cri/server/container_stop.go`,
/// `stopContainer`: SIGKILL follows SIGTERM.
#[test]
fn killed_when_the_grace_period_is_over() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"command": ["sleep", "infinity"]}))).steady().delete(Some(10)).steady();
    timeline!(lab);
}

/// `registry/rest/delete.go` of the API server, `BeforeDelete`: the time counts from the first deletion, and what is over by then
/// becomes one second. `pod_workers.go`, `calculateEffectiveGracePeriod`: a grace period only gets shorter; `killContainer`
/// leaves at least two seconds.
#[test]
fn a_second_deletion_shortens_the_grace_period() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"command": ["sleep", "infinity"]})))
        .steady()
        .delete(None)
        .wait(5)
        .delete(Some(3))
        .steady();
    timeline!(lab);
}

/// `status_manager.go`, `TerminatePod`: a container that cannot be found has failed with 137.
#[test]
fn deleted_before_it_started() {
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).wait(2).delete(None).steady();
    timeline!(lab);
}

/// `active_deadline.go`, `ShouldEvict`: the reason and the event.
#[test]
fn active_deadline() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["spec"]["activeDeadlineSeconds"] = 20.into();
    lab.pod(pod).steady();
    timeline!(lab);
}

/// `kuberuntime_manager.go`, `computePodActions`: a container whose definition has changed is killed and started again.
#[test]
fn a_new_image_restarts_the_container() {
    let mut lab = Lab::new();
    lab.pod(one(json!({})))
        .steady()
        .edit("the image is changed", |p| {
            p.spec.as_mut().unwrap().containers[0].image = Some("team/app:2".into());
        })
        .steady();
    timeline!(lab);
}

/// `container/helpers.go`, `ShouldContainerBeRestarted`; containerd's `internal/cri/server/container_status.go`: an exit code
/// that is not 0 has the reason `Error`.
#[test]
fn a_crash_that_a_person_caused() {
    let mut lab = Lab::new();
    lab.pod(one(json!({})))
        .steady()
        .fault(
            "app crashes",
            KubeletFault::CrashContainer {
                pod: crate::api::Key::new("default", "p"),
                container: "app".into(),
                exit_code: 42,
            },
        )
        .steady();
    timeline!(lab);
}

/// containerd's `internal/cri/server/events.go`: the reason `OOMKilled` of a process that was killed by its limit.
#[test]
fn out_of_memory() {
    let mut lab = Lab::new();
    let mut pod = one(json!({"resources": {"limits": {"memory": "64Mi"}, "requests": {"memory": "64Mi"}}}));
    pod["metadata"] = json!({"annotations": {"sim.steady/memory": "100Mi"}});
    pod["spec"]["restartPolicy"] = "Never".into();
    lab.pod(pod).steady();
    timeline!(lab);
}

/// `status/generate.go`, `GeneratePodReadyCondition`: containers that are not ready come before the gates.
#[test]
fn a_gated_pod_is_deleted_like_any_other() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["spec"]["readinessGates"] = json!([{"conditionType": "example.test/gate"}]);
    lab.pod(pod).steady().delete(None).steady();
    timeline!(lab);
}

/// `kuberuntime_manager.go`, `SyncPod`: one container is started after the other, and a pull is waited for. `pod_workers.go`,
/// `podWorkerLoop`: a pod has one sync at a time.
#[test]
fn one_crashes_while_the_other_is_pulled() {
    let mut lab = Lab::new();
    lab.pod(json!({
        "metadata": {"annotations": {"sim.steady/image-pull.slow": "30"}},
        "spec": {"containers": [
            {"name": "bad", "command": ["false"]},
            {"name": "slow", "image": "team/big:1"},
        ]},
    }))
    .wait(60);
    timeline!(lab);
}

/// Has a script executed in the container of the pod `p`, as a client does (`kubectl exec`).
fn execute(lab: &mut Lab, script: &str) -> u16 {
    let word = |text: &str| text.replace(' ', "%20");
    let query = ["sh", "-c", script].map(|text| format!("command={}", word(text))).join("&");
    let request = crate::apimachinery::HttpRequest {
        method: "GET".into(),
        path: "/api/v1/namespaces/default/pods/p/exec".into(),
        query: format!("{query}&container=app&stdout=true&stderr=true"),
        content_type: "application/octet-stream".into(),
        ..Default::default()
    };
    lab.cluster.http(&request).0.status
}

fn restart_count(lab: &Lab) -> i32 {
    let status = lab.pod_named("p").status.clone().unwrap();
    status.container_statuses.as_ref().unwrap()[0].restart_count
}

/// `man 7 pid_namespaces`: other processes of a namespace can send its process 1 only signals for which that has a handler. A server such
/// as nginx has one for SIGTERM, and one for the signal that its image names; `sleep` has none.
#[test]
fn the_first_process_gets_only_the_signals_that_it_handles() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"image": "nginx:1.28"}))).steady();
    for (script, restarts) in
        [("kill -9 1", 0), ("kill -STOP 1", 0), ("kill -HUP 1", 0), ("kill 1", 1), ("kill -3 1", 2)]
    {
        assert_eq!(execute(&mut lab, script), 101, "{script}");
        // Long enough for the back-off.
        lab.steady().wait(60);
        assert_eq!(restart_count(&lab), restarts, "{script}");
    }
    assert!(lab.events("Killing").is_empty());
    let mut lab = Lab::new();
    lab.pod(one(json!({"image": "busybox:1.36", "command": ["sleep", "infinity"]}))).steady();
    for script in ["kill 1", "kill -KILL 1", "kill -s TERM 1"] {
        assert_eq!(execute(&mut lab, script), 101, "{script}");
        lab.steady().wait(60);
    }
    assert_eq!(restart_count(&lab), 0);
    // A script that handles the signal ends as it says.
    let mut lab = Lab::new();
    let script = "trap 'exit 7' TERM; while true; do sleep 1; done";
    lab.pod(one(json!({"image": "busybox:1.36", "command": ["sh", "-c", script]}))).steady();
    assert_eq!(execute(&mut lab, "kill 1"), 101);
    lab.steady();
    let status = lab.pod_named("p").status.clone().unwrap();
    let last = status.container_statuses.as_ref().unwrap()[0].last_state.clone().unwrap().terminated.unwrap();
    assert_eq!((restart_count(&lab), last.exit_code), (1, 7));
}

/// `pkg/kubelet/nodestatus/setters.go`, `MachineInfo`: another boot id is an event and stands in the Node.
#[test]
fn a_node_tells_that_it_was_booted_again() {
    let mut lab = Lab::new();
    lab.steady();
    let boot = |lab: &Lab| lab.node().status.as_ref().unwrap().node_info.as_ref().unwrap().boot_id.clone();
    let before = boot(&lab);
    lab.cluster.fault(&Fault::Restart { process: "kubelet".into(), node: Some("node-1".into()) }).unwrap();
    lab.steady();
    let after = boot(&lab);
    assert_ne!(before, after);
    assert_eq!(after.len(), 36);
    let message = format!("Node node-1 has been rebooted, boot id: {after}");
    assert_eq!(lab.events("Rebooted"), [("node-1".to_owned(), message, 1)]);
}

/// `pkg/kubelet/kubelet.go`, `OnPodSandboxReady`, which `kuberuntime_manager.go` calls before it pulls images: the status is the one
/// before, but for the condition.
#[test]
fn a_status_of_its_own_says_that_the_sandbox_is_ready() {
    let mut lab = Lab::new();
    lab.pod(one(json!({})));
    let mut seen = Vec::new();
    while let Ok(command) = lab.cluster.next_command(None) {
        for write in &command.writes {
            let Some(pod) = write.next.as_ref().and_then(|o| o.get::<crate::api::types::Pod>()) else {
                continue;
            };
            let status = pod.status.clone().unwrap();
            let ready = status.conditions.iter().flatten().find(|c| c.type_ == "PodReadyToStartContainers");
            let runs = status.phase.as_deref() == Some("Running");
            seen.push((ready.map(|c| c.status.clone()), status.pod_ip.is_some(), runs));
        }
    }
    let of = |ready: &str, ip, runs| (Some(ready.to_owned()), ip, runs);
    assert_eq!(seen, [of("False", false, false), of("True", false, false), of("True", true, true)]);
}
