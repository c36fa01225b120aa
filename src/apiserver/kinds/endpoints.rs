//! Endpoints.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/endpoint/strategy.go`,
//! `pkg/registry/core/endpoint/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::Endpoints;
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation};

impl Strategy for Endpoints {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Endpoints",
            "The set of all endpoints is the union of all subsets. Addresses are placed into subsets according to the IPs they share. A single address with multiple ports, some of which are ready and some of which are not (because they come from different containers) will result in the address being displayed in different subsets for the different ports. No address will appear in both Addresses and NotReadyAddresses in the same subset. Sets of addresses and ports that comprise a service.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        let ports = this.subsets.iter_mut().flatten().flat_map(|s| s.ports.iter_mut().flatten());
        ports.for_each(|p| defaults::default(&mut p.protocol, "TCP"));
    }

    fn prepare_for_create(_this: &mut Rc<Self>, _creation: &mut Creation<'_>) {}

    fn prepare_for_update(_this: &mut Rc<Self>, _old: &Self) {}

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, errs: &mut Errors) {
        validation::endpoints::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::endpoints::update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::endpoints::endpoints(self, now)
    }
}
