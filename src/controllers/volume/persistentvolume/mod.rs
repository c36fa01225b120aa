//! The persistent volume binder (`k8s.io/kubernetes/pkg/controller/volume/persistentvolume`): it binds
//! claims and volumes to each other, and releases a volume whose claim is deleted.
//!
//! A binding has two sides, `claim.spec.volumeName` and `volume.spec.claimRef`, and takes four writes; a
//! later sync continues where an earlier one stopped. Claims of a class that waits for its first consumer
//! are left to the scheduler until it has selected a node.
//!
//! Kubernetes syncs everything every fifteen seconds, and notices some changes (a volume becomes free, a
//! class is created) only then. Here the cluster waits for that sync if there is such a change and a claim that waits.
//! Otherwise the sync takes place when time passes for another reason, as long as a claim waits: what is wrong with the
//! claim is said again.

mod claim;
mod migration;
mod phase;
mod provision;
mod reclaim;
mod volume;

use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::types::{PersistentVolume, PersistentVolumeClaim, Pod, StorageClass};
use crate::api::volume::{claim_phase, claim_ref, is_fully_bound, volume_name, volume_phase};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp};
use crate::client::{Context, EventFlavour, Handler, Reconciler, Result, Seen, Wait, Watches, Why};

/// The interval of Kubernetes' periodic sync, in seconds (`--pvclaimbinder-sync-period`).
const RESYNC: i64 = 15;

/// The persistent volume binder.
#[derive(Clone, Copy, Debug)]
pub struct PersistentVolumeController;

/// A key of the binder's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Sync a volume.
    Volume(Key),
    /// Sync all claims that wait, because something has changed that they may wait for.
    Resync,
    /// Sync all claims that wait, because time has passed.
    PeriodicResync,
    /// Sync a claim, after the volumes that were never synced.
    Claim(Key),
    /// Sync a claim now.
    ClaimAfterVolumes(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Volume(key) | Task::Claim(key) | Task::ClaimAfterVolumes(key) => key.fmt(f),
            Task::Resync => f.write_str("resync"),
            Task::PeriodicResync => f.write_str("periodic resync"),
        }
    }
}

type Cx = Context<(), Task>;
type Claim = Rc<PersistentVolumeClaim>;
type Volume = Rc<PersistentVolume>;

impl Reconciler for PersistentVolumeController {
    type Key = Task;
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

    fn watches(&self) -> Watches<(), Task> {
        Watches::new()
            .watches(handle_volume)
            .watches(handle_claim)
            .watches(|cx, seen: Seen<'_, StorageClass>| {
                if !seen.is_gone() {
                    look_again(cx);
                }
            })
            .reads::<Pod>()
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Volume(key) => match cx.lister::<PersistentVolume>().get(&key).cloned() {
                Some(volume) => volume::sync(&cx, volume).await,
                None => Ok(()),
            },
            // Kubernetes has one worker for volumes and one for claims. A new volume is mostly synced before a claim that is
            // made after it, and only then may it be bound; so the one worker here syncs new volumes first.
            Task::Claim(key) if cx.lister::<PersistentVolume>().list(None).any(is_new) => {
                cx.enqueue(Task::ClaimAfterVolumes(key));
                Ok(())
            }
            Task::Claim(key) | Task::ClaimAfterVolumes(key) => {
                match cx.lister::<PersistentVolumeClaim>().get(&key).cloned() {
                    Some(claim) => claim::sync(&cx, claim).await,
                    None => Ok(()),
                }
            }
            Task::Resync | Task::PeriodicResync => {
                let claims = cx.lister::<PersistentVolumeClaim>();
                let waiting: Vec<Key> =
                    claims.list(None).filter(|c| waits(c)).map(|c| c.metadata.key()).collect();
                if !waiting.is_empty() {
                    cx.enqueue_waiting(Task::PeriodicResync, until_resync(cx.now()), Wait::Background);
                }
                waiting.into_iter().for_each(|claim| cx.enqueue(Task::Claim(claim)));
                Ok(())
            }
        }
    }
}

/// Whether a volume was never synced.
fn is_new(volume: &Volume) -> bool {
    matches!(volume_phase(volume), "" | "Pending")
}

fn handle_volume(cx: &mut Handler<'_, (), Task>, seen: Seen<'_, PersistentVolume>) {
    if !seen.is_gone() {
        cx.enqueue(Task::Volume(seen.key.clone()));
        if became_available(seen) {
            look_again(cx);
        }
    } else if let Some(r) = claim_ref(seen.object()) {
        let of = |s: &Option<String>| s.clone().unwrap_or_default();
        cx.enqueue(Task::Claim(Key::new(&of(&r.namespace), &of(&r.name))));
    }
}

fn handle_claim(cx: &mut Handler<'_, (), Task>, seen: Seen<'_, PersistentVolumeClaim>) {
    if let Some(claim) = seen.new {
        cx.enqueue(Task::Claim(seen.key.clone()));
        if waits(claim) {
            cx.enqueue_waiting(Task::PeriodicResync, until_resync(cx.now), Wait::Background);
        }
    } else if !volume_name(seen.object()).is_empty() {
        cx.enqueue(Task::Volume(Key::new("", volume_name(seen.object()))));
    }
}

fn became_available(seen: Seen<'_, PersistentVolume>) -> bool {
    let free = |v: Option<&Volume>| v.is_some_and(|v| volume_phase(v) == "Available");
    free(seen.new) && !free(seen.old)
}

fn waits(claim: &PersistentVolumeClaim) -> bool {
    !is_fully_bound(claim) && claim_phase(claim) != "Lost"
}

/// Plans a sync of all waiting claims for the next full fifteen seconds, if there are any.
fn look_again(cx: &mut Handler<'_, (), Task>) {
    let claims = cx.caches.of(Kind::PERSISTENT_VOLUME_CLAIM);
    if !claims.list(None).filter_map(PersistentVolumeClaim::from_object).any(|c| waits(c)) {
        return;
    }
    cx.enqueue_after(Task::Resync, until_resync(cx.now));
}

/// The time until the next full fifteen seconds.
fn until_resync(now: Timestamp) -> SignedDuration {
    let seconds = RESYNC - now.as_second().rem_euclid(RESYNC);
    SignedDuration::from_secs(seconds) - SignedDuration::new(0, now.subsec_nanosecond())
}

/// The reason of a write that binds a volume and a claim.
fn bond(rule: &'static str, volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> Why {
    Why::new(rule).read("volume", ObjectRef::of(volume), "spec.claimRef", volume.metadata.name()).read(
        "claim",
        ObjectRef::of(claim),
        "spec.volumeName",
        claim.metadata.name(),
    )
}
