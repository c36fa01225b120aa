//! What can be asked of the API server, and what it answers.

use std::rc::Rc;

use serde_json::Value;

use super::status::{Details, Status};
use crate::api::types::{Pod, PodStatus};
use crate::api::{Key, Kind, Object, ObjectRef, Shared};

/// One API request. What a component sends carries typed objects; what comes as text is decoded
/// on the way in (see [`http`](super::http)).
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Who asks: `deployment-controller`, `kube-scheduler`, `kubelet`, `kubectl`.
    pub user: Rc<str>,
    /// What for.
    pub verb: Verb,
    /// Of which resource.
    pub kind: Kind,
    /// Which one; the name is empty for a collection.
    pub key: Key,
    /// Which part of it.
    pub subresource: Subresource,
    /// With what.
    pub body: Body,
    /// `dryRun=All`
    pub dry_run: bool,
    /// Who is said to own the fields that change; the user's own name if there is none.
    pub field_manager: Option<Rc<str>>,
}

/// The verbs of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// One object.
    Get,
    /// A collection.
    List,
    /// A new object.
    Create,
    /// A whole object in place of another.
    Update,
    /// A change.
    Patch,
    /// Its removal.
    Delete,
    /// The removal of a collection.
    DeleteCollection,
}

impl Verb {
    /// `create`, as the audit log has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Verb::Get => "get",
            Verb::List => "list",
            Verb::Create => "create",
            Verb::Update => "update",
            Verb::Patch => "patch",
            Verb::Delete => "delete",
            Verb::DeleteCollection => "deletecollection",
        }
    }

    /// `update/status`
    pub fn with(self, subresource: Subresource) -> String {
        match subresource {
            Subresource::None => self.as_str().to_owned(),
            s => format!("{}/{}", self.as_str(), s.as_str()),
        }
    }

    /// The HTTP method.
    pub fn method(self) -> &'static str {
        match self {
            Verb::Get | Verb::List => "GET",
            Verb::Create => "POST",
            Verb::Update => "PUT",
            Verb::Patch => "PATCH",
            Verb::Delete | Verb::DeleteCollection => "DELETE",
        }
    }

    /// Whether it can change something.
    pub fn writes(self) -> bool {
        !matches!(self, Verb::Get | Verb::List)
    }
}

/// A part of an object that has a path of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Subresource {
    /// The object itself.
    #[default]
    None,
    /// `/status`
    Status,
    /// `/scale`
    Scale,
    /// `/binding`
    Binding,
    /// `/eviction`
    Eviction,
    /// `/finalize`
    Finalize,
    /// `/ephemeralcontainers`
    EphemeralContainers,
    /// `/resize`
    Resize,
}

impl Subresource {
    /// `status`; empty for the object itself.
    pub fn as_str(self) -> &'static str {
        match self {
            Subresource::None => "",
            Subresource::Status => "status",
            Subresource::Scale => "scale",
            Subresource::Binding => "binding",
            Subresource::Eviction => "eviction",
            Subresource::Finalize => "finalize",
            Subresource::EphemeralContainers => "ephemeralcontainers",
            Subresource::Resize => "resize",
        }
    }
}

/// What a request carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Nothing.
    None,
    /// A whole object.
    Object(Object),
    /// A change.
    Patch(Patch),
    /// How to delete.
    Delete(DeleteOptions),
    /// Where a pod is to run.
    Binding {
        /// The node's name.
        node: Rc<str>,
    },
    /// How many.
    Scale {
        /// `spec.replicas`
        replicas: i32,
        /// `metadata.resourceVersion`, to be compared if there is one.
        resource_version: Option<String>,
    },
}

/// A change to an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// RFC 6902.
    Json(Value),
    /// RFC 7386.
    Merge(Value),
    /// Strategic merge patch.
    Strategic(Value),
    /// Server-side apply.
    Apply {
        /// What the manager wants.
        config: Value,
        /// Whether it takes fields from others.
        force: bool,
    },
    /// The strategic merge patch that leads from one object to another: what a component sends
    /// that has computed the difference between what it read and what it wants. The patch itself
    /// is only worked out where the stored object is no longer the one that was read.
    Between {
        /// As it was read.
        from: Object,
        /// As it shall be.
        to: Object,
    },
    /// The same for a report of a kubelet, of which there are two for every pod: only the status is
    /// another, so only that is carried.
    PodStatus {
        /// The pod as it was read.
        from: Rc<Pod>,
        /// Its status as it shall be.
        status: Shared<PodStatus>,
    },
}

impl Patch {
    /// A [`Patch::PodStatus`] as the objects it leads from and to.
    pub(crate) fn between(from: &Rc<Pod>, status: &Shared<PodStatus>) -> (Object, Object) {
        (from.clone().into(), with_status(from, status.clone()).into())
    }
}

/// A pod with another status.
pub(super) fn with_status(pod: &Pod, status: Shared<PodStatus>) -> Pod {
    Pod { metadata: pod.metadata.clone(), spec: pod.spec.clone(), status: Some(status) }
}

/// `metav1.DeleteOptions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// In seconds; `None` for the object's own.
    pub grace_period_seconds: Option<i64>,
    /// What becomes of dependents.
    pub propagation_policy: Option<Propagation>,
    /// Only if it has this uid.
    pub uid: Option<String>,
    /// Only if it has this version.
    pub resource_version: Option<String>,
}

/// What becomes of the dependents of an object that is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They stay, without an owner.
    Orphan,
    /// They go afterwards.
    Background,
    /// They go first.
    Foreground,
}

impl Propagation {
    /// `Foreground`
    pub fn as_str(self) -> &'static str {
        match self {
            Propagation::Orphan => "Orphan",
            Propagation::Background => "Background",
            Propagation::Foreground => "Foreground",
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// An object: 200, or 201 where it is new.
    Object {
        /// It.
        object: Object,
        /// Whether it is new.
        created: bool,
    },
    /// A collection.
    List {
        /// Its items, in key order.
        items: Vec<Object>,
        /// The revision it was read at.
        revision: u64,
    },
    /// A success that has no object to show.
    Success {
        /// 200 or 201.
        code: u16,
        /// What it was about.
        details: Option<Box<Details>>,
    },
    /// A refusal.
    Failure(Box<Status>),
}

impl Response {
    /// The HTTP status code.
    pub fn code(&self) -> u16 {
        match self {
            Response::Object { created: true, .. } => 201,
            Response::Object { .. } | Response::List { .. } => 200,
            Response::Success { code, .. } => *code,
            Response::Failure(s) => s.code,
        }
    }

    /// The object, or the refusal.
    ///
    /// # Errors
    /// The refusal.
    pub fn object(self) -> Result<Option<Object>, Status> {
        match self {
            Response::Object { object, .. } => Ok(Some(object)),
            Response::List { .. } | Response::Success { .. } => Ok(None),
            Response::Failure(s) => Err(*s),
        }
    }
}

impl From<Result<Response, Status>> for Response {
    fn from(r: Result<Response, Status>) -> Response {
        r.unwrap_or_else(|s| Response::Failure(Box::new(s)))
    }
}

impl Request {
    /// A request without a body.
    pub fn new(user: &Rc<str>, verb: Verb, kind: Kind, key: Key) -> Request {
        Request {
            user: user.clone(),
            verb,
            kind,
            key,
            subresource: Subresource::None,
            body: Body::None,
            dry_run: false,
            field_manager: None,
        }
    }

    /// With a body.
    #[must_use]
    pub fn body(mut self, body: Body) -> Request {
        self.body = body;
        self
    }

    /// Of a part of the object.
    #[must_use]
    pub fn subresource(mut self, s: Subresource) -> Request {
        self.subresource = s;
        self
    }

    /// What it is about.
    pub fn object(&self) -> ObjectRef {
        ObjectRef { kind: self.kind, key: self.key.clone() }
    }

    /// `update/status`, as the audit log's verb and subresource.
    pub fn verb_string(&self) -> String {
        self.verb.with(self.subresource)
    }

    /// Its path.
    pub fn path(&self) -> String {
        let mut p = if self.kind.group().is_empty() {
            format!("/api/{}", self.kind.version())
        } else {
            format!("/apis/{}/{}", self.kind.group(), self.kind.version())
        };
        if self.kind.namespaced() && !self.key.namespace.is_empty() {
            p.push_str("/namespaces/");
            p.push_str(&self.key.namespace);
        }
        p.push('/');
        p.push_str(self.kind.plural());
        // A create goes to the collection, except to a subresource.
        if !self.key.name.is_empty() && (self.verb != Verb::Create || self.subresource != Subresource::None) {
            p.push('/');
            p.push_str(&self.key.name);
        }
        if self.subresource != Subresource::None {
            p.push('/');
            p.push_str(self.subresource.as_str());
        }
        p
    }
}
