//! What a process answers that is CoreDNS.

use std::rc::Rc;

use jiff::SignedDuration;

use super::coredns::{Found, Life, Since};
use super::process::Process;
use crate::api::Timestamp;
use crate::network::{Outcome, Response};
use crate::shell::Files;

impl Process {
    /// The files that were mounted when it started: those of a moment at which a mounted file is changed, too, are not told
    /// apart by their times.
    pub(super) fn first_files(&self) -> Files {
        let mut first = Files::default();
        for (nth, write) in self.mounts.iter().enumerate() {
            let before = self.mounts.iter().take(nth);
            if write.at <= self.program.start && before.clone().all(|w| w.path != write.path) {
                first.note(write);
            }
        }
        first
    }

    /// The configuration with which it answers at a moment, and since when, if it is CoreDNS.
    pub(super) fn configuration(&self, at: Timestamp) -> Option<Since> {
        let version = self.coredns.as_deref()?;
        let (files, first) = (self.world().files, self.first_files());
        Life::of(&self.program, &Found { files: &files, first: &first }, version).at(at).cloned()
    }

    /// What it answers to a request for one of its pages, if it is CoreDNS.
    pub(super) fn page(&self, port: u16, path: &str, at: Timestamp) -> Option<Outcome> {
        let (_, configuration) = self.configuration(at)?;
        let path = path.split('?').next().unwrap_or_default();
        let all = configuration.http_ports();
        if all.iter().all(|(p, _)| *p != port) {
            // It speaks DNS there.
            return Some(Outcome::Closed);
        }
        let found = all.contains(&(port, path));
        Some(Outcome::Answered(Rc::new(Response {
            status: if found { 200 } else { 404 },
            server: "".into(),
            content_type: "text/plain; charset=utf-8".into(),
            body: match (found, path) {
                (false, _) => "404 page not found\n".into(),
                // Nothing is measured here.
                (true, "/metrics") => "".into(),
                (true, _) => "OK".into(),
            },
            takes: SignedDuration::ZERO,
            goes_on: SignedDuration::ZERO,
            by: None,
            location: "".into(),
            headers: Default::default(),
        })))
    }
}
