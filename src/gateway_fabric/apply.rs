//! An nginx is told (`internal/controller/nginx/agent`).

use super::Task;
use super::state::State;
use crate::api::{Key, Kind};
use crate::apimachinery::{Body, Subresource, Verb};
use crate::client::{Context, Result, Why};
use crate::network::gateway::Configuration;
use crate::network::moved::Moved;

type Cx = Context<State, Task>;

/// Tells the nginx of a pod what it is to have.
pub(super) async fn apply(cx: Cx, pod: Key) -> Result {
    if cx.state(|s| s.leaders().is_empty()) {
        // There is nobody to connect to.
        return Ok(());
    }
    let Some(instance) = cx.state(|s| s.instances.get(&pod).cloned()) else { return Ok(()) };
    let wanted = cx.state(|s| s.configurations.get(&instance.deployment).cloned());
    let Some(wanted) = wanted.filter(|w| instance.running.as_ref() != Some(w)) else { return Ok(()) };
    let why = why(instance.running.as_deref(), &wanted).with("pod", &pod.name);
    let done = cx.send(Verb::Update, Kind::POD, pod.clone(), Subresource::Configuration, Body::None);
    done.because(why).await?;
    let first = instance.running.is_none();
    cx.update_state(move |s| s.change(&pod, |i| i.running = Some(wanted.clone())));
    cx.change_network();
    if first {
        cx.enqueue(Task::Statuses);
    }
    Ok(())
}

fn why(before: Option<&Configuration>, after: &Configuration) -> Why {
    let ports = |c: &Configuration| c.ports.keys().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let Some(before) = before else {
        return Why::new("gateway_fabric.first_configuration")
            .with("ports", ports(after))
            .with("rules", after.rules());
    };
    let list = |c: &Configuration, name: &str| {
        c.upstreams.get(name).map(|u| u.endpoints.clone()).unwrap_or_default()
    };
    let service = |u: &crate::network::gateway::configuration::Upstream| {
        let (key, port) = u.service.as_ref()?;
        Some((key.to_string(), format!("{}_{}_{port}", key.namespace, key.name)))
    };
    match after.moved_endpoints(before).as_deref() {
        Some([one]) if one.service.is_some() => {
            let (service, name) = service(one).unwrap_or_default();
            let (old, new) = (list(before, &name), list(after, &name));
            let moved = Moved::of(&old, &new);
            Why::new("gateway_fabric.endpoints")
                .with("service", service)
                .with("before", old.len())
                .with("count", new.len())
                .with("change", moved.change)
                .with("new", moved.new)
                .with("gone", moved.gone)
        }
        Some(several) if !several.is_empty() => {
            Why::new("gateway_fabric.upstreams").with("services", several.len())
        }
        _ => Why::new("gateway_fabric.reload").with("before", before.rules()).with("rules", after.rules()),
    }
}
