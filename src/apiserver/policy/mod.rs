//! Admission policies: rules in CEL that objects of `admissionregistration.k8s.io` bring
//! (`k8s.io/apiserver/pkg/admission/plugin/policy` and `…/plugin/cel`).
//!
//! A policy says which requests it looks at ([`matching`]) and what must hold of them; a binding switches it on, and may
//! name objects that the rules read as `params` ([`params`]). [`compile`] has what an expression may name and what is wrong with
//! one; the rules of the kinds ask it before a policy is stored. [`validating`] is the plug-in.

mod attributes;
pub(super) mod compile;
mod evaluation;
mod matching;
mod params;
mod validating;

use super::ApiServer;
use super::context::RequestContext;
use super::stage::Stage;
use crate::api::Object;
use crate::apimachinery::{Request, Status};
pub(super) use attributes::Attributes;

impl ApiServer {
    /// Asks the policies about a request, if there are any. Policies and their bindings are not asked about themselves.
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
        if validating::is_idle(self, r.kind) {
            return Ok(());
        }
        cx.enter(Stage::Admit, validating::NAME, object);
        validating::validate(self, &attributes(), &mut cx.warnings)
    }
}
