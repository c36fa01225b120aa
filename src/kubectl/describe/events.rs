//! The events at the end of a description.

use super::super::call::Call;
use super::super::context::{Context, Result, Stop};
use super::super::events::interval;
use super::Writer;
use crate::api::order;
use crate::api::types::Event;
use crate::api::{Kind, Object};
use crate::apimachinery::Verb;

pub(super) fn of(cx: &mut Context<'_>, w: &mut Writer, object: &Object) -> Result {
    let mut call = Call::new(Verb::List, Kind::EVENT, object.namespace(), "");
    call.field_selector = format!(
        "involvedObject.name={},involvedObject.namespace={},involvedObject.kind={}",
        object.name(),
        object.namespace(),
        object.kind().as_str()
    );
    // What cannot be listed is left out.
    let mut items = match cx.all(call) {
        Err(Stop::Error(_)) => Vec::new(),
        items => items?,
    };
    if items.is_empty() {
        w.line(0, "Events:\t<none>");
        return Ok(());
    }
    order::sort_by_key(&mut items, super::super::events::last_seen);
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
                e.message.as_deref().unwrap_or_default().trim()
            ),
        );
    }
    Ok(())
}

/// Who says so, without the instance.
fn from(e: &Event) -> &str {
    let component = e.source.as_ref().and_then(|s| s.component.as_deref()).filter(|c| !c.is_empty());
    component.or(e.reporting_component.as_deref()).unwrap_or_default()
}
