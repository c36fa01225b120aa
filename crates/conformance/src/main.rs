//! `steady-conformance [DIR] [--suite cases|api|kubectl|hash] [--filter PREFIX] [--brief | --verbose |
//! --against FILE | --list]`

use std::path::PathBuf;
use std::process::ExitCode;

use steady_conformance::{Suite, default_dir, groups, ratchet, report, wiring};

const USAGE: &str =
    "steady-conformance [DIR] [--suite cases|api|kubectl|hash] [--filter PREFIX] [--brief | --verbose | --against FILE | --list]

DIR        the recordings; tests/conformance of this repository if not given
--suite    only this suite; may be given more than once
--filter   only cases, groups or templates whose name begins with this

Without more, each group with its first difference.
--brief    each group with how many facts of which area are not met
--verbose  every difference, and the order of writes
--against  only the groups that differ from an earlier report in FILE
--list     the names of what passes as a whole, as in passing.txt";

/// The parsed arguments.
#[derive(Default)]
struct Options {
    dir: Option<PathBuf>,
    suites: Vec<Suite>,
    filter: String,
    verbose: bool,
    brief: bool,
    against: Option<PathBuf>,
    list: bool,
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut out = Options::default();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--verbose" | "-v" => out.verbose = true,
            "--brief" => out.brief = true,
            "--against" => out.against = Some(args.next().ok_or("--against needs a file")?.into()),
            "--list" => out.list = true,
            "--filter" => out.filter = args.next().ok_or("--filter needs a prefix")?,
            "--suite" => {
                let name = args.next().ok_or("--suite needs a name")?;
                out.suites.push(Suite::parse(&name).ok_or(format!("there is no suite {name}"))?);
            }
            "--help" | "-h" => return Err(USAGE.into()),
            a if a.starts_with('-') => return Err(format!("unknown option {a}\n\n{USAGE}")),
            a => out.dir = Some(a.into()),
        }
    }
    Ok(out)
}

fn run(options: &Options) -> Result<String, String> {
    let dir = options.dir.clone().unwrap_or_else(default_dir);
    let suites = if options.suites.is_empty() { &Suite::ALL[..] } else { &options.suites };
    let mut outcomes = Vec::new();
    for suite in suites {
        outcomes.extend(suite.run(&dir, &options.filter, &wiring::system, &wiring::compute_hash)?);
    }
    if options.list {
        return Ok(ratchet::passing(&outcomes).into_iter().map(|n| n + "\n").collect());
    }
    if let Some(earlier) = &options.against {
        return Ok(groups::changes(&report::read(earlier)?, &outcomes));
    }
    if options.brief {
        return Ok(report::brief(&outcomes));
    }
    Ok(report::table(&outcomes, options.verbose))
}

fn main() -> ExitCode {
    match options(std::env::args().skip(1)).and_then(|o| run(&o)) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}
