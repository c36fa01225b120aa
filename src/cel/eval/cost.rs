//! What calls cost at run time: `interpreter/runtimecost.go` and `ext/` of cel-go, and
//! `k8s.io/apiserver/pkg/cel/library/cost.go`.

use super::super::cost::{
    AUTHORIZATION_CHECK, CREATE_LIST, MAX_FORMAT_SIZE, REGEX, SizeEstimate, TRAVERSAL, by, compared, selector,
};
use super::value::{Library, Value};

/// The cost of a call, which is known once its arguments are.
pub(super) fn call(function: &str, overloads: &[&str], args: &[Value]) -> u64 {
    let size = |nth: usize| args.get(nth).map_or(1, Value::size);
    if let Some(cost) = extension(overloads, args) {
        return cost;
    }
    // Which of several overloads it is depends on the arguments.
    let is = |id: &str| overloads.contains(&id);
    match function {
        "check" => AUTHORIZATION_CHECK,
        "fieldSelector" | "labelSelector" => selector(SizeEstimate::fixed(size(1))).max,
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => args.first().map_or(0, traversal),
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "jsonpatch.escapeKey" => {
            by(size(0), TRAVERSAL)
        }
        "replace" | "split" => by(size(0), 2.0 * TRAVERSAL),
        "join" => by(joined(args), 2.0 * TRAVERSAL),
        "find" | "findAll" => by(size(0).saturating_add(1), TRAVERSAL).saturating_mul(by(size(1), REGEX)),
        "ip" if is("cidr_ip") => 1,
        "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
            by(size(0), TRAVERSAL)
        }
        "ip.isCanonical" => by(size(0), 2.0 * TRAVERSAL),
        "containsIP" | "containsCIDR" => {
            let mut cost = by(size(0).saturating_mul(2), TRAVERSAL);
            if function == "containsCIDR" {
                cost += by(size(0), TRAVERSAL) + 1;
            }
            if matches!(args.get(1), Some(Value::String(_))) {
                cost = cost.saturating_add(by(size(1), TRAVERSAL));
            }
            cost
        }
        "validate" => {
            let pattern = match args.first() {
                Some(Value::Library(library)) => match &**library {
                    Library::Format(format) => format.regex_size(),
                    _ => MAX_FORMAT_SIZE,
                },
                _ => MAX_FORMAT_SIZE,
            };
            by(size(1).saturating_add(1), TRAVERSAL).saturating_mul(by(pattern, REGEX))
        }
        "_==_" if matches!(args.first(), Some(Value::Library(_))) => 1,
        "startsWith" | "endsWith" | "strings.quote" | "format" => by(size(0), TRAVERSAL),
        "bytes" if is("string_to_bytes") => by(size(0), TRAVERSAL),
        "string" if matches!(args.first(), Some(Value::Bytes(_))) => by(size(0), TRAVERSAL),
        "@in" if matches!(args.get(1), Some(Value::List(_))) => size(1),
        "_+_" if matches!(args.first(), Some(Value::String(_) | Value::Bytes(_))) => {
            by(size(0).saturating_add(size(1)), TRAVERSAL)
        }
        "matches" if is("matches_string") => {
            by(size(0).saturating_add(1), TRAVERSAL).saturating_mul(by(size(1), REGEX))
        }
        "contains" => by(size(0), TRAVERSAL).saturating_mul(by(size(1), TRAVERSAL)),
        "_==_" | "_!=_" => compared("equals", size(0), size(1)).unwrap_or(1),
        "_<_" | "_<=_" | "_>_" | "_>=_"
            if matches!(args.first(), Some(Value::String(_) | Value::Bytes(_))) =>
        {
            compared("equals", size(0), size(1)).unwrap_or(1)
        }
        _ => 1,
    }
}

/// The length of what `join` gives.
fn joined(args: &[Value]) -> u64 {
    let separator = args.get(1).map_or(0, Value::size);
    match args.first() {
        Some(Value::List(list)) => {
            let count = list.items.len() as u64;
            let text = list.items.iter().fold(0u64, |sum, v| sum.saturating_add(v.size()));
            text.saturating_add(separator.saturating_mul(count.saturating_sub(1)))
        }
        _ => 0,
    }
}

/// What looking at a value and all it holds costs.
fn traversal(value: &Value) -> u64 {
    match value {
        Value::String(s) => (s.len() as f64 * TRAVERSAL) as u64,
        Value::Bytes(b) => (b.len() as f64 * TRAVERSAL) as u64,
        Value::List(l) => l.items.iter().fold(0, |sum, v| sum + shallow(v)),
        Value::Map(m) => m.entries.iter().fold(0, |sum, (k, v)| sum + shallow(&k.value()) + shallow(v)),
        _ => 1,
    }
}

/// [`traversal`] of an item of a list: no function here takes lists of lists.
fn shallow(value: &Value) -> u64 {
    match value {
        Value::List(_) | Value::Map(_) => value.size(),
        other => traversal(other),
    }
}

fn extension(overloads: &[&str], args: &[Value]) -> Option<u64> {
    let [overload, ..] = overloads else { return None };
    let size = |nth: usize| args.get(nth).map_or(1, Value::size);
    let int = |nth: usize| match args.get(nth) {
        Some(Value::Int(n)) => *n,
        _ => 0,
    };
    let listing = |factor: f64, size: u64| ((size as f64 * factor) as u64).saturating_add(1 + CREATE_LIST);
    let with_itself = |nth: usize| {
        let text = match args.get(nth) {
            Some(Value::List(l)) => matches!(l.items.front(), Some(Value::String(_) | Value::Bytes(_))),
            _ => false,
        };
        listing(if text { 2.0 + TRAVERSAL } else { 2.0 }, size(nth).saturating_mul(size(nth)))
    };
    Some(match *overload {
        "list_sets_contains_list" | "list_sets_intersects_list" => {
            size(0).saturating_mul(size(1)).saturating_add(1)
        }
        "list_sets_equivalent_list" => size(0).saturating_mul(size(1)).saturating_mul(2).saturating_add(1),
        "list_slice" => listing(1.0, u64::try_from(int(2).saturating_sub(int(1))).unwrap_or(0)),
        "lists_range" => listing(1.0, u64::try_from(int(0)).unwrap_or(0)),
        "list_reverse" => listing(1.0, size(0)),
        "list_flatten" | "list_flatten_int" => {
            let depth = if args.len() == 2 { int(1) as f64 } else { 1.0 };
            listing(depth, size(0))
        }
        "list_distinct" => with_itself(0),
        id if id.ends_with("_sort") => with_itself(0),
        id if id.ends_with("_sortByAssociatedKeys") => with_itself(1),
        _ => return None,
    })
}
