//! Defaults of the spec of a Pod or of a pod template (`pkg/apis/core/v1/defaults.go`).

use std::collections::BTreeMap;

use crate::api::resource::{container_limits, container_requests, is_huge_page, is_pod_level};
use crate::api::types as t;

use super::field_ref::{field_ref, resource_field_ref};
use super::image::pull_policy;
use super::{default, quantities, volume};

/// The default of how long a pod may take to stop, in seconds.
const DEFAULT_TERMINATION_GRACE_PERIOD_SECONDS: i64 = 30;

/// Defaults of a pod template.
pub(in crate::apiserver) fn template(template: &mut t::PodTemplateSpec) {
    template.metadata.get_or_insert_default();
    pod_spec(template.spec.get_or_insert_default());
}

/// Defaults of a spec.
pub(in crate::apiserver) fn pod_spec(spec: &mut t::PodSpec) {
    default(&mut spec.dns_policy, "ClusterFirst");
    default(&mut spec.restart_policy, "Always");
    spec.security_context.get_or_insert_default();
    spec.termination_grace_period_seconds.get_or_insert(DEFAULT_TERMINATION_GRACE_PERIOD_SECONDS);
    default(&mut spec.scheduler_name, "default-scheduler");
    // `serviceAccount` is the former name of `serviceAccountName`; conversion keeps both the same.
    if spec.service_account_name.as_deref().unwrap_or_default().is_empty() {
        spec.service_account_name.clone_from(&spec.service_account);
    }
    spec.service_account.clone_from(&spec.service_account_name);
    quantities::list(&mut spec.overhead);
    if let Some(resources) = &mut spec.resources {
        quantities::list(&mut resources.limits);
        quantities::list(&mut resources.requests);
    }
    spec.volumes.iter_mut().flatten().for_each(volume::volume);
    spec.init_containers.iter_mut().flatten().for_each(container);
    spec.containers.iter_mut().for_each(container);
    spec.ephemeral_containers.iter_mut().flatten().for_each(ephemeral_container);
}

/// The fields that containers, init containers and ephemeral containers have in common.
macro_rules! container_defaults {
    ($c:expr) => {{
        let c = $c;
        default(&mut c.image_pull_policy, pull_policy(c.image.as_deref().unwrap_or_default()));
        default(&mut c.termination_message_path, "/dev/termination-log");
        default(&mut c.termination_message_policy, "File");
        let resources = c.resources.get_or_insert_default();
        quantities::list(&mut resources.limits);
        quantities::list(&mut resources.requests);
        for port in c.ports.iter_mut().flatten() {
            default(&mut port.protocol, "TCP");
        }
        for source in c.env.iter_mut().flatten().filter_map(|e| e.value_from.as_mut()) {
            if let Some(field) = &mut source.field_ref {
                field_ref(field);
            }
            if let Some(resource) = &mut source.resource_field_ref {
                resource_field_ref(resource);
            }
            if let Some(file) = &mut source.file_key_ref {
                file.optional.get_or_insert(false);
            }
        }
        for p in [&mut c.liveness_probe, &mut c.readiness_probe, &mut c.startup_probe].into_iter().flatten() {
            probe(p);
        }
        if let Some(lifecycle) = &mut c.lifecycle {
            for handler in [&mut lifecycle.post_start, &mut lifecycle.pre_stop].into_iter().flatten() {
                if let Some(get) = &mut handler.http_get {
                    http_get(get);
                }
            }
        }
    }};
}

fn container(container: &mut t::Container) {
    container_defaults!(container);
}

fn ephemeral_container(container: &mut t::EphemeralContainer) {
    container_defaults!(container);
}

fn probe(probe: &mut t::Probe) {
    for (field, value) in [
        (&mut probe.timeout_seconds, 1),
        (&mut probe.period_seconds, 10),
        (&mut probe.success_threshold, 1),
        (&mut probe.failure_threshold, 3),
    ] {
        if field.unwrap_or_default() == 0 {
            *field = Some(value);
        }
    }
    if let Some(get) = &mut probe.http_get {
        http_get(get);
    }
    if let Some(grpc) = &mut probe.grpc {
        grpc.service.get_or_insert_default();
    }
}

fn http_get(get: &mut t::HTTPGetAction) {
    default(&mut get.path, "/");
    default(&mut get.scheme, "HTTP");
}

/// Requests what is limited and not requested.
pub(in crate::apiserver) fn requests_from_limits(resources: &mut t::ResourceRequirements) {
    let Some(limits) = &resources.limits else { return };
    let requests = resources.requests.get_or_insert_default();
    for (name, amount) in limits {
        if !requests.contains_key(name) {
            requests.insert(name.clone(), amount.clone());
        }
    }
}

/// Sets the limits of huge pages of the pod as a whole, if it says anything as a whole but these: the sum of the limits of
/// its containers (`defaultHugePagePodLimits`).
pub(in crate::apiserver) fn pod_level_huge_pages(spec: &mut t::PodSpec) {
    let aggregate = container_limits(spec);
    let Some(resources) = &mut spec.resources else { return };
    let says = |list: &Option<BTreeMap<String, t::Quantity>>| list.as_ref().is_some_and(|l| !l.is_empty());
    if !says(&resources.limits) && !says(&resources.requests) {
        return;
    }
    for (name, amount) in aggregate.into_iter().filter(|(name, _)| is_huge_page(name)) {
        if resources.requests.as_ref().is_none_or(|r| !r.contains_key(&name)) {
            let limits = resources.limits.get_or_insert_default();
            limits.entry(name).or_insert_with(|| amount.to_quantity());
        }
    }
}

/// Sets requests of the pod as a whole for which it has limits: the sum of what its containers request, else the limit
/// (`defaultPodRequests`).
pub(in crate::apiserver) fn pod_level_requests(spec: &mut t::PodSpec) {
    let aggregate = container_requests(spec);
    let Some(resources) = &mut spec.resources else { return };
    let Some(limits) = resources.limits.as_ref().filter(|l| !l.is_empty()) else { return };
    let mut requests = resources.requests.clone().unwrap_or_default();
    for (name, amount) in aggregate {
        if matches!(name.as_str(), "cpu" | "memory") && !requests.contains_key(&name) {
            requests.insert(name, amount.to_quantity());
        }
    }
    for (name, limit) in limits {
        if is_pod_level(name) && !requests.contains_key(name) {
            requests.insert(name.clone(), limit.clone());
        }
    }
    if !requests.is_empty() {
        resources.requests = Some(requests);
    }
}
