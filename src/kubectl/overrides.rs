//! `--overrides` and `--override-type`: changes to a generated object before it is sent
//! (`k8s.io/kubectl/pkg/cmd/util/override_options.go`).

use serde_json::Value;

use super::flags::{Args, Flag, text};
use super::invocation::{Result, fail};
use crate::api::{Kind, patch};

pub(super) const FLAGS: &[Flag] = &[text("overrides"), text("override-type").or("merge")];

/// The object with its overrides.
pub(super) fn apply(args: &Args, kind: Kind, value: Value) -> Result<Value> {
    let given = args.text("overrides");
    if given.is_empty() {
        return Ok(value);
    }
    let parsed: Value = match serde_json::from_str(given) {
        Ok(parsed) => parsed,
        Err(e) => return fail(format!("invalid overrides: {e}")),
    };
    let done = match args.text("override-type") {
        "merge" => return Ok(patch::json_merge_patch(value, &parsed)),
        "strategic" => patch::strategic_merge(kind, value, &parsed),
        "json" => patch::json_patch(value, &parsed),
        other => return fail(format!("invalid override type: {other}")),
    };
    done.or_else(|e| fail(e.to_string()))
}
