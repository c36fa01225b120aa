#![allow(clippy::unwrap_used)]
use jiff::SignedDuration;

use super::*;
use crate::network::Because;
use crate::network::policy::Direction;
use crate::session::view::sent::sent;
use crate::session::{Depth, Passing, Session, scenario};

fn look(id: &str, pod: &str, url: Option<&str>) -> JourneyView {
    let session = scenario::find(id).unwrap().open();
    journey(session.cluster(), &ObjectRef { kind: Kind::POD, key: Key::new("default", pod) }, url, 0)
}

fn followed(view: &JourneyView) -> &WayView {
    let Taken::Followed(followed) = &view.taken else { panic!("{view:?}") };
    followed
}

#[test]
fn the_first_offer_is_followed_to_its_endpoint() {
    let view = look("41-overlays", "client", None);
    assert_eq!(view.offers, ["http://far", "http://near", "https://kubernetes"]);
    assert_eq!(view.url, "http://far");
    let f = followed(&view);
    assert_eq!((f.status, f.lost), (Some(200), None));
    // getaddrinfo(3) with `AF_UNSPEC`: glibc's `gethostbyname4_r` and musl's `name_from_dns` send both queries over one socket.
    let names: Vec<(&str, &str)> = f.lookups.iter().map(|l| (l.name.as_str(), l.record.as_str())).collect();
    assert_eq!(names, [("far.default.svc.cluster.local", "A"), ("far.default.svc.cluster.local", "AAAA")]);
    // A cluster of IPv4 has no address of the other family, but the name exists.
    assert_eq!(f.lookups.last().map(|l| &l.answer), Some(&LookupAnswer::Addresses(Vec::new())));
    // Only kube-proxy's rules change the destination, and to the endpoint's address.
    let changed: Vec<&HopView> = f.hops.iter().filter(|h| h.new_destination || h.new_source).collect();
    let [rules] = changed[..] else { panic!("{changed:?}") };
    assert_eq!((rules.place, Some(&rules.destination)), (HopPlace::KubeProxy, f.endpoint.as_ref()));
    assert!(rules.rules.iter().any(|r| r.contains("DNAT")));
    let objects: Vec<String> = f.objects.iter().map(ToString::to_string).collect();
    assert_eq!(
        objects,
        ["Pod default/client", "Service default/far", "Node node-1", "Node node-2", "Pod default/far"]
    );
    assert_eq!(f.end, Some(EndView::Arrived { node: "node-2".into(), pod: Some("default/far".into()) }));
}

/// Linux' `net/netfilter/nf_nat_core.c`: the answer is translated back on the node that has translated the request, so its client sees
/// the address that it has asked.
#[test]
fn the_answer_is_followed_to_the_client() {
    let view = look("41-overlays", "client", None);
    let f = followed(&view);
    assert_eq!(
        f.back_end,
        Some(EndView::Arrived { node: "node-1".into(), pod: Some("default/client".into()) })
    );
    let changed: Vec<&HopView> = f.back.iter().filter(|h| h.new_destination || h.new_source).collect();
    let [conntrack] = changed[..] else { panic!("{changed:?}") };
    assert_eq!((conntrack.place, &*conntrack.node), (HopPlace::Conntrack, "node-1"));
    let (asked, first) = (&f.hops[0], &f.back[0]);
    assert_eq!((&conntrack.source, &conntrack.destination), (&asked.destination, &asked.source));
    assert_eq!(Some(&first.source), f.endpoint.as_ref());
    // What is dropped on its way is not answered.
    let dropped = look("40-network-policy", "stranger", Some("http://web"));
    assert!(followed(&dropped).back.is_empty());
}

/// One can go along a request's way stop by stop: each is at an object of the way, and the last one is where it ends.
#[test]
fn every_stop_of_a_way_is_at_objects_of_it() {
    let view = look("41-overlays", "client", None);
    let f = followed(&view);
    let stops = f.stops();
    assert_eq!(stops.len(), f.lookups.len() + f.hops.len() + 1);
    assert!(stops.iter().flatten().all(|o| f.objects.contains(o)), "{stops:?}");
    let mut names: Vec<String> = stops.iter().flatten().map(ToString::to_string).collect();
    names.dedup();
    let way = [
        "Pod default/client",
        "Node node-1",
        "Service default/far",
        "Node node-1",
        "Node node-2",
        "Pod default/far",
    ];
    assert_eq!(names, way);
    let dropped = look("40-network-policy", "stranger", Some("http://web"));
    let stops = followed(&dropped).stops();
    assert_eq!(stops.last().map(|s| s[0].kind), Some(Kind::NETWORK_POLICY));
    let nowhere = look("41-overlays", "client", Some("nobody.default"));
    assert_eq!(followed(&nowhere).stops().len(), followed(&nowhere).lookups.len());
    let proxied = look(
        "51-ingress-routes",
        "client",
        Some("http://ingress-nginx-controller.ingress-nginx/cart/1 host=shop.example"),
    );
    let f = followed(&proxied);
    assert!(f.via.is_some());
    assert!(f.stops().last().is_some_and(|s| s[0].key.name.starts_with("cart-")), "{:?}", f.stops());
}

#[test]
fn the_policies_that_drop_a_packet_are_named() {
    let view = look("40-network-policy", "stranger", Some(" http://web "));
    let f = followed(&view);
    assert_eq!(f.lost, Some(Cause::TimedOut(Because::Policy(Direction::Ingress))));
    let Some(EndView::Denied(policies)) = &f.end else { panic!("{f:?}") };
    let known = f.objects.iter().filter(|o| o.kind == Kind::NETWORK_POLICY);
    assert_eq!(&known.map(|o| o.key.name.to_string()).collect::<Vec<_>>(), policies);
    assert_eq!(f.hops.last().map(|h| h.place), Some(HopPlace::Policy));
}

#[test]
fn a_name_that_leads_nowhere_is_tried_with_every_search_domain() {
    let view = look("41-overlays", "client", Some("nobody.default"));
    let f = followed(&view);
    assert_eq!((f.lost, f.hops.len(), f.end.as_ref()), (Some(Cause::NoSuchName), 0, None));
    assert!(f.lookups.iter().all(|l| l.answer == LookupAnswer::NxDomain));
    let mut names: Vec<&str> = f.lookups.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names.len(), 8, "each name is asked for with A and AAAA");
    names.dedup();
    assert_eq!(
        names,
        [
            "nobody.default.default.svc.cluster.local",
            "nobody.default.svc.cluster.local",
            "nobody.default.cluster.local",
            "nobody.default",
        ]
    );
}

#[test]
fn what_cannot_be_followed_says_why() {
    let taken = |pod: &str, url: &str| look("41-overlays", pod, Some(url)).taken;
    assert_eq!(taken("client", "ftp://far"), Taken::NotAUrl(UrlError::Scheme));
    assert_eq!(taken("client", "http://far:0"), Taken::NotAUrl(UrlError::Port));
    assert_eq!(taken("client", "http://"), Taken::NotAUrl(UrlError::NoHost));
    assert_eq!(taken("nobody", "http://far"), Taken::NotRunning);
    // A pod with IPv4 alone asks an address of IPv6.
    for url in ["http://[::1]", "http://[fd00::1]"] {
        let Taken::Followed(way) = taken("client", url) else { panic!("{url}") };
        assert!(way.hops.is_empty() && way.lost.is_some(), "{url}: {way:?}");
    }
}

/// What somebody asks by hand takes as long as the requests of a client that come at that moment, when the server's node leaves it little
/// CPU: the request that is followed, and that of a command.
#[test]
fn a_busy_server_lets_those_wait_who_ask_by_hand() {
    let mut s = scenario::find("66-busy-neighbour").unwrap().open();
    let wait = |s: &mut Session, seconds| {
        let mut passing = Passing::by(s, SignedDuration::from_secs(seconds));
        while passing.once(s) {}
    };
    let follow = |s: &Session| {
        let sender = ObjectRef { kind: Kind::POD, key: Key::new("default", "client") };
        let view = followed(&journey(s.cluster(), &sender, Some("http://web"), 0)).clone();
        (view.takes, view.lost)
    };
    let wget = |s: &mut Session| s.kubectl("exec client -- wget -T 1 -qO- http://web/", &[]);
    let asks = |s: &mut Session, what: &str| {
        let line = format!("annotate pod client sim.steady/requests='{what}' --overwrite");
        assert_eq!(s.kubectl(&line, &[]).exit, 0, "{line}");
    };
    assert_eq!((follow(&s), wget(&mut s).exit), ((Some(0.005), None), 0));
    // What is left of the CPU is enough for so few requests, each of which needs several periods of its quota.
    asks(&mut s, "2/s http://web/ timeout=600s");
    s.kubectl("scale deployment batch --replicas=1", &[]);
    while s.step(Depth::Command, None) {}
    wait(&mut s, 3);
    let (second, (by_hand, _)) = (s.now().as_second(), follow(&s));
    wait(&mut s, 10);
    let (of_client, by_hand) = (sent(&s, second, 1).unwrap().took.unwrap(), by_hand.unwrap());
    assert!(of_client > 0.1, "{of_client}");
    // Both may have been sent at one moment, and then each of them gets a half.
    assert!((of_client * 0.5..of_client * 3.0).contains(&by_hand), "{by_hand} {of_client}");
    // Of so many more and more wait.
    asks(&mut s, "20/s http://web/ timeout=600s");
    wait(&mut s, 20);
    assert_eq!(follow(&s), (None, Some(Cause::TooSlow)));
    let late = wget(&mut s);
    assert!(late.stderr.contains("download timed out") && late.exit == 1, "{late:?}");
}
