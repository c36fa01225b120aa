//! The log of a container as a stream: what is printed after a client asked for it.

use super::piece::Piece;
use crate::api::{Key, Timestamp};
use crate::apimachinery::{ContainerLog, LogOptions, LogPlace};
use crate::apiserver::Kubelets;

/// The log of a container that a client follows.
#[derive(Clone, Debug)]
pub(super) struct FollowedLog {
    /// The node whose kubelet has the log.
    pub(super) node: String,
    pub(super) pod: Key,
    pub(super) options: LogOptions,
    /// The text that was read when the request came, and is not sent yet.
    pub(super) first: Option<String>,
    /// Where the next piece begins.
    pub(super) next: LogPlace,
    /// Whether the container has ended and all it printed was read.
    pub(super) ended: bool,
}

impl FollowedLog {
    /// Whether the container has ended, and everything was sent.
    pub(super) fn ended(&self) -> bool {
        self.ended && self.first.is_none()
    }

    /// What was printed since the last piece.
    pub(super) fn more(&mut self, kubelets: &dyn Kubelets, now: Timestamp) -> Piece {
        let mut piece = Piece::default();
        if let Some(first) = self.first.take() {
            piece.push(first);
        }
        if piece.is_empty() && !self.ended {
            match kubelets.log(&self.node, &self.pod, &self.options, Some(&self.next), now) {
                Ok(ContainerLog { text, next, ended }) => {
                    (self.next, self.ended) = (next, ended);
                    piece.push(text);
                }
                // The connection to the kubelet is lost.
                Err(_) => self.ended = true,
            }
        }
        piece
    }
}
