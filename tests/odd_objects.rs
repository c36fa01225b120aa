//! Defaulting and validation compared with the responses of a real API server
//! (`tests/conformance/api/*.jsonl`). Every creation goes through prepare, decode, defaults and validation;
//! refusals are compared word by word, defaults field by field.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::{Value, json};
use steady::api::{Kind, MetaExt, Object};
use steady::apiserver::{rest, validation};

/// The smallest numbers of rows that must agree. They may only grow.
const REFUSALS_FLOOR: usize = 123;
const DEFAULTS_FLOOR: usize = 14;
const UPDATES_FLOOR: usize = 17;

fn rows(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(format!("tests/conformance/api/{file}.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The kind and the namespace of a path.
fn target(path: &str) -> Option<(Kind, String)> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (group, version, rest) = match parts.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return None,
    };
    let (namespace, plural) = match rest {
        ["namespaces", namespace, plural, ..] => (*namespace, *plural),
        [plural, ..] => ("", *plural),
        [] => return None,
    };
    let kind = Kind::of_resource(group, version, plural)?;
    // The strategies of these kinds set more fields between defaulting and validation: a selector, an
    // annotation. The judge, which sends requests to the whole API server, covers them.
    let filled_in = [Kind::JOB, Kind::DAEMON_SET].contains(&kind);
    (!filled_in).then(|| (kind, namespace.to_owned()))
}

/// Does what the API server does before validation: sets the path's namespace and cluster IPs, and decodes.
fn decode(kind: Kind, namespace: &str, body: &Value) -> Option<Object> {
    let mut body = body.clone();
    rest::prepare(kind, &mut body);
    let mut object = Object::from_value(kind, body).ok()?;
    if kind.namespaced() && object.namespace().is_empty() {
        object.meta_mut().namespace = Some(namespace.to_owned());
    }
    if kind == Kind::SERVICE {
        let mut value = object.to_value();
        if let Some(ip) = value.pointer("/spec/clusterIP").cloned() {
            value["spec"]["clusterIPs"] = json!([ip]);
        }
        object = Object::from_value(kind, value).ok()?;
    }
    rest::default(&mut object);
    Some(object)
}

#[test]
fn refusals_read_as_recorded() {
    let (mut compared, mut agreed, mut wrong) = (0, 0, Vec::new());
    for file in [
        "01-defaulting",
        "04-deployment-validation",
        "05-pod-validation",
        "10-generate-name-dry-run",
        "15-service-configmap-namespace-validation",
    ] {
        for row in rows(file) {
            let (Some("POST"), Some(status)) = (row["method"].as_str(), row["status"].as_u64()) else {
                continue;
            };
            let Some((kind, namespace)) = target(row["path"].as_str().unwrap()) else { continue };
            let message = row["response"]["message"].as_str().unwrap_or_default();
            // Allocation of addresses and ports, and the options of requests, are checked elsewhere.
            let elsewhere = ["provided port", "failed to allocate", "Options.meta.k8s.io"];
            if !matches!(status, 201 | 422) || elsewhere.iter().any(|e| message.contains(e)) {
                continue;
            }
            let mut body = row["body"].clone();
            if let (Some(name), None) =
                (row["response"]["details"]["name"].as_str(), body.pointer("/metadata/name"))
            {
                body["metadata"]["name"] = name.into();
            }
            if status == 201 && body.pointer("/metadata/name").is_none() {
                body["metadata"]["name"] = "generated".into();
            }
            compared += 1;
            let Some(object) = decode(kind, &namespace, &body) else {
                wrong.push(format!("{file} {}: not decoded", row["n"]));
                continue;
            };
            let errors = rest::validate_create(&object);
            let ours = if errors.is_empty() {
                Value::Null
            } else {
                validation::invalid(kind, object.name(), &errors).to_value()
            };
            let theirs = if status == 201 { Value::Null } else { row["response"].clone() };
            if ours == theirs {
                agreed += 1;
            } else {
                wrong.push(format!(
                    "{file} {}:\n  ours   {}\n  theirs {}",
                    row["n"], ours["message"], theirs["message"]
                ));
            }
        }
    }
    println!("refusals: {agreed} of {compared} agree");
    assert!(wrong.is_empty(), "{agreed} of {compared} agree\n{}", wrong.join("\n"));
    assert!(agreed >= REFUSALS_FLOOR, "{agreed} of {compared} agree, at least {REFUSALS_FLOOR} must");
}

/// Removes what other parts add: the store, admission, allocation, strategies.
fn only_defaults(kind: Kind, value: &mut Value) {
    let map = value.as_object_mut().unwrap();
    let meta = map["metadata"].as_object_mut().unwrap();
    for key in ["uid", "resourceVersion", "generation", "creationTimestamp", "namespace"] {
        meta.remove(key);
    }
    match kind {
        kind if kind == Kind::POD => {
            map.remove("status");
            let spec = map["spec"].as_object_mut().unwrap();
            for key in ["serviceAccount", "serviceAccountName", "tolerations", "priority", "preemptionPolicy"]
            {
                spec.remove(key);
            }
            drop_token(spec, "volumes");
            for container in spec["containers"].as_array_mut().unwrap() {
                drop_token(container.as_object_mut().unwrap(), "volumeMounts");
            }
        }
        kind if kind == Kind::SERVICE => {
            if let Some(spec) = map.get_mut("spec").and_then(Value::as_object_mut) {
                for key in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
                    spec.remove(key);
                }
            }
        }
        kind if kind == Kind::NAMESPACE => {
            map["spec"].as_object_mut().unwrap().remove("finalizers");
        }
        _ => {}
    }
}

fn drop_token(map: &mut serde_json::Map<String, Value>, list: &str) {
    if let Some(items) = map.get_mut(list).and_then(Value::as_array_mut) {
        items.retain(|v| !v["name"].as_str().unwrap_or_default().starts_with("kube-api-access"));
        if items.is_empty() {
            map.remove(list);
        }
    }
}

#[test]
fn defaults_are_as_recorded() {
    let (mut compared, mut agreed, mut wrong) = (0, 0, Vec::new());
    for row in rows("01-defaulting") {
        if row["method"] != "POST" || row["status"] != 201 {
            continue;
        }
        let Some((kind, namespace)) = target(row["path"].as_str().unwrap()) else { continue };
        compared += 1;
        let mut ours = decode(kind, &namespace, &row["body"]).unwrap().to_value();
        let mut theirs = row["response"].clone();
        only_defaults(kind, &mut ours);
        only_defaults(kind, &mut theirs);
        if ours == theirs {
            agreed += 1;
        } else {
            wrong.push(format!("{}:\n  ours   {ours}\n  theirs {theirs}", row["n"]));
        }
    }
    println!("defaults: {agreed} of {compared} agree");
    assert!(wrong.is_empty(), "{agreed} of {compared} agree\n{}", wrong.join("\n"));
    assert!(agreed >= DEFAULTS_FLOOR, "{agreed} of {compared} agree, at least {DEFAULTS_FLOOR} must");
}

#[test]
fn defaulting_twice_changes_nothing() {
    for file in ["01-defaulting", "05-pod-validation"] {
        for row in rows(file) {
            let (Some((kind, namespace)), true) =
                (target(row["path"].as_str().unwrap()), row["method"] == "POST")
            else {
                continue;
            };
            let Some(once) = decode(kind, &namespace, &row["body"]) else { continue };
            let mut twice = once.clone();
            rest::default(&mut twice);
            assert_eq!(once, twice, "{file} {}", row["n"]);
        }
    }
}

/// A merge patch (RFC 7386) that merges lists of named items by name: enough of Kubernetes' strategic merge
/// for these rows.
fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                if value.is_null() {
                    target.remove(key);
                } else {
                    merge(target.entry(key.clone()).or_insert(Value::Null), value);
                }
            }
        }
        (Value::Array(target), Value::Array(patch)) if patch.iter().all(|p| p["name"].is_string()) => {
            for item in patch {
                match target.iter_mut().find(|t| t["name"] == item["name"]) {
                    Some(found) => merge(found, item),
                    None => target.push(item.clone()),
                }
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}

/// Recorded times and generated names are masked; the typed object and its rules need real ones.
fn unmask(value: &mut Value) {
    match value {
        Value::String(s) if s == "<time>" => *value = "2026-01-01T00:00:00Z".into(),
        Value::String(s) if s.ends_with("-<r>") => *value = s.replace("<r>", "x").into(),
        Value::Array(items) => items.iter_mut().for_each(unmask),
        Value::Object(map) => map.values_mut().for_each(unmask),
        _ => {}
    }
}

/// The stored object is that of the last response. The store sets the generation.
#[test]
fn updates_are_refused_as_recorded() {
    let mut stored: std::collections::BTreeMap<String, Value> = Default::default();
    let (mut compared, mut agreed, mut wrong) = (0, 0, Vec::new());
    for row in rows("07-immutable-generation") {
        let path = row["path"].as_str().unwrap();
        let Some((kind, _)) = target(path) else { continue };
        let status = row["status"].as_u64().unwrap();
        let method = row["method"].as_str().unwrap();
        let subresource = path.ends_with("/status") || path.ends_with("/scale");
        let merge_patch = matches!(
            row["contentType"].as_str(),
            Some("application/merge-patch+json" | "application/strategic-merge-patch+json")
        );
        // Admission adds the standard tolerations; the Service's strategy drops the fields of its former
        // type.
        let elsewhere = ["/spec/tolerations", "/spec/type"].iter().any(|p| row["body"].pointer(p).is_some());
        if method == "PATCH" && !elsewhere && merge_patch && !subresource && matches!(status, 200 | 422) {
            let name = path.rsplit('/').next().unwrap();
            if let Some(before) = stored.get(&format!("{kind:?}/{name}")) {
                compared += 1;
                let mut after = before.clone();
                merge(&mut after, &row["body"]);
                if let Some(ip) = row["body"].pointer("/spec/clusterIP") {
                    after["spec"]["clusterIPs"] = json!([ip]);
                }
                if before["metadata"]["generation"] != after["metadata"]["generation"] {
                    after["metadata"]["generation"] = before["metadata"]["generation"].clone();
                }
                after["metadata"]["creationTimestamp"] = before["metadata"]["creationTimestamp"].clone();
                let decode = |mut v: Value| {
                    unmask(&mut v);
                    rest::prepare(kind, &mut v);
                    let mut o = Object::from_value(kind, v).unwrap();
                    rest::default(&mut o);
                    o
                };
                let errors = rest::validate_update(&decode(after), &decode(before.clone()));
                let mut ours = if errors.is_empty() {
                    Value::Null
                } else {
                    validation::invalid(kind, name, &errors).to_value()
                };
                let theirs = if status == 200 { Value::Null } else { row["response"].clone() };
                // Addresses are masked in the recording, so they are not valid addresses.
                if kind == Kind::SERVICE && ours != theirs {
                    let real: Vec<_> = errors
                        .iter()
                        .filter(|e| !e.detail.starts_with("must be a valid IP address"))
                        .cloned()
                        .collect();
                    ours = if real.is_empty() {
                        Value::Null
                    } else {
                        validation::invalid(kind, name, &real).to_value()
                    };
                }
                if ours == theirs {
                    agreed += 1;
                } else {
                    wrong.push(format!(
                        "{}:\n  ours   {}\n  theirs {}",
                        row["n"], ours["message"], theirs["message"]
                    ));
                }
            }
        }
        let response = &row["response"];
        if matches!(status, 200 | 201) && response["kind"] == kind.as_str() {
            let name = response["metadata"]["name"].as_str().unwrap();
            stored.insert(format!("{kind:?}/{name}"), response.clone());
        }
    }
    println!("updates: {agreed} of {compared} agree");
    assert!(wrong.is_empty(), "{agreed} of {compared} agree\n{}", wrong.join("\n"));
    assert!(agreed >= UPDATES_FLOOR, "{agreed} of {compared} agree, at least {UPDATES_FLOOR} must");
}

/// No body, however odd, causes a panic.
#[test]
fn odd_objects_end_in_errors() {
    for kind in Kind::BUILT_IN {
        for body in [
            json!({}),
            json!({"spec": {}}),
            json!({"spec": {}, "status": {}, "metadata": {"namespace": "x"}}),
        ] {
            let mut body = body;
            rest::prepare(*kind, &mut body);
            let Ok(mut object) = Object::from_value(*kind, body) else { continue };
            let bare = object.clone();
            assert!(!rest::validate_create(&bare).is_empty(), "{kind:?} without a name");
            rest::default(&mut object);
            rest::validate_update(&object, &bare);
            rest::validate_status_update(&object, &bare);
            assert!(MetaExt::name(object.meta()).is_empty());
        }
    }
}

/// Every leaf and every branch of every recorded body is replaced by something odd. Whatever can still be
/// decoded must be validated without a panic, and defaulted to a fixed point.
#[test]
fn mutated_bodies_end_in_errors() {
    fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
        out.push(at.to_owned());
        match value {
            Value::Object(map) => map.iter().for_each(|(k, v)| {
                pointers(v, &format!("{at}/{}", k.replace('~', "~0").replace('/', "~1")), out);
            }),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, v)| pointers(v, &format!("{at}/{i}"), out));
            }
            _ => {}
        }
    }
    let odd = [
        Value::Null,
        json!(""),
        json!("é\u{0}<&>\"\\".repeat(40)),
        json!("-1Mi"),
        json!("0.0000000001"),
        json!(-1),
        json!(0),
        json!(i64::MIN),
        json!(i32::MAX),
        json!([]),
        json!({}),
        json!(true),
        json!({"": ""}),
    ];
    let mut validated = 0;
    for file in [
        "01-defaulting",
        "04-deployment-validation",
        "05-pod-validation",
        "15-service-configmap-namespace-validation",
    ] {
        for row in rows(file) {
            let (Some((kind, namespace)), true) =
                (target(row["path"].as_str().unwrap()), row["method"] == "POST")
            else {
                continue;
            };
            let Some(whole) = decode(kind, &namespace, &row["body"]) else { continue };
            let mut places = Vec::new();
            pointers(&row["body"], "", &mut places);
            for place in places.iter().filter(|p| !p.is_empty()) {
                for value in &odd {
                    let mut body = row["body"].clone();
                    *body.pointer_mut(place).unwrap() = value.clone();
                    let Some(object) = decode(kind, &namespace, &body) else { continue };
                    validated += 1;
                    for error in rest::validate_create(&object) {
                        let _ = error.to_string();
                    }
                    rest::validate_update(&object, &whole);
                    rest::validate_status_update(&object, &whole);
                    let mut again = object.clone();
                    rest::default(&mut again);
                    assert_eq!(object, again, "{file} {} {place} {value}", row["n"]);
                }
            }
        }
    }
    println!("mutations: {validated} validated");
    assert!(validated > 1000);
}
