//! Carrying out the reclaim policy of a volume whose claim is deleted (`reclaimVolume`).
//!
//! An external provisioner deletes the volumes that it created. Of the in-tree plug-ins only `hostPath` can
//! delete (below `/tmp/`), and `hostPath` and `nfs` can recycle; in Kubernetes a pod recycles, here the
//! volume is recycled at once.

use super::phase::{unbind, update_phase};
use super::provision::{HOST_PATH_PLUGIN, UNPROVISIONABLE_PLUGINS};
use super::{Cx, Volume, migration};
use crate::api::quote::go_quote;
use crate::api::types::PersistentVolume;
use crate::api::volume::{MIGRATED_TO, PROVISIONED_BY, volume_phase};
use crate::api::{Kind, MetaExt, ObjectRef};
use crate::apimachinery::DeleteOptions;
use crate::client::{Result, Why};

pub(super) async fn reclaim(cx: &Cx, volume: Volume) -> Result {
    // What a CSI driver has taken over is its provisioner's to reclaim, by whatever policy.
    if volume.metadata.annotation(MIGRATED_TO).is_some_and(|driver| !driver.is_empty()) {
        return Ok(());
    }
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

/// Who deletes a volume.
enum Deleter {
    /// What runs beside Kubernetes.
    External,
    /// The plug-in `hostPath`.
    HostPath,
}

/// Who deletes a volume: the plug-in that has created it or, if none has, the plug-in for its source
/// (`findDeletablePlugin`). The error is the message of the event.
fn deleter(volume: &PersistentVolume) -> std::result::Result<Deleter, String> {
    const NOT_DELETABLE: &str = "no deletable volume plugin matched";
    let by = volume.metadata.annotation(PROVISIONED_BY).unwrap_or_default();
    match by {
        "" => {}
        HOST_PATH_PLUGIN => return Ok(Deleter::HostPath),
        _ if UNPROVISIONABLE_PLUGINS.contains(&by) => return Err(NOT_DELETABLE.into()),
        _ if by.starts_with("kubernetes.io/") => return Err(format!("no volume plugin matched name: {by}")),
        _ => return Ok(Deleter::External),
    }
    let none = Default::default();
    let spec = volume.spec.as_ref().unwrap_or(&none);
    // What deletes the volumes of a CSI driver is beside Kubernetes, too.
    if spec.csi.is_some() {
        return Ok(Deleter::External);
    }
    if spec.host_path.is_some() {
        return Ok(Deleter::HostPath);
    }
    let has_plugin = spec.nfs.is_some() || spec.local.is_some() || spec.portworx_volume.is_some();
    let why = if has_plugin { NOT_DELETABLE } else { "no volume plugin matched" };
    let name = go_quote(volume.metadata.name());
    Err(format!("error getting deleter volume plugin for volume {name}: {why}"))
}

/// Deletes a volume (`deleteVolumeOperation`).
async fn delete(cx: &Cx, volume: Volume) -> Result {
    match deleter(&volume) {
        Ok(Deleter::External) => return Ok(()),
        Ok(Deleter::HostPath) => {}
        Err(message) => return fail(cx, volume, "VolumeFailedDelete", &message).await,
    }
    let path = volume.spec.as_ref().and_then(|s| s.host_path.as_ref()).map(|h| h.path.clone());
    let message = match path {
        // The plug-in looks for this anywhere in the path.
        Some(path) if path.split_once("/tmp/").is_some_and(|(_, rest)| !rest.is_empty()) => {
            let why = Why::new("delete_volume").read(
                "volume",
                ObjectRef::of(&*volume),
                "status.phase",
                volume_phase(&volume),
            );
            let options = DeleteOptions::default();
            if let Err(message) = migration::let_go(cx, &volume).await {
                return fail(cx, volume, "VolumeFailedDelete", &message).await;
            }
            return match cx.delete(Kind::PERSISTENT_VOLUME, volume.metadata.key(), options).because(why).await
            {
                Err(e) if !e.is_not_found() => Err(e.into()),
                _ => Ok(()),
            };
        }
        Some(path) => format!("host_path deleter only supports /tmp/.+ but received provided {path}"),
        None => format!(
            "failed to create deleter for volume {}: spec.PersistentVolumeSource.HostPath is nil",
            go_quote(volume.metadata.name())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;
    use crate::api::Object;

    /// `findDeletablePlugin`, with the plug-ins of `ProbeControllerVolumePlugins`
    #[test]
    fn who_deletes_a_volume() {
        let deleter = |by: &str, source: Value| {
            let mut value =
                json!({"metadata": {"name": "v", "annotations": {PROVISIONED_BY: by}}, "spec": source});
            value["spec"]["capacity"] = json!({"storage": "1Gi"});
            let volume = Object::from_value(Kind::PERSISTENT_VOLUME, value).unwrap();
            super::deleter(volume.get::<PersistentVolume>().unwrap()).map(|d| match d {
                Deleter::External => "external",
                Deleter::HostPath => "hostPath",
            })
        };
        let path = || json!({"hostPath": {"path": "/tmp/x"}});
        let by_source =
            |why: &str| Err(format!("error getting deleter volume plugin for volume \"v\": {why}"));
        assert_eq!(deleter("", path()), Ok("hostPath"));
        assert_eq!(deleter("", json!({"csi": {"driver": "d", "volumeHandle": "h"}})), Ok("external"));
        let none = "no deletable volume plugin matched";
        assert_eq!(deleter("", json!({"nfs": {"server": "s", "path": "/"}})), by_source(none));
        assert_eq!(deleter("", json!({"local": {"path": "/x"}})), by_source(none));
        let none = "no volume plugin matched";
        assert_eq!(
            deleter("", json!({"iscsi": {"targetPortal": "t", "iqn": "i", "lun": 0}})),
            by_source(none)
        );
        assert_eq!(deleter("", json!({"fc": {"lun": 0}})), by_source(none));
        assert_eq!(deleter("example.com/disks", path()), Ok("external"));
        assert_eq!(deleter("kubernetes.io/host-path", path()), Ok("hostPath"));
        assert_eq!(deleter("kubernetes.io/nfs", path()), Err("no deletable volume plugin matched".into()));
        let none = "no volume plugin matched name: kubernetes.io/aws-ebs";
        assert_eq!(deleter("kubernetes.io/aws-ebs", path()), Err(none.into()));
    }
}
