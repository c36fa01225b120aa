//! The logs of containers (`pkg/kubelet/kubelet_pods.go`: `GetKubeletContainerLogs`, `validateContainerLogStatus`;
//! `k8s.io/cri-client/pkg/logs`).
//!
//! Nothing is kept of what a process prints: the process is run again up to the present moment
//! ([`Process::output`]), or a known server's lines are worked out from the requests that have come to it
//! ([`super::server_log`]). A container whose program nobody knows prints nothing.

use std::rc::Rc;

use jiff::SignedDuration;

use super::behaviour::annotation;
use super::container_state::{ContainerRuntime, ContainerState, Exited};
use super::known_images::{self, Script};
use super::probe_visits::Probed;
use super::process::Process;
use super::state::State;
use super::timings::later;
use super::turn::Turn;
use crate::api::quote::go_quote;
use crate::api::types::{ContainerStatus, Pod};
use crate::api::{Key, Timestamp};
use crate::apimachinery::{ContainerLog, KubeletError, LogOptions, LogPlace};
use crate::client::Caches;
use crate::network::serving;
use crate::network::visit::Visit;

/// The most bytes of a log that are there: the newest ones (`containerLogMaxSize`, 10Mi). Each line counts with the moment and the
/// stream that the container runtime writes before it.
const SIZE_LIMIT: usize = 10 << 20;
/// The bytes before a line: `2026-01-01T00:00:00.000000000Z stdout F `.
const LINE_HEAD: usize = 40;

/// Who reads logs on a node: what the kubelet and its process know, and who knows what has come to a process.
pub struct LogReader<'a> {
    /// The kubelet's memory.
    pub state: &'a State,
    /// What it has heard of the API server.
    pub caches: &'a Caches,
    /// The key of its Node.
    pub node: &'a Key,
    /// The requests of clients that have come to a process after one moment until another one.
    pub visits: &'a dyn Fn(&serving::Process, Timestamp, Timestamp) -> Vec<Visit>,
}

/// A line of a log. Only the last one of a container that has ended may have no line end.
pub(super) struct Line {
    at: Timestamp,
    pub(super) stderr: bool,
    pub(super) text: String,
}

/// An instance of a container whose log can be read.
pub(super) struct Instance<'a> {
    pub(super) id: &'a str,
    /// The place of the container in its pod.
    place: usize,
    pub(super) process: Option<&'a Rc<Process>>,
    /// When it started; `None` if it has not.
    started: Option<Timestamp>,
    /// When it got SIGTERM.
    signal: Option<Timestamp>,
    /// When its probes were asked, if it has ended.
    probed: Probed,
    /// When it ended; `None` if it runs.
    pub(super) finished: Option<Timestamp>,
}

/// What a container has printed until `now`; `from` is where an earlier answer ended.
///
/// # Errors
/// The pod is not on the node, or the container has no instance that could have printed something. The messages are
/// the kubelet's.
pub fn container_log(
    reader: &LogReader<'_>,
    pod: &Key,
    options: &LogOptions,
    from: Option<&LogPlace>,
    now: Timestamp,
) -> Result<ContainerLog, KubeletError> {
    let runtime = reader.state.pods.get(pod).ok_or(KubeletError::NotFound)?;
    let id = match from {
        Some(place) => place.instance.clone(),
        None => {
            let known = runtime.latest.as_deref().ok_or(KubeletError::NotFound)?;
            instance_of(known, options).map_err(KubeletError::Refused)?
        }
    };
    let there = runtime.containers.iter().enumerate().filter(|_| !runtime.removed);
    let instance = there.into_iter().find_map(|(i, c)| with_id(i, c, &id));
    let Some(instance) = instance else {
        let Some(place) = from else {
            return Err(KubeletError::Refused(format!("unable to retrieve container logs for {id}")));
        };
        // The container was removed while somebody read its log.
        return Ok(ContainerLog { text: String::new(), next: place.clone(), ended: true });
    };
    let last = from.and_then(|place| place.last);
    // Lines of the last moment were printed before, and more can have followed.
    let after = last.map_or(Timestamp::MIN, |(at, _)| later(at, SignedDuration::from_nanos(-1)));
    let mut lines = lines(reader, pod, &instance, (after, now));
    cut(&mut lines);
    let skip = match (last, options.tail_lines.filter(|_| from.is_none())) {
        (Some((at, many)), _) => {
            let before = lines.iter().take_while(|l| l.at < at).count();
            let same = lines.iter().skip(before).take_while(|l| l.at == at).count();
            before + same.min(many)
        }
        (None, Some(tail)) => lines.len().saturating_sub(tail),
        (None, None) => 0,
    };
    let ends = lines.last().map(|line| {
        let same = lines.iter().rev().take_while(|l| l.at == line.at).count();
        (line.at, same)
    });
    Ok(ContainerLog {
        text: text(lines.get(skip..).unwrap_or_default(), options),
        next: LogPlace { instance: id, last: ends.or(last) },
        ended: instance.finished.is_some(),
    })
}

/// Leaves the newest lines of a log, as many as it holds.
fn cut(lines: &mut Vec<Line>) {
    let mut left = SIZE_LIMIT;
    let kept = lines.iter().rev().take_while(|line| {
        let size = line.text.len() + LINE_HEAD;
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    });
    let surplus = lines.len() - kept.count();
    lines.drain(..surplus);
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
pub(super) fn with_id<'a>(place: usize, c: &'a ContainerRuntime, id: &str) -> Option<Instance<'a>> {
    let new = |id: &'a str| Instance {
        id,
        place,
        process: None,
        started: None,
        signal: None,
        probed: [None; 3],
        finished: None,
    };
    let ended = |e: &'a Exited| Instance {
        process: e.process.as_ref(),
        started: Some(e.started),
        signal: e.signal,
        probed: e.probed,
        finished: Some(e.finished),
        ..new(&e.instance.id)
    };
    let current = match &c.state {
        ContainerState::None => None,
        ContainerState::Created(i) => Some(new(&i.id)),
        ContainerState::Running(r) => Some(Instance {
            process: r.process.as_ref(),
            started: Some(r.since),
            signal: r.signal,
            ..new(&r.instance.id)
        }),
        ContainerState::Exited(e) => Some(ended(e)),
    };
    let last = c.last.as_deref().map(ended);
    [current, last].into_iter().flatten().find(|i| i.id == id)
}

/// What an instance has printed, line by line: a line is noted when it is complete, as the container runtime does. Of a server only
/// the lines after a moment.
pub(super) fn lines(
    reader: &LogReader<'_>,
    pod: &Key,
    instance: &Instance<'_>,
    (after, now): (Timestamp, Timestamp),
) -> Vec<Line> {
    let until = instance.finished.map_or(now, |at| at.min(now));
    let Some(process) = instance.process else {
        return server_lines(reader, pod, instance, (after, until)).unwrap_or_default();
    };
    let mut all = Vec::new();
    let mut open = [String::new(), String::new()];
    let mut output = process.output(until);
    if process.coredns.is_some() {
        output.extend(reader.state.logged(pod, process.program.start));
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

/// What a server that is known has printed after one moment until another one; `None` if nothing is known.
fn server_lines(
    reader: &LogReader<'_>,
    pod: &Key,
    instance: &Instance<'_>,
    (after, until): (Timestamp, Timestamp),
) -> Option<Vec<Line>> {
    let rt = reader.state.pods.get(pod)?;
    let object = rt.pod(pod, reader.caches)?;
    let turn = Turn::new(
        object,
        object.spec.as_ref()?,
        (**rt).clone(),
        reader.state,
        reader.node,
        reader.caches,
        until,
    );
    let (i, started) = (instance.place, instance.started?);
    let spec = turn.container_spec(i)?;
    let known = known_images::find(spec.image.as_deref().unwrap_or_default());
    let told = annotation(&object.metadata, &spec.name, "entrypoint").is_some();
    let wrapped = known.is_some_and(|k| k.script != Script::None) && spec.command.is_none() && !told;
    let signal = instance.signal.filter(|signal| *signal <= until);
    let (format, first, stop) = turn.with_past_server(i, spec, started, started, |server| {
        let stop = signal.and_then(|at| Some((at, server.stop_line(at)?)));
        (server.log_format(), server.first_lines(started, wrapped), stop)
    });
    let mut all: Vec<Line> =
        first.into_iter().map(|(stderr, text)| Line { at: started, stderr, text }).collect();
    all.extend(stop.map(|(at, (stderr, text))| Line { at, stderr, text }));
    if let Some(format) = format {
        let process =
            serving::Process { pod: pod.clone(), container: spec.name.as_str().into(), since: started };
        let mut visits = (reader.visits)(&process, after, until);
        visits.extend(match instance.finished {
            Some(_) => turn.past_probe_visits(i, instance.probed, started, after),
            None => turn.probe_visits(i, (after, until)),
        });
        visits.extend(reader.state.visits_of(&process, (after, until)).cloned());
        all.extend(visits.iter().map(|v| Line { at: v.at, stderr: false, text: format.line(v) }));
    }
    all.retain(|line| line.at > after);
    crate::api::order::sort_by(&mut all, |a, b| a.at.cmp(&b.at));
    Some(all)
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
