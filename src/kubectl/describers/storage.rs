//! StorageClasses, PersistentVolumes, their claims, and PriorityClasses.

use std::collections::BTreeMap;

use super::super::invocation::{Invocation, Result};
use super::{Writer, conditions, head, instant, volumes};
use crate::api::types::{
    NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume, PersistentVolumeClaim,
    PersistentVolumeClaimCondition, Pod, PriorityClass, StorageClass, TopologySelectorLabelRequirement,
    VolumeAttributesClass,
};
use crate::api::volume::{access_modes_as_string, claim_class, is_default_class, volume_class};
use crate::api::{Kind, MetaExt, Object};

/// `a=b,c=d`, or `<none>` (`labels.FormatLabels`).
fn pairs(map: Option<&BTreeMap<String, String>>) -> String {
    let all: Vec<String> = map.into_iter().flatten().map(|(k, v)| format!("{k}={v}")).collect();
    if all.is_empty() { "<none>".to_owned() } else { all.join(",") }
}

pub(in super::super) fn volume_attributes_class(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(class) = object.get::<VolumeAttributesClass>() else { return Ok(true) };
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Annotations:\t{}", pairs(class.metadata.annotations.as_ref())));
    w.line(0, &format!("DriverName:\t{}", class.driver_name));
    w.line(0, &format!("Parameters:\t{}", pairs(class.parameters.as_ref())));
    Ok(true)
}

pub(in super::super) fn storage_class(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(class) = object.get::<StorageClass>() else { return Ok(true) };
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("IsDefaultClass:\t{}", if is_default_class(class) { "Yes" } else { "No" }));
    w.line(0, &format!("Annotations:\t{}", pairs(class.metadata.annotations.as_ref())));
    w.line(0, &format!("Provisioner:\t{}", class.provisioner));
    w.line(0, &format!("Parameters:\t{}", pairs(class.parameters.as_ref())));
    let expansion = class.allow_volume_expansion.map_or("<unset>", |e| if e { "True" } else { "False" });
    w.line(0, &format!("AllowVolumeExpansion:\t{expansion}"));
    match class.mount_options.as_deref().unwrap_or_default() {
        [] => w.line(0, "MountOptions:\t<none>"),
        options => {
            w.line(0, "MountOptions:");
            options.iter().for_each(|o| w.line(1, o));
        }
    }
    if let Some(policy) = &class.reclaim_policy {
        w.line(0, &format!("ReclaimPolicy:\t{policy}"));
    }
    if let Some(mode) = &class.volume_binding_mode {
        w.line(0, &format!("VolumeBindingMode:\t{mode}"));
    }
    if let Some(topologies) = &class.allowed_topologies {
        w.line(0, &format!("AllowedTopologies:\t{}", if topologies.is_empty() { "<none>" } else { "" }));
        for (i, term) in topologies.iter().enumerate() {
            let expressions = term.match_label_expressions.as_deref().unwrap_or_default();
            let text = |e: &TopologySelectorLabelRequirement| match e.values.as_slice() {
                [] => format!("{} in", e.key),
                values => format!("{} in [{}]", e.key, values.join(", ")),
            };
            requirements(w, 1, i, expressions.iter().map(text).collect());
        }
    }
    Ok(true)
}

pub(in super::super) fn priority_class(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(class) = object.get::<PriorityClass>() else { return Ok(true) };
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Value:\t{}", class.value.unwrap_or(0)));
    w.line(0, &format!("GlobalDefault:\t{}", class.global_default == Some(true)));
    w.line(0, &format!("PreemptionPolicy:\t{}", class.preemption_policy.as_deref().unwrap_or_default()));
    w.line(0, &format!("Description:\t{}", class.description.as_deref().unwrap_or_default()));
    w.line(0, &format!("Annotations:\t{}", pairs(class.metadata.annotations.as_ref())));
    Ok(true)
}

pub(in super::super) fn volume(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(volume) = object.get::<PersistentVolume>() else { return Ok(true) };
    let spec = volume.spec.clone().unwrap_or_default();
    let status = volume.status.clone().unwrap_or_default();
    w.line(0, &format!("Name:\t{}", object.name()));
    head::marks(w, object);
    let finalizers = volume.metadata.finalizers.clone().unwrap_or_default();
    w.line(0, &format!("Finalizers:\t[{}]", finalizers.join(" ")));
    w.line(0, &format!("StorageClass:\t{}", volume_class(volume)));
    let phase = match &volume.metadata.deletion_timestamp {
        Some(t) => format!("Terminating (lasts {})", cx.age(Some(t))),
        None => status.phase.unwrap_or_default(),
    };
    w.line(0, &format!("Status:\t{phase}"));
    let claim = spec.claim_ref.as_ref().map(|c| {
        let text = |t: &Option<String>| t.clone().unwrap_or_default();
        format!("{}/{}", text(&c.namespace), text(&c.name))
    });
    w.line(0, &format!("Claim:\t{}", claim.unwrap_or_default()));
    let policy = spec.persistent_volume_reclaim_policy.as_deref().unwrap_or_default();
    w.line(0, &format!("Reclaim Policy:\t{policy}"));
    w.line(0, &format!("Access Modes:\t{}", access_modes_as_string(spec.access_modes.as_ref())));
    if let Some(mode) = &spec.volume_mode {
        w.line(0, &format!("VolumeMode:\t{mode}"));
    }
    let size = spec.capacity.as_ref().and_then(|c| c.get("storage"));
    w.line(0, &format!("Capacity:\t{}", size.map_or("0", |q| q.0.as_str())));
    let required = spec.node_affinity.as_ref().and_then(|a| a.required.as_ref());
    affinity(w, required.map(|r| r.node_selector_terms.as_slice()));
    w.line(0, &format!("Message:\t{}", status.message.unwrap_or_default()));
    w.line(0, "Source:");
    volumes::of_persistent_volume(w, &crate::api::to_value(&spec));
    Ok(true)
}

fn affinity(w: &mut Writer, terms: Option<&[NodeSelectorTerm]>) {
    let Some(terms) = terms else { return w.line(0, "Node Affinity:\t<none>") };
    w.line(0, "Node Affinity:\t");
    w.line(1, &format!("Required Terms:\t{}", if terms.is_empty() { "<none>" } else { "" }));
    for (i, term) in terms.iter().enumerate() {
        let expressions = term.match_expressions.as_deref().unwrap_or_default();
        let text = |e: &NodeSelectorRequirement| {
            let values = e.values.as_deref().unwrap_or_default();
            let values = if values.is_empty() { String::new() } else { format!(" [{}]", values.join(", ")) };
            format!("{} {}{values}", e.key, e.operator.to_lowercase())
        };
        requirements(w, 2, i, expressions.iter().map(text).collect());
    }
}

/// What a term asks for, the first requirement beside the number of the term
/// (`printNodeSelectorTermsMultilineWithIndent`, `printTopologySelectorTermsMultilineWithIndent`).
fn requirements(w: &mut Writer, level: usize, term: usize, all: Vec<String>) {
    if all.is_empty() {
        w.line(level, &format!("Term {term}:\t<none>"));
    }
    for (i, text) in all.iter().enumerate() {
        let title = if i == 0 { format!("Term {term}:") } else { String::new() };
        w.line(level, &format!("{title}\t{text}"));
    }
}

/// The pods that name a claim, once for each volume, and those that own it (`getPodsForPVC`), by name.
fn users(pods: &[Object], claim: &PersistentVolumeClaim) -> Vec<String> {
    let names_claim = |pod: &Pod| {
        let volumes = pod.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default();
        let claims = volumes.iter().filter_map(|v| v.persistent_volume_claim.as_ref());
        claims.filter(|c| c.claim_name == claim.metadata.name()).count()
    };
    let mut users: Vec<&Object> = Vec::new();
    for object in pods {
        let times = object.get::<Pod>().map_or(0, |pod| names_claim(pod));
        users.extend(std::iter::repeat_n(object, times));
    }
    for owner in claim.metadata.owner_references.iter().flatten().filter(|o| o.kind == "Pod") {
        let pod = pods.iter().find(|p| p.uid() == owner.uid);
        users.extend(pod.filter(|p| !users.iter().any(|u| u.uid() == p.uid())));
    }
    let mut names: Vec<String> = users.iter().map(|p| p.name().to_owned()).collect();
    names.sort();
    names
}

pub(in super::super) fn claim(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(c) = object.get::<PersistentVolumeClaim>() else { return Ok(true) };
    let spec = c.spec.clone().unwrap_or_default();
    let status = c.status.clone().unwrap_or_default();
    head::named(w, object);
    w.line(0, &format!("StorageClass:\t{}", claim_class(c)));
    let phase = match &c.metadata.deletion_timestamp {
        Some(t) => format!("Terminating (lasts {})", cx.age(Some(t))),
        None => status.phase.unwrap_or_default(),
    };
    w.line(0, &format!("Status:\t{phase}"));
    let volume = spec.volume_name.as_deref().unwrap_or_default();
    w.line(0, &format!("Volume:\t{volume}"));
    head::marks(w, object);
    w.line(
        0,
        &format!(
            "Finalizers:\t[{}]",
            c.metadata.finalizers.iter().flatten().cloned().collect::<Vec<_>>().join(" ")
        ),
    );
    let (mut capacity, mut modes) = (String::new(), String::new());
    if !volume.is_empty() {
        let size = status.capacity.as_ref().and_then(|m| m.get("storage"));
        capacity = size.map_or_else(|| "0".to_owned(), |q| q.0.clone());
        modes = access_modes_as_string(status.access_modes.as_ref());
    }
    w.line(0, &format!("Capacity:\t{capacity}"));
    w.line(0, &format!("Access Modes:\t{modes}"));
    if let Some(mode) = &spec.volume_mode {
        w.line(0, &format!("VolumeMode:\t{mode}"));
    }
    if let Some(source) = &spec.data_source {
        w.line(0, "DataSource:");
        if let Some(group) = &source.api_group {
            w.line(1, &format!("APIGroup:\t{group}"));
        }
        w.line(1, &format!("Kind:\t{}", source.kind));
        w.line(1, &format!("Name:\t{}", source.name));
    }
    let users = users(&cx.list(Kind::POD, object.namespace(), "")?, c);
    let users = if users.is_empty() { "<none>".to_owned() } else { users.join("\n\t") };
    w.line(0, &format!("Used By:\t{users}"));
    let row = |c: &PersistentVolumeClaimCondition| {
        [
            c.type_.clone(),
            c.status.clone(),
            instant(c.last_probe_time.as_ref()),
            instant(c.last_transition_time.as_ref()),
            c.reason.clone().unwrap_or_default(),
            c.message.clone().unwrap_or_default(),
        ]
    };
    conditions(w, "LastProbeTime", status.conditions.iter().flatten().map(row));
    Ok(true)
}
