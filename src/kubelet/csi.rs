//! What the kubelet writes about CSI drivers and their volumes: the CSINode of its node
//! (`pkg/volume/csi/nodeinfomanager`), and the end of an expansion (`GenerateExpandAndRecoverVolumeFunc`'s part on nodes).

use std::rc::Rc;

use super::task::{Cx, Kubelet, Task};
use super::volumes;
use crate::api::quantity::amount_of;
use crate::api::types::storage::{CSINodeDriver, CSINodeSpec};
use crate::api::types::{
    CSINode, Node, ObjectMeta, OwnerReference, PersistentVolume, PersistentVolumeClaim, Pod,
};
use crate::api::volume::{claim_capacity, volume_name};
use crate::api::{Key, MetaExt, ObjectRef, csi};
use crate::client::{Result, Why};

/// The state of an expansion that a node has to complete, in `status.allocatedResourceStatuses` of a claim.
const NODE_RESIZE_PENDING: &str = "NodeResizePending";
/// The state of an expansion that a node is completing.
const NODE_RESIZE_IN_PROGRESS: &str = "NodeResizeInProgress";
/// The conditions of a claim that is being expanded.
const RESIZE_CONDITIONS: [&str; 5] = [
    "Resizing",
    "FileSystemResizePending",
    "ControllerResizeError",
    "NodeResizeError",
    "ControllerResizeInfeasible",
];

/// Whether a node has to complete the expansion of the claim's volume.
pub(super) fn is_expansion_pending(claim: &PersistentVolumeClaim) -> bool {
    let states = claim.status.as_ref().and_then(|s| s.allocated_resource_statuses.as_ref());
    let state = states.and_then(|s| s.get("storage")).map(String::as_str);
    matches!(state, Some(NODE_RESIZE_PENDING | NODE_RESIZE_IN_PROGRESS))
}

/// The annotation of a CSINode with the plug-ins in the kubelet whose volumes are those of a CSI driver now
/// (`pkg/volume/csi/nodeinfomanager`).
const MIGRATED: &str = "storage.alpha.kubernetes.io/migrated-plugins";
const MIGRATED_PLUGINS: &str = "kubernetes.io/aws-ebs,kubernetes.io/azure-disk,kubernetes.io/azure-file,kubernetes.io/cinder,kubernetes.io/gce-pd,\
                                kubernetes.io/portworx-volume,kubernetes.io/vsphere-volume";

impl Kubelet {
    /// Plans the report of the volumes in use, if it has to change, and the expansion of volumes that have been mounted.
    pub(super) fn plan_volumes(&self, cx: &Cx, pod: &Key) {
        let node = cx.caches().get::<Node>(&self.key);
        if node.is_some_and(|n| cx.state(|s| volumes::is_unreported(s, n))) {
            cx.enqueue_after(Task::Status(self.node.clone()), volumes::next_report(cx.now()));
        }
        let claims: Vec<Key> = cx.state(|s| {
            let mounted = s.pods.get(pod).into_iter().flat_map(|rt| rt.volumes.iter().filter(|v| v.mounted));
            mounted.map(|v| v.claim.clone()).collect()
        });
        for claim in claims {
            if cx.caches().get::<PersistentVolumeClaim>(&claim).is_some_and(|c| is_expansion_pending(c)) {
                cx.enqueue(Task::Expand(claim));
            }
        }
    }

    /// Writes the CSINode of the node, if a driver was installed or removed. Real kubelets create it when they start, also
    /// without a driver.
    pub(super) async fn update_csi_node(&self, cx: &Cx) -> Result {
        let registered = volumes::is_registered(cx.caches(), csi::DRIVER);
        let old = match cx.get::<CSINode>(self.key.clone()).await {
            Ok(node) => Some(node),
            Err(e) if e.is_not_found() => None,
            Err(e) => return Err(e.into()),
        };
        let mut new = match &old {
            Some(old) => (**old).clone(),
            None if !registered => return Ok(()),
            None => CSINode {
                metadata: ObjectMeta {
                    name: Some(self.node.to_string()),
                    owner_references: cx.caches().get::<Node>(&self.key).map(|n| {
                        vec![OwnerReference {
                            api_version: "v1".into(),
                            kind: "Node".into(),
                            name: self.node.to_string(),
                            uid: n.metadata.uid().to_owned(),
                            ..Default::default()
                        }]
                    }),
                    ..Default::default()
                },
                spec: CSINodeSpec { drivers: Vec::new() },
            },
        };
        let known = new.spec.drivers.iter().any(|d| d.name == csi::DRIVER);
        if known == registered {
            return Ok(());
        }
        new.spec.drivers.retain(|d| d.name != csi::DRIVER);
        if registered {
            new.spec.drivers.push(CSINodeDriver {
                name: csi::DRIVER.into(),
                node_id: self.node.to_string(),
                ..Default::default()
            });
        }
        let annotations = new.metadata.annotations.get_or_insert_default();
        annotations.insert(MIGRATED.into(), MIGRATED_PLUGINS.into());
        let why = Why::new("kubelet.update_csi_node")
            .with("node", &self.node)
            .with("driver", csi::DRIVER)
            .with("registered", if registered { "yes" } else { "no" });
        match old {
            Some(_) => cx.update(Rc::new(new)).because(why).await?,
            None => cx.create(new).because(why).await?,
        };
        Ok(())
    }

    /// Completes the expansion of a volume that a pod here has mounted: the file system grows to the size of the volume
    /// (`NodeExpandVolume`).
    pub(super) async fn expand_volume(&self, cx: &Cx, key: &Key) -> Result {
        let Some(claim) = cx.caches().get::<PersistentVolumeClaim>(key).cloned() else { return Ok(()) };
        let mounted = cx.state(|s| volumes::mounted_claim(s, key));
        let volume = cx.caches().get::<PersistentVolume>(&Key::new("", volume_name(&claim))).cloned();
        let (Some((name, pod)), Some(volume)) = (mounted, volume) else { return Ok(()) };
        let size = volume.spec.as_ref().and_then(|s| s.capacity.as_ref()?.get("storage").cloned());
        if !is_expansion_pending(&claim) || amount_of(size.as_ref()) <= claim_capacity(&claim) {
            return Ok(());
        }
        let why = |rule| {
            Why::new(rule)
                .read("claim", ObjectRef::of(&*claim), "status.allocatedResourceStatuses", key)
                .with("node", &self.node)
        };
        let mut to = claim.clone();
        let states = Rc::make_mut(&mut to)
            .status
            .get_or_insert_default()
            .allocated_resource_statuses
            .get_or_insert_default();
        states.insert("storage".into(), NODE_RESIZE_IN_PROGRESS.into());
        let began =
            cx.patch_status(claim.clone(), to).because(why("kubelet.node_expansion_in_progress")).await?;
        let mut to = began.clone();
        let status = Rc::make_mut(&mut to).status.get_or_insert_default();
        if let Some(size) = size {
            status.capacity.get_or_insert_default().insert("storage".into(), size);
        }
        status.conditions.iter_mut().for_each(|c| c.retain(|c| !RESIZE_CONDITIONS.contains(&&*c.type_)));
        status.conditions = status.conditions.take().filter(|c| !c.is_empty());
        status.allocated_resource_statuses.iter_mut().for_each(|s| {
            s.remove("storage");
        });
        status.allocated_resource_statuses =
            status.allocated_resource_statuses.take().filter(|s| !s.is_empty());
        let message = format!("MountVolume.NodeExpandVolume succeeded for volume {name:?} {}", self.node);
        if let Some(pod) = cx.caches().get::<Pod>(&pod) {
            cx.event(&**pod, "Normal", "FileSystemResizeSuccessful", message.clone());
        }
        cx.event(&*began, "Normal", "FileSystemResizeSuccessful", message);
        cx.patch_status(began, to).because(why("kubelet.node_expansion_finished")).await?;
        Ok(())
    }
}
