//! The user that a container runs as, and whether it may (`pkg/kubelet/kuberuntime/security_context.go`).

use super::known_images::{self, ImageUser};
use crate::api::order;
use crate::api::quote::go_quote;
use crate::api::types::{Container, PodSpec};

/// The user of an image that nobody knows, in a pod that must not run as root: `nonroot` of the distroless images.
const NONROOT: i64 = 65_532;

/// Who a container runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) uid: i64,
    pub(super) gid: i64,
    /// All groups, the first one among them, in ascending order.
    pub(super) groups: Vec<i64>,
}

impl Identity {
    /// Of a container: what its security context says or its pod's, or else its image.
    pub(super) fn of(pod: &PodSpec, spec: &Container) -> Identity {
        let (p, c) = (pod.security_context.as_ref(), spec.security_context.as_ref());
        let said = c.and_then(|c| c.run_as_user).or_else(|| p?.run_as_user);
        let image = spec.image.as_deref().unwrap_or_default();
        let (uid, gid) = match (said, known_images::user(image)) {
            (Some(uid), _) => (uid, 0),
            (None, Some(ImageUser::Root)) => (0, 0),
            (None, Some(ImageUser::Number(uid, gid) | ImageUser::Name(_, uid, gid))) => (uid, gid),
            (None, None) if runs_as_non_root(pod, spec) => (NONROOT, NONROOT),
            (None, None) => (0, 0),
        };
        let gid = c.and_then(|c| c.run_as_group).or_else(|| p?.run_as_group).unwrap_or(gid);
        let mut groups = vec![gid];
        groups.extend(p.and_then(|p| p.fs_group));
        groups.extend(p.iter().flat_map(|p| p.supplemental_groups.iter().flatten()));
        order::sort(&mut groups);
        groups.dedup();
        Identity { uid, gid, groups }
    }
}

fn runs_as_non_root(pod: &PodSpec, spec: &Container) -> bool {
    let own = spec.security_context.as_ref().and_then(|c| c.run_as_non_root);
    own.or_else(|| pod.security_context.as_ref()?.run_as_non_root) == Some(true)
}

/// Why a container that must not run as root would, or might (`verifyRunAsNonRoot`). `pod` is the pod's name as in messages of a
/// kubelet. Of an image that nobody knows it is taken for granted that it has a user of its own.
pub(super) fn refusal(pod: &PodSpec, name: &str, spec: &Container) -> Option<String> {
    if !runs_as_non_root(pod, spec) {
        return None;
    }
    let own = spec.security_context.as_ref().and_then(|c| c.run_as_user);
    let said = own.or_else(|| pod.security_context.as_ref()?.run_as_user);
    let whom = format!("(pod: {}, container: {})", go_quote(name), spec.name);
    match (said, known_images::user(spec.image.as_deref().unwrap_or_default())) {
        (Some(0), _) => Some(format!("container's runAsUser breaks non-root policy {whom}")),
        (Some(_), _) => None,
        (None, Some(ImageUser::Root)) => {
            Some(format!("container has runAsNonRoot and image will run as root {whom}"))
        }
        (None, Some(ImageUser::Name(user, ..))) => Some(format!(
            "container has runAsNonRoot and image has non-numeric user ({user}), cannot verify user is non-root {whom}"
        )),
        (None, Some(ImageUser::Number(..)) | None) => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;

    fn of(image: &str, pod: Value, own: Value) -> (Option<String>, Identity) {
        let pod: PodSpec = serde_json::from_value(json!({"securityContext": pod, "containers": []})).unwrap();
        let spec = json!({"name": "c", "image": image, "securityContext": own});
        let spec: Container = serde_json::from_value(spec).unwrap();
        (refusal(&pod, "p_default(1)", &spec), Identity::of(&pod, &spec))
    }

    /// `kuberuntime/security_context_others.go`, `verifyRunAsNonRoot`, and the users in the Dockerfiles of the images.
    #[test]
    fn a_container_that_must_not_be_root_is_refused_if_its_image_is() {
        let must = json!({"runAsNonRoot": true});
        let why = |image: &str, own: Value| of(image, must.clone(), own).0;
        assert_eq!(
            why("nginx:1.29", json!({})).unwrap(),
            r#"container has runAsNonRoot and image will run as root (pod: "p_default(1)", container: c)"#
        );
        assert_eq!(
            why("memcached:1.6", json!({})).unwrap(),
            r#"container has runAsNonRoot and image has non-numeric user (memcache), cannot verify user is non-root (pod: "p_default(1)", container: c)"#
        );
        assert_eq!(
            why("nginx", json!({"runAsUser": 0})).unwrap(),
            r#"container's runAsUser breaks non-root policy (pod: "p_default(1)", container: c)"#
        );
        assert_eq!(why("nginx", json!({"runAsUser": 101})), None);
        assert_eq!(why("nginx", json!({"runAsNonRoot": false})), None);
        assert_eq!(why("nginxinc/nginx-unprivileged:1.29", json!({})), None);
        assert_eq!(why("team/app:1", json!({})), None);
        assert_eq!(of("nginx", json!({}), json!({})).0, None);
    }

    /// `kuberuntime/security_context.go`, `determineEffectiveSecurityContext`; containerd's `pkg/oci/spec_opts.go`,
    /// `ensureAdditionalGids`, and `internal/cri/opts/spec_opts.go`, `mergeGids`: the group itself is among the others, in order.
    #[test]
    fn who_a_container_runs_as() {
        let pod = json!({"runAsGroup": 3000, "fsGroup": 2000, "supplementalGroups": [4000, 2000]});
        let (_, it) = of("nginx", pod, json!({"runAsUser": 1000}));
        assert_eq!(it, Identity { uid: 1000, gid: 3000, groups: vec![2000, 3000, 4000] });
        let uid = |image: &str, pod: Value| of(image, pod, json!({})).1.uid;
        assert_eq!(uid("grafana/grafana", json!({})), 472);
        assert_eq!(uid("team/app", json!({})), 0);
        assert_eq!(uid("team/app", json!({"runAsNonRoot": true})), NONROOT);
    }
}
