//! What the API server serves (`k8s.io/client-go/discovery`): the resources of all groups, asked for when a command needs
//! them, and kept from one command to the next.

use std::rc::Rc;

use super::cache::{DiscoveryCache, Resource, items, of_group};
use super::call::{Accept, raw};
use super::invocation::{Invocation, Result};
use crate::api::Kind;

/// The resources that are cached, or else those that the server lists now.
pub(super) fn known(cx: &mut Invocation<'_>) -> Result<Rc<[Resource]>> {
    match cx.cache.resources() {
        Some(cached) => Ok(cached.clone()),
        None => resources(cx),
    }
}

/// Looks for something in the cached resources, and if it is not among them in those that the server lists now
/// (`restmapper.NewDeferredDiscoveryRESTMapper`).
pub(super) fn find<T>(cx: &mut Invocation<'_>, look: impl Fn(&[Resource]) -> Option<T>) -> Result<Option<T>> {
    match look(&known(cx)?) {
        Some(found) => Ok(Some(found)),
        None => Ok(look(&resources(cx)?)),
    }
}

/// Every resource in every version that the server lists; those of a group's preferred version come first. A command asks
/// for them once, and the cache is what it got.
pub(super) fn resources(cx: &mut Invocation<'_>) -> Result<Rc<[Resource]>> {
    if cx.discovered
        && let Some(all) = cx.cache.resources()
    {
        return Ok(all.clone());
    }
    let mut all = Vec::new();
    for path in ["/api", "/apis"] {
        let answer = cx.exchange(&raw("GET", path, Accept::Discovery, Vec::new()))?;
        items(answer.value(), "items").for_each(|group| of_group(group, &mut all));
    }
    let all: Rc<[Resource]> = all.into();
    cx.cache = DiscoveryCache::filled(all.clone());
    cx.discovered = true;
    Ok(all)
}

/// The kind that `apiVersion` and `kind` of a manifest name; `None` if the server serves no such kind.
pub(super) fn kind_of(cx: &mut Invocation<'_>, api_version: &str, kind: &str) -> Result<Option<Kind>> {
    if let Some(kind) = Kind::of(api_version, kind) {
        return Ok(Some(kind));
    }
    find(cx, |all| {
        all.iter().find(|r| r.group_version == api_version && r.kind == kind).map(Resource::handle)
    })
}
