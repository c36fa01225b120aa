//! What a person can do to a node's containers: data that [`Component::fault`] is given.
//!
//! [`Component::fault`]: crate::client::Component::fault

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::Key;

/// Which of a container's probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ProbeType {
    /// `startupProbe`
    Startup,
    /// `livenessProbe`
    Liveness,
    /// `readinessProbe`
    Readiness,
}

impl ProbeType {
    /// All of them, in the order in which they matter.
    pub const ALL: [ProbeType; 3] = [ProbeType::Startup, ProbeType::Liveness, ProbeType::Readiness];

    /// `Readiness`, as events begin.
    pub const fn as_str(self) -> &'static str {
        match self {
            ProbeType::Startup => "Startup",
            ProbeType::Liveness => "Liveness",
            ProbeType::Readiness => "Readiness",
        }
    }
}

/// Something that goes wrong on a node because a person wants to see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Fault {
    /// A running container ends at once.
    CrashContainer {
        /// The pod.
        pod: Key,
        /// Its container, init containers included.
        container: Rc<str>,
        /// With which code it exits.
        exit_code: i32,
    },
    /// A probe fails from now on, or does no longer.
    FailProbe {
        /// The pod.
        pod: Key,
        /// Its container.
        container: Rc<str>,
        /// Which of its probes.
        probe: ProbeType,
        /// Whether it fails.
        failing: bool,
    },
    /// An image cannot be pulled to this node any more, or can be again. Nodes that have it keep
    /// it.
    Image {
        /// The reference as pods have it.
        image: Rc<str>,
        /// Whether it can be pulled.
        pullable: bool,
        /// What the registry says; empty for what it says of an image that it does not have.
        message: Rc<str>,
    },
}
