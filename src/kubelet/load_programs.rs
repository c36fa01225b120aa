//! Programs that are made to use memory and CPU: `stress`, of which there are two. What they use follows from their arguments.
//!
//! Sources: `stress.c` of stress 1.0 (`global_vmhogs` and the others), and `main.go` of github.com/vishh/stress.

use jiff::SignedDuration;

use super::behaviour::Uses;
use super::known_images::program_name;
use crate::api::quantity::Amount;

/// What a program of a load uses, and when it ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) uses: Uses,
    /// After which time, and with which exit code; `None` if it runs until it is stopped.
    pub(super) ends: Option<(SignedDuration, i32)>,
    /// The code with which it ends on SIGTERM as the first process of its container; `None` if it ignores that, as a C program without a
    /// handler does. Go's runtime has a handler, which cannot kill that process and ends it with 2 (`dieFromSignal`).
    pub(super) stops: Option<i32>,
}

/// The memory of the program itself.
const OWN: i64 = 1 << 20;
/// The memory that each worker takes if it is not said (`vm_bytes`).
const VM_BYTES: i64 = 256 << 20;
/// The most workers of a kind, and the longest times, that are counted.
const LIMIT: i64 = 1 << 20;

/// What a program does with its arguments; `None` if it is none of these.
pub(super) fn of(words: &[String]) -> Option<Load> {
    if program_name(words) != "stress" {
        return None;
    }
    let args = words.get(1..).unwrap_or_default();
    let of_go = |w: &String| {
        let name = w.trim_start_matches('-').split('=').next().unwrap_or_default();
        w.starts_with('-')
            && matches!(name, "cpus" | "mem-total" | "mem-alloc-size" | "mem-alloc-sleep" | "logtostderr")
    };
    Some(if args.iter().any(of_go) { of_flags(args) } else { of_options(args) })
}

/// One that ends at once.
fn ends(code: i32) -> Load {
    Load { uses: Uses { cpu: 1, memory: OWN }, ends: Some((SignedDuration::ZERO, code)), stops: None }
}

/// The one in Go: flags with one dash or two, their values behind `=` or as the next word. Go ends with 2 at a flag that it cannot read.
fn of_flags(args: &[String]) -> Load {
    let mut args = args.iter();
    let mut uses = Uses { cpu: 1, memory: OWN };
    while let Some(word) = args.next() {
        let Some(flag) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else { break };
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None if matches!(flag, "logtostderr" | "alsologtostderr") => (flag, Some("true")),
            None => (flag, args.next().map(String::as_str)),
        };
        let Some(value) = value else { return ends(2) };
        match name {
            "cpus" => match value.parse::<i64>() {
                Ok(n) => uses.cpu = n.clamp(0, LIMIT).saturating_mul(1000).max(1),
                Err(_) => return ends(2),
            },
            "mem-total" => match Amount::parse(value) {
                Ok(total) => uses.memory = OWN.saturating_add(total.value().max(0)),
                Err(_) => return ends(2),
            },
            "mem-alloc-size" if Amount::parse(value).is_err() => return ends(2),
            _ => {}
        }
    }
    Load { uses, ends: None, stops: Some(2) }
}

/// The one in C: workers that compute (`--cpu`), that take memory (`--vm`), that write (`--io`, `--hdd`), for so long (`--timeout`).
fn of_options(args: &[String]) -> Load {
    let mut args = args.iter();
    let (mut cpu, mut vm, mut others, mut bytes) = (0, 0, 0, VM_BYTES);
    let (mut hangs, mut timeout) = (false, None);
    while let Some(word) = args.next() {
        let number = |unit: fn(char) -> Option<i64>, value: Option<&String>| scaled(value?, unit);
        let read = match word.as_str() {
            "-?" | "--help" | "--version" | "-n" | "--dry-run" => return ends(0),
            "-v" | "--verbose" | "-q" | "--quiet" | "--vm-keep" => Some(()),
            "-c" | "--cpu" => number(|_| None, args.next()).map(|n| cpu = n),
            "-m" | "--vm" => number(|_| None, args.next()).map(|n| vm = n),
            "-i" | "--io" | "-d" | "--hdd" => number(|_| None, args.next()).map(|n| others += n),
            "--vm-bytes" => number(of_bytes, args.next()).map(|n| bytes = n),
            "--vm-hang" => number(of_time, args.next()).map(|_| hangs = true),
            "-t" | "--timeout" => number(of_time, args.next()).map(|n| timeout = Some(n)),
            "--vm-stride" | "--hdd-bytes" => number(of_bytes, args.next()).map(drop),
            "--backoff" => number(|_| None, args.next()).map(drop),
            _ => None,
        };
        if read.is_none() {
            return ends(1);
        }
    }
    if cpu + vm + others == 0 {
        return ends(0);
    }
    // A worker that sleeps between taking its memory and giving it back computes next to nothing.
    let busy = if hangs { cpu } else { cpu.saturating_add(vm) };
    let memory = vm.saturating_mul(bytes).saturating_add(OWN);
    let timeout = timeout.filter(|t| *t > 0).map(|t| (SignedDuration::from_secs(t), 0));
    Load { uses: Uses { cpu: busy.saturating_mul(1000).max(1), memory }, ends: timeout, stops: None }
}

fn of_bytes(unit: char) -> Option<i64> {
    Some(match unit.to_ascii_lowercase() {
        'b' => 1,
        'k' => 1 << 10,
        'm' => 1 << 20,
        'g' => 1 << 30,
        _ => return None,
    })
}

fn of_time(unit: char) -> Option<i64> {
    Some(match unit.to_ascii_lowercase() {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'y' => 31_536_000,
        _ => return None,
    })
}

/// A number with a unit behind it (`atoll_b`, `atoll_s`); `None` if it is none, or negative.
fn scaled(text: &str, unit: fn(char) -> Option<i64>) -> Option<i64> {
    let last = text.chars().next_back()?;
    let (digits, by) = match last.is_ascii_digit() {
        true => (text, 1),
        false => (text.get(..text.len() - last.len_utf8())?, unit(last)?),
    };
    let number = digits.parse::<i64>().ok().filter(|n| (0..1 << 40).contains(n))?;
    Some(number.saturating_mul(by)).filter(|n| *n < 1 << 50)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its end: after how many seconds, and with which code.
    type Ends = Option<(i64, i32)>;

    /// Thousandths of a CPU, MiB beside the program's own, and its end.
    fn load(line: &str) -> Option<(i64, i64, Ends)> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Load { uses, ends, .. } = of(&words)?;
        Some((uses.cpu, (uses.memory - OWN) >> 20, ends.map(|(t, code)| (t.as_secs(), code))))
    }

    /// The manifests `pods/resource/memory-request-limit.yaml` and `cpu-request-limit.yaml` of Kubernetes' documentation.
    #[test]
    fn what_the_programs_of_the_documentation_use() {
        assert_eq!(load("stress --vm 1 --vm-bytes 150M --vm-hang 1"), Some((1, 150, None)));
        assert_eq!(load("/stress -logtostderr -cpus 2"), Some((2000, 0, None)));
    }

    /// `stress.c`: `main`, `atoll_b`, `atoll_s`; the package `flag` of Go.
    #[test]
    fn arguments_are_read_as_the_programs_read_them() {
        assert_eq!(load("stress -c 2 --vm 2 --timeout 1m"), Some((4000, 512, Some((60, 0)))));
        assert_eq!(load("stress --cpu 1 --io 3"), Some((1000, 0, None)));
        assert_eq!(load("stress --vm one"), Some((1, 0, Some((0, 1)))));
        assert_eq!(load("stress --hog"), Some((1, 0, Some((0, 1)))));
        assert_eq!(load("stress"), Some((1, 0, Some((0, 0)))));
        assert_eq!(load("stress --cpus=1 -mem-total 950Mi -mem-alloc-size 100Mi"), Some((1000, 950, None)));
        assert_eq!(load("stress -cpus many"), Some((1, 0, Some((0, 2)))));
        assert_eq!(load("nginx -c 2"), None);
    }
}
