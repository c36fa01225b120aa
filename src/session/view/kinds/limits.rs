//! PodDisruptionBudgets and ResourceQuotas: what limits other objects.

use super::{About, KindView, Selects, Shows, stuck};
use crate::api::disruption_budget::{DISRUPTION_ALLOWED, SYNC_FAILED};
use crate::api::labels::Selector;
use crate::api::resource::{Amounts, amounts};
use crate::api::types::{self, PodDisruptionBudget, ResourceQuota};
use crate::api::{Kind, Object};
use crate::cluster::Cluster;
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Place, Standing};
use crate::session::view::events::Condition;

/// PodDisruptionBudgets.
pub(super) struct DisruptionBudgets;

/// The condition by which a budget says whether a pod may be evicted.
fn allowed(object: &Object) -> Option<&types::Condition> {
    let status = object.get::<PodDisruptionBudget>()?.status.as_ref()?;
    status.conditions.iter().flatten().find(|c| c.type_ == DISRUPTION_ALLOWED)
}

impl KindView for DisruptionBudgets {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: Shows::Made,
            keeper: "disruption-controller",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    fn card(&self, object: &Object) -> Card {
        Card::Resource(allowed(object).map(|c| {
            let good = c.status == "True";
            Standing { good, word: if good { c.type_.clone() } else { format!("{}: {}", c.type_, c.status) } }
        }))
    }
    /// Fewer pods are healthy than the budget asks for, or its controller could not count them. A budget that allows no
    /// disruption because it asks for all pods is as its author wants it.
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let status = object.get::<PodDisruptionBudget>()?.status.clone().unwrap_or_default();
        let condition = allowed(object).filter(|c| {
            c.status == "False"
                && (c.reason == SYNC_FAILED || status.current_healthy < status.desired_healthy)
        });
        let condition =
            condition.map(|c| Condition::new(&c.type_, &c.status, Some(&c.reason), Some(&c.message)));
        condition.map(Ails::Condition).or_else(|| stuck(object))
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        let selector = object.get::<PodDisruptionBudget>()?.spec.as_ref()?.selector.as_ref()?;
        let selector = Selector::from_label_selector(Some(selector)).ok().filter(|s| !s.is_empty())?;
        Some(Selects { selector, kind: Kind::POD, only_orphans: false })
    }
    usual!(report, next_run, node, ordinal, names, offers);
}

/// ResourceQuotas.
pub(super) struct Quotas;

/// What a quota allows, and what is used, by the names of resources.
fn used_and_hard(object: &Object) -> (Amounts, Amounts) {
    let status = object.get::<ResourceQuota>().and_then(|q| q.status.as_ref());
    (amounts(status.and_then(|s| s.used.as_ref())), amounts(status.and_then(|s| s.hard.as_ref())))
}

impl KindView for Quotas {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: Shows::Made,
            keeper: "resourcequota-controller",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    /// The resource of which the largest part is used, as `kubectl describe` has it: `pods 3/4`.
    fn card(&self, object: &Object) -> Card {
        let (used, hard) = used_and_hard(object);
        let part = |name: &str| {
            let (used, hard) = (used.get(name)?.milli_value(), hard.get(name)?.milli_value());
            Some(if hard > 0 { used as f64 / hard as f64 } else { f64::INFINITY })
        };
        let parts = hard.keys().filter_map(|name| Some((name, part(name)?)));
        let fullest = parts.reduce(|a, b| if b.1 > a.1 { b } else { a });
        Card::Resource(fullest.and_then(|(name, part)| {
            let (used, hard) = (used.get(name)?, hard.get(name)?);
            let word = format!("{name} {}/{}", used.canonical(), hard.canonical());
            Some(Standing { good: part < 1.0, word })
        }))
    }
    /// A resource of which more is used than the quota allows, because the quota is younger than the objects or became
    /// smaller. A quota that is used up is as its author wants it; whoever is refused by it says so.
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let (used, hard) = used_and_hard(object);
        let over = hard.iter().find_map(|(name, hard)| {
            let used = used.get(name).filter(|used| *used > hard)?;
            let (used, hard) = (used.canonical(), hard.canonical());
            Some(Ails::OverQuota { resource: name.clone(), used, hard })
        });
        over.or_else(|| stuck(object))
    }
    usual!(report, next_run, node, ordinal, selects, names, offers);
}
