//! `steady-manifests DIR [--minutes N]`

use std::path::PathBuf;
use std::process::ExitCode;

use jiff::SignedDuration;
use steady_manifests::{folders, table};

const USAGE: &str = "steady-manifests DIR [--minutes N]

Applies every manifest below DIR to a cluster of its own, lets the cluster run for N minutes of its time (5 if not
given), and prints what came of it as Markdown.";

fn run(mut args: impl Iterator<Item = String>) -> Result<String, String> {
    let (mut directory, mut minutes) = (None, 5);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--minutes" => {
                let number = args.next().and_then(|n| n.parse().ok()).filter(|n| (0..=10_000).contains(n));
                minutes = number.ok_or("--minutes needs a number up to 10000")?;
            }
            "--help" | "-h" => return Err(USAGE.into()),
            a if a.starts_with('-') => return Err(format!("unknown option {a}\n\n{USAGE}")),
            a => directory = Some(PathBuf::from(a)),
        }
    }
    let directory = directory.ok_or(USAGE)?;
    Ok(table(&folders(&directory, SignedDuration::from_mins(minutes))?))
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
