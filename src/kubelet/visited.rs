//! What the pods of a node remember of the requests of commands (`kubectl exec`) that have come to their servers.

use crate::network::serving::Process;
use crate::network::visit::Visit;

/// A request of a command that has come to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visited {
    /// The process of the server.
    pub process: Process,
    /// The request.
    pub visit: Visit,
}
