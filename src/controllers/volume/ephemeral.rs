//! The ephemeral volume controller (`k8s.io/kubernetes/pkg/controller/volume/ephemeral`): it creates the claims of pods with
//! `ephemeral` volumes. A pod owns its claims, so the garbage collector deletes them after the pod.

use std::rc::Rc;

use crate::api::types::{EphemeralVolumeSource, ObjectMeta, PersistentVolumeClaim, Pod, Volume};
use crate::api::volume::claim_of;
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, owner_reference};
use crate::client::{Context, Error, EventFlavour, Handler, Reconciler, Result, Seen, Watches, Why};

/// The ephemeral volume controller.
#[derive(Clone, Copy, Debug)]
pub struct EphemeralController;

impl Reconciler for EphemeralController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "ephemeral-volume-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "ephemeral_volume".into(), host: None }
    }

    fn watches(&self) -> Watches {
        Watches::new()
            .watches(|cx, seen: Seen<'_, Pod>| {
                // A pod's volumes never change, and its claims go with it.
                if seen.old.is_none() {
                    enqueue(cx, seen.object());
                }
            })
            .watches(claim_deleted)
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(pod) = cx.lister::<Pod>().get(&key).cloned() else { return Ok(()) };
        if pod.metadata.is_deleting() {
            return Ok(());
        }
        for volume in volumes(&pod) {
            let Some(source) = volume.ephemeral.as_ref() else { continue };
            if let Err(why) = handle_volume(&cx, &pod, volume, source).await {
                let message = format!("ephemeral volume {}: {why}", volume.name);
                cx.event(&*pod, "Warning", "FailedBinding", message.clone());
                return Err(Error::Other(format!("pod {key}, {message}")));
            }
        }
        Ok(())
    }
}

fn volumes(pod: &Pod) -> &[Volume] {
    pod.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default()
}

fn enqueue(cx: &mut Handler<'_>, pod: &Pod) {
    if !pod.metadata.is_deleting() && volumes(pod).iter().any(|v| v.ephemeral.is_some()) {
        cx.enqueue(pod.metadata.key());
    }
}

/// A claim that was deleted is created again, as long as its pod exists.
fn claim_deleted(cx: &mut Handler<'_>, seen: Seen<'_, PersistentVolumeClaim>) {
    if !seen.is_gone() {
        return;
    }
    let uses = |p: &Pod| volumes(p).iter().any(|v| claim_of(p, v).is_some_and(|(n, _)| *n == *seen.key.name));
    let caches = cx.caches;
    let pods = caches.of(Kind::POD).list(Some(&seen.key.namespace)).filter_map(Pod::from_object);
    pods.filter(|p| uses(p)).for_each(|p| enqueue(cx, p));
}

/// Creates the claim of a volume, unless it exists (`handleVolume`).
async fn handle_volume(
    cx: &Context,
    pod: &Rc<Pod>,
    volume: &Volume,
    source: &EphemeralVolumeSource,
) -> std::result::Result<(), String> {
    let Some((name, _)) = claim_of(pod, volume) else { return Ok(()) };
    let namespace = pod.metadata.namespace();
    if let Some(claim) = cx.lister::<PersistentVolumeClaim>().get(&Key::new(namespace, &name)) {
        let own = claim.metadata.controller().is_some_and(|o| Some(&o.uid) == pod.metadata.uid.as_ref());
        let pod = pod.metadata.name();
        return if own {
            Ok(())
        } else {
            Err(format!(
                "PVC {namespace}/{name} was not created for pod {namespace}/{pod} (pod is not owner)"
            ))
        };
    }
    let Some(template) = source.volume_claim_template.as_ref() else { return Ok(()) };
    let from = template.metadata.clone().unwrap_or_default();
    let claim = PersistentVolumeClaim {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            namespace: pod.metadata.namespace.clone(),
            owner_references: Some(vec![owner_reference(Kind::POD, &pod.metadata)]),
            annotations: from.annotations,
            labels: from.labels,
            ..Default::default()
        },
        spec: Some(template.spec.clone()),
        status: None,
    };
    let why = Why::new("ephemeral.create_claim")
        .read("pod", ObjectRef::of(&**pod), "spec.volumes", pod.metadata.name())
        .with("volume", &volume.name);
    match cx.create(claim).because(why).await {
        Ok(_) => Ok(()),
        Err(e) => Err(format!("create PVC {name}: {}", e.message)),
    }
}
