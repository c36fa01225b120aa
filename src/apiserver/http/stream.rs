//! Bodies that are made as they are read: lists and watches.
//!
//! A client that reads slowly costs no more than a cursor over a snapshot of the store, and clients that read
//! the same objects share their texts.

use super::indent::Indent;
use super::list::ListBody;
use super::piece::Piece;
use super::texts::TextCache;
use super::watch::Watch;
use crate::apiserver::ApiServer;

/// A body that is made as it is read.
#[derive(Clone, Debug)]
pub struct Stream {
    body: Body,
    /// Of a list that is written for a person: where its text stands.
    pub(super) indent: Option<Indent>,
}

#[derive(Clone, Debug)]
enum Body {
    List(Box<ListBody>),
    Watch(Box<Watch>),
}

impl Stream {
    pub(super) fn list(list: ListBody) -> Stream {
        Stream { body: Body::List(Box::new(list)), indent: None }
    }

    pub(super) fn watch(watch: Watch) -> Stream {
        Stream { body: Body::Watch(Box::new(watch)), indent: None }
    }

    /// Whether it is a watch: it goes on for as long as the cluster does something.
    pub fn is_watch(&self) -> bool {
        matches!(self.body, Body::Watch(_))
    }

    /// Whether nothing comes any more: a list is at its end; a watch's time is over, or it was answered with
    /// an error.
    pub fn ended(&self) -> bool {
        match &self.body {
            Body::List(list) => list.ended(),
            Body::Watch(watch) => watch.ended(),
        }
    }

    /// The next piece; empty if there is nothing to tell now. A piece of a watch ends with a whole event.
    pub fn more(&mut self, api: &ApiServer, cache: &mut TextCache) -> Piece {
        let piece = match &mut self.body {
            Body::List(list) => list.more(cache),
            Body::Watch(watch) => watch.more(api, cache),
        };
        let Some(indent) = self.indent.as_mut().filter(|_| !piece.is_empty()) else { return piece };
        let mut out = Piece::default();
        for text in piece.into_texts() {
            out.push(indent.text(&String::from_utf8_lossy(&text)));
        }
        if out.is_empty() && !self.ended() {
            // White space alone was left out.
            return self.more(api, cache);
        }
        out
    }
}
