//! What the caches have, as [`crate::network::gateway`] reads it.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Task;
use super::state::State;
use crate::api::types::discovery::LABEL_SERVICE_NAME;
use crate::api::types::{CustomResourceDefinition, EndpointSlice, Namespace, Secret, Service};
use crate::api::{Key, Kind, MetaExt, Object};
use crate::client::Context;
use crate::network::gateway::Known;
use crate::network::gateway::objects::{GROUP, OWN_GROUP, Source};

type Cx = Context<State, Task>;

/// The annotation of a definition with the version of the Gateway API.
const BUNDLE: &str = "gateway.networking.k8s.io/bundle-version";

/// The plurals of the kinds that the controller watches, by their group.
pub(super) const WATCHED: [(&str, &str); 6] = [
    (GROUP, "gatewayclasses"),
    (GROUP, "gateways"),
    (GROUP, "httproutes"),
    (GROUP, "grpcroutes"),
    (GROUP, "referencegrants"),
    (OWN_GROUP, "nginxproxies"),
];

/// A kind by its plural, if its definition is established.
pub(super) fn kind(cx: &Cx, plural: &str) -> Option<Kind> {
    cx.state(|s| s.kinds.iter().find(|k| k.plural() == plural).copied())
}

/// An object of a custom kind, as the caches have it.
pub(super) fn object<'c>(cx: &'c Cx, plural: &str, key: &Key) -> Option<&'c Object> {
    cx.caches().of(kind(cx, plural)?).get(key)
}

fn sources<T: DeserializeOwned>(cx: &Cx, plural: &str) -> Vec<Source<T>> {
    let Some(kind) = kind(cx, plural) else { return Vec::new() };
    cx.caches().of(kind).list(None).filter_map(Source::of).collect()
}

/// All that the controller has heard of.
pub(super) fn all(cx: &Cx) -> Known<'_> {
    let mut slices: BTreeMap<Key, Vec<&EndpointSlice>> = BTreeMap::new();
    for slice in cx.lister::<EndpointSlice>().list(None) {
        let Some(service) = slice.metadata.label(LABEL_SERVICE_NAME) else { continue };
        slices.entry(Key::new(slice.metadata.namespace(), service)).or_default().push(slice);
    }
    let definitions = cx.lister::<CustomResourceDefinition>();
    let of_group = definitions.list(None).filter(|d| d.spec.group == GROUP);
    let versions = of_group.map(|d| d.metadata.annotation(BUNDLE).unwrap_or_default().to_owned());
    let routes = |plural, kind| sources(cx, plural).into_iter().map(move |source| (kind, source));
    Known {
        classes: sources(cx, "gatewayclasses"),
        gateways: sources(cx, "gateways"),
        routes: routes("httproutes", "HTTPRoute").chain(routes("grpcroutes", "GRPCRoute")).collect(),
        grants: sources(cx, "referencegrants"),
        proxies: sources::<Value>(cx, "nginxproxies").into_iter().map(|p| (p.key.clone(), p)).collect(),
        services: cx.lister::<Service>().list(None).map(|s| (s.metadata.key(), &**s)).collect(),
        slices,
        secrets: cx.lister::<Secret>().list(None).map(|s| (s.metadata.key(), &**s)).collect(),
        namespaces: cx.lister::<Namespace>().list(None).map(|n| (n.metadata.name().into(), &**n)).collect(),
        versions: versions.collect(),
    }
}
