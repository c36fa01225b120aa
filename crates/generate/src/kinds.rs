//! The built-in kinds, as the table in `src/api/kinds.rs` has them.

use std::path::Path;

use regex::Regex;

use crate::go::Name;
use crate::{Result, read_file};

/// Where the table stands.
pub const FILE: &str = "src/api/kinds.rs";

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// `apps`; empty for the core group.
    pub group: String,
    /// `v1`
    pub version: String,
    /// `Deployment`
    pub kind: String,
}

impl Kind {
    /// The package of Go that the kind's struct is in, as [`Name`] calls it: `core`, `apps`, `autoscalingv2`.
    pub fn package(&self) -> String {
        match (self.directory(), self.version.as_str()) {
            (directory, "v1") => directory.to_owned(),
            (directory, version) => format!("{directory}{version}"),
        }
    }

    /// The kind's struct in Go.
    pub fn name(&self) -> Name {
        Name::new(&self.package(), &self.kind)
    }

    /// The directory of the group: `networking` of `networking.k8s.io`.
    pub fn directory(&self) -> &str {
        match self.group.split('.').next() {
            Some("") | None => "core",
            Some(first) => first,
        }
    }
}

/// A row of the table of the versions in which kinds are served besides their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The variant of `api::OtherVersion`.
    pub variant: String,
    /// The kind, with the version's group and name.
    pub kind: Kind,
}

/// The rows of the table of kinds, in its order.
///
/// # Errors
/// If the file cannot be read or has no such table.
pub fn read(root: &Path) -> Result<Vec<Kind>> {
    let kinds = rows(&read_file(&root.join(FILE))?)?;
    if kinds.is_empty() { Err(format!("{FILE} has no table of kinds")) } else { Ok(kinds) }
}

/// What the tables depend on of the file: of every row its names, group and version, a line each.
///
/// # Errors
/// If the file cannot be read.
pub fn heads(root: &Path) -> Result<String> {
    // Also a row that begins `EventsV1Event of Event`.
    let head =
        Regex::new(r#"(?m)^\s*(\w+(?: of \w+)? [A-Z_]+: "[\w.]*"/"\w+")"#).map_err(|e| e.to_string())?;
    let text = read_file(&root.join(FILE))?;
    Ok(head.captures_iter(&text).map(|head| format!("{}\n", head.extract::<1>().1.concat())).collect())
}

fn rows(text: &str) -> Result<Vec<Kind>> {
    // Pod POD: ""/"v1" "pods" …
    let row = Regex::new(r#"(?m)^\s*(\w+) [A-Z_]+: "([\w.]*)"/"(\w+)" ""#).map_err(|e| e.to_string())?;
    let kinds = row.captures_iter(text).map(|row| {
        let (_, [kind, group, version]) = row.extract();
        Kind { group: group.into(), version: version.into(), kind: kind.into() }
    });
    Ok(kinds.collect())
}

/// The rows of the table of versions, in its order; there may be none.
///
/// # Errors
/// If the file cannot be read.
pub fn read_versions(root: &Path) -> Result<Vec<Version>> {
    version_rows(&read_file(&root.join(FILE))?)
}

fn version_rows(text: &str) -> Result<Vec<Version>> {
    // EventsV1Event of Event EVENT: "events.k8s.io"/"v1";
    let row =
        Regex::new(r#"(?m)^\s*(\w+) of (\w+) [A-Z_]+: "([\w.]*)"/"(\w+)";"#).map_err(|e| e.to_string())?;
    let versions = row.captures_iter(text).map(|row| {
        let (_, [variant, kind, group, version]) = row.extract();
        let kind = Kind { group: group.into(), version: version.into(), kind: kind.into() };
        Version { variant: variant.into(), kind }
    });
    Ok(versions.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_gives_its_package() {
        let text = "/// Containers.\n Pod POD: \"\"/\"v1\" \"pods\" \"pod\" [] Namespaced [];\n \
                    HorizontalPodAutoscaler HORIZONTAL_POD_AUTOSCALER: \"autoscaling\"/\"v2\" \"x\";\n \
                    Role ROLE: \"rbac.authorization.k8s.io\"/\"v1\" \"roles\"";
        let packages: Vec<_> =
            rows(text).into_iter().flatten().map(|k| (k.kind.clone(), k.package())).collect();
        let expected = [("Pod", "core"), ("HorizontalPodAutoscaler", "autoscalingv2"), ("Role", "rbac")];
        assert_eq!(packages, expected.map(|(kind, package)| (kind.to_owned(), package.to_owned())));
    }

    #[test]
    fn another_version_is_no_kind_of_its_own() {
        let text = " EventsV1Event of Event EVENT: \"events.k8s.io\"/\"v1\";\n";
        assert_eq!(rows(text), Ok(Vec::new()));
        let found = version_rows(text).into_iter().flatten();
        let found: Vec<_> = found.map(|v| (v.variant, v.kind.package())).collect();
        assert_eq!(found, [("EventsV1Event".to_owned(), "events".to_owned())]);
    }
}
