//! PV protection (`k8s.io/kubernetes/pkg/controller/volume/pvprotection`): a volume that is being deleted
//! stays until it is bound to no claim.

use std::rc::Rc;

use crate::api::types::PersistentVolume;
use crate::api::volume::{VOLUME_PROTECTION, volume_phase};
use crate::api::{Key, MetaExt, ObjectRef};
use crate::client::{Context, Reconciler, Result, Seen, Watches, Why};

/// The PV protection controller.
#[derive(Clone, Copy, Debug)]
pub struct Controller;

impl Reconciler for Controller {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "persistentvolume-protection-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "pv-protection-controller".into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(|cx, seen: Seen<'_, PersistentVolume>| {
            // A volume that is not being deleted and has no finalizer gets one: it may be older than the
            // protection, or its author has removed it.
            if seen
                .new
                .is_some_and(|v| v.metadata.is_deleting() == v.metadata.has_finalizer(VOLUME_PROTECTION))
            {
                cx.enqueue(seen.key.clone());
            }
        })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(volume) = cx.lister::<PersistentVolume>().get(&key).cloned() else { return Ok(()) };
        let protected = volume.metadata.has_finalizer(VOLUME_PROTECTION);
        let mut to = volume.clone();
        let finalizers = Rc::make_mut(&mut to).metadata.finalizers.get_or_insert_default();
        let rule = match (volume.metadata.is_deleting(), protected) {
            (true, true) if volume_phase(&volume) != "Bound" => {
                finalizers.retain(|f| f != VOLUME_PROTECTION);
                "volume_protection.remove_finalizer"
            }
            (false, false) => {
                finalizers.push(VOLUME_PROTECTION.into());
                "volume_protection.add_finalizer"
            }
            _ => return Ok(()),
        };
        let why =
            Why::new(rule).read("phase", ObjectRef::of(&*volume), "status.phase", volume_phase(&volume));
        cx.update(to).because(why).await?;
        Ok(())
    }
}
