//! Deployment.
//!
//! Read from Kubernetes' `pkg/apis/apps/types.go`, `pkg/apis/apps/v1/{conversion,defaults}.go`,
//! `pkg/apis/apps/validation/validation.go`, `pkg/registry/apps/deployment/strategy.go`,
//! `pkg/registry/apps/deployment/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::storage::{Storage, scale};
use super::{
    AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, keep,
    mark_empty_selector,
};
use crate::api::go_types::parse_int;
use crate::api::types::{self as t, Deployment, IntOrString};
use crate::api::well_known::DEPRECATED_ROLLBACK_TO;
use crate::api::{ApiKind, MetaExt, Timestamp};
use crate::apiserver::defaults::{default, pod_spec};
use crate::apiserver::printers::pod_template::{selector, template_cells};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::int_or_percent::{
    int_or_percent, not_more_than_100_percent, positive_int_or_percent, quote,
};
use crate::apiserver::validation::meta::{non_negative, object_meta, object_meta_update};
use crate::apiserver::validation::names::name_is_dns_subdomain;
use crate::apiserver::validation::replica_counts::{MORE_THAN_READY, MORE_THAN_REPLICAS, is_decremented};
use crate::apiserver::validation::selected_template::{immutable_selector, selector_and_template};
use crate::apiserver::validation::{Errors, FieldError, Path, internal, or_default, text};
use crate::apiserver::warnings;

impl Strategy for Deployment {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Ready", "Number of the pod with ready state"),
        Column::of("Up-to-date", "string", "Total number of non-terminating pods targeted by this deployment that have the desired template spec."),
        Column::of("Available", "string", "Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this deployment."),
        AGE,
        Column::text("Containers", "Names of each container in the template.").wide(),
        Column::text("Images", "Images referenced by each container in the template.").wide(),
        Column::text("Selector", "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment. It must match the pod template's labels.").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage {
        reset: &[("status", &[&["spec"], &["metadata", "labels"]])],
        scale: Some(scale!(Deployment, |s| s.replicas, |s| s.selector.clone())),
        ..Storage::PLAIN
    };

    nothing_for!(field);

    fn convert(body: &mut Value) -> Result<(), String> {
        mark_empty_selector(body);
        // The annotation stands for a field of the internal type, which has a number or is absent.
        let Some(Value::Object(annotations)) = body.pointer_mut("/metadata/annotations") else {
            return Ok(());
        };
        match annotations.get(DEPRECATED_ROLLBACK_TO).and_then(Value::as_str) {
            None => {}
            Some("") => {
                annotations.remove(DEPRECATED_ROLLBACK_TO);
            }
            Some(text) => {
                let revision = parse_int(text).map_err(|e| {
                    format!("failed to parse annotation[{DEPRECATED_ROLLBACK_TO}]={text} as int64: {e}")
                })?;
                annotations.insert(DEPRECATED_ROLLBACK_TO.into(), revision.to_string().into());
            }
        }
        Ok(())
    }

    fn default(this: &mut Rc<Self>) {
        let deployment = Rc::make_mut(this);
        let spec = deployment.spec.get_or_insert_default();
        spec.replicas.get_or_insert(1);
        let strategy = spec.strategy.get_or_insert_default();
        default(&mut strategy.type_, "RollingUpdate");
        if strategy.type_.as_deref() == Some("RollingUpdate") {
            let rolling = strategy.rolling_update.get_or_insert_default();
            rolling.max_unavailable.get_or_insert_with(|| IntOrString::String("25%".to_owned()));
            rolling.max_surge.get_or_insert_with(|| IntOrString::String("25%".to_owned()));
        }
        spec.revision_history_limit.get_or_insert(10);
        spec.progress_deadline_seconds.get_or_insert(600);
        pod_spec::template(&mut spec.template);
        deployment.status.get_or_insert_default();
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), None);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), old.spec.as_ref().map(|s| &s.template));
        let changed = this.spec != old.spec || this.metadata.annotations != old.metadata.annotations;
        count_change(&mut this.metadata, &old.metadata, changed);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        keep(&mut this.metadata.labels, &old.metadata.labels);
        // This annotation is of the spec.
        if this.metadata.annotation(DEPRECATED_ROLLBACK_TO) != old.metadata.annotation(DEPRECATED_ROLLBACK_TO)
        {
            let annotations = this.metadata.annotations.get_or_insert_default();
            match old.metadata.annotation(DEPRECATED_ROLLBACK_TO) {
                Some(revision) => annotations.insert(DEPRECATED_ROLLBACK_TO.into(), revision.into()),
                None => annotations.remove(DEPRECATED_ROLLBACK_TO),
            };
        }
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        validate_spec(errs, or_default(&self.spec, &Default::default()), rollback_to(&self.metadata));
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let none = Default::default();
        let spec = or_default(&self.spec, &none);
        validate_spec(errs, spec, rollback_to(&self.metadata));
        let none_before = Default::default();
        let before = or_default(&old.spec, &none_before);
        immutable_selector(errs, &spec.selector, &before.selector);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let path = Path::new("status");
        let none = Default::default();
        let status = or_default(&self.status, &none);
        non_negative(errs, status.observed_generation.unwrap_or_default(), &path.child("observedGeneration"));
        let n = |count: Option<i32>| count.unwrap_or_default();
        let replicas = n(status.replicas);
        non_negative(errs, replicas, &path.child("replicas"));
        let (updated, ready, available) =
            (n(status.updated_replicas), n(status.ready_replicas), n(status.available_replicas));
        for (name, count) in [
            ("updatedReplicas", updated),
            ("readyReplicas", ready),
            ("availableReplicas", available),
            ("unavailableReplicas", n(status.unavailable_replicas)),
            ("terminatingReplicas", n(status.terminating_replicas)),
            ("collisionCount", n(status.collision_count)),
        ] {
            non_negative(errs, count, &path.child(name));
        }
        for (name, count) in
            [("updatedReplicas", updated), ("readyReplicas", ready), ("availableReplicas", available)]
        {
            if count > replicas {
                errs.push(FieldError::invalid(&path.child(name), count, MORE_THAN_REPLICAS));
            }
        }
        if available > ready {
            errs.push(FieldError::invalid(&path.child("availableReplicas"), available, MORE_THAN_READY));
        }
        let before = old.status.as_ref().and_then(|s| s.collision_count);
        if is_decremented(status.collision_count, before) {
            let count = n(status.collision_count);
            errs.push(FieldError::invalid(&path.child("collisionCount"), count, "cannot be decremented"));
        }
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let template = self.spec.as_ref().map(|s| &s.template);
        warnings::pod_spec::on_create_named(out, self.metadata.name(), template);
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        let template = self.spec.as_ref().map(|s| &s.template);
        warnings::pod_spec::on_update(out, template, &self.metadata, &old.metadata);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let status = self.status.clone().unwrap_or_default();
        let desired = self.spec.as_ref().and_then(|s| s.replicas).unwrap_or(0);
        let [containers, images] = template_cells(self.spec.as_ref().map(|s| &s.template));
        vec![
            name(&self.metadata),
            format!("{}/{desired}", status.ready_replicas.unwrap_or(0)),
            status.updated_replicas.unwrap_or(0).to_string(),
            status.available_replicas.unwrap_or(0).to_string(),
            created(&self.metadata, now),
            containers,
            images,
            selector(self.spec.as_ref().map(|s| &s.selector)),
        ]
    }
}

/// The revision to which the Deployment is asked to go back.
fn rollback_to(meta: &t::ObjectMeta) -> Option<i64> {
    meta.annotation(DEPRECATED_ROLLBACK_TO)?.parse().ok()
}

fn validate_spec(errs: &mut Errors, spec: &t::DeploymentSpec, rollback_to: Option<i64>) {
    let path = Path::new("spec");
    non_negative(errs, spec.replicas.unwrap_or_default(), &path.child("replicas"));
    selector_and_template(errs, &spec.selector, &spec.template, &path);
    validate_strategy(errs, or_default(&spec.strategy, &Default::default()), &path.child("strategy"));
    let min_ready = spec.min_ready_seconds.unwrap_or_default();
    non_negative(errs, min_ready, &path.child("minReadySeconds"));
    if let Some(limit) = spec.revision_history_limit {
        non_negative(errs, limit, &path.child("revisionHistoryLimit"));
    }
    if let Some(revision) = rollback_to {
        non_negative(errs, revision, &path.child("rollback").child("version"));
    }
    if let Some(deadline) = spec.progress_deadline_seconds {
        let at = path.child("progressDeadlineSeconds");
        non_negative(errs, deadline, &at);
        if deadline <= min_ready {
            errs.push(FieldError::invalid(&at, deadline, "must be greater than minReadySeconds"));
        }
    }
}

fn validate_strategy(errs: &mut Errors, strategy: &t::DeploymentStrategy, path: &Path) {
    let rolling = path.child("rollingUpdate");
    match (text(&strategy.type_), &strategy.rolling_update) {
        ("Recreate", None) => {}
        ("Recreate", Some(_)) => errs
            .push(FieldError::forbidden(&rolling, "may not be specified when strategy `type` is 'Recreate'")),
        ("RollingUpdate", None) => {
            errs.push(FieldError::required(&rolling, "this should be defaulted and never be nil"));
        }
        ("RollingUpdate", Some(update)) => {
            let zero = IntOrString::Int(0);
            let unavailable = update.max_unavailable.as_ref().unwrap_or(&zero);
            let surge = update.max_surge.as_ref().unwrap_or(&zero);
            let at = rolling.child("maxUnavailable");
            positive_int_or_percent(errs, unavailable, &at);
            positive_int_or_percent(errs, surge, &rolling.child("maxSurge"));
            if int_or_percent(unavailable) == 0 && int_or_percent(surge) == 0 {
                errs.push(FieldError::invalid(&at, quote(unavailable), "may not be 0 when `maxSurge` is 0"));
            }
            not_more_than_100_percent(errs, unavailable, &at);
        }
        _ => errs.push(FieldError::not_supported(
            path,
            internal::quote("DeploymentStrategy", strategy),
            &["Recreate", "RollingUpdate"],
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object};
    use crate::apiserver::rest::{validate_status_update, validate_update};
    use crate::apiserver::validation::aggregate;
    use serde_json::json;

    #[test]
    fn a_negative_count_spoils_the_others() {
        let with = |status| {
            let meta = json!({"name": "web", "namespace": "default", "resourceVersion": "1"});
            Object::from_value(Kind::DEPLOYMENT, json!({"metadata": meta, "status": status})).unwrap()
        };
        let errors =
            validate_status_update(&with(json!({"replicas": -1, "updatedReplicas": 1})), &with(json!({})));
        assert_eq!(
            aggregate(&errors),
            "[status.replicas: Invalid value: -1: must be greater than or equal to 0, \
             status.updatedReplicas: Invalid value: 1: cannot be greater than status.replicas, \
             status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas, \
             status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas]"
        );
    }

    #[test]
    fn a_selector_taken_away_is_three_errors() {
        let with = |selector: serde_json::Value| {
            let mut body = json!({
                "metadata": {"name": "a", "namespace": "default", "resourceVersion": "1"},
                "spec": {"selector": selector, "template": {"metadata": {"labels": {"app": "a"}},
                    "spec": {"containers": [{"name": "c", "image": "i"}]}}}
            });
            crate::apiserver::rest::prepare(Kind::DEPLOYMENT, &mut body).unwrap();
            let mut object = Object::from_value(Kind::DEPLOYMENT, body).unwrap();
            crate::apiserver::rest::default(&mut object);
            object
        };
        let errors = validate_update(&with(json!(null)), &with(json!({"matchLabels": {"app": "a"}})));
        assert_eq!(
            aggregate(&errors),
            "[spec.selector: Required value, \
             spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`, \
             spec.selector: Invalid value: null: field is immutable]"
        );
    }
}
