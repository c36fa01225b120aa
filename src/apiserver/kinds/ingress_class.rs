//! IngressClass.
//!
//! Read from Kubernetes' `pkg/apis/networking/types.go`, `pkg/apis/networking/v1/defaults.go`,
//! `pkg/apis/networking/validation/validation.go`, `pkg/registry/networking/ingressclass/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::ingress::reference;
use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change};
use crate::api::types::{IngressClass, networking as net};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::printers::{created, name, or_none};
use crate::apiserver::validation::meta::{IMMUTABLE, invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::names::{self, name_is_dns_label, name_is_dns_subdomain};
use crate::apiserver::validation::{Errors, FieldError, Path, or_default, text};

impl Strategy for IngressClass {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Controller", "Controller that is responsible for handling this class"),
        Column::text("Parameters", "A reference to a resource with additional parameters"),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, prepare_for_status_update, validate_status_update, warnings_on_create, warnings_on_update,
        field
    }

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        if let Some(parameters) = &mut this.spec.get_or_insert_default().parameters {
            parameters.scope.get_or_insert_with(|| "Cluster".into());
        }
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        if this.spec != old.spec {
            count_change(&mut Rc::make_mut(this).metadata, &old.metadata, true);
        }
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        let path = Path::new("spec");
        let none = net::IngressClassSpec::default();
        let spec = or_default(&self.spec, &none);
        let (at, controller) = (path.child("controller"), text(&spec.controller));
        if controller.is_empty() {
            errs.push(FieldError::required(&at, ""));
        } else {
            if controller.len() > MAX_CONTROLLER {
                errs.push(FieldError::too_long(&at, MAX_CONTROLLER));
            }
            names::domain_prefixed_path(errs, controller, &at);
        }
        if let Some(parameters) = &spec.parameters {
            class_parameters(errs, parameters, &path.child("parameters"));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let controller = |c: &IngressClass| c.spec.as_ref().and_then(|s| s.controller.clone());
        if controller(self) != controller(old) {
            let at = Path::new("spec").child("controller");
            errs.push(FieldError::invalid(&at, text(&controller(self)), IMMUTABLE));
        }
        self.validate(errs);
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let spec = self.spec.clone().unwrap_or_default();
        let parameters = spec.parameters.as_ref().map(|p| match &p.api_group {
            Some(group) => format!("{}.{group}/{}", p.kind, p.name),
            None => format!("{}/{}", p.kind, p.name),
        });
        let mut title = name(&self.metadata);
        if self.metadata.annotation("ingressclass.kubernetes.io/is-default-class") == Some("true") {
            title.push_str(" (default)");
        }
        vec![
            title,
            spec.controller.unwrap_or_default(),
            or_none(parameters.as_deref()),
            created(&self.metadata, now),
        ]
    }
}

/// The largest length of a controller's name, in bytes.
const MAX_CONTROLLER: usize = 250;

fn class_parameters(errs: &mut Errors, p: &net::IngressClassParametersReference, path: &Path) {
    reference(errs, p.api_group.as_deref(), &p.kind, &p.name, path);
    let at = path.child("namespace");
    match (p.scope.as_deref(), &p.namespace) {
        (None, _) => errs.push(FieldError::required(&path.child("scope"), "")),
        (Some("Namespace"), None) => {
            errs.push(FieldError::required(&at, "`parameters.scope` is set to 'Namespace'"));
        }
        (Some("Namespace"), Some(namespace)) => {
            invalid_each(errs, &at, namespace, name_is_dns_label(namespace, false));
        }
        (Some("Cluster"), Some(_)) => {
            errs.push(FieldError::forbidden(&at, "`parameters.scope` is set to 'Cluster'"));
        }
        (Some("Cluster"), None) => {}
        (Some(scope), _) => {
            errs.push(FieldError::not_supported(&path.child("scope"), scope, &["Cluster", "Namespace"]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::types::ObjectMeta;

    /// Since 1.36 (#134422), as for StorageClasses.
    #[test]
    fn the_default_class_is_marked() {
        let titled = |default: Option<&str>| {
            let annotations = default.map(|d| {
                [("ingressclass.kubernetes.io/is-default-class".to_owned(), d.to_owned())]
                    .into_iter()
                    .collect()
            });
            let metadata = ObjectMeta { name: Some("nginx".into()), annotations, ..Default::default() };
            IngressClass { metadata, spec: None }.row(Timestamp::UNIX_EPOCH).first().cloned()
        };
        assert_eq!(titled(Some("true")).as_deref(), Some("nginx (default)"));
        assert_eq!(titled(Some("false")).as_deref(), Some("nginx"));
        assert_eq!(titled(None).as_deref(), Some("nginx"));
    }
}
