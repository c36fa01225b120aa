//! Clients outside of the cluster in a run: what is seen of them, and that they are part of it.
#![allow(clippy::unwrap_used)]

use jiff::SignedDuration;

use super::view::journey::{EndView, HopPlace, Taken, journey};
use super::view::{sent, traffic};
use super::{Depth, Link, Passing, Replay, Session, Start};
use crate::api::{Key, Kind, ObjectRef};

const WEB: &str = r#"
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80, nodePort: 30080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: whoami, image: traefik/whoami}]}
"#;

fn web() -> ObjectRef {
    ObjectRef { kind: Kind::SERVICE, key: Key::new("default", "web") }
}

fn rest(s: &mut Session) {
    while s.step(Depth::Command, None) {
        assert!(s.at() < 20_000, "the cluster does not come to rest");
    }
}

/// Lets time pass, also where nobody has anything to do.
fn wait(s: &mut Session, seconds: i64) {
    rest(s);
    let mut passing = Passing::by(s, SignedDuration::from_secs(seconds));
    while passing.once(s) {}
}

fn open() -> Session {
    let mut s = Session::new(Start { nodes: 2, ..Start::default() });
    s.apply(WEB);
    rest(&mut s);
    s
}

const ANNOTATE: &str = "annotate service web --overwrite sim.steady/requests=";

/// The way of a client from outside is the one of the terminal's `curl`
/// (<https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport>), and its counts, its chart and its journeys stand
/// where those of pods do.
#[test]
fn a_stream_from_outside_is_seen_as_those_of_pods_are() {
    let mut s = open();
    assert!(traffic(&s).clients.is_empty());
    let before = s.at();
    s.kubectl(&format!("{ANNOTATE}'20/s http://172.18.0.3:30080/ timeout=1s'"), &[]);
    wait(&mut s, 10);
    let view = traffic(&s);
    let [client] = &view.clients[..] else { panic!("{view:?}") };
    assert_eq!((&client.sender, client.url.as_str()), (&web(), "172.18.0.3:30080/"));
    // A request of the moment itself is not counted yet.
    assert!((199..=200).contains(&view.sent) && view.lost == 0, "{view:?}");
    assert_eq!(view.chart.buckets.iter().map(|b| b.answered).sum::<u64>(), view.sent);
    let told = sent(&s, view.chart.begin, 10).unwrap();
    assert_eq!((&told.sender, told.url.as_str()), (&web(), "http://172.18.0.3:30080"));
    let followed = journey(s.cluster(), &web(), None, told.nth);
    assert_eq!(followed.url, "http://172.18.0.3:30080");
    let Taken::Followed(way) = followed.taken else { panic!("{followed:?}") };
    assert_eq!((way.status, way.hops[0].node.as_str()), (Some(200), ""));
    assert!(way.hops[0].objects.is_empty() && way.stops().len() == way.hops.len() + 1);
    assert_eq!(way.back_end, Some(EndView::Arrived { node: String::new(), pod: None }));
    // A link has it, and a step back takes it away.
    let link = Link::of(&s);
    let replayed = Replay::new(&link).finish().session;
    assert_eq!(traffic(&replayed).sent, view.sent);
    s.goto(before);
    assert_eq!((traffic(&s).clients.len(), traffic(&s).sent), (0, 0));
}

/// What nobody can read is said to whoever writes it, in a header `Warning` (RFC 9110's predecessor RFC 7234, section 5.5, as
/// kube-apiserver sends it), and declares nothing.
#[test]
fn a_stream_that_cannot_be_read_is_warned_of() {
    let mut s = open();
    let output = s.kubectl(&format!("{ANNOTATE}'often http://172.18.0.2:30080'"), &[]);
    let warning = "Warning: metadata.annotations[sim.steady/requests]: cannot be read: \"often\" is no rate";
    assert!(output.stderr.starts_with(warning), "{output:?}");
    assert!(s.cluster().clients().is_empty());
    // What stays as it is is not warned of again.
    assert_eq!(s.kubectl("label service web a=b", &[]).stderr, "");
}

/// RFC 9293, section 3.10.7.1: a segment that comes to a port where nobody listens is answered with a reset. The packet has come to the
/// pod, and to no process.
#[test]
fn a_port_where_nobody_listens_answers_with_a_reset() {
    let mut s = open();
    s.kubectl("patch service web --type=json -p '[{\"op\": \"replace\", \"path\": \"/spec/ports/0/targetPort\", \"value\": 8080}]'", &[]);
    rest(&mut s);
    let followed = journey(s.cluster(), &web(), Some("http://172.18.0.2:30080"), 0);
    let Taken::Followed(way) = followed.taken else { panic!("{followed:?}") };
    let Some(EndView::Refused { pod: Some(pod), port: 8080, .. }) = &way.end else { panic!("{:?}", way.end) };
    assert!(pod.starts_with("default/web-"));
    assert_eq!(way.hops.last().map(|hop| hop.place), Some(HopPlace::Kernel));
    assert_eq!(way.back.first().map(|hop| hop.place), Some(HopPlace::Kernel));
    assert!(way.lost.is_some() && way.back_end.is_some());
    // Where a rule rejects it, it comes to no pod.
    s.kubectl("scale deployment web --replicas=0", &[]);
    rest(&mut s);
    let followed = journey(s.cluster(), &web(), Some("http://172.18.0.2:30080"), 0);
    let Taken::Followed(way) = followed.taken else { panic!("{followed:?}") };
    assert_eq!(way.end, Some(EndView::Rejected));
}
