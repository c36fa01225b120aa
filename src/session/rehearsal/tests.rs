#![allow(clippy::unwrap_used)]
use super::*;
use crate::api::Kind;

use crate::session::{Link, Replay, Start};

const WEB: &str = include_str!("../../../tests/rehearsal/web.yaml");

fn web() -> ObjectRef {
    ObjectRef::new(Kind::DEPLOYMENT, "default", "web")
}

fn plan(manifest: Option<&str>) -> Plan {
    Plan { manifest: manifest.map(str::to_owned), rate: 50, ..Plan::of(web()) }
}

fn rehearse(session: Session, plan: Plan) -> Result<Rehearsed, NoRehearsal> {
    let mut rehearsal = Rehearsal::new(session, plan);
    loop {
        if let Some(found) = rehearsal.advance(|| true) {
            return found;
        }
    }
}

fn with(manifest: &str) -> Session {
    let mut session = Session::new(Start::default());
    assert_eq!(session.apply(manifest).exit, 0);
    session
}

/// pkg/kubelet: SIGTERM comes as soon as the pod is deleted; the EndpointSlice and the rules of the nodes follow later
/// (kubernetes.io/docs/tutorials/services/pods-and-endpoint-termination-flow).
#[test]
fn a_rollout_drops_requests_and_a_sleep_before_the_stop_mends_it() {
    let found = rehearse(with(WEB), plan(None)).unwrap();
    assert_eq!(
        (found.clients, found.trigger.clone(), found.url.as_str()),
        (3, Trigger::Restart, "http://web.default/")
    );
    let [plain, rest @ ..] = found.tried.as_slice() else { panic!("nothing was tried") };
    assert!(plain.before.is_empty() && plain.steady && plain.lost() > 0, "{plain:?}");
    assert_eq!(plain.status, "deployment \"web\" successfully rolled out");
    let bars = &plain.chart.buckets;
    assert_eq!(bars.iter().map(|b| b.answered + b.lost).sum::<u64>(), plain.sent);
    assert_eq!(bars.iter().map(|b| b.lost).sum::<u64>(), plain.lost());
    assert_eq!(plain.took.map(|t| (t.p50, t.max)), Some((0.0, 0.0)), "nginx answers at once");
    let story = plain.first.as_ref().unwrap();
    assert_eq!(
        (story.cause, story.behind),
        (Cause::Refused(Because::Stopping), Some(Behind::Rules)),
        "{story:?}"
    );
    assert!(matches!(plain.behind[..], [(Behind::Rules, n)] if n > 0 && n <= plain.lost()), "{plain:?}");
    let told: Vec<String> = story.happened.iter().map(|h| format!("{} {}", h.by, h.verb)).collect();
    assert!(told.contains(&"replicaset-controller delete".to_owned()), "{told:?}");
    assert!(told.last().is_some_and(|l| l == "kube-proxy update/ruleset"), "{told:?}");
    let lossless: Vec<&Tried> = rest.iter().filter(|t| t.lost() == 0).collect();
    assert!(lossless.iter().any(|t| t.mends.contains(&Mend::PreStopSleep)), "{:?}", found.tried);
}

/// What is told is a run that anybody can walk through: its ops lead to the same counts, and the moment that is named is
/// one at which the request had not been sent long.
#[test]
fn what_is_told_can_be_repeated() {
    let session = with(WEB);
    let found = rehearse(session.clone(), plan(None)).unwrap();
    let plain = &found.tried[0];
    let story = plain.first.as_ref().unwrap();
    let link = Link::decode(&plain.link).unwrap();
    let replayed = Replay::on(session.clone(), &link).finish();
    assert!(replayed.same);
    let ops = replayed.session.ops_between(session.at(), replayed.session.at()).unwrap();
    assert!(plain.moment < ops.len());
    let line = replayed.session.timeline();
    let lost = replayed.session.moment(line[session.at() + plain.moment]).unwrap();
    assert!(lost.op.depth().is_some());
    for h in &story.happened {
        let moment = replayed.session.moment(line[session.at() + h.moment]).unwrap();
        assert!(moment.commands().iter().any(|c| c.by == h.by), "{h:?}");
    }
    // What mends it is in place where its rollout begins; what was lost before was lost while it was brought in.
    let mended = found.tried.iter().find(|t| t.lost() == 0 && !t.mends.is_empty()).unwrap();
    let link = Link::decode(&mended.link).unwrap();
    let replayed = Replay::on(session.clone(), &link).finish().session;
    let line = replayed.timeline();
    let lost_until = |place: usize| -> u64 {
        let cluster = replayed.cluster_at(line[session.at() + place]).unwrap();
        cluster.traffic_until_now().streams().map(|(_, counts)| counts.losses()).sum()
    };
    assert!(mended.ready > 0 && mended.ready < mended.moment, "{mended:?}");
    assert!(mended.brought > 0, "{mended:?}");
    assert_eq!((lost_until(mended.ready), lost_until(mended.moment)), (mended.brought, mended.brought));
    assert_eq!((plain.ready > 0, plain.brought), (true, 0));
}

#[test]
fn work_in_slices_finds_the_same() {
    let whole = rehearse(with(WEB), plan(None)).unwrap();
    let mut sliced = Rehearsal::new(with(WEB), plan(None));
    let found = loop {
        let mut left = 3;
        let found = sliced.advance(|| {
            left -= 1;
            left > 0
        });
        if let Some(found) = found {
            break found.unwrap();
        }
    };
    assert_eq!(whole, found);
}

/// A manifest that changes the workload is the rollout; one whose workload is not there yet is applied first.
#[test]
fn the_manifest_is_rolled_out() {
    let changed = WEB.replace("nginx:1.28", "nginx:1.29");
    let found = rehearse(with(WEB), plan(Some(&changed))).unwrap();
    assert_eq!(found.trigger, Trigger::Apply);
    assert!(found.tried[0].lost() > 0 && found.tried.iter().any(|t| t.lost() == 0));
    let found = rehearse(Session::new(Start::default()), plan(Some(WEB))).unwrap();
    assert_eq!(found.trigger, Trigger::Restart);
    assert!(found.tried[0].lost() > 0);
}

/// A text that says otherwise what a mend changes does not take the mend out again: `maxUnavailable` of the editor, which is that of the
/// cluster, and a hook of the editor that is too short and would replace no pod once the mend is in it. Only rollouts that have replaced
/// pods are told as lossless.
#[test]
fn a_mend_is_rolled_out_although_the_text_says_otherwise() {
    let strategy = "  replicas: 3\n  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}\n";
    let rough = changed("  replicas: 3\n", strategy);
    let found = rehearse(with(&rough), plan(Some(&rough))).unwrap();
    assert_eq!(found.trigger, Trigger::Restart);
    assert!(found.tried.iter().any(|t| t.mends == [Mend::NoneUnavailable]), "{:?}", found.tried);
    assert!(found.tried.iter().all(|t| t.gone == 3 && t.sent > 0), "{:?}", found.tried);
    let short = with_container("          lifecycle: {preStop: {sleep: {seconds: 0}}}\n");
    let found = rehearse(with(WEB), plan(Some(&short))).unwrap();
    assert_eq!(found.trigger, Trigger::Apply);
    assert!(found.tried[0].lost() > 0, "{:?}", found.tried[0]);
    let mended = found.tried.iter().find(|t| t.mends == [Mend::LongerSleep(5)]).unwrap();
    assert!(mended.is_lossless() && mended.gone == 3, "{mended:?}");
}

/// A restart takes the workload as it is in the cluster, whatever the editor says.
#[test]
fn a_restart_leaves_the_text_aside() {
    let text = changed("nginx:1.28", "nginx:1.29");
    let found = rehearse(with(WEB), Plan { occasion: Occasion::Restart, ..plan(Some(&text)) }).unwrap();
    assert_eq!((found.trigger, found.tried[0].gone), (Trigger::Restart, 3));
}

/// A rollout that replaces no pod shows nothing: a Deployment that is paused makes no ReplicaSet of a new template
/// (`syncDeployment` of pkg/controller/deployment/deployment_controller.go).
#[test]
fn a_rollout_that_replaces_no_pod_is_not_lossless() {
    let paused =
        WEB.replace("  replicas: 3\n", "  replicas: 3\n  paused: true\n").replace("nginx:1.28", "nginx:1.29");
    let found = rehearse(with(WEB), plan(Some(&paused))).unwrap();
    let plain = &found.tried[0];
    assert_eq!((found.trigger.clone(), plain.lost(), plain.gone), (Trigger::Apply, 0, 0));
    assert!(!plain.is_lossless(), "{plain:?}");
}

/// A server that is told to end while it answers loses what it has begun. To sleep before is not enough for answers that take
/// longer than that; a server that gives them first loses none.
#[test]
fn requests_in_flight_are_lost_and_draining_mends_it() {
    let slow = WEB.replace(
        "        app: web\n    spec:",
        "        app: web\n      annotations:\n        sim.steady/answer-seconds: \"10\"\n    spec:",
    );
    let found = rehearse(with(&slow), plan(None)).unwrap();
    let plain = &found.tried[0];
    assert!(plain.losses.iter().any(|(cause, _)| *cause == Cause::Broken), "{plain:?}");
    let mended = found.tried.iter().find(|t| t.lost() == 0).unwrap();
    assert!(mended.mends.contains(&Mend::Drain) && mended.mends.contains(&Mend::PreStopSleep), "{mended:?}");
}

#[test]
fn what_cannot_be_rehearsed_says_why() {
    let alone = WEB.split_once("---\n").unwrap().1;
    assert_eq!(rehearse(with(alone), plan(None)), Err(NoRehearsal::NoService));
    assert_eq!(rehearse(Session::new(Start::default()), plan(None)), Err(NoRehearsal::NoWorkload));
    let bad = "kind: Deployment\n";
    let refused = rehearse(Session::new(Start::default()), plan(Some(bad)));
    assert!(matches!(refused, Err(NoRehearsal::Refused(_))), "{refused:?}");
    // Where the port is wrong all requests are lost before anybody has changed anything, and nothing else is tried.
    let wrong = WEB.replace("targetPort: 80", "targetPort: 8080");
    let found = rehearse(with(&wrong), plan(None)).unwrap();
    assert_eq!(found.tried.len(), 1);
    let tried = &found.tried[0];
    assert_eq!((tried.clients, tried.sent, tried.before.len()), (0, 0, 3), "no client is counted");
    for loser in &tried.before {
        // Fifty requests a second are sent in the time that is named.
        assert_eq!((loser.seconds, loser.sent), (10.0, 500), "{loser:?}");
        assert_eq!(loser.losses, [(Cause::Refused(Because::NotListening), 500)]);
        assert_eq!(loser.url, "http://web.default/");
    }
}

/// redis listens and speaks a protocol of its own: every request breaks, whether anything is rolled out or not.
#[test]
fn what_speaks_no_http_is_not_tried() {
    let redis = WEB.replace("nginx:1.28", "redis:7").replace("containerPort: 80", "containerPort: 6379");
    let redis = redis.replace("targetPort: 80", "targetPort: 6379");
    let found = rehearse(with(&redis), plan(None));
    assert_eq!(found.unwrap_err(), NoRehearsal::NoHttp("http://web.default/".to_owned()));
}

#[test]
fn workloads_behind_a_service_come_first() {
    let more = format!("{WEB}---\n{}", WEB.split_once("---\n").unwrap().1.replace("web", "alone"));
    let all = targets(with(&more).cluster());
    assert!(all.iter().flat_map(|c| &c.reaches).all(|r| r.clients.is_empty()));
    let told: Vec<(String, Option<String>)> =
        all.iter().map(|c| (c.workload.to_string(), c.service().map(str::to_owned))).collect();
    let expected = [("Deployment default/web", Some("web")), ("Deployment default/alone", None)];
    assert_eq!(told, expected.map(|(o, s)| (o.to_owned(), s.map(str::to_owned))));
}

/// Clients of the run that come to the workload by an ingress controller are taken, and the story is about its routes: they are
/// behind for longer than a node's rules.
#[test]
fn a_rollout_behind_an_ingress_drops_requests_because_routes_lag() {
    let session = crate::session::scenario::find("52-routes-behind").unwrap().open();
    let known = targets(session.cluster());
    let web = known.iter().find(|c| *c.workload.key.name == *"web").unwrap();
    assert_eq!(web.reaches[0].clients.len(), 1, "the run's own client");
    let found = rehearse(session, plan(None)).unwrap();
    let url = "http://ingress-nginx-controller.ingress-nginx/ host=web.example";
    assert_eq!((found.clients, found.url.as_str()), (1, url));
    let [plain, rest @ ..] = found.tried.as_slice() else { panic!("nothing was tried") };
    assert!(plain.before.is_empty() && plain.lost() > 0, "{plain:?}");
    let story = plain.first.as_ref().unwrap();
    assert_eq!((story.cause, story.behind), (Cause::Status(502), Some(Behind::Proxy)), "{story:?}");
    let told: Vec<String> = story.happened.iter().map(|h| format!("{} {}", h.by, h.verb)).collect();
    assert!(told.last().is_some_and(|l| l == "nginx-ingress-controller update/configuration"), "{told:?}");
    let lossless: Vec<&Tried> = rest.iter().filter(|t| t.lost() == 0).collect();
    assert!(lossless.iter().any(|t| t.mends.contains(&Mend::PreStopSleep)), "{:?}", found.tried);
}

/// The manifest of the tests, with one text in place of another one.
fn changed(from: &str, to: &str) -> String {
    assert!(WEB.contains(from), "{from}");
    WEB.replace(from, to)
}

/// With a container that has more fields.
fn with_container(fields: &str) -> String {
    changed("          image: nginx:1.28\n", &format!("          image: nginx:1.28\n{fields}"))
}

fn settle(session: &mut Session) {
    while session.step(crate::session::Depth::Command, None) {
        assert!(session.timeline().len() < 5_000, "it never ends");
    }
}

fn occasion(occasion: Occasion) -> Plan {
    Plan { occasion, ..plan(None) }
}

/// The clients of a run that repeats a link.
fn clients_after(session: &Session, link: &str) -> Vec<crate::cluster::RunningClient> {
    let link = Link::decode(link).unwrap();
    Replay::on(session.clone(), &link).finish().session.cluster().clients()
}

/// A person chooses among the ports that lead to the workload, and whether the clients keep their connections
/// (docs/behaviour.md, Traffic).
#[test]
fn the_port_and_the_connections_are_chosen() {
    let (service, rest) = WEB.split_once("---\n").unwrap();
    let second = service.replace("name: web", "name: web-too").replace("port: 80", "port: 8080");
    let second = second.replace("targetPort: 8080", "targetPort: 80");
    let session = with(&format!("{service}---\n{second}---\n{rest}"));
    let port = |service: &str, port| Port { service: service.to_owned(), port };
    let all = targets(session.cluster());
    let ports: Vec<&Port> = all[0].reaches.iter().map(|r| &r.port).collect();
    assert_eq!(ports, [&port("web", 80), &port("web-too", 8080)]);
    let chosen = Plan { port: Some(port("web-too", 8080)), keep_alive: true, ..plan(None) };
    let found = rehearse(session.clone(), chosen).unwrap();
    assert_eq!((found.url.as_str(), found.clients), ("http://web-too.default:8080/", 3));
    assert!(found.tried[0].sent > 0);
    let clients = clients_after(&session, &found.tried[0].link);
    assert!(clients.len() == 3 && clients.iter().all(|c| c.client.keep.is_some()), "{clients:?}");
    let wrong = Plan { port: Some(port("web", 81)), ..plan(None) };
    assert_eq!(rehearse(session, wrong), Err(NoRehearsal::NotReached(port("web", 81))));
}

/// Who comes from outside is a client like a pod, and comes by the rules of the node that is asked
/// (<https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport>; docs/behaviour.md, "Requests from outside").
#[test]
fn clients_outside_of_the_cluster_are_measured() {
    let mut session = with(WEB);
    let patch = r#"[{"op": "replace", "path": "/spec/type", "value": "NodePort"}, {"op": "add", "path": "/spec/ports/0/nodePort", "value": 30080}]"#;
    assert_eq!(session.kubectl(&format!("patch service web --type=json -p '{patch}'"), &[]).exit, 0);
    let requests = "sim.steady/requests='50/s http://172.18.0.2:30080/ timeout=1s'";
    assert_eq!(session.kubectl(&format!("annotate service web {requests}"), &[]).exit, 0);
    settle(&mut session);
    assert_eq!(targets(session.cluster())[0].reaches[0].clients, [50.0]);
    let found = rehearse(session, plan(None)).unwrap();
    assert_eq!((found.clients, found.url.as_str()), (1, "http://172.18.0.2:30080/"));
    let plain = &found.tried[0];
    assert!(plain.sent > 0 && plain.lost() > 0, "{plain:?}");
    assert_eq!(plain.chart.buckets.iter().map(|b| b.answered + b.lost).sum::<u64>(), plain.sent);
    let story = plain.first.as_ref().unwrap();
    assert_eq!(story.sender, ObjectRef::new(Kind::SERVICE, "default", "web"));
    assert!(!story.node.is_empty() && story.behind == Some(Behind::Rules), "{story:?}");
}

/// With `externalTrafficPolicy: Local` a node without a pod of the Service answers nobody
/// (<https://kubernetes.io/docs/reference/networking/virtual-ips/#external-traffic-policy>). The client that asks it loses all before any
/// rollout, and the others are judged without it.
#[test]
fn a_client_that_loses_requests_anyway_is_left_out() {
    let mut session = with(&changed("replicas: 3", "replicas: 2"));
    let patch = r#"{"spec": {"type": "NodePort", "externalTrafficPolicy": "Local", "ports": [{"port": 80, "targetPort": 80, "nodePort": 30080}]}}"#;
    assert_eq!(session.kubectl(&format!("patch service web -p '{patch}'"), &[]).exit, 0);
    settle(&mut session);
    let nodes = session.cluster().api().cached_list(Kind::NODE, None);
    let nodes = nodes.filter_map(|(_, o)| o.get::<crate::api::types::Node>());
    let addresses = nodes.filter_map(|n| {
        let address = n.status.as_ref()?.addresses.as_ref()?.iter().find(|a| a.type_ == "InternalIP")?;
        Some(format!("20/s http://{}:30080/ timeout=1s", address.address))
    });
    let requests: Vec<String> = addresses.collect();
    assert_eq!(requests.len(), 3);
    let line = format!("annotate service web sim.steady/requests='{}'", requests.join("; "));
    assert_eq!(session.kubectl(&line, &[]).exit, 0);
    settle(&mut session);
    let found = rehearse(session, plan(None)).unwrap();
    let plain = &found.tried[0];
    assert_eq!((plain.clients, plain.urls.len(), plain.before.len()), (2, 2, 1), "{plain:?}");
    let loser = &plain.before[0];
    assert!(!plain.urls.contains(&loser.url), "{plain:?}");
    assert_eq!(loser.losses.iter().map(|(_, n)| n).sum::<u64>(), loser.sent);
    assert!(plain.sent > 0 && plain.gone == 2, "{plain:?}");
}

/// Which Service a client outside of the cluster asks follows from the address and the port in its URL, whoever declares it: the rules of a
/// node lead a node port to the port of the Service that has it (`collectServiceRules` and `syncProxyRules` of `pkg/proxy/iptables/proxier.go`).
#[test]
fn a_client_outside_is_one_of_the_service_that_it_asks() {
    let mut session = with(WEB);
    let patch = r#"[{"op": "replace", "path": "/spec/type", "value": "NodePort"}, {"op": "add", "path": "/spec/ports/0/nodePort", "value": 30080}]"#;
    assert_eq!(session.kubectl(&format!("patch service web --type=json -p '{patch}'"), &[]).exit, 0);
    assert_eq!(session.kubectl("create service nodeport other --tcp=80 --node-port=30081", &[]).exit, 0);
    let mut declare = |object: &str, requests: &str| {
        let line = format!("annotate service {object} --overwrite sim.steady/requests='{requests}'");
        assert_eq!(session.kubectl(&line, &[]).exit, 0);
        settle(&mut session);
        targets(session.cluster())[0].reaches[0].clients.clone()
    };
    assert_eq!(declare("other", "20/s http://172.18.0.2:30080/ timeout=1s"), [20.0]);
    assert_eq!(declare("other", "20/s http://172.18.0.2:30081/ timeout=1s"), [0.0; 0]);
    assert_eq!(declare("web", "10/s http://172.18.0.2:30081/ timeout=1s"), [0.0; 0]);
    assert_eq!(declare("web", "10/s http://web/ timeout=1s"), [0.0; 0], "no DNS outside knows the name");
    assert_eq!(declare("web", "10/s http://172.18.0.3:30080/; 5/s http://172.18.0.2:30080/"), [10.0, 5.0]);
}

/// kubectl undoes a rollout to the last revision but one (`rollbacker` of `pkg/polymorphichelpers/rollback.go` of kubectl).
#[test]
fn an_undo_leads_back_to_the_former_revision() {
    assert_eq!(rehearse(with(WEB), occasion(Occasion::Undo)), Err(NoRehearsal::NoFormerRevision));
    let mut session = with(WEB);
    settle(&mut session);
    session.apply(&changed("nginx:1.28", "nginx:1.29"));
    settle(&mut session);
    assert!(targets(session.cluster())[0].former);
    let found = rehearse(session.clone(), occasion(Occasion::Undo)).unwrap();
    assert_eq!(found.trigger, Trigger::Undo(1));
    assert!(found.tried[0].lost() > 0 && found.untried.is_empty(), "{found:?}");
    // What the workload goes back to has the change, too.
    let mended = found.tried.iter().find(|t| t.lost() == 0 && t.mends.contains(&Mend::PreStopSleep)).unwrap();
    let link = Link::decode(&mended.link).unwrap();
    let replayed = Replay::on(session, &link).finish().session;
    let known = workload::workload(replayed.cluster(), &web()).unwrap();
    let container = &known.template.spec.as_ref().unwrap().containers[0];
    assert_eq!(container.image.as_deref(), Some("nginx:1.28"));
    assert!(container.lifecycle.as_ref().is_some_and(|l| l.pre_stop.is_some()));
}

/// Who scales down loses pods, which end as those of a rollout do (`manageReplicas` of pkg/controller/replicaset/replica_set.go).
#[test]
fn half_of_the_pods_go() {
    let found = rehearse(with(WEB), occasion(Occasion::Scale)).unwrap();
    assert_eq!(found.trigger, Trigger::Scale(3, 1));
    assert!(found.tried[0].lost() > 0, "{found:?}");
    let none =
        |t: &Tried| !t.mends.contains(&Mend::NoneUnavailable) && !t.mends.contains(&Mend::MinReadySeconds);
    assert!(found.tried.iter().all(none), "a strategy plays no part here");
    let one = changed("replicas: 3", "replicas: 1");
    assert_eq!(rehearse(with(&one), occasion(Occasion::Scale)), Err(NoRehearsal::TooFewPods));
}

/// A drain evicts pods, evicts those again that a PodDisruptionBudget protects, and goes on until they have gone (`EvictPods` of
/// k8s.io/kubectl/pkg/drain). A budget that never allows one leaves the drain unfinished.
#[test]
fn a_drain_honours_budgets() {
    let budget = |least: u32| {
        format!(
            "{WEB}---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: web}}\nspec: {{minAvailable: {least}, selector: {{matchLabels: {{app: web}}}}}}\n"
        )
    };
    let found = rehearse(with(WEB), occasion(Occasion::Drain)).unwrap();
    let plain = &found.tried[0];
    assert!(matches!(&found.trigger, Trigger::Drain(node) if !node.is_empty()), "{:?}", found.trigger);
    assert!(plain.undrained.is_none() && plain.status.contains("drained"), "{plain:?}");
    assert!(plain.lost() > 0 && found.clients == 3, "the clients stay where they are: {plain:?}");
    // What told the pod to end is in the story, also where a person's command did, and no line is there twice.
    let happened = &plain.first.as_ref().unwrap().happened;
    assert!(happened.iter().any(|h| &*h.by == "kubectl" && h.object.starts_with("Pod ")), "{happened:?}");
    assert!(happened.iter().enumerate().all(|(i, h)| !happened[..i].contains(h)), "{happened:?}");
    let found = rehearse(with(&budget(3)), occasion(Occasion::Drain)).unwrap();
    let why = found.tried[0].undrained.as_ref().unwrap();
    assert!(why.contains("disruption budget"), "{why}");
    // Two pods stand on each of two nodes, and one at a time may go.
    let four = budget(3).replace("replicas: 3", "replicas: 4");
    let mut session = Session::new(Start { nodes: 2, ..Start::default() });
    assert_eq!(session.apply(&four).exit, 0);
    let found = rehearse(session.clone(), occasion(Occasion::Drain)).unwrap();
    let plain = &found.tried[0];
    assert_eq!(plain.undrained, None, "{plain:?}");
    // The link repeats it.
    let replayed = Replay::on(session, &Link::decode(&plain.link).unwrap()).finish();
    assert!(replayed.same);
}

/// A DaemonSet has no scale, and a drain ignores its pods (`daemonSetFilter` of k8s.io/kubectl/pkg/drain/filters.go).
#[test]
fn a_daemon_set_is_neither_scaled_nor_drained() {
    let daemons = changed("kind: Deployment", "kind: DaemonSet").replace("  replicas: 3\n", "");
    let workload = ObjectRef::new(Kind::DAEMON_SET, "default", "web");
    for occasion in [Occasion::Scale, Occasion::Drain] {
        let plan = Plan { occasion, ..Plan::of(workload.clone()) };
        assert_eq!(rehearse(with(&daemons), plan), Err(NoRehearsal::OfDaemonSet));
    }
}

/// What could mend a workload of a manifest, if a rollout of it lost requests for a reason.
fn could_mend(manifest: &str, cause: Cause, answers: f64) -> (Vec<Mend>, impl Fn(&[Mend]) -> String + use<>) {
    let session = with(manifest);
    let known = workload::workload(session.cluster(), &web()).unwrap();
    let target = workload::target(session.cluster(), "default", &known.template, None).unwrap();
    let took = Took { p50: answers, p95: answers, p99: answers, max: answers };
    let plain = Tried {
        mends: Vec::new(),
        lines: String::new(),
        clients: 1,
        urls: Vec::new(),
        gone: 1,
        sent: 9,
        losses: vec![(cause, 1)],
        behind: Vec::new(),
        before: Vec::new(),
        seconds: 1.0,
        steady: true,
        status: String::new(),
        undrained: None,
        took: Some(took),
        chart: Chart::default(),
        first: None,
        link: String::new(),
        moment: 0,
        ready: 0,
        begun: 0,
        brought: 0,
    };
    let all = mend::candidates(&known, &target, Occasion::Rollout, &plain);
    (all, move |mends: &[Mend]| mend::lines(&known, &target, "Deployment", mends))
}

/// A hook that sleeps for too short is lengthened, also where it is the command `sleep`; so is a grace period that ends before the
/// hook and the answers do (kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle#pod-termination: the hook's time is part of it).
#[test]
fn what_is_too_short_is_lengthened() {
    let stopping = Cause::Refused(Because::Stopping);
    let hook = |handler: &str| with_container(&format!("          lifecycle: {{preStop: {handler}}}\n"));
    let (all, lines) = could_mend(&hook("{sleep: {seconds: 1}}"), stopping, 0.0);
    assert!(all.contains(&Mend::LongerSleep(5)) && !all.contains(&Mend::PreStopSleep), "{all:?}");
    assert!(lines(&[Mend::LongerSleep(5)]).contains("seconds: 5"));
    let (all, lines) = could_mend(&hook("{exec: {command: [sh, -c, sleep 8]}}"), stopping, 0.0);
    assert!(all.contains(&Mend::LongerSleep(16)), "{all:?}");
    assert!(!lines(&[Mend::LongerSleep(16)]).contains("exec"), "a hook has one handler");
    // What else a hook does nobody knows.
    let (all, _) = could_mend(&hook("{exec: {command: [nginx, -s, quit]}}"), stopping, 0.0);
    assert!(!all.iter().any(|m| matches!(m, Mend::LongerSleep(_) | Mend::PreStopSleep)), "{all:?}");
    let brief = |n: u32| format!("      terminationGracePeriodSeconds: {n}\n      containers:\n");
    let short = hook("{exec: {command: [sleep, '5']}}").replace("      containers:\n", &brief(3));
    let (all, lines) = could_mend(&short, stopping, 0.0);
    assert!(all.contains(&Mend::LongerGrace(30)), "{all:?}");
    assert!(lines(&[Mend::LongerGrace(30)]).contains("terminationGracePeriodSeconds: 30"));
    let slow = changed("      containers:\n", &brief(30));
    let (all, _) = could_mend(&slow, Cause::Broken, 40.0);
    assert!(all.contains(&Mend::LongerGrace(50)), "{all:?}");
}

/// A hook that was too short loses requests, and one that is long enough loses none.
#[test]
fn a_longer_sleep_mends_a_rollout() {
    let short = with_container("          lifecycle: {preStop: {sleep: {seconds: 0}}}\n");
    let found = rehearse(with(&short), plan(None)).unwrap();
    assert!(found.tried[0].lost() > 0, "{found:?}");
    let mended = found.tried.iter().find(|t| t.mends.contains(&Mend::LongerSleep(5))).unwrap();
    assert_eq!(mended.lost(), 0, "{mended:?}");
}

/// `maxSurge` stays as it is unless it is 0: `maxUnavailable` and `maxSurge` cannot both be 0 (`ValidateRollingUpdateDeployment` of
/// pkg/apis/apps/validation/validation.go).
#[test]
fn the_surge_of_the_user_stays() {
    let rolling = |surge: &str| {
        let strategy = format!("strategy: {{rollingUpdate: {{maxUnavailable: 1, maxSurge: {surge}}}}}");
        changed("  replicas: 3\n", &format!("  replicas: 3\n  {strategy}\n"))
    };
    for (surge, expected) in [("2", false), ("30%", false), ("0", true), ("0%", true)] {
        let (all, lines) = could_mend(&rolling(surge), Cause::Refused(Because::NoEndpoints), 0.0);
        assert!(all.contains(&Mend::NoneUnavailable), "{all:?}");
        let lines = lines(&[Mend::NoneUnavailable]);
        assert_eq!(lines.contains("maxSurge: 1"), expected, "{surge}: {lines}");
        assert!(lines.contains("maxUnavailable: 0") && lines.contains("maxSurge") == expected, "{lines}");
    }
}

/// A pod is available once it has been ready for minReadySeconds, and an old one goes only then
/// (kubernetes.io/docs/concepts/workloads/controllers/deployment#min-ready-seconds): that helps where pods are led to too early.
#[test]
fn min_ready_seconds_are_tried_where_they_may_help() {
    let min_ready = |manifest: &str, because| {
        could_mend(manifest, Cause::Refused(because), 0.0).0.contains(&Mend::MinReadySeconds)
    };
    assert!(min_ready(WEB, Because::NoEndpoints) && min_ready(WEB, Because::NotListening));
    assert!(!min_ready(WEB, Because::Stopping));
    let has = changed("  replicas: 3\n", "  replicas: 3\n  minReadySeconds: 10\n");
    assert!(!min_ready(&has, Because::NoEndpoints));
}

/// What a mend is shown as is a manifest's lines, with the port that the Service leads to.
#[test]
fn a_mend_is_shown_whole() {
    let (_, lines) = could_mend(WEB, Cause::Refused(Because::NotListening), 0.0);
    let probe = lines(&[Mend::ReadinessProbe]);
    assert!(probe.contains("port: 80") && probe.contains("name: web"), "{probe}");
    assert_eq!(lines(&[Mend::Drain]), "", "no field of Kubernetes makes it");
    let both = lines(&[Mend::ReadinessProbe, Mend::Drain]);
    assert!(both.contains("port: 80") && !both.contains("sim.steady"), "{both}");
}

/// Where the rollout has been begun and nobody has acted on it every order is still to come.
#[test]
fn the_moment_of_every_order_is_right_after_the_beginning() {
    let session = with(WEB);
    let found = rehearse(session.clone(), plan(None)).unwrap();
    let plain = &found.tried[0];
    assert_eq!(plain.begun, plain.ready + 1);
    let replayed = Replay::on(session.clone(), &Link::decode(&plain.link).unwrap()).finish().session;
    let line = replayed.timeline();
    let moment = replayed.moment(line[session.at() + plain.begun]).unwrap();
    assert!(moment.op.depth().is_none(), "it is the command of the person");
}
