//! Completion: how a command line can go on. kubectl's own completion is a part of kubectl, too (`kubectl __complete`).

use serde_json::Value;

use super::call::{Accept, Call};
use super::command::{CliCommand, sub_of};
use super::commands::COMMANDS;
use super::config::Config;
use super::dispatch::first_word;
use super::flags::{self, Flag, Value as FlagValue};
use super::invocation::{Invocation, Result};
use super::manifests::Manifests;
use super::resource::{kind_of, must_kind};
use super::{ApiClient, DiscoveryCache, Files, discovery, explain, table};
use crate::api::{Kind, order};
use crate::apimachinery::Verb;

/// What a command's words that are no flags name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// A kind, then names of it; or words of the form `kind/name`. Of these kinds, or of all if there are none.
    Kinds(&'static [&'static str]),
    /// A pod's name, or `kind/name` of something that has pods.
    Pods,
    /// Names of one kind.
    Names(&'static str),
    /// A field's path (`pods.spec`).
    Fields,
    /// A verb, then a kind.
    VerbAndKind,
    /// A context of the kubeconfig.
    Contexts,
    Nothing,
}

const SCALED: &[&str] = &["deployments", "replicasets", "replicationcontrollers", "statefulsets"];
const ROLLED: &[&str] = &["daemonsets", "deployments", "statefulsets"];
const EXPOSED: &[&str] = &["deployments", "pods", "replicasets", "replicationcontrollers", "services"];
const WITH_PODS: &[&str] = &[
    "cronjobs",
    "daemonsets",
    "deployments",
    "pods",
    "replicasets",
    "replicationcontrollers",
    "statefulsets",
];
const VERBS: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

fn words_of(path: &str) -> Words {
    match path {
        "get" | "describe" | "delete" | "edit" | "label" | "annotate" | "patch" | "wait" => Words::Kinds(&[]),
        "apply view-last-applied" | "apply edit-last-applied" => Words::Kinds(&[]),
        "scale" | "autoscale" => Words::Kinds(SCALED),
        "expose" => Words::Kinds(EXPOSED),
        "taint" => Words::Kinds(&["nodes"]),
        "set selector" => Words::Kinds(&["services"]),
        "set subject" => Words::Kinds(&["clusterrolebindings", "rolebindings"]),
        "logs" | "exec" | "attach" | "port-forward" | "debug" => Words::Pods,
        "cordon" | "uncordon" | "drain" | "top node" => Words::Names("nodes"),
        "top pod" => Words::Names("pods"),
        "certificate approve" | "certificate deny" => Words::Names("certificatesigningrequests"),
        "explain" => Words::Fields,
        "auth can-i" => Words::VerbAndKind,
        "config use-context" | "config set-context" | "config delete-context" | "config rename-context" => {
            Words::Contexts
        }
        _ if path.starts_with("rollout ") => Words::Kinds(ROLLED),
        _ if path.starts_with("set ") => Words::Kinds(WITH_PODS),
        _ => Words::Nothing,
    }
}

/// The words that can stand where `partial` stands, after the complete `words` that follow `kubectl`. Each of them begins
/// with `partial`; they are sorted. One that ends with `=`, `/` or `.` goes on without a blank.
pub fn complete(
    words: &[String],
    partial: &str,
    files: &dyn Files,
    cache: &mut DiscoveryCache,
    client: &mut dyn ApiClient,
) -> Vec<String> {
    let manifests = Manifests::default();
    let mut cx = Invocation::new(files, &manifests, cache.clone(), client.now(), Vec::new(), client);
    // Where the server refuses to answer, there is nothing to complete with.
    let mut found = candidates(&mut cx, words, partial).unwrap_or_default();
    *cache = cx.cache.clone();
    found.retain(|c| c.starts_with(partial));
    order::sort(&mut found);
    found.dedup();
    found
}

/// The names of kubectl's commands.
pub fn commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|c| c.name)
}

/// Whether a word is one of kubectl's commands.
pub fn is_command(word: &str) -> bool {
    COMMANDS.iter().any(|c| c.is(word)) || word == "help"
}

/// A command with what is known of its line.
struct Place {
    command: &'static CliCommand,
    path: String,
    tables: Vec<&'static [Flag]>,
    /// The words that are no flags.
    words: Vec<String>,
    /// The flags that were given, with their values.
    given: Vec<(&'static str, String)>,
    /// The flag whose value is to come.
    open: Option<Flag>,
}

impl Place {
    fn value(&self, flag: &str) -> Option<&str> {
        self.given.iter().rev().find(|(f, _)| *f == flag).map(|(_, value)| value.as_str())
    }

    fn find(&self, test: impl Fn(&Flag) -> bool) -> Option<Flag> {
        self.tables.iter().flat_map(|t| t.iter()).find(|f| test(f)).copied()
    }
}

fn candidates(cx: &mut Invocation<'_>, words: &[String], partial: &str) -> Result<Vec<String>> {
    let Some((at, name)) = first_word(words) else {
        if partial.starts_with('-') {
            return Ok(flag_names(&[flags::GLOBAL]));
        }
        let last = words.last().map(String::as_str).unwrap_or_default();
        if let Some(flag) = flags::GLOBAL.iter().find(|f| opens(f, last)) {
            return value_of_global(cx, flag.long);
        }
        return Ok(commands().map(str::to_owned).collect());
    };
    let Some(mut command) = COMMANDS.iter().find(|c| c.is(name)) else { return Ok(Vec::new()) };
    let mut rest = words.to_vec();
    rest.remove(at);
    let mut path = command.name.to_owned();
    while let Some((at, name)) = first_word(&rest)
        && let Some(sub) = sub_of(command, name)
    {
        command = sub;
        path = format!("{path} {}", sub.name);
        rest.remove(at);
    }
    let mut tables: Vec<&'static [Flag]> = command.flags.to_vec();
    tables.push(flags::GLOBAL);
    let mut place = Place { command, path, tables, words: Vec::new(), given: Vec::new(), open: None };
    sort_out(&mut place, &rest);
    cx.namespace = Config::read(cx)?.namespace(place.value("context"))?;
    if let Some(namespace) = place.value("namespace").filter(|n| !n.is_empty()) {
        cx.namespace = namespace.to_owned();
    }
    if let Some(flag) = place.open {
        return flag_values(cx, &place, flag.long, partial);
    }
    if let Some((name, value)) = partial.strip_prefix("--").and_then(|p| p.split_once('=')) {
        let Some(flag) = place.find(|f| f.long == name) else { return Ok(Vec::new()) };
        let values = flag_values(cx, &place, flag.long, value)?;
        return Ok(values.into_iter().map(|v| format!("--{name}={v}")).collect());
    }
    if partial.starts_with('-') {
        return Ok(flag_names(&place.tables));
    }
    let mut out: Vec<String> = Vec::new();
    if place.words.is_empty() {
        out.extend(place.command.sub.iter().map(|c| c.name.to_owned()));
    }
    out.extend(positional(cx, &place, partial)?);
    Ok(out)
}

/// Sorts the words into flags and the rest, as far as they can be read.
fn sort_out(place: &mut Place, words: &[String]) {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        place.open = None;
        let long = word.strip_prefix("--");
        let flag = match (long, word.strip_prefix('-')) {
            (Some(""), _) => {
                place.words.extend(words.cloned());
                return;
            }
            (Some(long), _) => place.find(|f| f.long == long.split('=').next().unwrap_or(long)),
            (None, Some(short)) if !short.is_empty() => place.find(|f| f.short == short.chars().next()),
            _ => {
                place.words.push(word.clone());
                continue;
            }
        };
        let Some(flag) = flag else { continue };
        let attached = match long {
            Some(long) => long.split_once('=').map(|(_, value)| value.to_owned()),
            None => {
                word.get(2..).filter(|rest| !rest.is_empty()).map(|r| r.trim_start_matches('=').to_owned())
            }
        };
        let value = match (attached, flag.value) {
            (Some(value), _) => value,
            (None, FlagValue::Bool | FlagValue::Optional(_)) => String::new(),
            (None, _) => match words.next() {
                Some(value) => value.clone(),
                None => {
                    place.open = Some(flag);
                    return;
                }
            },
        };
        place.given.push((flag.long, value));
    }
}

/// Whether a word is a flag that waits for its value.
fn opens(flag: &Flag, word: &str) -> bool {
    let takes = !matches!(flag.value, FlagValue::Bool | FlagValue::Optional(_));
    let short = flag.short.is_some_and(|c| word.strip_prefix('-').is_some_and(|w| w.chars().eq([c])));
    takes && (word.strip_prefix("--") == Some(flag.long) || short)
}

fn flag_names(tables: &[&'static [Flag]]) -> Vec<String> {
    let flags = tables.iter().flat_map(|t| t.iter());
    flags
        .map(|f| match f.value {
            FlagValue::Bool | FlagValue::Optional(_) => format!("--{}", f.long),
            _ => format!("--{}=", f.long),
        })
        .collect()
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

fn value_of_global(cx: &mut Invocation<'_>, flag: &str) -> Result<Vec<String>> {
    match flag {
        "namespace" => names(cx, Kind::NAMESPACE, ""),
        "context" => Ok(Config::read(cx)?.names("contexts")),
        "cluster" => Ok(Config::read(cx)?.names("clusters")),
        "user" => Ok(Config::read(cx)?.names("users")),
        _ => Ok(Vec::new()),
    }
}

/// The values that a flag of a command can have.
fn flag_values(cx: &mut Invocation<'_>, place: &Place, flag: &str, partial: &str) -> Result<Vec<String>> {
    let command = place.path.as_str();
    Ok(match (flag, command) {
        ("output", "api-resources") => owned(&["json", "name", "wide", "yaml"]),
        ("output", "version") => owned(&["json", "yaml"]),
        ("output", "config get-contexts") => owned(&["name"]),
        ("output", "explain") => owned(&["plaintext", "plaintext-openapiv2"]),
        ("output", _) => {
            let mut all = owned(&["go-template=", "json", "jsonpath=", "kyaml", "name", "yaml"]);
            if command == "get" {
                all.extend(owned(&["custom-columns=", "wide"]));
            }
            all
        }
        ("filename", _) => {
            let mut all = cx.files.list(".").unwrap_or_default();
            all.retain(|name| !name.starts_with('~'));
            all
        }
        ("container", _) => containers(cx, place)?,
        ("selector", _) => labels(cx, place)?,
        ("dry-run", _) => owned(&["client", "none", "server"]),
        ("cascade", _) => owned(&["background", "foreground", "orphan"]),
        ("validate", _) => owned(&["false", "ignore", "strict", "true", "warn"]),
        ("type", "patch") => owned(&["json", "merge", "strategic"]),
        ("type", _) => owned(&["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]),
        ("restart", _) => owned(&["Always", "Never", "OnFailure"]),
        ("image-pull-policy", _) => owned(&["Always", "IfNotPresent", "Never"]),
        ("for", "wait") => owned(&["condition=", "create", "delete", "jsonpath="]),
        ("for", _) => kinds_and_names(cx, &[], partial)?,
        ("types", _) => owned(&["Normal", "Warning"]),
        ("subresource", _) => owned(&["resize", "scale", "status"]),
        ("sort-by", "top pod" | "top node") => owned(&["cpu", "memory"]),
        ("sort-by", "api-resources") => owned(&["kind", "name"]),
        ("sort-by", _) => owned(&[".metadata.creationTimestamp", ".metadata.name"]),
        _ => value_of_global(cx, flag)?,
    })
}

fn positional(cx: &mut Invocation<'_>, place: &Place, partial: &str) -> Result<Vec<String>> {
    let namespace = cx.namespace.clone();
    match words_of(&place.path) {
        Words::Nothing => Ok(Vec::new()),
        Words::Contexts => Ok(Config::read(cx)?.names("contexts")),
        Words::Names(kind) => match kind_of(kind) {
            Some(kind) => others(names(cx, kind, &namespace)?, place),
            None => Ok(Vec::new()),
        },
        Words::Fields => fields(cx, partial),
        Words::VerbAndKind => match place.words.len() {
            0 => Ok(owned(VERBS)),
            1 => kind_words(cx, &[]),
            _ => Ok(Vec::new()),
        },
        Words::Pods => {
            if !place.words.is_empty() {
                return Ok(Vec::new());
            }
            if partial.contains('/') {
                return kinds_and_names(cx, WITH_PODS, partial);
            }
            let mut all = names(cx, Kind::POD, &namespace)?;
            // A kind is offered to whoever has begun to write one.
            if !partial.is_empty() {
                all.extend(kind_words(cx, WITH_PODS)?.into_iter().map(|k| format!("{k}/")));
            }
            Ok(all)
        }
        Words::Kinds(kinds) => match place.words.first() {
            None => kinds_and_names(cx, kinds, partial),
            Some(first) if first.contains('/') => others(kinds_and_names(cx, kinds, partial)?, place),
            Some(first) => {
                let mut all = Vec::new();
                for part in first.split(',') {
                    let kind = must_kind(cx, part)?;
                    all.extend(names(cx, kind, &namespace)?);
                }
                others(all, place)
            }
        },
    }
}

/// Without those that the line has already.
fn others(mut all: Vec<String>, place: &Place) -> Result<Vec<String>> {
    all.retain(|name| !place.words.contains(name));
    Ok(all)
}

/// Kinds; after `kind/` names of that kind, and after `kind,` further kinds.
fn kinds_and_names(cx: &mut Invocation<'_>, kinds: &[&str], partial: &str) -> Result<Vec<String>> {
    if let Some((word, _)) = partial.split_once('/') {
        let kind = must_kind(cx, word)?;
        let namespace = cx.namespace.clone();
        let names = names(cx, kind, &namespace)?;
        return Ok(names.into_iter().map(|name| format!("{word}/{name}")).collect());
    }
    let words = kind_words(cx, kinds)?;
    Ok(match partial.rsplit_once(',') {
        Some((before, _)) => words.into_iter().map(|w| format!("{before},{w}")).collect(),
        None => words,
    })
}

/// The plurals of the kinds, and those short names that are not how the plural begins.
fn kind_words(cx: &mut Invocation<'_>, kinds: &[&str]) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let mut add = |plural: &str, short: &[&str]| {
        if kinds.is_empty() || kinds.contains(&plural) {
            out.push(plural.to_owned());
            out.extend(short.iter().filter(|s| !plural.starts_with(**s)).map(|s| (*s).to_owned()));
        }
    };
    for kind in Kind::BUILT_IN {
        add(kind.plural(), kind.short_names());
    }
    for resource in discovery::known(cx)?.iter().filter(|r| r.verbs.iter().any(|v| v == "list")) {
        let short: Vec<&str> = resource.short.iter().map(String::as_str).collect();
        add(&resource.name, &short);
    }
    Ok(out)
}

/// The names of the objects of a kind.
fn names(cx: &mut Invocation<'_>, kind: Kind, namespace: &str) -> Result<Vec<String>> {
    let mut call = Call::new(Verb::List, kind, namespace, "");
    call.accept = Accept::Table { whole: false };
    let rows = table::rows(cx, call, false)?;
    let name = |row: &table::Row| Some(row.object.pointer("/metadata/name")?.as_str()?.to_owned());
    Ok(rows.iter().filter_map(name).collect())
}

/// The object that the first words name, as JSON.
fn object(cx: &mut Invocation<'_>, place: &Place) -> Result<Value> {
    let (kind, name) = match place.words.as_slice() {
        [first, ..] if first.contains('/') => {
            let (kind, name) = first.split_once('/').unwrap_or_default();
            (must_kind(cx, kind)?, name.to_owned())
        }
        [kind, name, ..] if words_of(&place.path) != Words::Pods => (must_kind(cx, kind)?, name.clone()),
        [name, ..] => (Kind::POD, name.clone()),
        [] => return Ok(Value::Null),
    };
    let namespace = cx.namespace.clone();
    Ok(cx.get(kind, &namespace, &name)?.to_value())
}

/// The containers of the pod, or of the pod template, that the line names.
fn containers(cx: &mut Invocation<'_>, place: &Place) -> Result<Vec<String>> {
    let object = object(cx, place)?;
    let specs = ["/spec", "/spec/template/spec", "/spec/jobTemplate/spec/template/spec"];
    let spec = specs.iter().filter_map(|path| object.pointer(path)).find(|s| s.get("containers").is_some());
    let lists = ["containers", "initContainers", "ephemeralContainers"];
    let all = lists.iter().filter_map(|list| spec?.get(list)?.as_array()).flatten();
    Ok(all.filter_map(|c| Some(c.get("name")?.as_str()?.to_owned())).collect())
}

/// The labels of the objects of the kind that the line names, as `key=value`.
fn labels(cx: &mut Invocation<'_>, place: &Place) -> Result<Vec<String>> {
    let kind = match (words_of(&place.path), place.words.first()) {
        (Words::Names(kind), _) => must_kind(cx, kind)?,
        (Words::Kinds(_), Some(word)) => must_kind(cx, word)?,
        (Words::Pods, _) => Kind::POD,
        _ => return Ok(Vec::new()),
    };
    let mut call = Call::new(Verb::List, kind, &cx.namespace, "");
    call.accept = Accept::Table { whole: false };
    let mut out = Vec::new();
    for row in table::rows(cx, call, false)? {
        let labels = row.object.pointer("/metadata/labels").and_then(Value::as_object).into_iter().flatten();
        out.extend(labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())));
    }
    Ok(out)
}

/// The fields below the path that is begun; kinds before the first dot.
fn fields(cx: &mut Invocation<'_>, partial: &str) -> Result<Vec<String>> {
    let Some((path, _)) = partial.rsplit_once('.') else { return kind_words(cx, &[]) };
    let mut parts = path.split('.');
    let kind = must_kind(cx, parts.next().unwrap_or_default())?;
    let fields = explain::fields(cx, kind, &parts.collect::<Vec<_>>())?;
    Ok(fields.into_iter().map(|field| format!("{path}.{field}")).collect())
}
