//! The cells of tables
//! (`k8s.io/kubernetes/pkg/printers/internalversion`).
//!
//! In Kubernetes the API server fills them in, and kubectl only aligns them. So these are pure
//! functions of an object and the time, for both to use.

pub(super) mod pod_template;

pub(crate) use super::kinds::certificate_signing_request::condition;
pub(crate) use super::kinds::horizontal_pod_autoscaler::row::{current, quantity};
pub(crate) use super::kinds::ingress::addresses;
pub(crate) use super::kinds::node::node_roles;
pub use super::kinds::pod::row::{Summary, summarize};
use crate::api::types::{MicroTime, ObjectMeta, Time};
use crate::api::{MetaExt, Timestamp};

/// How long ago something was; `<unknown>` if it is not known when.
pub fn age(since: Option<&Time>, now: Timestamp) -> String {
    match since {
        Some(t) => human_duration(now.duration_since(t.0)),
        None => "<unknown>".into(),
    }
}

/// The same for a time that is known to the microsecond.
pub fn age_micro(since: Option<&MicroTime>, now: Timestamp) -> String {
    match since {
        Some(t) => human_duration(now.duration_since(t.0)),
        None => "<unknown>".into(),
    }
}

/// A duration in two units at most (`duration.HumanDuration`).
pub fn human_duration(d: jiff::SignedDuration) -> String {
    let seconds = d.as_secs();
    if seconds < -1 {
        return "<invalid>".into();
    }
    if seconds < 0 {
        return "0s".into();
    }
    // The larger unit, and the smaller one where it is not zero.
    let two = |big: i64, unit: &str, small: i64, sub: &str| match small {
        0 => format!("{big}{unit}"),
        _ => format!("{big}{unit}{small}{sub}"),
    };
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 192 => two(days, "d", hours % 24, "h"),
        () if days < 730 => format!("{days}d"),
        () if days < 2920 => two(days / 365, "y", days % 365, "d"),
        () => format!("{}y", days / 365),
    }
}

/// The age of an object.
pub(super) fn created(meta: &ObjectMeta, now: Timestamp) -> String {
    age(meta.creation_timestamp.as_ref(), now)
}

/// The object's name, owned.
pub(super) fn name(meta: &ObjectMeta) -> String {
    MetaExt::name(meta).to_owned()
}

/// The text, or `<none>`.
pub(super) fn or_none(text: Option<&str>) -> String {
    text.filter(|t| !t.is_empty()).unwrap_or("<none>").to_owned()
}

/// How many items a cell lists; the others are counted.
const LISTED: usize = 3;

/// A cell that lists items, `a,b,c + 2 more...`; `none` if there are none.
pub(super) fn listed(all: &[String], none: &str) -> String {
    if all.is_empty() {
        return none.to_owned();
    }
    let shown: Vec<&str> = all.iter().take(LISTED).map(String::as_str).collect();
    match all.len().saturating_sub(LISTED) {
        0 => shown.join(","),
        more => format!("{} + {more} more...", shown.join(",")),
    }
}

/// Labels as a table shows them (`labels.FormatLabels`).
pub(crate) fn format_labels(labels: Option<&std::collections::BTreeMap<String, String>>) -> String {
    let text: Vec<String> = labels.into_iter().flatten().map(|(k, v)| format!("{k}={v}")).collect();
    if text.is_empty() { "<none>".into() } else { text.join(",") }
}

/// Access modes in short, `RWO,ROX` (`GetAccessModesAsString`).
pub(crate) fn access_modes(modes: Option<&Vec<String>>) -> String {
    const ORDER: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |m: &str| modes.is_some_and(|all| all.iter().any(|a| a == m));
    ORDER.iter().filter(|(m, _)| has(m)).map(|(_, s)| *s).collect::<Vec<_>>().join(",")
}

/// A cell for a text that may be absent.
pub(super) fn or_unset(text: Option<&String>) -> String {
    text.filter(|t| !t.is_empty()).cloned().unwrap_or_else(|| "<unset>".into())
}

/// The cells of a kind without a printer of its own.
pub(super) fn created_at(meta: &ObjectMeta) -> Vec<String> {
    vec![name(meta), meta.creation_timestamp.as_ref().map_or_else(|| "<unknown>".into(), |t| t.0.to_string())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_as_long_as_they_need_be() {
        for (seconds, want) in [
            (-5, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (10_860, "3h1m"),
            (28_800, "8h"),
            (172_799, "47h"),
            (172_800, "2d"),
            (176_400, "2d1h"),
            (691_200, "8d"),
            (63_071_999, "729d"),
            (63_072_000, "2y"),
            (63_158_400, "2y1d"),
            (252_288_000, "8y"),
        ] {
            assert_eq!(human_duration(jiff::SignedDuration::from_secs(seconds)), want, "{seconds}");
        }
    }
}
