//! What is valid of a Pod and of its status, after `pkg/apis/core/validation/validation.go`.

use serde_json::{Value, json};

use super::{object, prepare_for_status_update, refusals, said};
use crate::api::types::Pod;
use crate::api::{Kind, Object, Timestamp};
use crate::apiserver::rest::{validate_status_update, warnings_on_status_update};

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

/// `validateHostUsers`.
#[test]
fn a_pod_with_users_of_its_own_shares_little_with_the_host() {
    let said = of(json!({
        "hostUsers": false, "hostPID": true, "hostIPC": true,
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "v"}}],
        "containers": [{"name": "c", "image": "i"},
            {"name": "d", "image": "i", "volumeDevices": [{"name": "v", "devicePath": "/dev/v"}]}],
    }));
    assert_eq!(
        said,
        "[spec.HostPID: Forbidden: when `hostUsers` is false, spec.HostIPC: Forbidden: when `hostUsers` is false, spec.containers[1].volumeDevices: Forbidden: when `hostUsers` is false]"
    );
}

#[test]
fn words_that_a_pod_may_not_say() {
    let relabel = |policy: &str| of(json!({"securityContext": {"seLinuxChangePolicy": policy}}));
    assert_eq!(relabel("Recursive"), "");
    // `validateSELinuxChangePolicy`, `useOnlyRecursiveSELinuxChangePolicy` in `pkg/api/pod/util.go`.
    assert_eq!(
        relabel("MountOption"),
        "spec.securityContext.seLinuxChangePolicy: Unsupported value: \"MountOption\": supported values: \"Recursive\""
    );
    // `validateOS`.
    assert_eq!(of(json!({"os": {"name": ""}})), "spec.os.name: Required value");
    // `ValidateTolerations`.
    let tolerates = |operator: &str| {
        of(json!({"tolerations": [{"key": "k", "operator": operator, "value": "1", "effect": "NoExecute"}]}))
    };
    let refusal = "spec.tolerations[0].operator: Unsupported value:";
    assert_eq!(
        tolerates("Gt"),
        format!("{refusal} \"Gt\": supported values: \"Equal\", \"Exists\", \"Lt\", \"Gt\"")
    );
    assert_eq!(tolerates("Near"), format!("{refusal} \"Near\": supported values: \"Equal\", \"Exists\""));
    // `validatePodResourceClaim`.
    let claims = json!([{"name": "Not Valid"}]);
    let mut mirror = pod(json!({"nodeName": "n", "resourceClaims": claims}));
    mirror["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "hash"});
    assert_eq!(refusals(Kind::POD, mirror), ": Forbidden: static pods do not support resource claims");
}

/// `validateFileKeyRef`, `validateFileKeyRefVolumes`.
#[test]
fn a_variable_is_read_from_an_empty_dir() {
    let read = |volume: &str, path: &str| {
        let file = json!({"volumeName": volume, "path": path, "key": "K"});
        of(json!({
            "volumes": [{"name": "empty", "emptyDir": {}}, {"name": "host", "hostPath": {"path": "/", "type": ""}}],
            "containers": [{"name": "c", "image": "i", "env": [{"name": "A", "valueFrom": {"fileKeyRef": file}}]}],
        }))
    };
    let at = "spec.containers[0].env[0].valueFrom.fileKeyRef";
    assert_eq!(read("empty", "a/b.env"), "");
    assert_eq!(read("empty", "/a..b/..c"), "", "a path may be absolute");
    assert_eq!(
        read("empty", "a/../b"),
        format!("{at}.path: Invalid value: \"a/../b\": must not contain '..'")
    );
    assert_eq!(read("other", "a"), format!("{at}.volumeName: Not found: \"other\""));
    assert_eq!(
        read("host", "a"),
        format!("{at}.volumeName: Invalid value: \"host\": referenced volume must be of type emptyDir")
    );
    let refused = read("Not_A_Label", "a");
    assert!(refused.contains("volumeName: Invalid value: \"Not_A_Label\": a lowercase RFC 1123 label"));
    assert!(refused.contains("volumeName: Not found: \"Not_A_Label\""), "{refused}");
}

/// `validatePodHostName`, and its place in `ValidatePodSpec`.
#[test]
fn a_hostname_is_overridden_by_one_field() {
    let refused = of(json!({"hostnameOverride": "Web", "setHostnameAsFQDN": true, "hostNetwork": true,
        "serviceAccountName": "Not Valid"}));
    let at = "spec.hostnameOverride";
    let errors = [
        format!("{at}: Forbidden: may not be specified when setHostnameAsFQDN is true"),
        format!("{at}: Forbidden: may not be specified when hostNetwork is true"),
        format!("{at}: Invalid value: \"Web\": a lowercase RFC 1123 subdomain"),
        "spec.serviceAccountName: Invalid value".to_owned(),
    ];
    let places: Vec<Option<usize>> = errors.iter().map(|e| refused.find(e.as_str())).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {refused}");
    let long = of(json!({"hostnameOverride": "a".repeat(63) + ".a"}));
    assert_eq!(long, format!("{at}: Too long: may not be more than 64 bytes"));
}

fn with_status(more: Value, status: Value) -> Object {
    let mut body = pod(more);
    body["status"] = status;
    object(Kind::POD, body)
}

/// `ValidatePodStatusUpdate`, `validatePodConditions`.
#[test]
fn what_a_status_may_not_say() {
    let bound = json!({"nodeName": "n"});
    let refused = |more: &Value, before: Value, status: Value| {
        said(&validate_status_update(&with_status(more.clone(), status), &with_status(more.clone(), before)))
    };
    let nominated = json!({"nominatedNodeName": "m"});
    assert_eq!(refused(&json!({}), json!({}), nominated.clone()), "");
    assert_eq!(refused(&bound, nominated.clone(), nominated.clone()), "", "nothing changes");
    assert_eq!(
        refused(&bound, json!({}), nominated),
        "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node"
    );
    let conditions = json!([{"type": "Ready", "status": "True", "observedGeneration": -1}, {"type": "a b", "status": "True"}]);
    let said = refused(&bound, json!({}), json!({"observedGeneration": -2, "conditions": conditions}));
    for error in [
        "status.conditions[0].observedGeneration: Invalid value: -1: must be a non-negative integer",
        "status.conditions[1].Type: Invalid value: \"a b\": name part must consist",
        "status.observedGeneration: Invalid value: -2: must be a non-negative integer",
    ] {
        assert!(said.contains(error), "{said}");
    }
}

/// `validateContainerStatusAllocatedResourcesStatus`, `validateContainerStatusNoAllocatedResourcesStatus`.
#[test]
fn the_health_of_devices_is_that_of_what_a_container_has() {
    let spec = json!({
        "resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}],
        "containers": [{"name": "c", "image": "i", "resources": {
            "limits": {"example.com/nic": "1"}, "claims": [{"name": "gpu", "request": "one"}]}}]});
    let of = |field: &str, container: &str, resource: &str, devices: Value| {
        let allocated = json!([{"name": resource, "resources": devices}]);
        let status = json!({"name": container, "image": "i", "imageID": "", "ready": true, "restartCount": 0,
            "allocatedResourcesStatus": allocated});
        let new = with_status(spec.clone(), json!({field: [status]}));
        said(&validate_status_update(&new, &with_status(spec.clone(), json!({}))))
    };
    let main = "containerStatuses";
    let healthy = json!([{"resourceID": "a", "health": "Healthy"}]);
    assert_eq!(of(main, "c", "example.com/nic", healthy.clone()), "");
    assert_eq!(of(main, "c", "claim:gpu/one", healthy.clone()), "");
    assert_eq!(of(main, "other", "example.com/fpga", healthy.clone()), "", "a container that is not there");
    let at = "status.containerStatuses[0].allocatedResourcesStatus[0]";
    assert_eq!(
        of(main, "c", "example.com/fpga", healthy.clone()),
        format!(
            "{at}.name: Invalid value: \"example.com/fpga\": must match one of the container's resource requests"
        )
    );
    assert!(of(main, "c", "claim:gpu", healthy.clone()).starts_with(&format!(
        "{at}.name: Invalid value: \"claim:gpu\": must match one of the container's resource claims"
    )));
    let device =
        |health: &str, message: &str| json!({"resourceID": "a", "health": health, "message": message});
    assert_eq!(
        of(
            main,
            "c",
            "example.com/nic",
            json!([device("Ill", "it smokes"), device("Unknown", &"x".repeat(1025))])
        ),
        format!(
            "[{at}.resources[0].health: Unsupported value: \"Ill\": supported values: \"Healthy\", \"Unhealthy\", \"Unknown\", {at}.resources[1].message: Too long: may not be more than 1024 bytes, {at}.resources[1].resourceID: Duplicate value: \"a\"]"
        )
    );
    assert_eq!(
        of("ephemeralContainerStatuses", "debug", "example.com/nic", healthy),
        "status.ephemeralContainerStatuses[0].allocatedResourcesStatus: Forbidden: must not be specified in container status"
    );
}

/// `pkg/registry/core/pod/strategy.go`, `preserveOldObservedGeneration`.
#[test]
fn a_status_without_generations_keeps_those_that_it_had() {
    let conditions = |generations: &[(&str, i64)]| -> Value {
        let one = |(type_, generation): &(&str, i64)| json!({"type": type_, "status": "True", "observedGeneration": generation});
        generations.iter().map(one).collect()
    };
    let old = json!({"observedGeneration": 4, "conditions": conditions(&[("a", 1), ("b", 2), ("a", 3)])});
    let new = json!({"conditions": conditions(&[("b", 0), ("a", 7), ("a", 0), ("a", 0), ("c", 0)])});
    let (old, mut new) = (with_status(json!({}), old), with_status(json!({}), new));
    prepare_for_status_update(&mut new, &old, Timestamp::UNIX_EPOCH);
    let status = new.get::<Pod>().unwrap().status.as_ref().unwrap();
    assert_eq!(status.observed_generation, Some(4));
    let kept: Vec<i64> =
        status.conditions.iter().flatten().map(|c| c.observed_generation.unwrap_or_default()).collect();
    assert_eq!(kept, [2, 7, 3, 0, 0]);
}

/// `ValidatePodSpecificAnnotations`: tolerations, `ValidateSeccompPodAnnotations`, `ValidateAppArmorPodAnnotations`.
#[test]
fn annotations_from_before_there_were_fields() {
    let of = |key: &str, value: &str| {
        let mut body = pod(json!({}));
        body["metadata"]["annotations"] = json!({key: value});
        refusals(Kind::POD, body)
    };
    let at = "metadata.annotations";
    let key = "scheduler.alpha.kubernetes.io/tolerations";
    // The fields have no names of JSON, so that the case of letters does not matter.
    assert_eq!(of(key, r#"[{"key": "a", "OPERATOR": "Exists", "TolerationSeconds": null}]"#), "");
    assert_eq!(
        of(key, r#"[{"operator": "Exists", "value": "b"}]"#),
        format!(
            "{at}.{key}[0].operator: Invalid value: \"b\": value must be empty when `operator` is 'Exists'"
        )
    );
    for (value, why) in [
        ("x", "invalid character 'x' looking for beginning of value"),
        ("{}", "json: cannot unmarshal object into Go value of type []core.Toleration"),
        (
            r#"[{"key": 1}]"#,
            "json: cannot unmarshal number into Go struct field Toleration.Key of type string",
        ),
        (
            r#"[{"tolerationSeconds": 1.5}]"#,
            "json: cannot unmarshal number 1.5 into Go struct field Toleration.TolerationSeconds of type int64",
        ),
    ] {
        assert_eq!(of(key, value), format!("{at}: Invalid value: \"{key}\": {why}"));
    }
    let key = "seccomp.security.alpha.kubernetes.io/pod";
    assert_eq!(of(key, "runtime/default"), "");
    assert_eq!(of(key, "x"), format!("{at}.{key}: Invalid value: \"x\": must be a valid seccomp profile"));
    let key = "container.seccomp.security.alpha.kubernetes.io/c";
    assert_eq!(of(key, "localhost/a"), "");
    assert_eq!(
        of(key, "localhost/../a"),
        format!("{at}.{key}: Invalid value: \"../a\": must not contain '..'")
    );
    let key = "container.apparmor.security.beta.kubernetes.io/other";
    assert_eq!(
        of(key, "x"),
        format!(
            "[{at}[{key}]: Invalid value: \"other\": container not found, {at}[{key}]: Invalid value: \"x\": invalid AppArmor profile name: \"x\"]"
        )
    );
    assert_eq!(of("container.apparmor.security.beta.kubernetes.io/c", "localhost/a"), "");
}

/// `validateVolumeSource` (iSCSI), `validatePersistentVolumeClaimTemplateObjectMeta` with `validateFieldAllowList`,
/// `validateImageVolumeSource`, `ValidateCSIDriverName`.
#[test]
fn volumes_of_pods() {
    let volume = |source: Value| {
        let mut volume = json!({"name": "v"});
        source.as_object().unwrap().iter().for_each(|(name, value)| volume[name] = value.clone());
        let mount = json!([{"name": "v", "mountPath": "/v"}]);
        json!({"volumes": [volume], "containers": [{"name": "c", "image": "i", "volumeMounts": mount}]})
    };
    let unmounted = |source: Value| {
        let mut spec = volume(source);
        spec["containers"][0]["volumeMounts"] = json!([]);
        of(spec)
    };
    let name = "iqn.2001-04.com.example:storage";
    let iscsi = |portal: &str| json!({"iscsi": {"targetPortal": portal, "iqn": name, "lun": 0, "initiatorName": name}});
    assert_eq!(of(volume(iscsi(&"p".repeat(62)))), "");
    assert_eq!(
        unmounted(iscsi(&"p".repeat(63))),
        "spec.volumes[0].name: Invalid value: \"v\": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
    );
    let claim = json!({
        "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["e"], "uid": "f", "name": "g"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    let at = "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata";
    let no = "Forbidden: cannot be set";
    assert_eq!(
        unmounted(json!({"ephemeral": {"volumeClaimTemplate": claim}})),
        format!("[{at}.name: {no}, {at}.uID: {no}, {at}.finalizers: {no}]")
    );
    assert_eq!(
        of(volume(json!({"image": {"pullPolicy": "Always"}}))),
        r#"[spec.volumes[0].image.reference: Required value, spec.containers[0].volumeMounts[0].name: Not found: "v"]"#
    );
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": volume(json!({"image": {"pullPolicy": "Always"}}))});
    let deployment =
        json!({"metadata": {}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}});
    assert_eq!(refusals(Kind::DEPLOYMENT, deployment), "");
    assert_eq!(unmounted(json!({"csi": {"driver": ""}})), "spec.volumes[0].csi.driver: Required value");
}

/// `ValidateMatchLabelKeysAndMismatchLabelKeys`, which names the key by its place in a list and not the list;
/// `validateResizePolicy`.
#[test]
fn words_of_spread_constraints_and_of_policies_of_resizes() {
    let selector = json!({
        "matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]});
    let constraint = json!({
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
        "matchLabelKeys": ["a", "a"], "labelSelector": selector});
    assert_eq!(
        of(json!({"topologySpreadConstraints": [constraint]})),
        r#"spec.topologySpreadConstraints[0][1]: Invalid value: "a": exists in both matchLabelKeys and labelSelector"#
    );
    let policy = json!([{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]);
    let containers = json!([{"name": "c", "image": "i", "resizePolicy": policy}]);
    assert_eq!(
        of(json!({"restartPolicy": "Never", "containers": containers})),
        "spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be 'NotRequired' when pod `restartPolicy` is 'Never'"
    );
}

fn container_status(more: Value) -> Value {
    let mut status = json!({"name": "c", "image": "i", "imageID": "", "ready": true, "restartCount": 0});
    more.as_object().unwrap().iter().for_each(|(name, value)| status[name] = value.clone());
    status
}

/// `validatePodIPs`, `validateContainerStatusUsers`, `WarningsOnUpdate` of the status strategy in
/// `pkg/registry/core/pod/strategy.go`.
#[test]
fn addresses_and_users_of_a_status() {
    let status = |addresses: &[&str]| {
        let ips: Vec<Value> = addresses.iter().map(|ip| json!({"ip": ip})).collect();
        with_status(json!({}), json!({"podIPs": ips}))
    };
    assert_eq!(
        said(&validate_status_update(&status(&["1.1.1.1", "1.1.1.2"]), &status(&[]))),
        r#"status.podIPs: Invalid value: [{"IP":"1.1.1.1"},{"IP":"1.1.1.2"}]: may specify no more than one IP for each IP family"#
    );
    let old = status(&["1.1.1.01"]);
    assert_eq!(said(&validate_status_update(&old, &old)), "");
    assert_eq!(
        said(&validate_status_update(&old, &status(&[]))),
        r#"status.podIPs[0]: Invalid value: "1.1.1.01": must not have leading 0s"#
    );
    assert_eq!(
        warnings_on_status_update(&old, &old),
        [r#"status.podIPs[0].ip: non-standard IP address "1.1.1.01" is invalid: use "1.1.1.1""#]
    );
    let run = |os: &str| {
        let user = json!({"user": {"linux": {"uid": -1, "gid": 0, "supplementalGroups": [-2]}}});
        let spec = json!({"os": {"name": os}});
        let new = with_status(spec.clone(), json!({"containerStatuses": [container_status(user)]}));
        said(&validate_status_update(&new, &with_status(spec, json!({}))))
    };
    let at = "status.containerStatuses[0].user.linux";
    let range = "must be between 0 and 2147483647, inclusive";
    assert_eq!(
        run("linux"),
        format!(
            "[{at}.uid: Invalid value: -1: {range}, {at}.supplementalGroups[0]: Invalid value: -2: {range}]"
        )
    );
    assert_eq!(run("windows"), format!("{at}: Forbidden: cannot be set for a windows pod"));
}

/// `dropDisabledPodStatusFields` in `pkg/api/pod/util.go`, with the gates `DRANodeAllocatableResources` and
/// `ImageVolumeWithDigest` off.
#[test]
fn a_status_says_nothing_of_features_that_are_off() {
    let mounted = json!({"volumeMounts": [
        {"name": "v", "mountPath": "/v", "volumeStatus": {"image": {"imageRef": "r"}}}]});
    let status = json!({
        "nodeAllocatableResourceClaimStatuses": [{"resourceClaimName": "c", "resources": {"cpu": "1"}}],
        "containerStatuses": [container_status(mounted)]});
    let told = with_status(json!({}), status);
    let written = |old: &Object| {
        let mut new = told.clone();
        prepare_for_status_update(&mut new, old, Timestamp::UNIX_EPOCH);
        new.to_value()["status"].clone()
    };
    let dropped = written(&with_status(json!({}), json!({})));
    assert!(dropped.get("nodeAllocatableResourceClaimStatuses").is_none());
    assert_eq!(dropped["containerStatuses"][0]["volumeMounts"], json!([{"name": "v", "mountPath": "/v"}]));
    assert_eq!(written(&told), told.to_value()["status"]);
}
