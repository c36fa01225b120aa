//! Watches over WebSocket, with one text frame for each event
//! (`k8s.io/apiserver/pkg/endpoints/handlers/watch.go`, `golang.org/x/net/websocket`).

use std::rc::Rc;

use bytes::Buf as _;
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::header::{
    CONNECTION, HeaderMap, HeaderValue, ORIGIN, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::http::request::Parts;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use steady::apiserver::http::Stream;
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};

use crate::house::{Counted, House};
use crate::places::Busy;
use crate::reply::{self, Answer, Reply};
use crate::stream;
use crate::texts::Texts;

const TEXT: &str = "text/plain; charset=utf-8";
/// The only version of the protocol.
const VERSION: &str = "13";
/// The subprotocol in which a client may send a token. The door has no authentication, so it is accepted and
/// ignored.
const BEARER: &str = "base64url.bearer.authorization.k8s.io.";
/// The largest message of a client, in bytes. Messages are not read.
const MESSAGE: usize = 64 * 1024;

fn words(headers: &HeaderMap, name: impl hyper::header::AsHeaderName) -> Vec<&str> {
    let values = headers.get_all(name).into_iter().filter_map(|v| v.to_str().ok());
    values.flat_map(|v| v.split(',')).map(str::trim).filter(|v| !v.is_empty()).collect()
}

/// Whether a request asks for a WebSocket (`wsstream.IsWebSocketRequest`).
pub fn is_asked_for(headers: &HeaderMap) -> bool {
    let has = |name, word: &str| words(headers, name).iter().any(|w| w.eq_ignore_ascii_case(word));
    has(UPGRADE, "websocket") && has(CONNECTION, "upgrade")
}

/// Whether a request asks for another protocol (`httpstream.IsUpgradeRequest`).
pub fn is_upgrade(headers: &HeaderMap) -> bool {
    words(headers, CONNECTION).iter().any(|w| w.to_ascii_lowercase().contains("upgrade"))
}

fn refused(status: StatusCode, why: &str) -> Response<Reply> {
    reply::last(reply::own(status, TEXT, why.to_owned()))
}

/// The response to the handshake: 101, or a refusal.
fn handshake(headers: &HeaderMap) -> Response<Reply> {
    if words(headers, SEC_WEBSOCKET_VERSION) != [VERSION] {
        let mut out = refused(StatusCode::BAD_REQUEST, "missing or bad WebSocket Version");
        out.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(VERSION));
        return out;
    }
    let Some(key) = headers.get(SEC_WEBSOCKET_KEY).filter(|k| k.len() == 24) else {
        return refused(StatusCode::BAD_REQUEST, "mismatch challenge/response");
    };
    if !headers.contains_key(ORIGIN) {
        return refused(StatusCode::FORBIDDEN, "");
    }
    let mut out = Response::new(Reply::Whole(None));
    *out.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let answer = out.headers_mut();
    answer.insert(UPGRADE, HeaderValue::from_static("websocket"));
    answer.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    if let Ok(accept) = derive_accept_key(key.as_bytes()).parse() {
        answer.insert(SEC_WEBSOCKET_ACCEPT, accept);
    }
    let mut protocols = words(headers, SEC_WEBSOCKET_PROTOCOL);
    protocols.retain(|p| !p.starts_with(BEARER));
    match protocols.as_slice() {
        [] => {}
        [one] => {
            if let Ok(one) = one.parse() {
                answer.insert(SEC_WEBSOCKET_PROTOCOL, one);
            }
        }
        _ => return refused(StatusCode::BAD_REQUEST, "missing or bad WebSocket-Protocol"),
    }
    out
}

/// Begins to send a watch in frames.
pub fn watch(
    house: &Rc<House>,
    parts: Parts,
    watch: Stream,
    counted: Counted,
    busy: Busy,
) -> Response<Answer> {
    let answer = handshake(&parts.headers);
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return answer.map(|reply| Answer::new(reply, Some(busy)));
    }
    let upgrade = hyper::upgrade::on(Request::from_parts(parts, ()));
    tokio::task::spawn_local(send(house.clone(), upgrade, watch, counted, busy));
    answer.map(|reply| Answer::new(reply, None))
}

async fn send(house: Rc<House>, upgrade: OnUpgrade, watch: Stream, counted: Counted, _busy: Busy) {
    // If the client has gone away meanwhile, nothing can be sent.
    let Ok(upgraded) = upgrade.await else { return };
    let config = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE))
        .max_frame_size(Some(MESSAGE))
        .write_buffer_size(0);
    let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
    let (pieces, receiver) = mpsc::channel(1);
    let events = tokio::task::spawn_local(stream::follow(house, watch, pieces, counted));
    frames(socket, receiver).await;
    // The client is gone. A watch without events would not notice that.
    events.abort();
}

async fn frames(socket: WebSocketStream<TokioIo<Upgraded>>, mut pieces: mpsc::Receiver<Texts>) {
    let (mut sender, mut received) = socket.split();
    loop {
        let piece = tokio::select! {
            piece = pieces.recv() => piece,
            // A client sends only pings, pongs and its close frame.
            message = received.next() => match message {
                Some(Ok(_)) => continue,
                _ => return,
            },
        };
        let Some(mut piece) = piece else { break };
        let text = piece.copy_to_bytes(piece.remaining());
        for event in String::from_utf8_lossy(&text).split_inclusive('\n') {
            if sender.send(Message::text(event)).await.is_err() {
                return;
            }
        }
    }
    let end = CloseFrame { code: CloseCode::Normal, reason: "".into() };
    let _ = sender.send(Message::Close(Some(end))).await;
}
