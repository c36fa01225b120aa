//! Lease.
//!
//! Read from Kubernetes' `pkg/apis/coordination/types.go`, `pkg/apis/coordination/validation/validation.go`,
//! `pkg/registry/coordination/lease/strategy.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::types::{Lease, LeaseSpec};
use crate::api::{ApiKind, Timestamp};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{
    invalid_each, non_negative, object_meta_generic, object_meta_update_generic,
};
use crate::apiserver::validation::{Errors, FieldError, Path, name_is_dns_subdomain, names, text};

impl Strategy for Lease {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Holder",
            "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, default, prepare_for_status_update, validate_status_update, warnings_on_create,
        warnings_on_update, field
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        drop_election(this, None);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        drop_election(this, old.spec.as_ref());
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta_generic(errs, &self.metadata, true, name_is_dns_subdomain);
        validate_spec(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update_generic(errs, self.resource_version(), &self.metadata, &old.metadata);
        validate_spec(errs, self);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let holder = self.spec.as_ref().and_then(|s| s.holder_identity.clone()).unwrap_or_default();
        vec![name(&self.metadata), holder, created(&self.metadata, now)]
    }
}

/// Drops the fields of coordinated leader election, whose gate is off by default, unless the old Lease has them.
fn drop_election(lease: &mut Rc<Lease>, old: Option<&LeaseSpec>) {
    let drops_strategy = old.is_none_or(|s| s.strategy.is_none());
    let drops_holder = old.is_none_or(|s| s.preferred_holder.is_none());
    let has = |s: &LeaseSpec| {
        (drops_strategy && s.strategy.is_some()) || (drops_holder && s.preferred_holder.is_some())
    };
    if !lease.spec.as_ref().is_some_and(has) {
        return;
    }
    if let Some(spec) = &mut Rc::make_mut(lease).spec {
        spec.strategy.take_if(|_| drops_strategy);
        spec.preferred_holder.take_if(|_| drops_holder);
    }
}

fn validate_spec(errs: &mut Errors, lease: &Lease) {
    let Some(spec) = &lease.spec else { return };
    let path = Path::new("spec");
    if let Some(seconds) = spec.lease_duration_seconds.filter(|s| *s <= 0) {
        errs.push(FieldError::invalid(
            &path.child("leaseDurationSeconds"),
            seconds,
            "must be greater than 0",
        ));
    }
    if let Some(count) = spec.lease_transitions {
        non_negative(errs, count, &path.child("leaseTransitions"));
    }
    if let Some(strategy) = &spec.strategy {
        let at = path.child("strategy").child("strategy");
        if strategy.contains('/') {
            invalid_each(errs, &at, strategy, names::qualified_name(strategy));
        } else if strategy != "OldestEmulationVersion" {
            errs.push(FieldError::not_supported(&at, strategy, &["OldestEmulationVersion"]));
        }
    }
    if !text(&spec.preferred_holder).is_empty() && text(&spec.strategy).is_empty() {
        errs.push(FieldError::forbidden(
            &path.child("preferredHolder"),
            "may only be specified if `strategy` is defined",
        ));
    }
}
