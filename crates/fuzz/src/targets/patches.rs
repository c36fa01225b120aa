//! Patches as functions of values. Patches that are sent are among the requests.

use serde_json::{Value, json};
use steady::api::patch::{
    PatchError, create_json_merge_patch, create_three_way_json_merge_patch, create_three_way_merge_patch,
    create_two_way_merge_patch, json_merge_patch, json_patch, refused_patch_text, strategic_merge,
};
use steady::api::{Kind, Object, yaml};

use crate::heard::Heard;
use crate::seeds;

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut before = Value::Null;
    for text in seeds::manifests() {
        for document in yaml::documents(&text, &yaml::Limits::default()).unwrap_or_default() {
            let other =
                if before["kind"] == document.value["kind"] { before } else { document.value.clone() };
            all.push(json!({"from": document.value, "to": other, "last": other}));
            before = document.value;
        }
    }
    for request in seeds::requests(&["03", "13", "26"]) {
        for patch in request.as_array().into_iter().flatten().filter(|r| r["method"] == "PATCH") {
            let from = request[0]["body"].clone();
            all.push(json!({"from": from, "to": patch["body"], "last": from, "patch": patch["body"]}));
        }
    }
    super::values(all)
}

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let Ok(input) = serde_json::from_slice::<Value>(input) else { return };
    let (from, to, last) = (&input["from"], &input["to"], &input["last"]);
    let patch = if input["patch"].is_null() { to } else { &input["patch"] };

    let merged = json_merge_patch(from.clone(), patch);
    assert!(
        json_merge_patch(merged.clone(), patch) == merged,
        "a merge patch does something when applied twice"
    );
    if from.is_object() && to.is_object() {
        let made = create_json_merge_patch(from, to);
        let result = json_merge_patch(from.clone(), &made);
        assert!(result == without_nulls(to, from), "{from}\n{to}\n{made}\n{result}");
    }
    let _ = create_three_way_json_merge_patch(last, to, from);
    said("json patch", &json_patch(from.clone(), patch), heard);

    let text = |name: &str| from[name].as_str().unwrap_or_default();
    let kind = Kind::of(text("apiVersion"), text("kind")).unwrap_or(Kind::DEPLOYMENT);
    said("strategic", &strategic_merge(kind, from.clone(), patch), heard);
    let _ = refused_patch_text(from, patch);
    said("two-way", &create_two_way_merge_patch(kind, from, to), heard);
    let three = create_three_way_merge_patch(kind, last, to, from);
    said("three-way", &three, heard);
    if let Ok(three) = three {
        said("three-way applied", &strategic_merge(kind, from.clone(), &three), heard);
    }
    // Between two objects a patch leads from one to the other.
    let object = |value: &Value| Object::decode(kind, value.clone()).ok().map(|d| d.object.to_value());
    if let (Some(a), Some(b)) = (object(from), object(to))
        && let Ok(made) = create_two_way_merge_patch(kind, &a, &b)
    {
        said("of objects", &strategic_merge(kind, a, &made), heard);
    }
}

fn said(of: &str, result: &Result<Value, PatchError>, heard: &mut Heard) {
    match result {
        Ok(_) => heard.say(of, ""),
        Err(why) => heard.say(of, why.message()),
    }
}

/// A merge patch cannot set a field to null: such a field is as if it were not there, where the other object does not have it
/// with null, too.
fn without_nulls(value: &Value, from: &Value) -> Value {
    match (value, from) {
        (Value::Object(map), from) => {
            let of = |key: &String| from.get(key).unwrap_or(&Value::Null);
            let kept = map.iter().filter(|(k, v)| !v.is_null() || from.get(*k).is_some_and(Value::is_null));
            Value::Object(kept.map(|(k, v)| (k.clone(), without_nulls(v, of(k)))).collect())
        }
        (other, _) => other.clone(),
    }
}
