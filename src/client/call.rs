//! A request of a sync, and how its answer is read.

use std::cell::RefCell;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use serde_json::Value;

use super::sync::{Pending, Shared};
use super::why::Why;
use crate::api::{ApiKind, Object};
use crate::apimachinery::{Response, Status};

/// A request that is sent when it is awaited.
#[must_use = "a request is only sent when it is awaited"]
pub struct ApiCall<S, T> {
    pub(super) shared: Rc<RefCell<Shared<S>>>,
    pub(super) pending: Option<Pending>,
    pub(super) kind: PhantomData<fn() -> T>,
}

impl<S, T> ApiCall<S, T> {
    /// Marks the request as a heartbeat: it is no step of its own.
    pub fn in_background(mut self) -> ApiCall<S, T> {
        if let Some(p) = self.pending.as_mut() {
            p.background = true;
        }
        self
    }

    /// Says why the request is sent.
    pub fn because(mut self, mut why: Why) -> ApiCall<S, T> {
        if let Some(p) = self.pending.as_mut() {
            // A session keeps the reason.
            why.facts.shrink_to_fit();
            p.why = Some(Rc::new(why));
        }
        self
    }
}

/// What a request gives when it is awaited.
pub trait Answer: Sized {
    /// Reads it from the answer.
    ///
    /// # Errors
    /// The refusal, or a refusal that says the answer was not of the expected kind.
    fn answer(response: &Response) -> std::result::Result<Self, Status>;
}

/// The error about an answer that no answer to the request can be.
fn unexpected() -> Status {
    Status::new(500, "InternalError", "the answer is of another kind than the request")
}

/// The object of the answer; `None` if the answer is a `Status` without an object, as for a deletion.
impl Answer for Option<Object> {
    fn answer(response: &Response) -> std::result::Result<Self, Status> {
        match response {
            Response::Failure(s) => Err((**s).clone()),
            Response::Object { object, .. } => Ok(Some(object.clone())),
            Response::Success { .. } => Ok(None),
            Response::List { .. } | Response::AccessReview(_) => Err(unexpected()),
        }
    }
}

impl Answer for Vec<Object> {
    fn answer(response: &Response) -> std::result::Result<Self, Status> {
        match response {
            Response::Failure(s) => Err((**s).clone()),
            Response::List { items, .. } => Ok(items.clone()),
            Response::Object { .. } | Response::Success { .. } | Response::AccessReview(_) => {
                Err(unexpected())
            }
        }
    }
}

/// Whether a review of access says that the user may.
impl Answer for bool {
    fn answer(response: &Response) -> std::result::Result<Self, Status> {
        match response {
            Response::Failure(s) => Err((**s).clone()),
            Response::AccessReview(review) => {
                Ok(review.pointer("/status/allowed").and_then(Value::as_bool).unwrap_or_default())
            }
            _ => Err(unexpected()),
        }
    }
}

impl<T: ApiKind> Answer for Rc<T> {
    fn answer(response: &Response) -> std::result::Result<Self, Status> {
        Option::<Object>::answer(response)?.and_then(|o| o.get::<T>().cloned()).ok_or_else(unexpected)
    }
}

impl<S, T: Answer> Future for ApiCall<S, T> {
    type Output = std::result::Result<T, Status>;

    fn poll(mut self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut shared = this.shared.borrow_mut();
        if let Some(answer) = shared.answers.get(shared.cursor).cloned() {
            shared.cursor += 1;
            return Poll::Ready(T::answer(&answer));
        }
        if let Some(p) = this.pending.take() {
            shared.pending = Some(p);
        }
        Poll::Pending
    }
}

// No part of it is pinned.
impl<S, T> Unpin for ApiCall<S, T> {}
