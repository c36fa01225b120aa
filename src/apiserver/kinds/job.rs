//! Job.
//!
//! Read from Kubernetes' `pkg/apis/batch/types.go`, `pkg/apis/batch/v1/{conversion,defaults}.go`,
//! `pkg/apis/batch/validation/validation.go`, `pkg/registry/batch/job/strategy.go`,
//! `pkg/registry/batch/job/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, keep};
use crate::api::types::{Job, JobSpec, ObjectMeta};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::validation::{
    CONTROLLER_UID, Errors, JOB_NAME, LEGACY_CONTROLLER_UID, LEGACY_JOB_NAME, Path,
};
use crate::apiserver::{defaults, printers, validation, warnings};

impl Strategy for Job {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Status", "Status of the job."),
        Column::text("Completions", "The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs."),
        Column::text("Duration", "Time required to complete the job."),
        AGE,
        Column::text("Containers", "Names of each container in the template.").wide(),
        Column::text("Images", "Images referenced by each container in the template.").wide(),
        Column::text("Selector", "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields =
        SelectableFields::TheseOfKind(&["metadata.name", "metadata.namespace", "status.successful"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        defaults::batch::job(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        let Job { metadata, spec, .. } = this;
        let spec = spec.get_or_insert_default();
        drop_disabled(Some(&mut spec.template), None);
        if spec.manual_selector != Some(true) {
            generate_selector(metadata, spec);
        }
        defaults::batch::job(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), old.spec.as_ref().map(|s| &s.template));
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        validation::job::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::job::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::job_status::update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template) {
            warnings::label_name(out, self.metadata.name(), "Pod names and hostnames");
            let path = Path::new("spec");
            warnings::large_indexed_job(out, self.spec.as_ref(), &path);
            warnings::pod::template(out, template, &path.child("template"));
        }
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template)
            && self.metadata.generation() != old.metadata.generation()
        {
            let path = Path::new("spec");
            warnings::large_indexed_job(out, self.spec.as_ref(), &path);
            warnings::pod::template(out, template, &path.child("template"));
        }
    }

    fn field(&self, path: &str) -> Option<String> {
        (path == "status.successful")
            .then(|| self.status.as_ref().and_then(|s| s.succeeded).unwrap_or(0).to_string())
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::batch::job(self, now)
    }
}

/// `generateSelector`: the Job's pods are known by its uid.
fn generate_selector(meta: &mut ObjectMeta, spec: &mut JobSpec) {
    let (uid, name) = (MetaExt::uid(meta).to_owned(), MetaExt::name(meta).to_owned());
    let labels = spec.template.metadata.get_or_insert_default().labels.get_or_insert_default();
    // Labels that defaulting copied from the template are copied again, now with the generated ones.
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
