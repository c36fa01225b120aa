//! Responses that are written while the client reads them: lists and watches.
//!
//! Each response has a task that asks the cluster for a piece when the connection has room for it. So
//! connections take turns, and one whose client reads slowly holds a piece or two and a cursor.

use std::io::Write as _;
use std::rc::Rc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::Response;
use hyper::header::HeaderMap;
use steady::apimachinery::HttpResponse;
use steady::apiserver::http::Stream;
use tokio::sync::mpsc;

use crate::house::{Counted, House};
use crate::reply::{self, Reply};
use crate::texts::Texts;

/// How many pieces wait for a client that reads slowly.
const AHEAD: usize = 1;

/// Begins to send a list. A short one is sent as a whole.
pub fn list(
    house: &Rc<House>,
    mut response: HttpResponse,
    mut stream: Stream,
    request: &HeaderMap,
) -> Response<Reply> {
    let packs = reply::wants_gzip(request);
    // Whether the response is compressed depends on its length, so only then this much of it has to be
    // known.
    let enough = if packs { reply::GZIP_FROM } else { 1 };
    let (mut first, mut size) = (Vec::new(), 0);
    while size < enough && !stream.ended() {
        let piece = house.more(&mut stream);
        size += piece.len();
        first.extend(piece.into_texts());
    }
    if stream.ended() {
        response.binary = first.concat();
        return reply::whole(response, request);
    }
    let (pieces, receiver) = mpsc::channel(AHEAD);
    let mut out = reply::head(&response, Reply::Pieces(receiver));
    reply::varies(&mut out, packs);
    tokio::task::spawn_local(send_list(house.clone(), stream, first, packs.then(Packer::default), pieces));
    out
}

async fn send_list(
    house: Rc<House>,
    mut stream: Stream,
    first: Vec<Bytes>,
    mut packer: Option<Packer>,
    pieces: mpsc::Sender<Texts>,
) {
    let mut texts = first;
    loop {
        let piece = match &mut packer {
            None => Texts::from(texts),
            Some(packer) => Texts::from(packer.pack(&texts)),
        };
        if !piece.is_empty() && pieces.send(piece).await.is_err() {
            return;
        }
        // Other tasks get their turn, even if nothing was sent.
        tokio::task::yield_now().await;
        if stream.ended() {
            break;
        }
        texts = house.more(&mut stream).into_texts();
    }
    if let Some(packer) = packer {
        let _ = pieces.send(Texts::from(packer.end())).await;
    }
}

/// A compressor for pieces.
struct Packer(GzEncoder<Vec<u8>>);

impl Default for Packer {
    fn default() -> Packer {
        Packer(GzEncoder::new(Vec::new(), Compression::fast()))
    }
}

impl Packer {
    fn pack(&mut self, texts: &[Bytes]) -> Bytes {
        for text in texts {
            // Writing to memory cannot fail.
            let _ = self.0.write_all(text);
        }
        std::mem::take(self.0.get_mut()).into()
    }

    fn end(self) -> Bytes {
        self.0.finish().unwrap_or_default().into()
    }
}

/// Begins to send a watch.
pub fn watch(house: &Rc<House>, response: &HttpResponse, watch: Stream, counted: Counted) -> Response<Reply> {
    let (pieces, receiver) = mpsc::channel(AHEAD);
    tokio::task::spawn_local(follow(house.clone(), watch, pieces, counted));
    reply::head(response, Reply::Pieces(receiver))
}

/// Sends the events of a watch until it ends, the door closes, or the client is gone.
pub async fn follow(house: Rc<House>, mut watch: Stream, pieces: mpsc::Sender<Texts>, _counted: Counted) {
    let (mut changes, mut ending) = (house.changes(), house.ending());
    while !watch.ended() && !*ending.borrow() {
        changes.mark_unchanged();
        let piece = house.more(&mut watch);
        if !piece.is_empty() {
            if pieces.send(piece.into()).await.is_err() {
                return;
            }
            continue;
        }
        if watch.ended() {
            return;
        }
        tokio::select! {
            _ = changes.changed() => {}
            _ = ending.changed() => return,
            () = pieces.closed() => return,
        }
    }
}
