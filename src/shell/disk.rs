//! The files that a shell's commands look at and change.

use super::files::{self, Change, Write};
use super::machine::Shell;

impl Shell<'_> {
    pub(super) fn path(&self, path: &str) -> String {
        files::absolute(&self.frame.directory, path)
    }

    /// What a path is; `None` if it does not exist.
    pub(super) fn look(&mut self, path: &str) -> Option<files::Node> {
        let path = self.path(path);
        let found = self.files.at(&path, self.now);
        self.looked_at.insert(path);
        found
    }

    pub(super) fn is_directory(&mut self, path: &str) -> bool {
        self.look(path) == Some(files::Node::Directory)
    }

    /// The names in a directory.
    pub(super) fn names_in(&mut self, path: &str) -> Vec<String> {
        let path = self.path(path);
        let names = self.files.list(&path, self.now);
        self.looked_at.insert(path);
        names
    }

    /// Changes a path.
    pub(super) fn change(&mut self, path: &str, change: Change) {
        let write = Write { at: self.now, path: self.path(path), change };
        self.files.note(&write);
        self.writes.push(write);
    }

    /// The content of a file, or why it cannot be read.
    pub(super) fn read(&mut self, path: &str) -> Result<String, &'static str> {
        match self.look(path) {
            Some(files::Node::File(text)) => Ok(text),
            Some(files::Node::Directory) => Err("Is a directory"),
            None => Err("No such file or directory"),
        }
    }
}
