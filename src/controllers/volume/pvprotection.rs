//! PV protection (`k8s.io/kubernetes/pkg/controller/volume/pvprotection`): a volume that is deleted
//! goes when it is bound to no claim.

use std::rc::Rc;

use crate::api::types::PersistentVolume;
use crate::api::volume::{VOLUME_PROTECTION, volume_phase};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef};
use crate::apimachinery::Filter;
use crate::client::{Context, Handler, Notification, Reconciler, Result, Why};

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct Controller;

impl Reconciler for Controller {
    type State = ();

    fn name(&self) -> Rc<str> {
        "persistentvolume-protection-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "pv-protection-controller".into()
    }

    fn watches(&self) -> Vec<(Kind, Filter)> {
        vec![(Kind::PERSISTENT_VOLUME, Filter::All)]
    }

    fn handle(&self, cx: &mut Handler<'_, ()>, seen: &Notification) {
        let volume = seen.new.as_ref().and_then(PersistentVolume::from_object);
        // What was created before there was such protection gets it; so does one whose author took
        // it off.
        let m = volume.map(|v| &v.metadata);
        if m.is_some_and(|m| m.is_deleting() == m.has_finalizer(VOLUME_PROTECTION))
            && let Some(o) = &seen.new
        {
            cx.enqueue(o.key());
        }
    }

    async fn sync(self, cx: Context<()>, key: Key) -> Result {
        let Some(volume) = cx.lister::<PersistentVolume>().get(&key).cloned() else { return Ok(()) };
        let why = |rule, fact| {
            let at = ObjectRef { kind: Kind::PERSISTENT_VOLUME, key: key.clone() };
            Why::new(rule).read("phase", at, "status.phase", fact)
        };
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
        cx.update(to).because(why(rule, volume_phase(&volume).to_owned())).await?;
        Ok(())
    }
}
