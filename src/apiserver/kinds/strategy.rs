//! What is peculiar to a built-in kind: [`Strategy`], and the one of each kind behind one type ([`strategy`]).

use std::marker::PhantomData;
use std::rc::Rc;

use serde_json::Value;

use super::column::Column;
use super::storage::Storage;
use crate::api::{ApiKind, BuiltIn, Kind, Object, Timestamp, types};
use crate::apimachinery::UserInfo;
use crate::apiserver::validation::Errors;
use crate::with_built_in_kinds;

/// What the creation of an object knows beside the object.
pub(in crate::apiserver) struct Creation<'a> {
    /// The time that stamps objects, in whole seconds.
    pub now: Timestamp,
    /// Whether the object came with labels. Those of one that came without are of its defaults.
    pub labelled: bool,
    /// Who makes the object; `None` for a component of the cluster.
    pub user: Option<&'a UserInfo>,
    /// What the client is warned of.
    pub warnings: &'a mut Vec<String>,
}

/// The fields by which objects of a kind can be selected.
#[derive(Clone, Copy, Debug)]
pub(in crate::apiserver) enum SelectableFields {
    /// `metadata.name` and `metadata.namespace`: the kind has no conversion function for field labels.
    NameAndNamespace,
    /// These, and the refusal of others says which field it was.
    These(&'static [&'static str]),
    /// These, and the refusal names the field and the kind.
    TheseOfKind(&'static [&'static str]),
}

/// What is peculiar to a built-in kind (`pkg/registry/*/*/strategy.go`, `pkg/apis/*/*/{conversion,defaults}.go`,
/// `pkg/apis/*/validation`, `pkg/printers/internalversion`).
///
/// Functions that change an object get the shared struct: one that changes nothing leaves it shared, and so copies
/// nothing.
pub(in crate::apiserver) trait Strategy: ApiKind {
    /// The columns of its table.
    const COLUMNS: &'static [Column];
    /// The fields by which it can be selected; [`Strategy::field`] reads them.
    const SELECTABLE_FIELDS: SelectableFields;
    /// Whether a PUT makes the object where there is none (`AllowCreateOnUpdate`).
    const ALLOW_CREATE_ON_UPDATE: bool;
    /// Whether it can be replaced without saying which version is replaced (`AllowUnconditionalUpdate`).
    const ALLOW_UNCONDITIONAL_UPDATE: bool;
    /// How its store differs from the generic one.
    const STORAGE: Storage;

    /// Brings a body into a form from which decoding loses nothing that the kind's validation has to see.
    ///
    /// # Errors
    /// Why an annotation that stands for a field cannot be read.
    fn convert(body: &mut Value) -> Result<(), String>;
    /// Fills in the defaults. Called twice, it changes nothing the second time.
    fn default(this: &mut Rc<Self>);
    /// Sets what a new object starts with (`PrepareForCreate`).
    fn prepare_for_create(this: &mut Rc<Self>, creation: &mut Creation<'_>);
    /// Sets back what an update may not touch, and counts a change of what is wanted (`PrepareForUpdate`).
    fn prepare_for_update(this: &mut Rc<Self>, old: &Self);
    /// Sets back everything that an update of the status may not touch (`PrepareForUpdate` of the status strategy).
    /// A kind without a status does nothing.
    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, now: Timestamp);
    /// Finds what is wrong with a new object (`Validate`).
    fn validate(&self, errs: &mut Errors);
    /// Finds what is wrong with an update (`ValidateUpdate`).
    fn validate_update(&self, old: &Self, errs: &mut Errors);
    /// Finds what is wrong with an update of the status (`ValidateUpdate` of the status strategy).
    fn validate_status_update(&self, old: &Self, errs: &mut Errors);
    /// What a client is warned of at a create that is valid (`WarningsOnCreate`).
    fn warnings_on_create(&self, out: &mut Vec<String>);
    /// What a client is warned of at an update that is valid (`WarningsOnUpdate`).
    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>);
    /// The value of a selectable field other than the object's name and namespace; `None` if it is not set.
    fn field(&self, path: &str) -> Option<String>;
    /// The cells of its table, one for each of [`Strategy::COLUMNS`].
    fn row(&self, now: Timestamp) -> Vec<String>;
}

/// A [`Strategy`] behind one type.
pub(in crate::apiserver) trait Dispatch {
    fn columns(&self) -> &'static [Column];
    fn selectable_fields(&self) -> SelectableFields;
    fn allow_create_on_update(&self) -> bool;
    fn allow_unconditional_update(&self) -> bool;
    fn storage(&self) -> Storage;
    fn convert(&self, body: &mut Value) -> Result<(), String>;
    fn default(&self, object: &mut Object);
    fn prepare_for_create(&self, object: &mut Object, creation: &mut Creation<'_>);
    fn prepare_for_update(&self, object: &mut Object, old: &Object);
    fn prepare_for_status_update(&self, object: &mut Object, old: &Object, now: Timestamp);
    fn validate(&self, object: &Object, errs: &mut Errors);
    fn validate_update(&self, object: &Object, old: &Object, errs: &mut Errors);
    fn validate_status_update(&self, object: &Object, old: &Object, errs: &mut Errors);
    fn warnings_on_create(&self, object: &Object, out: &mut Vec<String>);
    fn warnings_on_update(&self, object: &Object, old: &Object, out: &mut Vec<String>);
    fn field(&self, object: &Object, path: &str) -> Option<String>;
    fn row(&self, object: &Object, now: Timestamp) -> Option<Vec<String>>;
}

impl<T: Strategy> Dispatch for PhantomData<T> {
    fn columns(&self) -> &'static [Column] {
        T::COLUMNS
    }

    fn selectable_fields(&self) -> SelectableFields {
        T::SELECTABLE_FIELDS
    }

    fn allow_create_on_update(&self) -> bool {
        T::ALLOW_CREATE_ON_UPDATE
    }

    fn allow_unconditional_update(&self) -> bool {
        T::ALLOW_UNCONDITIONAL_UPDATE
    }

    fn storage(&self) -> Storage {
        T::STORAGE
    }

    fn convert(&self, body: &mut Value) -> Result<(), String> {
        T::convert(body)
    }

    fn default(&self, object: &mut Object) {
        if let Some(this) = T::shared_mut(object) {
            T::default(this);
        }
    }

    fn prepare_for_create(&self, object: &mut Object, creation: &mut Creation<'_>) {
        if let Some(this) = T::shared_mut(object) {
            T::prepare_for_create(this, creation);
        }
    }

    fn prepare_for_update(&self, object: &mut Object, old: &Object) {
        if let (Some(this), Some(old)) = (T::shared_mut(object), T::from_object(old)) {
            T::prepare_for_update(this, old);
        }
    }

    fn prepare_for_status_update(&self, object: &mut Object, old: &Object, now: Timestamp) {
        if let (Some(this), Some(old)) = (T::shared_mut(object), T::from_object(old)) {
            T::prepare_for_status_update(this, old, now);
        }
    }

    fn validate(&self, object: &Object, errs: &mut Errors) {
        if let Some(this) = T::from_object(object) {
            this.validate(errs);
        }
    }

    fn validate_update(&self, object: &Object, old: &Object, errs: &mut Errors) {
        if let (Some(this), Some(old)) = (T::from_object(object), T::from_object(old)) {
            this.validate_update(old, errs);
        }
    }

    fn validate_status_update(&self, object: &Object, old: &Object, errs: &mut Errors) {
        if let (Some(this), Some(old)) = (T::from_object(object), T::from_object(old)) {
            this.validate_status_update(old, errs);
        }
    }

    fn warnings_on_create(&self, object: &Object, out: &mut Vec<String>) {
        if let Some(this) = T::from_object(object) {
            this.warnings_on_create(out);
        }
    }

    fn warnings_on_update(&self, object: &Object, old: &Object, out: &mut Vec<String>) {
        if let (Some(this), Some(old)) = (T::from_object(object), T::from_object(old)) {
            this.warnings_on_update(old, out);
        }
    }

    fn field(&self, object: &Object, path: &str) -> Option<String> {
        T::from_object(object)?.field(path)
    }

    fn row(&self, object: &Object, now: Timestamp) -> Option<Vec<String>> {
        Some(T::from_object(object)?.row(now))
    }
}

macro_rules! strategies {
    ($($(#[$doc:meta])* $kind:ident $constant:ident: $group:literal / $version:literal $plural:literal $singular:literal [$($short:literal),*] $scope:ident [$($sub:literal),*];)*) => {
        /// The strategy of a kind; `None` for one that a CustomResourceDefinition made.
        pub(super) fn strategy(kind: Kind) -> Option<&'static dyn Dispatch> {
            Some(match kind.built_in()? { $(BuiltIn::$kind => &PhantomData::<types::$kind>,)* })
        }
    };
}

with_built_in_kinds!(strategies);
