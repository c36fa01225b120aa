//! Moments as Go reads them with the layout `time.RFC3339`, which is narrower than what jiff reads: seconds, a `T` and a zone are there,
//! and nothing stands behind them.

use super::Timestamp;

/// The moment of a text; `None` if the text is none.
pub fn parse(text: &str) -> Option<Timestamp> {
    let shape = |at: usize, c: u8| text.as_bytes().get(at) == Some(&c);
    let strict = shape(4, b'-') && shape(7, b'-') && shape(10, b'T') && shape(13, b':') && shape(16, b':');
    let zone = text.ends_with('Z')
        || text.len() > 6 && {
            let tail = text.get(text.len() - 6..)?.as_bytes();
            matches!(tail, [b'+' | b'-', _, _, b':', _, _])
        };
    if !strict || !zone || text.contains(['[', ' ']) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `time/format_test.go`: `parseTests` and `parseErrorTests` of the layout `RFC3339`.
    #[test]
    fn a_moment_has_seconds_and_a_zone() {
        for text in ["2023-01-01T00:00:00Z", "2023-01-01T00:00:00.5+02:00"] {
            assert!(parse(text).is_some(), "{text}");
        }
        for text in [
            "2023-01-01",
            "2023-01-01T00:00Z",
            "2023-01-01T00:00:00",
            "2023-01-01 00:00:00Z",
            "2023-01-01T00:00:00+02",
            "2023-01-01T00:00:00+02:00[Europe/Paris]",
            "2023-13-01T00:00:00Z",
            "",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
