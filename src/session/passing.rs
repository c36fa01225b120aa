//! Time that passes: a run goes on to a moment, whether somebody has something to do until then or not.

use jiff::SignedDuration;

use super::{Depth, Session};
use crate::api::{Timestamp, later};
use crate::cluster::Fault;

/// A run that goes on to a moment, one step at a time.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    /// The moment, in milliseconds since 1970 in UTC.
    until: i64,
    /// Whether the last step has found nothing to do.
    idle: bool,
}

impl Passing {
    /// To the moment that is so much later than the one that a session shows.
    pub fn by(session: &Session, time: SignedDuration) -> Passing {
        Passing { until: later(session.now(), time).as_millisecond(), idle: false }
    }

    /// Whether a session shows that moment, or a later one.
    pub fn is_over(&self, session: &Session) -> bool {
        session.now().as_millisecond() >= self.until
    }

    /// Takes a step towards the moment. Returns whether there may be another one: the moment is not reached yet, and time can pass.
    pub fn once(&mut self, session: &mut Session) -> bool {
        let until = self.until;
        if self.is_over(session) {
            return false;
        }
        let wait = |session: &mut Session| session.fault(&Fault::Wait { until }).is_ok();
        if session.is_quiet_until(until, self.idle) {
            self.idle = false;
            return wait(session);
        }
        let was_idle = std::mem::take(&mut self.idle);
        let stepped = if was_idle {
            session.to_schedule(Depth::Command)
        } else {
            session.try_step(Depth::Command, None)
        };
        match stepped {
            Ok(()) => true,
            // What happens by itself until then leads to no step.
            Err(_) if was_idle => wait(session),
            Err(_) => {
                self.idle = true;
                true
            }
        }
    }
}

impl Session {
    /// Whether a step would let time pass beyond a moment (in milliseconds since 1970 in UTC), so that time has to be let pass towards
    /// it instead: to the moment, or to what nobody waits for on the way (a component that looks again at regular intervals). `idle` if
    /// a step has found nothing to do.
    pub fn is_quiet_until(&self, moment: i64, idle: bool) -> bool {
        let Ok(to) = Timestamp::from_millisecond(moment) else { return false };
        let cluster = self.cluster();
        // While a step is under way, the cluster is not that of a moment.
        if self.is_under_way() || !(idle || cluster.is_quiet_until(to)) {
            return false;
        }
        // A step to what happens by itself is one only where nothing is waited for.
        let clock = cluster.clock();
        clock.next_waited_for().is_some() || clock.next_by_itself().is_none_or(|(at, ..)| at > to)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::scenario;

    /// The clients of a scenario whose cluster is at rest go on to send while time passes, and a CronJob runs when it is due.
    #[test]
    fn time_passes_in_a_cluster_at_rest_and_in_a_busy_one() {
        for id in ["42-lossy-rollout", "27-cronjob"] {
            let mut s = scenario::find(id).unwrap().open();
            s.kubectl("create deployment late --image=nginx", &[]);
            let begin = s.now();
            let mut passing = Passing::by(&s, SignedDuration::from_secs(150));
            let mut steps = 0;
            while passing.once(&mut s) {
                steps += 1;
                assert!(steps < 5_000, "{id}: time stands still at {}", s.now());
            }
            assert_eq!(s.now().duration_since(begin), SignedDuration::from_secs(150), "{id}");
            assert!(s.kubectl("get deployment late", &[]).stdout.contains("1/1"), "{id}");
        }
    }
}
