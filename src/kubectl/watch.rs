//! `kubectl get --watch` and `kubectl events --watch`: what is there, and then every change of it.
//!
//! The connection of a watch is asked for anew, from the last version that came, whenever the command is woken: no request
//! outlives a look at the cluster. The events are the same as those of one connection.

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::call::{Accept, Call};
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::Printer;
use super::resource::Target;
use super::sorter;
use super::stop::{CommandWait, WaitFor};
use super::table::{self, GrowingTable, Row};
use crate::api::{Timestamp, duration};
use crate::apimachinery::Verb;

/// One event of a watch: its type (`ADDED`), and the object or its table.
pub(super) struct Change {
    pub(super) event: String,
    pub(super) object: Value,
}

/// What is watched, and from which version on.
pub(super) struct Watch {
    call: Call,
    version: String,
    /// When `--request-timeout` ends it.
    until: Option<Timestamp>,
}

impl Watch {
    /// A watch of what a list has, from the list's version on.
    pub(super) fn new(cx: &Invocation<'_>, args: &Args, call: Call, version: &str) -> Watch {
        let timeout = args.flag("request-timeout").and_then(|text| {
            let seconds = text.parse::<i64>().ok().map(SignedDuration::from_secs);
            seconds.or_else(|| duration::parse(text).ok().map(SignedDuration::from_nanos))
        });
        let timeout = timeout.filter(SignedDuration::is_positive);
        let until = timeout.and_then(|t| cx.now().checked_add(t).ok());
        Watch { call, version: version.to_owned(), until }
    }

    /// The changes since the last call, once something may have happened; `None` when the watch has ended.
    pub(super) fn next(&mut self, cx: &mut Invocation<'_>) -> Result<Option<Vec<Change>>> {
        let wait = CommandWait { what: WaitFor::Time, until: self.until };
        match cx.wait(wait) {
            // A person would end the command here.
            Err(Stop::Never) => return Ok(None),
            other => other?,
        }
        let changes = self.changes(cx)?;
        let over = self.until.is_some_and(|until| cx.now() >= until);
        Ok((!over || !changes.is_empty()).then_some(changes))
    }

    /// The changes since the last call.
    pub(super) fn changes(&mut self, cx: &mut Invocation<'_>) -> Result<Vec<Change>> {
        let mut request = self.call.http()?;
        // A watch is not asked for in parts.
        let query: Vec<&str> =
            request.query.split('&').filter(|p| !p.starts_with("limit=") && !p.is_empty()).collect();
        request.query = format!("{}&resourceVersion={}&watch=true", query.join("&"), self.version);
        request.query = request.query.trim_start_matches('&').to_owned();
        let answer = cx.exchange(&request)?;
        let mut changes = Vec::new();
        for line in answer.response.body.lines() {
            let Ok(mut event) = serde_json::from_str::<Value>(line) else { continue };
            let kind = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
            let object = event.get_mut("object").map(Value::take).unwrap_or_default();
            if kind == "ERROR" {
                let message = object.get("message").and_then(Value::as_str).unwrap_or("the watch has failed");
                return fail(message);
            }
            if let Some(version) = version_of(&object) {
                version.clone_into(&mut self.version);
            }
            if kind != "BOOKMARK" {
                changes.push(Change { event: kind, object });
            }
        }
        Ok(changes)
    }
}

/// The version of an object, or of the object in a table of one row.
fn version_of(object: &Value) -> Option<&str> {
    let row = object.pointer("/rows/0/object/metadata/resourceVersion");
    let of = row.or_else(|| object.pointer("/metadata/resourceVersion"));
    of.and_then(Value::as_str).filter(|v| !v.is_empty())
}

/// Prints what changes, as one printer does.
enum Out {
    Table(GrowingTable),
    Whole {
        printer: Printer,
        /// Whether something was printed.
        begun: bool,
    },
}

impl Out {
    fn print(&mut self, cx: &mut Invocation<'_>, args: &Args, changes: Vec<Change>) -> Result {
        let with_event = args.on("output-watch-events");
        match self {
            Out::Table(table) => {
                let mut rows: Vec<(String, Row)> = Vec::new();
                for Change { event, object } in changes {
                    let of_object = rows_of(cx, args, table, object);
                    rows.extend(of_object.into_iter().map(|row| (event.clone(), row)));
                }
                table.print(cx, args, &rows);
            }
            Out::Whole { printer, begun } => {
                for Change { event, object } in changes {
                    let first = !std::mem::replace(begun, true);
                    if !first && matches!(printer, Printer::Yaml(_) | Printer::Kyaml(_)) {
                        cx.say("---");
                    }
                    let shown = if with_event { json!({"object": object, "type": event}) } else { object };
                    printer.print(cx, &shown, first)?;
                }
            }
        }
        Ok(())
    }
}

/// The rows of what the server sent: a table, or with `--server-print=false` an object.
fn rows_of(cx: &Invocation<'_>, args: &Args, table: &mut GrowingTable, sent: Value) -> Vec<Row> {
    if args.on("server-print") { table.rows(sent) } else { table::plain(cx, vec![sent]) }
}

/// `get --watch`
pub(super) fn get(cx: &mut Invocation<'_>, args: &Args, targets: &[Target], all_namespaces: bool) -> Result {
    let sorts = !args.text("sort-by").is_empty();
    if sorts {
        let flag = if args.on("watch") { "--watch" } else { "--watch-only" };
        let what = if args.on("watch") { " for watch events received" } else { "" };
        cx.err.push_str(&format!("warning: {flag} requested, --sort-by will be ignored{what}\n"));
    }
    let [target] = targets else {
        let several = targets.windows(2).any(|w| matches!(w, [a, b] if a.kind() != b.kind()));
        return fail(if several {
            "watch is only supported on individual resources and resource collections - more than 1 resource was found"
        } else {
            "you may only watch a single resource or type of resource at a time"
        });
    };
    let (namespace, name) = match target {
        Target::Named { namespace, name, .. } => (namespace.clone(), name.clone()),
        Target::Listed { namespace, .. } => (namespace.clone(), String::new()),
        Target::File(m) => (m.namespace.clone(), m.name.clone()),
    };
    let mut out = match Printer::of(cx, args, true)? {
        Some(printer) => Out::Whole { printer, begun: false },
        None => Out::Table(GrowingTable::new(all_namespaces && target.kind().namespaced())),
    };
    let mut call = Call::new(Verb::List, target.kind(), &namespace, "");
    args.text("selector").clone_into(&mut call.label_selector);
    args.text("field-selector").clone_into(&mut call.field_selector);
    if matches!(out, Out::Table(_)) && args.on("server-print") {
        call.accept = Accept::Table { whole: sorts };
    }
    let (first, version) = if name.is_empty() {
        list(cx, call.clone())?
    } else {
        let mut one = Call::new(Verb::Get, target.kind(), &namespace, &name);
        one.accept = call.accept;
        call.field_selector = format!("metadata.name={name}");
        let object = cx.send(&one)?.value().clone();
        let version = version_of(&object).unwrap_or("0").to_owned();
        (vec![object], version)
    };
    if !args.on("watch-only") {
        match &mut out {
            Out::Table(table) if sorts => {
                let rows = first.into_iter().flat_map(|sent| rows_of(cx, args, table, sent));
                let mut rows: Vec<Row> = rows.collect();
                if rows.len() > 1 {
                    let sorted = sorter::sort(args, &mut rows, |row| row.object.clone());
                    sorted.map_err(|stop| stop.wrapped("unable to output the provided object: "))?;
                }
                let rows: Vec<_> = rows.into_iter().map(|row| ("ADDED".to_owned(), row)).collect();
                table.print(cx, args, &rows);
            }
            out => {
                let added = |object| Change { event: "ADDED".into(), object };
                out.print(cx, args, first.into_iter().map(added).collect())?;
            }
        }
    }
    let mut watch = Watch::new(cx, args, call, &version);
    let changes = watch.changes(cx)?;
    out.print(cx, args, changes)?;
    while let Some(changes) = watch.next(cx)? {
        out.print(cx, args, changes)?;
    }
    Ok(())
}

/// The objects of a list, or its tables, and the version of the list.
pub(super) fn list(cx: &mut Invocation<'_>, mut call: Call) -> Result<(Vec<Value>, String)> {
    let (mut all, mut version) = (Vec::new(), String::new());
    loop {
        let answer = cx.send(&call)?;
        if version.is_empty() {
            answer.text("/metadata/resourceVersion").clone_into(&mut version);
        }
        let part = answer.part("items");
        match call.accept {
            Accept::Table { .. } => all.push(answer.value().clone()),
            Accept::Objects | Accept::Discovery => {
                let (kind, api_version) = (call.kind.as_str(), call.kind.api_version());
                all.extend(part.items.into_iter().map(|mut item| {
                    // The items of a list do not say what they are.
                    if let Some(fields) = item.as_object_mut() {
                        fields.entry("apiVersion").or_insert_with(|| api_version.into());
                        fields.entry("kind").or_insert_with(|| kind.into());
                    }
                    item
                }));
            }
        }
        if part.continue_token.is_empty() {
            return Ok((all, version));
        }
        call.continue_token = part.continue_token;
    }
}
