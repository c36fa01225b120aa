//! Ingress.
//!
//! Read from Kubernetes' `pkg/apis/networking/types.go`, `pkg/apis/networking/v1/{conversion,defaults}.go`,
//! `pkg/apis/networking/validation/validation.go`, `pkg/registry/networking/ingress/strategy.go`,
//! `pkg/registry/networking/ingress/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, keep};
use crate::api::types::Ingress;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::validation::{CLASS_ANNOTATION, Errors};
use crate::apiserver::{defaults, printers, validation};

impl Strategy for Ingress {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Class",
            "The name of the IngressClass resource that should be used for additional configuration",
        ),
        Column::text("Hosts", "Hosts that incoming requests are matched against before the ingress rule"),
        Column::text("Address", "Address is a list containing ingress points for the load-balancer"),
        Column::text("Ports", "Ports of TLS configurations that open"),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        defaults::networking::ingress(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        defaults::networking::ingress(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        validation::networking::ingress(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::networking::ingress_update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::networking::ingress_status_update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let classed = self.spec.as_ref().is_some_and(|s| s.ingress_class_name.is_some());
        if self.metadata.annotation(CLASS_ANNOTATION).is_some() && !classed {
            out.push(format!(
                "annotation {CLASS_ANNOTATION:?} is deprecated, please use 'spec.ingressClassName' instead"
            ));
        }
    }

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::networking::ingress(self, now)
    }
}
