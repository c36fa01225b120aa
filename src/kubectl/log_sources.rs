//! Which pods and containers a command means that names an object: `logs`, `exec`
//! (`pkg/polymorphichelpers`, `pkg/cmd/util/podcmd`).

use std::cmp::Ordering;

use jiff::SignedDuration;
use serde_json::json;

use super::invocation::{Invocation, Result, Stop, fail};
use super::kinds::{PodSelector, known};
use super::resource::must_kind;
use super::stop::{CommandWait, WaitFor};
use crate::api::labels::format_label_selector;
use crate::api::quote::go_quote;
use crate::api::types::{ContainerStatus, LabelSelector, Pod, Time};
use crate::api::{Kind, MetaExt, Object};

/// The annotation of a pod with the container that is meant if none is named.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// A container of a pod.
pub(super) struct Source {
    pub(super) namespace: String,
    pub(super) pod: String,
    pub(super) container: String,
}

/// The status of a container, of whatever sort it is (`getContainerStatusByName` of `pkg/cmd/debug`).
pub(super) fn status_of<'p>(pod: &'p Pod, container: &str) -> Option<&'p ContainerStatus> {
    let status = pod.status.as_ref()?;
    let all =
        [&status.init_container_statuses, &status.container_statuses, &status.ephemeral_container_statuses];
    all.into_iter().flatten().flatten().find(|c| c.name == container)
}

/// The container of a pod that a command means which goes into one; if none is named, the pod's default one, of which the person is told
/// (`FindOrDefaultContainerByName`).
pub(super) fn container_of(cx: &mut Invocation<'_>, pod: &Pod, named: &str, quiet: bool) -> Result<String> {
    let default = pod.metadata.annotation(DEFAULT_CONTAINER).unwrap_or_default();
    let named = if named.is_empty() { default } else { named };
    let found = sources_of(cx, pod, named, false, quiet)?;
    Ok(found.into_iter().next().map(|source| source.container).unwrap_or_default())
}

/// The object that `deploy/x` names, or `x`: a pod.
pub(super) fn named(cx: &mut Invocation<'_>, word: &str) -> Result<Object> {
    let (kind, name) = match word.split_once('/') {
        Some((kind, name)) => (must_kind(cx, kind)?, name),
        None => (Kind::POD, word),
    };
    let namespace = cx.namespace.clone();
    match cx.get(kind, &namespace, name) {
        Err(Stop::Error(e)) if e.is_not_found() => fail(format!(
            "error from server (NotFound): {} {name} not found in namespace {namespace}",
            kind.group_resource(),
            name = go_quote(name),
            namespace = go_quote(&namespace)
        )),
        other => other,
    }
}

/// The pods behind an object, the best one for its log first; all of them, or only that one.
pub(super) fn pods_of(
    cx: &mut Invocation<'_>,
    object: &Object,
    all: bool,
    timeout: SignedDuration,
) -> Result<Vec<Object>> {
    let selector = selector_of(object, "cannot get the logs from")?;
    let mut pods = await_pods(cx, object.namespace(), &selector, timeout)?;
    crate::api::order::sort_by(&mut pods, |a, b| better(a, b, true));
    if pods.len() > 1 && !all {
        let name = pods.first().map(Object::name).unwrap_or_default();
        cx.err.push_str(&format!("Found {} pods, using pod/{name}\n", pods.len()));
        pods.truncate(1);
    }
    Ok(pods)
}

/// The pods of a selector, as soon as there are any.
fn await_pods(
    cx: &mut Invocation<'_>,
    namespace: &str,
    selector: &str,
    timeout: SignedDuration,
) -> Result<Vec<Object>> {
    let until = cx.now().checked_add(timeout).ok();
    loop {
        let pods = cx.list(Kind::POD, namespace, selector)?;
        if !pods.is_empty() {
            return Ok(pods);
        }
        if until.is_some_and(|t| cx.now() >= t) {
            return fail("timed out waiting for the condition");
        }
        cx.wait(CommandWait { what: WaitFor::Time, until })?;
    }
}

/// The pod behind an object that is best to execute a command in (`attachablePodForObject`); a pod itself.
pub(super) fn attachable_pod(
    cx: &mut Invocation<'_>,
    object: Object,
    timeout: SignedDuration,
) -> Result<Object> {
    if object.kind() == Kind::POD {
        return Ok(object);
    }
    let selector = selector_of(&object, "cannot attach to")?;
    let mut pods = await_pods(cx, object.namespace(), &selector, timeout)?;
    crate::api::order::sort_by(&mut pods, |a, b| better(a, b, false));
    Ok(pods.into_iter().next().unwrap_or(object))
}

/// The label selector of the pods behind an object (`SelectorsForObject`). `cannot` says what cannot be done if there is none.
fn selector_of(object: &Object, cannot: &str) -> Result<String> {
    let kind = object.kind();
    let refused = |why: String| fail(format!("{cannot} {}: {why}", go_type(kind)));
    let selector = object.to_value().pointer("/spec/selector").cloned().unwrap_or_default();
    let selector = match known(kind).pods {
        PodSelector::Nothing => return refused(format!("selector for {} not implemented", go_type(kind))),
        PodSelector::LabelSelector => selector,
        PodSelector::Labels if kind == Kind::SERVICE && selector.is_null() => {
            let name = object.name();
            return refused(format!("invalid service '{name}': Service is defined without a selector"));
        }
        PodSelector::Labels => json!({ "matchLabels": selector }),
    };
    match serde_json::from_value::<LabelSelector>(selector) {
        Ok(selector) => Ok(format_label_selector(&selector)),
        Err(e) => refused(format!("invalid label selector: {e}")),
    }
}

/// The name of a kind's Go type.
fn go_type(kind: Kind) -> String {
    format!("*{}.{}", kind.version(), kind.as_str())
}

/// Which of two pods is better: to read the log of (`podutils.ByLogging`), which prefers those that were restarted, or to
/// execute a command in (`podutils.ActivePods`, reversed).
fn better(a: &Object, b: &Object, restarted_first: bool) -> Ordering {
    let (Some(a), Some(b)) = (a.get::<Pod>(), b.get::<Pod>()) else { return Ordering::Equal };
    let unassigned = |p: &Pod| p.spec.as_ref().and_then(|s| s.node_name.as_deref()).is_none_or(str::is_empty);
    let phase = |p: &Pod| match p.status.as_ref().and_then(|s| s.phase.as_deref()) {
        Some("Unknown") => 1,
        Some("Pending") => 2,
        _ => 0,
    };
    let ready_since = |p: &Pod| -> Option<Time> {
        let conditions = p.status.as_ref()?.conditions.as_ref()?;
        let ready = conditions.iter().find(|c| c.type_ == "Ready" && c.status == "True")?;
        ready.last_transition_time.clone()
    };
    let restarts = |p: &Pod| {
        let statuses = p.status.as_ref().and_then(|s| s.container_statuses.as_ref());
        statuses.into_iter().flatten().map(|c| c.restart_count).max().unwrap_or(0)
    };
    // No time comes after every time.
    let time = |a: Option<Time>, b: Option<Time>| match (a, b) {
        (Some(a), Some(b)) => a.0.cmp(&b.0),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    let (ra, rb) = (ready_since(a), ready_since(b));
    unassigned(a)
        .cmp(&unassigned(b))
        .then(phase(a).cmp(&phase(b)))
        .then(ra.is_none().cmp(&rb.is_none()))
        .then_with(|| time(ra, rb))
        .then(if restarted_first { restarts(b).cmp(&restarts(a)) } else { restarts(a).cmp(&restarts(b)) })
        .then_with(|| time(a.metadata.creation_timestamp.clone(), b.metadata.creation_timestamp.clone()))
}

/// The containers of a pod that are meant. With `all_pods` it is not said which one is taken if none is named.
pub(super) fn sources_of(
    cx: &mut Invocation<'_>,
    pod: &Pod,
    container: &str,
    all_containers: bool,
    all_pods: bool,
) -> Result<Vec<Source>> {
    let Some(spec) = pod.spec.as_ref() else { return Ok(Vec::new()) };
    let name = pod.metadata.name();
    let source = |container: &str| Source {
        namespace: pod.metadata.namespace().to_owned(),
        pod: name.to_owned(),
        container: container.to_owned(),
    };
    let main = || spec.containers.iter().map(|c| c.name.as_str());
    let init = || spec.init_containers.iter().flatten().map(|c| c.name.as_str());
    let ephemeral = || spec.ephemeral_containers.iter().flatten().map(|c| c.name.as_str());
    if all_containers {
        return Ok(init().chain(main()).chain(ephemeral()).map(source).collect());
    }
    let exists = |wanted: &str| main().chain(init()).chain(ephemeral()).any(|c| c == wanted);
    let names = || {
        let all = main().map(str::to_owned);
        let all = all.chain(ephemeral().map(|c| format!("{c} (ephem)")));
        all.chain(init().map(|c| format!("{c} (init)"))).collect::<Vec<_>>().join(", ")
    };
    let mut wanted = container.to_owned();
    if wanted.is_empty()
        && let Some(default) = pod.metadata.annotation(DEFAULT_CONTAINER).filter(|d| !d.is_empty())
    {
        match exists(default) {
            true => wanted = default.to_owned(),
            false => cx
                .err
                .push_str(&format!("Default container name {} not found in pod {name}\n", go_quote(default))),
        }
    }
    if wanted.is_empty() {
        wanted = main().next().unwrap_or_default().to_owned();
        if names() != wanted && !all_pods {
            cx.err.push_str(&format!("Defaulted container {} out of: {}\n", go_quote(&wanted), names()));
        }
    }
    if !exists(&wanted) {
        return fail(format!("container {wanted} is not valid for pod {name} out of: {}", names()));
    }
    Ok(vec![source(&wanted)])
}
