#![allow(clippy::unwrap_used)]
use super::*;
use serde_json::json;

/// The patches of the recorded group 03, one after the other, on a Deployment like the recorded one.
#[test]
fn recorded_patches() {
    let mut d = json!({"spec": {"replicas": 2, "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%"}},
        "template": {"spec": {"containers": [
            {"name": "nginx", "image": "nginx:1.26", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
            {"name": "sidecar", "image": "busybox:1.36"}]}}}});
    let strategic = |d: Value, p: Value| strategic_merge(Kind::DEPLOYMENT, d, &p).unwrap();
    d = json_merge_patch(d, &json!({"spec": {"replicas": 3}}));
    d = strategic(
        d,
        json!({"spec": {"template": {"spec": {"containers": [{"name": "nginx", "image": "nginx:1.27"}]}}}}),
    );
    d = strategic(
        d,
        json!({"spec": {"template": {"spec": {"containers": [
        {"name": "nginx", "env": [{"name": "B", "$patch": "delete"}, {"name": "C", "value": "3"}]}]}}}}),
    );
    assert_eq!(d["spec"]["replicas"], 3);
    let nginx = json!({"name": "nginx", "image": "nginx:1.27", "env": [{"name": "C", "value": "3"}, {"name": "A", "value": "1"}]});
    assert_eq!(
        d["spec"]["template"]["spec"]["containers"],
        json!([nginx, {"name": "sidecar", "image": "busybox:1.36"}])
    );
    d = strategic(
        d,
        json!({"spec": {"template": {"spec": {
        "$setElementOrder/containers": [{"name": "sidecar"}, {"name": "nginx"}],
        "containers": [{"name": "sidecar", "image": "busybox:1.37"}]}}}}),
    );
    assert_eq!(
        d["spec"]["template"]["spec"]["containers"],
        json!([{"name": "sidecar", "image": "busybox:1.37"}, nginx])
    );
    d = strategic(d, json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}));
    assert_eq!(d["spec"]["strategy"], json!({"type": "Recreate"}));
}

#[test]
fn json_patches() {
    let d = json!({"a": {"b": [1, 2, 3]}, "c~/d": null});
    for (patch, want) in [
        (
            json!([{"op": "test", "path": "/a/b/0", "value": 1}, {"op": "replace", "path": "/a/b/0", "value": 9}]),
            Some(json!([9, 2, 3])),
        ),
        (json!([{"op": "add", "path": "/a/b/-", "value": 4}]), Some(json!([1, 2, 3, 4]))),
        (json!([{"op": "add", "path": "/a/b/3", "value": 4}]), Some(json!([1, 2, 3, 4]))),
        (json!([{"op": "add", "path": "/a/b/4", "value": 4}]), None),
        (json!([{"op": "remove", "path": "/a/b/1"}]), Some(json!([1, 3]))),
        (json!([{"op": "remove", "path": "/a/b/-1"}]), Some(json!([1, 2]))),
        (json!([{"op": "move", "from": "/a/b/0", "path": "/a/b/2"}]), Some(json!([2, 3, 1]))),
        (json!([{"op": "copy", "from": "/a/b/0", "path": "/a/b/-"}]), Some(json!([1, 2, 3, 1]))),
        (json!([{"op": "test", "path": "/c~0~1d", "value": null}]), Some(json!([1, 2, 3]))),
        (json!([{"op": "test", "path": "/nothing", "value": null}]), Some(json!([1, 2, 3]))),
        (json!([{"op": "test", "path": "/a/b", "value": 99}]), None),
        (json!([{"op": "remove", "path": "/nothing"}]), None),
        (json!([{"op": "replace", "path": "/a/nothing", "value": 1}]), Some(json!([1, 2, 3]))),
        (json!([{"op": "add", "path": "/x/y", "value": 1}]), None),
        (json!([{"op": "add", "path": "no/slash", "value": 1}]), Some(json!([1, 2, 3]))),
        (json!([{"op": "add", "path": "noslash", "value": 1}]), None),
        (json!([{"op": "jump", "path": "/a"}]), None),
        (json!([7]), None),
    ] {
        let got = json_patch(d.clone(), &patch);
        match want {
            Some(want) => assert_eq!(got.unwrap()["a"]["b"], want, "{patch}"),
            None => assert!(
                matches!(got, Err(PatchError::Unprocessable(_) | PatchError::TestFailed(_))),
                "{patch}"
            ),
        }
    }
    // The words of `patch.go` of `gopkg.in/evanphx/json-patch.v4`.
    for (patch, why) in [
        (
            json!({"op": "remove", "path": "/nothing"}),
            "error in remove for path: '/nothing': Unable to remove nonexistent key: nothing: missing value",
        ),
        (
            json!({"op": "add", "path": "/x/y"}),
            "add operation does not apply: doc is missing path: \"/x/y\": missing value",
        ),
        (
            json!({"op": "replace", "path": "/a/b/-"}),
            "replace operation does not apply: doc is missing key: /a/b/-: missing value",
        ),
        (
            json!({"op": "add", "path": "/a/b/7"}),
            "error in add for path: '/a/b/7': Unable to access invalid index: 7: invalid index referenced",
        ),
        (
            json!({"op": "move", "from": "/a/b/x", "path": "/a"}),
            "error in move for path: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
        ),
        (
            json!({"op": "copy", "path": "/a"}),
            "copy operation failed to decode from: operation, missing from field: missing value",
        ),
        (json!({"op": "test", "path": "/a", "value": 1}), "testing value /a failed: test failed"),
        (json!({"path": "/a"}), "Unexpected kind: unknown"),
    ] {
        let refused = json_patch(d.clone(), &json!([patch])).unwrap_err();
        assert_eq!(refused.message(), why);
    }
    assert_eq!(
        json_patch(d, &json!({"op": "add"})).unwrap_err().message(),
        "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"
    );
}

#[test]
fn merge_patches() {
    // Some rows of the table in RFC 7386, appendix A.
    for (original, patch, want) in [
        (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
        (json!({"a": "b"}), json!({"a": null}), json!({})),
        (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
        (json!(["a", "b"]), json!({"a": "b", "c": null}), json!({"a": "b"})),
        (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        (json!({"a": 1}), json!(["c"]), json!(["c"])),
    ] {
        assert_eq!(json_merge_patch(original, &patch), want, "{patch}");
    }
}

#[test]
fn directives() {
    let merge = |original: Value, patch: Value| strategic_merge(Kind::POD, original, &patch);
    let pod = || {
        json!({"metadata": {"labels": {"a": "1"}, "finalizers": ["x", "y"]},
        "spec": {"containers": [{"name": "a"}, {"name": "b"}], "tolerations": [{"key": "k"}], "nodeSelector": {"d": "ssd"}}})
    };
    for (patch, path, want) in [
        (json!({"metadata": {"finalizers": ["z", "x"]}}), "/metadata/finalizers", json!(["z", "x", "y"])),
        (
            json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["x"]}}),
            "/metadata/finalizers",
            json!(["y"]),
        ),
        (
            json!({"metadata": {"labels": {"$patch": "replace", "b": "2"}}}),
            "/metadata/labels",
            json!({"b": "2"}),
        ),
        (json!({"metadata": {"labels": {"$patch": "delete"}}}), "/metadata/labels", json!({})),
        (
            json!({"metadata": {"annotations": {"a": null, "b": "1"}}}),
            "/metadata/annotations",
            json!({"b": "1"}),
        ),
        (
            json!({"spec": {"containers": [{"$patch": "replace"}, {"name": "c"}]}}),
            "/spec/containers",
            json!([{"name": "c"}]),
        ),
        (
            json!({"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}),
            "/spec/containers",
            json!([{"name": "b"}]),
        ),
        (json!({"spec": {"tolerations": [{"key": "l"}]}}), "/spec/tolerations", json!([{"key": "l"}])),
        (json!({"spec": {"nodeSelector": {"e": "f"}}}), "/spec/nodeSelector", json!({"d": "ssd", "e": "f"})),
        (json!({"spec": {"containers": null}}), "/spec/containers", Value::Null),
    ] {
        let got = merge(pod(), patch.clone()).unwrap();
        assert_eq!(got.pointer(path).cloned().unwrap_or(Value::Null), want, "{patch}");
    }
    for (patch, want) in [
        (
            json!({"spec": {"containers": [{"image": "x"}]}}),
            "map: map[image:x] does not contain declared merge key: name",
        ),
        (
            json!({"spec": {"containers": ["x"]}}),
            "list element types are not identical: [[map[name:a] map[name:b]] [x]]",
        ),
        (json!({"spec": {"$patch": "jump"}}), "unknown patch type: jump in map: map[$patch:jump]"),
        (
            json!({"spec": {"$setElementOrder/containers": "x"}}),
            "expected a []interface {}, but received a string",
        ),
        (json!({"spec": {"$retainKeys": ["a"], "b": 1}}), "invalid patch format of retainKeys"),
        (json!([1]), "invalid JSON document"),
    ] {
        assert_eq!(merge(pod(), patch.clone()).unwrap_err().message(), want, "{patch}");
    }
}

/// An added item takes the place of a deleted one, after the object's other items.
#[test]
fn an_added_item_takes_a_deleted_ones_place() {
    let pod = json!({"spec": {"containers": [{"name": "gone"}, {"name": "kept"}, {"name": "other"}]}});
    let patch = json!({"spec": {"$setElementOrder/containers": [{"name": "kept"}, {"name": "new"}],
        "containers": [{"name": "new"}, {"name": "gone", "$patch": "delete"}]}});
    let got = strategic_merge(Kind::POD, pod, &patch).unwrap();
    assert_eq!(got["spec"]["containers"], json!([{"name": "kept"}, {"name": "other"}, {"name": "new"}]));
}

/// The patches of kubectl's `set`, `label` and `apply`, and what the API server shows when it refuses one.
#[test]
fn patches_of_kubectl() {
    let live = json!({"metadata": {"labels": {"app": "w"}, "annotations": {"other": "1"}}, "spec": {"replicas": 5, "paused": false,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
        "template": {"spec": {"containers": [{"name": "a", "image": "a:1", "imagePullPolicy": "Always"}, {"name": "b", "image": "b:1"}]}}}});
    let mut set = live.clone();
    set["spec"]["template"]["spec"]["containers"][1]["image"] = json!("b:2");
    assert_eq!(
        create_two_way_merge_patch(Kind::DEPLOYMENT, &live, &set).unwrap(),
        json!({"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "a"}, {"name": "b"}],
            "containers": [{"image": "b:2", "name": "b"}]}}}})
    );
    assert_eq!(create_two_way_merge_patch(Kind::DEPLOYMENT, &live, &live).unwrap(), json!({}));

    let last = json!({"metadata": {"labels": {"app": "w", "gone": "1"}}, "spec": {"replicas": 3,
        "template": {"spec": {"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]}}}});
    let new = json!({"metadata": {"labels": {"app": "w"}}, "spec": {"replica": 3, "strategy": {"type": "Recreate"},
        "template": {"spec": {"containers": [{"name": "a", "imagee": "a:1"}]}}}});
    let patch = create_three_way_merge_patch(Kind::DEPLOYMENT, &last, &new, &live).unwrap();
    assert_eq!(
        patch,
        json!({"metadata": {"labels": {"gone": null}}, "spec": {"replica": 3, "replicas": null,
            "strategy": {"$retainKeys": ["type"], "type": "Recreate"},
            "template": {"spec": {"$setElementOrder/containers": [{"name": "a"}],
                "containers": [{"imagee": "a:1", "image": null, "name": "a"}, {"name": "b", "$patch": "delete"}]}}}})
    );
    assert_eq!(
        refused_patch_text(&live, &patch),
        "map[metadata:map[labels:map[gone:<nil>]] spec:map[replica:3 replicas:<nil> strategy:map[type:Recreate] template:map[spec:map[]]]]"
    );
    let patched = strategic_merge(Kind::DEPLOYMENT, live, &patch).unwrap();
    assert_eq!(
        patched,
        json!({"metadata": {"labels": {"app": "w"}, "annotations": {"other": "1"}}, "spec": {"replica": 3, "paused": false,
            "strategy": {"type": "Recreate"},
            "template": {"spec": {"containers": [{"name": "a", "imagee": "a:1", "imagePullPolicy": "Always"}]}}}})
    );
}

/// A two-way patch leads from any pod to any other; applying the same manifest again changes nothing.
#[test]
fn patches_lead_where_they_should() {
    let mut seed = 3u64;
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    let mut pod = || {
        let mut containers = Vec::new();
        let start = random(4);
        for i in 0..random(4) {
            let mut c = json!({"name": format!("c{}", (start + i) % 4)});
            for (key, n) in [("image", 3), ("workingDir", 2)] {
                if random(2) == 0 {
                    c[key] = json!(random(n).to_string());
                }
            }
            let ports: Vec<Value> = (0..random(3))
                .map(|p| json!({"containerPort": 80 + p, "name": random(2).to_string()}))
                .collect();
            if !ports.is_empty() {
                c["ports"] = json!(ports);
            }
            containers.push(c);
        }
        let mut finalizers: Vec<Value> =
            (0..4u64).filter(|_| random(2) == 0).map(|i| json!(i.to_string())).collect();
        if random(2) == 0 {
            finalizers.reverse();
        }
        let mut labels = Map::new();
        for key in ["a", "b"] {
            if random(2) == 0 {
                labels.insert(key.into(), json!(random(2).to_string()));
            }
        }
        let args: Vec<Value> = (0..random(3)).map(|_| json!(random(2).to_string())).collect();
        json!({"metadata": {"labels": labels, "finalizers": finalizers}, "spec": {"containers": containers,
            "tolerations": args, "dnsPolicy": random(2).to_string()}})
    };
    let same = |a: &Value, b: &Value| {
        // An emptied list stays as an empty list.
        crate::api::yaml::to_yaml(a).replace("[]", "") == crate::api::yaml::to_yaml(b).replace("[]", "")
    };
    for _ in 0..3000 {
        let (a, b, live) = (pod(), pod(), pod());
        let patch = create_two_way_merge_patch(Kind::POD, &a, &b).unwrap();
        let got = strategic_merge(Kind::POD, a.clone(), &patch).unwrap();
        assert!(same(&got, &b), "{a}\n{b}\n{patch}\n{got}");
        let patch = create_three_way_merge_patch(Kind::POD, &a, &b, &live).unwrap();
        let applied = strategic_merge(Kind::POD, live.clone(), &patch).unwrap();
        let again = create_three_way_merge_patch(Kind::POD, &b, &b, &applied).unwrap();
        let stable = strategic_merge(Kind::POD, applied.clone(), &again).unwrap();
        assert!(same(&stable, &applied), "{a}\n{b}\n{live}\n{applied}\n{again}");
        let got = json_merge_patch(live, &patch);
        let _ = strategic_merge(Kind::POD, got, &b);
    }
}

#[test]
fn fields() {
    let containers = field_info(Kind::DEPLOYMENT, &["spec", "template", "spec", "containers"]).unwrap();
    assert!(containers.merge && containers.merge_key == "name");
    let ports = field_info(Kind::POD, &["spec", "containers", "ports"]).unwrap();
    assert_eq!(ports.list_type, Some(ListType::Map(&["containerPort", "protocol"])));
    assert!(field_info(Kind::DEPLOYMENT, &["spec", "strategy"]).unwrap().retain_keys);
    assert!(field_info(Kind::POD, &["metadata", "ownerReferences", "uid"]).is_none());
    assert!(field_info(Kind::POD_DISRUPTION_BUDGET, &["spec", "selector"]).unwrap().replace);
}

/// What a patch copies doubles each time (`AccumulatedCopySizeLimit` of `evanphx/json-patch`), and a place can be reached that
/// no text could have.
#[test]
fn a_json_patch_cannot_make_a_document_without_bounds() {
    let copies: Vec<Value> =
        (0..40).map(|n| json!({"op": "copy", "from": "/o", "path": format!("/o/a{n}")})).collect();
    let refused = json_patch(json!({"o": {"text": "x".repeat(100)}}), &copies.into()).unwrap_err();
    assert!(refused.message().starts_with("Unable to complete the copy, the accumulated size increase"));
    let deep = json!([{"op": "add", "path": "/a".repeat(501), "value": 1}]);
    assert_eq!(json_patch(json!({}), &deep).unwrap_err().message(), "exceeded max depth");
}
