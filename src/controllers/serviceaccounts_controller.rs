//! The ServiceAccounts controller
//! (`k8s.io/kubernetes/pkg/controller/serviceaccount/serviceaccounts_controller.go`): it creates a
//! ServiceAccount `default` in every namespace, for pods that name none.

use std::rc::Rc;

use crate::api::types::{Namespace, ObjectMeta, ServiceAccount};
use crate::api::{Key, MetaExt, ObjectRef};
use crate::client::{Context, Reconciler, Result, Seen, Watches, Why};

/// The name of the ServiceAccount.
const DEFAULT: &str = "default";

/// The ServiceAccounts controller. Its keys are namespaces.
#[derive(Clone, Copy, Debug)]
pub struct ServiceAccountsController;

impl Reconciler for ServiceAccountsController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "serviceaccount-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "service-account-controller".into()
    }

    fn watches(&self) -> Watches {
        Watches::new()
            .watches(|cx, seen: Seen<'_, Namespace>| {
                if !seen.is_gone() {
                    cx.enqueue(seen.key.clone());
                }
            })
            .watches(|cx, seen: Seen<'_, ServiceAccount>| {
                if seen.is_gone() {
                    cx.enqueue(Key::new("", &seen.key.namespace));
                }
            })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(ns) = cx.lister::<Namespace>().get(&key).cloned() else { return Ok(()) };
        if !is_active(&ns) {
            return Ok(());
        }
        let at = Key::new(&key.name, DEFAULT);
        if cx.lister::<ServiceAccount>().get(&at).is_some() {
            return Ok(());
        }
        let account = ServiceAccount {
            metadata: ObjectMeta {
                name: Some(DEFAULT.into()),
                namespace: Some(key.name.to_string()),
                ..Default::default()
            },
            ..Default::default()
        };
        let why = Why::new("sync_namespace.create_service_account")
            .read("phase", ObjectRef::of(&*ns), "status.phase", "Active")
            .with("missing", DEFAULT);
        match cx.create(account).because(why).await {
            Err(e) if !e.is_namespace_terminating() && !e.is_already_exists() => Err(e.into()),
            _ => Ok(()),
        }
    }
}

/// Whether a namespace is active, that is, not being deleted.
pub(super) fn is_active(ns: &Namespace) -> bool {
    ns.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Active") && !ns.metadata.is_deleting()
}
