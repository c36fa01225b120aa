//! The rollback that an annotation asks for; the former rollback endpoint set it (`rollback.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Cx;
use super::sync::all_replica_sets;
use super::util::{self, revision, spec};
use crate::api::quote::go_quote;
use crate::api::types::{Deployment, ReplicaSet};
use crate::api::well_known::{DEPRECATED_ROLLBACK_TO, POD_TEMPLATE_HASH_LABEL};
use crate::api::{MetaExt, ObjectRef, order};
use crate::client::{Result, Why};

/// Reason of an event: no ReplicaSet has the revision.
const REVISION_NOT_FOUND: &str = "DeploymentRollbackRevisionNotFound";
/// Reason of an event: the Deployment has the template of the revision already.
const TEMPLATE_UNCHANGED: &str = "DeploymentRollbackTemplateUnchanged";
/// Reason of an event: the Deployment was given the template of the revision.
const DONE: &str = "DeploymentRollback";

/// Gives the Deployment the template and the annotations of the ReplicaSet of a revision, and takes the annotation away
/// that asks for it.
pub(super) async fn rollback(cx: &Cx, d: Rc<Deployment>, list: &[Rc<ReplicaSet>], asked: i64) -> Result {
    let (d, (new, old)) = all_replica_sets(cx, d, list, true).await?;
    let mut all = old;
    all.extend(new);
    let target = if asked == 0 { last_revision(&all) } else { asked };
    let mut back = d.clone();
    let b = Rc::make_mut(&mut back);
    if let Some(a) = b.metadata.annotations.as_mut() {
        a.remove(DEPRECATED_ROLLBACK_TO);
    }
    let mut done = None;
    if target == 0 {
        cx.event(&*d, "Warning", REVISION_NOT_FOUND, "Unable to find last revision.");
    } else if let Some(rs) = all.iter().find(|rs| revision(rs) == target) {
        if restore(b, rs) {
            done =
                Some(format!("Rolled back deployment {} to revision {target}", go_quote(d.metadata.name())));
        } else {
            let message = format!(
                "The rollback revision contains the same template as current deployment {}",
                go_quote(d.metadata.name())
            );
            cx.event(&*d, "Warning", TEMPLATE_UNCHANGED, message);
        }
    } else {
        cx.event(&*d, "Warning", REVISION_NOT_FOUND, "Unable to find the revision to rollback to.");
    }
    let why = Why::new("rollback").read("revision", ObjectRef::of(&*d), "metadata.annotations", target);
    cx.update(back).because(why).await?;
    if let Some(message) = done {
        cx.event(&*d, "Normal", DONE, message);
    }
    Ok(())
}

/// Gives the Deployment what a ReplicaSet has: its template and its annotations, without those that tell the ReplicaSet's
/// own revision and size (`rollbackToTemplate`). Returns whether the template is another one.
fn restore(d: &mut Deployment, rs: &ReplicaSet) -> bool {
    let mut template = util::template(rs);
    if util::equal_ignore_hash(&spec(d).template, &template) {
        return false;
    }
    if let Some(l) = template.metadata.as_mut().and_then(|m| m.labels.as_mut()) {
        l.remove(POD_TEMPLATE_HASH_LABEL);
    }
    if let Some(s) = d.spec.as_mut() {
        s.template = template;
    }
    let mut annotations: BTreeMap<String, String> = BTreeMap::new();
    let own = d.metadata.annotations.iter().flatten().filter(|(k, _)| util::is_not_copied(k));
    annotations.extend(own.map(|(k, v)| (k.clone(), v.clone())));
    let copied = rs.metadata.annotations.iter().flatten().filter(|(k, _)| !util::is_not_copied(k));
    annotations.extend(copied.map(|(k, v)| (k.clone(), v.clone())));
    d.metadata.annotations = Some(annotations).filter(|a| !a.is_empty());
    true
}

/// The second highest revision.
fn last_revision(all: &[Rc<ReplicaSet>]) -> i64 {
    let mut revisions: Vec<i64> = all.iter().map(|rs| revision(rs)).collect();
    order::sort(&mut revisions);
    revisions.iter().rev().nth(1).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use crate::api::{Kind, Object};

    #[test]
    fn a_rollback_brings_back_the_template_and_its_annotations() {
        let template = |image: &str| json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": image}]}});
        let d = json!({
            "metadata": {"name": "web", "annotations": {
                "kubernetes.io/change-cause": "edit", "new": "1", "deployment.kubernetes.io/revision": "2"}},
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template("two")},
        });
        let rs = json!({
            "metadata": {"name": "web-1", "annotations": {
                "kubernetes.io/change-cause": "create", "deployment.kubernetes.io/revision": "1",
                "deployment.kubernetes.io/desired-replicas": "1"}},
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template("one")},
        });
        let d = Object::from_value(Kind::DEPLOYMENT, d).unwrap();
        let rs = Object::from_value(Kind::REPLICA_SET, rs).unwrap();
        let mut d = Deployment::clone(d.get::<Deployment>().unwrap());
        let rs = rs.get::<ReplicaSet>().unwrap();
        assert!(restore(&mut d, rs));
        let annotations = d.metadata.annotations.clone().unwrap_or_default();
        let annotations: Vec<String> = annotations.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(annotations, ["deployment.kubernetes.io/revision=2", "kubernetes.io/change-cause=create"]);
        assert!(!restore(&mut d, rs), "the template is the same now");
    }
}
