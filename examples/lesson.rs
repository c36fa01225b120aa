//! Checks lessons (docs/lessons.md): `cargo run --example lesson -- FILE…`. It plays each to its end by its solutions, says what does
//! not hold, and ends with an error then. With `--run` it prints what each moment of the run did, to write expressions by.
use std::process::ExitCode;

use steady::lessons;
use steady::session::{Session, What};

const USAGE: &str = "usage: lesson [--run] FILE…";

fn main() -> ExitCode {
    let (flags, files): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    if files.is_empty() || flags.iter().any(|flag| flag != "--run") {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    }
    let mut sound = true;
    for file in files {
        match read(&file) {
            Ok(lesson) => {
                let (session, flaw) = lessons::check(&lesson);
                sound &= flaw.is_none();
                match flaw {
                    None => {
                        println!("{file}: holds what it promises, in {} moments", session.timeline().len())
                    }
                    Some(flaw) => println!("{file}: {flaw}"),
                }
                if !flags.is_empty() {
                    print(&session);
                }
            }
            Err(why) => {
                sound = false;
                println!("{why}");
            }
        }
    }
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn read(file: &str) -> Result<lessons::Lesson, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    lessons::read(file, &text).map_err(|e| e.to_string())
}

/// Prints the commands of the timeline, each with its rule.
fn print(session: &Session) {
    for (place, id) in session.timeline().iter().copied().enumerate() {
        let Some(moment) = session.moment(id) else { continue };
        match &moment.what {
            What::Commands(commands) => {
                for c in commands {
                    let rule = c.why.as_ref().map_or("", |why| why.rule);
                    println!(
                        "{place:4} {} {} {} {} {rule}",
                        c.by,
                        c.request.verb_string(),
                        c.request.object(),
                        c.response.code()
                    );
                }
            }
            other => println!("{place:4} {other:?}"),
        }
    }
}
