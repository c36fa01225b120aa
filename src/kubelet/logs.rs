//! The logs of containers (`pkg/kubelet/kubelet_pods.go`: `GetKubeletContainerLogs`, `validateContainerLogStatus`;
//! `k8s.io/cri-client/pkg/logs`).
//!
//! Nothing is kept of what a process prints: the process is run again up to the present moment
//! ([`Process::output`]). A container whose program nobody knows prints nothing.

use std::rc::Rc;

use super::container_state::{ContainerRuntime, ContainerState};
use super::process::Process;
use super::state::State;
use crate::api::quote::go_quote;
use crate::api::types::{ContainerStatus, Pod};
use crate::api::{Key, Timestamp};
use crate::apimachinery::{ContainerLog, KubeletError, LogOptions, LogPlace};

/// A line of a log. Only the last one of a container that has ended may have no line end.
struct Line {
    at: Timestamp,
    stderr: bool,
    text: String,
}

/// An instance of a container whose log can be read.
struct Instance<'a> {
    id: &'a str,
    process: Option<&'a Rc<Process>>,
    /// When it ended; `None` if it runs.
    finished: Option<Timestamp>,
}

/// What a container has printed until `now`; `from` is where an earlier answer ended.
///
/// # Errors
/// The pod is not on the node, or the container has no instance that could have printed something. The messages are
/// the kubelet's.
pub fn container_log(
    state: &State,
    pod: &Key,
    options: &LogOptions,
    from: Option<&LogPlace>,
    now: Timestamp,
) -> Result<ContainerLog, KubeletError> {
    let runtime = state.pods.get(pod).ok_or(KubeletError::NotFound)?;
    let id = match from {
        Some(place) => place.instance.clone(),
        None => {
            let known = runtime.latest.as_deref().ok_or(KubeletError::NotFound)?;
            instance_of(known, options).map_err(KubeletError::Refused)?
        }
    };
    let instance = runtime.containers.iter().find_map(|c| with_id(c, &id));
    let Some(instance) = instance else {
        let Some(place) = from else {
            return Err(KubeletError::Refused(format!("unable to retrieve container logs for {id}")));
        };
        // The container was removed while somebody read its log.
        return Ok(ContainerLog { text: String::new(), next: place.clone(), ended: true });
    };
    let lines = lines(state, pod, &instance, now);
    let shown = match from {
        Some(place) => lines.get(place.lines..).unwrap_or_default(),
        None => {
            let skip = options.tail_lines.map_or(0, |tail| lines.len().saturating_sub(tail));
            lines.get(skip..).unwrap_or_default()
        }
    };
    Ok(ContainerLog {
        text: text(shown, options),
        next: LogPlace { instance: id, lines: lines.len() },
        ended: instance.finished.is_some(),
    })
}

/// The id of the instance that is meant, by the pod's status.
fn instance_of(pod: &Pod, options: &LogOptions) -> Result<String, String> {
    let container = options.container.as_str();
    let of = format!(
        "container {} in pod {}",
        go_quote(container),
        go_quote(pod.metadata.name.as_deref().unwrap_or_default())
    );
    let status = pod.status.as_ref().and_then(|s| {
        let groups = [&s.container_statuses, &s.init_container_statuses, &s.ephemeral_container_statuses];
        groups.into_iter().flatten().flatten().find(|c| c.name == container)
    });
    let Some(status) = status else { return Err(format!("{of} is not available")) };
    let ContainerStatus { state, last_state, container_id, .. } = status;
    let ended = |s: &Option<crate::api::types::ContainerState>| {
        s.as_ref().and_then(|s| s.terminated.as_ref()).map(|t| t.container_id.clone().unwrap_or_default())
    };
    let last = ended(last_state);
    if options.previous {
        return last.filter(|id| !id.is_empty()).ok_or_else(|| format!("previous terminated {of} not found"));
    }
    let running = state.as_ref().is_some_and(|s| s.running.is_some());
    let terminated = ended(state);
    let waiting = state.as_ref().and_then(|s| s.waiting.as_ref());
    match (running, terminated, last, waiting) {
        (true, ..) => Ok(container_id.clone().unwrap_or_default()),
        (_, Some(id), ..) if !id.is_empty() => Ok(id),
        (_, _, Some(last), _) if !last.is_empty() => Ok(last),
        (_, Some(_), ..) | (_, _, Some(_), _) => Err(format!("{of} is terminated")),
        (_, _, _, Some(waiting)) => Err(match waiting.reason.as_deref().unwrap_or_default() {
            "ErrImagePull" => format!("{of} is waiting to start: image can't be pulled"),
            "ImagePullBackOff" => format!("{of} is waiting to start: trying and failing to pull image"),
            reason => format!("{of} is waiting to start: {reason}"),
        }),
        _ => Err(format!("{of} is waiting to start - no logs yet")),
    }
}

/// The instance of a container that has this id, if the runtime still has it: the current one and the one before.
fn with_id<'a>(c: &'a ContainerRuntime, id: &str) -> Option<Instance<'a>> {
    let current = match &c.state {
        ContainerState::None => None,
        ContainerState::Created(i) => Some(Instance { id: &i.id, process: None, finished: None }),
        ContainerState::Running(r) => {
            Some(Instance { id: &r.instance.id, process: r.process.as_ref(), finished: None })
        }
        ContainerState::Exited(e) => {
            Some(Instance { id: &e.instance.id, process: e.process.as_ref(), finished: Some(e.finished) })
        }
    };
    let last = c.last.as_ref().map(|e| Instance {
        id: &e.instance.id,
        process: e.process.as_ref(),
        finished: Some(e.finished),
    });
    [current, last].into_iter().flatten().find(|i| i.id == id)
}

/// What an instance has printed, line by line: a line is noted when it is complete, as the container runtime does.
fn lines(state: &State, pod: &Key, instance: &Instance<'_>, now: Timestamp) -> Vec<Line> {
    let Some(process) = instance.process else { return Vec::new() };
    let until = instance.finished.map_or(now, |at| at.min(now));
    let mut all = Vec::new();
    let mut open = [String::new(), String::new()];
    let mut output = process.output(until);
    if process.coredns.is_some() {
        output.extend(state.logged(pod, process.program.start));
        crate::api::order::sort_by(&mut output, |a, b| a.at.cmp(&b.at));
    }
    for piece in output {
        let [out, err] = &mut open;
        let line = if piece.stderr { err } else { out };
        for part in piece.text.split_inclusive('\n') {
            line.push_str(part);
            if part.ends_with('\n') {
                all.push(Line { at: piece.at, stderr: piece.stderr, text: std::mem::take(line) });
            }
        }
    }
    if let Some(at) = instance.finished {
        let [out, err] = open;
        let rest = [(false, out), (true, err)].into_iter().filter(|(_, text)| !text.is_empty());
        all.extend(rest.map(|(stderr, text)| Line { at, stderr, text }));
    }
    all
}

fn text(lines: &[Line], options: &LogOptions) -> String {
    let wanted = |line: &&Line| {
        options.since.is_none_or(|since| line.at >= since) && options.stderr.is_none_or(|e| e == line.stderr)
    };
    let mut text = String::new();
    for line in lines.iter().filter(wanted) {
        if options.timestamps {
            text.push_str(&line.at.strftime("%Y-%m-%dT%H:%M:%S.%9fZ ").to_string());
        }
        text.push_str(&line.text);
    }
    if let Some(limit) = options.limit_bytes.filter(|l| *l < text.len()) {
        let mut bytes = text.into_bytes();
        bytes.truncate(limit);
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    text
}
