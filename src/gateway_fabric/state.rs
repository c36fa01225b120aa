//! What the controller remembers: [`State`].

use std::rc::Rc;

use crate::api::persistent::Map;
use crate::api::{Key, Timestamp};
use crate::client::{Kinds, Memory};
use crate::network::gateway::{Configuration, Graph, status};

use super::flags::Flags;

/// What the controller remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The kinds of the Gateway API and of its own group whose definitions are established.
    pub kinds: Kinds,
    /// The pods that run the controller.
    pub controllers: Map<Key, Rc<Controller>>,
    /// The pods that run the nginx of a Gateway.
    pub instances: Map<Key, Rc<Instance>>,
    /// What came of the last batch, by the class.
    pub graphs: Map<Rc<str>, Rc<Graph>>,
    /// What the nginx of each Gateway is to have, by the Deployment that runs it.
    pub configurations: Map<Key, Rc<Configuration>>,
    /// Until when the last batch is being handled.
    pub busy: Option<Timestamp>,
    /// Since when statuses wait for the Service of a Gateway.
    pub waits: Option<Timestamp>,
}

/// A pod that runs the controller.
#[derive(Clone, Debug)]
pub struct Controller {
    /// When its container started.
    pub started: Timestamp,
    /// The container's flags.
    pub flags: Rc<Flags>,
    /// Whether the pod is being deleted.
    pub stopping: bool,
}

/// A pod that runs the nginx of a Gateway.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The pod's uid.
    pub uid: Rc<str>,
    /// When its container started.
    pub started: Timestamp,
    /// The Deployment that runs it, as its agent says.
    pub deployment: Key,
    /// What it has; `None` before the first configuration.
    pub running: Option<Rc<Configuration>>,
}

impl State {
    /// Of the controllers of each class the one that leads: the oldest that goes on.
    pub fn leaders(&self) -> Vec<(Key, Rc<Controller>)> {
        let mut all: Vec<(Key, Rc<Controller>)> = Vec::new();
        let mut going_on: Vec<(&Key, &Rc<Controller>)> =
            self.controllers.iter().filter(|(_, c)| !c.stopping).collect();
        crate::api::order::sort_by(&mut going_on, |a, b| (a.1.started, a.0).cmp(&(b.1.started, b.0)));
        for (key, controller) in going_on {
            if all.iter().all(|(_, c)| c.flags.class != controller.flags.class) {
                all.push((key.clone(), controller.clone()));
            }
        }
        all
    }

    /// Changes an nginx, if it is there.
    pub(super) fn change(&mut self, pod: &Key, change: impl FnOnce(&mut Instance)) {
        if let Some(instance) = self.instances.get(pod) {
            let mut changed = instance.clone();
            change(Rc::make_mut(&mut changed));
            self.instances.insert(pod.clone(), changed);
        }
    }

    /// Whether one of its Gateways serves a route.
    pub fn serves(&self, route: &Key) -> bool {
        self.graphs.values().flat_map(|g| &g.routes).any(|r| {
            let attached = r.parents.iter().any(|p| p.attachment.as_ref().is_some_and(|a| a.attached));
            r.source.key == *route && attached
        })
    }
}

/// What a configuration leads to.
fn lines_of(whose: &str, configuration: &Configuration) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, port) in &configuration.ports {
        for (host, server) in &port.servers {
            let locations = server.locations.iter().flat_map(|l| l.rules.iter().map(move |r| (l, r)));
            lines.extend(locations.map(|(l, r)| {
                let (path, type_) = (&l.path, l.path_type);
                format!(
                    "{whose} {number} {host} {path} {type_:?} is {:?} of {}",
                    (&r.found, &r.then),
                    r.route.key
                )
            }));
        }
        lines.push(format!("{whose} listens on {number} with tls={}", port.tls));
    }
    lines.extend(
        configuration.upstreams.iter().map(|(name, upstream)| {
            format!("{whose} {name} is {:?} {:?}", upstream.endpoints, upstream.lack)
        }),
    );
    lines
}

impl Memory for State {
    /// The kinds are left out: they are those of the informers.
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let mut lines = Vec::new();
        for (pod, controller) in &self.controllers {
            let stopping = if controller.stopping { " and stops" } else { "" };
            lines
                .push(format!("{pod} runs since {} as {:?}{stopping}", controller.started, controller.flags));
        }
        for (pod, instance) in &self.instances {
            let Instance { uid, started, deployment, running } = &**instance;
            lines.push(format!("{pod} {uid} runs since {started} for {deployment}"));
            lines.extend(running.iter().flat_map(|c| lines_of(&format!("{pod} has"), c)));
        }
        for (deployment, configuration) in &self.configurations {
            lines.extend(lines_of(&format!("{deployment} gets"), configuration));
        }
        for (class, graph) in &self.graphs {
            let of_class = graph.class.iter().map(|c| status::of_class(c, ""));
            lines.extend(of_class.map(|said| format!("{class} is {said}")));
            lines.extend(graph.gateways.iter().map(|g| {
                format!("{} {} is {}", g.source.key, g.source.uid, status::of_gateway(g, &[], None, ""))
            }));
            lines.extend(graph.routes.iter().map(|r| {
                format!("{} {} is {}", r.kind, r.source.key, status::of_route(r, "", &Default::default(), ""))
            }));
        }
        let since = |at: Timestamp| at.duration_since(now).as_millis();
        lines.extend(self.busy.filter(|at| *at > now).map(|at| format!("is busy for {} ms", since(at))));
        lines.extend(self.waits.map(|at| format!("waits since {} ms", since(at))));
        lines
    }
}
