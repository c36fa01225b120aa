//! What Services use (`pkg/quota/v1/evaluator/core/services.go`).

use super::{Operation, Rules, count, one};
use crate::api::resource::Amounts;
use crate::api::types::{ScopedResourceSelectorRequirement, Service};
use crate::api::{ApiKind, Object, Timestamp};

/// Services are counted, and of them node ports and load balancers.
pub(super) struct Services;

impl Rules for Services {
    fn matches_resource(&self, resource: &str) -> bool {
        matches!(resource, "services" | "services.nodeports" | "services.loadbalancers")
    }

    fn usage(&self, object: &Object, _: Timestamp) -> Amounts {
        let (node_ports, balancers) = Service::from_object(object).map_or((0, 0), |s| ports_and_balancers(s));
        Amounts::from([
            ("services".to_owned(), one()),
            ("services.nodeports".to_owned(), count(node_ports)),
            ("services.loadbalancers".to_owned(), count(balancers)),
        ])
    }

    /// The type of a Service may change, but not by a subresource.
    fn handles(&self, _: Operation<'_>, subresource: &str) -> bool {
        subresource.is_empty()
    }

    fn matches_scope(&self, _: &ScopedResourceSelectorRequirement, _: &Object) -> bool {
        false
    }

    fn constraints(&self, _: &[&str], _: &Object) -> Option<String> {
        None
    }

    fn replenishes(&self, old: &Object, new: &Object, _: Timestamp) -> bool {
        let counted = |o| {
            let kind = Service::from_object(o).and_then(|s| s.spec.as_ref()?.type_.as_deref());
            kind.filter(|k| matches!(*k, "NodePort" | "LoadBalancer"))
        };
        counted(old) != counted(new)
    }
}

/// How many node ports and load balancers a Service asks for. Node ports are counted before they are allocated.
fn ports_and_balancers(service: &Service) -> (usize, usize) {
    let Some(spec) = &service.spec else { return (0, 0) };
    let ports = spec.ports.as_deref().unwrap_or_default();
    match spec.type_.as_deref().unwrap_or_default() {
        "NodePort" => (ports.len(), 0),
        "LoadBalancer" if spec.allocate_load_balancer_node_ports == Some(false) => {
            (ports.iter().filter(|p| p.node_port.is_some_and(|n| n != 0)).count(), 1)
        }
        "LoadBalancer" => (ports.len(), 1),
        _ => (0, 0),
    }
}
