//! ReferenceGrants: which references to objects of other namespaces are allowed (`internal/controller/state/graph/reference_grant.go`).

use super::objects::{GrantSpec, Source};
use crate::api::Key;

/// All grants.
#[derive(Clone, Copy, Debug)]
pub struct Grants<'a>(pub &'a [Source<GrantSpec>]);

impl Grants<'_> {
    /// Whether objects of a kind of the Gateway API in a namespace may refer to an object of the core group.
    pub fn allow(&self, from: (&str, &str), kind: &str, to: &Key) -> bool {
        self.0.iter().filter(|grant| grant.key.namespace == to.namespace).any(|grant| {
            let may = grant
                .spec
                .from
                .iter()
                .any(|f| f.group == super::objects::GROUP && f.kind == from.0 && f.namespace == from.1);
            let meant = grant.spec.to.iter().any(|t| {
                let named = t.name.as_deref().is_none_or(|name| name.is_empty() || *name == *to.name);
                matches!(t.group.as_str(), "" | "core") && t.kind == kind && named
            });
            may && meant
        })
    }
}
