//! Conversion between JSON values and the structs of k8s-openapi.
//!
//! k8s-openapi has hundreds of `Deserialize` and `Serialize` impls, and each is compiled once for every
//! format that uses it, with the format's errors and layers (unknown fields, paths). So there is only one
//! format here, which compiles to little code: all that it does is in functions without type parameters, a
//! struct's code gets one pointer, and it has no error to pass on. A value that does not fit is noted with
//! its path, and an empty value is used instead.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;

pub(super) use read::Reader;
pub use write::to_value;

/// Why a JSON value is not an object of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The path of the value that does not fit, for example `spec.containers[0].ports[0].containerPort`;
    /// empty for the whole object.
    pub path: String,
    /// The message, as serde words it.
    pub message: String,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for DecodeError {}

/// An error that never occurs: [`Reader`] gives each visitor what it asks for, so none refuses, and no field
/// of k8s-openapi's structs fails to be written.
#[derive(Debug)]
pub(super) enum Never {}

impl fmt::Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Never {}

impl serde::de::Error for Never {
    // The reason is dropped: formatting it would compile the text of every error.
    fn custom<T: fmt::Display>(_: T) -> Self {
        // The tests read and write every kind with values of every type in every place.
        unreachable!("a visitor refused what it asked for")
    }
}

impl serde::ser::Error for Never {
    fn custom<T: fmt::Display>(_: T) -> Self {
        unreachable!("a struct cannot be written")
    }
}
