//! NetworkPolicies (`networking.k8s.io/v1`): whether a connection may be opened.
//!
//! The API says what a policy means, and leaves it to the network plugin to enforce it. [`decide`] says what a plugin that
//! enforces policies does with the first packet of a connection. The packets after it, and all answers, belong to a connection
//! that the kernel knows, and pass (`ct state established,related accept` in kube-network-policies, which kindnet uses).
//!
//! A connection is seen as it is after kube-proxy's translation of its destination and before that of its source: a policy
//! knows pods and their ports, and never the address of a Service.
//!
//! 1. A pod without a policy for a direction is not isolated in that direction: everything is allowed.
//! 2. A pod with policies for a direction is isolated: what at least one rule of one of these policies allows, is allowed.
//! 3. Both ends must allow it: the sender's policies for `Egress`, then the receiver's for `Ingress`.
//! 4. A pod can reach itself, and its own node, and is reached by its own node, whatever policies say.
//! 5. Pods in the network of their node are that node: no policy isolates them, and no selector of pods finds them.

mod connection;
mod decide;
mod rule;

pub use connection::{Connection, Denied, Direction, End, Objects};
pub use decide::{decide, decide_side};

// proptest is there natively only.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
