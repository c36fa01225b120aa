//! Admission of a request by the quotas of its namespace
//! (`k8s.io/apiserver/pkg/admission/plugin/resourcequota`).

use super::ApiServer;
use super::context::RequestContext;
use crate::api::resource::Amounts;
use crate::api::resource::{add, amounts};
use crate::api::types::{Pod, ResourceQuota};
use crate::api::{ApiKind, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{Request, Status, Subresource, Verb};
use crate::quota::{matches, missing_constraints, usage, uses};

fn pretty(of: &Amounts, names: &[String]) -> String {
    let shown =
        names.iter().map(|n| format!("{n}={}", of.get(n).map_or_else(|| "0".into(), |a| a.canonical())));
    shown.collect::<Vec<_>>().join(",")
}

/// A quota, and what will be used of it after the write.
pub(super) struct Charge {
    at: ObjectRef,
    old: Object,
    used: Amounts,
}

impl ApiServer {
    /// Checks that every quota of the namespace has room for a new object, or for what an object uses more than before.
    /// Returns what will be used of each.
    ///
    /// # Errors
    /// 403.
    pub(super) fn quota_charges(&self, object: &Object, old: Option<&Object>) -> Result<Vec<Charge>, Status> {
        let kind = object.kind();
        // Of updates only those of kinds that can grow count; no quota counts events (`ignoredResources`).
        if !kind.namespaced()
            || kind == Kind::EVENT
            || (old.is_some() && ![Kind::SERVICE, Kind::PERSISTENT_VOLUME_CLAIM].contains(&kind))
        {
            return Ok(Vec::new());
        }
        let quotas: Vec<Object> = self
            .etcd
            .range(Kind::RESOURCE_QUOTA, Some(object.namespace()))
            .map(|(_, r)| r.object.clone())
            .filter(|q| ResourceQuota::from_object(q).is_some_and(|q| matches(q, object)))
            .collect();
        if quotas.is_empty() {
            return Ok(Vec::new());
        }
        let refuse = |why: String| Err(Status::forbidden(kind, object.name(), &why));
        for quota in quotas.iter().filter_map(ResourceQuota::from_object) {
            let name = quota.metadata.name();
            let status = quota.status.clone().unwrap_or_default();
            let required: Vec<&str> =
                status.hard.iter().flatten().map(|(k, _)| k.as_str()).filter(|r| uses(kind, r)).collect();
            if let Some(why) = Pod::from_object(object).and_then(|p| missing_constraints(p, &required)) {
                return refuse(format!("failed quota: {name}: {why}"));
            }
            let known = |r: &&str| status.used.as_ref().is_some_and(|u| u.contains_key(*r));
            if !required.iter().all(known) {
                let names = required.join(",");
                return refuse(format!("status unknown for quota: {name}, resources: {names}"));
            }
        }
        let mut delta = usage(object, self.now);
        let negative: Vec<&str> =
            delta.iter().filter(|(_, a)| a.sign() < 0).map(|(name, _)| name.as_str()).collect();
        if !negative.is_empty() {
            return refuse(format!("quota usage is negative for resource(s): {}", negative.join(",")));
        }
        if let Some(old) = old {
            let before = usage(old, self.now);
            for (name, amount) in &mut delta {
                if let Some(before) = before.get(name) {
                    // The quota controller, not admission, gives back what is used less.
                    let more = amount.minus(*before);
                    *amount = if more.sign() < 0 { more.minus(more) } else { more };
                }
            }
        }
        delta.retain(|_, a| !a.is_zero());
        let mut charges = Vec::new();
        for object in quotas {
            let Some(quota) = ResourceQuota::from_object(&object) else { continue };
            let status = quota.status.clone().unwrap_or_default();
            let (hard, mut used) = (amounts(status.hard.as_ref()), amounts(status.used.as_ref()));
            let mut requested = delta.clone();
            requested.retain(|name, _| hard.contains_key(name));
            if requested.is_empty() {
                continue;
            }
            let before = used.clone();
            add(&mut used, &requested);
            let exceeded: Vec<String> = requested
                .iter()
                .filter(|(name, more)| more.sign() > 0 && used.get(*name) > hard.get(*name))
                .map(|(name, _)| name.clone())
                .collect();
            if !exceeded.is_empty() {
                return refuse(format!(
                    "exceeded quota: {}, requested: {}, used: {}, limited: {}",
                    quota.metadata.name(),
                    pretty(&requested, &exceeded),
                    pretty(&before, &exceeded),
                    pretty(&hard, &exceeded),
                ));
            }
            charges.push(Charge { at: object.reference(), old: object, used });
        }
        Ok(charges)
    }

    /// Writes what is used now into the status of the quotas.
    pub(super) fn charge(&mut self, charges: Vec<Charge>) {
        for charge in charges {
            let mut new = charge.old.clone();
            let Some(quota) = ResourceQuota::from_object_mut(&mut new) else { continue };
            let used = charge.used.into_iter().map(|(name, amount)| (name, amount.to_quantity()));
            quota.status.get_or_insert_default().used = Some(used.collect());
            let user = "kube-apiserver".into();
            let request = Request::new(&user, Verb::Update, Kind::RESOURCE_QUOTA, charge.at.key.clone())
                .subresource(Subresource::Status);
            self.write(charge.at, Some(charge.old), new, &request, &mut RequestContext::default());
        }
    }
}
