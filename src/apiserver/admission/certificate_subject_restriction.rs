//! CertificateSubjectRestriction: nobody requests a client certificate for the group `system:masters`
//! (`k8s.io/kubernetes/plugin/pkg/admission/certificates/subjectrestriction`).

use super::{Plugin, hook};
use crate::api::types::CertificateSigningRequest;
use crate::api::{ApiKind, Kind, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;
use crate::apiserver::kinds::certificate_signing_request::restrict_subject;

pub(super) const PLUGIN: Plugin = Plugin {
    validate_create: hook(&[Kind::CERTIFICATE_SIGNING_REQUEST], validate_create),
    ..Plugin::new("CertificateSubjectRestriction")
};

fn validate_create(_: &ApiServer, object: &Object, _: &mut Vec<String>) -> Result<(), Status> {
    let Some(request) = CertificateSigningRequest::from_object(object) else { return Ok(()) };
    restrict_subject(request).map_err(|why| Status::forbidden(object.kind(), object.name(), &why))
}
