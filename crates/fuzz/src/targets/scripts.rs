//! Scripts of the shell.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use steady::shell::{self, Nobody, Program, Tools, Typed, Unknown, Until, World};

use crate::heard::Heard;

pub(crate) const WORDS: &[&str] = &[
    "; ",
    " && ",
    " || ",
    " | ",
    " & ",
    "\n",
    "if ",
    "; then ",
    "; else ",
    "; fi",
    "while ",
    "until ",
    "; do ",
    "; done",
    "for i in ",
    "case x in ",
    ") ",
    ";; ",
    "esac",
    "{ ",
    "; }",
    "(",
    ")",
    "f() { ",
    "$(",
    "`",
    "${x",
    "}",
    "${#x}",
    "${x:-",
    "${x%%",
    "${x//a/b}",
    "${x:1:2}",
    "$((",
    "))",
    "$?",
    "$@",
    "$*",
    "$#",
    "$$",
    "$!",
    "'",
    "\"",
    "\\",
    "<<EOF\n",
    "\nEOF\n",
    "<<<",
    "> /tmp/a",
    ">> /tmp/a",
    "< /tmp/a",
    "2>&1",
    "echo ",
    "printf ",
    "'%s\\n' ",
    "'%d' ",
    "'%*.*f' ",
    "read x",
    "test ",
    "[ ",
    " ]",
    "[[ ",
    " ]]",
    "=~ ",
    "sleep 1",
    "sleep infinity",
    "wait",
    "trap 'echo t' TERM",
    "exit 3",
    "return",
    "break 2",
    "continue",
    "set -e",
    "set -euo pipefail",
    "shift",
    "local x=1",
    "export A=b",
    "unset x",
    "eval ",
    "exec ",
    "cd /tmp",
    "pwd",
    "cat ",
    "grep -E ",
    "sed s/a/b/g ",
    "awk ",
    "cut -d, -f1",
    "sort -n",
    "uniq -c",
    "head -n 3",
    "tail -n 2",
    "wc -l",
    "tr a-z A-Z",
    "seq 1 10",
    "date +%s",
    "nslookup web",
    "wget -qO- http://web",
    "nc -l -p 80",
    "kill $!",
    "timeout 1 ",
    "xargs ",
    "find / ",
    "ls -l",
    "tee /tmp/b",
    "md5sum",
    "base64 -d",
    "expr 1 + ",
    "let x=1",
    "((x++))",
    "declare -A m",
    "a=(1 2)",
    "${a[@]}",
    "a[9999999]=1",
    "x=$x$x",
    "jq .",
    "env",
    "mktemp",
    "basename ",
    "dirname ",
    "od -c",
    "rev",
    "yes",
    "true",
    "false",
    ":",
    "#",
    "~",
    "*",
    "?",
    "[!a]",
];

/// More scripts than manifests have.
pub(crate) fn more() -> Vec<String> {
    [
        "i=0; while [ $i -lt 9 ]; do i=$((i+1)); echo $i; done",
        "f() { echo $1; [ $1 -gt 0 ] && f $(($1-1)); }; f 5",
        "x=a; for i in 1 2 3; do x=$x$x; done; echo ${#x}",
        "cat <<EOF | sed -e 's/\\(a*\\)b/\\1/;2d' | sort | uniq -c\naab\nb\nEOF",
        "trap 'echo bye; exit 0' TERM; while true; do sleep 1; done",
        "case $x in a|b*) echo 1;; [!c-d]?) echo 2;; *) echo 3;; esac",
        "printf '%5.2f|%-8s|%x|%o|%e|%c\\n' 3.14159 abc 255 8 1000 z",
        "declare -A m; m[a]=1; for k in \"${!m[@]}\"; do echo $k=${m[$k]}; done",
        "awk -F, '{ s += $2; n[$1]++ } END { for (k in n) print k, n[k], s/NR }' /etc/passwd",
        "echo $(( (1 << 62) * 2 - 7 % 3 ** 2 )) $((16#ff)) $((x ? y : z))",
        "date -d @0 +'%Y-%m-%dT%H:%M:%SZ %j %U %s'; seq -w 1 3 10; seq 5 -2 1",
        "head -c 20 /dev/zero | od -c; dd if=/dev/zero of=/tmp/x bs=1M count=1",
        "[[ abc =~ ^(a)(b|c)+$ ]] && echo ${BASH_REMATCH[1]}",
        "grep -nE '^(a|b){1,3}$' /etc/hosts; tr -d '[:space:]' < /etc/hosts | cut -c1-5,9-",
        "sleep 1 & p=$!; wait $p; echo $?; (exit 7) || echo $?",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn program(script: &str, name: &str, tools: Tools) -> Program {
    Program {
        words: vec![name.to_owned(), "-c".to_owned(), script.to_owned()],
        env: BTreeMap::from([("PATH".into(), "/bin:/usr/bin".into()), ("HOME".into(), "/root".into())]),
        directory: "/tmp".into(),
        host: "web-0".into(),
        user: (0, 0),
        groups: vec![0],
        start: Timestamp::from_second(1_767_225_600).unwrap_or_default(),
        tools,
        libc_nslookup: false,
        complete: true,
        others: &[],
        companions: false,
        unknown: Unknown::Forever,
        stdin: false,
        terminal: false,
        input: "one\ntwo é\n".into(),
        first: true,
        signal: None,
        processors: 2,
        machine: Default::default(),
    }
}

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let script = &*String::from_utf8_lossy(input);
    let _ = shell::is_unfinished(script);
    if let Some(why) = shell::syntax_error(script) {
        heard.say("syntax", &why);
    }
    let _ = shell::at_cursor(script);
    for (name, tools) in [("sh", Tools::Busybox), ("bash", Tools::Gnu)] {
        let mut p = program(script, name, tools);
        let later = |s: i64| p.start.checked_add(SignedDuration::from_secs(s)).unwrap_or(p.start);
        let (until, signal) = (Until::Moment(later(30)), later(20));
        let world = World::default();
        let once = shell::run(&p, &world, &Nobody, Until::End);
        heard.say("end", &format!("{:?} {} {}", once.end, once.certain, once.exhausted));
        let seen = shell::run(&p, &world, &Nobody, until);
        assert!(seen == shell::run(&p, &world, &Nobody, until), "it runs otherwise the second time");
        let bytes: usize = seen.output.iter().map(|o| o.text.len()).sum();
        assert!(bytes < 64 << 20, "{bytes} bytes are printed");
        for line in seen.output.iter().filter(|o| o.stderr).take(4) {
            heard.say("stderr", &line.text);
        }
        heard.count("printed", bytes);
        p.signal = Some(signal);
        let stopped = shell::run(&p, &world, &Nobody, Until::End);
        heard.say("stopped", &format!("{:?}", stopped.end));
        heard.say("typed", &typed(&p, script, later(1), until));
    }
}

/// What becomes of a shell in whose terminal a person types the script.
fn typed(program: &Program, script: &str, at: Timestamp, until: Until) -> String {
    let words = program.words.iter().take(1).cloned().collect();
    let shell = Program { words, stdin: true, terminal: true, input: String::new(), ..program.clone() };
    let line = Typed { at, text: format!("{script}\n").into(), closes: false };
    let world = World { typed: [line].into(), ..World::default() };
    let run = shell::run(&shell, &world, &Nobody, until);
    assert!(run == shell::run(&shell, &world, &Nobody, until), "it is answered otherwise the second time");
    format!("{:?}", run.end)
}
