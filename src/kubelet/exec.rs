//! Commands that a client has executed in containers (`pkg/kubelet`: `GetExec`; `kuberuntime_container.go`: `ExecSync`).
//!
//! A command takes no time: all that it prints is there at once. [`exec`] says what becomes of it, and changes nothing. What
//! it writes to files is noted when the kubelet gets an [`Execution`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::images::sandbox_id;
use super::known_images;
use super::lasting;
use super::mounts::has_unknown_files;
use super::pod_manager;
use super::runc::{not_executable, not_found};
use super::state::State;
use super::task::Task;
use super::turn::Turn;
use crate::api::quote::go_quote;
use crate::api::types::Pod;
use crate::api::{Key, MetaExt, Timestamp};
use crate::apimachinery::{ExecEnd, ExecOptions, Executed, KubeletError};
use crate::client::{Caches, Handler};
use crate::network::{Answer, Question};
use crate::shell::{self, Outside, Program, Sent};

/// What is said to a client that asks for no stream at all, before the kubelet looks for the pod (`NewOptions` of
/// `k8s.io/kubelet/pkg/cri/streaming/remotecommand`). The first words are those of the client, whose connection is refused.
pub(super) const NO_STREAMS: &str =
    "unable to upgrade connection: you must specify at least 1 of stdin, stdout, stderr";

/// The network as a command finds it, which also notes the answers.
pub(super) struct Noting<'a> {
    pub(super) outside: &'a dyn Outside,
    pub(super) answers: RefCell<BTreeMap<Question, Vec<Answer>>>,
}

impl Outside for Noting<'_> {
    fn answer(&self, question: &Question) -> Option<Answer> {
        let answer = self.outside.answer(question)?;
        let mut answers = self.answers.borrow_mut();
        let all = answers.entry(question.clone()).or_default();
        // The same answer again takes no memory of its own.
        let kept = all.last().filter(|last| **last == answer).unwrap_or(&answer).clone();
        all.push(kept);
        Some(answer)
    }

    fn sent(&self, sent: &Sent<'_>) {
        self.outside.sent(sent);
    }
}

/// The network as a command found it that is run again: the answers come in their order.
struct Again<'a> {
    execution: &'a Execution,
    /// How often each question was asked.
    asked: RefCell<BTreeMap<&'a Question, usize>>,
}

impl Outside for Again<'_> {
    fn answer(&self, question: &Question) -> Option<Answer> {
        let (question, answers) = self.execution.answers.get_key_value(question)?;
        let mut asked = self.asked.borrow_mut();
        let nth = asked.entry(question).or_default();
        let answer = answers.get(*nth).or(answers.last());
        *nth += 1;
        answer.cloned()
    }
}

/// A command that was executed in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The pod.
    pub pod: Key,
    /// What was executed.
    pub options: ExecOptions,
    /// What the network has answered to it, each time that it asked: what it writes to the API server can change the next answer.
    pub answers: BTreeMap<Question, Vec<Answer>>,
}

/// What becomes of a command that is executed in a container. `outside` answers what it asks the network; the answers are noted
/// in `execution`.
///
/// # Errors
/// The client asks for no stream, the pod is not on the node, or the container does not run. The messages are the kubelet's.
pub fn exec(
    state: &State,
    caches: &Caches,
    node: &Key,
    execution: &mut Execution,
    outside: &dyn Outside,
    now: Timestamp,
) -> Result<Executed, KubeletError> {
    let ExecOptions { container, command, no_streams, .. } = &execution.options.clone();
    if *no_streams {
        return Err(KubeletError::Failed(NO_STREAMS.to_owned()));
    }
    let known = pod_manager::pod(state, caches, &execution.pod);
    let pod = &known.ok_or(KubeletError::NotFound)?.pod;
    let (turn, i) =
        turn_of((state, caches, node), pod, &execution.options.container, now).ok_or_else(|| {
            let container = go_quote(container);
            KubeletError::Failed(format!("unable to upgrade connection: container not found ({container})"))
        })?;
    if let Some(why) = turn.cannot_start_command(i, command) {
        let end = ExecEnd::NotStarted(why);
        let (stdout, stderr, order) = (String::new(), String::new(), Vec::new());
        return Ok(Executed { stdout, stderr, order, end, writes: false, exchanges: Vec::new() });
    }
    let noting = Noting { outside, answers: RefCell::default() };
    let done = turn.execute_asked(i, &execution.options, now, &noting).ok_or(KubeletError::NotFound)?;
    execution.answers = noting.answers.into_inner();
    let (stdout, stderr) = done.streams();
    let (mut out, mut err) = (0, 0);
    let order = done.printed.iter().map(|o| {
        let written = if o.stderr { &mut err } else { &mut out };
        *written += o.text.len();
        (o.stderr, *written)
    });
    Ok(Executed {
        order: order.collect(),
        stdout,
        stderr,
        end: done.takes.map_or(ExecEnd::Runs, |_| ExecEnd::Exited(done.code)),
        writes: !done.writes.is_empty() || !done.signals.is_empty(),
        exchanges: Vec::new(),
    })
}

/// Notes what a command has written, and delivers the signals that it has sent. `false` if its container does not run.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, node: &Key, execution: &Execution) -> bool {
    let Some(pod) = pod_manager::pod(cx.state, cx.caches, &execution.pod) else { return false };
    let Some((mut turn, i)) =
        turn_of((cx.state, cx.caches, node), &pod.pod, &execution.options.container, cx.now)
    else {
        return false;
    };
    let again = Again { execution, asked: RefCell::default() };
    let Some(done) = turn.execute_asked(i, &execution.options, cx.now, &again) else { return false };
    turn.note_execution(i, &done);
    // Containers of other pods find at once what it has written into volumes that they share.
    turn.tell_writes();
    let told = std::mem::take(&mut turn.told);
    let rt = Rc::new(turn.rt);
    cx.state.pods.insert(execution.pod.clone(), rt);
    for pod in lasting::finders(cx.state, &execution.pod, &told, cx.now) {
        cx.enqueue(Task::Pod(pod));
    }
    lasting::note_told(cx.state, &told, cx.now);
    cx.enqueue(Task::Pod(execution.pod.clone()));
    true
}

/// A turn of the pod, and the place of the container in it; `None` if the container does not run.
pub(super) fn turn_of<'a>(
    (state, caches, node): (&'a State, &'a Caches, &'a Key),
    pod: &'a Pod,
    container: &str,
    now: Timestamp,
) -> Option<(Turn<'a>, usize)> {
    let rt = state.pods.get(&pod.metadata.key())?;
    let named = |c: &super::container_state::ContainerRuntime| *c.name == *container;
    let i = rt.containers.iter().position(|c| named(c) && c.running_at(now).is_some())?;
    let turn = Turn::new(pod, pod.spec.as_ref()?, (**rt).clone(), state, node, caches, now);
    Some((turn, i))
}

/// Whether the runtime can start a command in a container.
pub(super) enum Startable {
    /// It can, and what the program does is known.
    Known,
    /// The image has the program, which is not built here.
    NotPlayed,
    /// The image may have the program. Nobody knows what it does.
    Perhaps,
    /// It cannot, for this reason.
    No(String),
}

/// Why a command could not be started in a container (`container_execsync.go` of containerd). The runtime gives each
/// execution an id, which is in the message.
fn not_started(uid: &str, at: Timestamp, why: &str) -> String {
    let id = sandbox_id(&format!("{uid} {at}"), 0);
    format!(
        "failed to exec in container: failed to start exec {}: OCI runtime exec failed: exec failed: unable to start \
         container process: {why}",
        go_quote(&id)
    )
}

impl Turn<'_> {
    /// Why the runtime cannot start a command of a client in a container: its program is not in the image, or it is none of
    /// those that are built here. What it would print is not known then, so that it counts as missing.
    fn cannot_start_command(&self, i: usize, command: &[String]) -> Option<String> {
        let why = match self.startable(i, command) {
            // The program is started, and says that it is not played.
            Startable::Known | Startable::NotPlayed => return None,
            Startable::Perhaps => not_found(command.first()?),
            Startable::No(why) => why,
        };
        Some(not_started(&self.rt.uid, self.now, &why))
    }

    /// The error of the runtime if a container certainly does not have the program of a hook or a probe. The runtime gives its
    /// errors no code.
    pub(super) fn exec_error(&self, i: usize, command: &[String], at: Timestamp) -> Option<String> {
        let Startable::No(why) = self.startable(i, command) else { return None };
        Some(format!("rpc error: code = Unknown desc = {}", not_started(&self.rt.uid, at, &why)))
    }

    /// Whether the runtime can start a command in a container that runs: what `kubectl exec`, hooks and probes have in common.
    fn startable(&self, i: usize, command: &[String]) -> Startable {
        let Some((spec, name)) = self.container_spec(i).zip(command.first()) else {
            return Startable::Perhaps;
        };
        match name.contains('/').then(|| self.finds_script(i, name)).flatten() {
            Some(true) => return Startable::Known,
            Some(false) => return Startable::No(not_executable(name)),
            None => {}
        }
        let program = self.program(i, spec);
        let tool = shell::is_built(&Program { complete: false, ..program.clone() }, name);
        let perhaps = match known_images::bare(spec.image.as_deref().unwrap_or_default()) {
            // Images without an operating system have neither a shell nor its commands.
            Some([]) => !tool,
            Some(programs) => programs.contains(&name.as_str()) || has_unknown_files(self.spec, spec),
            None if shell::is_built(&program, name) => return Startable::Known,
            None if shell::is_not_played(&program, name) => return Startable::NotPlayed,
            None => shell::can_start(&program, name),
        };
        if perhaps { Startable::Perhaps } else { Startable::No(not_found(name)) }
    }

    /// Whether a file of the container may be executed; `None` if there is none at this path.
    fn finds_script(&self, i: usize, path: &str) -> Option<bool> {
        let (program, world) = self.surroundings(i, self.now)?;
        let path = shell::absolute(&program.directory, path);
        (world.files.sort(&path, self.now) == Some(shell::Sort::File)).then(|| {
            let access = world.files.access(&path, self.now);
            access.is_none_or(|a| a.allows(program.user.0, &program.groups, 1))
        })
    }
}
