//! Built-in kinds, one file each: what the API server does differently for objects of each kind.
//!
//! A file implements `Strategy` for one kind. The trait has no default bodies, so a kind that forgets something
//! does not compile; methods that do nothing for the kind are named in `nothing_for!`. And `strategy` goes through the
//! table of kinds, so a kind without a file does not compile either. The rest of the API server calls the functions of
//! this module with an [`Object`] and never asks which kind it has before it.
//!
//! Objects of kinds that a CustomResourceDefinition made have no strategy here: what their definition says of them is
//! in `apiserver::apiextensions`.

use std::marker::PhantomData;
use std::rc::Rc;

use serde_json::Value;

use super::validation::Errors;
use crate::api::types::{ObjectMeta, PodTemplateSpec};
use crate::api::{ApiKind, BuiltIn, Kind, MetaExt, Object, Timestamp, types};
use crate::with_built_in_kinds;

/// Writes out the methods of [`Strategy`] that do nothing for a kind, by their names. A kind lists them one by one, so a
/// new method of the trait has to be decided for every kind.
macro_rules! nothing_for {
    ($($method:ident),*) => { $(nothing_for!(@$method);)* };
    (@convert) => {
        fn convert(_: &mut serde_json::Value) {}
    };
    (@default) => {
        fn default(_: &mut std::rc::Rc<Self>) {}
    };
    (@prepare_for_create) => {
        fn prepare_for_create(_: &mut std::rc::Rc<Self>, _: &mut crate::apiserver::kinds::Creation<'_>) {}
    };
    (@prepare_for_update) => {
        fn prepare_for_update(_: &mut std::rc::Rc<Self>, _: &Self) {}
    };
    (@prepare_for_status_update) => {
        fn prepare_for_status_update(_: &mut std::rc::Rc<Self>, _: &Self, _: crate::api::Timestamp) {}
    };
    (@validate_status_update) => {
        fn validate_status_update(&self, _: &Self, _: &mut crate::apiserver::validation::Errors) {}
    };
    (@warnings_on_create) => {
        fn warnings_on_create(&self, _: &mut Vec<String>) {}
    };
    (@warnings_on_update) => {
        fn warnings_on_update(&self, _: &Self, _: &mut Vec<String>) {}
    };
    (@field) => {
        fn field(&self, _: &str) -> Option<String> {
            None
        }
    };
}

/// Writes out [`Strategy::prepare_for_status_update`] of a kind of whose status updates only the spec is set back.
macro_rules! status_keeps_spec {
    () => {
        fn prepare_for_status_update(this: &mut std::rc::Rc<Self>, old: &Self, _: crate::api::Timestamp) {
            crate::apiserver::kinds::keep(&mut std::rc::Rc::make_mut(this).spec, &old.spec);
        }
    };
}

pub(super) mod certificate_signing_request;
mod cluster_role;
mod cluster_role_binding;
mod config_map;
mod controller_revision;
pub(super) mod cron_job;
mod csi_driver;
mod csi_node;
mod csi_storage_capacity;
mod custom_resource_definition;
mod daemon_set;
mod deployment;
mod endpoint_slice;
mod endpoints;
mod event;
pub(super) mod horizontal_pod_autoscaler;
pub(super) mod ingress;
mod ingress_class;
mod ip_address;
mod job;
mod lease;
mod limit_range;
pub(super) mod namespace;
mod network_policy;
pub(super) mod node;
mod persistent_volume;
mod persistent_volume_claim;
pub(super) mod pod;
mod pod_disruption_budget;
mod pod_template;
mod priority_class;
mod replica_set;
mod replication_controller;
mod resource_quota;
mod role;
pub(super) mod role_binding;
mod runtime_class;
mod secret;
pub(super) mod service;
mod service_account;
mod service_cidr;
mod stateful_set;
mod storage;
mod storage_class;
mod version;
pub(super) mod versions;
mod volume_attachment;
mod volume_attributes_class;

pub use pod::row::{Summary, summarize};
pub(super) use storage::{Replicas, Storage};

/// A column of the table that lists objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, as the API server has it; kubectl prints it in capitals.
    pub name: &'static str,
    /// The OpenAPI type of its cells: `string`, `integer`, `boolean`.
    pub kind: &'static str,
    /// The OpenAPI format of its cells: `name` for the name of an object, else empty.
    pub format: &'static str,
    /// What its cells hold, in the words of Kubernetes' API.
    pub description: &'static str,
    /// Whether its cells are JSON numbers or booleans. Some integers are printed as text.
    pub bare: bool,
    /// Whether only `-o wide` shows it (priority 1).
    pub wide: bool,
}

impl Column {
    const fn text(name: &'static str, description: &'static str) -> Column {
        Column { name, kind: "string", format: "", description, bare: false, wide: false }
    }

    const fn of(name: &'static str, kind: &'static str, description: &'static str) -> Column {
        Column { name, kind, format: "", description, bare: true, wide: false }
    }

    const fn wide(self) -> Column {
        Column { wide: true, ..self }
    }

    const fn named(self) -> Column {
        Column { format: "name", ..self }
    }

    const fn as_text(self) -> Column {
        Column { bare: false, ..self }
    }
}

/// The column `Name`, in Kubernetes' words.
pub(super) const NAME: Column = Column::text(
    "Name",
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
)
.named();
/// The column `Age`, in Kubernetes' words.
pub(super) const AGE: Column = Column::text(
    "Age",
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
);

/// The column of a kind that has no printer of its own.
pub(super) const CREATED_AT: Column = Column { kind: "date", ..Column::text("Created At", AGE.description) };

/// What the creation of an object knows beside the object.
pub(super) struct Creation<'a> {
    /// The time that stamps objects, in whole seconds.
    pub now: Timestamp,
    /// What the client is warned of.
    pub warnings: &'a mut Vec<String>,
}

/// The fields by which objects of a kind can be selected.
#[derive(Clone, Copy, Debug)]
pub(super) enum SelectableFields {
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
pub(super) trait Strategy: ApiKind {
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
    fn convert(body: &mut Value);
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
trait Dispatch {
    fn columns(&self) -> &'static [Column];
    fn selectable_fields(&self) -> SelectableFields;
    fn allow_create_on_update(&self) -> bool;
    fn allow_unconditional_update(&self) -> bool;
    fn storage(&self) -> Storage;
    fn convert(&self, body: &mut Value);
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

    fn convert(&self, body: &mut Value) {
        T::convert(body);
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
        fn strategy(kind: Kind) -> Option<&'static dyn Dispatch> {
            Some(match kind.built_in()? { $(BuiltIn::$kind => &PhantomData::<types::$kind>,)* })
        }
    };
}

with_built_in_kinds!(strategies);

/// The columns of a kind's table.
pub fn columns(kind: Kind) -> &'static [Column] {
    strategy(kind).map_or(&[NAME, AGE], |s| s.columns())
}

/// The cells of an object, one for each of its kind's columns.
pub fn row(object: &Object, now: Timestamp) -> Vec<String> {
    strategy(object.kind()).and_then(|s| s.row(object, now)).unwrap_or_else(|| {
        let age = crate::api::duration::age(object.meta().creation_timestamp.as_ref(), now);
        vec![object.name().to_owned(), age]
    })
}

/// Which fields a kind can be selected by.
pub(super) fn selectable_fields(kind: Kind) -> SelectableFields {
    strategy(kind).map_or(SelectableFields::NameAndNamespace, |s| s.selectable_fields())
}

/// The value of a selectable field other than name and namespace.
pub(super) fn field(object: &Object, path: &str) -> Option<String> {
    strategy(object.kind())?.field(object, path)
}

/// Whether a PUT makes the object where there is none. It does not for custom kinds
/// (`apiextensions-apiserver/pkg/registry/customresource/strategy.go`).
pub(super) fn allow_create_on_update(kind: Kind) -> bool {
    strategy(kind).is_some_and(|s| s.allow_create_on_update())
}

/// Whether an object of the kind can be replaced without saying which version is replaced. Custom ones cannot.
pub(super) fn allow_unconditional_update(kind: Kind) -> bool {
    strategy(kind).is_some_and(|s| s.allow_unconditional_update())
}

/// How the store of a kind differs from the generic one; that of custom kinds does not.
pub(super) fn storage(kind: Kind) -> Storage {
    strategy(kind).map_or(Storage::PLAIN, |s| s.storage())
}

/// What the kind alone does to a body before it is decoded.
pub(super) fn convert(kind: Kind, body: &mut Value) {
    if let Some(strategy) = strategy(kind) {
        strategy.convert(body);
    }
}

/// Fills in the defaults of the object's kind.
pub(super) fn default(object: &mut Object) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.default(object);
    }
}

/// Sets what a new object starts with.
pub(super) fn prepare_for_create(object: &mut Object, creation: &mut Creation<'_>) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.prepare_for_create(object, creation);
    }
}

/// Sets back what an update may not touch, and counts a change of what is wanted.
pub(super) fn prepare_for_update(object: &mut Object, old: &Object) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.prepare_for_update(object, old);
    }
}

/// Sets back everything that an update of the status may not touch.
pub(super) fn prepare_for_status_update(object: &mut Object, old: &Object, now: Timestamp) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.prepare_for_status_update(object, old, now);
    }
}

/// Finds what the kind's own rules refuse of a new object.
pub(super) fn validate(object: &Object, errs: &mut Errors) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.validate(object, errs);
    }
}

/// Finds what the kind's own rules refuse of an update.
pub(super) fn validate_update(object: &Object, old: &Object, errs: &mut Errors) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.validate_update(object, old, errs);
    }
}

/// Finds what the kind's own rules refuse of an update of the status.
pub(super) fn validate_status_update(object: &Object, old: &Object, errs: &mut Errors) {
    if let Some(strategy) = strategy(object.kind()) {
        strategy.validate_status_update(object, old, errs);
    }
}

/// What a client is warned of at a create that is valid.
pub(super) fn warnings_on_create(object: &Object) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(strategy) = strategy(object.kind()) {
        strategy.warnings_on_create(object, &mut out);
    }
    out
}

/// What a client is warned of at an update that is valid.
pub(super) fn warnings_on_update(object: &Object, old: &Object) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(strategy) = strategy(object.kind()) {
        strategy.warnings_on_update(object, old, &mut out);
    }
    out
}

/// Counts a change of what is wanted in `metadata.generation`.
fn count_change(meta: &mut ObjectMeta, old: &ObjectMeta, changed: bool) {
    if changed {
        meta.generation = Some(old.generation() + 1);
    }
}

/// Drops the fields of a pod template that belong to features which are off, unless the old template has them
/// (`DropDisabledTemplateFields`).
fn drop_disabled(template: Option<&mut PodTemplateSpec>, old: Option<&PodTemplateSpec>) {
    if let Some(spec) = template.and_then(|t| t.spec.as_mut()) {
        pod::disabled::drop_disabled(spec, old.and_then(|t| t.spec.as_ref()));
    }
}

/// Sets back what may not change. Most often it has not, and what is large is not copied.
fn keep<T: Clone + PartialEq>(new: &mut T, old: &T) {
    if new != old {
        new.clone_from(old);
    }
}

/// Marks `spec.selector: {}` with an empty `matchLabels`. A selector that is empty is an error of its own, other than
/// one that is missing, but the typed struct has no room for a selector that is absent.
fn mark_empty_selector(body: &mut Value) {
    if let Some(Value::Object(selector)) = body.pointer_mut("/spec/selector")
        && selector.is_empty()
    {
        selector.insert("matchLabels".into(), Value::Object(Default::default()));
    }
}

#[cfg(test)]
mod tests;
