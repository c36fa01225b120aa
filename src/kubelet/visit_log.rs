//! The requests of commands that are executed in containers (`kubectl exec`), as the logs of the servers have them that got them.
//!
//! Requests of clients are worked out when somebody reads a log ([`crate::network::traffic`]). Those of a command are made once, when
//! it is executed, so whoever executes it tells the server's kubelet ([`Visited`]).

use std::rc::Rc;

use super::state::State;
use super::task::Task;
use super::turn::Turn;
use super::visited::Visited;
use crate::api::{Key, Timestamp};
use crate::client::{Caches, Handler};
use crate::network::serving::Process;
use crate::network::visit::Visit;

/// The most requests of a pod that are remembered. The oldest ones are forgotten.
const VISITS_LIMIT: usize = 1000;

/// Whether a process writes a line for each request.
pub fn logs_requests(state: &State, caches: &Caches, node: &Key, process: &Process, now: Timestamp) -> bool {
    let worker = state.pods.get(&process.pod);
    let Some((rt, pod)) = worker.and_then(|rt| Some((rt, rt.pod(&process.pod, caches)?))) else {
        return false;
    };
    let Some(spec) = &pod.spec else { return false };
    let turn = Turn::new(pod, spec, (**rt).clone(), state, node, caches, now);
    let Some(i) = rt.containers.iter().position(|c| c.name == process.container) else { return false };
    let container = turn.container_spec(i);
    container.is_some_and(|spec| {
        turn.with_past_server(i, spec, process.since, process.since, |server| server.log_format().is_some())
    })
}

/// Notes a request. `false` if the pod is not there any more.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, visited: &Visited) -> bool {
    let pod = &visited.process.pod;
    if !cx.state.pods.contains_key(pod) {
        return false;
    }
    let mut all = cx.state.visits.get(pod).cloned().unwrap_or_default();
    let visits = Rc::make_mut(&mut all);
    visits.push(visited.clone());
    let surplus = visits.len().saturating_sub(VISITS_LIMIT);
    visits.drain(..surplus);
    cx.state.visits.insert(pod.clone(), all);
    true
}

impl State {
    /// The requests of commands that have come to a process and ended after one moment until another one, which is included.
    pub(super) fn visits_of<'a>(
        &'a self,
        process: &'a Process,
        (after, until): (Timestamp, Timestamp),
    ) -> impl Iterator<Item = &'a Visit> {
        let all = self.visits.get(&process.pod).into_iter().flat_map(|all| all.iter());
        let own = all.filter(|v| v.process == *process).map(|v| &v.visit);
        own.filter(move |v| v.at > after && v.at <= until)
    }
}
