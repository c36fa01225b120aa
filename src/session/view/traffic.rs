//! What became of the requests that the clients of the run have sent until the moment that is shown.

use serde::{Deserialize, Serialize};

use crate::api::{Kind, ObjectRef};
use crate::network::traffic::Cause;
use crate::session::Session;
use crate::session::rehearsal::{by_number, chart};

/// What became of all requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrafficView {
    /// The clients that run.
    pub clients: Vec<ClientView>,
    /// What became of the requests one bucket of time after the other: answered, and lost.
    pub chart: Vec<(u64, u64)>,
    /// The length of a bucket in seconds.
    pub bucket: f64,
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
}

/// What became of the requests until now.
pub fn traffic(session: &Session) -> TrafficView {
    let cluster = session.cluster();
    let clients = cluster.clients();
    let Some(begin) = clients.iter().map(|c| c.start).min() else { return TrafficView::default() };
    let now = cluster.now();
    let view = |c: &crate::cluster::RunningClient| {
        let counts = c.sending().count(c.start, c.end.map_or(now, |end| end.min(now)));
        ClientView {
            pod: ObjectRef { kind: Kind::POD, key: c.pod.clone() },
            url: format!("{}{}", c.client.url.authority(), c.client.url.path),
            sent: counts.sent,
            losses: by_number(counts.lost),
        }
    };
    let (chart, bucket) = chart(&clients, begin, now);
    TrafficView { clients: clients.iter().map(view).collect(), chart, bucket }
}
