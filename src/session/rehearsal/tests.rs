#![allow(clippy::unwrap_used)]
use super::*;
use crate::api::Kind;

use crate::session::{Link, Replay, Start};

const WEB: &str = include_str!("../../../tests/rehearsal/web.yaml");

fn web() -> ObjectRef {
    ObjectRef::new(Kind::DEPLOYMENT, "default", "web")
}

fn plan(manifest: Option<&str>) -> Plan {
    Plan { workload: web(), manifest: manifest.map(str::to_owned), rate: 50 }
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
        (found.clients, found.trigger, found.url.as_str()),
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
    assert!(matches!(found.tried[0].before[..], [(Cause::Refused(Because::NotListening), _)]), "{found:?}");
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
    assert!(all.iter().all(|c| c.clients.is_empty()));
    let told: Vec<(String, Option<String>)> =
        all.into_iter().map(|c| (c.workload.to_string(), c.service)).collect();
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
    assert_eq!(web.clients.len(), 1, "the run's own client");
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
