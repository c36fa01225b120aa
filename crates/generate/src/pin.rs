//! `kubernetes.toml`: the release that Steady is made after, and the digests of the source files that are read.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::{Result, read_file};

/// Where the pins stand.
pub const FILE: &str = "kubernetes.toml";

/// SHA-256 by repository and file.
pub type Digests = BTreeMap<String, BTreeMap<String, String>>;

/// What the file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pins {
    /// The release of the API server and of what runs beside it: `1.20.3`.
    pub version: String,
    /// When that release was built, as `/version` says it.
    pub build_date: String,
    /// The release of Go that built it.
    pub go: String,
    /// The release of kubectl.
    pub kubectl: String,
    /// The release of kustomize in kubectl.
    pub kustomize: String,
    /// The digests of all source files.
    #[serde(default)]
    files: Digests,
}

impl Pins {
    /// Reads the pins.
    ///
    /// # Errors
    /// If the file is missing or says something else than [`Pins`] has.
    pub fn read(root: &Path) -> Result<Pins> {
        let pins: Pins = toml::from_str(&read_file(&root.join(FILE))?).map_err(|e| format!("{FILE}: {e}"))?;
        pins.minor()?;
        Ok(pins)
    }

    /// `20` of `1.20.3`.
    ///
    /// # Errors
    /// If the version is no `1.MINOR.PATCH`.
    pub fn minor(&self) -> Result<u32> {
        let parts: Vec<&str> = self.version.split('.').collect();
        match parts.as_slice() {
            ["1", minor, patch] if patch.parse::<u32>().is_ok() => minor.parse().ok(),
            _ => None,
        }
        .ok_or_else(|| format!("{FILE}: version {} is no 1.MINOR.PATCH", self.version))
    }

    /// The tag of the staging repositories: `v0.20.3` of `1.20.3`.
    pub fn tag(&self) -> String {
        format!("v0.{}", self.version.strip_prefix("1.").unwrap_or(&self.version))
    }

    /// The commands that get the sources.
    pub fn how_to_get(&self) -> String {
        let tag = self.tag();
        let clones: Vec<String> =
            self.files.keys().map(|repository| clone_command(repository, &tag)).collect();
        format!("The sources come with\n{}", clones.join("\n"))
    }

    /// Takes over the digests of the files as they are.
    pub fn pin(&mut self, digests: Digests) {
        self.files = digests;
    }

    /// Compares the pinned digests with those of the files.
    ///
    /// # Errors
    /// Names every file that is another one than is pinned.
    pub fn verify(&self, found: &Digests) -> Result<()> {
        let mut wrong = Vec::new();
        for (repository, files) in found {
            for (file, digest) in files {
                match self.files.get(repository).and_then(|files| files.get(file)) {
                    Some(pinned) if pinned == digest => {}
                    Some(_) => wrong.push(format!("{repository}/{file} is not the file that {FILE} pins")),
                    None => wrong.push(format!("{repository}/{file} is not pinned in {FILE}")),
                }
            }
        }
        for (repository, files) in &self.files {
            for file in files.keys() {
                if found.get(repository).is_none_or(|files| !files.contains_key(file)) {
                    wrong.push(format!("{repository}/{file} is pinned in {FILE}, and no table needs it"));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{}\nCheck out {} in every repository; if these are the right files, pin them: \
             cargo xtask generate --from DIR --pin",
            wrong.join("\n"),
            self.tag()
        ))
    }

    /// The file with these digests: what a person wrote stays, down to the first table.
    pub(crate) fn text(&self, root: &Path) -> Result<String> {
        let old = read_file(&root.join(FILE))?;
        let by_hand = old.split("\n[").next().unwrap_or_default().trim_end();
        let digests =
            toml::to_string(&BTreeMap::from([("files", &self.files)])).map_err(|e| e.to_string())?;
        Ok(format!("{by_hand}\n\n{}\n", digests.trim_end()))
    }
}

/// The command that gets a repository.
pub(crate) fn clone_command(repository: &str, tag: &str) -> String {
    format!(
        "    git clone --depth 1 --branch {tag} https://github.com/kubernetes/{repository} DIR/{repository}"
    )
}

#[cfg(test)]
impl Pins {
    pub(crate) fn for_tests(version: &str) -> Pins {
        let text = String::new;
        let (build_date, go, kubectl, kustomize) = (text(), text(), text(), text());
        Pins { version: version.to_owned(), build_date, go, kubectl, kustomize, files: Digests::new() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]
    use super::*;

    fn pins(digest: &str) -> Pins {
        Pins { files: digests("types.go", digest), ..Pins::for_tests("1.20.3") }
    }

    fn digests(file: &str, digest: &str) -> Digests {
        BTreeMap::from([("api".into(), BTreeMap::from([(file.into(), digest.into())]))])
    }

    #[test]
    fn the_tag_is_that_of_the_staging_repositories() {
        assert_eq!(pins("a").tag(), "v0.20.3");
        assert_eq!(pins("a").minor(), Ok(20));
    }

    #[test]
    fn a_file_that_is_not_the_pinned_one_is_refused() {
        assert_eq!(pins("a").verify(&digests("types.go", "a")), Ok(()));
        let changed = pins("a").verify(&digests("types.go", "b")).expect_err("another digest");
        assert!(changed.starts_with("api/types.go is not the file that kubernetes.toml pins\n"), "{changed}");
        let other = pins("a").verify(&digests("other.go", "a")).expect_err("another file");
        assert!(other.starts_with("api/other.go is not pinned"), "{other}");
        assert!(
            other.contains("api/types.go is pinned in kubernetes.toml, and no table needs it"),
            "{other}"
        );
    }

    #[test]
    fn a_version_without_patch_is_refused() {
        let mut pins = pins("a");
        pins.version = "1.20".into();
        assert_eq!(pins.minor(), Err("kubernetes.toml: version 1.20 is no 1.MINOR.PATCH".into()));
    }
}
