//! ServiceCIDR.
//!
//! Read from Kubernetes' `pkg/apis/networking/types.go`, `pkg/apis/networking/validation/validation.go`,
//! `pkg/registry/networking/servicecidr/strategy.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, keep, reset_meta_for_status};
use crate::api::Timestamp;
use crate::api::types::ServiceCIDR;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{IMMUTABLE, object_meta, object_meta_update};
use crate::apiserver::validation::{
    Errors, FieldError, Path, internal, ip, json_strings, list, name_is_dns_subdomain,
};

impl Strategy for ServiceCIDR {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "CIDRs",
            "CIDRs defines the IP blocks in CIDR notation (e.g. \"192.168.0.0/24\" or \"2001:db8::/64\") from which to assign service cluster IPs. Max of two CIDRs is allowed, one of each IP family. This field is immutable.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage { reset: &[("status", &[&["metadata"], &["spec"]])], ..Storage::PLAIN };

    fn convert(_body: &mut Value) -> Result<(), String> {
        Ok(())
    }

    fn default(_this: &mut Rc<Self>) {}

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        if this.status.is_some() {
            Rc::make_mut(this).status = None;
        }
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        keep(&mut this.status, &old.status);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        reset_meta_for_status(&mut this.metadata, &old.metadata);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        validate_spec(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let (new, old) = (cidrs(self), cidrs(old));
        let path = Path::new("spec").child("cidrs");
        let mut unchanged = |i: usize, old: &str, new: &str| {
            if old != new {
                errs.push(FieldError::invalid(&path.index(i), new, IMMUTABLE));
            }
        };
        match (old, new) {
            // A second range makes a cluster of one family one of both.
            ([old], [new, _]) => {
                unchanged(0, old, new);
                validate_spec(errs, self);
            }
            (old, new) if old.len() == new.len() => {
                old.iter().zip(new).enumerate().for_each(|(i, (old, new))| unchanged(i, old, new));
            }
            (_, new) => errs.push(FieldError::invalid(&path, json_strings(new), IMMUTABLE)),
        }
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
    }

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, _path: &str) -> Option<String> {
        None
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![name(&self.metadata), cidrs(self).join(","), created(&self.metadata, now)]
    }
}

fn cidrs(of: &ServiceCIDR) -> &[String] {
    of.spec.as_ref().map_or(&[], |s| list(&s.cidrs))
}

/// One range, or one of each family (`validateServiceCIDRSpec`).
fn validate_spec(errs: &mut Errors, of: &ServiceCIDR) {
    let path = Path::new("spec").child("cidrs");
    let cidrs = cidrs(of);
    if cidrs.is_empty() {
        errs.push(FieldError::required(&path, "at least one CIDR required"));
        return;
    }
    if cidrs.len() > 2 {
        let value = internal::quote("ServiceCIDRSpec", &of.spec);
        errs.push(FieldError::invalid(&path, value, "may only hold up to 2 values"));
        return;
    }
    cidrs.iter().enumerate().for_each(|(i, cidr)| ip::cidr(errs, cidr, &path.index(i)));
    let families: Vec<bool> =
        cidrs.iter().filter_map(|c| ip::parse_cidr(c)).map(|(ip, _)| ip.is_ipv4()).collect();
    if let [first, second] = families.as_slice()
        && first == second
    {
        let why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
        errs.push(FieldError::invalid(&path, json_strings(cidrs), why));
    }
}
