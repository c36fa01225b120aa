//! ServiceAccount.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/validation/validation.go`,
//! `pkg/registry/core/serviceaccount/strategy.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::types::{ObjectMeta, ObjectReference, ServiceAccount};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{object_meta, object_meta_update};
use crate::apiserver::validation::{Errors, name_is_dns_subdomain};

impl Strategy for ServiceAccount {
    const COLUMNS: &'static [Column] = &[NAME, AGE];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for!(convert, default, prepare_for_status_update, validate_status_update, field);

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        only_names(Rc::make_mut(this));
    }

    fn prepare_for_update(this: &mut Rc<Self>, _old: &Self) {
        only_names(Rc::make_mut(this));
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        self.validate(errs);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        mountable_secrets(out, &self.metadata);
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if old.metadata.annotation(MOUNTABLE_SECRETS) != self.metadata.annotation(MOUNTABLE_SECRETS) {
            mountable_secrets(out, &self.metadata);
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![name(&self.metadata), created(&self.metadata, now)]
    }
}

const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

/// Of the secrets of a ServiceAccount only the names are kept.
fn only_names(account: &mut ServiceAccount) {
    for secret in account.secrets.iter_mut().flatten() {
        *secret = ObjectReference { name: secret.name.take(), ..Default::default() };
    }
}

/// Warns of an annotation that is deprecated.
fn mountable_secrets(out: &mut Vec<String>, meta: &ObjectMeta) {
    if meta.annotation(MOUNTABLE_SECRETS).is_some() {
        out.push(format!(
            "metadata.annotations[{MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
        ));
    }
}
