//! ResourceClaim.
//!
//! Read from Kubernetes' `pkg/apis/resource/types.go`, `pkg/apis/resource/v1/defaults.go`,
//! `pkg/apis/resource/validation/validation.go`, `pkg/registry/resource/resourceclaim/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

mod status;

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, keep, reset_meta_for_status};
use crate::api::types::resource::{DeviceRequest, ResourceClaimStatus};
use crate::api::types::{ObjectMeta, ResourceClaim, ResourceClaimTemplate};
use crate::api::{ApiKind, Object, Timestamp, cells};
use crate::apiserver::defaults::{self, prepare};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{IMMUTABLE, object_meta, object_meta_update};
use crate::apiserver::validation::{
    Errors, FieldError, Path, devices, internal, list, name_is_dns_subdomain, semantic_eq,
};

impl Strategy for ResourceClaim {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("State", "A summary of the current state (allocated, pending, reserved, etc.)."),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for!(warnings_on_create, warnings_on_update, field);

    fn convert(body: &mut Value) -> Result<(), String> {
        capacity_as_text(body.pointer_mut("/spec/devices/requests"));
        for result in items(body.pointer_mut("/status/allocation/devices/results")) {
            let consumed = result.get_mut("consumedCapacity").and_then(Value::as_object_mut);
            consumed.into_iter().flat_map(|map| map.values_mut()).for_each(prepare::to_text);
        }
        Ok(())
    }

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        defaults::devices::claim_spec(&mut this.spec);
        let status = this.status.get_or_insert_default();
        let devices = status.allocation.as_mut().map(|a| a.devices.get_or_insert_default());
        for result in devices.into_iter().flat_map(|d| d.results.iter_mut().flatten()) {
            defaults::devices::tolerations(&mut result.tolerations);
            let consumed = result.consumed_capacity.iter_mut().flat_map(|c| c.values_mut());
            consumed.for_each(defaults::quantities::canonical);
        }
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        Rc::make_mut(this).status = Some(ResourceClaimStatus::default());
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        keep(&mut Rc::make_mut(this).status, &old.status);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        reset_meta_for_status(&mut this.metadata, &old.metadata);
        drop_deallocated(this, old);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        devices::claim_spec(errs, &self.spec, &Path::new("spec"));
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        object_meta_update(errs, &self.metadata, &old.metadata);
        if !semantic_eq(&self.spec, &old.spec) {
            let value = internal::quote("ResourceClaimSpec", &self.spec);
            errs.push(FieldError::invalid(&Path::new("spec"), value, IMMUTABLE));
        }
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        status::validate(errs, self, old);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![name(&self.metadata), cells::resource_claim_state(self), created(&self.metadata, now)]
    }
}

/// The items of a list in a body.
fn items(list: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    list.and_then(Value::as_array_mut).into_iter().flatten()
}

/// Turns the capacities that requests ask for from numbers into text.
pub(super) fn capacity_as_text(requests: Option<&mut Value>) {
    let amounts = |request: &mut Value| {
        let capacity = request.pointer_mut("/capacity/requests").and_then(Value::as_object_mut);
        capacity.into_iter().flat_map(|map| map.values_mut()).for_each(prepare::to_text);
    };
    for request in items(requests) {
        request.get_mut("exactly").into_iter().for_each(amounts);
        items(request.get_mut("firstAvailable")).for_each(amounts);
    }
}

/// Drops what drivers said of devices that the claim has no longer (`dropDeallocatedStatusDevices`).
fn drop_deallocated(this: &mut ResourceClaim, old: &ResourceClaim) {
    let allocated = |claim: &ResourceClaim| -> BTreeSet<(String, String, String)> {
        let allocation = claim.status.as_ref().and_then(|s| s.allocation.as_ref());
        let results = allocation.and_then(|a| a.devices.as_ref()).map_or(&[][..], |d| list(&d.results));
        results.iter().map(|r| (r.driver.clone(), r.pool.clone(), r.device.clone())).collect()
    };
    let (before, now) = (allocated(old), allocated(this));
    let Some(status) = &mut this.status else { return };
    if let Some(devices) = &mut status.devices {
        devices.retain(|d| {
            let id = (d.driver.clone(), d.pool.clone(), d.device.clone());
            now.contains(&id) || !before.contains(&id)
        });
    }
    status.devices = status.devices.take().filter(|devices| !devices.is_empty());
}

/// Where an object asks for admin access to devices, which only claims in namespaces with a certain label may
/// (`AuthorizedForAdmin` and `AuthorizedForAdminStatus` in `pkg/registry/resource/utils.go`). `old` is the claim before, if its
/// status is written.
pub(in crate::apiserver) fn admin_access(object: &Object, old: Option<&Object>) -> Option<Path> {
    if let Some(old) = old {
        if granted(ResourceClaim::from_object(old)?).is_some() {
            return None;
        }
        let i = granted(ResourceClaim::from_object(object)?)?;
        let results = Path::new("status").child("allocation").child("devices").child("results");
        return Some(results.index(i).child("adminAccess"));
    }
    let spec = match ResourceClaim::from_object(object) {
        Some(claim) => &claim.spec,
        None => &ResourceClaimTemplate::from_object(object)?.spec.spec,
    };
    let asks =
        |request: &DeviceRequest| request.exactly.as_ref().is_some_and(|e| e.admin_access == Some(true));
    let i = spec.devices.as_ref().and_then(|d| list(&d.requests).iter().position(asks))?;
    Some(Path::new("spec").child("devices").child("requests").index(i).child("adminAccess"))
}

/// The first result of a claim that gives admin access.
fn granted(claim: &ResourceClaim) -> Option<usize> {
    let devices = claim.status.as_ref()?.allocation.as_ref()?.devices.as_ref()?;
    list(&devices.results).iter().position(|r| r.admin_access == Some(true))
}

/// Whether claims in a namespace with these metadata may ask for admin access.
pub(in crate::apiserver) fn allows_admin_access(namespace: &ObjectMeta) -> bool {
    let labels = namespace.labels.as_ref();
    labels.and_then(|l| l.get(crate::api::types::resource::ADMIN_ACCESS)).is_some_and(|value| value == "true")
}
