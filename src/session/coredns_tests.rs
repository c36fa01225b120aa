//! CoreDNS as kubeadm adds it: its objects, its pods, its Corefile, and who finds names through them.
#![allow(clippy::unwrap_used)]

use super::{Depth, Link, Op, Replay, Session, Start};
use crate::cluster::Fault;

const CLIENT: &str = r#"
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {clusterIP: 10.96.7.7, selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: client, labels: {app: client}}
spec: {containers: [{name: c, image: "busybox:1.37", command: [sleep, infinity]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: tools}
spec: {containers: [{name: c, image: "debian:12", command: [sleep, infinity]}]}
"#;

fn rest(s: &mut Session) {
    while s.step(Depth::Command, None) {
        assert!(s.at() < 20_000, "the cluster does not come to rest");
    }
}

/// A run with CoreDNS, after which a client and a Service are there.
fn with_core_dns() -> Session {
    let mut s = Session::new(Start { nodes: 2, ..Start::default() });
    s.fault(&Fault::CoreDns { installed: true }).unwrap();
    s.apply(CLIENT);
    rest(&mut s);
    s
}

fn said(s: &Session, line: &str) -> String {
    let output = s.clone().kubectl(line, &[]);
    format!("{}{}", output.stdout, output.stderr)
}

fn lookup(s: &Session, name: &str) -> String {
    said(s, &format!("exec client -- nslookup -type=a {name}"))
}

const WEB: &str = "web.default.svc.cluster.local";

/// The Corefile of kubeadm with other lines.
fn corefile(change: impl Fn(&str) -> String) -> String {
    let begin = crate::cluster::coredns::MANIFEST.split_once("Corefile: |\n").unwrap().1;
    let text = begin.split_once("---\n").unwrap().0;
    let text: String = text.lines().map(|l| format!("{}\n", l.strip_prefix("    ").unwrap_or(l))).collect();
    change(&text)
}

fn write_corefile(s: &mut Session, text: &str) {
    let patch = serde_json::json!({"data": {"Corefile": text}});
    let before = s.at();
    s.kubectl(&format!("patch configmap coredns -n kube-system -p '{patch}'"), &[]);
    assert_ne!(s.at(), before);
}

/// What kubeadm makes: `cmd/kubeadm/app/phases/addons/dns/manifests.go`. Somebody has published the pods and the log of such a cluster
/// (kind, CoreDNS 1.14.2): the hash of the pods' template and the checksum of the Corefile are the same here, so both are, to the letter.
#[test]
fn its_objects_and_pods_are_those_of_kubeadm() {
    let s = with_core_dns();
    let all = said(&s, "get deployment,service,configmap,serviceaccount -n kube-system");
    for name in
        ["deployment.apps/coredns 2/2", "service/kube-dns ClusterIP 10.96.0.10", "53/UDP,53/TCP,9153/TCP"]
    {
        let even = all.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(even.contains(name), "{name}: {all}");
    }
    assert!(all.contains("configmap/coredns") && all.contains("serviceaccount/coredns"), "{all}");
    let pod = said(&s, "describe pods -n kube-system -l k8s-app=kube-dns");
    for text in [
        "Priority Class Name:  system-cluster-critical",
        "registry.k8s.io/coredns/coredns:v1.14.2",
        "http-get http://:liveness-probe/health delay=60s timeout=5s period=10s #success=1 #failure=5",
        "http-get http://:readiness-probe/ready delay=0s timeout=1s period=10s #success=1 #failure=3",
        "CriticalAddonsOnly op=Exists",
        "node-role.kubernetes.io/control-plane:NoSchedule",
    ] {
        assert!(pod.contains(text), "{text}: {pod}");
    }
    assert!(said(&s, "get pods -n kube-system").contains("coredns-589f44dc88-"));
    let nodes = said(&s, "get pods -n kube-system -o jsonpath={.items[*].spec.nodeName}");
    assert!(nodes.contains("node-1") && nodes.contains("node-2"), "apart: {nodes}");
    let log = said(&s, "logs -n kube-system deployment/coredns");
    assert!(
        log.contains(
            ".:53\n[INFO] plugin/reload: Running configuration SHA512 = \
             1b226df79860026c6a52e67daa10d7f0d57ec5b023288ec00c5e05f93523c894564e15b91770d3a07ae1cfbe861d15b37d4a0027e69c546ab112970993a3b03b\n\
             CoreDNS-1.14.2\nlinux/amd64, go1.26.1, dd1df4f\n"
        ),
        "{log}"
    );
    assert!(lookup(&s, WEB).contains("Address: 10.96.7.7"), "{}", lookup(&s, WEB));
    assert!(lookup(&s, "www.example.com").contains("203.0.113.1"));
    // A pod of CoreDNS can be asked itself, too.
    let ip = said(&s, "get pods -n kube-system -o jsonpath={.items[0].status.podIP}");
    assert!(said(&s, &format!("exec client -- nslookup -type=a {WEB} {ip}")).contains("10.96.7.7"));
    let ready = said(&s, &format!("exec client -- wget -qO- http://{ip}:8181/ready"));
    assert_eq!(ready, "OK");
}

/// kubeadm's Corefile keeps nothing of the cluster's names and logs nothing, so a lookup leaves nothing behind; a name outside is
/// kept for 30 seconds (`cache 30`), and is answered meanwhile though nobody outside can be asked.
#[test]
fn what_a_lookup_leaves_behind_is_a_moment() {
    let mut s = with_core_dns();
    let before = s.at();
    s.kubectl(&format!("exec client -- nslookup -type=a {WEB}"), &[]);
    assert_eq!(s.at(), before);
    s.kubectl("exec client -- nslookup -type=a www.example.com", &[]);
    assert_ne!(s.at(), before);
    s.apply("{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: dns, namespace: kube-system}, spec: {podSelector: {}, policyTypes: [Egress]}}");
    assert!(lookup(&s, "www.example.com").contains("203.0.113.1"));
    assert!(lookup(&s, "www.example.org").contains("SERVFAIL"));
}

/// kubeadm's Service asks for one address, so it is of the cluster's first family.
#[test]
fn it_is_there_in_a_cluster_of_two_families() {
    let mut s = Session::new(Start {
        nodes: 1,
        ip_family: crate::api::ip_family::IpFamily::Dual,
        ..Start::default()
    });
    s.fault(&Fault::CoreDns { installed: true }).unwrap();
    s.apply(CLIENT);
    rest(&mut s);
    assert!(
        said(&s, "get service kube-dns -n kube-system -o jsonpath={.spec.clusterIPs}").contains("10.96.0.10")
    );
    assert!(lookup(&s, WEB).contains("10.96.7.7"));
}

/// `pkg/proxy/iptables/proxier.go`: a Service without endpoints is refused (REJECT), one that is not there is nobody's. What a resolver makes of a
/// refusal: `resolv/res_send.c` of glibc, `src/network/res_msend.c` of musl.
#[test]
fn without_a_ready_pod_no_name_is_found() {
    let mut s = with_core_dns();
    s.kubectl("scale deployment coredns -n kube-system --replicas=0", &[]);
    rest(&mut s);
    assert!(lookup(&s, WEB).contains("no servers could be reached"), "{}", lookup(&s, WEB));
    // The port is closed (REJECT), which glibc hears at once and musl does not.
    let hears = said(&s, "exec tools -- sh -c 'curl http://web; date +%s; getent hosts web; date +%s'");
    let times: Vec<i64> = hears.lines().filter_map(|l| l.parse().ok()).collect();
    assert!(hears.contains("Could not resolve host"), "{hears}");
    assert_eq!(times.first(), times.last(), "{hears}");
    let waits = said(&s, "exec client -- sh -c 'date +%s; wget -qO- http://web; date +%s'");
    let times: Vec<i64> = waits.lines().filter_map(|l| l.parse().ok()).collect();
    assert!(waits.contains("bad address 'web'") && times[1] - times[0] >= 10, "{waits}");
    s.kubectl("scale deployment coredns -n kube-system --replicas=1", &[]);
    rest(&mut s);
    assert!(lookup(&s, WEB).contains("10.96.7.7"));
    // Nobody has the Service's address any more: the built-in DNS does not step in.
    s.kubectl("delete service kube-dns -n kube-system", &[]);
    rest(&mut s);
    assert!(lookup(&s, WEB).contains("no servers could be reached"));
}

/// `kubernetes.io/docs/concepts/services-networking/network-policies`: a pod that is isolated for egress reaches what policies
/// allow, and DNS is nothing else.
#[test]
fn a_policy_on_egress_breaks_names() {
    let mut s = with_core_dns();
    let policy = "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: deny}, spec: {podSelector: {matchLabels: {app: client}}, policyTypes: [Egress]}}";
    s.apply(policy);
    rest(&mut s);
    assert!(lookup(&s, WEB).contains("no servers could be reached"));
    let to_dns = "{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}, podSelector: {matchLabels: {k8s-app: kube-dns}}}], ports: [{port: 53, protocol: UDP}]}";
    s.apply(&policy.replace("[Egress]", &format!("[Egress], egress: [{to_dns}]")));
    rest(&mut s);
    assert!(lookup(&s, WEB).contains("10.96.7.7"));
    // CoreDNS itself asks others for names outside of the cluster.
    let of_dns = policy
        .replace("name: deny", "name: dns, namespace: kube-system")
        .replace("app: client", "k8s-app: kube-dns");
    s.apply(&of_dns);
    rest(&mut s);
    assert!(lookup(&s, WEB).contains("10.96.7.7"));
    assert!(lookup(&s, "www.example.com").contains("SERVFAIL"), "{}", lookup(&s, "www.example.com"));
}

/// `github.com/coredns/deployment/issues/215` has the words.
#[test]
fn an_unknown_directive_ends_coredns() {
    let mut s = with_core_dns();
    write_corefile(&mut s, &corefile(|t| t.replace("    loop\n", "    lop\n")));
    // The pods that run keep what they have.
    rest(&mut s);
    assert!(
        lookup(&s, WEB).contains("10.96.7.7"),
        "{} {}",
        lookup(&s, WEB),
        said(&s, "logs -n kube-system -l k8s-app=kube-dns")
    );
    s.kubectl("delete pods -n kube-system --all --wait=false", &[]);
    rest(&mut s);
    let pods = said(&s, "get pods -n kube-system");
    assert!(pods.contains("CrashLoopBackOff"), "{pods}");
    let log = said(&s, "logs -n kube-system -l k8s-app=kube-dns");
    assert!(
        log.contains("/etc/coredns/Corefile:20 - Error during parsing: Unknown directive 'lop'\n"),
        "{log}"
    );
    assert!(lookup(&s, WEB).contains("no servers could be reached"));
    write_corefile(&mut s, &corefile(str::to_owned));
    rest(&mut s);
    s.kubectl("delete pods -n kube-system --all --wait=false", &[]);
    rest(&mut s);
    assert!(lookup(&s, WEB).contains("10.96.7.7"));
}

/// `coredns/plugin/hosts/README.md`, `plugin/rewrite/README.md` (`name`), `plugin/kubernetes/README.md` (`pods verified`, the zones).
#[test]
fn what_the_corefile_says_is_so() {
    let mut s = with_core_dns();
    let text = corefile(|t| {
        let hosts = "    hosts {\n        192.0.2.7 shop.example.com\n        fallthrough\n    }\n    rewrite name www.old.example.com web.default.svc.cluster.local\n";
        t.replace("pods insecure", "pods verified").replace("    ready\n", &format!("    ready\n{hosts}"))
    });
    write_corefile(&mut s, &text);
    s.kubectl("rollout restart deployment coredns -n kube-system", &[]);
    rest(&mut s);
    assert!(lookup(&s, "shop.example.com").contains("192.0.2.7"), "{}", lookup(&s, "shop.example.com"));
    assert!(lookup(&s, "www.example.com").contains("203.0.113.1"));
    assert!(lookup(&s, "www.old.example.com").contains("10.96.7.7"));
    let ip = said(&s, "get pod client -o jsonpath={.status.podIP}").replace('.', "-");
    assert!(lookup(&s, &format!("{ip}.default.pod.cluster.local")).contains("Address: 10.244"));
    assert!(lookup(&s, "10-1-2-3.default.pod.cluster.local").contains("NXDOMAIN"));
    // Another domain than the pods ask for: the names of the cluster are asked outside.
    write_corefile(&mut s, &corefile(|t| t.replace("kubernetes cluster.local", "kubernetes cluster.test")));
    s.kubectl("rollout restart deployment coredns -n kube-system", &[]);
    rest(&mut s);
    assert!(lookup(&s, WEB).contains("NXDOMAIN"));
    assert!(lookup(&s, "web.default.svc.cluster.test").contains("10.96.7.7"));
}

/// A pod of CoreDNS that asks the cluster's DNS itself asks itself (`dnsPolicy: ClusterFirst`).
#[test]
fn coredns_that_asks_itself_has_no_answer() {
    let mut s = with_core_dns();
    s.kubectl("patch deployment coredns -n kube-system -p '{\"spec\":{\"template\":{\"spec\":{\"dnsPolicy\":\"ClusterFirst\"}}}}'", &[]);
    rest(&mut s);
    assert!(lookup(&s, WEB).contains("10.96.7.7"));
    assert!(lookup(&s, "www.example.com").contains("SERVFAIL"), "{}", lookup(&s, "www.example.com"));
}

/// `coredns/plugin/health`: for the time of `lameduck` it answers on, then it ends with 0.
#[test]
fn coredns_answers_while_it_ends() {
    let mut s = with_core_dns();
    s.kubectl("scale deployment coredns -n kube-system --replicas=1", &[]);
    rest(&mut s);
    let pod = said(&s, "get pods -n kube-system -o jsonpath={.items[0].metadata.name}");
    s.kubectl(&format!("delete pod {pod} -n kube-system --wait=false"), &[]);
    let mut served = 0;
    while s.step(Depth::Command, None) {
        let log = said(&s, &format!("logs {pod} -n kube-system"));
        if log.contains("SIGTERM: Shutting down servers then terminating") {
            assert!(log.ends_with("[INFO] plugin/health: Going into lameduck mode for 5s\n"), "{log}");
            served += 1;
        }
    }
    assert!(served > 0);
}

#[test]
fn a_link_repeats_it_and_a_step_back_takes_it_back() {
    let mut s = with_core_dns();
    let here = s.at();
    let text = Link::of(&s).encode();
    assert!(text.starts_with('i'), "{text}");
    let link = Link::decode(&text).unwrap();
    let mut replay = Replay::new(&link);
    while !replay.advance(100) {}
    let again = replay.finish();
    assert_eq!(again.session.cluster().digest(), s.cluster().digest());
    s.fault(&Fault::CoreDns { installed: false }).unwrap();
    assert!(s.fault(&Fault::CoreDns { installed: false }).is_err());
    rest(&mut s);
    assert!(said(&s, "get pods,services -n kube-system").contains("No resources found"));
    assert!(lookup(&s, WEB).contains("10.96.7.7"), "the built-in DNS is back");
    assert!(s.goto(here));
    assert!(said(&s, "get deployment coredns -n kube-system").contains("2/2"));
    assert!(s.ops(s.at()).contains(&Op::Fault(Fault::CoreDns { installed: true })));
}

/// `coredns/plugin/cache/README.md`: an answer is kept for as long as its records say, and no longer than the plugin is told.
/// Nothing of it is there after a restart, and a step back brings it back.
#[test]
fn the_cache_answers_what_was_so() {
    let mut s = with_core_dns();
    s.kubectl("scale deployment coredns -n kube-system --replicas=1", &[]);
    let cache = |t: &str| {
        let t = t.replace("       disable success cluster.local\n       disable denial cluster.local\n", "");
        t.replace("cache 30 {\n    }", "cache 20").replace("    errors\n", "    errors\n    log\n")
    };
    write_corefile(&mut s, &corefile(cache));
    s.kubectl("rollout restart deployment coredns -n kube-system", &[]);
    rest(&mut s);
    let ask = |s: &mut Session| s.kubectl(&format!("exec client -- nslookup -type=a {WEB}"), &[]).stdout;
    let before = s.at();
    assert!(ask(&mut s).contains("10.96.7.7"));
    let asked = s.at();
    assert_ne!(asked, before, "a pod remembers it, so it is a moment of its own");
    s.kubectl("delete service web", &[]);
    assert!(ask(&mut s).contains("10.96.7.7"), "it is kept");
    let log = said(&s, "logs -n kube-system deployment/coredns");
    assert_eq!(
        log.matches("A IN web.default.svc.cluster.local. udp 47 false 512\" NOERROR").count(),
        2,
        "{log}"
    );
    // A command that is executed takes no time, so time passes as it does for the next pod.
    let wait = |s: &mut Session, name: &str| {
        s.apply(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{restartPolicy: Never, containers: [{{name: c, image: busybox, command: [sleep, \"25\"]}}]}}}}"
        ));
        rest(s);
    };
    wait(&mut s, "first");
    assert!(ask(&mut s).contains("NXDOMAIN"));
    // So is that there is no such name.
    s.apply(CLIENT);
    assert!(ask(&mut s).contains("NXDOMAIN"));
    wait(&mut s, "second");
    assert!(ask(&mut s).contains("10.96.7.7"));
    s.goto(before);
    assert!(!said(&s, "logs -n kube-system deployment/coredns").contains(WEB));
}

/// `coredns/plugin/reload`: the file is looked at every 30 seconds from the start of the process.
#[test]
fn coredns_reads_a_changed_corefile_again() {
    let mut s = with_core_dns();
    write_corefile(
        &mut s,
        &corefile(|t| {
            t.replace(
                "    ready\n",
                "    ready\n    hosts {\n        192.0.2.7 shop.example.com\n        fallthrough\n    }\n",
            )
        }),
    );
    rest(&mut s);
    assert!(!lookup(&s, "shop.example.com").contains("192.0.2.7"));
    s.apply("{apiVersion: v1, kind: Pod, metadata: {name: first}, spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [sleep, \"120\"]}]}}");
    rest(&mut s);
    assert!(lookup(&s, "shop.example.com").contains("192.0.2.7"));
    let log = said(&s, "logs -n kube-system deployment/coredns");
    for line in [
        "[INFO] Reloading\n[INFO] plugin/health: Going into lameduck mode for 5s\n[INFO] plugin/reload: Running configuration SHA512 = ",
        "[INFO] Reloading complete\n",
    ] {
        assert!(log.contains(line), "{log}");
    }
    assert!(said(&s, "get pods -n kube-system").contains("Running   0"));
}

/// The journey of a lookup leads to the pod whose log has it.
#[test]
fn the_journey_of_a_lookup_ends_at_a_pod_of_coredns() {
    use crate::api::Key;
    use crate::network::Question;
    use crate::network::dns::RecordType;
    let s = with_core_dns();
    let server = std::net::IpAddr::from([10, 96, 0, 10]);
    let ips = said(&s, "get pods -n kube-system -o jsonpath={.items[*].status.podIP}");
    for name in [WEB, "kubernetes.default.svc.cluster.local", "www.example.com"] {
        let question = Question::Lookup { server, name: name.into(), type_: RecordType::A };
        let journey = s.cluster().journey(&Key::new("default", "client"), &question).unwrap();
        let endpoint = journey.reply.as_ref().unwrap().endpoint.unwrap().ip().to_string();
        assert!(ips.contains(&endpoint), "{journey}");
        assert!(journey.way.is_some() && journey.to_string().contains("10.96.0.10:53"), "{journey}");
    }
}

/// What the process of a container asks is a line of the log, too, when it asks it first.
#[test]
fn a_process_is_logged_once() {
    let mut s = with_core_dns();
    write_corefile(&mut s, &corefile(|t| t.replace("    errors\n", "    errors\n    log\n")));
    s.kubectl("rollout restart deployment coredns -n kube-system", &[]);
    rest(&mut s);
    s.apply("{apiVersion: v1, kind: Pod, metadata: {name: asks}, spec: {containers: [{name: c, image: busybox, command: [sh, -c, 'while true; do wget -T 1 -qO- http://web; sleep 5; done']}]}}");
    rest(&mut s);
    s.kubectl("delete service web", &[]);
    rest(&mut s);
    let log = said(&s, "logs -n kube-system -l k8s-app=kube-dns --tail=-1");
    assert_eq!(log.matches("\"A IN web.default.svc.cluster.local.").count(), 1, "{log}");
}
