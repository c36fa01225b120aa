//! Numbers that can be percentages (`k8s.io/apimachinery/pkg/util/intstr`).

use super::quote::go_quote;
use super::types::IntOrString;

/// How a percentage of a total is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the next larger integer.
    Up,
    /// To the next smaller integer.
    Down,
}

/// The number, or the percentage of `total` (`GetScaledValueFromIntOrPercent`).
///
/// # Errors
/// The message of Kubernetes about an absent value, or a string that is not a percentage.
pub fn scaled_value(value: Option<&IntOrString>, total: i32, rounding: Rounding) -> Result<i32, String> {
    let value = value.ok_or("nil value for IntOrString")?;
    let text = match value {
        IntOrString::Int(n) => return Ok(*n),
        IntOrString::String(text) => text,
    };
    let percent = percent(text).map_err(|e| format!("invalid value for IntOrString: {e}"))?;
    // Exact in integers; where Go's floating point is exact, it gives the same.
    let product = i128::from(percent) * i128::from(total);
    let scaled = match rounding {
        Rounding::Up => -((-product).div_euclid(100)),
        Rounding::Down => product.div_euclid(100),
    };
    Ok(i32::try_from(scaled).unwrap_or(if scaled < 0 { i32::MIN } else { i32::MAX }))
}

/// The number before the percent sign.
fn percent(text: &str) -> Result<i64, String> {
    let number = text.strip_suffix('%').ok_or("invalid type: string is not a percentage")?;
    atoi(number).map_err(|e| format!("invalid value {}: {e}", go_quote(text)))
}

/// Go's `strconv.Atoi`, with its messages.
fn atoi(text: &str) -> Result<i64, String> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    text.parse::<i64>().map_err(|e| {
        let why = match e.kind() {
            PosOverflow | NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.Atoi: parsing {}: {why}", go_quote(text))
    })
}

/// The text of Go's `IntOrString.String`.
pub fn to_string(value: &IntOrString) -> String {
    match value {
        IntOrString::Int(n) => n.to_string(),
        IntOrString::String(text) => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        let s = |t: &str| IntOrString::String(t.to_owned());
        for (value, total, up, down) in [
            (IntOrString::Int(7), 3, 7, 7),
            (s("25%"), 3, 1, 0),
            (s("25%"), 4, 1, 1),
            (s("25%"), 10, 3, 2),
            (s("100%"), 10, 10, 10),
            (s("0%"), 10, 0, 0),
            (s("-25%"), 10, -2, -3),
        ] {
            assert_eq!(scaled_value(Some(&value), total, Rounding::Up), Ok(up), "{value:?}");
            assert_eq!(scaled_value(Some(&value), total, Rounding::Down), Ok(down), "{value:?}");
        }
        for (value, want) in [
            (None, "nil value for IntOrString"),
            (Some(s("3")), "invalid value for IntOrString: invalid type: string is not a percentage"),
            (
                Some(s("x%")),
                "invalid value for IntOrString: invalid value \"x%\": strconv.Atoi: parsing \"x\": invalid syntax",
            ),
        ] {
            assert_eq!(scaled_value(value.as_ref(), 1, Rounding::Up), Err(want.to_owned()));
        }
    }
}
