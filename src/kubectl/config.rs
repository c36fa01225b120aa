//! `kubectl config` (`k8s.io/kubectl/pkg/cmd/config`): the kubeconfig, which is a file like others ([`KUBECONFIG`]). Without it
//! there are one cluster, one user and one context.

use serde_json::{Map, Value, json};

use super::command::{self, CliCommand, sub};
use super::error::Error;
use super::flags::{Args, boolean, text};
use super::invocation::{Invocation, Result, fail};
use super::output::{PRINT, Printer};
use super::tabwriter;
use super::{KUBECONFIG, SERVER};
use crate::api::order;
use crate::api::quote::go_quote;
use crate::api::yaml::{self, Limits};

/// What the cluster, the context and the user are called if there is no kubeconfig.
const NAME: &str = "steady";
/// The namespace of a context that names none.
const DEFAULT: &str = "default";

pub(super) const HELP: &str =
    "Modify kubeconfig files using subcommands like \"kubectl config set current-context my-context\".

Usage:
  kubectl config SUBCOMMAND [options]
";

/// The commands of the group.
pub(super) const COMMANDS: &[CliCommand] = &[
    sub("current-context", &[], &[], &[], current_context),
    sub("delete-cluster", &[], &[], &[], one_cluster),
    sub("delete-context", &[], &[], &[], delete_context),
    sub("delete-user", &[], &[], &[], one_cluster),
    sub("get-clusters", &[], &[], &[], |cx, _| names(cx, "clusters")),
    sub("get-contexts", &[], &[&[boolean("no-headers"), text("output").short('o')]], &[], get_contexts),
    sub("get-users", &[], &[], &[], |cx, _| names(cx, "users")),
    sub("rename-context", &[], &[], &[], rename_context),
    sub("set", &[], &[&[boolean("set-raw-bytes")]], &[], set),
    sub("set-cluster", &[], &[], &[], one_cluster),
    sub("set-context", &[], &[&[boolean("current")]], &[], set_context),
    sub("set-credentials", &[], &[], &[], one_cluster),
    sub("unset", &[], &[], &[], unset),
    sub("use-context", &["use"], &[], &[], use_context),
    sub("view", &[], &[PRINT, &[boolean("minify"), boolean("flatten"), boolean("raw")]], &[], view),
];

pub(super) fn group(cx: &mut Invocation<'_>, args: &Args) -> Result {
    command::group(cx, args, "kubectl config", HELP)
}

/// A kubeconfig.
pub(super) struct Config(Value);

impl Config {
    /// The kubeconfig of the person who runs the command.
    ///
    /// # Errors
    /// The file is no YAML.
    pub(super) fn read(cx: &Invocation<'_>) -> Result<Config> {
        let Some(text) = cx.files.read(KUBECONFIG) else {
            return Ok(Config(json!({
                "apiVersion": "v1", "kind": "Config", "preferences": {}, "current-context": NAME,
                "clusters": [{"name": NAME, "cluster": {"server": SERVER}}],
                "contexts": [{"name": NAME, "context": {"cluster": NAME, "namespace": DEFAULT, "user": NAME}}],
                "users": [{"name": NAME, "user": {}}],
            })));
        };
        match yaml::documents(&text, &Limits::default()) {
            Ok(documents) => Ok(Config(documents.into_iter().next().map_or(Value::Null, |d| d.value))),
            Err(e) => fail(format!("error loading config file {}: {}", go_quote(KUBECONFIG), e.message)),
        }
    }

    fn write(&self, cx: &mut Invocation<'_>) {
        cx.kubeconfig = Some(yaml::to_yaml(&self.0));
    }

    /// The name of the context that is used; empty if there is none.
    fn current(&self) -> &str {
        self.0.get("current-context").and_then(Value::as_str).unwrap_or_default()
    }

    fn all(&self, what: &str) -> impl Iterator<Item = &Value> {
        self.0.get(what).and_then(Value::as_array).into_iter().flatten()
    }

    /// The names of the contexts, clusters or users, sorted.
    pub(super) fn names(&self, what: &str) -> Vec<String> {
        let mut names: Vec<String> = self.all(what).map(|entry| name_of(entry).to_owned()).collect();
        order::sort(&mut names);
        names
    }

    fn context(&self, name: &str) -> Option<&Value> {
        self.all("contexts").find(|c| name_of(c) == name)
    }

    /// The name of the user as whom a context works.
    pub(super) fn user(&self, context: Option<&str>) -> &str {
        let context = self.context(context.filter(|c| !c.is_empty()).unwrap_or(self.current()));
        context.and_then(|c| c.pointer("/context/user")).and_then(Value::as_str).unwrap_or_default()
    }

    /// The namespace in which commands work that name none.
    ///
    /// # Errors
    /// `--context` names no context.
    pub(super) fn namespace(&self, context: Option<&str>) -> Result<String> {
        let name = context.filter(|c| !c.is_empty());
        let found = self.context(name.unwrap_or(self.current()));
        if let (Some(name), None) = (name, found) {
            return fail(format!("context {} does not exist", go_quote(name)));
        }
        let namespace = found.and_then(|c| c.pointer("/context/namespace")).and_then(Value::as_str);
        let namespace = namespace.filter(|n| !n.is_empty()).unwrap_or(DEFAULT);
        Ok(namespace.to_owned())
    }

    /// Puts a context in its place among the others.
    fn put(&mut self, name: &str, context: Value) {
        let mut contexts: Vec<Value> = self.all("contexts").filter(|c| name_of(c) != name).cloned().collect();
        contexts.push(json!({"name": name, "context": context}));
        order::sort_by(&mut contexts, |a, b| name_of(a).cmp(name_of(b)));
        self.set("contexts", contexts.into());
    }

    fn remove(&mut self, name: &str) {
        let contexts: Vec<Value> = self.all("contexts").filter(|c| name_of(c) != name).cloned().collect();
        self.set("contexts", contexts.into());
    }

    fn set(&mut self, field: &str, value: Value) {
        if !self.0.is_object() {
            self.0 = Value::Object(Map::new());
        }
        if let Some(fields) = self.0.as_object_mut() {
            fields.insert(field.to_owned(), value);
        }
    }
}

fn name_of(entry: &Value) -> &str {
    entry.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// The one word that a command is given.
fn word<'a>(args: &'a Args, path: &str) -> Result<&'a str> {
    match args.words.as_slice() {
        [one] => Ok(one),
        many => command::usage(path, format!("Unexpected args: [{}]", many.join(" "))),
    }
}

fn view(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let mut config = Config::read(cx)?;
    if args.on("minify") {
        let current = args.flag("context").unwrap_or(config.current()).to_owned();
        let Some(context) = config.context(&current).cloned() else {
            return fail(if current.is_empty() {
                "current-context must exist in order to minify".to_owned()
            } else {
                format!("cannot locate context {current}")
            });
        };
        for (list, field) in [("clusters", "/context/cluster"), ("users", "/context/user")] {
            let name = context.pointer(field).and_then(Value::as_str).unwrap_or_default();
            let kept: Vec<Value> = config.all(list).filter(|e| name_of(e) == name).cloned().collect();
            config.set(list, kept.into());
        }
        config.set("contexts", json!([context]));
        config.set("current-context", current.into());
    }
    match Printer::of(cx, args, false)? {
        Some(printer) => printer.print(cx, &config.0, true),
        None => Printer::Yaml(false).print(cx, &config.0, true),
    }
}

fn current_context(cx: &mut Invocation<'_>, _: &Args) -> Result {
    let config = Config::read(cx)?;
    if config.current().is_empty() {
        return fail("current-context is not set");
    }
    cx.say(config.current());
    Ok(())
}

fn names(cx: &mut Invocation<'_>, what: &str) -> Result {
    let config = Config::read(cx)?;
    cx.say("NAME");
    for name in config.names(what) {
        cx.say(&name);
    }
    Ok(())
}

fn get_contexts(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let config = Config::read(cx)?;
    let by_name = match args.text("output") {
        "" => false,
        "name" => true,
        "json"
        | "yaml"
        | "wide"
        | "custom-columns"
        | "custom-columns-file"
        | "go-template"
        | "go-template-file"
        | "jsonpath"
        | "jsonpath-file" => {
            let output = args.text("output");
            cx.say(&format!("--output {output} is not available in kubectl config get-contexts; resetting to default output format"));
            false
        }
        other => return fail(format!("output must be one of '' or 'name': {other}")),
    };
    let (mut wanted, mut errors) = (Vec::new(), Vec::new());
    for name in &args.words {
        match config.context(name) {
            Some(_) => wanted.push(name.clone()),
            None => errors.push(Error::text(format!("context {name} not found"))),
        }
    }
    if args.words.is_empty() {
        wanted = config.names("contexts");
    }
    order::sort(&mut wanted);
    let mut lines = String::new();
    if !by_name && !args.on("no-headers") {
        lines.push_str("CURRENT\tNAME\tCLUSTER\tAUTHINFO\tNAMESPACE\n");
    }
    for name in &wanted {
        if by_name {
            lines.push_str(&format!("{name}\n"));
            continue;
        }
        let text = |field: &str| {
            let of = config.context(name).and_then(|c| c.pointer(&format!("/context/{field}")));
            of.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let mark = if name == config.current() { "*" } else { " " };
        let (cluster, user, namespace) = (text("cluster"), text("user"), text("namespace"));
        lines.push_str(&format!("{mark}\t{name}\t{cluster}\t{user}\t{namespace}\n"));
    }
    let text = tabwriter::align(&lines, tabwriter::TABLE);
    cx.out.push_str(&text);
    command::finish(errors)
}

fn use_context(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = word(args, "kubectl config use-context")?;
    let mut config = Config::read(cx)?;
    if config.context(name).is_none() {
        return fail(format!("no context exists with the name: {}", go_quote(name)));
    }
    config.set("current-context", name.into());
    config.write(cx);
    cx.say(&format!("Switched to context {}.", go_quote(name)));
    Ok(())
}

fn set_context(cx: &mut Invocation<'_>, args: &Args) -> Result {
    if args.words.len() > 1 {
        word(args, "kubectl config set-context")?;
    }
    let mut config = Config::read(cx)?;
    let name = match (args.words.first(), args.on("current")) {
        (None, false) => return fail("you must specify a non-empty context name or --current"),
        (Some(_), true) => return fail("you cannot specify both a context name and --current"),
        (Some(name), false) => name.clone(),
        (None, true) if config.current().is_empty() => return fail("no current context is set"),
        (None, true) => config.current().to_owned(),
    };
    let existing = config.context(&name).and_then(|c| c.get("context")).cloned();
    let exists = existing.is_some();
    let mut context = existing.filter(Value::is_object).unwrap_or_else(|| json!({}));
    for field in ["cluster", "user", "namespace"] {
        if let Some(value) = args.flag(field) {
            context[field] = value.into();
        }
    }
    config.put(&name, context);
    config.write(cx);
    let done = if exists { "modified" } else { "created" };
    cx.say(&format!("Context {} {done}.", go_quote(&name)));
    Ok(())
}

fn rename_context(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let [from, to] = args.words.as_slice() else {
        let words = args.words.join(" ");
        return command::usage("kubectl config rename-context", format!("Unexpected args: [{words}]"));
    };
    let mut config = Config::read(cx)?;
    let Some(context) = config.context(from).and_then(|c| c.get("context")).cloned() else {
        return fail(format!("cannot rename the context {}, it's not in {KUBECONFIG}", go_quote(from)));
    };
    if config.context(to).is_some() {
        let (from, to) = (go_quote(from).to_string(), go_quote(to).to_string());
        return fail(format!(
            "cannot rename the context {from}, the context {to} already exists in {KUBECONFIG}"
        ));
    }
    config.remove(from);
    config.put(to, context);
    if config.current() == from {
        config.set("current-context", to.as_str().into());
    }
    config.write(cx);
    cx.say(&format!("Context {} renamed to {}.", go_quote(from), go_quote(to)));
    Ok(())
}

fn delete_context(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = word(args, "kubectl config delete-context")?;
    let mut config = Config::read(cx)?;
    if config.context(name).is_none() {
        return fail(format!("cannot delete context {name}, not in {KUBECONFIG}"));
    }
    if config.current() == name {
        cx.err.push_str("warning: this removed your active context, use \"kubectl config use-context\" to select a different one\n");
    }
    config.remove(name);
    config.write(cx);
    cx.say(&format!("deleted context {name} from {KUBECONFIG}"));
    Ok(())
}

/// The field of a context that a path of `config set` names (`contexts.dev.namespace`).
fn field_of(path: &str) -> Option<(&str, &str)> {
    let (name, field) = path.strip_prefix("contexts.")?.rsplit_once('.')?;
    matches!(field, "cluster" | "user" | "namespace").then_some((name, field))
}

fn set(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let [path, value] = args.words.as_slice() else {
        let words = args.words.join(" ");
        return command::usage("kubectl config set", format!("Unexpected args: [{words}]"));
    };
    change(cx, path, Some(value))?;
    cx.say(&format!("Property {} set.", go_quote(path)));
    Ok(())
}

fn unset(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let path = word(args, "kubectl config unset")?;
    change(cx, path, None)?;
    cx.say(&format!("Property {} unset.", go_quote(path)));
    Ok(())
}

fn change(cx: &mut Invocation<'_>, path: &str, value: Option<&str>) -> Result {
    let mut config = Config::read(cx)?;
    if path == "current-context" {
        config.set(path, value.unwrap_or_default().into());
    } else if let Some((name, field)) = field_of(path) {
        let mut context =
            config.context(name).and_then(|c| c.get("context")).cloned().unwrap_or_else(|| json!({}));
        match (value, context.as_object_mut()) {
            (Some(value), _) => context[field] = value.into(),
            (None, Some(fields)) => {
                fields.remove(field);
            }
            (None, None) => {}
        }
        config.put(name, context);
    } else {
        return fail(
            "there is one cluster and one user here: only current-context and the fields of contexts can be changed",
        );
    }
    config.write(cx);
    Ok(())
}

/// What would change how the cluster is reached.
fn one_cluster(_: &mut Invocation<'_>, _: &Args) -> Result {
    fail("this terminal belongs to one cluster, as one user: there is nothing else to connect to")
}
