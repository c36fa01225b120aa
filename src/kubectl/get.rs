//! `kubectl get`

use serde_json::Value;

use super::context::{Context, Result, fail};
use super::flags::Args;
use super::jsonpath::{self, Template};
use super::output::{self, Printer};
use super::resource::{self, Found, Rules};
use super::tabwriter;
use super::{commands, printers};
use crate::api::order;
use crate::api::{MetaExt, Object, quantity};
use crate::apiserver::kinds;

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
    if let Some(path) = args.flag("raw") {
        return raw(cx, path);
    }
    if args.words.is_empty() && !args.has("filename") {
        cx.err.push_str("You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\n");
        return commands::usage(
            "kubectl get",
            "Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).",
        );
    }
    if args.on("watch-only") || (args.on("watch") && !args.has("request-timeout")) {
        return fail("watching is what the page is for: -w is not built here");
    }
    let all_namespaces = args.on("all-namespaces");
    let rules = Rules { all_by_default: true, required: true, all_namespaces };
    let targets = resource::targets(cx, args, &args.words, rules)?;
    let (mut found, mut errors) = resource::fetch(cx, args, &targets)?;
    if args.on("ignore-not-found") {
        errors.retain(|e| !e.is_not_found());
    }
    sort(args, &mut found)?;
    match Printer::of(cx, args, true)? {
        Some(printer) => whole(cx, args, &printer, &found, errors.is_empty())?,
        None => {
            let before = cx.out.len();
            tables(cx, args, &found, all_namespaces);
            if cx.out.len() == before && errors.is_empty() && !args.on("ignore-not-found") {
                let line = if all_namespaces || found.iter().all(|f| !f.kind.namespaced()) {
                    "No resources found\n".to_owned()
                } else {
                    format!("No resources found in {} namespace.\n", cx.namespace)
                };
                cx.err.push_str(&line);
            }
        }
    }
    commands::finish(errors)
}

fn raw(cx: &mut Context<'_>, path: &str) -> Result {
    match path {
        "/healthz" | "/livez" | "/readyz" => {
            cx.out.push_str("ok");
            Ok(())
        }
        "/version" => {
            cx.out.push_str(&crate::apiserver::http::discovery::version());
            Ok(())
        }
        _ => fail("raw requests are not built here: name a resource"),
    }
}

/// Objects as they are, one by itself or several in a list.
fn whole(cx: &mut Context<'_>, args: &Args, printer: &Printer, found: &[Found], fine: bool) -> Result {
    let values: Vec<Value> =
        found.iter().flat_map(|f| &f.objects).map(|o| output::presentable(args, o.to_value())).collect();
    let headers = !args.on("no-headers");
    let single = found.len() == 1 && found.iter().all(|f| f.named);
    match (single, values.as_slice()) {
        (true, [one]) => printer.print(cx, one, headers),
        _ if found.is_empty() && (!fine || args.on("ignore-not-found")) => Ok(()),
        _ => printer.print(cx, &output::list(values), headers),
    }
}

fn tables(cx: &mut Context<'_>, args: &Args, found: &[Found], all_namespaces: bool) {
    let mut kinds: Vec<_> = found.iter().map(|f| f.kind).collect();
    kinds.dedup();
    let with_kind = kinds.len() > 1 || args.on("show-kind");
    let before = cx.out.len();
    let mut rest = found;
    while let Some(first) = rest.first() {
        let end = rest.iter().position(|f| f.kind != first.kind).unwrap_or(rest.len());
        let (group, tail) = rest.split_at(end);
        rest = tail;
        let objects: Vec<&Object> = group.iter().flat_map(|f| &f.objects).collect();
        if objects.is_empty() {
            continue;
        }
        if cx.out.len() > before && !args.on("no-headers") {
            cx.out.push('\n');
        }
        let table = table(cx, args, &objects, with_kind, all_namespaces);
        cx.out.push_str(&table);
    }
}

/// The aligned table of some objects of one kind.
fn table(
    cx: &Context<'_>,
    args: &Args,
    objects: &[&Object],
    with_kind: bool,
    all_namespaces: bool,
) -> String {
    let Some(kind) = objects.first().map(|o| o.kind()) else { return String::new() };
    let columns = kinds::columns(kind);
    let wide = args.text("output") == "wide";
    let shown = |i: &usize| columns.get(*i).is_some_and(|c| wide || !c.wide);
    let indexes: Vec<usize> = (0..columns.len()).filter(shown).collect();
    let labels = args.all("label-columns");
    let with_namespace = all_namespaces && kind.namespaced();
    let mut lines = String::new();
    if !args.on("no-headers") {
        let mut cells: Vec<String> = Vec::new();
        if with_namespace {
            cells.push("NAMESPACE".into());
        }
        cells.extend(indexes.iter().filter_map(|i| columns.get(*i)).map(|c| c.name.to_uppercase()));
        cells.extend(labels.iter().map(|l| l.rsplit('/').next().unwrap_or(l).to_uppercase()));
        if args.on("show-labels") {
            cells.push("LABELS".into());
        }
        push_line(&mut lines, &cells);
    }
    for object in objects {
        let mut cells: Vec<String> = Vec::new();
        if with_namespace {
            cells.push(object.namespace().to_owned());
        }
        let row = kinds::row(object, cx.now());
        for i in &indexes {
            let mut cell = one_line(row.get(*i).map(String::as_str).unwrap_or_default());
            if with_kind && columns.get(*i).is_some_and(|c| c.name == "Name") {
                cell = resource::resource_name(kind, &cell);
            }
            cells.push(cell);
        }
        cells.extend(labels.iter().map(|l| object.meta().label(l).unwrap_or_default().to_owned()));
        if args.on("show-labels") {
            cells.push(printers::format_labels(object.meta().labels.as_ref()));
        }
        push_line(&mut lines, &cells);
    }
    tabwriter::align(&lines, tabwriter::TABLE)
}

fn push_line(lines: &mut String, cells: &[String]) {
    lines.push_str(&cells.join("\t"));
    lines.push('\n');
}

/// A cell is one line: what follows is cut.
fn one_line(cell: &str) -> String {
    match cell.find(['\n', '\r', '\u{c}']) {
        Some(at) => format!("{}...", cell.get(..at).unwrap_or_default()),
        None => cell.replace('\t', " "),
    }
}

/// `--sort-by`
fn sort(args: &Args, found: &mut [Found]) -> Result {
    let path = args.text("sort-by");
    if path.is_empty() {
        return Ok(());
    }
    let template = jsonpath::relaxed(path).and_then(|p| Template::parse(&p));
    let template = match template {
        Ok(t) => t,
        Err(e) => return fail(e),
    };
    let mut any = false;
    let mut some = false;
    for f in found.iter_mut() {
        let mut keyed: Vec<(Option<Value>, Object)> = Vec::new();
        for o in f.objects.drain(..) {
            let value = o.to_value();
            let key = match template.find(&value) {
                Ok(values) => values.first().map(|v| (*v).clone()),
                Err(e) => return fail(e),
            };
            any |= key.is_some();
            some = true;
            keyed.push((key, o));
        }
        order::sort_by(&mut keyed, |a, b| compare(a.0.as_ref(), b.0.as_ref()));
        f.objects = keyed.into_iter().map(|(_, o)| o).collect();
    }
    if some && !any {
        return fail(format!(
            "couldn't find any field with path {:?} in the list of objects",
            format!("{{.{}}}", path.trim_matches(['{', '}', '.']))
        ));
    }
    Ok(())
}

/// Numbers as numbers, quantities as quantities, the rest as text; what is missing comes first.
fn compare(a: Option<&Value>, b: Option<&Value>) -> std::cmp::Ordering {
    match (a, b) {
        (Some(Value::String(a)), Some(Value::String(b))) => {
            match (quantity::Amount::parse(a), quantity::Amount::parse(b)) {
                (Ok(x), Ok(y)) => x.cmp(&y),
                _ => a.cmp(b),
            }
        }
        (Some(Value::Number(a)), Some(Value::Number(b))) => {
            a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0))
        }
        (Some(Value::Bool(a)), Some(Value::Bool(b))) => a.cmp(b),
        (None, None) => std::cmp::Ordering::Equal,
        (None, Some(_)) => std::cmp::Ordering::Less,
        (Some(_), None) => std::cmp::Ordering::Greater,
        (Some(a), Some(b)) => a.to_string().cmp(&b.to_string()),
    }
}
