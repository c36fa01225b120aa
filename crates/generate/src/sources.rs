//! Which files of Kubernetes are read, and their text.

use std::collections::BTreeMap;
use std::path::Path;

use crate::digest::sha256;
use crate::go::Types;
use crate::kinds::{Kind, Version};
use crate::pin::{Digests, clone_command};
use crate::{Result, read_file};

/// A file of Kubernetes.
pub struct Source {
    /// `api`: of the organisation kubernetes.
    pub repository: &'static str,
    /// The file in the repository.
    pub path: String,
    /// Its package, as [`crate::go::Name`] calls it.
    pub package: String,
    /// What it says.
    pub text: String,
    /// Whether a kind or metadata is in it. Of the others only the structs are needed that are asked for by name.
    pub of_kinds: bool,
}

/// All files, and the types in them.
pub struct Sources {
    /// In the order of the kinds; what all groups share is the last.
    pub files: Vec<Source>,
    /// The types in these.
    pub types: Types,
}

impl Sources {
    /// The digest of every file.
    pub fn digests(&self) -> Digests {
        let mut digests = BTreeMap::<String, BTreeMap<String, String>>::new();
        for file in &self.files {
            let files = digests.entry(file.repository.to_owned()).or_default();
            files.insert(file.path.clone(), sha256(&file.text));
        }
        digests
    }
}

/// Reads what the kinds and their other versions need from the checkouts in `from`; `tag` is for the error if one is
/// missing.
pub fn read(kinds: &[Kind], versions: &[Version], from: &Path, tag: &str) -> Result<Sources> {
    let mut files: Vec<Source> = Vec::new();
    for (repository, path, package, of_kinds) in wanted(kinds.iter().chain(versions.iter().map(|v| &v.kind)))
    {
        if files.iter().any(|file| file.path == path) {
            continue;
        }
        let text = read_file(&from.join(repository).join(&path))
            .map_err(|why| format!("{why}\n{}", clone_command(repository, tag)))?;
        files.push(Source { repository, path, package, text, of_kinds });
    }
    let mut types = Types::default();
    for file in &files {
        types.add(&file.package, &file.text)?;
    }
    Ok(Sources { files, types })
}

/// Repository, path and package, and whether a kind or metadata is in the file; a file may come more than once.
fn wanted<'a>(kinds: impl Iterator<Item = &'a Kind>) -> Vec<(&'static str, String, String, bool)> {
    let mut wanted = Vec::new();
    for kind in kinds {
        let (directory, version) = (kind.directory(), &kind.version);
        if directory == "apiextensions" {
            for file in ["types", "types_jsonschema"] {
                let path = format!("pkg/apis/apiextensions/{version}/{file}.go");
                wanted.push(("apiextensions-apiserver", path, kind.package(), true));
            }
        } else {
            wanted.push(("api", format!("{directory}/{version}/types.go"), kind.package(), true));
        }
    }
    // Scale, the subresource of several groups.
    wanted.push(("api", "autoscaling/v1/types.go".into(), "autoscaling".into(), false));
    // Reviews and requests for tokens, which are answered and not stored.
    for group in ["authentication", "authorization"] {
        wanted.push(("api", format!("{group}/v1/types.go"), group.into(), false));
    }
    wanted.push(("apimachinery", "pkg/apis/meta/v1/types.go".into(), "metav1".into(), true));
    wanted
}
