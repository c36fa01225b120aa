//! [`ValidSpecCache`]: what the API server knows of the spec of the last new pod, so that the next pod with the same one
//! costs less.

use crate::api::types::{Pod, PodStatus};
use crate::api::{ApiKind, Kind, Object, Shared, pod};

/// A cache that outlives requests: the spec, as it came, of the last new pod that was valid. The pods of one owner share
/// one spec, so that only the first of them is validated as a whole, and all of them share the spec with its defaults. (The
/// notes of who wrote a pod keep that spec as long as the pod; a copy of its own was an eighth of all that a pod takes.)
/// Admission adds to a pod what namespaces, service accounts, priority classes and limit ranges say; a write to one of these
/// empties the cache.
#[derive(Clone, Debug, Default)]
pub(super) struct ValidSpecCache(Option<Valid>);

#[derive(Clone, Debug)]
struct Valid {
    came: pod::Spec,
    defaulted: pod::Spec,
    /// The status of a pod that came without one.
    status: Shared<PodStatus>,
}

impl ValidSpecCache {
    /// A cache that knows a valid spec, as it came and with its defaults.
    pub(super) fn of(came: pod::Spec, defaulted: pod::Spec) -> ValidSpecCache {
        ValidSpecCache(Some(Valid { came, defaulted, status: Shared::default() }))
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
        let Some(valid) = self.get(pod.get::<Pod>().and_then(|p| p.spec.as_ref())) else { return false };
        let Some(pod) = Pod::from_object_mut(pod) else { return false };
        pod.spec = Some(valid.defaulted.clone());
        pod.status.get_or_insert_with(|| valid.status.clone());
        true
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

    #[test]
    fn pods_that_came_with_one_spec_share_it_with_its_defaults() {
        let came = spec();
        let mut first = pod("a", &came);
        rest::default(&mut first);
        let defaulted = first.get::<Pod>().unwrap().spec.clone().unwrap();
        let mut cache = ValidSpecCache::default();
        assert!(!cache.fill_in(&mut pod("b", &came)));
        cache = ValidSpecCache::of(came.clone(), defaulted.clone());
        let (mut second, mut alone) = (pod("b", &came), pod("b", &came));
        assert!(cache.fill_in(&mut second));
        rest::default(&mut alone);
        assert_eq!(second, alone);
        assert!(second.get::<Pod>().unwrap().spec.as_ref().unwrap().is_same(&defaulted));
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
}
