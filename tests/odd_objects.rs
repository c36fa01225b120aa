//! Objects that nobody would write: defaulting and validation of odd bodies, and of the recorded ones
//! (`tests/conformance/api/*.jsonl`) with odd values in every place. What is answered to the recorded bodies themselves is
//! compared by the judge (`crates/conformance`, suite `api`), which sends them to the whole API server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::{Value, json};
use steady::api::{Kind, MetaExt, Object};
use steady::apiserver::rest;

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
    rest::prepare(kind, &mut body).ok()?;
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
            assert_eq!(rest::prepare(*kind, &mut body), Ok(()));
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
