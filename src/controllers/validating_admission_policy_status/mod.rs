//! The ValidatingAdmissionPolicy status controller (`k8s.io/kubernetes/pkg/controller/validatingadmissionpolicystatus`): it checks the
//! expressions of a policy by the types of the objects that the policy looks at, and writes into its status what does not fit.
//! That only warns: the API server evaluates expressions of any type.

mod schema;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::json;

use crate::api::types::ValidatingAdmissionPolicy;
use crate::api::types::admission::{
    ExpressionWarning, NamedRuleWithOperations, ParamKind, ValidatingAdmissionPolicySpec,
};
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::cel::{DeclType, PolicyCompiler};
use crate::client::{Context, Reconciler, Result, Seen, Watches, Why};

/// The controller's name, under which it also owns the fields that it writes.
const NAME: &str = "validatingadmissionpolicy-status-controller";

/// By how many types of objects the expressions of a policy are checked (`maxTypesToCheck`).
const MAX_TYPES: usize = 10;

/// The ValidatingAdmissionPolicy status controller.
#[derive(Clone, Copy, Debug)]
pub struct Controller;

impl Reconciler for Controller {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        NAME.into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(|cx, seen: Seen<'_, ValidatingAdmissionPolicy>| {
            if seen.new.is_some() {
                cx.enqueue(seen.key.clone());
            }
        })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(policy) = cx.lister::<ValidatingAdmissionPolicy>().get(&key).cloned() else { return Ok(()) };
        let generation = policy.metadata.generation();
        if generation <= policy.status.as_ref().and_then(|s| s.observed_generation).unwrap_or(0) {
            return Ok(());
        }
        let mut checked = json!({});
        let warnings = policy.spec.as_ref().map(warnings).unwrap_or_default();
        if !warnings.is_empty() {
            checked["expressionWarnings"] = crate::api::to_value(&warnings);
        }
        let status = json!({"observedGeneration": generation, "typeChecking": checked});
        let why = Why::new("admission_policy_status.check").read(
            "policy",
            ObjectRef::of(&*policy),
            "metadata.generation",
            generation.to_string(),
        );
        cx.apply_status::<ValidatingAdmissionPolicy>(key, status, NAME).because(why).await?;
        Ok(())
    }
}

/// What is wrong with the expressions of a policy (`TypeChecker.Check` of
/// `k8s.io/apiserver/pkg/admission/plugin/policy/validating`).
fn warnings(spec: &ValidatingAdmissionPolicySpec) -> Vec<ExpressionWarning> {
    let rules = spec.match_constraints.as_ref().and_then(|c| c.resource_rules.as_deref());
    let compilers: Vec<(String, PolicyCompiler)> = types_to_check(rules.unwrap_or_default())
        .into_iter()
        .map(|(name, kind)| (name, compiler(spec, kind)))
        .collect();
    let mut warnings = Vec::new();
    let mut check = |field: String, expression: &str| {
        let issues = |(name, compiler): &(String, PolicyCompiler)| {
            compiler.check(expression).err().map(|issues| format!("{name}: {issues}\n"))
        };
        let found: Vec<String> = compilers.iter().filter_map(issues).collect();
        if !found.is_empty() {
            warnings.push(ExpressionWarning { field_ref: field, warning: found.join("\n") });
        }
    };
    for (i, rule) in spec.validations.iter().flatten().enumerate() {
        check(format!("spec.validations[{i}].expression"), &rule.expression);
        if let Some(message) = rule.message_expression.as_deref().filter(|m| !m.is_empty()) {
            check(format!("spec.validations[{i}].messageExpression"), message);
        }
    }
    warnings
}

/// A compiler for expressions about objects of a kind, with the variables of a policy.
fn compiler(spec: &ValidatingAdmissionPolicySpec, kind: Kind) -> PolicyCompiler {
    let params =
        spec.param_kind.as_ref().map(|of| kind_of(of).map_or_else(DeclType::dyn_type, schema::decl_type));
    let mut compiler = PolicyCompiler::typed(schema::decl_type(kind), params);
    for variable in spec.variables.iter().flatten() {
        // What is wrong with a variable was found when the policy was created.
        let _checked = compiler.variable(&variable.name, &variable.expression);
    }
    compiler
}

fn kind_of(of: &ParamKind) -> Option<Kind> {
    Kind::of(of.api_version.as_deref()?, of.kind.as_deref()?)
}

/// The types that the rules of a policy name one by one, as messages call them. Wildcards and subresources name none.
fn types_to_check(rules: &[NamedRuleWithOperations]) -> Vec<(String, Kind)> {
    let mut found: BTreeMap<(&str, &str, &str), Kind> = BTreeMap::new();
    for rule in rules {
        let named = |of: &Option<Vec<String>>| -> Vec<String> {
            let mut all = of.clone().unwrap_or_default();
            all.sort();
            all
        };
        let (groups, versions) = (named(&rule.api_groups), named(&rule.api_versions));
        if groups.iter().chain(&versions).any(|text| text.contains('*')) {
            continue;
        }
        let mut resources = named(&rule.resources);
        resources.retain(|resource| !resource.contains(['*', '/']));
        let wanted = groups.iter().flat_map(|g| versions.iter().map(move |v| (g, v)));
        let wanted = wanted.flat_map(|(g, v)| resources.iter().map(move |r| (g, v, r.to_lowercase())));
        for (group, version, resource) in wanted {
            // An empty group is one that was not said.
            let is_meant = |kind: &Kind| {
                (group.is_empty() || kind.group() == group)
                    && kind.version() == version
                    && (kind.plural() == resource || kind.singular() == resource)
            };
            for kind in Kind::served().filter(is_meant) {
                if found.len() < MAX_TYPES {
                    found.insert((kind.group(), kind.version(), kind.as_str()), kind);
                }
            }
        }
    }
    let name = |kind: Kind| match kind.group() {
        "" => format!("/{}, Kind={}", kind.version(), kind.as_str()),
        _ => format!("{}, Kind={}", kind.api_version(), kind.as_str()),
    };
    found.into_values().map(|kind| (name(kind), kind)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::Value;

    use super::*;

    fn spec(resource: &str, more: Value) -> ValidatingAdmissionPolicySpec {
        let rule = json!({"apiGroups": ["apps", ""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [resource]});
        let mut spec = json!({"matchConstraints": {"resourceRules": [rule]}});
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(spec).unwrap()
    }

    fn found(resource: &str, more: Value) -> Vec<(String, String)> {
        warnings(&spec(resource, more)).into_iter().map(|w| (w.field_ref, w.warning)).collect()
    }

    /// `TestTypeCheck` in
    /// `staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking_test.go`.
    #[test]
    fn what_does_not_fit_the_types_is_told() {
        let rules = |expression: &str| json!({"validations": [{"expression": expression}]});
        for right in [
            "object.spec.replicas > 1 && object.metadata.labels['a'] == 'b' && object.kind == 'Deployment'",
            "object.spec.template.spec.containers.all(c, has(c.securityContext) && c.ports.all(p, p.hostPort == 0))",
            "object.spec.strategy.rollingUpdate.maxSurge == 1 && object.metadata.creationTimestamp < timestamp('2030-01-01T00:00:00Z')",
            "authorizer.group('').resource('pods').check('get').allowed() && request.operation == 'CREATE'",
        ] {
            assert_eq!(found("deployments", rules(right)), [], "{right}");
        }
        assert_eq!(
            found("deployments", rules("object.spec.replica == 1")),
            [(
                "spec.validations[0].expression".to_owned(),
                "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'\n | object.spec.replica == 1\n | ...........^\n".to_owned()
            )]
        );
        let with_variable = json!({"variables": [{"name": "n", "expression": "object.data.size()"}],
            "validations": [{"expression": "variables.n > 'a'", "messageExpression": "object.name"}]});
        let found = found("configmaps", with_variable);
        let fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(fields, ["spec.validations[0].expression", "spec.validations[0].messageExpression"]);
        assert!(
            found[0].1.starts_with("/v1, Kind=ConfigMap: ERROR: <input>:1:13: found no matching overload")
        );
    }

    /// `typesToCheck` in `typechecking.go`.
    #[test]
    fn wildcards_and_subresources_name_no_types() {
        let wrong = || json!({"validations": [{"expression": "object.nothing"}]});
        for resource in ["*", "deployments/scale", "unicorns"] {
            assert_eq!(found(resource, wrong()), [], "{resource}");
        }
    }
}
