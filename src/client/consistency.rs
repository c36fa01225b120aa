//! What a controller has written, and whether its caches have it yet
//! (`k8s.io/kubernetes/pkg/controller/util/consistency`; KEP-5647, on by default since 1.36).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::context::Context;
use super::indexer::Caches;
use super::key::WorkKey;
use super::memory::Memory;
use super::sync::{Error, Result};
use crate::api::persistent::Map;
use crate::api::types::ObjectMeta;
use crate::api::{ApiKind, Key, Kind, MetaExt, Timestamp};

/// The newest revision of each kind that a controller has written for an object. As long as the caches are older,
/// a sync of that object would act on what the controller itself has changed since, so it does not begin.
#[derive(Clone, Debug, Default)]
pub struct Consistency {
    written: Map<Key, Rc<BTreeMap<Kind, u64>>>,
}

impl Consistency {
    /// Notes that `object`, as the API server has answered it, was written for the object `owner`.
    pub fn wrote<T: ApiKind>(&mut self, owner: &Key, object: &T) {
        let version = object.resource_version().and_then(|v| v.parse::<u64>().ok());
        let Some(revision) = version else { return };
        let mut written = self.written.get(owner).cloned().unwrap_or_default();
        let of_kind = Rc::make_mut(&mut written).entry(T::KIND).or_default();
        *of_kind = revision.max(*of_kind);
        self.written.insert(owner.clone(), written);
    }

    /// Whether the caches have everything that was written for an object.
    ///
    /// # Errors
    /// The kind whose cache is too old, in Kubernetes' words.
    pub fn ensure_ready(&self, owner: &Key, caches: &Caches) -> Result {
        let written = self.written.get(owner).into_iter().flat_map(|w| w.iter());
        for (kind, wrote) in written {
            let read = caches.of(*kind).revision();
            if read < *wrote {
                return Err(Error::Other(format!(
                    "read version: {read} is not as new as written version: {wrote} for group resource {}",
                    kind.group_resource()
                )));
            }
        }
        Ok(())
    }

    /// Forgets an object, which is gone.
    pub fn clear(&mut self, owner: &Key) {
        self.written.remove(owner);
    }
}

impl AsMut<Consistency> for Consistency {
    fn as_mut(&mut self) -> &mut Consistency {
        self
    }
}

impl<S: AsMut<Consistency> + Clone + 'static, K: WorkKey> Context<S, K> {
    /// Notes in the controller's [`Consistency`] that `object`, as the API server has answered it, was written for the
    /// object with the metadata `owner`.
    pub fn wrote<T: ApiKind>(&self, owner: &ObjectMeta, object: &Rc<T>) {
        let (key, object) = (owner.key(), object.clone());
        self.update_state(move |s| s.as_mut().wrote(&key, &*object));
    }

    /// [`Context::wrote`] for the object that controls `object`; nothing is noted if there is none.
    pub fn wrote_for_controller<T: ApiKind>(&self, object: &Rc<T>) {
        let Some(owner) = object.meta().controller() else { return };
        let (key, object) = (Key::new(object.meta().namespace(), &owner.name), object.clone());
        self.update_state(move |s| s.as_mut().wrote(&key, &*object));
    }
}

impl Memory for Consistency {
    /// Nothing: whether a revision is still waited for depends on the caches ([`Memory::waits_for`]).
    fn lines(&self, _: Timestamp) -> Vec<String> {
        Vec::new()
    }

    /// A line for each object and each kind whose cache is older than what was written for the object. The line has no
    /// revision: two runs with the same cache behind at other revisions go on alike.
    fn waits_for(&self, caches: &Caches) -> Vec<String> {
        let kinds =
            self.written.iter().flat_map(|(owner, of)| of.iter().map(move |(k, at)| (owner, *k, *at)));
        let behind = kinds.filter(|(_, kind, wrote)| caches.of(*kind).revision() < *wrote);
        behind
            .map(|(owner, kind, _)| format!("{owner} waits for the cache of {}", kind.group_resource()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::types::{ObjectMeta, Pod};

    #[test]
    fn a_sync_waits_until_the_cache_has_what_was_written() {
        let pod = |revision: &str| Pod {
            metadata: ObjectMeta { resource_version: Some(revision.into()), ..ObjectMeta::default() }.into(),
            ..Pod::default()
        };
        let (set, other) = (Key::new("default", "web"), Key::new("default", "other"));
        let mut caches = Caches::default();
        let mut written = Consistency::default();
        written.wrote(&set, &pod("7"));
        written.wrote(&set, &pod("5"));
        let why = written.ensure_ready(&set, &caches).unwrap_err().to_string();
        assert_eq!(why, "read version: 0 is not as new as written version: 7 for group resource pods");
        assert!(written.ensure_ready(&other, &caches).is_ok());
        caches.of_mut(Kind::POD).has_seen(6);
        assert!(written.ensure_ready(&set, &caches).is_err());
        assert_eq!(written.waits_for(&caches), ["default/web waits for the cache of pods"]);
        caches.of_mut(Kind::POD).has_seen(7);
        assert!(written.ensure_ready(&set, &caches).is_ok());
        assert!(written.waits_for(&caches).is_empty());
    }
}
