//! The claims that a pod needs (`syncPod`).

use std::rc::Rc;

use serde_json::json;

use super::{Cx, may_reserve};
use crate::api::quote::go_quote;
use crate::api::resource_claim::{
    NameError, consumer, is_allocated, is_for_pod, is_reserved_for_pod, made_claims, name, pod_claims,
};
use crate::api::types::resource::POD_CLAIM_NAME;
use crate::api::types::{
    ObjectMeta, OwnerReference, Pod, PodResourceClaim, ResourceClaim, ResourceClaimTemplate,
};
use crate::api::{ApiKind, Key, MetaExt, ObjectRef};
use crate::client::{Error, Result, Why};

/// The name by which the controller owns what it applies to the status of pods.
const MANAGER: &str = "ResourceClaimController";
/// The length of the name of a claim before its random characters, in bytes: with a hyphen and these it has 63.
const MAX_BASE: usize = 57;

pub(super) async fn sync(cx: &Cx, key: &Key) -> Result {
    let Some(pod) = cx.lister::<Pod>().get(key).cloned() else { return Ok(()) };
    if pod.metadata.is_deleting() {
        return Ok(());
    }
    let mut made = Vec::new();
    for entry in pod_claims(&pod) {
        match handle_claim(cx, &pod, entry).await {
            Ok(Some(claim)) => made.push(json!({"name": entry.name, "resourceClaimName": claim})),
            Ok(None) => {}
            Err(why) => {
                let message = format!("PodResourceClaim {}: {why}", entry.name);
                cx.event(&*pod, "Warning", "FailedResourceClaimCreation", message.clone());
                return Err(Error::Other(format!("pod {key}, {message}")));
            }
        }
    }
    if !made.is_empty() {
        // What the controller does not name it takes away, as it owns the entries: those that are there are named again. In this
        // release they are not (kubernetes/kubernetes#138408).
        for known in made_claims(&pod) {
            if made.iter().all(|entry| entry["name"] != known.name.as_str()) {
                made.push(json!(known));
            }
        }
        let why = Why::new("resourceclaim.record_claims")
            .read("pod", ObjectRef::of(&*pod), "spec.resourceClaims", pod.metadata.name())
            .with("count", made.len());
        let status = json!({"resourceClaimStatuses": made});
        cx.apply_status::<Pod>(key.clone(), status, MANAGER).because(why).await?;
    }
    if !may_reserve(&pod) {
        // The scheduler reserves claims for the pods that it binds.
        return Ok(());
    }
    for entry in pod_claims(&pod) {
        let named = name(&pod, entry).map_err(|e| Error::Other(e.to_string()))?;
        let Some(claim) = named.name() else { continue };
        let at = Key::new(&key.namespace, claim);
        let Some(claim) = cached_or_made(cx, &at) else { return Ok(()) };
        if entry.resource_claim_name.is_none() {
            is_for_pod(&pod, &claim).map_err(Error::Other)?;
        }
        if is_allocated(&claim) && !is_reserved_for_pod(&pod, &claim) {
            reserve(cx, &pod, claim).await?;
        }
    }
    Ok(())
}

/// Makes the claim of an entry of a pod, unless it is there. The name of a claim that the pod's status does not have yet
/// (`handleClaim`).
async fn handle_claim(
    cx: &Cx,
    pod: &Rc<Pod>,
    entry: &PodResourceClaim,
) -> std::result::Result<Option<String>, String> {
    match name(pod, entry) {
        Err(NameError::NotCreated(_)) => {}
        Err(why) => return Err(format!("checking for claim before creating it: {why}")),
        Ok(named) => {
            let Some(claim) = named.name() else { return Ok(None) };
            // One that was deleted by accident is made again.
            let at = Key::new(pod.metadata.namespace(), claim);
            let made = entry.resource_claim_name.is_none();
            let there = cached_or_made(cx, &at);
            if there.is_some_and(|claim| !made || is_for_pod(pod, &claim).is_ok()) {
                return Ok(None);
            }
        }
    }
    let Some(template) = &entry.resource_claim_template_name else { return Ok(None) };
    // A claim that was made, and of which the pod was not told.
    let is_it =
        |claim: &&Rc<ResourceClaim>| claim.metadata.annotation(POD_CLAIM_NAME) == Some(entry.name.as_str());
    let claims = cx.lister::<ResourceClaim>();
    let name_of = |claim: &Rc<ResourceClaim>| claim.metadata.name().to_owned();
    let orphan = claims.controlled_by(pod.metadata.uid()).find(is_it).map(name_of);
    let own = |claim: &&Rc<ResourceClaim>| is_for_pod(pod, claim).is_ok();
    let orphan = orphan.or_else(|| cx.state(|s| s.made.values().filter(own).find(is_it).map(name_of)));
    if orphan.is_some() {
        return Ok(orphan);
    }
    let at = Key::new(pod.metadata.namespace(), template);
    let Some(from) = cx.lister::<ResourceClaimTemplate>().get(&at).cloned() else {
        let kind = ResourceClaimTemplate::KIND;
        let of = format!("{}.{}", kind.singular(), kind.group());
        let template = go_quote(template);
        return Err(format!("resource claim template {template}: {of} {template} not found"));
    };
    let why = Why::new("resourceclaim.create_claim")
        .read("pod", ObjectRef::of(&**pod), "spec.resourceClaims", pod.metadata.name())
        .with("claim", &entry.name)
        .read("template", ObjectRef::of(&*from), "metadata.name", from.metadata.name());
    match cx.create(from_template(pod, entry, &from)).because(why).await {
        Ok(claim) => {
            let name = claim.metadata.name().to_owned();
            cx.update_state(move |s| {
                s.made.insert(claim.metadata.key(), claim.clone());
            });
            Ok(Some(name))
        }
        Err(e) => Err(format!("create ResourceClaim : {}", e.message)),
    }
}

/// A claim, also one that the controller has made and its informer has not delivered yet.
fn cached_or_made(cx: &Cx, key: &Key) -> Option<Rc<ResourceClaim>> {
    let cached = cx.lister::<ResourceClaim>().get(key).cloned();
    cached.or_else(|| cx.state(|s| s.made.get(key).cloned()))
}

/// The claim that a template makes for an entry of a pod.
fn from_template(pod: &Pod, entry: &PodResourceClaim, template: &ResourceClaimTemplate) -> ResourceClaim {
    let meta = template.spec.metadata.clone().unwrap_or_default();
    let mut annotations = meta.annotations.unwrap_or_default();
    annotations.insert(POD_CLAIM_NAME.to_owned(), entry.name.clone());
    let owner = OwnerReference {
        api_version: "v1".to_owned(),
        kind: "Pod".to_owned(),
        name: pod.metadata.name().to_owned(),
        uid: pod.metadata.uid().to_owned(),
        controller: Some(true),
        block_owner_deletion: None,
    };
    ResourceClaim {
        metadata: ObjectMeta {
            generate_name: Some(generate_name(pod.metadata.name(), &entry.name)),
            namespace: pod.metadata.namespace.clone(),
            annotations: Some(annotations),
            labels: meta.labels,
            owner_references: Some(vec![owner]),
            ..Default::default()
        },
        spec: template.spec.spec.clone(),
        status: None,
    }
}

/// The beginning of the name of a claim. Of names that are too long both keep their beginnings, in proportion.
fn generate_name(pod: &str, claim: &str) -> String {
    let whole = format!("{pod}-{claim}-");
    if whole.len() <= MAX_BASE {
        return whole;
    }
    let cut = |text: &str| text.get(..text.len() * MAX_BASE / whole.len()).unwrap_or_default().to_owned();
    format!("{}-{}", cut(pod), cut(claim))
}

/// Reserves an allocated claim for a pod that has a node already (`reserveForPod`).
async fn reserve(cx: &Cx, pod: &Pod, claim: Rc<ResourceClaim>) -> Result {
    let why = Why::new("resourceclaim.reserve")
        .read("pod", ObjectRef::of(pod), "spec.nodeName", pod.metadata.name())
        .read("claim", ObjectRef::of(&*claim), "status.reservedFor", claim.metadata.name());
    let mut to = claim;
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    status.reserved_for.get_or_insert_default().push(consumer(pod));
    cx.update_status(to).because(why).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::generate_name;

    /// `handleClaim`: names of 40 and 38 characters are cut in proportion.
    #[test]
    fn a_claim_is_named_after_its_pod_and_its_entry() {
        assert_eq!(generate_name("web", "gpu"), "web-gpu-");
        let name = generate_name(&"p".repeat(40), &"c".repeat(38));
        assert_eq!(name, format!("{}-{}", "p".repeat(28), "c".repeat(27)));
    }
}
