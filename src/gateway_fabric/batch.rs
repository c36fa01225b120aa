//! A batch of changes becomes a graph and configurations (`HandleEventBatch` and `sendNginxConfig` in `internal/controller/handler.go`).

use std::rc::Rc;

use super::state::State;
use super::{CONNECTS, TAKES, Task, known};
use crate::api::{Key, later};
use crate::client::Context;
use crate::network::gateway::{Configuration, Graph};

type Cx = Context<State, Task>;

/// Handles all changes since the last batch.
pub(super) fn handle(cx: &Cx) {
    let leaders = cx.state(State::leaders);
    if leaders.is_empty() {
        return;
    }
    let known = known::all(cx);
    let (mut graphs, mut configurations) = (Vec::new(), Vec::new());
    for (_, controller) in &leaders {
        let flags = &controller.flags;
        let graph = Graph::build(&flags.class, &flags.controller, &known);
        for gateway in &graph.gateways {
            cx.enqueue(Task::Provision(gateway.source.key.clone()));
            if gateway.valid && !gateway.listeners.is_empty() {
                let deployment = Key::new(&gateway.source.key.namespace, &gateway.resources);
                configurations.push((deployment, Configuration::build(gateway, &graph, &known)));
            }
        }
        graphs.push((flags.class.clone(), Rc::new(graph)));
    }
    // What has not changed is the same as before, so that comparing it takes no time.
    let configurations: Vec<(Key, Rc<Configuration>)> = configurations
        .into_iter()
        .map(|(deployment, made)| {
            let before = cx.state(|s| s.configurations.get(&deployment).filter(|c| ***c == made).cloned());
            (deployment, before.unwrap_or_else(|| Rc::new(made)))
        })
        .collect();
    let mut told = false;
    for (pod, instance) in cx.state(|s| s.instances.clone()).iter() {
        let gets = configurations.iter().find(|(deployment, _)| *deployment == instance.deployment);
        // One that has not connected yet asks by itself then.
        let connected = cx.now() >= later(instance.started, CONNECTS);
        let behind = |new: &Configuration| instance.running.as_ref().map_or(connected, |has| **has != *new);
        if gets.is_some_and(|(_, new)| behind(new)) {
            cx.enqueue_after(Task::Apply(pod.clone()), TAKES);
            told = true;
        }
    }
    if told {
        cx.enqueue_after(Task::Statuses, TAKES);
    } else {
        cx.enqueue(Task::Statuses);
    }
    let busy = told.then(|| later(cx.now(), TAKES));
    cx.update_state(move |s| {
        s.graphs = graphs.iter().cloned().collect();
        s.configurations = configurations.iter().cloned().collect();
        s.busy = busy;
    });
}
