//! kubectl against an API server without controllers.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::rc::Rc;

use steady::api::metrics::{self, ContainerMetrics, PodMetrics, Usage};
use steady::api::quantity::Amount;
use steady::api::types::ObjectMeta;
use steady::api::{Key, Timestamp};
use steady::apimachinery::{HttpRequest, HttpResponse};
use steady::apiserver::http::http;
use steady::apiserver::{Aggregated, ApiServer};
use steady::kubectl::{
    self, ApiClient, CommandWait, DiscoveryCache, Files, Kubectl, Output, Poll, WaitFor, Waited,
};

const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: nginx, image: \"nginx:1.26\"}
";

/// The range from which Services get addresses.
const RANGE: &str = "apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: kubernetes}
spec: {cidrs: [10.96.0.0/16]}
";

fn files() -> BTreeMap<String, String> {
    let files = [("web.yaml", WEB), ("bad.yaml", "a: b: c"), ("range.yaml", RANGE)];
    files.map(|(name, text)| (name.to_owned(), text.to_owned())).into()
}

/// Runs a command whose home directory is new.
fn run(line: &str, files: &dyn Files, server: &mut Server) -> Output {
    kubectl::run(line, files, &mut DiscoveryCache::default(), server)
}

struct Server(ApiServer);

impl Server {
    fn new() -> Server {
        let mut server = Server(ApiServer::new(1));
        server.ok("create namespace default");
        server
    }

    fn run(&mut self, line: &str) -> Output {
        let files = files();
        run(line, &|name: &str| files.get(name).cloned(), self)
    }

    fn ok(&mut self, line: &str) -> String {
        let out = self.run(line);
        assert_eq!((out.exit, out.stderr.as_str()), (0, ""), "{line}");
        out.stdout
    }
}

impl ApiClient for Server {
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        http(&mut self.0, request)
    }
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

#[test]
fn a_deployment_is_applied_changed_and_deleted() {
    let mut s = Server::new();
    assert_eq!(s.ok("apply -f web.yaml"), "deployment.apps/web created\n");
    assert_eq!(s.ok("apply -f web.yaml"), "deployment.apps/web unchanged\n");
    assert_eq!(s.ok("scale deploy web --replicas=4"), "deployment.apps/web scaled\n");
    assert_eq!(s.ok("get deploy web -o jsonpath={.spec.replicas}"), "4");
    assert_eq!(s.ok("apply -f web.yaml"), "deployment.apps/web configured\n");
    assert_eq!(s.ok("get deploy/web -o jsonpath={.spec.replicas}"), "2");
    assert_eq!(s.ok("set image deployment/web nginx=nginx:1.27"), "deployment.apps/web image updated\n");
    assert_eq!(s.ok("set image deployment/web nginx=nginx:1.27"), "");
    assert_eq!(s.ok("rollout pause deploy/web"), "deployment.apps/web paused\n");
    assert_eq!(
        s.run("rollout pause deploy/web").stderr,
        "error: deployments.apps \"web\" is already paused\n"
    );
    assert_eq!(s.ok("get deploy -o name"), "deployment.apps/web\n");
    let table = s.ok("get deploy -o wide");
    assert!(
        table.starts_with(
            "NAME   READY   UP-TO-DATE   AVAILABLE   AGE   CONTAINERS   IMAGES       SELECTOR\n"
        ),
        "{table}"
    );
    assert_eq!(s.ok("delete -f web.yaml"), "deployment.apps \"web\" deleted from default namespace\n");
    assert_eq!(s.run("get all").stderr, "No resources found in default namespace.\n");
}

/// `findNewReplicaSet`: a Deployment that was changed while it is paused has no new ReplicaSet. `DeploymentRollbacker` looks
/// for the revision before it refuses.
#[test]
fn the_new_replica_set_is_the_one_with_the_template() {
    let mut s = Server::new();
    s.ok("apply -f web.yaml");
    let uid = s.ok("get deploy web -o jsonpath={.metadata.uid}");
    let set = format!(
        "apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-1
  labels: {{app: web}}
  annotations: {{deployment.kubernetes.io/revision: \"1\"}}
  ownerReferences: [{{apiVersion: apps/v1, kind: Deployment, name: web, uid: {uid}, controller: true}}]
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web, pod-template-hash: x}}}}
  template:
    metadata: {{labels: {{app: web, pod-template-hash: x}}}}
    spec:
      containers:
      - {{name: nginx, image: \"nginx:1.26\"}}
"
    );
    assert_eq!(run("create -f set.yaml", &|_: &str| Some(set.clone()), &mut s).exit, 0);
    let sets = |s: &mut Server| -> Vec<String> {
        let text = s.ok("describe deploy web");
        let lines = text.lines().filter(|l| l.contains("ReplicaSet"));
        lines.map(|l| l.split_whitespace().take(3).collect::<Vec<_>>().join(" ")).collect()
    };
    assert_eq!(sets(&mut s), ["OldReplicaSets: <none>", "NewReplicaSet: web-1 (0/2"]);
    // `RolloutHistoryOptions.Run` prints each revision that is kept, the oldest first.
    let other = set.replace("web-1", "web-2").replace("revision: \"1\"", "revision: \"2\"");
    let other = other.replace("pod-template-hash: x", "pod-template-hash: z").replace("1.26", "1.27");
    let made = run("create -f set.yaml", &|_: &str| Some(other.clone()), &mut s);
    assert_eq!((made.exit, made.stderr.as_str()), (0, ""));
    assert_eq!(s.ok("rollout history deploy/web -o name"), "replicaset.apps/web-1\nreplicaset.apps/web-2\n");
    assert_eq!(s.ok("rollout history deploy/web -o yaml").matches("\n---\n").count(), 1);
    s.ok("delete rs web-2 --wait=false");
    s.ok("rollout pause deploy/web");
    s.ok("set image deploy/web nginx=nginx:1.27");
    assert_eq!(sets(&mut s), ["OldReplicaSets: web-1 (0/2", "NewReplicaSet: <none>"]);
    let said = |s: &mut Server, to: i32| {
        let text = s.run(&format!("rollout undo deploy/web --to-revision={to}")).stderr;
        text.lines().find(|l| l.starts_with("error")).unwrap_or_default().to_owned()
    };
    assert_eq!(said(&mut s, 7), "error: unable to find specified revision 7 in history");
    assert!(said(&mut s, 1).starts_with("error: you cannot rollback a paused deployment"));
}

#[test]
fn what_was_applied_last_is_kept_as_kubectl_writes_it() {
    let mut s = Server::new();
    s.ok("apply -f web.yaml");
    let text = s.ok(r"get deploy web -o jsonpath='{.metadata.annotations.kubectl\.kubernetes\.io/last-applied-configuration}'");
    assert_eq!(
        text,
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"annotations\":{},\"name\":\"web\",\"namespace\":\"default\"},\"spec\":{\"replicas\":2,\"selector\":{\"matchLabels\":{\"app\":\"web\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":[{\"image\":\"nginx:1.26\",\"name\":\"nginx\"}]}}}}\n"
    );
}

/// A client that counts the requests and hands back every wait.
struct Patient<'a> {
    server: &'a mut ApiServer,
    requests: usize,
}

impl ApiClient for Patient<'_> {
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        self.requests += 1;
        http(self.server, request)
    }
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
    fn wait(&mut self, _: &CommandWait) -> Waited {
        Waited::Later
    }
}

/// Drives a command as the page does, and wakes it `wakes` times. Returns its state and the number of its requests.
fn step(line: &str, files: BTreeMap<String, String>, server: &mut ApiServer, wakes: usize) -> (Poll, usize) {
    let mut kubectl = Kubectl::new(line, Rc::new(files), DiscoveryCache::default(), Timestamp::UNIX_EPOCH);
    let mut client = Patient { server, requests: 0 };
    let mut done = kubectl.drive(&mut client);
    for _ in 0..wakes {
        // A clone goes on from where the command waits.
        kubectl = kubectl.clone();
        kubectl.wake(Timestamp::UNIX_EPOCH);
        done = kubectl.drive(&mut client);
    }
    (done, client.requests)
}

#[test]
fn a_command_can_be_stepped_and_waits_as_a_value() {
    let mut s = Server::new();
    let (done, requests) = step("apply -f web.yaml", files(), &mut s.0, 0);
    assert_eq!(requests, 2);
    let Poll::Ready(out) = done else { panic!("it has ended") };
    assert_eq!(out.stdout, "deployment.apps/web created\n");
    let (done, requests) = step("rollout status deployment/web", files(), &mut s.0, 2);
    assert_eq!(requests, 3);
    let Poll::Wait(wait, out) = done else { panic!("it waits") };
    assert!(matches!(wait.what, WaitFor::Change { .. }));
    assert_eq!(out.stdout, "Waiting for deployment spec update to be observed...\n".repeat(3));
}

#[test]
fn a_document_costs_a_read_and_a_write() {
    for n in [1, 10, 100] {
        let mut s = Server::new();
        let map =
            |i| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{i}, finalizers: [a/b]}}\n");
        let all: Vec<String> = (0..n).map(map).collect();
        let files = BTreeMap::from([("all.yaml".to_owned(), all.join("---\n"))]);
        let (done, requests) = step("apply -f all.yaml", files.clone(), &mut s.0, 0);
        assert!(matches!(done, Poll::Ready(out) if out.stdout.lines().count() == n));
        // A read and a write for each document.
        assert_eq!(requests, 2 * n);
        // Three wakes run it again three times: nothing is asked again but whether the first is gone.
        let (done, requests) = step("delete -f all.yaml", files, &mut s.0, 3);
        assert!(matches!(done, Poll::Wait(..)));
        assert_eq!(requests, n + 4);
    }
}

#[test]
fn a_patch_is_one_request_and_its_warnings_are_given_once() {
    let mut s = Server::new();
    s.ok("apply -f web.yaml");
    let patch = r#"patch deployment web -p '{"spec":{"replicas":3,"replicaz":1}}' -v=6"#;
    let out = s.run(patch);
    assert_eq!(out.stdout, "deployment.apps/web patched\n");
    assert!(!s.ok("get deployment web -o yaml").contains("managedFields"));
    assert!(s.ok("get deployment web -o yaml --show-managed-fields").contains("manager: kubectl-patch"));
    assert!(
        s.ok("get deployment web -o jsonpath={.metadata.managedFields[*].manager}").contains("kubectl-patch")
    );
    assert_eq!(out.stderr.matches("verb=\"PATCH\"").count(), 1, "{}", out.stderr);
    assert_eq!(out.stderr.matches("verb=\"GET\"").count(), 1, "{}", out.stderr);
    assert_eq!(out.stderr.matches("Warning: unknown field \"spec.replicaz\"").count(), 1, "{}", out.stderr);
}

#[test]
fn a_long_list_is_asked_for_in_parts() {
    let mut s = Server::new();
    for i in 0..501 {
        s.ok(&format!("create configmap c{i:03}"));
    }
    let out = s.run("get configmaps -v=6 --no-headers");
    assert_eq!((out.stdout.lines().count(), out.stderr.lines().count()), (501, 2));
    assert!(out.stderr.contains("continue="), "{}", out.stderr);
    assert_eq!(s.ok("get configmaps -o name").lines().count(), 501);
}

#[test]
fn what_is_served_is_asked_of_the_server() {
    let mut s = Server::new();
    let out = s.run("get podz -v=6");
    assert_eq!(out.stderr.matches("verb=\"GET\"").count(), 2, "{}", out.stderr);
    assert!(
        out.stderr.ends_with("error: the server doesn't have a resource type \"podz\"\n"),
        "{}",
        out.stderr
    );
    // Of a name with its group the message has what stands before the group.
    let out = s.run("get podz.example.com");
    assert_eq!(out.stderr, "error: the server doesn't have a resource type \"podz\"\n");
    assert_eq!(s.run("get pods -v=6").stderr.matches("verb=\"GET\"").count(), 1);
    assert!(s.ok("api-resources").contains("deployments"));
    assert!(s.ok("get --raw /version").contains(steady::api::release::GIT_VERSION));
    assert_eq!(s.ok("auth can-i create pods"), "yes\n");
    assert_eq!(
        s.ok("auth whoami"),
        "ATTRIBUTE   VALUE\nUsername    kubernetes-admin\nGroups      [system:masters system:authenticated]\n"
    );
}

#[test]
fn no_line_panics() {
    const WORDS: &[&str] = &[
        "get",
        "apply",
        "create",
        "delete",
        "scale",
        "set",
        "image",
        "env",
        "resources",
        "patch",
        "label",
        "annotate",
        "rollout",
        "status",
        "history",
        "undo",
        "pause",
        "restart",
        "expose",
        "run",
        "cordon",
        "drain",
        "taint",
        "wait",
        "events",
        "api-resources",
        "describe",
        "replace",
        "deploy",
        "deploy/web",
        "pods",
        "all",
        "node",
        "web",
        "-f",
        "web.yaml",
        "bad.yaml",
        "-l",
        "app=web",
        "-o",
        "json",
        "yaml",
        "wide",
        "name",
        "jsonpath={.items[?(@.a==1)]}",
        "jsonpath={..a}",
        "custom-columns=A:.b,C",
        "go-template={{range .items}}{{.a}}{{end}}",
        "go-template={{if",
        "--all",
        "-A",
        "-n",
        "x",
        "--",
        "-",
        "--=",
        "--replicas=3",
        "--replicas",
        "a=b:NoSchedule",
        "a-",
        "nginx=x",
        "A=b",
        "--limits=cpu=1",
        "--for=condition=Ready",
        "--for=delete",
        "--timeout=1s",
        "--type=merge",
        "-p",
        "{}",
        "{bad",
        "--sort-by=.metadata.name",
        "--image=x",
        "--port=80",
        "deployment",
        "configmap",
        "--from-literal=a=b",
        "--dry-run=client",
        "--dry-run=server",
        "-c=é",
        "-é",
        "'",
        "\"",
        "\\",
        "--grace-period=0",
        "--force",
        "--cascade=orphan",
        "/",
        "a/b/c",
        ",",
        "--to-revision=1",
        "-L",
        "--show-labels",
        "--field-selector",
        "status.phase=Running",
        "--overwrite",
        "--list",
        "🦀",
        "--raw",
        "=",
        "--tcp=80:é",
    ];
    let mut s = Server::new();
    s.ok("apply -f web.yaml");
    let mut seed: u64 = 42;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    for _ in 0..20_000 {
        let n = 1 + next(7);
        let line: Vec<&str> = (0..n).map(|_| WORDS[next(WORDS.len())]).collect();
        s.run(&line.join(" "));
    }
}

#[test]
fn a_verbose_command_says_its_requests() {
    let mut s = Server::new();
    s.ok("apply -f web.yaml");
    let quiet = s.run("get deployment web -v=5");
    assert_eq!(quiet.stderr, "");
    let six = s.run("get deployment web -v=6");
    assert_eq!(six.stdout, quiet.stdout);
    let line = "round_trippers.go:632] \"Response\" verb=\"GET\" url=\"https://127.0.0.1:6443/apis/apps/v1/namespaces/default/deployments/web\" status=\"200 OK\" milliseconds=0\n";
    assert!(six.stderr.ends_with(line), "{}", six.stderr);
    let nine = s.run("scale deployment web --replicas=3 --v 9");
    assert!(nine.stderr.contains("curl -v -XPATCH"), "{}", nine.stderr);
    assert!(
        nine.stderr.contains("\"Request Body\" body=\"{\\\"spec\\\":{\\\"replicas\\\":3}}\""),
        "{}",
        nine.stderr
    );
}

#[test]
fn roles_and_bindings_are_made_and_described() {
    let mut s = Server::new();
    let yaml = |s: &mut Server, line: &str| s.ok(&format!("{line} --dry-run=client -o yaml"));
    // After `pkg/cmd/create/create_role_test.go` and `create_ingress_test.go` of kubectl.
    assert_eq!(
        yaml(
            &mut s,
            "create role r --verb=get,watch,get --resource=pods,deployments.apps,pods/status --resource-name=a"
        ),
        "apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: r
rules:
- apiGroups:
  - \"\"
  resourceNames:
  - a
  resources:
  - pods
  - pods/status
  verbs:
  - get
  - watch
- apiGroups:
  - apps
  resourceNames:
  - a
  resources:
  - deployments
  verbs:
  - get
  - watch
"
    );
    for (line, error) in [
        ("create role r --resource=pods", "at least one verb must be specified"),
        ("create role r --verb=get", "at least one resource must be specified"),
        ("create role r --verb=use --resource=pods", "can not perform 'use' on 'pods' in group ''"),
        (
            "create role r --verb=get --resource=/status",
            "resource must be specified if apiGroup/subresource specified",
        ),
        ("create clusterrole r --verb=get", "one of resource or nonResourceURL must be specified"),
        ("create clusterrole r --verb=list --non-resource-url=/a", "invalid verb: 'list' for nonResourceURL"),
        ("create clusterrole r --verb=get --non-resource-url=a", "nonResourceURL should start with /"),
        (
            "create clusterrole r --verb=get --non-resource-url=/*/a",
            "nonResourceURL only supports wildcard matches when '*' is at the end",
        ),
        ("create rolebinding b --user=jane", "exactly one of clusterrole or role must be specified"),
        ("create rolebinding b --role=r --serviceaccount=a", "serviceaccount must be <namespace>:<name>"),
        (
            "create ingress web",
            "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
        ),
        (
            "create ingress web --rule=foo",
            "rule foo is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]",
        ),
        (
            "create ingress web --default-backend=foo",
            "default-backend should be in format servicename:serviceport",
        ),
    ] {
        let out = s.run(line);
        assert_eq!((out.exit, out.stderr), (1, format!("error: {error}\n")), "{line}");
    }
    // The error of kubectl's REST mapper has no `error:` before it.
    let unknown = s.run("create role r --verb=get --resource=foos");
    assert_eq!(
        (unknown.exit, unknown.stderr.as_str()),
        (1, "the server doesn't have a resource type \"foos\"\n")
    );
    let warned = s.run("create role w --verb=foo --resource=pods");
    assert_eq!(
        (warned.exit, warned.stderr.as_str()),
        (0, "Warning: 'foo' is not a standard resource verb\n")
    );
    s.ok("create clusterrole c --verb=get,list --resource=pods,replicasets.apps/scale");
    assert_eq!(
        s.ok("describe clusterrole c"),
        "Name:         c
Labels:       <none>
Annotations:  <none>
PolicyRule:
  Resources               Non-Resource URLs  Resource Names  Verbs
  ---------               -----------------  --------------  -----
  pods                    []                 []              [get list]
  replicasets.apps/scale  []                 []              [get list]
"
    );
    s.ok(
        "create clusterrolebinding b --clusterrole=c --user=jane --group=g --serviceaccount=default:default",
    );
    assert_eq!(
        s.ok("get clusterrolebinding b -o wide"),
        "NAME   ROLE            AGE   USERS   GROUPS   SERVICEACCOUNTS\nb      ClusterRole/c   0s    jane    g        default/default\n"
    );
    assert_eq!(
        s.ok("describe clusterrolebinding b"),
        "Name:         b
Labels:       <none>
Annotations:  <none>
Role:
  Kind:  ClusterRole
  Name:  c
Subjects:
  Kind            Name     Namespace
  ----            ----     ---------
  User            jane     
  Group           g        
  ServiceAccount  default  default
"
    );
    assert_eq!(s.ok("get clusterrole c"), "NAME   CREATED AT\nc      1970-01-01T00:00:00Z\n");
    // Beside those that a new cluster has.
    assert!(s.ok("get clusterrole").lines().count() > 70);
}

#[test]
fn an_ingress_is_made_from_rules_and_described() {
    let mut s = Server::new();
    s.ok("create -f range.yaml");
    s.ok(
        r#"patch servicecidr kubernetes --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"True","reason":"Test","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}'"#,
    );
    let line = "create ingress web --class=nginx --default-backend=fallback:http --annotation=a=b --rule=foo.com/path*=svc:8080,tls=cert --rule=foo.com/admin=svcadmin:portadmin,tls=cert --rule=/x=svc:80";
    assert_eq!(
        s.ok(&format!("{line} --dry-run=client -o jsonpath={{.spec.tls}}{{.spec.rules[*].host}}{{.spec.rules[0].http.paths[*].pathType}}")),
        r#"[{"hosts":["foo.com"],"secretName":"cert"}]foo.comPrefix Exact"#
    );
    s.ok(line);
    s.ok("create service clusterip svc --tcp=8080:80");
    for (line, why) in [
        ("clusterip a --tcp=abc", "error: strconv.ParseUint: parsing \"abc\": invalid syntax\n"),
        ("clusterip a --tcp=70000", "error: strconv.ParseUint: parsing \"70000\": value out of range\n"),
        ("nodeport a --tcp=80:0", "error: must be between 1 and 65535, inclusive\n"),
        ("externalname a --external-name=a_b", "error: invalid service external name a_b\n"),
        ("loadbalancer a --tcp=80 --node-port=30000", "error: unknown flag: --node-port\n"),
    ] {
        let out = s.run(&format!("create service {line} --dry-run=client"));
        assert!(out.stderr.starts_with(why), "{line}: {}", out.stderr);
    }
    assert_eq!(
        s.ok("get ingress"),
        "NAME   CLASS   HOSTS     ADDRESS   PORTS     AGE\nweb    nginx   foo.com             80, 443   0s\n"
    );
    assert_eq!(
        s.ok("describe ing web"),
        "Name:             web
Labels:           <none>
Namespace:        default
Address:          
Ingress Class:    nginx
Default backend:  fallback:http (<error: services \"fallback\" not found>)
TLS:
  cert terminates foo.com
Rules:
  Host        Path  Backends
  ----        ----  --------
  foo.com     
              /path    svc:8080 (<none>)
              /admin   svcadmin:portadmin (<error: services \"svcadmin\" not found>)
  *           
              /x   svc:80 (<none>)
Annotations:  a: b
Events:       <none>
"
    );
}

#[test]
fn secrets_for_registries_and_certificates() {
    let mut s = Server::new();
    let refused = s.run("create secret docker-registry r --docker-username=u");
    assert_eq!(
        refused.stderr,
        "error: either --from-file or the combination of --docker-username, --docker-password and --docker-server is required\n"
    );
    s.ok("create secret docker-registry r --docker-username=u --docker-password=p --docker-email=e@x");
    let read = s.run("get secret r -o jsonpath={.type}:{.data}");
    // Base64 of {"auths":{"https://index.docker.io/v1/":{"username":"u","password":"p","email":"e@x","auth":"dTpw"}}}.
    let text = "eyJhdXRocyI6eyJodHRwczovL2luZGV4LmRvY2tlci5pby92MS8iOnsidXNlcm5hbWUiOiJ1IiwicGFzc3dvcmQiOiJwIiwiZW1haWwiOiJlQHgiLCJhdXRoIjoiZFRwdyJ9fX0=";
    assert_eq!(read.stdout, format!("kubernetes.io/dockerconfigjson:{{\".dockerconfigjson\":\"{text}\"}}"));
    assert_eq!(s.run("create secret tls t --cert=a").stderr, "error: key and cert must be specified\n");
    let files = |name: &str| {
        let pem = |what: &str| format!("-----BEGIN {what}-----\nAA==\n-----END {what}-----\n");
        match name {
            "t.crt" => Some(pem("CERTIFICATE")),
            "t.key" => Some(pem("PRIVATE KEY")),
            "no.key" => Some("x".to_owned()),
            _ => None,
        }
    };
    let out = run("create secret tls t --cert=t.crt --key=no.key", &files, &mut s);
    assert_eq!(out.stderr, "error: tls: failed to find any PEM data in key input\n");
    let out = run("create secret tls t --cert=t.crt --key=t.key", &files, &mut s);
    assert_eq!(out.stdout, "secret/t created\n", "{out:?}");
    assert_eq!(s.run("get secret t -o jsonpath={.type}").stdout, "kubernetes.io/tls");
}

#[test]
fn a_secrets_values_are_not_shown_by_diff() {
    let mut s = Server::new();
    s.ok("create secret generic s --from-literal=same=x --from-literal=other=y --from-literal=gone=z");
    // Base64 of x, new and more.
    let changed = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {same: eA==, other: bmV3, more: bW9yZQ==}\n";
    let diff = |s: &mut Server, flags: &str| {
        let files = |name: &str| (name == "s.yaml").then(|| changed.to_owned());
        let out = run(&format!("diff -f s.yaml{flags}"), &files, s);
        assert_eq!(out.exit, 1, "{out:?}");
        let lines = out.stdout.lines().filter(|l| l.starts_with(['+', '-']) && !l.contains("/tmp/"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(diff(&mut s, ""), ["-  other: '*** (before)'", "+  more: '***'", "+  other: '*** (after)'"]);
    assert!(diff(&mut s, " --show-secrets").contains(&"+  other: bmV3".to_owned()));
}

#[test]
fn a_flag_before_what_is_no_command() {
    let mut s = Server::new();
    for (line, exit, stderr) in [
        ("--help | head", 1, "Error: flags cannot be placed before plugin name: --help\n"),
        ("-x y z", 1, "Error: flags cannot be placed before plugin name: -x\n"),
        ("--help get", 0, ""),
        ("-n kube-system get pods", 0, "No resources found in kube-system namespace.\n"),
        (
            "config get-contexts -x",
            1,
            "error: unknown shorthand flag: 'x' in -x\nSee 'kubectl config get-contexts --help' for usage.\n",
        ),
    ] {
        let out = s.run(line);
        assert_eq!((out.exit, out.stderr.as_str()), (exit, stderr), "{line}");
    }
}

#[test]
fn help_says_how_a_command_is_used_and_what_its_flags_are_by_default() {
    let mut s = Server::new();
    let help = s.run("scale --help");
    assert_eq!((help.exit, help.stderr.as_str()), (0, ""));
    for part in [
        "Set how many replicas a workload has.\n\nOptions:\n",
        "\n    --current-replicas=-1\n",
        "\n    --dry-run='none'\n    --field-selector=''\n    -f, --filename=[]\n",
        "\n    -l, --selector=''\n",
        "\n    --timeout=0s\n",
        "\n\nUsage:\n  kubectl scale [--resource-version=version]",
    ] {
        assert!(help.stdout.contains(part), "{part}\n{}", help.stdout);
    }
    assert_eq!(s.run("help scale").stdout, help.stdout);
    assert_eq!(s.run("scale deployment web -h").stdout, help.stdout);
    // A group prints the help that it prints without one of its commands.
    let group = s.run("rollout");
    assert_eq!((s.run("rollout --help").stdout, s.run("help rollout").exit), (group.stdout, 0));
    let create = s.run("create --help").stdout;
    assert!(create.contains("Available Commands:\n") && create.contains("\n  configmap "), "{create}");
    let aliases = s.run("help create cm").stdout;
    assert!(aliases.contains("Aliases:\nconfigmap, cm\n"), "{aliases}");
    assert!(s.run("").stdout.contains("\nTroubleshooting and Debugging Commands:\n  describe "));
    for (command, manager) in [
        ("apply", "kubectl-client-side-apply"),
        ("apply edit-last-applied", "kubectl-client-side-apply"),
        ("create", "kubectl-create"),
        ("create role", "kubectl-create"),
        ("diff", "kubectl-client-side-apply"),
        ("edit", "kubectl-edit"),
        ("rollout restart", "kubectl-rollout"),
        ("run", "kubectl-run"),
        ("set image", "kubectl-set"),
    ] {
        let help = s.run(&format!("{command} --help")).stdout;
        assert!(help.contains(&format!("\n    --field-manager='{manager}'\n")), "{command}\n{help}");
    }
    // What is no command is no error.
    let unknown = s.run("help no such");
    assert_eq!((unknown.exit, unknown.stdout.as_str()), (0, ""));
    let usage = s.run("").stdout;
    let usage = usage.strip_prefix("kubectl controls the Kubernetes cluster manager.\n\n");
    assert_eq!(unknown.stderr.strip_prefix("Unknown help topic [`no` `such`]\n\n"), usage);
    assert_eq!(s.run("help get such").exit, 0);
}

#[test]
fn a_flag_that_is_not_given_has_the_value_that_help_shows() {
    let mut s = Server::new();
    let managers = |s: &mut Server, object: &str| {
        let all = s.ok(&format!(
            "get {object} -o jsonpath={{.metadata.managedFields[*].manager}} --show-managed-fields"
        ));
        let mut all: Vec<String> = all.split(' ').map(str::to_owned).collect();
        all.sort();
        all.join(" ")
    };
    s.ok("create serviceaccount default");
    s.ok("run web --image=nginx");
    assert_eq!(managers(&mut s, "pod/web"), "kubectl-run");
    s.ok("label pod web a=b");
    s.ok("annotate pod web a=b --field-manager=somebody");
    assert_eq!(managers(&mut s, "pod/web"), "kubectl-label kubectl-run somebody");
    s.ok("create configmap c --from-literal=a=b");
    assert_eq!(managers(&mut s, "cm/c"), "kubectl-create");
    // `RunSetLastApplied` (`apply_set_last_applied.go`), `PatchOrReplaceWithContext` (`drain/cordon.go`) and
    // `debugByEphemeralContainer` (`debug.go`) name no manager: the server takes the first word of the `User-Agent`.
    let named = |kind: &str| {
        // An object of which nobody owns a field gets no owners later.
        format!("{{apiVersion: v1, kind: {kind}, metadata: {{name: c, labels: {{a: b}}}}}}")
    };
    let set = "apply set-last-applied -f c.yaml --create-annotation";
    assert_eq!(run(set, &|_: &str| Some(named("ConfigMap")), &mut s).exit, 0);
    assert_eq!(managers(&mut s, "cm/c"), "kubectl kubectl-create");
    assert_eq!(run("create -f c.yaml", &|_: &str| Some(named("Node")), &mut s).exit, 0);
    s.ok("cordon c");
    assert_eq!(managers(&mut s, "node/c"), "kubectl kubectl-create");
    s.ok("debug web --image=busybox");
    assert_eq!(managers(&mut s, "pod/web"), "kubectl kubectl-label kubectl-run somebody");
    for (flag, manager) in [("", "kubectl-client-side-apply"), ("--server-side", "kubectl")] {
        s.ok(&format!("apply -f web.yaml {flag}"));
        assert_eq!(managers(&mut s, "deployment/web"), manager);
        s.ok("delete deployment web --wait=false");
    }
    for (line, error) in [
        ("logs web --pod-running-timeout=0s", "error: --pod-running-timeout must be higher than zero\n"),
        (
            "exec web --pod-running-timeout=-1s -- ls",
            "error: --pod-running-timeout must be higher than zero\nSee 'kubectl exec -h' for help and examples\n",
        ),
        (
            "scale pod web --replicas=1 --field-manager=x",
            "error: unknown flag: --field-manager\nSee 'kubectl scale --help' for usage.\n",
        ),
    ] {
        assert_eq!(s.run(line).stderr, error, "{line}");
    }
}

#[test]
fn a_request_for_a_certificate_is_decided_once() {
    use base64::Engine as _;
    let mut s = Server::new();
    let encoded =
        base64::engine::general_purpose::STANDARD.encode(include_str!("../src/api/pkcs10_test.pem"));
    let request = |name: &str| {
        let kind = "{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest";
        format!(
            "{kind}, metadata: {{name: {name}}}, spec: {{request: {encoded}, signerName: a.com/b, usages: [client auth], expirationSeconds: 864000}}}}"
        )
    };
    let files = |name: &str| (name == "csr.yaml").then(|| request("jane"));
    assert_eq!(run("create -f csr.yaml", &files, &mut s).exit, 0);
    assert_eq!(
        s.run("certificate approve").stderr,
        "error: one or more CSRs must be specified as <name> or -f <filename>\n"
    );
    let approved = "certificatesigningrequest.certificates.k8s.io/jane approved\n";
    assert_eq!(s.ok("certificate approve jane"), approved);
    assert_eq!(s.ok("certificate approve jane"), approved);
    assert_eq!(run("certificate approve -f csr.yaml", &files, &mut s).stdout, approved);
    assert_eq!(s.ok("get csr jane -o jsonpath={.status.conditions[*].reason}"), "KubectlApprove");
    let out = s.run("certificate deny jane nobody");
    assert_eq!((out.exit, out.stdout.as_str()), (1, ""));
    assert_eq!(
        out.stderr,
        "certificate signing request \"jane\" is already Approved\nError from server (NotFound): certificatesigningrequests.certificates.k8s.io \"nobody\" not found\n"
    );
    assert_eq!(
        s.ok("describe csr jane"),
        "Name:                jane
Labels:              <none>
Annotations:         <none>
CreationTimestamp:   Thu, 01 Jan 1970 00:00:00 +0000
Requesting User:     kubernetes-admin
Signer:              a.com/b
Requested Duration:  10d
Status:              Approved
Subject:
  Common Name:    jane
  Serial Number:  
  Organization:   dev
Subject Alternative Names:
         DNS Names:     a.example.com
         IP Addresses:  10.0.0.1
Events:  <none>
"
    );
}

#[test]
fn other_versions_of_a_kind_are_kinds_of_their_own() {
    let mut s = Server::new();
    let hpa = "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: {maxReplicas: 3, targetCPUUtilizationPercentage: 70, scaleTargetRef: {kind: Deployment, name: web, apiVersion: apps/v1}}}";
    let files = |name: &str| (name == "hpa.yaml").then(|| hpa.to_owned());
    for line in ["apply -f hpa.yaml", "apply -f hpa.yaml"] {
        assert_eq!(run(line, &files, &mut s).exit, 0);
    }
    let cpu = "-o jsonpath='{.apiVersion} {.spec.targetCPUUtilizationPercentage} {.spec.metrics[0].resource.target.averageUtilization}'";
    assert_eq!(run(&format!("get -f hpa.yaml {cpu}"), &files, &mut s).stdout, "autoscaling/v1 70 ");
    assert_eq!(s.ok(&format!("get hpa.v1.autoscaling web {cpu}")), "autoscaling/v1 70 ");
    assert_eq!(s.ok(&format!("get hpa web {cpu}")), "autoscaling/v2  70");
    let text = s.ok("describe hpa.v1.autoscaling web");
    assert!(text.contains("<unknown> / 70%"), "{text}");
    assert_eq!(s.ok("label hpa.v1.autoscaling web a=b"), "horizontalpodautoscaler.autoscaling/web labeled\n");
    assert_eq!(s.ok(&format!("get hpa web {cpu}")), "autoscaling/v2  70");
    let text = s.ok("explain hpa.spec --api-version=autoscaling/v1");
    assert!(text.contains("targetCPUUtilizationPercentage\t<integer>"), "{text}");
    assert_eq!(s.run("get events.events.k8s.io").stderr, "No resources found in default namespace.\n");
}

const EVERYTHING: &str = r#"
apiVersion: v1
kind: Pod
metadata:
  name: all
  annotations:
    note: "two\nlines\n"
spec:
  serviceAccountName: default
  automountServiceAccountToken: false
  readinessGates:
  - conditionType: example.com/ready
  securityContext:
    seccompProfile: {type: RuntimeDefault}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {a: b}}}
  containers:
  - name: c
    image: i:1
    env:
    - {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    - {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    - {name: TEXT, value: "one\ntwo"}
    volumeMounts:
    - {name: down, mountPath: /z}
    - {name: nfs, mountPath: /a, readOnly: true}
    volumeDevices:
    - {name: block, devicePath: /dev/x}
  volumes:
  - name: nfs
    nfs: {server: s, path: /p}
  - name: down
    downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}
  - name: block
    ephemeral:
      volumeClaimTemplate:
        spec: {accessModes: [ReadWriteOnce], storageClassName: fast, volumeMode: Block, resources: {requests: {storage: 1Gi}}}
  - name: driver
    csi: {driver: d.example.com, volumeAttributes: {a: "1", b: "2"}}
  - name: picture
    image: {reference: i:2}
"#;

/// The blanks before the labels and annotations of a claim and before a driver's attributes are those of kubectl's
/// `nestedPrefixWriter` and `printCSIPersistentVolumeAttributesMultilineIndent` (`pkg/describe/describe.go`).
#[test]
fn a_description_of_a_pod_has_all_its_parts() {
    let mut s = Server::new();
    s.ok("create serviceaccount default");
    let made = run("apply -f all.yaml", &|_: &str| Some(EVERYTHING.to_owned()), &mut s);
    assert_eq!((made.exit, made.stderr.as_str()), (0, ""));
    let shown = s.ok("describe pod all");
    for part in [
        "Annotations:      note:\n                    two\n                    lines\n",
        "SeccompProfile:   RuntimeDefault\n",
        "    Environment:\n      NAME:  all (v1:metadata.name)\n      IP:     (v1:status.podIP)\n      CPU:   node allocatable (limits.cpu)\n      TEXT:  one\n             two\n",
        "    Mounts:\n      /a from nfs (ro)\n      /z from down (rw)\n    Devices:\n      /dev/x from block\n",
        "Readiness Gates:\n  Type                Status\n  example.com/ready   <none> \n",
        "  nfs:\n    Type:      NFS (an NFS mount that lasts the lifetime of a pod)\n    Server:    s\n    Path:      /p\n    ReadOnly:  false\n",
        "    Items:\n      metadata.name -> name\n",
        "    Type:          EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)\n    StorageClass:  fast\n    Volume:        \n    Labels:            <none>\n    Annotations:       <none>\n    Capacity:      \n    Access Modes:  \n    VolumeMode:    Block\n",
        "    VolumeAttributes:      a=1\n                           b=2\n",
        "    PullPolicy:   ",
        "Topology Spread Constraints:  zone:ScheduleAnyway when max skew 1 is exceeded for selector a=b\n",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
}

#[test]
fn questions_about_access_are_asked_in_kubectls_words() {
    let mut s = Server::new();
    assert_eq!(s.ok("auth can-i get pods"), "yes\n");
    let odd = s.run("auth can-i fly nodes");
    assert_eq!(
        (odd.exit, odd.stderr.as_str()),
        (
            0,
            "Warning: resource 'nodes' is not namespace scoped\n\nWarning: verb 'fly' is not a known verb\n\n"
        )
    );
    let list = s.ok("auth can-i --list");
    let words: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    // Everything, by the role `cluster-admin`, which is bound to the administrator's group.
    assert!(
        words.contains(&vec!["*.*", "[]", "[]", "[*]"]) && words.contains(&vec!["[*]", "[]", "[*]"]),
        "{list}"
    );
    assert_eq!(s.run("auth can-i list secrets --as=jane").stdout, "no\n");
    let refused = s.run("get secrets --as=jane --as-group=dev");
    assert_eq!(
        refused.stderr,
        "Error from server (Forbidden): secrets is forbidden: User \"jane\" cannot list resource \"secrets\" in API group \"\" in the namespace \"default\"\n"
    );
    // `validateAuthInfo` of `client-go/tools/clientcmd/validation.go`.
    let unnamed = s.run("get secrets --as-group=dev");
    assert!(
        unnamed.exit == 1
            && unnamed
                .stderr
                .starts_with("error: invalid configuration: requesting uid, groups or user-extra for ")
            && unnamed.stderr.ends_with(" without impersonating a user\n"),
        "{}",
        unnamed.stderr
    );
    for (line, error) in [
        ("auth can-i get pods --no-headers", "--no-headers cannot be set without --list specified"),
        ("auth can-i --list get pods", "list option must be specified with no arguments"),
        (
            "auth can-i --list -q",
            "list option can't be specified with neither quiet, all-namespaces nor subresource options",
        ),
        ("auth can-i get /x --subresource=log", "--subresource can not be used with NonResourceURL"),
        (
            "create token a --bound-object-kind=Pod",
            "--bound-object-name is required if --bound-object-kind is provided",
        ),
        ("create token a --duration=5ms", "--duration cannot be expressed in units less than seconds"),
    ] {
        let out = s.run(line);
        assert_eq!((out.exit, out.stderr), (1, format!("error: {error}\n")), "{line}");
    }
    let whoami = s.ok("auth whoami -o yaml");
    assert!(
        whoami.contains("  userInfo:\n    groups:\n    - system:masters\n    - system:authenticated\n    username: kubernetes-admin\n"),
        "{whoami}"
    );
}

/// What a metrics server has of two pods and a node.
fn measured() -> Aggregated {
    let now = Timestamp::UNIX_EPOCH;
    let usage = |cpu: &str, memory: &str| Usage {
        cpu: Amount::parse(cpu).unwrap(),
        memory: Amount::parse(memory).unwrap(),
    };
    let meta = |name: &str, namespace: &str, app: &str| ObjectMeta {
        name: Some(name.into()),
        namespace: Some(namespace.into()).filter(|n: &String| !n.is_empty()),
        labels: Some([("app".to_owned(), app.to_owned())].into()),
        ..Default::default()
    };
    let pod = |name: &str, namespace: &str, app: &str, containers: &[(&str, &str, &str)]| {
        let container = |(name, cpu, memory): &(&str, &str, &str)| ContainerMetrics {
            name: (*name).to_owned(),
            usage: usage(cpu, memory),
            start: None,
        };
        let metrics = PodMetrics {
            key: Key::new(namespace, name),
            timestamp: now,
            window: jiff::SignedDuration::from_secs(15),
            containers: containers.iter().map(container).collect(),
        };
        metrics.to_object(&meta(name, namespace, app), now).unwrap()
    };
    let node = metrics::of_node(&meta("n", "", ""), now, Default::default(), usage("500m", "1Gi"), now);
    let all = [
        pod("small", "default", "web", &[("c", "10m", "64Mi")]),
        pod("large", "default", "web", &[("b", "1500u", "32Mi"), ("a", "300m", "32Mi")]),
        pod("other", "team", "db", &[("c", "1", "1Gi")]),
        node.unwrap(),
    ];
    Aggregated::Available(all.into())
}

#[test]
fn top_prints_what_the_metrics_server_has() {
    let mut server = Server::new();
    let said = server.run("top pod");
    assert_eq!((said.exit, said.stderr.as_str()), (1, "error: Metrics API not available\n"));
    server.0.set_aggregated(measured());
    let squeezed = |text: String| {
        let line = |l: &str| l.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().map(line).collect::<Vec<_>>()
    };
    let mut top = |line: &str| squeezed(server.ok(line));
    assert_eq!(top("top pod"), ["NAME CPU(cores) MEMORY(bytes)", "large 302m 64Mi", "small 10m 64Mi"]);
    assert_eq!(
        top("top pods -A --sort-by=cpu --no-headers"),
        ["team other 1000m 1024Mi", "default large 302m 64Mi", "default small 10m 64Mi"]
    );
    assert_eq!(
        top("top pod large --containers"),
        ["POD NAME CPU(cores) MEMORY(bytes)", "large a 300m 32Mi", "large b 2m 32Mi"]
    );
    assert_eq!(
        top("top pod -l app=web --sum"),
        [
            "NAME CPU(cores) MEMORY(bytes)",
            "large 302m 64Mi",
            "small 10m 64Mi",
            "________ ________",
            "312m 128Mi"
        ]
    );
    assert_eq!(top("get pods.metrics.k8s.io small"), ["NAME CPU MEMORY WINDOW", "small 10m 64Mi 15s"]);
    let said = server.run("top pod -n none");
    assert_eq!((said.exit, said.stderr.as_str()), (0, "No resources found in none namespace.\n"));
}

#[test]
fn top_says_what_is_wrong() {
    let mut server = Server::new();
    server.0.set_aggregated(measured());
    for (line, why) in [
        (
            "top pod none",
            "Error from server (NotFound): podmetrics.metrics.k8s.io \"default/none\" not found\n",
        ),
        ("top pod --sort-by=name", "error: --sort-by accepts only cpu or memory\n"),
        ("top pod a -l a=b", "error: only one of NAME or selector can be provided\n"),
        ("top node a -l a=b", "error: only one of NAME or --selector can be provided\n"),
        ("top node n", "Error from server (NotFound): nodes \"n\" not found\n"),
        ("top pod a b", "error: pod [NAME | -l label]\nSee 'kubectl top pod -h' for help and examples\n"),
    ] {
        let said = server.run(line);
        assert_eq!((said.exit, said.stderr.as_str()), (1, why), "{line}");
    }
    server.0.set_aggregated(Aggregated::Unavailable);
    let said = server.run("top pod");
    let why = "Error from server (ServiceUnavailable): the server is currently unable to handle the request (get pods.metrics.k8s.io)\n";
    assert_eq!(said.stderr, why);
}

/// A client whose time goes on when a command waits. Nobody removes a pod that is being deleted.
struct Clocked {
    server: Server,
    now: Timestamp,
}

impl Clocked {
    fn run(&mut self, line: &str) -> Output {
        kubectl::run(line, &|_: &str| None, &mut DiscoveryCache::default(), self)
    }
}

impl ApiClient for Clocked {
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        http(&mut self.server.0, request)
    }
    fn now(&self) -> Timestamp {
        self.now
    }
    fn wait(&mut self, wait: &CommandWait) -> Waited {
        let Some(until) = wait.until else { return Waited::Never };
        self.now = self.now.max(until);
        Waited::Again
    }
}

/// A node with two pods, of which a budget protects one.
fn occupied() -> Clocked {
    let mut server = Server::new();
    let post = |server: &mut Server, path: &str, body: serde_json::Value| {
        let request = HttpRequest {
            method: "POST".into(),
            path: path.into(),
            body: body.to_string().into_bytes(),
            ..Default::default()
        };
        let answer = http(&mut server.0, &request);
        assert_eq!(answer.status, 201, "{}", answer.body);
    };
    let pod = |name: &str| {
        serde_json::json!({
            "metadata": {"name": name, "labels": {"app": name}},
            "spec": {"nodeName": "n", "automountServiceAccountToken": false, "containers": [{"name": "c", "image": "nginx"}]}
        })
    };
    post(&mut server, "/api/v1/nodes", serde_json::json!({"metadata": {"name": "n"}}));
    post(
        &mut server,
        "/api/v1/namespaces/default/serviceaccounts",
        serde_json::json!({"metadata": {"name": "default"}}),
    );
    for name in ["kept", "loose"] {
        post(&mut server, "/api/v1/namespaces/default/pods", pod(name));
        // Pods that have not started are evicted whatever their budgets say.
        server.ok(&format!(
            r#"patch pod {name} --subresource=status --type=merge -p '{{"status":{{"phase":"Running"}}}}'"#
        ));
    }
    let budget = serde_json::json!({
        "metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "kept"}}}
    });
    post(&mut server, "/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget);
    Clocked { server, now: Timestamp::UNIX_EPOCH }
}

#[test]
fn a_drain_that_takes_too_long_says_what_is_left() {
    let out = occupied().run("drain n --force --timeout=8s");
    assert_eq!(out.exit, 1);
    let tries = "evicting pod default/kept\nevicting pod default/loose\n";
    assert_eq!(
        out.stdout,
        format!("node/n cordoned\n{tries}evicting pod default/kept\nevicting pod default/kept\n")
    );
    let refused = "error when evicting pods/\"kept\" -n \"default\" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.\n";
    let loose = "error when waiting for pod \"loose\" in namespace \"default\" to terminate: context deadline exceeded";
    let kept = "error when evicting pods/\"kept\" -n \"default\": global timeout reached: 8s";
    let warning = "Warning: deleting Pods that declare no controller: default/kept, default/loose\n";
    assert_eq!(
        out.stderr,
        format!(
            "{warning}{refused}{refused}There are pending pods in node \"n\" when an error occurred: [{loose}, {kept}]\npod/kept\npod/loose\nerror: unable to drain node \"n\" due to error: [{loose}, {kept}], continuing command...\nThere are pending nodes to be drained:\n n\n{loose}\n{kept}\n"
        )
    );
}

#[test]
fn a_drain_without_evictions_deletes_pods_whatever_their_budgets_say() {
    let mut client = occupied();
    let out = client.run("drain n --force --disable-eviction --timeout=8s");
    assert_eq!((out.exit, out.stdout.as_str()), (1, "node/n cordoned\n"));
    assert!(
        out.stderr
            .ends_with("There are pending nodes to be drained:\n n\nerror: context deadline exceeded\n"),
        "{}",
        out.stderr
    );
    client.now += std::time::Duration::from_secs(60);
    let out = client.run("drain n --force --disable-eviction --skip-wait-for-delete-timeout=30");
    assert_eq!(out.exit, 0, "{}", out.stderr);
    assert_eq!(out.stdout, "node/n already cordoned\nnode/n drained\n");
}

#[test]
fn what_configmaps_and_secrets_are_made_of() {
    let files: BTreeMap<String, String> = [
        ("conf/b.txt", "bee"),
        ("conf/a.txt", "ay"),
        ("conf/inner/c.txt", "see"),
        ("bad key", "x"),
        (".env", "\u{feff}# comment\n  A=1 \n\nB.C=x=y\nD\n"),
        ("odd.env", "1A=2\n"),
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()))
    .into();
    let mut s = Server::new();
    let mut data = |line: &str| {
        let out = run(&format!("create {line} --dry-run=client -o jsonpath={{.data}}"), &files, &mut s);
        assert_eq!((out.exit, out.stderr.as_str()), (0, ""), "{line}");
        out.stdout
    };
    assert_eq!(data("configmap c --from-file=conf"), r#"{"a.txt":"ay","b.txt":"bee"}"#);
    assert_eq!(
        data("configmap c --from-file=./conf/inner/ --from-literal=a=b"),
        r#"{"a":"b","c.txt":"see"}"#
    );
    assert_eq!(data("configmap c --from-file=k=conf/b.txt"), r#"{"k":"bee"}"#);
    assert_eq!(data("configmap c --from-env-file=.env"), r#"{"A":"1 ","B.C":"x=y","D":""}"#);
    assert_eq!(data("secret generic c --from-file=k=conf/b.txt"), r#"{"k":"YmVl"}"#);
    let name = "create configmap c --append-hash --dry-run=client -o name";
    assert!(run(name, &files, &mut s).stdout.starts_with("configmap/c-"), "{name}");
    let key = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    for (line, error) in [
        ("configmap c --from-file=k=conf", "cannot give a key name for a directory path".to_owned()),
        ("configmap c --from-file='bad key'", format!("\"bad key\" is not a valid key name for a ConfigMap: {key}")),
        ("secret generic c --from-file='bad key'", format!("\"bad key\" is not valid key name for a Secret {key}")),
        ("configmap c --from-file==conf", "key name for file path conf missing".to_owned()),
        ("configmap c --from-file=k=", "file path for key name k missing".to_owned()),
        ("configmap c --from-file=a=b=c", "key names or file paths cannot contain '='".to_owned()),
        ("configmap c --from-file=none", "error reading none: no such file or directory".to_owned()),
        (
            "configmap c --from-literal=a=1 --from-literal=a=2",
            "cannot add key \"a\", another key by that name already exists in Data for ConfigMap \"c\"".to_owned(),
        ),
        (
            "secret generic c --from-literal=a=1 --from-literal=a=2",
            "cannot add key a, another key by that name already exists".to_owned(),
        ),
        (
            "configmap c --from-literal=a=1 --from-env-file=.env",
            "from-env-file cannot be combined with from-file or from-literal".to_owned(),
        ),
        ("configmap c --from-env-file=conf", "env config file cannot be a directory".to_owned()),
        (
            "configmap c --from-env-file=odd.env",
            "\"1A\" is not a valid key name: a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')".to_owned(),
        ),
    ] {
        let out = run(&format!("create {line}"), &files, &mut s);
        assert_eq!((out.exit, out.stderr), (1, format!("error: {error}\n")), "{line}");
    }
    s.ok("create secret generic s");
    let again = s.run("create secret generic s").stderr;
    assert_eq!(again, "error: failed to create secret secrets \"s\" already exists\n");
}

/// `RunRestart`, `RunPause` and `RunResume` of kubectl's `pkg/cmd/rollout` have no `--dry-run`, and say as `Run` of
/// `rollout_status.go` does that they found nothing.
#[test]
fn a_rollout_that_changes_nothing_says_so() {
    let mut s = Server::new();
    s.ok("apply -f web.yaml");
    assert_eq!(s.ok("rollout restart deploy/web"), "deployment.apps/web restarted\n");
    // The clock of this server stands still.
    assert_eq!(
        s.run("rollout restart deploy/web").stderr,
        "error: failed to create patch for web: if restart has already been triggered within the past second, please wait before attempting to trigger another\n"
    );
    for verb in ["restart", "pause", "resume", "status"] {
        let out = s.run(&format!("rollout {verb} deploy -l app=none"));
        let said = (out.exit, out.stderr.as_str());
        assert_eq!(said, (0, "No resources found in default namespace.\n"), "{verb}");
    }
    assert_eq!(
        s.run("rollout pause deploy/web --dry-run=client").stderr,
        "error: unknown flag: --dry-run\nSee 'kubectl rollout pause --help' for usage.\n"
    );
}

/// A server that lets nobody patch.
struct Unpatched(Server);

impl ApiClient for Unpatched {
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        if request.method != "PATCH" {
            return self.0.http(request);
        }
        let body = r#"{"kind": "Status", "message": "no patches", "reason": "Forbidden", "code": 403}"#;
        HttpResponse { status: 403, body: body.into(), ..HttpResponse::default() }
    }
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// Go's `fmt.Errorf("failed to patch: %v", err)` of `RunPause` (kubectl's `rollout_pause.go`) leaves the message of a refusal.
#[test]
fn a_refusal_is_wrapped_in_words() {
    let mut s = Server::new();
    s.ok("apply -f web.yaml");
    let mut s = Unpatched(s);
    let out = kubectl::run("rollout pause deploy/web", &files(), &mut DiscoveryCache::default(), &mut s);
    assert_eq!((out.exit, out.stderr.as_str()), (1, "error: failed to patch: no patches\n"));
}

/// `Run` and `DescribeMatchingResources` of kubectl's `pkg/cmd/describe/describe.go`: the second of two words may be the
/// beginning of names. Events belong to the description of one object which was found, unless they are asked for.
#[test]
fn a_description_has_events_only_of_one_object() {
    let mut s = Server::new();
    s.ok("create configmap c-1");
    s.ok("create configmap c-2");
    assert!(s.ok("describe cm c-1").contains("\nEvents:"));
    let both = s.ok("describe cm c");
    assert!(both.contains("Name:         c-1\n") && both.contains("Name:         c-2\n"), "{both}");
    assert!(!both.contains("\nEvents:"), "{both}");
    assert!(s.ok("describe cm c --show-events").contains("\nEvents:"));
    let one = s.run("describe cm c-1 none");
    assert_eq!(one.stderr, "Error from server (NotFound): configmaps \"none\" not found\n");
    assert!(
        one.stdout.contains("Name:         c-1\n") && !one.stdout.contains("\nEvents:"),
        "{}",
        one.stdout
    );
    for line in ["describe cm/c", "describe cm c c", "describe cm d"] {
        let out = s.run(line);
        assert_eq!((out.exit, out.stdout.as_str()), (1, ""), "{line}");
    }
}

/// kubectl's `pkg/cmd/apiresources` (`RunAPIResources`, `Validate`, `print_flags.go`) and `pkg/cmd/version/version.go` (`Run`).
#[test]
fn what_is_served_is_filtered_and_printed_as_data() {
    let mut s = Server::new();
    let names = s.ok("api-resources --categories=all --sort-by=kind -o name");
    assert!(names.starts_with("cronjobs.batch\ndaemonsets.apps\ndeployments.apps\n"), "{names}");
    let names = s.ok("api-resources --api-group= --verbs=create,deletecollection -o name");
    assert!(names.contains("\npods\n") && !names.contains("bindings\n"), "{names}");
    let json = s.ok("api-resources --api-group=batch -o json");
    let head = "{\n    \"kind\": \"APIResourceList\",\n    \"apiVersion\": \"v1\",\n    \"groupVersion\": \"\",\n    \"resources\": [\n        {\n            \"name\": \"cronjobs\",\n            \"singularName\": \"cronjob\",\n            \"namespaced\": true,\n            \"group\": \"batch\",\n";
    assert!(json.starts_with(head), "{json}");
    assert!(
        s.ok("api-resources --api-group=batch -o yaml").starts_with("apiVersion: v1\ngroupVersion: \"\"\n")
    );
    let json = s.ok("version -o json");
    assert!(json.starts_with("{\n  \"clientVersion\": {\n    \"major\": \"1\",\n"), "{json}");
    assert!(json.contains("\n  \"serverVersion\": {\n") && json.contains("\"emulationMajor\""), "{json}");
    let yaml = s.ok("version --client -o yaml");
    assert!(yaml.starts_with("clientVersion:\n  buildDate: ") && yaml.ends_with("\n\n"), "{yaml}");
    for (line, why) in [
        ("api-resources --sort-by=group", "--sort-by accepts only name or kind"),
        ("version -o xml", "--output must be 'yaml' or 'json'"),
        ("version a b", "extra arguments: [a b]"),
    ] {
        assert_eq!(s.run(line).stderr, format!("error: {why}\n"), "{line}");
    }
}

/// kubectl's `pkg/cmd/get/get.go` (`Run`: one resource of the cluster is enough to name no namespace),
/// `pkg/cmd/wait/condition.go` (`getObjAndCheckCondition`), `delete.go` (`IsDeleted`) and `pkg/cmd/events/events.go` (`Run`,
/// `Validate`).
#[test]
fn nothing_is_said_in_kubectls_words() {
    let mut s = Server::new();
    s.ok("create configmap c");
    for (line, exit, stderr) in [
        ("get nodes,pods", 0, "No resources found\n"),
        ("get pods,services", 0, "No resources found in default namespace.\n"),
        ("wait cm/c --for=delete --timeout=0", 1, "error: condition not met for configmaps/c\n"),
        ("wait cm/c --for=condition=Ready --timeout=0", 1, "error: condition not met for configmaps/c\n"),
        ("wait cm/d --for=create --timeout=0", 1, "error: timed out waiting for the condition\n"),
        ("events -o yaml", 0, "No events found in default namespace.\n"),
        ("events --types=warn", 1, "error: valid --types are Normal or Warning\n"),
    ] {
        let out = s.run(line);
        assert_eq!((out.exit, out.stdout.as_str(), out.stderr.as_str()), (exit, "", stderr), "{line}");
    }
    let event = "{apiVersion: v1, kind: Event, metadata: {name: e, namespace: default}, type: Normal, reason: R, \
                 involvedObject: {apiVersion: v1, kind: ConfigMap, name: c, namespace: default}}";
    assert_eq!(run("create -f e.yaml", &|_: &str| Some(event.to_owned()), &mut s).exit, 0);
    let yaml = s.ok("events -o yaml --types=normal");
    assert!(yaml.ends_with("\nkind: EventList\nmetadata: {}\n"), "{yaml}");
}

/// kubectl's `run.go` (`Run`: the pod is made first and said last), `create_deployment.go` (`buildPodSpec`,
/// `sanitizeAndUniquify`), `create_pdb.go` (`Validate`) with `metav1.ParseToLabelSelector`, and `debug.go` (`Validate`,
/// `displayWarning`) with `profiles.go`.
#[test]
fn objects_are_made_of_flags_as_kubectl_makes_them() {
    let mut s = Server::new();
    s.ok("create serviceaccount default");
    s.ok("create -f range.yaml");
    let json = |text: String| serde_json::from_str::<serde_json::Value>(&text).unwrap();
    let made = s.ok("create deployment d --image=a_b.c:1 --image=x --port=80 --dry-run=client -o json");
    let containers = json(made).pointer("/spec/template/spec/containers").unwrap().clone();
    let name = containers[0]["name"].as_str().unwrap();
    assert!(name.starts_with("a-b-c-") && name.len() == 11, "{name}");
    assert_eq!(containers[0]["ports"], serde_json::json!([{"containerPort": 80}]));
    assert_eq!((&containers[1]["name"], containers[1].get("ports")), (&serde_json::json!("x"), None));
    let made =
        s.ok("create pdb p --selector='a=b,c in (x,y),!d' --min-available=50% --dry-run=client -o json");
    let spec = serde_json::json!({
        "minAvailable": "50%",
        "selector": {
            "matchLabels": {"a": "b"},
            "matchExpressions": [
                {"key": "c", "operator": "In", "values": ["x", "y"]}, {"key": "d", "operator": "DoesNotExist"},
            ],
        },
    });
    assert_eq!(json(made)["spec"], spec);
    let out = s.run("run web --image=nginx --port=80 --expose -v=6");
    assert_eq!((out.exit, out.stdout.as_str()), (0, "service/web created\npod/web created\n"));
    let at = |path: &str| out.stderr.lines().position(|l| l.contains("POST") && l.contains(path)).unwrap();
    assert!(at("/pods") < at("/services"), "{}", out.stderr);
    s.ok(r#"run user --image=nginx --overrides='{"spec":{"securityContext":{"runAsUser":7}}}'"#);
    let out = s.run("debug user --image=busybox --profile=sysadmin");
    assert_eq!(out.exit, 0);
    assert!(out.stderr.starts_with("Warning: Non-root user is configured"), "{}", out.stderr);
    let context = "-o jsonpath={.spec.ephemeralContainers[0].securityContext";
    assert_eq!(s.ok(&format!("get pod user {context}.privileged}}")), "true");
    s.ok("debug web --image=busybox --profile=netadmin");
    let added = s.ok(&format!("get pod web {context}.capabilities.add}}"));
    assert_eq!(added, r#"["NET_ADMIN","NET_RAW"]"#);
    // `debug.go`, `debugByEphemeralContainer`: a second one comes behind the first, by `$setElementOrder`.
    s.ok("run twice --image=nginx");
    s.ok("debug twice --image=busybox -c zero");
    let out = s.run("debug twice --image=busybox -c one -v=8");
    let order = r#""$setElementOrder/ephemeralContainers":[{"name":"zero"},{"name":"one"}]"#;
    assert!(out.exit == 0 && out.stderr.replace('\\', "").contains(order), "{}", out.stderr);
    assert_eq!(s.ok("get pod twice -o jsonpath={.spec.ephemeralContainers[*].name}"), "zero one");
    for (line, why) in [
        ("run x --image=Nginx", "Invalid image name \"Nginx\": invalid reference format"),
        ("run x --image=", "--image is required"),
        ("create pdb p --selector=a=b --min-available=x", "invalid format specified for min-available"),
        ("create pdb p --selector=a=b --max-unavailable=%", "invalid format specified for max-unavailable"),
        ("create pdb p --selector=a!=b --min-available=1", "\"!=\" is not a valid label selector operator"),
        ("debug web --image=x --profile=baseline-debug", "unknown profile: baseline-debug"),
        ("debug web --image=X", "invalid image name \"X\": invalid reference format"),
    ] {
        assert_eq!(s.run(line).stderr, format!("error: {why}\n"), "{line}");
    }
}

/// kubectl's `debug.go` (`Validate`, `generatePodCopyWithDebugContainer`, `debugByCopy`, `generateNodeDebugPod`) with `profiles.go`.
#[test]
fn debug_copies_pods_and_makes_pods_on_nodes() {
    let mut s = Server::new();
    s.ok("create serviceaccount default");
    s.ok("run web --image=nginx:1.28 --labels=app=web");
    let get = |s: &mut Server, name: &str| -> serde_json::Value {
        serde_json::from_str(&s.ok(&format!("get pod {name} -o json"))).unwrap()
    };
    // Images alone: no container is made, and no profile is for one.
    assert_eq!(s.ok("debug web --copy-to=newer --set-image=*=nginx:1.29 --share-processes=false"), "");
    let newer = get(&mut s, "newer");
    assert_eq!(newer["spec"]["containers"][0]["image"], "nginx:1.29");
    assert_eq!(newer["metadata"]["labels"]["app"], "web");
    // A container is added; the copy has no labels, and shares its processes.
    let line = "debug web --copy-to=tooled --image=busybox -c tool --env=A=1,B=2 -- sleep 60";
    assert_eq!(s.ok(line), "");
    let tooled = get(&mut s, "tooled");
    assert_eq!(tooled["metadata"].get("labels"), None);
    assert_eq!(tooled["spec"]["shareProcessNamespace"], true);
    let tool = &tooled["spec"]["containers"][1];
    assert_eq!(
        (&tool["name"], &tool["command"]),
        (&serde_json::json!("tool"), &serde_json::json!(["sleep", "60"]))
    );
    assert_eq!(tool["env"], serde_json::json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]));
    assert_eq!(tool["securityContext"]["capabilities"]["add"], serde_json::json!(["SYS_PTRACE"]));
    // A container that is there gets another command.
    s.ok("debug web --copy-to=slept -c web --keep-labels --profile=baseline -- sleep 9");
    let slept = get(&mut s, "slept");
    assert_eq!(slept["spec"]["containers"].as_array().unwrap().len(), 1);
    assert_eq!(slept["spec"]["containers"][0]["command"], serde_json::json!(["sleep", "9"]));
    assert_eq!(slept["metadata"]["labels"]["app"], "web");
    // The pod itself goes.
    let said = s.ok("debug web --copy-to=instead --replace --image=busybox");
    assert!(said.starts_with("Defaulting debug container name to debugger-"), "{said}");
    assert_eq!(s.run("get pod web").exit, 1);
    // A pod on a node, with a part of a container from a file.
    let node = |_: &str| Some("{apiVersion: v1, kind: Node, metadata: {name: n1}}".to_owned());
    assert_eq!(run("create -f n.yaml", &node, &mut s).exit, 0);
    let custom = |_: &str| Some("{env: [{name: C, value: d}], securityContext: {runAsUser: 0}}".to_owned());
    let out = run("debug node/n1 --image=busybox --profile=sysadmin --custom=c.yaml", &custom, &mut s);
    assert!(out.stdout.starts_with("Creating debugging pod node-debugger-n1-"), "{out:?}");
    assert!(out.stdout.ends_with(" with container debugger on node n1.\n"), "{out:?}");
    let all = s.ok("get pods -l app.kubernetes.io/managed-by=kubectl-debug -o json");
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    let spec = &all["items"][0]["spec"];
    assert_eq!((&spec["nodeName"], &spec["hostPID"]), (&serde_json::json!("n1"), &serde_json::json!(true)));
    assert_eq!(
        (&spec["restartPolicy"], &spec["hostNetwork"]),
        (&serde_json::json!("Never"), &serde_json::json!(true))
    );
    let container = &spec["containers"][0];
    assert_eq!(container["securityContext"], serde_json::json!({"privileged": true, "runAsUser": 0}));
    assert_eq!(container["env"], serde_json::json!([{"name": "C", "value": "d"}]));
    let root = container["volumeMounts"].as_array().unwrap().iter().find(|m| m["name"] == "host-root");
    assert_eq!(root.unwrap()["mountPath"], "/host");
    for (line, why) in [
        ("debug newer --copy-to=x", "you must specify --image, --set-image or command arguments."),
        (
            "debug newer --copy-to=x -- sleep 1",
            "you must specify an existing container or a new image when specifying args.",
        ),
        ("debug newer --same-node --image=x", "--same-node may only be used with --copy-to."),
        (
            "debug newer --copy-to=x --image=x --target=web",
            "--target is incompatible with --copy-to. Use --share-processes instead.",
        ),
        ("debug newer --copy-to=x -c other -- sleep 1", "you must specify image when creating new container"),
        (
            "debug newer --copy-to=x --set-image=web",
            "invalid argument \"web\" for \"--set-image\" flag: web must be formatted as key=value",
        ),
        (
            "debug newer --copy-to=x --set-image=web=X",
            "invalid image name \"X\" for container \"web\": invalid reference format",
        ),
    ] {
        assert_eq!(s.run(line).stderr, format!("error: {why}\n"), "{line}");
    }
}

/// `RunScale` and `Validate` of kubectl's `pkg/cmd/scale/scale.go`, `WaitForScaleHasDesiredReplicas` of `pkg/scale/scale.go`.
#[test]
fn a_scale_stops_at_the_first_failure_and_waits() {
    let mut s = Server::new();
    s.ok("apply -f web.yaml");
    s.ok("create deployment other --image=x --replicas=3");
    assert_eq!(s.ok("scale deploy web --replicas=4 -o jsonpath={.spec.replicas}"), "4");
    assert_eq!(s.ok("scale deploy web --replicas=5 --dry-run=client -o jsonpath={.spec.replicas}"), "5");
    for (line, why) in [
        ("scale deploy web other --replicas=1 --current-replicas=3", "Expected replicas to be 3, was 4"),
        (
            "scale deploy web --replicas=1 --current-replicas=-2",
            "The --current-replicas must specify an integer of -1 or greater",
        ),
        (
            "scale deploy web other --replicas=1 --resource-version=1",
            "cannot use --resource-version with multiple resources",
        ),
    ] {
        assert_eq!(s.run(line).stderr, format!("error: {why}\n"), "{line}");
    }
    assert_eq!(s.ok("get deploy other -o jsonpath={.spec.replicas}"), "3");
    assert_eq!(
        s.ok("scale deploy other --replicas=1 --current-replicas=3"),
        "deployment.apps/other scaled\n"
    );
    assert_eq!(s.ok("get deploy other -o jsonpath={.spec.replicas}"), "1");
    let mut s = Clocked { server: s, now: Timestamp::UNIX_EPOCH };
    let out = s.run("scale deploy web --replicas=2 --timeout=5s");
    let said = (out.exit, out.stdout.as_str(), out.stderr.as_str());
    assert_eq!(said, (1, "", "error: timed out waiting for \"web\" to be synced\n"));
    assert_eq!(s.now.as_second(), 5);
    let status = r#"patch deploy web --subresource=status --type=merge -p '{"status":{"replicas":2}}'"#;
    s.server.ok(status);
    let out = s.run("scale deploy web --replicas=2 --timeout=5s");
    assert_eq!((out.exit, out.stdout.as_str()), (0, "deployment.apps/web scaled\n"));
}

/// `describeNodeResource` of kubectl's `describe.go`: a pod's row counts what its containers were given, the sums what their
/// specs say.
#[test]
fn the_row_of_a_resized_pod_has_what_it_was_given() {
    let manifest = "
apiVersion: v1
kind: Node
metadata: {name: one}
status:
  capacity: {cpu: 4, memory: 8Gi, pods: 110}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  nodeName: one
  containers:
  - {name: c, image: 'i:1', resources: {requests: {cpu: 1}}}
";
    let mut s = Server::new();
    s.ok("create serviceaccount default");
    assert_eq!(run("apply -f all.yaml", &|_: &str| Some(manifest.to_owned()), &mut s).exit, 0);
    s.ok(
        r#"patch pod p --subresource=status --type=merge -p '{"status":{"containerStatuses":[{"name":"c","image":"i:1","imageID":"","ready":true,"restartCount":0,"resources":{"requests":{"cpu":"2"}},"allocatedResources":{"cpu":"2"}}]}}'"#,
    );
    let text = s.ok("describe node one");
    let text: Vec<String> =
        text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert!(text.iter().any(|l| l.starts_with("default p 2 (50%) 0 (0%) ")), "{text:#?}");
    assert!(text.contains(&"cpu 1 (25%) 0 (0%)".to_owned()), "{text:#?}");
}

/// `printPod` and `AddHandlers` of `pkg/printers/internalversion/printers.go`.
#[test]
fn tables_say_what_has_ended_and_what_columns_are() {
    let mut s = occupied().server;
    s.ok(r#"patch pod kept --subresource=status --type=merge -p '{"status":{"phase":"Succeeded"}}'"#);
    let mut table = |path: &str| -> serde_json::Value {
        let request = HttpRequest {
            method: "GET".into(),
            path: path.into(),
            accept: "application/json;as=Table;v=v1;g=meta.k8s.io".into(),
            ..Default::default()
        };
        serde_json::from_str(&http(&mut s.0, &request).body).unwrap()
    };
    let completed = serde_json::json!([{
        "type": "Completed", "status": "True", "reason": "Succeeded",
        "message": "The pod has completed successfully.",
    }]);
    let pods = table("/api/v1/namespaces/default/pods");
    assert_eq!(pods["rows"][0]["conditions"], completed);
    assert_eq!(pods["rows"][1].get("conditions"), None);
    assert_eq!(table("/api/v1/namespaces/default/pods/kept")["rows"][0]["conditions"], completed);
    let mut said = |path: &str, column: usize| {
        let column = table(path)["columnDefinitions"][column].take();
        format!("{}: {}", column["format"].as_str().unwrap(), column["description"].as_str().unwrap())
    };
    assert!(said("/api/v1/events", 9).starts_with("name: Name must be unique within a namespace."));
    assert!(said("/api/v1/persistentvolumes", 4).starts_with(": phase indicates if a volume is available"));
    assert_eq!(said("/apis/node.k8s.io/v1/runtimeclasses", 1), ": ");
    assert!(said("/apis/apps/v1/controllerrevisions", 2).starts_with(": Revision indicates"));
    assert!(
        said("/apis/storage.k8s.io/v1/volumeattributesclasses", 1).starts_with(": Name of the CSI driver")
    );
}

/// `PatchLocal` of kubectl's `pkg/cmd/apply/patcher.go` and `--subresource` of `apply.go`.
#[test]
fn a_dry_run_of_apply_works_out_the_patch() {
    let mut s = Server::new();
    s.ok("apply -f web.yaml");
    assert_eq!(s.ok("apply -f web.yaml --dry-run=client"), "deployment.apps/web unchanged (dry run)\n");
    s.ok("scale deploy web --replicas=4");
    assert_eq!(s.ok("apply -f web.yaml --dry-run=client"), "deployment.apps/web configured (dry run)\n");
    assert_eq!(s.ok("apply -f web.yaml --dry-run=client -o jsonpath={.spec.replicas}"), "2");
    assert_eq!(s.ok("get deploy web -o jsonpath={.spec.replicas}"), "4");
    assert_eq!(
        s.run("apply -f web.yaml --subresource=status").stderr,
        "error: --subresource can only be specified for --server-side\n"
    );
    let status = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, status: {replicas: 3}}";
    let line = "apply -f status.yaml --server-side --subresource=status";
    let out = run(line, &|_: &str| Some(status.to_owned()), &mut s);
    assert_eq!(
        (out.exit, out.stdout.as_str()),
        (0, "deployment.apps/web serverside-applied\n"),
        "{}",
        out.stderr
    );
    assert_eq!(s.ok("get deploy web -o jsonpath={.status.replicas}"), "3");
}

/// `--raw` (`pkg/rawhttp`), `--server-print=false` and `--sort-by` beside `--watch` (`pkg/cmd/get/get.go`), and what
/// `Complete` of `pkg/cmd/drain/drain.go` refuses before it asks the server. Nobody can be asked here.
#[test]
fn flags_are_honoured_or_refused() {
    let mut s = Server::new();
    let path = "/api/v1/namespaces/default/configmaps";
    let map = |name: &str, k: &str| {
        serde_json::json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": k}})
            .to_string()
    };
    let send = |s: &mut Server, line: &str, text: String| {
        let out = run(&format!("{line} -f c.json"), &|_: &str| Some(text.clone()), s);
        assert_eq!((out.exit, out.stderr.as_str()), (0, ""), "{line}");
    };
    send(&mut s, &format!("create --raw {path}"), map("a", "1"));
    send(&mut s, &format!("create --raw {path}"), map("b", "1"));
    send(&mut s, &format!("replace --raw {path}/a"), map("a", "2"));
    assert_eq!(s.ok("get cm a -o jsonpath={.data.k}"), "2");
    let table = s.ok("get cm --server-print=false");
    assert!(table.starts_with("NAME   AGE\na      ") && table.contains("\nb      "), "{table}");
    let out = s.run("get cm -w --sort-by=.data.k --no-headers");
    let warning = "warning: --watch requested, --sort-by will be ignored for watch events received\n";
    assert_eq!((out.exit, out.stderr.as_str()), (0, warning));
    let names: Vec<&str> = out.stdout.lines().filter_map(|l| l.split(' ').next()).collect();
    assert_eq!(names, ["b", "a"]);
    assert!(s.ok(&format!("delete --raw {path}/a")).contains("\"Success\""));
    assert_eq!(s.ok("get cm -o name"), "configmap/b\n");
    for (line, why) in [
        ("delete cm b -i", "nobody can be asked here whether to go on: delete without -i"),
        ("delete --raw /x -i", "--interactive can not be used with --raw"),
        ("replace --raw /x -f web.yaml -f web.yaml", "--raw can only use a single local file or stdin"),
        ("create --raw /x --edit -f web.yaml", "--raw and --edit are mutually exclusive"),
        (
            "create --edit -f web.yaml",
            "what is created cannot be edited on the way here: edit the file, or create it and use kubectl edit",
        ),
        ("drain n --pod-selector='a in'", "--pod-selector=<pod_selector> must be a valid label selector"),
        (
            "drain n -l a=b",
            "cannot specify both a node name and a --selector option\nSee 'kubectl drain -h' for help and examples",
        ),
    ] {
        assert_eq!(s.run(line).stderr, format!("error: {why}\n"), "{line}");
    }
}
