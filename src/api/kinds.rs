//! The table of built-in kinds. Adding a kind is one row here, plus its strategy in `apiserver`.

use std::rc::Rc;

use super::object::Object;
use super::structs;
use super::types;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Whether objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One set for the whole cluster.
    Cluster,
    /// One set per namespace.
    Namespaced,
}

/// A typed built-in kind: what links a Rust struct to its row in the table.
pub trait ApiKind: Clone + PartialEq + std::fmt::Debug + 'static {
    /// The row.
    const KIND: Kind;
    /// The struct inside `object`, if it is of this kind.
    fn from_object(object: &Object) -> Option<&Rc<Self>>;
    /// The struct inside, to be changed: copied first if somebody else holds it too.
    fn from_object_mut(object: &mut Object) -> Option<&mut Self>;
    /// Wraps the struct; no copy.
    fn into_object(this: Rc<Self>) -> Object;
    /// `metadata`.
    fn meta(&self) -> &ObjectMeta;
    /// `metadata`, to be changed.
    fn meta_mut(&mut self) -> &mut ObjectMeta;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $group:literal / $version:literal $plural:literal $singular:literal [$($short:literal),*] $scope:ident [$($sub:literal),*];)*) => {
        /// A built-in kind: a resource with its group and version.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $($(#[$doc])* $kind,)* }

        impl Kind {
            /// Every kind, in the table's order.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind,)*];
            /// `Deployment`
            pub const fn as_str(self) -> &'static str { match self { $(Kind::$kind => stringify!($kind),)* } }
            /// `apps`; empty for the core group.
            pub const fn group(self) -> &'static str { match self { $(Kind::$kind => $group,)* } }
            /// `v1`
            pub const fn version(self) -> &'static str { match self { $(Kind::$kind => $version,)* } }
            /// `apps/v1`, or `v1` for the core group.
            pub const fn api_version(self) -> &'static str { match self { $(Kind::$kind => if $group.is_empty() { $version } else { concat!($group, "/", $version) },)* } }
            /// `deployments`: the resource's name in a path.
            pub const fn plural(self) -> &'static str { match self { $(Kind::$kind => $plural,)* } }
            /// `deployment`
            pub const fn singular(self) -> &'static str { match self { $(Kind::$kind => $singular,)* } }
            /// `deploy`
            pub const fn short_names(self) -> &'static [&'static str] { match self { $(Kind::$kind => &[$($short),*],)* } }
            /// Namespaced or not.
            pub const fn scope(self) -> Scope { match self { $(Kind::$kind => Scope::$scope,)* } }
            /// The subresources it is served with.
            pub const fn subresources(self) -> &'static [&'static str] { match self { $(Kind::$kind => &[$($sub),*],)* } }
        }

        /// An API object: a shared, typed struct. Cloning it copies a pointer.
        #[derive(Clone, Debug, PartialEq)]
        pub(super) enum Repr { $($kind(Rc<types::$kind>),)* }

        impl Repr {
            pub(super) fn kind(&self) -> Kind { match self { $(Repr::$kind(_) => Kind::$kind,)* } }
            pub(super) fn meta(&self) -> &ObjectMeta { match self { $(Repr::$kind(o) => &o.metadata,)* } }
            pub(super) fn meta_mut(&mut self) -> &mut ObjectMeta { match self { $(Repr::$kind(o) => &mut Rc::make_mut(o).metadata,)* } }
            pub(super) fn ptr_eq(&self, other: &Self) -> bool { match (self, other) { $((Repr::$kind(a), Repr::$kind(b)) => Rc::ptr_eq(a, b),)* _ => false } }
            pub(super) fn address(&self) -> usize { match self { $(Repr::$kind(o) => Rc::as_ptr(o).addr(),)* } }
            pub(super) fn to_value(&self) -> serde_json::Value { match self { $(Repr::$kind(o) => structs::to_value(&**o),)* } }
            pub(super) fn read(kind: Kind, reader: &mut structs::Reader) -> Self { match kind { $(Kind::$kind => Repr::$kind(Rc::new(reader.get())),)* } }
        }

        $(impl ApiKind for types::$kind {
            const KIND: Kind = Kind::$kind;
            fn from_object(object: &Object) -> Option<&Rc<Self>> { match &object.0 { Repr::$kind(o) => Some(o), _ => None } }
            fn from_object_mut(object: &mut Object) -> Option<&mut Self> { match &mut object.0 { Repr::$kind(o) => Some(Rc::make_mut(o)), _ => None } }
            fn into_object(this: Rc<Self>) -> Object { Object(Repr::$kind(this)) }
            fn meta(&self) -> &ObjectMeta { &self.metadata }
            fn meta_mut(&mut self) -> &mut ObjectMeta { &mut self.metadata }
        })*
    };
}

kinds! {
    /// A name's scope.
    Namespace: ""/"v1" "namespaces" "namespace" ["ns"] Cluster ["status", "finalize"];
    /// A machine.
    Node: ""/"v1" "nodes" "node" ["no"] Cluster ["status"];
    /// Containers that run together on one node.
    Pod: ""/"v1" "pods" "pod" ["po"] Namespaced ["status", "binding", "eviction", "ephemeralcontainers", "resize"];
    /// A stable address for pods.
    Service: ""/"v1" "services" "service" ["svc"] Namespaced ["status"];
    /// The addresses behind a Service, in the form of old.
    Endpoints: ""/"v1" "endpoints" "endpoints" ["ep"] Namespaced [];
    /// The addresses behind a Service.
    EndpointSlice: "discovery.k8s.io"/"v1" "endpointslices" "endpointslice" [] Namespaced [];
    /// Who a pod is.
    ServiceAccount: ""/"v1" "serviceaccounts" "serviceaccount" ["sa"] Namespaced [];
    /// Configuration.
    ConfigMap: ""/"v1" "configmaps" "configmap" ["cm"] Namespaced [];
    /// Configuration that is not to be shown.
    Secret: ""/"v1" "secrets" "secret" [] Namespaced [];
    /// Something that happened to an object.
    Event: ""/"v1" "events" "event" ["ev"] Namespaced [];
    /// A request for storage.
    PersistentVolumeClaim: ""/"v1" "persistentvolumeclaims" "persistentvolumeclaim" ["pvc"] Namespaced ["status"];
    /// Storage.
    PersistentVolume: ""/"v1" "persistentvolumes" "persistentvolume" ["pv"] Cluster ["status"];
    /// How to make storage.
    StorageClass: "storage.k8s.io"/"v1" "storageclasses" "storageclass" ["sc"] Cluster [];
    /// A heartbeat, or a lock.
    Lease: "coordination.k8s.io"/"v1" "leases" "lease" [] Namespaced [];
    /// Pods by the number, with rollouts.
    Deployment: "apps"/"v1" "deployments" "deployment" ["deploy"] Namespaced ["status", "scale"];
    /// Pods by the number.
    ReplicaSet: "apps"/"v1" "replicasets" "replicaset" ["rs"] Namespaced ["status", "scale"];
    /// Pods with names and storage of their own.
    StatefulSet: "apps"/"v1" "statefulsets" "statefulset" ["sts"] Namespaced ["status", "scale"];
    /// A pod on every node.
    DaemonSet: "apps"/"v1" "daemonsets" "daemonset" ["ds"] Namespaced ["status"];
    /// Pods that run to completion.
    Job: "batch"/"v1" "jobs" "job" [] Namespaced ["status"];
    /// Jobs by the clock.
    CronJob: "batch"/"v1" "cronjobs" "cronjob" ["cj"] Namespaced ["status"];
    /// How many pods may be disrupted.
    PodDisruptionBudget: "policy"/"v1" "poddisruptionbudgets" "poddisruptionbudget" ["pdb"] Namespaced ["status"];
    /// A pod's importance.
    PriorityClass: "scheduling.k8s.io"/"v1" "priorityclasses" "priorityclass" ["pc"] Cluster [];
    /// Pods by the number, as they are needed.
    HorizontalPodAutoscaler: "autoscaling"/"v2" "horizontalpodautoscalers" "horizontalpodautoscaler" ["hpa"] Namespaced ["status"];
    /// What a pod or a claim of a namespace may use, and uses if it does not say.
    LimitRange: ""/"v1" "limitranges" "limitrange" ["limits"] Namespaced [];
    /// What all objects of a namespace may use together.
    ResourceQuota: ""/"v1" "resourcequotas" "resourcequota" ["quota"] Namespaced ["status"];
    /// Pods by the number, in the form of old.
    ReplicationController: ""/"v1" "replicationcontrollers" "replicationcontroller" ["rc"] Namespaced ["status", "scale"];
    /// Which Service answers which host and path.
    Ingress: "networking.k8s.io"/"v1" "ingresses" "ingress" ["ing"] Namespaced ["status"];
    /// Who makes Ingresses work.
    IngressClass: "networking.k8s.io"/"v1" "ingressclasses" "ingressclass" [] Cluster [];
    /// Who may talk to which pods.
    NetworkPolicy: "networking.k8s.io"/"v1" "networkpolicies" "networkpolicy" ["netpol"] Namespaced [];
    /// What may be done in a namespace.
    Role: "rbac.authorization.k8s.io"/"v1" "roles" "role" [] Namespaced [];
    /// What may be done.
    ClusterRole: "rbac.authorization.k8s.io"/"v1" "clusterroles" "clusterrole" [] Cluster [];
    /// Who may do it in a namespace.
    RoleBinding: "rbac.authorization.k8s.io"/"v1" "rolebindings" "rolebinding" [] Namespaced [];
    /// Who may do it.
    ClusterRoleBinding: "rbac.authorization.k8s.io"/"v1" "clusterrolebindings" "clusterrolebinding" [] Cluster [];
}

impl Kind {
    /// Whether its objects live in a namespace.
    pub const fn namespaced(self) -> bool {
        matches!(self.scope(), Scope::Namespaced)
    }

    /// `deployments.apps`, or `pods`: a resource as messages name it.
    pub fn group_resource(self) -> String {
        if self.group().is_empty() {
            self.plural().to_owned()
        } else {
            format!("{}.{}", self.plural(), self.group())
        }
    }

    /// `Deployment.apps`, or `Pod`: a kind as messages name it.
    pub fn group_kind(self) -> String {
        if self.group().is_empty() {
            self.as_str().to_owned()
        } else {
            format!("{}.{}", self.as_str(), self.group())
        }
    }

    /// The kind that `api_version` and `kind` of a manifest name.
    pub fn of(api_version: &str, kind: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|k| k.as_str() == kind && k.api_version() == api_version)
    }

    /// The kind of a resource in a path: group, version and plural.
    pub fn of_resource(group: &str, version: &str, plural: &str) -> Option<Kind> {
        Kind::ALL
            .iter()
            .copied()
            .find(|k| k.plural() == plural && k.group() == group && k.version() == version)
    }

    /// Whether it is served with this subresource.
    pub fn has_subresource(self, name: &str) -> bool {
        self.subresources().contains(&name)
    }
}

pub(super) use Repr as ObjectRepr;
