//! ReplicaSet.
//!
//! Read from Kubernetes' `pkg/apis/apps/types.go`, `pkg/apis/apps/v1/{conversion,defaults}.go`,
//! `pkg/apis/apps/validation/validation.go`, `pkg/registry/apps/replicaset/strategy.go`,
//! `pkg/registry/apps/replicaset/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::storage::{Storage, scale};
use super::{
    AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, mark_empty_selector,
};
use crate::api::types::{self as t, ReplicaSet};
use crate::api::{ApiKind, MetaExt, Timestamp};
use crate::apiserver::defaults::pod_spec;
use crate::apiserver::printers::pod_template::{selector, template_cells};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{non_negative, object_meta, object_meta_update};
use crate::apiserver::validation::names::name_is_dns_subdomain;
use crate::apiserver::validation::replica_counts::status_counts;
use crate::apiserver::validation::selected_template::{immutable_selector, selector_and_template};
use crate::apiserver::validation::{Errors, Path, or_default};
use crate::apiserver::warnings;

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
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage {
        scale: Some(scale!(ReplicaSet, |s| Some(s.replicas), |s| s.selector.clone())),
        ..Storage::PLAIN
    };

    nothing_for!(field);

    fn convert(body: &mut Value) -> Result<(), String> {
        mark_empty_selector(body);
        Ok(())
    }

    fn default(this: &mut Rc<Self>) {
        let set = Rc::make_mut(this);
        let spec = set.spec.get_or_insert_default();
        spec.replicas.get_or_insert(1);
        pod_spec::template(spec.template.get_or_insert_default());
        set.status.get_or_insert_default();
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

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        validate_spec(errs, or_default(&self.spec, &Default::default()));
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let none = Default::default();
        let spec = or_default(&self.spec, &none);
        validate_spec(errs, spec);
        immutable_selector(errs, &spec.selector, &or_default(&old.spec, &Default::default()).selector);
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
        status_counts(errs, counts, status.terminating_replicas, status.observed_generation);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let template = self.spec.as_ref().and_then(|s| s.template.as_ref());
        warnings::pod_spec::on_create_named(out, self.metadata.name(), template);
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        let template = self.spec.as_ref().and_then(|s| s.template.as_ref());
        warnings::pod_spec::on_update(out, template, &self.metadata, &old.metadata);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let status = self.status.clone().unwrap_or_default();
        let [containers, images] = template_cells(self.spec.as_ref().and_then(|s| s.template.as_ref()));
        vec![
            name(&self.metadata),
            self.spec.as_ref().and_then(|s| s.replicas).unwrap_or(0).to_string(),
            status.replicas.to_string(),
            status.ready_replicas.unwrap_or(0).to_string(),
            created(&self.metadata, now),
            containers,
            images,
            selector(self.spec.as_ref().map(|s| &s.selector)),
        ]
    }
}

fn validate_spec(errs: &mut Errors, spec: &t::ReplicaSetSpec) {
    let path = Path::new("spec");
    non_negative(errs, spec.replicas.unwrap_or_default(), &path.child("replicas"));
    non_negative(errs, spec.min_ready_seconds.unwrap_or_default(), &path.child("minReadySeconds"));
    selector_and_template(errs, &spec.selector, or_default(&spec.template, &Default::default()), &path);
}
