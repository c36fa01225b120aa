//! Lists: Kubernetes' `lists` library, `ext/lists.go` (version 3) and `ext/sets.go` of cel-go, and `join`.

use std::cmp::Ordering;

use super::super::super::ast::operators as op;
use super::super::meter::Meter;
use super::super::operators::{compare, contains, equal};
use super::super::value::{Items, Value};
use super::super::{EvalError, EvalResult, operators};
use crate::api::order;

pub(super) fn global(function: &str, args: &[Value], meter: &mut Meter) -> Option<EvalResult> {
    Some(match (function, args) {
        ("lists.range", [Value::Int(count)]) => {
            let count = (*count).max(0);
            meter.work(count.unsigned_abs()).map(|()| Value::list((0..count).map(Value::Int).collect()))
        }
        ("sets.contains", [Value::List(_), Value::List(other)]) => all_in(&other.items, args.first()?, meter),
        ("sets.intersects", [all, Value::List(other)]) => any_in(&other.items, all, meter),
        ("sets.equivalent", [left @ Value::List(a), right @ Value::List(b)]) => {
            match all_in(&b.items, left, meter) {
                Ok(Value::Bool(true)) => all_in(&a.items, right, meter),
                other => other,
            }
        }
        _ => return None,
    })
}

fn all_in(items: &Items, list: &Value, meter: &mut Meter) -> EvalResult {
    for item in items {
        let found = contains(&[item.clone(), list.clone()], meter)?;
        if !matches!(found, Value::Bool(true)) {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn any_in(items: &Items, list: &Value, meter: &mut Meter) -> EvalResult {
    for item in items {
        let found = contains(&[item.clone(), list.clone()], meter)?;
        if matches!(found, Value::Bool(true)) {
            return Ok(found);
        }
    }
    Ok(Value::Bool(false))
}

pub(super) fn member(function: &str, args: &[Value], meter: &mut Meter) -> Option<EvalResult> {
    let (Value::List(list), rest) = args.split_first()? else { return None };
    let items = &list.items;
    let optional = |item: Option<&Value>| Ok(item.map_or(Value::Optional(None), |v| Value::some(v.clone())));
    Some(match (function, rest) {
        ("isSorted", []) => is_sorted(items),
        ("sum", []) => sum(items, meter),
        ("min", []) => extreme(items, "min", Ordering::Greater),
        ("max", []) => extreme(items, "max", Ordering::Less),
        ("indexOf", [value]) => position(items.iter().enumerate(), value, meter),
        ("lastIndexOf", [value]) => position(items.iter().enumerate().rev(), value, meter),
        ("join", []) => join(items, "", meter),
        ("join", [Value::String(by)]) => join(items, by, meter),
        ("first", []) => optional(items.front()),
        ("last", []) => optional(items.back()),
        ("reverse", []) => Ok(Value::list(items.iter().rev().cloned().collect())),
        ("slice", [Value::Int(start), Value::Int(end)]) => slice(items, *start, *end),
        ("flatten", []) => flatten(items, 1, meter).map(Value::list),
        ("flatten", [Value::Int(depth)]) if *depth < 0 => Err(EvalError::new("level must be non-negative")),
        ("flatten", [Value::Int(depth)]) => flatten(items, *depth, meter).map(Value::list),
        ("distinct", []) => distinct(items, meter),
        ("sort", []) => sort(items, items),
        ("@sortByAssociatedKeys", [Value::List(keys)]) => sort(items, &keys.items),
        _ => return None,
    })
}

fn is_sorted(items: &Items) -> EvalResult {
    for (a, b) in items.iter().zip(items.iter().skip(1)) {
        if compare(a, b)? == Some(Ordering::Greater) {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn sum(items: &Items, meter: &mut Meter) -> EvalResult {
    let mut sum = match items.front() {
        None | Some(Value::Int(_)) => Value::Int(0),
        Some(Value::Uint(_)) => Value::Uint(0),
        Some(Value::Double(_)) => Value::Double(0.0),
        Some(Value::Duration(_)) => Value::Duration(0),
        Some(_) => return Err(EvalError::overload()),
    };
    for item in items {
        sum = match operators::call(op::ADD, &[sum, item.clone()], meter) {
            Some(sum) => sum?,
            None => return Err(EvalError::overload()),
        };
    }
    Ok(sum)
}

fn extreme(items: &Items, name: &str, replaced_if: Ordering) -> EvalResult {
    let mut best: Option<&Value> = None;
    for item in items {
        best = match best {
            Some(known) if compare(known, item)? != Some(replaced_if) => Some(known),
            _ => Some(item),
        };
    }
    best.cloned().ok_or_else(|| EvalError::new(format!("{name} called on empty list")))
}

fn position<'v>(
    items: impl Iterator<Item = (usize, &'v Value)>,
    value: &Value,
    meter: &mut Meter,
) -> EvalResult {
    for (at, item) in items {
        if equal(item, value, meter)? {
            return Ok(Value::Int(i64::try_from(at).unwrap_or(i64::MAX)));
        }
    }
    Ok(Value::Int(-1))
}

fn join(items: &Items, by: &str, meter: &mut Meter) -> EvalResult {
    let mut text = String::new();
    for (n, item) in items.iter().enumerate() {
        let Value::String(item) = item else {
            return Err(EvalError::new(format!("join: invalid input: {}", operators::said(item))));
        };
        meter.work((item.len() + by.len()) as u64 / 8 + 1)?;
        if n > 0 {
            text.push_str(by);
        }
        text.push_str(item);
    }
    Ok(Value::string(&text))
}

fn slice(items: &Items, start: i64, end: i64) -> EvalResult {
    let refuse = |why: &str| Err(EvalError::new(format!("cannot slice({start}, {end}), {why}")));
    let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
        return refuse("negative indexes not supported");
    };
    if from > to {
        return refuse("start index must be less than or equal to end index");
    }
    if to > items.len() {
        return refuse(&format!("list is length {}", items.len()));
    }
    Ok(Value::list(items.clone().slice(from..to)))
}

fn flatten(items: &Items, depth: i64, meter: &mut Meter) -> Result<Items, EvalError> {
    let mut flat = Items::new();
    for item in items {
        meter.work(1)?;
        match item {
            Value::List(list) if depth > 0 => flat.append(flatten(&list.items, depth - 1, meter)?),
            other => flat.push_back(other.clone()),
        }
    }
    Ok(flat)
}

fn distinct(items: &Items, meter: &mut Meter) -> EvalResult {
    let mut seen = Items::new();
    'items: for item in items {
        for other in &seen {
            if equal(item, other, meter)? {
                continue 'items;
            }
        }
        seen.push_back(item.clone());
    }
    Ok(Value::list(seen))
}

fn sort(items: &Items, keys: &Items) -> EvalResult {
    if items.len() != keys.len() {
        return Err(EvalError::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            items.len(),
            keys.len()
        )));
    }
    let Some(first) = keys.front() else { return Ok(Value::list(items.clone())) };
    if compare(first, first).is_err() {
        return Err(EvalError::new("list elements must be comparable"));
    }
    if keys.iter().any(|key| std::mem::discriminant(key) != std::mem::discriminant(first)) {
        return Err(EvalError::new("list elements must have the same type"));
    }
    let mut pairs: Vec<(&Value, &Value)> = keys.iter().zip(items).collect();
    order::sort_by(&mut pairs, |(a, _), (b, _)| compare(a, b).ok().flatten().unwrap_or(Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item.clone()).collect()))
}
