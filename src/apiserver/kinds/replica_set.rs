//! ReplicaSet.
//!
//! Read from Kubernetes' `pkg/apis/apps/types.go`, `pkg/apis/apps/v1/{conversion,defaults}.go`,
//! `pkg/apis/apps/validation/validation.go`, `pkg/registry/apps/replicaset/strategy.go`,
//! `pkg/registry/apps/replicaset/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{
    AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, keep,
    mark_empty_selector,
};
use crate::api::types::ReplicaSet;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::validation::{Errors, Path};
use crate::apiserver::{defaults, printers, validation, warnings};

impl Strategy for ReplicaSet {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of("Desired", "integer", "Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset"),
        Column::of("Current", "integer", "Replicas is the most recently observed number of non-terminating pods. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset"),
        Column::of("Ready", "integer", "The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition."),
        AGE,
        Column::text("Containers", "Names of each container in the template.").wide(),
        Column::text("Images", "Images referenced by each container in the template.").wide(),
        Column::text("Selector", "Selector is a label query over pods that should match the replica count. Label keys and values that must match in order to be controlled by this replica set. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields =
        SelectableFields::These(&["metadata.name", "metadata.namespace", "status.replicas"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(body: &mut Value) {
        mark_empty_selector(body);
    }

    fn default(this: &mut Rc<Self>) {
        defaults::apps::replica_set(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        drop_disabled(this.spec.as_mut().and_then(|s| s.template.as_mut()), None);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        let before = old.spec.as_ref().and_then(|s| s.template.as_ref());
        drop_disabled(this.spec.as_mut().and_then(|s| s.template.as_mut()), before);
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        validation::apps::replica_set(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::apps::replica_set_update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::apps::replica_set_status_update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().and_then(|s| s.template.as_ref()) {
            warnings::label_name(out, self.metadata.name(), "Pod names and hostnames");
            let path = Path::new("spec");
            warnings::pod::template(out, template, &path.child("template"));
        }
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().and_then(|s| s.template.as_ref())
            && self.metadata.generation() != old.metadata.generation()
        {
            let path = Path::new("spec");
            warnings::pod::template(out, template, &path.child("template"));
        }
    }

    fn field(&self, path: &str) -> Option<String> {
        (path == "status.replicas").then(|| self.status.as_ref().map_or(0, |s| s.replicas).to_string())
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::workloads::replica_set(self, now)
    }
}
