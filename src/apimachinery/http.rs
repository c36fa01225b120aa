//! Requests and answers as HTTP carries them, without sockets.

use super::exec::Channels;

/// A request as it travels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `POST`, `PUT`, `PATCH`, `DELETE`
    pub method: String,
    /// `/api/v1/namespaces/default/pods`
    pub path: String,
    /// The text behind the `?`, percent-encoded or not.
    pub query: String,
    /// `Content-Type`; empty for JSON.
    pub content_type: String,
    /// `Accept`; empty for JSON.
    pub accept: String,
    /// `User-Agent`. Its first word owns the fields that are written, unless the query names a `fieldManager`.
    pub user_agent: String,
    /// `If-None-Match`: the tag of the answer that the client has kept.
    pub if_none_match: String,
    /// The headers that say who asks, in order; the case of their names does not count: `Authorization`, `Impersonate-User`,
    /// `Impersonate-Group`, `Impersonate-Uid` and `Impersonate-Extra-…`. A request without `Authorization` comes with the
    /// administrator's client certificate; one whose `Authorization` is empty comes without any credentials.
    pub identity: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Whether more of the body may follow. A command that reads it (`pods/exec`) waits at its end.
    pub unfinished: bool,
    /// The instance of the container that the client is attached to ([`Channels::instance`]), in place of a connection that stays
    /// open; empty for all other requests.
    pub attached: String,
}

/// An answer as it travels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The HTTP status code; 0 if nobody listened where the server should, so that there is no answer. Then the body is what the
    /// client's program says of that.
    pub status: u16,
    /// `Content-Type`
    pub content_type: String,
    /// The values of the `Warning` headers.
    pub warnings: Vec<String>,
    /// The body; for a watch, one event per line.
    pub body: String,
    /// A body that is no text, such as Protobuf; `body` is empty then.
    pub binary: Vec<u8>,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u32>,
    /// `ETag` with its quotes; empty for an answer that a client must not keep.
    pub etag: String,
    /// The streams of an answer with 101, whole: what a command in a container has printed.
    pub channels: Option<Box<Channels>>,
    /// `Cache-Control`; empty for an answer that a client must ask for anew. With `immutable` the answer stays as it is for
    /// ever, which the server tells by an `Expires` of a year after the request, too.
    pub cache_control: &'static str,
    /// `Location`, of a redirect; empty for any other answer.
    pub location: String,
}

impl HttpResponse {
    /// An answer of plain text.
    pub fn text(status: u16, body: &str) -> HttpResponse {
        HttpResponse {
            status,
            content_type: "text/plain; charset=utf-8".into(),
            body: body.into(),
            ..HttpResponse::default()
        }
    }
}
