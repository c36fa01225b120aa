//! Functions about claims and volumes that several components use
//! (`k8s.io/component-helpers/storage/volume`).

use super::MetaExt;
use super::labels::Selector;
use super::quantity::{Amount, amount_of};
use super::types::{ObjectReference, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, Volume};
use crate::api::quote::go_quote;

/// Annotation of a volume: its capacity before an expansion that a node has to complete.
pub const PRE_RESIZE_CAPACITY: &str = "volume.alpha.kubernetes.io/pre-resize-capacity";
/// Annotation of a claim: the controller has finished binding it.
pub const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// Annotation of a claim or a volume: the controller chose the other side, not the author.
pub const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
/// Annotation of a volume: its provisioner.
pub const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
/// Annotation of a volume: the CSI driver that does now what an in-tree plug-in did.
pub const MIGRATED_TO: &str = "pv.kubernetes.io/migrated-to";
/// Annotation of a claim: the node selected for its first consumer.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// Annotation of a claim: the provisioner that is to create its volume.
pub const STORAGE_PROVISIONER: &str = "volume.kubernetes.io/storage-provisioner";
/// The older name of [`STORAGE_PROVISIONER`], which is still written.
pub const BETA_STORAGE_PROVISIONER: &str = "volume.beta.kubernetes.io/storage-provisioner";
/// Annotation of a StorageClass: `true` if it is the default one.
pub const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";
/// The older name of [`DEFAULT_CLASS`], which still counts.
const BETA_DEFAULT_CLASS: &str = "storageclass.beta.kubernetes.io/is-default-class";
/// Annotation of a claim or a volume with its class, from before there was a field for it.
pub const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
/// The finalizer that keeps a claim while a pod uses it.
pub const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";
/// The finalizer that keeps a volume while it is bound.
pub const VOLUME_PROTECTION: &str = "kubernetes.io/pv-protection";
/// The finalizer that keeps a VolumeAttributesClass while a claim or a volume names it.
pub const ATTRIBUTES_CLASS_PROTECTION: &str = "kubernetes.io/vac-protection";
/// The provisioner of classes whose volumes are created by hand.
pub const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// The in-tree plug-ins whose work CSI drivers do now, and these drivers (`k8s.io/csi-translation-lib`).
const MIGRATED: [(&str, &str); 7] = [
    ("kubernetes.io/aws-ebs", "ebs.csi.aws.com"),
    ("kubernetes.io/azure-disk", "disk.csi.azure.com"),
    ("kubernetes.io/azure-file", "file.csi.azure.com"),
    ("kubernetes.io/cinder", "cinder.csi.openstack.org"),
    ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io"),
    ("kubernetes.io/portworx-volume", "pxd.portworx.com"),
    ("kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"),
];

/// The CSI driver that does the work of an in-tree plug-in now.
pub fn migrated_driver(plugin: &str) -> Option<&'static str> {
    MIGRATED.iter().find(|(old, _)| *old == plugin).map(|(_, driver)| *driver)
}

/// The name of the claim that a volume of a pod uses, and whether it is the pod's own (ephemeral); `None` if
/// it uses none.
pub fn claim_of(pod: &Pod, volume: &Volume) -> Option<(String, bool)> {
    if let Some(source) = &volume.persistent_volume_claim {
        return Some((source.claim_name.clone(), false));
    }
    volume.ephemeral.as_ref()?;
    Some((format!("{}-{}", pod.metadata.name.as_deref().unwrap_or_default(), volume.name), true))
}

/// Whether a volume is a disk that only one pod on a node may mount for writing (`needsRestrictionsCheck` of
/// `pkg/scheduler/framework/plugins/volumerestrictions`).
pub fn is_restricted_disk(v: &Volume) -> bool {
    v.gce_persistent_disk.is_some()
        || v.aws_elastic_block_store.is_some()
        || v.rbd.is_some()
        || v.iscsi.is_some()
}

/// The class of a claim; empty if it has none (`GetPersistentVolumeClaimClass`).
pub fn claim_class(claim: &PersistentVolumeClaim) -> &str {
    let field = claim.spec.as_ref().and_then(|s| s.storage_class_name.as_deref());
    claim.metadata.annotation(BETA_CLASS).or(field).unwrap_or_default()
}

/// Whether a claim sets its class, even to the empty one.
pub fn claim_has_class(claim: &PersistentVolumeClaim) -> bool {
    claim.metadata.annotation(BETA_CLASS).is_some()
        || claim.spec.as_ref().is_some_and(|s| s.storage_class_name.is_some())
}

/// Whether a class is marked as the default one (`IsDefaultAnnotation`).
pub fn is_default_class(class: &StorageClass) -> bool {
    [DEFAULT_CLASS, BETA_DEFAULT_CLASS].iter().any(|a| class.metadata.annotation(a) == Some("true"))
}

/// The class of a volume; empty if it has none (`GetPersistentVolumeClass`).
pub fn volume_class(volume: &PersistentVolume) -> &str {
    let field = volume.spec.as_ref().and_then(|s| s.storage_class_name.as_deref());
    volume.metadata.annotation(BETA_CLASS).or(field).unwrap_or_default()
}

/// A claim's phase; empty if it has none.
pub fn claim_phase(claim: &PersistentVolumeClaim) -> &str {
    claim.status.as_ref().and_then(|s| s.phase.as_deref()).unwrap_or_default()
}

/// A volume's phase; empty if it has none.
pub fn volume_phase(volume: &PersistentVolume) -> &str {
    volume.status.as_ref().and_then(|s| s.phase.as_deref()).unwrap_or_default()
}

/// The name of the volume that a claim is bound to or asks for; empty if there is none.
pub fn volume_name(claim: &PersistentVolumeClaim) -> &str {
    claim.spec.as_ref().and_then(|s| s.volume_name.as_deref()).unwrap_or_default()
}

/// The reference by which a volume names its claim, at the claim's present revision (`ref.GetReference`).
pub fn reference_to(claim: &PersistentVolumeClaim) -> ObjectReference {
    ObjectReference {
        api_version: Some("v1".into()),
        kind: Some("PersistentVolumeClaim".into()),
        name: claim.metadata.name.clone(),
        namespace: claim.metadata.namespace.clone(),
        uid: claim.metadata.uid.clone(),
        resource_version: claim.metadata.resource_version.clone(),
        field_path: None,
    }
}

/// The claim that a volume is bound to or reserved for.
pub fn claim_ref(volume: &PersistentVolume) -> Option<&ObjectReference> {
    volume.spec.as_ref()?.claim_ref.as_ref()
}

/// Whether a claim has a volume and the controller has finished binding it (`isPVCFullyBound`).
pub fn is_fully_bound(claim: &PersistentVolumeClaim) -> bool {
    !volume_name(claim).is_empty() && claim.metadata.annotation(BIND_COMPLETED).is_some()
}

/// Whether a volume is bound to this claim, or reserved for it by name (`IsVolumeBoundToClaim`).
pub fn is_bound_to(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    claim_ref(volume).is_some_and(|r| {
        let uid = r.uid.as_deref().unwrap_or_default();
        r.name.as_deref().unwrap_or_default() == MetaExt::name(&claim.metadata)
            && r.namespace.as_deref().unwrap_or_default() == MetaExt::namespace(&claim.metadata)
            && (uid.is_empty() || uid == MetaExt::uid(&claim.metadata))
    })
}

/// The storage that a claim requests.
pub fn requested(claim: &PersistentVolumeClaim) -> Amount {
    let requests = claim.spec.as_ref().and_then(|s| s.resources.as_ref()?.requests.as_ref());
    amount_of(requests.and_then(|r| r.get("storage")))
}

/// The storage that a claim has, as its status says.
pub fn claim_capacity(claim: &PersistentVolumeClaim) -> Amount {
    amount_of(claim.status.as_ref().and_then(|s| s.capacity.as_ref()?.get("storage")))
}

/// The capacity of a volume.
pub fn capacity(volume: &PersistentVolume) -> Amount {
    amount_of(volume.spec.as_ref().and_then(|s| s.capacity.as_ref()?.get("storage")))
}

/// Whether one is a block device and the other a file system.
pub fn modes_mismatch(claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> bool {
    fn of(mode: Option<&String>) -> &str {
        mode.map_or("Filesystem", String::as_str)
    }
    let wanted = of(claim.spec.as_ref().and_then(|s| s.volume_mode.as_ref()));
    wanted != of(volume.spec.as_ref().and_then(|s| s.volume_mode.as_ref()))
}

/// Whether both have the same VolumeAttributesClass.
pub fn same_attributes(claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> bool {
    let wanted = claim.spec.as_ref().and_then(|s| s.volume_attributes_class_name.as_deref());
    let has = volume.spec.as_ref().and_then(|s| s.volume_attributes_class_name.as_deref());
    wanted.unwrap_or_default() == has.unwrap_or_default()
}

/// Whether a volume has all access modes that a claim asks for.
pub fn access_modes_fit(claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> bool {
    let wanted = claim.spec.as_ref().and_then(|s| s.access_modes.as_deref()).unwrap_or_default();
    let has = volume.spec.as_ref().and_then(|s| s.access_modes.as_deref()).unwrap_or_default();
    wanted.iter().all(|m| has.contains(m))
}

/// The short names of access modes, `RWO,ROX`; empty without modes (`GetAccessModesAsString`).
pub fn access_modes_as_string(modes: Option<&Vec<String>>) -> String {
    const ORDER: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |m: &str| modes.is_some_and(|all| all.iter().any(|a| a == m));
    ORDER.iter().filter(|(m, _)| has(m)).map(|(_, s)| *s).collect::<Vec<_>>().join(",")
}

/// Whether claims of a class wait for their first consumer (`IsDelayBindingMode`).
///
/// # Errors
/// If the class has no `volumeBindingMode`; defaulting sets it.
pub fn waits_for_consumer(class: &StorageClass) -> Result<bool, String> {
    match class.volume_binding_mode.as_deref() {
        None => {
            let name = MetaExt::name(&class.metadata);
            Err(format!("VolumeBindingMode not set for StorageClass {name}", name = go_quote(name)))
        }
        Some(mode) => Ok(mode == "WaitForFirstConsumer"),
    }
}

/// The claim and the conditions of a search for a volume.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The claim.
    pub claim: &'a PersistentVolumeClaim,
    /// Whether a volume can be used on the pod's node; `None` if the node is not known. Only the scheduler
    /// knows it.
    pub reachable: Option<&'a dyn Fn(&PersistentVolume) -> bool>,
    /// Whether the claim waits for its first consumer. If the node is not known, it then gets only a volume
    /// that is reserved for it.
    pub waits: bool,
}

/// The volume that is reserved for the claim, or else the smallest free one that satisfies it
/// (`FindMatchingVolume`). Of equally small ones the first.
pub fn find_matching<'a, V: AsRef<PersistentVolume>>(
    search: Search<'_>,
    volumes: impl IntoIterator<Item = &'a V>,
) -> Option<&'a V> {
    let claim = search.claim;
    let wanted = requested(claim);
    let selector = claim.spec.as_ref().and_then(|s| s.selector.as_ref());
    let selector = selector.and_then(|s| Selector::from_label_selector(Some(s)).ok());
    let mut best: Option<(Amount, &V)> = None;
    for v in volumes {
        let volume = v.as_ref();
        let reserved = is_bound_to(volume, claim);
        let size = capacity(volume);
        if (claim_ref(volume).is_some() && !reserved)
            || size < wanted
            || modes_mismatch(claim, volume)
            || !same_attributes(claim, volume)
            || volume.metadata.is_deleting()
        {
            continue;
        }
        let reachable = search.reachable.is_none_or(|r| r(volume));
        if reserved {
            return reachable.then_some(v);
        }
        if search.reachable.is_none() && search.waits {
            continue;
        }
        let fits = volume_phase(volume) == "Available"
            && selector.as_ref().is_none_or(|s| s.matches(volume.metadata.labels_or_empty()))
            && volume_class(volume) == claim_class(claim)
            && reachable
            && access_modes_fit(claim, volume);
        if fits && best.as_ref().is_none_or(|(least, _)| size < *least) {
            best = Some((size, v));
        }
    }
    best.map(|(_, v)| v)
}

/// The volume with its binding to the claim, to be written; `None` if it is bound already
/// (`GetBindVolumeToClaim`).
pub fn bind_volume_to_claim(
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
) -> Option<PersistentVolume> {
    let mut new = None;
    let named = claim_ref(volume).is_some_and(|r| {
        r.name == claim.metadata.name
            && r.namespace == claim.metadata.namespace
            && r.uid == claim.metadata.uid
    });
    if !named {
        let to = new.get_or_insert_with(|| volume.clone());
        to.spec.get_or_insert_default().claim_ref = Some(reference_to(claim));
    }
    if !is_bound_to(volume, claim) && volume.metadata.annotation(BOUND_BY_CONTROLLER).is_none() {
        let to = new.get_or_insert_with(|| volume.clone());
        to.metadata.annotations.get_or_insert_default().insert(BOUND_BY_CONTROLLER.into(), "yes".into());
    }
    new
}
