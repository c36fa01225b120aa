//! What the probes of a busy server meet, as it is remembered: a server with limits answers them late, or not, because of the requests
//! of the run's clients. Whoever knows these says in advance what each probe will meet if nothing changes ([`Strained`]).

use std::rc::Rc;

use jiff::SignedDuration;

use super::fault::ProbeType;
use crate::api::{Key, Timestamp};
use crate::network::serving::{Met, Process};

/// A probe that asks a server, at its next moments.
#[derive(Clone, Debug)]
pub struct Probed {
    /// The container with the probe.
    pub container: Rc<str>,
    /// Which of its probes.
    pub type_: ProbeType,
    /// How long the answer takes if the server has nothing else to do.
    pub takes: SignedDuration,
    /// The probe's `timeoutSeconds`.
    pub within: SignedDuration,
    /// When it asks next.
    pub moments: Vec<Timestamp>,
}

/// What a probe will meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreseen {
    /// The container with the probe.
    pub container: Rc<str>,
    /// Which of its probes.
    pub type_: ProbeType,
    /// The process that answers.
    pub process: Process,
    /// What it meets from which moment on.
    pub meets: Vec<(Timestamp, Met)>,
    /// When that is worth to be looked at again; `None` if it is not.
    pub again: Option<Timestamp>,
}

/// What the probes of a pod will meet that ask busy servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strained {
    /// The pod.
    pub pod: Key,
    /// Its uid.
    pub uid: Rc<str>,
    /// Those probes; none if all of them are answered as if nobody else asked.
    pub probes: Rc<[Foreseen]>,
}

/// A line about what a pod's probes will meet, for the kubelet's memory.
pub(super) fn line(pod: &Key, probes: &[Foreseen]) -> String {
    let of = |f: &Foreseen| {
        let meets: Vec<Met> = f.meets.iter().map(|(_, met)| *met).collect();
        format!("{} {} {meets:?}", f.container, f.type_.as_str())
    };
    format!("{pod} probes busy servers: {}", probes.iter().map(of).collect::<Vec<_>>().join(", "))
}
