//! What a person can do to an object: command lines where kubectl has one, and faults.

use serde::{Deserialize, Serialize};

use super::Word;
use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Request, Subresource, Verb};
use crate::cluster::Fault;

/// Something that can be done to an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The key of its name in the catalogue.
    pub key: Word,
    /// Whether it takes something away or breaks something.
    pub bad: bool,
    /// What is done.
    pub deed: Deed,
}

/// What is done to an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deed {
    /// A command line, without `kubectl`.
    Kubectl(String),
    /// The pod is evicted.
    Evict,
    /// Something goes wrong, or right again.
    Fault(Fault),
}

/// The resource, name and namespace of an object, as a command line names it. A custom kind is named with its group,
/// because another kind may have the same name.
pub fn named(kind: Kind, key: &Key) -> String {
    let group = if kind.is_custom() { format!(".{}", kind.group()) } else { String::new() };
    let mut out = format!("{}{group} {}", kind.singular(), key.name);
    if !key.namespace.is_empty() && &*key.namespace != "default" {
        out.push_str(" -n ");
        out.push_str(&key.namespace);
    }
    out
}

/// A command line about an object: what comes before its name, and what comes after.
pub(super) fn line(key: &'static str, verb: &str, object: &Object, flags: &str) -> Offer {
    let mut line = format!("{verb} {}", named(object.kind(), &object.key()));
    if !flags.is_empty() {
        line.push(' ');
        line.push_str(flags);
    }
    Offer { key: Word::new_static(key), bad: false, deed: Deed::Kubectl(line) }
}

/// One replica more than are wanted, and one fewer if any are.
pub(super) fn scaling(object: &Object, want: i32) -> Vec<Offer> {
    let to = |key, replicas: i32| line(key, "scale", object, &format!("--replicas={replicas}"));
    let mut out = vec![to("act-more", want.saturating_add(1))];
    if want > 0 {
        out.push(to("act-fewer", want - 1));
    }
    out
}

/// The object is deleted.
pub(super) fn deletion(object: &Object) -> Offer {
    Offer { bad: true, ..line("act-delete", "delete", object, "--wait=false") }
}

/// The name of the file that [`eviction`] posts.
const EVICTION: &str = "eviction.yaml";

/// The command line that evicts a pod through its Eviction subresource, which asks the disruption budgets
/// first, and the file that the line names.
pub fn eviction(pod: &ObjectRef) -> (String, [(&'static str, String); 1]) {
    let you = "you".into();
    let request =
        Request::new(&you, Verb::Create, Kind::POD, pod.key.clone()).subresource(Subresource::Eviction);
    let body = serde_json::json!({
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": pod.key.name, "namespace": pod.key.namespace},
    });
    (format!("create --raw {} -f {EVICTION}", request.path()), [(EVICTION, body.to_string())])
}
