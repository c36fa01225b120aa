//! The root CA certificate publisher
//! (`k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher`): every namespace has a
//! ConfigMap with the certificate by which pods verify the API server.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::serviceaccounts_controller::is_active;
use crate::api::types::{ConfigMap, Namespace, ObjectMeta};
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::client::{Context, Reconciler, Result, Seen, Watches, Why};

/// The ConfigMap's name.
pub const ROOT_CA_CERT_CONFIG_MAP: &str = "kube-root-ca.crt";
/// The annotation that says what it is for.
pub const DESCRIPTION_ANNOTATION: &str = "kubernetes.io/description";
/// What it says.
pub const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/// The controller. Its keys are namespaces.
#[derive(Clone, Copy, Debug)]
pub struct Publisher;

impl Reconciler for Publisher {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "root-ca-certificate-publisher-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "root-ca-cert-publisher".into()
    }

    fn watches(&self) -> Watches {
        Watches::new()
            .watches(|cx, seen: Seen<'_, Namespace>| {
                if seen.new.is_some_and(|n| is_active(n)) {
                    cx.enqueue(seen.key.clone());
                }
            })
            .watches(|cx, seen: Seen<'_, ConfigMap>| {
                // One that has just been created is as it should be.
                if &*seen.key.name == ROOT_CA_CERT_CONFIG_MAP && seen.old.is_some() {
                    cx.enqueue(Key::new("", &seen.key.namespace));
                }
            })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let at = Key::new(&key.name, ROOT_CA_CERT_CONFIG_MAP);
        let reference = ObjectRef { kind: Kind::CONFIG_MAP, key: at.clone() };
        // There is no TLS here, so there is nothing to trust.
        let data = BTreeMap::from([("ca.crt".to_owned(), String::new())]);
        let description = |m: &mut ObjectMeta| {
            let annotations = m.annotations.get_or_insert_default();
            annotations.insert(DESCRIPTION_ANNOTATION.into(), DESCRIPTION.into());
        };
        let Some(existing) = cx.lister::<ConfigMap>().get(&at).cloned() else {
            let mut metadata = ObjectMeta {
                name: Some(ROOT_CA_CERT_CONFIG_MAP.into()),
                namespace: Some(key.name.to_string()),
                ..Default::default()
            };
            description(&mut metadata);
            let map = ConfigMap { metadata, data: Some(data), ..Default::default() };
            let why = Why::new("sync_namespace.publish_certificate").read(
                "missing",
                reference,
                "data",
                ROOT_CA_CERT_CONFIG_MAP,
            );
            return match cx.create(map).because(why).await {
                Err(e) if !e.is_not_found() && !e.is_namespace_terminating() => Err(e.into()),
                _ => Ok(()),
            };
        };
        let described = existing.metadata.annotation(DESCRIPTION_ANNOTATION).is_some_and(|d| !d.is_empty());
        if existing.data.as_ref() == Some(&data) && described {
            return Ok(());
        }
        let mut map = existing;
        let m = Rc::make_mut(&mut map);
        m.data = Some(data);
        description(&mut m.metadata);
        let why = Why::new("sync_namespace.restore_certificate").read("changed", reference, "data", "ca.crt");
        cx.update(map).because(why).await?;
        Ok(())
    }
}
