//! What runs beside Kubernetes: the parts of a storage driver that are not on the nodes. The dynamic provisioner
//! (`sigs.k8s.io/sig-storage-lib-external-provisioner`) creates volumes for claims; the [`attacher`] attaches them to
//! nodes; the [`resizer`] expands them.
//!
//! There are two provisioners. The volumes of `sim.steady/disk`, that of the default StorageClass, need not be attached.
//! Those of the CSI driver `csi.sim.steady` do, if there is a CSIDriver of this name.
//!
//! The provisioner waits for claims that name it in `volume.kubernetes.io/storage-provisioner`, creates a
//! PersistentVolume for each, and deletes the volume when it is released and its reclaim policy is `Delete`.
//! The storage itself does not exist: it is unlimited and every node can reach it.
//!
//! ```
//! use steady::cluster::{Cluster, Config};
//! use steady::api::{Key, Kind, ObjectRef};
//! let cluster = Cluster::new(&Config::nodes(1));
//! let at = ObjectRef { kind: Kind::STORAGE_CLASS, key: Key::new("", "standard") };
//! assert!(cluster.api().etcd().get(&at).is_some());
//! ```

pub mod attacher;
pub mod resizer;

use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::persistent::Map;
use crate::api::types::{
    CSIPersistentVolumeSource, HostPathVolumeSource, Node, NodeSelector, NodeSelectorRequirement,
    NodeSelectorTerm, ObjectMeta, PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec,
    StorageClass, TopologySelectorTerm, VolumeNodeAffinity,
};
use crate::api::volume::{
    BETA_STORAGE_PROVISIONER, DEFAULT_CLASS, PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER, claim_class,
    reference_to, volume_name, volume_phase,
};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp, csi, later};
use crate::apimachinery::DeleteOptions;
use crate::client::{
    Component, Context, Controller, EventFlavour, Memory, Reconciler, Result, Seen, Watches, Why,
};

/// The provisioner's name, as a StorageClass has it in `provisioner`.
pub const NAME: &str = "sim.steady/disk";
/// How long the storage takes to create a volume, in seconds.
pub const PROVISION_SECONDS: i64 = 1;
/// The finalizer that keeps a volume until its storage is freed (KEP-2644).
const FINALIZER: &str = "external-provisioner.volume.kubernetes.io/finalizer";

/// The components of the process beside the control plane.
pub fn components() -> Vec<Box<dyn Component>> {
    vec![
        Controller::boxed(Provisioner),
        Controller::boxed(attacher::Attacher),
        Controller::boxed(resizer::Resizer),
    ]
}

/// The default StorageClass. Its volumes are created on the node of the first pod that uses them, and
/// deleted with their claims.
pub fn storage_class(provisioner: &str) -> StorageClass {
    StorageClass {
        metadata: ObjectMeta {
            name: Some("standard".into()),
            annotations: Some([(DEFAULT_CLASS.to_owned(), "true".to_owned())].into()),
            ..Default::default()
        },
        provisioner: provisioner.to_owned(),
        volume_binding_mode: Some("WaitForFirstConsumer".into()),
        reclaim_policy: Some("Delete".into()),
        ..Default::default()
    }
}

/// The reconciler of the provisioner.
#[derive(Clone, Copy, Debug)]
pub struct Provisioner;

/// When the volumes that are being created will exist, by the uids of their claims.
#[derive(Clone, Debug, Default)]
pub struct State {
    under_way: Map<Rc<str>, Timestamp>,
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let of = |(claim, at): (&Rc<str>, &Timestamp)| {
            format!("the volume of {claim} is there in {} ms", at.duration_since(now).as_millis().max(0))
        };
        self.under_way.iter().map(of).collect()
    }
}

/// A key of the provisioner's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Delete a volume, if it has to be.
    Delete(Key),
    /// Create a volume for a claim, if it needs one.
    Provision(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Delete(key) | Task::Provision(key) => key.fmt(f),
        }
    }
}

type Cx = Context<State, Task>;

impl Reconciler for Provisioner {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "external-provisioner".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: NAME.into(), host: None }
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new()
            .watches(|cx, seen: Seen<'_, PersistentVolumeClaim>| {
                if seen.new.is_some_and(|c| should_provision(c)) {
                    cx.enqueue(Task::Provision(seen.key.clone()));
                }
            })
            .watches(|cx, seen: Seen<'_, PersistentVolume>| {
                if seen.new.is_some_and(|v| is_mine(v)) {
                    cx.enqueue(Task::Delete(seen.key.clone()));
                }
            })
            .reads::<StorageClass>()
            .reads::<Node>()
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Delete(key) => delete(&cx, &key).await,
            Task::Provision(key) => provision(&cx, &key).await,
        }
    }
}

/// Whether a provisioner of this name is simulated here.
fn is_my_name(provisioner: &str) -> bool {
    provisioner == NAME || provisioner == csi::DRIVER
}

fn is_mine(volume: &PersistentVolume) -> bool {
    volume.metadata.annotation(PROVISIONED_BY).is_some_and(is_my_name)
}

/// Whether a claim needs a volume of this provisioner, apart from what its class says (`shouldProvision`).
fn should_provision(claim: &PersistentVolumeClaim) -> bool {
    let m = &claim.metadata;
    let asked = m.annotation(STORAGE_PROVISIONER).or(m.annotation(BETA_STORAGE_PROVISIONER));
    volume_name(claim).is_empty() && asked.is_some_and(is_my_name) && !m.is_deleting()
}

async fn provision(cx: &Cx, key: &Key) -> Result {
    let Some(claim) = cx.lister::<PersistentVolumeClaim>().get(key).cloned() else { return Ok(()) };
    let Some(class) = cx.lister::<StorageClass>().get(&Key::new("", claim_class(&claim))).cloned() else {
        return Ok(());
    };
    let waits = class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer");
    let node = claim.metadata.annotation(SELECTED_NODE).unwrap_or_default();
    let name = format!("pvc-{}", claim.metadata.uid());
    if !should_provision(&claim)
        || (waits && node.is_empty())
        || cx.lister::<PersistentVolume>().get(&Key::new("", &name)).is_some()
    {
        return Ok(());
    }
    let uid: Rc<str> = claim.metadata.uid().into();
    let done = match cx.state(|s| s.under_way.get(&uid).copied()) {
        Some(done) => done,
        None => {
            let message = format!("External provisioner is provisioning volume for claim \"{key}\"");
            cx.event(&*claim, "Normal", "Provisioning", message);
            let done = later(cx.now(), SignedDuration::from_secs(PROVISION_SECONDS));
            let id = uid.clone();
            cx.update_state(move |s| {
                s.under_way.insert(id.clone(), done);
            });
            done
        }
    };
    if cx.now() < done {
        cx.enqueue_after(Task::Provision(key.clone()), done.duration_since(cx.now()));
        return Ok(());
    }
    let why = Why::new("provisioner.provision")
        .read("claim", ObjectRef::of(&*claim), "spec.storageClassName", claim.metadata.name())
        .with("class", class.metadata.name());
    let node = cx.lister::<Node>().get(&Key::new("", node)).cloned();
    match cx.create(volume(&claim, &class, &name, node.as_deref())).because(why).await {
        Err(e) if !e.is_already_exists() => return Err(e.into()),
        _ => {}
    }
    cx.update_state(move |s| {
        s.under_way.remove(&uid);
    });
    cx.event(&*claim, "Normal", "ProvisioningSucceeded", format!("Successfully provisioned volume {name}"));
    Ok(())
}

fn volume(
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    name: &str,
    node: Option<&Node>,
) -> PersistentVolume {
    let spec = claim.spec.clone().unwrap_or_default();
    let is_csi = class.provisioner == csi::DRIVER;
    let size = spec.resources.and_then(|r| r.requests?.get("storage").cloned()).unwrap_or_default();
    PersistentVolume {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            annotations: Some([(PROVISIONED_BY.to_owned(), class.provisioner.clone())].into()),
            finalizers: Some(vec![FINALIZER.to_owned()]),
            ..Default::default()
        },
        spec: Some(PersistentVolumeSpec {
            access_modes: spec.access_modes,
            capacity: Some([("storage".to_owned(), size)].into()),
            claim_ref: Some(reference_to(claim)),
            host_path: (!is_csi).then(|| HostPathVolumeSource {
                path: format!("/var/lib/volumes/{name}"),
                ..Default::default()
            }),
            csi: is_csi.then(|| CSIPersistentVolumeSource {
                driver: csi::DRIVER.to_owned(),
                volume_handle: name.to_owned(),
                ..Default::default()
            }),
            node_affinity: topology(class, node),
            mount_options: class.mount_options.clone(),
            persistent_volume_reclaim_policy: class.reclaim_policy.clone(),
            storage_class_name: Some(class.metadata.name().to_owned()),
            volume_mode: spec.volume_mode,
            ..Default::default()
        }),
        status: None,
    }
}

/// The nodes that can reach a new volume, if its class allows certain topologies only (`GenerateVolumeNodeAffinity`): those
/// in the same place as the selected node, or else those in the first place that the class names.
fn topology(class: &StorageClass, node: Option<&Node>) -> Option<VolumeNodeAffinity> {
    let terms = class.allowed_topologies.as_deref().unwrap_or_default();
    let labels = node.map(|n| n.metadata.labels_or_empty());
    let place = |term: &TopologySelectorTerm| -> Option<Vec<NodeSelectorRequirement>> {
        let requirements = term.match_label_expressions.as_deref().unwrap_or_default().iter();
        let one = requirements.map(|r| {
            let value = match labels {
                Some(labels) => labels.get(&r.key).filter(|v| r.values.contains(v)),
                None => r.values.first(),
            };
            value.map(|v| NodeSelectorRequirement {
                key: r.key.clone(),
                operator: "In".into(),
                values: Some(vec![v.clone()]),
            })
        });
        one.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())
    };
    let expressions = terms.iter().find_map(place)?;
    let term = NodeSelectorTerm { match_expressions: Some(expressions), match_fields: None };
    Some(VolumeNodeAffinity { required: Some(NodeSelector { node_selector_terms: vec![term] }) })
}

/// Deletes a released volume (`shouldDelete` and `deleteVolumeOperation`).
async fn delete(cx: &Cx, key: &Key) -> Result {
    let Some(volume) = cx.lister::<PersistentVolume>().get(key).cloned() else { return Ok(()) };
    let policy = volume.spec.as_ref().and_then(|s| s.persistent_volume_reclaim_policy.as_deref());
    let to_go = is_mine(&volume)
        && volume_phase(&volume) == "Released"
        && policy == Some("Delete")
        && (volume.metadata.has_finalizer(FINALIZER) || !volume.metadata.is_deleting());
    if !to_go {
        return Ok(());
    }
    let why = |rule| {
        let at = ObjectRef { kind: Kind::PERSISTENT_VOLUME, key: key.clone() };
        Why::new(rule).read("volume", at, "status.phase", "Released")
    };
    if !volume.metadata.is_deleting() {
        let options = DeleteOptions::default();
        match cx.delete(PersistentVolume::KIND, key.clone(), options).because(why("provisioner.delete")).await
        {
            Err(e) if e.is_not_found() => return Ok(()),
            Err(e) => return Err(e.into()),
            Ok(_) => {}
        }
    }
    // The deletion has changed the object, so it is read again.
    let mut volume = match cx.get::<PersistentVolume>(key.clone()).await {
        Err(e) if e.is_not_found() => return Ok(()),
        other => other?,
    };
    if !volume.metadata.has_finalizer(FINALIZER) {
        return Ok(());
    }
    Rc::make_mut(&mut volume).metadata.finalizers.iter_mut().for_each(|f| f.retain(|f| f != FINALIZER));
    match cx.update(volume).because(why("provisioner.remove_finalizer")).await {
        Err(e) if !e.is_not_found() => Err(e.into()),
        _ => Ok(()),
    }
}
