//! The stages that a request goes through (`k8s.io/apiserver/pkg/server/config.go`'s handler chain,
//! `pkg/endpoints/handlers`, `pkg/registry/generic/registry`).

use serde::{Deserialize, Serialize};

use crate::api::Object;

/// A stage of a request. Authentication and authorization come before the first of these; here every user is who they
/// say and may do everything, so there is nothing to note of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stage {
    /// The body becomes an object.
    Decode,
    /// A patch, a scale or a binding is worked into the stored object.
    Patch,
    /// Fields that are not given get their defaults.
    Default,
    /// Admission plug-ins that change the object, or refuse it.
    Mutate,
    /// The resourceVersion and the uid of the request are compared with the stored ones.
    Compare,
    /// What only the server writes: uid, creationTimestamp, generation, the status of a new object
    /// (`PrepareForCreate`, `PrepareForUpdate`, `BeforeDelete`).
    Prepare,
    /// The object is validated by the rules of its kind.
    Validate,
    /// Admission plug-ins that only refuse.
    Admit,
    /// The object is written to etcd, and the watchers are told.
    Store,
}

impl Stage {
    /// The name of the stage: `decode`.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Decode => "decode",
            Stage::Patch => "patch",
            Stage::Default => "default",
            Stage::Mutate => "mutate",
            Stage::Compare => "compare",
            Stage::Prepare => "prepare",
            Stage::Validate => "validate",
            Stage::Admit => "admit",
            Stage::Store => "store",
        }
    }
}

/// A stage that a request came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Entered {
    /// The stage.
    pub stage: Stage,
    /// The admission plug-in; empty elsewhere.
    pub plugin: &'static str,
    /// The object as it came to the stage; `None` where there was none yet, as with a patch.
    pub object: Option<Object>,
}
