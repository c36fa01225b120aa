//! Watches: an answer that goes on.

use std::rc::Rc;

use bytes::Bytes;
use hyper::Response;
use steady::apimachinery::HttpResponse;
use steady::apiserver::http::Watch;
use tokio::sync::mpsc;

use crate::house::{Counted, House};
use crate::reply::{self, Reply};

/// So many pieces wait for a client that reads slowly. What comes after them waits in the store's
/// history, where it costs nothing.
const AHEAD: usize = 1;

/// Begins to stream a watch.
pub fn watch(
    house: &Rc<House>,
    mut response: HttpResponse,
    watch: Watch,
    counted: Counted,
) -> Response<Reply> {
    let (pieces, receiver) = mpsc::channel(AHEAD);
    let first = Bytes::from(std::mem::take(&mut response.body));
    tokio::task::spawn_local(follow(house.clone(), watch, first, pieces, counted));
    reply::head(&response, Reply::Pieces(receiver))
}

async fn follow(
    house: Rc<House>,
    mut watch: Watch,
    first: Bytes,
    pieces: mpsc::Sender<Bytes>,
    _counted: Counted,
) {
    let (mut changes, mut ending) = (house.changes(), house.ending());
    if !first.is_empty() && pieces.send(first).await.is_err() {
        return;
    }
    while !watch.ended() && !*ending.borrow() {
        changes.mark_unchanged();
        let text = house.more(&mut watch);
        if !text.is_empty() {
            if pieces.send(Bytes::from(text)).await.is_err() {
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
