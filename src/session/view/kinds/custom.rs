//! CustomResourceDefinitions, and the objects of the kinds that they define.

use serde_json::Value;

use super::{About, KindView, stuck};
use crate::api::Object;
use crate::api::types::CustomResourceDefinition;
use crate::apiserver::apiextensions::scale;
use crate::cluster::Cluster;
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Standing};
use crate::session::view::events::Condition;
use crate::session::view::offers::{Offer, deletion, scaling};

/// CustomResourceDefinitions.
pub(super) struct Definitions;

/// The conditions of a definition, each with the status that means trouble. Which of them says most comes first.
const TROUBLES: [(&str, &str); 5] = [
    ("Terminating", "True"),
    ("NonStructuralSchema", "True"),
    ("KubernetesAPIApprovalPolicyConformant", "False"),
    ("NamesAccepted", "False"),
    ("Established", "False"),
];

impl Definitions {
    /// The condition that says most about a definition, and whether it means trouble.
    fn standing(object: &Object) -> Option<(bool, Condition)> {
        let status = object.get::<CustomResourceDefinition>()?.status.as_ref()?;
        let conditions = || status.conditions.iter().flatten();
        let trouble = TROUBLES
            .iter()
            .find_map(|(type_, bad)| conditions().find(|c| c.type_ == *type_ && c.status == *bad));
        let found = trouble.or_else(|| conditions().find(|c| c.type_ == "Established"))?;
        let condition =
            Condition::new(&found.type_, &found.status, found.reason.as_deref(), found.message.as_deref());
        Some((trouble.is_some(), condition))
    }
}

impl KindView for Definitions {
    fn about(&self) -> About {
        About::ASIDE
    }
    fn card(&self, object: &Object) -> Card {
        let standing = Definitions::standing(object);
        Card::Resource(standing.map(|(trouble, c)| {
            // Some conditions are good news when they are true, others when they are false.
            let word = if c.status == "True" { c.type_ } else { format!("{}: {}", c.type_, c.status) };
            Standing { good: !trouble, word }
        }))
    }
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let trouble = Definitions::standing(object).filter(|(trouble, _)| *trouble);
        trouble.map(|(_, condition)| Ails::Condition(condition)).or_else(|| stuck(object))
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
    usual!(report, next_run, node, ordinal, selects, names);
}

/// Objects of custom kinds.
pub(super) struct Customs;

/// The types of conditions by which an object of any kind says how it stands, the one that says most first.
const STANDING: [&str; 5] = ["Ready", "Available", "Healthy", "Programmed", "Accepted"];

/// The types of conditions by which an object stands to each of its parents, as the routes of the Gateway API do
/// (`RouteParentStatus`).
const PARENTS: [&str; 2] = ["Accepted", "ResolvedRefs"];

fn is_type(condition: &Value, type_: &str) -> bool {
    condition.get("type").and_then(Value::as_str) == Some(type_)
}

impl Customs {
    /// The condition by which an object says how it stands, if it has one. Of those about its parents it is the first that is not true.
    fn standing(object: &Object) -> Option<Condition> {
        let status = object.custom()?.fields().get("status")?;
        let of = |status: &'_ Value| {
            status.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let own = of(status);
        if let Some(found) = STANDING.iter().find_map(|type_| own.iter().find(|c| is_type(c, type_))) {
            return Some(Condition::of(found));
        }
        let parents = status.get("parents").and_then(Value::as_array)?;
        let all: Vec<Value> = parents.iter().flat_map(of).collect();
        let known =
            || PARENTS.iter().flat_map(|type_| all.iter().filter(|c| is_type(c, type_))).map(Condition::of);
        known().find(|c| c.status != "True").or_else(|| known().next())
    }

    /// How many replicas an object wants; `None` if its kind has no scale, or the object does not say.
    fn replicas(cluster: &Cluster, object: &Object) -> Option<i32> {
        let kind = object.kind();
        let definition = cluster.api().definitions().find(kind.group(), kind.plural())?;
        let version = definition.preferred()?.version();
        let spec = definition.crd().spec.versions.iter().find(|v| v.name == version)?;
        let paths = spec.subresources.as_ref()?.scale.as_ref()?;
        let replicas = scale::read(paths, &object.to_value()).ok()?.replicas?;
        i32::try_from(replicas).ok()
    }
}

impl KindView for Customs {
    fn about(&self) -> About {
        About::ASIDE
    }
    fn card(&self, object: &Object) -> Card {
        Card::Resource(Customs::standing(object).map(|c| {
            let good = c.status == "True";
            Standing { good, word: if good { c.type_ } else { format!("{}: {}", c.type_, c.status) } }
        }))
    }
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let condition = Customs::standing(object).filter(|c| c.status != "True");
        stuck(object).or(condition.map(Ails::Condition))
    }
    fn offers(&self, cluster: &Cluster, object: &Object) -> Vec<Offer> {
        let mut out = Customs::replicas(cluster, object).map_or_else(Vec::new, |n| scaling(object, n));
        out.push(deletion(object));
        out
    }
    usual!(report, next_run, node, ordinal, selects, names);
}
