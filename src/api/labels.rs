//! Label selectors (`k8s.io/apimachinery/pkg/labels`, `metav1.LabelSelector`).

use std::collections::BTreeMap;
use std::fmt;

use super::names;
use super::quote::go_quote;
use super::types::LabelSelector;
use crate::api::order;

mod parser;

/// The relation of a label to the values of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `!key`
    DoesNotExist,
    /// `key=value`
    Equals,
    /// `key==value`
    DoubleEquals,
    /// `key in (a,b)`
    In,
    /// `key!=value`
    NotEquals,
    /// `key notin (a,b)`
    NotIn,
    /// `key`
    Exists,
    /// `key>1`
    GreaterThan,
    /// `key<1`
    LessThan,
}

/// A condition on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: String,
    /// The relation of the label to the values.
    pub operator: Operator,
    /// The values; empty for `Exists` and `DoesNotExist`.
    pub values: Vec<String>,
}

/// Conditions on labels, all of which must hold; or a selector that selects nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// `None` for a selector that selects nothing.
    requirements: Option<Vec<Requirement>>,
}

impl Requirement {
    /// A requirement whose key and values have been validated (`labels.NewRequirement`).
    ///
    /// # Errors
    /// The message of Kubernetes about an invalid key, an invalid value or a wrong number of values.
    pub fn new(key: &str, operator: Operator, values: Vec<String>) -> Result<Requirement, String> {
        use Operator::*;
        let mut errors = Vec::new();
        let key_errors = names::is_qualified_name(key);
        if !key_errors.is_empty() {
            errors.push(format!("key: Invalid value: {}: {}", go_quote(key), key_errors.join("; ")));
        }
        let mut invalid = |detail: &str| {
            // Go prints the values as JSON; an empty list is nil there.
            let list = if values.is_empty() {
                "null".to_owned()
            } else {
                format!("[{}]", values.iter().map(go_quote).collect::<Vec<_>>().join(","))
            };
            errors.push(format!("values: Invalid value: {list}: {detail}"));
        };
        match operator {
            In | NotIn if values.is_empty() => {
                invalid("for 'in', 'notin' operators, values set can't be empty");
            }
            Equals | DoubleEquals | NotEquals if values.len() != 1 => {
                invalid("exact-match compatibility requires one single value");
            }
            Exists | DoesNotExist if !values.is_empty() => {
                invalid("values set must be empty for exists and does not exist");
            }
            GreaterThan | LessThan if values.len() != 1 => {
                invalid("for 'Gt', 'Lt' operators, exactly one value is required");
            }
            _ => {}
        }
        if matches!(operator, GreaterThan | LessThan) {
            for (i, v) in values.iter().enumerate().filter(|(_, v)| v.parse::<i64>().is_err()) {
                errors.push(format!(
                    "values[{i}]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                    go_quote(v)
                ));
            }
        }
        for (i, v) in values.iter().enumerate() {
            let value_errors = names::is_valid_label_value(v);
            if !value_errors.is_empty() {
                errors.push(format!(
                    "values[{i}][{key}]: Invalid value: {}: {}",
                    go_quote(v),
                    value_errors.join("; ")
                ));
            }
        }
        match errors.as_slice() {
            [] => Ok(Requirement { key: key.to_owned(), operator, values }),
            [one] => Err(one.clone()),
            many => Err(format!("[{}]", many.join(", "))),
        }
    }

    /// Whether labels meet the requirement. An absent label meets `!=` and `notin`.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        let value = labels.get(&self.key);
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => {
                value.is_some_and(|v| self.values.contains(v))
            }
            Operator::NotIn | Operator::NotEquals => value.is_none_or(|v| !self.values.contains(v)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan | Operator::LessThan => {
                let number = |s: Option<&String>| s.and_then(|s| s.parse::<i64>().ok());
                match (number(value), number(self.values.first())) {
                    (Some(have), Some(want)) if self.operator == Operator::GreaterThan => have > want,
                    (Some(have), Some(want)) => have < want,
                    _ => false,
                }
            }
        }
    }
}

impl Selector {
    /// Parses the text of `?labelSelector=` or `-l` (`labels.Parse`).
    ///
    /// # Errors
    /// The message of Kubernetes.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let mut requirements = parser::parse(text)?;
        order::sort_by(&mut requirements, |a, b| a.key.cmp(&b.key));
        Ok(Selector { requirements: Some(requirements) })
    }

    /// The selector of an object's spec (`metav1.LabelSelectorAsSelector`). `None` selects nothing, an empty
    /// one everything.
    ///
    /// # Errors
    /// The message of Kubernetes about an invalid key, value or operator.
    pub fn from_label_selector(selector: Option<&LabelSelector>) -> Result<Selector, String> {
        let Some(selector) = selector else {
            return Ok(Selector::nothing());
        };
        let mut requirements = Vec::new();
        for (key, value) in selector.match_labels.iter().flatten() {
            requirements.push(Requirement::new(key, Operator::Equals, vec![value.clone()])?);
        }
        for expression in selector.match_expressions.iter().flatten() {
            let operator = match expression.operator.as_str() {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => {
                    return Err(format!("{} is not a valid label selector operator", go_quote(other)));
                }
            };
            let values = expression.values.clone().unwrap_or_default();
            requirements.push(Requirement::new(&expression.key, operator, values)?);
        }
        order::sort_by(&mut requirements, |a, b| a.key.cmp(&b.key));
        Ok(Selector { requirements: Some(requirements) })
    }

    /// A selector for exactly these labels, without validation (`labels.SelectorFromSet`). An empty set
    /// selects everything.
    pub fn from_set(set: &BTreeMap<String, String>) -> Selector {
        let requirement = |(key, value): (&String, &String)| Requirement {
            key: key.clone(),
            operator: Operator::Equals,
            values: vec![value.clone()],
        };
        Selector { requirements: Some(set.iter().map(requirement).collect()) }
    }

    /// A selector that selects everything.
    pub const fn everything() -> Selector {
        Selector { requirements: Some(Vec::new()) }
    }

    /// A selector that selects nothing.
    pub const fn nothing() -> Selector {
        Selector { requirements: None }
    }

    /// Whether the selector has no requirement. [`Selector::nothing`] is not empty.
    pub fn is_empty(&self) -> bool {
        self.requirements.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether labels meet all requirements.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.requirements.as_ref().is_some_and(|all| all.iter().all(|r| r.matches(labels)))
    }

    /// The requirements, sorted by key; empty for a selector that selects nothing.
    pub fn requirements(&self) -> &[Requirement] {
        self.requirements.as_deref().unwrap_or_default()
    }
}

/// Labels as `key=value,key=value`; `<none>` without labels (`labels.FormatLabels`).
pub fn format_labels(labels: Option<&BTreeMap<String, String>>) -> String {
    let text: Vec<String> = labels.into_iter().flatten().map(|(k, v)| format!("{k}={v}")).collect();
    if text.is_empty() { "<none>".into() } else { text.join(",") }
}

/// The text of a selector (`metav1.FormatLabelSelector`): `app=web,tier in (a,b)`; `<none>` if it is empty,
/// `<error>` if it is invalid.
pub fn format_label_selector(selector: &LabelSelector) -> String {
    match Selector::from_label_selector(Some(selector)) {
        Err(_) => "<error>".to_owned(),
        Ok(s) if s.requirements().is_empty() => "<none>".to_owned(),
        Ok(s) => s.to_string(),
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, between, after) = match self.operator {
            Operator::DoesNotExist => return write!(f, "!{}", self.key),
            Operator::Exists => return f.write_str(&self.key),
            Operator::Equals => ("", "=", ""),
            Operator::DoubleEquals => ("", "==", ""),
            Operator::NotEquals => ("", "!=", ""),
            Operator::GreaterThan => ("", ">", ""),
            Operator::LessThan => ("", "<", ""),
            Operator::In => (" in ", "(", ")"),
            Operator::NotIn => (" notin ", "(", ")"),
        };
        let mut values: Vec<&str> = self.values.iter().map(String::as_str).collect();
        order::sort(&mut values);
        write!(f, "{}{before}{between}{}{after}", self.key, values.join(","))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, requirement) in self.requirements().iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "labels_tests.rs"]
mod tests;
