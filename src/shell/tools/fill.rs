//! Commands that make files of a size, whatever stands in them: `head -c` of a device, `dd` and `fallocate`. Such bytes are counted and
//! not kept ([`super::super::files::Change::Fill`]).
//!
//! Sources: `coreutils/dd.c`, `coreutils/head.c`, `util-linux/fallocate.c` and `libbb/xatonum.c` (`bkm_suffixes`, `cwbkMG_suffixes`,
//! `kmg_i_suffixes`) of BusyBox; the manual of GNU coreutils, sections "Block size" and "dd invocation".

use super::super::machine::{Out, Ran, Shell};
use super::{Options, Tools};

/// Which units a number may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Units {
    /// Those of `head`.
    Text,
    /// Those of `dd`.
    Blocks,
    /// Those of `fallocate`.
    Space,
}

/// The units that BusyBox' `head` knows.
const OF_TEXT: &[(&str, u64)] = &[("b", 512), ("k", 1 << 10), ("m", 1 << 20)];

/// Those of `dd`, and of GNU's `head`.
const OF_BLOCKS: &[(&str, u64)] = &[
    ("b", 512),
    ("kB", 1000),
    ("KB", 1000),
    ("k", 1 << 10),
    ("K", 1 << 10),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("M", 1 << 20),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("G", 1 << 30),
    ("GiB", 1 << 30),
];

/// Those of `dd` alone.
const OF_DD: &[(&str, u64)] = &[("c", 1), ("w", 2)];

/// Those of `fallocate`.
const OF_SPACE: &[(&str, u64)] = &[
    ("KiB", 1 << 10),
    ("K", 1 << 10),
    ("k", 1 << 10),
    ("MiB", 1 << 20),
    ("M", 1 << 20),
    ("m", 1 << 20),
    ("GiB", 1 << 30),
    ("G", 1 << 30),
    ("g", 1 << 30),
];

/// A number with a unit; `None` if it is none. One that is too large is the largest one.
pub(super) fn amount(tools: Tools, text: &str, units: Units) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end)?;
    if digits.is_empty() {
        return None;
    }
    let number = digits.parse::<u64>().unwrap_or(u64::MAX);
    if unit.is_empty() {
        return Some(number);
    }
    let of = |all: &[(&str, u64)]| all.iter().find(|(name, _)| *name == unit).map(|(_, by)| *by);
    let by = match (units, tools) {
        (Units::Text, Tools::Busybox) => of(OF_TEXT),
        (Units::Text, Tools::Gnu) => of(OF_BLOCKS),
        (Units::Blocks, _) => of(OF_BLOCKS).or_else(|| of(OF_DD)),
        (Units::Space, _) => of(OF_SPACE),
    };
    Some(number.saturating_mul(by?))
}

/// Writes so many zero bytes to standard output, and tells if the disk is full before that.
pub(super) fn filled(shell: &mut Shell<'_>, name: &str, count: u64) -> Ran {
    let Err(why) = shell.fill(1, count) else { return Ok(0) };
    shell.error(&match shell.program.tools {
        Tools::Busybox => format!("{name}: write error: {why}"),
        Tools::Gnu => format!("{name}: error writing 'standard output': {why}"),
    });
    Ok(1)
}

/// What `dd` is told.
#[derive(Default)]
struct Copying<'a> {
    from: Option<&'a str>,
    to: Option<&'a str>,
    block: Option<u64>,
    count: Option<u64>,
    keeps: bool,
    quiet: bool,
}

/// The operands of `dd` that are built.
const BUILT: &str = "if, of, bs, count, conv=fsync|fdatasync|notrunc, oflag, iflag and status";

/// Reads the operands of `dd`. The error is the operand that is none, or that is not built here.
fn copying(tools: Tools, args: &[String]) -> Result<Copying<'_>, &str> {
    let mut c = Copying::default();
    for arg in args.iter().skip(1) {
        let (name, value) = arg.split_once('=').ok_or(arg.as_str())?;
        let number = || amount(tools, value, Units::Blocks).ok_or(arg.as_str());
        match (name, value) {
            ("if", path) => c.from = Some(path),
            ("of", path) => c.to = Some(path),
            ("bs", _) => c.block = Some(number()?.max(1)),
            ("count", _) => c.count = Some(number()?),
            // What is written is on the disk at once.
            ("conv", all) if all.split(',').all(|w| matches!(w, "fsync" | "fdatasync" | "notrunc")) => {
                c.keeps = all.split(',').any(|w| w == "notrunc");
            }
            ("oflag" | "iflag", "direct" | "dsync" | "sync" | "fullblock") => {}
            ("oflag", "append") => c.keeps = true,
            ("status", "none" | "noxfer" | "progress") => c.quiet = value == "none",
            _ => return Err(arg.as_str()),
        }
    }
    Ok(c)
}

/// `dd`: it copies blocks. It says how many, and not how fast.
pub(super) fn dd(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let c = match copying(shell.program.tools, args) {
        Ok(c) => c,
        Err(operand) => {
            shell.error(&format!("dd: '{operand}' is not built here: there is {BUILT}"));
            return Ok(1);
        }
    };
    let block = c.block.unwrap_or(512);
    let limit = c.count.map_or(u64::MAX, |count| count.saturating_mul(block));
    let sources: Vec<&str> = c.from.into_iter().collect();
    let endless = shell.reads_for_ever(&sources);
    let mut text = String::new();
    if !endless {
        let (all, failed) = shell.inputs_of("dd", &sources)?;
        if failed {
            return Ok(1);
        }
        let many = usize::try_from(limit).unwrap_or(usize::MAX);
        text = all.into_iter().map(|(_, text)| text).collect::<String>();
        text = text.char_indices().take_while(|(at, c)| at + c.len_utf8() <= many).map(|(_, c)| c).collect();
    }
    // Without a file it writes to its standard output.
    let out = match c.to.map(|path| shell.open(path, c.keeps)) {
        Some(Ok(out)) => Some(out),
        Some(Err(why)) => {
            let path = c.to.unwrap_or_default();
            shell.error(&match shell.program.tools {
                Tools::Busybox => format!("dd: can't open '{path}': {why}"),
                Tools::Gnu => format!("dd: failed to open '{path}': {why}"),
            });
            return Ok(1);
        }
        None => None,
    };
    let before = out.map(|out| shell.outs.insert(1, out));
    let had = shell.filled;
    let nowhere = matches!(shell.outs.get(&1), Some(Out::Nowhere) | None);
    // Who copies a device to nowhere never ends.
    let ended = if endless && c.count.is_none() && nowhere {
        Err(shell.block())
    } else if endless {
        Ok(shell.fill(1, limit))
    } else {
        shell.print(&text);
        Ok(Ok(()))
    };
    if let Some(before) = before {
        shell.outs.remove(&1);
        shell.outs.extend(before.map(|out| (1, out)));
    }
    let ended = ended?;
    let bytes = match (endless, &ended) {
        (false, _) => text.len() as u64,
        (true, Ok(())) => limit,
        (true, Err(_)) => shell.filled.saturating_sub(had),
    };
    if let Err(why) = ended {
        let path = c.to.unwrap_or("standard output");
        shell.error(&format!("dd: error writing '{path}': {why}"));
    }
    if !c.quiet {
        let (whole, part) = (bytes / block, u64::from(bytes % block > 0));
        shell.error(&format!("{whole}+{part} records in\n{whole}+{part} records out\n{bytes} bytes copied"));
    }
    Ok(i32::from(ended.is_err()))
}

/// `fallocate -l SIZE FILE`: the file gets at least this size.
pub(super) fn fallocate(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "lo");
    let size = o.value('l').and_then(|text| amount(shell.program.tools, text, Units::Space));
    let (Some(size), [path], None) = (size, o.operands.as_slice(), o.value('o')) else {
        shell.error("fallocate: what is built here is: fallocate -l SIZE FILE");
        return Ok(1);
    };
    let out = match shell.open(path, true) {
        Ok(out) => out,
        Err(why) => {
            shell.error(&match shell.program.tools {
                Tools::Busybox => format!("fallocate: can't open '{path}': {why}"),
                Tools::Gnu => format!("fallocate: cannot open {path}: {why}"),
            });
            return Ok(1);
        }
    };
    let Out::File(file) = &out else { return Ok(0) };
    let more = size.saturating_sub(shell.files.size(file, shell.now));
    if more == 0 {
        return Ok(0);
    }
    let before = shell.outs.insert(1, out);
    let ended = shell.fill(1, more);
    shell.outs.remove(&1);
    shell.outs.extend(before.map(|out| (1, out)));
    let Err(why) = ended else { return Ok(0) };
    shell.error(&match shell.program.tools {
        Tools::Busybox => format!("fallocate: fallocate '{path}': {why}"),
        Tools::Gnu => format!("fallocate: fallocate failed: {why}"),
    });
    Ok(1)
}
