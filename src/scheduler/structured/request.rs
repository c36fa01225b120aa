//! A request of a claim, or one of the alternatives of a request (`requestAccessor`).

use crate::api::types::resource::{
    CapacityRequirements, DeviceClaim, DeviceRequest, DeviceSelector, DeviceSubRequest, DeviceTaint,
    DeviceToleration, ExactDeviceRequest, ResourceClaim,
};

/// What asks for devices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request<'c> {
    /// A request that asks for one thing.
    Exactly(&'c str, &'c ExactDeviceRequest),
    /// One of the alternatives of a request.
    Alternative(&'c DeviceSubRequest),
}

/// How a request says how many devices it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode<'c> {
    ExactCount(i64),
    All,
    Unknown(&'c str),
}

impl<'c> Request<'c> {
    /// What a request asks for, in the order of preference.
    pub(super) fn of(request: &'c DeviceRequest) -> Vec<Request<'c>> {
        match request.first_available.as_deref() {
            Some(alternatives @ [_, ..]) => alternatives.iter().map(Request::Alternative).collect(),
            _ => request.exactly.iter().map(|e| Request::Exactly(&request.name, e)).collect(),
        }
    }

    /// Its own name.
    pub(super) fn name(self) -> &'c str {
        match self {
            Request::Exactly(name, _) => name,
            Request::Alternative(sub) => &sub.name,
        }
    }

    pub(super) fn class(self) -> &'c str {
        match self {
            Request::Exactly(_, exactly) => &exactly.device_class_name,
            Request::Alternative(sub) => &sub.device_class_name,
        }
    }

    pub(super) fn mode(self) -> Mode<'c> {
        let (mode, count) = match self {
            Request::Exactly(_, e) => (e.allocation_mode.as_deref(), e.count),
            Request::Alternative(s) => (s.allocation_mode.as_deref(), s.count),
        };
        match mode.unwrap_or_default() {
            "ExactCount" => Mode::ExactCount(count.unwrap_or(0)),
            "All" => Mode::All,
            other => Mode::Unknown(other),
        }
    }

    pub(super) fn admin_access(self) -> bool {
        matches!(self, Request::Exactly(_, e) if e.admin_access == Some(true))
    }

    pub(super) fn selectors(self) -> &'c [DeviceSelector] {
        let selectors = match self {
            Request::Exactly(_, e) => e.selectors.as_deref(),
            Request::Alternative(s) => s.selectors.as_deref(),
        };
        selectors.unwrap_or_default()
    }

    pub(super) fn tolerations(self) -> Option<&'c Vec<DeviceToleration>> {
        match self {
            Request::Exactly(_, e) => e.tolerations.as_ref(),
            Request::Alternative(s) => s.tolerations.as_ref(),
        }
    }

    pub(super) fn capacity(self) -> Option<&'c CapacityRequirements> {
        match self {
            Request::Exactly(_, e) => e.capacity.as_ref(),
            Request::Alternative(s) => s.capacity.as_ref(),
        }
    }

    /// Whether a taint keeps a device from this request (`taintPreventsAllocation`).
    pub(super) fn is_repelled_by(self, taints: Option<&Vec<DeviceTaint>>) -> bool {
        let effective = |t: &&DeviceTaint| matches!(t.effect.as_str(), "NoSchedule" | "NoExecute");
        let tolerated =
            |taint: &DeviceTaint| self.tolerations().into_iter().flatten().any(|t| tolerates_taint(t, taint));
        taints.into_iter().flatten().filter(effective).any(|taint| !tolerated(taint))
    }
}

/// Whether a toleration is for a taint, whatever the taint does (`ToleratesTaint` of
/// `k8s.io/dynamic-resource-allocation/resourceclaim/devicetoleration.go`).
pub fn tolerates_taint(toleration: &DeviceToleration, taint: &DeviceTaint) -> bool {
    let fits =
        |wanted: &Option<String>, given: &str| wanted.as_deref().is_none_or(|w| w.is_empty() || w == given);
    if !fits(&toleration.effect, &taint.effect) || !fits(&toleration.key, &taint.key) {
        return false;
    }
    match toleration.operator.as_deref().unwrap_or_default() {
        "" | "Equal" => {
            toleration.value.as_deref().unwrap_or_default() == taint.value.as_deref().unwrap_or_default()
        }
        "Exists" => true,
        _ => false,
    }
}

/// What a claim asks for.
pub(super) fn devices_of(claim: &ResourceClaim) -> Option<&DeviceClaim> {
    claim.spec.devices.as_ref()
}
