//! Pods that are stuck and may recover: images, probes, configuration, crash loops.

use serde_json::json;

use super::{Lab, one};
use crate::api::{Key, Kind};
use crate::apimachinery::{Request, Verb};
use crate::kubelet::{KubeletFault, ProbeType};

macro_rules! timeline {
    ($lab:expr) => {
        insta::assert_snapshot!($lab.log)
    };
}

/// `kuberuntime_manager.go`, `doBackOff`; `kubelet.go`: from 10 s up to `MaxCrashLoopBackOff`, which are five minutes.
#[test]
fn crash_loop_is_steady_when_its_back_off_is_at_its_longest() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"command": ["sh", "-c", "sleep 1; exit 1"]}))).steady();
    timeline!(lab);
}

/// `pod_workers.go`, `completeWork`: a pod that backs off is looked at when that is over, and once a minute until then.
#[test]
fn a_restart_after_the_longest_back_off_is_on_time_whatever_else_time_passes_for() {
    let mut lab = Lab::new();
    let mut loops = one(json!({"command": ["sh", "-c", "exit 1"]}));
    loops["spec"]["activeDeadlineSeconds"] = 1200.into();
    lab.pod(loops).steady();
    timeline!(lab);
}

#[test]
fn time_passes_to_the_next_restart_of_a_crash_loop_if_somebody_lets_it() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"command": ["sh", "-c", "exit 1"]}))).steady();
    let restarts =
        |lab: &Lab| lab.get().status.as_ref().unwrap().container_statuses.as_ref().unwrap()[0].restart_count;
    assert_eq!((restarts(&lab), lab.cluster.clock().next()), (6, None));
    let due = lab.cluster.clock().next_by_itself().unwrap().0;
    while restarts(&lab) == 6 {
        let mut search = crate::cluster::Search::new(None).to_schedule();
        search.advance(&mut lab.cluster, usize::MAX).unwrap().unwrap();
    }
    assert_eq!(lab.cluster.now().as_second(), due.as_second());
}

/// `images/image_manager.go`, `pullImage`: a pull that failed backs off, and each sync meanwhile says `BackOff`.
#[test]
fn an_image_that_cannot_be_pulled_and_then_can() {
    let mut lab = Lab::new();
    let image = |pullable| KubeletFault::Image { image: "team/app:1".into(), pullable, message: "".into() };
    lab.fault("the image is gone", image(false))
        .pod(one(json!({})))
        .wait(25)
        .fault("the image is back", image(true))
        .steady();
    timeline!(lab);
}

/// `images/image_manager.go`, `pullImage`; `kubelet.go`: from `imageBackOffPeriod`, 10 s, up to `MaxImageBackOff`.
#[test]
fn an_image_that_is_never_there_is_steady() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"image": "team/app:missing"}))).steady();
    timeline!(lab);
}

/// `images/image_manager.go`, `pullImage`: the events. containerd's `core/remotes/docker/resolver.go`, `Resolve`: the access to a
/// repository that does not exist is denied.
#[test]
fn an_official_image_that_does_not_exist_is_steady_until_it_is_declared() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"image": "ngnix:1.27"}))).steady().say("the image is declared");
    let labels = json!({"sim.steady/images": ""});
    let images = json!({"metadata": {"name": "images", "labels": labels}, "data": {"mine": "ngnix"}});
    lab.create(Kind::CONFIG_MAP, images).steady();
    timeline!(lab);
}

#[test]
fn an_annotation_says_that_an_image_exists() {
    let mut lab = Lab::new();
    let mut pod = one(json!({"image": "ngnix:1.27"}));
    pod["metadata"] = json!({"annotations": {"sim.steady/image-pull": "exists"}});
    lab.pod(pod).steady();
    timeline!(lab);
}

/// `kuberuntime_sandbox.go`, `createPodSandbox`. containerd's `internal/cri/server/sandbox_run.go`, `RunPodSandbox`, and
/// `internal/cri/config/config.go`: the words about a handler that is not configured.
#[test]
fn a_container_runtime_that_the_node_does_not_have_and_then_has() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["spec"]["runtimeClassName"] = "sandboxed".into();
    lab.create(Kind::RUNTIME_CLASS, json!({"metadata": {"name": "sandboxed"}, "handler": "runsc"}))
        .pod(pod)
        .steady()
        .annotate_node(json!({"sim.steady/runtime-handlers": "kata, runsc"}))
        .steady();
    timeline!(lab);
}

/// `runtimeclass/runtimeclass_manager.go`, `LookupRuntimeHandler`: the class is looked up when the sandbox is made.
#[test]
fn a_runtime_class_that_is_deleted_before_its_pod_starts() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["spec"]["runtimeClassName"] = "plain".into();
    let class = json!({"metadata": {"name": "plain"}, "handler": "runc"});
    lab.create(Kind::RUNTIME_CLASS, class.clone()).pod(pod);
    let delete = Request::new(&"me".into(), Verb::Delete, Kind::RUNTIME_CLASS, Key::new("", "plain"));
    assert_eq!(lab.cluster.request(&delete).0.code(), 200);
    lab.steady().say("the class is there again").create(Kind::RUNTIME_CLASS, class).steady();
    timeline!(lab);
}

/// `pkg/probe/http/http.go`, `DoHTTPProbe`: the words. `status/generate.go`, `GenerateContainersReadyCondition`: a container that
/// is not ready makes its pod so.
#[test]
fn readiness_that_never_comes() {
    let mut lab = Lab::new();
    let mut pod =
        one(json!({"readinessProbe": {"httpGet": {"port": 80}, "periodSeconds": 10, "failureThreshold": 3}}));
    pod["metadata"] = json!({"annotations": {"sim.steady/ready": "false"}});
    lab.pod(pod).steady();
    timeline!(lab);
}

/// `prober/worker.go`, `doProbe`: `initialDelaySeconds`, and as many failures in a row as `failureThreshold` says.
#[test]
fn readiness_after_a_while_lost_and_found() {
    let mut lab = Lab::new();
    let mut pod = one(json!({"readinessProbe": {
        "tcpSocket": {"port": "web"}, "initialDelaySeconds": 3, "periodSeconds": 5, "failureThreshold": 2,
    }, "ports": [{"name": "web", "containerPort": 8080}]}));
    pod["metadata"] = json!({"annotations": {"sim.steady/ready-after-seconds": "12"}});
    let probe = |failing| KubeletFault::FailProbe {
        pod: Key::new("default", "p"),
        container: "app".into(),
        probe: ProbeType::Readiness,
        failing,
    };
    lab.pod(pod)
        .steady()
        .fault("readiness fails", probe(true))
        .steady()
        .fault("readiness passes", probe(false))
        .steady();
    timeline!(lab);
}

/// `kuberuntime_manager.go`, `computePodActions`: a container whose liveness probe has failed is killed and started again.
#[test]
fn liveness_restarts_the_container() {
    let mut lab = Lab::new();
    let mut pod =
        one(json!({"livenessProbe": {"httpGet": {"port": 80}, "periodSeconds": 5, "failureThreshold": 2}}));
    pod["metadata"] = json!({"annotations": {"sim.steady/live-for-seconds": "12"}});
    lab.pod(pod).wait(100);
    timeline!(lab);
}

/// `prober/worker.go`, `doProbe`: other probes wait until the container has started.
#[test]
fn a_startup_probe_protects_a_slow_start() {
    let mut lab = Lab::new();
    let mut pod = one(json!({
        "startupProbe": {"exec": {"command": ["check"]}, "periodSeconds": 5, "failureThreshold": 10},
        "livenessProbe": {"exec": {"command": ["check"]}, "periodSeconds": 2, "failureThreshold": 1},
        "readinessProbe": {"exec": {"command": ["check"]}, "periodSeconds": 2},
    }));
    pod["metadata"] = json!({"annotations": {"sim.steady/ready-after-seconds": "20"}});
    lab.pod(pod).steady();
    timeline!(lab);
}

/// `kuberuntime_manager.go`, `computePodActions`; `kuberuntime_container.go`, `setTerminationGracePeriod`: the grace period of
/// the probe that failed comes first.
#[test]
fn a_startup_probe_that_gives_up() {
    let mut lab = Lab::new();
    let mut pod = one(json!({
        "startupProbe": {"grpc": {"port": 9}, "periodSeconds": 5, "failureThreshold": 2, "terminationGracePeriodSeconds": 3},
    }));
    pod["metadata"] = json!({"annotations": {
        "sim.steady/ready-after-seconds": "60", "sim.steady/ignores-sigterm": "true",
    }});
    lab.pod(pod).wait(40);
    timeline!(lab);
}

/// `pkg/volume/configmap/configmap.go`, `SetUpAt`; `pkg/volume/util/operationexecutor/operation_generator.go`,
/// `GenerateMountVolumeFunc`: the event.
#[test]
fn a_missing_config_map_volume() {
    let mut lab = Lab::new();
    let mut pod = one(json!({"volumeMounts": [{"name": "cfg", "mountPath": "/etc/cfg"}]}));
    pod["spec"]["volumes"] = json!([{"name": "cfg", "configMap": {"name": "settings"}}]);
    lab.pod(pod)
        .steady()
        .say("the ConfigMap is made")
        .create(Kind::CONFIG_MAP, json!({"metadata": {"name": "settings"}}))
        .steady();
    timeline!(lab);
}

/// `kubelet_pods.go`, `makeEnvironmentVariables`: the words. `kuberuntime_container.go`, `startContainer`: the reason
/// `CreateContainerConfigError`.
#[test]
fn a_missing_secret_key_in_the_environment() {
    let mut lab = Lab::new();
    lab.create(Kind::SECRET, json!({"metadata": {"name": "db"}, "data": {}}));
    lab.pod(one(json!({"env": [
        {"name": "P", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
    ]})))
    .steady();
    timeline!(lab);
}

/// `status/generate.go`, `GeneratePodReadyCondition`: the condition of a gate that nobody has set is missing (KEP-580).
#[test]
fn a_readiness_gate() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    pod["spec"]["readinessGates"] = json!([{"conditionType": "example.test/gate"}]);
    lab.pod(pod).steady();
    timeline!(lab);
}

/// `lifecycle/predicate.go`, `Admit`, and `Error` of `InsufficientResourceError`.
#[test]
fn a_pod_that_does_not_fit_is_rejected() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"resources": {"requests": {"cpu": "5"}}}))).steady();
    timeline!(lab);
}

/// `kubelet_pods.go`, `getPullSecretsForPod`
#[test]
fn a_missing_secret_for_pulls_is_told_and_the_pull_goes_on() {
    let mut lab = Lab::new();
    lab.create(crate::api::Kind::SECRET, json!({"metadata": {"name": "there"}}));
    let mut pod = one(json!({}));
    pod["spec"]["imagePullSecrets"] = json!([{"name": "one"}, {"name": "there"}, {"name": "two"}]);
    lab.pod(pod).steady();
    let event = "event Warning FailedToRetrieveImagePullSecret -: Unable to retrieve some image pull secrets (one, two); \
                 attempting to pull the image may not succeed.";
    assert!(lab.log.contains(event), "{}", lab.log);
    assert!(lab.log.contains("app: running ready"), "{}", lab.log);
    assert_eq!(lab.events("FailedToRetrieveImagePullSecret").len(), 1);
}

/// `image_manager.go`, `EnsureImageExists`: each sync while the pull backs off is told of, every 10 s (`pod_workers.go`,
/// `completeWork`). client-go's `events_cache.go`: 25 events of each type about a pod pass, then one in five minutes, with its full count. So `kubectl describe` of such a pod says `Pulling (x4 over 15m)` and `BackOff (x60 over 15m)`.
#[test]
fn an_image_that_backs_off_is_told_of_again_and_again() {
    let mut lab = Lab::new();
    lab.pod(one(json!({"image": "team/app:missing"})));
    // What is due in the background is met at the end of each wait.
    for _ in 0..90 {
        lab.wait(10);
    }
    let count = |reason: &str, message: &str| {
        lab.events(reason).iter().filter(|(_, m, _)| m.contains(message)).map(|(.., n)| *n).max().unwrap_or(0)
    };
    let (pulling, back_off) = (count("Pulling", ""), count("BackOff", ""));
    assert!(
        (4..=5).contains(&pulling) && back_off >= 40,
        "pulling {pulling}, back-off {back_off}\n{}",
        lab.log
    );
    assert!((15..60).contains(&count("Failed", "Error: ImagePullBackOff")), "{}", lab.log);
}

/// `network/dns/dns.go`, `formDNSConfigFitsLimits`; `kuberuntime_sandbox.go`, `generatePodSandboxConfig`, which `SyncPod` calls for the sandbox
/// and for the containers in it.
#[test]
fn servers_and_domains_beyond_the_limits_of_a_resolver_are_left_out() {
    let mut lab = Lab::new();
    let mut pod = one(json!({}));
    let searches: Vec<String> = (0..30).map(|n| format!("d{n}.example.com")).collect();
    pod["spec"]["dnsConfig"] =
        json!({"nameservers": ["10.0.0.1", "10.0.0.2", "10.0.0.3"], "searches": searches});
    lab.pod(pod).steady();
    let events = lab.events("DNSConfigForming");
    let said = |begin: &str| events.iter().find(|(_, m, _)| m.starts_with(begin)).cloned().unwrap();
    let (_, message, count) = said("Nameserver limits");
    assert_eq!(
        (message.as_str(), count),
        (
            "Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.96.0.10 10.0.0.1 10.0.0.2",
            2
        )
    );
    let (_, message, count) = said("Search Line limits");
    assert!(
        message.contains("is: default.svc.cluster.local svc.cluster.local cluster.local d0.example.com "),
        "{message}"
    );
    assert!(message.ends_with(" d28.example.com"), "{message}");
    assert_eq!((events.len(), count), (2, 2));
}

/// `images/image_manager.go`, `pullImage`: the back-off is of a pod and an image, and a pull that succeeds does not end it
/// (`backOff.GC`, which forgets it ten minutes after the last failure).
#[test]
fn containers_with_the_same_image_wait_together() {
    let mut lab = Lab::new();
    let mut pod = one(json!({"image": "team/app:missing"}));
    let containers = pod["spec"]["containers"].as_array_mut().unwrap();
    let beside = json!({"name": "beside", "image": "team/app:missing"});
    containers.push(beside);
    lab.pod(pod).wait(8);
    let reasons = |lab: &Lab| {
        let pod = lab.pod_named("p");
        let all = pod.status.as_ref().unwrap().container_statuses.iter().flatten();
        let reason =
            |s: &crate::api::types::ContainerStatus| s.state.as_ref()?.waiting.as_ref()?.reason.clone();
        all.filter_map(reason).collect::<Vec<_>>()
    };
    assert_eq!(lab.events("Pulling").len(), 1, "{}", lab.log);
    assert!(reasons(&lab).iter().all(|r| r == "ImagePullBackOff" || r == "ErrImagePull"), "{}", lab.log);
    let pulls = lab.log.matches("Pulling image").count();
    assert_eq!(pulls, 1, "{}", lab.log);
}
