//! Placeholders in steps for what only the run knows: a pod's name, an object's uid.

use serde_json::Value;

use crate::system::{Op, Write};

/// Replaces the placeholders in a step's command or standard input:
///
/// | placeholder | stands for |
/// | --- | --- |
/// | `{ns}` | the namespace |
/// | `{pod:app=web:1}` | the name of the pod with that label that was created first (2: second …) and still exists |
/// | `{uid:configmaps:a}`, `{cruid:widgets:a}` | the uid of that object, or custom object |
/// | `{va}` | the newest VolumeAttachment, as `volumeattachment/<name>` |
///
/// If there is no such object, the name or uid is one that no object has.
pub fn substitute(text: &str, namespace: &str, writes: &[Write]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let meaning =
            from.find('}').and_then(|end| Some((end, meaning(from.get(1..end)?, namespace, writes)?)));
        match meaning {
            Some((end, meaning)) => {
                out.push_str(&meaning);
                rest = from.get(end + 1..).unwrap_or("");
            }
            None => {
                out.push('{');
                rest = from.get(1..).unwrap_or("");
            }
        }
    }
    out + rest
}

fn meaning(inner: &str, namespace: &str, writes: &[Write]) -> Option<String> {
    if inner == "ns" {
        return Some(namespace.into());
    }
    if inner == "va" {
        let newest = living(writes, |o| text(o, "/kind") == "VolumeAttachment").pop();
        let name = newest.map_or("no-such-attachment", |o| text(o, "/metadata/name"));
        return Some(format!("volumeattachment/{name}"));
    }
    if let Some(pod) = inner.strip_prefix("pod:") {
        return Some(pod_name(pod, writes));
    }
    let (plural, name) =
        inner.strip_prefix("uid:").or_else(|| inner.strip_prefix("cruid:"))?.split_once(':')?;
    let is_it = |o: &Value| text(o, "/metadata/name") == name && plural_of(text(o, "/kind")) == plural;
    let uid = living(writes, is_it).pop().map_or("no-such-uid", |o| text(o, "/metadata/uid"));
    Some(uid.to_owned())
}

fn pod_name(pod: &str, writes: &[Write]) -> String {
    let (label, n) = pod.rsplit_once(':').unwrap_or((pod, "1"));
    let (key, value) = label.split_once('=').unwrap_or((label, ""));
    let n = n.parse::<usize>().unwrap_or(1).saturating_sub(1);
    let has_label = |o: &Value| {
        let labels = o.pointer("/metadata/labels");
        text(o, "/kind") == "Pod" && labels.and_then(|l| l.get(key)).and_then(Value::as_str) == Some(value)
    };
    let pods = living(writes, has_label);
    pods.get(n).map_or("no-such-pod", |o| text(o, "/metadata/name")).to_owned()
}

/// The existing objects for which `wanted` holds, in the order of creation.
fn living(writes: &[Write], wanted: impl Fn(&Value) -> bool) -> Vec<&Value> {
    let place = |o: &Value| ["/kind", "/metadata/namespace", "/metadata/name"].map(|p| text(o, p).to_owned());
    let mut out: Vec<([String; 3], &Value)> = Vec::new();
    for w in writes {
        let at = place(&w.object);
        match w.op {
            Op::Deleted => out.retain(|(p, _)| *p != at),
            _ => match out.iter_mut().find(|(p, _)| *p == at) {
                Some(entry) => entry.1 = &w.object,
                None => out.push((at, &w.object)),
            },
        }
    }
    out.into_iter().map(|(_, o)| o).filter(|o| wanted(o)).collect()
}

/// The resource name of a kind (`k8s.io/apimachinery/pkg/api/meta.UnsafeGuessKindToResource`).
fn plural_of(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match kind.chars().last() {
        Some('s') => kind + "es",
        Some('y') => format!("{}ies", kind.trim_end_matches('y')),
        _ => kind + "s",
    }
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn write(op: Op, kind: &str, name: &str, app: &str) -> Write {
        let meta = json!({"name": name, "uid": format!("uid-of-{name}"), "labels": {"app": app}});
        let object = json!({"kind": kind, "metadata": meta});
        Write { op, object, by: String::new(), verb: String::new() }
    }

    #[test]
    fn placeholders_stand_for_what_there_is() {
        let writes = [
            write(Op::Added, "Pod", "a", "web"),
            write(Op::Added, "Pod", "b", "web"),
            write(Op::Added, "Pod", "c", "db"),
            write(Op::Added, "Pod", "d", "web"),
            write(Op::Deleted, "Pod", "a", "web"),
            write(Op::Added, "ConfigMap", "a", ""),
            write(Op::Added, "NetworkPolicy", "p", ""),
            write(Op::Added, "VolumeAttachment", "v1", ""),
            write(Op::Added, "VolumeAttachment", "v2", ""),
        ];
        let of = |text: &str| substitute(text, "default", &writes);
        assert_eq!(of("delete pod {pod:app=web:1} -n {ns}"), "delete pod b -n default");
        assert_eq!(of("{pod:app=web:2} {pod:app=web:3}"), "d no-such-pod");
        assert_eq!(of("{uid:configmaps:a} {cruid:networkpolicies:p}"), "uid-of-a uid-of-p");
        assert_eq!(of("{uid:configmaps:b}"), "no-such-uid");
        assert_eq!(of("patch {va}"), "patch volumeattachment/v2");
        assert_eq!(of(r#"-p '{"a":[{"uid":"{uid:configmaps:a}"}]}'"#), r#"-p '{"a":[{"uid":"uid-of-a"}]}'"#);
        assert_eq!(of("-o jsonpath={.items}"), "-o jsonpath={.items}");
    }
}
