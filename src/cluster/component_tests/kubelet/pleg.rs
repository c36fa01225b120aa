//! PLEG: when the kubelet notices what has become of containers, and what a pod's worker waits for because of it.

use jiff::SignedDuration;
use serde_json::json;

use super::{Lab, one};
use crate::api::{Key, Timestamp, later};
use crate::cluster::Command;
use crate::kubelet::KubeletFault;
use crate::kubelet::pleg::relist_after;

fn crash() -> KubeletFault {
    KubeletFault::CrashContainer { pod: Key::new("default", "p"), container: "app".into(), exit_code: 42 }
}

impl Lab {
    /// Runs for so many milliseconds. Returns the commands, each with when it was issued after the start of the lab.
    fn milliseconds(&mut self, n: i64) -> Vec<(f64, Command)> {
        let (start, to) = (self.start, later(self.cluster.now(), SignedDuration::from_millis(n)));
        let mut all = Vec::new();
        let note = |c: &crate::cluster::Cluster, command: &Command| {
            all.push((c.now().duration_since(start).as_secs_f64(), command.clone()));
        };
        self.cluster.run_until(to, note).unwrap();
        all
    }

    /// Whether the pod is ready, as the API server has it.
    fn says_ready(&self) -> bool {
        let pod = self.get();
        let conditions = pod.status.as_ref().unwrap().conditions.clone().unwrap_or_default();
        conditions.iter().any(|c| c.type_ == "Ready" && c.status == "True")
    }

    fn app_runs(&self) -> bool {
        self.cluster.container_id(&Key::new("default", "p"), "app").is_some()
    }

    /// When each line of the log with this word was.
    fn when(&self, word: &str) -> Vec<&str> {
        let lines = self.log.lines().filter(|l| l.contains(word));
        lines.filter_map(|l| l.split_whitespace().next()).collect()
    }
}

/// `generic.go`, `Relist`: it compares what there is with what there was, so it has seen what was before its own moment.
#[test]
fn a_relist_sees_what_was_before_it() {
    let at = |nanoseconds: i128| Timestamp::from_nanosecond(nanoseconds).unwrap();
    assert_eq!(relist_after(at(0)), at(500_000_000));
    assert_eq!(relist_after(at(499_999_999)), at(500_000_000));
    assert_eq!(relist_after(at(500_000_000)), at(1_500_000_000));
    assert_eq!(relist_after(at(500_000_001)), at(1_500_000_000));
    assert_eq!(relist_after(at(-1)), at(500_000_000));
}

/// `generic.go`, `Relist`, and `kubelet.go`, `genericPlegRelistPeriod`: up to the relist the pod is Running and ready.
#[test]
fn a_process_that_has_ended_is_gone_before_its_kubelet_knows() {
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).steady().fault("app crashes", crash());
    lab.milliseconds(400);
    assert!(!lab.app_runs() && lab.says_ready());
    let commands = lab.milliseconds(200);
    // The reasons say what PLEG has reported, and when that was late.
    let event = |(at, c): &(f64, Command)| {
        let why = c.why.clone()?;
        Some((*at, why.fact("event")?.to_owned(), why.fact("late").map(str::to_owned)))
    };
    let reported: Vec<_> = commands.iter().filter_map(event).collect();
    let died = (3.5, "ContainerDied".to_owned(), Some("0.5".to_owned()));
    assert_eq!(reported, [died, (3.5, "ContainerStarted".to_owned(), None)]);
    // The container is started again by the sync that follows from the report, and a relist of the pod sees it at once.
    assert!(lab.app_runs() && lab.says_ready());
}

/// `generic.go`, `reconcilePodRecord`: all events of a pod are one update of the cache, and the worker syncs the pod once.
#[test]
fn two_ends_between_two_relists_are_one_status() {
    let mut lab = Lab::new();
    let mut pod = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "a"}, {"name": "b"}]}});
    let ends = json!({"sim.steady/run-seconds.a": "5.1", "sim.steady/run-seconds.b": "5.4"});
    pod["metadata"] = json!({"annotations": ends});
    lab.pod(pod).steady();
    assert_eq!(lab.when("a: Completed 0 | b: Completed 0"), ["+8.5s", "+9.5s"], "{}", lab.log);
    assert!(!lab.log.contains("a: Completed 0 | b: running"), "{}", lab.log);
    // SyncTerminatingPod begins with what PLEG has seen after the SyncPod that found the pod over (`podWorkerLoop`).
    assert_eq!(lab.when("Succeeded"), ["+9.5s"], "{}", lab.log);
}

/// `kubelet.go`, `SyncPod`: `postSync` asks for a relist of the pod if something was done and nothing has failed
/// (`PLEGOnDemandRelist`). Otherwise the next relist of all pods sees what was started.
#[test]
fn a_start_is_seen_at_once_unless_another_one_fails() {
    let started = |second: &str| {
        let mut lab = Lab::new();
        let pod = json!({"spec": {"containers": [{"name": "a"}, {"name": "b", "image": second}]}});
        lab.pod(pod).wait(10);
        let log = lab.log.clone();
        (lab.when("a: running").first().map(|at| (*at).to_owned()), log)
    };
    let (at, log) = started("team/app:1");
    assert_eq!(at.as_deref(), Some("+3s"), "{log}");
    // The second pull fails after a second, and the sync ends with that.
    let (at, log) = started("team/app:missing");
    assert_eq!(at.as_deref(), Some("+4.5s"), "{log}");
}

/// `pod_workers.go`, `podWorkerLoop`, and `container/cache.go`, `GetNewerThan`: SyncTerminatingPod begins with what PLEG has seen
/// after the last sync, and SyncTerminatedPod with what it has seen after SyncTerminatingPod; `status_manager.go`,
/// `canBeDeleted`: the object goes after that.
#[test]
fn the_end_of_a_pod_waits_for_relists() {
    // The last sync has just ended.
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).steady().delete(None).steady();
    assert_eq!(lab.when("Killing"), ["+3.5s"], "{}", lab.log);
    assert_eq!(lab.when("Succeeded |").first(), Some(&"+4.5s"), "{}", lab.log);
    assert_eq!(lab.when("delete Pod"), ["+5.5s"], "{}", lab.log);
    // It was long ago.
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).steady().wait(10).delete(None).steady();
    assert_eq!(lab.when("Killing"), ["+13s"], "{}", lab.log);
    assert_eq!(lab.when("Succeeded |").first(), Some(&"+14s"), "{}", lab.log);
    assert_eq!(lab.when("delete Pod"), ["+14.5s"], "{}", lab.log);
}

/// `pod_workers.go`, `podWorkerLoop`: SyncTerminatedPod waits for a relist after SyncTerminatingPod, also if a probe has another result
/// while the pod is being stopped.
#[test]
fn a_probe_that_fails_in_the_end_hurries_nothing() {
    let mut lab = Lab::new();
    let mut pod =
        one(json!({"readinessProbe": {"httpGet": {"port": 80}, "periodSeconds": 1, "failureThreshold": 1}}));
    pod["metadata"] = json!({"annotations": {"sim.steady/stop-seconds": "3.2"}});
    lab.pod(pod).steady().wait(10).delete(None).steady();
    let at = |word: &str| -> f64 {
        let at = lab.when(word).into_iter().next().unwrap_or_default();
        at.trim_start_matches('+').trim_end_matches('s').parse().unwrap()
    };
    assert!((at("delete Pod") - at("Killing") - 3.5).abs() < 1e-6, "{}", lab.log);
}

/// `kubelet.go`, `syncLoopIteration`: another result of a readiness probe is a reason to sync the pod, and the next sync waits for that
/// one.
#[test]
fn a_sync_because_of_a_probe_counts_as_one() {
    let mut lab = Lab::new();
    let probe =
        json!({"readinessProbe": {"httpGet": {"port": 80}, "initialDelaySeconds": 10, "periodSeconds": 1}});
    lab.pod(one(probe)).steady();
    assert_eq!(lab.when("app: running ready"), ["+13s"], "{}", lab.log);
    lab.delete(None).steady();
    // The sync because of the probe has taken place at once.
    assert_eq!(lab.when("Killing"), ["+13s"], "{}", lab.log);
    let mut lab = Lab::new();
    let probe =
        json!({"readinessProbe": {"httpGet": {"port": 80}, "initialDelaySeconds": 10, "periodSeconds": 1}});
    lab.pod(one(probe)).steady();
    lab.milliseconds(100);
    lab.delete(None).steady();
    assert_eq!(lab.when("Killing"), ["+13.5s"], "{}", lab.log);
}

/// `prober/worker.go`, `doProbe`: it probes what the status manager's status says is running, also if it has ended by now.
#[test]
fn a_probe_of_a_process_that_is_gone_is_refused() {
    let mut lab = Lab::new();
    let probe =
        json!({"readinessProbe": {"httpGet": {"port": 80}, "periodSeconds": 1, "failureThreshold": 1}});
    lab.pod(one(probe)).steady().wait(2);
    lab.milliseconds(600);
    lab.fault("app crashes", crash());
    lab.milliseconds(300);
    assert!(lab.says_ready());
    // The tick comes before the relist.
    let commands = lab.milliseconds(200);
    assert_eq!(commands.first().map(|(at, _)| *at), Some(6.0));
    assert!(!lab.says_ready() && !lab.app_runs());
    let told = lab.events("Unhealthy");
    assert!(told.iter().any(|(_, m, _)| m.ends_with("connect: connection refused")), "{told:?}");
    lab.milliseconds(500);
    assert!(lab.app_runs());
}

/// containerd's `internal/cri/server/container_execsync.go`, and `prober/prober.go`, `probe`: a command for a container that has ended is
/// an error, and nothing is counted.
#[test]
fn a_command_of_a_probe_for_a_process_that_is_gone_gives_no_result() {
    let mut lab = Lab::new();
    let exec = json!({"exec": {"command": ["true"]}, "periodSeconds": 1, "failureThreshold": 1});
    lab.pod(one(json!({"readinessProbe": exec}))).steady().wait(2);
    lab.milliseconds(600);
    lab.fault("app crashes", crash());
    lab.milliseconds(500);
    assert!(lab.says_ready() && !lab.app_runs());
    let told = lab.events("Unhealthy");
    assert!(told.iter().any(|(_, m, _)| m.contains("container is in CONTAINER_EXITED state")), "{told:?}");
}

/// `kubelet.go`, `SyncTerminatingPod`: it reads itself what the runtime has after the last container has stopped.
#[test]
fn how_a_pod_that_is_stopped_has_ended_is_known_without_a_relist() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["metadata"] = json!({"annotations": {"sim.steady/stop-seconds": "0.2"}});
    lab.pod(pod).steady().wait(10).delete(None).steady();
    assert_eq!(lab.when("app: Completed 0").first(), Some(&"+13.2s"), "{}", lab.log);
}
