//! The aggregation controller of ClusterRoles
//! (`k8s.io/kubernetes/pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go`): it gives a role with an
//! aggregation rule the rules of the roles that its selectors match.
//!
//! The default roles are not in its cache until somebody has changed them, so they are read from the same table as in the API
//! server, with the rules that this controller has given them. A default role that was deleted goes on counting.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::api::bootstrap_policy::{aggregate, objects, same_rule};
use crate::api::types::ClusterRole;
use crate::api::types::rbac::PolicyRule;
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::client::{Context, Handler, Reconciler, Result, Seen, Watches, Why};

/// The controller's name, under which it also owns the rules that it writes.
pub(crate) const NAME: &str = "clusterrole-aggregation-controller";

/// The aggregation controller of ClusterRoles.
#[derive(Clone, Copy, Debug)]
pub struct ClusterRoleAggregationController;

/// All roles by name: those of the cache, and the default ones that are not there.
fn all(cached: impl Iterator<Item = Rc<ClusterRole>>) -> BTreeMap<String, Rc<ClusterRole>> {
    let defaults = objects(true);
    let defaults = defaults.iter().filter_map(|o| o.get::<ClusterRole>().cloned());
    let all = defaults.chain(cached);
    all.map(|role| (role.metadata.name().to_owned(), role)).collect()
}

impl Reconciler for ClusterRoleAggregationController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        NAME.into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(|cx: &mut Handler<'_, ()>, _: Seen<'_, ClusterRole>| {
            // Which roles depend on which is not known, so all that gather rules are looked at.
            let cached = cx.caches.of(Kind::CLUSTER_ROLE).list(None);
            let gathering = all(cached.filter_map(|o| o.get().cloned()));
            for (name, _) in gathering.into_iter().filter(|(_, role)| role.aggregation_rule.is_some()) {
                cx.enqueue(Key::new("", &name));
            }
        })
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let roles = all(cx.lister::<ClusterRole>().list(None).cloned());
        let Some(role) = roles.get(&*key.name) else { return Ok(()) };
        let Some(rules) = aggregate(role, roles.values().map(|r| &**r)) else { return Ok(()) };
        let has = role.rules.as_deref().unwrap_or_default();
        if rules.len() == has.len() && rules.iter().zip(has).all(|(a, b)| same_rule(a, b)) {
            return Ok(());
        }
        let mut fields = json!({});
        if !rules.is_empty() {
            fields["rules"] = rules.iter().map(applied).collect();
        }
        let why = Why::new("clusterrole_aggregation.apply")
            .read("role", ObjectRef::of(&**role), "aggregationRule", role.metadata.name())
            .with("rules", rules.len());
        cx.apply::<ClusterRole>(key, fields, NAME).because(why).await?;
        Ok(())
    }
}

/// A rule as it is applied: lists without entries are left out.
fn applied(rule: &PolicyRule) -> Value {
    let mut value = json!({"verbs": rule.verbs});
    for (key, list) in [
        ("apiGroups", &rule.api_groups),
        ("resources", &rule.resources),
        ("resourceNames", &rule.resource_names),
        ("nonResourceURLs", &rule.non_resource_urls),
    ] {
        if let Some(list) = list.as_ref().filter(|l| !l.is_empty()) {
            value[key] = json!(list);
        }
    }
    value
}
