//! Volumes whose files the kubelet writes: ConfigMaps, Secrets, the downward API, and projections of these
//! (`pkg/volume/util/atomic_writer.go`).
//!
//! A container sees symbolic links: `key` leads to `..data/key`, and `..data` to a directory with the time of the writing as its
//! name. A new version is a new directory, and `..data` is turned to it at once, so no program ever sees the half of a
//! version. A container that mounts one file by `subPath` has the file itself and not the link, so it keeps the version with
//! which it started.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::tokens::Token;
use crate::api::{Timestamp, service_account_token as api};
use crate::shell::{Access, Change, Write, absolute};

/// Whether an object is a ConfigMap or a Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// A ConfigMap.
    ConfigMap,
    /// A Secret.
    Secret,
}

/// An object that a volume's files come from, as it was when they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is.
    pub store: Store,
    /// Its name, in the namespace of the pod.
    pub name: Rc<str>,
    /// Its `resourceVersion`; `None` if it did not exist.
    pub version: Option<Rc<str>>,
}

/// What stands in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A text.
    Text(Rc<str>),
    /// A token of the pod's service account. Its text is made when somebody looks.
    Token(Token),
}

/// A file of a volume.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Its path in the volume.
    pub path: Rc<str>,
    /// What stands in it.
    pub content: Content,
    /// Who may read it.
    pub access: Access,
}

/// The files of a volume at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Its number among all versions of the pod's volumes.
    pub number: u64,
    /// When they were written.
    pub at: Timestamp,
    /// The files, by path.
    pub files: Rc<[File]>,
}

/// A volume of a pod whose files the kubelet writes.
#[derive(Clone, Debug, PartialEq)]
pub struct FileVolume {
    /// The name of the volume.
    pub name: Rc<str>,
    /// The versions that a running container can still see, the newest one last.
    pub versions: Vec<Version>,
    /// What the files come from, as of the last attempt to write them.
    pub sources: Vec<Source>,
}

/// What a pod's volumes of this sort need next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileVolumes {
    /// The volumes that have been written, in the order of the spec.
    pub all: Rc<Vec<FileVolume>>,
    /// How many versions have been written.
    pub count: u64,
    /// When SyncPod ended last. Unless something else begins one, the next one is a minute later.
    pub synced: Option<Timestamp>,
    /// When the volumes are written again, because an object has changed that they come from.
    pub due: Option<super::wake::Retry>,
    /// How many times in a row they could not be written.
    pub failures: u32,
    /// A digest of the pod's labels and annotations when SyncPod last began.
    pub described: u64,
}

/// The first part of a path.
fn first(path: &str) -> &str {
    path.split('/').next().unwrap_or_default()
}

impl Version {
    /// The name of the directory with the files. Its end is a number by chance there; here it follows from the volume.
    fn directory(&self, seed: &str) -> String {
        let number = super::images::number(&[seed, &self.number.to_string(), &self.at.to_string()]);
        format!("..{}.{number}", self.at.strftime("%Y_%m_%d_%H_%M_%S"))
    }

    /// Whether a program would find the same in both versions.
    pub(super) fn is_same(&self, files: &[File]) -> bool {
        let same = |(a, b): (&File, &File)| a.path == b.path && a.content == b.content;
        self.files.len() == files.len() && self.files.iter().zip(files).all(same)
    }
}

/// What a container sees of a volume, and where.
pub(super) struct Mount<'a> {
    /// The path of the mount.
    pub(super) path: &'a str,
    /// Who may do what with its directory.
    pub(super) access: Access,
    /// Names directories of versions: something that no other volume has.
    pub(super) seed: &'a str,
    /// What a token says.
    pub(super) token: &'a dyn Fn(&Token) -> api::Token,
}

impl Mount<'_> {
    fn put(&self, out: &mut Vec<Write>, at: Timestamp, path: String, file: &File) {
        let change = match &file.content {
            Content::Text(text) => Change::Put(text.clone()),
            Content::Token(token) => Change::PutToken((self.token)(token).into()),
        };
        out.push(Write { at, path: path.clone(), change });
        out.push(Write { at, path, change: Change::Access(file.access) });
    }

    /// What happens to the files when a version is written after `before`, or as the first one.
    pub(super) fn writes(&self, before: Option<&Version>, new: &Version) -> Vec<Write> {
        let mut out = Vec::new();
        let at = new.at;
        let mut note = |path: &str, change: Change| {
            out.push(Write { at, path: absolute(self.path, path), change });
        };
        let directory = new.directory(self.seed);
        if before.is_none() {
            note("", Change::Directory);
            note("", Change::Access(self.access));
        }
        note(&directory, Change::Directory);
        let mut files = Vec::new();
        for file in new.files.iter() {
            self.put(&mut files, at, absolute(self.path, &format!("{directory}/{}", file.path)), file);
        }
        let names =
            |v: &Version| -> BTreeSet<String> { v.files.iter().map(|f| first(&f.path).to_owned()).collect() };
        let (had, has) = (before.map(names).unwrap_or_default(), names(new));
        note("..data", Change::Link(directory.as_str().into()));
        for name in has.difference(&had) {
            note(name, Change::Link(format!("..data/{name}").into()));
        }
        for name in had.difference(&has) {
            note(name, Change::Remove);
        }
        if let Some(before) = before {
            let old = before.directory(self.seed);
            for file in before.files.iter() {
                note(&format!("{old}/{}", file.path), Change::Remove);
            }
            note(&old, Change::Remove);
        }
        files.extend(out);
        files
    }

    /// The part of a version that a container sees that mounts it by `subPath`.
    pub(super) fn part(&self, version: &Version, part: &str) -> Vec<Write> {
        let mut out = Vec::new();
        let (at, path) = (version.at, absolute("/", self.path));
        if let Some(file) = version.files.iter().find(|f| *f.path == *part) {
            self.put(&mut out, at, path, file);
            return out;
        }
        out.push(Write { at, path: path.clone(), change: Change::Directory });
        for file in version.files.iter() {
            if let Some(below) = file.path.strip_prefix(part).and_then(|p| p.strip_prefix('/')) {
                self.put(&mut out, at, absolute(&path, below), file);
            }
        }
        out
    }
}

impl FileVolume {
    /// The newest version.
    pub(super) fn newest(&self) -> Option<&Version> {
        self.versions.last()
    }

    /// The version that there was when the pod's volumes had been written `count` times, or the first one.
    pub(super) fn as_of(&self, count: u64) -> Option<&Version> {
        self.versions.iter().rfind(|v| v.number <= count).or(self.versions.first())
    }

    /// Notes a version. Of those before it, only what a container sees is kept that has started after `oldest` versions.
    pub(super) fn add(&mut self, version: Version, oldest: Option<u64>) {
        let keep = match oldest {
            Some(oldest) => self.versions.iter().rposition(|v| v.number <= oldest).unwrap_or(0),
            None => self.versions.len(),
        };
        self.versions.drain(..keep);
        self.versions.push(version);
    }

    /// The newest of its tokens, if it has any.
    pub(super) fn tokens(&self) -> impl Iterator<Item = &Token> {
        let files = self.newest().into_iter().flat_map(|v| v.files.iter());
        files.filter_map(|f| if let Content::Token(token) = &f.content { Some(token) } else { None })
    }
}
