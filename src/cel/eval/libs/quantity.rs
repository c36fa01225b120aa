//! `k8s.io/apiserver/pkg/cel/library/quantity.go`

use super::super::value::{Library, Value};
use super::super::{EvalError, EvalResult};
use crate::api::quantity::{Amount, Format};

fn amount(value: &Value) -> Option<Amount> {
    match value {
        Value::Library(library) => match &**library {
            Library::Quantity(amount) => Some(*amount),
            _ => None,
        },
        _ => None,
    }
}

fn made(amount: Amount) -> Option<EvalResult> {
    Some(Ok(Value::library(Library::Quantity(amount))))
}

pub(super) fn global(function: &str, args: &[Value]) -> Option<EvalResult> {
    match (function, args) {
        ("quantity", [Value::String(text)]) => Some(match Amount::parse(text) {
            Ok(amount) => Ok(Value::library(Library::Quantity(amount))),
            Err(why) => Err(EvalError::new(why.to_string())),
        }),
        ("isQuantity", [Value::String(text)]) => Some(Ok(Value::Bool(Amount::parse(text).is_ok()))),
        ("sign", [value]) => Some(Ok(Value::Int(amount(value)?.sign().into()))),
        _ => None,
    }
}

/// Whether it is a whole number that an `int` holds, which one is it.
fn whole(amount: Amount) -> Option<i64> {
    let value = amount.value();
    (Amount::from_value(value, amount.format()) == amount).then_some(value)
}

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    let (of, rest) = args.split_first()?;
    let of = amount(of)?;
    let other = rest.first().and_then(amount);
    let by = match rest.first() {
        Some(Value::Int(n)) => Some(Amount::from_value(*n, Format::DecimalExponent)),
        _ => other,
    };
    match function {
        "isGreaterThan" => Some(Ok(Value::Bool(of > other?))),
        "isLessThan" => Some(Ok(Value::Bool(of < other?))),
        "compareTo" => Some(Ok(Value::Int(of.cmp(&other?) as i64))),
        "asInteger" => Some(match whole(of) {
            Some(value) => Ok(Value::Int(value)),
            None => Err(EvalError::new("cannot convert value to integer")),
        }),
        "isInteger" => Some(Ok(Value::Bool(whole(of).is_some()))),
        "asApproximateFloat" => Some(Ok(Value::Double(approximate(of)))),
        "add" => made(of.plus(by?)),
        "sub" => made(of.minus(by?)),
        _ => None,
    }
}

fn approximate(amount: Amount) -> f64 {
    // Thousandths are exact up to 2^53 of them; above that whole units are what a double can tell apart.
    let milli = amount.milli_value();
    if milli == i64::MAX || milli == i64::MIN { amount.value() as f64 } else { milli as f64 / 1_000.0 }
}
