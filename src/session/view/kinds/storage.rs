//! Claims, volumes and their attachments. The lines lead from a pod over its claim to the volume, and from the attachment
//! to the volume and to the node.

use super::{About, KindView, Named, Shows, stuck};
use crate::api::types::{PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment};
use crate::api::volume::{SELECTED_NODE, claim_phase, volume_name, volume_phase, waits_for_consumer};
use crate::api::{Kind, MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Place, Standing};
use crate::session::view::events::Condition;
use crate::session::view::offers::{Offer, deletion};

/// A card with one word; empty words are left out.
fn standing(word: &str, good: bool) -> Card {
    Card::Resource(Some(Standing { good, word: word.to_owned() }).filter(|s| !s.word.is_empty()))
}

/// A phase that says what is wrong.
fn phase(phase: &str, reason: Option<&str>, message: Option<&str>) -> Ails {
    let text = |t: Option<&str>| t.unwrap_or_default().to_owned();
    Ails::Phase { phase: phase.to_owned(), reason: text(reason), message: text(message) }
}

/// The phase of a claim or a volume as `kubectl get` has it: of one that is being deleted it is `Terminating`
/// (`printPersistentVolumeClaim`).
fn shown_phase<'o>(object: &Object, phase: &'o str) -> &'o str {
    if object.meta().is_deleting() { "Terminating" } else { phase }
}

/// Whether a claim is left unbound on purpose: its class binds for a pod, and the scheduler has chosen no node for one yet. What
/// is wrong with a pod that uses the claim is said of the pod.
fn awaits_consumer(cluster: &Cluster, claim: &PersistentVolumeClaim) -> bool {
    let class = claim.spec.as_ref().and_then(|s| s.storage_class_name.as_deref()).unwrap_or_default();
    let class = cluster.api().cached(&ObjectRef::new(Kind::STORAGE_CLASS, "", class));
    let waits =
        class.and_then(|o| o.get::<StorageClass>()).is_some_and(|c| waits_for_consumer(c) == Ok(true));
    waits && claim_phase(claim) == "Pending" && claim.metadata.annotation(SELECTED_NODE).is_none()
}

/// PersistentVolumeClaims.
pub(super) struct Claims;

/// The types of a claim's conditions that mean trouble when they are true.
const TROUBLES: [&str; 4] =
    ["ControllerResizeError", "NodeResizeError", "ModifyVolumeError", "FileSystemResizePending"];

impl KindView for Claims {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: Shows::Made,
            keeper: "persistentvolume-binder-controller",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    fn card(&self, object: &Object) -> Card {
        let phase = object.get::<PersistentVolumeClaim>().map_or("", |c| claim_phase(c));
        let phase = shown_phase(object, phase);
        standing(phase, phase == "Bound")
    }
    /// A change of the claim that failed or waits for a pod, a phase other than `Bound`, or what keeps a claim that is
    /// being deleted.
    fn ails(&self, cluster: &Cluster, object: &Object) -> Option<Ails> {
        let claim = object.get::<PersistentVolumeClaim>()?;
        let mut conditions = claim.status.iter().flat_map(|s| s.conditions.iter().flatten());
        let trouble = conditions
            .find(|c| TROUBLES.contains(&c.type_.as_str()) && c.status == "True")
            .map(|c| Condition::new(&c.type_, &c.status, c.reason.as_deref(), c.message.as_deref()))
            .map(Ails::Condition);
        let unbound = || {
            let as_meant = claim_phase(claim) == "Bound" || awaits_consumer(cluster, claim);
            (!as_meant).then(|| phase(claim_phase(claim), None, None))
        };
        stuck(object).or(trouble).or_else(unbound)
    }
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let name = object.get::<PersistentVolumeClaim>().map_or("", |c| volume_name(c));
        if name.is_empty() { Vec::new() } else { vec![Named::near(Kind::PERSISTENT_VOLUME, name)] }
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
    usual!(report, next_run, node, ordinal, selects);
}

/// PersistentVolumes.
pub(super) struct Volumes;

impl KindView for Volumes {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: Shows::Made,
            keeper: "persistentvolume-binder-controller",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    fn card(&self, object: &Object) -> Card {
        let phase = object.get::<PersistentVolume>().map_or("", |v| volume_phase(v));
        let phase = shown_phase(object, phase);
        standing(phase, matches!(phase, "Bound" | "Available"))
    }
    /// Its provisioner could not delete it.
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let status = object.get::<PersistentVolume>()?.status.as_ref()?;
        let failed = status.phase.as_deref().filter(|p| *p == "Failed");
        let failed = failed.map(|p| phase(p, status.reason.as_deref(), status.message.as_deref()));
        failed.or_else(|| stuck(object))
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
    usual!(report, next_run, node, ordinal, selects, names);
}

/// VolumeAttachments.
pub(super) struct Attachments;

impl KindView for Attachments {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: Shows::Made,
            keeper: "persistentvolume-attach-detach-controller",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    fn card(&self, object: &Object) -> Card {
        let attached =
            object.get::<VolumeAttachment>().and_then(|a| a.status.as_ref()).is_some_and(|s| s.attached);
        standing(if attached { "Attached" } else { "Attached: False" }, attached)
    }
    /// Why the volume could not be attached or detached.
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let status = object.get::<VolumeAttachment>()?.status.as_ref()?;
        let error = status.attach_error.as_ref().or(status.detach_error.as_ref());
        let said = error.map(|e| {
            let attached = if status.attached { "True" } else { "False" };
            Ails::Condition(Condition::new("Attached", attached, None, e.message.as_deref()))
        });
        said.or_else(|| stuck(object))
    }
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let Some(attachment) = object.get::<VolumeAttachment>() else { return Vec::new() };
        let volume = attachment.spec.source.persistent_volume_name.as_deref();
        let volume = volume.map(|name| Named::near(Kind::PERSISTENT_VOLUME, name));
        volume.into_iter().chain([Named::near(Kind::NODE, attachment.spec.node_name.as_str())]).collect()
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
    usual!(report, next_run, node, ordinal, selects);
}
