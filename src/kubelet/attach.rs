//! Clients that are attached to the process of a container (`pkg/kubelet`: `GetAttach`; `kuberuntime_container.go`): what they write to
//! its standard input, and what it has printed.
//!
//! A process hears at once what is written to it, and what it asks the network then is answered at once: [`attach`] says what becomes of
//! it, and changes nothing. The kubelet notes what was written when it gets an [`Attachment`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::container_state::ContainerRuntime;
use super::exec::{NO_STREAMS, Noting, turn_of};
use super::lasting;
use super::logs::{self, Instance, LogReader};
use super::pod_manager;
use super::process::Process;
use super::state::State;
use super::task::Task;
use crate::api::pod::Spec;
use crate::api::{Key, Timestamp};
use crate::apimachinery::{AttachOptions, Attached, KubeletError};
use crate::client::Handler;
use crate::network::{Answer, Question};
use crate::shell::{self, Outside, Typed, Until};

/// What a client has written to the process of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The pod.
    pub pod: Key,
    /// What was written.
    pub options: AttachOptions,
    /// What the network has answered to what the process asked then.
    pub answers: BTreeMap<Question, Vec<Answer>>,
}

/// A process with what was written to it by now; `None` if it does not take it.
fn written(process: &Process, options: &AttachOptions, once: bool, now: Timestamp) -> Option<Process> {
    let Process { program, typed, .. } = process;
    // Of a terminal a client only lets go (containerd: `container_attach.go`).
    let closes = options.closes && once && !program.terminal;
    let closed = typed.iter().any(|t| t.closes);
    if !program.stdin || closed || (options.stdin.is_empty() && !closes) {
        return None;
    }
    let new = Typed { at: now, text: options.stdin.as_str().into(), closes };
    let typed = typed.iter().cloned().chain([new]).collect();
    Some(Process { typed, ..process.clone() })
}

/// What becomes of the process of a container when a client writes to it. `outside` answers what it asks the network; the answers are
/// noted in `attachment`.
///
/// # Errors
/// The client asks for no stream, the pod is not on the node, or the container does not run. The messages are the kubelet's.
pub fn attach(
    reader: &LogReader<'_>,
    attachment: &mut Attachment,
    outside: &dyn Outside,
    now: Timestamp,
) -> Result<Attached, KubeletError> {
    let options = &attachment.options;
    if options.no_streams {
        return Err(KubeletError::Failed(NO_STREAMS.to_owned()));
    }
    let known = pod_manager::pod(reader.state, reader.caches, &attachment.pod);
    let pod = known.ok_or(KubeletError::NotFound)?.pod;
    let runtime = reader.state.pods.get(&attachment.pod).ok_or(KubeletError::NotFound)?;
    let container = &options.container;
    let at = runtime.containers.iter().position(|c| *c.name == **container);
    let found = at.and_then(|i| Some((i, runtime.containers.get(i)?)));
    let running = found.and_then(|(_, c)| running_id(c, now));
    let id = match (options.instance.as_str(), &running) {
        ("", Some(running)) => running.clone(),
        ("", None) => {
            let Key { namespace, name } = &attachment.pod;
            return Err(KubeletError::Failed(format!(
                "unable to upgrade connection: container {container} not found in pod {name}_{namespace}"
            )));
        }
        (known, _) => known.to_owned(),
    };
    let Some(instance) = found.and_then(|(i, c)| logs::with_id(i, c, &id)) else {
        // The container was removed while somebody was attached to it.
        return Ok(Attached { instance: id, ended: true, ..Attached::default() });
    };
    let runs = running.is_some_and(|running| running == id);
    let noting = Noting { outside, answers: RefCell::default() };
    let once = pod.spec.as_ref().is_some_and(|spec| closes_once(spec, container));
    let process = instance.process.filter(|_| runs);
    let new = process.and_then(|process| written(process, options, once, now));
    let (mut attached, took) = match &new {
        Some(new) => {
            let run = shell::run(&new.program, &new.world(), &noting, Until::Moment(now));
            let ended = matches!(run.end, shell::End::Exit(at, _) if at <= now);
            (Attached { ended, ..printed(run.output.iter().map(|o| (o.stderr, o.text.as_str()))) }, true)
        }
        None => (so_far(reader, &attachment.pod, &instance, now), false),
    };
    attached.ended |= !runs;
    (attached.instance, attached.took) = (id, took);
    attachment.answers = noting.answers.into_inner();
    Ok(attached)
}

/// The id of the instance of a container that runs at a moment.
fn running_id(container: &ContainerRuntime, now: Timestamp) -> Option<String> {
    container.running_at(now).map(|running| running.instance.id.to_string())
}

/// Whether the standard input of a container is closed when the first client has come to the end of what it writes.
fn closes_once(spec: &Spec, name: &str) -> bool {
    let main = spec.init_containers.iter().flatten().chain(&spec.containers);
    let main = main.map(|c| (&c.name, c.stdin_once));
    let ephemeral = spec.ephemeral_containers.iter().flatten().map(|c| (&c.name, c.stdin_once));
    main.chain(ephemeral).any(|(of, once)| of == name && once == Some(true))
}

fn printed<'p>(pieces: impl Iterator<Item = (bool, &'p str)>) -> Attached {
    let mut attached = Attached::default();
    for (stderr, text) in pieces {
        let stream = if stderr { &mut attached.stderr } else { &mut attached.stdout };
        stream.push_str(text);
        attached.order.push((stderr, stream.len()));
    }
    attached
}

/// What an instance has printed: of a process also the line that it has begun.
fn so_far(reader: &LogReader<'_>, pod: &Key, instance: &Instance<'_>, now: Timestamp) -> Attached {
    if let Some(process) = instance.process.filter(|process| process.coredns.is_none()) {
        let until = instance.finished.map_or(now, |at| at.min(now));
        let output = process.output(until);
        return printed(output.iter().map(|o| (o.stderr, o.text.as_str())));
    }
    let lines = logs::lines(reader, pod, instance, (Timestamp::MIN, now));
    printed(lines.iter().map(|line| (line.stderr, line.text.as_str())))
}

/// Notes what a client has written to a process. `false` if its container does not run.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, node: &Key, attachment: &Attachment) -> bool {
    let Some(known) = pod_manager::pod(cx.state, cx.caches, &attachment.pod) else { return false };
    let pod = known.pod.clone();
    let Some(uid) = cx.state.pods.get(&attachment.pod).map(|rt| rt.uid.clone()) else { return false };
    cx.state.note_answers(&attachment.pod, &uid, &attachment.answers, cx.now);
    let container = &attachment.options.container;
    let Some((mut turn, i)) = turn_of((cx.state, cx.caches, node), &pod, container, cx.now) else {
        return false;
    };
    let once = pod.spec.as_ref().is_some_and(|spec| closes_once(spec, container));
    let process = turn.rt.containers.get(i).and_then(|c| c.running()?.process.clone());
    let new = process.and_then(|process| written(&process, &attachment.options, once, cx.now));
    let (Some(mut new), Some(spec)) = (new, turn.container_spec(i)) else { return false };
    new.answers = turn.answers.clone();
    turn.run_process(&mut new, spec);
    turn.replace(i, new);
    turn.settle();
    // Containers of other pods find at once what it has written into volumes that they share.
    turn.tell_writes();
    let (told, asks) = (std::mem::take(&mut turn.told), std::mem::take(&mut turn.asks));
    let rt = Rc::new(turn.rt);
    cx.state.pods.insert(attachment.pod.clone(), rt);
    cx.state.note_questions(&attachment.pod, &uid, &asks);
    for pod in lasting::finders(cx.state, &attachment.pod, &told, cx.now) {
        cx.enqueue(Task::Pod(pod));
    }
    lasting::note_told(cx.state, &told, cx.now);
    cx.enqueue(Task::Pod(attachment.pod.clone()));
    true
}
