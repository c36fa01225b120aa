//! A request to the API server and its answer, with typed objects.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::options::DeleteOptions;
use super::patch::Patch;
use super::status::{Details, Status};
use crate::api::{Key, Kind, Object, ObjectRef};

/// One API request. A component of the cluster sends it with typed objects; of an HTTP request the server makes one
/// by decoding it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Who asks: `deployment-controller`, `kube-scheduler`, `kubelet`, `kubectl`.
    pub user: Rc<str>,
    /// The verb.
    pub verb: Verb,
    /// The kind of the resource, in the version that the request speaks of it.
    pub kind: Kind,
    /// Namespace and name. The name is empty for a collection; both are empty for all namespaces.
    pub key: Key,
    /// The part of the object that the request is about.
    pub subresource: Subresource,
    /// The body.
    pub body: Body,
    /// `dryRun=All`: nothing is stored.
    pub dry_run: bool,
    /// `fieldManager`: who owns the fields that change. `None` for a component of the cluster, which owns them under its
    /// own name and gets no warnings.
    pub field_manager: Option<Rc<str>>,
}

/// The verbs of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Reads a collection.
    List,
    /// Creates an object.
    Create,
    /// Replaces a whole object.
    Update,
    /// Changes a part of an object.
    Patch,
    /// Removes an object.
    Delete,
    /// Removes a collection.
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

    /// Whether the verb can change something.
    pub fn writes(self) -> bool {
        !matches!(self, Verb::Get | Verb::List)
    }
}

/// A part of an object with a path of its own.
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
    /// `/approval`
    Approval,
    /// `/proxy`: what the kubelet of a node answers.
    Proxy,
    /// The rules in the kernel of a node. Kubernetes' API has no such part: kube-proxy hands its rules to the kernel.
    Ruleset,
    /// The files of a pod's volumes. Kubernetes' API has no such part: the kubelet writes them to the disk of its node.
    Volumes,
    /// What a proxy in a pod has been told. Kubernetes' API has no such part: an ingress controller tells its own nginx.
    Configuration,
    /// Whether a user may do something, which is asked because of the object. In Kubernetes' API that is a SubjectAccessReview, which
    /// has a path of its own.
    AccessReview,
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
            Subresource::Approval => "approval",
            Subresource::Proxy => "proxy",
            Subresource::Ruleset => "ruleset",
            Subresource::Volumes => "volumes",
            Subresource::Configuration => "configuration",
            Subresource::AccessReview => "subjectaccessreview",
        }
    }
}

/// What a request carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// No body.
    None,
    /// A whole object.
    Object(Object),
    /// A change to an object.
    Patch(Patch),
    /// How to delete.
    Delete(DeleteOptions),
    /// What a pod is bound to.
    Binding(Box<Binding>),
    /// A size (`autoscaling/v1` Scale).
    Scale {
        /// `spec.replicas`
        replicas: i32,
        /// `metadata.resourceVersion`, to be compared if there is one.
        resource_version: Option<String>,
    },
    /// A SubjectAccessReview, as JSON.
    AccessReview(Rc<Value>),
}

/// `v1.Binding`: the node that a pod is bound to, and what else the pod gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// `target.name`: the node's name.
    pub node: Rc<str>,
    /// Whether `target.kind` says that it is a node.
    pub says_node: bool,
    /// The labels that the pod gets.
    pub labels: BTreeMap<String, String>,
    /// The annotations that the pod gets.
    pub annotations: BTreeMap<String, String>,
    /// A precondition: only the pod of this uid is bound. Empty if any may be.
    pub uid: String,
    /// A precondition: the pod is only bound if it has this `resourceVersion`. Empty if it may have any.
    pub resource_version: String,
}

impl Binding {
    /// A binding to a node, which says nothing else.
    pub fn to_node(node: &str) -> Binding {
        Binding {
            node: node.into(),
            says_node: true,
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            uid: String::new(),
            resource_version: String::new(),
        }
    }
}

/// What the API server answers to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// An object: 200, or 201 where it is new.
    Object {
        /// The object.
        object: Object,
        /// Whether the request created it.
        created: bool,
    },
    /// The objects of a list, or those that a deletion of a collection has deleted.
    List {
        /// Its items, in key order.
        items: Vec<Object>,
        /// The revision it was read at.
        revision: u64,
    },
    /// A success without an object (`Status` with `status: Success`).
    Success {
        /// 200 or 201.
        code: u16,
        /// The object that the request was about.
        details: Option<Box<Details>>,
    },
    /// A SubjectAccessReview that is answered, as JSON.
    AccessReview(Rc<Value>),
    /// The request was refused.
    Failure(Box<Status>),
}

impl Response {
    /// The HTTP status code.
    pub fn code(&self) -> u16 {
        match self {
            Response::Object { created: true, .. } | Response::AccessReview(_) => 201,
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
            Response::List { .. } | Response::Success { .. } | Response::AccessReview(_) => Ok(None),
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

    /// Sets the body of the request.
    #[must_use]
    pub fn body(mut self, body: Body) -> Request {
        self.body = body;
        self
    }

    /// Sets the subresource that the request is about.
    #[must_use]
    pub fn subresource(mut self, s: Subresource) -> Request {
        self.subresource = s;
        self
    }

    /// The object that the request is about.
    pub fn object(&self) -> ObjectRef {
        ObjectRef { kind: self.kind.stored(), key: self.key.clone() }
    }

    /// `update/status`, as the audit log's verb and subresource.
    pub fn verb_string(&self) -> String {
        self.verb.with(self.subresource)
    }

    /// The path of its URL.
    pub fn path(&self) -> String {
        if self.subresource == Subresource::AccessReview {
            return "/apis/authorization.k8s.io/v1/subjectaccessreviews".to_owned();
        }
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
