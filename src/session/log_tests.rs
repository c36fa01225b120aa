//! Tests of `kubectl logs`: what containers print, by virtual time.
#![allow(clippy::unwrap_used)]

use jiff::SignedDuration;

use super::{Depth, Looked, Session, Start};
use crate::apimachinery::HttpRequest;
use crate::cluster::Fault;
use crate::kubectl::Output;

const JOB: &str = r#"apiVersion: batch/v1
kind: Job
metadata: {name: count}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      initContainers:
      - {name: prepare, image: busybox, command: [sh, -c, "echo ready >&2"]}
      containers:
      - name: main
        image: busybox
        command: [sh, -c, "for i in 1 2 3; do echo line $i; sleep 10; done; printf end; exit 3"]
      - {name: side, image: busybox, command: [sh, -c, "echo side"]}
"#;

fn session(manifest: &str) -> Session {
    let mut s = Session::new(Start::default());
    let out = s.apply(manifest);
    assert_eq!((out.exit, out.stderr.as_str()), (0, ""));
    s
}

/// Steps until the cluster is steady or its clock has gone on by so many seconds.
fn run(s: &mut Session, seconds: i64) {
    let until = s.now().checked_add(SignedDuration::from_secs(seconds)).unwrap();
    while s.now() < until && s.step(Depth::Command, None) {}
}

/// Steps until the table of pods has a text.
fn until(s: &mut Session, text: &str) {
    while !ask(s, "get pods").stdout.contains(text) {
        assert!(s.step(Depth::Command, None), "{text}");
    }
}

fn ask(s: &mut Session, line: &str) -> Output {
    s.kubectl(line, &[])
}

fn logs(s: &mut Session, line: &str) -> String {
    let out = ask(s, &format!("logs {line}"));
    assert_eq!(out.exit, 0, "{line}: {}", out.stderr);
    out.stdout
}

fn refused(s: &mut Session, line: &str) -> String {
    let out = ask(s, &format!("logs {line}"));
    assert_eq!((out.exit, out.stdout.as_str()), (1, ""), "{line}");
    out.stderr
}

/// `k8s.io/kubectl/pkg/cmd/logs/logs.go` (`logs_test.go`, `TestLog`); the options of lines and moments: `k8s.io/cri-client/pkg/logs/logs.go`,
/// `ReadLogs` (`TestReadLogs`).
#[test]
fn a_log_has_what_was_printed_until_now() {
    let mut s = session(JOB);
    run(&mut s, 400);
    assert_eq!(logs(&mut s, "job/count -c main"), "line 1\nline 2\nline 3\nend");
    let out = ask(&mut s, "logs job/count");
    assert_eq!(out.stderr, "Defaulted container \"main\" out of: main, side, prepare (init)\n");
    assert_eq!(logs(&mut s, "job/count -c main --tail=2"), "line 3\nend");
    assert_eq!(logs(&mut s, "job/count -c main --limit-bytes=9"), "line 1\nli");
    let all = logs(&mut s, "job/count --all-containers --prefix");
    let pod = ask(&mut s, "get pods -o name").stdout.trim().to_owned();
    let name = pod.strip_prefix("pod/").unwrap().to_owned();
    let prefixed = |c: &str, line: &str| format!("[pod/{name}/{c}] {line}");
    let expected = [
        prefixed("prepare", "ready\n"),
        prefixed("main", "line 1\n"),
        prefixed("main", "line 2\n"),
        prefixed("main", "line 3\n"),
        prefixed("main", "end"),
        prefixed("side", "side\n"),
    ];
    assert_eq!(all, expected.concat());
    let stamped = logs(&mut s, "job/count -c main --timestamps --tail=2");
    let mut lines = stamped.lines();
    let third = lines.next().unwrap();
    let (at, text) = third.split_once(" ").unwrap();
    assert!(at.ends_with("00000000Z") && at.len() == "2026-01-01T00:00:23.500000000Z".len(), "{third}");
    assert_eq!(text, "line 3");
    // The last line and the one before are ten seconds apart.
    let since = third.split(' ').next().unwrap();
    assert_eq!(logs(&mut s, &format!("job/count -c main --since-time={since}")), "line 3\nend");
}

/// `ReadLogs` with `follow`: until the container has ended.
#[test]
fn a_log_grows_with_time() {
    let mut s = session(JOB);
    until(&mut s, "1/2");
    assert_eq!(logs(&mut s, "job/count -c main"), "line 1\n");
    let (out, command) = s.kubectl_or_wait("logs -f job/count -c main", &[]);
    assert_eq!(out.stdout, "line 1\n");
    let mut command = command.unwrap();
    let mut printed = Vec::new();
    loop {
        let (out, waits) = s.look_again(&mut command);
        printed.push(out.stdout);
        if waits == Looked::Ended {
            break;
        }
        assert!(s.step(Depth::Command, None), "{printed:?}");
    }
    assert_eq!(printed.last().unwrap(), "line 1\nline 2\nline 3\nend");
}

/// `pkg/kubelet/kubelet_pods.go`, `validateContainerLogStatus` (`TestValidateContainerLogStatus`): `previous` is the one that has ended last.
#[test]
fn the_instance_before_the_current_one_has_a_log_of_its_own() {
    let manifest = JOB.replace("backoffLimit: 0", "backoffLimit: 2").replace("Never", "OnFailure");
    let mut s = session(&manifest.replace("exit 3", "hostname; exit 3"));
    until(&mut s, "1/2");
    let before = refused(&mut s, "job/count -c main -p");
    assert!(
        before.starts_with("Error from server (BadRequest): previous terminated container \"main\" in pod")
    );
    // A log that is followed ends with its instance of the container.
    let mut command = s.kubectl_or_wait("logs -f job/count -c main", &[]).1.unwrap();
    let mut printed = String::new();
    for _ in 0..200 {
        let (out, waits) = s.look_again(&mut command);
        printed = out.stdout;
        if waits == Looked::Ended || !s.step(Depth::Command, None) {
            break;
        }
    }
    assert_eq!(printed.matches("line 1").count(), 1, "{printed}");
    run(&mut s, 45);
    assert!(logs(&mut s, "job/count -c main --previous").starts_with("line 1\nline 2\nline 3\nend"));
}

/// `validateContainerLogStatus`; `pkg/registry/core/pod/strategy.go`, `LogLocation` (a pod without a node has an empty log); `logs.go` of kubectl,
/// `Validate`, and `SelectorsForObject` of its `polymorphichelpers`.
#[test]
fn what_cannot_have_printed_says_why() {
    let pod = |image: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - {{name: c, image: {image}}}\n"
        )
    };
    let mut s = session(&pod("team/app"));
    // It has no node yet.
    assert_eq!(logs(&mut s, "p"), "");
    until(&mut s, "ContainerCreating");
    assert_eq!(
        refused(&mut s, "p"),
        "Error from server (BadRequest): container \"c\" in pod \"p\" is waiting to start: ContainerCreating\n"
    );
    run(&mut s, 60);
    assert_eq!(logs(&mut s, "p"), "");
    assert_eq!(refused(&mut s, "p -c other"), "error: container other is not valid for pod p out of: c\n");
    assert_eq!(
        refused(&mut s, "p c --all-containers"),
        "error: --all-containers=true should not be specified with container name c\n"
    );
    assert_eq!(
        refused(&mut s, "service/kubernetes"),
        "error: cannot get the logs from *v1.Service: invalid service 'kubernetes': Service is defined without a selector\n"
    );
    let node = ask(&mut s, "get pod p -o jsonpath={.spec.nodeName}").stdout;
    s.fault(&Fault::NodeDown { node: node.clone() }).unwrap();
    let why = refused(&mut s, "p");
    assert!(
        why.starts_with("Error from server: Get \"https://172.18.0.")
            && why.ends_with(":10250: connect: no route to host\n"),
        "{why}"
    );
}

/// `pkg/kubelet/pod_workers.go`, `ShouldPodContentBeRemoved`: the containers of an evicted pod are removed when they have ended, and their logs with
/// them (`kuberuntime_container.go`, `GetContainerLogs`).
#[test]
fn an_evicted_pod_has_no_log() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {sim.steady/disk: 2Gi}}\nspec:\n  containers:\n  - name: c\n    \
               image: busybox\n    command: [sh, -c, 'echo said; sleep infinity']\n    resources: {limits: {ephemeral-storage: 3Gi}}\n";
    let mut s = session(pod);
    run(&mut s, 30);
    assert_eq!(logs(&mut s, "p"), "said\n");
    ask(&mut s, "annotate pod p sim.steady/disk=4Gi --overwrite");
    run(&mut s, 60);
    assert_eq!(ask(&mut s, "get pod p -o jsonpath={.status.reason}").stdout, "Evicted");
    let why = refused(&mut s, "p");
    assert!(why.contains("unable to retrieve container logs for containerd://"), "{why}");
}

/// `pkg/apis/core/validation/validation.go`, `ValidatePodLogOptions` (`TestValidatePodLogOptions`); the stream of a log: KEP-3288.
#[test]
fn options_are_checked_as_the_api_server_does() {
    let mut s = session(JOB);
    until(&mut s, "1/2");
    let pod = ask(&mut s, "get pods -o jsonpath={.items[0].metadata.name}").stdout;
    let get = |query: &str| {
        let path = format!("/api/v1/namespaces/default/pods/{pod}/log");
        let request = HttpRequest { method: "GET".into(), path, query: query.into(), ..Default::default() };
        let mut copy = s.cluster().clone();
        let (answer, _) = copy.http(&request);
        (answer.status, answer.body)
    };
    assert_eq!(get("container=main&stream=Stdout"), (200, "line 1\n".into()));
    assert_eq!(get("container=prepare&stream=Stdout"), (200, String::new()));
    let (code, body) = get("container=main&tailLines=-1&limitBytes=0");
    assert_eq!(code, 422);
    assert!(
        body.contains("PodLogOptions \\\"count-")
            && body.contains("tailLines: Invalid value: -1: must be greater than or equal to 0"),
        "{body}"
    );
    assert_eq!(get("container=main&tailLines=x").0, 400);
    assert_eq!(get("container=main&sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z").0, 422);
}

const SERVED: &str = r#"apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
  - name: c
    image: nginx:1.27.5
    readinessProbe: {httpGet: {path: /healthz, port: 80}, periodSeconds: 10, failureThreshold: 100}
    livenessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 5}
---
apiVersion: v1
kind: Pod
metadata: {name: quick, labels: {app: quick}}
spec:
  containers:
  - {name: c, image: "httpd:2.4.62"}
---
apiVersion: v1
kind: Pod
metadata: {name: clock}
spec:
  restartPolicy: Never
  containers:
  - {name: a, image: busybox, command: [sleep, "20"]}
  - {name: b, image: busybox, command: [sleep, "40"]}
  - {name: c, image: busybox, command: [sleep, "60"]}
---
apiVersion: v1
kind: Service
metadata: {name: quick}
spec: {selector: {app: quick}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: client
  annotations: {sim.steady/requests: "2/s http://quick/a?b=c"}
spec:
  containers:
  - {name: c, image: busybox, command: [sleep, "36000"]}
"#;

/// What a server's log says is what the traffic says: a line for each request that came to it. The forms are those of the official
/// images (`nginx.conf` of docker-nginx, `httpd.conf` of httpd), and of `kube-probe` in `pkg/probe/http/request.go`.
#[test]
fn a_server_writes_a_line_for_each_request() {
    let mut s = session(SERVED);
    run(&mut s, 60);
    let address = ask(&mut s, "get pod client -o jsonpath={.status.podIP}").stdout;
    let log = logs(&mut s, "quick");
    let lines: Vec<&str> = log.lines().filter(|l| l.contains("\"GET ")).collect();
    let answered: u64 =
        s.cluster().traffic_until_now().streams().flat_map(|(_, c)| c.answered.values()).sum();
    assert!(answered > 50, "{answered}");
    assert_eq!(lines.len() as u64, answered, "{log}");
    let first = lines.first().unwrap();
    assert!(first.starts_with(&format!("{address} - - [")), "{first}");
    assert!(first.ends_with(" +0000] \"GET /a?b=c HTTP/1.1\" 404 196"), "{first}");
    assert!(
        log.contains("AH00489: Apache/2.4.62 (Unix) configured -- resuming normal operations\n"),
        "{log}"
    );
    // What is asked for is the end of the same log.
    assert_eq!(
        logs(&mut s, "quick --tail=3"),
        format!("{}\n", lines.get(lines.len() - 3..).unwrap().join("\n"))
    );
    assert!((20..=21).contains(&logs(&mut s, "quick --since=10s").lines().count()));

    // The kubelet's probes come from the node's address towards its pods, each at its time.
    let log = logs(&mut s, "web");
    assert!(log.starts_with("/docker-entrypoint.sh: /docker-entrypoint.d/ is not empty"), "{log}");
    assert!(log.contains(" [notice] 1#1: nginx/1.27.5\n"), "{log}");
    let count = |what: &str| log.lines().filter(|l| l.contains(what) && l.contains(".1 - - [")).count();
    let agent = "\"-\" \"kube-probe/";
    assert!((11..=13).contains(&count(&format!("\"GET / HTTP/1.1\" 200 615 {agent}"))), "{log}");
    assert!((6..=8).contains(&count(&format!("\"GET /healthz HTTP/1.1\" 404 153 {agent}"))), "{log}");
}

/// A log that is followed brings every line once, and costs nothing of what came before.
#[test]
fn a_server_s_log_is_followed() {
    let mut s = session(SERVED);
    until(&mut s, "client   1/1");
    let (first, command) = s.kubectl_or_wait("logs -f quick", &[]);
    let (mut command, mut printed) = (command.unwrap(), first.stdout);
    // What a command has printed is told with each look, from its beginning.
    for _ in 0..20 {
        let until = s.now().checked_add(SignedDuration::from_millis(1700)).unwrap();
        while s.now() < until && s.step(Depth::Command, None) {}
        if s.now() < until {
            s.fault(&Fault::Wait { until: until.as_millisecond() }).unwrap();
        }
        printed = s.look_again(&mut command).0.stdout;
    }
    assert_eq!(printed, logs(&mut s, "quick"));
    assert!(printed.matches("GET /a").count() > 50, "{printed}");
}

/// An hour of traffic is there without being kept: the newest 10 MiB (`containerLogMaxSize`) of it.
#[test]
fn a_server_s_log_has_an_end_that_is_as_long_as_a_node_keeps_it() {
    let mut s = session(&SERVED.replace("2/s", "500/s").replace("[sleep, \"60\"]", "[sleep, \"3600\"]"));
    run(&mut s, 3600);
    let log = logs(&mut s, "quick");
    let size: usize = log.lines().map(|l| l.len() + 1 + 40).sum();
    assert!(size <= 10 << 20 && size > (10 << 20) - 1000, "{size}");
    assert!((500..=501).contains(&logs(&mut s, "quick --since=1s").lines().count()));
}
