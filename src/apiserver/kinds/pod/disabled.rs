//! Fields of a pod's spec that belong to features that are off by default (`dropDisabledFields` in
//! `pkg/api/pod/util.go`); pod templates lose them as well.

use crate::api::types as t;

fn signals(spec: &t::PodSpec) -> bool {
    let all = spec.containers.iter().chain(spec.init_containers.iter().flatten());
    all.filter_map(|c| c.lifecycle.as_ref()).any(|l| l.stop_signal.is_some())
}

fn projects(spec: &t::PodSpec) -> bool {
    let sources = spec.volumes.iter().flatten().filter_map(|v| v.projected.as_ref()?.sources.as_ref());
    sources.flatten().any(|s| s.cluster_trust_bundle.is_some() || s.pod_certificate.is_some())
}

/// Whether a field of a feature is set that is off by default.
pub(in crate::apiserver::kinds) fn uses_disabled(spec: &t::PodSpec) -> bool {
    spec.scheduling_group.is_some() || signals(spec) || projects(spec)
}

/// Drops the fields of features that are off by default, unless the old spec has them.
pub(in crate::apiserver::kinds) fn drop_disabled(spec: &mut t::PodSpec, old: Option<&t::PodSpec>) {
    // GenericWorkload
    if old.is_none_or(|o| o.scheduling_group.is_none()) {
        spec.scheduling_group = None;
    }
    // ContainerStopSignals
    if !old.is_some_and(signals) {
        for c in spec.containers.iter_mut().chain(spec.init_containers.iter_mut().flatten()) {
            if let Some(l) = &mut c.lifecycle
                && l.stop_signal.take().is_some()
                && *l == t::Lifecycle::default()
            {
                c.lifecycle = None;
            }
        }
    }
    // ClusterTrustBundleProjection and PodCertificateRequest
    if !old.is_some_and(projects) && projects(spec) {
        for volume in spec.volumes.iter_mut().flatten() {
            let sources = volume.projected.as_mut().and_then(|p| p.sources.as_mut());
            for source in sources.into_iter().flatten() {
                source.cluster_trust_bundle = None;
                source.pod_certificate = None;
            }
        }
    }
}
