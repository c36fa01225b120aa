//! Selecting objects by the fields of their kind (`pkg/apis/*/v1/conversion.go`, the field label conversions).

use super::apiextensions::View;
use super::kinds::{self, SelectableFields};
use crate::api::fields::FieldSelector;
use crate::api::quote::go_quote;
use crate::api::{Kind, Object};

/// A selector for objects of a kind: fields that have an old name get the one of today.
///
/// # Errors
/// Kubernetes' words for the first field, in the order of the terms' text, that the kind cannot be selected by.
pub(crate) fn for_kind(selector: FieldSelector, kind: Kind) -> Result<FieldSelector, String> {
    selector.rename(|field| {
        if let Some(stored) = kinds::versions::stored_field(kind, field)? {
            *field = stored.to_owned();
        }
        check(kind, field)?;
        if kind == Kind::POD && field == "spec.host" {
            *field = "spec.nodeName".to_owned();
        }
        Ok(())
    })
}

/// Whether an object is selected.
pub(crate) fn matches(selector: &FieldSelector, object: &Object) -> bool {
    selector.matches(&|path| match path {
        "metadata.name" => Some(object.name().to_owned()),
        "metadata.namespace" => Some(object.namespace().to_owned()),
        path => kinds::field(object, path),
    })
}

/// The field selector of a request about a custom kind: besides name and namespace, the selector may name the fields
/// that the definition names.
pub(super) fn for_view(selector: FieldSelector, view: &View) -> Result<FieldSelector, String> {
    selector.rename(|field| {
        let own = ["metadata.name", "metadata.namespace"].contains(&field.as_str());
        if own || view.schema().selectable_fields().any(|f| f == field) {
            return Ok(());
        }
        Err(format!("field label not supported: {field}"))
    })
}

/// Whether a stored custom object is selected, in the version that the view shows.
pub(super) fn matches_in(selector: &FieldSelector, object: &Object, view: &View) -> bool {
    if selector.is_empty() {
        return true;
    }
    let shown = view.read(object);
    let object = shown.as_ref().unwrap_or(object);
    selector.matches(&|path| match path {
        "metadata.name" => Some(object.name().to_owned()),
        "metadata.namespace" => Some(object.namespace().to_owned()),
        path => view.field(object, path),
    })
}

fn check(kind: Kind, path: &str) -> Result<(), String> {
    match kinds::selectable_fields(kind) {
        SelectableFields::These(paths) | SelectableFields::TheseOfKind(paths) if paths.contains(&path) => {
            Ok(())
        }
        SelectableFields::These(_) => Err(format!("field label not supported: {path}")),
        SelectableFields::TheseOfKind(_) => {
            Err(format!("field label {} not supported for {}", go_quote(path), kind.as_str()))
        }
        SelectableFields::NameAndNamespace if matches!(path, "metadata.name" | "metadata.namespace") => {
            Ok(())
        }
        SelectableFields::NameAndNamespace => Err(format!(
            "{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            go_quote(path)
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn parse(kind: Kind, text: &str) -> Result<FieldSelector, String> {
        for_kind(FieldSelector::parse(text)?, kind)
    }

    #[test]
    fn unknown_fields() {
        assert_eq!(
            parse(Kind::POD, "spec.containers=x").unwrap_err(),
            "field label not supported: spec.containers"
        );
        assert_eq!(
            parse(Kind::DEPLOYMENT, "status.replicas=1").unwrap_err(),
            "\"status.replicas\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        );
        // ReplicaSets have no `AddFieldLabelConversionFunc` (`pkg/apis/apps/v1`), ReplicationControllers do
        // (`pkg/apis/core/v1/conversion.go`).
        assert_eq!(
            parse(Kind::REPLICA_SET, "status.replicas=1").unwrap_err(),
            "\"status.replicas\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        );
        assert!(parse(Kind::REPLICATION_CONTROLLER, "status.replicas=1").is_ok());
    }

    #[test]
    fn matching() {
        let pod = Object::from_value(
            Kind::POD,
            json!({"metadata": {"name": "p", "namespace": "d"}, "spec": {"containers": [], "nodeName": "n"},
                   "status": {"phase": "Running"}}),
        )
        .unwrap();
        for (text, want) in [
            ("", true),
            ("spec.nodeName=n,status.phase!=Failed", true),
            ("spec.host=n", true),
            ("spec.host!=n", false),
            ("spec.hostNetwork=false", true),
            ("status.nominatedNodeName=", true),
            ("metadata.namespace=other", false),
        ] {
            assert_eq!(matches(&parse(Kind::POD, text).unwrap(), &pod), want, "{text}");
        }
    }
}
