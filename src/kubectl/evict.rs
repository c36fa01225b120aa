//! How `kubectl drain` makes pods go (`DeleteOrEvictPods` of `k8s.io/kubectl/pkg/drain`).
//!
//! kubectl evicts all pods at once: each is evicted again five seconds after a budget protected it, and is waited for
//! once its eviction was accepted. Here the pods of one moment come one after the other.

use jiff::SignedDuration;

use super::call::{Call, Payload};
use super::error::Error;
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop};
use super::stop::{CommandWait, WaitFor};
use crate::api::duration::go_duration;
use crate::api::quote::go_quote;
use crate::api::{Kind, MetaExt, Object, Timestamp};
use crate::apimachinery::{DeleteOptions, Verb};

/// How long a refused eviction waits before it is tried again.
const RETRY: SignedDuration = SignedDuration::from_secs(5);

/// A pod that is to go.
struct Leaver {
    pod: Object,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// It is to be evicted at this moment.
    ToEvict(Timestamp),
    /// It has been evicted or deleted, and is waited for.
    Leaving,
    /// It is gone, or has failed to go.
    Done,
}

/// What the flags say of how pods go.
struct Way {
    options: DeleteOptions,
    /// `--timeout`, and the moment at which it ends; `None` if there is none.
    limit: Option<(SignedDuration, Timestamp)>,
    /// `--disable-eviction`: pods are deleted, whatever their budgets say.
    deletes: bool,
    /// `--skip-wait-for-delete-timeout`, in seconds; 0 if every pod is waited for.
    skip_after: i64,
}

impl Way {
    fn of(cx: &Invocation<'_>, args: &Args) -> Way {
        let timeout = args.duration("timeout").filter(|t| t.is_positive());
        Way {
            options: DeleteOptions {
                grace_period_seconds: args.int("grace-period").filter(|g| *g >= 0),
                ..Default::default()
            },
            limit: timeout.and_then(|t| Some((t, cx.now().checked_add(t).ok()?))),
            deletes: args.on("disable-eviction"),
            skip_after: skip_after(args),
        }
    }

    fn end(&self) -> Option<Timestamp> {
        self.limit.map(|(_, end)| end)
    }
}

/// `--skip-wait-for-delete-timeout`, in seconds; 0 if every pod is waited for.
fn skip_after(args: &Args) -> i64 {
    args.int("skip-wait-for-delete-timeout").unwrap_or(0)
}

/// Whether a pod has been deleted for so long that it is left alone (`shouldSkipPod`). `after` is in seconds.
fn has_long_been_deleted(pod: &Object, after: i64, now: Timestamp) -> bool {
    let since = pod.meta().deletion_timestamp.as_ref().map(|t| now.duration_since(t.0).as_secs());
    after > 0 && since.is_some_and(|s| s > after)
}

/// Whether the flags say that a pod is left alone, because it was deleted long ago.
pub(super) fn is_left_alone(cx: &Invocation<'_>, args: &Args, pod: &Object) -> bool {
    has_long_been_deleted(pod, skip_after(args), cx.now())
}

/// Makes pods go, and waits until they have gone. Returns what went wrong.
pub(super) fn delete_or_evict(cx: &mut Invocation<'_>, args: &Args, pods: Vec<Object>) -> Result<Vec<Error>> {
    let way = Way::of(cx, args);
    let now = cx.now();
    let mut leavers: Vec<Leaver> =
        pods.into_iter().map(|pod| Leaver { pod, stage: Stage::ToEvict(now) }).collect();
    let mut errors = Vec::new();
    if way.deletes {
        for leaver in &mut leavers {
            match delete(cx, &way, &leaver.pod) {
                Ok(()) => leaver.stage = Stage::Leaving,
                Err(Stop::Error(e)) => return Ok(vec![e]),
                Err(stop) => return Err(stop),
            }
        }
    }
    loop {
        for leaver in &mut leavers {
            let failed = match leaver.stage {
                Stage::ToEvict(at) if at <= cx.now() => evict(cx, &way, leaver)?,
                _ => None,
            };
            let failed = match leaver.stage {
                Stage::Leaving => look(cx, &way, leaver)?,
                _ => failed,
            };
            if let Some(error) = failed {
                leaver.stage = Stage::Done;
                errors.push(error);
                if way.deletes {
                    return Ok(errors);
                }
            }
        }
        let tries = leavers.iter().filter_map(|l| match l.stage {
            Stage::ToEvict(at) => Some(at),
            _ => None,
        });
        let next = tries.min();
        match (leavers.iter().find(|l| l.stage == Stage::Leaving), next) {
            (Some(leaver), _) => {
                let until = next.into_iter().chain(way.end()).min();
                cx.wait_change(&leaver.pod, until)?;
            }
            (None, Some(_)) => cx.wait(CommandWait { what: WaitFor::Time, until: next })?,
            (None, None) => return Ok(errors),
        }
    }
}

/// How a message names a pod.
fn named(pod: &Object) -> String {
    format!("pods/{} -n {}", go_quote(pod.name()), go_quote(pod.namespace()))
}

/// Evicts a pod, or finds out when to try again. Returns why the pod will not go.
fn evict(cx: &mut Invocation<'_>, way: &Way, leaver: &mut Leaver) -> Result<Option<Error>> {
    let pod = &leaver.pod;
    cx.say(&format!("evicting pod {}", pod.key()));
    if let Some((timeout, end)) = way.limit
        && cx.now() >= end
    {
        let timeout = go_duration(timeout);
        let text = format!("error when evicting {}: global timeout reached: {timeout}", named(pod));
        return Ok(Some(Error::text(text)));
    }
    let mut call = Call::new(Verb::Create, Kind::POD, pod.namespace(), pod.name())
        .body(Payload::Evict(way.options.clone()));
    call.subresource = "eviction".into();
    let retry = go_duration(RETRY);
    match cx.send(&call) {
        Ok(_) => {
            leaver.stage = Stage::Leaving;
            return Ok(None);
        }
        Err(Stop::Error(e)) if e.is_not_found() => {
            leaver.stage = Stage::Done;
            return Ok(None);
        }
        Err(Stop::Error(Error::Status(s))) if s.reason == "TooManyRequests" => {
            let text =
                format!("error when evicting {} (will retry after {retry}): {}\n", named(pod), s.message);
            cx.err.push_str(&text);
        }
        // A pod of a namespace that is being deleted cannot be evicted; it goes with the namespace.
        Err(Stop::Error(Error::Status(s))) if s.is_namespace_terminating() => {
            if pod.meta().is_deleting() {
                leaver.stage = Stage::Leaving;
                return Ok(None);
            }
            let text = format!(
                "error when evicting pod {} from terminating namespace {} (will retry after {retry}): {}\n",
                go_quote(pod.name()),
                go_quote(pod.namespace()),
                s.message
            );
            cx.err.push_str(&text);
        }
        Err(Stop::Error(Error::Status(s))) => {
            return Ok(Some(Error::text(format!("error when evicting {}: {}", named(pod), s.message))));
        }
        Err(stop) => return Err(stop),
    }
    leaver.stage = cx.now().checked_add(RETRY).map_or(Stage::Done, Stage::ToEvict);
    match cx.get(Kind::POD, leaver.pod.namespace(), leaver.pod.name()) {
        Ok(fresh) => leaver.pod = fresh,
        Err(Stop::Error(_)) => {}
        Err(stop) => return Err(stop),
    }
    Ok(None)
}

fn delete(cx: &mut Invocation<'_>, way: &Way, pod: &Object) -> Result {
    let call = Call::new(Verb::Delete, Kind::POD, pod.namespace(), pod.name())
        .body(Payload::Delete(way.options.clone()));
    match cx.send(&call) {
        Err(Stop::Error(e)) if !e.is_not_found() => Err(Stop::Error(e)),
        Err(stop @ (Stop::Wait(_) | Stop::Exit(_) | Stop::Never)) => Err(stop),
        Ok(_) | Err(Stop::Error(_)) => Ok(()),
    }
}

/// Looks whether a pod has gone (`waitForDelete`). Returns why it is not waited for any more.
fn look(cx: &mut Invocation<'_>, way: &Way, leaver: &mut Leaver) -> Result<Option<Error>> {
    let (namespace, name) = (leaver.pod.namespace().to_owned(), leaver.pod.name().to_owned());
    let gave_up = |why: &str| match way.deletes {
        true => Error::text(why),
        false => Error::text(format!(
            "error when waiting for pod {} in namespace {} to terminate: {why}",
            go_quote(&name),
            go_quote(&namespace)
        )),
    };
    let (verb, failure) =
        if way.deletes { ("deleted", "deletion failed") } else { ("evicted", "eviction failed") };
    match cx.get(Kind::POD, &namespace, &name) {
        Ok(pod) if pod.uid() == leaver.pod.uid() => {
            if has_long_been_deleted(&pod, way.skip_after, cx.now()) {
                let seconds = way.skip_after;
                let name = go_quote(&name);
                cx.say(&format!("pod {name} has DeletionTimestamp older than {seconds} seconds, skipping"));
                leaver.stage = Stage::Done;
            } else if way.end().is_some_and(|end| cx.now() >= end) {
                return Ok(Some(gave_up("context deadline exceeded")));
            }
            leaver.pod = pod;
        }
        Err(Stop::Error(e)) if !e.is_not_found() => {
            cx.say(&format!("pod/{name} {failure}"));
            return Ok(Some(gave_up(&e.message())));
        }
        Err(stop @ (Stop::Wait(_) | Stop::Exit(_) | Stop::Never)) => return Err(stop),
        Ok(_) | Err(Stop::Error(_)) => {
            cx.say(&format!("pod/{name} {verb}"));
            leaver.stage = Stage::Done;
        }
    }
    Ok(None)
}
