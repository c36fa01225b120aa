//! A shell in a container that a person types into: `kubectl exec -it web -- sh`.

use super::dispatch::{IDENTITY, first_word};
use super::exec::{self, DOES_NOT_END};
use super::stop::TYPED;
use super::words::split;
use super::{Output, flags};
use crate::api::Key;

/// What a shell prints before and after what it tells of itself. No command prints it by chance. What stands behind it twice is
/// the output of a trap of EXIT.
const MARK: char = '\u{1f}';
/// What stands before the line that was typed, and after it, in the script that executes it.
const BEFORE: &str = "#\n";
const AFTER: &str = "\n__status=$?; ";
/// The script's first line and its last words.
const BOTH_STREAMS: &str = "exec 2>&1";
const LAST: &str = "exit $__status";
/// What kubectl prints of a command that has failed, up to the exit code.
const TERMINATED: &str = "command terminated with exit code ";
/// The exit code of a process that a signal has ended, as a container's end ends all its processes.
const KILLED: i32 = 137;
/// The exit code of a command that a person has interrupted.
const INTERRUPTED: i32 = 130;

/// A shell in a container, line by line. Each line is a command line of kubectl of its own ([`ContainerShell::command`]), so
/// that a run can be repeated from its command lines. What a shell keeps from one line to the next is told by the line before
/// ([`ContainerShell::heard`]): the directory, the variables and the status; not functions, options, traps and commands in the
/// background.
///
/// Whoever has a terminal begins with [`ContainerShell::of`], runs `command("")` to see whether the shell starts, and from
/// then on one command for each line that is typed, until [`Heard::over`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerShell {
    /// `exec`, and what stands before `--`, without `-i` and `-t`. Once the shell has started, it names the pod and the
    /// container.
    target: Vec<String>,
    shell: String,
    container: Option<(Key, String)>,
    directory: String,
    host: String,
    /// The number of the user.
    user: String,
    status: i32,
    /// The variables as `set` prints them, and what `export -p` prints: now, and when the shell began.
    variables: Vec<String>,
    first: Option<Vec<String>>,
}

/// What a line has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What was printed.
    pub text: String,
    /// Whether the shell has ended: by `exit`, or because it could not be started.
    pub over: bool,
}

impl ContainerShell {
    /// The shell that a command line asks for: `exec` with `-i`, `-t` and a shell that is given no script. `None` for any
    /// other line.
    pub fn of(line: &str) -> Option<ContainerShell> {
        let mut words = split(line).ok()?;
        if words.first().is_some_and(|w| matches!(w.as_str(), "kubectl" | "k")) {
            words.remove(0);
        }
        let (at, "exec") = first_word(&words)? else { return None };
        words.remove(at);
        let args = flags::parse("kubectl exec", &[exec::FLAGS, flags::GLOBAL], &words).ok()?;
        let [shell, options @ ..] = args.words.get(args.dash?..)? else { return None };
        let is_shell = matches!(shell.rsplit('/').next()?, "sh" | "ash" | "dash" | "bash");
        let asks = |w: &String| matches!(w.as_str(), "-i" | "-l" | "-il" | "-li" | "--login");
        if !is_shell || !options.iter().all(asks) || !args.on("stdin") || !args.on("tty") || args.on("help") {
            return None;
        }
        let mut target = vec!["exec".to_owned()];
        target.extend(args.words.iter().take(args.dash?).cloned());
        let kept = ["container", "filename", "namespace", "pod-running-timeout", "quiet"];
        for flag in kept.into_iter().chain(IDENTITY) {
            target.extend(args.all(flag).iter().map(|value| format!("--{flag}={value}")));
        }
        Some(ContainerShell {
            target,
            shell: shell.clone(),
            container: None,
            directory: String::new(),
            host: String::new(),
            user: String::new(),
            status: 0,
            variables: Vec::new(),
            first: None,
        })
    }

    /// The command line of kubectl that has the shell execute a line.
    pub fn command(&self, line: &str) -> String {
        // A terminal has both streams.
        let mut script = format!("{BOTH_STREAMS}\n");
        if !self.directory.is_empty() {
            script.push_str(&format!("cd {}\n", quoted(&self.directory)));
        }
        let known = self.first.as_deref().unwrap_or_default();
        for variable in self.variables.iter().filter(|v| !known.contains(v)) {
            script.push_str(variable);
            script.push('\n');
        }
        if self.status != 0 {
            script.push_str(&format!("(exit {})\n", self.status));
        }
        script.push_str(BEFORE);
        script.push_str(line);
        // A heredoc or a comment ends with its line.
        script.push_str(&format!(
            "{AFTER}printf '{MARK}'; echo $__status; pwd; hostname; id -u; set; export -p; printf '{MARK}'; {LAST}"
        ));
        let words = self.target.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" ");
        format!("{words} -- {} -c {}", quoted(&self.shell), quoted(&script))
    }

    /// Takes what the command line of the last line has printed, and says what is to be shown of it.
    pub fn heard(&mut self, output: &Output) -> Heard {
        let Some((shown, told)) = output.stdout.split_once(MARK) else {
            if self.first.is_some() && output.stderr.contains(DOES_NOT_END) {
                self.status = INTERRUPTED;
                return Heard { text: format!("{}^C\n{DOES_NOT_END}\n", output.stdout), over: false };
            }
            return Heard { text: format!("{}{}", output.stdout, output.stderr), over: true };
        };
        // A shell that ends before its second mark has told nothing that could be relied on.
        let Some((told, trapped)) = told.split_once(MARK) else {
            return Heard { text: format!("{shown}{}", output.stderr), over: true };
        };
        // The shell speaks of exit codes itself, if somebody asks for `$?`.
        let errors = output.stderr.lines().filter(|l| !l.starts_with(TERMINATED));
        let errors: String = errors.map(|l| format!("{l}\n")).collect();
        let mut told = told.lines();
        self.status = told.next().and_then(|code| code.parse().ok()).unwrap_or_default();
        self.directory = told.next().unwrap_or_default().to_owned();
        self.host = told.next().unwrap_or_default().to_owned();
        self.user = told.next().unwrap_or_default().to_owned();
        self.variables = statements(told);
        self.variables.retain(|v| {
            !["__status=", "PWD=", "OLDPWD="]
                .iter()
                .any(|own| v.trim_start_matches("export ").starts_with(own))
        });
        if self.first.is_none() {
            self.first = Some(self.variables.clone());
        }
        if let (None, Some((pod, container))) = (&self.container, &output.executed_in) {
            let identity = |w: &&String| IDENTITY.iter().any(|f| w.starts_with(&format!("--{f}=")));
            let kept: Vec<String> = self.target.iter().filter(identity).cloned().collect();
            let of = [("namespace", &*pod.namespace), ("container", container.as_str())];
            self.target = vec!["exec".to_owned(), pod.name.to_string()];
            self.target.extend(of.map(|(flag, value)| format!("--{flag}={value}")));
            self.target.extend(kept);
            self.container = Some((pod.clone(), container.clone()));
        }
        let shown = self.without_script(shown);
        Heard { text: format!("{shown}{trapped}{errors}"), over: false }
    }

    /// What was printed, with the shell alone where `ps` has listed the script that executes the line: the shell that a person
    /// types into has none.
    fn without_script(&self, shown: &str) -> String {
        let begin = format!("{} -c {} ", self.shell, BOTH_STREAMS);
        let of = |line: &str| match line.split_once(&begin) {
            Some((before, script)) if script.trim_end().ends_with(LAST) => {
                format!("{before}{}{}", self.shell, if script.ends_with('\n') { "\n" } else { "" })
            }
            _ => line.to_owned(),
        };
        shown.split_inclusive('\n').map(of).collect()
    }

    /// Takes a line that a person has taken back.
    pub fn interrupt(&mut self) {
        self.status = INTERRUPTED;
    }

    /// Takes a line that the shell cannot read, and says what it prints.
    pub fn refuses(&mut self, why: &str) -> String {
        self.status = 2;
        format!("{}: syntax error: {why}\n", self.name())
    }

    /// The pod and the container that the shell runs in, once it has started.
    pub fn container(&self) -> Option<&(Key, String)> {
        self.container.as_ref()
    }

    fn name(&self) -> &str {
        self.shell.rsplit('/').next().unwrap_or_default()
    }

    /// What stands before the line that is typed next: the variable `PS1`, or what images with bash have by default. Of its
    /// escapes `\h`, `\u`, `\w` and `\$` are known.
    pub fn prompt(&self) -> String {
        let directory = if self.directory.is_empty() { "/" } else { &self.directory };
        let (user, sign) = if self.user == "0" { ("root", "#") } else { ("I have no name!", "$") };
        let own = self.variables.iter().find_map(|v| v.strip_prefix("PS1="));
        let own = own.and_then(|value| split(value).ok()?.into_iter().next());
        let text = own.unwrap_or_else(|| r"\u@\h:\w\$ ".to_owned());
        [(r"\u", user), (r"\h", self.host.as_str()), (r"\w", directory), (r"\$", sign)]
            .into_iter()
            .fold(text, |text, (escape, value)| text.replace(escape, value))
    }
}

/// What an `exec` or `attach` command line with these files executes, in words for a person: of a line that was typed into a shell or to
/// a process, that line.
pub fn executed(line: &str, files: &[(String, String)]) -> String {
    if let Some((_, typed)) = files.iter().find(|(name, _)| name == TYPED) {
        return keys_shown(typed.trim_end_matches('\n'));
    }
    let words = split(line).unwrap_or_default();
    let command: Vec<String> = words.into_iter().skip_while(|w| w != "--").skip(1).collect();
    let script = command.last().filter(|script| script.contains(MARK));
    let typed = script.and_then(|s| Some(s.split_once(BEFORE)?.1.rsplit_once(AFTER)?.0.to_owned()));
    match files.iter().find(|(name, _)| name == "-") {
        // The standard input of an `attach`, which then ends.
        Some((_, input)) if command.is_empty() => format!("{}^D", keys_shown(input)),
        _ => typed.unwrap_or_else(|| command.join(" ")),
    }
}

/// A text that was typed to a process, with its keys as a terminal shows them.
pub fn keys_shown(typed: &str) -> String {
    // The characters that a terminal sends for Ctrl+C and Ctrl+D.
    typed.replace('\u{3}', "^C").replace('\u{4}', "^D")
}

/// What kubectl prints when the container ends in which a shell is open.
pub fn container_ended() -> String {
    format!("{TERMINATED}{KILLED}\n")
}

/// Assignments, of which one with a line break in its value takes several lines. Whatever else stands there is left out.
fn statements<'l>(lines: impl Iterator<Item = &'l str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        match all.last_mut().filter(|_| open) {
            Some(last) => {
                last.push('\n');
                last.push_str(line);
            }
            None => all.push(line.to_owned()),
        }
        open = all.last().is_some_and(|last| split(last).is_err());
    }
    all.retain(|statement| is_assignment(statement));
    all
}

/// Whether a text is `NAME=value` or `export NAME=value`, with a value that is one word of the shell's.
fn is_assignment(text: &str) -> bool {
    let assignment = text.strip_prefix("export ").unwrap_or(text);
    let part = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let named = assignment.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.bytes().all(part)
    });
    named && split(assignment).is_ok_and(|words| words.len() == 1)
}

/// A word that a shell reads as this text.
fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./:=,@".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\"'\"'"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_shell_is_asked_for_in_one_way() {
        for line in [
            "exec -it web -- sh",
            "kubectl exec -ti web -c a -- /bin/bash -l",
            "k exec web -i -t -n x -- bash",
            "-n x exec --stdin --tty=true deploy/web -- ash -i",
        ] {
            assert!(ContainerShell::of(line).is_some(), "{line}");
        }
        for line in [
            "exec web -- sh",
            "exec -i web -- sh",
            "exec -it web -- sh -c ls",
            "exec -it web -- ls",
            "exec -it web -- sh | cat",
            "exec -it web -- sh; ls",
            "exec -it web -- sh script",
            "exec -it -h web -- sh",
            "get -it -- sh",
            "",
        ] {
            assert_eq!(ContainerShell::of(line), None, "{line}");
        }
    }

    #[test]
    fn a_line_goes_on_where_the_last_one_has_ended() {
        let mut shell = ContainerShell::of("exec -it web -c a -- sh").unwrap();
        assert!(shell.command("").starts_with("exec web --container=a -- sh -c '"));
        let output = |stdout: &str, stderr: &str| Output {
            stdout: stdout.into(),
            stderr: stderr.into(),
            ..Output::default()
        };
        let told = "0\n/\nweb\n0\nPS1='\\w \\$ '\nA='1'\nHOSTNAME='web'\nexport HOSTNAME='web'\n";
        assert_eq!(
            shell.heard(&output(&format!("{MARK}{told}{MARK}"), "")),
            Heard { text: String::new(), over: false }
        );
        assert_eq!(shell.prompt(), "/ # ");
        let told =
            "1\n/tmp\nweb\n0\nPS1='\\w \\$ '\nA='1'\nB='two\nlines'\nHOSTNAME='web'\nexport HOSTNAME='web'\n";
        let heard =
            shell.heard(&output(&format!("hi\n{MARK}{told}{MARK}"), "command terminated with exit code 1\n"));
        assert_eq!(heard, Heard { text: "hi\n".into(), over: false });
        assert_eq!(shell.prompt(), "/tmp # ");
        let next = split(&shell.command("echo $B")).unwrap();
        assert!(
            next.last().unwrap().starts_with("exec 2>&1\ncd /tmp\nB='two\nlines'\n(exit 1)\n#\necho $B\n"),
            "{next:?}"
        );
        // The shell has no script for whoever lists processes.
        let script = next.last().unwrap().replace(|c: char| c.is_ascii_control(), " ");
        let listed = format!("    1 root 0:00 nginx\n    7 root 0:00 sh -c {script}\n    8 root 0:00 ps\n");
        assert_eq!(
            shell.without_script(&listed),
            "    1 root 0:00 nginx\n    7 root 0:00 sh\n    8 root 0:00 ps\n"
        );
        // What a trap prints is shown and not kept.
        let told = format!("0\n/\nweb\n0\nA='1'\nC=2; rm -r /data\nrm -r /data\n{MARK}rm -r /data\n");
        let mut trapped = shell.clone();
        let heard = trapped.heard(&output(&format!("hi\n{MARK}{told}"), ""));
        assert_eq!(heard, Heard { text: "hi\nrm -r /data\n".into(), over: false });
        assert_eq!(trapped.variables, ["A='1'"]);
        assert_eq!(executed(&shell.command("echo $B\n# twice"), &[]), "echo $B\n# twice");
        assert_eq!(executed("exec web -- touch 'a b'", &[]), "touch a b");
        let attach = |name: &str, text: &str| executed("attach web -i", &[(name.into(), text.into())]);
        assert_eq!((attach(TYPED, "a b\n"), attach(TYPED, "\u{3}")), ("a b".into(), "^C".into()));
        assert_eq!((attach("-", ""), attach("-", "a\n")), ("^D".into(), "a\n^D".into()));
        assert_eq!(shell.refuses("unexpected \")\""), "sh: syntax error: unexpected \")\"\n");
        let heard = shell.heard(&output("1\n2\n", &format!("error: {DOES_NOT_END}\n")));
        assert!(!heard.over && heard.text.starts_with("1\n2\n^C\n"), "{heard:?}");
        let heard = shell.heard(&output("bye\n", "command terminated with exit code 3\n"));
        assert_eq!(heard, Heard { text: "bye\ncommand terminated with exit code 3\n".into(), over: true });
    }
}
