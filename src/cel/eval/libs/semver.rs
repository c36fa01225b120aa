//! Functions on versions: `k8s.io/apiserver/pkg/cel/library/semverlib.go`.

use super::super::objects::Semver;
use super::super::value::{Library, Value};
use super::super::{EvalError, EvalResult};

pub(super) fn global(function: &str, args: &[Value]) -> Option<EvalResult> {
    let (Value::String(text), tolerant) = (match args {
        [text] => (text, false),
        [text, Value::Bool(tolerant)] => (text, *tolerant),
        _ => return None,
    }) else {
        return None;
    };
    let read = || if tolerant { Semver::parse_tolerant(text) } else { Semver::parse(text) };
    match function {
        "semver" => {
            Some(read().map(|version| Value::library(Library::Semver(version))).map_err(EvalError::new))
        }
        "isSemver" => Some(Ok(Value::Bool(read().is_ok()))),
        _ => None,
    }
}

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    let version = |value: &Value| match value {
        Value::Library(library) => match &**library {
            Library::Semver(version) => Some(version.clone()),
            _ => None,
        },
        _ => None,
    };
    let (of, rest) = args.split_first()?;
    let of = version(of)?;
    let [major, minor, patch] = of.numbers;
    let int = |n: u64| Some(Ok(Value::Int(i64::try_from(n).unwrap_or(i64::MAX))));
    let order = || rest.first().and_then(version).map(|other| of.order(&other));
    match function {
        "major" => int(major),
        "minor" => int(minor),
        "patch" => int(patch),
        "isGreaterThan" => Some(Ok(Value::Bool(order()?.is_gt()))),
        "isLessThan" => Some(Ok(Value::Bool(order()?.is_lt()))),
        "compareTo" => Some(Ok(Value::Int(order()? as i64))),
        _ => None,
    }
}
