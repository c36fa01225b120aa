//! Admission policies: rules in CEL that objects of `admissionregistration.k8s.io` bring
//! (`k8s.io/apiserver/pkg/admission/plugin/policy` and `…/plugin/cel`).
//!
//! A policy says which requests it looks at ([`matching`]) and what must hold of them; a binding switches it on, and may
//! name objects that the rules read as `params` ([`params`]). What an expression
//! may name and what is wrong with one is in `cel::PolicyCompiler`, which the rules of the kinds ask before a policy is stored.
//! [`validating`] is the plug-in.

mod attributes;
mod authority;
mod evaluation;
mod matching;
mod params;
mod validating;

use super::ApiServer;
use super::context::RequestContext;
use super::stage::Stage;
use crate::api::{Kind, Object};
use crate::apimachinery::{Request, Status};
pub(super) use attributes::Attributes;

impl ApiServer {
    /// Whether there are policies that may look at requests for a kind. They are not asked about themselves.
    pub(super) fn has_policies(&self, kind: Kind) -> bool {
        kind.group() != "admissionregistration.k8s.io"
            && self.etcd.range(Kind::VALIDATING_ADMISSION_POLICY_BINDING, None).next().is_some()
    }

    /// Asks the policies about a request, if there are any.
    ///
    /// # Errors
    /// A policy refuses the request.
    pub(super) fn ask_policies<'a>(
        &self,
        r: &Request,
        cx: &mut RequestContext,
        object: Option<&Object>,
        attributes: impl FnOnce() -> Attributes<'a>,
    ) -> Result<(), Status> {
        if !self.has_policies(r.kind) {
            return Ok(());
        }
        cx.enter(Stage::Admit, validating::NAME, object);
        let attributes = attributes().of_user(cx.user.clone(), cx.program.as_deref());
        validating::validate(self, &attributes, &mut cx.admission_warnings)
    }
}
