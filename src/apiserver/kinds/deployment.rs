//! Deployment.
//!
//! Read from Kubernetes' `pkg/apis/apps/types.go`, `pkg/apis/apps/v1/{conversion,defaults}.go`,
//! `pkg/apis/apps/validation/validation.go`, `pkg/registry/apps/deployment/strategy.go`,
//! `pkg/registry/apps/deployment/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{
    AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, keep,
    mark_empty_selector,
};
use crate::api::types::Deployment;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::validation::{Errors, Path};
use crate::apiserver::{defaults, printers, validation, warnings};

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

    fn convert(body: &mut Value) {
        mark_empty_selector(body);
    }

    fn default(this: &mut Rc<Self>) {
        defaults::apps::deployment(Rc::make_mut(this));
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
    }

    fn validate(&self, errs: &mut Errors) {
        validation::apps::deployment(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::apps::deployment_update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::apps::deployment_status_update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template) {
            warnings::label_name(out, self.metadata.name(), "Pod names and hostnames");
            let path = Path::new("spec");
            warnings::pod::template(out, template, &path.child("template"));
        }
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template)
            && self.metadata.generation() != old.metadata.generation()
        {
            let path = Path::new("spec");
            warnings::pod::template(out, template, &path.child("template"));
        }
    }

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::workloads::deployment(self, now)
    }
}
