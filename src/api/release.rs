//! The release of Kubernetes that this library is made after (`kubernetes.toml`).
//! Written by `cargo xtask generate`; do not edit.

/// The second part of the release's number.
pub(crate) const MINOR_NUMBER: &str = "36";
/// The second part of the number of the release before.
pub(crate) const MINOR_BEFORE: &str = "35";
/// What API server, controller manager, scheduler and kubelets call themselves.
pub const GIT_VERSION: &str = "v1.36.2";
/// When the release was built, as `/version` says it.
pub(crate) const BUILD_DATE: &str = "2026-05-12T00:00:00Z";
/// The release of Go that built it, as `/version` says it.
pub(crate) const GO_VERSION: &str = "go1.26.6";
/// What kubectl calls itself.
pub const KUBECTL: &str = "v1.36.4";
/// What the kustomize in kubectl calls itself.
pub(crate) const KUSTOMIZE: &str = "v5.8.1";
