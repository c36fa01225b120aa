//! The controllers of CertificateSigningRequests (`k8s.io/kubernetes/pkg/controller/certificates`): one approves those of
//! kubelets, one signs what is approved, one removes what is old.

pub mod approver;
pub mod cleaner;
mod helpers;
pub mod signer;

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::Key;
use crate::api::pkcs10::Request;
use crate::api::quote::go_quote;
use crate::api::types::CertificateSigningRequest;
use crate::api::types::certificates::CertificateSigningRequestCondition as Condition;
use crate::api::{MetaExt, ObjectRef};
use crate::client::{Context, Error, Handler, RateLimit, Result, Seen, Why};

/// Whose name the three have at the API server.
const USER: &str = "certificate-controller";

/// How long a request waits that could not be approved or signed (`NewCertificateController`).
const RATE_LIMIT: RateLimit =
    RateLimit { base: SignedDuration::from_millis(200), max: SignedDuration::from_secs(1000) };

fn conditions(csr: &CertificateSigningRequest) -> &[Condition] {
    csr.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default()
}

fn condition<'a>(csr: &'a CertificateSigningRequest, type_: &str) -> Option<&'a Condition> {
    conditions(csr).iter().find(|c| c.type_ == type_)
}

/// The certificate that was issued; empty if none was.
fn certificate(csr: &CertificateSigningRequest) -> &[u8] {
    csr.status.as_ref().and_then(|s| s.certificate.as_ref()).map_or(&[], |c| &c.0)
}

/// Enqueues every request that changes, also one that is gone.
fn handle(cx: &mut Handler<'_>, seen: Seen<'_, CertificateSigningRequest>) {
    cx.enqueue(seen.key.clone());
}

/// The request of a key, unless it has its certificate already (`syncFunc`).
fn waiting(cx: &Context, key: &Key) -> Option<Rc<CertificateSigningRequest>> {
    let csr = cx.lister::<CertificateSigningRequest>().get(key)?;
    certificate(csr).is_empty().then(|| csr.clone())
}

/// What the request asks for.
fn parsed(csr: &CertificateSigningRequest) -> Result<Request> {
    Request::parse(&csr.spec.request.0)
        .map_err(|why| Error::Other(format!("unable to parse csr {}: {why}", go_quote(csr.metadata.name()))))
}

/// Why something is done about a request.
fn why(rule: &'static str, csr: &CertificateSigningRequest) -> Why {
    Why::new(rule).read("csr", ObjectRef::of(csr), "spec.signerName", csr.metadata.name())
}
