//! What became of the requests that the clients of the run have sent until the moment that is shown.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::{Kind, ObjectRef};
use crate::network::traffic::{Cause, Counts, Latencies, Stream};
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
    /// What became of the requests over time.
    pub chart: Chart,
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

/// What became of the requests until now.
pub fn traffic(session: &Session) -> TrafficView {
    let cluster = session.cluster();
    let (Some(scene), Some(begin)) = (cluster.scene(), cluster.traffic_begin()) else {
        return TrafficView::default();
    };
    let ledger = cluster.traffic_until_now();
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
    let (mut sent, mut lost, mut took) = (0, 0, Latencies::default());
    for (_, counts) in ledger.streams() {
        (sent, lost) = (sent + counts.sent, lost + counts.losses());
        took.merge(&counts.took, 1);
    }
    TrafficView {
        clients: scene.streams.iter().map(view).collect(),
        sent,
        lost,
        waiting: ledger.waiting(),
        took: Took::of(&took),
        chart: Chart::of(&ledger, begin, cluster.now(), |_| true),
    }
}
