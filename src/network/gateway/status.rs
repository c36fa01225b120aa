//! The statuses that a controller writes (`internal/controller/status/prepare_requests.go`).

use serde_json::{Map, Value, json};

use super::condition::{
    ACCEPTED, CONFLICTED, Condition, OVERLAPPING, PROGRAMMED, RESOLVED_REFS, last_of_each,
};
use super::graph::{Class, Gateway};
use super::listener::Listener;
use super::objects::GROUP;
use super::route_graph::{Parent, Route};

/// The features of the Gateway API that hold here, as the Gateway API names them (`pkg/features`).
const FEATURES: [&str; 21] = [
    "Gateway",
    "GatewayAddressEmpty",
    "GatewayHTTPListenerIsolation",
    "GatewayInfrastructurePropagation",
    "GatewayPort8080",
    "GatewayStaticAddresses",
    "HTTPRoute",
    "HTTPRoute303RedirectStatusCode",
    "HTTPRoute307RedirectStatusCode",
    "HTTPRoute308RedirectStatusCode",
    "HTTPRouteDestinationPortMatching",
    "HTTPRouteHostRewrite",
    "HTTPRouteMethodMatching",
    "HTTPRouteParentRefPort",
    "HTTPRoutePathRedirect",
    "HTTPRoutePathRewrite",
    "HTTPRoutePortRedirect",
    "HTTPRouteQueryParamMatching",
    "HTTPRouteResponseHeaderModification",
    "HTTPRouteSchemeRedirect",
    "ReferenceGrant",
];

/// A time and the generation that conditions are about.
#[derive(Clone, Copy, Debug)]
pub struct When<'a> {
    /// `lastTransitionTime`
    pub at: &'a str,
    /// `observedGeneration`
    pub generation: i64,
}

fn conditions(all: &[Condition], when: When<'_>) -> Value {
    last_of_each(all).iter().map(|c| c.to_value(when.generation, when.at)).collect()
}

/// The status of the controller's class.
pub fn of_class(class: &Class, at: &str) -> Value {
    let mut all = vec![
        Condition::yes(ACCEPTED, "Accepted", "The GatewayClass is accepted"),
        Condition::yes("SupportedVersion", "SupportedVersion", "The Gateway API CRD versions are supported"),
    ];
    all.extend(class.conditions.iter().cloned());
    let mut status = Map::new();
    status.insert("conditions".into(), conditions(&all, When { at, generation: class.source.generation }));
    // With other versions of the definitions it does not say what it can do.
    if class.conditions.iter().all(|c| c.type_ != "SupportedVersion" || !class.valid) {
        status.insert("supportedFeatures".into(), features());
    }
    Value::Object(status)
}

/// The status of a class that names the controller, which is started with another one.
pub fn of_ignored_class(generation: i64, at: &str) -> Value {
    let message = "The resource is ignored due to a conflicting GatewayClass resource";
    let all = [Condition::no(ACCEPTED, "GatewayClassConflict", message)];
    json!({"conditions": conditions(&all, When { at, generation }), "supportedFeatures": features()})
}

fn features() -> Value {
    FEATURES.iter().map(|name| json!({"name": name})).collect()
}

/// The status of a listener.
fn of_listener(listener: &Listener, failed: Option<&str>, when: When<'_>) -> Value {
    let mut all = listener.conditions.clone();
    let says = |all: &[Condition], types: &[&str]| all.iter().any(|c| types.contains(&c.type_));
    if listener.valid {
        let (refs, conflicts) = (says(&all, &[RESOLVED_REFS]), says(&all, &[CONFLICTED, OVERLAPPING]));
        all.push(Condition::yes(PROGRAMMED, "Programmed", "The Listener is programmed"));
        all.push(Condition::yes(ACCEPTED, "Accepted", "The Listener is accepted"));
        if !refs {
            all.push(Condition::yes(RESOLVED_REFS, "ResolvedRefs", "All references are resolved"));
        }
        if !conflicts {
            all.push(Condition::no(CONFLICTED, "NoConflicts", "No conflicts"));
        }
    }
    if let Some(why) = failed {
        let message = format!(
            "The Listener is not programmed due to a failure to reload nginx with the configuration: {why}"
        );
        all.push(Condition::no(PROGRAMMED, "Invalid", message));
    }
    let kind = |k: &super::objects::RouteKind| match &k.group {
        Some(group) => json!({"group": group, "kind": k.kind}),
        None => json!({"group": GROUP, "kind": k.kind}),
    };
    json!({
        "name": listener.source.name,
        "supportedKinds": listener.kinds.iter().map(kind).collect::<Value>(),
        "attachedRoutes": listener.routes.len(),
        "conditions": conditions(&all, when),
    })
}

/// The status of a Gateway. `addresses` are those of its Service, each with its type; `failed` is why nginx has not taken its
/// configuration.
pub fn of_gateway(
    gateway: &Gateway,
    addresses: &[(&'static str, String)],
    failed: Option<&str>,
    at: &str,
) -> Value {
    let when = When { at, generation: gateway.source.generation };
    if !gateway.valid {
        return json!({"conditions": conditions(&gateway.conditions, when)});
    }
    let mut all = vec![
        Condition::yes(ACCEPTED, "Accepted", "The Gateway is accepted"),
        Condition::yes(PROGRAMMED, "Programmed", "The Gateway is programmed"),
    ];
    all.extend(gateway.conditions.iter().cloned());
    let valid = gateway.listeners.iter().filter(|l| l.valid).count();
    if valid == 0 && !gateway.listeners.is_empty() {
        let message = "The Gateway has no valid listeners";
        all.push(Condition::no(ACCEPTED, "ListenersNotValid", message));
        all.push(Condition::no(PROGRAMMED, "Invalid", message));
    } else if valid < gateway.listeners.len() {
        let message = "The Gateway has at least one valid listener";
        all.push(Condition::yes(ACCEPTED, "ListenersNotValid", message));
    }
    if let Some(why) = failed {
        let message = format!(
            "The Gateway is not programmed due to a failure to reload nginx with the configuration: {why}"
        );
        all.push(Condition::no(PROGRAMMED, "Invalid", message));
    }
    all.extend(gateway.address_conditions());
    let listeners: Value = gateway.listeners.iter().map(|l| of_listener(l, failed, when)).collect();
    let mut status = Map::new();
    if !addresses.is_empty() {
        let all = addresses.iter().map(|(type_, value)| json!({"type": type_, "value": value}));
        status.insert("addresses".into(), all.collect());
    }
    status.insert("conditions".into(), conditions(&all, when));
    status.insert("listeners".into(), listeners);
    status.insert("attachedListenerSets".into(), 0.into());
    Value::Object(status)
}

/// Of the listeners that one reference of a route means, what is said of it as a whole (`removeDuplicateIndexParentRefs`): with the
/// name of the listener if it means one.
fn one_of_each(parents: &[Parent]) -> Vec<(&Parent, Option<&str>, Vec<Condition>)> {
    let mut all: Vec<(&Parent, Option<&str>, Vec<Condition>)> = Vec::new();
    let failed = |p: &Parent| p.attachment.as_ref().map(|a| a.failed.clone()).unwrap_or_default();
    for parent in parents {
        match all.last_mut().filter(|(first, ..)| first.place == parent.place) {
            None => all.push((parent, parent.section.as_deref(), failed(parent))),
            Some((_, section, conditions)) => {
                *section = None;
                let attachment = parent.attachment.as_ref();
                if attachment.is_some_and(|a| a.attached && a.failed.is_empty()) {
                    conditions.clear();
                }
            }
        }
    }
    all
}

/// The status of a route. What other controllers have said in `before` is kept.
pub fn of_route(route: &Route, controller: &str, before: &Value, at: &str) -> Value {
    let when = When { at, generation: route.source.generation };
    let mut parents = Vec::new();
    for (parent, section, failed) in one_of_each(&route.parents) {
        let mut all = vec![
            Condition::yes(ACCEPTED, "Accepted", "The Route is accepted"),
            Condition::yes(RESOLVED_REFS, "ResolvedRefs", "All references are resolved"),
        ];
        all.extend(route.conditions.iter().cloned());
        all.extend(failed);
        let mut reference = Map::new();
        reference.insert("group".into(), GROUP.into());
        reference.insert("kind".into(), "Gateway".into());
        reference.insert("name".into(), parent.gateway.name.to_string().into());
        reference.insert("namespace".into(), parent.gateway.namespace.to_string().into());
        if let Some(name) = section {
            reference.insert("sectionName".into(), name.into());
        }
        parents.push(json!({
            "parentRef": reference,
            "controllerName": controller,
            "conditions": conditions(&all, when),
        }));
    }
    let others = before.get("parents").and_then(Value::as_array).into_iter().flatten();
    let others = others.filter(|p| p.get("controllerName").and_then(Value::as_str) != Some(controller));
    parents.extend(others.cloned());
    json!({"parents": parents})
}

/// A status without the times of its conditions, by which two are compared (`ConditionsEqual`).
pub fn timeless(status: &Value) -> Value {
    match status {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| *name != "lastTransitionTime");
            Value::Object(kept.map(|(name, value)| (name.clone(), timeless(value))).collect())
        }
        Value::Array(all) => all.iter().map(timeless).collect(),
        other => other.clone(),
    }
}
