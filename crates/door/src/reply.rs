//! Answers as HTTP has them.

use std::convert::Infallible;
use std::io::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue,
    RETRY_AFTER, VARY, WARNING,
};
use hyper::{Response, StatusCode};
use steady::apimachinery::HttpResponse;
use tokio::sync::mpsc;

use crate::places::Busy;
use crate::texts::Texts;

/// Answers from this size on are compressed for those who want it
/// (`k8s.io/apiserver/pkg/endpoints/handlers/responsewriters`), in bytes.
pub const GZIP_FROM: usize = 128 * 1024;

/// What is sent.
pub enum Reply {
    /// All of it; `None` when it was taken.
    Whole(Option<Bytes>),
    /// Piece by piece.
    Pieces(mpsc::Receiver<Texts>),
}

/// The body of an answer. Its connection is busy until it is dropped.
pub struct Answer {
    reply: Reply,
    _busy: Option<Busy>,
}

impl Answer {
    /// A body; `busy` is none for what ends its connection anyway.
    pub fn new(reply: Reply, busy: Option<Busy>) -> Answer {
        Answer { reply, _busy: busy }
    }
}

impl Body for Answer {
    type Data = Texts;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Texts>, Infallible>>> {
        match &mut self.get_mut().reply {
            Reply::Whole(body) => Poll::Ready(body.take().map(|b| Ok(Frame::data(b.into())))),
            Reply::Pieces(pieces) => pieces.poll_recv(cx).map(|b| b.map(|b| Ok(Frame::data(b)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.reply, Reply::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.reply {
            Reply::Whole(body) => SizeHint::with_exact(body.as_ref().map_or(0, |b| b.len() as u64)),
            Reply::Pieces(_) => SizeHint::default(),
        }
    }
}

/// The library's answer with its headers; the body is for the caller to choose.
pub fn head(response: &HttpResponse, body: Reply) -> Response<Reply> {
    let mut out = Response::new(body);
    *out.status_mut() = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = out.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    if let Ok(v) = HeaderValue::from_str(&response.content_type) {
        headers.insert(CONTENT_TYPE, v);
    }
    for warning in &response.warnings {
        // A line break would end the header.
        let bytes: Vec<u8> = warning.bytes().map(|b| if b < b' ' || b == 0x7f { b' ' } else { b }).collect();
        if let Ok(v) = HeaderValue::from_bytes(&bytes) {
            headers.append(WARNING, v);
        }
    }
    if let Some(seconds) = response.retry_after {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    out
}

/// Whether a client reads what is compressed.
pub fn wants_gzip(request: &HeaderMap) -> bool {
    request
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(','))
        .any(|v| v.split(';').next().is_some_and(|v| v.trim() == "gzip"))
}

/// Says of a large answer that it may be compressed, and whether it is.
pub fn varies(response: &mut Response<Reply>, packed: bool) {
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if packed {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
}

/// The library's answer, compressed if it is large and the client wants it so.
pub fn whole(response: HttpResponse, request: &HeaderMap) -> Response<Reply> {
    let mut out = head(&response, Reply::Whole(None));
    let mut body = match response.binary.is_empty() {
        true => Bytes::from(response.body),
        false => Bytes::from(response.binary),
    };
    if body.len() >= GZIP_FROM {
        let packed = wants_gzip(request).then(|| gzip(&body)).flatten();
        varies(&mut out, packed.is_some());
        body = packed.unwrap_or(body);
    }
    *out.body_mut() = Reply::Whole(Some(body));
    out
}

fn gzip(body: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail; if it did, the body would go as it is.
    encoder.write_all(body).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// An answer of the program's own.
pub fn own(status: StatusCode, content_type: &'static str, body: String) -> Response<Reply> {
    let mut out = Response::new(Reply::Whole(Some(Bytes::from(body))));
    *out.status_mut() = status;
    out.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    out.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    out
}

/// The last answer on its connection.
pub fn last(mut response: Response<Reply>) -> Response<Reply> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
