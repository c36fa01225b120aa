//! What the generic store asks of the strategy of a kind: defaults, validation and warnings
//! (`k8s.io/apiserver/pkg/registry/rest`).
//!
//! A body goes through [`prepare`] as JSON, is decoded, and goes through [`default`] as an object. An object that is
//! validated has been decoded and defaulted, and has its name and its namespace.
//!
//! ```
//! use steady::api::{Kind, Object, types::Service};
//! let mut service = Object::from_value(Kind::SERVICE, serde_json::json!({
//!     "metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}
//! })).unwrap();
//! steady::apiserver::rest::default(&mut service);
//! let spec = service.get::<Service>().unwrap().spec.clone().unwrap();
//! assert_eq!(spec.type_.as_deref(), Some("ClusterIP"));
//!
//! use steady::apiserver::rest::validate_create;
//! let pod = Object::from_value(Kind::CONFIG_MAP, serde_json::json!({
//!     "metadata": {"name": "Bad", "namespace": "default"}
//! })).unwrap();
//! assert_eq!(validate_create(&pod)[0].field, "metadata.name");
//!
//! let service = Object::from_value(Kind::SERVICE, serde_json::json!({
//!     "metadata": {"name": "s"}, "spec": {"type": "ClusterIP", "externalName": "example.com"}
//! })).unwrap();
//! assert_eq!(steady::apiserver::rest::warnings_on_create(&service), [r#"spec.externalName is ignored when spec.type is not "ExternalName""#]);
//! ```

use serde_json::Value;

use super::defaults::omit_empty;
use super::defaults::prepare::quantities_as_text;
use super::kinds;
use super::validation::{Errors, FieldError, meta, names};
use crate::api::types as t;
use crate::api::{Kind, Object};

/// Brings a body into a form from which decoding loses nothing:
///
/// - a quantity may be a JSON number (`cpu: 0.5`); it becomes a string, a `null` becomes `0`;
/// - what is empty, `false` or `0` and may be left out is left out, as Go does when it answers;
/// - another version of the kind than the stored one becomes the stored one;
/// - what the kind's own strategy says of it.
///
/// # Errors
/// Why the kind's own strategy cannot read it.
pub fn prepare(kind: Kind, body: &mut Value) -> Result<(), String> {
    for part in ["spec", "status"] {
        if let Some(value) = body.get_mut(part) {
            quantities_as_text(kind, value);
        }
    }
    omit_empty(kind, body);
    kinds::versions::to_stored(kind, body);
    kinds::convert(kind, body)
}

/// Fills in the defaults of the object's kind and rewrites its quantities to their canonical form.
///
/// Applying it twice changes nothing the second time. A quantity that cannot be parsed is left as
/// it is: decoding refuses it.
pub fn default(object: &mut Object) {
    kinds::default(object);
}

/// [`default`] for an object whose status is written. The spec of these kinds is set back to the
/// stored one before anybody looks, so defaults of it would only copy the object: a sixth of what a
/// pod's status cost.
pub(super) fn default_for_status(object: &mut Object) {
    let has_status = object.get::<t::Deployment>().is_some_and(|d| d.status.is_some())
        || object.get::<t::ReplicaSet>().is_some_and(|rs| rs.status.is_some())
        || object.get::<t::Pod>().is_some_and(|p| p.status.is_some());
    if !has_status {
        default(object);
    }
}

/// What is wrong with an object that is to be made; nothing if it may be.
pub fn validate_create(object: &Object) -> Vec<FieldError> {
    let mut errs = Errors::new();
    kinds::validate(object, &mut errs);
    if errs.is_empty() && object.kind() != Kind::POD {
        // What holds for every kind but pods, which have been asked it, should the kind's own rules have been laxer (`rest.BeforeCreate`).
        meta::object_meta_generic(
            &mut errs,
            object.meta(),
            object.kind().namespaced(),
            names::name_is_path_segment,
        );
    }
    errs
}

/// [`validate_create`] of a pod whose spec is known to be good.
pub(super) fn validate_pod_of_valid_spec(pod: &t::Pod) -> Vec<FieldError> {
    let mut errs = Errors::new();
    kinds::pod::validation::metadata(&mut errs, pod);
    errs
}

/// What holds for the metadata of every kind before the rules of the kind are asked (`validateCommonFields`). Those repeat some
/// of it, and so do the rules of updates after those of all metadata: such an error is among the causes more than once, and
/// in the message once.
fn common_fields(new: &Object, old: &Object) -> Errors {
    let mut errs = Errors::new();
    let namespaced = new.kind().namespaced();
    meta::object_meta_generic(&mut errs, new.meta(), namespaced, names::name_is_path_segment);
    meta::object_meta_update_generic(&mut errs, new.resource_version(), new.meta(), old.meta());
    errs
}

/// What is wrong with an update of `old` to `new`, status aside.
pub fn validate_update(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = common_fields(new, old);
    kinds::validate_update(new, old, &mut errs);
    errs
}

/// What is wrong with an update of `old`'s status to that of `new`.
pub fn validate_status_update(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = common_fields(new, old);
    kinds::validate_status_update(new, old, &mut errs);
    errs
}

/// What is wrong with an update of a namespace's finalizers.
pub fn validate_finalize(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = common_fields(new, old);
    if let (Some(new), Some(old)) = (new.get::<t::Namespace>(), old.get::<t::Namespace>()) {
        kinds::namespace::validate_finalize_update(&mut errs, new, old);
    }
    errs
}

/// What is wrong with an update of a Pod's ephemeral containers.
pub fn validate_ephemeral_containers(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = common_fields(new, old);
    if let (Some(new), Some(old)) = (new.get::<t::Pod>(), old.get::<t::Pod>()) {
        kinds::pod::subresources::ephemeral_containers(&mut errs, new, old);
    }
    errs
}

/// What is wrong with an update of what a Pod's containers request and may use.
pub fn validate_resize(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = common_fields(new, old);
    if let (Some(new), Some(old)) = (new.get::<t::Pod>(), old.get::<t::Pod>()) {
        kinds::pod::subresources::resize(&mut errs, new, old);
    }
    errs
}

/// What is wrong with an update of a CertificateSigningRequest's approval.
pub fn validate_approval(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errs = common_fields(new, old);
    if let (Some(new), Some(old)) =
        (new.get::<t::CertificateSigningRequest>(), old.get::<t::CertificateSigningRequest>())
    {
        kinds::certificate_signing_request::validation::approval_update(&mut errs, new, old);
    }
    errs
}

/// What is wrong with a new status of a pod that stays what it is otherwise.
pub(super) fn validate_pod_status(pod: &t::Pod, status: &t::PodStatus) -> Vec<FieldError> {
    let mut errs = Errors::new();
    kinds::pod::status::status(&mut errs, status, pod);
    errs
}

/// What is to be said of a new object that is valid.
pub fn warnings_on_create(object: &Object) -> Vec<String> {
    kinds::warnings_on_create(object)
}

/// What is to be said of an update that is valid. Pods are silent, and so is a template that is as
/// it was.
pub fn warnings_on_update(new: &Object, old: &Object) -> Vec<String> {
    kinds::warnings_on_update(new, old)
}

/// What is to be said of an update of the status that is valid: addresses there need not be in their canonical form.
pub(super) fn warnings_on_status_update(new: &Object, _old: &Object) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(pod) = new.get::<t::Pod>() {
        kinds::pod::status::warn_of_status(&mut out, pod);
    } else if let Some(service) = new.get::<t::Service>() {
        kinds::service::update::warn_of_status(&mut out, service);
    } else if let Some(ingress) = new.get::<t::Ingress>() {
        kinds::ingress::warn_of_status(&mut out, ingress);
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::apiserver::validation::aggregate;
    use serde_json::json;

    /// `staging/src/k8s.io/apiserver/pkg/registry/rest/update.go`, `validateCommonFields`: `ValidateObjectMetaAccessor` looks at
    /// finalizers, which `ValidateObjectMetaAccessorUpdate` does not.
    #[test]
    fn an_update_has_the_rules_of_all_metadata() {
        let with = |finalizers: Value| {
            let metadata = json!({"name": "c", "namespace": "default", "uid": "u", "resourceVersion": "1",
                "finalizers": finalizers});
            Object::from_value(Kind::CONFIG_MAP, json!({"metadata": metadata})).unwrap()
        };
        let old = with(json!([]));
        let said = |new: &Object| [validate_update(new, &old), validate_status_update(new, &old)];
        assert_eq!(said(&with(json!(["example.com/a"]))), [vec![], vec![]]);
        let new = with(json!(["example.com/-", "orphan", "foregroundDeletion"]));
        for errors in said(&new) {
            let text = aggregate(&errors);
            assert!(
                text.contains("metadata.finalizers: Invalid value: \"example.com/-\": name part must"),
                "{text}"
            );
            assert!(text.contains("finalizer orphan and foregroundDeletion cannot be both set"), "{text}");
        }
    }

    /// `pkg/apis/core/validation/validation.go`, `ValidateServiceUpdate`: it does not validate the metadata as that of a new
    /// Service. What is left are the rules of `validateCommonFields`, which are two, and `ValidateObjectMetaUpdate`.
    #[test]
    fn a_services_metadata_is_validated_three_times_in_an_update() {
        let with = |labels: Value| {
            let metadata = json!({"name": "s", "namespace": "default", "uid": "u", "resourceVersion": "1",
                "labels": labels});
            let spec = json!({"clusterIP": "None", "clusterIPs": ["None"]});
            let mut service =
                Object::from_value(Kind::SERVICE, json!({"metadata": metadata, "spec": spec})).unwrap();
            default(&mut service);
            service
        };
        let errors = validate_update(&with(json!({"a": "not valid"})), &with(json!({})));
        let fields: Vec<&str> = errors.iter().map(|e| e.field.as_str()).collect();
        assert_eq!(fields, ["metadata.labels"; 3]);
    }

    #[test]
    fn numbers_become_text_only_where_a_quantity_stands() {
        let mut v = json!({"spec": {"containers": [{"resources": {"limits": {"cpu": 0.5}}, "ports": [{"containerPort": 1}]}],
            "nodeSelector": {"limits": 1}}});
        prepare(Kind::POD, &mut v).unwrap();
        assert_eq!(
            v,
            json!({"spec": {"containers": [{"resources": {"limits": {"cpu": "0.5"}}, "ports": [{"containerPort": 1}]}],
                "nodeSelector": {"limits": 1}}})
        );
    }
}
