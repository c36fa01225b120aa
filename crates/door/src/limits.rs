//! How much a client may ask for.

use std::time::Duration;

/// The limits. A request's body has the API server's own
/// ([`steady::apiserver::http::BODY_LIMIT`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time; more wait until one ends.
    pub connections: usize,
    /// Watches at a time; more are refused with 429. Fewer than connections, so that there is always
    /// one left to ask with.
    pub watches: usize,
    /// The bytes of a request's line and headers; what is more than twice that is surely refused, with 431
    /// (414 for the line).
    pub head_bytes: usize,
    /// How many headers a request may have; then 431.
    pub headers: usize,
    /// How long a connection may take to send a request's head, and how long it may be idle.
    pub head_time: Duration,
    /// How long it may take to send a body; then 408.
    pub body_time: Duration,
    /// How long it may read nothing of an answer before it is closed.
    pub write_time: Duration,
    /// How long connections have to finish when the program is told to end.
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
