//! The token cleaner (`k8s.io/kubernetes/pkg/controller/bootstrap/tokencleaner.go`): it deletes bootstrap tokens that have expired.
//!
//! Tokens are mostly good for a day. A cluster does not wait for that ([`Wait::Schedule`]).

use std::rc::Rc;

use crate::api::bootstrap_token::{self, Expiration};
use crate::api::types::Secret;
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, Reconciler, Result, Seen, Wait, Watches, Why};

/// The token cleaner. Its keys are Secrets.
#[derive(Clone, Copy, Debug)]
pub struct TokenCleaner;

impl Reconciler for TokenCleaner {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "token-cleaner-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "token-cleaner".into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(|cx, seen: Seen<'_, Secret>| {
            if !bootstrap_token::is_token(seen.object()) {
                return;
            }
            // There the moment of a token that is gone comes, too, and nothing is done then.
            if seen.is_gone() {
                cx.cancel(seen.key.clone());
            } else {
                cx.enqueue(seen.key.clone());
            }
        })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(secret) = cx.lister::<Secret>().get(&key).cloned() else { return Ok(()) };
        if !bootstrap_token::is_token(&secret) {
            return Ok(());
        }
        match bootstrap_token::expiration(&secret, cx.now()) {
            Expiration::Never => cx.cancel(key),
            Expiration::After(left) => cx.enqueue_waiting(key, left, Wait::Schedule),
            Expiration::Expired => {
                let why = Why::new("eval_secret.expired").read(
                    "expiration",
                    ObjectRef::of(&*secret),
                    "data.expiration",
                    bootstrap_token::expiration_text(&secret),
                );
                let options =
                    DeleteOptions { uid: Some(secret.metadata.uid().to_owned()), ..DeleteOptions::default() };
                // A refusal is only logged there.
                let _ = cx.delete(Kind::SECRET, key, options).because(why).await;
            }
        }
        Ok(())
    }
}
