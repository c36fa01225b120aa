//! What a kubelet does with the manifest of a static pod by the code that it shares with kube-apiserver: it decodes,
//! defaults and validates it (`tryDecodeSinglePod` in `pkg/kubelet/config/common.go`).

use serde_json::Value;

use super::rest;
use crate::api::types::Pod;
use crate::api::yaml::{self, Limits};
use crate::api::{Kind, MetaExt, Object};

/// Why a text has no pod that a kubelet takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecoded {
    /// It is something else.
    Unparsed(String),
    /// It is what it should be, and cannot be used.
    Unusable(String),
}

impl Undecoded {
    /// What the kubelet says of a file.
    pub fn of_file(self) -> String {
        match self {
            Undecoded::Unparsed(why) => format!("couldn't parse as pod({why}), please check config file"),
            Undecoded::Unusable(why) => why,
        }
    }
}

/// The object of a manifest, which is one document: those behind it are not read. `what` is the kind that it should have, and in
/// words.
fn object_of(text: &str, (kind, what): (&str, &str)) -> Result<Value, Undecoded> {
    let documents = yaml::documents(text, &Limits::default());
    let documents = documents.map_err(|e| Undecoded::Unparsed(e.kubectl_text()))?;
    let Some(document) = documents.into_iter().next() else {
        return Err(Undecoded::Unparsed("Object 'Kind' is missing in 'null'".into()));
    };
    let value = document.value;
    let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    match (field("apiVersion"), field("kind")) {
        (_, "") => Err(Undecoded::Unparsed(format!("Object 'Kind' is missing in '{value}'"))),
        ("v1", found) if found == kind => Ok(value),
        (version, found) => Err(Undecoded::Unparsed(format!("invalid {what}: {version} {found}"))),
    }
}

fn pod_of(mut value: Value) -> Result<Pod, Undecoded> {
    rest::prepare(Kind::POD, &mut value).map_err(Undecoded::Unparsed)?;
    let decoded = Object::decode(Kind::POD, value).map_err(|e| Undecoded::Unparsed(e.to_string()))?;
    let mut object = decoded.object;
    rest::default(&mut object);
    let pod = object.get::<Pod>().map(|pod| (**pod).clone()).unwrap_or_default();
    if MetaExt::name(&pod.metadata).is_empty() {
        return Err(Undecoded::Unusable("invalid pod: name is needed for the pod".into()));
    }
    Ok(pod)
}

/// A pod from the text of a manifest, with its defaults. Fields that no pod has are left out, as in Kubernetes.
///
/// # Errors
/// The kubelet's own words about a text that is no pod or has no name.
pub fn decode_pod(text: &str) -> Result<Pod, Undecoded> {
    pod_of(object_of(text, ("Pod", "pod"))?)
}

/// The pods of a `PodList` in the text of a manifest, with their defaults.
///
/// # Errors
/// The kubelet's own words about a text that is no list of pods or has a pod without a name.
pub fn decode_pod_list(text: &str) -> Result<Vec<Pod>, Undecoded> {
    let mut list = object_of(text, ("PodList", "pods list"))?;
    let items = match list.get_mut("items").map(Value::take) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(Undecoded::Unparsed("items: expected a list".into())),
    };
    let typed = |mut item: Value| {
        if let Some(fields) = item.as_object_mut() {
            // The items of a typed list are of its kind, whether they say so or not.
            fields.insert("apiVersion".into(), "v1".into());
            fields.insert("kind".into(), "Pod".into());
        }
        pod_of(item)
    };
    items.into_iter().map(typed).collect()
}

/// Whether the rules for new pods let a pod pass, which has its defaults, its name and its node.
///
/// # Errors
/// What they have against it, in the kubelet's words.
pub fn validate_pod(pod: &Pod) -> Result<(), String> {
    let errors = rest::validate_create(&Object::from(pod.clone()));
    if errors.is_empty() {
        return Ok(());
    }
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    Err(format!("invalid pod: [{}]", errors.join(" ")))
}
