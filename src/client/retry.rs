//! Writing an object once more after a refusal (`k8s.io/client-go/util/retry`).

use std::rc::Rc;

use super::context::Context;
use super::key::WorkKey;
use super::sync::{Error, Result};
use crate::api::{ApiKind, MetaExt};

/// How often a write is tried with `retry.DefaultRetry`.
pub const DEFAULT_RETRY: usize = 5;
/// How often a write is tried with `retry.DefaultBackoff`.
pub const DEFAULT_BACKOFF: usize = 4;

/// Tries to write an object, up to `tries` times while the API server answers with a conflict
/// (`retry.RetryOnConflict`). `attempt` changes the object that it is given and sends the request. After a conflict a
/// reconciler that [reads again](super::Reconciler::reads_again) takes the object from its cache, as Kubernetes'
/// controllers do. The cache of any other stands still during a sync, so the object is read from the API server.
///
/// # Errors
/// What the last attempt failed with, or that the object could not be read.
pub async fn retry_on_conflict<S: Clone + 'static, K: WorkKey, T: ApiKind, R>(
    cx: &Context<S, K>,
    object: &Rc<T>,
    tries: usize,
    attempt: impl AsyncFnMut(Rc<T>) -> Result<R>,
) -> Result<R> {
    retry(cx, object, tries, Refused::Conflict, attempt).await
}

/// [`retry_on_conflict`], but after any refusal: controllers write a status so.
///
/// # Errors
/// What the last attempt failed with, or that the object could not be read.
pub async fn retry_on_refusal<S: Clone + 'static, K: WorkKey, T: ApiKind, R>(
    cx: &Context<S, K>,
    object: &Rc<T>,
    tries: usize,
    attempt: impl AsyncFnMut(Rc<T>) -> Result<R>,
) -> Result<R> {
    retry(cx, object, tries, Refused::Anyhow, attempt).await
}

/// Which refusals are followed by another attempt.
#[derive(Clone, Copy, PartialEq)]
enum Refused {
    Conflict,
    Anyhow,
}

async fn retry<S: Clone + 'static, K: WorkKey, T: ApiKind, R>(
    cx: &Context<S, K>,
    object: &Rc<T>,
    tries: usize,
    again: Refused,
    mut attempt: impl AsyncFnMut(Rc<T>) -> Result<R>,
) -> Result<R> {
    let mut object = object.clone();
    for _ in 1..tries {
        let key = object.meta().key();
        match attempt(object).await {
            Err(Error::Api(e)) if again == Refused::Anyhow || e.is_conflict() => {}
            done => return done,
        }
        object = match cx.latest().lister::<T>().get(&key) {
            Some(cached) if again == Refused::Conflict && cx.reads_again() => cached.clone(),
            _ => cx.get::<T>(key).await?,
        }
    }
    attempt(object).await
}
