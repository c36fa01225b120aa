//! PodDisruptionBudget.
//!
//! Read from Kubernetes' `pkg/apis/policy/types.go`, `pkg/apis/policy/v1/conversion.go`,
//! `pkg/apis/policy/validation/validation.go`, `pkg/registry/policy/poddisruptionbudget/strategy.go`,
//! `pkg/registry/policy/poddisruptionbudget/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change};
use crate::api::types::{self as t, PodDisruptionBudget};
use crate::api::{Timestamp, intstr};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::int_or_percent::{not_more_than_100_percent, positive_int_or_percent};
use crate::apiserver::validation::meta::{conditions, label_selector, non_negative};
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, go_json_string, internal, list, or_default,
};

impl Strategy for PodDisruptionBudget {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Min Available", "The minimum number of pods that must be available."),
        Column::text("Max Unavailable", "The maximum number of pods that may be unavailable."),
        Column::of(
            "Allowed Disruptions",
            "integer",
            "Calculated number of pods that may be disrupted at this time.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for!(convert, warnings_on_create, warnings_on_update, field);

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        this.status.get_or_insert_default();
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        let path = Path::new("spec");
        let none = Default::default();
        let spec = or_default(&self.spec, &none);
        if spec.min_available.is_some() && spec.max_unavailable.is_some() {
            errs.push(FieldError::invalid(
                &path,
                quote_spec(spec),
                "minAvailable and maxUnavailable cannot be both set",
            ));
        }
        for (name, value) in
            [("minAvailable", &spec.min_available), ("maxUnavailable", &spec.max_unavailable)]
        {
            if let Some(value) = value {
                positive_int_or_percent(errs, value, &path.child(name));
                not_more_than_100_percent(errs, value, &path.child(name));
            }
        }
        label_selector(errs, spec.selector.as_ref(), &path.child("selector"));
        if let Some(policy) = &spec.unhealthy_pod_eviction_policy
            && !matches!(policy.as_str(), "AlwaysAllow" | "IfHealthyBudget")
        {
            errs.push(FieldError::not_supported(
                &path.child("unhealthyPodEvictionPolicy"),
                policy,
                &["AlwaysAllow", "IfHealthyBudget"],
            ));
        }
    }

    fn validate_update(&self, _old: &Self, errs: &mut Errors) {
        self.validate(errs);
    }

    fn validate_status_update(&self, _old: &Self, errs: &mut Errors) {
        let path = Path::new("status");
        let none = Default::default();
        let status = or_default(&self.status, &none);
        conditions(errs, list(&status.conditions), &path.child("conditions"));
        for (name, count) in [
            ("disruptionsAllowed", status.disruptions_allowed),
            ("currentHealthy", status.current_healthy),
            ("desiredHealthy", status.desired_healthy),
            ("expectedPods", status.expected_pods),
        ] {
            non_negative(errs, count.unwrap_or_default(), &path.child(name));
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let spec = self.spec.clone().unwrap_or_default();
        let or_na = |v: &Option<crate::api::types::IntOrString>| {
            v.as_ref().map_or_else(|| "N/A".to_owned(), intstr::to_string)
        };
        vec![
            name(&self.metadata),
            or_na(&spec.min_available),
            or_na(&spec.max_unavailable),
            self.status.as_ref().and_then(|s| s.disruptions_allowed).unwrap_or(0).to_string(),
            created(&self.metadata, now),
        ]
    }
}

fn quote_spec(spec: &t::PodDisruptionBudgetSpec) -> BadValue {
    let number = |v: &Option<t::IntOrString>| match v {
        None => "null".to_owned(),
        Some(t::IntOrString::Int(i)) => i.to_string(),
        Some(t::IntOrString::String(s)) => go_json_string(s),
    };
    let policy = spec.unhealthy_pod_eviction_policy.as_ref().map(|p| go_json_string(p));
    BadValue::Json(format!(
        "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\"UnhealthyPodEvictionPolicy\":{}}}",
        number(&spec.min_available),
        internal::quote_selector(spec.selector.as_ref()),
        number(&spec.max_unavailable),
        policy.unwrap_or_else(|| "null".to_owned()),
    ))
}
