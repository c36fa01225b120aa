//! The events at the end of a description.

use super::super::call::Call;
use super::super::invocation::{Invocation, Result, Stop};
use super::Writer;
use crate::api::order;
use crate::api::types::{Event, Pod};
use crate::api::well_known::CONFIG_MIRROR_ANNOTATION;
use crate::api::{Kind, MetaExt, Object, Timestamp, duration};
use crate::apimachinery::Verb;

/// Writes the events about an object.
pub(in super::super) fn of(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result {
    // The events about a static pod name its own uid, which its mirror pod has in an annotation.
    let mirrored = object.get::<Pod>().and_then(|p| p.metadata.annotation(CONFIG_MIRROR_ANNOTATION));
    let mut items = about(cx, object, mirrored.unwrap_or(object.uid()))?;
    // kubectl also looks for events that have a node's name in place of its uid, as kubelets of older releases write them.
    if object.kind() == Kind::NODE {
        items.extend(about(cx, object, object.name())?);
    }
    if items.is_empty() {
        w.line(0, "Events:\t<none>");
        return Ok(());
    }
    order::sort_by_key(&mut items, last_seen);
    w.line(0, "Events:");
    w.line(1, "Type\tReason\tAge\tFrom\tMessage");
    w.line(1, "----\t------\t----\t----\t-------");
    for o in &items {
        let Some(e) = o.get::<Event>() else { continue };
        w.line(
            1,
            &format!(
                "{}\t{}\t{}\t{}\t{}",
                e.type_.as_deref().unwrap_or_default(),
                e.reason.as_deref().unwrap_or_default(),
                interval(cx, e),
                from(e),
                message(e)
            ),
        );
    }
    Ok(())
}

/// The events about the object with this uid; none if they cannot be listed.
fn about(cx: &mut Invocation<'_>, object: &Object, uid: &str) -> Result<Vec<Object>> {
    let mut call = Call::new(Verb::List, Kind::EVENT, object.namespace(), "");
    // kubectl asks for the events of a pod whatever the kind is that they name.
    let kind = if object.kind() == Kind::POD {
        String::new()
    } else {
        format!(",involvedObject.kind={}", object.kind().as_str())
    };
    call.field_selector = format!(
        "involvedObject.name={},involvedObject.namespace={}{kind},involvedObject.uid={uid}",
        object.name(),
        object.namespace()
    );
    match cx.all(call) {
        Err(Stop::Error(_)) => Ok(Vec::new()),
        items => items,
    }
}

/// What an event says, and of which part of the object.
fn message(e: &Event) -> String {
    let message = e.message.as_deref().unwrap_or_default().trim();
    match e.involved_object.field_path.as_deref().filter(|p| !p.is_empty()) {
        Some(path) => format!("{path}: {message}"),
        None => message.to_owned(),
    }
}

/// Who says so, without the instance.
fn from(e: &Event) -> &str {
    let component = e.source.as_ref().and_then(|s| s.component.as_deref()).filter(|c| !c.is_empty());
    component.or(e.reporting_component.as_deref()).unwrap_or_default()
}

/// When an event was seen last.
pub(in super::super) fn last_seen(o: &Object) -> Timestamp {
    let Some(e) = o.get::<Event>() else { return Timestamp::UNIX_EPOCH };
    let series = e.series.as_ref().and_then(|s| s.last_observed_time.as_ref()).map(|t| t.0);
    let last = e.last_timestamp.as_ref().or(e.first_timestamp.as_ref()).map(|t| t.0);
    series.or(last).or(e.event_time.as_ref().map(|t| t.0)).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// How long ago an event was seen: `5s`, or `5s (x3 over 2m)`.
pub(in super::super) fn interval(cx: &Invocation<'_>, e: &Event) -> String {
    let first = match &e.first_timestamp {
        Some(t) => cx.age(Some(t)),
        None => duration::age_micro(e.event_time.as_ref(), cx.now()),
    };
    if let Some(s) = &e.series {
        let last = duration::age_micro(s.last_observed_time.as_ref(), cx.now());
        return format!("{last} (x{} over {first})", s.count.unwrap_or(0));
    }
    match e.count.unwrap_or(0) {
        n if n > 1 => format!("{} (x{n} over {first})", cx.age(e.last_timestamp.as_ref())),
        _ => first,
    }
}
