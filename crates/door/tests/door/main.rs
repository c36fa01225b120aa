//! The door from outside: sockets, the program, and a client library that knows nothing of it.
//!
//! No test depends on how quick anything is: a stepped cluster moves when it is told to, and where
//! time follows the clock the tests wait for events, not for seconds.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod client;
mod kube_rs;
mod limits;
mod program;
mod recordings;
mod watches;
mod websocket;
