//! Facts from CoreDNS' own tests (`plugin/*/setup_test.go`, `caddyfile/parse_test.go`) and documentation, and from logs that
//! people have published.
#![allow(clippy::unwrap_used)]

use super::*;

fn read(text: &str) -> Result<Configuration, String> {
    let files = |path: &str| match path {
        "/etc/resolv.conf" => Some("nameserver 172.18.0.1\noptions ndots:0\n".to_owned()),
        "/etc/loop.conf" => Some("nameserver 127.0.0.53\n".to_owned()),
        _ => None,
    };
    let env = BTreeMap::from([("ZONE".to_owned(), "cluster.local".to_owned())]);
    Configuration::read(text, &Finds { file: "/etc/coredns/Corefile", port: PORT, env: &env, read: &files })
}

fn why(text: &str) -> String {
    read(text).unwrap_err()
}

/// Each error stands at its line and begins with the plugin, if the plugin says it.
#[test]
fn errors_are_in_the_words_of_coredns() {
    let of = |plugin: &str, line: usize, why: &str| {
        format!("plugin/{plugin}: /etc/coredns/Corefile:{line} - Error during parsing: {why}")
    };
    for (text, expected) in [
        // github.com/coredns/deployment/issues/215
        (".:53 {\n    errors\n    . {\n    }\n}\n", "/etc/coredns/Corefile:3 - Error during parsing: Unknown directive '.'".to_owned()),
        (".:53 {\n errors\n", "/etc/coredns/Corefile:2 - Error during parsing: Syntax error: Unexpected token '', expecting '}'".to_owned()),
        (".:53 {\n kubernetes cluster.local {\n  upstream\n }\n}\n", of("kubernetes", 3, "unknown property 'upstream'")),
        (".:53 {\n kubernetes cluster.local {\n  pods\n }\n}\n", of("kubernetes", 3, "Wrong argument count or unexpected line ending after 'pods'")),
        (".:53 {\n kubernetes cluster.local {\n  pods all\n }\n}\n", "plugin/kubernetes: wrong value for pods: all,  must be one of: disabled, verified, insecure".to_owned()),
        (".:53 {\n kubernetes cluster.local {\n  ttl 3601\n }\n}\n", of("kubernetes", 3, "ttl must be in range [0, 3600]: 3601")),
        (".:53 {\n kubernetes in-addr.arpa\n}\n", "plugin/kubernetes: non-reverse zone name must be used".to_owned()),
        (".:53 {\n kubernetes\n kubernetes a.test\n}\n", "plugin/kubernetes: this plugin can only be used once per Server Block".to_owned()),
        (".:53 {\n cache 0\n}\n", "plugin/cache: cache TTL can not be zero or negative: 0".to_owned()),
        // github.com/missdeer/corednshome/issues/8
        (".:53 {\n forward .\n}\n", of("forward", 2, "Wrong argument count or unexpected line ending after '.'")),
        // github.com/coredns/coredns/issues/4362
        (".:53 {\n forward . 8.8.8.8 {\n  max 1\n }\n}\n", of("forward", 3, "unknown property 'max'")),
        (".:53 {\n forward . /no/such/file\n}\n", "plugin/forward: not an IP address or file: \"/no/such/file\"".to_owned()),
        (".:53 {\n whoami\n}\n.:53 {\n whoami\n}\n", "cannot serve dns://.:53 - it is already defined".to_owned()),
    ] {
        assert_eq!(why(text), expected, "{text}");
    }
}

/// What CoreDNS has and is not simulated is refused, with the line and with what it is.
#[test]
fn what_is_not_simulated_is_refused() {
    for plugin in NOT_SIMULATED {
        assert!(why(&format!(".:53 {{\n {plugin} x\n}}\n")).contains("is not simulated here"), "{plugin}");
    }
    for line in [
        "rewrite type ANY A",
        "bind 127.0.0.1",
        "log . \"{name}\"",
        "forward . tls://9.9.9.9",
        "forward . 8.8.8.8:5353",
    ] {
        assert!(why(&format!(".:53 {{\n {line}\n}}\n")).contains("not simulated here"), "{line}");
    }
    assert!(why("import other\n").contains("not simulated here"));
}

/// CoreDNS' `setup.go` of the plugins `health`, `kubernetes`, `reload` and `metrics`, whose address is `localhost:9153` by
/// default.
#[test]
fn what_a_corefile_says_is_read() {
    let c = read(
        "# a comment\n{$ZONE}:1053 10.0.0.0/16 {\n health :8090 {\n  lameduck 5s\n }\n kubernetes\n reload 10s # often\n loop\n}\n",
    );
    // The ports of a block's keys are those of one server.
    assert!(c.unwrap_err().contains("several ports"));
    let c = read(
        "# a comment\n{$ZONE} 10.0.0.0/16 {\n health :8090 {\n  lameduck 5s\n }\n kubernetes\n reload 10s # often\n prometheus\n}\n",
    );
    let c = c.unwrap();
    assert_eq!(c.names(), ["cluster.local.:53", "0.10.in-addr.arpa.:53"]);
    assert_eq!(c.http_ports(), [(8090, "/health")], "prometheus is for localhost alone");
    assert_eq!(c.reloads(), Some(SignedDuration::from_secs(10)));
    assert_eq!(c.lameduck(), SignedDuration::from_secs(5));
    assert_eq!(c.servers[0].kubernetes.as_ref().unwrap().ttl, 5);
    // `coredns.io/plugins/loop`
    let looping = read(". {\n forward . /etc/loop.conf\n loop\n}\n").unwrap();
    assert!(looping.loop_found().unwrap().starts_with("[FATAL] plugin/loop: Loop (127.0.0.1:"));
    assert_eq!(read(". {\n forward . /etc/loop.conf\n}\n").unwrap().loop_found(), None);
}

/// `plugin/cache/README.md`; kubeadm keeps no names of the cluster (github.com/kubernetes/kubernetes/pull/128359).
#[test]
fn the_cache_keeps_what_it_is_told_to() {
    let cache = |text: &str| read(&format!(". {{\n {text}\n}}\n")).unwrap().servers[0].cache.clone().unwrap();
    let all = cache("cache");
    assert_eq!(all.keeps("a.test", Class::Success, 7200), Some(3600));
    assert_eq!(all.keeps("a.test", Class::Denial, 7200), Some(1800));
    assert_eq!(all.keeps("a.test", Class::Success, 1), Some(5), "at least five seconds");
    assert_eq!(all.keeps("a.test", Class::Error, 30), None);
    let kubeadm = cache("cache 30 {\n disable success cluster.local\n disable denial cluster.local\n }");
    assert_eq!(kubeadm.keeps("a.test", Class::Success, 300), Some(30));
    assert_eq!(kubeadm.keeps("web.default.svc.cluster.local", Class::Success, 30), None);
    assert_eq!(kubeadm.keeps("web.default.svc.cluster.local", Class::Denial, 30), None);
    let of_zone = cache("cache 10 example.org");
    assert_eq!(
        (of_zone.keeps("example.org", Class::Success, 60), of_zone.keeps("a.test", Class::Success, 60)),
        (Some(10), None)
    );
}

struct Nothing;

impl crate::network::dns::Objects for Nothing {
    fn service(&self, _: &crate::api::Key) -> Option<&crate::api::types::Service> {
        None
    }
    fn services(&self) -> Vec<&crate::api::types::Service> {
        Vec::new()
    }
    fn slices(&self, _: &crate::api::Key) -> Vec<&crate::api::types::EndpointSlice> {
        Vec::new()
    }
    fn has_namespace(&self, name: &str) -> bool {
        name == "default"
    }
    fn has_pod(&self, namespace: &str, address: std::net::IpAddr) -> bool {
        namespace == "default" && address == std::net::IpAddr::from([10, 244, 0, 5])
    }
}

impl Outside for Nothing {
    fn forward(
        &self,
        server: std::net::IpAddr,
        name: &str,
        type_: crate::network::dns::RecordType,
    ) -> Option<crate::network::dns::Records> {
        (server == std::net::IpAddr::from([172, 18, 0, 1]))
            .then(|| crate::network::dns::upstream(name, type_))
    }
}

fn ask(text: &str, name: &str) -> String {
    let served = read(text).unwrap().serve(&Nothing, PORT, name, crate::network::dns::RecordType::A);
    let addresses: Vec<String> = served.records.addresses.iter().map(ToString::to_string).collect();
    format!("{} {}", served.records.status(), addresses.join(" ")).trim_end().to_owned()
}

/// `plugin/kubernetes/README.md`, `plugin/hosts/hosts.go`, `plugin/rewrite/README.md`, `core/dnsserver/server.go`.
#[test]
fn plugins_answer_in_their_own_order() {
    let pods = |mode: &str| {
        format!(". {{\n forward . /etc/resolv.conf\n kubernetes cluster.local {{\n {mode}\n }}\n}}\n")
    };
    let pod = "10-244-0-5.default.pod.cluster.local";
    assert_eq!(ask(&pods(""), pod), "NXDOMAIN");
    assert_eq!(ask(&pods("pods insecure"), "10-1-1-1.default.pod.cluster.local"), "NOERROR 10.1.1.1");
    assert_eq!(ask(&pods("pods verified"), "10-1-1-1.default.pod.cluster.local"), "NXDOMAIN");
    assert_eq!(ask(&pods("pods verified"), pod), "NOERROR 10.244.0.5");
    // A name that the cluster does not have goes on with `fallthrough` alone.
    let com =
        |fall: &str| format!(". {{\n kubernetes com {{\n {fall}\n }}\n forward . /etc/resolv.conf\n}}\n");
    assert_eq!(ask(&com(""), "www.example.com"), "NXDOMAIN");
    assert_eq!(ask(&com("fallthrough"), "www.example.com"), "NOERROR 203.0.113.1");
    assert_eq!(ask(&com("fallthrough other.com"), "www.example.com"), "NXDOMAIN");
    let hosts = |more: &str| {
        format!(". {{\n forward . /etc/resolv.conf\n hosts {{\n 192.0.2.1 a.example.com\n {more}\n }}\n}}\n")
    };
    assert_eq!(ask(&hosts(""), "a.example.com"), "NOERROR 192.0.2.1");
    assert_eq!(ask(&hosts(""), "b.example.com"), "SERVFAIL");
    assert_eq!(ask(&hosts("fallthrough"), "b.example.com"), "NOERROR 203.0.113.1");
    // Nobody is left to ask, nobody answers, and no server is for the name.
    assert_eq!(ask("cluster.local {\n kubernetes\n}\n", "www.example.com"), "REFUSED");
    assert_eq!(ask(". {\n kubernetes cluster.local\n}\n", "www.example.com"), "SERVFAIL");
    assert_eq!(ask(". {\n forward . 192.0.2.9\n}\n", "www.example.com"), "SERVFAIL");
    // The longest zone answers.
    let two = ". {\n forward . 192.0.2.9\n}\nexample.com {\n forward . /etc/resolv.conf\n}\n";
    assert_eq!(
        (ask(two, "www.example.com"), ask(two, "www.example.org")),
        ("NOERROR 203.0.113.1".into(), "SERVFAIL".into())
    );
    for rule in [
        "name a.test www.example.com",
        "name exact a.test www.example.com",
        "name suffix .test .example.com",
        "name regex (.*)\\.test {1}.example.com",
        "name substring test example.com",
        "continue name prefix a. www.",
    ] {
        let text = format!(
            ". {{\n rewrite {rule}\n rewrite name suffix www.test www.example.com\n forward . /etc/resolv.conf\n}}\n"
        );
        assert_eq!(ask(&text, "a.test"), "NOERROR 203.0.113.1", "{rule}");
    }
}
