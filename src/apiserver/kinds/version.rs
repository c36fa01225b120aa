//! What another version of a built-in kind implements: [`Version`].

use serde_json::Value;

use crate::api::Object;
use crate::apiserver::validation::Errors;

/// A version besides the stored one (`pkg/apis/*/*/conversion.go`).
pub(super) trait Version {
    /// The fields by which objects can be selected, each with the name of the same field in the stored version. `None`
    /// if the fields are those of the stored version.
    const SELECTABLE_FIELDS: Option<&'static [(&'static str, &'static str)]>;

    /// Turns an object of this version into one of the stored version.
    fn to_stored(value: &mut Value);
    /// Turns an object of the stored version into one of this version.
    fn from_stored(value: &mut Value);
    /// Finds what is wrong with an object that is written through this version, beside what the kind's strategy finds;
    /// `old` is the object before an update.
    fn validate(new: &Object, old: Option<&Object>, errs: &mut Errors);
}

/// Renames the fields of an object: each pair is a name and the name that the field gets.
pub(super) fn rename<'a>(value: &mut Value, names: impl Iterator<Item = (&'a str, &'a str)>) {
    if let Value::Object(fields) = value {
        for (from, to) in names {
            if let Some(field) = fields.remove(from) {
                fields.insert(to.to_owned(), field);
            }
        }
    }
}
