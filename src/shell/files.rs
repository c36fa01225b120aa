//! The files that a process sees, each with its history, so that they can be asked for at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::api::Timestamp;

/// What happens to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It becomes a file with this content.
    Put(Rc<str>),
    /// The text is appended to it.
    Append(Rc<str>),
    /// It becomes a directory.
    Directory,
    /// It is removed.
    Remove,
}

/// A change of a path at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// When.
    pub at: Timestamp,
    /// The absolute path, without `.`, `..` and a `/` at its end.
    pub path: String,
    /// What happens to it.
    pub change: Change,
}

/// What a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A file with its content.
    File(String),
    /// A directory.
    Directory,
}

/// Files and directories with their history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    all: BTreeMap<String, Vec<(Timestamp, Change)>>,
}

/// The directories of every image.
const DIRECTORIES: [&str; 30] = [
    "/",
    "/bin",
    "/dev",
    "/dev/shm",
    "/etc",
    "/home",
    "/lib",
    "/media",
    "/mnt",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/share",
    "/usr/src",
    "/var",
    "/var/lib",
    "/var/log",
    "/var/run",
    "/var/tmp",
];

/// Files that every container has, which are not written to.
const DEVICES: [&str; 7] =
    ["/dev/null", "/dev/stderr", "/dev/stdin", "/dev/stdout", "/dev/tty", "/dev/urandom", "/dev/zero"];

/// An absolute path without `.`, `..` and `//`.
pub fn absolute(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let from = if path.starts_with('/') { "" } else { directory };
    for part in from.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The directory of an absolute path.
pub fn parent(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((parent, _)) => parent,
    }
}

impl Files {
    /// Notes a change. Changes of one moment happen in the order in which they are noted.
    pub fn note(&mut self, write: &Write) {
        let history = self.all.entry(write.path.clone()).or_default();
        let place = history.partition_point(|(t, _)| *t <= write.at);
        history.insert(place, (write.at, write.change.clone()));
    }

    /// What a path is at a moment; `None` if it does not exist.
    pub fn at(&self, path: &str, now: Timestamp) -> Option<Node> {
        let history = self.all.get(path).map_or(&[][..], Vec::as_slice);
        let past = history.get(..history.partition_point(|(t, _)| *t <= now)).unwrap_or_default();
        // The last change that is no addition, and the additions after it.
        let base = past.iter().rposition(|(_, c)| !matches!(c, Change::Append(_)));
        let text = |from: usize, first: &str| {
            let mut text = first.to_owned();
            for (_, change) in past.iter().skip(from) {
                if let Change::Append(more) = change {
                    text.push_str(more);
                }
            }
            Node::File(text)
        };
        match base.and_then(|b| Some((b, &past.get(b)?.1))) {
            Some((b, Change::Put(first))) => Some(text(b + 1, first)),
            Some((b, Change::Remove)) if b + 1 < past.len() => Some(text(b + 1, "")),
            Some((_, Change::Remove)) => None,
            Some((_, Change::Directory)) => Some(Node::Directory),
            _ if !past.is_empty() => Some(text(0, "")),
            _ if DIRECTORIES.contains(&path) || self.has_children(path, now) => Some(Node::Directory),
            _ if DEVICES.contains(&path) => Some(Node::File(String::new())),
            _ => None,
        }
    }

    /// When a path changes next after a moment; `None` if it does not, as far as is known.
    pub fn next_change(&self, path: &str, after: Timestamp) -> Option<Timestamp> {
        let history = self.all.get(path)?;
        history.get(history.partition_point(|(t, _)| *t <= after)).map(|(t, _)| *t)
    }

    fn below<'a>(&'a self, path: &str) -> impl Iterator<Item = &'a String> {
        let prefix = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        let from = prefix.clone();
        self.all.range(from..).map(|(k, _)| k).take_while(move |k| k.starts_with(&prefix))
    }

    fn has_children(&self, path: &str, now: Timestamp) -> bool {
        self.below(path).any(|p| {
            self.all.get(p).is_some_and(|h| {
                let past = h.get(..h.partition_point(|(t, _)| *t <= now)).unwrap_or_default();
                past.last().is_some_and(|(_, c)| *c != Change::Remove)
            })
        })
    }

    /// The names in a directory at a moment, sorted.
    pub fn list(&self, path: &str, now: Timestamp) -> Vec<String> {
        let cut = if path == "/" { 1 } else { path.len() + 1 };
        let known = DIRECTORIES.iter().chain(&DEVICES).filter(|d| **d != "/" && parent(d) == path);
        let mut names: BTreeSet<String> = known.filter_map(|d| d.get(cut..)).map(str::to_owned).collect();
        for below in self.below(path) {
            if self.at(below, now).is_some() {
                names.extend(below.get(cut..).and_then(|rest| rest.split('/').next()).map(str::to_owned));
            }
        }
        let exists = |name: &String| self.at(&absolute(path, name), now).is_some();
        names.into_iter().filter(|n| exists(n)).collect()
    }

    /// A path and everything below it, the deepest last.
    pub fn tree(&self, path: &str, now: Timestamp) -> Vec<String> {
        let below = self.below(path).filter(|p| self.at(p, now).is_some()).cloned();
        std::iter::once(path.to_owned()).chain(below).collect()
    }
}
