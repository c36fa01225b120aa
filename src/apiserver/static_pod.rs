//! What a kubelet does with the manifest of a static pod by the code that it shares with kube-apiserver: it decodes,
//! defaults and validates it (`tryDecodeSinglePod` in `pkg/kubelet/config/common.go`).

use super::rest;
use crate::api::types::Pod;
use crate::api::yaml::{self, Limits};
use crate::api::{Kind, MetaExt, Object};

/// A pod from the text of a manifest, with its defaults. Fields that no pod has are left out, as in Kubernetes.
///
/// # Errors
/// The kubelet's own words about a text that is no pod or has no name.
pub fn decode_pod(text: &str) -> Result<Pod, String> {
    let unparsed = |why: String| format!("couldn't parse as pod({why}), please check config file");
    let documents = yaml::documents(text, &Limits::default()).map_err(|e| unparsed(e.kubectl_text()))?;
    // A manifest is one document: those behind it are not read.
    let Some(document) = documents.into_iter().next() else {
        return Err(unparsed("Object 'Kind' is missing in 'null'".into()));
    };
    let mut value = document.value;
    let text =
        |name: &str| value.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let (version, kind) = (text("apiVersion"), text("kind"));
    if kind.is_empty() {
        return Err(unparsed(format!("Object 'Kind' is missing in '{value}'")));
    }
    if (version.as_str(), kind.as_str()) != ("v1", "Pod") {
        return Err(unparsed(format!("invalid pod: {version} {kind}")));
    }
    rest::prepare(Kind::POD, &mut value);
    let decoded = Object::decode(Kind::POD, value).map_err(|e| unparsed(e.to_string()))?;
    let mut object = decoded.object;
    rest::default(&mut object);
    let pod = object.get::<Pod>().map(|pod| (**pod).clone()).unwrap_or_default();
    if MetaExt::name(&pod.metadata).is_empty() {
        return Err("invalid pod: name is needed for the pod".into());
    }
    Ok(pod)
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
