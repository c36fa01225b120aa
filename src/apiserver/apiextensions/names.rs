//! The conditions of a definition that its controllers write: which names are accepted, whether it is
//! served, whether its schemas are structural, whether a protected group is approved
//! (`pkg/controller/status`, `establish`, `nonstructuralschema`, `apiapproval`).
//!
//! Every function gives the status to be written, or nothing if there is nothing to write.

use std::collections::BTreeSet;

use super::conditions::{
    APPROVAL_POLICY_CONFORMANT, ESTABLISHED, NAMES_ACCEPTED, NON_STRUCTURAL_SCHEMA, condition,
    find_condition, is_true, set_condition,
};
use super::schema::{self, Structural};
use super::types::{
    CustomResourceDefinition, CustomResourceDefinitionCondition, CustomResourceDefinitionNames,
    CustomResourceDefinitionStatus,
};
use super::validation::approval;
use crate::api::Timestamp;
use crate::apiserver::validation::{Errors, FieldError, Path, aggregate, go_quote, text};

/// Whether two conditions are the same, times aside.
fn equivalent(a: &CustomResourceDefinitionCondition, b: Option<&CustomResourceDefinitionCondition>) -> bool {
    b.is_some_and(|b| {
        a.type_ == b.type_ && a.status == b.status && a.reason == b.reason && a.message == b.message
    })
}

/// Names that others have.
#[derive(Default)]
struct Taken {
    resources: BTreeSet<String>,
    kinds: BTreeSet<String>,
}

impl Taken {
    /// The accepted names of all definitions of a group.
    fn of<'a>(group: &str, all: impl Iterator<Item = &'a CustomResourceDefinition>) -> Taken {
        let mut taken = Taken::default();
        for names in
            all.filter(|c| c.spec.group == group).filter_map(|c| c.status.as_ref()?.accepted_names.as_ref())
        {
            taken.resources.insert(names.plural.clone());
            taken.resources.insert(text(&names.singular).to_owned());
            taken.resources.extend(names.short_names.iter().flatten().cloned());
            taken.kinds.insert(names.kind.clone());
            taken.kinds.insert(text(&names.list_kind).to_owned());
        }
        taken
    }
}

fn fresh(requested: &str, accepted: &str, taken: &BTreeSet<String>) -> Result<(), String> {
    if requested == accepted || !taken.contains(requested) {
        return Ok(());
    }
    Err(format!("{} is already in use", go_quote(requested)))
}

/// Accepts names that nobody of the group has; `all` are all definitions, this one among them.
///
/// A definition whose names are accepted is to be served as soon as [`establish`] says so.
pub fn sync<'a>(
    crd: &CustomResourceDefinition,
    all: impl Iterator<Item = &'a CustomResourceDefinition>,
    now: Timestamp,
) -> Option<CustomResourceDefinitionStatus> {
    let none = CustomResourceDefinitionNames::default();
    let wanted = &crd.spec.names;
    let accepted = crd.status.as_ref().and_then(|s| s.accepted_names.as_ref()).unwrap_or(&none);
    if same_names(wanted, accepted) {
        return None;
    }
    let taken = Taken::of(&crd.spec.group, all);
    let mut names = accepted.clone();
    let mut conflict: Option<(&str, String)> = None;

    match fresh(&wanted.plural, &accepted.plural, &taken.resources) {
        Ok(()) => names.plural.clone_from(&wanted.plural),
        Err(message) => conflict = Some(("PluralConflict", message)),
    }
    match fresh(text(&wanted.singular), text(&accepted.singular), &taken.resources) {
        Ok(()) => names.singular.clone_from(&wanted.singular),
        Err(message) => conflict = Some(("SingularConflict", message)),
    }
    let ours = accepted.short_names.as_deref().unwrap_or_default();
    let theirs: Vec<String> = (wanted.short_names.iter().flatten())
        .filter(|name| !ours.contains(name))
        .filter_map(|name| fresh(name, "", &taken.resources).err())
        .collect();
    match theirs.as_slice() {
        [] => names.short_names.clone_from(&wanted.short_names),
        [one] => conflict = Some(("ShortNamesConflict", one.clone())),
        several => conflict = Some(("ShortNamesConflict", format!("[{}]", several.join(", ")))),
    }
    match fresh(&wanted.kind, &accepted.kind, &taken.kinds) {
        Ok(()) => names.kind.clone_from(&wanted.kind),
        Err(message) => conflict = Some(("KindConflict", message)),
    }
    match fresh(text(&wanted.list_kind), text(&accepted.list_kind), &taken.kinds) {
        Ok(()) => names.list_kind.clone_from(&wanted.list_kind),
        Err(message) => conflict = Some(("ListKindConflict", message)),
    }
    names.categories.clone_from(&wanted.categories);

    let accepting = match conflict {
        None => condition(NAMES_ACCEPTED, "True", "NoConflicts", "no conflicts found"),
        Some((reason, message)) => condition(NAMES_ACCEPTED, "False", reason, message),
    };
    if same_names(&names, accepted) && equivalent(&accepting, find_condition(crd, NAMES_ACCEPTED)) {
        return None;
    }
    let established = match find_condition(crd, ESTABLISHED) {
        Some(old) if old.status == "True" => old.clone(),
        _ if accepting.status == "True" => {
            condition(ESTABLISHED, "False", "Installing", "the initial names have been accepted")
        }
        Some(old) => old.clone(),
        None => condition(ESTABLISHED, "False", "NotAccepted", "not all names are accepted"),
    };
    let mut status = crd.status.clone().unwrap_or_default();
    status.accepted_names = Some(names);
    set_condition(&mut status, accepting, now);
    set_condition(&mut status, established, now);
    Some(status)
}

/// Whether names are the same; an absent list is an empty one.
fn same_names(a: &CustomResourceDefinitionNames, b: &CustomResourceDefinitionNames) -> bool {
    let list = |l: &Option<Vec<String>>| l.clone().unwrap_or_default();
    a.plural == b.plural
        && a.kind == b.kind
        && text(&a.singular) == text(&b.singular)
        && text(&a.list_kind) == text(&b.list_kind)
        && list(&a.short_names) == list(&b.short_names)
        && list(&a.categories) == list(&b.categories)
}

/// Serves a definition whose names are accepted.
pub fn establish(crd: &CustomResourceDefinition, now: Timestamp) -> Option<CustomResourceDefinitionStatus> {
    if !is_true(crd, NAMES_ACCEPTED) || is_true(crd, ESTABLISHED) {
        return None;
    }
    let message = "the initial names have been accepted";
    with(crd, condition(ESTABLISHED, "True", "InitialNamesAccepted", message), now)
}

/// The status with one more condition, or nothing if it has that already.
fn with(
    crd: &CustomResourceDefinition,
    new: CustomResourceDefinitionCondition,
    now: Timestamp,
) -> Option<CustomResourceDefinitionStatus> {
    if equivalent(&new, find_condition(crd, &new.type_)) {
        return None;
    }
    let mut status = crd.status.clone().unwrap_or_default();
    set_condition(&mut status, new, now);
    Some(status)
}

/// Says of a definition of old that its schemas are not structural. Validation lets no such
/// definition in, so for what is written here this removes the condition at most.
pub fn non_structural(
    crd: &CustomResourceDefinition,
    now: Timestamp,
) -> Option<CustomResourceDefinitionStatus> {
    match violations(crd) {
        Some(new) => with(crd, new, now),
        None => {
            find_condition(crd, NON_STRUCTURAL_SCHEMA)?;
            let mut status = crd.status.clone()?;
            status.conditions.get_or_insert_default().retain(|c| c.type_ != NON_STRUCTURAL_SCHEMA);
            Some(status)
        }
    }
}

fn violations(crd: &CustomResourceDefinition) -> Option<CustomResourceDefinitionCondition> {
    let spec = Path::new("spec");
    let mut errs = Errors::new();
    if crd.spec.preserve_unknown_fields == Some(true) {
        errs.push(FieldError::invalid(&spec.child("preserveUnknownFields"), true, "must be false"));
    }
    for (i, version) in crd.spec.versions.iter().enumerate() {
        let Some(props) = version.schema.as_ref().and_then(|s| s.open_api_v3_schema.as_ref()) else {
            continue;
        };
        let at = spec.child("versions").index(i).child("schema").child("openAPIV3Schema");
        match Structural::new(props) {
            Ok(structural) => errs.extend(schema::validate(&structural, &at)),
            Err(error) => {
                let message =
                    format!("failed to check validation schema for version {}: {error}", version.name);
                return Some(condition(NON_STRUCTURAL_SCHEMA, "Unknown", "StructuralError", message));
            }
        }
    }
    (!errs.is_empty()).then(|| condition(NON_STRUCTURAL_SCHEMA, "True", "Violations", aggregate(&errs)))
}

/// Says of a group below `k8s.io` or `kubernetes.io` whether it is approved.
pub fn approve(crd: &CustomResourceDefinition, now: Timestamp) -> Option<CustomResourceDefinitionStatus> {
    if !approval::is_protected(&crd.spec.group) {
        return None;
    }
    let (state, message) = approval::state(&crd.metadata);
    let (status, reason) = match state {
        approval::State::Invalid => ("False", "InvalidAnnotation"),
        approval::State::Missing => ("False", "MissingAnnotation"),
        approval::State::Approved => ("True", "ApprovedAnnotation"),
        approval::State::Bypassed => ("False", "UnapprovedAnnotation"),
    };
    with(crd, condition(APPROVAL_POLICY_CONFORMANT, status, reason, message), now)
}
