//! Admission of a request by the quotas of its namespace
//! (`k8s.io/apiserver/pkg/admission/plugin/resourcequota`).

use crate::api::quantity::Amount;
use crate::api::resource::{Amounts, add, amounts};
use crate::api::types::ResourceQuota;
use crate::api::{ApiKind, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{Request, Status, Subresource, Verb};
use crate::apiserver::ApiServer;
use crate::apiserver::context::RequestContext;
use crate::apiserver::stage::Stage;
use crate::quota::{Evaluator, Operation};

fn pretty(of: &Amounts, names: &[String]) -> String {
    let shown =
        names.iter().map(|n| format!("{n}={}", of.get(n).map_or_else(|| "0".into(), |a| a.canonical())));
    shown.collect::<Vec<_>>().join(",")
}

/// A quota, and what will be used of it after the write.
pub(in crate::apiserver) struct Charge {
    at: ObjectRef,
    old: Object,
    used: Amounts,
}

/// Whether a quota can decide about an object, or why not: the object has to say what the quota limits, and the status of
/// the quota what is used so far.
fn can_decide(evaluator: &Evaluator, quota: &ResourceQuota, object: &Object) -> Result<(), String> {
    let name = quota.metadata.name();
    let (hard, used) = match &quota.status {
        Some(status) => (status.hard.as_ref(), status.used.as_ref()),
        None => (None, None),
    };
    let limited: Vec<&str> = hard
        .into_iter()
        .flatten()
        .map(|(r, _)| r.as_str())
        .filter(|r| evaluator.matches_resource(r))
        .collect();
    if let Some(why) = evaluator.constraints(&limited, object) {
        return Err(format!("failed quota: {name}: {why}"));
    }
    if !limited.iter().all(|r| used.is_some_and(|u| u.contains_key(*r))) {
        return Err(format!("status unknown for quota: {name}, resources: {}", limited.join(",")));
    }
    Ok(())
}

/// How much more is used than before. The quota controller, not admission, gives back what is used less
/// (`SubtractWithNonNegativeResult`).
fn beyond(used: &Amounts, before: &Amounts) -> Amounts {
    let more = |name: &String, amount: &Amount| before.get(name).map_or(*amount, |b| amount.minus(*b));
    used.iter()
        .map(|(name, amount)| (name.clone(), more(name, amount)))
        .filter(|(_, a)| a.sign() > 0)
        .collect()
}

/// What is used of a quota with `more`; `None` if it limits none of these resources.
///
/// # Errors
/// A limit is exceeded, if the quota is to be kept to.
fn charge(quota: &ResourceQuota, mut more: Amounts, limited: bool) -> Result<Option<Amounts>, String> {
    let status = quota.status.as_ref();
    let hard = amounts(status.and_then(|s| s.hard.as_ref()));
    let before = amounts(status.and_then(|s| s.used.as_ref()));
    more.retain(|name, amount| !amount.is_zero() && hard.contains_key(name));
    if more.is_empty() {
        return Ok(None);
    }
    let mut used = before.clone();
    add(&mut used, &more);
    let exceeded: Vec<String> =
        more.keys().filter(|name| used.get(*name) > hard.get(*name)).cloned().collect();
    if limited && !exceeded.is_empty() {
        return Err(format!(
            "exceeded quota: {}, requested: {}, used: {}, limited: {}",
            quota.metadata.name(),
            pretty(&more, &exceeded),
            pretty(&before, &exceeded),
            pretty(&hard, &exceeded),
        ));
    }
    Ok(Some(used))
}

impl ApiServer {
    /// Checks that every quota of the namespace has room for a new object, or for what an object uses more than before.
    /// Returns what will be used of each.
    ///
    /// # Errors
    /// 403.
    pub(in crate::apiserver) fn quota_charges(
        &self,
        object: &Object,
        old: Option<&Object>,
        subresource: Subresource,
        cx: &mut RequestContext,
    ) -> Result<Vec<Charge>, Status> {
        let kind = object.kind();
        let operation = old.map_or(Operation::Create, |old| Operation::Update { old, new: object });
        let evaluator = Evaluator::of(kind).filter(|e| e.handles(operation, subresource.as_str()));
        if evaluator.is_some() || subresource == Subresource::None {
            cx.enter(Stage::Admit, "ResourceQuota", Some(object));
        }
        let Some(evaluator) = evaluator else { return Ok(Vec::new()) };
        let quotas: Vec<Object> = self
            .etcd
            .range(Kind::RESOURCE_QUOTA, Some(object.namespace()))
            .map(|(_, r)| r.object.clone())
            .filter(|q| ResourceQuota::from_object(q).is_some_and(|q| evaluator.matches(q, object)))
            .collect();
        if quotas.is_empty() {
            return Ok(Vec::new());
        }
        let refuse = |why: String| Err(Status::forbidden(kind, object.name(), &why));
        for quota in quotas.iter().filter_map(ResourceQuota::from_object) {
            if let Err(why) = can_decide(&evaluator, quota, object) {
                return refuse(why);
            }
        }
        let used = evaluator.usage(object, self.now);
        let negative: Vec<&str> =
            used.iter().filter(|(_, a)| a.sign() < 0).map(|(name, _)| name.as_str()).collect();
        if !negative.is_empty() {
            return refuse(format!("quota usage is negative for resource(s): {}", negative.join(",")));
        }
        let before = old.map(|old| (old, evaluator.usage(old, self.now)));
        let mut charges = Vec::new();
        for object in quotas {
            let Some(quota) = ResourceQuota::from_object(&object) else { continue };
            // A quota that did not count the object before is charged all of it.
            let before = before.as_ref().filter(|(old, _)| evaluator.matches(quota, old));
            let more = before.map_or_else(|| used.clone(), |(_, before)| beyond(&used, before));
            // A status takes what it takes: what it tells of has happened.
            let limited = subresource != Subresource::Status;
            match charge(quota, more, limited) {
                Err(why) => return refuse(why),
                Ok(None) => {}
                Ok(Some(used)) => charges.push(Charge { at: object.reference(), old: object, used }),
            }
        }
        Ok(charges)
    }

    /// Writes what is used now into the status of the quotas.
    pub(in crate::apiserver) fn charge(&mut self, charges: Vec<Charge>) {
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
