//! The options of requests (`k8s.io/apimachinery/pkg/apis/meta/v1`), and the finalizers that clients know.

/// The finalizer of an object whose dependents are deleted before it (`metav1.FinalizerDeleteDependents`).
pub const FINALIZER_FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of an object whose dependents stay (`metav1.FinalizerOrphanDependents`).
pub const FINALIZER_ORPHAN: &str = "orphan";
/// The finalizer in the spec of every namespace (`corev1.FinalizerKubernetes`).
pub const NAMESPACE_FINALIZER: &str = "kubernetes";

/// `metav1.DeleteOptions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// In seconds; `None` for the object's own.
    pub grace_period_seconds: Option<i64>,
    /// What becomes of the object's dependents.
    pub propagation_policy: Option<Propagation>,
    /// A precondition: the object is only deleted if it has this uid.
    pub uid: Option<String>,
    /// A precondition: the object is only deleted if it has this `resourceVersion`.
    pub resource_version: Option<String>,
}

/// What becomes of the dependents of an object that is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// The dependents stay, without an owner.
    Orphan,
    /// The dependents are deleted after the object.
    Background,
    /// The dependents are deleted before the object.
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

/// What the server does about unknown and repeated fields of a body (`fieldValidation`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FieldValidation {
    /// The server drops the field and sends a warning.
    #[default]
    Warn,
    /// The server refuses the request.
    Strict,
    /// The server drops the field and says nothing.
    Ignore,
}

impl FieldValidation {
    /// `Strict`
    pub fn as_str(self) -> &'static str {
        match self {
            FieldValidation::Warn => "Warn",
            FieldValidation::Strict => "Strict",
            FieldValidation::Ignore => "Ignore",
        }
    }
}
