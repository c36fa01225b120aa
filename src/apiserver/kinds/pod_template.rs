//! PodTemplate.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/validation/validation.go`,
//! `pkg/registry/core/podtemplate/strategy.go`, `pkg/registry/core/podtemplate/storage/storage.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled};
use crate::api::labels::format_labels;
use crate::api::types::PodTemplate;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::defaults::pod_spec as pod_defaults;
use crate::apiserver::printers::name;
use crate::apiserver::printers::pod_template::template_cells;
use crate::apiserver::validation::meta::{object_meta, object_meta_update};
use crate::apiserver::validation::names::name_is_dns_subdomain;
use crate::apiserver::validation::{Errors, Path, or_default, pod_spec};
use crate::apiserver::warnings;

impl Strategy for PodTemplate {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Containers", "Names of each container in the template."),
        Column::text("Images", "Images referenced by each container in the template."),
        Column::text("Pod Labels", "The labels for the pod template."),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for! { convert, prepare_for_status_update, validate_status_update, field }

    fn default(this: &mut Rc<Self>) {
        pod_defaults::template(Rc::make_mut(this).template.get_or_insert_default());
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        drop_disabled(this.template.as_mut(), None);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        drop_disabled(this.template.as_mut(), old.template.as_ref());
        count_change(&mut this.metadata, &old.metadata, this.template != old.template);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        template(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        template(errs, self);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = &self.template {
            warnings::pod_spec::template(out, template, &Path::new("template"));
        }
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if self.metadata.generation() != old.metadata.generation() {
            self.warnings_on_create(out);
        }
    }

    fn row(&self, _now: Timestamp) -> Vec<String> {
        let [containers, images] = template_cells(self.template.as_ref());
        let labels = self.template.as_ref().and_then(|t| t.metadata.as_ref()?.labels.as_ref());
        vec![name(&self.metadata), containers, images, format_labels(labels)]
    }
}

fn template(errs: &mut Errors, this: &PodTemplate) {
    let none = Default::default();
    pod_spec::template(errs, or_default(&this.template, &none), &Path::new("template"));
}
