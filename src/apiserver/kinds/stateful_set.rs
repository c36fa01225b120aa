//! StatefulSet.
//!
//! Read from Kubernetes' `pkg/apis/apps/types.go`, `pkg/apis/apps/v1/{conversion,defaults}.go`,
//! `pkg/apis/apps/validation/validation.go`, `pkg/registry/apps/statefulset/strategy.go`,
//! `pkg/registry/apps/statefulset/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{
    AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, keep,
    mark_empty_selector,
};
use crate::api::types::{IntOrString, StatefulSet};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::validation::{Errors, Path};
use crate::apiserver::{defaults, printers, validation, warnings};

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

    fn convert(body: &mut Value) {
        mark_empty_selector(body);
    }

    fn default(this: &mut Rc<Self>) {
        defaults::apps::stateful_set(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), None);
        drop_max_unavailable(this);
        defaults::apps::stateful_set(this);
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

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        validation::stateful_set::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::stateful_set::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::stateful_set::status_update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template) {
            let path = Path::new("spec");
            warnings::pod::template(out, template, &path.child("template"));
            warnings::claim_templates(out, self, |at| at);
        }
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template) {
            if self.metadata.generation() != old.metadata.generation() {
                let path = Path::new("spec");
                warnings::pod::template(out, template, &path.child("template"));
            }
            // Kubernetes misspells the field in the paths of updates.
            warnings::claim_templates(out, self, |at| at.child("Spec"));
        }
    }

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::workloads::stateful_set(self, now)
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
