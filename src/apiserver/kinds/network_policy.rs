//! NetworkPolicy.
//!
//! Read from Kubernetes' `pkg/apis/networking/types.go`, `pkg/apis/networking/v1/{conversion,defaults}.go`,
//! `pkg/apis/networking/validation/validation.go`, `pkg/registry/networking/networkpolicy/strategy.go`,
//! `pkg/registry/networking/networkpolicy/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::types::NetworkPolicy;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation, warnings};

impl Strategy for NetworkPolicy {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Pod-Selector",
            "podSelector selects the pods to which this NetworkPolicy object applies. The array of rules is applied to any pods selected by this field. An empty selector matches all pods in the policy's namespace. Multiple network policies can select the same set of pods. In this case, the ingress rules for each are combined additively. This field is optional. If it is not specified, it defaults to an empty selector.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        defaults::networking::policy(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        if this.spec != old.spec {
            Rc::make_mut(this).metadata.generation = Some(old.metadata.generation() + 1);
        }
    }

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, errs: &mut Errors) {
        validation::networking::policy(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::networking::policy_update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warnings::network_policy(out, self);
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        warnings::network_policy(out, self);
    }

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::networking::policy(self, now)
    }
}
