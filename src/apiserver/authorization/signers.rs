//! Who may approve and who may sign the certificates of a signer (`plugin/pkg/admission/certificates/{approval,signing}`,
//! `pkg/certauthorization`).

use super::access::{Access, Asked, Resource};
use crate::api::quote::go_quote;
use crate::api::types::CertificateSigningRequest;
use crate::api::{Kind, Object};
use crate::apimachinery::{Request, Status, Subresource};
use crate::apiserver::ApiServer;
use crate::apiserver::context::RequestContext;

impl ApiServer {
    /// Checks that the sender of an update may do to the requests of its signer what the update does: the right is one for the
    /// signer, or for all signers of its domain.
    ///
    /// # Errors
    /// 403: the sender may not.
    pub(in crate::apiserver) fn check_signer(
        &self,
        r: &Request,
        object: &Object,
        old: &Object,
        cx: &RequestContext,
    ) -> Result<(), Status> {
        let requests = old.get::<CertificateSigningRequest>().zip(object.get::<CertificateSigningRequest>());
        let (Some(user), Some((old, new))) = (&cx.user, requests) else { return Ok(()) };
        let signed = |c: &CertificateSigningRequest| {
            c.status.as_ref().map(|s| (s.certificate.clone(), s.conditions.clone())).unwrap_or_default()
        };
        let verb = match r.subresource {
            Subresource::Approval => "approve",
            Subresource::Status if signed(new) != signed(old) => "sign",
            _ => return Ok(()),
        };
        let signer = &old.spec.signer_name;
        let may = |name: String| {
            let (group, resource) = ("certificates.k8s.io".to_owned(), "signers".to_owned());
            let of = Asked::Resource(Resource { group, resource, name, ..Resource::default() });
            self.authorize(&Access { user: user.clone(), verb: verb.to_owned(), of }).allowed
        };
        let domain = signer.split('/').next().unwrap_or_default();
        if may(signer.clone()) || may(format!("{domain}/*")) {
            return Ok(());
        }
        let why = format!("user not permitted to {verb} requests with signerName {}", go_quote(signer));
        Err(Status::forbidden(Kind::CERTIFICATE_SIGNING_REQUEST, object.name(), &why))
    }
}
