//! What a request is, as policies see it (`admission.Attributes`).

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::api::types::{Event, ObjectMeta, Pod};
use crate::api::{Kind, MetaExt, Object, go_types};
use crate::apimachinery::user::{MASTERS, NODE_PREFIX, NODES};
use crate::apimachinery::{DeleteOptions, Request, UserInfo};
use crate::apiserver::kinds::versions;
use crate::apiserver::refusal::name_in_refusal;

/// What a request does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::apiserver) enum Operation {
    Create,
    Update,
    Delete,
}

impl Operation {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
            Operation::Delete => "DELETE",
        }
    }

    fn options(self) -> &'static str {
        match self {
            Operation::Create => "CreateOptions",
            Operation::Update => "UpdateOptions",
            Operation::Delete => "DeleteOptions",
        }
    }
}

/// A request for one object.
#[derive(Clone, Debug)]
pub(in crate::apiserver) struct Attributes<'a> {
    pub(super) operation: Operation,
    /// The resource, in the version that the request speaks of it.
    pub(super) resource: Kind,
    /// `status`; empty for the object itself.
    pub(super) subresource: &'static str,
    /// What the object is in that version. A subresource may be an object of another kind.
    pub(super) kind: Kind,
    /// The name in the path, or that of a new object; empty where a collection is deleted, and for
    /// mutating policies where the name is yet to be generated.
    pub(super) name: &'a str,
    pub(super) namespace: &'a str,
    /// The object as it is to be stored; `None` for a deletion.
    pub(super) object: Option<Part<'a>>,
    /// The object as it is stored; `None` for a new one.
    pub(super) old: Option<Part<'a>>,
    request: &'a Request,
    deletes: Option<&'a DeleteOptions>,
    /// Who sends the request.
    pub(super) user: Rc<UserInfo>,
}

/// An object as policies see it.
#[derive(Clone, Debug)]
pub(super) enum Part<'a> {
    /// One in the stored version, or in the version of its definition that the request speaks of.
    Stored(&'a Object),
    /// A Scale, which is stored nowhere.
    Scale(Value),
}

impl Part<'_> {
    /// The labels. A Scale has none.
    pub(super) fn labels(&self) -> &BTreeMap<String, String> {
        static NONE: BTreeMap<String, String> = BTreeMap::new();
        match self {
            Part::Stored(object) => object.meta().labels_or_empty(),
            Part::Scale(_) => &NONE,
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Part::Stored(object) => object.to_value(),
            Part::Scale(value) => value.clone(),
        }
    }
}

impl<'a> Attributes<'a> {
    /// The attributes of a request that creates `object`, which came with this name; it is empty if the name is generated.
    pub(in crate::apiserver) fn create(
        request: &'a Request,
        object: &'a Object,
        name: &'a str,
    ) -> Attributes<'a> {
        Attributes {
            name,
            operation: Operation::Create,
            object: Some(Part::Stored(object)),
            old: None,
            ..Attributes::of(request, object.meta())
        }
    }

    /// The attributes of a request that replaces `old` by `object`.
    pub(in crate::apiserver) fn update(
        request: &'a Request,
        object: &'a Object,
        old: &'a Object,
    ) -> Attributes<'a> {
        Attributes {
            operation: Operation::Update,
            object: Some(Part::Stored(object)),
            old: Some(Part::Stored(old)),
            ..Attributes::of(request, old.meta())
        }
    }

    /// The attributes of a request that deletes `old`, alone or with all others.
    pub(in crate::apiserver) fn delete(
        request: &'a Request,
        old: &'a Object,
        options: &'a DeleteOptions,
    ) -> Attributes<'a> {
        Attributes {
            operation: Operation::Delete,
            object: None,
            old: Some(Part::Stored(old)),
            name: &request.key.name,
            deletes: Some(options),
            ..Attributes::of(request, old.meta())
        }
    }

    /// The attributes of a request whose subresource is an object of its own: `scale` is a Scale.
    pub(in crate::apiserver) fn of_object(self, kind: Kind, object: Value, old: Value) -> Attributes<'a> {
        Attributes { kind, object: Some(Part::Scale(object)), old: Some(Part::Scale(old)), ..self }
    }

    /// The attributes with another object, which a policy changed.
    pub(super) fn with_object<'b>(&'b self, object: &'b Object) -> Attributes<'b> {
        Attributes { object: Some(Part::Stored(object)), ..self.clone() }
    }

    fn of(request: &'a Request, meta: &'a ObjectMeta) -> Attributes<'a> {
        // The namespace of a namespace is itself.
        let is_namespace = request.kind == Kind::NAMESPACE;
        Attributes {
            operation: Operation::Update,
            resource: request.kind,
            subresource: request.subresource.as_str(),
            kind: request.kind,
            name: meta.name(),
            namespace: if is_namespace { meta.name() } else { meta.namespace() },
            object: None,
            old: None,
            request,
            deletes: None,
            user: Rc::default(),
        }
    }

    fn node(&self) -> Option<&str> {
        [&self.old, &self.object].into_iter().flatten().find_map(|part| match part {
            Part::Stored(object) => node_of(object),
            Part::Scale(_) => None,
        })
    }

    /// Says who sends the request: a user, or a component of the cluster, whose program's controllers have accounts of
    /// their own.
    pub(super) fn of_user(self, user: Option<Rc<UserInfo>>, program: Option<&str>) -> Attributes<'a> {
        let user = user.unwrap_or_else(|| Rc::new(component(&self.request.user, program, self.node())));
        Attributes { user, ..self }
    }

    /// Whether the request is for the kind itself, and so other versions of its objects can be made.
    pub(super) fn converts(&self) -> bool {
        self.kind == self.resource
    }

    /// The kind by which expressions see the objects of a request that was matched by `matched`.
    pub(super) fn kind_for(&self, matched: Kind) -> Kind {
        if self.converts() { matched } else { self.kind }
    }

    /// How a refusal names the object (`extractResourceName`).
    pub(super) fn name_in_refusal(&self) -> &str {
        match (self.name, &self.object) {
            ("", Some(Part::Stored(object))) => name_in_refusal(object.meta()),
            ("", _) => "Unknown",
            (name, _) => name,
        }
    }

    /// An object as Go writes its struct in a version of the kind.
    pub(super) fn present(&self, part: &Part, kind: Kind) -> Value {
        let mut value = part.to_value();
        if self.converts() && !kind.is_custom() {
            value = versions::present(kind, value);
            go_types::write_unset(go_types::of(kind), &mut value);
        }
        value["apiVersion"] = kind.api_version().into();
        value["kind"] = kind.as_str().into();
        value
    }

    /// `request` (`CreateAdmissionRequest`): `kind` and `resource` are those that the policy was matched by.
    pub(super) fn to_request(&self, matched: Kind) -> Value {
        let of_kind =
            |kind: Kind| json!({"group": kind.group(), "version": kind.version(), "kind": kind.as_str()});
        let of_resource =
            |kind: Kind| json!({"group": kind.group(), "version": kind.version(), "resource": kind.plural()});
        let matched_kind = self.kind_for(matched);
        let mut value = json!({
            "uid": "",
            "kind": of_kind(matched_kind),
            "resource": of_resource(matched),
            "requestKind": of_kind(self.kind),
            "requestResource": of_resource(self.resource),
            "operation": self.operation.as_str(),
            "userInfo": self.user.to_value(),
            "object": null,
            "oldObject": null,
            "dryRun": self.request.dry_run,
            "options": self.options(),
        });
        for (key, text) in [
            ("subResource", self.subresource),
            ("requestSubResource", self.subresource),
            ("name", self.name),
            ("namespace", self.namespace),
        ] {
            if !text.is_empty() {
                value[key] = text.into();
            }
        }
        value
    }

    /// The options of the request, as their kind writes them.
    fn options(&self) -> Value {
        let mut value = json!({"apiVersion": "meta.k8s.io/v1", "kind": self.operation.options()});
        if self.request.dry_run {
            value["dryRun"] = json!(["All"]);
        }
        match self.deletes {
            None => {
                if let Some(manager) = &self.request.field_manager {
                    value["fieldManager"] = (**manager).into();
                }
            }
            Some(options) => {
                if let Some(period) = options.grace_period_seconds {
                    value["gracePeriodSeconds"] = period.into();
                }
                if let Some(policy) = options.propagation_policy {
                    value["propagationPolicy"] = policy.as_str().into();
                }
                let mut preconditions = json!({});
                if let Some(uid) = &options.uid {
                    preconditions["uid"] = uid.as_str().into();
                }
                if let Some(version) = &options.resource_version {
                    preconditions["resourceVersion"] = version.as_str().into();
                }
                if preconditions != json!({}) {
                    value["preconditions"] = preconditions;
                }
            }
        }
        value
    }
}

/// The user of a component. Each controller of kube-controller-manager has an account in `kube-system`
/// (`--use-service-account-credentials`) but the one that makes the tokens of accounts, kubelets have the names of their nodes, and another component has the name under
/// which it writes.
fn component(name: &str, program: Option<&str>, node: Option<&str>) -> UserInfo {
    const NAMESPACE: &str = "kube-system";
    let user = match program.unwrap_or(name) {
        program @ "kube-controller-manager" if name == program => {
            UserInfo::new("system:kube-controller-manager", &[])
        }
        "kube-controller-manager" => UserInfo::of_account(NAMESPACE, name),
        "kube-scheduler" => UserInfo::new("system:kube-scheduler", &[]),
        "kube-apiserver" => UserInfo::new("system:apiserver", &[MASTERS]),
        "kubelet" => UserInfo::new(&format!("{NODE_PREFIX}{}", node.unwrap_or_default()), &[NODES]),
        _ => UserInfo::new(name, &[]),
    };
    user.authenticated()
}

/// The node that an object belongs to, which is that of the kubelet that writes it.
fn node_of(object: &Object) -> Option<&str> {
    if let Some(pod) = object.get::<Pod>() {
        return pod.spec.as_ref()?.node_name.as_deref();
    }
    if let Some(event) = object.get::<Event>() {
        return event.source.as_ref()?.host.as_deref();
    }
    [Kind::NODE, Kind::CSI_NODE, Kind::LEASE].contains(&object.kind()).then(|| object.name())
}
