//! StatefulSet.
//!
//! Read from Kubernetes' `pkg/apis/apps/types.go`, `pkg/apis/apps/v1/{conversion,defaults}.go`,
//! `pkg/apis/apps/validation/validation.go`, `pkg/registry/apps/statefulset/strategy.go`,
//! `pkg/registry/apps/statefulset/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;

use super::storage::{Storage, scale};
use super::{
    AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, mark_empty_selector,
};
use crate::api::labels::Selector;
use crate::api::types::{self as t, IntOrString, StatefulSet};
use crate::api::{ApiKind, MetaExt, Timestamp};
use crate::apiserver::defaults::{default, pod_spec as pod_defaults};
use crate::apiserver::printers::pod_template::template_cells;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::int_or_percent::{
    int_or_percent, not_more_than_100_percent, positive_int_or_percent, quote,
};
use crate::apiserver::validation::meta::{label_selector, non_negative, object_meta, object_meta_update};
use crate::apiserver::validation::names::{self, name_is_dns_label};
use crate::apiserver::validation::replica_counts::{MORE_THAN_REPLICAS, is_decremented};
use crate::apiserver::validation::selected_template::given;
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, claim_spec, internal, json_map, list, or_default, pod_spec,
    semantic_eq, text,
};
use crate::apiserver::warnings;

impl Strategy for StatefulSet {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Ready", "Number of the pod with ready state"),
        AGE,
        Column::text("Containers", "Names of each container in the template.").wide(),
        Column::text("Images", "Images referenced by each container in the template.").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage {
        scale: Some(scale!(StatefulSet, |s| Some(s.replicas), |s| s.selector.clone())),
        ..Storage::PLAIN
    };

    nothing_for!(field);

    fn convert(body: &mut Value) -> Result<(), String> {
        mark_empty_selector(body);
        Ok(())
    }

    fn default(this: &mut Rc<Self>) {
        fill_in(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), None);
        drop_max_unavailable(this);
        fill_in(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), old.spec.as_ref().map(|s| &s.template));
        if max_unavailable(old).is_none() {
            drop_max_unavailable(this);
        }
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_label);
        validate_spec(errs, or_default(&self.spec, &Default::default()), Strictness::NEW);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let none = Default::default();
        let (after, before) = (or_default(&self.spec, &none), or_default(&old.spec, &none));
        let mut was_wrong = Errors::new();
        validate_spec(&mut was_wrong, before, Strictness::STORED);
        validate_spec(errs, after, Strictness { new: false, template: was_wrong.is_empty() });
        let mut fixed = after.clone();
        fixed.replicas = before.replicas;
        fixed.template.clone_from(&before.template);
        fixed.update_strategy.clone_from(&before.update_strategy);
        fixed.min_ready_seconds = before.min_ready_seconds;
        fixed.ordinals.clone_from(&before.ordinals);
        fixed.revision_history_limit = before.revision_history_limit;
        fixed
            .persistent_volume_claim_retention_policy
            .clone_from(&before.persistent_volume_claim_retention_policy);
        if text(&fixed.service_name) == text(&before.service_name) {
            // In Go the name is no pointer: an absent one is an empty one.
            fixed.service_name.clone_from(&before.service_name);
        }
        if !semantic_eq(&fixed, before) {
            let message = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
            errs.push(FieldError::forbidden(&Path::new("spec"), message));
        }
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        let path = Path::new("status");
        let none = Default::default();
        let status = or_default(&self.status, &none);
        let n = |count: Option<i32>| count.unwrap_or_default();
        let (ready, available) = (n(status.ready_replicas), n(status.available_replicas));
        let (current, updated) = (n(status.current_replicas), n(status.updated_replicas));
        let (observed, collisions) =
            (status.observed_generation.unwrap_or_default(), n(status.collision_count));
        for (name, count) in [
            ("replicas", i64::from(status.replicas)),
            ("readyReplicas", ready.into()),
            ("currentReplicas", current.into()),
            ("updatedReplicas", updated.into()),
            ("availableReplicas", available.into()),
            ("observedGeneration", observed),
            ("collisionCount", collisions.into()),
        ] {
            non_negative(errs, count, &path.child(name));
        }
        for (name, count) in [
            ("readyReplicas", ready),
            ("currentReplicas", current),
            ("updatedReplicas", updated),
            ("availableReplicas", available),
        ] {
            if count > status.replicas {
                errs.push(FieldError::invalid(&path.child(name), count, MORE_THAN_REPLICAS));
            }
        }
        if available > ready {
            let message = "cannot be greater than status.readyReplicas";
            errs.push(FieldError::invalid(&path.child("availableReplicas"), available, message));
        }
        object_meta_update(errs, &self.metadata, &old.metadata);
        let before = old.status.as_ref().and_then(|s| s.collision_count);
        if is_decremented(status.collision_count, before) {
            let value = BadValue::from(collisions);
            errs.push(FieldError::invalid(&path.child("collisionCount"), value, "cannot be decremented"));
        }
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template) {
            let path = Path::new("spec");
            warnings::pod_spec::template(out, template, &path.child("template"));
            warn_of_claim_templates(out, self, |at| at);
        }
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template) {
            if self.metadata.generation() != old.metadata.generation() {
                let path = Path::new("spec");
                warnings::pod_spec::template(out, template, &path.child("template"));
            }
            // Kubernetes misspells the field in the paths of updates.
            warn_of_claim_templates(out, self, |at| at.child("Spec"));
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let desired = self.spec.as_ref().and_then(|s| s.replicas).unwrap_or(0);
        let ready = self.status.as_ref().and_then(|s| s.ready_replicas).unwrap_or(0);
        let [containers, images] = template_cells(self.spec.as_ref().map(|s| &s.template));
        vec![
            name(&self.metadata),
            format!("{ready}/{desired}"),
            created(&self.metadata, now),
            containers,
            images,
        ]
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

/// Fills in the defaults.
fn fill_in(set: &mut t::StatefulSet) {
    let spec = set.spec.get_or_insert_default();
    default(&mut spec.pod_management_policy, "OrderedReady");
    let strategy = spec.update_strategy.get_or_insert_default();
    if strategy.type_.as_deref().unwrap_or_default().is_empty() {
        strategy.type_ = Some("RollingUpdate".into());
        strategy.rolling_update.get_or_insert_default();
    }
    if strategy.type_.as_deref() == Some("RollingUpdate")
        && let Some(rolling) = strategy.rolling_update.as_mut()
    {
        rolling.partition.get_or_insert(0);
    }
    let policy = spec.persistent_volume_claim_retention_policy.get_or_insert_default();
    default(&mut policy.when_deleted, "Retain");
    default(&mut policy.when_scaled, "Retain");
    spec.replicas.get_or_insert(1);
    spec.revision_history_limit.get_or_insert(10);
    pod_defaults::template(&mut spec.template);
    spec.volume_claim_templates.iter_mut().flatten().for_each(super::persistent_volume_claim::fill_in);
    set.status.get_or_insert_default().available_replicas.get_or_insert(0);
}

/// Which rules are checked: what was stored before a rule came into being may stay as it is.
#[derive(Clone, Copy)]
struct Strictness {
    new: bool,
    template: bool,
}

impl Strictness {
    const NEW: Strictness = Strictness { new: true, template: true };
    const STORED: Strictness = Strictness { new: false, template: true };
}

fn validate_spec(errs: &mut Errors, spec: &t::StatefulSetSpec, strict: Strictness) {
    let path = Path::new("spec");
    let at = path.child("podManagementPolicy");
    match text(&spec.pod_management_policy) {
        "" => errs.push(FieldError::required(&at, "")),
        "OrderedReady" | "Parallel" => {}
        other => errs.push(FieldError::invalid(&at, other, "must be 'OrderedReady' or 'Parallel'")),
    }
    validate_update_strategy(
        errs,
        or_default(&spec.update_strategy, &Default::default()),
        &path.child("updateStrategy"),
    );
    if let Some(policy) = &spec.persistent_volume_claim_retention_policy {
        let at = path.child("persistentVolumeClaimRetentionPolicy");
        for (name, value) in [("whenDeleted", &policy.when_deleted), ("whenScaled", &policy.when_scaled)] {
            if !matches!(text(value), "Retain" | "Delete") {
                errs.push(FieldError::not_supported(&at.child(name), text(value), &["Retain", "Delete"]));
            }
        }
    }
    if strict.new {
        for (i, claim) in list(&spec.volume_claim_templates).iter().enumerate() {
            let at = path.child("volumeClaimTemplates").index(i).child("spec");
            claim_spec::claim_spec(errs, or_default(&claim.spec, &Default::default()), &at);
        }
    }
    non_negative(errs, spec.replicas.unwrap_or_default(), &path.child("replicas"));
    non_negative(errs, spec.min_ready_seconds.unwrap_or_default(), &path.child("minReadySeconds"));
    if let Some(ordinals) = &spec.ordinals {
        non_negative(errs, ordinals.start.unwrap_or_default(), &path.child("ordinals.start"));
    }
    let service = text(&spec.service_name);
    if strict.new && !service.is_empty() {
        let at = path.child("serviceName");
        errs.extend(names::dns1123_label(service).into_iter().map(|m| FieldError::invalid(&at, service, m)));
    }
    let at = path.child("selector");
    let selector = given(&spec.selector);
    match selector {
        None => errs.push(FieldError::required(&at, "")),
        Some(s) => {
            label_selector(errs, Some(s), &at);
            if s.match_labels.as_ref().is_none_or(|m| m.is_empty()) && list(&s.match_expressions).is_empty() {
                let message = "empty selector is invalid for statefulset";
                errs.push(FieldError::invalid(&at, internal::quote_selector(Some(s)), message));
            }
        }
    }
    match Selector::from_label_selector(selector) {
        Err(_) => errs.push(FieldError::invalid(&at, internal::quote_selector(selector), "")),
        Ok(parsed) => validate_template(errs, spec, &parsed, &path.child("template"), strict.template),
    }
    let none = Default::default();
    let pod = or_default(&spec.template.spec, &none);
    let at = path.child("template").child("spec");
    if text(&pod.restart_policy) != "Always" {
        let policy = text(&pod.restart_policy);
        errs.push(FieldError::not_supported(&at.child("restartPolicy"), policy, &["Always"]));
    }
    if pod.active_deadline_seconds.is_some() {
        let message = "activeDeadlineSeconds in StatefulSet is not Supported";
        errs.push(FieldError::forbidden(&at.child("activeDeadlineSeconds"), message));
    }
}

/// The pod template as it is validated: with a volume for each claim template before its own volumes of other names, and
/// without what the controller gives each pod itself.
fn to_validate(spec: &t::StatefulSetSpec) -> t::PodTemplateSpec {
    let mut template = spec.template.clone();
    if let Some(pod) = &mut template.spec {
        pod.hostname = None;
        pod.subdomain = None;
    }
    let claims: BTreeSet<&str> =
        list(&spec.volume_claim_templates).iter().map(|c| MetaExt::name(&c.metadata)).collect();
    if claims.is_empty() {
        return template;
    }
    let pod = template.spec.get_or_insert_default();
    let own = pod.volumes.take().unwrap_or_default();
    let of_claim = |name: &&str| t::Volume {
        name: (*name).to_owned(),
        persistent_volume_claim: Some(t::PersistentVolumeClaimVolumeSource {
            claim_name: (*name).to_owned(),
            ..Default::default()
        }),
        ..Default::default()
    };
    let others = own.into_iter().filter(|v| !claims.contains(v.name.as_str()));
    pod.volumes = Some(claims.iter().map(of_claim).chain(others).collect());
    template
}

fn validate_template(
    errs: &mut Errors,
    spec: &t::StatefulSetSpec,
    selector: &Selector,
    path: &Path,
    whole: bool,
) {
    let labels = spec.template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    let none = BTreeMap::new();
    if !selector.matches(labels.unwrap_or(&none)) {
        let message = "`selector` does not match template `labels`";
        errs.push(FieldError::invalid(&path.child("metadata").child("labels"), json_map(labels), message));
    }
    let template = to_validate(spec);
    if whole {
        pod_spec::template(errs, &template, path);
    }
    // These have been asked of a whole template, and Kubernetes asks them again.
    pod_spec::template_metadata(errs, &template, path);
}

fn validate_update_strategy(errs: &mut Errors, strategy: &t::StatefulSetUpdateStrategy, path: &Path) {
    let at = path.child("rollingUpdate");
    match (text(&strategy.type_), &strategy.rolling_update) {
        ("", _) => errs.push(FieldError::required(path, "")),
        ("OnDelete", Some(rolling)) => errs.push(FieldError::invalid(
            &at,
            internal::quote("RollingUpdateStatefulSetStrategy", rolling),
            "only allowed for updateStrategy 'RollingUpdate'",
        )),
        ("RollingUpdate", Some(rolling)) => {
            non_negative(errs, rolling.partition.unwrap_or_default(), &at.child("partition"));
            if let Some(max) = &rolling.max_unavailable {
                let at = at.child("maxUnavailable");
                positive_int_or_percent(errs, max, &at);
                if int_or_percent(max) == 0 {
                    errs.push(FieldError::invalid(&at, quote(max), "cannot be 0"));
                }
                not_more_than_100_percent(errs, max, &at);
            }
        }
        ("OnDelete" | "RollingUpdate", None) => {}
        _ => errs.push(FieldError::invalid(
            path,
            internal::quote("StatefulSetUpdateStrategy", strategy),
            "must be 'RollingUpdate' or 'OnDelete'",
        )),
    }
}

/// Warns of the claim templates and of what else stands beside the pod template.
fn warn_of_claim_templates(out: &mut Vec<String>, set: &StatefulSet, at: impl Fn(Path) -> Path) {
    let Some(spec) = &set.spec else { return };
    for (i, claim) in spec.volume_claim_templates.iter().flatten().enumerate() {
        if let Some(spec) = &claim.spec {
            warnings::claim_spec(out, spec, &at(Path::new("spec").child("volumeClaimTemplates").index(i)));
        }
    }
    if spec.revision_history_limit.is_some_and(|n| n < 0) {
        out.push("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended".to_owned());
    }
}
