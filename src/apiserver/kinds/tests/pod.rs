//! What is valid of a Pod and of its status, after `pkg/apis/core/validation/validation.go`.

use serde_json::{Value, json};

use super::{object, refusals};
use crate::api::Kind;

/// A Pod with a container, whose spec has these fields, too.
fn pod(more: Value) -> Value {
    let mut spec = json!({"containers": [{"name": "c", "image": "i"}]});
    let fields = spec.as_object_mut().unwrap();
    more.as_object().unwrap().iter().for_each(|(name, value)| {
        fields.insert(name.clone(), value.clone());
    });
    json!({"metadata": {}, "spec": spec})
}

fn of(more: Value) -> String {
    refusals(Kind::POD, pod(more))
}

/// `validatePodResources`, `validatePodResourceConsistency`.
#[test]
fn containers_fit_into_what_the_pod_says_as_a_whole() {
    let two = |own: Value, containers: Value| {
        let container = |name: &str| json!({"name": name, "image": "i", "resources": containers});
        of(json!({"resources": own, "containers": [container("a"), container("b")]}))
    };
    let cpu = |amount: &str| json!({"requests": {"cpu": amount}});
    assert_eq!(two(json!({"limits": {"memory": "1Gi"}}), cpu("2")), "", "only what the pod says is compared");
    assert_eq!(two(json!({"requests": {"memory": "1Gi"}}), cpu("2")), "");
    assert_eq!(two(cpu("4"), cpu("2")), "");
    assert_eq!(
        two(cpu("3"), cpu("2")),
        "spec.resources.requests[cpu]: Invalid value: \"3\": must be greater than or equal to aggregate container requests of 4"
    );
    let memory = |amount: &str| json!({"requests": {"memory": "1Gi"}, "limits": {"memory": amount}});
    assert_eq!(
        two(json!({"limits": {"memory": "3Gi"}}), memory("2Gi")),
        "",
        "not all containers need what they may use at once"
    );
    let pages = |amount: &str| json!({"limits": {"cpu": "1", "hugepages-2Mi": amount}});
    let refused = two(pages("4Mi"), pages("4Mi"));
    let sum = "must be greater than or equal to aggregate container";
    for field in ["requests", "limits"] {
        let error =
            format!("spec.resources.{field}[hugepages-2Mi]: Invalid value: \"4Mi\": {sum} {field} of 8Mi");
        assert!(refused.contains(&error), "{refused}");
    }
    assert_eq!(
        of(json!({"os": {"name": "windows"}, "resources": {"requests": {"gpu": "1"}}})),
        "spec.resources: Forbidden: may not be set for a windows pod"
    );
    assert_eq!(
        of(json!({"resources": {"claims": [{"name": "gpu"}]},
            "resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]})),
        "spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level"
    );
}

/// `pkg/apis/core/v1/defaults.go`, `defaultHugePagePodLimits`, `defaultPodRequests`.
#[test]
fn a_pod_has_the_huge_pages_of_its_containers_as_a_whole() {
    let whole = |own: Value| {
        let container = |name: &str| {
            let limits = json!({"cpu": "1", "hugepages-2Mi": "4Mi"});
            json!({"name": name, "image": "i", "resources": {"limits": limits}})
        };
        let spec = json!({"resources": own, "containers": [container("a"), container("b")]});
        object(Kind::POD, pod(spec)).to_value()["spec"]["resources"].clone()
    };
    assert_eq!(
        whole(json!({"requests": {"cpu": "2"}})),
        json!({"requests": {"cpu": "2", "hugepages-2Mi": "8Mi"}, "limits": {"hugepages-2Mi": "8Mi"}})
    );
    let own = json!({"requests": {"cpu": "2", "hugepages-2Mi": "16Mi"}});
    assert_eq!(whole(own.clone()), own);
}

