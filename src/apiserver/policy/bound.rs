//! Which bindings of a policy count for a request, and with which params: the part that both plug-ins share (`Dispatch` of
//! `policy/generic/policy_dispatcher.go` and of `policy/validating/dispatcher.go`).

use serde_json::Value;

use super::attributes::Attributes;
use super::{matching, params};
use crate::api::Kind;
use crate::api::types::admission::{MatchResources, ParamKind, ParamRef};
use crate::apiserver::ApiServer;

/// What of a policy says which requests it is about.
pub(super) struct Definition<'a> {
    pub(super) constraints: Option<&'a MatchResources>,
    pub(super) param_kind: Option<&'a ParamKind>,
}

/// What of a binding says where its policy counts.
pub(super) struct Binding<'a> {
    pub(super) looks_at: Option<&'a MatchResources>,
    pub(super) params: Option<&'a ParamRef>,
}

/// That a policy is to be asked about a request.
pub(super) struct Asked {
    /// By which version of its resource the request was matched.
    pub(super) matched: Kind,
    /// What the expressions read as `params`.
    pub(super) params: Option<Value>,
}

/// What a binding leads to, or the policy itself.
pub(super) struct Outcome {
    /// Which of the bindings it is; `None` for the policy.
    pub(super) binding: Option<usize>,
    /// That the policy is asked, or why it cannot be.
    pub(super) of: Result<Asked, String>,
}

/// What the bindings of a policy lead to for a request. A policy without bindings is not asked.
pub(super) fn outcomes(
    api: &ApiServer,
    of: &Attributes,
    policy: &Definition,
    bindings: &[Binding],
) -> Vec<Outcome> {
    let Some(constraints) = policy.constraints.filter(|_| !bindings.is_empty()) else { return Vec::new() };
    let misconfigured =
        |why: String| vec![Outcome { binding: None, of: Err(format!("failed to configure policy: {why}")) }];
    let matched = match matching::matches(api, of, constraints) {
        Ok(Some(matched)) => matched,
        Ok(None) => return Vec::new(),
        Err(why) => return misconfigured(why),
    };
    let param_kind = match policy.param_kind.map(|kind| params::kind_of(api, kind)).transpose() {
        Ok(kind) => kind,
        Err(why) => return misconfigured(why),
    };
    let mut outcomes = Vec::new();
    for (i, binding) in bindings.iter().enumerate() {
        let binds = binding
            .looks_at
            .map_or(Ok(true), |wanted| matching::matches(api, of, wanted).map(|matched| matched.is_some()));
        let found = match binds {
            Ok(false) => continue,
            Ok(true) => params::collect(api, of, param_kind, binding.params),
            Err(why) => Err(why),
        };
        let outcome = |of: Result<Asked, String>| Outcome { binding: Some(i), of };
        match found {
            Ok(found) => {
                outcomes.extend(found.into_iter().map(|params| outcome(Ok(Asked { matched, params }))));
            }
            Err(why) => outcomes.push(outcome(Err(format!("failed to configure binding: {why}")))),
        }
    }
    outcomes
}
