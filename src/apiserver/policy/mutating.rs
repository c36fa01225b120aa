//! MutatingAdmissionPolicy: what policies that bindings switch on change in the object of a request
//! (`policy/mutating/dispatcher.go`).

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value as Json;

use super::attributes::Attributes;
use super::authority::{self, Authority};
use super::bound::{self, Asked, Binding, Definition, Outcome};
use super::evaluation::{Conditions, Inputs, Variable};
use super::mutation::{Failed, Mutation, in_version};
use crate::api::types::admission::{MutatingAdmissionPolicyBindingSpec, MutatingAdmissionPolicySpec};
use crate::api::types::{MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding};
use crate::api::{ApiKind, Kind, MetaExt, Object};
use crate::apimachinery::{Cause, Status};
use crate::apiserver::ApiServer;
use crate::apiserver::validation::{list, text};
use crate::cel::{PolicyCompiler, Value};

/// The plug-in's name.
pub(super) const NAME: &str = "MutatingAdmissionPolicy";

/// What policies have done in the admission of one request, which asks them twice if they changed something
/// (`policy/mutating/reinvocationcontext.go`, `admission/reinvocation.go`).
#[derive(Debug, Default)]
pub(super) struct Run {
    /// Whether it is the second time.
    again: bool,
    /// Whether a policy changed the object, so that there is a second time.
    changed: bool,
    /// The object as the policies left it.
    left: Option<Object>,
    /// Who was asked and may be asked again.
    invoked: BTreeSet<Invoked>,
    /// Who is asked again.
    wanted: BTreeSet<Invoked>,
}

/// A policy, a binding of it, and the namespace and the name of the params.
type Invoked = (String, String, String, String);

impl Run {
    /// Whether there is a second time, which begins now.
    pub(super) fn begins_again(&mut self) -> bool {
        self.again = self.changed;
        self.changed
    }

    /// The object has changed: whoever was asked before the change is to see it.
    fn ask_again(&mut self) {
        self.wanted.append(&mut self.invoked);
    }
}

/// A policy whose expressions are compiled.
pub(super) struct Mutator {
    variables: Vec<Variable>,
    conditions: Conditions,
    mutations: Vec<Mutation>,
    /// Whether it may be asked again.
    reinvocable: bool,
    /// Whether one of its expressions names the authorizer.
    asks: bool,
}

impl Mutator {
    pub(super) fn of(spec: &MutatingAdmissionPolicySpec) -> Mutator {
        let mut compiler = PolicyCompiler::new(spec.param_kind.is_some(), true);
        let variables = Variable::all(list(&spec.variables), &mut compiler);
        let mutations = list(&spec.mutations).iter();
        Mutator {
            conditions: Conditions::of(list(&spec.match_conditions), &compiler, text(&spec.failure_policy)),
            mutations: mutations.filter_map(|m| Mutation::of(m, &compiler)).collect(),
            reinvocable: text(&spec.reinvocation_policy) == "IfNeeded",
            asks: asks(spec),
            variables,
        }
    }
}

/// Whether an expression of a policy names the authorizer.
fn asks(spec: &MutatingAdmissionPolicySpec) -> bool {
    let configurations = list(&spec.mutations).iter().filter_map(|m| m.apply_configuration.as_ref());
    let patches = list(&spec.mutations).iter().filter_map(|m| m.json_patch.as_ref());
    let all = configurations.map(|c| text(&c.expression)).chain(patches.map(|p| text(&p.expression)));
    let all = all.chain(list(&spec.variables).iter().map(|v| v.expression.as_str()));
    authority::is_named(all.chain(list(&spec.match_conditions).iter().map(|c| c.expression.as_str())))
}

/// A refusal of a policy.
struct Refused {
    message: String,
    /// Whether the answer's reason is `Invalid`; it is `Forbidden` where policy or binding could not be understood.
    invalid: bool,
}

/// A policy that is asked about a request, and what its bindings lead to.
struct Invocations<'a> {
    name: &'a str,
    mutator: Rc<Mutator>,
    /// The names of bindings, and how they ask.
    asked: Vec<(&'a str, Asked)>,
}

fn refusal(policy: &str, binding: &str, why: &str) -> String {
    format!("policy '{policy}' with binding '{binding}' denied request: {why}")
}

/// The policies that are asked, in the order of their names. All of them are matched with the request as it came.
fn invocations<'a>(api: &'a ApiServer, of: &Attributes, refused: &mut Vec<Refused>) -> Vec<Invocations<'a>> {
    let bindings = api.etcd.range(Kind::MUTATING_ADMISSION_POLICY_BINDING, None);
    let bindings = bindings.filter_map(|(_, r)| MutatingAdmissionPolicyBinding::from_object(&r.object));
    let bindings: Vec<(&str, &MutatingAdmissionPolicyBindingSpec)> =
        bindings.filter_map(|b| Some((b.metadata.name(), b.spec.as_ref()?))).collect();
    let mut all = Vec::new();
    for (_, record) in api.etcd.range(Kind::MUTATING_ADMISSION_POLICY, None) {
        let Some(policy) = MutatingAdmissionPolicy::from_object(&record.object) else { continue };
        let (name, Some(spec)) = (policy.metadata.name(), &policy.spec) else { continue };
        let own: Vec<_> = bindings.iter().filter(|(_, b)| text(&b.policy_name) == name).collect();
        let definition =
            Definition { constraints: spec.match_constraints.as_ref(), param_kind: spec.param_kind.as_ref() };
        let looks: Vec<Binding> = own
            .iter()
            .map(|(_, b)| Binding { looks_at: b.match_resources.as_ref(), params: b.param_ref.as_ref() })
            .collect();
        let outcomes = bound::outcomes(api, of, &definition, &looks);
        if outcomes.is_empty() {
            continue;
        }
        let mutator = api.compiled_policies.mutator(&record.object, spec);
        let mut asked = Vec::new();
        for Outcome { binding, of: outcome } in outcomes {
            let binding = binding.and_then(|i| own.get(i)).map(|(name, _)| *name);
            match (outcome, binding) {
                (Ok(outcome), binding) => asked.push((binding.unwrap_or_default(), outcome)),
                (Err(_), _) if !mutator.conditions.fails => {}
                (Err(why), Some(binding)) => {
                    refused.push(Refused { message: refusal(name, binding, &why), invalid: false });
                }
                (Err(why), None) => {
                    let message = format!("policy \"{name}\" denied request: {why}");
                    refused.push(Refused { message, invalid: false });
                }
            }
        }
        all.push(Invocations { name, mutator, asked });
    }
    all
}

/// The object of a request as one version of its kind has it. Policies that look at it in one version see what the others of them
/// changed.
struct Version {
    matched: Kind,
    object: Object,
    /// Whether a mutation was applied, though it may have changed nothing.
    mutated: bool,
}

/// Lets the policies change the object of a request; `None` if none is applied.
///
/// # Errors
/// What a policy says cannot be applied and its `failurePolicy` is `Fail`, or what it leads to cannot be decoded.
pub(super) fn mutate(
    api: &ApiServer,
    of: &Attributes,
    object: &Object,
    run: &mut Run,
) -> Result<Option<Object>, Status> {
    if run.again && run.left.as_ref() != Some(object) {
        run.ask_again();
    }
    let mut refused = Vec::new();
    let mut versions: Vec<Version> = Vec::new();
    let mut last = None;
    // The server is copied for those who ask, and once.
    let nobody = authority::of(api, false, of);
    let everybody = OnceCell::new();
    for Invocations { name, mutator, asked } in invocations(api, of, &mut refused) {
        for (binding, Asked { matched, params }) in asked {
            let at = place_of(api, of, matched, object, &mut versions)?;
            let Some(version) = versions.get_mut(at) else { continue };
            let params_at = |key: &str| {
                let found = params.as_ref().and_then(|p| p.pointer(key)).and_then(Json::as_str);
                found.unwrap_or_default().to_owned()
            };
            let invoked = (
                name.to_owned(),
                binding.to_owned(),
                params_at("/metadata/namespace"),
                params_at("/metadata/name"),
            );
            let authorizer =
                if mutator.asks { everybody.get_or_init(|| authority::of(api, true, of)) } else { &nobody };
            let invocation = Invocation { api, of, mutator: &mutator, params: params.as_ref(), authorizer };
            let inputs = invocation.inputs(version);
            let mut refuse = |why: String| {
                if mutator.conditions.fails {
                    refused.push(Refused { message: refusal(name, binding, &why), invalid: true });
                }
            };
            match mutator.conditions.are_met(&inputs, &mutator.variables) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(why) => {
                    refuse(why);
                    continue;
                }
            }
            if run.again && !run.wanted.contains(&invoked) {
                continue;
            }
            last = Some(at);
            let before = version.object.clone();
            for why in invocation.mutate(version, inputs)? {
                refuse(why);
            }
            if version.object != before {
                run.changed = true;
                run.ask_again();
            }
            if mutator.reinvocable {
                run.invoked.insert(invoked);
            }
        }
    }
    // What was changed in other versions than the last one is lost.
    let mutated = last.and_then(|at| versions.get(at)).filter(|version| version.mutated);
    let result = mutated.map(|version| in_version(api, of.resource, &version.object)).transpose()?;
    if result.is_some() {
        run.changed = true;
        run.ask_again();
    }
    run.left = Some(result.as_ref().unwrap_or(object).clone());
    match answer(of, refused) {
        None => Ok(result),
        Some(status) => Err(status),
    }
}

/// Where the version is by which a request was matched.
fn place_of(
    api: &ApiServer,
    of: &Attributes,
    matched: Kind,
    object: &Object,
    versions: &mut Vec<Version>,
) -> Result<usize, Status> {
    let known = versions.iter().position(|v| v.matched.api_version() == matched.api_version());
    if let Some(at) = known {
        return Ok(at);
    }
    let object = in_version(api, of.kind_for(matched), object)?;
    versions.push(Version { matched, object, mutated: false });
    Ok(versions.len() - 1)
}

/// A policy that is asked with one of its params.
struct Invocation<'a> {
    api: &'a ApiServer,
    of: &'a Attributes<'a>,
    mutator: &'a Mutator,
    params: Option<&'a Json>,
    authorizer: &'a Authority,
}

impl Invocation<'_> {
    fn inputs(&self, version: &Version) -> Inputs {
        let of = self.of.with_object(&version.object);
        let inputs = Inputs::of(self.api, &of, version.matched, self.authorizer.clone());
        Inputs { params: self.params.map_or(Value::Null, Value::from_json), ..inputs }
    }

    /// Applies the mutations of the policy one after the other, and says which of them cannot be applied and why. `first` is what the
    /// first of them reads.
    ///
    /// # Errors
    /// What one leads to cannot be decoded.
    fn mutate(&self, version: &mut Version, first: Inputs) -> Result<Vec<String>, Status> {
        let mut failed = Vec::new();
        let mut first = Some(first);
        for mutation in &self.mutator.mutations {
            let inputs = first.take().unwrap_or_else(|| self.inputs(version));
            let of = self.of.with_object(&version.object);
            match mutation.apply(self.api, &of, version.matched, &inputs, &self.mutator.variables) {
                Ok(object) => {
                    version.object = object;
                    version.mutated = true;
                }
                Err(Failed::Because(why)) => failed.push(why),
                Err(Failed::Answer(status)) => return Err(*status),
            }
        }
        Ok(failed)
    }
}

/// The answer to a request that policies refuse: the words and the reason of the first of them.
fn answer(of: &Attributes, refused: Vec<Refused>) -> Option<Status> {
    let first = refused.first()?;
    let mut status = Status::forbidden(of.resource, of.name_in_refusal(), &first.message);
    status.message.clone_from(&first.message);
    if first.invalid {
        status.reason = "Invalid".into();
    }
    let causes = refused.into_iter().map(|r| Cause { message: r.message, ..Cause::default() });
    status.details.get_or_insert_default().causes.extend(causes);
    Some(status)
}
