//! Durations, sizes and tables as `crictl` writes them (`github.com/docker/go-units`, Go's `text/tabwriter`).

use jiff::SignedDuration;

/// How long ago something was, in words. Hours are rounded, everything else is cut off.
pub(super) fn ago(d: SignedDuration) -> String {
    let seconds = d.as_secs();
    let minutes = seconds / 60;
    let hours = (seconds + 1800) / 3600;
    let (n, unit) = match () {
        () if seconds < 1 => return "Less than a second ago".into(),
        () if seconds == 1 => return "1 second ago".into(),
        () if seconds < 60 => (seconds, "seconds"),
        () if minutes == 1 => return "About a minute ago".into(),
        () if minutes < 60 => (minutes, "minutes"),
        () if hours == 1 => return "About an hour ago".into(),
        () if hours < 48 => (hours, "hours"),
        () if hours < 24 * 7 * 2 => (hours / 24, "days"),
        () if hours < 24 * 30 * 2 => (hours / 24 / 7, "weeks"),
        () if hours < 24 * 365 * 2 => (hours / 24 / 30, "months"),
        () => (seconds / 3600 / 24 / 365, "years"),
    };
    format!("{n} {unit} ago")
}

/// A size in bytes with three digits that count.
pub(super) fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut units = ["B", "kB", "MB", "GB", "TB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    while value >= 1000.0 {
        let Some(next) = units.next() else { break };
        (value, unit) = (value / 1000.0, next);
    }
    let text = match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    };
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// The least width of a column, with what is between it and the next one.
const LEAST: usize = 20;
/// What is between two columns.
const BETWEEN: usize = 3;

/// A table: each column but the last is as wide as its widest cell, and at least [`LEAST`].
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let width = |column| cells(column).map(|c| c.chars().count() + BETWEEN).max().unwrap_or(0).max(LEAST);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match i + 1 == columns {
                true => out += cell,
                false => out += &format!("{cell:<width$}"),
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_are_those_of_go_units() {
        let of = |seconds| ago(SignedDuration::from_secs(seconds));
        let all = [0, 1, 59, 60, 119, 120, 3599, 3600, 5399, 5400, 172_000, 200_000, 2_000_000].map(of);
        assert_eq!(
            all.join(", "),
            "Less than a second ago, 1 second ago, 59 seconds ago, About a minute ago, About a minute ago, 2 minutes ago, \
             59 minutes ago, About an hour ago, About an hour ago, 2 hours ago, 2 days ago, 2 days ago, 3 weeks ago"
        );
        let sizes = [7, 1500, 10_000_000, 62_460_000, 187_400_000, 1_020_000_000].map(size);
        assert_eq!(sizes.join(" "), "7B 1.5kB 10MB 62.5MB 187MB 1.02GB");
    }

    #[test]
    fn columns_are_at_least_twenty_wide() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let long = "a-name-that-is-longer-than-that";
        assert_eq!(
            table(&[row(["POD ID", "NAME", "STATE"]), row(["0123", long, "Ready"])]),
            format!("POD ID              NAME{}STATE\n0123                {long}   Ready\n", " ".repeat(30))
        );
    }
}
