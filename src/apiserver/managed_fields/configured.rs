//! A configuration that a mutating policy makes, merged into an object (`ApplyStructuredMergeDiff` of
//! `k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go`). Nobody owns its fields.

use serde_json::Value;

use super::Layout;
use super::typed::{self, Place, Walk};

/// An object with what a configuration says.
///
/// # Errors
/// The configuration is none of the kind, or would replace something that is owned as a whole: whoever wrote it may have meant to
/// change a part of it.
pub(in crate::apiserver) fn configured(
    layout: Layout<'_>,
    live: &Value,
    config: &Value,
) -> Result<Value, String> {
    let place = layout.place();
    if let Err(errors) = typed::field_set(place, config) {
        let why = match errors.as_slice() {
            [one] => one.clone(),
            many => {
                format!("errors:\n{}", many.iter().map(|e| format!("  {e}")).collect::<Vec<_>>().join("\n"))
            }
        };
        return Err(format!("failed to convert patch object to typed object: {why}"));
    }
    let mut wholes = Vec::new();
    find_wholes(place, config, "", &mut wholes);
    if !wholes.is_empty() {
        let wholes = wholes.join(", ");
        return Err(format!(
            "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {wholes}"
        ));
    }
    Ok(typed::merge(place, Some(live), Some(config)))
}

/// The paths of values that are owned as a whole and have parts (`findAtomics`). The keys of maps are not looked at.
fn find_wholes(place: Place<'_>, value: &Value, path: &str, found: &mut Vec<String>) {
    let is_whole = place.has_parts() && matches!(place.walk(value), Walk::Leaf);
    match value {
        Value::Object(map) => {
            if is_whole {
                found.push(path.to_owned());
            }
            for (name, value) in map {
                if let Some(child) = place.child(name).filter(|child| child.declared) {
                    find_wholes(child.place, value, &format!("{path}.{name}"), found);
                }
            }
        }
        Value::Array(items) => {
            if is_whole {
                found.push(path.to_owned());
            }
            let Some(item) = place.item() else { return };
            for (i, value) in items.iter().enumerate() {
                find_wholes(item, value, &format!("{path}[{i}]"), found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::Kind;

    fn of(kind: Kind, live: &Value, config: &Value) -> Result<Value, String> {
        configured(Layout::BuiltIn(kind), live, config)
    }

    /// `TestApplyConfiguration` of `k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/smd_test.go`.
    #[test]
    fn a_configuration_is_merged_as_an_apply_merges() {
        let live = json!({"metadata": {"labels": {"a": "1"}}, "spec": {"replicas": 1, "template": {"spec": {
            "containers": [{"name": "x", "image": "i", "env": [{"name": "A", "value": "1"}]}]}}}});
        let config = json!({"metadata": {"labels": {"b": "2"}}, "spec": {"replicas": 3, "template": {"spec": {
            "containers": [{"name": "x", "env": [{"name": "B", "value": "2"}]}, {"name": "y"}]}}}});
        let made = json!({"metadata": {"labels": {"a": "1", "b": "2"}}, "spec": {"replicas": 3, "template": {"spec": {
            "containers": [
                {"name": "x", "image": "i", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
                {"name": "y"}]}}}});
        assert_eq!(of(Kind::DEPLOYMENT, &live, &config), Ok(made));
        let wrong = |config: Value| of(Kind::DEPLOYMENT, &live, &config).err().unwrap_or_default();
        assert_eq!(
            wrong(json!({"spec": {"selector": {"matchLabels": {"l": "v"}}}})),
            "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector"
        );
        assert_eq!(
            wrong(json!({"spec": {"replicasx": 1}})),
            "failed to convert patch object to typed object: .spec.replicasx: field not declared in schema"
        );
        assert_eq!(
            wrong(json!({"spec": {"template": {"spec": {"containers": [{"name": "x", "args": ["-v"]}]}}}})),
            "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args"
        );
    }
}
