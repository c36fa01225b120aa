//! Functions on addresses of the web: `k8s.io/apiserver/pkg/cel/library/urls.go`.

use super::super::objects::{Url, unescaped};
use super::super::value::{Entries, Items, Key, Library, Value};
use super::super::{EvalError, EvalResult};

fn query(text: &str) -> Value {
    let mut entries = Entries::new();
    for pair in text.split('&').filter(|p| !p.is_empty() && !p.contains(';')) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(name), Some(value)) = (unescaped(name), unescaped(value)) else { continue };
        let key = Key::String(name.into());
        let mut values = match entries.get(&key) {
            Some(Value::List(list)) => list.items.clone(),
            _ => Items::new(),
        };
        values.push_back(Value::string(&value));
        entries.insert(key, Value::list(values));
    }
    Value::map(entries)
}

pub(super) fn global(function: &str, args: &[Value]) -> Option<EvalResult> {
    let [Value::String(text)] = args else { return None };
    match function {
        "url" => Some(match Url::parse(text) {
            Ok(url) => Ok(Value::library(Library::Url(url))),
            Err(why) => Err(EvalError::new(format!("URL parse error during conversion from string: {why}"))),
        }),
        "isURL" => Some(Ok(Value::Bool(Url::parse(text).is_ok()))),
        _ => None,
    }
}

pub(super) fn member(function: &str, args: &[Value]) -> Option<EvalResult> {
    let [Value::Library(library)] = args else { return None };
    let Library::Url(url) = &**library else { return None };
    let text = match function {
        "getScheme" => &url.scheme,
        "getHost" => &url.host,
        "getHostname" => url.hostname(),
        "getPort" => url.port(),
        "getEscapedPath" => &url.path,
        "getQuery" => return Some(Ok(query(&url.query))),
        _ => return None,
    };
    Some(Ok(Value::string(text)))
}
