//! One request of a client, told from its name to its answer or to where it was lost.

use std::net::SocketAddr;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::whose::{NobodysAddress, nobodys};
use crate::api::{ObjectRef, Timestamp, later};
use crate::cluster::Cluster;
use crate::network::question::{Because, Behind, Outcome, Reply};
use crate::network::traffic::{Cause, RequestTrace, Step, StreamId};
use crate::session::chart::chart_begin;
use crate::session::{MomentId, Session};

/// A request that was sent, and what happened to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentView {
    /// Who sent it: a pod or, if it came from outside of the cluster, the object whose annotation says so.
    pub sender: ObjectRef,
    /// What it asked for: a URL, and the header `Host` if that is another one (`http://web host=shop.example`).
    pub url: String,
    /// Its number among those of its client, counted from 0.
    pub nth: u64,
    /// When it was sent, in seconds since the beginning of the [`Chart`](crate::session::chart::Chart): the whole second in which the first
    /// client began.
    pub at: f64,
    /// What the cluster's clock showed then: virtual milliseconds since 1970, in UTC.
    pub clock: i64,
    /// The last moment of the run before it was sent: what was so then is what it met, if nothing has happened by itself in between.
    pub moment: MomentId,
    /// Where that moment stands on the timeline.
    pub stands: Stands,
    /// What happened, in its order.
    pub steps: Vec<SentStep>,
    /// Why it was lost; `None` if it was answered.
    pub lost: Option<Cause>,
    /// The address to which it was sent, if it was lost because nobody has that.
    pub nobody: Option<NobodysAddress>,
    /// How long the answer took, in seconds; `None` without one.
    pub took: Option<f64>,
}

/// Where the last moment before a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stands {
    /// Its number on the timeline.
    pub step: usize,
    /// For how many seconds it is before the request.
    pub before: f64,
    /// How many seconds the step after it lets pass; `None` if the run has no later moment.
    pub passes: Option<f64>,
}

/// Something that happened to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentStep {
    /// When, in seconds after it was sent.
    pub after: f64,
    /// What.
    pub what: SentWhat,
}

/// What happened to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SentWhat {
    /// Its name led nowhere.
    Nowhere,
    /// All connections of the client were in use, so it waited for one.
    WaitsForConnection,
    /// A connection was opened for it.
    Opens {
        /// The endpoint that the rules chose; empty if they chose none.
        endpoint: String,
        /// The pod that answers there, if that is known.
        pod: Option<String>,
        /// Who was behind: the EndpointSlices did not name the endpoint any more.
        behind: Option<Behind>,
        /// The pod of the ingress controller that passed it on; `None` if it came there directly.
        through: Option<String>,
    },
    /// It took a connection that was opened before.
    Reuses {
        /// The endpoint at its end.
        endpoint: String,
        /// The pod that answers there.
        pod: Option<String>,
        /// How many requests had been answered over it.
        used: u32,
    },
    /// The server answered other requests first.
    Waits,
    /// The server ended, and the ingress controller in between asked this endpoint.
    PassedOn(String),
    /// It was answered with a status.
    Answered(u16),
    /// It failed for a reason, and was sent again. If `true`, because the server had closed a connection that was in use before.
    Again(Cause, bool),
    /// It was lost.
    Lost(Cause),
}

fn met(reply: &Reply) -> (String, Option<String>) {
    let pod = match &reply.outcome {
        Outcome::Answered(response) => response.by.as_ref().map(|by| by.process.pod.to_string()),
        _ => None,
    };
    (reply.endpoint.map(|e: SocketAddr| e.to_string()).unwrap_or_default(), pod)
}

fn what(step: &Step) -> SentWhat {
    match step {
        Step::Nowhere => SentWhat::Nowhere,
        Step::WaitsForConnection => SentWhat::WaitsForConnection,
        Step::Opens(reply) => {
            let (endpoint, pod) = met(reply);
            let through = reply.via.as_ref().map(|via| via.pod.to_string());
            SentWhat::Opens { endpoint, pod, behind: reply.behind, through }
        }
        Step::Reuses(reply, used) => {
            let (endpoint, pod) = met(reply);
            SentWhat::Reuses { endpoint, pod, used: *used }
        }
        Step::Waits => SentWhat::Waits,
        Step::PassedOn(endpoint) => SentWhat::PassedOn(endpoint.to_string()),
        Step::Answered(status) => SentWhat::Answered(*status),
        Step::Again(cause, closed) => SentWhat::Again(*cause, *closed),
        Step::Lost(cause) => SentWhat::Lost(*cause),
    }
}

/// The request of some seconds that is told: the first that was lost or, without one, the first that was sent. `begin` is counted from
/// the beginning of the calendar. The seconds may be later than the moment that is shown. `None` if none was sent.
pub fn sent(session: &Session, begin: i64, seconds: i64) -> Option<SentView> {
    let cluster = session.end().unwrap_or(session.cluster());
    let nanosecond = SignedDuration::from_nanos(1);
    let from = Timestamp::from_second(begin).ok()?;
    let to = later(from, SignedDuration::from_secs(seconds.max(1))).min(later(cluster.now(), nanosecond));
    let window = (later(from, -nanosecond), later(to, -nanosecond));
    let ledger = cluster.traffic_within(window);
    let losses = ledger.streams().filter_map(|(id, counts)| Some((counts.first.as_ref()?, id)));
    let lost = losses.min_by_key(|(loss, _)| loss.at).map(|(loss, id)| (loss.at, id.clone(), loss.nth));
    let (at, stream, nth) = lost.or_else(|| cluster.first_request(window))?;
    told(session, cluster, &stream, nth, at)
}

fn told(
    session: &Session,
    cluster: &Cluster,
    stream: &StreamId,
    nth: u64,
    at: Timestamp,
) -> Option<SentView> {
    let client = cluster.client_at(stream, at)?;
    let RequestTrace { steps, .. } = cluster.follow_request(stream, nth, at)?;
    let after = |at_: Timestamp| at_.duration_since(at).as_secs_f64();
    let last = steps.last();
    let (moment, stands) = moment_at(session, at);
    let lost = last.and_then(|(_, step)| match step {
        Step::Lost(cause) => Some(*cause),
        _ => None,
    });
    let endpoint = steps.iter().rev().find_map(|(_, step)| match step {
        Step::Opens(reply) | Step::Reuses(reply, _) => Some(reply.endpoint),
        _ => None,
    });
    let nobody = (lost == Some(Cause::TimedOut(Because::Gone))).then(|| {
        let asked = (&*stream.sender.key.namespace, client.url.host.as_str());
        nobodys(session, moment, asked, endpoint.flatten())
    });
    let scheme = if client.url.tls { "https" } else { "http" };
    let path = if client.url.path == "/" { "" } else { client.url.path.as_str() };
    let host = client.host.as_ref().map(|host| format!(" host={host}")).unwrap_or_default();
    Some(SentView {
        sender: stream.sender.clone(),
        url: format!("{scheme}://{}{path}{host}", client.url.authority()),
        nth,
        at: at.duration_since(chart_begin(cluster.traffic_begin().unwrap_or(at))).as_secs_f64(),
        clock: at.as_millisecond(),
        moment,
        stands,
        lost,
        nobody: nobody.flatten(),
        took: last.filter(|(_, step)| matches!(step, Step::Answered(_))).map(|(end, _)| after(*end)),
        steps: steps.iter().map(|(at, step)| SentStep { after: after(*at), what: what(step) }).collect(),
    })
}

/// The last moment of the branch that is shown at which it was not later than a time, and where it stands. Time passes in steps of any
/// sort, so each moment is asked for its own.
fn moment_at(session: &Session, at: Timestamp) -> (MomentId, Stands) {
    let line = session.timeline();
    let time = |id: &MomentId| session.moment(*id).map(|m| m.at);
    // Time never goes back along a branch.
    let after = line.partition_point(|id| time(id).is_none_or(|time| time <= at));
    let step = after.saturating_sub(1);
    let moment = line.get(step).copied().unwrap_or_else(|| session.at());
    let since = time(&moment).unwrap_or(at);
    let passes = line.get(after).and_then(time).map(|next| next.duration_since(since).as_secs_f64());
    let before = at.duration_since(since).as_secs_f64().max(0.0);
    (moment, Stands { step, before, passes })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Depth, Passing, scenario};

    /// Of every second of a run, a request stands behind the last moment that was not later, by as much as the clock says, whatever sort
    /// of steps has let the time pass: here a wait in a cluster at rest, as a button of the scenario makes it, and steps of components.
    #[test]
    fn a_request_says_where_the_run_stands_before_it() {
        let mut s = scenario::find("66-busy-neighbour").unwrap().open();
        let mut passing = Passing::by(&s, SignedDuration::from_secs(20));
        while passing.once(&mut s) {}
        s.kubectl("scale deployment batch --replicas=1", &[]);
        while s.step(Depth::Command, None) {}
        let end = s.cluster().clone();
        let (first, last) = (end.traffic_begin().unwrap().as_second() + 1, end.now().as_second());
        let mut in_between = 0;
        for second in first..last {
            let Some(view) = sent(&s, second, 1) else { continue };
            let Stands { step, before, passes } = view.stands;
            assert_eq!(s.place(view.moment), Some(step), "{second}");
            let time = |place: usize| s.timeline().get(place).map(|id| s.cluster_at(*id).unwrap().now());
            let begin = Timestamp::from_second(end.traffic_begin().unwrap().as_second()).unwrap();
            let sent = later(begin, SignedDuration::from_secs_f64(view.at));
            assert_eq!((view.clock, sent.as_second()), (sent.as_millisecond(), second));
            let (here, next) = (time(step).unwrap(), time(step + 1));
            let off = (sent.duration_since(here).as_secs_f64() - before).abs();
            assert!(off < 1e-6 && here <= sent, "{second}: {view:?}");
            assert!(
                next.is_none_or(|next| next > sent),
                "{second}: {view:?}, and the next step is at {next:?}"
            );
            let length = next.map(|next| next.duration_since(here).as_secs_f64());
            assert_eq!(passes, length, "{second}");
            in_between += usize::from(before > 1.0 && passes.is_some_and(|p| p > before));
        }
        assert!(in_between > 10, "{in_between}");
    }
}
