//! The naming controller (`pkg/controller/status/naming_controller.go`): it accepts the names of a
//! definition that no other definition of its group has.

use std::rc::Rc;

use super::update_status;
use crate::api::persistent::Map;
use crate::api::types::CustomResourceDefinition as Crd;
use crate::api::{Key, MetaExt, ObjectRef, Timestamp};
use crate::apiserver::apiextensions::{conditions, names};
use crate::client::{Context, Handler, Memory, Reconciler, Result, Seen, Watches, Why};

/// The naming controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamingConditionController;

/// What the controller remembers: definitions that it has written and that its informer has not delivered
/// yet. Without them two definitions could get the same name.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    written: Map<Key, Rc<Crd>>,
}

impl Memory for State {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let names =
            |crd: &Crd| crd.status.as_ref().and_then(|s| s.accepted_names.clone()).unwrap_or_default();
        self.written.values().map(|crd| format!("{} has {:?}", crd.metadata.name(), names(crd))).collect()
    }
}

type Cx = Context<State>;

fn version(crd: &Crd) -> u64 {
    crd.metadata.resource_version.as_deref().and_then(|v| v.parse().ok()).unwrap_or(0)
}

impl Reconciler for NamingConditionController {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "crd-naming-condition-controller".into()
    }

    fn user(&self) -> Rc<str> {
        super::USER.into()
    }

    fn watches(&self) -> Watches<State> {
        Watches::new().watches(|cx: &mut Handler<'_, State>, seen: Seen<'_, Crd>| {
            let known = seen.is_gone()
                || cx.state.written.get(seen.key).is_some_and(|w| version(w) <= version(seen.object()));
            if known {
                cx.state.written.remove(seen.key);
            }
            if seen.is_gone() {
                requeue_group(cx, seen);
            } else {
                cx.enqueue(seen.key.clone());
            }
        })
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let all = cx.state(|s| definitions(&cx, s));
        let Some(crd) = all.iter().find(|crd| crd.metadata.key() == key).cloned() else { return Ok(()) };
        let Some(status) = names::sync(&crd, all.iter().map(|crd| &**crd), cx.now()) else { return Ok(()) };
        let accepting = status.conditions.iter().flatten().find(|c| c.type_ == conditions::NAMES_ACCEPTED);
        let reason = accepting.and_then(|c| c.reason.clone()).unwrap_or_default();
        let why = Why::new("naming.sync")
            .read("definition", ObjectRef::of(&*crd), "spec.names", &crd.spec.names.plural)
            .with("reason", reason);
        let Some(written) = update_status(&cx, &crd, status, why).await? else { return Ok(()) };
        let group = written.spec.group.clone();
        cx.update_state(move |s| {
            s.written.insert(written.metadata.key(), written.clone());
        });
        // Names that this definition had may be free now.
        for other in all.iter().filter(|o| o.spec.group == group && o.metadata.key() != key) {
            cx.enqueue(other.metadata.key());
        }
        Ok(())
    }
}

/// All definitions: the version that this controller has written or the one that the informer has delivered,
/// whichever is newer.
fn definitions(cx: &Cx, state: &State) -> Vec<Rc<Crd>> {
    let newest = |seen: &Rc<Crd>| match state.written.get(&seen.metadata.key()) {
        Some(written) if version(written) > version(seen) => written.clone(),
        _ => seen.clone(),
    };
    cx.lister::<Crd>().list(None).map(newest).collect()
}

/// A definition was deleted: enqueues the others of its group, because its names are free.
fn requeue_group(cx: &mut Handler<'_, State>, gone: Seen<'_, Crd>) {
    let group = &gone.object().spec.group;
    let all = cx.caches.of(crate::api::Kind::CUSTOM_RESOURCE_DEFINITION).list(None);
    let keys: Vec<Key> = all
        .filter_map(|o| o.get::<Crd>())
        .filter(|crd| crd.spec.group == *group)
        .map(|crd| crd.metadata.key())
        .collect();
    keys.into_iter().for_each(|key| cx.enqueue(key));
}
