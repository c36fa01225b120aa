//! The JSON texts that `window.steady` and the ES module return about a cluster; docs/embed.md describes
//! both. The caller turns the text into a JavaScript value.

use serde_json::{Value, json};

use crate::api::Kind;
use crate::cluster::{Cluster, Command};

/// The kind that a word names: `Pod`, `pods` or `po`, in upper or lower case. Custom kinds are named like built-in ones.
pub fn kind_of(cluster: &Cluster, word: &str) -> Option<Kind> {
    let word = word.to_lowercase();
    let is = |k: &Kind| {
        k.as_str().to_lowercase() == word || k.plural() == word || k.short_names().contains(&word.as_str())
    };
    Kind::BUILT_IN.iter().copied().chain(cluster.api().definitions().kinds()).find(is)
}

/// All objects of a kind, or of all kinds, in key order, as a JSON array.
pub fn objects(cluster: &Cluster, kind: Option<Kind>) -> String {
    let all = cluster.api().cached_all().filter(|(r, _)| kind.is_none_or(|k| r.kind == k));
    // The array is written object by object, so that the values of all objects are not in memory at once.
    let mut out = String::from("[");
    for (_, object) in all {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&object.to_value().to_string());
    }
    out.push(']');
    out
}

/// The enabled actions, as a JSON array.
pub fn enabled(cluster: &Cluster) -> String {
    // Names and numbers always become JSON.
    serde_json::to_string(&cluster.enabled()).unwrap_or_default()
}

/// What each component would do next, as a JSON array of at most `limit` commands.
pub fn next_commands(cluster: &Cluster, limit: usize) -> String {
    let commands = cluster.next_commands(limit);
    Value::Array(commands.iter().map(|c| command(cluster, c)).collect()).to_string()
}

/// A command as JSON. The value of `actor` can be given to a step as its choice.
fn command(cluster: &Cluster, c: &Command) -> Value {
    let fact = |f: &crate::client::Fact| {
        json!({
            "name": f.name,
            "object": f.object.as_ref().map(ToString::to_string),
            "field": f.field,
            "value": f.value,
        })
    };
    json!({
        "by": &*c.by,
        "actor": cluster.actor_path(c.actor),
        "method": c.request.verb.method(),
        "path": c.request.path(),
        "code": c.response.code(),
        "rule": c.why.as_ref().map(|w| w.rule),
        "facts": c.why.iter().flat_map(|w| &w.facts).map(fact).collect::<Vec<_>>(),
        "objects": c.writes.iter().map(|w| w.object.to_string()).collect::<Vec<_>>(),
        // Whether time has to pass before the command.
        "waits": c.waited_since.is_some(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Session, Start, scenario};

    #[test]
    fn parts_of_a_cluster_are_json() {
        let mut s = Session::new(Start::default());
        s.apply(&scenario::all().remove(0).manifest);
        let read = |text: String| serde_json::from_str::<Value>(&text).unwrap();
        let deployments = read(objects(s.cluster(), kind_of(s.cluster(), "deploy")));
        assert_eq!(deployments[0]["metadata"]["name"], "web");
        let all = read(objects(s.cluster(), None));
        assert_eq!(all.as_array().unwrap().len(), s.cluster().api().etcd().count());
        assert!(kind_of(s.cluster(), "widget").is_none());
        let next = read(next_commands(s.cluster(), 9));
        assert_eq!(next[0]["actor"], "kube-controller-manager:deployment-controller");
        assert_eq!(next[0]["method"], "POST");
        assert!(!read(enabled(s.cluster())).as_array().unwrap().is_empty());
    }
}
