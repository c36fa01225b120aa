//! DaemonSet.
//!
//! Read from Kubernetes' `pkg/apis/apps/types.go`, `pkg/apis/apps/v1/{conversion,defaults}.go`,
//! `pkg/apis/apps/validation/validation.go`, `pkg/registry/apps/daemonset/strategy.go`,
//! `pkg/registry/apps/daemonset/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{
    AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, keep,
    mark_empty_selector,
};
use crate::api::types::{DaemonSet, ObjectMeta};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::validation::{Errors, Path};
use crate::apiserver::{defaults, printers, validation, warnings};

impl Strategy for DaemonSet {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of("Desired", "integer", "The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/"),
        Column::of("Current", "integer", "The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/"),
        Column::of("Ready", "integer", "numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod running with a Ready Condition."),
        Column::of("Up-to-date", "integer", "The total number of nodes that are running updated daemon pod"),
        Column::of("Available", "integer", "The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available (ready for at least spec.minReadySeconds)"),
        Column::text("Node Selector", "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/"),
        AGE,
        Column::text("Containers", "Names of each container in the template.").wide(),
        Column::text("Images", "Images referenced by each container in the template.").wide(),
        Column::text("Selector", "A label query over pods that are managed by the daemon set. Must match in order to be controlled. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(body: &mut Value) {
        mark_empty_selector(body);
    }

    fn default(this: &mut Rc<Self>) {
        defaults::apps::daemon_set(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), None);
        let given = template_generation(&this.metadata).max(1);
        set_template_generation(&mut this.metadata, given);
        defaults::apps::daemon_set(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), old.spec.as_ref().map(|s| &s.template));
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
        let changed = this.spec.as_ref().map(|s| &s.template) != old.spec.as_ref().map(|s| &s.template);
        let generation = template_generation(&old.metadata) + i64::from(changed);
        set_template_generation(&mut this.metadata, generation);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        let generation = template_generation(&old.metadata);
        set_template_generation(&mut this.metadata, generation);
    }

    fn validate(&self, errs: &mut Errors) {
        validation::daemon_set::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::daemon_set::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::daemon_set::status_update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template) {
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
        printers::workloads::daemon_set(self, now)
    }
}

/// Counts the changes of a DaemonSet's template. The internal type has it as a field of the spec.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn template_generation(meta: &ObjectMeta) -> i64 {
    meta.annotation(TEMPLATE_GENERATION).and_then(|v| v.parse().ok()).unwrap_or(0)
}

fn set_template_generation(meta: &mut ObjectMeta, generation: i64) {
    if template_generation(meta) != generation {
        let annotations = meta.annotations.get_or_insert_default();
        annotations.insert(TEMPLATE_GENERATION.into(), generation.to_string());
    }
}
