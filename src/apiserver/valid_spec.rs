//! [`ValidSpecCache`]: what the API server knows of the spec of the last new pod, so that the next pod with the same one
//! costs less.

use crate::api::types::{ObjectMeta, Pod, PodStatus};
use crate::api::{ApiKind, Kind, Object, Shared, pod};

/// A cache that outlives requests: the last new pod that was valid, as it came and what became of it. The pods of one owner come with
/// one spec, so that only the first of them is validated as a whole, and what becomes equal of all of them is in memory
/// once: the spec with its defaults, the spec with what admission has added to it, the status of a new pod, and what the notes
/// keep of a pod as it was written. Admission adds to a pod what namespaces, service accounts, priority classes and limit
/// ranges say; a write to one of these empties the cache.
#[derive(Clone, Debug, Default)]
pub(super) struct ValidSpecCache(Option<Valid>);

/// A valid pod.
#[derive(Clone, Debug)]
pub(super) struct Valid {
    /// Its spec as it came.
    pub(super) came: pod::Spec,
    /// The pod with its defaults, as the notes keep it.
    pub(super) submitted: Object,
    /// The pod as it was stored first.
    pub(super) stored: Object,
}

fn spec_of(object: &Object) -> Option<&pod::Spec> {
    object.get::<Pod>()?.spec.as_ref()
}

fn status_of(object: &Object) -> Option<&Shared<PodStatus>> {
    object.get::<Pod>()?.status.as_ref()
}

/// Whether two pods with one spec have the same fields, so that one note can say of both who wrote what. The values of names
/// do not count: nobody manages them.
fn has_same_fields(a: &ObjectMeta, b: &ObjectMeta) -> bool {
    a.generate_name.is_some() == b.generate_name.is_some()
        && a.labels == b.labels
        && a.annotations == b.annotations
        && a.owner_references == b.owner_references
        && a.finalizers == b.finalizers
}

impl ValidSpecCache {
    /// A cache that knows a valid pod.
    pub(super) fn of(valid: Valid) -> ValidSpecCache {
        ValidSpecCache(Some(valid))
    }

    fn get(&self, came: Option<&pod::Spec>) -> Option<&Valid> {
        self.0.as_ref().filter(|valid| came.is_some_and(|came| came.is_same(&valid.came)))
    }

    /// Whether a spec is the one that was valid.
    pub(super) fn holds(&self, came: Option<&pod::Spec>) -> bool {
        self.get(came).is_some()
    }

    /// Gives a pod that came with this spec its defaults, which follow from the spec alone. `false` if the cache does not
    /// know the spec; then the pod is as it was.
    pub(super) fn fill_in(&self, pod: &mut Object) -> bool {
        let Some(valid) = self.get(spec_of(pod)) else { return false };
        let Some(pod) = Pod::from_object_mut(pod) else { return false };
        pod.spec = spec_of(&valid.submitted).cloned();
        pod.status.get_or_insert_default();
        true
    }

    /// What the notes shall keep of a new object with its defaults: the object itself, or one with the same fields that they have
    /// already.
    pub(super) fn as_submitted(&self, came: Option<&pod::Spec>, object: &Object) -> Object {
        let known = self.get(came).map(|valid| &valid.submitted).filter(|known| {
            status_of(known) == status_of(object) && has_same_fields(known.meta(), object.meta())
        });
        known.unwrap_or(object).clone()
    }

    /// Has a pod that is about to be stored share spec and status with the one that came with the same spec before, as far as
    /// they are equal.
    pub(super) fn share(&self, came: Option<&pod::Spec>, pod: &mut Object) {
        let Some(stored) = self.get(came).and_then(|valid| valid.stored.get::<Pod>()) else { return };
        let Some(pod) = Pod::from_object_mut(pod) else { return };
        if let Some((spec, known)) = pod.spec.as_mut().zip(stored.spec.as_ref()) {
            spec.share_with(known);
        }
        if pod.status == stored.status {
            pod.status.clone_from(&stored.status);
        }
    }

    /// Empties the cache if a write to this kind may change what admission adds to pods.
    pub(super) fn written(&mut self, kind: Kind) {
        if [Kind::NAMESPACE, Kind::SERVICE_ACCOUNT, Kind::PRIORITY_CLASS, Kind::LIMIT_RANGE].contains(&kind) {
            self.0 = None;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::apiserver::rest;

    fn spec() -> pod::Spec {
        let spec = serde_json::json!({
            "hostNetwork": true,
            "containers": [{"name": "app", "image": "team/app", "ports": [{"containerPort": 80}],
                "resources": {"limits": {"cpu": "1"}}}],
        });
        serde_json::from_value::<crate::api::types::PodSpec>(spec).unwrap().into()
    }

    fn pod(name: &str, spec: &pod::Spec) -> Object {
        let mut pod = Pod { spec: Some(spec.clone()), ..Pod::default() };
        pod.metadata.name = Some(name.to_owned());
        pod.into()
    }

    fn cache(came: &pod::Spec) -> (ValidSpecCache, Object) {
        let mut submitted = pod("a", came);
        rest::default(&mut submitted);
        let valid = Valid { came: came.clone(), submitted: submitted.clone(), stored: submitted.clone() };
        (ValidSpecCache::of(valid), submitted)
    }

    #[test]
    fn pods_that_came_with_one_spec_share_it_with_its_defaults() {
        let came = spec();
        assert!(!ValidSpecCache::default().fill_in(&mut pod("b", &came)));
        let (mut cache, first) = cache(&came);
        let (mut second, mut alone) = (pod("b", &came), pod("b", &came));
        assert!(cache.fill_in(&mut second));
        rest::default(&mut alone);
        assert_eq!(second, alone);
        assert!(spec_of(&second).unwrap().is_same(spec_of(&first).unwrap()));
        // Specs are told apart by where they are, which costs nothing; an equal one elsewhere gets its defaults as usual.
        let mut stranger = pod("c", &spec());
        assert!(!cache.fill_in(&mut stranger));
        assert_eq!(stranger, pod("c", &spec()));
        // A status that came stays.
        let mut reported = pod("d", &came);
        let status = PodStatus { phase: Some("Running".to_owned()), ..PodStatus::default() };
        Pod::from_object_mut(&mut reported).unwrap().status = Some(status.clone().into());
        assert!(cache.fill_in(&mut reported));
        assert_eq!(reported.get::<Pod>().unwrap().status, Some(status.into()));
        cache.written(Kind::LIMIT_RANGE);
        assert!(!cache.fill_in(&mut pod("e", &came)));
    }

    #[test]
    fn what_became_equal_of_pods_is_shared_and_what_did_not_is_their_own() {
        let came = spec();
        let (cache, first) = cache(&came);
        let defaulted = |name: &str| {
            let mut pod = pod(name, &came);
            rest::default(&mut pod);
            pod
        };
        let mut second = defaulted("b");
        assert!(!spec_of(&second).unwrap().is_same(spec_of(&first).unwrap()));
        cache.share(Some(&came), &mut second);
        assert!(spec_of(&second).unwrap().is_same(spec_of(&first).unwrap()));
        assert!(status_of(&second).unwrap().ptr_eq(status_of(&first).unwrap()));
        assert_eq!(second, defaulted("b"));
        let mut other = defaulted("c");
        Pod::from_object_mut(&mut other).unwrap().spec.as_mut().unwrap().priority = Some(7);
        let before = other.clone();
        cache.share(Some(&came), &mut other);
        assert_eq!(other, before);
        // A note says which fields were written; a pod with another label needs one of its own.
        assert!(cache.as_submitted(Some(&came), &second).ptr_eq(&first));
        let mut labelled = defaulted("d");
        labelled.meta_mut().labels = Some([("app".to_owned(), "web".to_owned())].into());
        assert!(cache.as_submitted(Some(&came), &labelled).ptr_eq(&labelled));
        assert!(cache.as_submitted(Some(&spec()), &second).ptr_eq(&second));
    }
}
