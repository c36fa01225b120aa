//! The Endpoints controller (`pkg/controller/endpoint`): it writes an Endpoints object for each Service with
//! a selector.

use std::rc::Rc;

use super::found::Triggers;
use super::published::Published;
use super::subsets::{CAPACITY, addresses, repack, truncate};
use super::{HEADLESS, LAST_CHANGE_TRIGGER_TIME, handle_pod, is_headless, written};
use crate::api::persistent::Map;
use crate::api::types::{EndpointSubset, Endpoints, ObjectMeta, Service};
use crate::api::well_known::ENDPOINTS_MANAGED_BY_LABEL;
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, Memory, Reconciler, Result, Seen, Watches, Why};

const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";
/// How often a Service is tried again after an error (`maxRetries`).
const MAX_RETRIES: u32 = 15;

/// The Endpoints controller.
#[derive(Clone, Copy, Debug)]
pub struct EndpointController;

/// What the controller remembers of each Service: what its last sync read, and the addresses that followed from it.
#[derive(Clone, Debug, Default)]
pub struct State {
    triggers: Triggers,
    published: Map<Key, Rc<Published>>,
}

impl Memory for State {
    /// The addresses follow from the pods.
    fn lines(&self, now: Timestamp) -> Vec<String> {
        self.triggers.lines(now)
    }
}

type Cx = Context<State>;

impl Reconciler for EndpointController {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "endpoints-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "endpoint-controller".into()
    }

    fn watches(&self) -> Watches<State> {
        Watches::new().for_::<Service>().watches(handle_pod).watches(|cx, seen: Seen<'_, Endpoints>| {
            // Deleted Endpoints are created again.
            if seen.is_gone() {
                cx.enqueue(seen.key.clone());
            }
        })
    }

    fn max_retries(&self) -> Option<u32> {
        Some(MAX_RETRIES)
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let Some(service) = cx.lister::<Service>().get(&key).cloned() else { return gone(&cx, key).await };
        let Some(news) = cx.state(|s| s.triggers.look(&key, &service, cx.caches())) else { return Ok(()) };
        let trigger = news.trigger;
        let wanted = match cx.state(|s| Published::after(s.published.get(&key), &service, &news)) {
            Some(published) => Wanted::Published(Rc::new(published)),
            None => Wanted::of(truncate(repack(addresses(&service, news.found.pods.values())))),
        };
        let (k, published) = (key.clone(), wanted.published().cloned());
        cx.update_state(move |s| {
            s.triggers.set(k.clone(), news.found.clone());
            match &published {
                Some(published) => s.published.insert(k.clone(), published.clone()),
                None => s.published.remove(&k),
            };
        });
        let over = wanted.is_over_capacity();
        let current = cx.lister::<Endpoints>().get(&key).cloned();
        let mut labels = service.metadata.labels.clone().unwrap_or_default();
        labels.remove(ENDPOINTS_MANAGED_BY_LABEL);
        if service.spec.as_ref().is_some_and(is_headless) {
            labels.insert(HEADLESS.into(), String::new());
        } else {
            labels.remove(HEADLESS);
        }
        labels.insert(ENDPOINTS_MANAGED_BY_LABEL.into(), "endpoint-controller".into());
        if let Some(c) = &current
            && wanted.is_in(c.subsets.as_deref().unwrap_or_default())
            && c.metadata.labels.as_ref() == Some(&labels)
            && c.metadata.annotation(OVER_CAPACITY).is_some() == over
        {
            return Ok(());
        }
        let exists = current.is_some();
        let mut new = current.unwrap_or_else(|| {
            Rc::new(Endpoints {
                metadata: ObjectMeta {
                    name: Some(key.name.to_string()),
                    namespace: Some(key.namespace.to_string()),
                    ..Default::default()
                },
                subsets: None,
            })
        });
        let to = Rc::make_mut(&mut new);
        to.subsets = Some(wanted.into_subsets()).filter(|s| !s.is_empty());
        to.metadata.labels = Some(labels);
        let annotations = to.metadata.annotations.get_or_insert_default();
        annotations.remove(LAST_CHANGE_TRIGGER_TIME);
        annotations.remove(OVER_CAPACITY);
        if let Some(t) = trigger {
            annotations.insert(LAST_CHANGE_TRIGGER_TIME.into(), written(t));
        }
        if over {
            annotations.insert(OVER_CAPACITY.into(), "truncated".into());
        }
        if annotations.is_empty() {
            to.metadata.annotations = None;
        }
        let ready: usize =
            to.subsets.iter().flatten().map(|s| s.addresses.as_ref().map_or(0, Vec::len)).sum();
        let why = Why::new("endpoints.sync_service")
            .read("service", ObjectRef { kind: Kind::SERVICE, key: key.clone() }, "spec.selector", &key.name)
            .with("ready", ready);
        let result = if exists {
            cx.update(new.clone()).because(why).await
        } else {
            cx.create(Endpoints::clone(&new)).because(why).await
        };
        match result {
            Err(e) if !exists && e.is_namespace_terminating() => Ok(()),
            Err(e) => {
                let (reason, message) = if exists {
                    ("FailedToUpdateEndpoint", format!("Failed to update endpoint {key}: {}", e.message))
                } else {
                    let message = format!("Failed to create endpoint for service {key}: {}", e.message);
                    ("FailedToCreateEndpoint", message)
                };
                cx.event(&*new, "Warning", reason, message);
                Err(e.into())
            }
            Ok(_) => Ok(()),
        }
    }
}

/// Deletes the Endpoints of a Service that was deleted.
async fn gone(cx: &Cx, key: Key) -> Result {
    let k = key.clone();
    cx.update_state(move |s| {
        s.triggers.forget(&k);
        s.published.remove(&k);
    });
    if cx.lister::<Endpoints>().get(&key).is_none() {
        return Ok(());
    }
    let why = Why::new("endpoints.service_gone").read(
        "service",
        ObjectRef { kind: Kind::SERVICE, key: key.clone() },
        "metadata",
        &key.name,
    );
    match cx.delete(Endpoints::KIND, key, DeleteOptions::default()).because(why).await {
        Err(e) if !e.is_not_found() => Err(e.into()),
        _ => Ok(()),
    }
}

/// What an Endpoints object is to have.
enum Wanted {
    /// One subset, which is kept from sync to sync.
    Published(Rc<Published>),
    /// These subsets; and whether addresses were left out.
    Subsets(Vec<EndpointSubset>, bool),
}

impl Wanted {
    fn of((subsets, over): (Vec<EndpointSubset>, bool)) -> Wanted {
        Wanted::Subsets(subsets, over)
    }

    fn published(&self) -> Option<&Rc<Published>> {
        match self {
            Wanted::Published(published) => Some(published),
            Wanted::Subsets(..) => None,
        }
    }

    fn is_over_capacity(&self) -> bool {
        match self {
            Wanted::Published(published) => published.len() > CAPACITY,
            Wanted::Subsets(_, over) => *over,
        }
    }

    fn is_in(&self, current: &[EndpointSubset]) -> bool {
        match self {
            Wanted::Published(published) => published.is_in(current),
            Wanted::Subsets(subsets, _) => subsets == current,
        }
    }

    fn into_subsets(self) -> Vec<EndpointSubset> {
        match self {
            Wanted::Published(published) => published.subset().into_iter().collect(),
            Wanted::Subsets(subsets, _) => subsets,
        }
    }
}
