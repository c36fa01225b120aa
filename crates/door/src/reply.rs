//! HTTP responses.

use std::convert::Infallible;
use std::io::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, ETAG, EXPIRES, HeaderMap,
    HeaderValue, LOCATION, RETRY_AFTER, VARY, WARNING,
};
use hyper::{Response, StatusCode};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use steady::apimachinery::HttpResponse;
use tokio::sync::mpsc;

use crate::places::Busy;
use crate::texts::Texts;

/// Responses of this size, in bytes, and larger ones are compressed for clients that accept it
/// (`k8s.io/apiserver/pkg/endpoints/handlers/responsewriters`).
pub const GZIP_FROM: usize = 128 * 1024;

/// The content of a body.
pub enum Reply {
    /// The whole body; `None` after it has been taken.
    Whole(Option<Bytes>),
    /// A body that is sent in pieces.
    Pieces(mpsc::Receiver<Texts>),
}

/// The body of a response. Its connection is busy until it is dropped.
pub struct Answer {
    reply: Reply,
    _busy: Option<Busy>,
}

impl Answer {
    /// A body. `busy` is `None` if the response ends its connection.
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

/// The library's response with its headers, and a body that the caller has chosen.
pub fn head(response: &HttpResponse, body: Reply) -> Response<Reply> {
    let mut out = Response::new(body);
    // No answer, because the API server does not run: the door stands in front of it as a proxy does.
    *out.status_mut() = StatusCode::from_u16(response.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers = out.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    if let Ok(v) = HeaderValue::from_str(&response.content_type)
        && !response.content_type.is_empty()
    {
        headers.insert(CONTENT_TYPE, v);
    }
    if let Ok(v) = HeaderValue::from_str(&response.etag)
        && !response.etag.is_empty()
    {
        headers.insert(ETAG, v);
        headers.insert(VARY, HeaderValue::from_static("Accept"));
    }
    if !response.cache_control.is_empty() {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(response.cache_control));
    }
    if response.cache_control.contains("immutable")
        && let Ok(v) = HeaderValue::from_str(&in_a_year(Timestamp::now()))
    {
        headers.insert(EXPIRES, v);
    }
    if let Ok(v) = HeaderValue::from_str(&response.location)
        && !response.location.is_empty()
    {
        headers.insert(LOCATION, v);
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

/// A year after a moment, as `Expires` has it.
fn in_a_year(now: Timestamp) -> String {
    let now = now.to_zoned(TimeZone::UTC);
    let later = now.checked_add(Span::new().years(1)).unwrap_or(now);
    later.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Whether a client accepts gzip.
pub fn wants_gzip(request: &HeaderMap) -> bool {
    request
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(','))
        .any(|v| v.split(';').next().is_some_and(|v| v.trim() == "gzip"))
}

/// Sets the headers of a large response: that it may be compressed, and whether it is.
pub fn varies(response: &mut Response<Reply>, packed: bool) {
    response.headers_mut().append(VARY, HeaderValue::from_static("Accept-Encoding"));
    if packed {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
}

/// The library's response, compressed if it is large and the client accepts that.
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
    // Writing to memory cannot fail. If it did, the body would be sent uncompressed.
    encoder.write_all(body).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// A response of the program itself.
pub fn own(status: StatusCode, content_type: &'static str, body: String) -> Response<Reply> {
    let mut out = Response::new(Reply::Whole(Some(Bytes::from(body))));
    *out.status_mut() = status;
    out.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    out.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    out
}

/// Marks a response as the last one on its connection.
pub fn last(mut response: Response<Reply>) -> Response<Reply> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
