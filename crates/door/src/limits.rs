//! Limits of what clients may use.

use std::time::Duration;

/// The limits of a door. The size of a request's body has the API server's own limit
/// ([`steady::apiserver::http::BODY_LIMIT`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most connections. Further ones wait until one ends.
    pub connections: usize,
    /// The most watches. Further ones are refused with 429. Fewer than connections, so that one is always
    /// left for requests.
    pub watches: usize,
    /// The size of a request's line and headers, in bytes. More than twice as much is always refused, with
    /// 431 (414 for the line).
    pub head_bytes: usize,
    /// The most headers of a request. With more it is refused with 431.
    pub headers: usize,
    /// How long a connection may take to send a request's head, and how long it may be idle.
    pub head_time: Duration,
    /// How long a connection may take to send a body. After that the request is refused with 408.
    pub body_time: Duration,
    /// How long a client may read nothing of a response before its connection is closed.
    pub write_time: Duration,
    /// How long connections have to finish when the door closes.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 512,
            watches: 400,
            head_bytes: 64 * 1024,
            headers: 100,
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            grace: Duration::from_secs(3),
        }
    }
}
