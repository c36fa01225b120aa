//! Writing an object once more after a refusal (`k8s.io/client-go/util/retry`).

use std::rc::Rc;

use super::context::{Context, Error, Result};
use super::key::WorkKey;
use crate::api::{ApiKind, MetaExt};
use crate::apimachinery::Status;

/// How often a write is tried with `retry.DefaultRetry`.
pub const DEFAULT_RETRY: usize = 5;
/// How often a write is tried with `retry.DefaultBackoff`.
pub const DEFAULT_BACKOFF: usize = 4;

/// Tries to write an object, up to `tries` times while the API server answers with a conflict
/// (`retry.RetryOnConflict`). `attempt` changes the object that it is given and sends the request. After a conflict the
/// object is read from the API server: Kubernetes' controllers read their cache, which here stands still during a sync.
///
/// # Errors
/// What the last attempt failed with, or that the object could not be read.
pub async fn retry_on_conflict<S: Clone + 'static, K: WorkKey, T: ApiKind, R>(
    cx: &Context<S, K>,
    object: &Rc<T>,
    tries: usize,
    attempt: impl AsyncFnMut(Rc<T>) -> Result<R>,
) -> Result<R> {
    retry(cx, object, tries, Status::is_conflict, attempt).await
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
    retry(cx, object, tries, |_| true, attempt).await
}

async fn retry<S: Clone + 'static, K: WorkKey, T: ApiKind, R>(
    cx: &Context<S, K>,
    object: &Rc<T>,
    tries: usize,
    again: impl Fn(&Status) -> bool,
    mut attempt: impl AsyncFnMut(Rc<T>) -> Result<R>,
) -> Result<R> {
    let mut object = object.clone();
    for _ in 1..tries {
        let key = object.meta().key();
        match attempt(object).await {
            Err(Error::Api(e)) if again(&e) => object = cx.get::<T>(key).await?,
            done => return done,
        }
    }
    attempt(object).await
}
