//! The types of values that belong to libraries: what they are read from and what holds between them. The functions on
//! them, which take and give values, are in `libs`.

mod format;
mod net;
mod semver;
mod url;

pub(crate) use format::Format;
pub(crate) use net::{Cidr, Ip};
pub(crate) use semver::Semver;
pub(crate) use url::{Url, unescaped};
