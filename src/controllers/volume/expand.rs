//! The expand controller (`k8s.io/kubernetes/pkg/controller/volume/expand`): it says that a claim which asks for more
//! storage than its volume has waits for the resizer of its driver.
//!
//! The controller expands no volume itself any more: each in-tree plug-in that it could call has moved to a CSI driver.

use std::rc::Rc;

use crate::api::types::{PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec};
use crate::api::volume::{
    self, PRE_RESIZE_CAPACITY, claim_capacity as has, claim_phase, claim_ref, requested, volume_name,
};
use crate::api::{Key, MetaExt, ObjectRef};
use crate::client::{Context, Error, EventFlavour, Reconciler, Result, Seen, Watches, Why};

/// Annotation of a claim: the resizer that is to expand its volume.
const STORAGE_RESIZER: &str = "volume.kubernetes.io/storage-resizer";

/// The expand controller.
#[derive(Clone, Copy, Debug)]
pub struct ExpandController;

/// The in-tree plug-in of a volume whose work a CSI driver does now.
fn migrated(spec: &PersistentVolumeSpec) -> Option<&'static str> {
    let all = [
        (spec.aws_elastic_block_store.is_some(), "kubernetes.io/aws-ebs"),
        (spec.azure_disk.is_some(), "kubernetes.io/azure-disk"),
        (spec.azure_file.is_some(), "kubernetes.io/azure-file"),
        (spec.cinder.is_some(), "kubernetes.io/cinder"),
        (spec.gce_persistent_disk.is_some(), "kubernetes.io/gce-pd"),
        (spec.portworx_volume.is_some(), "kubernetes.io/portworx-volume"),
        (spec.vsphere_volume.is_some(), "kubernetes.io/vsphere-volume"),
    ];
    all.into_iter().find(|(is, _)| *is).map(|(_, plugin)| plugin)
}

impl Reconciler for ExpandController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "persistentvolume-expander-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "expand-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "volume_expand".into(), host: None }
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(|cx, seen: Seen<'_, PersistentVolumeClaim>| {
            let grown = match (seen.old, seen.new) {
                (Some(old), Some(new)) => requested(new) > requested(old) || has(new) > has(old),
                (_, new) => new.is_some(),
            };
            // Kubernetes enqueues every bound claim and finds here that there is nothing to do.
            if grown && seen.new.is_some_and(|c| claim_phase(c) == "Bound" && requested(c) > has(c)) {
                cx.enqueue(seen.key.clone());
            }
        })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(claim) = cx.lister::<PersistentVolumeClaim>().get(&key).cloned() else { return Ok(()) };
        let volume = cx.get::<PersistentVolume>(Key::new("", volume_name(&claim))).await?;
        let bound = claim_ref(&volume)
            .is_some_and(|r| r.namespace == claim.metadata.namespace && r.uid == claim.metadata.uid);
        if !bound {
            return Err(Error::Other(format!("persistent Volume is not bound to PVC being updated : {key}")));
        }
        if requested(&claim) <= has(&claim) && volume.metadata.annotation(PRE_RESIZE_CAPACITY).is_none() {
            return Ok(());
        }
        let Some(plugin) = volume.spec.as_ref().and_then(migrated) else {
            let message = "waiting for an external controller to expand this PVC";
            cx.event(&*claim, "Normal", "ExternalExpanding", message);
            return Ok(());
        };
        let message =
            format!("CSI migration enabled for {plugin}; waiting for external resizer to expand the pvc");
        cx.event(&*claim, "Normal", "ExternalExpanding", message);
        let Some(driver) = volume::migrated_driver(plugin) else { return Ok(()) };
        if claim.metadata.annotation(STORAGE_RESIZER) == Some(driver) {
            return Ok(());
        }
        let why = Why::new("expand.set_claim_resizer")
            .read("claim", ObjectRef::of(&*claim), "spec.resources.requests", claim.metadata.name())
            .with("resizer", driver);
        let mut to = claim.clone();
        let annotations = Rc::make_mut(&mut to).metadata.annotations.get_or_insert_default();
        annotations.insert(STORAGE_RESIZER.into(), driver.to_owned());
        cx.patch_status(claim, to).because(why).await?;
        Ok(())
    }
}
