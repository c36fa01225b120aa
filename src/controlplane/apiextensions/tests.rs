//! The decisions of the definitions' controllers that the recordings do not show.
#![allow(clippy::unwrap_used)]

use serde_json::json;

use crate::api::types::CustomResourceDefinition as Crd;

fn definition(name: &str) -> Crd {
    serde_json::from_value(json!({
        "metadata": {"name": format!("{name}.example.com"), "resourceVersion": "1"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": name, "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true}]},
    }))
    .unwrap()
}

#[test]
fn every_controller_writes_as_the_api_server_and_has_a_name_of_its_own() {
    let all = super::all();
    assert!(all.iter().all(|c| &*c.user() == "kube-apiserver"));
    let names: std::collections::BTreeSet<_> = all.iter().map(|c| c.name()).collect();
    assert_eq!(names.len(), all.len());
}

#[test]
fn the_finalizer_does_not_look_again_at_what_it_wrote_itself() {
    use super::finalizer::differs_in_condition_only;
    let old = definition("widgets");
    let mut new = old.clone();
    new.metadata.resource_version = Some("2".into());
    let terminating =
        json!({"conditions": [{"type": "Terminating", "status": "True"}], "storedVersions": []});
    new.status = Some(serde_json::from_value(terminating).unwrap());
    let mut before = old.clone();
    before.status = Some(serde_json::from_value(json!({"conditions": [], "storedVersions": []})).unwrap());
    assert!(differs_in_condition_only(&before, &new));
    new.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
    assert!(!differs_in_condition_only(&before, &new));
    // The informer delivers the same version again when it lists again.
    assert!(!differs_in_condition_only(&before, &before));
}
