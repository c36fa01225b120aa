//! DefaultTolerationSeconds: a pod stays for a while on a node that is not ready or unreachable
//! (`k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds`).

use super::{Plugin, hook};
use crate::api::types::{Pod, Toleration};
use crate::api::well_known::{TAINT_NODE_NOT_READY, TAINT_NODE_UNREACHABLE};
use crate::api::{ApiKind, Kind, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;

pub(super) const PLUGIN: Plugin = Plugin {
    admit_create: hook(&[Kind::POD], admit_create),
    admit_update: hook(&[Kind::POD], |object, _| admit(object)),
    ..Plugin::new("DefaultTolerationSeconds")
};

/// How long a pod that does not say otherwise stays on such a node, in seconds
/// (`--default-not-ready-toleration-seconds`, `--default-unreachable-toleration-seconds`).
const DEFAULT_TOLERATION_SECONDS: i64 = 300;

fn admit_create(_: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    admit(object);
    Ok(())
}

fn admit(object: &mut Object) {
    if let Some(pod) = Pod::from_object_mut(object) {
        default_tolerations(pod);
    }
}

fn default_tolerations(pod: &mut Pod) {
    let Some(spec) = pod.spec.as_mut() else { return };
    for key in [TAINT_NODE_NOT_READY, TAINT_NODE_UNREACHABLE] {
        let tolerated = spec.tolerations.iter().flatten().any(|t| {
            let k = t.key.as_deref().unwrap_or_default();
            let e = t.effect.as_deref().unwrap_or_default();
            (k == key || k.is_empty()) && (e == "NoExecute" || e.is_empty())
        });
        if !tolerated {
            let tolerations = spec.tolerations.get_or_insert_default();
            // Most pods have these two and no others.
            tolerations.reserve_exact(2_usize.saturating_sub(tolerations.len()).max(1));
            tolerations.push(Toleration {
                key: Some(key.into()),
                operator: Some("Exists".into()),
                effect: Some("NoExecute".into()),
                toleration_seconds: Some(DEFAULT_TOLERATION_SECONDS),
                value: None,
            });
        }
    }
}
