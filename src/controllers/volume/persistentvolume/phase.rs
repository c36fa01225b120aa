//! Writes to a volume: its phase (`updateVolumePhase`), and its claim taken away (`unbindVolume`).

use std::rc::Rc;

use super::{Cx, Volume};
use crate::api::volume::{BOUND_BY_CONTROLLER, volume_phase};
use crate::api::{MetaExt, ObjectRef};
use crate::client::{Result, Why};

/// Writes a volume's phase if it has changed (`updateVolumePhase`).
pub(super) async fn update_phase(
    cx: &Cx,
    volume: Volume,
    phase: &'static str,
    message: &str,
) -> Result<Volume> {
    if volume_phase(&volume) == phase {
        return Ok(volume);
    }
    let why = Why::new("update_volume_phase")
        .read("volume", ObjectRef::of(&*volume), "status.phase", volume_phase(&volume))
        .with("phase", phase);
    let mut to = volume;
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    status.phase = Some(phase.into());
    status.message = Some(message.to_owned()).filter(|m| !m.is_empty());
    Ok(cx.update_status(to).because(why).await?)
}

/// Removes the volume's side of a binding (`unbindVolume`).
pub(super) async fn unbind(cx: &Cx, volume: Volume) -> Result {
    let why = Why::new("unbind_volume").read(
        "volume",
        ObjectRef::of(&*volume),
        "spec.claimRef",
        volume.metadata.name(),
    );
    let mut to = volume.clone();
    let new = Rc::make_mut(&mut to);
    if volume.metadata.annotation(BOUND_BY_CONTROLLER).is_some() {
        if let Some(spec) = new.spec.as_mut() {
            spec.claim_ref = None;
        }
        if let Some(all) = new.metadata.annotations.as_mut() {
            all.remove(BOUND_BY_CONTROLLER);
        }
        new.metadata.annotations = new.metadata.annotations.take().filter(|a| !a.is_empty());
    } else if let Some(r) = new.spec.as_mut().and_then(|s| s.claim_ref.as_mut()) {
        // The volume's author reserved it for the claim, so it stays reserved.
        r.uid = None;
    }
    let volume = cx.update(to).because(why).await?;
    update_phase(cx, volume, "Available", "").await.map(|_| ())
}
