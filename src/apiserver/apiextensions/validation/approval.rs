//! Groups below `k8s.io` and `kubernetes.io`, which only the community may define
//! (`pkg/apihelpers/helpers.go`).

use crate::api::MetaExt;
use crate::api::types::ObjectMeta;
use crate::apiserver::apiextensions::types::CustomResourceDefinition;
use crate::apiserver::apiextensions::values::formats::is_request_uri;
use crate::apiserver::validation::{Errors, FieldError, Path, go_quote};

/// The annotation that says where a protected group was approved.
pub const ANNOTATION: &str = "api-approved.kubernetes.io";

/// What the annotation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The annotation has neither an address nor the word that the definition is not approved.
    Invalid,
    /// The annotation has the address of the approval.
    Approved,
    /// The annotation says that the definition is not approved.
    Bypassed,
    /// There is no annotation.
    Missing,
}

/// Whether a group needs the annotation.
pub fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// What the annotation says, and why that is so.
pub fn state(metadata: &ObjectMeta) -> (State, String) {
    let value = metadata.annotation(ANNOTATION).unwrap_or_default();
    const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";
    let needed = format!(
        "protected groups must have approval annotation {ANNOTATION}",
        ANNOTATION = go_quote(ANNOTATION)
    );
    if value.is_empty() {
        (State::Missing, format!("{needed}, {SEE}"))
    } else if value.starts_with("unapproved") {
        (State::Bypassed, format!("not approved: {}", go_quote(value)))
    } else if is_address(value) {
        (State::Approved, format!("approved in {value}"))
    } else {
        let detail = format!("{needed} with either a URL or a reason starting with \"unapproved\", {SEE}");
        (State::Invalid, detail)
    }
}

/// Whether a text is an address with a scheme and a host.
fn is_address(text: &str) -> bool {
    let host =
        text.split_once("://").map_or("", |(_, rest)| rest.split(['/', '?']).next().unwrap_or_default());
    is_request_uri(text) && !host.is_empty()
}

/// A protected group has to be approved. What a definition said before, it may go on saying.
pub(super) fn validate(
    errs: &mut Errors,
    new: &CustomResourceDefinition,
    old: Option<&CustomResourceDefinition>,
) {
    if !is_protected(&new.spec.group) {
        return;
    }
    let (now, reason) = state(&new.metadata);
    if old.is_some_and(|old| state(&old.metadata).0 == now) {
        return;
    }
    let at = Path::new("metadata").child("annotations").key(ANNOTATION);
    let value = new.metadata.annotation(ANNOTATION).unwrap_or_default();
    match now {
        State::Invalid => errs.push(FieldError::invalid(&at, value, reason)),
        State::Missing => errs.push(FieldError::required(&at, reason)),
        State::Approved | State::Bypassed => {}
    }
}
