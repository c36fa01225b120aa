//! The volumes for which a kubelet has no plug-in any more, or none that works.

use super::turn::Turn;
use crate::api::types::{PersistentVolumeSpec, Volume};

/// Whether no plug-in takes a volume of a pod (`FindPluginBySpec`, `pkg/volume/plugins.go`). Those for most kinds of storage were removed
/// when CSI drivers took their place, and the plug-ins for `flexVolume` are programs on the node, of which there are none.
fn is_unknown(v: &Volume) -> bool {
    v.cephfs.is_some()
        || v.flex_volume.is_some()
        || v.flocker.is_some()
        || v.glusterfs.is_some()
        || v.photon_persistent_disk.is_some()
        || v.quobyte.is_some()
        || v.rbd.is_some()
        || v.scale_io.is_some()
        || v.storageos.is_some()
}

/// The same of a PersistentVolume.
fn is_unknown_source(v: &PersistentVolumeSpec) -> bool {
    v.cephfs.is_some()
        || v.flex_volume.is_some()
        || v.flocker.is_some()
        || v.glusterfs.is_some()
        || v.photon_persistent_disk.is_some()
        || v.quobyte.is_some()
        || v.rbd.is_some()
        || v.scale_io.is_some()
        || v.storageos.is_some()
}

/// Why a volume cannot be processed; `None` if a plug-in takes it (`AddPodToVolume` of
/// `pkg/kubelet/volumemanager/cache/desired_state_of_world.go`). `bound` is the PersistentVolume of its claim, with its name.
pub(super) fn why_unknown(v: &Volume, bound: Option<(&str, &PersistentVolumeSpec)>) -> Option<String> {
    let name = match bound {
        Some((name, spec)) => is_unknown_source(spec).then_some(name),
        None => is_unknown(v).then_some(v.name.as_str()),
    }?;
    Some(format!("failed to get Plugin from volumeSpec for volume {name:?} err=no volume plugin matched"))
}

impl Turn<'_> {
    /// What the plug-ins say that are there and switched off: that for `gitRepo`, whose feature gate is locked (KEP-5040; `SetUpAt` of
    /// `pkg/volume/git_repo/git_repo.go`).
    pub(super) fn switched_off_plugins(&self) -> impl Iterator<Item = String> {
        self.used_volumes().filter(|v| v.git_repo.is_some()).map(|v| {
            format!(
                "MountVolume.SetUp failed for volume {:?} : git-repo volume plugin has been disabled; if necessary, it may be re-enabled by \
                 enabling the feature-gate `GitRepoVolumeDriver`",
                v.name
            )
        })
    }
}
