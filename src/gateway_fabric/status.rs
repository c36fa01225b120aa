//! What is said of classes, Gateways and routes (`updateStatuses` in `internal/controller/handler.go`, `internal/controller/status`).

use serde_json::Value;

use super::state::State;
use super::{LOOKS_FOR_SERVICE, Task, WAITS_FOR_SERVICE, known};
use crate::api::types::Service;
use crate::api::{Key, Object, seconds};
use crate::apimachinery::{Body, Subresource, Verb};
use crate::client::{Context, Result, Why};
use crate::network::gateway::graph::Gateway;
use crate::network::gateway::{Graph, status};

type Cx = Context<State, Task>;

/// The time that conditions get.
fn at(cx: &Cx) -> String {
    seconds(cx.now()).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Writes a status if it says something else than the object, its times aside.
async fn write(cx: &Cx, plural: &str, key: &Key, said: Value, why: Why) -> Result {
    let Some(object) = known::object(cx, plural, key) else { return Ok(()) };
    let Some(custom) = object.custom() else { return Ok(()) };
    let before = custom.fields().get("status").cloned().unwrap_or_default();
    if status::timeless(&before) == status::timeless(&said) {
        return Ok(());
    }
    let mut value = object.to_value();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("status".into(), said);
    }
    let kind = object.kind();
    let Ok(changed) = Object::from_value(kind, value) else { return Ok(()) };
    let why = why.read("object", object.reference(), "metadata.name", object.name());
    let done = cx.send(Verb::Update, kind, key.clone(), Subresource::Status, Body::Object(changed));
    match done.because(why).await {
        // It was deleted meanwhile.
        Err(e) if e.is_not_found() => Ok(()),
        Err(e) => Err(e.into()),
        Ok(_) => Ok(()),
    }
}

/// The addresses of the Service of a Gateway (`getGatewayAddressesForStatus`); `None` if there is no Service.
fn addresses(cx: &Cx, gateway: &Gateway) -> Option<Vec<(&'static str, String)>> {
    if gateway.listeners.is_empty() {
        return Some(Vec::new());
    }
    let key = Key::new(&gateway.source.key.namespace, &gateway.resources);
    let service = cx.lister::<Service>().get(&key)?;
    let spec = service.spec.as_ref()?;
    let mut all = Vec::new();
    if spec.type_.as_deref() == Some("LoadBalancer") {
        let balancer = service.status.as_ref().and_then(|s| s.load_balancer.as_ref());
        for given in balancer.iter().flat_map(|l| l.ingress.iter().flatten()) {
            all.extend(given.ip.iter().map(|ip| ("IPAddress", ip.clone())));
            let name = given.hostname.iter().filter(|_| given.ip.is_none());
            all.extend(name.map(|name| ("Hostname", name.clone())));
        }
    } else {
        all.extend(spec.cluster_ip.iter().map(|ip| ("IPAddress", ip.clone())));
    }
    let asked = gateway.source.spec.addresses.iter();
    let asked = asked.filter(|a| a.type_.as_deref() == Some("IPAddress"));
    let asked = asked.filter(|a| a.value.parse::<std::net::IpAddr>().is_ok());
    let at = all.iter().position(|(type_, _)| *type_ == "Hostname").unwrap_or(all.len());
    let rest = all.split_off(at);
    all.extend(asked.map(|a| ("IPAddress", a.value.clone())));
    all.extend(rest);
    Some(all)
}

/// The conditions of a status that are not as they should be, in words; `Accepted` if all are.
fn verdict(conditions: Option<&Value>) -> String {
    let all = conditions.and_then(Value::as_array).into_iter().flatten();
    let text = |c: &Value, name: &str| c.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let bad = all.filter(|c| {
        let wanted = if matches!(text(c, "type").as_str(), "Conflicted" | "PartiallyInvalid") {
            "False"
        } else {
            "True"
        };
        text(c, "status") != wanted
    });
    let bad: Vec<String> = bad.map(|c| format!("{}: {}", text(c, "type"), text(c, "reason"))).collect();
    if bad.is_empty() { "Accepted".to_owned() } else { bad.join(", ") }
}

async fn class(cx: &Cx, graph: &Graph, at: &str) -> Result {
    if let Some(class) = &graph.class {
        let said = status::of_class(class, at);
        let why = Why::new("gateway_fabric.class_status").with("verdict", verdict(said.get("conditions")));
        write(cx, "gatewayclasses", &class.source.key, said, why).await?;
    }
    for ignored in &graph.ignored {
        let said = status::of_ignored_class(ignored.generation, at);
        let why = Why::new("gateway_fabric.class_status").with("verdict", verdict(said.get("conditions")));
        write(cx, "gatewayclasses", &ignored.key, said, why).await?;
    }
    Ok(())
}

async fn routes(cx: &Cx, graph: &Graph, controller: &str, at: &str) -> Result {
    for route in &graph.routes {
        let plural = if route.kind == "HTTPRoute" { "httproutes" } else { "grpcroutes" };
        let key = &route.source.key;
        let before = known::object(cx, plural, key).and_then(|o| o.custom());
        let before = before.and_then(|o| o.fields().get("status").cloned()).unwrap_or_default();
        let said = status::of_route(route, controller, &before, at);
        let parents = said.get("parents").and_then(Value::as_array).into_iter().flatten();
        let mut verdicts: Vec<String> = parents.map(|p| verdict(p.get("conditions"))).collect();
        verdicts.dedup();
        let why = Why::new("gateway_fabric.route_status").with("verdict", verdicts.join("; "));
        write(cx, plural, key, said, why).await?;
    }
    Ok(())
}

async fn gateway(cx: &Cx, gateway: &Gateway, at: &str) -> Result {
    let addresses = addresses(cx, gateway).unwrap_or_default();
    let said = status::of_gateway(gateway, &addresses, None, at);
    let attached: usize = gateway.listeners.iter().map(|l| l.routes.len()).sum();
    let words = addresses.iter().map(|(_, value)| value.as_str());
    let why = Why::new("gateway_fabric.gateway_status")
        .with("verdict", verdict(said.get("conditions")))
        .with(
            "addresses",
            Some(words.collect::<Vec<_>>().join(", "))
                .filter(|w| !w.is_empty())
                .unwrap_or_else(|| "-".into()),
        )
        .with("routes", attached);
    write(cx, "gateways", &gateway.source.key, said, why).await
}

/// Writes all statuses that say something else than they should.
pub(super) async fn all(cx: Cx) -> Result {
    let leaders = cx.state(State::leaders);
    let graphs = cx.state(|s| s.graphs.clone());
    let of_leaders: Vec<_> = leaders
        .iter()
        .filter_map(|(_, c)| Some((c.flags.clone(), graphs.get(&c.flags.class).cloned()?)))
        .collect();
    // The Service of a new Gateway is waited for, since its address belongs to the status.
    let missing = |graph: &Graph| graph.gateways.iter().any(|g| g.valid && addresses(&cx, g).is_none());
    let since = cx.state(|s| s.waits);
    let waits = of_leaders.iter().any(|(_, graph)| missing(graph));
    let now = cx.now();
    if waits && since.is_none_or(|since| now.duration_since(since) < WAITS_FOR_SERVICE) {
        cx.enqueue_after(Task::Statuses, LOOKS_FOR_SERVICE);
        cx.update_state(move |s| s.waits = Some(s.waits.unwrap_or(now)));
        return Ok(());
    }
    cx.update_state(|s| s.waits = None);
    let at = at(&cx);
    for (flags, graph) in &of_leaders {
        class(&cx, graph, &at).await?;
        routes(&cx, graph, &flags.controller, &at).await?;
        for one in &graph.gateways {
            gateway(&cx, one, &at).await?;
        }
    }
    Ok(())
}

/// Writes the status of one Gateway.
pub(super) async fn of_one(cx: Cx, key: Key) -> Result {
    // All statuses are written first, as soon as the Service that they wait for is there.
    if cx.state(|s| s.leaders().is_empty() || s.waits.is_some()) {
        return Ok(());
    }
    let graphs = cx.state(|s| s.graphs.clone());
    let at = at(&cx);
    for one in graphs.values().flat_map(|g| &g.gateways).filter(|g| g.source.key == key) {
        gateway(&cx, one, &at).await?;
    }
    Ok(())
}
