//! Evaluating a template.

use std::cmp::Ordering;

use serde_json::Value;

use super::{MAX_OUTPUT, MAX_VISITS, Node, Op, Step, text_of};

/// How far an evaluation is, and how it takes what is missing.
pub(super) struct Visits {
    /// How many values were visited.
    pub(super) count: usize,
    /// Whether a field that no value has is an error.
    pub(super) strict: bool,
}

impl Visits {
    /// Notes so many more values.
    fn note(&mut self, values: usize) -> Result<(), String> {
        self.count = self.count.saturating_add(values);
        if self.count > MAX_VISITS {
            return Err("the template visits too many values".into());
        }
        Ok(())
    }
}

pub(super) fn nodes(
    nodes: &[Node],
    root: &Value,
    current: &Value,
    out: &mut String,
    visits: &mut Visits,
) -> Result<(), String> {
    for node in nodes {
        match node {
            Node::Text(t) => print(out, t)?,
            Node::Path(path) => {
                for (nth, value) in steps(path, root, current, visits)?.into_iter().enumerate() {
                    print(out, if nth > 0 { " " } else { "" })?;
                    print(out, &text_of(value))?;
                }
            }
            Node::Range(path, body) => {
                for item in steps(path, root, current, visits)? {
                    self::nodes(body, root, item, out, visits)?;
                }
            }
        }
    }
    Ok(())
}

/// A template can print a large value often, so its text is limited.
fn print(out: &mut String, text: &str) -> Result<(), String> {
    if out.len() + text.len() > MAX_OUTPUT {
        return Err("the template prints too much".into());
    }
    out.push_str(text);
    Ok(())
}

/// The values to which a path leads from `current`.
pub(super) fn steps<'a>(
    path: &'a [Step],
    root: &'a Value,
    current: &'a Value,
    visits: &mut Visits,
) -> Result<Vec<&'a Value>, String> {
    let mut values = vec![current];
    for s in path {
        values = step(s, root, values, visits)?;
    }
    Ok(values)
}

fn step<'a>(
    step: &'a Step,
    root: &'a Value,
    values: Vec<&'a Value>,
    visits: &mut Visits,
) -> Result<Vec<&'a Value>, String> {
    visits.note(values.len() + 1)?;
    let mut out = Vec::new();
    match step {
        Step::Root => return Ok(values),
        Step::Literal(v) => out.push(v),
        Step::Field(name) => {
            out.extend(values.into_iter().filter_map(|v| v.as_object()?.get(name)));
            if out.is_empty() && visits.strict {
                return Err(format!("{name} is not found"));
            }
        }
        Step::Wildcard => {
            for v in values {
                visits.note(v.as_array().map_or(0, Vec::len))?;
                match v {
                    Value::Object(m) => out.extend(m.values()),
                    Value::Array(a) => out.extend(a),
                    _ => {}
                }
            }
        }
        Step::Recursive => {
            for v in values {
                recurse(v, &mut out, visits)?;
            }
        }
        Step::Slice(from, to, by, derived) => {
            for v in values {
                visits.note(v.as_array().map_or(0, Vec::len))?;
                slice(v, (*from, *to, *by, *derived), &mut out)?;
            }
        }
        Step::Union(paths) => {
            for path in paths {
                for v in &values {
                    out.extend(steps(path, root, v, visits)?);
                }
            }
        }
        Step::Filter(left, op, right) => {
            for v in values {
                let items: Vec<&Value> = match v {
                    Value::Array(a) => a.iter().collect(),
                    Value::Object(m) => m.values().collect(),
                    other => {
                        return Err(format!(
                            "{} is not array or slice and cannot be filtered",
                            text_of(other)
                        ));
                    }
                };
                visits.note(items.len())?;
                for item in items {
                    if holds(left, *op, right, root, item, visits)? {
                        out.push(item);
                    }
                }
            }
        }
    }
    Ok(out)
}

/// Adds the value and every list and object in it. The depth of the JSON is limited by its parser.
fn recurse<'a>(value: &'a Value, out: &mut Vec<&'a Value>, visits: &mut Visits) -> Result<(), String> {
    match value {
        Value::Array(a) if !a.is_empty() => {
            visits.note(a.len())?;
            out.push(value);
            a.iter().try_for_each(|v| recurse(v, out, visits))
        }
        Value::Object(m) if !m.is_empty() => {
            visits.note(m.len())?;
            out.push(value);
            m.values().try_for_each(|v| recurse(v, out, visits))
        }
        _ => Ok(()),
    }
}

type Bounds = (Option<i64>, Option<i64>, Option<i64>, bool);

fn slice<'a>(
    value: &'a Value,
    (from, to, by, derived): Bounds,
    out: &mut Vec<&'a Value>,
) -> Result<(), String> {
    let items = match value {
        Value::Array(a) => a,
        Value::Null => return Ok(()),
        other => return Err(format!("{} is not array or slice", text_of(other))),
    };
    let len = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let mut low = from.unwrap_or(0);
    if low < 0 {
        low += len;
    }
    let mut high = to.unwrap_or(len);
    if high < 0 || (high == 0 && derived) {
        high += len;
    }
    if low == high {
        return Ok(());
    }
    let outside = |i: i64| Err(format!("array index out of bounds: index {i}, length {len}"));
    if low >= len || low < 0 {
        // A slice of an empty list is empty; an index into it is an error.
        return if len == 0 && !derived { Ok(()) } else { outside(low) };
    }
    if high > len || high < 0 {
        return outside(high - 1);
    }
    if low > high {
        return Err(format!("starting index {low} is greater than ending index {high}"));
    }
    let by = by.unwrap_or(1);
    if by < 0 {
        return Err("step must be >= 0".into());
    }
    let (low, high) = (usize::try_from(low).unwrap_or(0), usize::try_from(high).unwrap_or(0));
    let by = usize::try_from(by).unwrap_or(1).max(1);
    out.extend(items.get(low..high).unwrap_or_default().iter().step_by(by));
    Ok(())
}

fn holds(
    left: &[Step],
    op: Op,
    right: &[Step],
    root: &Value,
    item: &Value,
    visits: &mut Visits,
) -> Result<bool, String> {
    let left = steps(left, root, item, visits);
    if op == Op::Exists {
        return Ok(left.is_ok_and(|found| !found.is_empty()));
    }
    let left = left?;
    let right = steps(right, root, item, visits)?;
    let (Some(l), Some(r)) = (left.first(), right.first()) else { return Ok(false) };
    if left.len() > 1 || right.len() > 1 {
        return Err("can only compare one element at a time".into());
    }
    let order = match (l, r) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64().partial_cmp(&b.as_f64()),
        },
        (a, b) if a == b => Some(Ordering::Equal),
        _ => None,
    };
    Ok(match op {
        Op::Exists => true,
        Op::Eq => order == Some(Ordering::Equal),
        Op::Ne => order != Some(Ordering::Equal),
        Op::Lt => order == Some(Ordering::Less),
        Op::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Op::Gt => order == Some(Ordering::Greater),
        Op::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    })
}
