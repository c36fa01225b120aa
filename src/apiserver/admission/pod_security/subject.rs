//! What the checks see of a pod, or of the template of one (`PodSpecExtractor` and `visitContainers` of
//! `k8s.io/pod-security-admission`).

use std::collections::BTreeMap;

use crate::api::Object;
use crate::api::types as t;

/// A container of any of the three lists, with what the checks look at.
pub(super) struct Container<'a> {
    pub(super) name: &'a str,
    pub(super) security: Option<&'a t::SecurityContext>,
    pub(super) ports: Option<&'a Vec<t::ContainerPort>>,
    pub(super) probes: [Option<&'a t::Probe>; 3],
    pub(super) lifecycle: Option<&'a t::Lifecycle>,
}

/// A pod, or the template of one.
pub(super) struct Subject<'a> {
    pub(super) annotations: Option<&'a BTreeMap<String, String>>,
    pub(super) spec: &'a t::PodSpec,
    /// The init containers, the containers and the ephemeral containers.
    pub(super) containers: Vec<Container<'a>>,
}

/// The fields of a container, which the type of an ephemeral container has, too.
macro_rules! container {
    ($c:expr) => {
        Container {
            name: &$c.name,
            security: $c.security_context.as_ref(),
            ports: $c.ports.as_ref(),
            probes: [$c.liveness_probe.as_ref(), $c.readiness_probe.as_ref(), $c.startup_probe.as_ref()],
            lifecycle: $c.lifecycle.as_ref(),
        }
    };
}

impl<'a> Subject<'a> {
    /// What an object has of a pod; `None` if it has no template.
    pub(super) fn of(object: &'a Object) -> Option<Subject<'a>> {
        if let Some(pod) = object.get::<t::Pod>() {
            return Some(Subject::new(pod.metadata.annotations.as_ref(), pod.spec.as_deref()?));
        }
        let template = template(object)?;
        let annotations = template.metadata.as_ref().and_then(|m| m.annotations.as_ref());
        Some(Subject::new(annotations, template.spec.as_ref()?))
    }

    fn new(annotations: Option<&'a BTreeMap<String, String>>, spec: &'a t::PodSpec) -> Subject<'a> {
        let mut containers: Vec<Container> =
            spec.init_containers.iter().flatten().map(|c| container!(c)).collect();
        containers.extend(spec.containers.iter().map(|c| container!(c)));
        containers.extend(spec.ephemeral_containers.iter().flatten().map(|c| container!(c)));
        Subject { annotations, spec, containers }
    }
}

/// The template of the pods of a workload.
fn template(object: &Object) -> Option<&t::PodTemplateSpec> {
    if let Some(o) = object.get::<t::Deployment>() {
        o.spec.as_ref().map(|s| &s.template)
    } else if let Some(o) = object.get::<t::ReplicaSet>() {
        o.spec.as_ref()?.template.as_ref()
    } else if let Some(o) = object.get::<t::StatefulSet>() {
        o.spec.as_ref().map(|s| &s.template)
    } else if let Some(o) = object.get::<t::DaemonSet>() {
        o.spec.as_ref().map(|s| &s.template)
    } else if let Some(o) = object.get::<t::Job>() {
        o.spec.as_ref().map(|s| &s.template)
    } else if let Some(o) = object.get::<t::CronJob>() {
        o.spec.job_template.spec.as_ref().map(|s| &s.template)
    } else if let Some(o) = object.get::<t::ReplicationController>() {
        o.spec.as_ref()?.template.as_ref()
    } else {
        object.get::<t::PodTemplate>()?.template.as_ref()
    }
}
