//! What `kubectl create configmap` and `create secret generic` take their keys from: `--from-literal`, `--from-file`
//! and `--from-env-file` (`pkg/cmd/create/create_configmap.go` and `create_secret.go`), and the hash of `--append-hash`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::flags::{Args, Flag, array, boolean, slice, text};
use super::generate::name;
use super::hash;
use super::invocation::{Invocation, Result, fail};
use super::keys::{config_map_key, env_var_name};
use super::paths::{clean, join};
use crate::api::Kind;
use crate::api::quote::go_quote;

/// The flags that name sources.
pub(super) const FROM: &[Flag] =
    &[array("from-literal"), slice("from-file"), slice("from-env-file"), boolean("append-hash")];

/// The flags of `create secret docker-registry`.
pub(super) const REGISTRY: &[Flag] = &[
    text("docker-username"),
    text("docker-password"),
    text("docker-email"),
    text("docker-server").or("https://index.docker.io/v1/"),
    slice("from-file"),
    boolean("append-hash"),
];

/// The flags of `create secret tls`.
pub(super) const TLS: &[Flag] = &[text("cert"), text("key"), boolean("append-hash")];

/// The two kinds that are made of sources. They refuse the same things in different words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    ConfigMap,
    Secret,
}

/// The ConfigMap of `create configmap`.
pub(super) fn config_map(cx: &Invocation<'_>, args: &Args) -> Result<Value> {
    let mut value = json!({"metadata": {"name": name(args)?}});
    let data = data(cx, args, Made::ConfigMap)?;
    append_hash(args, &mut value, json!({"kind": Kind::CONFIG_MAP.as_str(), "data": data}))?;
    if !data.is_empty() {
        value["data"] = Value::Object(data);
    }
    Ok(value)
}

/// The Secret of `create secret generic`.
pub(super) fn secret(cx: &Invocation<'_>, args: &Args) -> Result<Value> {
    let mut value = json!({"metadata": {"name": name(args)?}});
    let mut data = data(cx, args, Made::Secret)?;
    encode(&mut data);
    fill(args, &mut value, data, args.text("type"))?;
    Ok(value)
}

/// Gives a Secret its type and its data, which are encoded.
fn fill(args: &Args, value: &mut Value, data: Map<String, Value>, kind: &str) -> Result {
    append_hash(args, value, json!({"kind": Kind::SECRET.as_str(), "type": kind, "data": data}))?;
    if !data.is_empty() {
        value["data"] = Value::Object(data);
    }
    if !kind.is_empty() {
        value["type"] = kind.into();
    }
    Ok(())
}

/// The Secret of `create secret docker-registry` (`create_secret_docker.go`).
pub(super) fn docker_registry(cx: &Invocation<'_>, args: &Args) -> Result<Value> {
    const KEY: &str = ".dockerconfigjson";
    let mut value = json!({"metadata": {"name": name(args)?}});
    let [user, password, email, server] =
        ["docker-username", "docker-password", "docker-email", "docker-server"].map(|flag| args.text(flag));
    let mut into = Into { made: Made::Secret, name: name(args)?, data: Map::new() };
    if args.all("from-file").is_empty() {
        if [user, password, server].contains(&"") {
            return fail(
                "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required",
            );
        }
        // Empty fields are left out, and the order is that of the Go type.
        let auth = STANDARD.encode(format!("{user}:{password}"));
        let fields = [("username", user), ("password", password), ("email", email), ("auth", &auth)];
        let fields = fields.iter().filter(|(_, v)| !v.is_empty());
        let quoted = |text: &str| Value::from(text).to_string();
        let entry: Vec<String> = fields.map(|(k, v)| format!("{}:{}", quoted(k), quoted(v))).collect();
        into.data.insert(
            KEY.into(),
            format!("{{\"auths\":{{{}:{{{}}}}}}}", quoted(server), entry.join(",")).into(),
        );
    } else {
        for source in args.all("from-file") {
            let (key, file) = file_source(source)?;
            let key = if source.contains('=') { key } else { KEY };
            into.add(key, &read(cx, file)?)?;
        }
    }
    encode(&mut into.data);
    fill(args, &mut value, into.data, "kubernetes.io/dockerconfigjson")?;
    Ok(value)
}

/// The Secret of `create secret tls` (`create_secret_tls.go`). The certificate and the key are not compared.
pub(super) fn tls(cx: &Invocation<'_>, args: &Args) -> Result<Value> {
    let mut value = json!({"metadata": {"name": name(args)?}});
    let (cert, key) = (args.text("cert"), args.text("key"));
    if cert.is_empty() || key.is_empty() {
        return fail("key and cert must be specified");
    }
    let load = |file: &str| match cx.files.read(clean(file)) {
        Some(text) => Ok(text),
        None => fail(format!("open {file}: no such file or directory")),
    };
    let (cert, key) = (load(cert)?, load(key)?);
    for (text, what) in [(&cert, "certificate"), (&key, "key")] {
        if !text.contains("-----BEGIN ") {
            return fail(format!("tls: failed to find any PEM data in {what} input"));
        }
    }
    let mut data = Map::from_iter([("tls.crt".to_owned(), cert.into()), ("tls.key".to_owned(), key.into())]);
    encode(&mut data);
    fill(args, &mut value, data, "kubernetes.io/tls")?;
    Ok(value)
}

fn encode(data: &mut Map<String, Value>) {
    for v in data.values_mut() {
        *v = STANDARD.encode(v.as_str().unwrap_or_default()).into();
    }
}

/// `--append-hash`: the hash of the content and the name stands behind the name (`pkg/util/hash`).
fn append_hash(args: &Args, value: &mut Value, mut content: Value) -> Result {
    if args.on("append-hash") {
        let name = name(args)?;
        content["name"] = name.into();
        value["metadata"]["name"] = format!("{name}-{}", hash::of(&content)).into();
    }
    Ok(())
}

fn data(cx: &Invocation<'_>, args: &Args, made: Made) -> Result<Map<String, Value>> {
    let (literals, files) = (args.all("from-literal"), args.all("from-file"));
    let env_files = args.all("from-env-file");
    let others = !literals.is_empty() || !files.is_empty();
    if !env_files.is_empty() && others {
        return fail("from-env-file cannot be combined with from-file or from-literal");
    }
    let mut into = Into { made, name: name(args)?, data: Map::new() };
    // What is wrong is said of the first source that is; their order differs.
    if made == Made::ConfigMap {
        from_files(cx, files, &mut into)?;
        from_literals(literals, &mut into)?;
    } else {
        from_literals(literals, &mut into)?;
        from_files(cx, files, &mut into)?;
    }
    for file in env_files {
        from_env_file(cx, file, &mut into)?;
    }
    Ok(into.data)
}

/// The keys and values so far, and what they are for.
struct Into<'a> {
    made: Made,
    name: &'a str,
    data: Map<String, Value>,
}

impl Into<'_> {
    fn add(&mut self, key: &str, value: &str) -> Result {
        let wrong = config_map_key(key);
        let (quoted, name) = (go_quote(key), go_quote(self.name));
        match (self.made, wrong.is_empty()) {
            (Made::ConfigMap, false) => {
                return fail(format!(
                    "{quoted} is not a valid key name for a ConfigMap: {}",
                    wrong.join(",")
                ));
            }
            (Made::Secret, false) => {
                return fail(format!("{quoted} is not valid key name for a Secret {}", wrong.join(";")));
            }
            (_, true) => {}
        }
        match (self.data.insert(key.to_owned(), value.into()), self.made) {
            (None, _) => Ok(()),
            (Some(_), Made::ConfigMap) => fail(format!(
                "cannot add key {quoted}, another key by that name already exists in Data for ConfigMap {name}"
            )),
            (Some(_), Made::Secret) => {
                fail(format!("cannot add key {key}, another key by that name already exists"))
            }
        }
    }
}

fn from_literals(literals: &[String], into: &mut Into<'_>) -> Result {
    for literal in literals {
        let Some((k, v)) = literal.split_once('=').filter(|(k, _)| !k.is_empty()) else {
            return fail(format!("invalid literal source {literal}, expected key=value"));
        };
        into.add(k, v.trim_matches(['\'', '"']))?;
    }
    Ok(())
}

/// Files, and the files of directories.
fn from_files(cx: &Invocation<'_>, sources: &[String], into: &mut Into<'_>) -> Result {
    for source in sources {
        let (key, file) = file_source(source)?;
        let Some(entries) = cx.files.list(clean(file)) else {
            into.add(key, &read(cx, file)?)?;
            continue;
        };
        if source.contains('=') {
            return fail("cannot give a key name for a directory path");
        }
        for entry in entries.iter().filter(|e| !e.ends_with('/')) {
            into.add(entry, &read(cx, &join(clean(file), entry))?)?;
        }
    }
    Ok(())
}

/// The key and the path of a source (`ParseFileSource`). A key that is not given is the last part of the path.
fn file_source(source: &str) -> Result<(&str, &str)> {
    match source.split_once('=') {
        None => {
            let path = source.trim_end_matches('/');
            Ok((path.rsplit('/').next().unwrap_or(path), source))
        }
        Some((_, path)) if path.contains('=') => fail("key names or file paths cannot contain '='"),
        Some(("", path)) => fail(format!("key name for file path {path} missing")),
        Some((key, "")) => fail(format!("file path for key name {key} missing")),
        Some((key, path)) => Ok((key, path)),
    }
}

fn read(cx: &Invocation<'_>, file: &str) -> Result<String> {
    match cx.files.read(clean(file)) {
        Some(text) => Ok(text),
        None => fail(format!("error reading {file}: no such file or directory")),
    }
}

/// Lines of `KEY=VALUE` (`AddFromEnvFile`). A key without a value has that of kubectl's own environment, which is empty here.
fn from_env_file(cx: &Invocation<'_>, file: &str, into: &mut Into<'_>) -> Result {
    if cx.files.list(clean(file)).is_some() {
        return fail(match into.made {
            Made::ConfigMap => "env config file cannot be a directory",
            Made::Secret => "env secret file cannot be a directory",
        });
    }
    let text = read(cx, file)?;
    let lines = text.strip_prefix('\u{feff}').unwrap_or(&text).lines().map(str::trim_start);
    for line in lines.filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let wrong = env_var_name(key);
        if !wrong.is_empty() {
            return fail(format!("{} is not a valid key name: {}", go_quote(key), wrong.join(";")));
        }
        into.add(key, value)?;
    }
    Ok(())
}
