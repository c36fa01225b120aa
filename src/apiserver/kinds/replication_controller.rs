//! ReplicationController.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/replicationcontroller/strategy.go`,
//! `pkg/registry/core/replicationcontroller/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::storage::{Storage, scale};
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled};
use crate::api::labels::Selector;
use crate::api::labels::format_labels;
use crate::api::types::{self as t, LabelSelector, ReplicationController};
use crate::api::{ApiKind, MetaExt, Timestamp};
use crate::apiserver::defaults::pod_spec;
use crate::apiserver::printers::pod_template::template_cells;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{non_negative, object_meta, object_meta_update};
use crate::apiserver::validation::names::name_is_dns_subdomain;
use crate::apiserver::validation::replica_counts::status_counts;
use crate::apiserver::validation::selected_template::template_spec;
use crate::apiserver::validation::{Errors, FieldError, Path, or_default};
use crate::apiserver::warnings;

impl Strategy for ReplicationController {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of("Desired", "integer", "Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller"),
        Column::of("Current", "integer", "Replicas is the most recently observed number of replicas. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller"),
        Column::of("Ready", "integer", "The number of ready replicas for this replication controller."),
        AGE,
        Column::text("Containers", "Names of each container in the template.").wide(),
        Column::text("Images", "Images referenced by each container in the template.").wide(),
        Column::text("Selector", "Selector is a label query over pods that should match the Replicas count. If Selector is empty, it is defaulted to the labels present on the Pod template. Label keys and values that must match in order to be controlled by this replication controller, if empty defaulted to labels on Pod template. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields =
        SelectableFields::These(&["metadata.name", "metadata.namespace", "status.replicas"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage {
        prefix: Some("controllers"),
        orphans_dependents: true,
        scale: Some(scale!(ReplicationController, |s| Some(s.replicas), |s| LabelSelector {
            match_labels: s.selector.clone(),
            ..LabelSelector::default()
        })),
        ..Storage::PLAIN
    };

    nothing_for!(convert);

    fn default(this: &mut Rc<Self>) {
        fill_in(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        drop_disabled(this.spec.as_mut().and_then(|s| s.template.as_mut()), None);
        fill_in(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        let before = old.spec.as_ref().and_then(|s| s.template.as_ref());
        drop_disabled(this.spec.as_mut().and_then(|s| s.template.as_mut()), before);
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        validate_spec(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        validate_spec(errs, self);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let none = Default::default();
        let status = or_default(&self.status, &none);
        let n = |count: Option<i32>| count.unwrap_or_default();
        let counts = [
            status.replicas,
            n(status.fully_labeled_replicas),
            n(status.ready_replicas),
            n(status.available_replicas),
        ];
        status_counts(errs, counts, None, status.observed_generation);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let template = self.spec.as_ref().and_then(|s| s.template.as_ref());
        warnings::pod_spec::on_create_named(out, self.metadata.name(), template);
    }

    /// Kubernetes warns of the template that the update replaces, which is a mistake there.
    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        let template = old.spec.as_ref().and_then(|s| s.template.as_ref());
        warnings::pod_spec::on_update(out, template, &self.metadata, &old.metadata);
    }

    fn field(&self, path: &str) -> Option<String> {
        (path == "status.replicas").then(|| self.status.as_ref().map_or(0, |s| s.replicas).to_string())
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let spec = self.spec.clone().unwrap_or_default();
        let status = self.status.clone().unwrap_or_default();
        let [containers, images] = template_cells(spec.template.as_ref());
        vec![
            name(&self.metadata),
            spec.replicas.unwrap_or(0).to_string(),
            status.replicas.to_string(),
            status.ready_replicas.unwrap_or(0).to_string(),
            created(&self.metadata, now),
            containers,
            images,
            format_labels(spec.selector.as_ref()),
        ]
    }
}

/// Fills in the defaults. Labels and a selector that are not given are the labels of the pod template.
fn fill_in(controller: &mut t::ReplicationController) {
    let spec = controller.spec.get_or_insert_default();
    spec.replicas.get_or_insert(1);
    let labels = spec.template.as_ref().and_then(|t| t.metadata.as_ref()?.labels.clone());
    for own in [&mut spec.selector, &mut controller.metadata.labels] {
        if own.as_ref().is_none_or(|l| l.is_empty()) && labels.is_some() {
            own.clone_from(&labels);
        }
    }
    if let Some(template) = &mut spec.template {
        pod_spec::template(template);
    }
    controller.status.get_or_insert_default();
}

fn validate_spec(errs: &mut Errors, controller: &t::ReplicationController) {
    let path = Path::new("spec");
    let none = Default::default();
    let spec = or_default(&controller.spec, &none);
    non_negative(errs, spec.min_ready_seconds.unwrap_or_default(), &path.child("minReadySeconds"));
    let none = BTreeMap::new();
    let selector = spec.selector.as_ref().unwrap_or(&none);
    if selector.is_empty() {
        errs.push(FieldError::required(&path.child("selector"), ""));
    }
    match spec.replicas {
        None => errs.push(FieldError::required(&path.child("replicas"), "")),
        Some(n) => non_negative(errs, n, &path.child("replicas")),
    }
    let at = path.child("template");
    match &spec.template {
        None => errs.push(FieldError::required(&at, "")),
        Some(template) => {
            template_spec(errs, template, &Selector::from_set(selector), "ReplicationController", &at);
        }
    }
}
