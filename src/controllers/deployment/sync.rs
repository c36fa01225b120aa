//! Revisions, the new ReplicaSet, and the status of a Deployment (`sync.go`).

use std::rc::Rc;

use super::scale;
use super::util::{
    self, actual, available, by_creation, find_new, has_progress_deadline, max_revision, new_condition,
    new_rs_new_replicas, reason, replicas, revision, set_condition, spec, sum, wanted,
};
use super::{Cx, ReplicaSets};
use crate::api::order;
use crate::api::pod_template_hash::compute_hash;
use crate::api::quote::go_quote;
use crate::api::types::{Deployment, DeploymentStatus, ObjectMeta, ReplicaSet, ReplicaSetSpec};
use crate::api::well_known::{DEPLOYMENT_REVISION_ANNOTATION, POD_TEMPLATE_HASH_LABEL};
use crate::api::{Key, Kind, MetaExt, ObjectRef, owner_reference};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::{Result, Why};

/// Syncs a Deployment that is paused or whose size has changed: no step of a rollout is taken.
pub(super) async fn sync(cx: &Cx, d: Rc<Deployment>, list: &[Rc<ReplicaSet>]) -> Result {
    let (d, (new, old)) = all_replica_sets(cx, d, list, false).await?;
    scale::scale(cx, &d, new.as_ref(), &old).await?;
    if d.spec.as_ref().is_some_and(|s| s.paused == Some(true)) && util::rollback_to(&d).is_none() {
        cleanup(cx, &d, &old).await?;
    }
    sync_status(cx, d, new.as_ref(), old).await
}

/// The sync of a Deployment that is being deleted: it still reports its status.
pub(super) async fn sync_status_only(cx: &Cx, d: Rc<Deployment>, list: &[Rc<ReplicaSet>]) -> Result {
    let (d, (new, old)) = all_replica_sets(cx, d, list, false).await?;
    sync_status(cx, d, new.as_ref(), old).await
}

/// The new ReplicaSet and the old ones, the oldest first, with their revisions brought up to date. If there is no new one and
/// `create` says so, it is created (`getAllReplicaSetsAndSyncRevision`).
pub(super) async fn all_replica_sets(
    cx: &Cx,
    d: Rc<Deployment>,
    list: &[Rc<ReplicaSet>],
    create: bool,
) -> Result<(Rc<Deployment>, ReplicaSets)> {
    let mut list = list.to_vec();
    // `FindNewReplicaSet` leaves the list in this order.
    order::sort_by(&mut list, by_creation);
    let existing = find_new(&d, &list);
    let old = util::but(&list, existing.as_ref());
    let (d, new) = new_replica_set(cx, d, existing, &old, create).await?;
    Ok((d, (new, old)))
}

/// The ReplicaSet with the Deployment's template (`getNewReplicaSet`).
async fn new_replica_set(
    cx: &Cx,
    d: Rc<Deployment>,
    existing: Option<Rc<ReplicaSet>>,
    old: &[Rc<ReplicaSet>],
    create: bool,
) -> Result<(Rc<Deployment>, Option<Rc<ReplicaSet>>)> {
    let new_revision = max_revision(old) + 1;
    if let Some(existing) = existing {
        return update_existing(cx, d, existing, new_revision).await;
    }
    if !create {
        return Ok((d, None));
    }
    create_new(cx, d, old, new_revision).await
}

async fn update_existing(
    cx: &Cx,
    mut d: Rc<Deployment>,
    existing: Rc<ReplicaSet>,
    new_revision: i64,
) -> Result<(Rc<Deployment>, Option<Rc<ReplicaSet>>)> {
    let mut rs = existing;
    let mut annotations = rs.metadata.annotations.clone();
    let changed = util::set_new_rs_annotations(&d, &mut annotations, new_revision, true);
    if annotations != rs.metadata.annotations {
        Rc::make_mut(&mut rs).metadata.annotations = annotations;
    }
    let min_ready = d.spec.as_ref().and_then(|s| s.min_ready_seconds);
    let other_min_ready =
        rs.spec.as_ref().and_then(|s| s.min_ready_seconds).unwrap_or(0) != min_ready.unwrap_or(0);
    if changed || other_min_ready {
        if let Some(s) = Rc::make_mut(&mut rs).spec.as_mut() {
            s.min_ready_seconds = min_ready;
        }
        let why = Why::new("new_replica_set.update").with("revision", revision(&rs)).read(
            "deployment",
            ObjectRef::of(&*d),
            "metadata.annotations",
            d.metadata.name(),
        );
        let rs = cx.update(rs).because(why).await?;
        return Ok((d, Some(rs)));
    }
    let rs_revision = rs.metadata.annotation(DEPLOYMENT_REVISION_ANNOTATION).unwrap_or_default().to_owned();
    let mut needs_update = util::set_deployment_revision(&mut d, &rs_revision);
    let progressing = d.status.as_ref().and_then(|s| util::condition(s, reason::PROGRESSING));
    if has_progress_deadline(&d) && progressing.is_none() {
        let message = format!("Found new replica set {}", go_quote(rs.metadata.name()));
        let c = new_condition(reason::PROGRESSING, "True", reason::FOUND_NEW_RS, message, cx.now());
        set_condition(Rc::make_mut(&mut d).status.get_or_insert_default(), c);
        needs_update = true;
    }
    if needs_update {
        let why = Why::new("new_replica_set.found").read(
            "revision",
            ObjectRef::of(&*rs),
            "metadata.annotations",
            rs_revision,
        );
        cx.update_status(d.clone()).because(why).await?;
    }
    Ok((d, Some(rs)))
}

async fn create_new(
    cx: &Cx,
    mut d: Rc<Deployment>,
    old: &[Rc<ReplicaSet>],
    new_revision: i64,
) -> Result<(Rc<Deployment>, Option<Rc<ReplicaSet>>)> {
    let wanted_rs = replica_set_for(&d, old, new_revision);
    let first = replicas(&wanted_rs);
    let name = wanted_rs.metadata.name().to_owned();
    let why = Why::new("new_replica_set.create")
        .read("deployment", ObjectRef::of(&*d), "spec.template", d.metadata.name())
        .with("existing", old.len())
        .with("replicas", first)
        .read("want", ObjectRef::of(&*d), "spec.replicas", wanted(&d));
    let (created, existed) = match cx.create(wanted_rs).because(why).await {
        Ok(rs) => (rs, false),
        Err(e) if e.is_already_exists() => (taken(cx, &d, &name, e).await?, true),
        Err(e) if e.is_namespace_terminating() => return Err(e.into()),
        Err(e) => return Err(creation_failed(cx, d, &name, e).await.into()),
    };
    if !existed && first > 0 {
        let message = format!("Scaled up replica set {name} from 0 to {first}");
        cx.event(&*d, "Normal", "ScalingReplicaSet", message);
    }
    let mut needs_update = util::set_deployment_revision(&mut d, &new_revision.to_string());
    if !existed && has_progress_deadline(&d) {
        let message = format!("Created new replica set {name}", name = go_quote(&name));
        let c = new_condition(reason::PROGRESSING, "True", reason::NEW_RS, message, cx.now());
        set_condition(Rc::make_mut(&mut d).status.get_or_insert_default(), c);
        needs_update = true;
    }
    if needs_update {
        let why = Why::new("new_replica_set.created")
            .read("replica_set", ObjectRef::of(&*created), "metadata.name", &name)
            .with("revision", new_revision);
        cx.update_status(d.clone()).because(why).await?;
    }
    Ok((d, Some(created)))
}

/// A ReplicaSet with the Deployment's template, before its creation.
fn replica_set_for(d: &Deployment, old: &[Rc<ReplicaSet>], new_revision: i64) -> ReplicaSet {
    let s = spec(d);
    let collisions = d.status.as_ref().and_then(|s| s.collision_count);
    let hash = compute_hash(&s.template, collisions);
    let mut template = s.template.clone();
    let labels = template.metadata.get_or_insert_default().labels.get_or_insert_default();
    labels.insert(POD_TEMPLATE_HASH_LABEL.into(), hash.clone());
    let labels = labels.clone();
    let mut selector = s.selector.clone();
    selector.match_labels.get_or_insert_default().insert(POD_TEMPLATE_HASH_LABEL.into(), hash.clone());
    let mut rs = ReplicaSet {
        metadata: ObjectMeta {
            name: Some(replica_set_name(d.metadata.name(), &hash)),
            namespace: d.metadata.namespace.clone(),
            labels: Some(labels),
            owner_references: Some(vec![owner_reference(Kind::DEPLOYMENT, &d.metadata)]),
            ..Default::default()
        },
        spec: Some(ReplicaSetSpec {
            replicas: Some(new_rs_new_replicas(d, old, 0)),
            min_ready_seconds: s.min_ready_seconds,
            selector,
            template: Some(template),
        }),
        status: None,
    };
    util::set_new_rs_annotations(d, &mut rs.metadata.annotations, new_revision, false);
    rs
}

/// The name of a new ReplicaSet. A Deployment's name that is too long is cut; the hash is not.
fn replica_set_name(deployment: &str, hash: &str) -> String {
    const MAX: usize = 253;
    let most = MAX.saturating_sub(hash.len() + 1);
    let prefix: String = deployment.chars().take(most).collect();
    format!("{prefix}-{hash}")
}

/// The name of the new ReplicaSet is in use. If its owner has the same template, it is the new ReplicaSet.
/// Otherwise the hashes collide: `collisionCount` is raised, so that the next try has another hash.
async fn taken(cx: &Cx, d: &Rc<Deployment>, name: &str, e: Status) -> Result<Rc<ReplicaSet>> {
    let key = Key::new(d.metadata.namespace(), name);
    let rs = match cx.lister::<ReplicaSet>().get(&key) {
        Some(rs) => rs.clone(),
        // The ReplicaSet is not in the cache yet.
        None => return Err(Status::not_found(Kind::REPLICA_SET, name).into()),
    };
    let mine = rs.metadata.controller().is_some_and(|c| c.uid == d.metadata.uid());
    if mine && util::equal_ignore_hash(&util::template(&rs), &spec(d).template) {
        return Ok(rs);
    }
    let mut new = d.clone();
    let status = Rc::make_mut(&mut new).status.get_or_insert_default();
    let before = status.collision_count.unwrap_or(0);
    status.collision_count = Some(before + 1);
    let why = Why::new("new_replica_set.collision")
        .read("replica_set", ObjectRef::of(&*rs), "metadata.name", name)
        .read("collisions", ObjectRef::of(&**d), "status.collisionCount", before);
    cx.update_status(new).because(why).await?;
    Err(e.into())
}

async fn creation_failed(cx: &Cx, mut d: Rc<Deployment>, name: &str, e: Status) -> Status {
    let message = format!("Failed to create new replica set {name}: {e}", name = go_quote(name));
    if has_progress_deadline(&d) {
        let c = new_condition(reason::PROGRESSING, "False", reason::FAILED_CREATE, message.clone(), cx.now());
        set_condition(Rc::make_mut(&mut d).status.get_or_insert_default(), c);
        let why = Why::new("new_replica_set.failed").with("error", &e);
        // The sync fails with the error of the creation, whether or not this write succeeds.
        let _ = cx.update_status(d.clone()).because(why).await;
    }
    cx.event(&*d, "Warning", reason::FAILED_CREATE, message);
    e
}

/// Writes the status if it has changed (`syncDeploymentStatus`).
async fn sync_status(
    cx: &Cx,
    d: Rc<Deployment>,
    new: Option<&Rc<ReplicaSet>>,
    old: Vec<Rc<ReplicaSet>>,
) -> Result {
    let status = calculate_status(cx, &d, new, &old);
    write_status(cx, d, status).await
}

/// Writes a status unless the Deployment has it already.
pub(super) async fn write_status(cx: &Cx, d: Rc<Deployment>, status: DeploymentStatus) -> Result {
    if d.status.as_ref() == Some(&status) {
        return Ok(());
    }
    let why = status_why(&d, &status);
    let mut updated = d.clone();
    Rc::make_mut(&mut updated).status = Some(status);
    cx.update_status(updated).because(why).await?;
    Ok(())
}

fn status_why(d: &Deployment, status: &DeploymentStatus) -> Why {
    let n = |v: Option<i32>| v.unwrap_or(0);
    let was = d.status.clone().unwrap_or_default();
    Why::new("sync_rollout_status")
        .read("want", ObjectRef::of(d), "spec.replicas", wanted(d))
        .read("was_available", ObjectRef::of(d), "status.availableReplicas", n(was.available_replicas))
        .with("replicas", n(status.replicas))
        .with("updated", n(status.updated_replicas))
        .with("ready", n(status.ready_replicas))
        .with("available", n(status.available_replicas))
}

/// The status that follows from the ReplicaSets (`calculateStatus`).
pub(super) fn calculate_status(
    cx: &Cx,
    d: &Deployment,
    new: Option<&Rc<ReplicaSet>>,
    old: &[Rc<ReplicaSet>],
) -> DeploymentStatus {
    let mut all = old.to_vec();
    all.extend(new.cloned());
    let available = sum(&all, available);
    let unavailable = (sum(&all, replicas) - available).max(0);
    let count = |n: i32| (n != 0).then_some(n);
    let was = d.status.clone().unwrap_or_default();
    let mut status = DeploymentStatus {
        observed_generation: Some(d.metadata.generation()),
        replicas: count(sum(&all, actual)),
        updated_replicas: count(new.map_or(0, |rs| actual(rs))),
        ready_replicas: count(sum(&all, |rs| rs.status.as_ref().and_then(|s| s.ready_replicas).unwrap_or(0))),
        available_replicas: count(available),
        unavailable_replicas: count(unavailable),
        terminating_replicas: terminating(&all),
        collision_count: was.collision_count,
        conditions: was.conditions,
    };
    let c = if available >= wanted(d) - util::max_unavailable(d) {
        let message = "Deployment has minimum availability.";
        new_condition(reason::AVAILABLE, "True", "MinimumReplicasAvailable", message.into(), cx.now())
    } else {
        let message = "Deployment does not have minimum availability.";
        new_condition(reason::AVAILABLE, "False", "MinimumReplicasUnavailable", message.into(), cx.now())
    };
    set_condition(&mut status, c);
    status
}

/// How many pods are being deleted; `None` if a ReplicaSet that has been synced does not count them.
fn terminating(all: &[Rc<ReplicaSet>]) -> Option<i32> {
    let mut total = 0;
    for rs in all {
        let status = rs.status.clone().unwrap_or_default();
        match status.terminating_replicas {
            Some(n) => total += n,
            None if status.observed_generation.unwrap_or(0) == 0 => {}
            None => return None,
        }
    }
    Some(total)
}

/// Deletes the oldest ReplicaSets beyond `revisionHistoryLimit`, except those that have or want pods
/// (`cleanupDeployment`).
pub(super) async fn cleanup(cx: &Cx, d: &Rc<Deployment>, old: &[Rc<ReplicaSet>]) -> Result {
    let limit = d.spec.as_ref().and_then(|s| s.revision_history_limit).filter(|n| *n != i32::MAX);
    let Some(limit) = limit else { return Ok(()) };
    let mut cleanable: Vec<_> = old.iter().filter(|rs| !rs.metadata.is_deleting()).collect();
    let surplus = cleanable.len().saturating_sub(usize::try_from(limit).unwrap_or(0));
    order::sort_by(&mut cleanable, |a, b| {
        revision(a).cmp(&revision(b)).then_with(|| util::by_creation(a, b))
    });
    for rs in cleanable.into_iter().take(surplus) {
        let observed = rs.status.as_ref().and_then(|s| s.observed_generation).unwrap_or(0);
        if actual(rs) != 0 || replicas(rs) != 0 || rs.metadata.generation() > observed {
            continue;
        }
        let why = Why::new("cleanup_deployment")
            .read("limit", ObjectRef::of(&**d), "spec.revisionHistoryLimit", limit)
            .with("old", old.len())
            .read("revision", ObjectRef::of(&**rs), "metadata.annotations", revision(rs));
        match cx.delete(Kind::REPLICA_SET, rs.metadata.key(), DeleteOptions::default()).because(why).await {
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => {}
        }
    }
    Ok(())
}
