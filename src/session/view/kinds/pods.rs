//! Pods.

use super::{About, KindView, Named, Shows, stuck};
use crate::api::types::{Pod, PodSpec, PodTemplate};
use crate::api::{Kind, MetaExt, Object};
use crate::cluster::Cluster;
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Place};
use crate::session::view::events::Condition;
use crate::session::view::offers::{Deed, Offer, deletion};
use crate::session::view::pods::{pod_view, waiting};

/// Pods.
pub(super) struct Pods;

impl KindView for Pods {
    fn about(&self) -> About {
        About {
            place: Place::Pod,
            shows: Shows::Made,
            keeper: "kubelet",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    fn card(&self, object: &Object) -> Card {
        object.get::<Pod>().map_or(Card::Other, |pod| Card::Pod(pod_view(pod)))
    }
    /// The condition by which a pod that no controller made, and nothing else counts, is not scheduled or not ready.
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let pod = object.get::<Pod>().filter(|p| p.metadata.controller().is_none())?;
        let status = pod.status.as_ref().filter(|s| s.phase.as_deref() != Some("Succeeded"))?;
        let is_false = |type_: &str| {
            status.conditions.iter().flatten().find(|c| c.type_ == type_ && c.status == "False")
        };
        let found = is_false("PodScheduled").or_else(|| is_false("Ready")).map(|c| {
            // Ready only sums up that containers are not ready.
            let waits = waiting(status).filter(|_| c.type_ == "Ready");
            let (reason, message) = match &waits {
                Some((reason, message)) => (Some(reason.as_str()), Some(message.as_str())),
                None => (c.reason.as_deref(), c.message.as_deref()),
            };
            Ails::Condition(Condition::new(&c.type_, &c.status, reason, message))
        });
        found.or_else(|| stuck(object))
    }
    fn node<'o>(&self, object: &'o Object) -> Option<&'o str> {
        let node = object.get::<Pod>()?.spec.as_ref()?.node_name.as_deref();
        node.filter(|n| !n.is_empty())
    }
    /// A pod of a StatefulSet has the number behind the last dash of its name.
    fn ordinal(&self, object: &Object) -> Option<u32> {
        let owner = object.meta().controller().filter(|o| o.kind == Kind::STATEFUL_SET.as_str())?;
        object.name().strip_prefix(owner.name.as_str())?.strip_prefix('-')?.parse().ok()
    }
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        object.get::<Pod>().and_then(|p| p.spec.as_ref()).map_or_else(Vec::new, |spec| named_by(spec))
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object), Offer { key: "act-evict".into(), bad: true, deed: Deed::Evict }]
    }
    usual!(report, next_run, selects);
}

/// ConfigMaps, Secrets, claims of volumes and of devices, and the runtime class that a pod names.
fn named_by(spec: &PodSpec) -> Vec<Named<'_>> {
    let mut named: Vec<Named<'_>> = Vec::new();
    for v in spec.volumes.iter().flatten() {
        if let Some(c) = &v.config_map {
            named.push(Named::near(Kind::CONFIG_MAP, &c.name));
        }
        if let Some(n) = v.secret.as_ref().and_then(|s| s.secret_name.as_deref()) {
            named.push(Named::near(Kind::SECRET, n));
        }
        if let Some(p) = &v.persistent_volume_claim {
            named.push(Named::near(Kind::PERSISTENT_VOLUME_CLAIM, &p.claim_name));
        }
    }
    let claims = spec.resource_claims.iter().flatten().filter_map(|c| c.resource_claim_name.as_deref());
    named.extend(claims.map(|name| Named::near(Kind::RESOURCE_CLAIM, name)));
    named.extend(spec.runtime_class_name.as_deref().map(|n| Named::near(Kind::RUNTIME_CLASS, n)));
    for c in spec.containers.iter().chain(spec.init_containers.iter().flatten()) {
        for e in c.env_from.iter().flatten() {
            named.extend(e.config_map_ref.as_ref().map(|r| Named::near(Kind::CONFIG_MAP, r.name.as_str())));
            named.extend(e.secret_ref.as_ref().map(|r| Named::near(Kind::SECRET, r.name.as_str())));
        }
        for from in c.env.iter().flatten().filter_map(|e| e.value_from.as_ref()) {
            named.extend(
                from.config_map_key_ref.as_ref().map(|r| Named::near(Kind::CONFIG_MAP, r.name.as_str())),
            );
            named.extend(from.secret_key_ref.as_ref().map(|r| Named::near(Kind::SECRET, r.name.as_str())));
        }
    }
    named
}

/// PodTemplates.
pub(super) struct PodTemplates;

impl KindView for PodTemplates {
    fn about(&self) -> About {
        About::ASIDE
    }
    /// What the pods of the template would name.
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>> {
        let template = object.get::<PodTemplate>().and_then(|t| t.template.as_ref());
        template.and_then(|t| t.spec.as_ref()).map_or_else(Vec::new, named_by)
    }
    usual!(card, ails, report, next_run, node, ordinal, selects, offers);
}
