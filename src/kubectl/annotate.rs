//! `kubectl annotate`

use super::command;
use super::flags::Args;
use super::invocation::{Invocation, Result, fail};
use super::label::{self, Changes};
use super::output::{self, DryRun};
use crate::api::well_known::CHANGE_CAUSE_ANNOTATION;
use crate::api::{MetaExt, Object};

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let changes = label::changes(&args.words, "annotation", false)?;
    let dry_run = DryRun::of(cx, args)?;
    let (objects, errors) = label::objects(cx, args, &changes, "annotation")?;
    if args.on("list") {
        label::list(cx, &objects, "annotations", |o| o.meta().annotations.as_ref());
        return command::finish(errors);
    }
    command::each(cx, objects, errors, &mut |cx, object| one(cx, args, object, &changes, dry_run))
}

fn one(cx: &mut Invocation<'_>, args: &Args, object: &Object, changes: &Changes, dry_run: DryRun) -> Result {
    if !args.on("overwrite") {
        let taken: Vec<String> = changes
            .set
            .keys()
            .filter(|k| *k != CHANGE_CAUSE_ANNOTATION)
            .filter_map(|k| Some((k, object.meta().annotation(k)?)))
            .map(|(k, have)| format!("'{k}' already has a value ({have})"))
            .collect();
        if !taken.is_empty() {
            return fail(format!(
                "--overwrite is false but found the following declared annotation(s): {}",
                taken.join("; ")
            ));
        }
    }
    let value = label::send(cx, object, "annotations", changes, args, dry_run)?;
    output::report(cx, args, &value, "annotated", dry_run)
}
