//! Bodies that are made as they are read: lists, watches, and logs that are followed.
//!
//! A client that reads slowly costs no more than a cursor over a snapshot of the store, and clients that read
//! the same objects share their texts.

use jiff::SignedDuration;

use super::followed_log::FollowedLog;
use super::indent::Indent;
use super::list::ListBody;
use super::piece::Piece;
use super::texts::TextCache;
use super::watch::{WATCH_SECONDS, Watch};
use crate::apiserver::{ApiServer, Kubelets};

/// A body that is made as it is read.
#[derive(Clone, Debug)]
pub struct Stream {
    body: Body,
    /// Of a list that is written for a person: where its text stands.
    pub(super) indent: Option<Indent>,
    /// Whether its connection has ended with the server's program.
    cut: bool,
}

#[derive(Clone, Debug)]
enum Body {
    List(Box<ListBody>),
    Watch(Box<Watch>),
    Log(Box<FollowedLog>),
}

impl Stream {
    pub(super) fn list(list: ListBody) -> Stream {
        Stream { body: Body::List(Box::new(list)), indent: None, cut: false }
    }

    pub(super) fn watch(watch: Watch) -> Stream {
        Stream { body: Body::Watch(Box::new(watch)), indent: None, cut: false }
    }

    pub(super) fn log(log: FollowedLog) -> Stream {
        Stream { body: Body::Log(Box::new(log)), indent: None, cut: false }
    }

    /// Whether it is a watch, or a log that is followed: it goes on for as long as the cluster does something.
    pub fn is_watch(&self) -> bool {
        matches!(self.body, Body::Watch(_) | Body::Log(_))
    }

    /// Whether nothing comes any more: a list is at its end; a watch's time is over, or it was answered with
    /// an error; the container of a log has ended.
    pub fn ended(&self) -> bool {
        self.cut
            || match &self.body {
                Body::List(list) => list.ended(),
                Body::Watch(watch) => watch.ended(),
                Body::Log(log) => log.ended(),
            }
    }

    /// How long it goes on if nothing happens: a watch until its time is over, and a log that is followed as long.
    pub fn goes_on(&self, api: &ApiServer) -> SignedDuration {
        match &self.body {
            _ if self.ended() => SignedDuration::ZERO,
            Body::List(_) => SignedDuration::ZERO,
            Body::Watch(watch) => watch.ends.duration_since(api.now).max(SignedDuration::ZERO),
            Body::Log(_) => SignedDuration::from_secs(WATCH_SECONDS),
        }
    }

    /// The next piece; empty if there is nothing to tell now. A piece of a watch ends with a whole event.
    pub fn more(&mut self, api: &ApiServer, kubelets: &dyn Kubelets, cache: &mut TextCache) -> Piece {
        // A connection ends with the server's program.
        self.cut |= !api.serves();
        if self.cut {
            return Piece::default();
        }
        let piece = match &mut self.body {
            Body::List(list) => list.more(cache),
            Body::Watch(watch) => watch.more(api, cache),
            Body::Log(log) => log.more(kubelets, api.now),
        };
        let Some(indent) = self.indent.as_mut().filter(|_| !piece.is_empty()) else { return piece };
        let mut out = Piece::default();
        for text in piece.into_texts() {
            out.push(indent.text(&String::from_utf8_lossy(&text)));
        }
        if out.is_empty() && !self.ended() {
            // White space alone was left out.
            return self.more(api, kubelets, cache);
        }
        out
    }
}
