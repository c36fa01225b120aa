//! Quotas of the number of objects (`k8s.io/apiserver/pkg/quota/v1/generic`).

use super::{Operation, Rules, one};
use crate::api::resource::Amounts;
use crate::api::types::ScopedResourceSelectorRequirement;
use crate::api::{Object, Timestamp};

/// The objects of a kind are counted (`objectCountEvaluator`).
pub(super) struct Objects {
    /// What quotas called their number before there was `count/KIND`; empty for kinds that never had such a name
    /// (`legacyObjectCountAliases`).
    pub alias: &'static str,
}

/// Objects that are counted as `count/KIND.GROUP` alone.
pub(super) const UNNAMED: Objects = Objects { alias: "" };

impl Rules for Objects {
    fn matches_resource(&self, resource: &str) -> bool {
        !self.alias.is_empty() && resource == self.alias
    }

    fn usage(&self, _: &Object, _: Timestamp) -> Amounts {
        let named = (!self.alias.is_empty()).then(|| (self.alias.to_owned(), one()));
        named.into_iter().collect()
    }

    fn handles(&self, operation: Operation<'_>, subresource: &str) -> bool {
        matches!(operation, Operation::Create) && subresource.is_empty()
    }

    fn matches_scope(&self, _: &ScopedResourceSelectorRequirement, _: &Object) -> bool {
        false
    }

    fn constraints(&self, _: &[&str], _: &Object) -> Option<String> {
        None
    }

    fn replenishes(&self, _: &Object, _: &Object, _: Timestamp) -> bool {
        false
    }
}
