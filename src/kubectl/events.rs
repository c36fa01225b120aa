//! `kubectl events`

use serde_json::{Value, json};

use super::call::Call;
use super::describers::{interval, last_seen};
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::Printer;
use super::{command, resource, tabwriter, watch};
use crate::api::order;
use crate::api::quote::go_quote;
use crate::api::types::Event;
use crate::api::{Kind, Object};
use crate::apimachinery::Verb;

/// The types that events have.
const TYPES: [&str; 2] = ["Normal", "Warning"];

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return command::usage(
            "kubectl events",
            format!("unknown command {} for \"kubectl events\"", go_quote(args.words.join(" "))),
        );
    }
    let all = args.on("all-namespaces");
    let namespace = if all { String::new() } else { cx.namespace.clone() };
    let mut call = Call::new(Verb::List, Kind::EVENT, &namespace, "");
    if let Some(target) = args.flag("for") {
        let Some((kind, name)) = target.split_once('/') else {
            return fail("--for must be in resource/name form");
        };
        let kind = match resource::must_kind(cx, kind) {
            Err(Stop::Error(e)) => {
                // `events` has no `error: ` before this one.
                cx.err.push_str(&format!("{}\n", e.message()));
                return Err(Stop::Exit(1));
            }
            kind => kind?,
        };
        call.field_selector = format!(
            "involvedObject.kind={},involvedObject.apiVersion={},involvedObject.name={name}",
            kind.as_str(),
            kind.api_version()
        );
    }
    let printer = Printer::of(cx, args, false)?;
    let types = args.all("types");
    if !types.iter().all(|t| TYPES.iter().any(|known| t.eq_ignore_ascii_case(known))) {
        return fail("valid --types are Normal or Warning");
    }
    let wanted = |o: &Object| {
        let type_ = o.get::<Event>().and_then(|e| e.type_.as_deref()).unwrap_or_default();
        types.is_empty() || types.iter().any(|t| t.eq_ignore_ascii_case(type_))
    };
    if args.on("watch") {
        return watch(cx, args, printer.as_ref(), call, all, &wanted);
    }
    let mut items = cx.all(call)?;
    items.retain(wanted);
    order::sort_by_key(&mut items, last_seen);
    if items.is_empty() {
        let line = if all {
            "No events found.\n".to_owned()
        } else {
            format!("No events found in {namespace} namespace.\n")
        };
        cx.err.push_str(&line);
        return Ok(());
    }
    if let Some(printer) = printer {
        let values: Vec<Value> = items.iter().map(Object::to_value).collect();
        // kubectl makes this list itself, of parts of the server's.
        let list = json!({"apiVersion": "v1", "items": values, "kind": "EventList", "metadata": {}});
        return printer.print(cx, &list, true);
    }
    let mut lines: Vec<Vec<String>> = Vec::new();
    if !args.on("no-headers") {
        lines.push(headers(all));
    }
    lines.extend(items.iter().filter_map(|o| cells(cx, o, all)));
    let lines: String = lines.into_iter().map(|cells| cells.join("\t") + "\n").collect();
    let text = tabwriter::align(&lines, tabwriter::TABLE);
    cx.out.push_str(&text);
    Ok(())
}

fn headers(all: bool) -> Vec<String> {
    let namespace = all.then_some("NAMESPACE");
    let others = ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"];
    namespace.into_iter().chain(others).map(str::to_owned).collect()
}

fn cells(cx: &Invocation<'_>, o: &Object, all: bool) -> Option<Vec<String>> {
    let e = o.get::<Event>()?;
    let involved = &e.involved_object;
    let object = format!(
        "{}/{}",
        involved.kind.as_deref().unwrap_or_default(),
        involved.name.as_deref().unwrap_or_default()
    );
    let mut cells = vec![
        interval(cx, e),
        e.type_.clone().unwrap_or_default(),
        e.reason.clone().unwrap_or_default(),
        object,
        e.message.as_deref().unwrap_or_default().trim().to_owned(),
    ];
    if all {
        cells.insert(0, o.namespace().to_owned());
    }
    Some(cells)
}

/// `events --watch`: what is there, the oldest first, and then every event that comes or counts on.
fn watch(
    cx: &mut Invocation<'_>,
    args: &Args,
    printer: Option<&Printer>,
    call: Call,
    all: bool,
    wanted: &dyn Fn(&Object) -> bool,
) -> Result {
    let (first, version) = watch::list(cx, call.clone())?;
    let objects = |values: Vec<Value>| -> Vec<Object> {
        let read = values.into_iter().filter_map(|v| Object::from_value(Kind::EVENT, v).ok());
        read.filter(|o| wanted(o)).collect()
    };
    let (mut widths, mut begun) = (Vec::new(), false);
    let mut print = |cx: &mut Invocation<'_>, objects: &[Object]| -> Result {
        if let Some(printer) = printer {
            return objects.iter().try_for_each(|o| printer.print(cx, &o.to_value(), false));
        }
        let mut lines: Vec<Vec<String>> = Vec::new();
        if !objects.is_empty() && !std::mem::replace(&mut begun, true) && !args.on("no-headers") {
            lines.push(headers(all));
        }
        lines.extend(objects.iter().filter_map(|o| cells(cx, o, all)));
        let text = tabwriter::align_from(&lines, tabwriter::TABLE, &mut widths);
        cx.out.push_str(&text);
        Ok(())
    };
    let mut present = objects(first);
    order::sort_by_key(&mut present, last_seen);
    print(cx, &present)?;
    let mut watch = watch::Watch::new(cx, args, call, &version);
    while let Some(changes) = watch.next(cx)? {
        let come = changes.into_iter().filter(|c| c.event != "DELETED").map(|c| c.object).collect();
        print(cx, &objects(come))?;
    }
    Ok(())
}
