//! VAC protection (`k8s.io/kubernetes/pkg/controller/volume/vacprotection`): a VolumeAttributesClass that is being deleted
//! stays until no claim and no volume names it.

use std::rc::Rc;

use crate::api::types::{PersistentVolume, PersistentVolumeClaim, VolumeAttributesClass};
use crate::api::volume::ATTRIBUTES_CLASS_PROTECTION;
use crate::api::{ApiKind, Key, MetaExt, ObjectRef};
use crate::client::{Context, Handler, Reconciler, Result, Seen, Watches, Why};

/// The VAC protection controller.
#[derive(Clone, Copy, Debug)]
pub struct Controller;

/// The classes that a claim names: the wanted one, the one it has, and the one it is getting.
fn classes_of_claim(claim: &PersistentVolumeClaim) -> Vec<&str> {
    let wanted = claim.spec.as_ref().and_then(|s| s.volume_attributes_class_name.as_deref());
    let status = claim.status.as_ref();
    let current = status.and_then(|s| s.current_volume_attributes_class_name.as_deref());
    let target =
        status.and_then(|s| s.modify_volume_status.as_ref()?.target_volume_attributes_class_name.as_deref());
    [wanted, current, target].into_iter().flatten().filter(|c| !c.is_empty()).collect()
}

fn classes_of_volume(volume: &PersistentVolume) -> Vec<&str> {
    let class = volume.spec.as_ref().and_then(|s| s.volume_attributes_class_name.as_deref());
    class.into_iter().filter(|c| !c.is_empty()).collect()
}

/// Enqueues the classes that an object no longer names.
fn released<T: ApiKind>(cx: &mut Handler<'_>, seen: Seen<'_, T>, classes: fn(&T) -> Vec<&str>) {
    let now = seen.new.map(|o| classes(o)).unwrap_or_default();
    let before = match seen.new {
        None => classes(seen.object()),
        Some(_) => seen.old.map(|o| classes(o)).unwrap_or_default(),
    };
    before.into_iter().filter(|c| !now.contains(c)).for_each(|c| cx.enqueue(Key::new("", c)));
}

impl Reconciler for Controller {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "volumeattributesclass-protection-controller".into()
    }

    fn watches(&self) -> Watches {
        Watches::new()
            .watches(|cx, seen: Seen<'_, PersistentVolumeClaim>| released(cx, seen, classes_of_claim))
            .watches(|cx, seen: Seen<'_, PersistentVolume>| released(cx, seen, classes_of_volume))
            .watches(|cx, seen: Seen<'_, VolumeAttributesClass>| {
                let protected =
                    |c: &VolumeAttributesClass| c.metadata.has_finalizer(ATTRIBUTES_CLASS_PROTECTION);
                if seen.new.is_some_and(|c| c.metadata.is_deleting() == protected(c)) {
                    cx.enqueue(seen.key.clone());
                }
            })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(class) = cx.lister::<VolumeAttributesClass>().get(&key).cloned() else { return Ok(()) };
        let protected = class.metadata.has_finalizer(ATTRIBUTES_CLASS_PROTECTION);
        let names = |all: Vec<&str>| all.contains(&class.metadata.name());
        let used = || {
            cx.lister::<PersistentVolume>().list(None).any(|v| names(classes_of_volume(v)))
                || cx.lister::<PersistentVolumeClaim>().list(None).any(|c| names(classes_of_claim(c)))
        };
        let mut to = class.clone();
        let finalizers = Rc::make_mut(&mut to).metadata.finalizers.get_or_insert_default();
        let rule = match (class.metadata.is_deleting(), protected) {
            (true, true) if !used() => {
                finalizers.retain(|f| f != ATTRIBUTES_CLASS_PROTECTION);
                "attributes_class_protection.remove_finalizer"
            }
            (false, false) => {
                finalizers.push(ATTRIBUTES_CLASS_PROTECTION.into());
                "attributes_class_protection.add_finalizer"
            }
            _ => return Ok(()),
        };
        let name = class.metadata.name();
        let why = Why::new(rule).read("class", ObjectRef::of(&*class), "metadata.finalizers", name);
        cx.update(to).because(why).await?;
        Ok(())
    }
}
