//! `kubectl taint` (`k8s.io/kubectl/pkg/cmd/taint`).

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command;
use super::error::Error;
use super::flags::Args;
use super::go;
use super::invocation::{Invocation, Result, fail};
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use crate::api::{Kind, Object, names, patch};
use crate::apimachinery::Verb;

/// `key=value:Effect`, or `key-`, `key:Effect-`.
struct Taint {
    key: String,
    value: String,
    effect: String,
    remove: bool,
}

impl Taint {
    /// Whether a taint of a node is the one that is meant; one without an effect means all with its key.
    fn is(&self, taint: &Value) -> bool {
        let text = |k: &str| taint.get(k).and_then(Value::as_str).unwrap_or_default();
        text("key") == self.key && (self.effect.is_empty() || text("effect") == self.effect)
    }

    fn value(&self) -> Value {
        let mut taint = json!({"key": self.key, "effect": self.effect});
        if !self.value.is_empty() {
            taint["value"] = self.value.as_str().into();
        }
        taint
    }
}

fn parse(word: &str) -> std::result::Result<Taint, String> {
    let (spec, remove) = match word.strip_suffix('-') {
        Some(spec) => (spec, true),
        None => (word, false),
    };
    let invalid = || format!("invalid taint spec: {spec}");
    let (pair, effect) = match spec.split(':').collect::<Vec<_>>()[..] {
        [key] => (key, ""),
        [pair, effect] => (pair, effect),
        _ => return Err(invalid()),
    };
    let named = spec.contains(':');
    if named && !matches!(effect, "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
        return Err(format!("invalid taint effect: {effect}, unsupported taint effect"));
    }
    let (key, value) = match pair.split('=').collect::<Vec<_>>()[..] {
        [key, value] if named => (key, value),
        [_] => (pair, ""),
        _ if named => return Err(invalid()),
        _ => (pair, ""),
    };
    for wrong in [names::is_valid_label_value(value), names::is_qualified_name(key)] {
        if !wrong.is_empty() {
            return Err(format!("{}, {}", invalid(), wrong.join("; ")));
        }
    }
    if effect.is_empty() && !remove {
        return Err(invalid());
    }
    Ok(Taint { key: key.to_owned(), value: value.to_owned(), effect: effect.to_owned(), remove })
}

fn parse_all(specs: &[String]) -> std::result::Result<Vec<Taint>, String> {
    let mut all: Vec<Taint> = Vec::new();
    for spec in specs {
        let taint = parse(spec)?;
        let same = |t: &&Taint| !t.remove && t.key == taint.key && t.effect == taint.effect;
        if !taint.remove && all.iter().find(same).is_some() {
            let Taint { key, value, effect, .. } = taint;
            return Err(format!(
                "duplicated taints with the same key and effect: {{{key} {value} {effect} <nil>}}"
            ));
        }
        all.push(taint);
    }
    Ok(all)
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let is_taint = |w: &String| w.contains('=') || w.ends_with('-') || w.contains(':');
    let first = args.words.iter().position(is_taint).unwrap_or(args.words.len());
    let (words, specs) = args.words.split_at(first);
    if let Some(odd) = specs.iter().find(|w| !is_taint(w)) {
        return fail(format!("all resources must be specified before taint changes: {odd}"));
    }
    let Some((kind, names)) = words.split_first() else {
        return fail("one or more resources must be specified as <resource> <name>");
    };
    if specs.is_empty() {
        return fail("at least one taint update is required");
    }
    let taints = match parse_all(specs) {
        Ok(taints) => taints,
        Err(why) => return command::usage("kubectl taint", why),
    };
    let word = kind.to_lowercase();
    if resource::must_kind(cx, &word)? != Kind::NODE {
        return fail(format!("invalid resource type {word}, only node types are supported"));
    }
    let both: Vec<String> = taints
        .iter()
        .filter(|t| t.remove)
        .filter(|r| {
            let same = |t: &&Taint| t.key == r.key && (r.effect.is_empty() || t.effect == r.effect);
            taints.iter().filter(|t| !t.remove).any(|t| same(&t))
        })
        .map(|t| format!("{}={}", t.key, t.effect))
        .collect();
    if !both.is_empty() {
        return fail(format!(
            "can not both modify and remove the following taint(s) in the same command: {}",
            both.join(", ")
        ));
    }
    let selected = !args.text("selector").is_empty();
    if args.on("all") && selected {
        return fail("setting 'all' parameter with a non empty selector is prohibited");
    }
    if !args.on("all") && !selected && names.is_empty() {
        return fail("at least one resource name must be specified since 'all' parameter is not set");
    }
    let dry_run = DryRun::of(cx, args)?;
    let (objects, errors) = resource::objects(cx, args, words, Rules::default())?;
    let objects = objects.into_iter().map(|(o, _)| o).collect();
    command::each(cx, objects, errors, &mut |cx, node| one(cx, args, node, &taints, dry_run))
}

fn one(cx: &mut Invocation<'_>, args: &Args, node: &Object, taints: &[Taint], dry_run: DryRun) -> Result {
    let before = node.to_value();
    let mut list = before.pointer("/spec/taints").and_then(Value::as_array).cloned().unwrap_or_default();
    let adds: Vec<&Taint> = taints.iter().filter(|t| !t.remove).collect();
    let taken: Vec<&str> =
        adds.iter().filter(|t| list.iter().any(|v| t.is(v))).map(|t| t.key.as_str()).collect();
    if !taken.is_empty() && !args.on("overwrite") {
        return fail(format!(
            "node {} already has {} taint(s) with same effect(s) and --overwrite is false",
            node.name(),
            taken.join(",")
        ));
    }
    let mut missing = Vec::new();
    for t in taints.iter().filter(|t| t.remove) {
        let n = list.len();
        list.retain(|v| !t.is(v));
        if list.len() == n {
            let effect = if t.effect.is_empty() { String::new() } else { format!(":{}", t.effect) };
            missing.push(Error::Text(format!("taint \"{}{effect}\" not found", t.key)));
        }
    }
    command::finish(missing)?;
    list.retain(|v| !adds.iter().any(|t| t.is(v)));
    let mut new: Vec<Value> = adds.iter().map(|t| t.value()).collect();
    new.append(&mut list);
    let mut after = before.clone();
    if let Some(spec) = after.pointer_mut("/spec").and_then(Value::as_object_mut) {
        if new.is_empty() {
            spec.remove("taints");
        } else {
            spec.insert("taints".into(), Value::Array(new));
        }
    }
    let patch = patch::create_two_way_merge_patch(Kind::NODE, &before, &after)
        .or_else(|e| fail(format!("unable to compute patch: {e}")))?;
    if dry_run != DryRun::Client {
        let mut call = Call::new(Verb::Patch, Kind::NODE, "", node.name())
            .body(Payload::StrategicPatch(go::json(&patch)));
        call.dry_run = dry_run == DryRun::Server;
        call.field_manager.clone_from(&cx.field_manager);
        cx.object(&call)?;
    }
    let done = match (adds.is_empty(), taints.iter().any(|t| t.remove) || args.on("overwrite")) {
        (true, false) => "untainted",
        (true, true) if !args.on("overwrite") => "untainted",
        (_, true) => "modified",
        (false, false) => "tainted",
    };
    // kubectl does not say here that a run is dry.
    output::report(cx, args, &after, done, DryRun::No)
}
