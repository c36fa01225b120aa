//! Commands in containers over WebSocket (`k8s.io/apimachinery/pkg/util/remotecommand`; `k8s.io/client-go/tools/remotecommand`;
//! KEP-4006). SPDY, the way of clients before 1.31, is refused, and so is a terminal: what is typed into one would have to
//! reach a command that runs.

use std::rc::Rc;

use futures_util::{SinkExt as _, StreamExt as _};
use hyper::header::{
    CONNECTION, HeaderMap, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    UPGRADE,
};
use hyper::http::request::Parts;
use hyper::upgrade::OnUpgrade;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use steady::apimachinery::{Channels, HttpRequest, Status};
use steady::apiserver::http::{BODY_LIMIT, too_large};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use crate::house::House;
use crate::places::Busy;
use crate::reply::{self, Answer, Reply};
use crate::websocket;

/// The subprotocols, the better one first. Only with the first one a client can say where its input ends; with the other
/// one the input ends when the client goes away.
const PROTOCOLS: [&str; 2] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
/// The channels: the first byte of each message.
const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;
/// The first byte of a message that closes the channel that follows.
const CLOSE: u8 = 255;
/// The most bytes of a message that is sent.
const CHUNK: usize = 32 * 1024;
/// The status of a command whose input has ended and that does not end.
const ENDLESS: &str = r#"{"metadata":{},"status":"Failure","reason":"InternalError","message":"the command does not end by itself, and nobody can interrupt it here"}"#;
/// An input of up to so many bytes is answered as it comes; a longer one when it has ended.
const DIALOGUE: usize = 64 * 1024;

/// The last part of the path of a request for a command in a container, and of one that attaches to its process.
const EXEC: &str = "/exec";
const ATTACH: &str = "/attach";

/// Whether a request is for the streams of a container.
pub fn is_asked_for(path: &str) -> bool {
    let asked = path.ends_with(EXEC) || path.ends_with(ATTACH);
    path.starts_with("/api/v1/namespaces/") && path.contains("/pods/") && asked
}

/// Answers a request for a command in a container.
pub fn exec(house: &Rc<House>, parts: Parts, request: HttpRequest, busy: Busy) -> Response<Answer> {
    // What is wrong with the request is found out on a copy of the cluster, before a command is executed.
    let tried = house.read(|cluster| cluster.clone().serve_whole(&request).0.response);
    let refused = |code: u16, reason: &'static str, why: &str| {
        let status = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST);
        let body = Status::new(code, reason, why).to_value().to_string();
        reply::last(reply::own(status, "application/json", body))
    };
    let asks = |name: &str| {
        let mut given = request.query.split('&').filter_map(|p| p.split_once('='));
        given.any(|(key, value)| key == name && value != "false")
    };
    let answer = if tried.channels.is_none() {
        reply::whole(tried, &parts.headers)
    } else if request.path.ends_with(ATTACH) {
        let why = "nothing can be attached to a container here, only in the page's terminal: kubectl logs -f follows what it prints";
        refused(501, "", why)
    } else if !websocket::is_upgrade(&parts.headers) {
        refused(400, "BadRequest", "Upgrade request required")
    } else if asks("tty") {
        // Told to both protocols: a client that is refused a WebSocket tries SPDY, and shows the answer to that.
        refused(
            501,
            "",
            "there is no terminal in a container here: leave out --tty (-t), or give the command with -c",
        )
    } else if !websocket::is_asked_for(&parts.headers) {
        let why = "a command is executed over a WebSocket (v5.channel.k8s.io, as kubectl asks since 1.31): SPDY is not built here";
        refused(501, "", why)
    } else {
        match handshake(&parts.headers) {
            Ok(answer) => {
                let upgrade = hyper::upgrade::on(Request::from_parts(parts, ()));
                let reads = asks("stdin");
                tokio::task::spawn_local(serve(house.clone(), upgrade, request, reads, busy));
                return answer.map(|reply| Answer::new(reply, None));
            }
            Err(why) => refused(400, "BadRequest", why),
        }
    };
    answer.map(|reply| Answer::new(reply, Some(busy)))
}

/// The answer to the handshake.
fn handshake(headers: &HeaderMap) -> Result<Response<Reply>, &'static str> {
    let key =
        headers.get(SEC_WEBSOCKET_KEY).filter(|k| k.len() == 24).ok_or("mismatch challenge/response")?;
    let offered: Vec<&str> = headers
        .get_all(SEC_WEBSOCKET_PROTOCOL)
        .into_iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(','))
        .map(str::trim)
        .collect();
    let protocol =
        PROTOCOLS.into_iter().find(|p| offered.contains(p)).ok_or("no subprotocol that is known here")?;
    let mut out = Response::new(Reply::Whole(None));
    *out.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let answer = out.headers_mut();
    answer.insert(UPGRADE, HeaderValue::from_static("websocket"));
    answer.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    answer.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(protocol));
    let accept = derive_accept_key(key.as_bytes()).parse().map_err(|_| "mismatch challenge/response")?;
    answer.insert(SEC_WEBSOCKET_ACCEPT, accept);
    Ok(out)
}

/// Reads what the command is to read, if it reads, executes it, and sends what it printed. While more input may follow, the
/// command is executed on a copy of the cluster each time that some has come, and what it has printed beyond the last
/// time is sent; the cluster itself changes when the input has ended.
async fn serve(house: Rc<House>, upgrade: OnUpgrade, mut request: HttpRequest, reads: bool, _busy: Busy) {
    // If the client has gone away meanwhile, nothing can be sent.
    let Ok(upgraded) = upgrade.await else { return };
    let config =
        WebSocketConfig::default().max_message_size(Some(BODY_LIMIT)).max_frame_size(Some(BODY_LIMIT));
    let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
    let (mut sender, mut received) = socket.split();
    let mut fits = true;
    let mut open = reads;
    let mut sent = [0; 2];
    while open {
        if request.body.len() <= DIALOGUE {
            let so_far = HttpRequest { unfinished: true, ..request.clone() };
            let response = house.read(|cluster| cluster.clone().serve_whole(&so_far).0.response);
            // The command has ended, whatever may follow, or it cannot be executed any more.
            let Some(channels) = response.channels.filter(|c| c.status.is_none()) else { break };
            for message in messages(&channels, &mut sent) {
                if sender.send(Message::binary(message)).await.is_err() {
                    break;
                }
            }
        }
        let Some(Ok(message)) = received.next().await else {
            // What the command has written up to here is written.
            house.http(&request);
            return;
        };
        match &message.into_data()[..] {
            [CLOSE, STDIN] => open = false,
            [STDIN, input @ ..] if request.body.len() + input.len() <= BODY_LIMIT => {
                request.body.extend_from_slice(input);
            }
            [STDIN, ..] => fits = false,
            // The size of a terminal, a ping.
            _ => {}
        }
    }
    let response = if fits { house.http(&request).response } else { too_large() };
    let mut channels = match response.channels {
        Some(channels) => *channels,
        // The body of a refusal is a `Status`, too.
        None => Channels { status: Some(response.body), ..Channels::default() },
    };
    channels.status.get_or_insert_with(|| ENDLESS.to_owned());
    for message in messages(&channels, &mut sent) {
        if sender.send(Message::binary(message)).await.is_err() {
            return;
        }
    }
    let end = CloseFrame { code: CloseCode::Normal, reason: "".into() };
    let _ = sender.send(Message::Close(Some(end))).await;
    // The client closes its side.
    while let Some(Ok(_)) = received.next().await {}
}

/// The messages of streams, in the order in which these were written, without what was sent before: as many bytes of each stream as
/// `sent` says, which counts the rest as sent. What was printed before can read differently now if it tells the time.
fn messages(channels: &Channels, sent: &mut [usize; 2]) -> Vec<Bytes> {
    let message = |channel: u8, part: &[u8]| Bytes::from([&[channel], part].concat());
    let printed = channels.pieces(*sent).into_iter();
    let printed = printed.map(|(stderr, piece)| (if stderr { STDERR } else { STDOUT }, piece));
    let status = channels.status.as_deref().map(|status| (STATUS, status));
    let messages = printed
        .chain(status)
        .flat_map(|(channel, text)| text.as_bytes().chunks(CHUNK).map(move |part| message(channel, part)))
        .collect();
    for (sent, text) in sent.iter_mut().zip([&channels.stdout, &channels.stderr]) {
        *sent = (*sent).max(text.len());
    }
    messages
}
