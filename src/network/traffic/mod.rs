//! Clients that send a steady stream of requests, and what becomes of the requests.
//!
//! A client is declared ([`Client::parse`]): `20/s http://web/`. Its requests are no events: they are so many that nobody could
//! step them, and between two changes of the network most of them all meet the same. What is kept of a run is who sent what, and what
//! that met, from which moment on ([`Scene`], [`History`]). From this is worked out what became of each request, exactly: request *n*
//! is sent at the start plus *n* periods, [`Choice::pick`] says which endpoint it meets, and what is in its way there follows from the
//! requests before it ([`Ledger`]).
//!
//! | module | what it is |
//! | --- | --- |
//! | `client` | a client as it is declared |
//! | `path` | from its names to the replies that its requests can meet |
//! | `scene` | who sends and who answers at one moment |
//! | `history` | the scenes of a run, and what was worked out of them |
//! | `ledger` | what became of the requests until a moment, and what is under way then |
//! | `request`, `flight` | one request, followed |
//! | `steady` | many requests in one go |
//! | `load` | what can be said of a stream at one moment |
//! | `pool` | the connections that a client keeps |
//! | `server` | a process that answers as fast as its limits let it |
//! | `forecast` | what a kubelet's probe will meet at a busy process |
//! | `visits`, `visiting` | the requests that have come to one process |
//! | `counts`, `rows`, `latency` | what is counted: of a client, of each second, of durations |

mod client;
mod counts;
mod declared;
mod flight;
mod forecast;
mod history;
mod latency;
mod ledger;
mod load;
mod path;
mod pool;
mod request;
mod rows;
mod scene;
mod server;
mod steady;
#[cfg(test)]
mod tests;
mod visiting;
mod visits;

pub use client::{CLIENTS_LIMIT, Client, Keep, NotAClient, RATE_LIMIT};
pub use counts::{Cause, Counts, Loss};
pub use declared::{REQUESTS, can_declare, declared, why_unread};
pub use forecast::{Forecast, Trial};
pub use history::History;
pub use latency::Latencies;
pub use ledger::{Ledger, Window};
pub use load::InFlight;
pub use path::{Answers, Choice, Fate, Names};
pub use pool::{Connection, Pool};
pub use request::{RequestTrace, Step};
pub use rows::{Row, Rows};
pub use scene::{Lives, Scene, Stream, StreamId, Target};
