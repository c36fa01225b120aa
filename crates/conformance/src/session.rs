//! The `kubectl/` rows: sessions of groups in order. Each group continues from the one before.
//!
//! A group `NN-setup…` begins a session: an empty cluster, and commands that run in the folder `files…` with
//! the same suffix. A row is three facts: exit code, stdout and stderr.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::normalise::Normaliser;
use crate::printed::Printed;
use crate::report::{Outcome, names, read};
use crate::system::{Factory, KubectlOutput, Op, Setup, System};

/// What a recorded kubectl printed when it crashed. The README says that this is not to be imitated.
pub const CRASHED: &str = "<stack trace>";

/// Groups that continue from one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The groups' names, in order.
    pub groups: Vec<String>,
    /// The folder in which the commands run.
    pub files: PathBuf,
}

/// The sessions in a `kubectl/` folder, in order.
///
/// # Errors
/// If the folder cannot be read, or its first group does not begin a session.
pub fn sessions(folder: &Path) -> Result<Vec<Session>, String> {
    let mut out: Vec<Session> = Vec::new();
    for file in names(folder)? {
        let Some(group) = file.strip_suffix(".jsonl") else { continue };
        let set_up = group.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix("-setup");
        if let Some(ending) = set_up {
            out.push(Session { files: folder.join(format!("files{ending}")), ..Session::default() });
        }
        let session = out.last_mut().ok_or_else(|| format!("{group} begins no session"))?;
        session.groups.push(group.to_owned());
    }
    Ok(out)
}

/// Runs every session that has a group whose name begins with `filter`, as a whole, because later groups
/// need earlier ones. Returns an outcome for each row of those groups.
///
/// # Errors
/// If a file cannot be read.
pub fn run(folder: &Path, filter: &str, factory: &Factory<'_>) -> Result<Vec<Outcome>, String> {
    let mut sessions = sessions(folder)?;
    sessions.retain(|s| s.groups.iter().any(|g| g.starts_with(filter)));
    let outcomes = crate::parallel::each(&sessions, |s| run_one(folder, s, filter, factory))?;
    Ok(outcomes.into_iter().flatten().collect())
}

/// Runs a session as a whole. Returns an outcome for each row of its groups whose name begins with `filter`.
///
/// # Errors
/// If a file cannot be read.
pub fn run_one(
    folder: &Path,
    session: &Session,
    filter: &str,
    factory: &Factory<'_>,
) -> Result<Vec<Outcome>, String> {
    let mut run = Run::new(factory);
    let mut out = Vec::new();
    for group in &session.groups {
        for line in read(&folder.join(format!("{group}.jsonl")))?.lines() {
            let row: Value = serde_json::from_str(line).map_err(|e| format!("{group}: {e}"))?;
            let printed = Printed::from_value(&row);
            let n = row.get("n").and_then(Value::as_u64).unwrap_or(0);
            // It crashed before it wrote anything, and later rows are of a cluster that it did not change.
            if printed.output.stderr.contains(CRASHED) {
                if group.starts_with(filter) {
                    let unjudged = Some("the recorded kubectl crashed".into());
                    out.push(Outcome {
                        name: format!("kubectl/{group}/{n}"),
                        unjudged,
                        ..Outcome::default()
                    });
                }
                continue;
            }
            let have = run.command(&printed, row.get("stdin").and_then(Value::as_str), &session.files);
            if !group.starts_with(filter) {
                continue;
            }
            let mut outcome = Outcome { name: format!("kubectl/{group}/{n}"), ..Outcome::default() };
            outcome.facts = printed.compare(&printed.command, &have, false);
            out.push(outcome);
        }
    }
    Ok(out)
}

/// A session that is being run.
struct Run {
    system: Result<Box<dyn System>, String>,
    normaliser: Normaliser,
    learnt: usize,
}

impl Run {
    fn new(factory: &Factory<'_>) -> Run {
        // What `kubectl drain` refuses depends on the node that a pod got by chance. With this seed a pod without a
        // controller is on another node than the one that is drained, as in the recordings.
        let setup = Setup { real_default: true, seed: 2, ..Setup::default() };
        let system = crate::guarded(|| factory(&setup));
        let start = system.as_ref().map_or(0.0, |s| s.now().floor());
        Run { system, normaliser: Normaliser::new("default", start), learnt: 0 }
    }

    /// The output of a command, normalised. After a panic the system gets no further commands.
    fn command(&mut self, printed: &Printed, stdin: Option<&str>, files: &Path) -> KubectlOutput {
        let normaliser = &mut self.normaliser;
        let answer = match &mut self.system {
            Ok(s) => crate::guarded(|| {
                let real = |text: &str| normaliser.real(text);
                // There was no shell: kubectl was given `|` and `head` as arguments, and complains about
                // them.
                let output = s.kubectl(&real(printed.arguments()), files, stdin.map(real).as_deref());
                s.settle();
                output
            }),
            Err(e) => Err(e.clone()),
        };
        if let Ok(s) = &self.system {
            let new = s.writes().get(self.learnt..).unwrap_or(&[]);
            new.iter().filter(|w| w.op == Op::Added).for_each(|w| normaliser.learn(&w.object));
            self.learnt = s.writes().len();
        }
        match answer {
            Ok(o) => KubectlOutput {
                exit: o.exit,
                stdout: normaliser.table(&o.stdout),
                stderr: normaliser.table(&o.stderr),
            },
            Err(e) => {
                self.system = Err(e.clone());
                KubectlOutput { exit: i32::MIN, stdout: "\0".into(), stderr: e }
            }
        }
    }
}
