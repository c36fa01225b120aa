//! The `kubectl/` rows: one session in order, each group going on from the one before.
//!
//! A row is three facts: exit, stdout and stderr.

use std::path::Path;

use serde_json::Value;

use crate::normalise::Normaliser;
use crate::printed::Printed;
use crate::report::{Outcome, names, read};
use crate::system::{Factory, KubectlOutput, Op, Setup};

/// Runs the whole session (later groups need the earlier ones) and gives an outcome for each row
/// of the groups whose name begins with `filter`.
///
/// # Errors
/// If a file cannot be read.
pub fn run(folder: &Path, filter: &str, factory: &Factory<'_>) -> Result<Vec<Outcome>, String> {
    let files = folder.join("files");
    let setup =
        Setup { nodes: 3, scheduling: false, controllers: true, real_default: true, seconds_past_minute: 20 };
    let mut system = crate::guarded(|| factory(&setup));
    let mut normaliser = Normaliser::new("default", system.as_ref().map_or(0.0, |s| s.now().floor()));
    let mut learnt = 0;
    let mut out = Vec::new();
    for file in names(folder)? {
        let Some(group) = file.strip_suffix(".jsonl") else { continue };
        for line in read(&folder.join(&file))?.lines() {
            let row: Value = serde_json::from_str(line).map_err(|e| format!("{file}: {e}"))?;
            let printed = Printed::from_value(&row);
            let n = row.get("n").and_then(Value::as_u64).unwrap_or(0);
            let answer = match &mut system {
                Ok(s) => crate::guarded(|| {
                    // No shell stood between: kubectl was given `|` and `head` as words, and says so.
                    let output = s.kubectl(&normaliser.real(printed.arguments()), &files);
                    s.settle();
                    output
                }),
                Err(e) => Err(e.clone()),
            };
            if let Ok(s) = &system {
                let new = s.writes().get(learnt..).unwrap_or(&[]);
                new.iter().filter(|w| w.op == Op::Added).for_each(|w| normaliser.learn(&w.object));
                learnt = s.writes().len();
            }
            // After a panic the system is not asked again.
            if let (Err(e), Ok(_)) = (&answer, &system) {
                system = Err(e.clone());
            }
            let have = match answer {
                Ok(o) => KubectlOutput {
                    exit: o.exit,
                    stdout: normaliser.table(&o.stdout),
                    stderr: normaliser.table(&o.stderr),
                },
                Err(e) => KubectlOutput { exit: i32::MIN, stdout: "\0".into(), stderr: e },
            };
            if group.starts_with(filter) {
                let facts = printed.compare(&printed.command, &have, false);
                out.push(Outcome { name: format!("kubectl/{group}/{n}"), facts, notes: Vec::new() });
            }
        }
    }
    Ok(out)
}
