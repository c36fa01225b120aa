//! Taints and tolerations (`k8s.io/api/core/v1/toleration.go`).

use super::types::{Taint, Toleration};

/// Whether a toleration matches a taint (`Toleration.ToleratesTaint`). The operators `Lt` and `Gt` belong to
/// a feature gate that is off by default.
pub fn tolerates(t: &Toleration, taint: &Taint) -> bool {
    let differs = |s: Option<&str>, other: &str| s.is_some_and(|s| !s.is_empty() && s != other);
    if differs(t.effect.as_deref(), &taint.effect) || differs(t.key.as_deref(), &taint.key) {
        return false;
    }
    match t.operator.as_deref().unwrap_or_default() {
        "" | "Equal" => t.value.as_deref().unwrap_or_default() == taint.value.as_deref().unwrap_or_default(),
        "Exists" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn tolerations_cover_taints_as_in_go() {
        let taint: Taint =
            serde_json::from_value(json!({"key": "k", "value": "v", "effect": "NoSchedule"})).unwrap();
        let table = [
            (json!({"key": "k", "value": "v", "effect": "NoSchedule"}), true),
            (json!({"key": "k", "operator": "Equal", "value": "v"}), true),
            (json!({"key": "k", "operator": "Equal", "value": "w"}), false),
            (json!({"key": "k", "operator": "Exists"}), true),
            (json!({"operator": "Exists"}), true),
            (json!({"key": "j", "operator": "Exists"}), false),
            (json!({"key": "k", "operator": "Exists", "effect": "NoExecute"}), false),
            (json!({"key": "k", "operator": "Gt", "value": "1"}), false),
        ];
        for (t, want) in table {
            let toleration: Toleration = serde_json::from_value(t.clone()).unwrap();
            assert_eq!(tolerates(&toleration, &taint), want, "{t}");
        }
    }
}
