//! A shell in a container that a person types into: `kubectl exec -it web -- sh`.

use super::Output;
use super::words::split;

/// What a shell prints between the output of a line and what is told of the shell itself. No command prints it by chance.
const MARK: char = '\u{1f}';

/// A shell in a container, line by line. Each line is a command line of kubectl of its own ([`ContainerShell::command`]), so
/// that a run can be repeated from its command lines. What a shell keeps from one line to the next is told by the line before
/// ([`ContainerShell::heard`]): the directory and the variables; not functions, options and traps.
///
/// Whoever has a terminal begins with [`ContainerShell::of`], runs `command("")` to see whether the shell starts, and from
/// then on one command for each line that is typed, until [`Heard::over`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerShell {
    /// `exec`, and what stands before `--`, without `-i` and `-t`.
    target: Vec<String>,
    shell: String,
    directory: String,
    host: String,
    /// The variables as `set` prints them, and what `export -p` prints: now, and when the shell began.
    variables: Vec<String>,
    first: Option<Vec<String>>,
}

/// What a line has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What was printed, errors at the end.
    pub text: String,
    /// Whether the shell has ended: by `exit`, or because it could not be started.
    pub over: bool,
}

impl ContainerShell {
    /// The shell that a command line asks for: `exec` with `-i`, `-t` and a shell without arguments. `None` for any other
    /// line.
    pub fn of(line: &str) -> Option<ContainerShell> {
        let words = split(line).ok()?;
        let words = words.strip_prefix(&["kubectl".to_owned()]).unwrap_or(&words);
        let dash = words.iter().position(|w| w == "--")?;
        let (before, [_, shell]) = words.split_at(dash) else { return None };
        if !before.iter().any(|w| w == "exec")
            || !matches!(shell.rsplit('/').next()?, "sh" | "ash" | "dash" | "bash")
        {
            return None;
        }
        let (mut stdin, mut tty) = (false, false);
        let mut target = Vec::new();
        for word in before {
            match word.as_str() {
                "--stdin" | "--stdin=true" => stdin = true,
                "--tty" | "--tty=true" => tty = true,
                short
                    if short.len() > 1
                        && short.strip_prefix('-').is_some_and(|s| s.bytes().all(|b| b"it".contains(&b))) =>
                {
                    stdin |= short.contains('i');
                    tty |= short.contains('t');
                }
                _ => target.push(word.clone()),
            }
        }
        (stdin && tty).then(|| ContainerShell {
            target,
            shell: shell.clone(),
            directory: String::new(),
            host: String::new(),
            variables: Vec::new(),
            first: None,
        })
    }

    /// The command line of kubectl that has the shell execute a line.
    pub fn command(&self, line: &str) -> String {
        let mut script = String::new();
        if !self.directory.is_empty() {
            script.push_str(&format!("cd {}\n", quoted(&self.directory)));
        }
        let known = self.first.as_deref().unwrap_or_default();
        for variable in self.variables.iter().filter(|v| !known.contains(v)) {
            script.push_str(variable);
            script.push('\n');
        }
        script.push_str(line);
        // A heredoc or a comment ends with its line.
        script.push_str(&format!(
            "\n__status=$?; printf '{MARK}'; pwd; hostname; set; export -p; exit $__status"
        ));
        let words = self.target.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" ");
        format!("{words} -- {} -c {}", quoted(&self.shell), quoted(&script))
    }

    /// Takes what the command line of the last line has printed, and says what is to be shown of it.
    pub fn heard(&mut self, output: &Output) -> Heard {
        // The shell speaks of exit codes itself, if somebody asks for `$?`.
        let errors = output.stderr.lines().filter(|l| !l.starts_with("command terminated with exit code "));
        let errors: String = errors.map(|l| format!("{l}\n")).collect();
        let Some((shown, told)) = output.stdout.split_once(MARK) else {
            return Heard { text: format!("{}{errors}", output.stdout), over: true };
        };
        let mut told = told.lines();
        self.directory = told.next().unwrap_or_default().to_owned();
        self.host = told.next().unwrap_or_default().to_owned();
        self.variables = statements(told);
        self.variables.retain(|v| {
            !["__status=", "PWD=", "OLDPWD="]
                .iter()
                .any(|own| v.trim_start_matches("export ").starts_with(own))
        });
        if self.first.is_none() {
            self.first = Some(self.variables.clone());
        }
        Heard { text: format!("{shown}{errors}"), over: false }
    }

    /// What stands before the line that is typed next.
    pub fn prompt(&self) -> String {
        let directory = if self.directory.is_empty() { "/" } else { &self.directory };
        match self.shell.rsplit('/').next() {
            Some("bash") => format!("root@{}:{directory}# ", self.host),
            _ => format!("{directory} # "),
        }
    }
}

/// Assignments, of which one with a line break in its value takes several lines.
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
    all
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
        for line in
            ["exec -it web -- sh", "kubectl exec -ti web -c a -- /bin/bash", "exec web -i -t -n x -- bash"]
        {
            assert!(ContainerShell::of(line).is_some(), "{line}");
        }
        for line in [
            "exec web -- sh",
            "exec -i web -- sh",
            "exec -it web -- sh -c ls",
            "exec -it web -- ls",
            "get -it -- sh",
            "",
        ] {
            assert_eq!(ContainerShell::of(line), None, "{line}");
        }
    }

    #[test]
    fn a_line_goes_on_where_the_last_one_has_ended() {
        let mut shell = ContainerShell::of("exec -it web -c a -- sh").unwrap();
        assert!(shell.command("").starts_with("exec web -c a -- sh -c '"));
        let output = |stdout: &str, stderr: &str| Output {
            stdout: stdout.into(),
            stderr: stderr.into(),
            ..Output::default()
        };
        let told = "/\nweb\nA='1'\nHOSTNAME='web'\nexport HOSTNAME='web'\n";
        assert_eq!(
            shell.heard(&output(&format!("{MARK}{told}"), "")),
            Heard { text: String::new(), over: false }
        );
        assert_eq!(shell.prompt(), "/ # ");
        let told = "/tmp\nweb\nA='1'\nB='two\nlines'\nHOSTNAME='web'\nexport HOSTNAME='web'\n";
        let heard =
            shell.heard(&output(&format!("hi\n{MARK}{told}"), "oops\ncommand terminated with exit code 1\n"));
        assert_eq!(heard, Heard { text: "hi\noops\n".into(), over: false });
        assert_eq!(shell.prompt(), "/tmp # ");
        let next = split(&shell.command("echo $B")).unwrap();
        assert!(next.last().unwrap().starts_with("cd /tmp\nB='two\nlines'\necho $B\n"), "{next:?}");
        assert!(shell.heard(&output("bye\n", "")).over);
    }
}
