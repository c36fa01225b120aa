//! RuntimeClass.
//!
//! Read from Kubernetes' `pkg/apis/node/types.go`, `pkg/apis/node/v1/zz_generated.defaults.go`,
//! `pkg/apis/node/validation/validation.go`, `pkg/registry/node/runtimeclass/strategy.go`, `pkg/api/node/util.go` and
//! `pkg/printers/internalversion/printers.go`. The admission plug-in that acts on it is in `apiserver::admission`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::{RuntimeClass, Toleration};
use crate::apiserver::defaults::quantities;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{IMMUTABLE, invalid_each, labels, object_meta, object_meta_update};
use crate::apiserver::validation::names::{name_is_dns_label, name_is_dns_subdomain};
use crate::apiserver::validation::{Errors, FieldError, Path, internal, list, resources, scheduling, text};
use crate::apiserver::warnings;

impl Strategy for RuntimeClass {
    const COLUMNS: &'static [Column] = &[
        NAME,
        // Kubernetes looks for the sentence of this column among those of metadata, where there is none.
        Column::text("Handler", ""),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, prepare_for_create, prepare_for_update, prepare_for_status_update, validate_status_update,
        field
    }

    fn default(this: &mut Rc<Self>) {
        if let Some(overhead) = &mut Rc::make_mut(this).overhead {
            quantities::list(&mut overhead.pod_fixed);
        }
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        let at = Path::new("handler");
        if self.handler.is_empty() {
            errs.push(FieldError::required(&at, ""));
        } else {
            invalid_each(errs, &at, &self.handler, name_is_dns_label(&self.handler, false));
        }
        if let Some(fixed) = self.overhead.as_ref().and_then(|o| o.pod_fixed.as_ref()) {
            resources::overhead(errs, fixed, &Path::new("overhead"));
        }
        if let Some(wanted) = &self.scheduling {
            let path = Path::new("scheduling");
            if let Some(selector) = &wanted.node_selector {
                labels(errs, Some(selector), &path.child("nodeSelector"));
            }
            tolerations(errs, list(&wanted.tolerations), &path.child("tolerations"));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        object_meta_update(errs, &self.metadata, &old.metadata);
        if self.handler != old.handler {
            errs.push(FieldError::invalid(&Path::new("handler"), self.handler.as_str(), IMMUTABLE));
        }
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let selector = self.scheduling.as_ref().and_then(|s| s.node_selector.as_ref());
        for why in
            selector.into_iter().flat_map(|s| s.keys()).filter_map(|key| warnings::deprecated_label(key))
        {
            out.push(format!("scheduling.nodeSelector: {why}"));
        }
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![name(&self.metadata), self.handler.clone(), created(&self.metadata, now)]
    }
}

/// Validates the tolerations that the class gives to its pods, each of which may be there once (`validateTolerations`).
fn tolerations(errs: &mut Errors, tolerations: &[Toleration], path: &Path) {
    scheduling::tolerations(errs, tolerations, path);
    let mut seen = BTreeSet::new();
    for (i, toleration) in tolerations.iter().enumerate() {
        let Toleration { key, operator, value, effect, .. } = toleration;
        if !seen.insert([text(key), text(operator), text(value), text(effect)]) {
            errs.push(FieldError::duplicate(&path.index(i), internal::quote("Toleration", toleration)));
        }
    }
}
