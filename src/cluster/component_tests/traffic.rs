//! What becomes of the requests of clients in a whole cluster.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::network::{Net, net};
use crate::api::{Key, Kind, Timestamp};
use crate::cluster::Fault;
use crate::kubelet::KubeletFault;
use crate::network::Because;
use crate::network::traffic::{Cause, Counts, Latencies};

fn server() -> Value {
    json!({"name": "web", "image": "team/app:1", "command": ["/app"], "ports": [{"containerPort": 80}]})
}

fn client(n: &mut Net, name: &str, requests: &str) {
    let container = json!({"name": "c", "image": "busybox:1.37", "command": ["sleep", "infinity"]});
    let metadata = json!({"name": name, "annotations": {"sim.steady/requests": requests}});
    n.create(Kind::POD, json!({"metadata": metadata, "spec": {"containers": [container]}})).steady();
}

fn counts(n: &Net, name: &str, since: Timestamp) -> Counts {
    let all = n.0.traffic(since);
    all.into_iter().find(|t| t.sender.key == Key::new("default", name)).unwrap().counts
}

fn millis(took: &Latencies, thousandths: u64) -> u128 {
    took.percentile(thousandths).unwrap().unsigned_abs().as_millis()
}

fn annotate(n: &mut Net, annotations: Value) {
    n.change(Kind::DEPLOYMENT, "web", |web| {
        web["spec"]["template"]["metadata"]["annotations"] = annotations;
    });
}

/// The lesson of connections that are kept: new pods get no load, until the old ones end. iptables(8): the table `nat` is
/// consulted for the first packet of a connection. Go's `net/http`, `Transport`, keeps connections.
#[test]
fn new_pods_get_nothing_over_connections_that_are_kept() {
    let mut n = net(2);
    n.serve("web", 1, server(), json!({"ports": [{"port": 80}]})).steady();
    client(&mut n, "keeps", "20/s http://web/ keep-alive");
    client(&mut n, "opens", "20/s http://web/");
    n.wait(10).change(Kind::DEPLOYMENT, "web", |web| web["spec"]["replicas"] = 3.into());
    n.steady().wait(5);
    let since = n.0.now();
    n.wait(20);
    let (keeps, opens) = (counts(&n, "keeps", since), counts(&n, "opens", since));
    assert_eq!((keeps.answered.len(), opens.answered.len()), (1, 3), "{keeps:?}");
    assert_eq!((keeps.losses(), keeps.sent), (0, opens.sent));
    // What an answer costs, it costs the one pod.
    let busy = *keeps.answered.keys().next().unwrap();
    assert_eq!(n.0.traffic_until_now().streams().count(), 2);
    let pool = n.0.traffic_until_now();
    let id = n.0.scene().unwrap().streams.iter().find(|s| s.client.keep.is_some()).unwrap().id.clone();
    assert_eq!(pool.pool(&id).unwrap().by_endpoint().into_iter().collect::<Vec<_>>(), [(busy.unwrap(), 1)]);
}

/// A pod that sleeps before it stops leaves the endpoints at once, and is kept busy until it is killed, because nobody closes the
/// connection. iptables(8): the table `nat` is consulted for the first packet of a connection.
#[test]
fn a_connection_that_is_kept_outlives_the_endpoint() {
    let mut n = net(1);
    let mut sleeps = server();
    sleeps["lifecycle"] = json!({"preStop": {"sleep": {"seconds": 20}}});
    n.serve("web", 1, sleeps, json!({"ports": [{"port": 80}]})).steady();
    client(&mut n, "keeps", "10/s http://web/ keep-alive");
    client(&mut n, "opens", "10/s http://web/");
    n.wait(5);
    let old = *counts(&n, "keeps", Timestamp::MIN).answered.keys().next().unwrap();
    n.change(Kind::DEPLOYMENT, "web", |web| {
        web["spec"]["template"]["metadata"]["annotations"] = json!({"again": "1"});
    });
    n.wait(8);
    let since = n.0.now();
    n.wait(5);
    let (keeps, opens) = (counts(&n, "keeps", since), counts(&n, "opens", since));
    assert_eq!(
        keeps.answered.keys().copied().collect::<Vec<_>>(),
        [old],
        "conntrack has the flow: {keeps:?}"
    );
    assert!(!opens.answered.contains_key(&old), "the rules do not lead there any more: {opens:?}");
    n.steady().wait(5);
    let since = n.0.now();
    n.wait(5);
    assert!(!counts(&n, "keeps", since).answered.contains_key(&old));
    assert_eq!(counts(&n, "keeps", Timestamp::MIN).losses(), 0);
}

/// 20 ms of CPU in each 100 ms are four answers of 5 ms, which are forty a second. The kernel's
/// `Documentation/scheduler/sched-bwc.rst`.
#[test]
fn a_pod_at_its_limit_of_cpu_answers_later() {
    let mut n = net(1);
    let mut limited = server();
    limited["resources"] = json!({"limits": {"cpu": "200m"}});
    n.serve("web", 1, limited, json!({"ports": [{"port": 80}]}));
    annotate(&mut n, json!({"sim.steady/answer-cpu": "5m"}));
    n.steady();
    client(&mut n, "few", "20/s http://web/ timeout=1s");
    n.wait(30);
    let few = counts(&n, "few", Timestamp::MIN);
    assert_eq!((millis(&few.took, 1000), few.losses()), (5, 0));
    client(&mut n, "more", "40/s http://web/ timeout=1s");
    let since = n.0.now();
    n.wait(30);
    let few = counts(&n, "few", since);
    assert!(
        millis(&few.took, 500) > 100 && few.lost.contains_key(&Cause::TooSlow),
        "the load is that of both: {few:?}"
    );
}

/// Who requests nothing gets next to nothing of a node on which others want more CPU than it has, and who requests CPU gets its part.
/// kubernetes.io/docs/concepts/configuration/manage-resources-containers, "How Kubernetes applies resource requests and limits".
#[test]
fn what_a_server_requests_is_its_part_of_a_busy_node() {
    let mut n = net(1);
    n.serve("web", 1, server(), json!({"ports": [{"port": 80}]}));
    annotate(&mut n, json!({"sim.steady/answer-cpu": "5m"}));
    n.steady();
    client(&mut n, "c", "20/s http://web/ timeout=1s");
    let of = |n: &mut Net| {
        let since = n.wait(5).0.now();
        n.wait(20);
        counts(n, "c", since)
    };
    let alone = of(&mut n);
    assert_eq!((millis(&alone.took, 1000), alone.losses()), (5, 0));
    let stress = json!({"name": "c", "image": "polinux/stress", "command": ["stress", "--cpu", "100"], "resources": {"requests": {"cpu": "1"}}});
    n.create(Kind::POD, json!({"metadata": {"name": "stress"}, "spec": {"containers": [stress]}})).steady();
    let beside = of(&mut n);
    assert!(beside.lost.contains_key(&Cause::TooSlow), "{beside:?}");
    n.change(Kind::DEPLOYMENT, "web", |web| {
        web["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "500m"}});
    });
    n.steady();
    let requests = of(&mut n);
    assert_eq!((millis(&requests.took, 1000), requests.losses()), (5, 0), "{requests:?}");
    n.change(Kind::DEPLOYMENT, "web", |web| {
        web["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({});
    });
    n.steady();
    assert!(of(&mut n).losses() > 0);
    n.delete(Kind::POD, "stress").steady();
    let alone = of(&mut n);
    assert_eq!((millis(&alone.took, 1000), alone.losses()), (5, 0), "{alone:?}");
}

#[test]
fn a_server_has_room_for_so_many_and_hears_of_changes() {
    let mut n = net(1);
    n.serve("web", 1, server(), json!({"ports": [{"port": 80}]}));
    annotate(
        &mut n,
        json!({"sim.steady/answer-seconds": "0.1", "sim.steady/answer-concurrency": "1", "sim.steady/answer-queue": "3"}),
    );
    n.steady();
    client(&mut n, "c", "20/s http://web/");
    n.wait(20);
    let full = counts(&n, "c", Timestamp::MIN);
    assert_eq!(
        (millis(&full.took, 500), full.lost.keys().copied().collect::<Vec<_>>()),
        (400, vec![Cause::QueueFull])
    );
    // Annotations of a pod can be changed while it runs.
    let pods = n.0.api().cached_list(Kind::POD, Some("default")).map(|(at, _)| at.key.name.to_string());
    let web = pods.into_iter().find(|name| name.starts_with("web-")).unwrap();
    n.change(Kind::POD, &web, |pod| {
        pod["metadata"]["annotations"]["sim.steady/answer-concurrency"] = "4".into()
    });
    n.steady().wait(2);
    let since = n.0.now();
    n.wait(20);
    let room = counts(&n, "c", since);
    assert_eq!((millis(&room.took, 1000), room.losses()), (100, 0), "{room:?}");
    // So can those of a client.
    n.change(Kind::POD, "c", |pod| {
        pod["metadata"]["annotations"]["sim.steady/requests"] = "5/s http://web/".into()
    });
    n.steady();
    let since = n.0.now();
    n.wait(20);
    assert_eq!(counts(&n, "c", since).sent, 100);
}

/// Go's `net/http/transport.go`, `shouldRetryRequest`.
#[test]
fn a_request_in_flight_over_a_kept_connection_is_sent_again() {
    let lost = |requests: &str| {
        let mut n = net(1);
        n.serve("web", 2, server(), json!({"ports": [{"port": 80}]}));
        annotate(&mut n, json!({"sim.steady/answer-seconds": "5", "sim.steady/on-sigterm": "serve"}));
        n.steady();
        client(&mut n, "c", requests);
        n.wait(30);
        let pods = n.0.api().cached_list(Kind::POD, Some("default")).map(|(at, _)| at.key.name.to_string());
        let web: Vec<String> = pods.filter(|name| name.starts_with("web-")).collect();
        for name in web {
            n.delete(Kind::POD, &name);
        }
        n.steady().wait(60);
        counts(&n, "c", Timestamp::MIN).lost.get(&Cause::Broken).copied().unwrap_or(0)
    };
    assert!(lost("2/s http://web/") > 0);
    assert_eq!(lost("2/s http://web/ connections=20"), 0);
}

/// `docs/behaviour.md`, the annotation `sim.steady/answer-errors`. Its part of the requests to each endpoint fails, whoever asks; a client
/// that sends again loses none, and the kubelet's probes ask past it.
#[test]
fn a_part_of_the_answers_are_errors() {
    let mut n = net(2);
    let mut probed = server();
    probed["readinessProbe"] = json!({"httpGet": {"port": 80}, "periodSeconds": 1});
    n.serve("web", 2, probed, json!({"ports": [{"port": 80}]}));
    annotate(&mut n, json!({"sim.steady/answer-errors": "10% 503"}));
    n.steady();
    client(&mut n, "opens", "100/s http://web/");
    client(&mut n, "keeps", "100/s http://web/ keep-alive");
    client(&mut n, "again", "100/s http://web/ retries=5");
    n.wait(10);
    let since = n.0.now();
    n.wait(50);
    for name in ["opens", "keeps"] {
        let counts = counts(&n, name, since);
        let failed = counts.lost.get(&Cause::Status(503)).copied().unwrap_or(0);
        assert_eq!((counts.sent, counts.losses()), (5000, failed), "{name}: {counts:?}");
        assert!((480..=520).contains(&failed), "{name}: {counts:?}");
        assert!(counts.behind.is_empty(), "{counts:?}");
    }
    assert_eq!(counts(&n, "opens", since).answered.len(), 2);
    assert_eq!(counts(&n, "again", since).losses(), 0);
}

/// A value that cannot be read is told, and counts as absent (`docs/behaviour.md`).
#[test]
fn a_rate_of_errors_that_cannot_be_read_is_an_event() {
    let mut n = net(1);
    n.serve("web", 1, server(), json!({"ports": [{"port": 80}]}));
    annotate(&mut n, json!({"sim.steady/answer-errors": "half"}));
    n.steady();
    client(&mut n, "c", "10/s http://web/");
    n.wait(5);
    assert_eq!(counts(&n, "c", Timestamp::MIN).losses(), 0);
    let events = n.0.api().cached_list(Kind::EVENT, Some("default")).map(|(_, o)| o.to_value());
    let told: Vec<Value> = events.filter(|e| e["reason"] == "InvalidAnswerErrors").collect();
    let said = "the annotation sim.steady/answer-errors cannot be read: \"half\" is no part of requests between 0.1% and 100%, as 5% or 0.5%";
    assert!(told.iter().any(|e| e["message"] == said), "{told:?}");
}

/// The first annotation of a running pod is heard as any other one.
#[test]
fn the_first_annotation_of_a_running_server_is_heard() {
    let mut n = net(1);
    n.serve("web", 1, server(), json!({"ports": [{"port": 80}]})).steady();
    client(&mut n, "c", "10/s http://web/");
    n.wait(5);
    assert_eq!(counts(&n, "c", Timestamp::MIN).losses(), 0);
    let pods = n.0.api().cached_list(Kind::POD, Some("default")).map(|(at, _)| at.key.name.to_string());
    let web = pods.into_iter().find(|name| name.starts_with("web-")).unwrap();
    n.change(Kind::POD, &web, |pod| {
        pod["metadata"]["annotations"] = json!({"sim.steady/answer-status": "500"});
    });
    n.steady().wait(1);
    let since = n.0.now();
    n.wait(5);
    let failing = counts(&n, "c", since);
    assert_eq!(failing.lost, [(Cause::Status(500), failing.sent)].into());
}

/// A server at the limit of what it can answer answers its probes as late as all else (`pkg/kubelet/prober`, `pkg/probe/http`): the kubelet
/// restarts it, and its queue is empty again.
#[test]
fn an_overloaded_server_fails_its_liveness_probe_and_is_restarted() {
    let restarts = |resources: Value, annotations: Value, requests: &str| {
        let mut n = net(1);
        let mut probed = server();
        probed["resources"] = resources;
        probed["livenessProbe"] = json!({"httpGet": {"path": "/healthz", "port": 80}, "periodSeconds": 5});
        n.serve("web", 1, probed, json!({"ports": [{"port": 80}]}));
        annotate(&mut n, annotations);
        n.steady();
        client(&mut n, "c", requests);
        n.wait(60);
        let pods = n.0.api().cached_list(Kind::POD, Some("default"));
        let web = pods.filter_map(|(_, o)| o.get::<crate::api::types::Pod>().cloned());
        let web = web.filter(|p| p.metadata.labels.iter().flatten().any(|(_, v)| v == "web"));
        let messages: Vec<String> =
            n.0.api()
                .etcd()
                .range(Kind::EVENT, None)
                .filter_map(|(_, r)| r.object.get::<crate::api::types::Event>().cloned())
                .filter(|e| e.reason.as_deref() == Some("Unhealthy"))
                .filter_map(|e| e.message.clone())
                .collect();
        let status = web.flat_map(|p| p.status.clone()).flat_map(|s| s.container_statuses.clone()).flatten();
        (status.map(|s| s.restart_count).sum::<i32>(), messages.join("\n"))
    };
    let one = |queue: &str| json!({"sim.steady/answer-seconds": "0.1", "sim.steady/answer-concurrency": "1", "sim.steady/answer-queue": queue});
    // Of twenty in a second ten are answered. A long queue makes the probe wait, a full one refuses it.
    let (count, messages) = restarts(json!({}), one("500"), "20/s http://web/");
    assert!(
        count >= 1 && messages.contains("Client.Timeout exceeded while awaiting headers"),
        "{count} {messages}"
    );
    let (count, messages) = restarts(json!({}), one("5"), "20/s http://web/");
    assert!(count >= 1 && messages.contains("HTTP probe failed with statuscode: 503"), "{count} {messages}");
    // Forty answers of 5 ms in a second are all that 200m are enough for.
    let limit = json!({"limits": {"cpu": "200m"}});
    let cost = json!({"sim.steady/answer-cpu": "5m"});
    let (count, messages) = restarts(limit.clone(), cost.clone(), "60/s http://web/");
    assert!(count >= 1, "{messages}");
    assert_eq!(restarts(limit, cost, "30/s http://web/"), (0, String::new()));
    assert_eq!(restarts(json!({}), one("500"), "9/s http://web/"), (0, String::new()));
}

/// A container that waits for a server in a loop, and then does something else, sends until the server answers and not a request more.
#[test]
fn a_loop_that_has_ended_sends_nothing() {
    let mut n = net(1);
    let script = "until wget -q -O- http://web; do sleep 1; done; sleep 7200";
    let container = json!({"name": "c", "image": "busybox:1.37", "command": ["sh", "-c", script]});
    n.create(Kind::POD, json!({"metadata": {"name": "waits"}, "spec": {"containers": [container]}})).steady();
    n.wait(60);
    assert_eq!(n.0.clients().len(), 1);
    n.serve("web", 1, server(), json!({"ports": [{"port": 80}]})).steady();
    n.wait(10);
    assert_eq!(n.0.clients().len(), 0);
    let since = n.0.now();
    n.wait(60);
    let sent: u64 = n.0.traffic_within((since, n.0.now())).streams().map(|(_, counts)| counts.sent).sum();
    assert_eq!(sent, 0);
}

/// A list of words ends a loop that counts: its requests are those of its rounds.
#[test]
fn a_loop_that_counts_sends_as_often_as_it_counts() {
    let mut n = net(1);
    n.serve("web", 1, server(), json!({"ports": [{"port": 80}]})).steady();
    let since = n.0.now();
    let script = "for i in $(seq 1 100); do wget -q -O- http://web; sleep 1; done; sleep 7200";
    let container = json!({"name": "c", "image": "busybox:1.37", "command": ["sh", "-c", script]});
    n.create(Kind::POD, json!({"metadata": {"name": "counts"}, "spec": {"containers": [container]}}));
    n.wait(60);
    assert_eq!(n.0.clients().len(), 1);
    n.wait(60);
    assert_eq!(n.0.clients().len(), 0);
    let sent: u64 = n.0.traffic_within((since, n.0.now())).streams().map(|(_, counts)| counts.sent).sum();
    assert_eq!(sent, 100);
}

/// A loop that begins later makes no load before.
#[test]
fn a_loop_behind_a_pause_sends_after_it() {
    let mut n = net(1);
    n.serve("web", 1, server(), json!({"ports": [{"port": 80}]})).steady();
    let script = "sleep 600; while true; do wget -q -O- http://web; sleep 1; done";
    let container = json!({"name": "c", "image": "busybox:1.37", "command": ["sh", "-c", script]});
    n.create(Kind::POD, json!({"metadata": {"name": "later"}, "spec": {"containers": [container]}}));
    let since = n.0.now();
    n.wait(500);
    assert_eq!(n.0.clients().len(), 0);
    n.wait(200);
    assert_eq!(n.0.clients().len(), 1);
    let sent: u64 = n.0.traffic_within((since, n.0.now())).streams().map(|(_, counts)| counts.sent).sum();
    assert!((90..=105).contains(&sent), "{sent}");
}

/// `pkg/kubelet/pleg/generic.go`: a pod whose process has crashed is ready until a relist has noticed it, and requests that are led to it
/// are refused.
#[test]
fn requests_meet_a_process_that_is_gone_until_its_kubelet_notices() {
    let mut n = net(1);
    let ports = json!({"ports": [{"name": "http", "port": 80}, {"name": "other", "port": 81}]});
    n.serve("web", 2, server(), ports).steady();
    client(&mut n, "client", "100/s http://web/ timeout=2s");
    client(&mut n, "elsewhere", "100/s http://web:81/ timeout=2s");
    n.wait(10);
    let since = n.0.now();
    let pods = n.0.api().cached_list(Kind::POD, None).map(|(_, o)| o.key());
    let pod = pods.into_iter().find(|key| key.name.starts_with("web-")).unwrap();
    let fault = KubeletFault::CrashContainer { pod, container: "web".into(), exit_code: 1 };
    n.0.fault(&Fault::Kubelet { node: Some("node-1".into()), fault }).unwrap();
    n.wait(10);
    let lost = counts(&n, "client", since).lost;
    let unnoticed = lost.get(&Cause::Refused(Because::NotNoticed)).copied().unwrap_or_default();
    // Half of 100 requests a second, from the end to the relist, which is a second at most.
    assert!((15..=50).contains(&unnoticed), "{lost:?}");
    assert_eq!(lost.values().sum::<u64>(), unnoticed, "{lost:?}");
    // Nobody has ever listened there.
    let elsewhere = counts(&n, "elsewhere", since).lost;
    assert!(
        !elsewhere.is_empty() && !elsewhere.contains_key(&Cause::Refused(Because::NotNoticed)),
        "{elsewhere:?}"
    );
}
