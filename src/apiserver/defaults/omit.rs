//! What Go does not write: a field that is empty, false or 0 and may be left out.
//!
//! The API server answers with what its structs hold. A body's `paused: false` or `labels: {}`
//! leaves no trace there; a pointer's `runAsUser: 0` or `emptyDir: {}` does.

use serde_json::{Map, Value};

use crate::api::Kind;
use crate::api::go_types::{self, Type};
use crate::apiserver::validation::internal;

/// Fields of a kind that are left out when empty, `false`, `0` or `""`: those whose Go type is no
/// pointer. After the name its type: `s` string, `i` integer, `b` bool, `l` list, `m` map.
const PLAIN: &[(Kind, &str, &[&str])] = &[
    (Kind::Deployment, "/spec", &["paused b", "minReadySeconds i"]),
    (Kind::ReplicaSet, "/spec", &["minReadySeconds i"]),
    (Kind::ReplicationController, "/spec", &["minReadySeconds i", "selector m"]),
    (Kind::StatefulSet, "/spec", &["minReadySeconds i", "podManagementPolicy s", "volumeClaimTemplates l"]),
    (Kind::StatefulSet, "/spec/updateStrategy", &["type s"]),
    (Kind::DaemonSet, "/spec", &["minReadySeconds i"]),
    (Kind::DaemonSet, "/spec/updateStrategy", &["type s"]),
    (Kind::CronJob, "/spec", &["concurrencyPolicy s"]),
    (Kind::CronJob, "/spec/jobTemplate/metadata", METADATA),
    (
        Kind::Service,
        "/spec",
        &[
            "ports l",
            "selector m",
            "clusterIP s",
            "clusterIPs l",
            "type s",
            "externalIPs l",
            "sessionAffinity s",
            "loadBalancerIP s",
            "loadBalancerSourceRanges l",
            "externalName s",
            "externalTrafficPolicy s",
            "healthCheckNodePort i",
            "publishNotReadyAddresses b",
            "ipFamilies l",
        ],
    ),
    (Kind::ConfigMap, "", &["data m", "binaryData m"]),
    (Kind::Secret, "", &["data m", "stringData m", "type s"]),
    (Kind::ServiceAccount, "", &["secrets l", "imagePullSecrets l"]),
    (Kind::HorizontalPodAutoscaler, "/spec", &["metrics l"]),
    (Kind::HorizontalPodAutoscaler, "/spec/scaleTargetRef", &["apiVersion s"]),
    (Kind::HorizontalPodAutoscaler, "/status", &["currentReplicas i", "conditions l"]),
    (Kind::ResourceQuota, "/spec", &["hard m", "scopes l"]),
    (Kind::ResourceQuota, "/status", &["hard m", "used m"]),
    (Kind::PriorityClass, "", &["globalDefault b", "description s"]),
    (Kind::StorageClass, "", &["parameters m", "mountOptions l", "allowedTopologies l"]),
    (
        Kind::Node,
        "/spec",
        &["podCIDR s", "podCIDRs l", "providerID s", "unschedulable b", "taints l", "externalID s"],
    ),
    (Kind::PersistentVolumeClaim, "/spec", &["accessModes l", "volumeName s"]),
    (
        Kind::PersistentVolume,
        "/spec",
        &[
            "capacity m",
            "accessModes l",
            "persistentVolumeReclaimPolicy s",
            "storageClassName s",
            "mountOptions l",
        ],
    ),
    (
        Kind::Event,
        "",
        &[
            "reason s",
            "message s",
            "count i",
            "type s",
            "action s",
            "reportingComponent s",
            "reportingInstance s",
        ],
    ),
];

const METADATA: &[&str] = &[
    "name s",
    "generateName s",
    "namespace s",
    "selfLink s",
    "uid s",
    "resourceVersion s",
    "generation i",
    "labels m",
    "annotations m",
    "ownerReferences l",
    "finalizers l",
    "managedFields l",
];

/// Fields of a pod's spec that inside have another place, and so are not in the table.
const POD_SPEC: &[&str] = &["hostNetwork b", "hostPID b", "hostIPC b", "serviceAccount s"];

/// Whether it is the zero value of its type; a value of another type is for decoding to refuse.
fn is_zero(value: &Value, ty: &str) -> bool {
    match (ty, value) {
        (_, Value::Null) => true,
        ("b", Value::Bool(b)) => !b,
        ("i", Value::Number(n)) => n.as_f64() == Some(0.0),
        ("s", Value::String(s)) => s.is_empty(),
        ("l", Value::Array(a)) => a.is_empty(),
        ("m", Value::Object(o)) => o.is_empty(),
        _ => false,
    }
}

fn drop_zero(map: &mut Map<String, Value>, fields: &[&str]) {
    for (field, ty) in fields.iter().filter_map(|f| f.split_once(' ')) {
        if map.get(field).is_some_and(|value| is_zero(value, ty)) {
            map.remove(field);
        }
    }
}

fn at<'v>(body: &'v mut Value, path: &str) -> Option<&'v mut Map<String, Value>> {
    body.pointer_mut(path).and_then(Value::as_object_mut)
}

/// What Go leaves out of a value of a type, by its struct's tags: what is empty and no pointer.
fn drop_empty(kind: Type, value: &mut Value) {
    match (kind.bare(), value) {
        (Type::Struct(s), Value::Object(map)) => {
            for field in s.fields {
                let Some(value) = map.get_mut(field.name) else { continue };
                drop_empty(field.kind, value);
                let ty = match field.kind {
                    Type::Pointer(_) => "pointer",
                    kind => match kind.bare() {
                        Type::Text => "s",
                        Type::Bool => "b",
                        Type::Int32 | Type::Int64 => "i",
                        Type::List(_) => "l",
                        Type::Map(_) => "m",
                        _ => "struct",
                    },
                };
                if field.omitempty && is_zero(value, ty) {
                    map.remove(field.name);
                }
            }
        }
        (Type::List(of), Value::Array(items)) => items.iter_mut().for_each(|v| drop_empty(*of, v)),
        _ => {}
    }
}

/// Takes out of a body what Go would not write back.
pub(super) fn omit_empty(kind: Kind, body: &mut Value) {
    if let Some(meta) = at(body, "/metadata") {
        drop_zero(meta, METADATA);
    }
    for (_, path, fields) in PLAIN.iter().filter(|(k, _, _)| *k == kind) {
        if let Some(map) = at(body, path) {
            drop_zero(map, fields);
        }
    }
    if let Some(ports) = body.pointer_mut("/spec/ports").and_then(Value::as_array_mut)
        && kind == Kind::Service
    {
        ports.iter_mut().for_each(|port| internal::omit_empty("ServicePort", port));
    }
    if let Some(claims) = body.pointer_mut("/spec/volumeClaimTemplates").and_then(Value::as_array_mut)
        && kind == Kind::StatefulSet
    {
        claims.iter_mut().for_each(|claim| omit_empty(Kind::PersistentVolumeClaim, claim));
    }
    let template = match kind {
        Kind::Pod => "",
        Kind::Deployment
        | Kind::ReplicaSet
        | Kind::ReplicationController
        | Kind::StatefulSet
        | Kind::DaemonSet
        | Kind::Job => "/spec/template",
        Kind::CronJob => "/spec/jobTemplate/spec/template",
        Kind::Ingress
        | Kind::IngressClass
        | Kind::NetworkPolicy
        | Kind::Role
        | Kind::ClusterRole
        | Kind::RoleBinding
        | Kind::ClusterRoleBinding => return drop_empty(Type::Struct(go_types::of(kind)), body),
        _ => return,
    };
    if let Some(meta) = at(body, &format!("{template}/metadata")) {
        drop_zero(meta, METADATA);
    }
    if let Some(spec) = body.pointer_mut(&format!("{template}/spec")) {
        internal::omit_empty("PodSpec", spec);
        if let Some(spec) = spec.as_object_mut() {
            drop_zero(spec, POD_SPEC);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_go_leaves_out() {
        let mut body = json!({
            "metadata": {"name": "p", "labels": {}, "annotations": null},
            "spec": {"hostNetwork": false, "nodeName": "", "hostPID": "", "volumes": [{"name": "e", "emptyDir": {}}],
                "containers": [{"name": "c", "command": [], "stdin": false, "resources": {"limits": {}},
                    "ports": [], "readinessProbe": {"tcpSocket": {"port": 80}, "initialDelaySeconds": 0},
                    "securityContext": {"privileged": false, "runAsUser": 0}}]}
        });
        omit_empty(Kind::Pod, &mut body);
        assert_eq!(
            body,
            json!({
                "metadata": {"name": "p"},
                "spec": {"hostPID": "", "volumes": [{"name": "e", "emptyDir": {}}],
                    "containers": [{"name": "c", "resources": {},
                        "readinessProbe": {"tcpSocket": {"port": 80}},
                        "securityContext": {"privileged": false, "runAsUser": 0}}]}
            })
        );
    }
}
