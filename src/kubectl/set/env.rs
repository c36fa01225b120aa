//! `kubectl set env`

use std::collections::BTreeMap;

use base64::Engine;
use serde_json::{Map, Value, json};

use super::super::command;
use super::super::error::Error;
use super::super::files;
use super::super::flags::Args;
use super::super::invocation::{Invocation, Result, Stop, fail};
use super::super::keys::env_var_name;
use super::super::resource::{self, Rules};
use super::super::resource_value::resource_value;
use super::{change, containers, dry_run, name_of, pattern, pod_spec, selected};
use crate::api::quote::go_quote;
use crate::api::types::{ConfigMap, Secret};
use crate::api::{Kind, Object};

/// What a command does to the variables of a container.
struct Changes {
    /// Variables to set, with `name`.
    set: Vec<Value>,
    remove: Vec<String>,
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let is_change = |w: &String| (w.contains('=') && !w.starts_with('=')) || w.ends_with('-');
    let first = args.words.iter().position(is_change).unwrap_or(args.words.len());
    let (words, pairs) = args.words.split_at(first);
    if !pairs.iter().all(is_change) {
        let all = args.words.join(" ");
        return fail(format!("all resources must be specified before environment changes: {all}"));
    }
    dry_run(cx, args)?;
    if words.is_empty() && !args.has_files() {
        return fail("one or more resources must be specified as <resource> <name> or <resource>/<name>");
    }
    if args.on("list") && !args.text("output").is_empty() {
        return fail("--list and --output may not be specified together");
    }
    if !args.all("keys").is_empty() && args.text("from").is_empty() {
        return fail("when specifying --keys, a configmap or secret must be provided with --from");
    }
    let specs = args.all("env").iter().chain(pairs);
    let mut changes = parse(cx, specs)?;
    if !args.text("from").is_empty() {
        from(cx, args, &mut changes)?;
    }
    for var in &mut changes.set {
        let name = format!("{}{}", args.text("prefix"), name(var));
        var["name"] = name.into();
    }
    if args.on("list") {
        return list(cx, args, words, &changes);
    }
    let failed = "failed to patch env update to pod template:";
    change(cx, args, words, "env updated", failed, &mut |cx, object, value| {
        let spec = pod_spec(object, value)?;
        let mut found = false;
        for c in containers(spec).filter(|c| selected(pattern(args), name_of(c))) {
            found = true;
            let mut vars = c.get("env").and_then(Value::as_array).cloned().unwrap_or_default();
            if !args.on("overwrite") {
                refuse_overwrites(&vars, &changes)?;
            }
            update(&mut vars, &changes);
            if vars.is_empty() {
                c.remove("env");
            } else {
                c.insert("env".into(), Value::Array(vars));
            }
        }
        if !found {
            without_containers(cx, object, pattern(args));
        }
        Ok(true)
    })
}

fn without_containers(cx: &mut Invocation<'_>, object: &Object, pattern: &str) {
    cx.warn(&format!(
        "{}/{} does not have any containers matching {pattern}",
        object.kind().as_str(),
        object.name(),
        pattern = go_quote(pattern)
    ));
}

fn name(var: &Value) -> &str {
    var.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// `A=b` sets a variable, `A-` removes one, `-` reads them from the standard input.
fn parse<'w>(cx: &Invocation<'_>, specs: impl Iterator<Item = &'w String>) -> Result<Changes> {
    let mut changes = Changes { set: Vec::new(), remove: Vec::new() };
    let mut given = Vec::new();
    for spec in specs {
        if spec == "-" {
            let text = files::text(cx, "-")?;
            let lines = text.lines().map(|l| l.split('#').next().unwrap_or(l));
            changes
                .set
                .extend(lines.filter_map(|l| l.split_once('=')).map(|(k, v)| json!({"name": k, "value": v})));
        } else if let Some((name, value)) = spec.split_once('=') {
            let wrong = env_var_name(name);
            if !wrong.is_empty() {
                return fail(format!(
                    "{name} is not a valid key name: {}",
                    wrong.join(";"),
                    name = go_quote(name)
                ));
            }
            given.push(name);
            changes.set.push(json!({"name": name, "value": value}));
        } else if let Some(name) = spec.strip_suffix('-') {
            changes.remove.push(name.to_owned());
        } else {
            return fail(format!("unknown environment variable: {spec}"));
        }
    }
    if changes.remove.iter().any(|r| given.contains(&r.as_str())) {
        return fail("can not both modify and remove the same environment variable in the same command");
    }
    Ok(changes)
}

/// `--from`: a variable for each key of a ConfigMap or a Secret.
fn from(cx: &mut Invocation<'_>, args: &Args, changes: &mut Changes) -> Result {
    let words = [args.text("from").to_owned()];
    let (objects, errors) =
        resource::objects(cx, &args.without("filename").without("kustomize"), &words, Rules::default())?;
    command::finish(errors)?;
    for (object, _) in objects {
        let (field, keys): (&str, Vec<&String>) = match (object.get::<Secret>(), object.get::<ConfigMap>()) {
            (Some(secret), _) => ("secretKeyRef", secret.data.iter().flat_map(BTreeMap::keys).collect()),
            (_, Some(map)) => ("configMapKeyRef", map.data.iter().flat_map(BTreeMap::keys).collect()),
            (None, None) => return fail("unsupported resource specified in --from"),
        };
        let wanted = args.all("keys");
        for key in keys.into_iter().filter(|k| wanted.is_empty() || wanted.contains(k)) {
            let name: String = key
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_uppercase() } else { '_' })
                .collect();
            if name != *key {
                cx.warn(&format!("key {key} transferred to {name}"));
            }
            let source = json!({field: {"key": key, "name": object.name()}});
            changes.set.push(json!({"name": name, "valueFrom": source}));
        }
    }
    Ok(())
}

fn refuse_overwrites(vars: &[Value], changes: &Changes) -> Result {
    for new in &changes.set {
        let value = |v: &Value| v.get("value").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(old) = vars.iter().find(|v| name(v) == name(new))
            && value(old) != value(new)
        {
            return fail(format!(
                "'{}' already has a value ({}), and --overwrite is false",
                name(old),
                value(old)
            ));
        }
    }
    Ok(())
}

/// Sets and removes variables; each keeps its place, new ones come last (`updateEnv`).
fn update(vars: &mut Vec<Value>, changes: &Changes) {
    let mut covered: Vec<String> = changes.remove.clone();
    let mut out = Vec::new();
    for old in vars.drain(..) {
        if covered.iter().any(|c| c == name(&old)) {
            continue;
        }
        match changes.set.iter().find(|new| name(new) == name(&old)) {
            Some(new) => {
                covered.push(name(new).to_owned());
                out.push(new.clone());
            }
            None => out.push(old),
        }
    }
    for new in &changes.set {
        if !covered.iter().any(|c| c == name(new)) {
            covered.push(name(new).to_owned());
            out.push(new.clone());
        }
    }
    *vars = out;
}

/// `--list`: the variables as they would be.
fn list(cx: &mut Invocation<'_>, args: &Args, words: &[String], changes: &Changes) -> Result {
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, words, rules)?;
    for (object, _) in objects {
        let mut value = object.to_value();
        let Ok(spec) = pod_spec(&object, &mut value) else { continue };
        let mut found = false;
        for c in containers(spec).filter(|c| selected(pattern(args), name_of(c))) {
            found = true;
            let mut vars = c.get("env").and_then(Value::as_array).cloned().unwrap_or_default();
            update(&mut vars, changes);
            cx.say(&format!("# {} {}, container {}", object.kind().as_str(), object.name(), name_of(c)));
            list_one(cx, args, &object, c, &vars)?;
        }
        if !found {
            without_containers(cx, &object, pattern(args));
        }
    }
    command::finish(errors)
}

fn list_one(
    cx: &mut Invocation<'_>,
    args: &Args,
    object: &Object,
    container: &Map<String, Value>,
    vars: &[Value],
) -> Result {
    let mut unresolved: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for var in vars {
        let Some(source) = var.get("valueFrom") else {
            let value = var.get("value").and_then(Value::as_str).unwrap_or_default();
            cx.say(&format!("{}={value}", name(var)));
            continue;
        };
        if args.on("resolve") {
            match resolve(cx, object, container, source) {
                Ok(value) => {
                    cx.say(&format!("{}={value}", name(var)));
                    continue;
                }
                Err(Stop::Error(e)) => unresolved.entry(message(&e)).or_default().push(name(var)),
                Err(stop) => return Err(stop),
            }
        }
        cx.say(&format!("# {} from {}", name(var), described(source)));
    }
    for (why, mut names) in unresolved {
        crate::api::order::sort(&mut names);
        let names = names.join(", ");
        cx.err.push_str(&format!("error retrieving reference for {names}: {why}\n"));
    }
    Ok(())
}

fn message(e: &Error) -> String {
    match e {
        Error::Status(s) => s.message.clone(),
        other => other.message(),
    }
}

/// Where a value comes from, in words (`GetEnvVarRefString`).
fn described(source: &Value) -> String {
    let text = |path: &str| source.pointer(path).and_then(Value::as_str).unwrap_or_default();
    if source.get("configMapKeyRef").is_some() {
        format!("configmap {}, key {}", text("/configMapKeyRef/name"), text("/configMapKeyRef/key"))
    } else if source.get("secretKeyRef").is_some() {
        format!("secret {}, key {}", text("/secretKeyRef/name"), text("/secretKeyRef/key"))
    } else if source.get("fieldRef").is_some() {
        format!("field path {}", text("/fieldRef/fieldPath"))
    } else if source.get("resourceFieldRef").is_some() {
        let container = text("/resourceFieldRef/containerName");
        let slash = if container.is_empty() { "" } else { "/" };
        format!("resource field {container}{slash}{}", text("/resourceFieldRef/resource"))
    } else {
        "invalid valueFrom".to_owned()
    }
}

/// The value behind a reference (`GetEnvVarRefValue`).
fn resolve(
    cx: &mut Invocation<'_>,
    object: &Object,
    container: &Map<String, Value>,
    source: &Value,
) -> Result<String> {
    let text = |path: &str| source.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let namespace = cx.namespace.clone();
    if source.get("secretKeyRef").is_some() {
        let (key, name) = (text("/secretKeyRef/key"), text("/secretKeyRef/name"));
        let secret = cx.get(Kind::SECRET, &namespace, name)?.to_value();
        let value = secret.get("data").and_then(|d| d.get(key)).and_then(Value::as_str);
        let bytes = value.and_then(|v| base64::engine::general_purpose::STANDARD.decode(v).ok());
        return match bytes {
            Some(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            None => fail(format!("key {key} not found in secret {name}")),
        };
    }
    if source.get("configMapKeyRef").is_some() {
        let (key, name) = (text("/configMapKeyRef/key"), text("/configMapKeyRef/name"));
        let map = cx.get(Kind::CONFIG_MAP, &namespace, name)?.to_value();
        return match map.get("data").and_then(|d| d.get(key)).and_then(Value::as_str) {
            Some(value) => Ok(value.to_owned()),
            None => fail(format!("key {key} not found in config map {name}")),
        };
    }
    if source.get("fieldRef").is_some() {
        return of_field(object, text("/fieldRef/fieldPath"));
    }
    if source.get("resourceFieldRef").is_some() {
        return resource_value(
            container.get("resources"),
            text("/resourceFieldRef/resource"),
            text("/resourceFieldRef/divisor"),
        );
    }
    fail("invalid valueFrom")
}

fn of_field(object: &Object, path: &str) -> Result<String> {
    let value = object.to_value();
    if let Some((map, key)) = path.strip_suffix("']").and_then(|p| p.split_once("['")) {
        return match map {
            "metadata.annotations" | "metadata.labels" => {
                let at = format!("/{}", map.replace('.', "/"));
                let found = value.pointer(&at).and_then(|m| m.get(key)).and_then(Value::as_str);
                Ok(found.unwrap_or_default().to_owned())
            }
            _ => fail(format!("fieldPath {path} does not support subscript", path = go_quote(path))),
        };
    }
    let at = format!("/{}", path.replace('.', "/"));
    let found = value.pointer(&at);
    match path {
        "metadata.annotations" | "metadata.labels" => {
            let pairs = found.and_then(Value::as_object).into_iter().flatten();
            let lines: Vec<String> =
                pairs.map(|(k, v)| format!("{k}={}", go_quote(v.as_str().unwrap_or_default()))).collect();
            Ok(lines.join("\n"))
        }
        "metadata.name" | "metadata.namespace" | "metadata.uid" => {
            Ok(found.and_then(Value::as_str).unwrap_or_default().to_owned())
        }
        _ => fail(format!("unsupported fieldPath: {path}")),
    }
}
