//! The roles and bindings of a new cluster. There they are written at the first start
//! (`pkg/registry/rbac/rest/storage_rbac.go`); here they are not stored until somebody writes to one of them: whoever reads,
//! finds them, and a cluster that nobody asks about roles is as large as without them. They have the revision 1.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use crate::api::bootstrap_policy::{self, KINDS};
use crate::api::types::Time;
use crate::api::{Kind, Object, ObjectRef, Timestamp, seconds};
use crate::apiserver::ApiServer;
use crate::etcd::{Record, Records};

/// The `resourceVersion` of the default objects.
const REVISION: u64 = 1;

/// The default objects, and which of them are gone.
#[derive(Clone, Debug, Default)]
pub(in crate::apiserver) struct DefaultPolicy {
    /// Whether a controller gathers the rules of roles with an aggregation rule.
    aggregated: bool,
    /// When the cluster began.
    since: Option<Timestamp>,
    objects: Rc<OnceCell<BTreeMap<ObjectRef, Object>>>,
    /// Those that were deleted.
    removed: Rc<BTreeSet<ObjectRef>>,
}

impl DefaultPolicy {
    /// The objects of a cluster that began then.
    pub(in crate::apiserver) fn new(since: Timestamp, aggregated: bool) -> DefaultPolicy {
        DefaultPolicy { aggregated, since: Some(since), ..DefaultPolicy::default() }
    }

    fn make(&self, seed: u64) -> BTreeMap<ObjectRef, Object> {
        let time = Time(seconds(self.since.unwrap_or(Timestamp::UNIX_EPOCH)));
        let objects = bootstrap_policy::objects(self.aggregated);
        let stamped = objects.iter().map(|object| {
            let (at, mut object) = (object.reference(), object.clone());
            let meta = object.meta_mut();
            meta.uid = Some(uid(seed, &at));
            meta.creation_timestamp = Some(time.clone());
            object.set_resource_version(Some(&REVISION.to_string()));
            (at, object)
        });
        stamped.collect()
    }
}

/// A version 4 uuid that follows from the seed and the name.
fn uid(seed: u64, at: &ObjectRef) -> String {
    let hash = Sha256::digest(format!("{seed} {at}"));
    let hex: String = hash.iter().take(16).map(|b| format!("{b:02x}")).collect();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

fn is_policy(kind: Kind) -> bool {
    KINDS.contains(&kind)
}

impl ApiServer {
    /// Tells the server when the cluster began, and whether it has a controller that gathers the rules of roles with an
    /// aggregation rule.
    pub fn set_default_policy(&mut self, since: Timestamp, aggregated: bool) {
        self.default_policy = DefaultPolicy::new(since, aggregated);
    }

    /// The default objects as they were made.
    pub(super) fn default_policy(&self) -> &BTreeMap<ObjectRef, Object> {
        self.default_policy.objects.get_or_init(|| self.default_policy.make(self.seed))
    }

    /// A default object that nobody has changed or deleted.
    pub(super) fn default_object(&self, at: &ObjectRef) -> Option<&Object> {
        if !is_policy(at.kind) || self.etcd.get(at).is_some() || self.default_policy.removed.contains(at) {
            return None;
        }
        self.default_policy().get(at)
    }

    /// An object that is stored, or a default one.
    pub(in crate::apiserver) fn stored(&self, at: &ObjectRef) -> Option<&Object> {
        self.etcd.get(at).map(|r| &r.object).or_else(|| self.default_object(at))
    }

    /// A snapshot of the store in which the default objects of a kind are, too.
    pub(in crate::apiserver) fn with_defaults(&self, mut data: Records, kind: Kind) -> Records {
        if is_policy(kind) {
            for (place, (at, object)) in (0..).zip(self.default_policy()) {
                // One that was changed later had the revision 1 before, as all others; its record tells them apart.
                let rewound = data.get(at).is_some_and(|r| r.mod_revision == REVISION);
                if at.kind == kind && (rewound || self.default_object(at).is_some()) {
                    data.insert(at.clone(), Rc::new(record(object.clone(), place)));
                }
            }
        }
        data
    }

    /// Stores a default object that is about to be written to, as it was from the beginning. Nobody is told of it.
    pub(in crate::apiserver) fn reveal(&mut self, at: &ObjectRef) {
        if !is_policy(at.kind) {
            return;
        }
        let Some(object) = self.default_object(at).cloned() else { return };
        let place = self.default_policy().keys().take_while(|known| *known != at).count();
        self.etcd.reveal(at.clone(), record(object, u64::try_from(place).unwrap_or_default()));
    }

    /// Notes that an object is gone.
    pub(in crate::apiserver) fn note_removed(&mut self, at: &ObjectRef) {
        if is_policy(at.kind) && self.default_policy().contains_key(at) {
            Rc::make_mut(&mut self.default_policy.removed).insert(at.clone());
        }
    }
}

/// The record of a default object. No two records have the same revision, so they count down from the last one that there
/// could be.
fn record(object: Object, place: u64) -> Record {
    Record { object, create_revision: REVISION, mod_revision: u64::MAX - place, notes: None }
}
