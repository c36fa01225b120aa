//! A drain of a trial: `kubectl drain` evicts a pod again as long as a budget protects it.

use jiff::SignedDuration;

use super::{Trial, said};
use crate::api::Timestamp;
use crate::kubectl::Kubectl;
use crate::session::{CommandLine, Looked, Ran};

/// `kubectl drain` evicts a pod again so long after a budget has protected it (`EvictPods` of `k8s.io/kubectl/pkg/drain`).
const AGAIN: SignedDuration = SignedDuration::from_secs(5);

/// A drain that has not ended.
#[derive(Clone, Debug)]
pub(super) struct Draining {
    line: String,
    command: Kubectl,
    /// When it is looked at next.
    again: Timestamp,
}

impl Trial {
    /// Enters the line of a drain. What a budget protects stays, and is evicted again later.
    pub(super) fn drain(&mut self, line: String) {
        let Ran { output, waits, command } = self.enter(line.clone(), Vec::new());
        let again = crate::api::later(self.session.now(), AGAIN);
        self.last = self.session.now();
        match waits {
            Some(_) => self.draining = Some(Draining { line, command, again }),
            None => (self.draining, self.drained) = (None, Some(output)),
        }
    }

    /// Looks whether a drain would evict pods again that a budget had protected. A command that waits only looks: what it would write
    /// is written by entering its line again, which makes an op of it.
    pub(super) fn look_at_drain(&mut self) {
        let now = self.session.now();
        let Some(draining) = self.draining.as_mut().filter(|d| d.again <= now) else { return };
        draining.again = crate::api::later(now, AGAIN);
        let (output, looked) = self.session.look_again(&mut draining.command);
        match looked {
            Looked::Waits(_) => {}
            Looked::Ended => (self.draining, self.drained) = (None, Some(output)),
            Looked::Writes => {
                let line = draining.line.clone();
                self.drain(line);
            }
        }
    }

    /// Enters the line of a drain again where nothing happens any more, unless it would not change anything: then no budget will ever
    /// allow more. Returns whether it was entered.
    pub(super) fn drain_again(&mut self) -> bool {
        let Some(line) = self.draining.as_ref().map(|d| d.line.clone()) else { return false };
        let given = CommandLine { line: line.clone(), files: Vec::new(), editor: false };
        if self.session.preview_command(&given).0.is_empty() {
            return false;
        }
        self.drain(line);
        true
    }

    /// A drain that has not ended is given up.
    pub(super) fn leave_drain(&mut self) {
        let Some(draining) = self.draining.take() else { return };
        let given = CommandLine { line: draining.line, files: Vec::new(), editor: false };
        self.drained = Some(self.session.preview_command(&given).1);
    }

    /// Why a node could not be drained, in the words of kubectl.
    pub(super) fn undrained(&self) -> Option<String> {
        let output = self.drained.as_ref().filter(|o| o.waits || o.exit != 0)?;
        let refused = output.stderr.lines().rev().find(|line| line.starts_with("error when evicting"));
        Some(refused.map_or_else(|| said(output), str::to_owned))
    }
}
