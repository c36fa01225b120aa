//! The persistent volume binder (`k8s.io/kubernetes/pkg/controller/volume/persistentvolume`): claims
//! and volumes find each other, and a volume whose claim is gone is released.
//!
//! The bond is two-sided, `claim.spec.volumeName` and `volume.spec.claimRef`, and is written in four
//! requests; whatever stands between them, a later sync goes on from there. Claims of a class that
//! waits for its first consumer are left to the scheduler until it has selected a node.
//!
//! Kubernetes looks at everything anew every fifteen seconds, and some changes (a volume becomes
//! free, a class appears) are only noticed then. Here that look takes place when there is such a
//! change and a claim that waits.

mod claim;
mod provision;
mod reclaim;
#[cfg(test)]
mod tests;
mod volume;

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::types::{PersistentVolume, PersistentVolumeClaim};
use crate::api::volume::{claim_phase, claim_ref, is_fully_bound, volume_name, volume_phase};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::Filter;
use crate::client::{Context, EventFlavour, Handler, Notification, Reconciler, Result, Why};

/// How often Kubernetes looks at everything anew, in seconds (`--pvclaimbinder-sync-period`).
const RESYNC: i64 = 15;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct PersistentVolumeController;

type Cx = Context<()>;
type Claim = Rc<PersistentVolumeClaim>;
type Volume = Rc<PersistentVolume>;

/// The key of a look at every claim that waits. No namespace has this name.
fn resync() -> Key {
    Key::new("/", "resync")
}

impl Reconciler for PersistentVolumeController {
    type State = ();

    fn name(&self) -> Rc<str> {
        "persistentvolume-binder-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "persistent-volume-binder".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "persistentvolume-controller".into(), host: None }
    }

    fn watches(&self) -> Vec<(Kind, Filter)> {
        let kinds = [Kind::PERSISTENT_VOLUME, Kind::PERSISTENT_VOLUME_CLAIM, Kind::STORAGE_CLASS, Kind::POD];
        kinds.into_iter().map(|k| (k, Filter::All)).collect()
    }

    fn handle(&self, cx: &mut Handler<'_, ()>, seen: &Notification) {
        let Some(object) = seen.object() else { return };
        let gone = seen.new.is_none();
        match object.kind() {
            kind if kind == Kind::PERSISTENT_VOLUME => {
                let Some(volume) = PersistentVolume::from_object(object) else { return };
                if !gone {
                    cx.enqueue(object.key());
                    if became_available(seen) {
                        look_again(cx);
                    }
                } else if let Some(r) = claim_ref(volume) {
                    let of = |s: &Option<String>| s.clone().unwrap_or_default();
                    cx.enqueue(Key::new(&of(&r.namespace), &of(&r.name)));
                }
            }
            kind if kind == Kind::PERSISTENT_VOLUME_CLAIM => {
                let Some(claim) = PersistentVolumeClaim::from_object(object) else { return };
                if !gone {
                    cx.enqueue(object.key());
                } else if !volume_name(claim).is_empty() {
                    cx.enqueue(Key::new("", volume_name(claim)));
                }
            }
            kind if kind == Kind::STORAGE_CLASS && !gone => look_again(cx),
            _ => {}
        }
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        if key == resync() {
            let waiting = cx.lister::<PersistentVolumeClaim>();
            waiting.list(None).filter(|c| waits(c)).for_each(|c| cx.enqueue(c.metadata.key()));
            return Ok(());
        }
        if key.namespace.is_empty() {
            let Some(volume) = cx.lister::<PersistentVolume>().get(&key).cloned() else { return Ok(()) };
            return volume::sync(&cx, volume).await;
        }
        let Some(claim) = cx.lister::<PersistentVolumeClaim>().get(&key).cloned() else { return Ok(()) };
        claim::sync(&cx, claim).await
    }
}

fn became_available(seen: &Notification) -> bool {
    let free = |o: &Option<Object>| {
        let volume = o.as_ref().and_then(PersistentVolume::from_object);
        volume.is_some_and(|v| volume_phase(v) == "Available")
    };
    free(&seen.new) && !free(&seen.old)
}

fn waits(claim: &PersistentVolumeClaim) -> bool {
    !is_fully_bound(claim) && claim_phase(claim) != "Lost"
}

/// Claims that wait are looked at when the next fifteen seconds are over.
fn look_again(cx: &mut Handler<'_, ()>) {
    let claims = cx.caches.of(Kind::PERSISTENT_VOLUME_CLAIM);
    if !claims.list(None).filter_map(PersistentVolumeClaim::from_object).any(|c| waits(c)) {
        return;
    }
    let seconds = RESYNC - cx.now.as_second().rem_euclid(RESYNC);
    let rest = SignedDuration::from_secs(seconds) - SignedDuration::new(0, cx.now.subsec_nanosecond());
    cx.enqueue_after(&resync(), rest, false);
}

fn claim_at(claim: &PersistentVolumeClaim) -> ObjectRef {
    ObjectRef { kind: Kind::PERSISTENT_VOLUME_CLAIM, key: claim.metadata.key() }
}

fn volume_at(volume: &PersistentVolume) -> ObjectRef {
    ObjectRef { kind: Kind::PERSISTENT_VOLUME, key: volume.metadata.key() }
}

/// Why two are bound to each other.
fn bond(rule: &'static str, volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Why {
    Why::new(rule).read("volume", volume_at(volume), "spec.claimRef", volume.metadata.name()).read(
        "claim",
        claim_at(claim),
        "spec.volumeName",
        claim.metadata.name(),
    )
}
