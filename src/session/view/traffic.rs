//! What became of the requests that the clients of the run have sent: in numbers until the moment that is shown, and over time until
//! the end of the run.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::ObjectRef;
use crate::network::traffic::{Counts, Ledger, Stream};
use crate::session::Session;
use crate::session::chart::{Chart, Losses, Took, chart_begin};

/// What became of all requests that were sent before the moment that is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficView {
    /// The clients that run.
    pub clients: Vec<ClientView>,
    /// How many requests were sent, also by clients that have ended.
    pub sent: u64,
    /// How many of them were lost.
    pub lost: u64,
    /// Why these were lost.
    pub losses: Losses,
    /// How many of them are under way.
    pub waiting: u64,
    /// How long the answers took; `None` without any.
    pub took: Option<Took>,
    /// What became of the requests over time, until the end of the branch that is shown.
    pub chart: Chart,
    /// The seconds from the chart's beginning to the moment that is shown.
    pub shown: f64,
    /// What became of all requests of the branch, if the moment that is shown is not its end.
    pub whole: Option<Whole>,
}

/// What became of the requests until the end of the branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whole {
    /// How many were sent.
    pub sent: u64,
    /// How many of them were lost.
    pub lost: u64,
    /// Why these were lost.
    pub losses: Losses,
}

/// What became of the requests of one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClientView {
    /// Who sends: a pod or, if the requests come from outside of the cluster, the object whose annotation says so.
    pub sender: ObjectRef,
    /// What it asks: the host with its port, and the path.
    pub url: String,
    /// How many it has sent.
    pub sent: u64,
    /// Why those were lost that were.
    pub losses: Losses,
    /// How long the answers took; `None` without any.
    pub took: Option<Took>,
    /// The connections that it keeps open now, by their endpoints; `None` if it keeps none.
    pub connections: Option<Vec<(String, u64)>>,
}

/// What became of the requests.
pub fn traffic(session: &Session) -> TrafficView {
    let cluster = session.cluster();
    // Without the end's cluster the chart ends at the moment that is shown.
    let end = session.end().unwrap_or(cluster);
    let Some(begin) = cluster.traffic_begin().or(end.traffic_begin()) else { return TrafficView::default() };
    // What is sent at the moment itself is not counted yet: what else happens at that moment may lead it elsewhere.
    let ledger = cluster.traffic_before(cluster.now());
    let whole = end.traffic_before(end.now());
    let none = Counts::default();
    let view = |s: &Rc<Stream>| {
        let counts = ledger.counted(&s.id).unwrap_or(&none);
        let open = || ledger.pool(&s.id).map(|p| p.by_endpoint()).unwrap_or_default();
        let named = |(endpoint, many): (std::net::SocketAddr, u64)| (endpoint.to_string(), many);
        ClientView {
            sender: s.id.sender.clone(),
            url: format!("{}{}", s.client.url.authority(), s.client.url.path),
            sent: counts.sent,
            losses: Losses::of(counts),
            took: Took::of(&counts.took),
            connections: s.client.keep.map(|_| open().into_iter().map(named).collect()),
        }
    };
    let all = |ledger: &Ledger| {
        let mut all = Counts::default();
        ledger.streams().for_each(|(_, counts)| all.add(counts.clone()));
        all
    };
    // What nothing declares any more is no client; a container that has got SIGTERM is still there.
    let is_there = |s: &&Rc<Stream>| !s.id.is_from_outside() || s.end.is_none();
    let so_far = all(&ledger);
    let of_run = || {
        let counts = all(&whole);
        Whole { sent: counts.sent, lost: counts.losses(), losses: Losses::of(&counts) }
    };
    TrafficView {
        clients: cluster.scene().iter().flat_map(|scene| &scene.streams).filter(is_there).map(view).collect(),
        sent: so_far.sent,
        lost: so_far.losses(),
        losses: Losses::of(&so_far),
        waiting: ledger.waiting(),
        took: Took::of(&so_far.took),
        chart: Chart::of(&whole, begin, end.now(), |_| true),
        shown: cluster.now().duration_since(chart_begin(begin)).as_secs_f64().max(0.0),
        whole: (session.at() != session.tip()).then(of_run),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;

    use super::*;
    use crate::network::Because;
    use crate::network::question::Behind;
    use crate::network::traffic::Cause;
    use crate::session::view::sent::sent;
    use crate::session::{Depth, scenario};

    /// Whoever goes back to the moment of a request still sees the run's chart, and what became of the request in the end.
    #[test]
    fn a_moment_in_the_middle_of_a_run_shows_the_whole_chart() {
        let mut s = scenario::find("42-lossy-rollout").unwrap().open();
        let before = s.at();
        s.kubectl("rollout restart deployment/web", &[]);
        while s.step(Depth::Command, None) {}
        let end = traffic(&s);
        assert!(end.lost > 0 && end.whole.is_none(), "{end:?}");
        let seconds = i64::try_from(end.chart.buckets.len()).unwrap() * end.chart.seconds;
        let lost = sent(&s, end.chart.begin, seconds).unwrap();
        assert!(lost.lost.is_some());
        s.goto(before);
        let middle = traffic(&s);
        assert_eq!(middle.chart, end.chart);
        assert_eq!(middle.whole, Some(Whole { sent: end.sent, lost: end.lost, losses: end.losses.clone() }));
        assert!(
            middle.lost == 0 && middle.losses == Losses::default() && middle.shown < end.shown,
            "{middle:?}"
        );
        assert_eq!(sent(&s, end.chart.begin, seconds), Some(lost));
    }

    /// What has happened stays: no sum becomes smaller while a run goes on, and no request is answered that was lost before.
    #[test]
    fn sums_only_grow() {
        for id in ["42-lossy-rollout", "64-from-outside"] {
            let mut s = scenario::find(id).unwrap().open();
            s.kubectl("rollout restart deployment/web", &[]);
            let mut before = (0, 0, 0);
            while s.step(Depth::Command, None) {
                let view = traffic(&s);
                let now = (view.sent, view.lost, view.sent - view.lost - view.waiting);
                assert!(
                    now.0 >= before.0 && now.1 >= before.1 && now.2 >= before.2,
                    "{id} at {}: {before:?} before, {now:?} now",
                    s.at()
                );
                before = now;
            }
        }
    }

    /// What was lost has its causes in each sum and in each bucket, and all of them come to the same. Pods that are deleted get SIGTERM
    /// while the EndpointSlices and the rules of the nodes follow
    /// (kubernetes.io/docs/tutorials/services/pods-and-endpoint-termination-flow).
    #[test]
    fn every_sum_says_why_requests_were_lost_and_who_was_behind() {
        let mut s = scenario::find("42-lossy-rollout").unwrap().open();
        s.kubectl("rollout restart deployment/web", &[]);
        while s.step(Depth::Command, None) {}
        let view = traffic(&s);
        assert_eq!((view.losses.all(), view.lost > 0), (view.lost, true), "{view:?}");
        let (mut causes, mut behind) = (BTreeMap::new(), BTreeMap::new());
        for bucket in &view.chart.buckets {
            assert_eq!(bucket.losses.all(), bucket.lost);
            bucket.losses.causes.iter().for_each(|(cause, n)| *causes.entry(*cause).or_insert(0) += n);
            bucket.losses.behind.iter().for_each(|(who, n)| *behind.entry(*who).or_insert(0) += n);
        }
        assert_eq!(causes, view.losses.causes.iter().copied().collect());
        assert_eq!(behind, view.losses.behind.iter().copied().collect());
        let numbers: Vec<u64> = view.losses.causes.iter().map(|(_, n)| *n).collect();
        assert!(numbers.is_sorted_by(|a, b| a >= b), "{numbers:?}");
        let stopping = Cause::Refused(Because::Stopping);
        assert!(causes.contains_key(&stopping), "{causes:?}");
        let by_rules = behind.get(&Behind::Rules).copied().unwrap_or(0);
        assert!(by_rules > 0 && by_rules <= view.lost, "{view:?}");
        let clients: u64 = view.clients.iter().map(|c| c.losses.all()).sum();
        assert_eq!(clients, view.lost, "both clients still run");
    }
}
