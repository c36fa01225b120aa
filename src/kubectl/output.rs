//! How a command prints objects: `-o`, `--dry-run`, and the lines that say what was done.

use serde_json::{Value, json};

use super::custom_columns::Columns;
use super::flags::{Args, Flag, boolean, optional, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::{files, go, go_template, kyaml, resource};
use crate::api::jsonpath::Template;
use crate::api::quote::go_quote;
use crate::api::{Kind, yaml};

/// The flags of printing.
pub(super) const PRINT: &[Flag] = &[
    text("output").short('o'),
    text("template"),
    boolean("allow-missing-template-keys").or("true"),
    boolean("show-managed-fields"),
];
/// `--dry-run`
pub(super) const DRY_RUN: &[Flag] = &[DRY];
const DRY: Flag = optional("dry-run", "unchanged").or("none");

/// `--dry-run` and `--field-manager` of a command that writes as a field manager of its own.
pub(super) const fn managed(manager: &'static str) -> [Flag; 2] {
    [DRY, text("field-manager").or(manager)]
}

/// `--dry-run`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DryRun {
    No,
    Client,
    Server,
}

impl DryRun {
    pub(super) fn of(cx: &mut Invocation<'_>, args: &Args) -> Result<DryRun> {
        Ok(match args.flag("dry-run") {
            None | Some("none" | "false") => DryRun::No,
            Some("client") => DryRun::Client,
            Some("server") => DryRun::Server,
            Some("unchanged") => {
                cx.err.push_str("W0000 --dry-run is deprecated and can be replaced with --dry-run=client.\n");
                DryRun::Client
            }
            Some("true") => DryRun::Client,
            Some(other) => {
                return fail(format!(
                    "Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."
                ));
            }
        })
    }

    /// The end of a line that says what was done: ` (dry run)`.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            DryRun::No => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        }
    }
}

/// A printer of whole objects.
pub(super) enum Printer {
    Name,
    /// JSON; whether with `managedFields`.
    Json(bool),
    /// YAML; whether with `managedFields`.
    Yaml(bool),
    JsonPath(String, Template),
    JsonPathAsJson(Template),
    Columns(Columns),
    GoTemplate {
        text: String,
        parsed: go_template::Template,
        /// Whether a key that is missing is an error.
        strict: bool,
    },
    /// KYAML; whether with `managedFields`.
    Kyaml(bool),
}

const FORMATS: &str = "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml";
const FORMATS_PLAIN: &str = "go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml";

impl Printer {
    /// The printer that `-o` asks for; `None` if the command prints tables or lines of its own.
    pub(super) fn of(cx: &Invocation<'_>, args: &Args, tables: bool) -> Result<Option<Printer>> {
        let output = args.text("output");
        let (name, template) = match output.split_once('=') {
            Some((name, template)) => (name, template),
            None => (output, args.text("template")),
        };
        let needs = |t: &str| -> Result {
            if t.is_empty() { fail("template format specified but no template given") } else { Ok(()) }
        };
        let strict = !args.on("allow-missing-template-keys");
        Ok(Some(match name {
            "" => return Ok(None),
            "wide" if tables => return Ok(None),
            "name" => Printer::Name,
            "json" => Printer::Json(args.on("show-managed-fields")),
            "yaml" => Printer::Yaml(args.on("show-managed-fields")),
            "jsonpath" | "jsonpath-file" => {
                needs(template)?;
                let text =
                    if name == "jsonpath" { template.to_owned() } else { template_file(cx, template)? };
                let parsed = parse(&text, strict)?;
                Printer::JsonPath(text, parsed)
            }
            "jsonpath-as-json" => {
                needs(template)?;
                Printer::JsonPathAsJson(parse(template, strict)?)
            }
            "custom-columns" if tables => Printer::Columns(Columns::parse(template)?),
            "custom-columns-file" if tables => Printer::Columns(columns_file(&template_file(cx, template)?)?),
            "go-template" | "template" | "go-template-file" | "templatefile" => {
                needs(template)?;
                let file = name.ends_with("file");
                let text = if file { template_file(cx, template)? } else { template.to_owned() };
                match go_template::Template::parse(&text) {
                    Ok(parsed) => Printer::GoTemplate { text, parsed, strict },
                    Err(e) => return fail(format!("error parsing template {text}, {e}")),
                }
            }
            "kyaml" => Printer::Kyaml(args.on("show-managed-fields")),
            _ => {
                let formats = if tables { FORMATS } else { FORMATS_PLAIN };
                return fail(format!(
                    "unable to match a printer suitable for the output format {output}, allowed formats are: {formats}",
                    output = go_quote(output)
                ));
            }
        }))
    }

    /// Prints one object more: YAML has a line between objects.
    pub(super) fn print_next(&self, cx: &mut Invocation<'_>, value: &Value) -> Result {
        if matches!(self, Printer::Yaml(_)) && !cx.out.is_empty() {
            cx.out.push_str("---\n");
        }
        self.print(cx, value, true)
    }

    /// Prints one object or a `List`.
    pub(super) fn print(&self, cx: &mut Invocation<'_>, value: &Value, headers: bool) -> Result {
        match self {
            Printer::Name => {
                for v in items(value) {
                    let line = name_of(v);
                    cx.say(&line);
                }
            }
            Printer::Json(managed) => {
                let text = go::json_indent(&shown(value, *managed));
                cx.say(&text);
            }
            Printer::Yaml(managed) => cx.out.push_str(&yaml::to_yaml(&shown(value, *managed))),
            Printer::JsonPath(text, template) => match template.render(value) {
                Ok(rendered) => cx.out.push_str(&rendered),
                Err(e) => return fail(not_executed(text, &e, value)),
            },
            Printer::GoTemplate { text, parsed, strict } => match parsed.render(value, *strict) {
                Ok(rendered) => cx.out.push_str(&rendered),
                Err(e) => {
                    cx.out.push_str(&format!(
                        "Error executing template: {e}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t{text}\n\traw data was:\n\t\t{}\n\tobject given to template engine was:\n\t\t{}\n\n",
                        go::json(value),
                        go::format_value(value)
                    ));
                    return fail(format!("error executing template {}: {e}", go_quote(text)));
                }
            },
            Printer::Kyaml(managed) => cx.out.push_str(&kyaml::document(&shown(value, *managed))),
            Printer::JsonPathAsJson(template) => match template.find(value) {
                Ok(found) => {
                    let found = go::json_indent(&Value::Array(found.into_iter().cloned().collect()));
                    cx.say(&found);
                }
                Err(e) => return fail(e),
            },
            Printer::Columns(columns) => {
                let objects: Vec<Value> = items(value).into_iter().cloned().collect();
                let text = columns.render(&objects, headers)?;
                cx.out.push_str(&text);
            }
        }
        Ok(())
    }
}

fn parse(text: &str, strict: bool) -> Result<Template> {
    match Template::parse(text) {
        Ok(template) if strict => Ok(template.strict()),
        Ok(template) => Ok(template),
        Err(e) => fail(format!("error parsing jsonpath {text}, {e}")),
    }
}

/// The text of a file with a template.
fn template_file(cx: &Invocation<'_>, name: &str) -> Result<String> {
    match files::text(cx, name) {
        Err(Stop::Error(e)) => fail(format!("error reading template {name}, {}", e.message())),
        text => text,
    }
}

fn columns_file(text: &str) -> Result<Columns> {
    let mut lines = text.lines().filter(|l| !l.trim().is_empty());
    let (Some(headers), Some(paths)) = (lines.next(), lines.next()) else {
        return fail(
            "invalid template, missing headers line. Expected format is one line of space separated headers, one line of space separated column specs.",
        );
    };
    let (headers, paths): (Vec<_>, Vec<_>) =
        (headers.split_whitespace().collect(), paths.split_whitespace().collect());
    if headers.len() != paths.len() {
        return fail(format!(
            "number of headers ({}) and field specifications ({}) don't match",
            headers.len(),
            paths.len()
        ));
    }
    let spec: Vec<String> = headers.iter().zip(&paths).map(|(h, p)| format!("{h}:{p}")).collect();
    Columns::parse(&spec.join(","))
}

fn not_executed(template: &str, why: &str, value: &Value) -> String {
    format!(
        "error executing jsonpath {}: Error executing template: {why}. Printing more information for debugging the template:\n\ttemplate was:\n\t\t{template}\n\tobject given to jsonpath engine was:\n\t\t{}\n\n\n",
        go_quote(template),
        go::format_syntax(value),
    )
}

fn items(value: &Value) -> Vec<&Value> {
    match value.get("items").and_then(Value::as_array) {
        Some(items) => items.iter().collect(),
        None => vec![value],
    }
}

fn name_of(value: &Value) -> String {
    let text = |p: &str| value.pointer(p).and_then(Value::as_str).unwrap_or_default();
    let name = text("/metadata/name");
    match Kind::of(text("/apiVersion"), text("/kind")) {
        Some(kind) => resource::resource_name(kind, name),
        None => {
            let group = text("/apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
            let dot = if group.is_empty() { "" } else { "." };
            format!("{}{dot}{group}/{name}", text("/kind").to_lowercase())
        }
    }
}

/// A `List` of objects, as `get` prints several.
pub(super) fn list(items: Vec<Value>) -> Value {
    json!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}})
}

/// An object, or each object of a list, with its `managedFields` or without (`OmitManagedFieldsPrinter`).
pub(super) fn shown(value: &Value, managed: bool) -> Value {
    let mut value = value.clone();
    if managed {
        return value;
    }
    let omit = |object: &mut Value| {
        if let Some(Value::Object(meta)) = object.get_mut("metadata") {
            meta.remove("managedFields");
        }
    };
    match value.get_mut("items").and_then(Value::as_array_mut) {
        Some(items) => items.iter_mut().for_each(omit),
        None => omit(&mut value),
    }
    value
}

/// Says what was done to an object: in a line, or with the object itself if `-o` asks for it.
pub(super) fn report(
    cx: &mut Invocation<'_>,
    args: &Args,
    value: &Value,
    operation: &str,
    dry_run: DryRun,
) -> Result {
    match Printer::of(cx, args, false)? {
        None => {
            let line = format!("{} {operation}{}", name_of(value), dry_run.suffix());
            cx.say(&line);
            Ok(())
        }
        Some(printer) => printer.print_next(cx, value),
    }
}
