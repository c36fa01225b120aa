//! The long run: `cargo xtask fuzz`. See the library's documentation.

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use steady_fuzz::{Drive, Finding, Kept, STACK, Target, targets};

const USAGE: &str = "\
steady-fuzz [TARGET]… [--executions N] [--seed N]
    executes each target on N changed inputs (10000 without it), and keeps the inputs that break a promise
steady-fuzz TARGET --input FILE
    executes a target on one input";

/// After this much of its processor's time an input is one that hangs.
const PATIENCE: Duration = Duration::from_secs(90);

struct Args {
    targets: Vec<&'static Target>,
    executions: u64,
    seed: u64,
    /// The file in which this process says what it executes: it was started by another one.
    child: Option<PathBuf>,
    /// The file whose bytes are the only input.
    input: Option<PathBuf>,
}

fn read(args: impl Iterator<Item = String>) -> Result<Args, String> {
    let mut read = Args { targets: Vec::new(), executions: 10_000, seed: 1, child: None, input: None };
    let mut args = args;
    while let Some(arg) = args.next() {
        let mut number = || {
            args.next().and_then(|n| n.replace('_', "").parse().ok()).ok_or(format!("{arg} wants a number"))
        };
        match arg.as_str() {
            "--executions" => read.executions = number()?,
            "--seed" => read.seed = number()?,
            "--input" => read.input = args.next().map(PathBuf::from),
            "--child" => read.child = args.next().map(PathBuf::from),
            name => {
                let target = targets().iter().find(|t| t.name == name);
                let names: Vec<&str> = targets().iter().map(|t| t.name).collect();
                read.targets
                    .push(target.ok_or(format!("there is no target {name}: {}\n{USAGE}", names.join(", ")))?);
            }
        }
    }
    if read.targets.is_empty() {
        read.targets = targets().iter().collect();
    }
    Ok(read)
}

fn main() -> ExitCode {
    let done = read(std::env::args().skip(1)).and_then(|args| match (&args.child, &args.input) {
        (Some(file), _) => execute(&args, file),
        (None, Some(file)) => once(args.targets[0], file),
        (None, None) => supervise(&args),
    });
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(found) => {
            eprintln!(
                "{found} inputs broke a promise; they are kept in crates/fuzz/kept, to be committed with the mend"
            );
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Executes one input in this process.
fn once(target: &'static Target, file: &Path) -> Result<usize, String> {
    let input = std::fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let work = move || {
        let done = Drive::bare(target).execute(&input);
        done.map_or_else(
            |finding| println!("{}: {finding}", target.name),
            |()| println!("{}: ok", target.name),
        );
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).map_err(|e| e.to_string())?;
    thread.join().map_err(|_| "the thread ended".to_owned())?;
    Ok(0)
}

/// Executes inputs in this process. A line on standard output tells of each finding, and one at the end of all of it.
fn execute(args: &Args, file: &Path) -> Result<usize, String> {
    let (target, executions, seed, file) = (args.targets[0], args.executions, args.seed, file.to_owned());
    let work = move || -> Result<usize, String> {
        let mut note = std::fs::File::create(&file).map_err(|e| e.to_string())?;
        let mut drive = Drive::new(target, seed);
        let mut places: Vec<String> = Vec::new();
        let mut slowest = (Duration::ZERO, Vec::new());
        while drive.executed() < executions {
            let input = drive.next_input();
            begin(&mut note, drive.executed(), &input).map_err(|e| e.to_string())?;
            let start = Instant::now();
            if let Err(finding) = drive.execute(&input)
                && !places.contains(&finding.place)
            {
                places.push(finding.place.clone());
                let shorter = drive.shorten(&input, &finding);
                found(target, &shorter, &finding);
            }
            let took = start.elapsed();
            // The first one also makes what all are tried on.
            if drive.executed() > 1 && took > slowest.0 {
                slowest = (took, input);
            }
        }
        let slow = std::env::temp_dir().join(format!("slowest-{}", target.name));
        std::fs::write(&slow, &slowest.1).map_err(|e| format!("{}: {e}", slow.display()))?;
        println!("done {} {} {} {}", drive.executed(), drive.heard(), places.len(), slowest.0.as_millis());
        Ok(0)
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).map_err(|e| e.to_string())?;
    thread.join().map_err(|_| "the thread ended".to_owned())?
}

/// Notes the input that is executed next, for whoever finds this process dead: its number, its length and its bytes.
fn begin(note: &mut std::fs::File, number: u64, input: &[u8]) -> std::io::Result<()> {
    let mut text = format!("{number} {}\n", input.len()).into_bytes();
    text.extend_from_slice(input);
    note.rewind()?;
    note.write_all(&text)
}

/// The number of the execution that was noted last, and its input.
fn noted(file: &Path) -> Option<(u64, Vec<u8>)> {
    let bytes = std::fs::read(file).ok()?;
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let (number, length) = head.split_once(' ')?;
    let input = bytes.get(end + 1..end + 1 + length.parse::<usize>().ok()?)?;
    Some((number.parse().ok()?, input.to_vec()))
}

fn found(target: &Target, input: &[u8], finding: &Finding) {
    match Kept::keep(target, input) {
        Ok(file) => println!("found {}: {finding}\n  {}", target.name, file.display()),
        Err(why) => println!("found {}: {finding}\n  it cannot be kept: {why}", target.name),
    }
}

/// Has other processes execute the inputs: one that overflows its stack, or runs out of memory, ends alone.
fn supervise(args: &Args) -> Result<usize, String> {
    let mut total = 0;
    for target in &args.targets {
        let (mut left, mut seed, mut findings, mut executed) = (args.executions, args.seed, 0, 0);
        let mut ends = 0;
        while left > 0 {
            let part = run(target, left, seed)?;
            executed += part.executed;
            findings += part.findings;
            left = left.saturating_sub(part.executed.max(1));
            println!(
                "{:<12} {executed:>10} executions, {} answers, {findings} findings, slowest {} ms",
                target.name, part.heard, part.slowest
            );
            seed = seed.wrapping_add(1);
            if let Some((input, what)) = part.end {
                let finding = Finding { place: String::new(), message: what.to_owned() };
                found(target, &input, &finding);
                findings += 1;
                ends += 1;
            }
            if ends >= 5 {
                println!("{}: five inputs have ended their process; the rest is left out", target.name);
                break;
            }
        }
        total += findings;
    }
    Ok(total)
}

/// What one process did.
#[derive(Default)]
struct Part {
    executed: u64,
    heard: u64,
    findings: usize,
    slowest: u64,
    /// The input that ended it, and how.
    end: Option<(Vec<u8>, &'static str)>,
}

fn run(target: &Target, executions: u64, seed: u64) -> Result<Part, String> {
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let file = std::env::temp_dir().join(format!("steady-fuzz-{}-{}", target.name, std::process::id()));
    let mut child = Command::new(me)
        .arg(target.name)
        .args(["--executions", &executions.to_string(), "--seed", &seed.to_string(), "--child"])
        .arg(&file)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let out = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut part = Part::default();
        for line in std::io::BufRead::lines(std::io::BufReader::new(out?)).map_while(Result::ok) {
            if let Some(rest) = line.strip_prefix("done ") {
                let mut numbers = rest.split(' ').filter_map(|n| n.parse::<u64>().ok());
                part.executed = numbers.next().unwrap_or_default();
                part.heard = numbers.next().unwrap_or_default();
                part.findings = numbers.next().unwrap_or_default() as usize;
                part.slowest = numbers.next().unwrap_or_default();
            } else {
                println!("{line}");
            }
        }
        Some(part)
    });
    let (mut last, mut since, mut hangs) = (u64::MAX, Instant::now(), false);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(200));
        let now = noted(&file).map_or(last, |(number, _)| number);
        if now != last {
            (last, since) = (now, Instant::now());
        } else if since.elapsed() > PATIENCE {
            hangs = true;
            child.kill().map_err(|e| e.to_string())?;
        }
    };
    let mut part = reader.join().ok().flatten().unwrap_or_default();
    if !status.success() {
        let (number, input) = noted(&file).ok_or("a process ended before its first input")?;
        part.executed = number + 1;
        part.end = Some((
            input,
            if hangs { "it takes too long" } else { "it ends the process: its stack or its memory" },
        ));
    }
    let _ = std::fs::remove_file(&file);
    Ok(part)
}
