//! The release, as constants.

use super::{GENERATED, Table};
use crate::Result;
use crate::pin::Pins;

pub fn table(pins: &Pins) -> Result<Table> {
    let minor = pins.minor()?;
    let Pins { version, build_date, go, kubectl, kustomize, .. } = pins;
    let text = format!(
        r#"//! The release of Kubernetes that this library is made after (`kubernetes.toml`).
//! {GENERATED}

/// The second part of the release's number.
pub(crate) const MINOR_NUMBER: &str = "{minor}";
/// The second part of the number of the release before.
pub(crate) const MINOR_BEFORE: &str = "{before}";
/// What API server, controller manager, scheduler and kubelets call themselves.
pub const GIT_VERSION: &str = "v{version}";
/// When the release was built, as `/version` says it.
pub(crate) const BUILD_DATE: &str = "{build_date}";
/// The release of Go that built it, as `/version` says it.
pub(crate) const GO_VERSION: &str = "go{go}";
/// What kubectl calls itself.
pub const KUBECTL: &str = "v{kubectl}";
/// What the kustomize in kubectl calls itself.
pub(crate) const KUSTOMIZE: &str = "v{kustomize}";
"#,
        before = minor.saturating_sub(1),
    );
    Ok(Table { file: "src/api/release.rs", text })
}
