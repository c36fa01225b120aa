//! What no recording shows: updates of definitions, ratcheting, refusals of what is not built here, and
//! definitions with the features that widely used ones have.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::api::{Timestamp, regexp};

fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// A definition of widgets whose versions are these.
fn definition(versions: Value) -> CustomResourceDefinition {
    let mut crd = serde_json::from_value(json!({
        "metadata": {"name": "widgets.example.com", "resourceVersion": "1"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": versions},
    }))
    .unwrap();
    defaults::set_defaults(&mut crd);
    strategy::prepare_for_create(&mut crd);
    crd
}

fn version(name: &str, schema: Value) -> Value {
    json!({"name": name, "served": true, "storage": name == "v1", "schema": {"openAPIV3Schema": schema}})
}

/// A definition whose spec has these properties.
fn with_spec(properties: Value) -> CustomResourceDefinition {
    let spec = json!({"type": "object", "properties": properties});
    definition(json!([version("v1", json!({"type": "object", "properties": {"spec": spec}}))]))
}

fn texts(errs: &[crate::apiserver::validation::FieldError]) -> Vec<String> {
    errs.iter().map(ToString::to_string).collect()
}

fn widget(spec: Value) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Widget", "spec": spec,
        "metadata": {"name": "w", "namespace": "default", "resourceVersion": "1"},
    })
}

/// What is wrong with a widget with a spec, after it was pruned and defaulted.
fn create(crd: &CustomResourceDefinition, spec: Value) -> Vec<String> {
    let kind = CustomKind::new(crd, "v1").unwrap();
    let mut object = widget(spec);
    kind.coerce(&mut object, Decode::Request).unwrap();
    kind.default(&mut object);
    texts(&kind.validate_create(&object).errors)
}

#[test]
fn a_webhook_is_refused_in_plain_words() {
    let mut crd = with_spec(json!({}));
    crd.spec.conversion = serde_json::from_value(json!({"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": {"service": {"name": "s", "namespace": "n"}}}}))
    .unwrap();
    assert_eq!(
        texts(&validation::validate_create(&crd)),
        ["spec.conversion.strategy: Forbidden: conversion by a webhook is not supported here, only None"]
    );
}

#[test]
fn what_versions_do_not_have_in_common_stays_in_its_place() {
    let versions = json!([version("v1", json!({"type": "object"})), version("v2", json!({"type": "array"}))]);
    assert_eq!(
        texts(&validation::validate_create(&definition(versions))),
        [
            "spec.versions[1].schema.openAPIV3Schema.items: Required value: must be specified",
            "spec.versions[1].schema.openAPIV3Schema.type: Invalid value: \"array\": must be object at the root",
        ]
    );
    let mut status = definition(json!([version("v1", json!({"type": "object", "maxProperties": 3}))]));
    status.spec.versions[0].subresources = serde_json::from_value(json!({"status": {}})).unwrap();
    let errs = texts(&validation::validate_create(&status));
    let wanted = "spec.validation.openAPIV3Schema: Invalid value: {\"ID\":\"\",\"Schema\":\"\",\"Ref\":null,\"Description\":\"\",\"Type\":\"object\",\"Nullable\":false,";
    assert!(errs.len() == 1 && errs[0].starts_with(wanted), "{errs:?}");
}

#[test]
fn names_may_change_until_they_are_established() {
    let old = with_spec(json!({}));
    let mut new = old.clone();
    new.spec.scope = "Cluster".to_owned();
    new.spec.names.kind = "Gadget".to_owned();
    assert!(validation::validate_update(&new, &old).is_empty());
    let mut old = old;
    old.status = names::sync(&old, [&old].into_iter(), now());
    old.status = names::establish(&old, now());
    assert_eq!(
        texts(&validation::validate_update(&new, &old)),
        [
            "spec.scope: Invalid value: \"Cluster\": field is immutable",
            "spec.names.kind: Invalid value: \"Gadget\": field is immutable",
        ]
    );
}

#[test]
fn a_stored_version_has_to_stay() {
    let old = definition(json!([
        version("v1", json!({"type": "object"})),
        version("v2", json!({"type": "object"}))
    ]));
    let mut new = old.clone();
    new.spec.versions[0].storage = false;
    new.spec.versions[1].storage = true;
    strategy::prepare_for_update(&mut new, &old);
    let stored = |crd: &CustomResourceDefinition| crd.status.clone().unwrap().stored_versions.unwrap();
    assert_eq!((stored(&new), new.metadata.generation), (vec!["v1".to_owned(), "v2".to_owned()], Some(2)));
    let mut gone = new.clone();
    gone.spec.versions.remove(0);
    let errs = texts(&validation::validate_update(&gone, &new));
    assert!(
        errs.len() == 1 && errs[0].starts_with("status.storedVersions[0]: Invalid value: \"v1\": missing")
    );
    gone.status.as_mut().unwrap().stored_versions = Some(vec!["v2".to_owned()]);
    assert!(validation::validate_update(&gone, &new).is_empty());
}

#[test]
fn a_name_is_free_again_when_its_definition_is_gone() {
    let serves = |crd: &CustomResourceDefinition, version: &str| {
        let mut definitions = Definitions::default();
        definitions.put(&std::rc::Rc::new(crd.clone()));
        definitions.find("example.com", "wodgets").is_some_and(|d| d.served(version).is_some())
    };
    let mut first = with_spec(json!({}));
    first.status = names::sync(&first, [&first].into_iter(), now());
    let mut second = first.clone();
    second.metadata.name = Some("wodgets.example.com".to_owned());
    second.spec.names.plural = "wodgets".to_owned();
    second.status = None;
    second.status = names::sync(&second, [&first, &second].into_iter(), now());
    let condition = conditions::find_condition(&second, conditions::NAMES_ACCEPTED).unwrap();
    assert_eq!(condition.reason.as_deref(), Some("ListKindConflict"));
    assert!(names::establish(&second, now()).is_none() && !serves(&second, "v1"));
    second.status = names::sync(&second, [&second].into_iter(), now());
    assert!(conditions::is_true(&second, conditions::NAMES_ACCEPTED));
    assert!(names::sync(&second, [&second].into_iter(), now()).is_none());
    second.status = names::establish(&second, now());
    assert!(serves(&second, "v1") && !serves(&second, "v2"));
}

#[test]
fn a_definition_ends_when_its_objects_are_gone() {
    let mut crd = with_spec(json!({}));
    strategy::mark_for_deletion(&mut crd, now());
    assert!(finalizer::is_waiting(&crd) && conditions::is_terminating(&crd));
    crd.status = Some(finalizer::begin(&crd, now()));
    let reason = |crd: &CustomResourceDefinition| {
        conditions::find_condition(crd, conditions::TERMINATING).unwrap().reason.clone().unwrap()
    };
    assert_eq!(reason(&crd), "InstanceDeletionInProgress");
    let failed = finalizer::end(&crd, &finalizer::InstanceDeletion::NotDeleted("no".to_owned()), now());
    assert!(finalizer::is_waiting(&failed) && reason(&failed) == "InstanceDeletionFailed");
    let done = finalizer::end(&crd, &finalizer::InstanceDeletion::Completed, now());
    assert!(!finalizer::is_waiting(&done) && reason(&done) == "InstanceDeletionCompleted");
}

#[test]
fn protected_groups_need_an_approval() {
    let approve = |annotation: Option<&str>| {
        let mut crd = with_spec(json!({}));
        crd.spec.group = "gateway.networking.k8s.io".to_owned();
        crd.metadata.name = Some("widgets.gateway.networking.k8s.io".to_owned());
        crd.metadata.annotations =
            annotation.map(|a| [(validation::approval::ANNOTATION.to_owned(), a.to_owned())].into());
        let status = names::approve(&crd, now()).unwrap();
        let reason = status.conditions.unwrap()[0].reason.clone().unwrap();
        (validation::validate_create(&crd).len(), reason)
    };
    assert_eq!(approve(None), (1, "MissingAnnotation".to_owned()));
    assert_eq!(approve(Some("yes")), (1, "InvalidAnnotation".to_owned()));
    assert_eq!(approve(Some("unapproved, experimental")), (0, "UnapprovedAnnotation".to_owned()));
    let address = "https://github.com/kubernetes-sigs/gateway-api/pull/891";
    assert_eq!(approve(Some(address)), (0, "ApprovedAnnotation".to_owned()));
}

#[test]
fn what_did_not_change_may_stay_invalid() {
    let crd = with_spec(json!({
        "size": {"type": "integer", "maximum": 10},
        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string"}, "port": {"type": "integer", "maximum": 100}}}},
        "atomic": {"type": "array", "items": {"type": "integer", "maximum": 10}},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    }));
    let kind = CustomKind::new(&crd, "v1").unwrap();
    let update = |old: Value, new: Value| texts(&kind.validate_update(&widget(new), &widget(old)).errors);
    assert!(update(json!({"size": 99}), json!({"size": 99, "atomic": [1]})).is_empty());
    assert_eq!(update(json!({"size": 99}), json!({"size": 98})).len(), 1);
    let port = |name: &str, port: u32| json!({"name": name, "port": port});
    // An item is known by its key, wherever it stands.
    assert!(
        update(json!({"ports": [port("a", 999)]}), json!({"ports": [port("b", 1), port("a", 999)]}))
            .is_empty()
    );
    assert_eq!(update(json!({"ports": [port("a", 999)]}), json!({"ports": [port("b", 999)]})).len(), 1);
    assert_eq!(update(json!({"atomic": [99]}), json!({"atomic": [99, 1]})).len(), 1);
    assert!(update(json!({"set": ["a", "a"]}), json!({"set": ["b", "b"]})).is_empty());
    assert_eq!(
        update(json!({"set": ["a"]}), json!({"set": ["b", "b"]})),
        ["spec.set[1]: Duplicate value: \"b\""]
    );
}

#[test]
fn a_rule_that_was_not_kept_before_warns() {
    let rules = json!([{"rule": "self.min <= self.max"}]);
    let object = json!({"type": "object", "required": ["min", "max"], "x-kubernetes-validations": rules,
        "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}}});
    let crd = with_spec(json!({"range": object, "other": {"type": "string"}}));
    assert!(validation::validate_create(&crd).is_empty());
    let kind = CustomKind::new(&crd, "v1").unwrap();
    let bad = json!({"min": 3, "max": 1});
    let (old, new) = (widget(json!({"range": bad})), widget(json!({"range": bad, "other": "x"})));
    let validated = kind.validate_update(&new, &old);
    assert!(validated.errors.is_empty());
    assert_eq!(validated.warnings, ["spec.range: Invalid value: failed rule: self.min <= self.max"]);
    assert_eq!(kind.validate_create(&new).errors.len(), 1);
}

#[test]
fn old_and_new_items_of_a_list_belong_together_by_their_keys() {
    let item = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "maxLength": 10}, "class": {"type": "string", "maxLength": 10,
            "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "class is immutable"}]}}});
    let crd = with_spec(json!({"list": {"type": "array", "maxItems": 10, "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"], "items": item}}));
    assert_eq!(texts(&validation::validate_create(&crd)), [""; 0]);
    let kind = CustomKind::new(&crd, "v1").unwrap();
    let list = |items: &[(&str, &str)]| {
        let items: Vec<Value> = items.iter().map(|(n, c)| json!({"name": n, "class": c})).collect();
        widget(json!({"list": items}))
    };
    let old = list(&[("a", "x"), ("b", "y")]);
    assert!(kind.validate_update(&list(&[("b", "y"), ("c", "z")]), &old).errors.is_empty());
    let errs = kind.validate_update(&list(&[("b", "x")]), &old).errors;
    assert_eq!(texts(&errs), ["spec.list[0].class: Invalid value: \"x\": class is immutable"]);
}

#[test]
fn defaults_inside_embedded_metadata_are_those_of_metadata() {
    let pod = |metadata: Value| {
        json!({"template": {"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"metadata": {"type": "object", "default": metadata, "properties": {}}}}})
    };
    let crd = with_spec(pod(json!({"labels": {"a": "b"}})));
    assert_eq!(texts(&validation::validate_create(&crd)), [""; 0]);
    let crd = with_spec(pod(json!({"labels": {"a b": "c"}})));
    let errs = texts(&validation::validate_create(&crd));
    assert!(
        errs.len() == 1
            && errs[0].contains("must result in valid metadata: metadata.labels: Invalid value: \"a b\"")
    );
}

#[test]
fn selectable_fields_are_texts_of_an_object() {
    let mut crd = with_spec(json!({"color": {"type": "string"}, "size": {"type": "integer"}}));
    crd.spec.versions[0].selectable_fields =
        serde_json::from_value(json!([{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.size"}])).unwrap();
    assert!(validation::validate_create(&crd).is_empty());
    let kind = CustomKind::new(&crd, "v1").unwrap();
    let object = widget(json!({"size": 3}));
    assert_eq!(kind.selectable_field(&object, "spec.size").as_deref(), Some("3"));
    assert_eq!(kind.selectable_field(&object, "spec.color").as_deref(), Some(""));
    assert_eq!(kind.selectable_field(&object, "spec.other"), None);
}

#[test]
fn finalizers_without_a_domain_are_warned_of() {
    let kind = CustomKind::new(&with_spec(json!({})), "v1").unwrap();
    let mut object = widget(json!({}));
    object["metadata"]["finalizers"] = json!(["mine", "a.example.com", "example.com/mine", "orphan"]);
    let rest = "to avoid accidental conflicts with other finalizer writers";
    assert_eq!(
        kind.warnings(&object, None),
        [
            format!(
                "metadata.finalizers: \"a.example.com\": prefer a domain-qualified finalizer name including a path (/) {rest}"
            ),
            format!("metadata.finalizers: \"mine\": prefer a domain-qualified finalizer name {rest}"),
        ]
    );
    assert!(kind.warnings(&object, Some(&object)).is_empty());
}

#[test]
fn features_of_widely_used_definitions() {
    let crd = with_spec(json!({
        // A quantity or a percentage, as in controller-gen's output.
        "memory": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true,
            "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},
        // One of several ways, by the fields that are there.
        "solver": {"type": "object", "oneOf": [{"required": ["dns"]}, {"required": ["http"]}],
            "properties": {"dns": {"type": "object"}, "http": {"type": "object"}}},
        // Anything of a kind of one's own.
        "values": {"x-kubernetes-preserve-unknown-fields": true},
        "rules": {"type": "array", "maxItems": 16, "default": [{"path": "/"}], "items": {"type": "object",
            "properties": {"path": {"type": "string", "maxLength": 64, "default": "/"}},
            "x-kubernetes-validations": [{"rule": "self.path.startsWith('/')", "message": "must be absolute"}]}},
        "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
            "items": {"type": "object", "required": ["port"], "properties": {
                "port": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 65535},
                "protocol": {"type": "string", "default": "TCP", "enum": ["TCP", "UDP"]}}}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
        "when": {"type": "string", "format": "date-time", "nullable": true},
    }));
    assert_eq!(texts(&validation::validate_create(&crd)), [""; 0]);
    let good = json!({
        "memory": "1.5Gi", "solver": {"dns": {}}, "values": {"any": [1, {"thing": null}]}, "ports": [{"port": 80}],
        "labels": {"a": "b"}, "when": null,
    });
    assert_eq!(create(&crd, good), [""; 0]);
    assert_eq!(
        create(&crd, json!({"memory": "lots", "solver": {}, "rules": [{"path": "a"}]})),
        [
            "spec.memory: Invalid value: \"lots\": spec.memory in body should match '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'",
            "<nil>: Invalid value: \"\": \"spec.solver\" must validate one and only one schema (oneOf). Found none valid",
            "spec.solver.dns: Required value",
            "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
        ]
    );
    assert_eq!(
        create(
            &crd,
            json!({"rules": [{}, {"path": "a"}], "ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]})
        ),
        [
            "spec.ports[1]: Duplicate value: {\"port\":1,\"protocol\":\"TCP\"}",
            "spec.rules[1]: Invalid value: must be absolute",
        ]
    );
}

/// Any JSON with the words of schemas in it.
fn json_value() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "properties",
        "items",
        "default",
        "object",
        "array",
        "string",
        "integer",
        "spec",
        "metadata",
        "kind",
        "nullable",
        "required",
        "additionalProperties",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "map",
        "x-kubernetes-int-or-string",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-preserve-unknown-fields",
        "a",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "enum",
        "format",
        "date-time",
        "maximum",
        "maxLength",
        "pattern",
        "[",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6)
                .prop_map(|m| m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_schema_and_no_object_stops_the_server(schema in json_value(), spec in json_value(), old in json_value()) {
        let Ok(schema) = serde_json::from_value::<types::JSONSchemaProps>(schema) else { return Ok(()) };
        let mut crd = with_spec(json!({}));
        crd.spec.versions[0].schema = Some(types::CustomResourceValidation { open_api_v3_schema: Some(schema) });
        let _ = validation::validate_create(&crd);
        let _ = validation::validate_update(&crd, &crd);
        let Ok(kind) = CustomKind::new(&crd, "v1") else { return Ok(()) };
        let (mut new, old) = (widget(spec), widget(old));
        let _ = kind.coerce(&mut new, Decode::Stored);
        kind.default(&mut new);
        kind.prepare_for_update(&mut new, &old);
        let _ = (kind.validate_create(&new), kind.validate_update(&new, &old), kind.cells(&new, now()));
        let _ = (openapi::v2(&crd, "v1"), openapi::v3(&crd, "v1"));
    }

    #[test]
    fn no_expression_stops_the_compiler(text in "[a-c\\[\\](){}*+?|^$.\\\\0-9:,<>P=!dwsbQE-]{0,20}") {
        let _ = regexp::compile(&text);
    }
}
