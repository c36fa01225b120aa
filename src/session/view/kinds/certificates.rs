//! CertificateSigningRequests.

use super::{About, KindView, stuck};
use crate::api::Object;
use crate::api::cells::certificate_condition;
use crate::api::certificate_signing_request::{certificate, conditions};
use crate::api::types::CertificateSigningRequest;
use crate::cluster::Cluster;
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Standing};
use crate::session::view::events::Condition;

/// CertificateSigningRequests.
pub(super) struct SigningRequests;

impl KindView for SigningRequests {
    fn about(&self) -> About {
        About { keeper: "certificatesigningrequest-signing-controller", ..About::ASIDE }
    }
    /// kubectl's column CONDITION: `Pending`, `Approved,Issued`, `Denied`.
    fn card(&self, object: &Object) -> Card {
        let Some(request) = object.get::<CertificateSigningRequest>() else { return Card::Other };
        let good = !certificate(request).is_empty();
        Card::Resource(Some(Standing { good, word: certificate_condition(request) }))
    }
    /// The condition by which somebody denied the request, or by which its signer failed.
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let mut conditions = conditions(object.get::<CertificateSigningRequest>()?).iter();
        let refusal = conditions.find(|c| matches!(c.type_.as_str(), "Denied" | "Failed"));
        let refusal = refusal
            .map(|c| Condition::new(&c.type_, &c.status, c.reason.as_deref(), c.message.as_deref()))
            .map(Ails::Condition);
        refusal.or_else(|| stuck(object))
    }
    usual!(report, next_run, node, ordinal, selects, names, offers);
}
