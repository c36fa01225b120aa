//! The bootstrap signer (`k8s.io/kubernetes/pkg/controller/bootstrap/bootstrapsigner.go`): it signs the ConfigMap by which a machine
//! that joins finds the cluster, once with each bootstrap token that may sign. Who has the token knows by its signature that the
//! ConfigMap, which everybody may read, is that of the cluster.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::jws::detached_signature;
use crate::api::bootstrap_token::{self, Usage};
use crate::api::types::{ConfigMap, Secret};
use crate::api::{Key, ObjectRef};
use crate::client::{Context, Reconciler, Result, Seen, Watches, Why};

/// The namespace of the ConfigMap.
const NAMESPACE: &str = "kube-public";
/// The name of the ConfigMap.
const CLUSTER_INFO: &str = "cluster-info";
/// The key of what is signed.
const KUBE_CONFIG_KEY: &str = "kubeconfig";
/// What the key of a signature begins with; the id of the token follows.
const JWS_SIGNATURE_KEY_PREFIX: &str = "jws-kubeconfig-";

/// The bootstrap signer. Its only key is the ConfigMap's.
#[derive(Clone, Copy, Debug)]
pub struct Signer;

fn cluster_info() -> Key {
    Key::new(NAMESPACE, CLUSTER_INFO)
}

impl Reconciler for Signer {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "bootstrap-signer-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "bootstrap-signer".into()
    }

    fn watches(&self) -> Watches {
        Watches::new()
            .watches(|cx, seen: Seen<'_, ConfigMap>| {
                if !seen.is_gone() && &*seen.key.name == CLUSTER_INFO && &*seen.key.namespace == NAMESPACE {
                    cx.enqueue(seen.key.clone());
                }
            })
            .watches(|cx, seen: Seen<'_, Secret>| {
                if bootstrap_token::is_token(seen.object()) {
                    cx.enqueue(cluster_info());
                }
            })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(mut map) = cx.lister::<ConfigMap>().get(&key).cloned() else { return Ok(()) };
        let data = map.data.iter().flatten();
        let (present, mut wanted): (BTreeMap<_, _>, BTreeMap<_, _>) = data
            .map(|(key, value)| (key.clone(), value.clone()))
            .partition(|(key, _)| key.starts_with(JWS_SIGNATURE_KEY_PREFIX));
        let Some(content) = wanted.get(KUBE_CONFIG_KEY).cloned() else { return Ok(()) };
        let secrets = cx.lister::<Secret>();
        let secrets = secrets.list(Some(bootstrap_token::NAMESPACE));
        let tokens = secrets.filter_map(|s| bootstrap_token::usable(s, Usage::Signing, cx.now()));
        let signed = tokens.filter_map(|(id, secret)| {
            Some((format!("{JWS_SIGNATURE_KEY_PREFIX}{id}"), detached_signature(&content, id, secret)?))
        });
        let signatures: BTreeMap<String, String> = signed.collect();
        if signatures == present {
            return Ok(());
        }
        let written = signatures.iter().filter(|(key, value)| present.get(*key) != Some(value)).count();
        let removed = present.keys().filter(|key| !signatures.contains_key(*key)).count();
        let why = Why::new("sign_config_map")
            .read("kubeconfig", ObjectRef::of(&*map), "data", KUBE_CONFIG_KEY)
            .with("tokens", signatures.len())
            .with("written", written)
            .with("removed", removed);
        wanted.extend(signatures);
        Rc::make_mut(&mut map).data = Some(wanted);
        // A refusal is only logged there: the next change of the ConfigMap or of a token signs it.
        let _ = cx.update(map).because(why).await;
        Ok(())
    }
}
