//! Attach and detach operations: how they begin, and what their VolumeAttachment says of their outcome
//! (`pkg/volume/csi/csi_attacher.go`, `pkg/volume/util/operationexecutor`).

use std::rc::Rc;

use jiff::SignedDuration;

use super::state::{Doing, Operation, Pair, Spec, Wanted};
use super::{Cx, State};
use crate::api::types::storage::{VolumeAttachmentSource, VolumeAttachmentSpec};
use crate::api::types::{ObjectMeta, Pod, VolumeAttachment};
use crate::api::{Key, Kind, MetaExt, ObjectRef, csi, later};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::Why;

/// How long an operation waits for the external attacher (`csiTimeout`).
const TIMEOUT: SignedDuration = SignedDuration::from_secs(120);

/// The driver and handle of a volume and the key of its VolumeAttachment on a node; `None` for what is not a CSI volume.
fn attachment<'a>(volume: &'a str, node: &str) -> Option<(&'a str, &'a str, Key)> {
    let (driver, handle) = csi::parts(volume)?;
    Some((driver, handle, Key::new("", &csi::attachment_name(handle, driver, node))))
}

/// Begins to attach a volume (`Attach`): creates its VolumeAttachment unless there is one.
pub(super) async fn attach(cx: &Cx, pair: &Pair, wanted: &Wanted) -> Result<(), Status> {
    let pods: Vec<Rc<Pod>> = wanted.pods.values().cloned().collect();
    begin(cx, pair, false, pods.clone(), Some(wanted.spec.clone()));
    let Some((driver, _, key)) = attachment(&pair.0, &pair.1) else { return Ok(()) };
    if cx.lister::<VolumeAttachment>().get(&key).is_some() {
        return Ok(());
    }
    let new = VolumeAttachment {
        metadata: ObjectMeta { name: Some(key.name.to_string()), ..Default::default() },
        spec: VolumeAttachmentSpec {
            attacher: driver.to_owned(),
            node_name: pair.1.to_string(),
            source: VolumeAttachmentSource {
                persistent_volume_name: Some(wanted.spec.volume.to_string()),
                inline_volume_spec: None,
            },
        },
        status: None,
    };
    let volume = ObjectRef { kind: Kind::PERSISTENT_VOLUME, key: Key::new("", &wanted.spec.volume) };
    let mut why = Why::new("attach_desired_volumes.attach")
        .read("volume", volume, "spec.csi.driver", &wanted.spec.volume)
        .with("node", &pair.1);
    if let Some(pod) = pods.first() {
        why = why.read("pod", ObjectRef::of(&**pod), "spec.volumes", pod.metadata.name());
    }
    match cx.create(new).because(why).await {
        Err(e) if !e.is_already_exists() => {
            let message = format!("kubernetes.io/csi: attacher.Attach failed: {}", e.message);
            fail(cx, pair, &message);
            Err(e)
        }
        _ => Ok(()),
    }
}

/// Begins to detach a volume (`Detach`): deletes its VolumeAttachment.
pub(super) async fn detach(cx: &Cx, pair: &Pair, spec: Option<Spec>, why: Why) -> Result<(), Status> {
    begin(cx, pair, true, Vec::new(), spec);
    let Some((_, _, key)) = attachment(&pair.0, &pair.1) else { return Ok(()) };
    match cx.delete(Kind::VOLUME_ATTACHMENT, key, DeleteOptions::default()).because(why).await {
        Err(e) if e.is_not_found() => {
            finish_detach(cx, pair);
            Ok(())
        }
        Err(e) => {
            fail(cx, pair, &e.message);
            Err(e)
        }
        Ok(_) => Ok(()),
    }
}

fn begin(cx: &Cx, pair: &Pair, detach: bool, pods: Vec<Rc<Pod>>, spec: Option<Spec>) {
    let until = later(cx.now(), TIMEOUT);
    let key = State::operation_key(pair, spec.as_ref());
    let doing = Doing { detach, node: pair.1.clone(), until, deleted: false, pods, spec };
    cx.update_state(move |s| {
        let new = Operation::begin(s.operations.get(&key), doing.clone());
        s.operations.insert(key.clone(), new);
    });
}

/// Ends the operations of a volume whose VolumeAttachment says how they went, or whose time is over.
pub(super) fn observe(cx: &Cx, volume: &Rc<str>) {
    let under_way: Vec<Doing> =
        cx.state(|s| State::of(&s.operations, volume).filter_map(|(_, o)| o.doing.clone()).collect());
    for doing in under_way {
        let pair = (volume.clone(), doing.node.clone());
        let Some((driver, handle, key)) = attachment(volume, &doing.node) else { continue };
        let object = cx.lister::<VolumeAttachment>().get(&key);
        let status = object.and_then(|a| a.status.as_ref());
        let error = |e: Option<&crate::api::types::storage::VolumeError>| {
            e.map(|e| e.message.clone().unwrap_or_default())
        };
        let late = doing.until <= cx.now();
        let timeout = |what: &str| {
            format!(
                "timed out waiting for external-attacher of {driver} CSI driver to {what} volume {handle}"
            )
        };
        if doing.detach {
            match object {
                None => finish_detach(cx, &pair),
                Some(_) => match error(status.and_then(|s| s.detach_error.as_ref())) {
                    Some(message) => fail(cx, &pair, &message),
                    None if late => fail(cx, &pair, &timeout("detach")),
                    None => {}
                },
            }
        } else if doing.deleted {
            fail(cx, &pair, "volume attachment has been deleted");
        } else if object.is_some_and(|a| a.metadata.is_deleting()) {
            fail(cx, &pair, "volume attachment is being deleted");
        } else if status.is_some_and(|s| s.attached) {
            finish_attach(cx, &pair, &doing);
        } else if let Some(message) = error(status.and_then(|s| s.attach_error.as_ref())) {
            fail(cx, &pair, &message);
        } else if late {
            fail(cx, &pair, &timeout("attach"));
        }
    }
}

fn finish_attach(cx: &Cx, pair: &Pair, doing: &Doing) {
    let name = doing.spec.as_ref().map_or("", |s| &s.volume);
    let message = format!("AttachVolume.Attach succeeded for volume \"{name}\" ");
    for pod in &doing.pods {
        cx.event(&**pod, "Normal", "SuccessfulAttachVolume", message.clone());
    }
    let (pair, spec) = (pair.clone(), doing.spec.clone());
    cx.update_state(move |s| {
        s.operations.remove(&State::operation_key(&pair, spec.as_ref()));
        s.mark_attached(pair.clone(), spec.clone());
    });
}

fn finish_detach(cx: &Cx, pair: &Pair) {
    let pair = pair.clone();
    cx.update_state(move |s| {
        let of = |(key, o): (&Pair, &Operation)| {
            let mine = o.doing.as_ref().is_some_and(|d| d.detach && d.node == pair.1);
            (key.0 == pair.0 && mine).then(|| key.clone())
        };
        if let Some(key) = s.operations.iter().find_map(of) {
            s.operations.remove(&key);
        }
        s.actual.remove(&pair);
    });
}

/// Ends an operation with an error: it is retried after its back-off, and nobody knows whether the volume is attached.
fn fail(cx: &Cx, pair: &Pair, message: &str) {
    let found = cx.state(|s| {
        let mine = |o: &Operation| o.doing.as_ref().is_some_and(|d| d.node == pair.1);
        let found = State::of(&s.operations, &pair.0).find(|(_, o)| mine(o));
        found.map(|(key, o)| (key.clone(), o.clone()))
    });
    let Some((key, operation)) = found else { return };
    let after = operation.failed(cx.now());
    let doing = operation.doing;
    let spec = doing.as_ref().and_then(|d| d.spec.clone());
    if let Some(d) = doing.filter(|d| !d.detach) {
        let name = spec.as_ref().map_or("", |s| &s.volume);
        let message = format!("AttachVolume.Attach failed for volume \"{name}\" : {message}");
        for pod in &d.pods {
            cx.event(&**pod, "Warning", "FailedAttachVolume", message.clone());
        }
    }
    let pair = pair.clone();
    cx.update_state(move |s| {
        s.operations.insert(key.clone(), after.clone());
        s.mark_uncertain(pair.clone(), spec.clone());
    });
}
