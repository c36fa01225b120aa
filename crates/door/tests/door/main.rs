//! The door from outside: sockets, the program, and a client library that does not know Steady.
//!
//! No test depends on how fast anything is: a stepped cluster does only what requests ask for, and where
//! time follows the clock the tests wait for events, not for seconds.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod client;
mod kube_rs;
mod limits;
mod log;
mod operator;
mod program;
mod recordings;
mod watches;
mod websocket;
