//! What pods ask of a node: the sum of their requests (`resource.PodRequests`).

use std::collections::BTreeMap;

use super::state::Requests;
use crate::api::quantity::amount_of;
use crate::api::types::{Container, PodSpec, Quantity};

impl Requests {
    pub(super) fn of(map: Option<&BTreeMap<String, Quantity>>) -> Requests {
        let amount = |name: &str| amount_of(map.and_then(|m| m.get(name)));
        Requests {
            cpu: amount("cpu").milli_value(),
            memory: amount("memory").value(),
            storage: amount("ephemeral-storage").value(),
            pods: 0,
        }
    }

    fn zip(self, o: Requests, f: impl Fn(i64, i64) -> i64) -> Requests {
        Requests {
            cpu: f(self.cpu, o.cpu),
            memory: f(self.memory, o.memory),
            storage: f(self.storage, o.storage),
            pods: f(self.pods, o.pods),
        }
    }

    /// The sum of both, amount by amount.
    pub fn plus(self, o: Requests) -> Requests {
        self.zip(o, i64::saturating_add)
    }

    /// The difference, amount by amount.
    pub fn minus(self, o: Requests) -> Requests {
        self.zip(o, i64::saturating_sub)
    }
}

/// A pod's requests (`resource.PodRequests`): the sum of its containers and sidecars, or an init container
/// with the sidecars before it where that is more.
pub(super) fn pod_requests(spec: &PodSpec) -> Requests {
    let of = |c: &Container| Requests::of(c.resources.as_ref().and_then(|r| r.requests.as_ref()));
    let mut sidecars = Requests::default();
    let mut most = Requests::default();
    for c in spec.init_containers.iter().flatten() {
        let asked = if c.restart_policy.as_deref() == Some("Always") {
            sidecars = sidecars.plus(of(c));
            sidecars
        } else {
            sidecars.plus(of(c))
        };
        most = most.zip(asked, i64::max);
    }
    let sum = spec.containers.iter().fold(sidecars, |sum, c| sum.plus(of(c)));
    let mut total = sum.zip(most, i64::max);
    if let Some(pod) = spec.resources.as_ref().and_then(|r| r.requests.as_ref()) {
        let own = Requests::of(Some(pod));
        let pick = |name: &str, own: i64, sum: i64| if pod.contains_key(name) { own } else { sum };
        total.cpu = pick("cpu", own.cpu, total.cpu);
        total.memory = pick("memory", own.memory, total.memory);
    }
    let overhead = Requests::of(spec.overhead.as_ref());
    Requests { pods: 1, ..total.plus(overhead) }
}
