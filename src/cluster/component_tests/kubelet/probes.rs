//! Probes and hooks over the network: answers that take time, and those that do not come.

use serde_json::{Value, json};

use super::{Lab, one};

fn with(annotations: Value, container: Value) -> Value {
    let mut pod = one(container);
    pod["metadata"]["annotations"] = annotations;
    pod
}

/// `pkg/probe/http/http_test.go`, `TestHTTPProbeChecker`: a probe fails when the client's timeout is over. The words are those of
/// Go's `net/http`, `client.go`, `setRequestCancel`.
#[test]
fn an_answer_that_takes_longer_than_the_timeout_fails_the_probe() {
    let slow = |timeout: i32| {
        let mut lab = Lab::new();
        let probe = json!({"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 5, "timeoutSeconds": timeout});
        lab.pod(with(json!({"sim.steady/answer-seconds": "2"}), json!({"livenessProbe": probe}))).wait(40);
        lab.log
    };
    let log = slow(1);
    let unhealthy = "event Warning Unhealthy spec.containers{app}: Liveness probe failed: Get \"http://10.88.0.2:8080/healthz\": \
                     context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    assert!(log.contains(unhealthy), "{log}");
    assert!(log.contains("Container app failed liveness probe, will be restarted"), "{log}");
    assert!(log.contains("restarts 1"), "{log}");
    let log = slow(2);
    assert!(!log.contains("Unhealthy"), "{log}");
}

/// A probe hears of an annotation that is changed while the container runs.
#[test]
fn a_server_that_becomes_slow_is_not_ready_any_more() {
    let mut lab = Lab::new();
    let probe = json!({"httpGet": {"port": 8080}, "periodSeconds": 5});
    lab.pod(one(json!({"readinessProbe": probe}))).steady();
    assert!(lab.log.contains("app: running ready"), "{}", lab.log);
    lab.annotate("p", json!({"sim.steady/answer-seconds": "1.5"})).steady();
    assert!(lab.log.contains("(x3) spec.containers{app}: Readiness probe failed: Get"), "{}", lab.log);
    assert!(lab.log.contains("-Ready(ContainersNotReady)"), "{}", lab.log);
    lab.annotate("p", json!({"sim.steady/answer-seconds": "1"})).steady();
    assert!(lab.log.trim_end().ends_with("+ContainersReady"), "{}", lab.log);
}

/// `pkg/probe/grpc/grpc.go`, `Probe`: the words of a call that does not end in time, and of a connection that is not opened.
#[test]
fn the_timeout_of_a_grpc_probe() {
    let mut lab = Lab::new();
    let probe = json!({"grpc": {"port": 9000}, "periodSeconds": 5, "timeoutSeconds": 3});
    lab.pod(with(json!({"sim.steady/answer-seconds": "4"}), json!({"livenessProbe": probe}))).wait(10);
    let why = "Liveness probe failed: timeout: health rpc did not complete within 3s";
    assert!(lab.log.contains(why), "{}", lab.log);
    let mut lab = Lab::new();
    lab.pod(with(json!({"sim.steady/listens": "80"}), json!({"livenessProbe": probe}))).wait(10);
    let why = "timeout: failed to connect service \"10.88.0.2:9000\" within 3s: context deadline exceeded";
    assert!(lab.log.contains(why), "{}", lab.log);
}

/// `pkg/probe/tcp/tcp.go`, `DoTCPProbe`: a connection that is opened is enough, and the kernel opens it.
#[test]
fn a_tcp_probe_does_not_wait_for_an_answer() {
    let mut lab = Lab::new();
    let probe = json!({"tcpSocket": {"port": 8080}, "periodSeconds": 5});
    lab.pod(with(json!({"sim.steady/answer-seconds": "10"}), json!({"livenessProbe": probe}))).wait(30);
    assert!(!lab.log.contains("Unhealthy"), "{}", lab.log);
}

/// `pkg/kubelet/lifecycle/handlers.go`, `runHTTPHandler`; `kuberuntime_container.go`, `startContainer`.
#[test]
fn a_post_start_hook_waits_for_the_answer_whatever_it_is() {
    let started = |annotations: Value, hook: Value| {
        let mut lab = Lab::new();
        lab.pod(with(annotations, json!({"lifecycle": {"postStart": {"httpGet": hook}}}))).wait(8);
        lab.log
    };
    let slow = json!({"sim.steady/answer-seconds": "4", "sim.steady/answer-status": "500"});
    let log = started(slow, json!({"port": 8080, "path": "/warm"}));
    // The sandbox takes a second, the image two, and the hook four: before its end the pod's status is not written.
    assert!(log.contains("+7s") && log.contains("app: running ready"), "{log}");
    assert!(!log.contains("Failed"), "{log}");
    let log = started(json!({"sim.steady/listens": "80"}), json!({"port": 8080}));
    assert!(
        log.contains("event Warning FailedPostStartHook spec.containers{app}: PostStartHook failed"),
        "{log}"
    );
    assert!(log.contains("event Normal Killing spec.containers{app}: FailedPostStartHook"), "{log}");
}

/// `handlers_test.go`, `TestRunHandlerHttpsFailureFallback`
#[test]
fn a_hook_over_tls_falls_back_to_http() {
    let mut lab = Lab::new();
    let hook = json!({"postStart": {"httpGet": {"port": 80, "scheme": "HTTPS"}}});
    lab.pod(one(json!({"image": "nginx:1.27", "lifecycle": hook}))).steady();
    let event = "event Warning LifecycleHTTPFallback -: request to HTTPS lifecycle hook 10.88.0.2:80 got HTTP response, \
                 retry with HTTP succeeded";
    assert!(lab.log.contains(event), "{}", lab.log);
    assert!(lab.log.contains("app: running ready"), "{}", lab.log);
}

/// `kuberuntime_container.go`, `executePreStopHook`; `types.go`: the handler `tcpSocket` fails when it is run.
#[test]
fn a_pre_stop_hook_that_reaches_nobody_fails() {
    for hook in [json!({"httpGet": {"port": 1, "path": "/bye"}}), json!({"tcpSocket": {"port": 80}})] {
        let mut lab = Lab::new();
        let container = json!({"lifecycle": {"preStop": hook}});
        lab.pod(with(json!({"sim.steady/listens": "80"}), container)).steady().delete(None).steady();
        let event = "event Warning FailedPreStopHook spec.containers{app}: PreStopHook failed";
        assert!(lab.log.contains(event), "{}", lab.log);
    }
}

/// The time of the answer is taken from the grace period.
#[test]
fn a_pre_stop_hook_waits_for_its_answer() {
    let mut lab = Lab::new();
    let container = json!({"lifecycle": {"preStop": {"httpGet": {"port": 80}}}});
    lab.pod(with(json!({"sim.steady/answer-seconds": "7"}), container)).steady();
    let deleted = lab.cluster.now();
    lab.delete(None).steady();
    assert_eq!(lab.cluster.now().duration_since(deleted).as_secs(), 8, "{}", lab.log);
    assert!(!lab.log.contains("FailedPreStopHook"), "{}", lab.log);
}

/// `pkg/kubelet/prober/prober.go`, `probe`: the words about a probe that could not be run; `worker.go`, `doProbe`: its result is
/// thrown away. The runtime's words, with containerd 2: prometheus-operator/prometheus-operator#8605.
#[test]
fn a_command_that_the_image_does_not_have_gives_a_probe_no_answer() {
    let run = |image: &str, command: &str, which: &str| {
        let mut lab = Lab::new();
        let probe = json!({"exec": {"command": [command]}, "periodSeconds": 5, "failureThreshold": 1});
        let keeps = if image == "busybox" { json!(["sleep", "1000"]) } else { Value::Null };
        lab.pod(one(json!({"image": image, "args": keeps, which: probe}))).steady().wait(60);
        lab.log
    };
    let errored = |which: &str, command: &str, log: &str| {
        let begins = format!(
            "event Warning Unhealthy spec.containers{{app}}: {which} probe errored and resulted in unknown state: rpc error: code = \
             Unknown desc = failed to exec in container: failed to start exec \""
        );
        let ends = format!(
            "\": OCI runtime exec failed: exec failed: unable to start container process: exec: \"{command}\": executable file \
             not found in $PATH"
        );
        log.lines().any(|line| line.contains(&begins) && line.ends_with(&ends))
    };
    for (image, command) in
        [("busybox", "curl"), ("registry.k8s.io/pause:3.10", "cat"), ("gcr.io/distroless/static", "sh")]
    {
        let log = run(image, command, "readinessProbe");
        assert!(errored("Readiness", command, &log), "{image}: {log}");
        assert!(!log.contains("app: running ready"), "{image}: {log}");
        let log = run(image, command, "livenessProbe");
        assert!(errored("Liveness", command, &log), "{image}: {log}");
        assert!(log.contains("app: running ready") && !log.contains("restarts 1"), "{image}: {log}");
        let log = run(image, command, "startupProbe");
        assert!(errored("Startup", command, &log), "{image}: {log}");
        assert!(!log.contains("app: running ready") && !log.contains("restarts 1"), "{image}: {log}");
    }
    // Nobody knows which programs other images have.
    let log = run("team/app:1", "check", "readinessProbe");
    assert!(log.contains("app: running ready") && !log.contains("Unhealthy"), "{log}");
}

/// The same command finds the same as that of `kubectl exec`, and a script can be written later.
#[test]
fn a_probe_finds_a_script_that_the_container_writes_later() {
    let mut lab = Lab::new();
    let script = "sleep 12; printf '#!/bin/sh\nexit 0\n' > /tmp/check; chmod +x /tmp/check; sleep 1000";
    let probe = json!({"exec": {"command": ["/tmp/check"]}, "periodSeconds": 5});
    let container = json!({"image": "busybox", "command": ["sh", "-c", script], "readinessProbe": probe});
    lab.pod(one(container)).steady();
    let missing = "exec: \"/tmp/check\": stat /tmp/check: no such file or directory";
    assert!(lab.log.contains(missing), "{}", lab.log);
    assert!(lab.log.contains("app: running ready"), "{}", lab.log);
}
