//! `kubectl rollout status`: waits until an object is what it was asked to be.

use super::super::command;
use super::super::flags::Args;
use super::super::invocation::{Invocation, Result, Stop, fail};
use super::super::kinds::known;
use crate::api::{Object, Timestamp};

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let (objects, errors) = super::objects(cx, args)?;
    if objects.is_empty() && errors.is_empty() {
        super::say_nothing_found(cx);
    }
    let timeout = args.duration("timeout").filter(|t| t.is_positive());
    let until = timeout.and_then(|t| cx.now().checked_add(t).ok());
    command::each(cx, objects, errors, &mut |cx, object| one(cx, args, object.clone(), until))
}

fn one(cx: &mut Invocation<'_>, args: &Args, mut object: Object, until: Option<Timestamp>) -> Result {
    let revision = args.int("revision").unwrap_or(0);
    let kind = object.kind();
    let Some(rollout) = known(kind).rollout else {
        return fail(format!("no status viewer has been implemented for {}", kind.group_kind()));
    };
    loop {
        let (line, done) = rollout.status(&object, revision)?;
        cx.say(&line);
        if done || !args.on("watch") {
            return Ok(());
        }
        if !cx.wait_change(&object, until)? {
            return fail("timed out waiting for the condition");
        }
        let (namespace, name) = (object.namespace().to_owned(), object.name().to_owned());
        object = match cx.get(kind, &namespace, &name) {
            Ok(object) => object,
            Err(Stop::Error(e)) if e.is_not_found() => return fail("object has been deleted"),
            Err(stop) => return Err(stop),
        };
    }
}
