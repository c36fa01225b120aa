//! The processes of containers: what the runtime starts, what the process finds outside of itself, and what becomes
//! of it ([`crate::shell`]).
//!
//! A container whose command is a shell or a command that the shell knows has a [`Process`]. It is run to its end
//! when the container starts; that is the container's end. It is run again when something changes that it has asked
//! for: a name of the DNS, a file of a ConfigMap, a file that another container of the pod writes. A container whose
//! program nobody knows has none. Hooks and probes that execute a command do so among the files of that moment.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use ipnet::IpNet;
use jiff::SignedDuration;

use super::behaviour::{self, Exit, Own};
use super::container_state::ContainerState;
use super::coredns;
use super::environment::expand;
use super::images;
use super::known_images::{self, KnownImage, Script, Sort};
use super::load_programs;
use super::mounts::{has_unknown_files, termination_path};
use super::process::Process;
use super::runc::{not_executable, not_found};
use super::security_context::Identity;
use super::start::BRIDGE;
use super::timings;
use super::turn::Turn;
use crate::api::quantity::amount_of;
use crate::api::types::{Container, Node};
use crate::api::{Timestamp, later, order};
use crate::shell::{self, End, Files, Machine, Program, Run, Unknown, Until, Write};

/// How often the containers of a pod are run anew because of each other's files, at one moment.
const ROUNDS_LIMIT: usize = 8;

/// A change of a path, moved from below one directory to below another; `None` if it is not below it.
pub(super) fn moved(write: &Write, from: &str, to: &str) -> Option<Write> {
    let rest = write.path.strip_prefix(from).filter(|r| r.is_empty() || r.starts_with('/'))?;
    Some(Write { path: shell::absolute("/", &format!("{to}{rest}")), ..write.clone() })
}

pub(super) fn to_volumes(writes: &[Write], mounts: &[(String, String)]) -> Vec<Write> {
    let volume = |w: &Write| mounts.iter().find_map(|(path, volume)| moved(w, path, volume));
    writes.iter().filter_map(volume).collect()
}

fn own_of(run: &Run, start: Timestamp) -> Own {
    let ends = match run.end {
        End::Exit(at, code) => Some((at.duration_since(start), Exit::code(code))),
        End::Runs => None,
    };
    Own { ends, stops: None, certain: run.certain, uses: None }
}

impl Turn<'_> {
    /// What programs do that the shell does not know: they serve, if the container is always restarted, and do a job
    /// otherwise.
    fn unknown(&self, i: usize, spec: &Container) -> Unknown {
        if i < self.init_count() {
            return if self.is_sidecar(i) { Unknown::Forever } else { Unknown::Ends(timings::INIT) };
        }
        match self.policy_of(spec) {
            "Always" => Unknown::Forever,
            _ => Unknown::Ends(timings::JOB),
        }
    }

    /// The words that the runtime runs, and what is to be said if a variable is missing that the image needs.
    fn words(&self, spec: &Container, env: &BTreeMap<String, String>) -> (Vec<String>, Option<&'static str>) {
        let given = |list: &Option<Vec<String>>| -> Vec<String> {
            list.iter().flatten().map(|w| expand(w, env)).collect()
        };
        let (mut words, args) = (given(&spec.command), given(&spec.args));
        if !words.is_empty() {
            words.extend(args);
            return (words, None);
        }
        let text = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let image = spec.image.as_deref().unwrap_or_default();
        let told = behaviour::annotation(&self.pod.metadata, &spec.name, "entrypoint");
        let known = known_images::find(image).filter(|_| told.is_none());
        let entrypoint = match (told, known) {
            (Some(told), _) => told.split_whitespace().map(str::to_owned).collect(),
            (None, Some(k)) => text(k.entrypoint),
            (None, None) => Vec::new(),
        };
        let cmd = known.map(|k| k.cmd).unwrap_or_default();
        let mut rest = if args.is_empty() { text(cmd) } else { args };
        // An image's script puts the program before options, or before whatever it cannot execute.
        let wraps = rest.first().zip(known).is_some_and(|(first, known)| match known.script {
            Script::None => false,
            Script::Options => first.starts_with('-'),
            Script::OptionsAndArguments => first.starts_with('-') || !self.is_command(spec, known, first),
        });
        if let Some(program) = cmd.first().filter(|_| wraps) {
            rest.insert(0, (*program).to_owned());
        }
        let runs_cmd = rest.first().map(String::as_str) == cmd.first().copied();
        let missing = known.and_then(|k| k.needs).filter(|_| runs_cmd).and_then(|(names, message)| {
            let set = names.iter().any(|n| env.get(*n).is_some_and(|v| !v.is_empty()));
            (!set).then_some(message)
        });
        (entrypoint.into_iter().chain(rest).collect(), missing)
    }

    /// Whether an image's script finds a command of this name: one of alpine's, `CMD`'s own program, one that is built here, or
    /// a mounted file.
    fn is_command(&self, spec: &Container, known: &KnownImage, name: &str) -> bool {
        let path = shell::absolute(spec.working_dir.as_deref().unwrap_or("/"), name);
        shell::is_usual(name)
            || shell::OF_ALPINE.contains(&name)
            || known.cmd.first().is_some_and(|program| *program == name)
            || (name.contains('/') && self.is_mounted(spec, &path))
    }

    /// The words that the runtime runs for a container of a known image; `None` for one of an image that nobody knows.
    pub(super) fn words_of(&self, spec: &Container) -> Option<Vec<String>> {
        known_images::find(spec.image.as_deref().unwrap_or_default())?;
        Some(self.words(spec, &self.environment(spec)).0)
    }

    pub(super) fn program(&self, i: usize, spec: &Container) -> Program {
        let image = spec.image.as_deref().unwrap_or_default();
        let known = known_images::find(image);
        let running = self.rt.containers.get(i).and_then(|c| c.running()?.environment.as_ref());
        let mut env = running.map_or_else(|| self.environment(spec), |env| (**env).clone());
        env.entry("HOSTNAME".into()).or_insert_with(|| self.kernel_host_name().unwrap_or_default());
        env.entry("HOME".into()).or_insert_with(|| "/root".into());
        const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        env.entry("PATH".into()).or_insert_with(|| PATH.into());
        let (words, missing) = self.words(spec, &env);
        let words = match missing {
            Some(message) => {
                vec!["sh".into(), "-c".into(), format!("cat >&2 <<'END'\n{message}\nEND\nexit 1")]
            }
            None => words,
        };
        let Identity { uid, gid, groups } = Identity::of(self.spec, spec);
        Program {
            words,
            env,
            directory: spec.working_dir.clone().unwrap_or_else(|| "/".into()),
            host: self.kernel_host_name().unwrap_or_default(),
            user: (uid, gid),
            groups,
            start: self.now,
            tools: known_images::tools(image, known),
            libc_nslookup: known_images::has_libc_nslookup(image),
            complete: known.is_some_and(|k| k.busybox) && !has_unknown_files(self.spec, spec),
            others: known.map_or(&[], |k| k.others),
            companions: false,
            unknown: self.unknown(i, spec),
            stdin: spec.stdin == Some(true),
            terminal: spec.tty == Some(true),
            input: String::new(),
            first: self.spec.share_process_namespace != Some(true) && self.target(i).is_none(),
            signal: None,
            processors: self.processors(&spec.name),
            machine: Rc::new(self.machine(self.processes(i, false))),
        }
    }

    /// The command of a container's first process, as it stands in a list of processes.
    fn command_of(&self, i: usize) -> Option<String> {
        let spec = self.container_spec(i)?;
        let running = self.rt.containers.get(i)?.running()?;
        Some(match &running.process {
            Some(process) => process.program.words.join(" "),
            None => self.words(spec, &self.environment(spec)).0.join(" "),
        })
    }

    /// The commands of the processes that a program finds in a container, in the order of their numbers: all those of the pod with
    /// `shareProcessNamespace`, those of a container and of the ephemeral ones whose target it is otherwise. A program that is executed
    /// in the container finds the container's own process, too.
    pub(super) fn processes(&self, i: usize, executed: bool) -> Vec<String> {
        let all = 0..self.rt.containers.len();
        let own = |j: &usize| *j != i || executed;
        if self.spec.share_process_namespace == Some(true) {
            let commands = all.filter(own).filter_map(|j| self.command_of(j));
            return std::iter::once("/pause".to_owned()).chain(commands).collect();
        }
        let target = self.target(i);
        if target.is_none() && !executed {
            // It is the first one of its own namespace.
            return Vec::new();
        }
        let of = target.unwrap_or(i);
        let others = all.filter(|j| *j != of && self.target(*j) == Some(of));
        std::iter::once(of).chain(others).filter(own).filter_map(|j| self.command_of(j)).collect()
    }

    /// What programs in the pod see of the machine, and the commands of the processes beside them.
    pub(super) fn machine(&self, processes: Vec<String>) -> Machine {
        let node = self.caches.get::<Node>(self.node_key);
        let capacity = node.and_then(|n| n.status.as_ref()?.capacity.as_ref()?.get("memory"));
        let kib = |bytes: i64| u64::try_from(bytes).unwrap_or_default() >> 10;
        let memory = capacity.map(|all| (kib(amount_of(Some(all)).value()), kib(self.node.stats.memory)));
        let ranges: Vec<IpNet> = self.host.pod_cidrs.iter().filter_map(|c| c.parse().ok()).collect();
        let with_prefix = |address: IpAddr| {
            let range = ranges.iter().find(|range| range.contains(&address));
            IpNet::new(address, range.map_or(BRIDGE.prefix_len(), IpNet::prefix_len)).ok()
        };
        // Whoever has the network of the node sees its interfaces, of which nobody knows.
        let own = self.rt.addresses.iter().filter(|_| self.spec.host_network != Some(true));
        let addresses = own.filter_map(|a| with_prefix(a.parse().ok()?)).collect();
        let disk = node.and_then(|n| n.status.as_ref()?.capacity.as_ref()?.get("ephemeral-storage"));
        let disk = disk.and_then(|all| u64::try_from(amount_of(Some(all)).value()).ok());
        let mut processes = processes.into_iter();
        let mtu = self.mtu;
        Machine { memory, disk, addresses, mtu, process: processes.next(), beside: processes.collect() }
    }

    /// Why the runtime cannot start a container's program: the image certainly does not have it, or nobody may execute it.
    /// `None` if annotations say how the container runs.
    pub(super) fn missing_program(&self, i: usize, spec: &Container) -> Option<String> {
        let told = |what| behaviour::annotation(&self.pod.metadata, &spec.name, what).is_some();
        if spec.command.as_ref().is_none_or(Vec::is_empty) && spec.args.as_ref().is_none_or(Vec::is_empty) {
            return None;
        }
        if ["entrypoint", "exit-code", "run-seconds"].into_iter().any(told) {
            return None;
        }
        let program = self.program(i, spec);
        let name = program.words.first().filter(|w| !w.is_empty())?;
        let has_it = match known_images::bare(spec.image.as_deref().unwrap_or_default()) {
            Some(programs) => {
                programs.is_empty() || has_unknown_files(self.spec, spec) || programs.contains(&name.as_str())
            }
            None => shell::can_start(&program, name),
        };
        let file = name.contains('/').then(|| self.finds_file(i, spec, &program, name)).flatten();
        match file {
            Some(true) => None,
            Some(false) => Some(not_executable(name)),
            None => (!has_it).then(|| not_found(name)),
        }
    }

    /// Whether a container that starts may execute a file that is mounted, or that another container has written; `None` if
    /// there is no such file.
    fn finds_file(&self, i: usize, spec: &Container, program: &Program, path: &str) -> Option<bool> {
        let mut files = Files::default();
        self.all_files(spec, (self.now, self.rt.files.count)).iter().for_each(|w| files.note(w));
        self.shared_writes(i, spec).iter().for_each(|w| files.note(w));
        let path = shell::absolute(&program.directory, path);
        (files.sort(&path, self.now) == Some(shell::Sort::File)).then(|| {
            let access = files.access(&path, self.now);
            access.is_none_or(|a| a.allows(program.user.0, &program.groups, 1))
        })
    }

    /// Whether the program is a file that is mounted: a script.
    fn is_mounted_file(&self, spec: &Container, program: &Program) -> bool {
        let path = program.words.first().map(|w| shell::absolute(&program.directory, w));
        path.is_some_and(|p| self.is_mounted(spec, &p))
    }

    /// Whether a file is mounted at a path.
    fn is_mounted(&self, spec: &Container, path: &str) -> bool {
        let mut files = Files::default();
        self.volume_files(spec, (self.now, self.rt.files.count)).iter().for_each(|w| files.note(w));
        files.sort(path, self.now) == Some(shell::Sort::File)
    }

    /// What the program of a container does that has just started, and its process if the shell knows it.
    pub(super) fn begin_process(&mut self, i: usize, spec: &Container) -> (Own, Option<Rc<Process>>) {
        let serves = Own { ends: None, stops: Some((timings::STOP, 0)), certain: false, uses: None };
        let known = known_images::find(spec.image.as_deref().unwrap_or_default());
        let named = |words: &Option<Vec<String>>| words.as_ref().is_some_and(|w| !w.is_empty());
        let of_image = !named(&spec.command) && !named(&spec.args);
        // Most pods run what their image runs, which costs nothing then.
        if of_image && known.is_none_or(|k| k.needs.is_none() && is_server(k.entrypoint, k.cmd)) {
            let told = behaviour::annotation(&self.pod.metadata, &spec.name, "entrypoint").is_some();
            if !told {
                return match (known.is_some(), self.unknown(i, spec)) {
                    (false, Unknown::Ends(after)) => (ends(after), None),
                    _ => (serves, None),
                };
            }
        }
        let program = self.program(i, spec);
        let name = program.words.first().and_then(|w| w.rsplit('/').next()).unwrap_or_default();
        let coredns = coredns::is(&program.words).then(|| {
            let tag = images::tag(spec.image.as_deref().unwrap_or_default());
            Rc::from(tag.strip_prefix('v').unwrap_or(tag))
        });
        if coredns.is_none()
            && !shell::is_shell(name)
            && !shell::is_tool(name)
            && !self.is_mounted_file(spec, &program)
        {
            if let Some(load) = load_programs::of(&program.words) {
                let ends = load.ends.map(|(after, code)| (after, Exit::code(code)));
                let code = if program.first { load.stops } else { Some(143) };
                let stops = code.map(|code| (SignedDuration::ZERO, code));
                return (Own { ends, stops, certain: true, uses: Some(load.uses) }, None);
            }
            return match (known_images::sort_of(&program.words), program.unknown) {
                (Sort::Ends, _) if program.stdin || program.terminal => (serves, None),
                (Sort::Ends, _) => (ends(SignedDuration::ZERO), None),
                (Sort::Unknown, Unknown::Ends(after)) => (ends(after), None),
                _ => (serves, None),
            };
        }
        let cgroup = self.cgroup_files(i, spec, self.now);
        let mut process = Process {
            program,
            mounts: self.all_files(spec, (self.now, self.rt.files.count)).into_iter().chain(cgroup).collect(),
            file_systems: self.file_systems(spec).into(),
            outside: Vec::new(),
            shared: self.shared_writes(i, spec),
            answers: self.answers.clone(),
            typed: Rc::default(),
            coredns,
            run: Run {
                end: End::Runs,
                certain: true,
                asked: Default::default(),
                open: None,
                listens: Vec::new(),
                cycles: Vec::new(),
                files: Default::default(),
                writes: Vec::new(),
                output: Vec::new(),
                signals: Vec::new(),
                reads: false,
                exhausted: false,
                printed: Vec::new(),
            },
            layer: Rc::default(),
        };
        self.run_process(&mut process, spec);
        self.repeats_anew |= !process.run.cycles.is_empty();
        (own_of(&process.run, self.now), Some(Rc::new(process)))
    }

    /// Runs a process to its end, and keeps what others have to know of it.
    pub(super) fn run_process(&mut self, process: &mut Process, spec: &Container) {
        let mut run = process.evaluate(Until::End);
        if let Some(question) = &run.open {
            self.ask(question);
        }
        let mounts = self.shared_mounts(spec);
        let message = termination_path(spec);
        let own = process.outside.iter().chain(&run.writes);
        process.layer = self.space_of_layer(spec, own.cloned().collect()).into();
        run.writes.retain(|w| w.path == message || mounts.iter().any(|(m, v)| moved(w, m, v).is_some()));
        process.run = run;
    }

    /// What others have written, and will write, into the volumes of a container.
    pub(super) fn shared_writes(&self, i: usize, spec: &Container) -> Vec<Write> {
        let mounts = self.shared_mounts(spec);
        if mounts.is_empty() {
            return Vec::new();
        }
        let all = self.written_beside(Some(i));
        let here = |w: &Write| mounts.iter().filter_map(|(m, v)| moved(w, v, m)).collect::<Vec<_>>();
        all.iter().flat_map(here).collect()
    }

    /// What containers have written, and will write, into the volumes of the pod: below the names of these.
    pub(super) fn written_into_volumes(&self) -> Vec<Write> {
        self.written_beside(None)
    }

    /// As [`Self::written_into_volumes`], without what the process writes that runs in one of the containers.
    fn written_beside(&self, i: Option<usize>) -> Vec<Write> {
        let mut all: Vec<Write> = self.rt.disks.to_vec();
        let found = self.found_writes();
        for (j, c) in self.rt.containers.iter().enumerate().filter(|(j, _)| Some(*j) != i) {
            let (Some(process), Some(other)) =
                (c.running().and_then(|r| r.process.as_ref()), self.container_spec(j))
            else {
                continue;
            };
            all.extend(to_volumes(&process.run.writes, &self.shared_mounts(other)));
        }
        all.extend(self.seen_beside(&all));
        all.extend(found);
        order::sort_by(&mut all, |a, b| a.at.cmp(&b.at));
        all
    }

    /// Lets running processes hear of what the network answers now.
    pub(super) fn hear_of_changes(&mut self) {
        for i in 0..self.rt.containers.len() {
            let Some(spec) = self.container_spec(i) else { continue };
            let Some(r) = self.rt.containers.get(i).and_then(|c| c.running()) else { continue };
            let Some(process) = r.process.clone().filter(|_| r.stopping.is_none()) else { continue };
            if process.run.asked.iter().all(|q| self.answers.get(q) == process.answers.get(q)) {
                continue;
            }
            let mut new = (*process).clone();
            new.answers = self.answers.clone();
            if new != *process {
                self.run_process(&mut new, spec);
                self.replace(i, new);
            }
        }
    }

    /// Brings processes that share volumes to agree on each other's files. Each round makes a longer beginning of
    /// their common history right.
    pub(super) fn settle(&mut self) {
        if self.spec.volumes.is_none() {
            return;
        }
        for _ in 0..ROUNDS_LIMIT {
            let mut again = false;
            for i in 0..self.rt.containers.len() {
                let Some(spec) = self.container_spec(i) else { continue };
                let Some(r) = self.rt.containers.get(i).and_then(|c| c.running()) else { continue };
                let Some(process) = r.process.clone().filter(|_| r.stopping.is_none()) else { continue };
                let shared = self.shared_writes(i, spec);
                if shared == process.shared {
                    continue;
                }
                let mut new = (*process).clone();
                new.shared = shared;
                self.run_process(&mut new, spec);
                again |= new.run != process.run;
                self.replace(i, new);
            }
            if !again {
                return;
            }
        }
    }

    /// Notes another history of a running process. If its end is another one then, the container's is.
    pub(super) fn replace(&mut self, i: usize, process: Process) {
        let (now, Some(spec)) = (self.now, self.container_spec(i)) else { return };
        let pod = self.pod;
        let Some(ContainerState::Running(r)) = self.rt.containers.get_mut(i).map(|c| &mut c.state) else {
            return;
        };
        let own = own_of(&process.run, r.since);
        if own != r.own {
            r.own = own;
            r.behaviour = behaviour::of(pod, spec, own);
            r.ends = r.behaviour.ends.map(|(after, exit)| (later(r.since, after).max(now), exit));
        }
        self.repeats_anew |= r.process.as_ref().is_none_or(|before| before.run.cycles != process.run.cycles);
        r.process = Some(Rc::new(process));
    }
}

fn ends(after: SignedDuration) -> Own {
    let stops = Some((timings::STOP, 0));
    Own { ends: Some((after, Exit::code(0))), stops, certain: false, uses: None }
}

fn is_server(entrypoint: &[&str], cmd: &[&str]) -> bool {
    let words: Vec<String> = entrypoint.iter().chain(cmd).map(|w| (*w).to_owned()).collect();
    known_images::sort_of(&words) == Sort::Server
}
