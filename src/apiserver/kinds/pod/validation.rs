//! Validation of a Pod: its spec, and what holds for Pods and not for pod templates
//! (`ValidatePodCreate`, `validatePodMetadataAndSpec` in `pkg/apis/core/validation/validation.go`).

use crate::api::types as t;
use crate::apiserver::validation::meta::object_meta;
use crate::apiserver::validation::names::name_is_dns_subdomain;
use crate::apiserver::validation::pod_spec::{pod_annotations, pod_spec};
use crate::apiserver::validation::{Errors, FieldError, Path, container, list, text};

/// Validates a new Pod (`ValidatePodCreate`).
pub(super) fn create(errs: &mut Errors, pod: &t::Pod) {
    metadata_and_spec(errs, pod);
    let path = Path::new("spec");
    let Some(spec) = &pod.spec else { return };
    if !list(&spec.ephemeral_containers).is_empty() {
        errs.push(FieldError::forbidden(&path.child("ephemeralContainers"), "cannot be set on create"));
    }
    if !text(&spec.node_name).is_empty() && !list(&spec.scheduling_gates).is_empty() {
        let message = "cannot be set until all schedulingGates have been cleared";
        errs.push(FieldError::forbidden(&path.child("nodeName"), message));
    }
}

/// Validates what holds for a Pod at any time (`ValidatePodMetadataAndSpec`).
pub(super) fn metadata_and_spec(errs: &mut Errors, pod: &t::Pod) {
    metadata(errs, pod);
    let spec = &*pod.whole_spec();
    let path = Path::new("spec");
    pod_spec(errs, spec, Some(&pod.metadata), &path);
    // The rules that follow hold for Pods and not for pod templates.
    if text(&spec.service_account_name).is_empty() {
        for (i, volume) in list(&spec.volumes).iter().enumerate() {
            let sources = volume.projected.iter().flat_map(|p| list(&p.sources));
            for (j, _) in sources.enumerate().filter(|(_, s)| s.service_account_token.is_some()) {
                let at = path.child("volumes").index(i).child("projected").child("sources").index(j);
                errs.push(FieldError::forbidden(
                    &at.child("serviceAccountToken"),
                    "must not be specified when serviceAccountName is not set",
                ));
            }
        }
    }
    for (name, containers) in
        [("containers", &spec.containers[..]), ("initContainers", list(&spec.init_containers))]
    {
        for (i, c) in containers.iter().enumerate() {
            container::image_blanks(errs, text(&c.image), &path.child(name).index(i));
        }
    }
}

/// Validates the metadata of a Pod.
pub(in crate::apiserver) fn metadata(errs: &mut Errors, pod: &t::Pod) {
    object_meta(errs, &pod.metadata, true, name_is_dns_subdomain);
    let at = Path::new("metadata").child("annotations");
    let none = Default::default();
    let spec = pod.spec.as_deref().unwrap_or(&none);
    pod_annotations(errs, &pod.metadata, spec, pod.node_name(), &at);
}
