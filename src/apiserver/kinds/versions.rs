//! The other versions of built-in kinds (`k8s.io/apimachinery/pkg/runtime/serializer/versioning`): objects are stored
//! in one version, and a request may speak of them in another.
//!
//! A request names a version by its path, and the handle of its kind is made for that version. What comes in is
//! converted into the stored version before it is defaulted ([`to_stored`]), and what goes out is converted from it
//! ([`present`]); between the two nothing knows of other versions. Both conversions change JSON, so that they work for
//! bodies, patches and the text of lists and watches.

use serde_json::Value;

use crate::api::go_types;
use crate::api::{Kind, Object, OtherVersion};
use crate::apiserver::defaults;
use crate::apiserver::validation::Errors;
use crate::with_other_versions;

use super::event::events_v1::EventsV1Event;
use super::horizontal_pod_autoscaler::v1::HorizontalPodAutoscalerV1;
use super::version::Version;

/// What is asked of a version, behind one type.
struct Conversions {
    selectable_fields: Option<&'static [(&'static str, &'static str)]>,
    to_stored: fn(&mut Value),
    from_stored: fn(&mut Value),
    validate: fn(&Object, Option<&Object>, &mut Errors),
}

impl Conversions {
    const fn of<V: Version>() -> Conversions {
        Conversions {
            selectable_fields: V::SELECTABLE_FIELDS,
            to_stored: V::to_stored,
            from_stored: V::from_stored,
            validate: V::validate,
        }
    }
}

macro_rules! conversions {
    ($($(#[$doc:meta])* $version:ident of $type:ident $kind:ident: $group:literal / $name:literal;)*) => {
        /// The conversions of the version that a handle was made for; `None` for the stored version.
        fn conversions(kind: Kind) -> Option<Conversions> {
            Some(match kind.other_version()? { $(OtherVersion::$version => Conversions::of::<$version>(),)* })
        }
    };
}

with_other_versions!(conversions);

/// The handle of a kind for one of its versions; `None` if the kind is not served in it.
pub(in crate::apiserver) fn of(kind: Kind, api_version: &str) -> Option<Kind> {
    let stored = kind.stored();
    let others = Kind::OTHER_VERSIONS.iter().copied().filter(|k| *k == kind);
    std::iter::once(stored).chain(others).find(|k| k.api_version() == api_version)
}

/// Turns an object of the kind's version, which was decoded by the version's struct, into one of the stored version.
pub(in crate::apiserver) fn to_stored(kind: Kind, value: &mut Value) {
    if let Some(conversions) = conversions(kind) {
        (conversions.to_stored)(value);
        value["apiVersion"] = kind.stored().api_version().into();
    }
}

/// The JSON of a stored object in the version that the handle was made for, as Go writes its struct.
pub(in crate::apiserver) fn present(kind: Kind, mut value: Value) -> Value {
    if let Some(conversions) = conversions(kind) {
        (conversions.from_stored)(&mut value);
        value["apiVersion"] = kind.api_version().into();
        defaults::omit_empty(kind, &mut value);
        go_types::write_unset(go_types::of(kind), &mut value);
    }
    value
}

/// The stored version's name of a field that objects can be selected by. A field that has another name there, but by
/// which objects cannot be selected, is an error.
///
/// # Errors
/// Kubernetes' words for such a field.
pub(in crate::apiserver) fn stored_field(kind: Kind, path: &str) -> Result<Option<&'static str>, String> {
    let Some(fields) = conversions(kind).and_then(|c| c.selectable_fields) else { return Ok(None) };
    match fields.iter().find(|(name, _)| *name == path) {
        Some((_, stored)) => Ok(Some(stored)),
        None => Err(format!("field label not supported: {path}")),
    }
}

/// Finds what is wrong with an object that is written through the kind's version, beside what holds for every version.
pub(in crate::apiserver) fn validate(kind: Kind, new: &Object, old: Option<&Object>, errs: &mut Errors) {
    if let Some(conversions) = conversions(kind) {
        (conversions.validate)(new, old, errs);
    }
}
