//! The approving controller of CertificateSigningRequests (`k8s.io/kubernetes/pkg/controller/certificates/approver`): it approves
//! the certificates by which kubelets are known, if whoever asks for one may.

use std::rc::Rc;

use serde_json::json;

use super::helpers::{KUBELET_CLIENT, validate_kubelet_client};
use super::{RATE_LIMIT, USER, condition, handle, parsed, waiting, why};
use crate::api::pkcs10::Request;
use crate::api::quote::go_quote;
use crate::api::types::CertificateSigningRequest;
use crate::api::types::certificates::CertificateSigningRequestCondition as Condition;
use crate::api::{Key, MetaExt};
use crate::client::{Context, Error, RateLimit, Reconciler, Result, Watches};

/// What a kubelet asks for, and the right that it needs for that.
struct Recognizer {
    /// Whether the certificate has to be for whoever asks.
    own: bool,
    /// The part of `certificatesigningrequests` that has to be created.
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
            && csr.spec.signer_name == KUBELET_CLIENT
            && validate_kubelet_client(request, usages).is_ok()
    }
}

/// The approving controller.
#[derive(Clone, Copy, Debug)]
pub struct CsrApprovingController;

impl Reconciler for CsrApprovingController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "certificatesigningrequest-approving-controller".into()
    }

    fn user(&self) -> Rc<str> {
        USER.into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(handle)
    }

    fn rate_limit(&self) -> RateLimit {
        RATE_LIMIT
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(mut csr) = waiting(&cx, &key) else { return Ok(()) };
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
            let asks =
                why("csr_approver.ask", &csr).with("user", &user).with("right", recognizer.subresource);
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
}
