//! The root CA certificate publisher (`k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher`):
//! it creates a ConfigMap in every namespace, with the certificate by which pods verify the API server.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::serviceaccounts_controller::is_active;
use crate::api::types::{ConfigMap, Namespace, ObjectMeta};
use crate::api::{Key, Kind, MetaExt, ObjectRef, root_ca};
use crate::client::{Context, Reconciler, Result, Seen, Watches, Why};

/// The name of the ConfigMaps.
pub const ROOT_CA_CERT_CONFIG_MAP: &str = "kube-root-ca.crt";
/// The annotation that describes an object.
pub const DESCRIPTION_ANNOTATION: &str = "kubernetes.io/description";
/// The description of the ConfigMaps.
pub const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/// The root CA certificate publisher. Its keys are namespaces.
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
                // A ConfigMap that was just created is left as it is.
                if &*seen.key.name == ROOT_CA_CERT_CONFIG_MAP && seen.old.is_some() {
                    cx.enqueue(Key::new("", &seen.key.namespace));
                }
            })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let at = Key::new(&key.name, ROOT_CA_CERT_CONFIG_MAP);
        let reference = ObjectRef { kind: Kind::CONFIG_MAP, key: at.clone() };
        let data = BTreeMap::from([("ca.crt".to_owned(), root_ca::CERTIFICATE.to_owned())]);
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
