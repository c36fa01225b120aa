//! Admission: the plug-ins that change an object which a request writes, or refuse it
//! (`k8s.io/apiserver/pkg/admission`, `k8s.io/kubernetes/plugin/pkg/admission`).
//!
//! Each plug-in is one file with a [`Plugin`]; [`PLUGINS`] has them in the order in which kube-apiserver asks them. Two
//! plug-ins are asked by the requests that they are about: [`resource_quota`] after all others, because what it admits
//! is charged when the object is stored, and [`pod_topology_labels`] also by `pods/binding`.

mod certificate_subject_restriction;
mod default_ingress_class;
mod default_storage_class;
mod default_toleration_seconds;
mod limit_ranger;
mod mountable_secrets;
mod namespace_lifecycle;
mod node_declared_feature_validator;
mod persistent_volume_claim_resize;
mod pod_resize_validator;
mod pod_security;
pub(super) mod pod_topology_labels;
mod priority;
mod resource_quota;
mod runtime_class;
mod service_account;
mod storage_object_in_use_protection;
mod taint_nodes_by_condition;

use super::ApiServer;
use super::context::RequestContext;
use super::stage::Stage;
use crate::api::quote::go_quote;
use crate::api::types::{Node, Pod};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::Status;

/// The plug-ins that are on by default and have something to do here, in the order of `AllOrderedPlugins`
/// (`k8s.io/kubernetes/pkg/kubeapiserver/options`).
const PLUGINS: [&Plugin; 14] = [
    &namespace_lifecycle::PLUGIN,
    &limit_ranger::PLUGIN,
    &service_account::PLUGIN,
    &taint_nodes_by_condition::PLUGIN,
    &pod_security::PLUGIN,
    &priority::PLUGIN,
    &default_toleration_seconds::PLUGIN,
    &default_storage_class::PLUGIN,
    &storage_object_in_use_protection::PLUGIN,
    &persistent_volume_claim_resize::PLUGIN,
    &runtime_class::PLUGIN,
    &certificate_subject_restriction::PLUGIN,
    &default_ingress_class::PLUGIN,
    &pod_topology_labels::PLUGIN,
];

/// Changes a new object (`MutationInterface`, operation `CREATE`).
type AdmitCreate = fn(&mut ApiServer, &mut Object) -> Result<(), Status>;
/// Changes an object (the first) that is to replace another one (the second) (`MutationInterface`, operation `UPDATE`).
type AdmitUpdate = fn(&mut Object, &Object);
/// Refuses a new object that is complete, or warns of it (`ValidationInterface`, operation `CREATE`).
type ValidateCreate = fn(&ApiServer, &Object, &mut Vec<String>) -> Result<(), Status>;
/// Refuses an object (the first) that is to replace another one (the second), or warns of it (`ValidationInterface`, operation
/// `UPDATE`).
type ValidateUpdate = fn(&ApiServer, &Object, &Object, &mut Vec<String>) -> Result<(), Status>;

/// An admission plug-in. It is asked of objects themselves, not of their subresources. `pods/resize` asks LimitRanger,
/// NodeDeclaredFeatureValidator and PodResizeValidator ([`admit_resize`], [`validate_resize`]), `pods/ephemeralcontainers` asks
/// ServiceAccount and PodSecurity ([`validate_ephemeral_containers`]), `pods/binding` and `pods/eviction` ask NamespaceLifecycle
/// ([`admit_subresource`]). A hook that is `None` means that the
/// plug-in does not handle the operation.
struct Plugin {
    /// The name, as `--enable-admission-plugins` of kube-apiserver has it.
    name: &'static str,
    admit_create: Option<Hook<AdmitCreate>>,
    admit_update: Option<Hook<AdmitUpdate>>,
    validate_create: Option<Hook<ValidateCreate>>,
    validate_update: Option<Hook<ValidateUpdate>>,
}

/// What a plug-in does at one point of a request. Its error is the answer to the request, 403 but for a few.
#[derive(Clone, Copy)]
struct Hook<F> {
    /// The kinds of the objects that the hook looks at; every kind if it is empty.
    kinds: &'static [Kind],
    run: F,
}

/// A hook for objects of these kinds, or of every kind if there are none.
const fn hook<F: Copy>(kinds: &'static [Kind], run: F) -> Option<Hook<F>> {
    Some(Hook { kinds, run })
}

impl Plugin {
    /// A plug-in without hooks: a file adds those that its plug-in has.
    const fn new(name: &'static str) -> Plugin {
        Plugin { name, admit_create: None, admit_update: None, validate_create: None, validate_update: None }
    }
}

/// The plug-ins that have a hook for objects of a kind, in order: the name of each, and what the hook runs.
fn having<F>(
    kind: Kind,
    hook: impl Fn(&'static Plugin) -> Option<Hook<F>>,
) -> impl Iterator<Item = (&'static str, F)> {
    let hooks = PLUGINS.into_iter().filter_map(move |p| Some((p.name, hook(p)?)));
    let looking = hooks.filter(move |(_, h)| h.kinds.is_empty() || h.kinds.contains(&kind));
    looking.map(|(name, h)| (name, h.run))
}

/// Lets the plug-ins change a new object.
///
/// # Errors
/// A plug-in refuses the object.
pub(super) fn admit_create(
    api: &mut ApiServer,
    object: &mut Object,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    having(object.kind(), |p| p.admit_create).try_for_each(|(name, admit)| {
        cx.enter(Stage::Mutate, name, Some(object));
        admit(api, object)
    })
}

/// Lets the plug-ins change an object that is to replace `old`.
pub(super) fn admit_update(object: &mut Object, old: &Object, cx: &mut RequestContext) {
    for (name, admit) in having(object.kind(), |p| p.admit_update) {
        cx.enter(Stage::Mutate, name, Some(object));
        admit(object, old);
    }
}

/// Asks the plug-ins whether a new object may be stored.
///
/// # Errors
/// A plug-in refuses the object.
pub(super) fn validate_create(
    api: &ApiServer,
    object: &Object,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    having(object.kind(), |p| p.validate_create).try_for_each(|(name, validate)| {
        cx.enter(Stage::Admit, name, Some(object));
        validate(api, object, &mut cx.admission_warnings)
    })
}

/// Asks the plug-ins whether `object` may replace `old`.
///
/// # Errors
/// A plug-in refuses the object.
pub(super) fn validate_update(
    api: &ApiServer,
    object: &Object,
    old: &Object,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    having(object.kind(), |p| p.validate_update).try_for_each(|(name, validate)| {
        cx.enter(Stage::Admit, name, Some(object));
        validate(api, object, old, &mut cx.admission_warnings)
    })
}

/// Lets NamespaceLifecycle, which looks at every request that creates something, see one that creates something of an object:
/// `pods/binding`, `pods/eviction` or `serviceaccounts/token`.
///
/// # Errors
/// The namespace does not exist or is being deleted.
pub(super) fn admit_subresource(
    api: &ApiServer,
    kind: Kind,
    key: &Key,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    cx.enter(Stage::Mutate, namespace_lifecycle::NAME, None);
    namespace_lifecycle::open_for_creation(api, kind, &key.namespace, &key.name)
}

/// Lets LimitRanger, which alone handles `pods/resize`, change a pod whose resources are to change
/// (`SupportsAttributes`).
pub(super) fn admit_resize(api: &ApiServer, object: &mut Object, old: &Object, cx: &mut RequestContext) {
    cx.enter(Stage::Mutate, limit_ranger::PLUGIN.name, Some(object));
    limit_ranger::admit_resize(api, object, old);
}

/// The node that a pod is bound to, whose spec an update changes; `None` if it is bound to none, or nothing of its spec changes.
///
/// # Errors
/// There is no such node.
fn node_of_change<'a>(api: &'a ApiServer, pod: &Pod, old: &Pod) -> Result<Option<&'a Node>, Status> {
    let name = pod.node_name().unwrap_or_default();
    if name.is_empty() || pod.metadata.generation == old.metadata.generation {
        return Ok(None);
    }
    let stored = api.etcd.get(&ObjectRef { kind: Kind::NODE, key: Key::new("", name) });
    let node = stored.and_then(|record| Node::from_object(&record.object));
    let missing =
        || Status::forbidden(Kind::POD, pod.metadata.name(), &format!("node {} not found", go_quote(name)));
    node.map(|node| Some(&**node)).ok_or_else(missing)
}

/// Asks ServiceAccount and PodSecurity, which alone handle `pods/ephemeralcontainers`, whether a pod may have its ephemeral
/// containers.
///
/// # Errors
/// The pod's service account does not allow their Secrets, or they violate what the namespace enforces.
pub(super) fn validate_ephemeral_containers(
    api: &ApiServer,
    object: &Object,
    old: &Object,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    cx.enter(Stage::Admit, service_account::PLUGIN.name, Some(object));
    service_account::validate_ephemeral_containers(api, object)?;
    cx.enter(Stage::Admit, pod_security::PLUGIN.name, Some(object));
    pod_security::validate(api, object, Some(old), &mut cx.admission_warnings)
}

/// Asks LimitRanger, NodeDeclaredFeatureValidator and PodResizeValidator whether a pod may have these resources.
///
/// # Errors
/// A range refuses them, the kubelet of the pod's node cannot change them, or the node has not as much.
pub(super) fn validate_resize(
    api: &ApiServer,
    object: &Object,
    old: &Object,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    cx.enter(Stage::Admit, limit_ranger::PLUGIN.name, Some(object));
    limit_ranger::validate_update(api, object, old)?;
    cx.enter(Stage::Admit, node_declared_feature_validator::PLUGIN.name, Some(object));
    node_declared_feature_validator::validate(api, object, old)?;
    cx.enter(Stage::Admit, pod_resize_validator::PLUGIN.name, Some(object));
    pod_resize_validator::validate(api, object, old)
}
