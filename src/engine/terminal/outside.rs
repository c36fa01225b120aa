//! The commands that a line of the terminal finds outside of its shell: kubectl, docker, requests from the person's machine, `watch`.

use std::rc::Rc;

use super::around::{Around, Done, May, State, done, program};
use super::docker;
use super::shown::Entered;
use super::words::{self, Word};
use crate::api::{ObjectRef, Timestamp};
use crate::kubectl::{self, CommandWait, ContainerShell, Heard, WaitFor};
use crate::session::{CommandLine, Looked};
use crate::shell::{self, Commanded, Commands, Then, World};

/// The most commands of kubectl and docker of one line: a loop without an end has to end here.
const COMMANDS_LIMIT: usize = 64;
/// What is said where somebody opens a shell in a container before there is one.
pub(super) const NO_POD_YET: &str = "error: there is no pod yet: try again after a step\n";

/// The commands of the terminal, which are not the shell's.
pub(super) struct Outside<'a, 'b> {
    around: Around<'a>,
    done: &'b mut Vec<Done>,
    /// The number of the next command of kubectl or docker.
    next: usize,
    pub(super) state: State,
    /// How a command of kubectl's came into a container; `None` if none did.
    pub(super) inside: Option<Entered>,
    /// Whether a request from the person's own machine went astray: it was for something that is reached only from within the cluster.
    pub(super) astray: bool,
    /// How many `watch` are around the line.
    depth: usize,
}

fn pieces(output: &kubectl::Output) -> Vec<(bool, String)> {
    output.in_order().into_iter().map(|(stderr, text)| (stderr, text.to_owned())).collect()
}

fn ended(output: &kubectl::Output, at: Timestamp) -> Commanded {
    Commanded { printed: pieces(output), then: Then::Ended(at, output.exit) }
}

fn waits(output: &kubectl::Output) -> Commanded {
    Commanded { printed: pieces(output), then: Then::Waits }
}

impl<'a, 'b> Outside<'a, 'b> {
    pub(super) fn new(around: Around<'a>, done: &'b mut Vec<Done>, depth: usize) -> Outside<'a, 'b> {
        Outside { around, done, next: 0, state: State::Waits(None), inside: None, astray: false, depth }
    }

    /// Notes how a command of kubectl's came into a container.
    fn note_place(&mut self, output: &kubectl::Output) {
        if output.attached {
            self.inside = Some(Entered::Attach);
        } else if output.executed_in.is_some() {
            self.inside.get_or_insert(Entered::Exec);
        }
    }

    fn now(&self) -> Timestamp {
        self.around.session.now()
    }

    fn printed(&self, stdout: String) -> Commanded {
        Commanded { printed: vec![(false, stdout)], then: Then::Ended(self.now(), 0) }
    }

    fn refused(&self, stderr: String, code: i32) -> Commanded {
        Commanded { printed: vec![(true, stderr)], then: Then::Ended(self.now(), code) }
    }

    /// The number of a command that begins; an error ends a line that has too many.
    fn number(&mut self) -> Result<usize, Commanded> {
        let n = self.next;
        self.next += 1;
        if n < COMMANDS_LIMIT {
            return Ok(n);
        }
        let stderr = format!("sh: stopped after {COMMANDS_LIMIT} commands in one line\n");
        Err(Commanded { printed: vec![(true, stderr)], then: Then::Leave(1) })
    }

    /// The number of a command that ends at once, if it is still to be run; otherwise what it printed, or why the line ends.
    fn begins(&mut self) -> Result<usize, Commanded> {
        let n = self.number()?;
        match self.done.get(n) {
            Some(Done::Ended(output, at)) => Err(ended(output, *at)),
            _ => Ok(n),
        }
    }

    /// How many commands were run before the one with this number, about.
    fn before(&self, n: usize) -> u64 {
        u64::try_from(self.around.history.len().saturating_add(n)).unwrap_or(u64::MAX)
    }

    /// `curl` and its like, which ask from the person's own machine.
    fn request(&mut self, words: &[String]) -> Commanded {
        let n = match self.begins() {
            Ok(n) => n,
            Err(known) => return known,
        };
        let (done, within) = self.around.session.cluster().run_on_own_machine(words, self.before(n));
        let output = docker::printed(done);
        self.astray |= output.exit != 0 && within;
        self.end(n, output)
    }

    /// Notes what a command printed that ends at once.
    fn end(&mut self, n: usize, output: kubectl::Output) -> Commanded {
        let now = self.now();
        let printed = ended(&output, now);
        self.done.truncate(n);
        self.done.push(Done::Ended(Rc::new(output), now));
        printed
    }

    /// `docker exec`, which only looks at the cluster but for the files of its nodes, and `docker cp`.
    fn docker(&mut self, words: &[String]) -> Commanded {
        let n = match self.begins() {
            Ok(n) => n,
            Err(known) => return known,
        };
        let cluster = self.around.session.cluster();
        let output = match docker::change(cluster, words, self.around.manifest) {
            None => docker::run(cluster, words, self.before(n)),
            Some((faults, output)) if faults.is_empty() => output,
            Some(_) if self.around.may != May::Write => {
                self.state = State::Holds;
                return waits(&kubectl::Output::default());
            }
            Some((faults, output)) => {
                for fault in &faults {
                    // A file that is put once more as it is changes nothing.
                    self.around.session.fault(fault).unwrap_or_default();
                }
                output
            }
        };
        self.end(n, output)
    }

    fn kubectl(&mut self, words: &[String], input: Option<&str>) -> Commanded {
        let n = match self.number() {
            Ok(n) => n,
            Err(stopped) => return stopped,
        };
        match self.done.get_mut(n) {
            Some(Done::Ended(output, at)) => {
                let (output, at) = (output.clone(), *at);
                self.note_place(&output);
                ended(&output, at)
            }
            Some(Done::Shell(shell, output)) => {
                let (shell, output) = (shell.clone(), output.clone());
                self.note_place(&output);
                self.state = State::Shell { command: n, shell };
                waits(&output)
            }
            Some(Done::Open(command)) if self.around.may == May::Print => {
                let (output, wait) = self.around.session.print_again(command);
                self.note_place(&output);
                self.note_wait(n, wait.as_ref());
                waits(&output)
            }
            Some(Done::Open(command)) => {
                let (output, looked) = self.around.session.look_again(command);
                let line = command.line().to_owned();
                let files = command.files().clone();
                self.note_place(&output);
                match looked {
                    Looked::Ended => {
                        let now = self.around.session.now();
                        let printed = ended(&output, now);
                        if let Some(place) = self.done.get_mut(n) {
                            *place = Done::Ended(Rc::new(output), now);
                        }
                        printed
                    }
                    Looked::Waits(wait) => {
                        self.note_wait(n, Some(&wait));
                        waits(&output)
                    }
                    Looked::Writes if self.around.may == May::Write => {
                        let files = files.iter().map(|(name, text)| (name.clone(), text.clone())).collect();
                        self.begin(n, CommandLine { line, files, editor: true })
                    }
                    Looked::Writes => {
                        self.state = State::Holds;
                        waits(&output)
                    }
                }
            }
            None => {
                if self.around.wants_texts && kubectl::command_of(words) == Some("explain") {
                    self.state = State::WantsTexts;
                    return waits(&kubectl::Output::default());
                }
                let line = kubectl::words::join(words);
                if let Some(shell) = ContainerShell::of(&line).filter(|_| input.is_none() && self.depth == 0)
                {
                    return self.open_shell(n, shell);
                }
                let files = self.around.files(&line, input);
                self.begin(n, CommandLine { line, files, editor: self.depth == 0 })
            }
        }
    }

    fn note_wait(&mut self, n: usize, wait: Option<&CommandWait>) {
        match wait.map(|w| &w.what) {
            Some(WaitFor::Edit { text }) => {
                self.state = State::Edits { command: n, text: text.as_str().into() };
            }
            Some(WaitFor::Line(line)) => self.state = State::HoldsFor(line.as_str().into()),
            Some(WaitFor::Attached(to)) => self.state = State::Attached(to.clone()),
            Some(WaitFor::Change { kind, key, .. }) => {
                self.state = State::Waits(Some(ObjectRef { kind: *kind, key: key.clone() }));
            }
            _ => {}
        }
    }

    /// Opens a shell in a container (`kubectl exec -it POD -- sh`): what stands behind it on the line waits for its end.
    fn open_shell(&mut self, n: usize, mut shell: ContainerShell) -> Commanded {
        if self.around.may != May::Write {
            self.state = State::Holds;
            return waits(&kubectl::Output::default());
        }
        let line = shell.command("");
        let files = self.around.files("", None);
        let ran = self.around.session.command(CommandLine { line, files, editor: true });
        self.note_place(&ran.output);
        if ran.waits.is_some() {
            let stderr = format!("{}{NO_POD_YET}", ran.output.stderr);
            return self.end(n, kubectl::Output { stderr, exit: 1, waits: false, ..ran.output });
        }
        let Heard { text, over } = shell.heard(&ran.output);
        if over {
            return self.end(n, ran.output);
        }
        let output = kubectl::Output {
            stderr: text,
            executed_in: ran.output.executed_in,
            waits: true,
            ..Default::default()
        };
        let printed = waits(&output);
        self.state = State::Shell { command: n, shell: Box::new(shell.clone()) };
        self.done.truncate(n);
        self.done.push(Done::Shell(Box::new(shell), Rc::new(output)));
        printed
    }

    /// Begins a kubectl command.
    fn begin(&mut self, n: usize, line: CommandLine) -> Commanded {
        let ran = if self.around.may == May::Write {
            self.around.session.command(line)
        } else {
            let Some(ran) = self.around.session.read_only_command(&line) else {
                self.state = State::Holds;
                return waits(&kubectl::Output::default());
            };
            ran
        };
        self.note_place(&ran.output);
        if let Some(text) = &ran.output.kubeconfig {
            *self.around.kubeconfig = Some(text.clone());
        }
        let now = self.now();
        let printed = match &ran.waits {
            None => ended(&ran.output, now),
            Some(wait) => {
                self.note_wait(n, Some(wait));
                waits(&ran.output)
            }
        };
        self.done.truncate(n);
        self.done.push(done(ran, now));
        printed
    }

    /// `watch`: what a line prints now.
    fn watch(&mut self, words: &[String]) -> Commanded {
        let mut rest = words.iter().skip(1).peekable();
        let mut seconds = "2.0".to_owned();
        let mut title = true;
        while let Some(flag) = rest.peek().and_then(|w| w.strip_prefix('-')) {
            match flag {
                "n" | "-interval" => {
                    rest.next();
                    seconds = rest.peek().map_or(seconds, |n| (*n).clone());
                }
                "t" | "-no-title" => title = false,
                _ if flag.starts_with('n') => seconds = flag.trim_start_matches('n').to_owned(),
                // Differences are not marked.
                _ => {}
            }
            rest.next();
        }
        let text = rest.map(String::as_str).collect::<Vec<_>>().join(" ");
        if text.is_empty() || self.depth > 0 {
            return self.refused("Usage: watch [-n SECONDS] [-t] COMMAND\n".into(), 1);
        }
        let now = self.now();
        let (program, mut done) = (program(&text, now), Vec::new());
        let around = Around {
            session: &mut *self.around.session,
            manifest: self.around.manifest,
            kubeconfig: &mut *self.around.kubeconfig,
            history: self.around.history,
            wants_texts: false,
            may: May::Look,
        };
        let mut commands = Outside::new(around, &mut done, 1);
        let run = shell::run_with(&program, &World::default(), now, 0, &mut commands);
        self.astray |= commands.astray;
        if commands.state == State::Holds {
            let stderr = "watch: the command would change the cluster, and it is repeated with every step\n";
            return Commanded { printed: vec![(true, stderr.into())], then: Then::Leave(1) };
        }
        let mut stdout = String::new();
        if title {
            stdout.push_str(&format!("Every {seconds}s: {text}\n\n"));
        }
        run.output.iter().for_each(|o| stdout.push_str(&o.text));
        Commanded { printed: vec![(false, stdout)], then: Then::Waits }
    }

    fn history(&self) -> Commanded {
        let lines = self.around.history.iter().enumerate();
        self.printed(lines.map(|(i, line)| format!("{:>5}  {line}\n", i + 1)).collect())
    }
}

impl Commands for Outside<'_, '_> {
    fn knows(&self, words: &[String]) -> bool {
        words::of(words) != Word::Shell
    }

    fn run(&mut self, words: &[String], input: Option<&str>) -> Commanded {
        match words::of(words) {
            Word::Kubectl => self.kubectl(words.get(1..).unwrap_or_default(), input),
            Word::Verb => self.kubectl(words, input),
            Word::Watch => self.watch(words),
            Word::Docker => self.docker(words),
            Word::Request => self.request(words),
            Word::History => self.history(),
            // A page's affair, which is asked for by a line of its own.
            Word::Page | Word::Shell => self.printed(String::new()),
            Word::Refused(why) => self.refused(format!("{}: {why}\n", words.first().map_or("", |w| w)), 1),
            Word::Unknown => {
                let name = words.first().map_or("", |w| w);
                self.refused(format!("{name}: command not found: \"help\" says what there is\n"), 127)
            }
        }
    }

    fn no_files(&self) -> &'static str {
        "no file can be written here: an entry's button copies what it printed"
    }
}
