//! Conditions and their reasons (`internal/controller/state/conditions/conditions.go`).

use serde_json::{Value, json};

/// A condition before it has a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its type.
    pub type_: &'static str,
    /// Its status.
    pub status: bool,
    /// The reason.
    pub reason: &'static str,
    /// The message.
    pub message: String,
}

/// The type `Accepted`.
pub const ACCEPTED: &str = "Accepted";
/// The type `Programmed`.
pub const PROGRAMMED: &str = "Programmed";
/// The type `ResolvedRefs`.
pub const RESOLVED_REFS: &str = "ResolvedRefs";
/// The type `Conflicted`.
pub const CONFLICTED: &str = "Conflicted";
/// The type `OverlappingTLSConfig`.
pub const OVERLAPPING: &str = "OverlappingTLSConfig";

impl Condition {
    /// A condition that holds.
    pub fn yes(type_: &'static str, reason: &'static str, message: impl Into<String>) -> Condition {
        Condition { type_, status: true, reason, message: message.into() }
    }

    /// A condition that does not hold.
    pub fn no(type_: &'static str, reason: &'static str, message: impl Into<String>) -> Condition {
        Condition { type_, status: false, reason, message: message.into() }
    }

    /// The condition in a status.
    pub fn to_value(&self, generation: i64, at: &str) -> Value {
        json!({
            "type": self.type_,
            "status": if self.status { "True" } else { "False" },
            "observedGeneration": generation,
            "lastTransitionTime": at,
            "reason": self.reason,
            "message": self.message,
        })
    }
}

/// Of several conditions of a type the last one, each where it stands then (`DeduplicateConditions`).
pub fn last_of_each(conditions: &[Condition]) -> Vec<Condition> {
    let mut all: Vec<Condition> = Vec::new();
    for condition in conditions.iter().rev() {
        if all.iter().all(|c| c.type_ != condition.type_) {
            all.push(condition.clone());
        }
    }
    all.reverse();
    all
}

/// `Accepted` is false, and so is `Programmed` for the same reason as far as it can say it (`Invalid`).
pub fn refused(reason: &'static str, message: impl Into<String>) -> Vec<Condition> {
    let message = message.into();
    vec![Condition::no(ACCEPTED, reason, message.clone()), Condition::no(PROGRAMMED, "Invalid", message)]
}

/// What a route says if its backend cannot be used.
pub fn unresolved(reason: &'static str, message: impl Into<String>) -> Condition {
    Condition::no(RESOLVED_REFS, reason, message)
}

/// What a route says if a parent does not take it.
pub fn not_attached(reason: &'static str) -> Condition {
    let message = match reason {
        "NotAllowedByListeners" => "The Route is not allowed by any listener",
        "NoMatchingListenerHostname" => "The Listener hostname does not match the Route hostnames",
        "InvalidListener" => "The Listener is invalid for this parent ref",
        "NoMatchingParent" => "The Listener is not found for this parent ref",
        "InvalidGateway" => "The Gateway is invalid",
        // HTTP/2 is not spoken here, and without it the controller refuses GRPCRoutes.
        _ => "HTTP2 is disabled - cannot configure GRPCRoutes",
    };
    Condition::no(ACCEPTED, reason, message)
}
