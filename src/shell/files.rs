//! The files that a process sees, each with its history, so that they can be asked for at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::api::Timestamp;
use crate::api::service_account_token::Token;

/// What happens to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It becomes a file with this content.
    Put(Rc<str>),
    /// It becomes a file with a token, which is signed when the file is read.
    PutToken(Rc<Token>),
    /// The text is appended to it.
    Append(Rc<str>),
    /// So many zero bytes are appended to it. They are counted and not kept.
    Fill(u64),
    /// It becomes a directory.
    Directory,
    /// It becomes a symbolic link to this path, which may be relative to the link's directory.
    Link(Rc<str>),
    /// It gets this owner and mode.
    Access(Access),
    /// It is removed.
    Remove,
}

impl Change {
    /// What a path has as a new file; `None` if it does not become one.
    pub fn content(&self) -> Option<&str> {
        match self {
            Change::Put(text) => Some(text),
            Change::PutToken(token) => Some(token.text()),
            _ => None,
        }
    }
}

/// Who may do what with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The permission bits.
    pub mode: u16,
    /// The user who owns it.
    pub uid: i64,
    /// The group that owns it.
    pub gid: i64,
}

impl Access {
    /// Whether somebody has a permission: 4 to read, 2 to write, 1 to execute. Root may read and write anything.
    pub fn allows(&self, uid: i64, groups: &[i64], permission: u16) -> bool {
        if uid == 0 && permission != 1 {
            return true;
        }
        let of = match () {
            () if uid == 0 => self.mode >> 6 | self.mode >> 3 | self.mode,
            () if uid == self.uid => self.mode >> 6,
            () if groups.contains(&self.gid) => self.mode >> 3,
            () => self.mode,
        };
        of & permission != 0
    }

    /// The permissions as `ls -l` shows them. The bits above them (set-user-ID, set-group-ID, and the one that lets only owners remove
    /// entries of a directory) stand in the place of the three `x`: as a capital letter where nobody may execute it.
    pub fn letters(&self) -> String {
        let special = |i: u16| match i {
            2 => (0o4000, 's', 'S'),
            5 => (0o2000, 's', 'S'),
            8 => (0o1000, 't', 'T'),
            _ => (0, '-', '-'),
        };
        let bit = |i: u16| {
            let has = self.mode & (1 << (8 - i)) != 0;
            match special(i) {
                (mask, with, _) if self.mode & mask != 0 && has => with,
                (mask, _, without) if self.mode & mask != 0 => without,
                _ if has => ['r', 'w', 'x'][usize::from(i % 3)],
                _ => '-',
            }
        };
        (0..9).map(bit).collect()
    }
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

/// What a path is, without what stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A file.
    File,
    /// A directory.
    Directory,
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
    /// The paths that have been symbolic links at some time.
    links: BTreeSet<String>,
}

/// What stands at a path itself, without following it if it is a link.
enum Entry<'a> {
    /// A file: what it was made with, unless it is empty then, and what happened to it afterwards. Its text is put together when
    /// somebody reads it.
    File(Option<&'a Change>, &'a [(Timestamp, Change)]),
    Directory,
    Link(Rc<str>),
}

/// The text of a file.
fn text_of(first: Option<&Change>, after: &[(Timestamp, Change)]) -> String {
    let mut text = first.and_then(Change::content).unwrap_or_default().to_owned();
    for (_, change) in after {
        match change {
            Change::Append(more) => text.push_str(more),
            Change::Fill(more) => {
                let free = FILLED_LIMIT.saturating_sub(text.len());
                let more = usize::try_from(*more).unwrap_or(usize::MAX).min(free);
                text.extend(std::iter::repeat_n('\0', more));
            }
            _ => {}
        }
    }
    text
}

/// How much of a file is read whose zero bytes are only counted.
const FILLED_LIMIT: usize = 1 << 16;

/// The space of a disk that a file takes is a multiple of this.
const BLOCK: u64 = 4096;

/// How many symbolic links are followed from one path (`ELOOP`).
const LINKS_LIMIT: usize = 40;

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

/// Whether a change adds to what there is of a file.
fn adds(change: &Change) -> bool {
    matches!(change, Change::Append(_) | Change::Fill(_))
}

/// The last change that makes something new of a path.
fn base_of(past: &[(Timestamp, Change)]) -> Option<usize> {
    past.iter().rposition(|(_, c)| !adds(c) && !matches!(c, Change::Access(_)))
}

/// The bytes of a file that had so many before a change.
fn size_after(before: u64, change: &Change) -> u64 {
    match change {
        Change::Put(text) => text.len() as u64,
        Change::PutToken(token) => token.size() as u64,
        Change::Append(more) => before.saturating_add(more.len() as u64),
        Change::Fill(more) => before.saturating_add(*more),
        Change::Access(_) => before,
        Change::Directory | Change::Link(_) | Change::Remove => 0,
    }
}

/// The space that files take which changes have made, given in the order of time: each moment at which that becomes another, with
/// the bytes from then on. A file takes whole blocks of 4 KiB; a directory takes nothing.
pub fn space<'a>(changes: impl IntoIterator<Item = &'a Write>) -> Vec<(Timestamp, u64)> {
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    let mut all: Vec<(Timestamp, u64)> = Vec::new();
    let taken = |size: u64| size.div_ceil(BLOCK).saturating_mul(BLOCK);
    let mut sum: u64 = 0;
    for write in changes {
        let size = sizes.entry(&write.path).or_default();
        let before = taken(*size);
        *size = size_after(*size, &write.change);
        if taken(*size) == before {
            continue;
        }
        sum = sum.saturating_sub(before).saturating_add(taken(*size));
        match all.last_mut() {
            Some((at, last)) if *at == write.at => *last = sum,
            _ => all.push((write.at, sum)),
        }
    }
    all
}

impl Files {
    /// Notes a change. Changes of one moment happen in the order in which they are noted.
    pub fn note(&mut self, write: &Write) {
        if matches!(write.change, Change::Link(_)) {
            self.links.insert(write.path.clone());
        }
        let history = self.all.entry(write.path.clone()).or_default();
        let place = history.partition_point(|(t, _)| *t <= write.at);
        history.insert(place, (write.at, write.change.clone()));
    }

    fn past(&self, path: &str, now: Timestamp) -> &[(Timestamp, Change)] {
        let history = self.all.get(path).map_or(&[][..], Vec::as_slice);
        history.get(..history.partition_point(|(t, _)| *t <= now)).unwrap_or_default()
    }

    /// What stands at a path; a link is not followed.
    fn entry(&self, path: &str, now: Timestamp) -> Option<Entry<'_>> {
        let past = self.past(path, now);
        // The last change that makes something new of the path, and the additions after it.
        let base = base_of(past);
        let after = |from: usize| past.get(from..).unwrap_or_default();
        let appended = |from: usize| after(from).iter().any(|(_, c)| adds(c));
        match base.and_then(|b| Some((b + 1, &past.get(b)?.1))) {
            Some((next, first @ (Change::Put(_) | Change::PutToken(_)))) => {
                Some(Entry::File(Some(first), after(next)))
            }
            Some((next, Change::Remove)) if appended(next) => Some(Entry::File(None, after(next))),
            Some((_, Change::Remove)) => None,
            Some((_, Change::Directory)) => Some(Entry::Directory),
            Some((_, Change::Link(to))) => Some(Entry::Link(to.clone())),
            _ if appended(0) => Some(Entry::File(None, past)),
            _ if DIRECTORIES.contains(&path) || self.has_children(path, now) => Some(Entry::Directory),
            _ if DEVICES.contains(&path) => Some(Entry::File(None, &[])),
            _ => None,
        }
    }

    /// Of which sort a path is at a moment, symbolic links followed; `None` if it does not exist. What stands in a file is not read.
    pub fn sort(&self, path: &str, now: Timestamp) -> Option<Sort> {
        match self.entry(&self.resolve(path, now).0, now)? {
            Entry::File(..) => Some(Sort::File),
            Entry::Directory => Some(Sort::Directory),
            // Links in a circle.
            Entry::Link(_) => None,
        }
    }

    /// What a path is at a moment, symbolic links followed; `None` if it does not exist.
    pub fn at(&self, path: &str, now: Timestamp) -> Option<Node> {
        match self.entry(&self.resolve(path, now).0, now)? {
            Entry::File(first, after) => Some(Node::File(text_of(first, after))),
            Entry::Directory => Some(Node::Directory),
            // Links in a circle.
            Entry::Link(_) => None,
        }
    }

    /// How many bytes a file has, symbolic links followed; 0 if there is none.
    pub fn size(&self, path: &str, now: Timestamp) -> u64 {
        let past = self.past(&self.resolve(path, now).0, now);
        let from = base_of(past).unwrap_or_default();
        past.iter().skip(from).fold(0, |size, (_, change)| size_after(size, change))
    }

    /// The changes that make a file like the one at a path, symbolic links followed: its text, and what it has beside that.
    pub fn copy(&self, path: &str, now: Timestamp) -> Vec<Change> {
        let Some(Node::File(text)) = self.at(path, now) else { return Vec::new() };
        let rest = self.size(path, now).saturating_sub(text.len() as u64);
        let fill = (rest > 0).then_some(Change::Fill(rest));
        std::iter::once(Change::Put(text.into())).chain(fill).collect()
    }

    /// Where a symbolic link leads; `None` if the path is none.
    pub fn link(&self, path: &str, now: Timestamp) -> Option<Rc<str>> {
        match self.entry(&self.resolve_parent(path, now), now)? {
            Entry::Link(to) => Some(to),
            Entry::File(..) | Entry::Directory => None,
        }
    }

    /// The path without symbolic links, and the links that lead there.
    pub fn resolve(&self, path: &str, now: Timestamp) -> (String, Vec<String>) {
        let mut path = path.to_owned();
        let mut followed = Vec::new();
        while !self.links.is_empty() && followed.len() < LINKS_LIMIT {
            let ends = path.match_indices('/').map(|(i, _)| i).skip(1).chain([path.len()]);
            let next = ends.filter_map(|end| {
                let link = path.get(..end).filter(|p| self.links.contains(*p))?;
                match self.entry(link, now)? {
                    Entry::Link(to) => Some((link.to_owned(), to, path.get(end..).unwrap_or_default())),
                    Entry::File(..) | Entry::Directory => None,
                }
            });
            let Some((link, to, rest)) = { next }.next() else { break };
            path = absolute("/", &format!("{}{rest}", absolute(parent(&link), &to)));
            followed.push(link);
        }
        (path, followed)
    }

    /// The path of an entry of a directory: links to the directory are followed, and the entry is not if it is one.
    pub fn resolve_parent(&self, path: &str, now: Timestamp) -> String {
        match path.rsplit_once('/') {
            Some((above, name)) if !above.is_empty() => absolute(&self.resolve(above, now).0, name),
            _ => path.to_owned(),
        }
    }

    /// Who may do what with a file; `None` if nobody has said.
    pub fn access(&self, path: &str, now: Timestamp) -> Option<Access> {
        let path = self.resolve(path, now).0;
        let past = self.past(&path, now).iter().rev();
        let mut since = past.take_while(|(_, c)| !matches!(c, Change::Remove));
        since.find_map(|(_, c)| if let Change::Access(a) = c { Some(*a) } else { None })
    }

    /// When an entry was changed last.
    pub fn changed(&self, path: &str, now: Timestamp) -> Option<Timestamp> {
        self.past(&self.resolve_parent(path, now), now).last().map(|(t, _)| *t)
    }

    /// When a path, or a link that leads there, changes next after a moment; `None` if it does not, as far as is known.
    pub fn next_change(&self, path: &str, after: Timestamp) -> Option<Timestamp> {
        let (path, links) = self.resolve(path, after);
        let next = |path: &String| {
            let history = self.all.get(path)?;
            history.get(history.partition_point(|(t, _)| *t <= after)).map(|(t, _)| *t)
        };
        links.iter().chain([&path]).filter_map(next).min()
    }

    /// When anything changes next after a moment; `None` if nothing does, as far as is known.
    pub fn next_of_all(&self, after: Timestamp) -> Option<Timestamp> {
        let next = |history: &Vec<(Timestamp, Change)>| {
            history.get(history.partition_point(|(t, _)| *t <= after)).map(|(t, _)| *t)
        };
        self.all.values().filter_map(next).min()
    }

    fn below<'a>(&'a self, path: &str) -> impl Iterator<Item = &'a String> {
        let prefix = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        let from = prefix.clone();
        self.all.range(from..).map(|(k, _)| k).take_while(move |k| k.starts_with(&prefix))
    }

    fn has_children(&self, path: &str, now: Timestamp) -> bool {
        self.below(path).any(|p| self.past(p, now).last().is_some_and(|(_, c)| *c != Change::Remove))
    }

    /// The names in a directory at a moment, sorted.
    pub fn list(&self, path: &str, now: Timestamp) -> Vec<String> {
        let path = &*self.resolve(path, now).0;
        let cut = if path == "/" { 1 } else { path.len() + 1 };
        let known = DIRECTORIES.iter().chain(&DEVICES).filter(|d| **d != "/" && parent(d) == path);
        let mut names: BTreeSet<String> = known.filter_map(|d| d.get(cut..)).map(str::to_owned).collect();
        for below in self.below(path) {
            if self.entry(below, now).is_some() {
                names.extend(below.get(cut..).and_then(|rest| rest.split('/').next()).map(str::to_owned));
            }
        }
        let exists = |name: &String| self.entry(&absolute(path, name), now).is_some();
        names.into_iter().filter(|n| exists(n)).collect()
    }

    /// A path and everything below it, the deepest last. Links are not followed.
    pub fn tree(&self, path: &str, now: Timestamp) -> Vec<String> {
        let below = self.below(path).filter(|p| self.entry(p, now).is_some()).cloned();
        std::iter::once(path.to_owned()).chain(below).collect()
    }
}
