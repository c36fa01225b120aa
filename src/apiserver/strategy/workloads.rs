//! StatefulSets, DaemonSets, Jobs and CronJobs (`pkg/registry/{apps,batch}/*/strategy.go`).

use std::collections::BTreeMap;

use super::{drop_disabled, edit, keep};
use crate::api::types::{
    CronJob, DaemonSet, IntOrString, Job, JobSpec, ObjectMeta, PodTemplateSpec, StatefulSet,
};
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::apiserver::validation::{CONTROLLER_UID, JOB_NAME, LEGACY_CONTROLLER_UID, LEGACY_JOB_NAME};

/// Counts the changes of a DaemonSet's template; inside it is a field of the spec.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// `PrepareForCreate`
pub(super) fn create(object: &mut Object) {
    object.meta_mut().generation = Some(1);
    drop_disabled(template_mut(object), None);
    edit(object, |s: &mut StatefulSet| {
        s.status = Some(Default::default());
        drop_max_unavailable(s);
    });
    edit(object, |d: &mut DaemonSet| {
        d.status = Some(Default::default());
        let given = template_generation(&d.metadata).max(1);
        set_template_generation(&mut d.metadata, given);
    });
    edit(object, |c: &mut CronJob| c.status = Some(Default::default()));
    edit(object, |j: &mut Job| {
        j.status = Some(Default::default());
        let Job { metadata, spec, .. } = j;
        let spec = spec.get_or_insert_default();
        if spec.manual_selector != Some(true) {
            generate_selector(metadata, spec);
        }
    });
    // The answer is what was stored, and the empty fields of a status are stored too.
    crate::apiserver::defaults::apply(object);
}

/// `PrepareForUpdate`: the status stays, and a change of what is wanted is counted.
pub(super) fn update(object: &mut Object, old: &Object) {
    let generation = old.meta().generation();
    if let Some(template) = template_mut(object) {
        drop_disabled(Some(template), template_of(old));
    }
    if let Some(o) = StatefulSet::from_object(old) {
        edit(object, |s: &mut StatefulSet| {
            s.status.clone_from(&o.status);
            if max_unavailable(o).is_none() {
                drop_max_unavailable(s);
            }
            count(&mut s.metadata, generation, s.spec != o.spec);
        });
    }
    if let Some(o) = DaemonSet::from_object(old) {
        edit(object, |d: &mut DaemonSet| {
            d.status.clone_from(&o.status);
            count(&mut d.metadata, generation, d.spec != o.spec);
            let template = |d: &DaemonSet| d.spec.as_ref().map(|s| s.template.clone());
            let changed = template(d) != template(o);
            set_template_generation(&mut d.metadata, template_generation(&o.metadata) + i64::from(changed));
        });
    }
    if let Some(o) = Job::from_object(old) {
        edit(object, |j: &mut Job| {
            j.status.clone_from(&o.status);
            count(&mut j.metadata, generation, j.spec != o.spec);
        });
    }
    if let Some(o) = CronJob::from_object(old) {
        edit(object, |c: &mut CronJob| {
            c.status.clone_from(&o.status);
            count(&mut c.metadata, generation, c.spec != o.spec);
        });
    }
}

fn max_unavailable(set: &StatefulSet) -> Option<&IntOrString> {
    set.spec.as_ref()?.update_strategy.as_ref()?.rolling_update.as_ref()?.max_unavailable.as_ref()
}

/// The gate `MaxUnavailableStatefulSet` is off again since 1.36.
fn drop_max_unavailable(set: &mut StatefulSet) {
    let strategy = set.spec.as_mut().and_then(|s| s.update_strategy.as_mut());
    if let Some(rolling) = strategy.and_then(|s| s.rolling_update.as_mut()) {
        rolling.max_unavailable = None;
    }
}

/// What an object makes its pods from.
fn template_mut(object: &mut Object) -> Option<&mut PodTemplateSpec> {
    match object.kind() {
        Kind::StatefulSet => Some(&mut StatefulSet::from_object_mut(object)?.spec.as_mut()?.template),
        Kind::DaemonSet => Some(&mut DaemonSet::from_object_mut(object)?.spec.as_mut()?.template),
        Kind::Job => Some(&mut Job::from_object_mut(object)?.spec.as_mut()?.template),
        Kind::CronJob => {
            Some(&mut CronJob::from_object_mut(object)?.spec.job_template.spec.as_mut()?.template)
        }
        _ => None,
    }
}

fn template_of(object: &Object) -> Option<&PodTemplateSpec> {
    match object.kind() {
        Kind::StatefulSet => Some(&StatefulSet::from_object(object)?.spec.as_ref()?.template),
        Kind::DaemonSet => Some(&DaemonSet::from_object(object)?.spec.as_ref()?.template),
        Kind::Job => Some(&Job::from_object(object)?.spec.as_ref()?.template),
        Kind::CronJob => Some(&CronJob::from_object(object)?.spec.job_template.spec.as_ref()?.template),
        _ => None,
    }
}

fn count(meta: &mut ObjectMeta, generation: i64, changed: bool) {
    if changed {
        meta.generation = Some(generation + 1);
    }
}

/// `PrepareForUpdate` of the status strategies.
pub(super) fn keep_spec(object: &mut Object, old: &Object) {
    if let Some(o) = StatefulSet::from_object(old) {
        edit(object, |s: &mut StatefulSet| keep(&mut s.spec, &o.spec));
    }
    if let Some(o) = DaemonSet::from_object(old) {
        edit(object, |d: &mut DaemonSet| {
            keep(&mut d.spec, &o.spec);
            let generation = template_generation(&o.metadata);
            set_template_generation(&mut d.metadata, generation);
        });
    }
    if let Some(o) = Job::from_object(old) {
        edit(object, |j: &mut Job| keep(&mut j.spec, &o.spec));
    }
    if let Some(o) = CronJob::from_object(old) {
        edit(object, |c: &mut CronJob| keep(&mut c.spec, &o.spec));
    }
}

fn template_generation(meta: &ObjectMeta) -> i64 {
    meta.annotation(TEMPLATE_GENERATION).and_then(|v| v.parse().ok()).unwrap_or(0)
}

fn set_template_generation(meta: &mut ObjectMeta, generation: i64) {
    if template_generation(meta) != generation {
        let annotations = meta.annotations.get_or_insert_default();
        annotations.insert(TEMPLATE_GENERATION.into(), generation.to_string());
    }
}

/// `generateSelector`: the Job's pods are known by its uid.
fn generate_selector(meta: &mut ObjectMeta, spec: &mut JobSpec) {
    let (uid, name) = (MetaExt::uid(meta).to_owned(), MetaExt::name(meta).to_owned());
    let labels = spec.template.metadata.get_or_insert_default().labels.get_or_insert_default();
    // Labels that the Job has from its template it has from there afterwards, too.
    let shared = |own: &Option<BTreeMap<String, String>>, of: &BTreeMap<String, String>| {
        own.as_ref().is_none_or(|own| own.is_empty() || own == of)
    };
    let shared = shared(&meta.labels, labels);
    for (key, value) in
        [(LEGACY_JOB_NAME, &name), (JOB_NAME, &name), (LEGACY_CONTROLLER_UID, &uid), (CONTROLLER_UID, &uid)]
    {
        labels.entry(key.to_owned()).or_insert_with(|| value.clone());
    }
    if shared {
        meta.labels = Some(labels.clone());
    }
    let selected = spec.selector.get_or_insert_default().match_labels.get_or_insert_default();
    selected.entry(CONTROLLER_UID.to_owned()).or_insert(uid);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use crate::api::{Kind, Object};

    fn set(rolling: Value) -> Object {
        let body = json!({"metadata": {"name": "s", "namespace": "default"}, "spec": {
            "serviceName": "s", "selector": {}, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
            "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}
        }});
        Object::from_value(Kind::StatefulSet, body).unwrap()
    }

    fn rolling(object: &Object) -> Value {
        object.to_value()["spec"]["updateStrategy"]["rollingUpdate"].clone()
    }

    /// `MaxUnavailableStatefulSet` is off in 1.36 (#137904): the field stays only where it was.
    #[test]
    fn max_unavailable_is_dropped_from_stateful_sets() {
        let given = json!({"partition": 1, "maxUnavailable": 2});
        let mut new = set(given.clone());
        super::create(&mut new);
        assert_eq!(rolling(&new), json!({"partition": 1}));
        for (before, after) in [(json!({"partition": 1}), json!({"partition": 1})), (given.clone(), given)] {
            let mut changed = set(json!({"partition": 1, "maxUnavailable": 2}));
            super::update(&mut changed, &set(before));
            assert_eq!(rolling(&changed), after);
        }
    }
}
