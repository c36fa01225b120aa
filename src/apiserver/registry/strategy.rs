//! What the generic store asks about the objects that a request writes, or about a subresource of them
//! (`RESTCreateStrategy` and `RESTUpdateStrategy` of `k8s.io/apiserver/pkg/registry/rest`).

use super::shown;
use crate::api::{Object, Timestamp};
use crate::apimachinery::{Request, Status, Subresource};
use crate::apiserver::apiextensions::{Validated, View};
use crate::apiserver::context::RequestContext;
use crate::apiserver::kinds::{self, Creation};
use crate::apiserver::validation::Errors;
use crate::apiserver::{rest, warnings};

/// The rules of a write: those of the built-in kinds, or those of a CustomResourceDefinition.
pub(super) enum WriteStrategy {
    /// The object is of a built-in kind.
    BuiltIn(&'static UpdateRules),
    /// The object is of a custom kind.
    Custom {
        /// The kind, in the version of the request.
        view: View,
        /// Whether only the status is written.
        of_status: bool,
    },
}

/// What an update is, of objects of built-in kinds or of one of their subresources. Which kind an object has is asked by the
/// functions.
pub(super) struct UpdateRules {
    default: fn(&mut Object),
    prepare: fn(&mut Object, old: &Object, now: Timestamp),
    validate: fn(&Object, old: &Object) -> Errors,
    warnings: fn(&Object, old: &Object) -> Vec<String>,
}

const OBJECT: UpdateRules = UpdateRules {
    default: rest::default,
    prepare: |object, old, _| kinds::prepare_for_update(object, old),
    validate: rest::validate_update,
    warnings: rest::warnings_on_update,
};

const STATUS: UpdateRules = UpdateRules {
    default: rest::default_for_status,
    prepare: kinds::prepare_for_status_update,
    validate: rest::validate_status_update,
    warnings: rest::warnings_on_status_update,
};

const FINALIZE: UpdateRules = UpdateRules {
    default: rest::default,
    prepare: |object, old, _| kinds::namespace::prepare_for_finalize(object, old),
    validate: rest::validate_finalize,
    warnings: no_warnings,
};

const EPHEMERAL_CONTAINERS: UpdateRules = UpdateRules {
    default: rest::default,
    prepare: |object, old, _| kinds::pod::strategy::prepare_for_ephemeral_containers(object, old),
    validate: rest::validate_ephemeral_containers,
    warnings: no_warnings,
};

const RESIZE: UpdateRules = UpdateRules {
    default: rest::default,
    prepare: |object, old, _| kinds::pod::strategy::prepare_for_resize(object, old),
    validate: rest::validate_resize,
    warnings: no_warnings,
};

const APPROVAL: UpdateRules = UpdateRules {
    default: rest::default,
    prepare: kinds::certificate_signing_request::prepare_for_approval,
    validate: rest::validate_approval,
    warnings: no_warnings,
};

fn no_warnings(_: &Object, _: &Object) -> Vec<String> {
    Vec::new()
}

impl WriteStrategy {
    /// The rules for what a request writes.
    ///
    /// # Errors
    /// 405: the subresource is none that is updated.
    pub(super) fn of(r: &Request, cx: &RequestContext) -> Result<WriteStrategy, Status> {
        let part = r.subresource;
        if let Some(view) = cx.view.clone() {
            return Ok(WriteStrategy::Custom { view, of_status: part == Subresource::Status });
        }
        Ok(WriteStrategy::BuiltIn(match part {
            // A new scale is an update of the object.
            Subresource::None | Subresource::Scale => &OBJECT,
            Subresource::Status => &STATUS,
            Subresource::Finalize => &FINALIZE,
            Subresource::EphemeralContainers => &EPHEMERAL_CONTAINERS,
            Subresource::Resize => &RESIZE,
            Subresource::Approval => &APPROVAL,
            Subresource::Binding
            | Subresource::Eviction
            | Subresource::Proxy
            | Subresource::Ruleset
            | Subresource::Volumes
            | Subresource::Configuration
            | Subresource::AccessReview => {
                return Err(Status::method_not_supported(r.kind, "update"));
            }
        }))
    }

    /// Fills in the defaults of an object that was decoded.
    ///
    /// # Errors
    /// 400: a custom object has not the form of its schema.
    pub(super) fn default(&self, object: &mut Object) -> Result<(), Status> {
        match self {
            WriteStrategy::BuiltIn(rules) => (rules.default)(object),
            WriteStrategy::Custom { view, .. } => view.default(object)?,
        }
        Ok(())
    }

    /// Sets what a new object starts with (`PrepareForCreate`).
    pub(super) fn prepare_for_create(
        &self,
        object: &mut Object,
        creation: &mut Creation<'_>,
    ) -> Result<(), Status> {
        match self {
            WriteStrategy::BuiltIn(_) => kinds::prepare_for_create(object, creation),
            WriteStrategy::Custom { view, .. } => view.prepare_for_create(object)?,
        }
        Ok(())
    }

    /// What is wrong with a new object (`Validate`).
    pub(super) fn validate(&self, object: &Object) -> Validated {
        match self {
            WriteStrategy::BuiltIn(_) => wrong(rest::validate_create(object)),
            WriteStrategy::Custom { view, .. } => view.validate_create(object),
        }
    }

    /// What a client is warned of at the creation of a valid object (`WarningsOnCreate`).
    pub(super) fn warnings_on_create(&self, object: &Object) -> Vec<String> {
        let mut all = match self {
            WriteStrategy::BuiltIn(_) => rest::warnings_on_create(object),
            WriteStrategy::Custom { view, .. } => view.warnings(object, None),
        };
        warnings::clients_outside(&mut all, object, None);
        all
    }

    /// Sets back what the update may not touch, and counts a change of what is wanted (`PrepareForUpdate`).
    pub(super) fn prepare_for_update(
        &self,
        object: &mut Object,
        old: &Object,
        now: Timestamp,
    ) -> Result<(), Status> {
        match self {
            WriteStrategy::BuiltIn(rules) => (rules.prepare)(object, old, now),
            WriteStrategy::Custom { view, of_status: true } => view.prepare_for_status_update(object, old)?,
            WriteStrategy::Custom { view, of_status: false } => view.prepare_for_update(object, old)?,
        }
        Ok(())
    }

    /// What is wrong with the update (`ValidateUpdate`).
    pub(super) fn validate_update(&self, object: &Object, old: &Object) -> Validated {
        match self {
            WriteStrategy::BuiltIn(rules) => wrong((rules.validate)(object, old)),
            WriteStrategy::Custom { view, of_status } => view.validate_update(object, old, *of_status),
        }
    }

    /// What a client is warned of at a valid update (`WarningsOnUpdate`).
    pub(super) fn warnings_on_update(&self, object: &Object, old: &Object) -> Vec<String> {
        let mut all = match self {
            WriteStrategy::BuiltIn(rules) => (rules.warnings)(object, old),
            WriteStrategy::Custom { of_status: true, .. } => Vec::new(),
            WriteStrategy::Custom { view, of_status: false } => view.warnings(object, Some(old)),
        };
        warnings::clients_outside(&mut all, object, Some(old));
        all
    }

    /// The object as it is stored, of one in the version of the request.
    ///
    /// # Errors
    /// 500: the version that custom objects are stored in has no schema.
    pub(super) fn to_stored(&self, object: Object) -> Result<Object, Status> {
        match self {
            WriteStrategy::BuiltIn(_) => Ok(object),
            WriteStrategy::Custom { view, .. } => view.store(&object),
        }
    }

    /// A stored object in the version of the request.
    ///
    /// # Errors
    /// 500: the definition has no longer the version that a custom object is stored in.
    pub(super) fn shown(&self, stored: Object) -> Result<Object, Status> {
        match self {
            WriteStrategy::BuiltIn(_) => Ok(stored),
            WriteStrategy::Custom { view, .. } => shown(stored, Some(view)),
        }
    }
}

fn wrong(errors: Errors) -> Validated {
    Validated { errors, warnings: Vec::new() }
}
