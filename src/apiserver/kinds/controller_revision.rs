//! ControllerRevision.
//!
//! Read from Kubernetes' `pkg/apis/apps/types.go`, `pkg/apis/apps/validation/validation.go`,
//! `pkg/registry/apps/controllerrevision/strategy.go` and `pkg/printers/internalversion/printers.go`.
//! The kind has no defaults, no status and no subresources.

use serde_json::Value;

use super::storage::Storage;
use super::{AGE, Column, NAME, SelectableFields, Strategy};
use crate::api::types::ControllerRevision;
use crate::api::{MetaExt, Timestamp, go_types};
use crate::apiserver::printers;
use crate::apiserver::validation::meta::{IMMUTABLE, non_negative, object_meta, object_meta_update};
use crate::apiserver::validation::names::name_is_dns_subdomain;
use crate::apiserver::validation::{BadValue, Errors, FieldError, Path};

impl Strategy for ControllerRevision {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Controller", "Controller of the object"),
        Column::of("Revision", "string", "Revision indicates the revision of the state represented by Data."),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, default, prepare_for_create, prepare_for_update, prepare_for_status_update,
        validate_status_update, warnings_on_create, warnings_on_update, field
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        non_negative(errs, self.revision, &Path::new("revision"));
        let at = Path::new("data");
        match data(self) {
            None => errs.push(FieldError::required(&at, "data is mandatory")),
            Some(Value::Object(_)) => {}
            Some(_) => errs.push(FieldError::required(&at, "data must be a valid JSON object")),
        }
    }

    /// A revision that was stored before its data had to be an object may keep it.
    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        non_negative(errs, self.revision, &Path::new("revision"));
        let (new, old) = (data(self), data(old));
        if new != old {
            let value = go_types::go_json(new.unwrap_or(&Value::Null));
            errs.push(FieldError::invalid(&Path::new("data"), BadValue::Json(value), IMMUTABLE));
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![
            printers::name(&self.metadata),
            controller(self),
            self.revision.to_string(),
            printers::created(&self.metadata, now),
        ]
    }
}

/// The state that the revision keeps; JSON's null counts as none.
fn data(revision: &ControllerRevision) -> Option<&Value> {
    revision.data.as_ref().map(|d| &d.0).filter(|d| !d.is_null())
}

/// The object that the revision belongs to, as `statefulset.apps/web` (`formatResourceName`).
fn controller(revision: &ControllerRevision) -> String {
    let Some(owner) = revision.metadata.controller() else { return "<none>".to_owned() };
    let kind = owner.kind.to_lowercase();
    match owner.api_version.split_once('/') {
        Some((group, _)) => format!("{kind}.{group}/{}", owner.name),
        None => format!("{kind}/{}", owner.name),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object, Timestamp};
    use crate::apiserver::kinds;
    use crate::apiserver::rest::{validate_create, validate_update};
    use crate::apiserver::validation::aggregate;
    use serde_json::{Value, json};

    fn revision(fields: Value) -> Object {
        let mut body = json!({"metadata": {"name": "web-1", "namespace": "default", "resourceVersion": "1"}});
        let (Value::Object(body_fields), Value::Object(fields)) = (&mut body, fields) else { unreachable!() };
        body_fields.extend(fields);
        Object::from_value(Kind::CONTROLLER_REVISION, body).unwrap()
    }

    #[test]
    fn a_revision_keeps_an_object_and_counts_from_zero() {
        assert!(validate_create(&revision(json!({"data": {"spec": {}}, "revision": 0}))).is_empty());
        for (fields, error) in [
            (json!({"revision": 1}), "data: Required value: data is mandatory"),
            (json!({"data": null, "revision": 1}), "data: Required value: data is mandatory"),
            (json!({"data": [1], "revision": 1}), "data: Required value: data must be a valid JSON object"),
            (
                json!({"data": {}, "revision": -1}),
                "revision: Invalid value: -1: must be greater than or equal to 0",
            ),
            // `ValidateControllerRevisionCreate` looks at the data last.
            (
                json!({"revision": -1}),
                "[revision: Invalid value: -1: must be greater than or equal to 0, data: Required value: data is mandatory]",
            ),
        ] {
            assert_eq!(aggregate(&validate_create(&revision(fields))), error);
        }
    }

    #[test]
    fn the_number_of_a_revision_may_change_and_its_data_may_not() {
        let old = revision(json!({"data": {"a": 1}, "revision": 1}));
        assert!(validate_update(&revision(json!({"data": {"a": 1}, "revision": 2})), &old).is_empty());
        let errors = validate_update(&revision(json!({"data": {"a": 2}, "revision": 1})), &old);
        assert_eq!(aggregate(&errors), r#"data: Invalid value: {"a":2}: field is immutable"#);
    }

    #[test]
    fn a_row_names_the_controller_with_its_group() {
        let row = |owners: Value| {
            let object = Object::from_value(
                Kind::CONTROLLER_REVISION,
                json!({"metadata": {"name": "web-1", "ownerReferences": owners}, "revision": 3}),
            );
            kinds::row(&object.unwrap(), Timestamp::UNIX_EPOCH)
        };
        let owner = json!([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "u", "controller": true}]);
        assert_eq!(row(owner)[..3], ["web-1", "statefulset.apps/web", "3"]);
        assert_eq!(row(json!([]))[1], "<none>");
    }
}
