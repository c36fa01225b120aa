//! Faults that a person can inject on a node: the data that [`Component::fault`] takes.
//!
//! [`Component::fault`]: crate::client::Component::fault

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::Key;

/// A type of probe.
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
    /// All types, in the order in which the kubelet runs them.
    pub const ALL: [ProbeType; 3] = [ProbeType::Startup, ProbeType::Liveness, ProbeType::Readiness];

    /// The type's name as it begins an event's message, for example `Readiness`.
    pub const fn as_str(self) -> &'static str {
        match self {
            ProbeType::Startup => "Startup",
            ProbeType::Liveness => "Liveness",
            ProbeType::Readiness => "Readiness",
        }
    }
}

/// Something that a person makes go wrong on a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum KubeletFault {
    /// Ends a running container at once. A container that does not run is not affected.
    CrashContainer {
        /// The pod's namespace and name.
        pod: Key,
        /// The container's name. Init containers are included.
        container: Rc<str>,
        /// The exit code.
        exit_code: i32,
    },
    /// Makes a probe fail from now on, or ends that.
    FailProbe {
        /// The pod's namespace and name.
        pod: Key,
        /// The container's name.
        container: Rc<str>,
        /// The type of the probe.
        probe: ProbeType,
        /// `true` makes it fail, `false` ends that.
        failing: bool,
    },
    /// Makes an image unavailable to this node, or available again. It stays usable on a node that has it
    /// already.
    Image {
        /// The image reference as pods have it.
        image: Rc<str>,
        /// Whether it can be pulled.
        pullable: bool,
        /// The registry's error message. If empty, it is the one about an image that does not exist.
        message: Rc<str>,
    },
    /// Makes every attempt to mount a CSI volume on this node fail from now on, or ends that. Where the volume is mounted
    /// already, it stays mounted.
    Mount {
        /// The name of the PersistentVolume.
        volume: Rc<str>,
        /// `true` makes it fail, `false` ends that.
        failing: bool,
        /// The driver's error message. If empty, it is one about a file system that cannot be read.
        message: Rc<str>,
    },
}
