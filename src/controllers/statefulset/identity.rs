//! What makes a pod a certain pod of a certain set: its ordinal, its name, its labels and its volumes
//! (`stateful_set_utils.go`).

use std::collections::BTreeMap;

use super::super::controller_utils::pod_from_template;
use super::replicas;
use crate::api::types::{
    PersistentVolumeClaim, PersistentVolumeClaimVolumeSource, Pod, PodTemplateSpec, StatefulSet, Volume,
};
use crate::api::well_known::CONTROLLER_REVISION_HASH_LABEL;
use crate::api::{Kind, MetaExt, owner_reference, pod};

/// The label with a pod's name, by which a Service can select one pod.
const POD_NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";
/// The label with a pod's ordinal.
const POD_INDEX_LABEL: &str = "apps.kubernetes.io/pod-index";

/// The name of the set to which a pod of this name belongs, and its ordinal; -1 for an ordinal of more than 32 bits.
/// `None` if the name does not end with a number.
fn parent_and_ordinal(name: &str) -> Option<(&str, i32)> {
    let (parent, number) = name.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| (parent, number.parse().unwrap_or(-1)))
}

/// The ordinal of a pod, by its name; -1 if it has none.
pub(super) fn ordinal(pod: &Pod) -> i32 {
    parent_and_ordinal(pod.metadata.name()).map_or(-1, |(_, ordinal)| ordinal)
}

/// Whether the pod's name is that of a pod of the set.
pub(super) fn is_member_of(set: &StatefulSet, pod: &Pod) -> bool {
    parent_and_ordinal(pod.metadata.name()).is_some_and(|(parent, _)| parent == set.metadata.name())
}

/// The first ordinal: `spec.ordinals.start`.
pub(super) fn start_ordinal(set: &StatefulSet) -> i32 {
    let ordinals = set.spec.as_ref().and_then(|s| s.ordinals.as_ref());
    ordinals.and_then(|o| o.start).unwrap_or(0)
}

/// Whether the pod's ordinal is one of those that the set has now.
pub(super) fn is_in_range(set: &StatefulSet, pod: &Pod) -> bool {
    let place = i64::from(ordinal(pod)) - i64::from(start_ordinal(set));
    (0..i64::from(replicas(set))).contains(&place)
}

fn pod_name(set: &StatefulSet, ordinal: i32) -> String {
    format!("{}-{ordinal}", set.metadata.name())
}

/// The name of the revision that a pod was made from; empty if it has none.
pub(super) fn pod_revision(pod: &Pod) -> &str {
    pod.metadata.label(CONTROLLER_REVISION_HASH_LABEL).unwrap_or_default()
}

/// Whether name and labels of the pod are those of its place (`identityMatches`).
pub(super) fn identity_matches(set: &StatefulSet, pod: &Pod) -> bool {
    let name = pod.metadata.name();
    let ordinal = ordinal(pod);
    ordinal >= 0
        && is_member_of(set, pod)
        && name == pod_name(set, ordinal)
        && pod.metadata.namespace() == set.metadata.namespace()
        && pod.metadata.label(POD_NAME_LABEL) == Some(name)
}

/// Gives the pod name and labels of its place (`updateIdentity`).
pub(super) fn update_identity(set: &StatefulSet, pod: &mut Pod) {
    let ordinal = ordinal(pod);
    let name = pod_name(set, ordinal);
    pod.metadata.namespace.clone_from(&set.metadata.namespace);
    let labels = pod.metadata.labels.get_or_insert_default();
    labels.insert(POD_NAME_LABEL.into(), name.clone());
    labels.insert(POD_INDEX_LABEL.into(), ordinal.to_string());
    pod.metadata.name = Some(name);
}

/// `spec.volumeClaimTemplates`
pub(super) fn claim_templates(set: &StatefulSet) -> impl Iterator<Item = &PersistentVolumeClaim> {
    set.spec.iter().flat_map(|s| s.volume_claim_templates.iter().flatten())
}

/// The name of the claim that the pod with an ordinal has by a template.
pub(super) fn claim_name(set: &StatefulSet, template: &str, ordinal: i32) -> String {
    format!("{template}-{}-{ordinal}", set.metadata.name())
}

/// Whether the pod has a volume for each claim of its place (`storageMatches`).
pub(super) fn storage_matches(set: &StatefulSet, pod: &Pod) -> bool {
    let ordinal = ordinal(pod);
    let volumes = || pod.spec.iter().flat_map(|s| s.volumes.iter().flatten());
    let has_volume = |template: &str| {
        let source = volumes().rfind(|v| v.name == template);
        let claim = source.and_then(|v| v.persistent_volume_claim.as_ref());
        claim.is_some_and(|c| c.claim_name == claim_name(set, template, ordinal))
    };
    ordinal >= 0 && claim_templates(set).all(|t| has_volume(t.metadata.name()))
}

/// Gives the pod a volume for each claim of its place, which takes the place of another one of the same name
/// (`updateStorage`).
pub(super) fn update_storage(set: &StatefulSet, pod: &mut Pod) {
    let ordinal = ordinal(pod);
    let templates: BTreeMap<&str, Volume> = claim_templates(set)
        .map(|t| (t.metadata.name(), claim_volume(set, t.metadata.name(), ordinal)))
        .collect();
    let spec = pod.spec.get_or_insert_default();
    let others = spec.volumes.take().into_iter().flatten();
    let others: Vec<Volume> = others.filter(|v| !templates.contains_key(v.name.as_str())).collect();
    let all: Vec<Volume> = templates.into_values().chain(others).collect();
    if !all.is_empty() {
        spec.volumes = Some(all);
    }
}

fn claim_volume(set: &StatefulSet, template: &str, ordinal: i32) -> Volume {
    let claim_name = claim_name(set, template, ordinal);
    let claim = PersistentVolumeClaimVolumeSource { claim_name, read_only: None };
    Volume { name: template.to_owned(), persistent_volume_claim: Some(claim), ..Default::default() }
}

/// The pod with an ordinal, before its creation (`newVersionedStatefulSetPod`). `set` is the StatefulSet as it was in
/// the revision with the name `revision`.
pub(super) fn new_pod(set: &StatefulSet, revision: &str, ordinal: i32) -> Pod {
    let mut template = set.spec.as_ref().map_or_else(PodTemplateSpec::default, |s| s.template.clone());
    let spec = template.spec.take().map(pod::Spec::from);
    let owner = owner_reference(Kind::STATEFUL_SET, &set.metadata);
    let mut pod = pod_from_template(&template, spec, set.metadata.namespace(), &owner);
    pod.metadata.name = Some(pod_name(set, ordinal));
    update_identity(set, &mut pod);
    let labels = pod.metadata.labels.get_or_insert_default();
    labels.insert(CONTROLLER_REVISION_HASH_LABEL.into(), revision.to_owned());
    let spec = pod.spec.get_or_insert_default();
    spec.hostname.clone_from(&pod.metadata.name);
    spec.subdomain = set.spec.as_ref().and_then(|s| s.service_name.clone()).filter(|s| !s.is_empty());
    update_storage(set, &mut pod);
    pod
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_ordinal_is_the_number_behind_the_last_dash() {
        assert_eq!(parent_and_ordinal("web-0"), Some(("web", 0)));
        assert_eq!(parent_and_ordinal("my-web-12"), Some(("my-web", 12)));
        assert_eq!(parent_and_ordinal("web-007"), Some(("web", 7)));
        assert_eq!(parent_and_ordinal("web-99999999999"), Some(("web", -1)));
        for name in ["web", "web-", "web-x", "web-1x"] {
            assert_eq!(parent_and_ordinal(name), None, "{name}");
        }
    }
}
