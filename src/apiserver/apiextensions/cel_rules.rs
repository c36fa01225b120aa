//! `x-kubernetes-validations`: rules in CEL about an object's parts
//! (`pkg/apiserver/schema/cel/validation.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::correlation::{Correlated, same_keys};
use super::field_path::field_path;
use super::go_json::bad_value;
use super::schema::Structural;
use super::types::ValidationRule;
use crate::apiserver::validation::{BadValue, Errors, FieldError, Path, go_quote, text};
use crate::cel::{self, CompiledRule, DeclField, DeclType, ListType, Program, RuleScope};

/// The size of a message that an expression makes, in bytes.
const MAX_MESSAGE: usize = 5 * 1024;

/// The type that CEL sees in a schema (`SchemaDeclType`); `None` if it sees nothing of it.
/// `is_resource_root`: the schema is one of a whole object, which has a name, too.
pub(super) fn decl_type(s: &Structural, is_resource_root: bool) -> Option<DeclType> {
    let v = &s.value;
    let of = |s: &Structural| decl_type(s, s.embedded_resource);
    let out = if s.int_or_string {
        DeclType::int_or_string(v.max_length)
    } else {
        match (s.type_.as_str(), v.format.as_str()) {
            ("array", _) => {
                let list = DeclType::list(of(s.items.as_deref()?)?, v.max_items);
                match s.list_type.as_deref() {
                    Some("set") => list.with_list_type(ListType::Set),
                    Some("map") => list.with_list_type(ListType::Map(s.list_map_keys.clone())),
                    _ => list,
                }
            }
            ("object", _) if s.additional_schema().is_some() => {
                DeclType::map(of(s.additional_schema()?)?, v.max_properties)
            }
            ("object", _) => {
                let mut fields = Vec::new();
                for (name, property) in &s.properties {
                    if let Some(decl) = of(property) {
                        let field = DeclField::new(name, decl, v.required.contains(name));
                        fields.push(field.with_default(property.default.is_some()));
                    }
                }
                if is_resource_root { DeclType::resource(fields) } else { DeclType::object(fields) }
            }
            ("string", "byte") => DeclType::bytes(v.max_length),
            ("string", "duration") => DeclType::duration(),
            ("string", "date") => DeclType::date(),
            ("string", "date-time") => DeclType::date_time(),
            ("string", _) if v.max_length.is_none() && !v.enumeration.is_empty() => {
                DeclType::string_enum(&v.enumeration)
            }
            ("string", _) => DeclType::string(v.max_length),
            ("boolean", _) => DeclType::bool(),
            ("number", _) => DeclType::double(),
            ("integer", _) => DeclType::int(),
            _ => return None,
        }
    };
    Some(out.nullable(s.nullable))
}

/// Whether a schema has rules anywhere.
fn has_rules(s: &Structural) -> bool {
    !s.rules.is_empty()
        || s.items.as_deref().is_some_and(has_rules)
        || s.additional_schema().is_some_and(has_rules)
        || s.properties.values().any(has_rules)
}

/// The rules of a schema, compiled.
#[derive(Clone)]
pub(super) struct Rules {
    schema: Rc<Structural>,
    root: Node,
}

/// The rules of one schema, and of those below it that have any.
#[derive(Clone, Default)]
struct Node {
    scope: Option<RuleScope>,
    rules: Vec<(ValidationRule, CompiledRule)>,
    items: Option<Box<Node>>,
    properties: BTreeMap<String, Node>,
    additional: Option<Box<Node>>,
}

/// What evaluating rules gave.
#[derive(Default)]
pub(super) struct Evaluated {
    /// The rules that an object does not keep.
    pub errors: Errors,
    /// Those that it did not keep before either, told as warnings.
    pub warnings: Vec<String>,
    /// What further rules may cost; `None` if they are not to be evaluated.
    pub left: Option<u64>,
}

/// What a part of an object was before an update, and the nearest part around it of which that is known.
#[derive(Clone, Copy, Default)]
struct Ratchet<'a> {
    current: Option<Correlated<'a>>,
    nearest: Option<Correlated<'a>>,
}

impl<'a> Ratchet<'a> {
    fn key(self, name: &str) -> Ratchet<'a> {
        match self.current {
            None => self,
            // Both objects have been brought to one version, so that of the old one is not known.
            Some(_) if self.nearest.is_none() && matches!(name, "apiVersion" | "kind") => Ratchet::default(),
            Some(current) => Ratchet { current: current.key(name), nearest: Some(current) },
        }
    }

    fn index(self, index: usize) -> Ratchet<'a> {
        match self.current {
            None => self,
            Some(current) => Ratchet { current: current.index(index), nearest: Some(current) },
        }
    }

    fn is_equal(self) -> bool {
        self.current.or(self.nearest).is_some_and(Correlated::is_equal)
    }
}

impl Rules {
    /// The rules of a schema; nothing if it has none. `is_resource_root`: it is one of a whole object.
    pub fn new(schema: &Structural, is_resource_root: bool) -> Option<Rules> {
        if !has_rules(schema) {
            return None;
        }
        let root = Node::new(schema, decl_type(schema, is_resource_root).as_ref());
        Some(Rules { schema: Rc::new(schema.clone()), root })
    }

    /// Evaluates the rules of an object or, with `old`, of an update. What did not change by `correlated`
    /// is told as a warning. `budget` is what all rules may cost together.
    pub fn validate(
        &self,
        value: &Value,
        old: Option<&Value>,
        correlated: Option<Correlated<'_>>,
        path: &Path,
        budget: u64,
    ) -> Evaluated {
        let mut out = Evaluated { left: Some(budget), ..Evaluated::default() };
        let ratchet = Ratchet { current: correlated, nearest: None };
        self.root.validate(&mut out, &self.schema, value, old, ratchet, path);
        for error in out.errors.iter_mut().filter(|e| e.field.is_empty()) {
            super::ROOT.clone_into(&mut error.field);
        }
        out
    }
}

impl Node {
    fn new(s: &Structural, decl: Option<&DeclType>) -> Node {
        let mut node = Node::default();
        if !s.rules.is_empty()
            && let Some(decl) = decl
        {
            let scope = RuleScope::new(decl);
            node.rules = s.rules.iter().map(|rule| (rule.clone(), scope.compile(&rule_of(rule)))).collect();
            node.scope = Some(scope);
        }
        let child = |s: &Structural, decl: Option<DeclType>| {
            if has_rules(s) { Some(Node::new(s, decl.as_ref())) } else { None }
        };
        let element = || decl.and_then(DeclType::element).cloned();
        node.items = s.items.as_deref().and_then(|items| child(items, element())).map(Box::new);
        node.additional = s.additional_schema().and_then(|s| child(s, element())).map(Box::new);
        for (name, property) in &s.properties {
            let decl = match cel::escape(name) {
                Some(_) => decl.and_then(|d| d.field(name)).cloned(),
                None => decl_type(property, property.embedded_resource),
            };
            // What CEL does not see has no rules that could be evaluated.
            if decl.is_some()
                && let Some(found) = child(property, decl)
            {
                node.properties.insert(name.clone(), found);
            }
        }
        node
    }

    fn validate(
        &self,
        out: &mut Evaluated,
        s: &Structural,
        value: &Value,
        old: Option<&Value>,
        ratchet: Ratchet<'_>,
        path: &Path,
    ) {
        if value.is_null() || out.left.is_none() {
            return;
        }
        self.evaluate(out, s, value, old.filter(|old| !old.is_null()), ratchet, path);
        match value {
            Value::Array(items) => {
                let (Some(node), Some(schema)) = (&self.items, s.items.as_deref()) else { return };
                for (i, item) in items.iter().enumerate() {
                    let old = old.and_then(|old| same_keys(s, old, item));
                    node.validate(out, schema, item, old, ratchet.index(i), &path.index(i));
                }
            }
            Value::Object(map) => {
                // Of a map of another type, old and new values would not belong together.
                let correlatable = matches!(s.map_type.as_deref(), None | Some("granular" | "atomic"));
                let before = |name: &str| old.filter(|_| correlatable).and_then(|old| old.get(name));
                if let (Some(node), Some(schema)) = (&self.additional, s.additional_schema()) {
                    for (name, value) in map {
                        let path = path.key(name);
                        node.validate(out, schema, value, before(name), ratchet.key(name), &path);
                    }
                }
                for (name, node) in &self.properties {
                    let (Some(value), Some(schema)) = (map.get(name), s.properties.get(name)) else {
                        continue;
                    };
                    let path = path.named(name);
                    node.validate(out, schema, value, before(name), ratchet.key(name), &path);
                }
            }
            _ => {}
        }
    }

    fn evaluate(
        &self,
        out: &mut Evaluated,
        s: &Structural,
        value: &Value,
        old: Option<&Value>,
        ratchet: Ratchet<'_>,
        path: &Path,
    ) {
        let type_ = s.type_.as_str();
        let Some(scope) = &self.scope else { return };
        if out.left == Some(0) {
            out.errors.push(FieldError::invalid(path, type_, OUT_OF_BUDGET));
            out.left = None;
        }
        for (rule, compiled) in &self.rules {
            let Some(left) = out.left else { return };
            if let Some(error) = &compiled.error {
                let detail = format!("rule compile error: {error}");
                out.errors.push(FieldError::invalid(path, type_, detail));
                continue;
            }
            let optional = rule.optional_old_self == Some(true);
            let Some(program) = &compiled.program else { continue };
            if compiled.uses_old_self && old.is_none() && !optional {
                continue;
            }
            let evaluation = scope.evaluate(program, value, old, optional);
            let Some(left) = left.checked_sub(evaluation.cost) else {
                out.errors.push(FieldError::invalid(path, type_, OUT_OF_BUDGET));
                out.left = None;
                return;
            };
            out.left = Some(left);
            match evaluation.result {
                Err(error) => {
                    let rule = rule_text(rule);
                    let detail = if error.is_cost_limit() {
                        out.left = None;
                        format!(
                            "'{error}': no further validation rules will be run due to call cost exceeds limit for rule: {rule}"
                        )
                    } else if error.is_overload() {
                        format!(
                            "'{error}': call arguments did not match a supported operator, function or macro signature for rule: {rule}"
                        )
                    } else {
                        format!("{error} evaluating rule: {rule}")
                    };
                    out.errors.push(FieldError::invalid(path, type_, detail));
                    continue;
                }
                Ok(result) if result.as_bool() == Some(true) => continue,
                Ok(_) => {}
            }
            let at = match field_path(text(&rule.field_path), s, true) {
                Ok((found, _)) if !found.is_empty() => path.named(&found),
                _ => path.clone(),
            };
            let error = match message(scope, compiled, rule, value, old, left) {
                Ok((message, cost)) => {
                    out.left = Some(left - cost.min(left));
                    let shown = if matches!(type_, "object" | "array") {
                        BadValue::Omitted
                    } else {
                        bad_value(value)
                    };
                    refusal(&at, shown, message, rule.reason.as_deref())
                }
                Err(detail) => {
                    out.left = None;
                    FieldError::invalid(&at, type_, detail)
                }
            };
            if !compiled.uses_old_self && ratchet.is_equal() {
                out.warnings.push(error.to_string());
            } else {
                out.errors.push(error);
            }
        }
    }
}

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// A rule as CEL's room has it.
pub(super) fn rule_of(rule: &ValidationRule) -> cel::Rule<'_> {
    cel::Rule {
        rule: &rule.rule,
        message_expression: text(&rule.message_expression),
        optional_old_self: rule.optional_old_self == Some(true),
    }
}

fn refusal(at: &Path, value: BadValue, detail: String, reason: Option<&str>) -> FieldError {
    match reason {
        Some("FieldValueForbidden") => FieldError::forbidden(at, detail),
        Some("FieldValueRequired") => FieldError::required(at, detail),
        Some("FieldValueDuplicate") => FieldError::duplicate(at, value),
        _ => FieldError::invalid(at, value, detail),
    }
}

/// How a rule is called in an error: by its message, if it has one.
fn rule_text(rule: &ValidationRule) -> &str {
    let message = text(&rule.message);
    if message.is_empty() { rule.rule.trim() } else { message.trim() }
}

/// What a rule that is not kept says, and what it cost to find that out.
///
/// # Errors
/// The expression that makes the message cost too much.
fn message(
    scope: &RuleScope,
    compiled: &CompiledRule,
    rule: &ValidationRule,
    value: &Value,
    old: Option<&Value>,
    left: u64,
) -> Result<(String, u64), String> {
    let mut cost = 0;
    if let Some(program) = &compiled.message_expression {
        let (made, used) = expression(scope, program, text(&rule.message_expression), value, old, left)?;
        cost = used;
        if let Some(message) = made {
            return Ok((message, cost));
        }
    }
    let message = text(&rule.message).trim();
    if text(&rule.message).is_empty() {
        return Ok((format!("failed rule: {}", rule.rule.trim()), cost));
    }
    Ok((message.to_owned(), cost))
}

fn expression(
    scope: &RuleScope,
    program: &Program,
    source: &str,
    value: &Value,
    old: Option<&Value>,
    left: u64,
) -> Result<(Option<String>, u64), String> {
    let evaluation = scope.evaluate(program, value, old, false);
    if evaluation.cost > left {
        return Err("messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run".to_owned());
    }
    let made = match evaluation.result {
        Err(error) if error.is_cost_limit() => {
            return Err(format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                go_quote(source)
            ));
        }
        Err(_) => None,
        Ok(made) => made.as_str().map(|m| m.trim().to_owned()),
    };
    let fits = |m: &String| !m.is_empty() && m.len() <= MAX_MESSAGE && !m.contains('\n');
    Ok((made.filter(fits), evaluation.cost))
}
