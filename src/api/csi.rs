//! Names of CSI volumes and of their attachments (`k8s.io/kubernetes/pkg/volume/csi`).

use sha2::{Digest, Sha256};

use super::types::{CSIDriver, PersistentVolume};

/// The driver whose parts beside Kubernetes are simulated: provisioner, attacher, resizer and the plug-in on
/// each node. It is installed as long as there is a CSIDriver of this name.
pub const DRIVER: &str = "csi.sim.steady";

/// Annotation of a Node: the attach/detach controller attaches its volumes (`ControllerManagedAttachAnnotation`).
pub const CONTROLLER_MANAGED_ATTACH: &str = "volumes.kubernetes.io/controller-managed-attach-detach";
/// Annotation of a Node: volumes of its terminated pods stay attached (`KeepTerminatedPodVolumesAnnotation`).
pub const KEEP_TERMINATED_POD_VOLUMES: &str = "volumes.kubernetes.io/keep-terminated-pod-volumes";
/// The taint of a node that a person has declared to be out of service (KEP-2268).
pub const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// What separates the parts of a volume's unique name.
const PLUGIN: &str = "kubernetes.io/csi/";

/// The driver and the handle of a CSI volume; `None` if it is another volume.
pub fn source(volume: &PersistentVolume) -> Option<(&str, &str)> {
    let csi = volume.spec.as_ref()?.csi.as_ref()?;
    Some((&csi.driver, &csi.volume_handle))
}

/// A volume's name in `status.volumesInUse` and `status.volumesAttached` of a Node
/// (`GetUniqueVolumeNameFromSpec`).
///
/// ```
/// let name = steady::api::csi::unique_name("csi.example.com", "vol-1");
/// assert_eq!(name, "kubernetes.io/csi/csi.example.com^vol-1");
/// assert_eq!(steady::api::csi::parts(&name), Some(("csi.example.com", "vol-1")));
/// ```
pub fn unique_name(driver: &str, handle: &str) -> String {
    format!("{PLUGIN}{driver}^{handle}")
}

/// The driver and the handle in a volume's unique name; `None` if it is not the name of a CSI volume.
pub fn parts(unique_name: &str) -> Option<(&str, &str)> {
    unique_name.strip_prefix(PLUGIN)?.split_once('^').filter(|(_, handle)| !handle.contains('^'))
}

/// The name of the VolumeAttachment of a volume on a node (`getAttachmentName`).
pub fn attachment_name(handle: &str, driver: &str, node: &str) -> String {
    let digest = Sha256::digest(format!("{handle}{driver}{node}"));
    digest.iter().fold("csi-".to_owned(), |mut name, byte| {
        for digit in [byte >> 4, byte & 15] {
            name.extend(char::from_digit(u32::from(digit), 16));
        }
        name
    })
}

/// Whether volumes of a driver have to be attached before they are mounted; `driver` is its CSIDriver, if there is one
/// (`skipAttach`).
pub fn needs_attach(driver: Option<&CSIDriver>) -> bool {
    driver.is_none_or(|d| d.spec.attach_required != Some(false))
}

/// Whether a volume may be attached to several nodes at the same time (`IsMultiAttachAllowed`).
pub fn is_multi_attach_allowed(volume: &PersistentVolume) -> bool {
    let modes = volume.spec.as_ref().and_then(|s| s.access_modes.as_deref()).unwrap_or_default();
    modes.is_empty() || modes.iter().any(|m| m == "ReadWriteMany" || m == "ReadOnlyMany")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attachment_has_the_name_that_kubernetes_gives_it() {
        assert_eq!(
            attachment_name("vol-1", "csi.example.com", "node-1"),
            "csi-b74c7fc125891ffa0d0f2e0d645733e3fae7fba3066e76500a771ea08be9da28"
        );
    }
}
