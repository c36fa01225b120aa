//! Which probes ask a busy server, and what they meet there ([`super::strain`]).

use std::rc::Rc;

use super::fault::ProbeType;
use super::prober::{question, spec_of, tick_from, whole};
use super::state::State;
use super::strain::{Foreseen, Probed, Strained};
use super::task::Task;
use super::timings::later;
use super::turn::Turn;
use crate::api::{Key, Timestamp};
use crate::client::{Caches, Handler};
use crate::network::serving::{Met, Process, Serving};
use crate::network::{Outcome, Protocol};

/// How many of the next requests of a probe are foreseen.
const TICKS_LIMIT: usize = 30;

/// Notes what probes will meet. `false` if the pod is not there any more.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, news: &Strained) -> bool {
    if cx.state.pods.get(&news.pod).is_none_or(|rt| rt.uid != news.uid) {
        return false;
    }
    if news.probes.is_empty() {
        cx.state.strained.remove(&news.pod);
    } else {
        cx.state.strained.insert(news.pod.clone(), (news.uid.clone(), news.probes.clone()));
    }
    cx.enqueue(Task::Pod(news.pod.clone()));
    true
}

/// The probes of a pod that ask a process over the network.
pub fn probes_of(
    state: &State,
    caches: &Caches,
    node: &Key,
    serving: &Serving,
    now: Timestamp,
) -> Option<(Rc<str>, Vec<Probed>)> {
    let rt = state.pods.get(&serving.process.pod)?;
    let object = rt.pod(&serving.process.pod, caches)?;
    let spec = object.spec.as_ref()?;
    let turn = Turn::new(object, spec, (**rt).clone(), state, node, caches, now);
    Some((rt.uid.clone(), turn.probes_of(serving)))
}

impl Turn<'_> {
    fn probes_of(&self, serving: &Serving) -> Vec<Probed> {
        let mut all = Vec::new();
        let Some(base) = self.rt.probing_since else { return all };
        for (i, c) in self.rt.containers.iter().enumerate() {
            let Some((r, spec)) = c.running().zip(self.container_spec(i)) else { continue };
            for type_ in ProbeType::ALL {
                let Some(probe) = spec_of(spec, type_) else { continue };
                let Some(asks) = question(self, spec, probe).filter(|q| q.http.is_some() || q.grpc) else {
                    continue;
                };
                let Some(to) = asks.own(self) else { continue };
                let listener = self.listener(asks.port, Protocol::Tcp, self.now);
                let is_it = listener.is_some_and(|(l, r)| {
                    r.since == serving.process.since
                        && self.container_spec(l).is_some_and(|s| *s.name == *serving.process.container)
                });
                if !is_it {
                    continue;
                }
                let takes = match self.reply(&asks.ask(to), self.now).0 {
                    Outcome::Answered(response) => response.takes,
                    _ => self.answer_takes(asks.port, self.now),
                };
                let period = whole(probe.period_seconds, 10, 1);
                let first = later(r.since, whole(probe.initial_delay_seconds, 0, 0)).max(self.now);
                let first = tick_from(base, period, first);
                let moments =
                    std::iter::successors(Some(first), |at| Some(later(*at, period))).take(TICKS_LIMIT);
                all.push(Probed {
                    container: c.name.clone(),
                    type_,
                    takes,
                    within: whole(probe.timeout_seconds, 1, 1),
                    moments: moments.collect(),
                });
            }
        }
        all
    }

    /// What a probe of a container meets at a moment because others ask the same server, and when that changes by itself.
    pub(super) fn meets(&self, i: usize, type_: ProbeType, at: Timestamp) -> (Met, Option<Timestamp>) {
        let name = self.rt.containers.get(i).map(|c| &*c.name);
        let mut all = self.strained.iter().filter(|f| f.type_ == type_ && Some(&*f.container) == name);
        let Some(foreseen) = all.find(|f| self.is_running(&f.process)) else { return (Met::InTime, None) };
        let after = foreseen.meets.partition_point(|(from, _)| *from <= at);
        let met = after.checked_sub(1).and_then(|n| foreseen.meets.get(n));
        let next = foreseen.meets.get(after).map(|(from, _)| *from);
        (met.map_or(Met::InTime, |(_, met)| *met), next)
    }

    fn is_running(&self, process: &Process) -> bool {
        let running = self.rt.containers.iter().filter(|c| c.name == process.container);
        running.filter_map(|c| c.running()).any(|r| r.since == process.since)
    }

    /// When it is worth to look again at what the probes of the pod will meet; `None` if it is not.
    pub(super) fn foresees_again(&self) -> Option<Timestamp> {
        let all = self.strained.iter().filter(|f| self.is_running(&f.process));
        all.filter_map(|f| f.again).min()
    }
}

impl State {
    /// The pods of which it is known that probes meet busy servers.
    pub fn strained(&self) -> impl Iterator<Item = (&Key, &Rc<str>, &Rc<[Foreseen]>)> {
        self.strained.iter().map(|(pod, (uid, probes))| (pod, uid, probes))
    }
}
