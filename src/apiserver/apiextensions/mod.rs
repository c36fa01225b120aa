//! CustomResourceDefinitions and the objects of their kinds (`k8s.io/apiextensions-apiserver`).
//!
//! Most of this room are functions of values: what a definition is defaulted to, whether it is valid, which of its names
//! are accepted ([`defaults`], [`strategy`], [`validation`], [`names`]); how an object is pruned, defaulted, validated,
//! scaled and printed ([`CustomKind`]). Two types connect them with the API server:
//!
//! - [`Definitions`] are the definitions whose names were accepted. The API server has one, and brings it up to date with
//!   every write of a CustomResourceDefinition. A version of a definition is a [`Kind`](crate::api::Kind) of its own: the
//!   versions of one resource are equal, so that etcd finds an object whichever version it was asked for, and the handle
//!   says which version that was.
//! - A `View` is a definition as one request sees it: in the version of the request's path.
//!
//! A request about a custom object goes this way:
//!
//! | step | where |
//! | --- | --- |
//! | The path leads to a `Target` with a `View`; 404 if no definition serves it | `http::path` |
//! | The body becomes an object of the view's version: unknown fields are pruned, and told of | `http::custom` |
//! | Defaults are filled in; a patch is applied to what `View::read` gave | `registry`, `patch`, `apply` |
//! | Admission: the namespace is there, quotas have room, the definition is not terminating | `admission`, `quota` |
//! | The strategy of the view: status, generation, validation, rules in CEL | `registry` |
//! | The object goes into etcd in the storage version, with the owners of its fields | `registry` |
//! | The answer is the object as it comes out of etcd, in the view's version | `http::answer`, `http::list`, `http::watch` |
//!
//! Informers of the cluster's own components get objects as they are stored, because these components read metadata only.
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
pub mod conditions;
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
mod served;
pub mod strategy;
pub mod validation;
pub mod values;
pub mod versions;
mod view;
mod visit;

pub use custom_kind::{CustomKind, Decode, Validated};
pub use schema::Structural;
pub use served::{Definition, Definitions};
pub use types::CustomResourceDefinition;
pub use versions::deprecation_warning;
pub(super) use view::{Absent, View};

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
