//! The approving controller of CertificateSigningRequests (`k8s.io/kubernetes/pkg/controller/certificates/approver`): it approves
//! requests for client certificates of kubelets, if a SubjectAccessReview says that the user who asks may have one.

use std::rc::Rc;

use serde_json::json;

use super::helpers::validate_kubelet_client;
use super::{parsed, why};
use crate::api::MetaExt;
use crate::api::certificate_signing_request::condition;
use crate::api::pkcs10::Request;
use crate::api::quote::go_quote;
use crate::api::types::CertificateSigningRequest;
use crate::api::types::certificates::CertificateSigningRequestCondition as Condition;
use crate::api::well_known::KUBE_API_SERVER_CLIENT_KUBELET_SIGNER;
use crate::client::{Context, Error, Result};

/// A sort of request, and the right that a user needs to get it approved (`csrRecognizer`).
struct Recognizer {
    /// Whether the certificate has to be for the user who asks.
    own: bool,
    /// The subresource of `certificatesigningrequests` that the user has to have the right to create.
    subresource: &'static str,
    message: &'static str,
}

const RECOGNIZERS: [Recognizer; 2] = [
    Recognizer {
        own: true,
        subresource: "selfnodeclient",
        message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    },
    Recognizer {
        own: false,
        subresource: "nodeclient",
        message: "Auto approving kubelet client certificate after SubjectAccessReview.",
    },
];

impl Recognizer {
    fn recognizes(&self, csr: &CertificateSigningRequest, request: &Request) -> bool {
        let usages = csr.spec.usages.as_deref().unwrap_or_default();
        let own = csr.spec.username.as_deref().unwrap_or_default() == request.subject.common_name;
        (own || !self.own)
            && csr.spec.signer_name == KUBE_API_SERVER_CLIENT_KUBELET_SIGNER
            && validate_kubelet_client(request, usages).is_ok()
    }
}

/// Approves a request that is recognized, if the user who asks has the right (`handle`).
pub(super) async fn handle(cx: &Context, mut csr: Rc<CertificateSigningRequest>) -> Result {
    if condition(&csr, "Approved").is_some() || condition(&csr, "Denied").is_some() {
        return Ok(());
    }
    let request = parsed(&csr)?;
    let mut tried = Vec::new();
    for recognizer in RECOGNIZERS.iter().filter(|r| r.recognizes(&csr, &request)) {
        tried.push(recognizer.subresource);
        let spec = &csr.spec;
        let review = json!({
            "resourceAttributes": {
                "verb": "create", "group": "certificates.k8s.io", "resource": "certificatesigningrequests",
                "subresource": recognizer.subresource,
            },
            "user": spec.username, "groups": spec.groups, "extra": spec.extra, "uid": spec.uid,
        });
        let user = spec.username.clone().unwrap_or_default();
        let asks = why("csr_approver.ask", &csr).with("user", &user).with("right", recognizer.subresource);
        if !cx.access_review(&*csr, review).because(asks).await? {
            continue;
        }
        let approves =
            why("csr_approver.approve", &csr).with("user", &user).with("right", recognizer.subresource);
        let condition = Condition {
            type_: "Approved".into(),
            status: "True".into(),
            reason: Some("AutoApproved".into()),
            message: Some(recognizer.message.into()),
            last_update_time: None,
            last_transition_time: None,
        };
        let status = Rc::make_mut(&mut csr).status.get_or_insert_default();
        status.conditions.get_or_insert_default().push(condition);
        let written = cx.update_approval(csr).because(approves).await;
        return written
            .map(|_| ())
            .map_err(|e| Error::Other(format!("error updating approval for csr: {}", e.message)));
    }
    if tried.is_empty() {
        return Ok(());
    }
    Err(Error::Other(format!(
        "recognized csr {} as [{}] but subject access review was not approved",
        go_quote(csr.metadata.name()),
        tried.join(" ")
    )))
}
