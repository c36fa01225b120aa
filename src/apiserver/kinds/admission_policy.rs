//! What policies of admission and their bindings share (`pkg/apis/admissionregistration/validation/validation.go`,
//! `pkg/apis/admissionregistration/v1/defaults.go`).

use std::collections::BTreeSet;

use super::{AGE, Column, NAME};
use crate::api::labels::Selector;
use crate::api::types::ObjectMeta;
use crate::api::types::admission::{
    MatchCondition, MatchResources, NamedRuleWithOperations, ParamKind, ParamRef, Variable,
};
use crate::apiserver::validation::meta::{invalid_each, label_name, label_selector, object_meta};
use crate::apiserver::validation::names::{dns1035_label, dns1123_subdomain, path_segment_name};
use crate::apiserver::validation::{
    Errors, FieldError, Path, json_strings, list, name_is_dns_subdomain, text,
};
use crate::cel::{self, PolicyCompiler, Wanted};

/// The column of tables with the kind of a policy's params.
pub(super) const PARAM_KIND: Column =
    Column::text("ParamKind", "ParamKind specifies the kind of resources used to parameterize this policy");
/// The columns of tables of bindings.
pub(super) const BINDING_COLUMNS: &[Column] = &[
    NAME,
    Column::text(
        "PolicyName",
        "PolicyName indicates the policy definition which the policy binding binded to",
    ),
    Column::text("ParamRef", "ParamRef indicates the param resource which sets the configuration param"),
    AGE,
];

/// What the specs of policies have in common.
pub(super) struct PolicySpec<'a> {
    pub(super) failure_policy: Option<&'a str>,
    pub(super) param_kind: Option<&'a ParamKind>,
    pub(super) constraints: Option<&'a MatchResources>,
    pub(super) conditions: &'a [MatchCondition],
    /// Whether the policy changes objects.
    pub(super) mutates: bool,
}

/// What the specs of bindings have in common.
pub(super) struct BindingSpec<'a> {
    pub(super) policy_name: &'a str,
    pub(super) params: Option<&'a ParamRef>,
    pub(super) looks_at: Option<&'a MatchResources>,
    /// Whether the policy changes objects.
    pub(super) mutates: bool,
}

/// Validates what policies have in common; their match conditions only if these are `looked_at`.
pub(super) fn validate_policy(errs: &mut Errors, meta: &ObjectMeta, spec: &PolicySpec, looked_at: bool) {
    object_meta(errs, meta, false, name_is_dns_subdomain);
    let path = Path::new("spec");
    failure_policy(errs, spec.failure_policy, &path.child("failurePolicy"));
    if let Some(kind) = spec.param_kind {
        param_kind(errs, kind, &path.child("paramKind"));
    }
    let at = path.child("matchConstraints");
    match spec.constraints {
        None => errs.push(FieldError::required(&at, "")),
        Some(constraints) => {
            match_resources(errs, constraints, &at);
            if list(&constraints.resource_rules).is_empty() {
                errs.push(FieldError::required(&at.child("resourceRules"), ""));
            }
            if spec.mutates {
                mutable_operations(errs, constraints, &at);
            }
        }
    }
    if looked_at {
        let at = path.child("matchConditions");
        match_conditions(errs, spec.conditions, spec.param_kind.is_some(), &at);
    }
}

/// Validates what bindings have in common.
pub(super) fn validate_binding(errs: &mut Errors, meta: &ObjectMeta, spec: &BindingSpec) {
    object_meta(errs, meta, false, name_is_dns_subdomain);
    let path = Path::new("spec");
    let at = path.child("policyName");
    match spec.policy_name {
        "" => errs.push(FieldError::required(&at, "")),
        named => invalid_each(errs, &at, named, name_is_dns_subdomain(named, false)),
    }
    if let Some(wanted) = spec.params {
        param_ref(errs, wanted, &path.child("paramRef"));
    }
    if let Some(wanted) = spec.looks_at {
        let at = path.child("matchResources");
        match_resources(errs, wanted, &at);
        if spec.mutates {
            mutable_operations(errs, wanted, &at);
        }
    }
}

/// Fills in the defaults of what a policy or a binding looks at (`SetDefaults_MatchResources`, `SetDefaults_Rule`).
pub(super) fn default_match_resources(of: &mut MatchResources) {
    of.match_policy.get_or_insert_with(|| "Equivalent".to_owned());
    of.namespace_selector.get_or_insert_default();
    of.object_selector.get_or_insert_default();
    let rules = of.resource_rules.iter_mut().chain(&mut of.exclude_resource_rules).flatten();
    for rule in rules {
        rule.scope.get_or_insert_with(|| "*".to_owned());
    }
}

/// Validates what a policy does with requests that it cannot judge.
fn failure_policy(errs: &mut Errors, policy: Option<&str>, path: &Path) {
    match policy {
        None => errs.push(FieldError::required(path, "")),
        Some("Fail" | "Ignore") => {}
        Some(other) => errs.push(FieldError::not_supported(path, other, &["Fail", "Ignore"])),
    }
}

/// Validates the kind of a policy's params (`validateParamKind`).
fn param_kind(errs: &mut Errors, of: &ParamKind, path: &Path) {
    let (api_version, kind) = (text(&of.api_version), text(&of.kind));
    let at = path.child("apiVersion");
    let parts: Vec<&str> = api_version.split('/').collect();
    match (api_version, parts.as_slice()) {
        ("", _) => errs.push(FieldError::required(&at, "")),
        ("/", _) => errs.push(FieldError::invalid(&at, api_version, "version must be specified")),
        (_, [version]) => group_version(errs, "", version, api_version, &at),
        (_, [group, version]) => group_version(errs, group, version, api_version, &at),
        _ => {
            let why = format!("unexpected GroupVersion string: {api_version}");
            errs.push(FieldError::invalid(&at, api_version, why));
        }
    }
    let at = path.child("kind");
    if kind.is_empty() {
        errs.push(FieldError::required(&at, ""));
        return;
    }
    let messages = dns1035_label(&kind.to_lowercase());
    if !messages.is_empty() {
        let why = format!("may have mixed case, but should otherwise match: {}", messages.join(","));
        errs.push(FieldError::invalid(&at, kind, why));
    }
}

fn group_version(errs: &mut Errors, group: &str, version: &str, whole: &str, at: &Path) {
    let mut refuse = |value: &str, messages: Vec<String>| {
        if !messages.is_empty() {
            errs.push(FieldError::invalid(at, value, messages.join(",")));
        }
    };
    if !group.is_empty() {
        refuse(group, dns1123_subdomain(group));
    }
    if version.is_empty() {
        refuse(whole, vec!["version must be specified".to_owned()]);
    } else {
        refuse(version, dns1035_label(version));
    }
}

/// Validates what a policy or a binding looks at (`validateMatchResources`).
fn match_resources(errs: &mut Errors, of: &MatchResources, path: &Path) {
    let at = path.child("matchPolicy");
    match of.match_policy.as_deref() {
        None => errs.push(FieldError::required(&at, "")),
        Some("Equivalent" | "Exact") => {}
        Some(other) => errs.push(FieldError::not_supported(&at, other, &["Equivalent", "Exact"])),
    }
    for (name, selector) in
        [("namespaceSelector", &of.namespace_selector), ("objectSelector", &of.object_selector)]
    {
        match selector {
            None => errs.push(FieldError::required(&path.child(name), "")),
            selector => label_selector(errs, selector.as_ref(), &path.child(name)),
        }
    }
    for (name, rules) in
        [("resourceRules", &of.resource_rules), ("excludeResourceRules", &of.exclude_resource_rules)]
    {
        for (i, rule) in list(rules).iter().enumerate() {
            named_rule(errs, rule, &path.child(name).index(i));
        }
    }
}

fn named_rule(errs: &mut Errors, rule: &NamedRuleWithOperations, path: &Path) {
    let mut seen = BTreeSet::new();
    for (i, name) in list(&rule.resource_names).iter().enumerate() {
        let at = path.child("resourceNames").index(i);
        invalid_each(errs, &at, name, path_segment_name(name));
        if !seen.insert(name) {
            errs.push(FieldError::duplicate(&at, name));
        }
    }
    let operations = list(&rule.operations);
    let at = path.child("operations");
    required_unless_alone(errs, operations, &at, "if '*' is present, must not specify other operations");
    for (i, operation) in operations.iter().enumerate() {
        if !matches!(operation.as_str(), "*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE") {
            let supported = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
            errs.push(FieldError::not_supported(&at.index(i), operation, &supported));
        }
    }
    let at = path.child("apiGroups");
    let alone = "if '*' is present, must not specify other API groups";
    required_unless_alone(errs, list(&rule.api_groups), &at, alone);
    let versions = list(&rule.api_versions);
    let at = path.child("apiVersions");
    required_unless_alone(errs, versions, &at, "if '*' is present, must not specify other API versions");
    for (i, _) in versions.iter().enumerate().filter(|(_, v)| v.is_empty()) {
        errs.push(FieldError::required(&at.index(i), ""));
    }
    resources(errs, list(&rule.resources), &path.child("resources"));
    if let Some(scope) = rule.scope.as_deref().filter(|s| !matches!(*s, "*" | "Cluster" | "Namespaced")) {
        let at = path.child("scope");
        errs.push(FieldError::not_supported(&at, scope, &["*", "Cluster", "Namespaced"]));
    }
}

/// Refuses the operations at which there is no object that a policy could change.
fn mutable_operations(errs: &mut Errors, of: &MatchResources, path: &Path) {
    const MUTABLE: &[&str] = &["*", "CONNECT", "CREATE", "UPDATE"];
    let at = path.child("resourceRules").child("operations");
    let operations = list(&of.resource_rules).iter().flat_map(|rule| list(&rule.operations));
    for operation in operations.filter(|o| !MUTABLE.contains(&o.as_str())) {
        errs.push(FieldError::not_supported(&at, operation, MUTABLE));
    }
}

/// A list that may not be empty, and in which `*` stands alone.
fn required_unless_alone(errs: &mut Errors, items: &[String], at: &Path, alone: &str) {
    if items.is_empty() {
        errs.push(FieldError::required(at, ""));
    }
    if items.len() > 1 && items.iter().any(|i| i == "*") {
        errs.push(FieldError::invalid(at, json_strings(items), alone));
    }
}

/// Validates the resources of a rule, with their subresources (`validateResources`).
fn resources(errs: &mut Errors, resources: &[String], path: &Path) {
    if resources.is_empty() {
        errs.push(FieldError::required(path, ""));
    }
    let (mut whole, mut everywhere) = (BTreeSet::new(), BTreeSet::new());
    let mut without_part = false;
    for (i, both) in resources.iter().enumerate() {
        let at = path.index(i);
        if both.is_empty() {
            errs.push(FieldError::required(&at, ""));
            continue;
        }
        let Some((resource, part)) = both.split_once('/') else {
            without_part = both != "*";
            continue;
        };
        if whole.contains(resource) {
            let why = format!("if '{resource}/*' is present, must not specify {both}");
            errs.push(FieldError::invalid(&at, both, why));
        }
        if everywhere.contains(part) {
            let why = format!("if '*/{part}' is present, must not specify {both}");
            errs.push(FieldError::invalid(&at, both, why));
        }
        if part == "*" {
            whole.insert(resource);
        }
        if resource == "*" {
            everywhere.insert(part);
        }
    }
    let has = |wanted: &str| resources.iter().any(|r| r == wanted);
    if resources.len() > 1 && has("*/*") {
        let why = "if '*/*' is present, must not specify other resources";
        errs.push(FieldError::invalid(path, json_strings(resources), why));
    }
    if has("*") && without_part {
        let why = "if '*' is present, must not specify other resources without subresources";
        errs.push(FieldError::invalid(path, json_strings(resources), why));
    }
}

/// Validates the conditions under which a policy looks at a request (`validateMatchConditions`). They may not name variables.
fn match_conditions(errs: &mut Errors, conditions: &[MatchCondition], params: bool, path: &Path) {
    const MAX: usize = 64;
    if conditions.len() > MAX {
        errs.push(FieldError::too_many(path, conditions.len(), MAX));
    }
    let compiler = PolicyCompiler::new(params, false);
    let mut seen = BTreeSet::new();
    for (i, condition) in conditions.iter().enumerate() {
        let path = path.index(i);
        let expression = condition.expression.trim();
        compiled(errs, &compiler, expression, true, Wanted::Bool, &path.child("expression"));
        let at = path.child("name");
        if condition.name.is_empty() {
            errs.push(FieldError::required(&at, ""));
            continue;
        }
        label_name(errs, &condition.name, &at);
        if !seen.insert(&condition.name) {
            errs.push(FieldError::duplicate(&at, &condition.name));
        }
    }
}

/// Validates an expression, which may not be empty.
pub(super) fn compiled(
    errs: &mut Errors,
    compiler: &PolicyCompiler,
    expression: &str,
    authorizer: bool,
    wanted: Wanted,
    at: &Path,
) {
    if expression.is_empty() {
        errs.push(FieldError::required(at, ""));
    } else if let Err(why) = compiler.compile(expression, authorizer, wanted) {
        errs.push(FieldError::invalid(at, expression, why));
    }
}

/// Validates the variables of a policy, each of which those after it may name (`validateVariable`).
pub(super) fn variables(
    errs: &mut Errors,
    variables: &[Variable],
    compiler: &mut PolicyCompiler,
    path: &Path,
) {
    for (i, variable) in variables.iter().enumerate() {
        let path = path.index(i);
        let at = path.child("name");
        if variable.name.trim().is_empty() {
            errs.push(FieldError::required(&at, "name is not specified"));
        } else if !is_identifier(&variable.name) {
            errs.push(FieldError::invalid(&at, &variable.name, "must be a valid CEL identifier"));
        }
        let at = path.child("expression");
        if variable.expression.trim().is_empty() {
            errs.push(FieldError::required(&at, "expression is not specified"));
        } else if let Err(why) = compiler.variable(&variable.name, &variable.expression) {
            errs.push(FieldError::invalid(&at, &variable.expression, why));
        }
    }
}

/// Whether a name is one that an expression can have for a variable (`isCELIdentifier`).
fn is_identifier(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic());
    begins && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) && !cel::is_reserved(name)
}

/// Validates which params a binding has (`validateParamRef`).
fn param_ref(errs: &mut Errors, of: &ParamRef, path: &Path) {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    let name = text(&of.name);
    if !name.is_empty() {
        let at = path.child("name");
        invalid_each(errs, &at, name, path_segment_name(name));
        if of.selector.is_some() {
            errs.push(FieldError::forbidden(&at, EXCLUSIVE));
        }
    }
    if of.selector.is_some() {
        let at = path.child("selector");
        label_selector(errs, of.selector.as_ref(), &at);
        if !name.is_empty() {
            errs.push(FieldError::forbidden(&at, EXCLUSIVE));
        }
    }
    if name.is_empty() && of.selector.is_none() {
        errs.push(FieldError::required(path, "one of name or selector must be specified"));
    }
    let at = path.child("parameterNotFoundAction");
    match text(&of.parameter_not_found_action) {
        "" => errs.push(FieldError::required(&at, "")),
        "Deny" | "Allow" => {}
        other => errs.push(FieldError::not_supported(&at, other, &["Deny", "Allow"])),
    }
}

/// What is said of a name that only policies from files may have, which are off by default (`WarningsForStaticSuffix`).
pub(super) fn warn_of_name(out: &mut Vec<String>, name: &str) {
    const SUFFIX: &str = ".static.k8s.io";
    if name.ends_with(SUFFIX) {
        out.push(format!(
            "metadata.name: names ending with \"{SUFFIX}\" are reserved for static manifest-based configurations and cannot be managed via the API"
        ));
    }
}

/// The cell of a table with the kind of a policy's params.
pub(super) fn param_kind_cell(of: Option<&ParamKind>) -> String {
    of.map_or_else(|| "<unset>".to_owned(), |k| format!("{}/{}", text(&k.api_version), text(&k.kind)))
}

/// The cell of a table with the params of a binding.
pub(super) fn param_ref_cell(of: Option<&ParamRef>) -> String {
    let Some(of) = of else { return "<unset>".to_owned() };
    let name = text(&of.name);
    if !name.is_empty() {
        let namespace = text(&of.namespace);
        return format!("{}/{name}", if namespace.is_empty() { "*" } else { namespace });
    }
    let selector = of.selector.as_ref().map(|s| Selector::from_label_selector(Some(s)));
    match selector {
        None => "<unset>".to_owned(),
        Some(selector) => selector.map(|s| s.to_string()).unwrap_or_default(),
    }
}
