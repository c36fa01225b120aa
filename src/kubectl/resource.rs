//! What a command is about: `pods`, `deploy/web`, `deploy,svc web`, `-f file`, `-l app=web`
//! (`k8s.io/cli-runtime/pkg/resource`).

use std::rc::Rc;

use super::answer;
use super::cache::Resource;
use super::call::Call;
use super::discovery;
use super::error::Error;
use super::files;
use super::flags::{Args, Flag, boolean, slice, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::manifests::Manifest;
use crate::api::quote::go_quote;
use crate::api::{Kind, Object};
use crate::apimachinery::Verb;

/// `-l`
pub(super) const SELECTOR: &[Flag] = &[text("selector").short('l'), text("field-selector")];
/// `-f`, `-R`, `-k`
pub(super) const FILENAME: &[Flag] =
    &[slice("filename").short('f'), boolean("recursive").short('R'), text("kustomize").short('k')];

/// The resources that `all` means, in kubectl's order.
const ALL: &[(&str, &str)] = &[
    ("", "pods"),
    ("", "replicationcontrollers"),
    ("", "services"),
    ("apps", "daemonsets"),
    ("apps", "deployments"),
    ("apps", "replicasets"),
    ("apps", "statefulsets"),
    ("autoscaling", "horizontalpodautoscalers"),
    ("batch", "cronjobs"),
    ("batch", "jobs"),
];

/// The kind that a person means by `deploy`, `deployments.apps` or `Deployment.v1.apps`.
pub(super) fn kind_of(word: &str) -> Option<Kind> {
    let lower = word.to_lowercase();
    let (name, rest) = match lower.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (lower.as_str(), None),
    };
    Kind::served().find(|k| {
        let named = k.plural() == name || k.singular() == name || k.short_names().contains(&name);
        let grouped = rest.is_none_or(|r| r == k.group() || r == format!("{}.{}", k.version(), k.group()));
        named && grouped
    })
}

/// The kind that a person means by a word.
///
/// kubectl knows the kinds that are built here from an earlier discovery. Any other word is looked for in the
/// [`DiscoveryCache`](super::DiscoveryCache), and then at the server.
///
/// # Errors
/// The server has no such resource.
pub(super) fn must_kind(cx: &mut Invocation<'_>, word: &str) -> Result<Kind> {
    if let Some(kind) = kind_of(word) {
        return Ok(kind);
    }
    let lower = word.to_lowercase();
    let (name, rest) = match lower.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (lower.as_str(), None),
    };
    let grouped = |r: &Resource| {
        let version = r.group_version.rsplit('/').next().unwrap_or_default();
        rest.is_none_or(|rest| rest == r.group || rest == format!("{version}.{}", r.group))
    };
    let named = |r: &&Resource| r.is(name) && grouped(r);
    match discovery::find(cx, |all| all.iter().find(named).map(Resource::handle))? {
        Some(kind) => Ok(kind),
        // Of `websites.example.com` the message has only what stands before the group.
        None => fail(format!(
            "the server doesn't have a resource type {}",
            go_quote(word.split('.').next().unwrap_or_default())
        )),
    }
}

/// One thing a command is about.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// One object by its name.
    Named { kind: Kind, namespace: String, name: String },
    /// All of a kind that match.
    Listed { kind: Kind, namespace: String },
    /// What a file says.
    File(Rc<Manifest>),
}

impl Target {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Target::Named { kind, .. } | Target::Listed { kind, .. } => *kind,
            Target::File(m) => m.kind,
        }
    }
}

/// How a command reads its arguments.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rules {
    /// A kind without names means all objects of the kind.
    pub(super) all_by_default: bool,
    /// A command line that names no object is refused.
    pub(super) required: bool,
    /// The objects are looked for in all namespaces (`-A`).
    pub(super) all_namespaces: bool,
}

const NOTHING: &str = "You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'";

/// The targets that words and flags of a command name.
pub(super) fn targets(
    cx: &mut Invocation<'_>,
    args: &Args,
    words: &[String],
    rules: Rules,
) -> Result<Vec<Target>> {
    if args.has_files() {
        if !words.is_empty() {
            return fail(
                "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
            );
        }
        let manifests = files::load(cx, args)?;
        return Ok(manifests.into_iter().map(Target::File).collect());
    }
    let selected = !args.text("selector").is_empty() || !args.text("field-selector").is_empty();
    let all = args.on("all");
    if all && selected {
        return fail("setting 'all' parameter but found a non empty selector. ");
    }
    let namespace = if rules.all_namespaces { String::new() } else { cx.namespace.clone() };
    let Some(first) = words.first() else {
        return if rules.required { fail(NOTHING) } else { Ok(Vec::new()) };
    };
    if words.iter().any(|w| w.contains('/')) {
        return slashed(cx, words, &namespace, selected);
    }
    let kinds = kinds(cx, first)?;
    let names = words.get(1..).unwrap_or_default();
    if names.is_empty() {
        if !(selected || all || rules.all_by_default) {
            return fail("resource(s) were provided, but no name was specified");
        }
        return Ok(kinds
            .into_iter()
            .map(|kind| Target::Listed { kind, namespace: scope(kind, &namespace) })
            .collect());
    }
    if selected {
        return fail("name cannot be provided when a selector is specified");
    }
    if all {
        return fail("a resource cannot be retrieved by name with --all");
    }
    if rules.all_namespaces {
        return fail("a resource cannot be retrieved by name across all namespaces");
    }
    let mut out = Vec::new();
    for kind in kinds {
        for name in names {
            out.push(Target::Named { kind, namespace: scope(kind, &namespace), name: name.clone() });
        }
    }
    Ok(out)
}

fn scope(kind: Kind, namespace: &str) -> String {
    if kind.namespaced() { namespace.to_owned() } else { String::new() }
}

/// The kinds of `deploy,svc` or `all`, each once.
fn kinds(cx: &mut Invocation<'_>, word: &str) -> Result<Vec<Kind>> {
    let mut kinds = Vec::new();
    let mut add = |k: Kind| {
        if !kinds.contains(&k) {
            kinds.push(k);
        }
    };
    for part in word.split(',') {
        if part == "all" {
            ALL.iter()
                .filter_map(|(g, p)| Kind::BUILT_IN.iter().find(|k| k.group() == *g && k.plural() == *p))
                .for_each(|k| add(*k));
            let all = discovery::known(cx)?;
            let custom = all.iter().filter(|r| r.categories.iter().any(|c| c == part)).map(|r| r.handle());
            custom.filter(|k| k.is_custom()).for_each(&mut add);
        } else if let Some(kinds) = of_category(cx, part)? {
            kinds.into_iter().for_each(&mut add);
        } else if part.is_empty() {
            return fail(format!("the server doesn't have a resource type {part}", part = go_quote(part)));
        } else {
            add(must_kind(cx, part)?);
        }
    }
    Ok(kinds)
}

/// The resources of a category other than `all`; `None` if a word is no category.
fn of_category(cx: &mut Invocation<'_>, word: &str) -> Result<Option<Vec<Kind>>> {
    if word.is_empty() || kind_of(word).is_some() {
        return Ok(None);
    }
    let all = discovery::known(cx)?;
    let mut seen = Vec::new();
    for resource in all.iter().filter(|r| r.categories.iter().any(|c| c == word)) {
        let kind = resource.handle();
        if !seen.contains(&kind) {
            seen.push(kind);
        }
    }
    Ok((!seen.is_empty()).then_some(seen))
}

fn slashed(
    cx: &mut Invocation<'_>,
    words: &[String],
    namespace: &str,
    selected: bool,
) -> Result<Vec<Target>> {
    if selected {
        return fail("selectors and the all flag cannot be used when passing resource/name arguments");
    }
    if namespace.is_empty() {
        return fail("a resource cannot be retrieved by name across all namespaces");
    }
    let mut out = Vec::new();
    for word in words {
        let Some((kind, name)) = word.split_once('/') else {
            return fail(
                "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
            );
        };
        if name.contains('/') {
            return fail("arguments in resource/name form may not have more than one slash");
        }
        if kind.is_empty() || name.is_empty() || kind.contains(',') {
            return fail("arguments in resource/name form must have a single resource and name");
        }
        let kind = must_kind(cx, kind)?;
        out.push(Target::Named { kind, namespace: scope(kind, namespace), name: name.to_owned() });
    }
    Ok(out)
}

/// What a target turned out to be: objects, or what an answer in another form has of them.
#[derive(Clone, Debug)]
pub(super) struct Found<T> {
    pub(super) kind: Kind,
    /// One for a name, any number for a list.
    pub(super) objects: Vec<T>,
    /// Whether it was asked for by name.
    pub(super) named: bool,
    /// The file it was found in.
    pub(super) source: String,
}

/// Fetches what the targets name. What is not found is an error among the errors; the others are
/// still found.
pub(super) fn fetch(
    cx: &mut Invocation<'_>,
    args: &Args,
    targets: &[Target],
) -> Result<(Vec<Found<Object>>, Vec<Error>)> {
    // A command that changes a subresource gets the object first.
    fetch_with(cx, &args.without("subresource"), targets, &mut |cx, call| match call.verb {
        Verb::Get => Ok(vec![cx.object(&call)?]),
        _ => cx.all(call),
    })
}

/// [`fetch`] with a function that sends the request for one object (or for its `--subresource`) or for a list.
pub(super) fn fetch_with<T>(
    cx: &mut Invocation<'_>,
    args: &Args,
    targets: &[Target],
    ask: &mut dyn FnMut(&mut Invocation<'_>, Call) -> Result<Vec<T>>,
) -> Result<(Vec<Found<T>>, Vec<Error>)> {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for target in targets {
        let subresource = args.text("subresource");
        let (namespace, name, source) = match target {
            Target::Named { namespace, name, .. } => (namespace, Some(name), ""),
            Target::File(m) => (&m.namespace, Some(&m.name), m.source.as_str()),
            Target::Listed { namespace, .. } => (namespace, None, ""),
        };
        let kind = target.kind();
        let got = match name {
            Some(name) if name.is_empty() => fail("resource name may not be empty"),
            Some(name) => {
                let mut call = Call::new(Verb::Get, kind, namespace, name);
                call.subresource = subresource.to_owned();
                ask(cx, call)
            }
            None => {
                let mut call = Call::new(Verb::List, kind, namespace, "");
                call.label_selector = args.text("selector").to_owned();
                call.field_selector = args.text("field-selector").to_owned();
                ask(cx, call).map_err(|stop| with_selectors(stop, args, kind))
            }
        };
        match got {
            Ok(objects) => {
                found.push(Found { kind, objects, named: name.is_some(), source: source.to_owned() });
            }
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    Ok((found, errors))
}

/// What is said of a list whose selectors the server does not understand, or of a kind that the server does not serve any
/// more (`Selector.Visit` in `k8s.io/cli-runtime/pkg/resource`).
fn with_selectors(mut stop: Stop, args: &Args, kind: Kind) -> Stop {
    if let Stop::Error(Error::Status(s)) = &mut stop
        && matches!(&*s.reason, "BadRequest" | "NotFound")
    {
        let resource = resource_string(kind);
        let (labels, fields) = (args.text("selector"), args.text("field-selector"));
        s.status.message = if labels.is_empty() && fields.is_empty() {
            format!("Unable to list {resource}: {}", s.message, resource = go_quote(&resource))
        } else {
            format!(
                "Unable to find {resource} that match label selector {labels}, field selector {fields}: {}",
                s.message,
                resource = go_quote(&resource),
                labels = go_quote(labels),
                fields = go_quote(fields)
            )
        };
    }
    stop
}

/// `apps/v1, Resource=deployments`, as Go prints a GroupVersionResource.
pub(super) fn resource_string(kind: Kind) -> String {
    format!("{}/{}, Resource={}", kind.group(), kind.version(), kind.plural())
}

/// `deployment.apps/web`, as success messages and `-o name` have it.
pub(super) fn resource_name(kind: Kind, name: &str) -> String {
    if kind.group().is_empty() {
        format!("{}/{name}", kind.singular())
    } else {
        format!("{}.{}/{name}", kind.singular(), kind.group())
    }
}

/// Objects with the files they were named in, and what was not found.
type Fetched = (Vec<(Object, String)>, Vec<Error>);

/// Fetches one object by `TYPE NAME` or `TYPE/NAME` for commands on several objects; errors end it
/// only after all were tried.
///
/// With `--local` the objects are those of the files, and the server is not asked.
pub(super) fn objects(
    cx: &mut Invocation<'_>,
    args: &Args,
    words: &[String],
    rules: Rules,
) -> Result<Fetched> {
    if args.on("local") {
        return local(cx, args, words, rules);
    }
    let targets = targets(cx, args, words, rules)?;
    let (found, errors) = fetch(cx, args, &targets)?;
    let objects = found.into_iter().flat_map(|f| {
        let source = f.source;
        f.objects.into_iter().map(move |o| (o, source.clone()))
    });
    Ok((objects.collect(), errors))
}

/// What a command says that gets objects by name and may not ask the server (`resource.LocalResourceError`).
const LOCAL: &str = "error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'";

fn local(cx: &mut Invocation<'_>, args: &Args, words: &[String], rules: Rules) -> Result<Fetched> {
    if !words.is_empty() {
        return fail(LOCAL);
    }
    let mut objects = Vec::new();
    for target in targets(cx, args, words, rules)? {
        if let Target::File(m) = target {
            objects.push((answer::object(m.kind, m.value.clone())?, m.source.clone()));
        }
    }
    Ok((objects, Vec::new()))
}
