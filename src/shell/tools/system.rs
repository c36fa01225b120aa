//! Commands about the process, its host and the time, and those that run another command.

use jiff::SignedDuration;
use jiff::tz::TimeZone;

use super::super::machine::{Ran, Shell, Stop};
use super::super::text;
use super::{Options, Tools, base_name, is_shell};
use crate::api::{Timestamp, later};

/// What empties a terminal: `clear` of BusyBox (`console-tools/clear.c`) and of ncurses (`xterm`), and BusyBox' `reset`
/// (`console-tools/reset.c`).
pub const CLEARING: [&str; 3] =
    ["\u{1b}[H\u{1b}[J", "\u{1b}[H\u{1b}[2J\u{1b}[3J", "\u{1b}c\u{1b}(B\u{1b}[m\u{1b}[J\u{1b}[?25h"];

pub(super) fn clear(shell: &mut Shell<'_>, _: &[String]) -> Ran {
    let [busybox, ncurses, _] = CLEARING;
    match shell.program.tools {
        Tools::Busybox => shell.print(busybox),
        // Only a container with a terminal is told of which sort that is.
        Tools::Gnu if !shell.program.terminal => {
            shell.error("TERM environment variable not set.");
            return Ok(1);
        }
        Tools::Gnu => shell.print(ncurses),
    }
    Ok(0)
}

pub(super) fn reset(shell: &mut Shell<'_>, _: &[String]) -> Ran {
    let [_, _, reset] = CLEARING;
    if shell.program.terminal {
        shell.print(reset);
    }
    Ok(0)
}

pub(super) fn echo(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let mut rest = args.get(1..).unwrap_or_default();
    let (mut newline, mut escapes) = (true, false);
    // dash reads no other option than -n, and escapes always.
    let dash = shell.program.tools == Tools::Gnu && !shell.frame.bash;
    while let Some(flags) = rest.first().and_then(|a| a.strip_prefix('-')) {
        let known = !flags.is_empty() && flags.chars().all(|c| c == 'n' || (!dash && matches!(c, 'e' | 'E')));
        if !known {
            break;
        }
        newline &= !flags.contains('n');
        escapes |= flags.contains('e');
        rest = rest.get(1..).unwrap_or_default();
    }
    let mut out = rest.join(" ");
    if escapes || dash {
        let (text, stops) = text::unescape(&out, true);
        out = text;
        newline &= !stops;
    }
    if newline {
        out.push('\n');
    }
    shell.print(&out);
    Ok(0)
}

pub(super) fn printf(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let Some(format) = args.get(1) else {
        shell.error("printf: usage: printf format [arguments]");
        return Ok(2);
    };
    let (out, error) = text::printf(format, args.get(2..).unwrap_or_default());
    shell.print(&out);
    if let Some(word) = error {
        shell.error(&format!("printf: invalid number '{word}'"));
        return Ok(1);
    }
    Ok(0)
}

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A moment in UTC in the format of `date`.
pub(super) fn format_date(now: Timestamp, format: &str) -> String {
    let t = now.to_zoned(TimeZone::UTC);
    let day = DAYS.get(usize::try_from(t.weekday().to_sunday_zero_offset()).unwrap_or(0)).copied();
    let month = usize::try_from(t.month()).ok().and_then(|m| MONTHS.get(m.checked_sub(1)?)).copied();
    let (day, month) = (day.unwrap_or_default(), month.unwrap_or_default());
    let short = |name: &str| name.chars().take(3).collect::<String>();
    let (mut out, mut chars) = (String::new(), format.chars());
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('Y') => out.push_str(&t.year().to_string()),
            Some('y') => out.push_str(&format!("{:02}", t.year() % 100)),
            Some('m') => out.push_str(&format!("{:02}", t.month())),
            Some('d') => out.push_str(&format!("{:02}", t.day())),
            Some('e') => out.push_str(&format!("{:>2}", t.day())),
            Some('H') => out.push_str(&format!("{:02}", t.hour())),
            Some('I') => out.push_str(&format!("{:02}", (t.hour() + 11) % 12 + 1)),
            Some('M') => out.push_str(&format!("{:02}", t.minute())),
            Some('S') => out.push_str(&format!("{:02}", t.second())),
            Some('N') => out.push_str(&format!("{:09}", t.subsec_nanosecond())),
            Some('3') => out.push_str(&format!("{:03}", t.millisecond())),
            Some('p') => out.push_str(if t.hour() < 12 { "AM" } else { "PM" }),
            Some('s') => out.push_str(&now.as_second().to_string()),
            Some('j') => out.push_str(&format!("{:03}", t.day_of_year())),
            Some('u') => out.push_str(&t.weekday().to_monday_one_offset().to_string()),
            Some('w') => out.push_str(&t.weekday().to_sunday_zero_offset().to_string()),
            Some('a') => out.push_str(&short(day)),
            Some('A') => out.push_str(day),
            Some('b' | 'h') => out.push_str(&short(month)),
            Some('B') => out.push_str(month),
            Some('Z') => out.push_str("UTC"),
            Some('z') => out.push_str("+0000"),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('T') => out.push_str(&format_date(now, "%H:%M:%S")),
            Some('R') => out.push_str(&format_date(now, "%H:%M")),
            Some('F') => out.push_str(&format_date(now, "%Y-%m-%d")),
            Some('D') => out.push_str(&format_date(now, "%m/%d/%y")),
            Some('c') => out.push_str(&format_date(now, "%a %b %e %H:%M:%S %Y")),
            Some(c) => out.push(c),
            None => out.push('%'),
        }
    }
    out
}

pub(super) fn date(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let format = args.iter().skip(1).find_map(|a| a.strip_prefix('+'));
    let iso = args.iter().skip(1).find(|a| a.starts_with("-I") || a.starts_with("--iso-8601"));
    let of_moment = args.iter().any(|a| a == "-d" || a.starts_with("--date"));
    // The words for other moments than the present (`date -d yesterday`) are not read.
    shell.certain &= !of_moment;
    let format = match (format, iso.map(String::as_str)) {
        (Some(f), _) => f,
        (None, Some(i)) if i.contains('s') && i != "--iso-8601" => "%Y-%m-%dT%H:%M:%S+00:00",
        (None, Some(_)) => "%F",
        (None, None) => "%a %b %e %H:%M:%S UTC %Y",
    };
    shell.note_clock();
    let text = format_date(shell.now, format);
    shell.print(&format!("{text}\n"));
    Ok(0)
}

pub(super) fn hostname(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    if args.iter().any(|a| matches!(a.as_str(), "-i" | "-I")) {
        let host = shell.program.host.clone();
        let address = shell.read("/etc/hosts").unwrap_or_default();
        let line = address.lines().find(|l| l.split_whitespace().skip(1).any(|n| n == host));
        let ip = line.and_then(|l| l.split_whitespace().next()).unwrap_or("127.0.0.1").to_owned();
        shell.print(&format!("{ip}\n"));
        return Ok(0);
    }
    let host = shell.program.host.clone();
    if args.iter().any(|a| matches!(a.as_str(), "-f" | "--fqdn" | "--long")) {
        // The first name of the host's line.
        let hosts = shell.read("/etc/hosts").unwrap_or_default();
        let line = hosts.lines().find(|l| l.split_whitespace().skip(1).any(|n| n == host));
        let name = line.and_then(|l| l.split_whitespace().nth(1)).unwrap_or(&host).to_owned();
        shell.print(&format!("{name}\n"));
        return Ok(0);
    }
    shell.print(&format!("{host}\n"));
    Ok(0)
}

pub(super) fn whoami(shell: &mut Shell<'_>, _: &[String]) -> Ran {
    let uid = shell.program.user.0;
    if uid != 0 {
        shell.error(&match shell.program.tools {
            Tools::Busybox => format!("whoami: unknown uid {uid}"),
            Tools::Gnu => format!("whoami: cannot find name for user ID {uid}"),
        });
        return Ok(1);
    }
    shell.print("root\n");
    Ok(0)
}

pub(super) fn id(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let (uid, gid) = shell.program.user;
    let named = |id: &i64| if *id == 0 { "0(root)".to_owned() } else { id.to_string() };
    let groups: Vec<String> = shell.program.groups.iter().map(named).collect();
    let text = match (o.has('u'), o.has('g')) {
        (true, _) if o.has('n') && uid == 0 => "root".to_owned(),
        (true, _) => uid.to_string(),
        (_, true) => gid.to_string(),
        _ => format!("uid={} gid={} groups={}", named(&uid), named(&gid), groups.join(",")),
    };
    shell.print(&format!("{text}\n"));
    Ok(0)
}

pub(super) fn pwd(shell: &mut Shell<'_>, _: &[String]) -> Ran {
    let directory = shell.frame.directory.clone();
    shell.print(&format!("{directory}\n"));
    Ok(0)
}

pub(super) fn nproc(shell: &mut Shell<'_>, _: &[String]) -> Ran {
    let n = shell.program.processors;
    shell.print(&format!("{n}\n"));
    Ok(0)
}

pub(super) fn uname(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "");
    let host = shell.program.host.clone();
    let all = [
        ('s', "Linux"),
        ('n', host.as_str()),
        ('r', crate::shell::KERNEL),
        ('v', "#1 SMP"),
        ('m', "x86_64"),
        ('o', "GNU/Linux"),
    ];
    let chosen: Vec<&str> =
        all.iter().filter(|(c, _)| o.has('a') || o.has(*c)).map(|(_, text)| *text).collect();
    let text = if chosen.is_empty() { "Linux".to_owned() } else { chosen.join(" ") };
    shell.print(&format!("{text}\n"));
    Ok(0)
}

fn exported(shell: &Shell<'_>) -> Vec<(String, String)> {
    let all = shell.frame.variables.iter().filter(|(_, (_, exported))| *exported);
    all.map(|(n, (v, _))| (n.clone(), v.to_string())).collect()
}

pub(super) fn env(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let mut rest = args.get(1..).unwrap_or_default();
    let mut clean = false;
    while let Some(flag) = rest.first().filter(|a| a.starts_with('-')) {
        clean |= flag == "-i" || flag == "-";
        rest = rest.get(1..).unwrap_or_default();
    }
    let outer = shell.frame.variables.clone();
    if clean {
        shell.frame.variables.clear();
    }
    while let Some((name, value)) = rest.first().and_then(|a| a.split_once('=')) {
        shell.frame.variables.insert(name.to_owned(), (value.into(), true));
        rest = rest.get(1..).unwrap_or_default();
    }
    let result = match rest.first() {
        Some(name) => shell.external(name, rest),
        None => {
            let text: String = exported(shell).iter().map(|(n, v)| format!("{n}={v}\n")).collect();
            shell.print(&text);
            Ok(0)
        }
    };
    shell.frame.variables = outer;
    result
}

pub(super) fn printenv(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let names = args.get(1..).unwrap_or_default();
    if names.is_empty() {
        return env(shell, &["env".to_owned()]);
    }
    let all = exported(shell);
    let mut status = 0;
    for name in names {
        match all.iter().find(|(n, _)| n == name) {
            Some((_, value)) => shell.print(&format!("{value}\n")),
            None => status = 1,
        }
    }
    Ok(status)
}

pub(super) fn seq(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "sf");
    // A negative number is no option.
    let numbers: Vec<i64> = args.iter().skip(1).filter_map(|a| a.parse().ok()).collect();
    let (first, step, last) = match numbers.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] => (*first, *step, *last),
        _ => {
            shell.error("seq: missing operand");
            return Ok(1);
        }
    };
    if step == 0 {
        return Ok(1);
    }
    let separator = o.value('s').unwrap_or("\n");
    let (mut all, mut n) = (Vec::new(), first);
    while ((step > 0 && n <= last) || (step < 0 && n >= last)) && all.len() < 10_000 {
        all.push(n.to_string());
        n = n.saturating_add(step);
    }
    if !all.is_empty() {
        shell.print(&format!("{}\n", all.join(separator)));
    }
    Ok(0)
}

pub(super) fn expr(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let words: Vec<&str> = args.iter().skip(1).map(String::as_str).collect();
    let value = match words.as_slice() {
        ["length", text] => text.chars().count().to_string(),
        [text, ":", pattern] => match super::regex(&format!("^{pattern}"), false, false) {
            Some(re) => match re.captures(text) {
                Some(found) if re.captures_len() > 1 => found.get(1).map_or("", |m| m.as_str()).to_owned(),
                Some(found) => found.get(0).map_or(0, |m| m.as_str().chars().count()).to_string(),
                None if re.captures_len() > 1 => String::new(),
                None => "0".into(),
            },
            None => return Ok(2),
        },
        [text] => (*text).to_owned(),
        [a, "=" | "==", b] => i32::from(a == b).to_string(),
        [a, "!=", b] => i32::from(a != b).to_string(),
        _ => {
            let word = vec![super::super::ast::Part::Text { text: words.join(" "), quoted: true }];
            match shell.arithmetic(&word) {
                Ok(n) => n.to_string(),
                Err(Stop::Exit(_)) => return Ok(2),
                Err(stop) => return Err(stop),
            }
        }
    };
    shell.print(&format!("{value}\n"));
    Ok(i32::from(value.is_empty() || value == "0"))
}

/// Commands that run another one: `timeout 5 sleep 9`, `nohup a`, `tini -- a`.
pub(super) fn wrapper(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let name = args.first().map_or("", |n| base_name(n));
    let mut rest = args.get(1..).unwrap_or_default();
    while let Some(flag) = rest.first().filter(|a| a.starts_with('-')) {
        let valued = matches!(flag.as_str(), "-s" | "-k" | "-n" | "-t");
        rest = rest.get(1 + usize::from(valued)..).unwrap_or_default();
        if flag == "--" {
            break;
        }
    }
    let mut limit = None;
    if name == "timeout" {
        limit = rest.first().and_then(|t| text::duration(t)).filter(|t| *t > SignedDuration::ZERO);
        rest = rest.get(1..).unwrap_or_default();
    }
    let Some(command) = rest.first() else {
        shell.error(&format!("{name}: missing operand"));
        return Ok(125);
    };
    let end = limit.map(|l| later(shell.now, l));
    let outer = shell.deadline;
    shell.deadline = outer.into_iter().chain(end).min();
    let result = shell.external(command, rest);
    shell.deadline = outer;
    match end {
        Some(end) if shell.now > end || result == Err(Stop::Never) => {
            if shell.is_past(end) {
                return Err(Stop::Never);
            }
            shell.now = end;
            Ok(if shell.program.tools == Tools::Busybox { 143 } else { 124 })
        }
        _ => result,
    }
}

pub(super) fn xargs(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let o = Options::parse(args, "nIPdL");
    let text = shell.read_input()?;
    let start = args.iter().skip(1).position(|a| o.operands.first() == Some(&a.as_str())).map(|p| p + 1);
    let command: Vec<String> = match start {
        Some(at) => args.get(at..).unwrap_or_default().to_vec(),
        None => vec!["echo".into()],
    };
    let run = |shell: &mut Shell<'_>, words: Vec<String>| {
        let name = words.first().cloned().unwrap_or_default();
        if is_shell(base_name(&name)) {
            shell.step()?;
        }
        shell.external(&name, &words)
    };
    let mut status = 0;
    if let Some(mark) = o.value('I') {
        for line in text.lines() {
            shell.step()?;
            let words = command.iter().map(|w| w.replace(mark, line)).collect();
            status = if run(shell, words)? == 0 { status } else { 123 };
        }
        return Ok(status);
    }
    let items: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let size = o.value('n').and_then(|n| n.parse::<usize>().ok()).unwrap_or(items.len()).max(1);
    for group in items.chunks(size) {
        shell.step()?;
        let words = command.iter().chain(group).cloned().collect();
        status = if run(shell, words)? == 0 { status } else { 123 };
    }
    Ok(status)
}
