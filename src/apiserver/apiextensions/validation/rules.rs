//! The rules of a schema when its definition is written: whether they compile, and whether they would
//! cost too much (`pkg/apis/apiextensions/validation/cel_validation.go`).

use super::super::cel_rules::{decl_type, rule_of};
use super::super::field_path::field_path;
use super::super::go_json;
use super::super::schema::Structural;
use super::super::types::{JSONSchemaProps, JSONSchemaPropsOrBool, ValidationRule};
use crate::apiserver::validation::{BadValue, Errors, FieldError, Path, text};
use crate::cel::{
    DeclType, RuleScope, STATIC_ESTIMATED_COST_LIMIT, STATIC_ESTIMATED_CRD_COST_LIMIT, cost_error_message,
    expression_cost,
};

const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// What a rule says besides its expressions.
pub(super) fn texts(errs: &mut Errors, rule: &ValidationRule, s: &JSONSchemaProps, path: &Path) {
    let has_breaks = |t: &str| t.contains(['\n', '\r']);
    let message = text(&rule.message);
    let at = path.child("message");
    if rule.rule.trim().is_empty() {
        errs.push(FieldError::required(&path.child("rule"), "rule is not specified"));
    } else if !message.is_empty() && message.trim().is_empty() {
        errs.push(FieldError::invalid(&at, message, "must be non-empty if specified"));
    } else if has_breaks(message.trim()) {
        errs.push(FieldError::invalid(&at, message, "must not contain line breaks"));
    } else if has_breaks(rule.rule.trim()) && message.trim().is_empty() {
        errs.push(FieldError::required(&at, "message must be specified if rule contains line breaks"));
    }
    let expression = text(&rule.message_expression);
    if !expression.is_empty() && expression.trim().is_empty() {
        let detail = "messageExpression must be non-empty if specified";
        errs.push(FieldError::required(&path.child("messageExpression"), detail));
    }
    if let Some(reason) = rule.reason.as_deref().filter(|r| !REASONS.contains(r)) {
        errs.push(FieldError::not_supported(&path.child("reason"), reason, &REASONS));
    }
    let field = text(&rule.field_path);
    if field.is_empty() {
        return;
    }
    let at = path.child("fieldPath");
    if field.trim().is_empty() {
        errs.push(FieldError::invalid(&at, field, "must be non-empty if specified"));
    }
    if has_breaks(field) {
        errs.push(FieldError::invalid(&at, field, "must not contain line breaks"));
    }
    if Structural::new(s).is_ok_and(|s| field_path(field, &s, true).is_err()) {
        errs.push(FieldError::invalid(&at, field, "must be a valid path"));
    }
}

/// What the rules of a whole schema cost together.
#[derive(Default)]
pub(super) struct Costs {
    total: u64,
    /// Up to four that cost most.
    most: Vec<(Path, u64)>,
}

impl Costs {
    fn observe(&mut self, path: &Path, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost < STATIC_ESTIMATED_CRD_COST_LIMIT / 100 {
            return;
        }
        let at = self.most.iter().position(|(_, c)| *c < cost).unwrap_or(self.most.len());
        self.most.insert(at, (path.clone(), cost));
        self.most.truncate(4);
    }

    /// Refuses a schema whose rules cost too much together.
    pub fn validate(&self, errs: &mut Errors, path: &Path) {
        if self.total <= STATIC_ESTIMATED_CRD_COST_LIMIT {
            return;
        }
        for (path, _) in &self.most {
            let detail =
                "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            errs.push(FieldError::forbidden(path, detail));
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let detail = cost_error_message(what, self.total, STATIC_ESTIMATED_CRD_COST_LIMIT);
        errs.push(FieldError::forbidden(path, detail));
    }
}

/// A schema whose rules are compiled, and how often it may apply to one object.
pub(super) struct Scope<'a> {
    schema: &'a JSONSchemaProps,
    structural: &'a Structural,
    /// Whether this schema or one around it has rules. Only then is the type made.
    has_rules: bool,
    decl: Option<DeclType>,
    /// `None` if there is no limit.
    cardinality: Option<u64>,
}

impl<'a> Scope<'a> {
    /// The whole schema.
    pub fn root(schema: &'a JSONSchemaProps, structural: &'a Structural) -> Scope<'a> {
        let has_rules = !structural.rules.is_empty();
        let decl = if has_rules { decl_type(structural, true) } else { None };
        Scope { schema, structural, has_rules, decl, cardinality: Some(1) }
    }

    fn child(
        &self,
        schema: &'a JSONSchemaProps,
        structural: &'a Structural,
        from_parent: impl FnOnce(&DeclType) -> Option<DeclType>,
    ) -> Scope<'a> {
        let has_rules = self.has_rules || !structural.rules.is_empty();
        let known = self.decl.as_ref().and_then(from_parent);
        let decl = match known {
            None if has_rules => decl_type(structural, structural.embedded_resource),
            known => known,
        };
        let cardinality = self.cardinality.zip(self.max_elements()).map(|(a, b)| a.saturating_mul(b));
        Scope { schema, structural, has_rules, decl, cardinality }
    }

    /// How many values of its items or properties one value of this schema has at most.
    fn max_elements(&self) -> Option<u64> {
        let count = |n: Option<i64>| n.map(|n| u64::try_from(n).unwrap_or_default());
        match text(&self.schema.type_) {
            "object" if self.schema.additional_properties.is_some() => count(self.schema.max_properties),
            "array" => count(self.schema.max_items),
            _ => Some(1),
        }
    }

    pub fn property(&self, name: &str, schema: &'a JSONSchemaProps) -> Option<Scope<'a>> {
        let structural = self.structural.properties.get(name)?;
        Some(self.child(schema, structural, |decl| decl.field(name).cloned()))
    }

    pub fn items(&self, schema: &'a JSONSchemaProps) -> Option<Scope<'a>> {
        let structural = self.structural.items.as_deref()?;
        Some(self.child(schema, structural, |decl| decl.element().cloned()))
    }

    pub fn additional_properties(&self, schema: &'a JSONSchemaProps) -> Option<Scope<'a>> {
        debug_assert!(matches!(self.schema.additional_properties, Some(JSONSchemaPropsOrBool::Schema(_))));
        let structural = self.structural.additional_schema()?;
        Some(self.child(schema, structural, |decl| decl.element().cloned()))
    }

    /// Compiles the rules of this schema. `uncorrelated`: the list or map around it that keeps `oldSelf`
    /// from being known. `unchanged`: each rule may cost what it did.
    pub fn compile(
        &self,
        errs: &mut Errors,
        costs: &mut Costs,
        rules: &[ValidationRule],
        path: &Path,
        uncorrelated: Option<&Path>,
        unchanged: bool,
    ) {
        let path = path.child("x-kubernetes-validations");
        let Some(decl) = &self.decl else {
            let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";
            errs.push(FieldError::internal(&path, detail));
            return;
        };
        let scope = RuleScope::new(decl);
        for (i, rule) in rules.iter().enumerate() {
            let compiled = scope.compile(&rule_of(rule));
            let (at, message_at) = (path.index(i).child("rule"), path.index(i).child("messageExpression"));
            let invalid = |at: &Path, detail: &String| {
                FieldError::invalid(at, BadValue::Json(go_json::rule(rule)), detail.as_str())
            };
            let cost = expression_cost(compiled.max_cost, self.cardinality, compiled.max_cardinality);
            if !unchanged && cost > STATIC_ESTIMATED_COST_LIMIT {
                let detail = cost_error_message("estimated rule cost", cost, STATIC_ESTIMATED_COST_LIMIT);
                errs.push(FieldError::forbidden(&at, detail));
            }
            costs.observe(&at, cost);
            errs.extend(compiled.error.as_ref().map(|detail| invalid(&at, detail)));
            if let Some(detail) = &compiled.message_expression_error {
                errs.push(invalid(&message_at, detail));
            } else if compiled.message_expression.is_some() {
                let cost = compiled.message_expression_max_cost;
                if !unchanged && cost > STATIC_ESTIMATED_COST_LIMIT {
                    let what = "estimated messageExpression cost";
                    let detail = cost_error_message(what, cost, STATIC_ESTIMATED_COST_LIMIT);
                    errs.push(FieldError::forbidden(&message_at, detail));
                }
                costs.observe(&message_at, cost);
            }
            if compiled.uses_old_self {
                if let Some(uncorrelated) = uncorrelated {
                    let detail = format!(
                        "oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelated}"
                    );
                    errs.push(FieldError::invalid(&at, &rule.rule, detail));
                }
            } else if let Some(optional) = rule.optional_old_self {
                let at = path.index(i).child("optionalOldSelf");
                errs.push(FieldError::invalid(
                    &at,
                    optional,
                    "may not be set if oldSelf is not used in rule",
                ));
            }
        }
    }
}
