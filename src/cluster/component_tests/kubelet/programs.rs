//! What containers with well-known manifests do.

use serde_json::{Value, json};

use super::{Lab, one};
use crate::api::Kind;
use crate::kubelet::State;

/// What the containers of the pods have printed until now, current instances.
pub(super) fn logs(lab: &Lab) -> String {
    logs_of(lab, "")
}

/// The same of the pods whose names begin so.
pub(super) fn logs_of(lab: &Lab, name: &str) -> String {
    let kubelet = lab.cluster.processes().nth(2).unwrap();
    let state = kubelet.components[0].state().downcast_ref::<State>().unwrap();
    let mut out = String::new();
    let pods = state.pods.iter().filter(|(key, _)| key.name.starts_with(name));
    for c in pods.flat_map(|(_, rt)| &rt.containers) {
        let process = c.running().map(|r| &r.process).or(c.exited().map(|e| &e.process));
        let end = c.exited().map_or(lab.cluster.now(), |e| e.finished.min(lab.cluster.now()));
        for o in process.into_iter().flatten().flat_map(|p| p.output(end)) {
            out.push_str(&o.text);
        }
    }
    out
}

fn config_map(lab: &mut Lab, data: Value) {
    lab.create(Kind::CONFIG_MAP, json!({"metadata": {"name": "config"}, "data": data}));
}

/// `pods/probe/exec-liveness.yaml` of Kubernetes' documentation.
#[test]
fn the_liveness_example() {
    let mut lab = Lab::new();
    lab.pod(one(json!({
        "image": "registry.k8s.io/busybox:1.27.2",
        "args": ["/bin/sh", "-c", "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"],
        "livenessProbe": {"exec": {"command": ["cat", "/tmp/healthy"]}, "initialDelaySeconds": 5, "periodSeconds": 5},
    })))
    .wait(100);
    let unhealthy = "event Warning Unhealthy spec.containers{app}: Liveness probe failed: cat: can't open '/tmp/healthy': No such file or directory";
    assert!(lab.log.contains(unhealthy), "{}", lab.log);
    assert!(lab.log.contains("Container app failed liveness probe, will be restarted"), "{}", lab.log);
    assert!(lab.log.contains("before Error 137, restarts 1"), "{}", lab.log);
}

/// `pods/probe/http-liveness.yaml` of Kubernetes' documentation.
#[test]
fn the_http_liveness_example() {
    let mut lab = Lab::new();
    lab.pod(one(json!({
        "image": "registry.k8s.io/e2e-test-images/agnhost:2.40",
        "args": ["liveness"],
        "livenessProbe": {
            "httpGet": {"path": "/healthz", "port": 8080, "httpHeaders": [{"name": "Custom-Header", "value": "Awesome"}]},
            "initialDelaySeconds": 3, "periodSeconds": 3,
        },
    })))
    .wait(60);
    let unhealthy = "event Warning Unhealthy spec.containers{app}: Liveness probe failed: HTTP probe failed with statuscode: 500";
    assert!(lab.log.contains(unhealthy), "{}", lab.log);
    assert!(lab.log.contains("Container app failed liveness probe, will be restarted"), "{}", lab.log);
    assert!(lab.log.contains("restarts 2"), "{}", lab.log);
}

/// kubernetes.io/docs/concepts/workloads/pods/init-containers, "Init containers in use". BusyBox' `networking/nslookup.c`: the
/// words.
#[test]
fn an_init_container_waits_for_a_service() {
    let mut lab = Lab::new();
    lab.pod(json!({"spec": {
        "initContainers": [{"name": "wait", "image": "busybox:1.28", "command": ["sh", "-c",
            "until nslookup myservice.$(cat /etc/ns).svc.cluster.local; do echo waiting for myservice; sleep 2; done"],
            "volumeMounts": [{"name": "d", "mountPath": "/etc/ns", "subPath": "ns"}]}],
        "containers": [{"name": "app", "image": "busybox:1.28", "command": ["sh", "-c", "echo The app is running! && sleep 3600"]}],
        "volumes": [{"name": "d", "downwardAPI": {"items": [
            {"path": "ns", "fieldRef": {"fieldPath": "metadata.namespace"}}]}}],
    }}))
    .steady();
    lab.wait(7);
    assert!(!lab.log.contains("app: running"), "{}", lab.log);
    let waiting = "nslookup: can't resolve 'myservice.default.svc.cluster.local'\nwaiting for myservice\n";
    assert!(logs(&lab).contains(waiting), "{}", logs(&lab));
    lab.create(
        Kind::SERVICE,
        json!({"metadata": {"name": "myservice"}, "spec": {"ports": [{"port": 80, "targetPort": 9376}]}}),
    );
    lab.steady();
    assert!(lab.log.contains("wait: Completed 0 ready | app: running ready"), "{}", lab.log);
    assert!(logs(&lab).ends_with("The app is running!\n"), "{}", logs(&lab));
}

/// `kubelet_pods.go`, `makeEnvironmentVariables`; `third_party/forked/golang/expansion/expand.go`, `Expand`;
/// `pkg/fieldpath/fieldpath.go`, `FormatMap`: the file of the labels.
#[test]
fn environment_and_files() {
    let mut lab = Lab::new();
    config_map(&mut lab, json!({"key": "value", "file.txt": "one\ntwo\n"}));
    let pod = json!({
        "metadata": {"labels": {"app": "demo"}},
        "spec": {
            "restartPolicy": "Never",
            "containers": [{
                "name": "app", "image": "busybox",
                "command": ["sh", "-c", "echo $A $B $C $LIMIT; echo '$(GREETING) $(NOT_THERE) $$(A)'; ls /config; cat /config/file.txt /labels; wc -l < /config/file.txt"],
                "env": [
                    {"name": "A", "value": "a"},
                    {"name": "B", "value": "$(A)-b"},
                    {"name": "GREETING", "value": "hello"},
                    {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "config", "key": "key"}}},
                    {"name": "LIMIT", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
                ],
                "resources": {"limits": {"memory": "64Mi"}},
                "volumeMounts": [
                    {"name": "c", "mountPath": "/config"}, {"name": "d", "mountPath": "/labels", "subPath": "labels"}],
            }],
            "volumes": [
                {"name": "c", "configMap": {"name": "config"}},
                {"name": "d", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
            ],
        },
    });
    lab.pod(pod).steady();
    let want = "a a-b value 64\nhello $(NOT_THERE) $(A)\nfile.txt\nkey\none\ntwo\napp=\"demo\"2\n";
    assert_eq!(logs(&lab), want);
}

/// The API's `EmptyDirVolumeSource`, and `pods/two-container-pod.yaml` of Kubernetes' documentation: a volume is its pod's.
#[test]
fn containers_share_a_volume() {
    let mut lab = Lab::new();
    let mount = json!([{"name": "shared", "mountPath": "/data"}]);
    lab.pod(json!({"spec": {
        "restartPolicy": "Never",
        "initContainers": [{"name": "init", "image": "busybox", "command": ["sh", "-c", "echo from init > /data/init"], "volumeMounts": mount}],
        "containers": [
            {"name": "reads", "image": "busybox", "volumeMounts": mount,
             "command": ["sh", "-c", "until [ -f /data/ready ]; do sleep 1; done; cat /data/*"]},
            {"name": "writes", "image": "busybox", "volumeMounts": mount,
             "command": ["sh", "-c", "sleep 7; echo from the other > /data/ready"]},
        ],
        "volumes": [{"name": "shared", "emptyDir": {}}],
    }}))
    .steady();
    assert_eq!(logs(&lab), "from init\nfrom the other\n");
    assert!(lab.log.contains("reads: Completed 0 | writes: Completed 0"), "{}", lab.log);
}

/// The entrypoints and commands in the Dockerfiles of the images (`known_images`); `docker-entrypoint.sh` of postgres,
/// `docker_verify_minimum_env`, ends without a password.
#[test]
fn programs_of_images() {
    for (image, container, policy, want) in [
        ("nginx:1.27", json!({}), "Never", "app: running ready"),
        ("busybox", json!({}), "Never", "app: Completed 0"),
        ("busybox", json!({"stdin": true, "tty": true}), "Never", "app: running ready"),
        ("busybox", json!({"args": ["false"]}), "Never", "app: Error 1"),
        (
            "perl:5.34.0",
            json!({"command": ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"]}),
            "Never",
            "app: Completed 0",
        ),
        ("postgres:16", json!({}), "Never", "app: Error 1"),
        (
            "postgres:16",
            json!({"env": [{"name": "POSTGRES_PASSWORD", "value": "x"}]}),
            "Never",
            "app: running ready",
        ),
        ("redis:7", json!({"args": ["--appendonly", "yes"]}), "OnFailure", "app: running ready"),
        ("team/app:1", json!({}), "Always", "app: running ready"),
        ("team/migrate:1", json!({"command": ["./migrate", "up"]}), "OnFailure", "app: Completed 0"),
        (
            "team/app:1",
            json!({"command": ["sh", "-c", "cd /app && exec ./server"]}),
            "Always",
            "app: running ready",
        ),
    ] {
        let mut lab = Lab::new();
        let mut pod = one(container.clone());
        pod["spec"]["restartPolicy"] = policy.into();
        pod["spec"]["containers"][0]["image"] = image.into();
        lab.pod(pod).steady();
        let last =
            lab.log.lines().rfind(|l| l.contains("app: ") && l.contains("Sandbox")).unwrap_or_default();
        assert!(last.contains(want), "{image} {container}: {want}\n{}", lab.log);
    }
}

/// `pods/lifecycle-events.yaml` of Kubernetes' documentation; `kuberuntime_container.go`, `startContainer` and `killContainer`;
/// POSIX, `trap`.
#[test]
fn hooks_and_signals() {
    let mut lab = Lab::new();
    lab.pod(one(json!({
        "image": "busybox",
        "command": ["sh", "-c", "trap 'echo bye; exit 0' TERM; while true; do sleep 1; done"],
        "lifecycle": {
            "postStart": {"exec": {"command": ["sh", "-c", "echo Hello > /tmp/message"]}},
            "preStop": {"exec": {"command": ["sleep", "5"]}},
        },
        "readinessProbe": {"exec": {"command": ["grep", "-q", "Hello", "/tmp/message"]}, "periodSeconds": 1},
    })))
    .steady();
    assert!(lab.log.contains("app: running ready"), "{}", lab.log);
    let before = lab.cluster.now();
    lab.delete(None).steady();
    let took = lab.cluster.now().duration_since(before).as_secs();
    assert!((5..=7).contains(&took), "{took} {}", lab.log);
    assert!(lab.log.contains("app: Completed 0"), "{}", lab.log);
}

/// `debug/termination.yaml` of Kubernetes' documentation; `kuberuntime_container.go`, `getTerminationMessage`.
#[test]
fn a_last_message() {
    let mut lab = Lab::new();
    let mut pod = one(json!({
        "image": "debian",
        "command": ["/bin/sh"],
        "args": ["-c", "sleep 10 && echo Sleep expired > /dev/termination-log"],
    }));
    pod["spec"]["restartPolicy"] = "Never".into();
    lab.pod(pod).steady();
    let pod = lab.get();
    let status = pod.status.as_ref().and_then(|s| s.container_statuses.as_ref()?.first()?.state.clone());
    let ended = status.and_then(|s| s.terminated).unwrap();
    assert_eq!(ended.message.as_deref(), Some("Sleep expired\n"));
}

/// `getTerminationMessage` (`kuberuntime_container.go`) and the page "Determine the Reason for Pod Failure": without a message of its
/// own a container that fails has the end of its log as one, one that succeeds has none, and a message of its own comes first.
#[test]
fn the_log_is_the_last_message_of_a_container_that_fails() {
    let cases = [
        ("echo first; echo lost >&2; exit 3", Some("first\nlost\n")),
        ("echo first; echo own > /dev/termination-log; exit 3", Some("own\n")),
        ("echo first; exit 0", None),
        ("i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo $i; done; exit 1", Some("21\n")),
    ];
    for (script, told) in cases {
        let mut lab = Lab::new();
        let mut pod = one(json!({
            "image": "busybox:1.37", "command": ["sh", "-c", script],
            "terminationMessagePolicy": "FallbackToLogsOnError",
        }));
        pod["spec"]["restartPolicy"] = "Never".into();
        lab.pod(pod).steady();
        let pod = lab.get();
        let status = pod.status.as_ref().and_then(|s| s.container_statuses.as_ref()?.first()?.state.clone());
        let message = status.and_then(|s| s.terminated).unwrap().message;
        match told {
            // `MaxContainerTerminationMessageLogLines`: the last 80 lines.
            Some("21\n") => assert!(message.unwrap().starts_with("21\n22\n"), "{script}"),
            told => assert_eq!(message.as_deref(), told, "{script}"),
        }
    }
}

/// KEP-5532. `kubelet_pods.go`, `convertToAPIContainerStatuses`: a container that was removed waits with that reason, and has it in
/// its last state, without times and id.
#[test]
fn a_rule_restarts_all_containers() {
    let mut lab = Lab::new();
    lab.pod(json!({"spec": {
        "restartPolicy": "Never",
        "initContainers": [{"name": "init", "image": "busybox", "command": ["sleep", "2"]}],
        "containers": [
            {"name": "other", "image": "busybox", "command": ["sleep", "infinity"]},
            {"name": "app", "image": "busybox", "command": ["sh", "-c", "sleep 5; exit 42"], "restartPolicy": "Never",
             "restartPolicyRules": [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}}]},
        ],
    }}))
    .wait(16);
    assert!(lab.log.contains("+AllContainersRestarting(RestartAllContainersStarted)"), "{}", lab.log);
    let removed = "init: RestartingAllContainers, before RestartingAllContainers 137, restarts 1 | app: RestartingAllContainers, before";
    assert!(lab.log.contains(removed), "{}", lab.log);
    let again = "before RestartingAllContainers 137, restarts 1";
    assert!(lab.log.contains(&format!("init: running started, {again}")), "{}", lab.log);
    assert!(lab.log.contains(&format!("other: running ready, {again}")), "{}", lab.log);
    assert!(!lab.log.contains("Failed"), "{}", lab.log);
    let pod = lab.get();
    let status = &pod.status.as_ref().unwrap().container_statuses.as_ref().unwrap()[0];
    let last = status.last_state.as_ref().unwrap().terminated.as_ref().unwrap();
    assert_eq!(
        last.message.as_deref(),
        Some("The container is removed because RestartAllContainers in place")
    );
    assert!(
        last.container_id.is_none() && last.started_at.is_none() && last.finished_at.is_none(),
        "{last:?}"
    );
}

/// `pods/resource/memory-request-limit-2.yaml` and `memory-request-limit.yaml` of Kubernetes' documentation.
#[test]
fn a_program_that_takes_memory_is_killed_at_its_limit() {
    let pod = |bytes: &str, limit: &str| {
        one(json!({
            "image": "polinux/stress", "command": ["stress"], "args": ["--vm", "1", "--vm-bytes", bytes, "--vm-hang", "1"],
            "resources": {"requests": {"memory": "50Mi"}, "limits": {"memory": limit}},
        }))
    };
    let mut lab = Lab::new();
    lab.pod(pod("250M", "100Mi")).wait(60);
    assert!(lab.log.contains("app: OOMKilled 137"), "{}", lab.log);
    assert!(lab.log.contains("app: CrashLoopBackOff"), "{}", lab.log);
    let mut lab = Lab::new();
    lab.pod(pod("150M", "200Mi")).wait(60);
    assert!(lab.log.contains("app: running ready") && !lab.log.contains("OOMKilled"), "{}", lab.log);
    let kubelet = lab.cluster.processes().nth(2).unwrap();
    let state = kubelet.components[0].state().downcast_ref::<State>().unwrap();
    assert_eq!(state.node.stats.memory, 151 << 20);
}

/// curl/curl-container: `etc/entrypoint.sh` puts `curl` before its arguments if the first one is an option or no command, and
/// `create_base_image.sh` gives the image the command `curl`.
#[test]
fn an_entrypoint_executes_its_first_argument_if_that_is_a_command() {
    let run = |args: Value| {
        let mut lab = Lab::new();
        let mut pod = one(json!({"image": "curlimages/curl:8.14.1", "args": args}));
        pod["spec"]["restartPolicy"] = "Never".into();
        lab.pod(pod).steady();
        (logs(&lab), lab.log)
    };
    for args in [json!(["echo", "hello"]), json!(["sh", "-c", "echo hello"]), json!(["/bin/echo", "hello"])] {
        assert_eq!(run(args.clone()).0, "hello\n", "{args}");
    }
    let usage =
        "curl: (2) no URL specified\ncurl: try 'curl --help' or 'curl --manual' for more information\n";
    for args in [json!([]), json!(["curl"]), json!(["-s"])] {
        let (printed, log) = run(args.clone());
        assert_eq!(printed, usage, "{args}");
        assert!(log.contains("app: Error 2"), "{args}: {log}");
    }
    let unresolved = "curl: (6) Could not resolve host: web";
    for args in [json!(["web"]), json!(["-s", "-S", "web"]), json!(["curl", "web"])] {
        assert!(run(args.clone()).0.contains(unresolved), "{args}: {:?}", run(args.clone()));
    }
    // A command that is executed keeps the pod running.
    let (_, log) = run(json!(["sleep", "infinity"]));
    assert!(log.contains("app: running ready"), "{log}");
}

/// `pods/inject/envars-file-container.yaml` of Kubernetes' documentation: an init container writes a file of variables into an
/// `emptyDir`, from which a container that does not mount it has one (KEP-3721).
#[test]
fn a_variable_comes_from_a_file_of_an_init_container() {
    let pod = |script: &str, optional: bool| {
        json!({
            "metadata": {"name": "envfile"},
            "spec": {
                "initContainers": [{
                    "name": "setup", "image": "busybox:1.37", "command": ["sh", "-c", script],
                    "volumeMounts": [{"name": "config", "mountPath": "/config"}],
                }],
                "containers": [{
                    "name": "app", "image": "busybox:1.37", "command": ["sh", "-c", "echo \"has [$DB]\"; sleep 3600"],
                    "env": [{"name": "DB", "valueFrom": {"fileKeyRef": {
                        "path": "db.env", "volumeName": "config", "key": "DB_ADDRESS", "optional": optional,
                    }}}],
                }],
                "volumes": [{"name": "config", "emptyDir": {}}],
            },
        })
    };
    let said = |script: &str, optional| {
        let mut lab = Lab::new();
        lab.pod(pod(script, optional)).wait(20);
        (logs(&lab), lab.log)
    };
    let (printed, log) = said("echo \"DB_ADDRESS='db.test:5432'\" > /config/db.env", false);
    assert!(printed.contains("has [db.test:5432]\n"), "{printed} {log}");
    let (printed, log) = said("echo \"OTHER='1'\" > /config/db.env", true);
    assert!(printed.contains("has []\n"), "{printed} {log}");
    let (_, log) = said("echo \"OTHER='1'\" > /config/db.env", false);
    assert!(log.contains("CreateContainerConfigError"), "{log}");
    assert!(log.contains("environment variable key \"DB_ADDRESS\" not found in file"), "{log}");
    let (_, log) = said("echo DB_ADDRESS=1 > /config/db.env", false);
    assert!(log.contains("couldn't parse env file"), "{log}");
    let (_, log) = said("true", true);
    assert!(log.contains("couldn't parse env file"), "{log}");
}

/// kubernetes.io/docs/concepts/services-networking/dns-pod-service, "Pod's setHostnameAsFQDN field" and "Pod's hostnameOverride field".
#[test]
fn the_hosts_name_is_what_the_pod_says() {
    let said = |fields: Value| {
        let mut lab = Lab::new();
        let script = "hostname; echo $HOSTNAME; cat /etc/hostname; tail -n 1 /etc/hosts | cut -f 2-";
        let container = json!({"name": "app", "image": "busybox:1.37", "command": ["sh", "-c", script]});
        let mut spec = json!({"containers": [container], "restartPolicy": "Never"});
        for (name, value) in fields.as_object().unwrap() {
            spec[name] = value.clone();
        }
        lab.pod(json!({"metadata": {"name": "p"}, "spec": spec})).wait(10);
        (logs(&lab), lab.log)
    };
    let full = "busybox-1.busybox-subdomain.default.svc.cluster.local";
    let names = json!({"hostname": "busybox-1", "subdomain": "busybox-subdomain"});
    assert_eq!(said(names.clone()).0, format!("busybox-1\nbusybox-1\nbusybox-1\n{full}\tbusybox-1\n"));
    let mut as_full = names;
    as_full["setHostnameAsFQDN"] = true.into();
    assert_eq!(said(as_full.clone()).0, format!("{full}\n{full}\n{full}\n{full}\tbusybox-1\n"));
    as_full["subdomain"] = "a-subdomain-that-is-too-long-for-linux".into();
    let too_long = "Failed to create pod sandbox: failed to construct FQDN from pod hostname and cluster domain, FQDN busybox-1.a-subdomain-that-is-too-long-for-linux.default.svc.cluster.local is too long (64 characters is the max, 74 characters requested)";
    let (_, log) = said(as_full);
    assert!(log.contains(too_long), "{log}");
    let own = json!({"hostnameOverride": "own.example.test", "hostname": "other", "subdomain": "sub"});
    assert_eq!(said(own).0, "own.example.test\nown.example.test\nown.example.test\nown.example.test\n");
}
