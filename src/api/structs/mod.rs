//! Between JSON values and the structs of k8s-openapi.
//!
//! Those have hundreds of `Deserialize` and `Serialize` impls, and each is compiled once for every
//! format it meets, with its errors and its layers (unknown fields, paths). So there is one format
//! here and no more, made to be small where it is compiled hundreds of times: all that it does is in
//! functions without type parameters, a struct's code gets one pointer, and there is no error that it
//! would have to hand on. What does not fit is noted at its path, and an empty value stands in.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;

pub(super) use read::Reader;
pub use write::to_value;

/// An error that there is none of: [`Reader`] gives each visitor what it asks for, so none refuses;
/// and k8s-openapi's structs have no field that fails to be written.
#[derive(Debug)]
pub(super) enum Never {}

impl fmt::Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Never {}

impl serde::de::Error for Never {
    // The reason is not shown: it would bring in how every error looks as text.
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
