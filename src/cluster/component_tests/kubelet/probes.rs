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

/// A probe hears of an annotation that is changed while the container runs. `pkg/probe/http/http.go`, `New` and `DoHTTPProbe`:
/// the probe's timeout, by default one second; `prober/worker.go`, `doProbe`: three failures in a row.
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

/// `pkg/kubelet/lifecycle/handlers.go`, `Run`: the message of the status; `kuberuntime_container.go`, `startContainer`: the event
/// does not have it.
#[test]
fn a_failed_post_start_hook_says_why_in_the_status() {
    let message = |annotations: Value, container: Value| {
        let mut lab = Lab::new();
        let mut pod = with(annotations, container);
        pod["spec"]["terminationGracePeriodSeconds"] = 2.into();
        lab.pod(pod);
        for _ in 0..30 {
            lab.wait(1);
            let pod = lab.get();
            let status =
                pod.status.as_ref().and_then(|s| s.container_statuses.as_ref()?.first()?.state.clone());
            let waiting =
                status.and_then(|s| s.waiting).filter(|w| w.reason.as_deref() == Some("PostStartHookError"));
            if let Some(waiting) = waiting {
                assert!(!lab.log.contains("lifecycle hook ("), "{}", lab.log);
                return waiting.message.unwrap().replace(pod.metadata.uid.as_deref().unwrap(), "UID");
            }
        }
        panic!("{}", lab.log)
    };
    let exec = |command: Value| json!({"image": "busybox", "args": ["sleep", "1000"], "lifecycle": {"postStart": {"exec": {"command": command}}}});
    let of = "for Container \"app\" in Pod \"p_default(UID)\" failed - error:";
    assert_eq!(
        message(json!({}), exec(json!(["sh", "-c", "echo out; echo err >&2; exit 3"]))),
        format!(
            "Exec lifecycle hook ([sh -c echo out; echo err >&2; exit 3]) {of} command 'sh -c echo out; echo err >&2; exit 3' \
             exited with 3: err\n, message: \"out\\nerr\\n\""
        )
    );
    let missing = message(json!({}), exec(json!(["curl"])));
    let begins = format!(
        "Exec lifecycle hook ([curl]) {of} rpc error: code = Unknown desc = failed to exec in container:"
    );
    assert!(
        missing.starts_with(&begins)
            && missing.ends_with("executable file not found in $PATH, message: \"\""),
        "{missing}"
    );
    let http = |port: Value| json!({"lifecycle": {"postStart": {"httpGet": {"port": port, "path": "warm"}}}});
    assert_eq!(
        message(json!({"sim.steady/listens": "80"}), http(json!(8080))),
        format!(
            "HTTP lifecycle hook (warm) {of} Get \"http://10.88.0.2:8080/warm\": dial tcp 10.88.0.2:8080: connect: connection refused"
        )
    );
    assert_eq!(
        message(json!({}), http(json!("web"))),
        format!("HTTP lifecycle hook (warm) {of} strconv.Atoi: parsing \"web\": invalid syntax")
    );
}

/// `pkg/probe/util.go`, `ResolveContainerPort`; `prober.go`, `probe`: an event without a result.
#[test]
fn a_named_port_that_the_container_does_not_have_gives_a_probe_no_answer() {
    let error = "probe errored and resulted in unknown state: strconv.Atoi: parsing \"web\": invalid syntax";
    for handler in [json!({"httpGet": {"port": "web"}}), json!({"tcpSocket": {"port": "web"}})] {
        let with = |which: &str| {
            let mut probe = handler.clone();
            probe["periodSeconds"] = 5.into();
            let mut lab = Lab::new();
            lab.pod(one(json!({"ports": [{"name": "http", "containerPort": 80}], which: probe})))
                .steady()
                .wait(30);
            lab.log
        };
        let log = with("readinessProbe");
        assert!(log.contains(&format!("Readiness {error}")) && !log.contains("app: running ready"), "{log}");
        let log = with("livenessProbe");
        assert!(log.contains(&format!("Liveness {error}")) && !log.contains("restarts 1"), "{log}");
        let log = with("startupProbe");
        assert!(log.contains(&format!("Startup {error}")) && !log.contains("restarts 1"), "{log}");
    }
}

/// `pkg/kubelet/prober/worker.go`, `doProbe`: a pod that is being deleted is asked for its readiness until its containers have
/// ended; its liveness and startup probes end.
#[test]
fn readiness_probes_go_on_while_a_pod_ends() {
    let probe =
        |file: &str| json!({"exec": {"command": ["cat", file]}, "periodSeconds": 2, "failureThreshold": 2});
    let mut lab = Lab::new();
    lab.pod(one(json!({
        "image": "busybox",
        "command": ["sh", "-c", "touch /tmp/ready /tmp/live; trap 'rm /tmp/ready /tmp/live; sleep 9; exit 0' TERM; while true; do sleep 1; done"],
        "readinessProbe": probe("/tmp/ready"),
        "livenessProbe": probe("/tmp/live"),
    })))
    .steady();
    assert!(lab.log.contains("app: running ready"), "{}", lab.log);
    lab.delete(None).steady();
    let after = lab.log.split("-- the pod is deleted").nth(1).unwrap();
    assert!(after.contains("Readiness probe failed: cat: can't open '/tmp/ready'"), "{after}");
    assert!(
        after.contains("app: running started | ") && after.contains("-Ready(ContainersNotReady)"),
        "{after}"
    );
    assert!(!after.contains("Liveness"), "{after}");
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

/// The time of the answer is taken from the grace period. `kuberuntime_container.go`, `killContainer`.
#[test]
fn a_pre_stop_hook_waits_for_its_answer() {
    let mut lab = Lab::new();
    let container = json!({"lifecycle": {"preStop": {"httpGet": {"port": 80}}}});
    lab.pod(with(json!({"sim.steady/answer-seconds": "7"}), container)).steady().wait(10);
    lab.delete(None).steady();
    // The answer, the end of the process, and the relist before the object goes.
    let stopped = lab.log.lines().find(|l| l.contains("Succeeded")).unwrap();
    assert!(lab.log.contains("+13s   -- the pod is deleted") && stopped.starts_with("+21s "), "{}", lab.log);
    assert!(!lab.log.contains("FailedPreStopHook"), "{}", lab.log);
}

/// The Dockerfiles of the official images leave `/tmp` empty, and these servers write nothing there (docs/behaviour.md).
#[test]
fn a_file_that_nobody_has_written_is_not_in_the_tmp_of_a_known_server() {
    let ready = |image: &str, file: &str| {
        let mut lab = Lab::new();
        let probe = json!({"exec": {"command": ["cat", file]}, "periodSeconds": 5});
        lab.pod(one(json!({"image": image, "readinessProbe": probe}))).steady();
        lab.log
    };
    let log = ready("nginx:1.28", "/tmp/none");
    assert!(log.contains("Readiness probe failed: cat: /tmp/none: No such file or directory"), "{log}");
    assert!(!log.contains("app: running ready"), "{log}");
    for (image, file) in [("nginx:1.28", "/usr/share/somewhere"), ("team/app:1", "/tmp/none")] {
        assert!(ready(image, file).contains("app: running ready"), "{image} {file}");
    }
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

/// The same command finds the same as that of `kubectl exec`, and a script can be written later. The words are those of Go's
/// `exec.LookPath`, which runc asks (`libcontainer/setns_init_linux.go`, `Init`).
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

/// `pkg/kubelet/prober/prober.go`, `runProbe`: variables that say their value stand for it in a probe's command
/// (`ExpandContainerCommandOnlyStatic`).
#[test]
fn variables_stand_in_the_command_of_a_probe() {
    let ready = |file: &str| {
        let mut lab = Lab::new();
        let probe = json!({"exec": {"command": ["cat", "$(FILE)"]}, "periodSeconds": 5});
        let env = json!([{"name": "FILE", "value": file}]);
        lab.pod(one(
            json!({"image": "busybox", "args": ["sleep", "1000"], "env": env, "readinessProbe": probe}),
        ))
        .steady();
        lab.log.contains("app: running ready")
    };
    assert_eq!((ready("/etc/hosts"), ready("/etc/none")), (true, false));
}

/// `pkg/kubelet/prober/worker.go`, `doProbe`: what a worker has counted outlives the container, but for a failure that ended it.
#[test]
fn a_worker_goes_on_counting_after_a_restart() {
    let mut lab = Lab::new();
    let probe = json!({"tcpSocket": {"port": 80}, "periodSeconds": 5, "failureThreshold": 3});
    // Two failures, the end, and a third failure in the next instance.
    let pod = with(
        json!({"sim.steady/listens": "81", "sim.steady/run-seconds": "12", "sim.steady/exit-code": "1"}),
        json!({"livenessProbe": probe}),
    );
    lab.pod(pod).wait(20);
    assert!(lab.log.contains("Container app failed liveness probe, will be restarted"), "{}", lab.log);
}

/// `kuberuntime_manager.go`, `doBackOff`: a container that was stopped because its postStart hook had failed waits like any other that ended,
/// because another sync starts it.
#[test]
fn a_container_whose_post_start_hook_fails_backs_off() {
    let mut lab = Lab::new();
    let hook = json!({"postStart": {"exec": {"command": ["false"]}}});
    let mut pod = one(json!({"image": "busybox", "args": ["sleep", "1000"], "lifecycle": hook}));
    pod["spec"]["terminationGracePeriodSeconds"] = 1.into();
    lab.pod(pod).wait(60);
    let starts: Vec<&str> = lab
        .log
        .lines()
        .filter(|l| l.contains(" Started "))
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    // The first sync fails when the container has been stopped, and the next one begins with the relist after that (`GetNewerThan`); then 10 s and
    // 20 s after the end.
    assert_eq!(starts, ["+3s", "+5.5s", "+17.5s", "+39.5s"], "{}", lab.log);
}

/// `pkg/probe/http/http.go`, `RedirectChecker` and `DoHTTPProbe`: redirects to the host that was asked are followed, ten requests at most;
/// one to another host, or to nowhere, is well, and warned of. `prober/prober.go`, `probe`: `ProbeWarning`.
#[test]
fn a_probe_follows_redirects_to_its_host_and_warns_of_others() {
    let probed = |path: &str| {
        let mut lab = Lab::new();
        let conf = "server { listen 80; location /old { return 301 /new; } location /new { return 200 'well'; } \
                    location /away { return 302 https://example.com/; } location /round { return 301 /round; } \
                    location /gone { return 302 /missing; } location /missing { return 404; } }";
        lab.create(
            crate::api::Kind::CONFIG_MAP,
            json!({"metadata": {"name": "conf"}, "data": {"default.conf": conf}}),
        );
        let probe = json!({"httpGet": {"path": path, "port": 80}, "periodSeconds": 5});
        let mount = json!({"name": "conf", "mountPath": "/etc/nginx/conf.d"});
        let mut pod = one(json!({"image": "nginx:1.29", "readinessProbe": probe, "volumeMounts": [mount]}));
        pod["spec"]["volumes"] = json!([{"name": "conf", "configMap": {"name": "conf"}}]);
        lab.pod(pod).wait(20);
        lab
    };
    let lab = probed("/old");
    assert!(lab.log.contains("app: running ready") && !lab.log.contains("probe"), "{}", lab.log);
    let lab = probed("/away");
    let warned = lab.events("ProbeWarning");
    assert!(lab.log.contains("app: running ready"), "{}", lab.log);
    assert!(
        warned[0].1.starts_with("Readiness probe warning: Probe terminated redirects, Response body: <html>"),
        "{warned:?}"
    );
    assert!(warned[0].2 >= 2, "{warned:?}");
    let failed = |path: &str| probed(path).events("Unhealthy")[0].1.clone();
    let round = failed("/round");
    assert!(round.ends_with("/round\": stopped after 10 redirects"), "{round}");
    assert_eq!(failed("/gone"), "Readiness probe failed: HTTP probe failed with statuscode: 404");
}
