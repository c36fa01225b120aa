//! The signing controller of CertificateSigningRequests (`k8s.io/kubernetes/pkg/controller/certificates/signer`): it issues the
//! certificate of an approved request of one of the four signers that Kubernetes has, or says why not.

use std::rc::Rc;

use jiff::SignedDuration;
use k8s_openapi::ByteString;

use super::helpers::{validate_client_usages, validate_kubelet_client, validate_kubelet_serving};
use super::{parsed, why};
use crate::api::certificate::{Policy, issue};
use crate::api::certificate_signing_request::condition;
use crate::api::pkcs10::Request;
use crate::api::types::certificates::CertificateSigningRequestCondition as Condition;
use crate::api::types::{CertificateSigningRequest, Time};
use crate::api::well_known::{
    KUBE_API_SERVER_CLIENT_KUBELET_SIGNER, KUBE_API_SERVER_CLIENT_SIGNER, KUBELET_SERVING_SIGNER,
    LEGACY_UNKNOWN_SIGNER,
};
use crate::api::{MetaExt, seconds};
use crate::client::{Context, Error, Result};

/// The signers for which certificates are issued.
const SIGNERS: [&str; 4] = [
    KUBELET_SERVING_SIGNER,
    KUBE_API_SERVER_CLIENT_KUBELET_SIGNER,
    KUBE_API_SERVER_CLIENT_SIGNER,
    LEGACY_UNKNOWN_SIGNER,
];
/// The longest life of a certificate, and that of one whose request says nothing (`--cluster-signing-duration`).
const SIGNING_DURATION: SignedDuration = SignedDuration::from_hours(365 * 24);
/// The shortest life of a certificate.
const SHORTEST: SignedDuration = SignedDuration::from_mins(10);

/// Issues the certificate of a request that is approved, or says why not (`handle`).
pub(super) async fn handle(cx: &Context, mut csr: Rc<CertificateSigningRequest>) -> Result {
    let failed = condition(&csr, "Failed").is_some_and(|c| c.status == "True");
    let approved = condition(&csr, "Approved").is_some() && condition(&csr, "Denied").is_none();
    let signer = csr.spec.signer_name.clone();
    if !approved || failed || !SIGNERS.contains(&&*signer) {
        return Ok(());
    }
    let request = parsed(&csr)?;
    let usages = csr.spec.usages.clone().unwrap_or_default();
    if let Err(message) = validate(&signer, &request, &usages) {
        let why = why("csr_signer.refuse", &csr).with("message", &message);
        let condition = Condition {
            type_: "Failed".into(),
            status: "True".into(),
            reason: Some("SignerValidationFailure".into()),
            message: Some(message),
            last_update_time: Some(Time(seconds(cx.now()))),
            last_transition_time: None,
        };
        let status = Rc::make_mut(&mut csr).status.get_or_insert_default();
        status.conditions.get_or_insert_default().push(condition);
        cx.update_status(csr).because(why).await.map_err(doing("error adding failure condition for csr"))?;
        return Ok(());
    }
    let policy = Policy {
        usages: &usages,
        duration: duration(csr.spec.expiration_seconds),
        now: cx.now(),
        serial: csr.metadata.uid(),
    };
    let issued =
        issue(&request, &policy).map_err(|why| Error::Other(format!("error auto signing csr: {why}")))?;
    let why = why("csr_signer.sign", &csr).with("signer", &signer);
    Rc::make_mut(&mut csr).status.get_or_insert_default().certificate = Some(ByteString(issued));
    cx.update_status(csr).because(why).await.map_err(doing("error updating signature for csr"))?;
    Ok(())
}

fn doing(what: &str) -> impl Fn(crate::apimachinery::Status) -> Error + '_ {
    move |status| Error::Other(format!("{what}: {}", status.message))
}

/// Checks that a signer issues such a certificate (`isRequestForSignerFn`).
///
/// # Errors
/// The rule of the signer that the request breaks.
fn validate(signer: &str, request: &Request, usages: &[String]) -> std::result::Result<(), String> {
    match signer {
        KUBELET_SERVING_SIGNER => validate_kubelet_serving(request, usages),
        KUBE_API_SERVER_CLIENT_KUBELET_SIGNER => validate_kubelet_client(request, usages),
        KUBE_API_SERVER_CLIENT_SIGNER => validate_client_usages(usages),
        _ => Ok(()),
    }
}

/// How long a certificate is valid (`signer.duration`).
fn duration(asked: Option<i32>) -> SignedDuration {
    let Some(asked) = asked else { return SIGNING_DURATION };
    SignedDuration::from_secs(asked.into()).clamp(SHORTEST, SIGNING_DURATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `pkg/controller/certificates/signer/signer_test.go`: `Test_signer_duration`.
    #[test]
    fn a_certificate_is_valid_for_ten_minutes_to_a_year() {
        let of = |seconds| duration(seconds).as_secs();
        assert_eq!(of(None), 365 * 24 * 3600);
        assert_eq!(of(Some(25 * 3600)), 25 * 3600);
        assert_eq!(of(Some(500 * 24 * 3600)), 365 * 24 * 3600);
        assert_eq!(of(Some(-1)), 600);
    }
}
