//! The limits of numbers (`pkg/validation/validate/values.go`).

use serde_json::Value;

use super::failure::{Failure, Kind, Outcome, composite, other};
use crate::apiserver::apiextensions::go_json::{bad_value, go_float};
use crate::apiserver::apiextensions::schema::Structural;
use crate::apiserver::validation::BadValue;

/// A number's limits. A whole number is compared as one, and a limit without its fraction then.
pub(super) fn validate(
    out: &mut Outcome,
    value: &Value,
    s: &Structural,
    types: &[&str],
    format: &str,
    path: &str,
) {
    let range = Range::of(types, format);
    range.check(out, value, "Checked", path);
    let number = value.as_f64().unwrap_or_default();
    let whole = value.as_i64();
    let v = &s.value;
    let mut results = Outcome::default();
    if let Some(factor) = v.multiple_of {
        let fits = range.check(&mut results, &Value::from(factor), "MultipleOf", path);
        multiple(&mut results, value, number, whole.filter(|_| fits), factor, path);
    }
    for (limit, exclusive, prefix, is_max) in [
        (v.minimum, v.exclusive_minimum, "Minimum boundary", false),
        (v.maximum, v.exclusive_maximum, "Maximum boundary", true),
    ] {
        let Some(limit) = limit else { continue };
        let fits = range.check(&mut results, &Value::from(limit), prefix, path);
        let (outside, text) = match whole.filter(|_| fits) {
            Some(whole) => {
                let limit = truncated(limit);
                (beyond(whole.cmp(&limit), exclusive, is_max), limit.to_string())
            }
            None => {
                let ordering = number.partial_cmp(&limit);
                (ordering.is_some_and(|o| beyond(o, exclusive, is_max)), go_float(limit))
            }
        };
        if outside {
            let what = match (is_max, exclusive) {
                (true, false) => "less than or equal to",
                (true, true) => "less than",
                (false, false) => "greater than or equal to",
                (false, true) => "greater than",
            };
            results.add(other(path, bad_value(value), format!("should be {what} {text}")));
        }
    }
    out.merge(results);
    out.matches += 1;
}

fn beyond(ordering: std::cmp::Ordering, exclusive: bool, is_max: bool) -> bool {
    let far = if is_max { ordering.is_gt() } else { ordering.is_lt() };
    far || (exclusive && ordering.is_eq())
}

/// A float without its fraction; one that is too large is the largest.
fn truncated(value: f64) -> i64 {
    value as i64
}

fn multiple(out: &mut Outcome, value: &Value, number: f64, whole: Option<i64>, factor: f64, path: &str) {
    let (good, text) = match whole {
        Some(whole) => {
            let factor = truncated(factor);
            if factor <= 0 {
                out.add(not_positive(factor.to_string(), path));
                return;
            }
            (whole.checked_rem(factor) == Some(0), factor.to_string())
        }
        None if factor <= 0.0 => {
            out.add(not_positive(go_float(factor), path));
            return;
        }
        None => {
            let times = if factor < 1.0 { 1.0 / factor * number } else { number / factor };
            // As in go-openapi, a float that is off by some billionths is a whole number.
            let whole = (times - times.round()).abs() < 1e-9 * times.abs().max(1.0);
            (whole, go_float(factor))
        }
    };
    if !good {
        out.add(other(path, bad_value(value), format!("should be a multiple of {text}")));
    }
}

fn not_positive(factor: String, path: &str) -> Failure {
    let message = format!("factor MultipleOf declared for {path} must be positive: {factor}");
    let kind = Kind::Other(BadValue::Json(factor));
    Failure { at: Some(path.to_owned()), kind, message }
}

/// What a type and its format have room for.
struct Range {
    type_: &'static str,
    format: &'static str,
}

impl Range {
    /// Formats count only for an unambiguous type.
    fn of(types: &[&str], format: &str) -> Range {
        match (types, format) {
            (["integer"], "int32") => Range { type_: "integer", format: "int32" },
            (["integer"], "int64") => Range { type_: "integer", format: "int64" },
            (["integer"], _) => Range { type_: "integer", format: "" },
            (["number"], "float") => Range { type_: "number", format: "float" },
            (["number"], "double") => Range { type_: "number", format: "double" },
            (["number"], _) => Range { type_: "number", format: "" },
            _ => Range { type_: "", format: "" },
        }
    }

    /// Whether a number fits; if not, that is an error without a place.
    fn check(&self, out: &mut Outcome, value: &Value, prefix: &str, path: &str) -> bool {
        let whole = || value.as_i64().or_else(|| value.as_f64().filter(|f| f.fract() == 0.0).and_then(exact));
        let fits = match (self.type_, self.format) {
            ("integer", "int32") => whole().is_some_and(|n| i32::try_from(n).is_ok()),
            ("integer", _) => whole().is_some(),
            ("number", "float") => value.as_f64().is_some_and(|f| f.abs() <= f64::from(f32::MAX)),
            _ => true,
        };
        if !fits {
            let format = match self.format {
                "" => "(default format)".to_owned(),
                format => format!("with format {format}"),
            };
            out.add(composite(format!("{prefix} value must be of type {} {format} in {path}", self.type_)));
        }
        fits
    }
}

/// A float that is a whole number as one, if it is not too large.
fn exact(value: f64) -> Option<i64> {
    // 2^63 as a float: everything below it fits.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    (-LIMIT..LIMIT).contains(&value).then_some(value as i64)
}
