//! The disruption controller (`k8s.io/kubernetes/pkg/controller/disruption`): it counts, for each
//! PodDisruptionBudget, how many of its pods are healthy and how many may be disrupted, and writes that into
//! the budget's status. The API server reads the status when a pod is to be evicted.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::disruption_budget::{SYNC_FAILED, covers, is_up_to_date, set_condition, update_condition};
use crate::api::intstr::{Rounding, scaled_value};
use crate::api::labels::Selector;
use crate::api::pod::{is_ready, is_terminal, pod_condition};
use crate::api::quote::go_quote;
use crate::api::scale::Scale;
use crate::api::types::{
    CustomResourceDefinition, Deployment, IntOrString, LabelSelector, OwnerReference, Pod, PodCondition,
    PodDisruptionBudget, PodDisruptionBudgetStatus, ReplicaSet, ReplicationController, StatefulSet, Time,
};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp, later, seconds};
use crate::apimachinery::{Body, Subresource, Verb};
use crate::client::{Context, Error, EventFlavour, Handler, Reconciler, Result, Seen, Watches, Why};

/// After this many seconds an evicted pod whose deletion has not begun counts as not evicted.
const DELETION_TIMEOUT: i64 = 120;
/// After this many seconds the condition `DisruptionTarget` of a pod that is not being deleted is set to
/// false.
const STALE_DISRUPTION_TIMEOUT: i64 = 120;

/// The disruption controller.
#[derive(Clone, Copy, Debug)]
pub struct DisruptionController;

/// A key of the controller's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Check whether the condition `DisruptionTarget` of a pod is stale.
    StalePod(Key),
    /// Count the pods of a budget.
    Budget(Key),
}

impl From<Key> for Task {
    fn from(budget: Key) -> Task {
        Task::Budget(budget)
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::StalePod(pod) => write!(f, "stalePodDisruption/{pod}"),
            Task::Budget(budget) => budget.fmt(f),
        }
    }
}

type Cx = Context<(), Task>;
type Budget = Rc<PodDisruptionBudget>;

impl Reconciler for DisruptionController {
    type Key = Task;
    type State = ();

    fn name(&self) -> Rc<str> {
        "disruption-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "controllermanager".into(), host: None }
    }

    fn watches(&self) -> Watches<(), Task> {
        Watches::new()
            .for_::<PodDisruptionBudget>()
            .watches(handle_pod)
            .reads::<ReplicaSet>()
            .reads::<Deployment>()
            .reads::<StatefulSet>()
            .reads::<ReplicationController>()
            .reads::<CustomResourceDefinition>()
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        let key = match task {
            Task::StalePod(pod) => return sync_stale_pod(&cx, pod).await,
            Task::Budget(key) => key,
        };
        let Some(budget) = cx.lister::<PodDisruptionBudget>().get(&key).cloned() else { return Ok(()) };
        match try_sync(&cx, &budget).await {
            // Somebody else was faster, so there is a newer version to sync.
            Err(Error::Api(e)) if e.is_conflict() => Err(Error::Api(e)),
            Err(why) => fail_safe(&cx, budget, &why.to_string()).await,
            Ok(()) => Ok(()),
        }
    }
}

/// Enqueues the first budget that covers the pod. An event says that there are others (`getPdbForPod`; which one is the
/// first is chance in Kubernetes).
fn handle_pod(cx: &mut Handler<'_, (), Task>, seen: Seen<'_, Pod>) {
    let pod = seen.object();
    let budgets = cx.caches.of(Kind::POD_DISRUPTION_BUDGET).list(Some(&seen.key.namespace));
    let mut covering =
        budgets.filter_map(PodDisruptionBudget::from_object).filter(|b| covers(b, &pod.metadata));
    let (first, others) = (covering.next(), covering.next().is_some());
    if let Some(budget) = first {
        let budget = budget.metadata.key();
        if others {
            let message = format!(
                "Pod {}/{} matches multiple PodDisruptionBudgets.  Chose {} arbitrarily.",
                go_quote(&seen.key.namespace),
                go_quote(&seen.key.name),
                go_quote(&budget.name)
            );
            cx.event(&**pod, "Warning", "MultiplePodDisruptionBudgets", message);
        }
        cx.enqueue(Task::Budget(budget));
    }
    match seen.new.and_then(|p| stale_after(p, cx.now)) {
        Some(rest) => cx.enqueue_after(Task::StalePod(seen.key.clone()), rest),
        None if cx.has_plans() => cx.cancel(Task::StalePod(seen.key.clone())),
        None => {}
    }
}

async fn try_sync(cx: &Cx, budget: &Budget) -> Result {
    let selector = budget.spec.as_ref().and_then(|s| s.selector.as_ref());
    let parsed = match Selector::from_label_selector(selector) {
        Ok(parsed) => parsed,
        Err(why) => {
            cx.event(&**budget, "Warning", "NoPods", format!("Failed to get pods: {why}"));
            return Err(Error::Other(why));
        }
    };
    let pods: Vec<Rc<Pod>> = cx
        .lister::<Pod>()
        .list(Some(budget.metadata.namespace()))
        .filter(|p| parsed.matches(p.metadata.labels_or_empty()))
        .cloned()
        .collect();
    if pods.is_empty() {
        cx.event(&**budget, "Normal", "NoPods", "No matching pods found");
    }
    let counted = expected_pod_count(cx, budget, &pods).await.map_err(|why| {
        let message = format!("Failed to calculate the number of expected pods: {why}");
        cx.event(&**budget, "Warning", "CalculateExpectedPodCountFailed", message);
        Error::Other(why)
    })?;
    if counted.unmanaged {
        let message = format!(
            "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set \".spec.minAvailable\" field of the PDB to an integer value.",
            go_selector(selector)
        );
        cx.event(&**budget, "Warning", "UnmanagedPods", message);
    }
    let (disrupted, recheck) = disrupted_pods(cx, budget, &pods);
    let healthy = count_healthy(&pods, &disrupted, cx.now());
    update_status(cx, budget, healthy, &counted, disrupted).await?;
    let key = Task::Budget(budget.metadata.key());
    match recheck {
        Some(at) => cx.enqueue_after(key, at.duration_since(cx.now())),
        None => cx.cancel(key),
    }
    Ok(())
}

/// How many pods a budget expects, and how many of them have to be healthy.
struct Counted {
    expected: i32,
    desired: i32,
    /// Whether a pod has no controller.
    unmanaged: bool,
}

/// The expected number of pods, and how many have to be healthy (`getExpectedPodCount`). The error says why
/// they cannot be counted.
async fn expected_pod_count(
    cx: &Cx,
    budget: &Budget,
    pods: &[Rc<Pod>],
) -> std::result::Result<Counted, String> {
    let spec = budget.spec.clone().unwrap_or_default();
    if let Some(max) = &spec.max_unavailable {
        let (expected, unmanaged) = expected_scale(cx, pods).await?;
        let unavailable = scaled_value(Some(max), expected, Rounding::Up)?;
        return Ok(Counted { expected, desired: expected.saturating_sub(unavailable).max(0), unmanaged });
    }
    match &spec.min_available {
        Some(IntOrString::Int(n)) => {
            let expected = i32::try_from(pods.len()).unwrap_or(i32::MAX);
            Ok(Counted { expected, desired: *n, unmanaged: false })
        }
        Some(share) => {
            let (expected, unmanaged) = expected_scale(cx, pods).await?;
            let desired = scaled_value(Some(share), expected, Rounding::Up)?;
            Ok(Counted { expected, desired, unmanaged })
        }
        None => Ok(Counted { expected: 0, desired: 0, unmanaged: false }),
    }
}

/// The sum of the sizes of all controllers that own one of the pods, and whether a pod has no controller
/// (`getExpectedScale`).
async fn expected_scale(cx: &Cx, pods: &[Rc<Pod>]) -> std::result::Result<(i32, bool), String> {
    let mut scales: BTreeMap<String, i32> = BTreeMap::new();
    let mut unmanaged = false;
    for pod in pods {
        let Some(owner) = pod.metadata.controller() else {
            unmanaged = true;
            continue;
        };
        if scales.contains_key(&owner.uid) {
            continue;
        }
        let (uid, scale) = find_controller(cx, owner, pod.metadata.namespace())
            .await?
            .ok_or_else(|| format!("found no controllers for pod {}", go_quote(pod.metadata.name())))?;
        scales.insert(uid, scale);
    }
    Ok((scales.values().fold(0i32, |sum, n| sum.saturating_add(*n)), unmanaged))
}

/// The uid and the size of the controller that an owner reference names: what the caches have of it, else what the API
/// server says about its scale (`finders`).
async fn find_controller(
    cx: &Cx,
    owner: &OwnerReference,
    namespace: &str,
) -> std::result::Result<Option<(String, i32)>, String> {
    let key = Key::new(namespace, &owner.name);
    match cached_controller(cx, owner, &key) {
        Some(found) => Ok(Some(found)),
        None => scale_of(cx, owner, key).await,
    }
}

/// The uid and the size of a controller of one of the kinds that the caches have: a ReplicationController; a
/// ReplicaSet, or the Deployment that it belongs to; a StatefulSet.
fn cached_controller(cx: &Cx, owner: &OwnerReference, key: &Key) -> Option<(String, i32)> {
    let size = |replicas: Option<i32>| replicas.unwrap_or(1);
    let apps = owner.api_version.starts_with("apps/");
    if apps && owner.kind == "ReplicaSet" {
        let set = cx.lister::<ReplicaSet>().get(key).filter(|s| s.metadata.uid() == owner.uid)?;
        let Some(of) = set.metadata.controller().filter(|o| o.kind == "Deployment") else {
            return Some((owner.uid.clone(), size(set.spec.as_ref().and_then(|s| s.replicas))));
        };
        let deployment = cx.lister::<Deployment>().get(&Key::new(&key.namespace, &of.name));
        let deployment = deployment.filter(|d| d.metadata.uid() == of.uid)?;
        return Some((of.uid.clone(), size(deployment.spec.as_ref().and_then(|s| s.replicas))));
    }
    if owner.api_version == "v1" && owner.kind == "ReplicationController" {
        let one = cx.lister::<ReplicationController>().get(key).filter(|r| r.metadata.uid() == owner.uid)?;
        return Some((owner.uid.clone(), size(one.spec.as_ref().and_then(|s| s.replicas))));
    }
    if apps && owner.kind == "StatefulSet" {
        let set = cx.lister::<StatefulSet>().get(key).filter(|s| s.metadata.uid() == owner.uid)?;
        return Some((owner.uid.clone(), size(set.spec.as_ref().and_then(|s| s.replicas))));
    }
    None
}

/// The uid and the size of an object of any kind that has a scale (`getScaleController`).
async fn scale_of(
    cx: &Cx,
    owner: &OwnerReference,
    key: Key,
) -> std::result::Result<Option<(String, i32)>, String> {
    let group = owner.api_version.rsplit_once('/').map_or("", |(group, _)| group);
    let custom = |kind: &Kind| kind.is_custom() && kind.as_str() == owner.kind && kind.group() == group;
    let built_in = Kind::of(&owner.api_version, &owner.kind);
    let Some(kind) = built_in.or_else(|| super::served(cx.caches()).find(custom)) else {
        let (kind, version) = (go_quote(&owner.kind), go_quote(&owner.api_version));
        return Err(format!("no matches for kind {kind} in version {version}"));
    };
    if !kind.has_subresource("scale") {
        return Err(format!("{} does not implement the scale subresource", kind.group_resource()));
    }
    let key = if kind.namespaced() { key } else { Key::new("", &key.name) };
    match cx.send(Verb::Get, kind, key, Subresource::Scale, Body::None).await {
        Ok(scale) => {
            let scale = scale.filter(|s| s.uid() == owner.uid);
            Ok(scale.map(|s| (owner.uid.clone(), Scale::read(&s).replicas)))
        }
        Err(e) if e.is_not_found() => Ok(None),
        Err(e) => Err(e.message),
    }
}

/// The evicted pods whose deletion has not begun, and when the first of them times out
/// (`buildDisruptedPodMap`).
fn disrupted_pods(
    cx: &Cx,
    budget: &PodDisruptionBudget,
    pods: &[Rc<Pod>],
) -> (BTreeMap<String, Time>, Option<Timestamp>) {
    let mut out = BTreeMap::new();
    let mut recheck: Option<Timestamp> = None;
    let known = budget.status.as_ref().and_then(|s| s.disrupted_pods.as_ref());
    for pod in pods.iter().filter(|p| !p.metadata.is_deleting()) {
        let name = pod.metadata.name();
        let Some(time) = known.and_then(|k| k.get(name)) else { continue };
        let expected = later(time.0, SignedDuration::from_secs(DELETION_TIMEOUT));
        if expected < cx.now() {
            // Kubernetes' message has the namespace twice.
            let namespace = budget.metadata.namespace();
            let message =
                format!("Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't");
            cx.event(&**pod, "Warning", "NotDeleted", message);
        } else {
            recheck = Some(recheck.map_or(expected, |r| r.min(expected)));
            out.insert(name.to_owned(), time.clone());
        }
    }
    (out, recheck)
}

fn count_healthy(pods: &[Rc<Pod>], disrupted: &BTreeMap<String, Time>, now: Timestamp) -> i32 {
    let timeout = SignedDuration::from_secs(DELETION_TIMEOUT);
    let going = |p: &Pod| disrupted.get(p.metadata.name()).is_some_and(|t| later(t.0, timeout) > now);
    let healthy = pods.iter().filter(|p| !p.metadata.is_deleting() && !going(p) && is_ready(p));
    i32::try_from(healthy.count()).unwrap_or(i32::MAX)
}

/// Writes the budget's status if it has changed (`updatePdbStatus`).
async fn update_status(
    cx: &Cx,
    budget: &Budget,
    healthy: i32,
    counted: &Counted,
    disrupted: BTreeMap<String, Time>,
) -> Result {
    let allowed = match healthy.saturating_sub(counted.desired) {
        n if counted.expected > 0 && n > 0 => n,
        _ => 0,
    };
    let before = budget.status.clone().unwrap_or_default();
    let mut status = PodDisruptionBudgetStatus {
        current_healthy: Some(healthy),
        desired_healthy: Some(counted.desired),
        expected_pods: Some(counted.expected),
        disruptions_allowed: Some(allowed),
        disrupted_pods: Some(disrupted).filter(|d| !d.is_empty()),
        observed_generation: budget.metadata.generation,
        conditions: before.conditions.clone(),
    };
    let n = |v: Option<i32>| v.unwrap_or(0);
    let same = n(before.current_healthy) == healthy
        && n(before.desired_healthy) == counted.desired
        && n(before.expected_pods) == counted.expected
        && n(before.disruptions_allowed) == allowed
        && before.disrupted_pods.unwrap_or_default() == status.disrupted_pods.clone().unwrap_or_default()
        && before.observed_generation == status.observed_generation;
    if same && is_up_to_date(budget) {
        return Ok(());
    }
    update_condition(&mut status, cx.now());
    let why = Why::new("update_pdb_status")
        .read("budget", ObjectRef::of(&**budget), "spec", budget.metadata.name())
        .with("healthy", healthy)
        .with("desired", counted.desired)
        .with("allowed", allowed);
    let mut to = budget.clone();
    Rc::make_mut(&mut to).status = Some(status);
    cx.update_status(to).because(why).await?;
    Ok(())
}

/// The pods cannot be counted, so none of them may be disrupted (`failSafe`).
async fn fail_safe(cx: &Cx, budget: Budget, message: &str) -> Result {
    let why = Why::new("update_pdb_status.fail_safe")
        .read("budget", ObjectRef::of(&*budget), "spec", budget.metadata.name())
        .with("error", message);
    let mut to = budget.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    status.disruptions_allowed = Some(0);
    set_condition(status, "False", SYNC_FAILED, message, cx.now());
    if to == budget {
        return Ok(());
    }
    cx.update_status(to).because(why).await?;
    Ok(())
}

/// How long until a pod's condition `DisruptionTarget` is stale; `None` if the pod does not have it, is
/// being deleted or has ended.
fn stale_after(pod: &Pod, now: Timestamp) -> Option<SignedDuration> {
    let c = pod_condition(pod, "DisruptionTarget").filter(|c| c.status == "True")?;
    if pod.metadata.is_deleting() || c.reason.as_deref() == Some("TerminationByKubelet") || is_terminal(pod) {
        return None;
    }
    let since = c.last_transition_time.as_ref().map_or(now, |t| t.0);
    let end = later(since, SignedDuration::from_secs(STALE_DISRUPTION_TIMEOUT));
    Some(end.duration_since(now).max(SignedDuration::ZERO))
}

async fn sync_stale_pod(cx: &Cx, key: Key) -> Result {
    let Some(pod) = cx.lister::<Pod>().get(&key).cloned() else { return Ok(()) };
    let Some(rest) = stale_after(&pod, cx.now()) else { return Ok(()) };
    if rest.is_positive() {
        cx.enqueue_after(Task::StalePod(key), rest);
        return Ok(());
    }
    let why = Why::new("sync_stale_pod_disruption").read(
        "pod",
        ObjectRef::of(&*pod),
        "status.conditions",
        pod.metadata.name(),
    );
    let mut to = pod;
    let generation = to.metadata.generation;
    let conditions = Rc::make_mut(&mut to).status.get_or_insert_default().conditions.iter_mut().flatten();
    for c in conditions.filter(|c| c.type_ == "DisruptionTarget") {
        *c = PodCondition {
            type_: c.type_.clone(),
            status: "False".into(),
            last_transition_time: Some(Time(seconds(cx.now()))),
            observed_generation: generation,
            ..Default::default()
        };
    }
    cx.update_status(to).because(why).await?;
    Ok(())
}

/// A selector in the format of Go's `%v`.
fn go_selector(selector: Option<&LabelSelector>) -> String {
    let Some(s) = selector else { return "nil".into() };
    let labels: String = s.match_labels.iter().flatten().map(|(k, v)| format!("{k}: {v},")).collect();
    let expressions: String = s
        .match_expressions
        .iter()
        .flatten()
        .map(|e| {
            let values = e.values.as_deref().unwrap_or_default().join(" ");
            format!("LabelSelectorRequirement{{Key:{},Operator:{},Values:[{values}],}},", e.key, e.operator)
        })
        .collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}
