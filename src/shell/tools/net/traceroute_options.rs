//! What a command line of `traceroute` asks for: that of BusyBox (`networking/traceroute.c`) and the one that distributions have
//! (`traceroute.c` and `clif.c` of traceroute 2.1). Each says in its own words what it cannot read.

use std::ops::RangeInclusive;

use jiff::SignedDuration;

use super::{Flag, Refused, busybox_number, flags, has, value};

/// The most probes that are sent for each machine.
const PROBES_LIMIT: u64 = 255;

/// What is asked for.
pub(super) struct Options<'a> {
    /// The host; `None` if the line names none.
    pub(super) host: Option<&'a str>,
    /// The first number of machines that a probe may pass.
    pub(super) first: u8,
    /// The last one.
    pub(super) most: u8,
    /// How many probes are sent for each machine.
    pub(super) probes: u8,
    /// How long it waits for an answer.
    pub(super) wait: SignedDuration,
    /// Whether addresses are shown without names.
    pub(super) numeric: bool,
}

fn byte(n: u64) -> u8 {
    u8::try_from(n).unwrap_or(u8::MAX)
}

/// The options of BusyBox.
pub(super) fn of_busybox(args: &[String]) -> Result<Options<'_>, Refused> {
    const VALUED: [&str; 10] = ["m", "q", "w", "f", "p", "s", "i", "t", "z", "g"];
    let (flags, operands) = flags(args, &VALUED);
    if let Some(flag) = flags.iter().find(|f| VALUED.contains(&f.name) && f.value.is_empty()) {
        let says = format!("traceroute: option requires an argument -- '{}'", flag.name);
        return Err(Refused { says, code: 1 });
    }
    let number = |name: &str, range: RangeInclusive<u64>, otherwise: u64| match value(&flags, &[name]) {
        Some(text) => busybox_number("traceroute", text, range),
        None => Ok(otherwise),
    };
    let most = number("m", 1..=255, 30)?;
    number("p", 0..=65_535, 33_434)?;
    let probes = number("q", 1..=0x7fff_ffff, 3)?;
    let wait = number("w", 1..=86_400, 5)?;
    number("z", 0..=3_600_000, 0)?;
    let first = number("f", 1..=most, 1)?;
    number("t", 0..=255, 0)?;
    Ok(Options {
        host: operands.first().copied(),
        first: byte(first),
        most: byte(most),
        probes: byte(probes.min(PROBES_LIMIT)),
        wait: SignedDuration::from_secs(i64::try_from(wait).unwrap_or(i64::MAX)),
        numeric: has(&flags, &["n"]),
    })
}

/// The options of the one that distributions have.
pub(super) fn of_others(args: &[String]) -> Result<Options<'_>, Refused> {
    const VALUED: [&str; 12] = ["m", "q", "w", "f", "p", "s", "i", "t", "z", "g", "N", "l"];
    let (flags, operands) = flags(args, &VALUED);
    let refused = |says: String| Refused { says, code: 2 };
    let unreadable = |f: &Flag<'_>| {
        let (name, text, at) = (f.name, f.value, f.at);
        refused(format!("Cannot handle `-{name}' option with arg `{text}' (argc {at})"))
    };
    let (mut first, mut most, mut probes, mut wait) = (1, 30, 3, 5.0);
    for flag in flags.iter().filter(|f| VALUED.contains(&f.name)) {
        let number = || flag.value.parse::<u64>().map_err(|_| unreadable(flag));
        match flag.name {
            "f" => first = number()?,
            "m" => most = number()?,
            "q" => probes = number()?,
            // How many probes are on their way at once, the type of service, the port and the flow label change nothing here.
            "N" | "t" | "p" | "l" => {
                number()?;
            }
            // The longest time, and how it follows from earlier answers: these come at once here.
            "w" => {
                let longest = flag.value.split(',').next().unwrap_or_default();
                wait = longest.parse::<f64>().map_err(|_| unreadable(flag))?;
            }
            _ => {}
        }
    }
    if first == 0 || first > most {
        return Err(refused("first hop out of range".to_owned()));
    }
    if most > 255 {
        return Err(refused("max hops cannot be more than 255".to_owned()));
    }
    if probes == 0 || probes > 10 {
        return Err(refused("no more than 10 probes per hop".to_owned()));
    }
    if wait < 0.0 {
        return Err(refused(format!("bad wait specifications `{wait},3,10' used")));
    }
    Ok(Options {
        host: operands.first().copied(),
        first: byte(first),
        most: byte(most),
        probes: byte(probes),
        wait: SignedDuration::from_millis((wait * 1000.0).clamp(0.0, 3.2e12) as i64),
        numeric: has(&flags, &["n"]),
    })
}
