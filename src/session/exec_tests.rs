//! Commands in containers, as a person executes them.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::{Depth, Replay, Session, Start, link::Link};
use crate::apimachinery::HttpRequest;
use crate::kubectl::{ContainerShell, Output};

const MANIFEST: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: blue}
---
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {user: ada}
---
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  volumes:
  - {name: settings, configMap: {name: settings}}
  - name: all
    projected:
      sources:
      - secret: {name: login}
      - downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}
  containers:
  - name: nginx
    image: nginx:1.27
    env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
    volumeMounts: [{name: settings, mountPath: /etc/settings}, {name: all, mountPath: /all}]
  - name: side
    image: busybox:1.36
    command: [sleep, infinity]
---
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {containers: [{name: pause, image: "registry.k8s.io/pause:3.10"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: stuck}
spec: {containers: [{name: c, image: ngnix}]}
---
apiVersion: v1
kind: Pod
metadata: {name: done}
spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: ["true"]}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: c, image: alpine, command: [sleep, infinity]}]}
---
apiVersion: v1
kind: Service
metadata: {name: shop}
spec: {selector: {app: shop}, ports: [{port: 80}]}
"#;

fn session() -> Session {
    let mut s = Session::new(Start::default());
    let applied = s.apply(MANIFEST);
    assert_eq!(applied.exit, 0, "{}", applied.stderr);
    while s.step(Depth::Command, None) {}
    s
}

fn exec(s: &mut Session, line: &str) -> Output {
    s.kubectl(&format!("exec {line}"), &[])
}

/// `kubernetes.io/docs/tasks/debug/debug-application/get-shell-running-container`; the page "Kubectl exec" for `TYPE/NAME`; what is there: "Accessing the
/// Kubernetes API from a Pod", "Downward API", `pkg/kubelet/network/dns/dns.go`. The container that is taken without `-c`: `podcmd.FindOrDefaultContainerByName`.
#[test]
fn a_command_sees_what_its_container_has() {
    let mut s = session();
    let moments = s.timeline().len();
    for (line, printed) in [
        ("web -- cat /etc/settings/color", "blue"),
        ("web -c nginx -- cat /all/user", "ada"),
        ("web -- cat /all/labels", "app=\"web\""),
        ("web -- printenv HOSTNAME", "web\n"),
        ("web -- hostname", "web\n"),
        ("web -- sh -c 'echo $NODE | cut -c1-5'", "node-\n"),
        ("web -- ls /var/run/secrets/kubernetes.io/serviceaccount", "ca.crt\nnamespace\ntoken\n"),
        ("web -- cat /var/run/secrets/kubernetes.io/serviceaccount/namespace", "default"),
        ("web -c side -- sh -c 'grep -c nameserver /etc/resolv.conf; grep -c web /etc/hosts'", "1\n1\n"),
        ("web -c side -- nslookup -type=a shop.default.svc.cluster.local", "Server:"),
        ("deploy/shop -- hostname", "shop-"),
        ("svc/shop -- hostname", "shop-"),
    ] {
        let out = exec(&mut s, line);
        assert_eq!(out.exit, 0, "{line}: {out:?}");
        assert!(out.stdout.starts_with(printed), "{line}: {out:?}");
    }
    assert_eq!(exec(&mut s, "web -- hostname").stderr, "Defaulted container \"nginx\" out of: nginx, side\n");
    assert_eq!(s.timeline().len(), moments, "reading changes nothing");
}

/// `k8s.io/kubectl/pkg/cmd/exec/exec.go` (`Complete`, `Validate`, `Run`), `pkg/polymorphichelpers/attachablepodforobject.go` and `helpers.go`
/// (`SelectorsForObject`) of the same repository; `pkg/kubelet/kubelet_pods.go` (`GetExec`: a container that is not found); the last words are
/// containerd's and runc's.
#[test]
fn what_cannot_be_executed_is_refused_as_kubernetes_does() {
    let mut s = session();
    for (line, exit, said) in [
        ("web -c side -- sh -c 'echo no >&2; exit 3'", 3, "no\ncommand terminated with exit code 3\n"),
        ("web -c side -- false", 1, "command terminated with exit code 1\n"),
        (
            "web -c nothing -- ls",
            1,
            "error: container nothing is not valid for pod web out of: nginx, side\n",
        ),
        ("none -- ls", 1, "Error from server (NotFound): pods \"none\" not found\n"),
        (
            "web ls",
            1,
            "error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\n",
        ),
        ("web", 1, "error: you must specify at least one command for the container\n"),
        ("-- ls", 1, "error: pod, type/name or --filename must be specified\n"),
        (
            "stuck -- ls",
            1,
            "error: Internal error occurred: unable to upgrade connection: container not found (\"c\")\n",
        ),
        (
            "done -- ls",
            1,
            "error: cannot exec into a container in a completed pod; current phase is Succeeded\n",
        ),
        (
            "cm/settings -- ls",
            1,
            "error: cannot attach to *v1.ConfigMap: selector for *v1.ConfigMap not implemented\n",
        ),
    ] {
        let out = exec(&mut s, line);
        assert_eq!(out.exit, exit, "{line}: {out:?}");
        assert!(out.stderr.starts_with(said), "{line}: {out:?}");
    }
    let of_runtime = |program: &str| {
        format!(
            "OCI runtime exec failed: exec failed: unable to start container process: exec: \"{program}\": "
        )
    };
    for (line, program) in
        [("bare -it -- sh", "sh"), ("web -c side -- bash", "bash"), ("bare -- /bin/ls", "/bin/ls")]
    {
        let out = exec(&mut s, line);
        let begins = "error: Internal error occurred: Internal error occurred: error executing command in container: failed to exec in \
                      container: failed to start exec \"";
        assert!(out.stderr.contains(begins) && out.stderr.contains(&of_runtime(program)), "{line}: {out:?}");
    }
    let out = exec(&mut s, "web -it -c side -- hostname");
    assert_eq!(out.stderr, "Unable to use a TTY - input is not a terminal or the right kind of file\n");
    let out = s.kubectl("exec -i web -c side -- sh", &[("-", "echo $((6 * 7))\nexit 4\n")]);
    assert_eq!((out.stdout.as_str(), out.exit), ("42\n", 4));
    let out = exec(&mut s, "web -c side -- sleep infinity");
    assert!(out.exit == 1 && out.stderr.contains("does not end"), "{out:?}");
}

/// `k8s.io/kubelet/pkg/cri/streaming/remotecommand` (`NewOptions`), which the kubelet asks first for `exec` and `attach` alike
/// (`pkg/kubelet/server/server.go`), before it looks for the pod; the error is what kube-apiserver's client of the kubelet makes of the
/// answer.
#[test]
fn a_client_that_asks_for_no_stream_is_refused_by_the_kubelet() {
    let s = session();
    for (part, query, answer) in [
        ("attach", "container=side", None),
        ("attach", "container=side&tty=true&stderr=true", None),
        ("attach", "container=side&stdout=true", Some("")),
        ("exec", "container=side&command=hostname", None),
        ("exec", "container=side&command=hostname&tty=true&stderr=true", None),
        ("exec", "container=side&command=hostname&stdout=true", Some("web\n")),
    ] {
        let path = format!("/api/v1/namespaces/default/pods/web/{part}");
        let request = HttpRequest { method: "GET".into(), path, query: query.into(), ..Default::default() };
        let response = s.cluster().clone().serve_whole(&request).0.response;
        let refused = "Internal error occurred: unable to upgrade connection: you must specify at least 1 of stdin, stdout, stderr";
        match (answer, &response.channels) {
            (Some(printed), Some(channels)) => assert_eq!(channels.stdout, printed, "{part}?{query}"),
            (None, None) => {
                assert!(
                    response.status == 500 && response.body.contains(refused),
                    "{part}?{query}: {response:?}"
                );
            }
            _ => panic!("{part}?{query}: {response:?}"),
        }
    }
}

/// `kubernetes.io/docs/concepts/storage/volumes`, "Background": files in a container are its own, and other containers of the pod do not see them.
#[test]
fn what_a_command_writes_stays_in_its_container() {
    let mut s = session();
    let before = s.timeline().len();
    assert_eq!(exec(&mut s, "web -c side -- sh -c 'echo one > /tmp/a'").exit, 0);
    assert_eq!(s.timeline().len(), before + 1, "it is a moment of the run");
    assert_eq!(exec(&mut s, "web -c side -- sh -c 'echo two >> /tmp/a'").exit, 0);
    assert_eq!(exec(&mut s, "web -c side -- cat /tmp/a").stdout, "one\ntwo\n");
    assert_eq!(exec(&mut s, "web -c nginx -- sh -c 'test -e /tmp/a || echo none'").stdout, "none\n");
    while s.step(Depth::Command, None) {}
    assert_eq!(exec(&mut s, "web -c side -- cat /tmp/a").stdout, "one\ntwo\n");
    // A link repeats it.
    let link = Link::decode(&Link::of(&s).encode()).unwrap();
    let mut replay = Replay::new(&link);
    while !replay.advance(10) {}
    let replayed = replay.finish();
    assert!(replayed.same);
    let mut again = replayed.session;
    assert_eq!(exec(&mut again, "web -c side -- cat /tmp/a").stdout, "one\ntwo\n");
    s.back();
    s.back();
    assert_eq!(exec(&mut s, "web -c side -- cat /tmp/a").exit, 1, "before it was written");
}

/// "Get a Shell to a Running Container"; POSIX, `exit`: without an operand with the status of the last command, which kubectl tells
/// (`k8s.io/kubectl/pkg/cmd/util/helpers.go`, `checkErr`).
#[test]
fn a_person_types_into_a_shell() {
    let mut s = session();
    let mut shell = ContainerShell::of("kubectl exec -it web -c side -- sh").unwrap();
    let mut type_line = |line: &str| {
        let out = s.kubectl(&shell.command(line), &[]);
        let heard = shell.heard(&out);
        (heard.text, heard.over, shell.prompt())
    };
    assert_eq!(type_line(""), (String::new(), false, "/ # ".into()));
    assert_eq!(type_line("cd /tmp; A='a b'; export B=2"), (String::new(), false, "/tmp # ".into()));
    assert_eq!(type_line("echo $A > f; cat f"), ("a b\n".into(), false, "/tmp # ".into()));
    assert_eq!(type_line("sh -c 'echo \"[$A]\" $B'; false").0, "[] 2\n");
    assert_eq!(type_line("nothing").0, "sh: nothing: not found\n");
    let ended = "command terminated with exit code 127\n";
    assert_eq!(type_line("exit"), (ended.into(), true, "/tmp # ".into()), "with the status of the last line");
}

/// Pods that say who they run as, and whom they ask for names.
const TOLD: &str = r#"
apiVersion: v1
kind: Pod
metadata: {name: who}
spec:
  hostname: h1
  subdomain: sub
  dnsPolicy: None
  dnsConfig: {nameservers: [1.1.1.1], searches: [ex.org], options: [{name: ndots, value: "2"}, {name: edns0}]}
  securityContext: {runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000]}
  containers: [{name: c, image: busybox, command: [sleep, infinity]}]
---
apiVersion: v1
kind: Pod
metadata: {name: host}
spec: {hostNetwork: true, containers: [{name: c, image: busybox, command: [sleep, infinity]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: more}
spec:
  dnsConfig: {searches: [ex.org, cluster.local], options: [{name: ndots, value: "1"}]}
  containers: [{name: c, image: "busybox@sha256:9ae97d36d26566ff84e8893c64a6dc4fe8ca6d1144bf5b87b2b85a32def253c7", command: [sleep, infinity]}]
---
apiVersion: v1
kind: Pod
metadata: {name: root}
spec: {securityContext: {runAsNonRoot: true}, containers: [{name: c, image: nginx}]}
"#;

/// `kubernetes.io/docs/tasks/configure-pod-container/security-context`; `pkg/kubelet/network/dns/dns.go`, `GetPodDNS` (`dns_test.go`, `TestGetPodDNSCustom`);
/// `pkg/kubelet/kuberuntime/security_context_others.go`, `verifyRunAsNonRoot`.
#[test]
fn who_a_container_runs_as_and_whom_it_asks_for_names() {
    let mut s = Session::new(Start::default());
    s.apply(TOLD);
    while s.step(Depth::Command, None) {}
    let mut out = |line: &str| s.kubectl(line, &[]).stdout;
    assert_eq!(out("exec who -- id"), "uid=1000 gid=3000 groups=2000,3000,4000\n");
    assert_eq!(out("exec who -- hostname -f"), "h1.sub.default.svc.cluster.local\n");
    assert_eq!(
        out("exec who -- cat /etc/resolv.conf"),
        "search ex.org\nnameserver 1.1.1.1\noptions ndots:2 edns0\n"
    );
    assert_eq!(out("exec host -- cat /etc/resolv.conf"), "nameserver 172.18.0.1\noptions ndots:0\n");
    assert_eq!(
        out("exec more -- cat /etc/resolv.conf"),
        "search default.svc.cluster.local svc.cluster.local cluster.local ex.org\nnameserver 10.96.0.10\noptions ndots:1\n"
    );
    assert!(
        out("get pod more -o jsonpath={.status.containerStatuses[0].imageID}")
            .ends_with("@sha256:9ae97d36d26566ff84e8893c64a6dc4fe8ca6d1144bf5b87b2b85a32def253c7")
    );
    let waiting = out("get pod root -o jsonpath={.status.containerStatuses[0].state.waiting}");
    assert!(
        waiting.contains("CreateContainerConfigError") && waiting.contains("image will run as root"),
        "{waiting}"
    );
}

/// A command that a person executes in a pod writes by the account of the pod. It is one step, and a link repeats it.
#[test]
fn what_a_command_writes_to_the_api_server_is_a_step() {
    let mut s = session();
    s.apply(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: edits}\n\
         roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}\n\
         subjects: [{kind: ServiceAccount, name: default, namespace: default}]\n",
    );
    let moments = s.timeline().len();
    let line = "web -- sh -c 'D=/var/run/secrets/kubernetes.io/serviceaccount; curl -s --cacert $D/ca.crt \
        -H \"Authorization: Bearer $(cat $D/token)\" -X DELETE \
        https://kubernetes.default.svc/api/v1/namespaces/default/configmaps/settings'";
    let out = exec(&mut s, line);
    assert!(out.stdout.contains("\"status\": \"Success\""), "{out:?}");
    assert_eq!(s.timeline().len(), moments + 1);
    let id = s.at();
    let writes = s.current().writes();
    let [write] = writes.as_slice() else { panic!("{writes:?}") };
    assert_eq!(
        (write.object.to_string().as_str(), write.verb_string().as_str()),
        ("ConfigMap default/settings", "delete")
    );
    assert_eq!(&*write.user, "system:serviceaccount:default:default");
    let exchanges = s.exchanges(id);
    let paths: Vec<String> =
        exchanges.iter().map(|e| format!("{} {}", e.request.verb.method(), e.request.path())).collect();
    assert_eq!(paths, ["DELETE /api/v1/namespaces/default/configmaps/settings"]);
    assert!(exchanges.iter().all(|e| &*e.request.user == "system:serviceaccount:default:default"));
    let link = Link::decode(&Link::of(&s).encode()).unwrap();
    let mut replay = Replay::new(&link);
    while !replay.advance(10) {}
    let replayed = replay.finish();
    assert!(replayed.same);
    assert_eq!(replayed.session.cluster().digest(), s.cluster().digest());
}
