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
use crate::client::{Caches, Context, Error, Memory, Reconciler, Result, Seen, Watches, Why};

const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";
/// The value of the label of Endpoints that this controller writes.
const MANAGED_BY: &str = "endpoint-controller";
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
    /// The version of Endpoints that the last update has replaced (`staleEndpointsTracker`).
    stale: Map<Key, Rc<str>>,
}

impl State {
    /// Whether these Endpoints are older than those that the controller has written.
    fn is_stale(&self, endpoints: &Endpoints) -> bool {
        let stale = self.stale.get(&endpoints.metadata.key());
        stale.is_some_and(|stale| endpoints.metadata.resource_version.as_deref() == Some(&**stale))
    }
}

impl Memory for State {
    /// The addresses follow from the pods.
    fn lines(&self, now: Timestamp) -> Vec<String> {
        self.triggers.lines(now)
    }

    fn waits_for(&self, caches: &Caches) -> Vec<String> {
        let cached = |key: &&Key| caches.get::<Endpoints>(key).is_some_and(|e| self.is_stale(e));
        let waiting = self.stale.keys().filter(cached);
        waiting.map(|key| format!("{key} waits for the cache of endpoints")).collect()
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
        if let Some(c) = current.as_ref().filter(|c| cx.state(|s| s.is_stale(c))) {
            let version = c.metadata.resource_version.as_deref().unwrap_or_default();
            return Err(Error::Other(format!(
                "endpoints informer cache is out of date, resource version {version} already processed for endpoints {key}"
            )));
        }
        let mut labels = service.metadata.labels.clone().unwrap_or_default();
        labels.remove(ENDPOINTS_MANAGED_BY_LABEL);
        if service.spec.as_ref().is_some_and(is_headless) {
            labels.insert(HEADLESS.into(), String::new());
        } else {
            labels.remove(HEADLESS);
        }
        labels.insert(ENDPOINTS_MANAGED_BY_LABEL.into(), MANAGED_BY.into());
        if let Some(c) = &current
            && wanted.is_in(c.subsets.as_deref().unwrap_or_default())
            && has_labels_of(c, &service)
            && c.metadata.annotation(OVER_CAPACITY).is_some() == over
        {
            return Ok(());
        }
        let exists = current.is_some();
        let replaced = current.as_ref().and_then(|c| c.metadata.resource_version.clone());
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
            Ok(written) => {
                // An update that changes nothing leaves the version as it was.
                if let Some(before) = replaced
                    && written.metadata.resource_version.as_ref() != Some(&before)
                {
                    cx.update_state(move |s| {
                        s.stale.insert(key.clone(), before.as_str().into());
                    });
                }
                Ok(())
            }
        }
    }
}

/// Whether Endpoints have the labels of their Service; the label of headless ones does not count
/// (`labelsCorrectForEndpoints`).
fn has_labels_of(endpoints: &Endpoints, service: &Service) -> bool {
    let (has, wanted) = (endpoints.metadata.labels_or_empty(), service.metadata.labels_or_empty());
    let is_own = |label: &str| label == HEADLESS || label == ENDPOINTS_MANAGED_BY_LABEL;
    let mut others = has.iter().filter(|(k, _)| !is_own(k));
    endpoints.metadata.label(ENDPOINTS_MANAGED_BY_LABEL) == Some(MANAGED_BY)
        && others.clone().count() == wanted.len()
        && others.all(|(k, v)| wanted.get(k) == Some(v))
}

/// Deletes the Endpoints of a Service that was deleted.
async fn gone(cx: &Cx, key: Key) -> Result {
    let k = key.clone();
    cx.update_state(move |s| {
        s.triggers.forget(&k);
        s.published.remove(&k);
        s.stale.remove(&k);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn meta(version: &str, labels: &[(&str, &str)]) -> ObjectMeta {
        let labels: BTreeMap<String, String> =
            labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        ObjectMeta {
            name: Some("web".into()),
            namespace: Some("default".into()),
            resource_version: Some(version.into()),
            labels: Some(labels),
            ..Default::default()
        }
    }

    fn endpoints(version: &str, labels: &[(&str, &str)]) -> Endpoints {
        Endpoints { metadata: meta(version, labels), subsets: None }
    }

    /// `staleEndpointsTracker` in `pkg/controller/endpoint/endpoints_tracker.go`
    #[test]
    fn a_cache_is_stale_while_it_has_the_version_that_was_replaced() {
        let mut state = State::default();
        assert!(!state.is_stale(&endpoints("7", &[])));
        state.stale.insert(Key::new("default", "web"), "7".into());
        assert!(state.is_stale(&endpoints("7", &[])));
        assert!(!state.is_stale(&endpoints("8", &[])));
    }

    /// `labelsCorrectForEndpoints` in `pkg/controller/endpoint/endpoints_controller.go`
    #[test]
    fn the_label_of_headless_services_alone_is_no_reason_to_write() {
        let service = Service { metadata: meta("1", &[("app", "web")]), ..Default::default() };
        let mine = (ENDPOINTS_MANAGED_BY_LABEL, MANAGED_BY);
        let rows: [(&[(&str, &str)], bool); 6] = [
            (&[("app", "web"), mine], true),
            (&[("app", "web"), (HEADLESS, ""), mine], true),
            (&[("app", "web")], false),
            (&[("app", "other"), mine], false),
            (&[mine], false),
            (&[("app", "web"), ("more", "x"), mine], false),
        ];
        for (labels, has) in rows {
            assert_eq!(has_labels_of(&endpoints("1", labels), &service), has, "{labels:?}");
        }
    }
}
