//! `kubectl events`

use super::context::{Context, Result, Stop, fail};
use super::describers::{interval, last_seen};
use super::flags::Args;
use super::output::{self, Printer};
use super::{command, resource, tabwriter};
use crate::api::order;
use crate::api::quote::go_quote;
use crate::api::types::Event;
use crate::api::{Kind, Object};
use crate::apimachinery::Verb;

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
    if !args.words.is_empty() {
        return command::usage(
            "kubectl events",
            format!("unknown command {} for \"kubectl events\"", go_quote(args.words.join(" "))),
        );
    }
    let all = args.on("all-namespaces");
    let namespace = if all { String::new() } else { cx.namespace.clone() };
    let mut call = super::call::Call::new(Verb::List, Kind::EVENT, &namespace, "");
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
    let mut items = cx.all(call)?;
    let types = args.all("types");
    items.retain(|o| {
        let type_ = o.get::<Event>().and_then(|e| e.type_.as_deref()).unwrap_or_default();
        types.is_empty() || types.iter().any(|t| t.eq_ignore_ascii_case(type_))
    });
    order::sort_by_key(&mut items, last_seen);
    if let Some(printer) = Printer::of(cx, args, false)? {
        let values = items.iter().map(Object::to_value).collect();
        return printer.print(cx, &output::list(values), true);
    }
    if items.is_empty() {
        let line = if all {
            "No events found.\n".to_owned()
        } else {
            format!("No events found in {namespace} namespace.\n")
        };
        cx.err.push_str(&line);
        return Ok(());
    }
    let mut lines = String::new();
    if !args.on("no-headers") {
        lines.push_str(if all { "NAMESPACE\t" } else { "" });
        lines.push_str("LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n");
    }
    for o in &items {
        let Some(e) = o.get::<Event>() else { continue };
        let involved = &e.involved_object;
        if all {
            lines.push_str(o.namespace());
            lines.push('\t');
        }
        lines.push_str(&format!(
            "{}\t{}\t{}\t{}/{}\t{}\n",
            interval(cx, e),
            e.type_.as_deref().unwrap_or_default(),
            e.reason.as_deref().unwrap_or_default(),
            involved.kind.as_deref().unwrap_or_default(),
            involved.name.as_deref().unwrap_or_default(),
            e.message.as_deref().unwrap_or_default().trim()
        ));
    }
    let text = tabwriter::align(&lines, tabwriter::TABLE);
    cx.out.push_str(&text);
    Ok(())
}
