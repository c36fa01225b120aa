//! What containers find out about the network: names, Services, ports.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::api::types::Pod;
use crate::api::{Key, Kind, Object};
use crate::apimachinery::{Body, HttpRequest, Request, Verb};
use crate::cluster::{Cluster, Config, Fault, RulesWait};
use crate::network::proxy::Mode;
use crate::network::question::Behind;
use crate::network::traffic::Cause;
use crate::network::{Because, Outcome, Protocol, Question};

/// A cluster in which objects are applied and commands are executed.
pub(super) struct Net(pub(super) Cluster);

pub(super) fn net(nodes: usize) -> Net {
    Net(Cluster::new(&Config::nodes(nodes)))
}

impl Net {
    pub(super) fn create(&mut self, kind: Kind, value: Value) -> &mut Net {
        let mut value = value;
        let namespaced = kind != Kind::NAMESPACE && kind != Kind::NODE;
        if namespaced && value["metadata"]["namespace"].is_null() {
            value["metadata"]["namespace"] = "default".into();
        }
        let object = Object::from_value(kind, value).unwrap();
        let request =
            Request::new(&"person".into(), Verb::Create, kind, object.key()).body(Body::Object(object));
        let (response, _) = self.0.request(&request);
        assert!(response.code() < 300, "{response:?}");
        self
    }

    pub(super) fn delete(&mut self, kind: Kind, name: &str) -> &mut Net {
        let request = Request::new(&"person".into(), Verb::Delete, kind, Key::new("default", name));
        let (response, _) = self.0.request(&request.body(Body::Delete(Default::default())));
        assert!(response.code() < 300, "{response:?}");
        self
    }

    /// Changes an object.
    pub(super) fn change(&mut self, kind: Kind, name: &str, change: impl FnOnce(&mut Value)) -> &mut Net {
        let namespace = if kind == Kind::NODE { "" } else { "default" };
        let at = crate::api::ObjectRef { kind, key: Key::new(namespace, name) };
        let mut value = self.0.api().cached(&at).unwrap().to_value();
        change(&mut value);
        let object = Object::from_value(kind, value).unwrap();
        let request = Request::new(&"person".into(), Verb::Update, kind, at.key).body(Body::Object(object));
        assert!(self.0.request(&request).0.code() < 300);
        self
    }

    /// A Deployment with a Service of the same name.
    pub(super) fn serve(
        &mut self,
        name: &str,
        replicas: usize,
        container: Value,
        service: Value,
    ) -> &mut Net {
        let labels = json!({"app": name});
        self.create(
            Kind::DEPLOYMENT,
            json!({"metadata": {"name": name}, "spec": {
                "replicas": replicas, "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            }}),
        );
        let mut service = json!({"metadata": {"name": name}, "spec": service});
        service["spec"]["selector"] = labels;
        self.create(Kind::SERVICE, service)
    }

    fn pod(&mut self, name: &str, spec: Value) -> &mut Net {
        self.create(Kind::POD, json!({"metadata": {"name": name}, "spec": spec}))
    }

    pub(super) fn client(&mut self) -> &mut Net {
        let container = json!({"name": "c", "image": "busybox:1.37", "command": ["sleep", "infinity"]});
        let curl = json!({"name": "curl", "image": "curlimages/curl", "command": ["sleep", "infinity"]});
        self.pod("client", json!({"containers": [container, curl]}))
    }

    pub(super) fn steady(&mut self) -> &mut Net {
        assert!(self.0.run_to_steady(5000, |_, _| {}));
        self
    }

    pub(super) fn wait(&mut self, seconds: i64) -> &mut Net {
        let to = crate::api::later(self.0.now(), jiff::SignedDuration::from_secs(seconds));
        self.0.run_until(to, |_, _| {}).unwrap();
        self
    }

    /// What a script prints in a container of the pod `client`.
    pub(super) fn run(&mut self, container: &str, script: &str) -> String {
        let query = [("container", container), ("stdout", "true"), ("stderr", "true")]
            .into_iter()
            .chain(["sh", "-c", script].map(|w| ("command", w)));
        let query: Vec<String> = query
            .map(|(k, v)| format!("{k}={}", v.bytes().map(|b| format!("%{b:02X}")).collect::<String>()))
            .collect();
        let request = HttpRequest {
            method: "POST".into(),
            path: "/api/v1/namespaces/default/pods/client/exec".into(),
            query: query.join("&"),
            ..HttpRequest::default()
        };
        let (response, _) = self.0.http(&request);
        let channels = response.channels.unwrap();
        format!("{}{}", channels.stdout, channels.stderr)
    }

    pub(super) fn busybox(&mut self, script: &str) -> String {
        self.run("c", script)
    }

    pub(super) fn log(&mut self, pod: &str, container: &str) -> String {
        let request = HttpRequest {
            method: "GET".into(),
            path: format!("/api/v1/namespaces/default/pods/{pod}/log"),
            query: format!("container={container}"),
            ..HttpRequest::default()
        };
        self.0.http(&request).0.body.to_string()
    }

    fn with_label<'a>(&'a self, app: &'a str) -> impl Iterator<Item = &'a Pod> {
        let pods = self.0.api().cached_list(Kind::POD, Some("default"));
        let pods = pods.filter_map(|(_, o)| o.get::<Pod>().map(|p| &**p));
        pods.filter(move |p| p.metadata.labels.as_ref().and_then(|l| l.get("app")).is_some_and(|a| a == app))
    }

    /// The names of the pods of a Deployment.
    pub(super) fn pods(&self, app: &str) -> Vec<String> {
        self.with_label(app).filter_map(|p| p.metadata.name.clone()).collect()
    }

    pub(super) fn addresses(&self, app: &str) -> Vec<String> {
        self.with_label(app).filter_map(|p| p.status.as_ref()?.pod_ip.clone()).collect()
    }
}

pub(super) fn nginx() -> Value {
    json!({"name": "nginx", "image": "nginx:1.27.5", "ports": [{"containerPort": 80}]})
}

/// `pkg/proxy/iptables/proxier.go`, `writeServiceToEndpointRules`: each endpoint gets the same share, and a port that the Service
/// does not have gets no rule. BusyBox' `networking/wget.c` and `libbb/xconnect.c`: the words.
#[test]
fn a_service_leads_to_its_pods() {
    let mut n = net(2);
    let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
    n.serve("web", 3, whoami, json!({"ports": [{"port": 80}]})).client().steady();
    let out = n.busybox("for i in 1 2 3 4 5 6; do wget -qO- http://web | grep Hostname; done");
    let hosts: std::collections::BTreeSet<&str> = out.lines().filter(|l| l.contains("Hostname")).collect();
    assert_eq!(hosts.len(), 3, "{out}");
    assert!(n.busybox("wget -qO- http://web.default.svc.cluster.local/x").contains("GET /x HTTP/1.1"));
    // A port that the Service does not have has no rule.
    assert!(n.busybox("wget -T 3 -qO- http://web:81").contains("wget: download timed out"));
    assert!(n.busybox("wget -qO- http://wbe").contains("wget: bad address 'wbe'"));
}

/// The format `main` of nginx's official image.
#[test]
fn a_server_logs_what_a_command_has_asked() {
    let mut n = net(1);
    n.create(Kind::POD, json!({"metadata": {"name": "web"}, "spec": {"containers": [nginx()]}}));
    n.client().steady();
    let own = |n: &Net, name: &str| {
        let at = crate::api::ObjectRef { kind: Kind::POD, key: Key::new("default", name) };
        n.0.api().cached(&at).unwrap().get::<Pod>().unwrap().status.as_ref().unwrap().pod_ip.clone().unwrap()
    };
    let (web, client) = (own(&n, "web"), own(&n, "client"));
    assert!(n.busybox(&format!("wget -qO- http://{web}/?q=1")).contains("Welcome"));
    n.run("curl", &format!("curl -s -A me http://{web}/missing; curl -sI http://{web}/"));
    let log = n.log("web", "nginx");
    let lines: Vec<&str> =
        log.lines().filter_map(|line| line.split_once("] \"").map(|(_, rest)| rest)).collect();
    assert!(log.lines().any(|line| line.starts_with(&format!("{client} - - ["))), "{log}");
    assert_eq!(
        lines,
        [
            "GET /?q=1 HTTP/1.1\" 200 615 \"-\" \"Wget\" \"-\"",
            "GET /missing HTTP/1.1\" 404 153 \"-\" \"me\" \"-\"",
            "HEAD / HTTP/1.1\" 200 0 \"-\" \"curl/8.14.1\" \"-\"",
        ],
        "{log}"
    );
}

/// RFC 9293, section 3.5.2: a segment for a port on which nobody listens is answered with a reset.
#[test]
fn a_wrong_target_port_is_refused() {
    let mut n = net(1);
    n.serve("web", 1, nginx(), json!({"ports": [{"port": 80, "targetPort": 8080}]})).client().steady();
    assert!(n.busybox("wget -qO- http://web").contains("Connection refused"));
    let address = n.addresses("web").remove(0);
    assert!(n.busybox(&format!("wget -qO- http://{address}")).contains("Welcome to nginx!"));
    let codes = n.run("curl", &format!("curl -s -o /dev/null -w '%{{http_code}} ' {address}/ {address}; curl -s -o /dev/null -w '%{{http_code}}' {address}/nothing"));
    assert!(codes.contains("200 404"), "{codes}");
}

/// `pkg/proxy/iptables/proxier.go`, `syncProxyRules`: REJECT for a Service without endpoints.
#[test]
fn a_service_without_endpoints_refuses() {
    let mut n = net(1);
    let container = json!({"name": "a", "image": "team/app", "readinessProbe": {"httpGet": {"port": 80}, "initialDelaySeconds": 30}});
    n.serve("web", 1, container, json!({"ports": [{"port": 80}]})).client().wait(20);
    assert!(n.busybox("nc -zv web 80").contains("can't connect to remote host"));
    n.wait(20);
    assert!(n.busybox("nc -zv web 80").contains("open"), "the pod is ready");
}

/// CoreDNS' `plugin/kubernetes/kubernetes.go`, `findServices`: without endpoints there is no such name.
#[test]
fn a_headless_service_has_the_addresses_of_its_ready_pods() {
    let mut n = net(2);
    n.serve("db", 2, nginx(), json!({"clusterIP": "None", "ports": [{"port": 80}]})).client().steady();
    let out = n.busybox("nslookup -type=a db.default.svc.cluster.local");
    for address in n.addresses("db") {
        assert!(out.contains(&format!("Name:\tdb.default.svc.cluster.local\nAddress: {address}\n")), "{out}");
    }
    let empty =
        json!({"metadata": {"name": "none"}, "spec": {"clusterIP": "None", "selector": {"app": "none"}}});
    n.create(Kind::SERVICE, empty).steady();
    let out = n.busybox("nslookup -type=a none.default.svc.cluster.local");
    assert!(out.contains("** server can't find none.default.svc.cluster.local: NXDOMAIN"), "{out}");
}

/// kubernetes.io/docs/concepts/workloads/pods/init-containers, "Init containers in use". BusyBox' `libbb/xconnect.c`: the words.
#[test]
fn a_program_that_waits_for_a_server_goes_on_when_it_is_there() {
    let mut n = net(2);
    let wait = "until nc -z db 5432; do echo waiting; sleep 2; done; echo there";
    n.pod(
        "app",
        json!({
            "initContainers": [{"name": "wait", "image": "busybox", "command": ["sh", "-c", wait]}],
            "containers": [nginx()],
        }),
    )
    .steady();
    n.wait(10);
    let waits = n.log("app", "wait");
    assert!(waits.starts_with("nc: bad address 'db'\nwaiting\n") && !waits.contains("there"), "{waits}");
    let postgres =
        json!({"name": "db", "image": "postgres:17", "env": [{"name": "POSTGRES_PASSWORD", "value": "x"}]});
    n.serve("db", 1, postgres, json!({"ports": [{"port": 5432}]})).steady();
    let log = n.log("app", "wait");
    assert!(log.contains("Connection refused\nwaiting\n") && log.ends_with("there\n"), "{log}");
}

/// BusyBox' `libbb/xconnect.c`, `xconnect`: the words.
#[test]
fn a_wrong_port_is_waited_for_in_vain() {
    let mut n = net(1);
    n.serve("web", 1, nginx(), json!({"ports": [{"port": 80}]}));
    let wait = "until wget -qO- http://web:8080; do sleep 2; done";
    n.pod("app", json!({"containers": [{"name": "c", "image": "busybox", "command": ["sh", "-c", wait]}]}))
        .steady();
    n.wait(300);
    assert!(n.log("app", "c").contains("wget: can't connect to remote host (10.96"), "{}", n.log("app", "c"));
}

/// `pkg/probe/http/http.go`, `DoHTTPProbe`: an error of the connection, or a status that is no success.
#[test]
fn a_probe_of_a_port_on_which_nobody_listens_fails() {
    let mut n = net(1);
    let container = |port: u16, path: &str| {
        let mut c = nginx();
        c["readinessProbe"] = json!({"httpGet": {"port": port, "path": path}});
        json!({"containers": [c]})
    };
    n.pod("wrong-port", container(8080, "/"))
        .pod("wrong-path", container(80, "/healthz"))
        .pod("right", container(80, "/"));
    n.wait(30);
    let ready = |n: &Net, pod: &str| {
        let at = crate::api::ObjectRef { kind: Kind::POD, key: Key::new("default", pod) };
        let pod = n.0.api().cached(&at).unwrap().get::<crate::api::types::Pod>().unwrap().clone();
        pod.status.as_ref().unwrap().container_statuses.as_ref().unwrap()[0].ready
    };
    assert!(ready(&n, "right") && !ready(&n, "wrong-port") && !ready(&n, "wrong-path"));
    let events =
        n.0.api().cached_list(Kind::EVENT, None).filter_map(|(_, o)| o.get::<crate::api::types::Event>());
    let said: Vec<String> = events.filter_map(|e| e.message.clone()).collect();
    assert!(
        said.iter().any(|m| m.contains(":8080/\": dial tcp") && m.ends_with("connect: connection refused")),
        "{said:?}"
    );
    assert!(
        said.iter().any(|m| m == "Readiness probe failed: HTTP probe failed with statuscode: 404"),
        "{said:?}"
    );
}

/// kubernetes.io/docs/concepts/workloads/pods, "Pod networking".
#[test]
fn containers_of_a_pod_reach_each_other_on_localhost() {
    let mut n = net(1);
    let script = "until wget -q -O /dev/null localhost; do sleep 1; done; echo up; sleep 3600";
    n.pod(
        "pair",
        json!({"containers": [
            {"name": "c", "image": "busybox", "command": ["sh", "-c", script]},
            nginx(),
        ]}),
    )
    .steady();
    assert!(n.log("pair", "c").ends_with("up\n"), "{}", n.log("pair", "c"));
}

/// RFC 792: a router says that a host is unreachable. `pkg/proxy/iptables/proxier.go`, `syncProxyRules`: REJECT
/// for a Service without endpoints.
#[test]
fn what_is_gone_does_not_answer() {
    let mut n = net(2);
    n.serve("web", 1, nginx(), json!({"ports": [{"port": 80}]})).client().steady();
    let address = n.addresses("web").remove(0);
    assert!(n.busybox(&format!("ping -c 1 {address}")).contains("0% packet loss"));
    n.delete(Kind::DEPLOYMENT, "web").steady();
    assert!(n.busybox(&format!("wget -qO- {address}")).contains("No route to host"));
    assert!(
        n.busybox("wget -qO- web").contains("Connection refused"),
        "the Service has no endpoints any more"
    );
    n.delete(Kind::SERVICE, "web").steady();
    assert!(n.busybox("wget -qO- web").contains("bad address"));
}

/// BusyBox' `networking/wget.c`, the option `-T`: the words.
#[test]
fn a_machine_that_is_down_is_not_reached() {
    let mut n = net(2);
    let mut spec = json!({"containers": [nginx()], "nodeName": "node-2"});
    n.pod("web", spec.take()).client().steady();
    let at = crate::api::ObjectRef { kind: Kind::POD, key: Key::new("default", "web") };
    let pod = n.0.api().cached(&at).unwrap().get::<crate::api::types::Pod>().unwrap().clone();
    let address = pod.status.as_ref().unwrap().pod_ip.clone().unwrap();
    let ask = format!("wget -T 2 -qO- {address}");
    assert!(n.busybox(&ask).contains("Welcome"));
    n.0.fault(&Fault::NodeDown { node: "node-2".into() }).unwrap();
    assert!(n.busybox(&ask).contains("download timed out"));
}

/// `pkg/proxy/iptables/proxier.go`, `syncProxyRules`: `KUBE-NODEPORTS`. CoreDNS' `plugin/kubernetes/kubernetes.go`,
/// `findServices`: an external name. The API server's `endpoints/handlers/responsewriters/errors.go`, `forbiddenMessage`.
#[test]
fn node_ports_external_names_and_the_api_server() {
    let mut n = net(2);
    n.serve("web", 1, nginx(), json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}]}));
    let external = json!({"metadata": {"name": "site"}, "spec": {"type": "ExternalName", "externalName": "example.com"}});
    n.create(Kind::SERVICE, external).client().steady();
    assert!(n.busybox("wget -qO- http://172.18.0.2:30080").contains("Welcome"));
    assert!(n.busybox("wget -qO- http://172.18.0.2:30081").contains("Connection refused"));
    assert!(n.run("curl", "curl -s -o /dev/null -w '%{http_code}' http://site").contains("200"));
    let api = n.run("curl", "curl -sk https://kubernetes/api");
    assert!(api.contains("cannot get path \\\"/api\\\""), "{api}");
    assert!(n.run("curl", "curl -sk https://kubernetes.default.svc/healthz").contains("ok"));
    assert!(n.run("curl", "curl -sk https://kubernetes.default.svc/version").contains("\"gitVersion\""));
}

fn with_proxies(mode: Mode) -> Net {
    let mut n = net(2);
    n.0.fault(&Fault::KubeProxy { mode: Some(mode) }).unwrap();
    let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
    n.serve("web", 2, whoami, json!({"ports": [{"port": 80}]})).client().steady();
    n
}

/// `syncProxyRules` in `pkg/proxy/iptables/proxier.go`, `pkg/proxy/nftables/proxier.go` and `pkg/proxy/ipvs/proxier.go`.
#[test]
fn each_node_has_the_rules_that_its_kube_proxy_has_written() {
    for mode in [Mode::Iptables, Mode::Nftables, Mode::Ipvs] {
        let mut n = with_proxies(mode);
        let out = n.busybox("for i in 1 2 3 4; do wget -qO- http://web | grep Hostname; done");
        let hosts: std::collections::BTreeSet<&str> =
            out.lines().filter(|l| l.contains("Hostname")).collect();
        assert_eq!(hosts.len(), 2, "{mode:?} {out}");
        for node in ["node-1", "node-2"] {
            let (rules, _) = n.0.kernel_rules(node).unwrap();
            let text = rules[0].to_string();
            for address in n.addresses("web") {
                assert!(
                    text.contains(&format!("{address}:80")) || text.contains(&format!("{address} . 80")),
                    "{text}"
                );
            }
        }
    }
}

/// `pkg/proxy/runner/bounded_frequency_runner.go`: a kube-proxy writes its rules some time after a change.
#[test]
fn rules_lag_behind_the_endpoints() {
    let mut n = with_proxies(Mode::Iptables);
    let mut writers = std::collections::BTreeSet::new();
    let scale = json!({"spec": {"replicas": 0}});
    let at = crate::api::ObjectRef { kind: Kind::DEPLOYMENT, key: Key::new("default", "web") };
    let mut web = n.0.api().cached(&at).unwrap().to_value();
    web["spec"]["replicas"] = scale["spec"]["replicas"].clone();
    let object = Object::from_value(Kind::DEPLOYMENT, web).unwrap();
    let request =
        Request::new(&"person".into(), Verb::Update, Kind::DEPLOYMENT, at.key).body(Body::Object(object));
    assert!(n.0.request(&request).0.code() < 300);
    let ask = "wget -T 2 -qO- http://web; echo code $?";
    let mut seen = Vec::new();
    // Whoever asks after each command meets the pods, then pods that have closed their ports, then a Service without endpoints.
    while let Ok(command) = n.0.next_command(None) {
        if &*command.by == "kube-proxy" {
            let why = command.why.as_ref().unwrap();
            assert_eq!((why.rule, why.fact("service")), ("kube_proxy.sync_proxy_rules", Some("default/web")));
            assert!(command.writes.is_empty());
            writers.insert(command.actor);
        }
        let (rules, _) = n.0.kernel_rules("node-1").unwrap();
        let has_rules = rules[0].to_string().contains("-j DNAT --to-destination 10.244");
        let out = n.busybox(ask);
        let said = ["Hostname", "Connection refused", "No route to host", "timed out"].into_iter();
        let said = said.into_iter().find(|s| out.contains(s)).unwrap_or(&out);
        let said = format!("{} {said}", if has_rules { "rules" } else { "no rules" });
        if seen.last() != Some(&said) {
            seen.push(said);
        }
    }
    assert_eq!(writers.len(), 2, "each node has its own");
    let first: Vec<&str> = seen.iter().map(String::as_str).collect();
    assert_eq!(first.first().copied(), Some("rules Hostname"), "{seen:#?}");
    assert!(first.iter().any(|s| s.starts_with("rules") && s.contains("Connection refused")), "{seen:#?}");
    assert_eq!(first.last().copied(), Some("no rules Connection refused"), "{seen:#?}");
}

/// `pkg/proxy/iptables/proxier.go`, `writeServiceToEndpointRules`: the match `recent`.
#[test]
fn a_client_with_affinity_stays_with_its_endpoint() {
    let mut n = net(1);
    let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
    n.serve("web", 3, whoami, json!({"ports": [{"port": 80}], "sessionAffinity": "ClientIP"}))
        .client()
        .steady();
    let out = n.busybox("for i in 1 2 3 4 5 6; do wget -qO- http://web | grep Hostname; done");
    let hosts: std::collections::BTreeSet<&str> = out.lines().filter(|l| l.contains("Hostname")).collect();
    assert_eq!((hosts.len(), out.lines().count()), (1, 6), "{out}");
}

/// A Service `web` with session affinity whose clients are remembered for so many seconds, and a client.
fn sticky(replicas: usize, seconds: i64, mode: Option<Mode>) -> Net {
    let mut n = net(2);
    if mode.is_some() {
        n.0.fault(&Fault::KubeProxy { mode }).unwrap();
    }
    let whoami = json!({"name": "whoami", "image": "traefik/whoami"});
    let config = json!({"clientIP": {"timeoutSeconds": seconds}});
    let service =
        json!({"ports": [{"port": 80}], "sessionAffinity": "ClientIP", "sessionAffinityConfig": config});
    n.serve("web", replicas, whoami, service).client().steady();
    n
}

/// Who answers the client now.
fn host(n: &mut Net) -> String {
    n.busybox("wget -qO- http://web | grep Hostname").trim().trim_start_matches("Hostname: ").to_owned()
}

/// `pkg/proxy/iptables/proxier.go` (`recent` with `--rcheck --seconds` where an endpoint is chosen, `--set` in its chain),
/// `pkg/proxy/nftables/proxier.go` (`update` of a set with a timeout) and `pkg/proxy/ipvs/proxier.go` (`FlagPersistent`): each new
/// connection begins the time anew, and who comes back after it has another draw.
#[test]
fn a_client_is_remembered_until_its_time_is_over() {
    for mode in [None, Some(Mode::Iptables), Some(Mode::Nftables), Some(Mode::Ipvs)] {
        let mut n = sticky(3, 60, mode);
        let first = host(&mut n);
        for _ in 0..3 {
            n.wait(40);
            assert_eq!(host(&mut n), first, "{mode:?}");
        }
        let mut hosts = std::collections::BTreeSet::new();
        for _ in 0..16 {
            n.wait(61);
            hosts.insert(host(&mut n));
        }
        assert!(hosts.len() > 1, "{mode:?} {hosts:?}");
    }
}

/// As above: the rules ask for the clients that are remembered before they throw a dice. An endpoint that is gone has no rule any more.
#[test]
fn a_new_endpoint_takes_no_client_over() {
    for mode in [None, Some(Mode::Iptables), Some(Mode::Nftables), Some(Mode::Ipvs)] {
        let mut n = sticky(1, 600, mode);
        let first = host(&mut n);
        n.change(Kind::DEPLOYMENT, "web", |web| web["spec"]["replicas"] = 8.into()).steady();
        assert_eq!(host(&mut n), first, "{mode:?}");
        n.delete(Kind::POD, &first).steady();
        let next = host(&mut n);
        assert!(!next.is_empty() && next != first, "{mode:?} {next}");
        assert_eq!(host(&mut n), next, "{mode:?}");
    }
}

/// As above, for a client that sends requests all the time: it is remembered since its last one.
#[test]
fn a_stream_of_requests_stays_with_its_endpoint() {
    let mut n = sticky(1, 60, Some(Mode::Iptables));
    let metadata = json!({"name": "stream", "annotations": {"sim.steady/requests": "1/s http://web"}});
    let container = json!({"name": "c", "image": "busybox:1.37", "command": ["sleep", "infinity"]});
    n.create(Kind::POD, json!({"metadata": metadata, "spec": {"containers": [container]}})).steady().wait(90);
    let since = n.0.now();
    n.change(Kind::DEPLOYMENT, "web", |web| web["spec"]["replicas"] = 8.into()).steady().wait(30);
    let counts = n.0.traffic(since).remove(0).counts;
    assert_eq!((counts.answered.len(), counts.losses()), (1, 0), "{counts:?}");
}

/// What a node remembers decides where the next connection leads, so it belongs to the state of the run.
#[test]
fn what_a_node_remembers_is_in_the_fingerprint() {
    let mut n = sticky(2, 60, None);
    let before = n.0.digest();
    let copy = n.0.clone();
    host(&mut n);
    assert_ne!(n.0.digest(), before);
    assert_eq!(copy.digest(), before);
}

/// `pkg/proxy/runner/bounded_frequency_runner.go`, `Run`, and `cmd/kube-proxy/app/server.go`, `Run`, which starts the informers: what the
/// rules of a node wait for.
#[test]
fn what_rules_wait_for_is_said() {
    let mut n = with_proxies(Mode::Iptables);
    assert_eq!(n.0.rules_wait("node-1"), None);
    n.change(Kind::DEPLOYMENT, "web", |web| web["spec"]["replicas"] = 4.into());
    let mut waits = Vec::new();
    while n.0.next_command(None).is_ok() {
        waits.extend(n.0.rules_wait("node-1"));
    }
    assert!(waits.iter().any(|w| matches!(w, RulesWait::Work(_) | RulesWait::Period(_))), "{waits:?}");
    assert_eq!(n.0.rules_wait("node-1"), None);
    n.0.fault(&Fault::Stop { process: "kube-proxy".to_owned(), node: Some("node-1".to_owned()) }).unwrap();
    assert_eq!(n.0.rules_wait("node-1"), Some(RulesWait::Stopped));
}

#[test]
fn kube_proxies_are_taken_away_again() {
    let mut n = with_proxies(Mode::Iptables);
    assert!(n.0.fault(&Fault::KubeProxy { mode: Some(Mode::Iptables) }).is_err());
    n.0.fault(&Fault::KubeProxy { mode: Some(Mode::Nftables) }).unwrap();
    n.steady();
    assert!(n.0.kernel_rules("node-1").unwrap().0[0].to_string().contains("table ip kube-proxy"));
    n.0.fault(&Fault::KubeProxy { mode: None }).unwrap();
    n.steady();
    assert!(n.0.kernel_rules("node-1").is_none());
    assert!(n.busybox("wget -qO- http://web").contains("Hostname"));
}

/// A cluster with a Deployment `web` of three pods and a client, and a new image for the Deployment: what became of the requests.
fn rollout(container: Value) -> crate::network::traffic::Counts {
    let mut n = net(2);
    n.serve("web", 3, container, json!({"ports": [{"port": 80}]})).steady();
    let client = json!({"name": "c", "image": "curlimages/curl", "command": ["sleep", "infinity"]});
    n.create(
        Kind::POD,
        json!({
            "metadata": {"name": "client", "annotations": {"sim.steady/requests": "100/s http://web/ timeout=2s"}},
            "spec": {"containers": [client]},
        }),
    )
    .steady();
    assert_eq!(n.0.kube_proxy_mode(), Some(Mode::Iptables), "who sends requests sees what rules lag behind");
    n.wait(10);
    let since = n.0.now();
    let before = n.0.traffic(crate::api::Timestamp::MIN).remove(0).counts;
    assert!(before.sent > 900 && before.losses() == 0 && before.answered.len() == 3, "{before:?}");
    let at = crate::api::ObjectRef { kind: Kind::DEPLOYMENT, key: Key::new("default", "web") };
    let mut web = n.0.api().cached(&at).unwrap().to_value();
    web["spec"]["template"]["metadata"]["annotations"] = json!({"again": "1"});
    let object = Object::from_value(Kind::DEPLOYMENT, web).unwrap();
    let request =
        Request::new(&"person".into(), Verb::Update, Kind::DEPLOYMENT, at.key).body(Body::Object(object));
    assert!(n.0.request(&request).0.code() < 300);
    n.steady().wait(30);
    let counts = n.0.traffic(since).remove(0).counts;
    assert!(counts.sent > 3000, "{counts:?}");
    assert_eq!(counts.answered.values().sum::<u64>() + counts.losses(), counts.sent);
    counts
}

/// kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle, "Termination of Pods": the kubelet and the controllers of endpoints
/// act at the same time. KEP-3960: the hook that sleeps.
#[test]
fn a_rollout_loses_the_requests_that_stale_rules_lead_to_stopping_pods() {
    let lossy = rollout(nginx());
    let first = lossy.first.clone().unwrap();
    assert_eq!(
        (first.cause, first.behind),
        (Cause::Refused(Because::Stopping), Some(Behind::Rules)),
        "{lossy:?}"
    );
    // Of 100 requests a second each of three pods loses its third or fourth of half a second, or a bit more.
    assert!((30..150).contains(&lossy.losses()), "{lossy:?}");
    // A pod that waits before it stops loses none.
    let mut waits = nginx();
    waits["lifecycle"] = json!({"preStop": {"sleep": {"seconds": 5}}});
    waits["readinessProbe"] = json!({"httpGet": {"port": 80}, "periodSeconds": 1});
    let lossless = rollout(waits);
    assert_eq!(lossless.losses(), 0, "{lossless:?}");
}

#[test]
fn clients_that_cannot_be_read_are_told() {
    let mut n = net(1);
    n.create(
        Kind::POD,
        json!({
            "metadata": {"name": "client", "annotations": {"sim.steady/requests": "many http://web/"}},
            "spec": {"containers": [{"name": "c", "image": "busybox", "command": ["sleep", "infinity"]}]},
        }),
    )
    .steady();
    let events =
        n.0.api().cached_list(Kind::EVENT, None).filter_map(|(_, o)| o.get::<crate::api::types::Event>());
    let said: Vec<String> = events.filter_map(|e| e.message.clone()).collect();
    let wanted = "the annotation sim.steady/requests cannot be read: \"many\" is no rate: expected for example 20/s or 30/m";
    assert!(said.iter().any(|m| m == wanted), "{said:?}");
}

/// Rules are for one protocol: what is known of a packet of TCP says nothing of one of UDP to the same port.
/// `pkg/proxy/iptables/proxier.go`, `syncProxyRules`: each rule has `-p`.
#[test]
fn a_port_of_tcp_is_none_of_udp() {
    let mut n = net(1);
    n.serve("web", 1, nginx(), json!({"ports": [{"port": 80}]})).client().steady();
    let at = crate::api::ObjectRef { kind: Kind::SERVICE, key: Key::new("default", "web") };
    let service = n.0.api().cached(&at).unwrap().to_value();
    let to = format!("{}:80", service["spec"]["clusterIP"].as_str().unwrap()).parse().unwrap();
    let ask = |protocol| n.0.ask(&Key::new("default", "client"), &Question::Connect { to, protocol });
    assert_eq!(ask(Protocol::Tcp)[0].outcome, Outcome::Connected);
    let udp = ask(Protocol::Udp).remove(0);
    assert_eq!((udp.outcome, udp.because), (Outcome::TimedOut, Because::NoSuchPort));
}

/// `kubernetes/test/images/agnhost/liveness/server.go`: `/healthz` is well for ten seconds, whoever has asked before.
#[test]
fn an_answer_that_changes_with_time_is_not_remembered() {
    let mut n = net(1);
    let liveness =
        json!({"name": "l", "image": "registry.k8s.io/e2e-test-images/agnhost:2.53", "args": ["liveness"]});
    n.client();
    n.create(
        Kind::POD,
        json!({"metadata": {"name": "l", "labels": {"app": "l"}}, "spec": {"containers": [liveness]}}),
    );
    n.steady();
    let to = format!("{}:8080", n.addresses("l").remove(0)).parse().unwrap();
    let question = Question::Fetch {
        to,
        tls: false,
        host: "l".into(),
        method: "GET".into(),
        path: "/healthz".into(),
        headers: Default::default(),
        extras: Default::default(),
    };
    let status = |n: &Net| match &n.0.ask(&Key::new("default", "client"), &question)[0].outcome {
        Outcome::Answered(response) => response.status,
        other => panic!("{other:?}"),
    };
    assert_eq!(status(&n), 200);
    n.wait(15);
    assert_eq!(status(&n), 500);
}
