//! StorageClass.
//!
//! Read from Kubernetes' `pkg/apis/storage/types.go`, `pkg/apis/storage/v1/defaults.go`,
//! `pkg/apis/storage/validation/validation.go`, `pkg/registry/storage/storageclass/strategy.go`,
//! `pkg/api/storage/util.go` and `pkg/printers/internalversion/printers.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::{StorageClass, TopologySelectorTerm};
use crate::api::volume::is_default_class;
use crate::apiserver::defaults::default;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::field::pointer;
use crate::apiserver::validation::meta::{
    IMMUTABLE, invalid_each, label_name, object_meta, object_meta_update,
};
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, json_map, list, name_is_dns_subdomain, names,
};
use crate::apiserver::warnings;

impl Strategy for StorageClass {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Provisioner", "provisioner indicates the type of the provisioner."),
        Column::text(
            "ReclaimPolicy",
            "reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. Defaults to Delete.",
        ),
        Column::text(
            "VolumeBindingMode",
            "volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate is used. This field is only honored by servers that enable the VolumeScheduling feature.",
        ),
        Column::of(
            "AllowVolumeExpansion",
            "string",
            "allowVolumeExpansion shows whether the storage class allow volume expand.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for! {
        convert, prepare_for_create, prepare_for_update, prepare_for_status_update, validate_status_update,
        field
    }

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        default(&mut this.reclaim_policy, "Delete");
        default(&mut this.volume_binding_mode, "Immediate");
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        validate_provisioner(errs, &self.provisioner, &Path::new("provisioner"));
        validate_parameters(errs, self.parameters.as_ref(), &Path::new("parameters"));
        if let Some(policy) = &self.reclaim_policy
            && !matches!(policy.as_str(), "" | "Delete" | "Retain")
        {
            errs.push(FieldError::not_supported(&Path::new("reclaimPolicy"), policy, &["Delete", "Retain"]));
        }
        let at = Path::new("volumeBindingMode");
        match &self.volume_binding_mode {
            None => errs.push(FieldError::required(&at, "")),
            Some(mode) if !matches!(mode.as_str(), "Immediate" | "WaitForFirstConsumer") => {
                let modes = ["Immediate", "WaitForFirstConsumer"];
                errs.push(FieldError::not_supported(&at, mode, &modes));
            }
            Some(_) => {}
        }
        validate_topologies(errs, list(&self.allowed_topologies), &Path::new("allowedTopologies"));
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        object_meta_update(errs, &self.metadata, &old.metadata);
        let mut immutable = |name: &'static str, changed: bool, value: BadValue| {
            if changed {
                errs.push(FieldError::invalid(&Path::new(name), value, IMMUTABLE));
            }
        };
        let given = |class: &Self| class.parameters.clone().unwrap_or_default();
        immutable("parameters", given(self) != given(old), json_map(self.parameters.as_ref()));
        let provisioner = self.provisioner != old.provisioner;
        immutable("provisioner", provisioner, self.provisioner.as_str().into());
        let policy = self.reclaim_policy != old.reclaim_policy;
        immutable("reclaimPolicy", policy, pointer(&self.reclaim_policy));
        let mode = self.volume_binding_mode != old.volume_binding_mode;
        immutable("volumeBindingMode", mode, pointer(&self.volume_binding_mode));
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        for (i, topology) in self.allowed_topologies.iter().flatten().enumerate() {
            for (j, expression) in topology.match_label_expressions.iter().flatten().enumerate() {
                if let Some(why) = warnings::deprecated_label(&expression.key) {
                    let at = Path::new("allowedTopologies").index(i).child("matchLabelExpressions").index(j);
                    out.push(format!("{}: {why}", at.child("key")));
                }
            }
        }
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let mut title = name(&self.metadata);
        if is_default_class(self) {
            title.push_str(" (default)");
        }
        vec![
            title,
            self.provisioner.clone(),
            self.reclaim_policy.clone().unwrap_or_else(|| "Delete".into()),
            self.volume_binding_mode.clone().unwrap_or_else(|| "<unset>".into()),
            self.allow_volume_expansion.unwrap_or(false).to_string(),
            created(&self.metadata, now),
        ]
    }
}

/// The size of a StorageClass' parameters together, in bytes, and their number.
const MAX_PARAMETERS_SIZE: usize = 256 * 1024;
const MAX_PARAMETERS: usize = 512;

/// The name of a provisioner or a driver (`validateProvisioner`).
pub(super) fn validate_provisioner(errs: &mut Errors, provisioner: &str, path: &Path) {
    if provisioner.is_empty() {
        errs.push(FieldError::required(path, ""));
    } else {
        let messages = names::qualified_name(&provisioner.to_lowercase());
        invalid_each(errs, path, provisioner, messages);
    }
}

/// What a driver is told of a class (`validateParameters`).
pub(super) fn validate_parameters(
    errs: &mut Errors,
    parameters: Option<&BTreeMap<String, String>>,
    path: &Path,
) {
    let Some(parameters) = parameters else { return };
    if parameters.len() > MAX_PARAMETERS {
        errs.push(FieldError::too_long(path, MAX_PARAMETERS));
        return;
    }
    if parameters.contains_key("") {
        errs.push(FieldError::invalid(path, "", "field can not be empty."));
    }
    if parameters.iter().map(|(k, v)| k.len() + v.len()).sum::<usize>() > MAX_PARAMETERS_SIZE {
        errs.push(FieldError::too_long(path, MAX_PARAMETERS_SIZE));
    }
}

/// Where volumes may lie: no term twice, in it no key, in it no value.
fn validate_topologies(errs: &mut Errors, terms: &[TopologySelectorTerm], path: &Path) {
    // Kubernetes compares with as many empty terms as there are terms, too.
    let mut seen = vec![BTreeMap::new(); terms.len()];
    for (i, term) in terms.iter().enumerate() {
        let at = path.index(i).child("matchLabelExpressions");
        let mut keys = BTreeMap::new();
        for (j, expression) in list(&term.match_label_expressions).iter().enumerate() {
            let at = at.index(j);
            if expression.values.is_empty() {
                errs.push(FieldError::required(&at.child("values"), ""));
            }
            let mut values = BTreeSet::new();
            for (k, value) in expression.values.iter().enumerate() {
                if !values.insert(value) {
                    errs.push(FieldError::duplicate(&at.child("values").index(k), value));
                }
            }
            label_name(errs, &expression.key, &at.child("key"));
            if keys.insert(&expression.key, values).is_some() {
                errs.push(FieldError::duplicate(&at.child("key"), &expression.key));
            }
        }
        let times = seen.iter().filter(|before| **before == keys).count();
        errs.extend((0..times).map(|_| FieldError::duplicate(&at, "")));
        seen.push(keys);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object};
    use crate::apiserver::rest::validate_create;
    use crate::apiserver::validation::aggregate;
    use serde_json::{Value, json};

    /// After `TestValidateAllowedTopologies`.
    #[test]
    fn no_topology_twice() {
        let said = |topologies: Value| {
            let body =
                json!({"metadata": {"name": "c"}, "provisioner": "p", "allowedTopologies": topologies});
            let mut class = Object::from_value(Kind::STORAGE_CLASS, body).unwrap();
            crate::apiserver::rest::default(&mut class);
            let errors = validate_create(&class);
            if errors.is_empty() { String::new() } else { aggregate(&errors) }
        };
        let zone = |values: Value| json!({"key": "failure-domain.beta.kubernetes.io/zone", "values": values});
        let term = |expressions: Value| json!({ "matchLabelExpressions": expressions });
        let (one, two) = (zone(json!(["zone1"])), zone(json!(["zone2"])));
        assert_eq!(said(json!([term(json!([one])), term(json!([two]))])), "");
        let at = "allowedTopologies[0].matchLabelExpressions[0]";
        assert_eq!(said(json!([term(json!([zone(json!([]))]))])), format!("{at}.values: Required value"));
        assert_eq!(
            said(json!([term(json!([zone(json!(["zone1", "zone1"]))]))])),
            format!("{at}.values[1]: Duplicate value: \"zone1\"")
        );
        assert_eq!(
            said(json!([term(json!([one, two]))])),
            "allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: \
             \"failure-domain.beta.kubernetes.io/zone\""
        );
        let twice = "allowedTopologies[1].matchLabelExpressions: Duplicate value: \"\"";
        assert_eq!(said(json!([term(json!([one])), term(json!([one]))])), twice);
    }
}
