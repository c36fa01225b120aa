//! The words of a request: what a client and the API server say to each other, whoever they are
//! (`k8s.io/apimachinery`, and the options and errors of `meta/v1`).
//!
//! A component inside the cluster sends a [`Request`] with typed objects and gets a [`Response`]; a client that
//! speaks HTTP sends an [`HttpRequest`] and gets an [`HttpResponse`]. [`wire`] and [`wire_answer`] show what the
//! first would be as the second. This room knows objects (`api`) and nothing else: no store, no server.
//!
//! ```
//! use steady::api::{Key, Kind};
//! use steady::apimachinery::{Request, Verb, wire};
//! let get = Request::new(&"kubectl".into(), Verb::Get, Kind::POD, Key::new("default", "web"));
//! assert_eq!(wire(&get).path, "/api/v1/namespaces/default/pods/web");
//! ```

mod exec;
mod executed;
mod http;
mod json;
mod log;
mod options;
mod patch;
mod query;
mod request;
mod status;
pub mod user;
mod watch;
mod wire;

pub use exec::{AttachOptions, Attached, Channels, ExecEnd, ExecOptions, WriteOrder, in_order};
pub use executed::{Exchanged, Executed};
pub use http::{HttpRequest, HttpResponse};
pub use json::ordered;
pub use log::{ContainerLog, KubeletError, LogOptions, LogPlace};
pub use options::{
    DeleteOptions, FINALIZER_FOREGROUND, FINALIZER_ORPHAN, FieldValidation, NAMESPACE_FINALIZER, Propagation,
};
pub use patch::Patch;
pub(crate) use patch::with_status;
pub use query::{Query, unescape};
pub use request::{Binding, Body, Request, Response, Subresource, Verb};
pub use status::{Cause, Details, Status};
pub use user::UserInfo;
pub use watch::{Filter, Gone, WatchEvent, WatchEventType, WatchId};
pub use wire::{wire, wire_answer};
