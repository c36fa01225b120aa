//! The cleaner of CertificateSigningRequests (`k8s.io/kubernetes/pkg/controller/certificates/cleaner`): it deletes those that
//! nobody has decided on for a day, the others an hour after they were decided on, and those whose certificate has expired.
//!
//! Kubernetes looks at all requests every hour; here each request is looked at at the full hour at which it is old enough.

use std::rc::Rc;

use jiff::SignedDuration;

use super::{USER, why};
use crate::api::certificate::Validity;
use crate::api::certificate_signing_request::{certificate, condition, conditions};
use crate::api::types::CertificateSigningRequest;
use crate::api::{Key, Kind, Timestamp, later};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, Handler, Reconciler, Result, Seen, Wait, Watches};

/// The interval at which requests are looked at, in seconds (`pollingInterval`).
const POLLING: i64 = 3600;
/// How long a request is kept after it was approved and issued, denied, or failed (`approvedExpiration`, `deniedExpiration`).
const DECIDED: SignedDuration = SignedDuration::from_hours(1);
/// How long a request without conditions is kept after its creation (`pendingExpiration`).
const PENDING: SignedDuration = SignedDuration::from_hours(24);

/// The cleaner.
#[derive(Clone, Copy, Debug)]
pub struct CsrCleanerController;

impl Reconciler for CsrCleanerController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "certificatesigningrequest-cleaner-controller".into()
    }

    fn user(&self) -> Rc<str> {
        USER.into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(handle)
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(csr) = cx.lister::<CertificateSigningRequest>().get(&key).cloned() else { return Ok(()) };
        let Some((since, rule)) = kept_until(&csr) else { return Ok(()) };
        if cx.now() <= since {
            cx.enqueue_waiting(key, until_poll(cx.now(), since), Wait::Background);
            return Ok(());
        }
        let call = cx.delete(Kind::CERTIFICATE_SIGNING_REQUEST, key.clone(), DeleteOptions::default());
        if call.because(why(rule, &csr)).await.is_err_and(|e| !e.is_not_found()) {
            // Kubernetes logs why the request could not be deleted, and looks at it again an hour later.
            cx.enqueue_waiting(key, until_poll(cx.now(), since), Wait::Background);
        }
        Ok(())
    }
}

fn handle(cx: &mut Handler<'_>, seen: Seen<'_, CertificateSigningRequest>) {
    let key = seen.key.clone();
    match seen.new.and_then(|csr| kept_until(csr)) {
        Some((since, _)) => cx.enqueue_waiting(key, until_poll(cx.now, since), Wait::Background),
        None => cx.cancel(key),
    }
}

/// The time until the first full hour after a moment, and after now.
fn until_poll(now: Timestamp, since: Timestamp) -> SignedDuration {
    let after = since.max(now).as_second();
    let next = after - after.rem_euclid(POLLING) + POLLING;
    SignedDuration::from_secs(next - now.as_second()) - SignedDuration::new(0, now.subsec_nanosecond())
}

/// Up to when a request is kept, and the rule by which it is deleted after that; `None` if it is not deleted.
fn kept_until(csr: &CertificateSigningRequest) -> Option<(Timestamp, &'static str)> {
    let decided = |type_: &str| {
        let at = condition(csr, type_)?.last_update_time.as_ref()?;
        Some(later(at.0, DECIDED))
    };
    let created = csr.metadata.creation_timestamp.as_ref();
    let is_issued = !certificate(csr).is_empty() && condition(csr, "Approved").is_some();
    let issued = is_issued.then(|| decided("Approved")).flatten();
    let pending = created.filter(|_| conditions(csr).is_empty()).map(|at| later(at.0, PENDING));
    let expires = match certificate(csr) {
        [] => None,
        // A request whose certificate cannot be read is kept.
        text => Some(Validity::of_pem(text)?.not_after).filter(|_| is_issued),
    };
    let rules = [
        (issued, "csr_cleaner.issued"),
        (decided("Denied"), "csr_cleaner.denied"),
        (decided("Failed"), "csr_cleaner.failed"),
        (pending, "csr_cleaner.pending"),
        (expires, "csr_cleaner.expired"),
    ];
    rules.into_iter().filter_map(|(at, rule)| Some((at?, rule))).min_by_key(|(at, _)| *at)
}
