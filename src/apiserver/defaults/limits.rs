//! Defaults of LimitRanges and ResourceQuotas (`pkg/apis/core/v1/defaults.go`).

use std::collections::BTreeMap;

use crate::api::types as t;

use super::quantities;

pub(in crate::apiserver) fn limit_range(range: &mut t::LimitRange) {
    let limits = range.spec.iter_mut().flat_map(|s| s.limits.iter_mut());
    for item in limits {
        // What is not said about a container follows from what is.
        if item.type_ == "Container" {
            fill(&mut item.default, item.max.as_ref());
            fill(&mut item.default_request, item.default.as_ref());
            fill(&mut item.default_request, item.min.as_ref());
        }
        for list in [
            &mut item.max,
            &mut item.min,
            &mut item.default,
            &mut item.default_request,
            &mut item.max_limit_request_ratio,
        ] {
            quantities::list(list);
        }
    }
}

type Resources = BTreeMap<String, t::Quantity>;

fn fill(into: &mut Option<Resources>, from: Option<&Resources>) {
    for (name, amount) in from.into_iter().flatten() {
        into.get_or_insert_default().entry(name.clone()).or_insert_with(|| amount.clone());
    }
}

pub(in crate::apiserver) fn quota(quota: &mut t::ResourceQuota) {
    quantities::list(&mut quota.spec.get_or_insert_default().hard);
    let status = quota.status.get_or_insert_default();
    quantities::list(&mut status.hard);
    quantities::list(&mut status.used);
}
