//! The tokens controller (`k8s.io/kubernetes/pkg/controller/serviceaccount/tokens_controller.go`): it gives a Secret that somebody has
//! created for a ServiceAccount the account's token, and deletes it with the account.

use std::fmt;
use std::rc::Rc;

use k8s_openapi::ByteString;

use crate::api::root_ca;
use crate::api::service_account_token::LegacyClaims;
use crate::api::types::{ObjectReference, Secret, ServiceAccount};
use crate::api::well_known::{
    SECRET_TYPE_SERVICE_ACCOUNT_TOKEN, SERVICE_ACCOUNT_NAME_ANNOTATION, SERVICE_ACCOUNT_TOKEN_KEY,
    SERVICE_ACCOUNT_UID_ANNOTATION,
};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, Reconciler, Result, Seen, Watches, Why, retry_on_conflict};

/// The key of the certificate by which the API server is verified, in the data of a Secret.
const ROOT_CA_KEY: &str = "ca.crt";
/// The key of the namespace, in the data of a Secret.
const NAMESPACE_KEY: &str = "namespace";
/// How often a key is tried again after an error (`maxRetries`).
const MAX_RETRIES: u32 = 10;
/// How often a reference is removed after conflicts (`RemoveTokenBackoff`).
const REMOVALS: usize = 10;

/// The tokens controller.
#[derive(Clone, Copy, Debug)]
pub struct TokensController;

/// A key of its queue. There, each sort has a queue of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// A ServiceAccount (`serviceAccountQueueKey`).
    ServiceAccount {
        /// Its namespace and name.
        key: Key,
        /// Its uid.
        uid: Rc<str>,
    },
    /// A Secret, and the account that it names (`secretQueueKey`).
    Secret {
        /// Its namespace and name.
        key: Key,
        /// Its uid.
        uid: Rc<str>,
        /// The account's name.
        account: Rc<str>,
        /// The account's uid; empty if the Secret does not say.
        account_uid: Rc<str>,
    },
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::ServiceAccount { key, uid } => write!(f, "serviceaccount/{key}/{uid}"),
            Task::Secret { key, uid, account, account_uid } => {
                write!(f, "secret/{key}/{uid}/{account}/{account_uid}")
            }
        }
    }
}

type Cx = Context<(), Task>;

impl Reconciler for TokensController {
    type Key = Task;
    type State = ();

    fn name(&self) -> Rc<str> {
        "serviceaccount-token-controller".into()
    }

    /// It makes the tokens that the other controllers need, so it starts before them, as the user of the whole program.
    fn user(&self) -> Rc<str> {
        "kube-controller-manager".into()
    }

    fn watches(&self) -> Watches<(), Task> {
        Watches::new()
            .watches(|cx, seen: Seen<'_, ServiceAccount>| {
                // An account that is there leads to nothing.
                if seen.is_gone() {
                    let uid = seen.object().metadata.uid().into();
                    cx.enqueue(Task::ServiceAccount { key: seen.key.clone(), uid });
                }
            })
            .watches(|cx, seen: Seen<'_, Secret>| {
                if let Some(task) = task_of(seen.object()) {
                    cx.enqueue(task);
                }
            })
    }

    async fn sync(self, cx: Cx, key: Task) -> Result {
        match key {
            Task::ServiceAccount { key, uid } => sync_service_account(&cx, key, &uid).await,
            Task::Secret { key, uid, account, account_uid } => {
                let account = Named { key: Key::new(&key.namespace, &account), uid: account_uid };
                sync_secret(&cx, key, &uid, &account).await
            }
        }
    }

    fn max_retries(&self) -> Option<u32> {
        Some(MAX_RETRIES)
    }
}

/// The account that a Secret names.
struct Named {
    key: Key,
    uid: Rc<str>,
}

impl Named {
    /// Whether an account is the one that is named: that with the uid, if one is.
    fn is(&self, account: &ServiceAccount) -> bool {
        self.uid.is_empty() || *self.uid == *account.metadata.uid()
    }
}

/// The key of a Secret; `None` if it has no token, or names no account.
fn task_of(secret: &Secret) -> Option<Task> {
    let meta = &secret.metadata;
    let text = |name: &str| Rc::<str>::from(meta.annotation(name).unwrap_or_default());
    let account = text(SERVICE_ACCOUNT_NAME_ANNOTATION);
    let has_token = secret.type_.as_deref() == Some(SECRET_TYPE_SERVICE_ACCOUNT_TOKEN);
    (has_token && !account.is_empty()).then(|| Task::Secret {
        key: meta.key(),
        uid: meta.uid().into(),
        account,
        account_uid: text(SERVICE_ACCOUNT_UID_ANNOTATION),
    })
}

/// Whether a Secret has the token of an account (`IsServiceAccountToken`).
fn has_token_of(secret: &Secret, name: &str, uid: &str) -> bool {
    let Some(Task::Secret { account, account_uid, .. }) = task_of(secret) else { return false };
    *account == *name && (account_uid.is_empty() || *account_uid == *uid)
}

/// Deletes the tokens of an account that is not there any more (`syncServiceAccount`).
async fn sync_service_account(cx: &Cx, key: Key, uid: &str) -> Result {
    if cx.lister::<ServiceAccount>().get(&key).is_some_and(|account| account.metadata.uid() == uid) {
        return Ok(());
    }
    let secrets = cx.lister::<Secret>();
    let of_account = secrets.list(Some(&key.namespace)).filter(|secret| has_token_of(secret, &key.name, uid));
    let tokens: Vec<_> = of_account.map(|s| (s.metadata.key(), s.metadata.uid().to_owned())).collect();
    let mut result = Ok(());
    for (secret, secret_uid) in tokens {
        let deleted = delete_token(cx, secret, secret_uid, &key).await;
        result = result.and(deleted);
    }
    result
}

/// Fills in a Secret, or deletes it if its account is not there; takes one that is gone out of its account (`syncSecret`).
async fn sync_secret(cx: &Cx, key: Key, uid: &str, named: &Named) -> Result {
    let is_there = |account: &&Rc<ServiceAccount>| named.is(account);
    let cached = cx.lister::<ServiceAccount>().get(&named.key).filter(is_there).cloned();
    let Some(secret) = cx.lister::<Secret>().get(&key).filter(|s| s.metadata.uid() == uid).cloned() else {
        if cached.is_some() {
            remove_reference(cx, named, &key.name).await;
        }
        return Ok(());
    };
    let account = match cached {
        Some(account) => Some(account),
        // The cache may be behind.
        None => match cx.get::<ServiceAccount>(named.key.clone()).await {
            Ok(account) => Some(account).filter(|account| named.is(account)),
            Err(e) if e.is_not_found() => None,
            Err(e) => return Err(e.into()),
        },
    };
    match account {
        Some(account) => generate_token_if_needed(cx, &account, &secret).await,
        None => delete_token(cx, key, uid.to_owned(), &named.key).await,
    }
}

/// Deletes a Secret, if it is still the one with the uid.
async fn delete_token(cx: &Cx, secret: Key, uid: String, account: &Key) -> Result {
    let account = ObjectRef { kind: Kind::SERVICE_ACCOUNT, key: account.clone() };
    let name = account.key.name.clone();
    let why = Why::new("delete_token").read("account", account, "metadata.uid", name);
    let options = DeleteOptions { uid: Some(uid), ..DeleteOptions::default() };
    match cx.delete(Kind::SECRET, secret, options).because(why).await {
        Err(e) if !e.is_not_found() && !e.is_conflict() => Err(e.into()),
        _ => Ok(()),
    }
}

/// What a Secret lacks of the data that it is to have.
fn lacking(secret: &Secret) -> Vec<&'static str> {
    let value = |key: &str| secret.data.as_ref().and_then(|data| data.get(key)).map(|bytes| &*bytes.0);
    let is_empty = |key: &str| value(key).is_none_or(<[u8]>::is_empty);
    let other_ca = value(ROOT_CA_KEY) != Some(root_ca::CERTIFICATE.as_bytes());
    let lacks = [
        (ROOT_CA_KEY, other_ca),
        (NAMESPACE_KEY, is_empty(NAMESPACE_KEY)),
        (SERVICE_ACCOUNT_TOKEN_KEY, is_empty(SERVICE_ACCOUNT_TOKEN_KEY)),
    ];
    lacks.into_iter().filter(|(_, lacks)| *lacks).map(|(key, _)| key).collect()
}

/// Gives a Secret what it lacks (`generateTokenIfNeeded`).
async fn generate_token_if_needed(cx: &Cx, account: &ServiceAccount, cached: &Secret) -> Result {
    if lacking(cached).is_empty() {
        return Ok(());
    }
    let mut secret = match cx.get::<Secret>(cached.metadata.key()).await {
        Ok(secret) => secret,
        Err(e) if e.is_not_found() => return Ok(()),
        Err(e) => return Err(e.into()),
    };
    // The change that the cache has not seen leads to the next sync.
    if secret.resource_version() != cached.resource_version() {
        return Ok(());
    }
    let why = Why::new("generate_token_if_needed")
        .read("account", ObjectRef::of(account), "metadata.uid", account.metadata.name())
        .with("lacking", lacking(&secret).join(", "));
    fill_in(Rc::make_mut(&mut secret), account);
    match cx.update(secret).because(why).await {
        Err(e) if !e.is_not_found() && !e.is_conflict() => Err(e.into()),
        _ => Ok(()),
    }
}

fn fill_in(secret: &mut Secret, account: &ServiceAccount) {
    let (namespace, name) = (secret.metadata.namespace().to_owned(), secret.metadata.name().to_owned());
    for key in lacking(secret) {
        let value = match key {
            ROOT_CA_KEY => root_ca::CERTIFICATE.to_owned(),
            NAMESPACE_KEY => namespace.clone(),
            _ => LegacyClaims {
                namespace: &namespace,
                secret: &name,
                account: account.metadata.name(),
                uid: account.metadata.uid(),
            }
            .text(),
        };
        secret.data.get_or_insert_default().insert(key.to_owned(), ByteString(value.into_bytes()));
    }
    let annotations = secret.metadata.annotations.get_or_insert_default();
    annotations.insert(SERVICE_ACCOUNT_NAME_ANNOTATION.into(), account.metadata.name().into());
    annotations.insert(SERVICE_ACCOUNT_UID_ANNOTATION.into(), account.metadata.uid().into());
}

/// Takes a Secret that is gone out of the `secrets` of its account (`removeSecretReference`). What it fails with is only logged there.
async fn remove_reference(cx: &Cx, named: &Named, secret: &str) {
    let Ok(account) = cx.get::<ServiceAccount>(named.key.clone()).await else { return };
    let is_it = |s: &ObjectReference| s.name.as_deref() == Some(secret);
    let _ = retry_on_conflict(cx, &account, REMOVALS, async |mut account: Rc<ServiceAccount>| {
        if !named.is(&account) || !account.secrets.iter().flatten().any(is_it) {
            return Ok(());
        }
        let why = Why::new("remove_secret_reference")
            .read("account", ObjectRef::of(&*account), "secrets", account.metadata.name())
            .with("secret", secret);
        let secrets = &mut Rc::make_mut(&mut account).secrets;
        secrets.iter_mut().for_each(|list| list.retain(|s| !is_it(s)));
        cx.update(account).because(why).await?;
        Ok(())
    })
    .await;
}
