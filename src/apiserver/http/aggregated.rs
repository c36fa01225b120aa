//! The API group `metrics.k8s.io` as HTTP clients see it. kube-apiserver passes such requests on to a metrics server,
//! which is built on the same library, so forms of answers and selectors are those of all other kinds
//! (`sigs.k8s.io/metrics-server/pkg/api`).

use serde_json::{Value, json};

use super::negotiate::{Shape, negotiate};
use super::path::Place;
use super::table::{self, Rows};
use super::{Call, Result, answer, method_not_allowed};
use crate::api::fields::FieldSelector;
use crate::api::labels::Selector;
use crate::api::{Key, Kind, Object, metrics};
use crate::apimachinery::user::ANONYMOUS;
use crate::apimachinery::{HttpResponse, Request, Response, Status, Verb};
use crate::apiserver::Aggregated;

/// The part of a path below `/apis/metrics.k8s.io`; `None` for any other path.
pub(super) fn below(path: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    match parts.as_slice() {
        ["apis", group, rest @ ..] if *group == metrics::GROUP => Some(rest.to_vec()),
        _ => None,
    }
}

/// The group in a list of groups, as discovery has it.
pub(super) fn group() -> Value {
    let version = json!({"groupVersion": metrics::pods().api_version(), "version": metrics::VERSION});
    json!({"name": metrics::GROUP, "versions": [version], "preferredVersion": version})
}

/// The resources of the group.
fn resources() -> Value {
    let resource = |kind: Kind| {
        json!({
            "name": kind.plural(), "singularName": "", "namespaced": kind.namespaced(), "kind": kind.as_str(),
            "verbs": ["get", "list"],
        })
    };
    json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": metrics::pods().api_version(),
        "resources": [resource(metrics::nodes()), resource(metrics::pods())],
    })
}

/// The group with its resources, as `apidiscovery.k8s.io/v2` has it.
pub(super) fn discovered() -> Value {
    let resource = |kind: Kind| {
        json!({
            "resource": kind.plural(), "singularResource": "", "verbs": ["get", "list"],
            "scope": if kind.namespaced() { "Namespaced" } else { "Cluster" },
            "responseKind": {"group": metrics::GROUP, "version": metrics::VERSION, "kind": kind.as_str()},
        })
    };
    json!({
        "metadata": {"name": metrics::GROUP},
        "versions": [{
            "version": metrics::VERSION, "freshness": "Current",
            "resources": [resource(metrics::nodes()), resource(metrics::pods())],
        }],
    })
}

impl Call<'_> {
    /// Answers a request below `/apis/metrics.k8s.io`.
    #[inline(never)]
    pub(super) fn aggregated(&mut self, rest: &[&str]) -> Result<HttpResponse> {
        let media = negotiate(&self.request.accept)?;
        if rest.is_empty() {
            let mut value = group();
            value["kind"] = "APIGroup".into();
            value["apiVersion"] = "v1".into();
            return Ok(answer::json(200, &value, media));
        }
        if matches!(self.api.aggregated, Aggregated::Unavailable) {
            return Ok(HttpResponse::text(503, "service unavailable\n"));
        }
        let place = match rest {
            [version] if *version == metrics::VERSION => return Ok(answer::json(200, &resources(), media)),
            [version, rest @ ..] if *version == metrics::VERSION => Place::of(rest),
            _ => None,
        };
        let kinds = [metrics::nodes(), metrics::pods()];
        let found = place.and_then(|p| kinds.into_iter().find(|k| k.plural() == p.plural).map(|k| (k, p)));
        let Some((kind, place)) = found.filter(|(_, p)| !p.watch && p.part.is_empty()) else {
            return Err(Status::no_such_path());
        };
        if self.request.method != "GET" || self.query.on("watch") {
            return Err(method_not_allowed());
        }
        let namespace = place.namespace.unwrap_or_default();
        let verb = if place.name.is_some() { Verb::Get } else { Verb::List };
        let key = Key::new(&namespace, place.name.as_deref().unwrap_or_default());
        let items = match self.api.aggregated.answer(&Request::new(&ANONYMOUS.into(), verb, kind, key)) {
            Response::Failure(status) => return Err(*status),
            Response::Object { object, .. } => vec![object],
            Response::List { items, .. } => self.selected(items)?,
            Response::Success { .. } | Response::AccessReview(_) => Vec::new(),
        };
        let value = match (media.shape, verb, items.as_slice()) {
            (Shape::Table, ..) => table(&items, &self.rows(media)),
            (_, Verb::Get, [object]) => object.to_value(),
            _ => {
                let items: Vec<Value> = items.iter().map(Object::to_value).collect();
                json!({
                    "kind": kind.list_kind(), "apiVersion": kind.api_version(), "metadata": {}, "items": items,
                })
            }
        };
        Ok(answer::json(200, &value, media))
    }

    /// The objects that the query selects.
    fn selected(&self, mut items: Vec<Object>) -> Result<Vec<Object>> {
        let labels = Selector::parse(self.query.text("labelSelector")).map_err(Status::bad_request)?;
        let fields = FieldSelector::parse(self.query.text("fieldSelector")).map_err(Status::bad_request)?;
        let field = |o: &Object, name: &str| match name {
            "metadata.name" => Some(o.name().to_owned()),
            "metadata.namespace" => Some(o.namespace().to_owned()),
            _ => None,
        };
        items.retain(|o| {
            let of = o.meta().labels.clone().unwrap_or_default();
            labels.matches(&of) && fields.matches(&|name: &str| field(o, name))
        });
        Ok(items)
    }
}

/// The objects as rows: the name, what is used of each resource, and the time that this is about.
fn table(items: &[Object], form: &Rows) -> Value {
    let column = |(name, format): (&str, &str)| json!({"name": name, "type": "string", "format": format, "description": "", "priority": 0});
    let columns =
        [("Name", "name"), ("cpu", "quantity"), ("memory", "quantity"), ("Window", "duration")].map(column);
    let row = |o: &Object| {
        let usage = match metrics::PodMetrics::read(o) {
            Some(pod) => pod.containers.iter().fold(metrics::Usage::ZERO, |sum, c| sum.plus(c.usage)),
            None => metrics::usage_of_node(o),
        };
        let value = o.to_value();
        let window = value.get("window").cloned();
        let cells = json!([o.name(), usage.cpu.canonical(), usage.memory.canonical(), window]);
        json!({"cells": cells, "object": form.shown(&value)})
    };
    let rows: Vec<Value> = items.iter().map(row).collect();
    table::of_rows(form.meta, &json!({}), columns.to_vec().into(), rows)
}
