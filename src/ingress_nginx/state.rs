//! What the controller remembers: [`State`].

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::api::persistent::Map;
use crate::api::types::Ingress;
use crate::api::{Key, Timestamp};
use crate::client::Memory;
use crate::network::ingress::{Configuration, Flags};

/// What the controller remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Its instances, by their pods.
    pub instances: Map<Key, Rc<Instance>>,
}

/// A pod of the controller that runs.
#[derive(Clone, Debug)]
pub struct Instance {
    /// When its container started.
    pub started: Timestamp,
    /// The container's flags.
    pub flags: Rc<Flags>,
    /// The Ingresses that it serves, as it has heard of them; `None` before its first sync. One whose class comes later than
    /// itself is not among them until it changes, as there.
    pub ingresses: Option<Map<Key, Rc<Ingress>>>,
    /// Those of them that are not as they are stored now, since their changed annotations are refused.
    pub kept: BTreeSet<Key>,
    /// When it looked last.
    pub synced: Option<Timestamp>,
    /// What it has made for nginx, and nginx does not have yet.
    pub pending: Option<Rc<Configuration>>,
    /// What nginx has; `None` before the first configuration.
    pub running: Option<Rc<Configuration>>,
    /// Whether its pod is being deleted.
    pub stopping: bool,
}

impl Instance {
    /// Whether it serves an Ingress.
    pub fn serves(&self, ingress: &Key) -> bool {
        self.ingresses.as_ref().is_some_and(|all| all.contains_key(ingress))
    }
}

impl State {
    /// The instance that writes statuses: the oldest one that goes on.
    pub fn leader(&self) -> Option<(&Key, &Rc<Instance>)> {
        let going_on = self.instances.iter().filter(|(_, i)| !i.stopping);
        going_on.min_by_key(|(key, i)| (i.started, (*key).clone()))
    }

    /// Whether some instance serves an Ingress.
    pub fn serves(&self, ingress: &Key) -> bool {
        self.instances.values().any(|i| i.serves(ingress))
    }

    /// Changes an instance, if it is there.
    pub(super) fn change(&mut self, pod: &Key, change: impl FnOnce(&mut Instance)) {
        if let Some(instance) = self.instances.get(pod) {
            let mut changed = instance.clone();
            change(Rc::make_mut(&mut changed));
            self.instances.insert(pod.clone(), changed);
        }
    }
}

/// What a configuration leads to, a line for each backend and location.
fn lines_of(pod: &Key, word: &str, configuration: &Configuration) -> Vec<String> {
    let mut lines = Vec::new();
    for (host, server) in &configuration.servers {
        for l in &server.locations {
            let (kind, path, to) = (l.path_type.as_str(), &l.path, &l.backend);
            let options =
                if l.options == Rc::default() { String::new() } else { format!(" {:?}", l.options) };
            let of = l.ingress.as_ref().map(ToString::to_string).unwrap_or_default();
            lines.push(format!("{pod} {word} {host} {kind} {path} leads to {to:?} of {of}{options}"));
        }
        if server.tls || server.regex {
            lines.push(format!("{pod} {word} {host} with tls={} regex={}", server.tls, server.regex));
        }
    }
    for (name, backend) in &configuration.backends {
        let (endpoints, external) = (&backend.endpoints, &backend.external);
        let (canary, alternative) = (backend.canary, &backend.alternative);
        let shares = match (canary, alternative) {
            (None, None) => String::new(),
            (weight, other) => format!(" with {weight:?} {other:?}"),
        };
        lines.push(format!("{pod} {word} {name} is {endpoints:?} {external:?} {:?}{shares}", backend.lack));
    }
    lines.extend(
        configuration.left_out.iter().map(|(of, path)| format!("{pod} {word} {path} of {of} left out")),
    );
    lines
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let mut lines = Vec::new();
        for (pod, instance) in &self.instances {
            let Instance { started, flags, ingresses, kept, synced, pending, running, stopping } =
                &**instance;
            let ago = |at: Timestamp| now.duration_since(at).as_millis();
            let synced = synced.map(|at| format!(" and looked {} ms ago", ago(at)));
            let stopping = if *stopping { " and stops" } else { "" };
            lines.push(format!("{pod} runs since {started}{}{stopping}", synced.unwrap_or_default()));
            lines.push(format!("{pod} is told {flags:?}"));
            lines.extend(ingresses.iter().flatten().map(|(key, ingress)| {
                if kept.contains(key) {
                    format!("{pod} serves {key} as {:?} {:?}", ingress.spec, ingress.metadata.annotations)
                } else {
                    format!("{pod} serves {key}")
                }
            }));
            lines.extend(running.iter().flat_map(|c| lines_of(pod, "has", c)));
            lines.extend(pending.iter().flat_map(|c| lines_of(pod, "gets", c)));
        }
        lines
    }
}
