//! Whether requests of the run's clients are lost, in every order.

use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::invariant::{Invariant, Violation};
use crate::api::{Timestamp, later};
use crate::cluster::Cluster;
use crate::network::serving::Life;
use crate::network::traffic::{Cause, Stream};

/// For how long requests are followed in a steady state.
const LASTS: SignedDuration = SignedDuration::from_secs(60);

/// Whenever time passes and a client of the run sends a request, it is answered. Without clients nothing is sent.
///
/// A state in which something else happens at the same moment lasts for no time, and nobody sends anything in it. What is told is told
/// of the step in which time passes, or of a steady state, which lasts. A step with which a process ends is told if a request that was
/// sent before, on the path that led there, could still be at that process.
///
/// Where requests can be in each other's way, because servers have limits or clients keep connections, no request can be judged by itself.
/// There they are followed as they are sent on the path that led here, and what is told is a request that is lost on it.
pub(super) struct NoRequestLost;

impl NoRequestLost {
    fn violated(stream: &Stream, cause: Cause, endpoint: Option<SocketAddr>) -> Violation {
        let mut values = vec![("url", stream.client.url.authority()), ("cause", cause.to_string())];
        values.extend(endpoint.map(|e| ("endpoint", e.to_string())));
        Violation::new(Some(stream.id.sender.clone()), values)
    }

    /// Whether a request that is sent now could be lost.
    fn sent(cluster: &Cluster) -> Result<(), Violation> {
        let streams = cluster.scene().map(|s| s.streams.as_slice()).unwrap_or_default();
        for stream in streams.iter().filter(|s| s.end.is_none()) {
            if let Some((cause, endpoint)) = stream.could_lose() {
                return Err(Self::violated(stream, cause, endpoint));
            }
        }
        Ok(())
    }

    /// Whether a request in whose way others can be is lost until a moment, on the path that led here and if nothing changes until then.
    fn followed(cluster: &Cluster, until: Timestamp) -> Result<(), Violation> {
        let Some(scene) = cluster.scene() else { return Ok(()) };
        let is_crowded = |s: &&Rc<Stream>| s.end.is_none() && scene.is_crowded(s);
        let crowded: Vec<&Rc<Stream>> = scene.streams.iter().filter(is_crowded).collect();
        if crowded.is_empty() {
            return Ok(());
        }
        let (was, is) = (cluster.traffic_before(cluster.now()), cluster.traffic_before(until));
        for stream in crowded {
            let Some(counts) = is.counted(&stream.id) else { continue };
            let before =
                |cause| was.counted(&stream.id).and_then(|c| c.lost.get(cause)).copied().unwrap_or(0);
            if let Some((cause, _)) = counts.lost.iter().find(|(cause, many)| **many > before(cause)) {
                return Err(Self::violated(stream, *cause, None));
            }
        }
        Ok(())
    }

    /// Whether a step ends a process that could be answering a request.
    fn cut_off(before: &Cluster, after: &Cluster) -> Result<(), Violation> {
        let (Some(old), Some(new)) = (before.scene(), after.scene()) else { return Ok(()) };
        if Rc::ptr_eq(old, new) {
            return Ok(());
        }
        let end = after.now();
        // What was on its way to a node that is cut off is not counted as lost.
        let ended = old.lives.iter().filter(|(p, (_, life))| *life != Life::CutOff && new.life(p).is_none());
        for (process, _) in ended {
            for stream in new.streams.iter().filter(|s| s.end.is_none()) {
                let since = later(end, -stream.client.timeout);
                for (from, to, scene) in after.scenes_since(since) {
                    let Some(then) = scene.stream(&stream.id).filter(|_| from < to) else { continue };
                    let at_process = then.in_flight(process).filter(|f| later(to, f.takes) > end);
                    if let Some(flight) = at_process.filter(|_| !stream.saves()) {
                        return Err(Self::violated(stream, flight.cause, flight.endpoint));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Invariant for NoRequestLost {
    fn name(&self) -> &'static str {
        "noRequestLost"
    }

    fn steady(&self, cluster: &Cluster) -> Result<(), Violation> {
        NoRequestLost::sent(cluster)?;
        NoRequestLost::followed(cluster, later(cluster.now(), LASTS))
    }

    fn step(&self, before: &Cluster, after: &Cluster) -> Result<(), Violation> {
        if before.now() < after.now() {
            NoRequestLost::sent(before)?;
            NoRequestLost::followed(before, after.now())?;
        }
        NoRequestLost::cut_off(before, after)
    }
}
