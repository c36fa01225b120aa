//! Carrying out the reclaim policy of a volume whose claim is deleted (`reclaimVolume`).
//!
//! An external provisioner deletes the volumes that it created. Of the in-tree plug-ins only `hostPath` can
//! delete (below `/tmp/`), and `hostPath` and `nfs` can recycle; in Kubernetes a pod recycles, here the
//! volume is recycled at once.

use super::phase::{unbind, update_phase};
use super::{Cx, Volume};
use crate::api::volume::{PROVISIONED_BY, volume_phase};
use crate::api::{Kind, MetaExt, ObjectRef};
use crate::apimachinery::DeleteOptions;
use crate::client::{Result, Why};

pub(super) async fn reclaim(cx: &Cx, volume: Volume) -> Result {
    let spec = volume.spec.as_ref();
    let policy = spec.and_then(|s| s.persistent_volume_reclaim_policy.as_deref()).unwrap_or_default();
    match policy {
        "Retain" => Ok(()),
        "Recycle" if spec.is_some_and(|s| s.host_path.is_some() || s.nfs.is_some()) => {
            cx.event(&*volume, "Normal", "VolumeRecycled", "Volume recycled");
            unbind(cx, volume).await
        }
        "Recycle" => {
            fail(cx, volume, "VolumeFailedRecycle", "No recycler plugin found for the volume!").await
        }
        "Delete" => delete(cx, volume).await,
        _ => {
            let message = "Volume has unrecognized PersistentVolumeReclaimPolicy";
            fail(cx, volume, "VolumeUnknownReclaimPolicy", message).await
        }
    }
}

/// Deletes a volume (`deleteVolumeOperation`).
async fn delete(cx: &Cx, volume: Volume) -> Result {
    let name = volume.metadata.name();
    let by = volume.metadata.annotation(PROVISIONED_BY).unwrap_or_default();
    // What deletes the volumes of a CSI driver is beside Kubernetes, too.
    let csi = volume.spec.as_ref().is_some_and(|s| s.csi.is_some());
    if csi || (!by.is_empty() && !by.starts_with("kubernetes.io/")) {
        return Ok(());
    }
    let path = volume.spec.as_ref().and_then(|s| s.host_path.as_ref()).map(|h| h.path.clone());
    let message = match path {
        Some(path) if path.strip_prefix("/tmp/").is_some_and(|rest| !rest.is_empty()) => {
            let why = Why::new("delete_volume").read(
                "volume",
                ObjectRef::of(&*volume),
                "status.phase",
                volume_phase(&volume),
            );
            let options = DeleteOptions::default();
            return match cx.delete(Kind::PERSISTENT_VOLUME, volume.metadata.key(), options).because(why).await
            {
                Err(e) if !e.is_not_found() => Err(e.into()),
                _ => Ok(()),
            };
        }
        Some(path) => format!("host_path deleter only supports /tmp/.+ but received provided {path}"),
        None => format!(
            "error getting deleter volume plugin for volume {name:?}: no deletable volume plugin matched"
        ),
    };
    fail(cx, volume, "VolumeFailedDelete", &message).await
}

async fn fail(cx: &Cx, volume: Volume, reason: &str, message: &str) -> Result {
    if volume_phase(&volume) == "Failed" {
        return Ok(());
    }
    let volume = update_phase(cx, volume, "Failed", message).await?;
    cx.event(&*volume, "Warning", reason, message);
    Ok(())
}
