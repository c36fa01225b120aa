//! Admission policies: rules in CEL that objects of `admissionregistration.k8s.io` bring
//! (`k8s.io/apiserver/pkg/admission/plugin/policy` and `…/plugin/cel`).
//!
//! A policy says which requests it looks at ([`matching`]) and what must hold of them, or what is changed in their objects; a
//! binding switches it on ([`bound`]), and may name objects that the rules read as `params` ([`params`]). What an expression
//! may name and what is wrong with one is in `cel::PolicyCompiler`, which the rules of the kinds ask before a policy is stored.
//! [`mutating`] and [`validating`] are the plug-ins.

mod attributes;
mod authority;
mod bound;
mod compiled;
mod evaluation;
mod matching;
mod mutating;
mod mutation;
mod params;
mod validating;

use super::ApiServer;
use super::context::RequestContext;
use super::owners::one_owner_once;
use super::stage::Stage;
use crate::api::{Kind, Object};
use crate::apimachinery::{Request, Status, Subresource};
pub(super) use attributes::Attributes;
pub(super) use compiled::CompiledPolicies;

impl ApiServer {
    /// Whether there are policies that may look at requests for a kind.
    pub(super) fn has_policies(&self, kind: Kind) -> bool {
        self.has_bindings(kind, Kind::VALIDATING_ADMISSION_POLICY_BINDING)
            || self.has_bindings(kind, Kind::MUTATING_ADMISSION_POLICY_BINDING)
    }

    /// Whether there are bindings of policies that may look at requests for a kind. Policies are not asked about themselves.
    fn has_bindings(&self, kind: Kind, bindings: Kind) -> bool {
        kind.group() != "admissionregistration.k8s.io" && self.etcd.range(bindings, None).next().is_some()
    }

    /// Lets admission change an object that a new one is made of, or that replaces `old`: first the plug-ins, then the policies, and
    /// both once more if a policy changed something (`admission/reinvocation.go`). `name` is the name with which a new object came.
    /// Gives the object as the policies found it, if they changed it.
    ///
    /// # Errors
    /// A plug-in or a policy refuses the object.
    pub(super) fn admit(
        &mut self,
        r: &Request,
        cx: &mut RequestContext,
        object: &mut Object,
        old: Option<&Object>,
        name: &str,
        plugins: impl Fn(&mut ApiServer, &mut Object, &mut RequestContext) -> Result<(), Status>,
    ) -> Result<Option<Object>, Status> {
        plugins(self, object, cx)?;
        // A scale is an object of its own, which no policy changes here.
        let asks = self.has_bindings(r.kind, Kind::MUTATING_ADMISSION_POLICY_BINDING)
            && r.subresource != Subresource::Scale;
        if !asks {
            return Ok(None);
        }
        let before = object.clone();
        let mut run = mutating::Run::default();
        self.ask_to_mutate(r, cx, object, old, name, &mut run)?;
        if run.begins_again() {
            plugins(self, object, cx)?;
            self.ask_to_mutate(r, cx, object, old, name, &mut run)?;
        }
        if *object == before {
            return Ok(None);
        }
        one_owner_once(object, true, &mut cx.warnings);
        self.match_namespace(r, object)?;
        Ok(Some(before))
    }

    fn ask_to_mutate(
        &mut self,
        r: &Request,
        cx: &mut RequestContext,
        object: &mut Object,
        old: Option<&Object>,
        name: &str,
        run: &mut mutating::Run,
    ) -> Result<(), Status> {
        // Where no plug-in is asked between the first and the second time, both are one stage.
        if !cx.is_in(Stage::Mutate, mutating::NAME) {
            cx.enter(Stage::Mutate, mutating::NAME, Some(object));
        }
        let changed = {
            let attributes = match old {
                Some(old) => Attributes::update(r, object, old),
                None => Attributes::create(r, object, name),
            };
            let attributes = attributes.of_user(cx.user.clone(), cx.program.as_deref());
            mutating::mutate(self, &attributes, object, run)?
        };
        if let Some(changed) = changed {
            *object = changed;
        }
        Ok(())
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
        if !self.has_bindings(r.kind, Kind::VALIDATING_ADMISSION_POLICY_BINDING) {
            return Ok(());
        }
        cx.enter(Stage::Admit, validating::NAME, object);
        let attributes = attributes().of_user(cx.user.clone(), cx.program.as_deref());
        validating::validate(self, &attributes, &mut cx.admission_warnings)
    }
}
