//! What has become of a CertificateSigningRequest.

use super::types::CertificateSigningRequest;
use super::types::certificates::CertificateSigningRequestCondition as Condition;

/// The conditions; none if there is no status.
pub fn conditions(request: &CertificateSigningRequest) -> &[Condition] {
    request.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default()
}

/// The first condition of a type: `Approved`, `Denied`, `Failed`.
pub fn condition<'a>(request: &'a CertificateSigningRequest, type_: &str) -> Option<&'a Condition> {
    conditions(request).iter().find(|c| c.type_ == type_)
}

/// The issued certificate; empty if there is none yet.
pub fn certificate(request: &CertificateSigningRequest) -> &[u8] {
    request.status.as_ref().and_then(|s| s.certificate.as_ref()).map_or(&[], |c| &c.0)
}
