//! Admission: what the default plug-ins add to an object or refuse
//! (`k8s.io/kubernetes/plugin/pkg/admission`).

use std::rc::Rc;

use super::context::RequestContext;
use super::kinds::certificate_signing_request;
use super::kinds::ingress::CLASS_ANNOTATION;
use super::refusal::name_in_refusal;
use super::{ApiServer, Stage, limit_ranger, runtime_class};
use crate::api::quantity::amount_of;
use crate::api::quote::go_quote;
use crate::api::types::{
    CertificateSigningRequest, ConfigMapProjection, DownwardAPIProjection, DownwardAPIVolumeFile, Ingress,
    IngressClass, KeyToPath, Node, ObjectFieldSelector, PersistentVolumeClaim, Pod, PriorityClass,
    ProjectedVolumeSource, ServiceAccount, ServiceAccountTokenProjection, StorageClass, Taint, Toleration,
    Volume, VolumeMount, VolumeProjection,
};
use crate::api::volume::{
    ATTRIBUTES_CLASS_PROTECTION, BETA_CLASS, CLAIM_PROTECTION, DEFAULT_CLASS, VOLUME_PROTECTION,
};
use crate::api::well_known::{TAINT_NODE_NOT_READY, TAINT_NODE_UNREACHABLE};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{Cause, Details, Status};

/// How the volume with a pod's token is called; five letters by chance follow.
pub const TOKEN_VOLUME_PREFIX: &str = "kube-api-access-";
/// Marks the class of Ingresses that name none.
const DEFAULT_INGRESS_CLASS: &str = "ingressclass.kubernetes.io/is-default-class";
const TOKEN_MOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// How long a pod stays on a node that does not answer, in seconds (DefaultTolerationSeconds).
const DEFAULT_TOLERATION_SECONDS: i64 = 300;

/// NamespaceLifecycle: nothing is made in a namespace that is not there, or goes away.
pub(super) fn namespace_exists(api: &ApiServer, object: &Object) -> Result<(), Status> {
    if !object.kind().namespaced() {
        return Ok(());
    }
    let name = object.namespace();
    let Some(ns) = api.namespace(name) else { return Err(Status::not_found(Kind::NAMESPACE, name)) };
    if ns.meta().is_deleting() {
        let why = format!("unable to create new content in namespace {name} because it is being terminated");
        let mut s = Status::forbidden(object.kind(), name_in_refusal(object.meta()), &why);
        if let Some(d) = s.details.as_mut() {
            d.causes.push(Cause {
                reason: "NamespaceTerminating".into(),
                message: format!("namespace {name} is being terminated"),
                field: "metadata.namespace".into(),
            });
        }
        return Err(s);
    }
    Ok(())
}

/// Nothing is made of a kind whose definition is being deleted (`forbidCreateAdmission` of apiextensions).
pub(super) fn not_terminating(object: &Object, cx: &RequestContext) -> Result<(), Status> {
    match &cx.view {
        Some(view) if view.definition().is_terminating() => {
            let why = "create not allowed while custom resource definition is terminating";
            Err(Status::forbidden(object.kind(), object.name(), why))
        }
        _ => Ok(()),
    }
}

/// The mutating plug-ins, for a create.
pub(super) fn mutate_create(
    api: &mut ApiServer,
    object: &mut Object,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    if object.kind() == Kind::POD {
        on_pod(api, object, cx, "LimitRanger", |api, pod| {
            limit_ranger::mutate(api, pod);
            Ok(())
        })?;
        on_pod(api, object, cx, "ServiceAccount", service_account)?;
        on_pod(api, object, cx, "Priority", |api, pod| priority(api, pod))?;
        on_pod(api, object, cx, "DefaultTolerationSeconds", |_, pod| {
            default_tolerations(pod);
            Ok(())
        })?;
        on_pod(api, object, cx, "RuntimeClass", |api, pod| runtime_class::admit(api, pod))?;
    }
    if object.kind() == Kind::NODE {
        cx.enter(Stage::Mutate, "TaintNodesByCondition", Some(object));
    }
    if let Some(node) = Node::from_object_mut(object) {
        taint_not_ready(node);
    }
    if object.kind() == Kind::PERSISTENT_VOLUME_CLAIM {
        cx.enter(Stage::Mutate, "DefaultStorageClass", Some(object));
    }
    if let Some(c) = PersistentVolumeClaim::from_object(object)
        && c.spec.as_ref().is_none_or(|s| s.storage_class_name.is_none())
        && c.metadata.annotation(BETA_CLASS).is_none()
        && let Some(class) = default_storage_class(api)
        && let Some(c) = PersistentVolumeClaim::from_object_mut(object)
    {
        c.spec.get_or_insert_default().storage_class_name = Some(class);
    }
    if object.kind() == Kind::INGRESS {
        cx.enter(Stage::Mutate, "DefaultIngressClass", Some(object));
        ingress_class(api, object);
    }
    if [Kind::PERSISTENT_VOLUME_CLAIM, Kind::PERSISTENT_VOLUME].contains(&object.kind()) {
        cx.enter(Stage::Mutate, "StorageObjectInUseProtection", Some(object));
    }
    protect_storage(object);
    Ok(())
}

/// TaintNodesByCondition: nothing is scheduled to a new node before the node lifecycle controller has seen that it is
/// ready (`plugin/pkg/admission/nodetaint`).
fn taint_not_ready(node: &mut Node) {
    let taint = Taint {
        key: "node.kubernetes.io/not-ready".into(),
        effect: "NoSchedule".into(),
        ..Default::default()
    };
    let taints = node.spec.get_or_insert_default().taints.get_or_insert_default();
    if !taints.iter().any(|t| t.key == taint.key && t.effect == taint.effect) {
        taints.push(taint);
    }
}

/// DefaultIngressClass: an Ingress that names no class gets the newest that is a default.
fn ingress_class(api: &ApiServer, object: &mut Object) {
    let Some(ingress) = Ingress::from_object_mut(object) else { return };
    let spec = ingress.spec.get_or_insert_default();
    if spec.ingress_class_name.is_some() || ingress.metadata.annotation(CLASS_ANNOTATION).is_some() {
        return;
    }
    let classes = api.etcd.range(Kind::INGRESS_CLASS, None);
    spec.ingress_class_name = classes
        .filter_map(|(_, r)| IngressClass::from_object(&r.object))
        .filter(|c| c.metadata.annotation(DEFAULT_INGRESS_CLASS) == Some("true"))
        .max_by_key(|c| {
            let name = c.metadata.name().to_owned();
            (c.metadata.creation_timestamp.clone().map(|t| t.0), std::cmp::Reverse(name))
        })
        .map(|c| c.metadata.name().to_owned());
}

/// A plug-in that looks at pods.
fn on_pod(
    api: &mut ApiServer,
    object: &mut Object,
    cx: &mut RequestContext,
    plugin: &'static str,
    admit: impl FnOnce(&mut ApiServer, &mut Pod) -> Result<(), Status>,
) -> Result<(), Status> {
    cx.enter(Stage::Mutate, plugin, Some(object));
    Pod::from_object_mut(object).map_or(Ok(()), |pod| admit(api, pod))
}

/// StorageObjectInUseProtection: claims, volumes and VolumeAttributesClasses are kept while they are used.
fn protect_storage(object: &mut Object) {
    let finalizer = match object.kind() {
        kind if kind == Kind::PERSISTENT_VOLUME_CLAIM => CLAIM_PROTECTION,
        kind if kind == Kind::PERSISTENT_VOLUME => VOLUME_PROTECTION,
        kind if kind == Kind::VOLUME_ATTRIBUTES_CLASS => ATTRIBUTES_CLASS_PROTECTION,
        _ => return,
    };
    let finalizers = object.meta_mut().finalizers.get_or_insert_default();
    if !finalizers.iter().any(|f| f == finalizer) {
        finalizers.push(finalizer.into());
    }
}

/// The mutating plug-ins, for an update.
pub(super) fn mutate_update(object: &mut Object, cx: &mut RequestContext) {
    if object.kind() == Kind::POD {
        cx.enter(Stage::Mutate, "DefaultTolerationSeconds", Some(object));
    }
    if let Some(pod) = Pod::from_object_mut(object) {
        default_tolerations(pod);
    }
}

/// The validating plug-ins, for a create.
pub(super) fn validate_create(
    api: &ApiServer,
    object: &Object,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    if [Kind::POD, Kind::PERSISTENT_VOLUME_CLAIM].contains(&object.kind()) {
        cx.enter(Stage::Admit, "LimitRanger", Some(object));
        limit_ranger::validate(api, object)?;
    }
    match object.kind() {
        kind if kind == Kind::POD => cx.enter(Stage::Admit, "RuntimeClass", Some(object)),
        kind if kind == Kind::PRIORITY_CLASS => cx.enter(Stage::Admit, "Priority", Some(object)),
        _ => {}
    }
    if let Some(request) = CertificateSigningRequest::from_object(object) {
        cx.enter(Stage::Admit, "CertificateSubjectRestriction", Some(object));
        certificate_signing_request::restrict_subject(request)
            .map_err(|why| Status::forbidden(object.kind(), object.name(), &why))?;
    }
    if let Some(pod) = Pod::from_object(object) {
        runtime_class::validate(api, pod)?;
    }
    only_default_priority(api, object)
}

/// The validating plug-ins, for an update.
pub(super) fn validate_update(
    api: &ApiServer,
    object: &Object,
    old: &Object,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    if object.kind() == Kind::PERSISTENT_VOLUME_CLAIM {
        cx.enter(Stage::Admit, "LimitRanger", Some(object));
        limit_ranger::validate(api, object)?;
    }
    match object.kind() {
        kind if kind == Kind::PRIORITY_CLASS => cx.enter(Stage::Admit, "Priority", Some(object)),
        kind if kind == Kind::PERSISTENT_VOLUME_CLAIM => {
            cx.enter(Stage::Admit, "PersistentVolumeClaimResize", Some(object))
        }
        _ => {}
    }
    only_default_priority(api, object)?;
    if let (Some(new), Some(old)) =
        (PersistentVolumeClaim::from_object(object), PersistentVolumeClaim::from_object(old))
    {
        claim_resize(api, new, old)?;
    }
    Ok(())
}

/// Priority: no more than one class is the default.
fn only_default_priority(api: &ApiServer, object: &Object) -> Result<(), Status> {
    let Some(class) = PriorityClass::from_object(object).filter(|c| c.global_default == Some(true)) else {
        return Ok(());
    };
    match global_default(api) {
        Some(other) if other.metadata.name() != class.metadata.name() => {
            let why = format!(
                "PriorityClass {} is already marked as default. Only one default can exist",
                other.metadata.name()
            );
            Err(Status::forbidden(Kind::PRIORITY_CLASS, object.name(), &why))
        }
        _ => Ok(()),
    }
}

/// PersistentVolumeClaimResize: only a claim that is bound grows, and only if its class lets it.
fn claim_resize(
    api: &ApiServer,
    new: &PersistentVolumeClaim,
    old: &PersistentVolumeClaim,
) -> Result<(), Status> {
    let size = |claim: &PersistentVolumeClaim| {
        let requests = claim.spec.as_ref().and_then(|s| s.resources.as_ref()?.requests.as_ref());
        amount_of(requests.and_then(|r| r.get("storage")))
    };
    if size(new) <= size(old) {
        return Ok(());
    }
    let bound = old.status.as_ref().is_some_and(|s| s.phase.as_deref() == Some("Bound"));
    let class = old.spec.as_ref().and_then(|s| s.storage_class_name.as_deref()).unwrap_or_default();
    let at = ObjectRef { kind: Kind::STORAGE_CLASS, key: Key::new("", class) };
    let expands = api
        .etcd
        .get(&at)
        .and_then(|r| StorageClass::from_object(&r.object))
        .is_some_and(|c| c.allow_volume_expansion == Some(true));
    let why = match (bound, expands) {
        (true, true) => return Ok(()),
        (false, _) => "Only bound persistent volume claims can be expanded",
        (true, false) => {
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
        }
    };
    Err(Status::forbidden(Kind::PERSISTENT_VOLUME_CLAIM, new.metadata.name(), why))
}

/// Sets the pod's service account (`default` if it names none), refuses one that does not exist, and mounts its token
/// (admission plugin ServiceAccount).
fn service_account(api: &mut ApiServer, pod: &mut Pod) -> Result<(), Status> {
    // A mirror pod is the kubelet's own.
    if pod.metadata.annotation("kubernetes.io/config.mirror").is_some() {
        return Ok(());
    }
    let namespace = pod.metadata.namespace().to_owned();
    let pod_name = name_in_refusal(&pod.metadata).to_owned();
    let Some(spec) = pod.spec.as_deref_mut() else { return Ok(()) };
    let name =
        spec.service_account_name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| "default".into());
    spec.service_account_name = Some(name.clone());
    spec.service_account = Some(name.clone());
    let at = ObjectRef { kind: Kind::SERVICE_ACCOUNT, key: Key::new(&namespace, &name) };
    let Some(account) = api.etcd.get(&at).and_then(|r| ServiceAccount::from_object(&r.object)).cloned()
    else {
        let why = format!(
            "error looking up service account {namespace}/{name}: serviceaccount {} not found",
            go_quote(&name)
        );
        let mut s = Status::forbidden(Kind::POD, &pod_name, &why);
        s.details = Some(Box::new(Details::resource(Kind::POD, &pod_name)));
        return Err(s);
    };
    if spec.image_pull_secrets.as_ref().is_none_or(Vec::is_empty) {
        spec.image_pull_secrets = account.image_pull_secrets.clone().filter(|s| !s.is_empty());
    }
    let mounts_token =
        spec.automount_service_account_token.or(account.automount_service_account_token).unwrap_or(true);
    if !mounts_token {
        return Ok(());
    }
    let existing = spec
        .volumes
        .iter()
        .flatten()
        .find(|v| v.name.starts_with(TOKEN_VOLUME_PREFIX) && v.projected.is_some())
        .map(|v| v.name.clone());
    let volume = existing.clone().unwrap_or_else(|| format!("{TOKEN_VOLUME_PREFIX}{}", api.random_suffix()));
    let mut needed = false;
    let containers = spec.init_containers.iter_mut().flatten().chain(spec.containers.iter_mut());
    for c in containers {
        let mounts = c.volume_mounts.get_or_insert_default();
        if !mounts.iter().any(|m| m.mount_path == TOKEN_MOUNT) {
            needed = true;
            mounts.push(VolumeMount {
                name: volume.clone(),
                read_only: Some(true),
                mount_path: TOKEN_MOUNT.into(),
                ..Default::default()
            });
        }
    }
    if needed && existing.is_none() {
        spec.volumes.get_or_insert_default().push(token_volume(volume));
    }
    Ok(())
}

fn token_volume(name: String) -> Volume {
    let sources = vec![
        VolumeProjection {
            service_account_token: Some(ServiceAccountTokenProjection {
                // An hour and a little, so that it can be told from one that asked for an hour.
                expiration_seconds: Some(3607),
                path: "token".into(),
                audience: None,
            }),
            ..Default::default()
        },
        VolumeProjection {
            config_map: Some(ConfigMapProjection {
                name: "kube-root-ca.crt".into(),
                items: Some(vec![KeyToPath { key: "ca.crt".into(), path: "ca.crt".into(), mode: None }]),
                optional: None,
            }),
            ..Default::default()
        },
        VolumeProjection {
            downward_api: Some(DownwardAPIProjection {
                items: Some(vec![DownwardAPIVolumeFile {
                    path: "namespace".into(),
                    field_ref: Some(ObjectFieldSelector {
                        api_version: Some("v1".into()),
                        field_path: "metadata.namespace".into(),
                    }),
                    ..Default::default()
                }]),
            }),
            ..Default::default()
        },
    ];
    Volume {
        name,
        projected: Some(ProjectedVolumeSource { default_mode: Some(0o644), sources: Some(sources) }),
        ..Default::default()
    }
}

/// Priority: a class's name becomes a number.
fn priority(api: &ApiServer, pod: &mut Pod) -> Result<(), Status> {
    let pod_name = name_in_refusal(&pod.metadata).to_owned();
    let Some(spec) = pod.spec.as_mut() else { return Ok(()) };
    let class_name = spec.priority_class_name.clone().filter(|n| !n.is_empty());
    let (value, policy, name) = match class_name {
        None => match global_default(api) {
            Some(c) => {
                (c.value.unwrap_or(0), c.preemption_policy.clone(), Some(c.metadata.name().to_owned()))
            }
            None => (0, None, None),
        },
        Some(name) => {
            let at = ObjectRef { kind: Kind::PRIORITY_CLASS, key: Key::new("", &name) };
            let Some(c) = api.etcd.get(&at).and_then(|r| PriorityClass::from_object(&r.object)) else {
                let why = format!("no PriorityClass with name {name} was found");
                return Err(Status::forbidden(Kind::POD, &pod_name, &why));
            };
            (c.value.unwrap_or(0), c.preemption_policy.clone(), Some(name))
        }
    };
    if let Some(p) = spec.priority
        && p != value
    {
        let why = format!(
            "the integer value of priority ({p}) must not be provided in pod spec; priority admission controller computed {value} from the given PriorityClass name"
        );
        return Err(Status::forbidden(Kind::POD, &pod_name, &why));
    }
    spec.priority = Some(value);
    spec.priority_class_name = name;
    let policy = policy.unwrap_or_else(|| "PreemptLowerPriority".into());
    if let Some(p) = &spec.preemption_policy
        && *p != policy
    {
        let why = format!(
            "the string value of PreemptionPolicy ({p}) must not be provided in pod spec; priority admission controller computed {policy} from the given PriorityClass name"
        );
        return Err(Status::forbidden(Kind::POD, &pod_name, &why));
    }
    spec.preemption_policy = Some(policy);
    Ok(())
}

fn global_default(api: &ApiServer) -> Option<Rc<PriorityClass>> {
    api.etcd
        .range(Kind::PRIORITY_CLASS, None)
        .filter_map(|(_, r)| PriorityClass::from_object(&r.object))
        .filter(|c| c.global_default == Some(true))
        .min_by_key(|c| c.value)
        .cloned()
}

fn default_storage_class(api: &ApiServer) -> Option<String> {
    api.etcd
        .range(Kind::STORAGE_CLASS, None)
        .filter_map(|(_, r)| StorageClass::from_object(&r.object))
        .filter(|c| c.metadata.annotation(DEFAULT_CLASS) == Some("true"))
        // The newest wins; of equals the first by name.
        .max_by_key(|c| {
            (
                c.metadata.creation_timestamp.clone().map(|t| t.0),
                std::cmp::Reverse(c.metadata.name().to_owned()),
            )
        })
        .map(|c| c.metadata.name().to_owned())
}

/// DefaultTolerationSeconds: a pod stays for a while on a node that is in trouble.
fn default_tolerations(pod: &mut Pod) {
    let Some(spec) = pod.spec.as_mut() else { return };
    for key in [TAINT_NODE_NOT_READY, TAINT_NODE_UNREACHABLE] {
        let tolerated = spec.tolerations.iter().flatten().any(|t| {
            let k = t.key.as_deref().unwrap_or_default();
            let e = t.effect.as_deref().unwrap_or_default();
            (k == key || k.is_empty()) && (e == "NoExecute" || e.is_empty())
        });
        if !tolerated {
            spec.tolerations.get_or_insert_default().push(Toleration {
                key: Some(key.into()),
                operator: Some("Exists".into()),
                effect: Some("NoExecute".into()),
                toleration_seconds: Some(DEFAULT_TOLERATION_SECONDS),
                value: None,
            });
        }
    }
}
