//! The files that a shell's commands look at and change.

use super::files::{self, Change, Sort, Write};
use super::machine::Shell;

impl Shell<'_> {
    pub(super) fn path(&self, path: &str) -> String {
        files::absolute(&self.frame.directory, path)
    }

    /// Of which sort a path is, links followed; `None` if it does not exist.
    pub(super) fn look(&mut self, path: &str) -> Option<Sort> {
        let path = self.path(path);
        let found = self.files.sort(&path, self.now);
        self.note_look(path);
        found
    }

    /// What stands in a file, whoever may read it; `None` if the path is none.
    pub(super) fn content(&mut self, path: &str) -> Option<String> {
        let path = self.path(path);
        let found = self.files.at(&path, self.now);
        self.note_look(path);
        match found? {
            files::Node::File(text) => Some(text),
            files::Node::Directory => None,
        }
    }

    /// Notes that a path was looked at, and the links that lead there.
    fn note_look(&mut self, path: String) {
        let (end, links) = self.files.resolve(&path, self.now);
        self.looked_at.extend(links);
        self.looked_at.extend([end, path]);
    }

    /// Where a symbolic link leads; `None` if the path is none.
    pub(super) fn link(&mut self, path: &str) -> Option<String> {
        let path = self.path(path);
        let to = self.files.link(&path, self.now);
        self.looked_at.insert(path);
        to.map(|to| to.to_string())
    }

    pub(super) fn is_directory(&mut self, path: &str) -> bool {
        self.look(path) == Some(Sort::Directory)
    }

    /// The names in a directory.
    pub(super) fn names_in(&mut self, path: &str) -> Vec<String> {
        let path = self.path(path);
        let names = self.files.list(&path, self.now);
        self.note_look(path);
        names
    }

    /// Whether a path is in a file system that is mounted for reading only.
    pub(super) fn is_read_only(&self, path: &str) -> bool {
        let path = self.files.resolve_parent(&self.path(path), self.now);
        let is_below = |m: &&(String, bool)| {
            m.0 == "/" || path.strip_prefix(m.0.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('/'))
        };
        let mount = self.world().mounts.iter().filter(is_below).max_by_key(|m| m.0.len());
        mount.is_some_and(|(_, read_only)| *read_only)
    }

    /// Whether the user of the program has a permission on a file: 4 to read, 2 to write, 1 to execute. Of a file of which
    /// nobody has said who may do what, everybody has.
    pub(super) fn may(&self, path: &str, permission: u16) -> bool {
        let access = self.files.access(&self.path(path), self.now);
        access.is_none_or(|a| a.allows(self.program.user.0, &self.program.groups, permission))
    }

    /// Changes a path.
    pub(super) fn change(&mut self, path: &str, change: Change) {
        let path = self.path(path);
        let path = match change {
            Change::Put(_)
            | Change::PutToken(_)
            | Change::Append(_)
            | Change::Fill(_)
            | Change::Access(_) => self.files.resolve(&path, self.now).0,
            Change::Directory | Change::Link(_) | Change::Remove => {
                self.files.resolve_parent(&path, self.now)
            }
        };
        let write = Write { at: self.now, path, change };
        self.files.note(&write);
        self.writes.push(write);
    }

    /// Whether a path is a device from which one can read for ever.
    pub(super) fn is_endless(&self, path: &str) -> bool {
        matches!(self.path(path).as_str(), "/dev/urandom" | "/dev/zero")
    }

    /// Whether a command reads from such a device: from the only one of the files that it is given, or from its standard input.
    pub(super) fn reads_for_ever(&self, paths: &[&str]) -> bool {
        match paths {
            [] | ["-"] => self.inputs.get(self.input).is_some_and(|input| input.endless),
            [path] => self.is_endless(path),
            _ => false,
        }
    }

    /// The bytes of standard input that are only counted.
    pub(super) fn counted_input(&self) -> u64 {
        self.inputs.get(self.input).map_or(0, |input| input.rest)
    }

    /// How many bytes a file has: also those that are only counted, and cannot be read.
    pub(super) fn size_of(&self, path: &str) -> u64 {
        self.files.size(&self.path(path), self.now)
    }

    /// The content of a file, or why it cannot be read.
    pub(super) fn read(&mut self, path: &str) -> Result<String, &'static str> {
        match self.look(path) {
            Some(Sort::File) if !self.may(path, 4) => Err("Permission denied"),
            Some(Sort::File) => Ok(self.content(path).unwrap_or_default()),
            Some(Sort::Directory) => Err("Is a directory"),
            None => Err("No such file or directory"),
        }
    }
}
