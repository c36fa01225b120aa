//! The names of signals (`man 7 signal`).

/// The signals of Linux on x86 and ARM by their numbers. 0 is none: `kill` asks with it whether a process is there, and `trap` calls
/// the end of the shell so.
const NAMES: [(&str, &str); 21] = [
    ("0", "EXIT"),
    ("1", "HUP"),
    ("2", "INT"),
    ("3", "QUIT"),
    ("4", "ILL"),
    ("5", "TRAP"),
    ("6", "ABRT"),
    ("7", "BUS"),
    ("8", "FPE"),
    ("9", "KILL"),
    ("10", "USR1"),
    ("11", "SEGV"),
    ("12", "USR2"),
    ("13", "PIPE"),
    ("14", "ALRM"),
    ("15", "TERM"),
    ("17", "CHLD"),
    ("18", "CONT"),
    ("19", "STOP"),
    ("20", "TSTP"),
    ("28", "WINCH"),
];

/// The name of a signal, without `SIG`, from its number or its name in any case and with or without `SIG`.
pub(super) fn name(signal: &str) -> String {
    let upper = signal.to_ascii_uppercase();
    let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
    NAMES.iter().find(|(number, _)| *number == bare).map_or(bare, |(_, name)| name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_signal_has_one_name_however_it_is_given() {
        for given in ["15", "TERM", "SIGTERM", "sigterm", "term"] {
            assert_eq!(name(given), "TERM");
        }
        assert_eq!((name("0"), name("rtmin")), ("EXIT".to_owned(), "RTMIN".to_owned()));
    }
}
