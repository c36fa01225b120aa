//! The kinds that a CustomResourceDefinition defines, and whether they are established.

use super::types::CustomResourceDefinition;
use super::{CustomNames, Kind, Scope, order, versions};

/// The type of the condition that says whether objects of the definition can be written.
pub const ESTABLISHED: &str = "Established";

/// Whether the condition of a type is true.
pub fn has_condition(crd: &CustomResourceDefinition, type_: &str) -> bool {
    let mut conditions = crd.status.iter().flat_map(|s| s.conditions.iter().flatten());
    conditions.any(|c| c.type_ == type_ && c.status == "True")
}

/// The kind of a definition in each of its versions, with the accepted names, and whether the version is
/// served. The version that clients prefer is the first.
pub fn kinds(crd: &CustomResourceDefinition) -> Vec<(Kind, bool)> {
    let none = Default::default();
    let accepted = crd.status.as_ref().and_then(|s| s.accepted_names.as_ref()).unwrap_or(&none);
    let list = |l: &Option<Vec<String>>| l.clone().unwrap_or_default();
    let kind = |version: &str, subresources: Vec<String>| {
        Kind::custom(&CustomNames {
            group: crd.spec.group.clone(),
            version: version.to_owned(),
            kind: accepted.kind.clone(),
            list_kind: accepted.list_kind.clone().unwrap_or_default(),
            plural: accepted.plural.clone(),
            singular: accepted.singular.clone().unwrap_or_default(),
            short_names: list(&accepted.short_names),
            categories: list(&accepted.categories),
            scope: if crd.spec.scope == "Namespaced" { Scope::Namespaced } else { Scope::Cluster },
            subresources,
        })
    };
    let mut kinds = Vec::new();
    for version in &crd.spec.versions {
        let parts = version.subresources.as_ref();
        let has = [
            ("status", parts.is_some_and(|s| s.status.is_some())),
            ("scale", parts.is_some_and(|s| s.scale.is_some())),
        ];
        let subresources = has.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()).collect();
        kinds.push((kind(&version.name, subresources), version.served));
    }
    order::sort_by(&mut kinds, |(a, _), (b, _)| versions::compare(b.version(), a.version()));
    kinds
}

/// The kind of a definition, as a component of the cluster finds it by discovery: in the version that
/// clients prefer, or in another one if no version is served. `None` if the definition is not established.
pub fn established_kind(crd: &CustomResourceDefinition) -> Option<Kind> {
    if !has_condition(crd, ESTABLISHED) {
        return None;
    }
    let kinds = kinds(crd);
    kinds.iter().find(|(_, served)| *served).or(kinds.first()).map(|(kind, _)| *kind)
}
