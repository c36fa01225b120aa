//! The controllers of CertificateSigningRequests (`k8s.io/kubernetes/pkg/controller/certificates`): one approves those of
//! kubelets, one signs what is approved, one removes what is old.

mod approver;
pub mod cleaner;
mod helpers;
mod signer;

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::certificate_signing_request::certificate;
use crate::api::pkcs10::Request;
use crate::api::quote::go_quote;
use crate::api::types::CertificateSigningRequest;
use crate::api::{Key, MetaExt, ObjectRef};
use crate::client::{Context, Error, RateLimit, Reconciler, Result, Seen, Watches, Why};

/// The user in whose name the three send requests to the API server.
const USER: &str = "certificate-controller";

/// A controller of requests that have no certificate yet (`CertificateController`). Each has its own queue; they differ in how they
/// handle a request.
#[derive(Clone, Copy, Debug)]
pub enum CertificateController {
    /// It approves requests of kubelets.
    Approving,
    /// It signs approved requests. Kubernetes runs one such controller for each of the four signers.
    Signing,
}

impl Reconciler for CertificateController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        match self {
            CertificateController::Approving => "certificatesigningrequest-approving-controller".into(),
            CertificateController::Signing => "certificatesigningrequest-signing-controller".into(),
        }
    }

    fn user(&self) -> Rc<str> {
        USER.into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(|cx, seen: Seen<'_, CertificateSigningRequest>| cx.enqueue(seen.key.clone()))
    }

    /// How long a request waits that could not be handled (`NewCertificateController`).
    fn rate_limit(&self) -> RateLimit {
        RateLimit { base: SignedDuration::from_millis(200), max: SignedDuration::from_secs(1000) }
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let csr = cx.lister::<CertificateSigningRequest>().get(&key).cloned();
        let Some(csr) = csr.filter(|csr| certificate(csr).is_empty()) else { return Ok(()) };
        match self {
            CertificateController::Approving => approver::handle(&cx, csr).await,
            CertificateController::Signing => signer::handle(&cx, csr).await,
        }
    }
}

/// Parses what a request asks for.
fn parsed(csr: &CertificateSigningRequest) -> Result<Request> {
    Request::parse(&csr.spec.request.0)
        .map_err(|why| Error::Other(format!("unable to parse csr {}: {why}", go_quote(csr.metadata.name()))))
}

/// Why something is done about a request.
fn why(rule: &'static str, csr: &CertificateSigningRequest) -> Why {
    Why::new(rule).read("csr", ObjectRef::of(csr), "spec.signerName", csr.metadata.name())
}
