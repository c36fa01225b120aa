//! What became of the requests that the clients of the run have sent: in numbers until the moment that is shown, and over time until
//! the end of the run.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::{Kind, ObjectRef};
use crate::network::traffic::{Cause, Counts, Latencies, Ledger, Stream};
use crate::session::Session;
use crate::session::chart::{Chart, Took};
use crate::session::rehearsal::by_number;

/// What became of all requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficView {
    /// The clients that run.
    pub clients: Vec<ClientView>,
    /// How many requests were sent, also by clients that have ended.
    pub sent: u64,
    /// How many of them were lost.
    pub lost: u64,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whole {
    /// How many were sent.
    pub sent: u64,
    /// How many of them were lost.
    pub lost: u64,
}

/// What became of the requests of one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClientView {
    /// The pod.
    pub pod: ObjectRef,
    /// What it asks: the host with its port, and the path.
    pub url: String,
    /// How many it has sent.
    pub sent: u64,
    /// How many were lost, by cause; the most frequent first.
    pub losses: Vec<(Cause, u64)>,
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
    let ledger = cluster.traffic_until_now();
    let whole = end.traffic_until_now();
    let none = Counts::default();
    let view = |s: &Rc<Stream>| {
        let counts = ledger.counted(&s.id).unwrap_or(&none);
        let open = || ledger.pool(&s.id).map(|p| p.by_endpoint()).unwrap_or_default();
        let named = |(endpoint, many): (std::net::SocketAddr, u64)| (endpoint.to_string(), many);
        ClientView {
            pod: ObjectRef { kind: Kind::POD, key: s.id.pod.clone() },
            url: format!("{}{}", s.client.url.authority(), s.client.url.path),
            sent: counts.sent,
            losses: by_number(counts.lost.clone()),
            took: Took::of(&counts.took),
            connections: s.client.keep.map(|_| open().into_iter().map(named).collect()),
        }
    };
    let sums = |ledger: &Ledger| {
        let add = |sum: Whole, counts: &Counts| Whole {
            sent: sum.sent + counts.sent,
            lost: sum.lost + counts.losses(),
        };
        ledger.streams().fold(Whole { sent: 0, lost: 0 }, |sum, (_, counts)| add(sum, counts))
    };
    let Whole { sent, lost } = sums(&ledger);
    let mut took = Latencies::default();
    ledger.streams().for_each(|(_, counts)| took.merge(&counts.took, 1));
    TrafficView {
        clients: cluster.scene().iter().flat_map(|scene| &scene.streams).map(view).collect(),
        sent,
        lost,
        waiting: ledger.waiting(),
        took: Took::of(&took),
        chart: Chart::of(&whole, begin, end.now(), |_| true),
        shown: cluster.now().duration_since(begin).as_secs_f64().max(0.0),
        whole: (session.at() != session.tip()).then(|| sums(&whole)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
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
        assert_eq!(middle.whole, Some(Whole { sent: end.sent, lost: end.lost }));
        assert!(middle.lost == 0 && middle.shown < end.shown, "{middle:?}");
        assert_eq!(sent(&s, end.chart.begin, seconds), Some(lost));
    }
}
