//! `kubectl certificate approve|deny` (`k8s.io/kubectl/pkg/cmd/certificates`).

use serde_json::Value;

use super::call::{Call, Payload};
use super::command::{self, CliCommand, sub};
use super::flags::{Args, Flag, boolean};
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{self, DryRun, PRINT};
use super::resource::{self, FILENAME, Rules};
use crate::api::quote::go_quote;
use crate::api::types::{CertificateSigningRequest, Time, certificates::CertificateSigningRequestCondition};
use crate::api::{ApiKind, Kind, Object, seconds};
use crate::apimachinery::Verb;

const FORCE: &[Flag] = &[boolean("force")];

pub(super) const COMMANDS_OF: &[CliCommand] = &[
    sub("approve", &[], &[PRINT, FILENAME, FORCE], &[], approve),
    sub("deny", &[], &[PRINT, FILENAME, FORCE], &[], deny),
];

pub(super) const HELP: &str = "Modify certificate resources.

Available Commands:
  approve       Approve a certificate signing request
  deny          Deny a certificate signing request

Usage:
  kubectl certificate SUBCOMMAND [options]

Use \"kubectl certificate <command> --help\" for more information about a given command.
Use \"kubectl options\" for a list of global command-line options (applies to all commands).
";

/// How often an update that came too late is tried again.
const TRIES: usize = 10;

/// What a command writes into a request's conditions.
struct Decision {
    type_: &'static str,
    /// The type of the condition that a request must not have.
    other: &'static str,
    reason: &'static str,
    message: &'static str,
    /// What is said at the end.
    done: &'static str,
}

const APPROVE: Decision = Decision {
    type_: "Approved",
    other: "Denied",
    reason: "KubectlApprove",
    message: "This CSR was approved by kubectl certificate approve.",
    done: "approved",
};

const DENY: Decision = Decision {
    type_: "Denied",
    other: "Approved",
    reason: "KubectlDeny",
    message: "This CSR was denied by kubectl certificate deny.",
    done: "denied",
};

/// `kubectl certificate` without a command prints its help and succeeds, whatever words follow it.
pub(super) fn group(cx: &mut Invocation<'_>, _: &Args) -> Result {
    cx.out.push_str(HELP);
    Ok(())
}

fn approve(cx: &mut Invocation<'_>, args: &Args) -> Result {
    decide(cx, args, &APPROVE)
}

fn deny(cx: &mut Invocation<'_>, args: &Args) -> Result {
    decide(cx, args, &DENY)
}

fn decide(cx: &mut Invocation<'_>, args: &Args, decision: &Decision) -> Result {
    if args.words.is_empty() && !args.has_files() {
        return fail("one or more CSRs must be specified as <name> or -f <filename>");
    }
    let mut targets =
        if args.has_files() { resource::targets(cx, args, &[], Rules::default())? } else { Vec::new() };
    let name = |name: &String| resource::Target::Named {
        kind: Kind::CERTIFICATE_SIGNING_REQUEST,
        namespace: String::new(),
        name: name.clone(),
    };
    targets.extend(args.words.iter().map(name));
    let (mut found, mut errors) = (0_usize, Vec::new());
    for target in targets {
        let (objects, failed) = resource::fetch(cx, args, &[target])?;
        errors.extend(failed);
        for object in objects.into_iter().flat_map(|f| f.objects) {
            match one(cx, args, &object, decision) {
                Err(Stop::Error(e)) => errors.push(e),
                other => {
                    other?;
                    found = found.saturating_add(1);
                    output::report(cx, args, &object.to_value(), decision.done, DryRun::No)?;
                }
            }
        }
    }
    if found == 0 && errors.is_empty() {
        cx.say("No resources found");
    }
    command::finish(errors)
}

/// Writes the decision on one request, if it is not written there.
fn one(cx: &mut Invocation<'_>, args: &Args, object: &Object, decision: &Decision) -> Result {
    const KIND: Kind = Kind::CERTIFICATE_SIGNING_REQUEST;
    if object.kind() != KIND {
        return fail(format!(
            "can only handle {}.{} objects, got {}",
            KIND.as_str(),
            KIND.group(),
            if object.kind().group().is_empty() {
                object.kind().as_str().to_owned()
            } else {
                format!("{}.{}", object.kind().as_str(), object.kind().group())
            }
        ));
    }
    for left in (0..=TRIES).rev() {
        let mut now = match cx.get(KIND, "", object.name()) {
            Err(Stop::Error(e)) if e.is_not_found() => {
                return fail(format!("could not find v1 version of {}: {}", object.name(), e.message()));
            }
            now => now?,
        };
        let at = seconds(cx.now());
        let Some(request) = CertificateSigningRequest::from_object_mut(&mut now) else { return Ok(()) };
        let conditions = request.status.get_or_insert_default().conditions.get_or_insert_default();
        if conditions.iter().any(|c| c.type_ == decision.other) {
            return fail(format!(
                "certificate signing request {} is already {}",
                go_quote(object.name()),
                decision.other
            ));
        }
        if !conditions.iter().any(|c| c.type_ == decision.type_) {
            conditions.push(CertificateSigningRequestCondition {
                type_: decision.type_.into(),
                status: "True".into(),
                reason: Some(decision.reason.into()),
                message: Some(decision.message.into()),
                last_update_time: Some(Time(at)),
                last_transition_time: None,
            });
        } else if !args.on("force") {
            return Ok(());
        }
        let body: Value = now.to_value();
        let mut call = Call::new(Verb::Update, KIND, "", object.name()).body(Payload::Object(body));
        call.subresource = "approval".into();
        match cx.send(&call) {
            Err(Stop::Error(e)) if e.is_conflict() && left > 0 => {}
            answer => return answer.map(drop),
        }
    }
    Ok(())
}
