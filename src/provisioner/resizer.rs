//! An external resizer (`kubernetes-csi/external-resizer`): it expands the volumes of this room's provisioners when their
//! claims ask for more storage. The file system of a CSI volume grows on the node, which is the kubelet's part.

use std::rc::Rc;

use jiff::SignedDuration;

use super::is_mine;
use crate::api::persistent::Map;
use crate::api::quantity::amount_of;
use crate::api::types::{
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimCondition, Quantity, Time,
};
use crate::api::volume::{capacity, claim_capacity, claim_phase, is_bound_to, requested, volume_name};
use crate::api::{Key, MetaExt, ObjectRef, Timestamp, csi, later, seconds};
use crate::client::{Context, Handler, Memory, Reconciler, Result, Seen, Watches, Why};

/// How long the storage takes to expand a volume, in seconds.
pub const RESIZE_SECONDS: i64 = 1;

/// The conditions of a claim that is being expanded.
const RESIZE_CONDITIONS: [&str; 5] = [
    "Resizing",
    "FileSystemResizePending",
    "ControllerResizeError",
    "NodeResizeError",
    "ControllerResizeInfeasible",
];

/// The reconciler of the resizer.
#[derive(Clone, Copy, Debug)]
pub struct Resizer;

/// When the volumes that are being expanded have their new size, by claim.
#[derive(Clone, Debug, Default)]
pub struct State {
    under_way: Map<Key, Timestamp>,
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let of = |(claim, at): (&Key, &Timestamp)| {
            format!("the volume of {claim} is larger in {} ms", at.duration_since(now).as_millis().max(0))
        };
        self.under_way.iter().map(of).collect()
    }
}

type Cx = Context<State>;
type Claim = Rc<PersistentVolumeClaim>;

impl Reconciler for Resizer {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "external-resizer".into()
    }

    fn watches(&self) -> Watches<State> {
        Watches::new()
            .watches(|cx: &mut Handler<'_, State>, seen: Seen<'_, PersistentVolumeClaim>| match seen.new {
                None => {
                    cx.state.under_way.remove(seen.key);
                }
                Some(claim) if claim_phase(claim) == "Bound" && requested(claim) > claim_capacity(claim) => {
                    cx.enqueue(seen.key.clone());
                }
                Some(_) => {}
            })
            .reads::<PersistentVolume>()
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let Some(claim) = cx.lister::<PersistentVolumeClaim>().get(&key).cloned() else { return Ok(()) };
        let volume = cx.lister::<PersistentVolume>().get(&Key::new("", volume_name(&claim))).cloned();
        let Some(volume) = volume.filter(|v| is_mine(v) && is_bound_to(v, &claim)) else { return Ok(()) };
        if claim_phase(&claim) != "Bound" || requested(&claim) <= claim_capacity(&claim) {
            return Ok(());
        }
        let wanted =
            claim.spec.as_ref().and_then(|s| s.resources.as_ref()?.requests.as_ref()?.get("storage"));
        let Some(wanted) = wanted.cloned() else { return Ok(()) };
        // What is left is the kubelet's part.
        if capacity(&volume) >= amount_of(Some(&wanted)) && on_node(&claim) {
            return Ok(());
        }
        expand(&cx, claim, volume, wanted).await
    }
}

fn state_of(claim: &PersistentVolumeClaim) -> Option<&str> {
    let states = claim.status.as_ref()?.allocated_resource_statuses.as_ref()?;
    states.get("storage").map(String::as_str)
}

fn on_node(claim: &PersistentVolumeClaim) -> bool {
    state_of(claim).is_some_and(|s| s.starts_with("Node"))
}

fn why(rule: &'static str, claim: &PersistentVolumeClaim, wanted: &Quantity) -> Why {
    Why::new(rule)
        .read("claim", ObjectRef::of(claim), "spec.resources.requests", claim.metadata.name())
        .with("size", &wanted.0)
}

async fn expand(cx: &Cx, claim: Claim, volume: Rc<PersistentVolume>, wanted: Quantity) -> Result {
    let key = claim.metadata.key();
    let mut claim = claim;
    let done = match cx.state(|s| s.under_way.get(&key).copied()) {
        Some(done) => done,
        None => {
            claim = mark(cx, claim, &wanted, "ControllerResizeInProgress", Some(("Resizing", ""))).await?;
            let message = format!("External resizer is resizing volume {}", volume.metadata.name());
            cx.event(&*claim, "Normal", "Resizing", message);
            let (id, done) = (key.clone(), later(cx.now(), SignedDuration::from_secs(RESIZE_SECONDS)));
            cx.update_state(move |s| {
                s.under_way.insert(id.clone(), done);
            });
            done
        }
    };
    if cx.now() < done {
        cx.enqueue_after(key, done.duration_since(cx.now()));
        return Ok(());
    }
    if capacity(&volume) < amount_of(Some(&wanted)) {
        let mut to = volume.clone();
        let spec = Rc::make_mut(&mut to).spec.get_or_insert_default();
        spec.capacity.get_or_insert_default().insert("storage".into(), wanted.clone());
        let because = why("resizer.expand_volume", &claim, &wanted).with("volume", volume.metadata.name());
        cx.patch(volume.clone(), to).because(because).await?;
    }
    let file_system = volume.spec.as_ref().and_then(|s| s.volume_mode.as_deref()) != Some("Block");
    if file_system && csi::source(&volume).is_some() {
        const WAITS: &str =
            "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";
        let condition = Some(("FileSystemResizePending", WAITS));
        claim = mark(cx, claim, &wanted, "NodeResizePending", condition).await?;
        let message = "Require file system resize of volume on node";
        cx.event(&*claim, "Normal", "FileSystemResizeRequired", message);
    } else {
        claim = finish(cx, claim, &wanted).await?;
        cx.event(&*claim, "Normal", "VolumeResizeSuccessful", "Resize volume succeeded");
    }
    cx.update_state(move |s| {
        s.under_way.remove(&key);
    });
    Ok(())
}

/// Writes how far an expansion has come.
async fn mark(
    cx: &Cx,
    claim: Claim,
    wanted: &Quantity,
    state: &'static str,
    condition: Option<(&str, &str)>,
) -> Result<Claim> {
    let mut to = claim.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    status.allocated_resources.get_or_insert_default().insert("storage".into(), wanted.clone());
    status.allocated_resource_statuses.get_or_insert_default().insert("storage".into(), state.into());
    let conditions = status.conditions.get_or_insert_default();
    conditions.retain(|c| !RESIZE_CONDITIONS.contains(&&*c.type_));
    if let Some((type_, message)) = condition {
        conditions.push(PersistentVolumeClaimCondition {
            type_: type_.to_owned(),
            status: "True".into(),
            message: Some(message.to_owned()).filter(|m| !m.is_empty()),
            last_transition_time: Some(Time(seconds(cx.now()))),
            ..Default::default()
        });
    }
    let because = why("resizer.mark", &claim, wanted).with("state", state);
    Ok(cx.patch_status(claim, to).because(because).await?)
}

/// Writes that an expansion is over (`markOverallExpansionAsFinished`).
async fn finish(cx: &Cx, claim: Claim, wanted: &Quantity) -> Result<Claim> {
    let mut to = claim.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    status.capacity.get_or_insert_default().insert("storage".into(), wanted.clone());
    status.conditions.iter_mut().for_each(|c| c.retain(|c| !RESIZE_CONDITIONS.contains(&&*c.type_)));
    status.conditions = status.conditions.take().filter(|c| !c.is_empty());
    status.allocated_resource_statuses.iter_mut().for_each(|s| {
        s.remove("storage");
    });
    status.allocated_resource_statuses = status.allocated_resource_statuses.take().filter(|s| !s.is_empty());
    let because = why("resizer.finish", &claim, wanted);
    Ok(cx.patch_status(claim, to).because(because).await?)
}
