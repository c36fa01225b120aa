//! CustomResourceDefinitions and the objects of their kinds, as functions of values
//! (`k8s.io/apiextensions-apiserver`): what a definition is defaulted to, whether it is valid, which
//! of its names are accepted; how an object is pruned, defaulted, validated, scaled and printed.
//!
//! ```
//! use serde_json::json;
//! use steady::apiserver::apiextensions::{CustomKind, Decode, defaults, strategy, validation};
//! let mut crd = serde_json::from_value(json!({
//!     "metadata": {"name": "widgets.example.com"},
//!     "spec": {"group": "example.com", "scope": "Namespaced",
//!         "names": {"plural": "widgets", "kind": "Widget"},
//!         "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
//!             "type": "object", "properties": {"size": {"type": "integer", "default": 3}}}}}]}
//! })).unwrap();
//! defaults::set_defaults(&mut crd);
//! strategy::prepare_for_create(&mut crd);
//! assert!(validation::validate_create(&crd).is_empty());
//!
//! let widgets = CustomKind::new(&crd, "v1").unwrap();
//! let mut widget = json!({
//!     "apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "colour": 1,
//! });
//! assert_eq!(widgets.coerce(&mut widget, Decode::Request).unwrap(), ["colour"]);
//! widgets.default(&mut widget);
//! assert_eq!(widget["size"], 3);
//! ```

mod cel_rules;
pub mod columns;
mod correlation;
mod custom_kind;
pub mod defaulting;
pub mod defaults;
mod field_path;
pub mod finalizer;
mod go_json;
mod internal;
pub mod listtype;
pub mod merge;
pub mod names;
pub mod objectmeta;
pub mod openapi;
pub mod pruning;
pub mod scale;
pub mod schema;
pub mod strategy;
pub mod validation;
pub mod values;
pub mod versions;

pub use custom_kind::{CustomKind, Decode, Validated};
pub use schema::Structural;
pub use types::CustomResourceDefinition;
pub use versions::deprecation_warning;

/// The types of a definition.
pub mod types {
    pub use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::*;
}

/// The group that definitions belong to.
pub const GROUP: &str = "apiextensions.k8s.io";

/// The whole object, whose path Go prints as `<nil>`.
const ROOT: &str = "<nil>";

// proptest is there natively only.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod features_tests;
#[cfg(test)]
mod tests;
