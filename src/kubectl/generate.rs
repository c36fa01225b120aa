//! What commands share that make an object from flags.

use serde_json::{Map, Value};

use super::apply;
use super::create::post;
use super::error::Error;
use super::flags::Args;
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{self, DryRun};
use crate::api::{Key, Kind};

/// The one name a command takes.
pub(super) fn name(args: &Args) -> Result<&str> {
    let before = args.dash.unwrap_or(args.words.len());
    match (args.words.first(), before) {
        (Some(name), 1) => Ok(name),
        (_, n) => fail(format!("exactly one NAME is required, got {n}")),
    }
}

/// Makes the object and says so; `failed` stands before a refusal, as some commands have it.
pub(super) fn make(cx: &mut Invocation<'_>, args: &Args, kind: Kind, value: Value, failed: &str) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let value = created(cx, args, kind, value, failed, dry_run)?;
    output::report(cx, args, &value, "created", dry_run)
}

/// Makes the object and says nothing.
pub(super) fn created(
    cx: &mut Invocation<'_>,
    args: &Args,
    kind: Kind,
    mut value: Value,
    failed: &str,
    dry_run: DryRun,
) -> Result<Value> {
    value["apiVersion"] = kind.api_version().into();
    value["kind"] = kind.as_str().into();
    if cx.explicit_namespace && kind.namespaced() {
        value["metadata"]["namespace"] = cx.namespace.as_str().into();
    }
    let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if args.on("save-config") {
        value = apply::annotated(&value);
    }
    let validation = apply::validation(args)?;
    let namespace = if kind.namespaced() { cx.namespace.clone() } else { String::new() };
    match post(cx, kind, &Key::new(&namespace, &name), value, dry_run, validation) {
        Err(Stop::Error(Error::Status(s))) if !failed.is_empty() => {
            // `create secret` has no colon.
            let colon = if kind == Kind::SECRET { "" } else { ":" };
            fail(format!("failed to create {failed}{colon} {}", s.message))
        }
        made => made,
    }
}

/// A port, or a port's name.
pub(super) fn port_value(text: &str) -> Value {
    text.parse::<i32>().map_or_else(|_| text.into(), Value::from)
}

/// `a=b,c=d`
pub(super) fn label_map(text: &str) -> Option<Map<String, Value>> {
    let mut map = Map::new();
    for pair in text.split(',').filter(|p| !p.is_empty()) {
        let (k, v) = pair.split_once('=')?;
        map.insert(k.to_owned(), v.into());
    }
    Some(map)
}
