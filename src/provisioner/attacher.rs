//! An external attacher (`kubernetes-csi/external-attacher`): it attaches and detaches the volumes of the simulated CSI driver,
//! as VolumeAttachments ask for it.

use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::persistent::Map;
use crate::api::types::storage::VolumeError;
use crate::api::types::{CSINode, PersistentVolume, Time, VolumeAttachment};
use crate::api::{Key, MetaExt, ObjectRef, Timestamp, csi, later, seconds};
use crate::client::{Context, Handler, Memory, Reconciler, Result, Seen, Watches, Why};

/// How long the storage takes to attach a volume, or to detach it, in seconds.
pub const ATTACH_SECONDS: i64 = 1;
/// Annotation of a PersistentVolume: `fail`, or `fail: message`, makes the driver refuse to attach it.
pub const ATTACH: &str = "sim.steady/attach";
/// The finalizer that keeps a VolumeAttachment until its volume is detached.
const FINALIZER: &str = "external-attacher/csi-sim-steady";
/// The first and the longest delay before a refused attachment is tried again, in seconds.
const RETRY_SECONDS: [i64; 2] = [1, 300];

/// The reconciler of the attacher.
#[derive(Clone, Copy, Debug)]
pub struct Attacher;

/// What the driver is doing.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// When the operation under way for a VolumeAttachment ends, by name.
    under_way: Map<Rc<str>, Timestamp>,
    /// How often the volume of a VolumeAttachment could not be attached, by name.
    failures: Map<Rc<str>, u32>,
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let of = |(name, at): (&Rc<str>, &Timestamp)| {
            format!("{name} is done in {} ms", at.duration_since(now).as_millis().max(0))
        };
        let failed = self.failures.iter().map(|(name, n)| format!("{name} failed {n} times"));
        self.under_way.iter().map(of).chain(failed).collect()
    }
}

/// A key of the attacher's work queue: the name of a VolumeAttachment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attachment(Rc<str>);

impl fmt::Display for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

type Cx = Context<State, Attachment>;

impl Reconciler for Attacher {
    type Key = Attachment;
    type State = State;

    fn name(&self) -> Rc<str> {
        "external-attacher".into()
    }

    fn watches(&self) -> Watches<State, Attachment> {
        Watches::new()
            .watches(|cx: &mut Handler<'_, State, Attachment>, seen: Seen<'_, VolumeAttachment>| {
                let name = seen.key.name.to_string().into();
                if seen.is_gone() {
                    cx.state.under_way.remove(&name);
                    cx.state.failures.remove(&name);
                } else if seen.object().spec.attacher == csi::DRIVER {
                    cx.enqueue(Attachment(name));
                }
            })
            .watches(|cx, seen: Seen<'_, PersistentVolume>| {
                // The volume's annotation decides whether it can be attached.
                let said = |v: &Rc<PersistentVolume>| v.metadata.annotation(ATTACH).map(str::to_owned);
                if seen.old.map(said) != seen.new.map(said) {
                    retry_all(cx);
                }
            })
            .watches(|cx, _: Seen<'_, CSINode>| retry_all(cx))
    }

    async fn sync(self, cx: Cx, Attachment(name): Attachment) -> Result {
        let key = Key::new("", &name);
        let Some(attachment) = cx.lister::<VolumeAttachment>().get(&key).cloned() else { return Ok(()) };
        if attachment.metadata.is_deleting() {
            detach(&cx, attachment).await
        } else if attachment.status.as_ref().is_some_and(|s| s.attached) {
            Ok(())
        } else {
            attach(&cx, attachment).await
        }
    }
}

/// Tries again what was refused.
fn retry_all(cx: &mut Handler<'_, State, Attachment>) {
    let failed: Vec<Rc<str>> = cx.state.failures.keys().cloned().collect();
    failed.into_iter().for_each(|name| cx.enqueue(Attachment(name)));
}

/// Whether the operation of a VolumeAttachment is over. It begins with the first call, and the key is planned for its end.
fn is_done(cx: &Cx, name: &Rc<str>) -> bool {
    let done = cx.state(|s| s.under_way.get(name).copied()).unwrap_or_else(|| {
        let (id, done) = (name.clone(), later(cx.now(), SignedDuration::from_secs(ATTACH_SECONDS)));
        cx.update_state(move |s| {
            s.under_way.insert(id.clone(), done);
        });
        done
    });
    if cx.now() < done {
        cx.enqueue_after(Attachment(name.clone()), done.duration_since(cx.now()));
        return false;
    }
    let id = name.clone();
    cx.update_state(move |s| {
        s.under_way.remove(&id);
    });
    true
}

fn why(rule: &'static str, attachment: &VolumeAttachment) -> Why {
    let volume = attachment.spec.source.persistent_volume_name.clone().unwrap_or_default();
    Why::new(rule)
        .read("attachment", ObjectRef::of(attachment), "spec.source.persistentVolumeName", &volume)
        .with("volume", volume)
        .with("node", &attachment.spec.node_name)
}

async fn attach(cx: &Cx, attachment: Rc<VolumeAttachment>) -> Result {
    let name: Rc<str> = attachment.metadata.name().into();
    let mut attachment = attachment;
    if !attachment.metadata.has_finalizer(FINALIZER) {
        let mut to = attachment.clone();
        Rc::make_mut(&mut to).metadata.finalizers.get_or_insert_default().push(FINALIZER.to_owned());
        let because = why("attacher.add_finalizer", &attachment);
        attachment = cx.patch(attachment, to).because(because).await?;
    }
    if !is_done(cx, &name) {
        return Ok(());
    }
    let mut to = attachment.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    let refusal = refusal(cx, &attachment);
    let known = status.attach_error.as_ref().and_then(|e| e.message.clone());
    if let Some(message) = refusal {
        let failures = cx.state(|s| s.failures.get(&name).copied().unwrap_or(0));
        let [first, longest] = RETRY_SECONDS;
        let wait = SignedDuration::from_secs((first << failures.min(20)).min(longest));
        let same = known.as_deref() == Some(&*message);
        let id = name.clone();
        cx.update_state(move |s| {
            s.failures.insert(id.clone(), failures.saturating_add(1));
        });
        // The same refusal again shows nothing new.
        cx.enqueue_after_in_background(Attachment(name), wait);
        if same {
            return Ok(());
        }
        status.attach_error = Some(VolumeError {
            message: Some(message),
            time: Some(Time(seconds(cx.now()))),
            ..Default::default()
        });
        let because = why("attacher.refuse", &attachment);
        cx.patch_status(attachment, to).because(because).await?;
        return Ok(());
    }
    status.attached = true;
    status.attach_error = None;
    let because = why("attacher.attach", &attachment);
    cx.patch_status(attachment, to).because(because).await?;
    cx.update_state(move |s| {
        s.failures.remove(&name);
    });
    Ok(())
}

/// Why the driver cannot attach the volume; `None` if it can.
fn refusal(cx: &Cx, attachment: &VolumeAttachment) -> Option<String> {
    let node = &attachment.spec.node_name;
    let known = cx.lister::<CSINode>().get(&Key::new("", node));
    if known.is_none_or(|n| n.spec.drivers.iter().all(|d| d.name != csi::DRIVER)) {
        return Some(format!("CSINode {node} does not contain driver {}", csi::DRIVER));
    }
    let name = attachment.spec.source.persistent_volume_name.as_deref().unwrap_or_default();
    let volume = cx.lister::<PersistentVolume>().get(&Key::new("", name))?;
    let said = volume.metadata.annotation(ATTACH)?;
    let message = match said.split_once(':') {
        None if said.trim() == "fail" => "the storage does not answer",
        Some((word, message)) if word.trim() == "fail" => message.trim(),
        _ => return None,
    };
    Some(format!("rpc error: code = Internal desc = {message}"))
}

async fn detach(cx: &Cx, attachment: Rc<VolumeAttachment>) -> Result {
    if !attachment.metadata.has_finalizer(FINALIZER) {
        return Ok(());
    }
    let name: Rc<str> = attachment.metadata.name().into();
    if !is_done(cx, &name) {
        return Ok(());
    }
    let mut attachment = attachment;
    if attachment.status.as_ref().is_some_and(|s| s.attached) {
        let mut to = attachment.clone();
        Rc::make_mut(&mut to).status.get_or_insert_default().attached = false;
        let because = why("attacher.detach", &attachment);
        attachment = cx.patch_status(attachment, to).because(because).await?;
    }
    let mut to = attachment.clone();
    Rc::make_mut(&mut to).metadata.finalizers.iter_mut().for_each(|f| f.retain(|f| f != FINALIZER));
    let because = why("attacher.remove_finalizer", &attachment);
    match cx.patch(attachment, to).because(because).await {
        Err(e) if !e.is_not_found() => Err(e.into()),
        _ => Ok(()),
    }
}
