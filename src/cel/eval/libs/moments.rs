//! Parts of moments and of durations.

use jiff::Timestamp;

use super::super::super::time::civil;
use super::super::value::Value;
use super::super::{EvalError, EvalResult};

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    let part = match args {
        [Value::Duration(nanos)] => of_duration(function, *nanos)?,
        [Value::Timestamp(moment)] => of_moment(function, *moment, None)?,
        [Value::Timestamp(moment), Value::String(zone)] => of_moment(function, *moment, Some(zone))?,
        _ => return None,
    };
    Some(part.map(Value::Int))
}

fn of_duration(function: &str, nanos: i64) -> Option<Result<i64, EvalError>> {
    Some(Ok(match function {
        "getHours" => nanos / 3_600_000_000_000,
        "getMinutes" => nanos / 60_000_000_000,
        "getSeconds" => nanos / 1_000_000_000,
        "getMilliseconds" => nanos / 1_000_000,
        _ => return None,
    }))
}

fn of_moment(function: &str, moment: Timestamp, zone: Option<&str>) -> Option<Result<i64, EvalError>> {
    let at = match civil(moment, zone) {
        Ok(at) => at,
        Err(why) => return Some(Err(EvalError::new(why))),
    };
    Some(Ok(match function {
        "getFullYear" => at.year().into(),
        "getMonth" => i64::from(at.month()) - 1,
        "getDayOfYear" => i64::from(at.day_of_year()) - 1,
        "getDayOfMonth" => i64::from(at.day()) - 1,
        "getDate" => at.day().into(),
        "getDayOfWeek" => at.weekday().to_sunday_zero_offset().into(),
        "getHours" => at.hour().into(),
        "getMinutes" => at.minute().into(),
        "getSeconds" => at.second().into(),
        "getMilliseconds" => at.millisecond().into(),
        _ => return None,
    }))
}
