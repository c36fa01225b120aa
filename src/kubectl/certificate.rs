//! `kubectl certificate approve|deny`: a condition of a CertificateSigningRequest.

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::commands::{self, Command, sub};
use super::context::{Context, Result, fail};
use super::flags::{Args, Flag, boolean};
use super::output::{self, DryRun, PRINT};
use super::resource::{self, FILENAME, Rules};
use crate::apimachinery::Verb;

const FORCE: &[Flag] = &[boolean("force")];
pub(super) const COMMANDS_OF: &[Command] = &[
    sub("approve", &[], &[PRINT, FILENAME, FORCE], &[], approve),
    sub("deny", &[], &[PRINT, FILENAME, FORCE], &[], deny),
];

pub(super) fn group(cx: &mut Context<'_>, args: &Args) -> Result {
    commands::complaining_group(cx, args, "kubectl certificate", "Modify certificate resources.\n")
}

fn approve(cx: &mut Context<'_>, args: &Args) -> Result {
    set(
        cx,
        args,
        "Approved",
        "approved",
        "KubectlApprove",
        "This CSR was approved by kubectl certificate approve.",
    )
}

fn deny(cx: &mut Context<'_>, args: &Args) -> Result {
    set(cx, args, "Denied", "denied", "KubectlDeny", "This CSR was denied by kubectl certificate deny.")
}

fn set(cx: &mut Context<'_>, args: &Args, type_: &str, done: &str, reason: &str, message: &str) -> Result {
    if args.words.is_empty() && !args.has_files() {
        return fail("one or more CSRs must be specified as <name> or -f <filename>");
    }
    let mut words = args.words.clone();
    if !words.is_empty() && !words.iter().any(|w| w.contains('/')) {
        words.insert(0, "certificatesigningrequests".to_owned());
    }
    let (objects, errors) = resource::objects(cx, args, &words, Rules::default())?;
    let objects = objects.into_iter().map(|(o, _)| o).collect();
    commands::each(cx, objects, errors, &mut |cx, object| {
        let mut value = object.to_value();
        let conditions = value.pointer("/status/conditions").and_then(Value::as_array).cloned();
        let mut conditions = conditions.unwrap_or_default();
        let is = |c: &Value, t: &str| c.get("type").and_then(Value::as_str) == Some(t);
        let other = if type_ == "Approved" { "Denied" } else { "Approved" };
        if conditions.iter().any(|c| is(c, other)) {
            let (name, doing) = (object.name(), if type_ == "Approved" { "approve" } else { "deny" });
            return fail(format!("can't {doing} CSR {name}: it is {} already", other.to_lowercase()));
        }
        if conditions.iter().any(|c| is(c, type_)) && !args.on("force") {
            return output::report(cx, args, &value, done, DryRun::No);
        }
        conditions.retain(|c| !is(c, type_));
        conditions.push(json!({
            "type": type_, "status": "True", "reason": reason, "message": message,
            "lastUpdateTime": crate::api::to_value(&crate::api::seconds(cx.now())),
        }));
        value["status"]["conditions"] = conditions.into();
        let mut call = Call::new(Verb::Update, object.kind(), "", object.name()).body(Payload::Object(value));
        call.subresource = "approval".into();
        let approved = cx.send(&call)?.value().clone();
        output::report(cx, args, &approved, done, DryRun::No)
    })
}
