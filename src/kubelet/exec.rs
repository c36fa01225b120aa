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
use super::pod_manager;
use super::runc::{not_executable, not_found};
use super::state::State;
use super::task::Task;
use super::turn::Turn;
use crate::api::quote::go_quote;
use crate::api::types::Pod;
use crate::api::{Key, Timestamp};
use crate::apimachinery::{ExecEnd, ExecOptions, Executed, KubeletError};
use crate::client::{Caches, Handler};
use crate::network::{Answer, Question};
use crate::shell::{self, Outside, Sent};

/// The network as a command finds it, which also notes the answers.
struct Noting<'a> {
    outside: &'a dyn Outside,
    answers: RefCell<BTreeMap<Question, Answer>>,
}

impl Outside for Noting<'_> {
    fn answer(&self, question: &Question) -> Option<Answer> {
        let answer = self.outside.answer(question)?;
        self.answers.borrow_mut().insert(question.clone(), answer.clone());
        Some(answer)
    }

    fn sent(&self, sent: &Sent<'_>) {
        self.outside.sent(sent);
    }
}

impl Outside for Execution {
    fn answer(&self, question: &Question) -> Option<Answer> {
        self.answers.get(question).cloned()
    }
}

/// A command that was executed in a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The pod.
    pub pod: Key,
    /// What was executed.
    pub options: ExecOptions,
    /// What the network has answered to it.
    pub answers: BTreeMap<Question, Answer>,
}

/// What becomes of a command that is executed in a container. `outside` answers what it asks the network; the answers are noted
/// in `execution`.
///
/// # Errors
/// The pod is not on the node, or the container does not run. The messages are the kubelet's.
pub fn exec(
    state: &State,
    caches: &Caches,
    node: &Key,
    execution: &mut Execution,
    outside: &dyn Outside,
    now: Timestamp,
) -> Result<Executed, KubeletError> {
    let ExecOptions { container, command, .. } = &execution.options.clone();
    let known = pod_manager::pod(state, caches, &execution.pod);
    let pod = &known.ok_or(KubeletError::NotFound)?.pod;
    let (turn, i) = turn_of(state, caches, node, pod, execution, now).ok_or_else(|| {
        let container = go_quote(container);
        KubeletError::Failed(format!("unable to upgrade connection: container not found ({container})"))
    })?;
    if let Some(why) = turn.cannot_start_command(i, command) {
        // The runtime gives each execution an id.
        let id = sandbox_id(&format!("{} {now}", turn.rt.uid), 0);
        let why = format!("failed to exec in container: failed to start exec {}: {why}", go_quote(&id));
        let end = ExecEnd::NotStarted(why);
        return Ok(Executed { stdout: String::new(), stderr: String::new(), end, writes: false });
    }
    let noting = Noting { outside, answers: RefCell::default() };
    let done = turn.execute_asked(i, &execution.options, now, &noting).ok_or(KubeletError::NotFound)?;
    execution.answers = noting.answers.into_inner();
    let printed = |stderr: bool| -> String {
        done.printed.iter().filter(|o| o.stderr == stderr).map(|o| o.text.as_str()).collect()
    };
    Ok(Executed {
        stdout: printed(false),
        stderr: printed(true),
        end: done.takes.map_or(ExecEnd::Runs, |_| ExecEnd::Exited(done.code)),
        writes: !done.writes.is_empty(),
    })
}

/// Notes what a command has written. `false` if its container does not run.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, node: &Key, execution: &Execution) -> bool {
    let Some(pod) = pod_manager::pod(cx.state, cx.caches, &execution.pod) else { return false };
    let Some((mut turn, i)) = turn_of(cx.state, cx.caches, node, &pod.pod, execution, cx.now) else {
        return false;
    };
    let Some(done) = turn.execute_asked(i, &execution.options, cx.now, execution) else { return false };
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
fn turn_of<'a>(
    state: &'a State,
    caches: &'a Caches,
    node: &'a Key,
    pod: &'a Pod,
    execution: &Execution,
    now: Timestamp,
) -> Option<(Turn<'a>, usize)> {
    let rt = state.pods.get(&execution.pod)?;
    let named = |c: &super::container_state::ContainerRuntime| *c.name == *execution.options.container;
    let i = rt.containers.iter().position(|c| named(c) && c.running().is_some())?;
    let turn = Turn::new(pod, pod.spec.as_ref()?, (**rt).clone(), state, node, caches, now);
    Some((turn, i))
}

impl Turn<'_> {
    /// Why the runtime cannot start a command in a container: its program is not in the image, or it is none of those that
    /// are built here. What it would print is not known then, so that it counts as missing.
    fn cannot_start_command(&self, i: usize, command: &[String]) -> Option<String> {
        let spec = self.container_spec(i)?;
        let (name, image) = (command.first()?, spec.image.as_deref().unwrap_or_default());
        let exists = known_images::bare(image).is_none() && shell::is_built(&self.program(i, spec), name);
        let script = name.contains('/').then(|| self.finds_script(i, name)).flatten();
        if exists || script == Some(true) {
            return None;
        }
        let why = if script == Some(false) { not_executable(name) } else { not_found(name) };
        Some(format!("OCI runtime exec failed: exec failed: unable to start container process: {why}"))
    }

    /// Whether a file of the container may be executed; `None` if there is none at this path.
    fn finds_script(&self, i: usize, path: &str) -> Option<bool> {
        let (program, world) = self.surroundings(i, self.now)?;
        let path = shell::absolute(&program.directory, path);
        matches!(world.files.at(&path, self.now), Some(shell::Node::File(_))).then(|| {
            let access = world.files.access(&path, self.now);
            access.is_none_or(|a| a.allows(program.user.0, &program.groups, 1))
        })
    }
}
