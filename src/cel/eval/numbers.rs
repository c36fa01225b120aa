//! Numbers as text.

/// A number as Go's `%g` writes it.
pub(super) fn double_string(d: f64) -> String {
    if d.is_nan() {
        return "NaN".to_owned();
    }
    if d.is_infinite() {
        return if d > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{d:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Go writes a shortest number with an exponent from a million on.
    if (-4..6).contains(&exponent) {
        return format!("{d}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_go_does() {
        for (d, text) in [
            (-1.23e4, "-12300"),
            (0.5, "0.5"),
            (1e6, "1e+06"),
            (123_456.0, "123456"),
            (1e-7, "1e-07"),
            (f64::INFINITY, "+Inf"),
        ] {
            assert_eq!(double_string(d), text);
        }
    }
}
