//! What functions do. Which of them exist, and for which types, is in `overloads/tables.rs`.

mod authorizer;
mod convert;
mod format;
mod lists;
mod moments;
mod net;
mod optional;
mod printf;
mod quantity;
mod semver;
mod strings;
mod url;

use super::meter::Meter;
use super::value::Value;
use super::{EvalError, EvalResult, operators};

/// Calls a function. `member` says whether the first argument is what it is called on.
pub(super) fn call(function: &str, member: bool, args: &[Value], meter: &mut Meter) -> EvalResult {
    if let Some(outcome) = operators::call(function, args, meter) {
        return outcome;
    }
    let found = if member {
        strings::member(function, args, meter)
            .or_else(|| lists::member(function, args, meter))
            .or_else(|| moments::member(function, args))
            .or_else(|| net::member(function, args))
            .or_else(|| url::member(function, args))
            .or_else(|| quantity::member(function, args))
            .or_else(|| semver::member(function, args))
            .or_else(|| format::member(function, args))
            .or_else(|| optional::member(function, args))
            .or_else(|| authorizer::member(function, args))
    } else {
        convert::global(function, args)
            .or_else(|| strings::global(function, args, meter))
            .or_else(|| lists::global(function, args, meter))
            .or_else(|| net::global(function, args))
            .or_else(|| url::global(function, args))
            .or_else(|| quantity::global(function, args))
            .or_else(|| semver::global(function, args))
            .or_else(|| format::global(function, args))
            .or_else(|| optional::global(function, args))
    };
    found.unwrap_or_else(|| {
        let types: Vec<String> = args.iter().map(Value::type_name).collect();
        let text = match types.split_first() {
            Some((target, rest)) if member => format!("{target}.{function}({})", rest.join(", ")),
            _ => format!("{function}({})", types.join(", ")),
        };
        Err(EvalError::new(format!("no such overload: {text}")))
    })
}
