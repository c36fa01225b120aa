//! The objects that run the nginx of a Gateway are made, changed back if somebody has changed them, and deleted when the Gateway cannot be
//! served any more (`internal/controller/provisioner/provisioner.go`).

use serde_json::Value;

use super::made::{Maker, Wanted};
use super::state::State;
use super::{Task, known};
use crate::api::types::Secret;
use crate::api::{Key, Kind, Object, owner_reference, to_value};
use crate::apimachinery::{Body, DeleteOptions, Subresource, Verb};
use crate::client::{Context, Result, Why};

type Cx = Context<State, Task>;

/// Whether an object has all that it shall have: what the API server has filled in besides does not count.
fn has(object: &Value, wanted: &Value) -> bool {
    match (object, wanted) {
        (Value::Object(all), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, value)| all.get(name).map_or_else(|| is_empty(value), |own| has(own, value))),
        (Value::Array(all), Value::Array(wanted)) => {
            all.len() == wanted.len() && all.iter().zip(wanted).all(|(own, value)| has(own, value))
        }
        (own, wanted) => own == wanted,
    }
}

/// Whether a value is left out when it is stored.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(all) => all.is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Null => true,
        _ => false,
    }
}

/// An object with what it shall have in place of what it has (`objectSpecSetter`).
fn put_right(object: &Object, wanted: &Value) -> Option<Object> {
    let mut value = object.to_value();
    let fields = value.as_object_mut()?;
    for (name, wanted) in wanted.as_object()? {
        match name.as_str() {
            "apiVersion" | "kind" => {}
            "metadata" => {
                let meta = fields.get_mut("metadata")?.as_object_mut()?;
                for (name, wanted) in wanted.as_object()? {
                    match (name.as_str(), meta.get_mut(name)) {
                        // What others have annotated stays.
                        ("annotations", Some(Value::Object(all))) => {
                            all.extend(
                                wanted.as_object().into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())),
                            );
                        }
                        _ => drop(meta.insert(name.clone(), wanted.clone())),
                    }
                }
            }
            _ => drop(fields.insert(name.clone(), wanted.clone())),
        }
    }
    Object::from_value(object.kind(), value).ok()
}

/// Makes the objects of a Gateway as they shall be.
pub(super) async fn provision(cx: Cx, key: Key) -> Result {
    let leaders = cx.state(State::leaders);
    let graphs = cx.state(|s| s.graphs.clone());
    // A Gateway that is not there any more is followed by its objects, which it owns.
    let Some(object) = known::object(&cx, "gateways", &key).cloned() else { return Ok(()) };
    for (_, controller) in &leaders {
        let flags = &controller.flags;
        let Some(graph) = graphs.get(&flags.class) else { continue };
        let gateway = graph.gateways.iter().find(|g| g.source.key == key && *g.source.uid == *object.uid());
        let Some(gateway) = gateway.filter(|_| object.meta().deletion_timestamp.is_none()) else { continue };
        let owner = to_value(&owner_reference(object.kind(), object.meta()));
        let maker = Maker::new(flags, gateway, owner);
        if !gateway.valid || gateway.listeners.is_empty() {
            for (kind, key) in maker.names() {
                remove(&cx, kind, key, &gateway.source.key).await?;
            }
            continue;
        }
        let secret = cx.lister::<Secret>().get(&flags.agent_secret_key()).cloned();
        for wanted in maker.all(secret.as_deref()) {
            make(&cx, wanted, &object).await?;
        }
    }
    Ok(())
}

async fn make(cx: &Cx, (kind, key, wanted): Wanted, gateway: &Object) -> Result {
    let why = |rule: &'static str| {
        Why::new(rule)
            .read("gateway", gateway.reference(), "metadata.name", gateway.name())
            .with("kind", kind.as_str())
            .with("name", &key.name)
    };
    let Some(object) = cx.caches().of(kind).get(&key) else {
        let Ok(new) = Object::from_value(kind, wanted) else { return Ok(()) };
        let done = cx.send(Verb::Create, kind, key.clone(), Subresource::None, Body::Object(new));
        return match done.because(why("gateway_fabric.provision")).await {
            // The caches have not heard of it yet.
            Err(e) if e.is_already_exists() => Ok(()),
            Err(e) => Err(e.into()),
            Ok(_) => Ok(()),
        };
    };
    if has(&object.to_value(), &wanted) {
        return Ok(());
    }
    let Some(changed) = put_right(object, &wanted) else { return Ok(()) };
    let done = cx.send(Verb::Update, kind, key.clone(), Subresource::None, Body::Object(changed));
    done.because(why("gateway_fabric.put_right")).await?;
    Ok(())
}

async fn remove(cx: &Cx, kind: Kind, key: Key, gateway: &Key) -> Result {
    if cx.caches().of(kind).get(&key).is_none() {
        return Ok(());
    }
    let why = Why::new("gateway_fabric.deprovision")
        .with("gateway", &gateway.name)
        .with("kind", kind.as_str())
        .with("name", &key.name);
    match cx.delete(kind, key, DeleteOptions::default()).because(why).await {
        Err(e) if e.is_not_found() => Ok(()),
        Err(e) => Err(e.into()),
        Ok(_) => Ok(()),
    }
}
