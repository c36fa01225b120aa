//! The conditions of a definition (`k8s.io/apiextensions-apiserver/pkg/apihelpers`).

use super::types::{
    CustomResourceDefinition, CustomResourceDefinitionCondition, CustomResourceDefinitionStatus,
};
use crate::api::Timestamp;
use crate::api::types::Time;

pub use crate::api::definition::{ESTABLISHED, has_condition as is_true};

/// The condition that all names are accepted.
pub const NAMES_ACCEPTED: &str = "NamesAccepted";
/// The condition that the definition is being deleted.
pub const TERMINATING: &str = "Terminating";
/// The condition that a schema is not structural.
pub const NON_STRUCTURAL_SCHEMA: &str = "NonStructuralSchema";
/// The condition that says whether a protected group is approved.
pub const APPROVAL_POLICY_CONFORMANT: &str = "KubernetesAPIApprovalPolicyConformant";

/// A condition without a time.
pub(super) fn condition(
    type_: &str,
    status: &str,
    reason: &str,
    message: impl Into<String>,
) -> CustomResourceDefinitionCondition {
    CustomResourceDefinitionCondition {
        last_transition_time: None,
        message: Some(message.into()),
        observed_generation: None,
        reason: Some(reason.to_owned()),
        status: status.to_owned(),
        type_: type_.to_owned(),
    }
}

/// The condition of a type.
pub fn find_condition<'a>(
    crd: &'a CustomResourceDefinition,
    type_: &str,
) -> Option<&'a CustomResourceDefinitionCondition> {
    crd.status.as_ref()?.conditions.iter().flatten().find(|c| c.type_ == type_)
}

/// Puts a condition in place of the one of its type, or behind the others. The time of the last
/// transition changes only with the status (`SetCRDCondition`).
pub fn set_condition(
    status: &mut CustomResourceDefinitionStatus,
    mut new: CustomResourceDefinitionCondition,
    now: Timestamp,
) {
    let conditions = status.conditions.get_or_insert_default();
    new.last_transition_time = Some(Time(now));
    match conditions.iter_mut().find(|c| c.type_ == new.type_) {
        Some(old) => {
            if old.status == new.status && old.last_transition_time.is_some() {
                new.last_transition_time = old.last_transition_time.take();
            }
            new.observed_generation = old.observed_generation;
            *old = new;
        }
        None => conditions.push(new),
    }
}

/// Whether no objects may be created any more, because the definition is being deleted.
pub fn is_terminating(crd: &CustomResourceDefinition) -> bool {
    is_true(crd, TERMINATING)
}
