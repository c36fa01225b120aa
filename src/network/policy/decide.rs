//! Whether a connection may be opened: both ends are asked.

use crate::api::MetaExt;
use crate::api::labels::Selector;
use crate::api::types::networking::NetworkPolicySpec;
use crate::api::types::{NetworkPolicy, Pod};

use super::connection::{Connection, Denied, Direction, Objects};
use super::rule::Meeting;

/// Whether policies allow a connection.
///
/// # Errors
/// Which direction of which pod does not allow it. The sender's side is asked first.
pub fn decide(objects: &dyn Objects, connection: &Connection<'_>) -> Result<(), Denied> {
    decide_side(objects, connection, Direction::Egress)?;
    decide_side(objects, connection, Direction::Ingress)
}

/// Whether the policies of one end allow a connection: those of the sender for `Egress`, or those of the receiver for
/// `Ingress`. The two ends may see it with different headers: a node in between can have given it its own address.
///
/// # Errors
/// Which policies do not allow it.
pub fn decide_side(
    objects: &dyn Objects,
    connection: &Connection<'_>,
    direction: Direction,
) -> Result<(), Denied> {
    let Connection { source, destination, .. } = connection;
    let (own, other) = match direction {
        Direction::Egress => (source, destination),
        Direction::Ingress => (destination, source),
    };
    let Some(pod) = own.pod else { return Ok(()) };
    // A pod cannot keep itself from being reached by itself.
    let itself = source.address == destination.address;
    // The other end is the node of the pod itself: a machine, or one of the pods in its network.
    let own_node = other.pod.is_none() && other.node.is_some() && other.node == own.node;
    if itself || own_node {
        return Ok(());
    }
    let namespace = pod.metadata.namespace();
    let policies = isolating(objects.policies(namespace), pod, direction);
    let meeting =
        Meeting { objects, namespace, peer: other, ports_of: destination.pod, port: connection.port };
    if policies.is_empty() || policies.iter().any(|(_, spec)| meeting.allows(spec, direction)) {
        return Ok(());
    }
    let policies = policies.iter().map(|(name, _)| (*name).to_owned()).collect();
    Err(Denied { direction, pod: pod.metadata.key(), policies })
}

/// The policies among those of a pod's namespace that isolate the pod in a direction, with their names.
fn isolating<'a>(
    policies: Vec<&'a NetworkPolicy>,
    pod: &Pod,
    direction: Direction,
) -> Vec<(&'a str, &'a NetworkPolicySpec)> {
    let labels = pod.metadata.labels_or_empty();
    let of = |policy: &'a NetworkPolicy| {
        let spec = policy.spec.as_ref()?;
        let selector = spec.pod_selector.as_ref();
        // A selector that is left out selects all pods, as an empty one does.
        let selects = selector.is_none_or(|s| {
            Selector::from_label_selector(Some(s)).is_ok_and(|selector| selector.matches(labels))
        });
        (selects && is_for(spec, direction)).then(|| (policy.metadata.name(), spec))
    };
    policies.into_iter().filter_map(of).collect()
}

/// Whether a policy isolates in a direction. One without `policyTypes` is for `Ingress`, and if it has rules for `Egress` for
/// that, too (`SetDefaults_NetworkPolicy`).
fn is_for(spec: &NetworkPolicySpec, direction: Direction) -> bool {
    match spec.policy_types.as_deref() {
        Some(types) if !types.is_empty() => types.iter().any(|t| t == direction.as_str()),
        _ => match direction {
            Direction::Ingress => true,
            Direction::Egress => spec.egress.as_ref().is_some_and(|rules| !rules.is_empty()),
        },
    }
}
