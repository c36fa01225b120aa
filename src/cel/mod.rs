//! Kubernetes' CEL.

mod ast;
mod decl;
mod escape;
mod issues;
mod parse;
mod types;

pub use decl::{DeclField, DeclType, ListType, MAX_REQUEST_SIZE_BYTES};
pub use escape::{escape, unescape};
pub use issues::{Issue, Issues};
pub use types::Type;
