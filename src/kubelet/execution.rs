//! Commands that are executed in containers (hooks and probes), and what remains of a process: what it does on
//! SIGTERM, its last message, what it has written into volumes.

use std::rc::Rc;

use jiff::SignedDuration;

use super::container_state::{ContainerState, Running};
use super::known_images;
use super::mounts::termination_path;
use super::network::Inside;
use super::process::Process;
use super::programs::to_volumes;
use super::turn::Turn;
use crate::api::types::Container;
use crate::api::{Timestamp, order};
use crate::apimachinery::ExecOptions;
use crate::network::Question;
use crate::shell::{self, Change, End, Files, Outside, Program, Unknown, Until, World, Write};

/// How many moments are looked at for a probe's next answer.
const MOMENTS_LIMIT: usize = 16;

/// How many changes of a pod's volumes are kept before those of the past are made one.
const CHANGES_LIMIT: usize = 256;

/// The longest termination message, and the longest one that is taken from the output
/// (`pkg/kubelet/container/runtime.go`: `MaxContainerTerminationMessageLength`).
const MESSAGE_LIMIT: usize = 4096;
const MESSAGE_OF_LOG_LIMIT: usize = 2048;
const MESSAGE_LINES_LIMIT: usize = 80;

/// A process that got SIGTERM, and when and with which code it ends, if it does.
type Signalled = (Rc<Process>, Option<(Timestamp, i32)>);

/// What has become of a command that was executed in a container.
pub(super) struct Executed {
    /// How long it took; `None` if it does not end.
    pub(super) takes: Option<SignedDuration>,
    pub(super) code: i32,
    /// Whether all of it is known.
    pub(super) certain: bool,
    /// What it printed.
    pub(super) printed: Vec<shell::Output>,
    pub(super) writes: Vec<Write>,
    /// The signals that it has sent to the first process of its container.
    pub(super) signals: Vec<Box<str>>,
    /// What it has asked the network, if nobody knows the answer yet.
    pub(super) open: Option<Question>,
    looked_at: Vec<String>,
}

impl Executed {
    /// All that it printed.
    pub(super) fn output(&self) -> String {
        self.printed.iter().map(|o| o.text.as_str()).collect()
    }

    /// What it printed to its standard output, and to its standard error.
    pub(super) fn streams(&self) -> (String, String) {
        let printed =
            |stderr| self.printed.iter().filter(move |o| o.stderr == stderr).map(|o| o.text.as_str());
        (printed(false).collect(), printed(true).collect())
    }
}

impl Turn<'_> {
    /// Executes a command in a running container. Nothing is changed by it yet: see [`Self::note_execution`].
    pub(super) fn execute(&self, i: usize, words: &[String], at: Timestamp) -> Option<Executed> {
        let (program, world) = self.surroundings(i, at)?;
        let unknown = Unknown::Ends(SignedDuration::ZERO);
        let program =
            Program { words: words.to_vec(), stdin: false, input: String::new(), unknown, ..program };
        self.run_beside(program, world, at, &Inside(self, at))
    }

    /// [`Self::execute`] for a command of a client. What is not known counts as missing.
    pub(super) fn execute_asked(
        &self,
        i: usize,
        options: &ExecOptions,
        at: Timestamp,
        outside: &dyn Outside,
    ) -> Option<Executed> {
        let (program, world) = self.surroundings(i, at)?;
        // What the container's own process was told is nothing to a command, which asks by itself.
        let world = World { answers: Rc::default(), ..world };
        let program = Program {
            words: options.command.clone(),
            stdin: options.stdin_open,
            input: options.stdin.clone(),
            unknown: Unknown::Missing,
            ..program
        };
        self.run_beside(program, world, at, outside)
    }

    /// Runs a program beside a container's own.
    fn run_beside(
        &self,
        program: Program,
        world: World,
        at: Timestamp,
        outside: &dyn Outside,
    ) -> Option<Executed> {
        let program = Program { start: at, first: false, signal: None, terminal: false, ..program };
        // What was typed into the container's own process is not for this one.
        let world = World { typed: Rc::default(), ..world };
        let run = shell::run(&program, &world, outside, Until::Moment(Timestamp::MAX));
        let (takes, code) = match run.end {
            End::Exit(end, code) => (Some(end.duration_since(at)), code),
            End::Runs => (None, 0),
        };
        Some(Executed {
            takes,
            code,
            certain: run.certain,
            printed: run.output,
            writes: run.writes,
            signals: run.signals,
            open: run.open,
            looked_at: run.files.into_iter().collect(),
        })
    }

    /// What a command finds that is executed in a running container: the environment, and the files.
    pub(super) fn surroundings(&self, i: usize, at: Timestamp) -> Option<(Program, World)> {
        let spec = self.container_spec(i)?;
        let r = self.rt.containers.get(i)?.running()?;
        let Some(process) = &r.process else {
            let mut world = World::default();
            self.all_files(spec, (r.since, r.volumes)).iter().for_each(|w| world.files.note(w));
            world.mounts = self.file_systems(spec);
            let shared = self.shared_writes(i, spec);
            let cgroup = self.cgroup_files(i, spec, at);
            r.outside.iter().chain(&shared).chain(&cgroup).for_each(|w| world.files.note(w));
            let program = self.program(i, spec);
            let machine = Rc::new(self.machine(self.processes(i, true)));
            let own = spec.command.as_ref().is_none_or(|command| command.is_empty());
            let image = spec.image.as_deref().unwrap_or_default();
            let companions = !(own && known_images::leaves_tmp_empty(image));
            return Some((Program { companions, machine, ..program }, world));
        };
        let process = &self.process_now(i, spec, process);
        let run = process.evaluate(Until::Moment(at));
        let mut world = process.world();
        run.writes.iter().for_each(|w| world.files.note(w));
        let cgroup = self.cgroup_files(i, spec, at);
        self.replaced_since(spec).iter().chain(&cgroup).for_each(|w| world.files.note(w));
        let processors = self.processors(&spec.name);
        let machine = Rc::new(self.machine(self.processes(i, true)));
        let companions = !run.certain;
        Some((Program { companions, processors, machine, ..process.program.clone() }, world))
    }

    /// A container's process with the files that other pods have written since its pod's last turn.
    fn process_now(&self, i: usize, spec: &Container, process: &Rc<Process>) -> Rc<Process> {
        let lasts = self.rt.lasting.as_ref().is_some_and(|l| !l.volumes.is_empty());
        let shared = if lasts { self.shared_writes(i, spec) } else { return process.clone() };
        if shared == process.shared {
            return process.clone();
        }
        Rc::new(Process { shared, ..(**process).clone() })
    }

    /// When a command that is executed in a container next ends in another way than it does now; `None` if that is
    /// not known.
    pub(super) fn next_change(
        &self,
        i: usize,
        words: &[String],
        now: &Executed,
        after: Timestamp,
    ) -> Option<Timestamp> {
        let process = self.rt.containers.get(i)?.running()?.process.as_ref()?;
        let run = process.evaluate(Until::End);
        let concerns =
            |w: &&Write| now.looked_at.iter().any(|p| *p == w.path || w.path.starts_with(&format!("{p}/")));
        let all = run.writes.iter().chain(&process.shared);
        let mut moments: Vec<Timestamp> = all.filter(concerns).map(|w| w.at).filter(|t| *t > after).collect();
        order::sort(&mut moments);
        moments.dedup();
        moments
            .into_iter()
            .take(MOMENTS_LIMIT)
            .find(|t| self.execute(i, words, *t).is_some_and(|e| (e.code == 0) != (now.code == 0)))
    }

    /// Notes what a command has written that was executed in a container, and delivers the signals that it has sent.
    pub(super) fn note_execution(&mut self, i: usize, executed: &Executed) {
        self.note_written(i, executed);
        for signal in &executed.signals {
            self.signal_first_process(i, signal);
        }
    }

    /// Notes the files that a command has written.
    fn note_written(&mut self, i: usize, executed: &Executed) {
        let Some(spec) = self.container_spec(i).filter(|_| !executed.writes.is_empty()) else { return };
        let to_disks = to_volumes(&executed.writes, &self.shared_mounts(spec));
        Rc::make_mut(&mut self.rt.disks).extend(to_disks);
        let Some(ContainerState::Running(r)) = self.rt.containers.get_mut(i).map(|c| &mut c.state) else {
            return;
        };
        Rc::make_mut(&mut r.outside).extend(executed.writes.iter().cloned());
        if let Some(process) = r.process.clone().filter(|_| r.stopping.is_none()) {
            let mut new = (*process).clone();
            new.outside = r.outside.to_vec();
            self.run_process(&mut new, spec);
            self.replace(i, new);
        }
        self.settle();
    }

    /// What a process does that gets SIGTERM at a moment: when it ends by itself, if it does.
    pub(super) fn signalled(&self, r: &Running, signal: Timestamp) -> Option<Signalled> {
        let mut process = (**r.process.as_ref()?).clone();
        process.program.signal = Some(signal);
        let run = process.evaluate(Until::End);
        (process.run.end, process.run.cycles) = (run.end, run.cycles);
        let end = match process.run.end {
            End::Exit(at, code) => Some((at, code)),
            End::Runs => None,
        };
        Some((Rc::new(process), end))
    }

    /// Keeps what a container that has ended has written into volumes, and returns its last message.
    pub(super) fn process_ended(&mut self, i: usize, at: Timestamp, code: i32) -> Option<Rc<str>> {
        let spec = self.container_spec(i)?;
        let process = self.rt.containers.get(i)?.running()?.process.clone()?;
        let path = termination_path(spec);
        let from_log =
            spec.termination_message_policy.as_deref() == Some("FallbackToLogsOnError") && code != 0;
        if process.run.writes.is_empty() && !from_log {
            return None;
        }
        let run = process.evaluate(Until::Moment(at));
        let mut files = process.world().files;
        run.writes.iter().for_each(|w| files.note(w));
        let to_disks = to_volumes(&run.writes, &self.shared_mounts(spec));
        let now = self.now;
        let disks = Rc::make_mut(&mut self.rt.disks);
        disks.extend(to_disks);
        if disks.len() > CHANGES_LIMIT {
            *disks = compacted(disks, now);
        }
        let message = match files.at(path, at) {
            Some(shell::Node::File(text)) if !text.is_empty() => text.chars().take(MESSAGE_LIMIT).collect(),
            _ if from_log => {
                let text: String = run.output.iter().map(|o| o.text.as_str()).collect();
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                let text: String =
                    lines.iter().skip(lines.len().saturating_sub(MESSAGE_LINES_LIMIT)).copied().collect();
                let skip = text.chars().count().saturating_sub(MESSAGE_OF_LOG_LIMIT);
                text.chars().skip(skip).collect()
            }
            _ => String::new(),
        };
        (!message.is_empty()).then(|| message.into())
    }
}

/// Changes of the past as one: what there is now.
fn compacted(changes: &[Write], now: Timestamp) -> Vec<Write> {
    let mut files = Files::default();
    changes.iter().for_each(|w| files.note(w));
    let past = changes.iter().map(|w| w.at).min().unwrap_or(now);
    let mut paths: Vec<&String> = changes.iter().map(|w| &w.path).collect();
    order::sort(&mut paths);
    paths.dedup();
    let of = |path: &String| {
        let changes = match files.sort(path, now) {
            Some(shell::Sort::File) => files.copy(path, now),
            Some(shell::Sort::Directory) => vec![Change::Directory],
            None => Vec::new(),
        };
        let write = |change| Write { at: past, path: path.clone(), change };
        changes.into_iter().map(write).collect::<Vec<_>>()
    };
    paths.into_iter().flat_map(of).collect()
}
