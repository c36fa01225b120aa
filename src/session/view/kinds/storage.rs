//! Claims, volumes and their attachments. The lines lead from a pod over its claim to the volume, and from the attachment
//! to the volume and to the node.

use super::{KindView, Shows, stuck};
use crate::api::types::{PersistentVolume, PersistentVolumeClaim, VolumeAttachment};
use crate::api::volume::{claim_phase, volume_name, volume_phase};
use crate::api::{Kind, Object};
use crate::cluster::Cluster;
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Place, Standing};
use crate::session::view::events::Condition;
use crate::session::view::offers::{Offer, deletion};

/// A card with one word; empty words are left out.
fn standing(word: &str, good: bool) -> Card {
    Card::Resource(Some(Standing { good, word: word.to_owned() }).filter(|s| !s.word.is_empty()))
}

/// PersistentVolumeClaims.
pub(super) struct Claims;

impl KindView for Claims {
    fn place(&self) -> Place {
        Place::Aside
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "persistentvolume-binder-controller"
    }
    fn makes(&self) -> Option<Kind> {
        None
    }
    fn card(&self, object: &Object) -> Card {
        let phase = object.get::<PersistentVolumeClaim>().map_or("", |c| claim_phase(c));
        standing(phase, phase == "Bound")
    }
    /// The condition of an expansion that waits for a pod, or what keeps a claim that is being deleted.
    fn ails(&self, object: &Object) -> Option<Ails> {
        let status = object.get::<PersistentVolumeClaim>()?.status.as_ref()?;
        let waits = |c: &&crate::api::types::PersistentVolumeClaimCondition| {
            c.type_ == "FileSystemResizePending" && c.status == "True"
        };
        let pending = status.conditions.iter().flatten().find(waits).map(|c| {
            Ails::Condition(Condition {
                kind: c.type_.clone(),
                status: c.status.clone(),
                reason: c.reason.clone().unwrap_or_default(),
                message: c.message.clone().unwrap_or_default(),
            })
        });
        pending.or_else(|| stuck(object))
    }
    fn names<'o>(&self, object: &'o Object) -> Vec<(Kind, &'o str)> {
        let name = object.get::<PersistentVolumeClaim>().map_or("", |c| volume_name(c));
        if name.is_empty() { Vec::new() } else { vec![(Kind::PERSISTENT_VOLUME, name)] }
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
}

/// PersistentVolumes.
pub(super) struct Volumes;

impl KindView for Volumes {
    fn place(&self) -> Place {
        Place::Aside
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "persistentvolume-binder-controller"
    }
    fn makes(&self) -> Option<Kind> {
        None
    }
    fn card(&self, object: &Object) -> Card {
        let phase = object.get::<PersistentVolume>().map_or("", |v| volume_phase(v));
        standing(phase, matches!(phase, "Bound" | "Available"))
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
}

/// VolumeAttachments.
pub(super) struct Attachments;

impl KindView for Attachments {
    fn place(&self) -> Place {
        Place::Aside
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "persistentvolume-attach-detach-controller"
    }
    fn makes(&self) -> Option<Kind> {
        None
    }
    fn card(&self, object: &Object) -> Card {
        let attached =
            object.get::<VolumeAttachment>().and_then(|a| a.status.as_ref()).is_some_and(|s| s.attached);
        standing(if attached { "Attached" } else { "Attached: False" }, attached)
    }
    /// Why the volume could not be attached or detached.
    fn ails(&self, object: &Object) -> Option<Ails> {
        let status = object.get::<VolumeAttachment>()?.status.as_ref()?;
        let error = status.attach_error.as_ref().or(status.detach_error.as_ref());
        let said = error.map(|e| {
            Ails::Condition(Condition {
                kind: "Attached".into(),
                status: if status.attached { "True" } else { "False" }.into(),
                reason: String::new(),
                message: e.message.clone().unwrap_or_default(),
            })
        });
        said.or_else(|| stuck(object))
    }
    fn names<'o>(&self, object: &'o Object) -> Vec<(Kind, &'o str)> {
        let Some(attachment) = object.get::<VolumeAttachment>() else { return Vec::new() };
        let volume = attachment.spec.source.persistent_volume_name.as_deref();
        let volume = volume.map(|name| (Kind::PERSISTENT_VOLUME, name));
        volume.into_iter().chain([(Kind::NODE, attachment.spec.node_name.as_str())]).collect()
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
}
