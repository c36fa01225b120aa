#![allow(clippy::unwrap_used)]
use super::*;
use crate::network::Outcome;
use crate::network::dns::{RecordType, Records};

mod bash;
mod cycles;
mod terminal;

fn program(words: &[&str], tools: Tools) -> Program {
    Program {
        words: words.iter().map(|w| (*w).to_owned()).collect(),
        env: BTreeMap::from([("PATH".into(), "/bin:/usr/bin".into()), ("HOME".into(), "/root".into())]),
        directory: "/tmp".into(),
        host: "web-0".into(),
        user: (0, 0),
        groups: vec![0],
        start: Timestamp::from_second(1_767_225_600).unwrap(),
        tools,
        libc_nslookup: false,
        complete: true,
        others: &[],
        companions: false,
        unknown: Unknown::Forever,
        stdin: false,
        terminal: false,
        input: String::new(),
        first: true,
        signal: None,
        processors: 2,
        machine: Default::default(),
    }
}

fn sh(script: &str) -> Program {
    program(&["sh", "-c", script], Tools::Gnu)
}

/// When a program ends, in milliseconds after its start, and its code; `None` if it runs for ever.
fn ends(p: &Program) -> Option<(i128, i32)> {
    match run(p, &World::default(), &Nobody, Until::End).end {
        End::Exit(at, code) => Some((at.duration_since(p.start).as_millis(), code)),
        End::Runs => None,
    }
}

/// What a program has printed until a moment, in seconds after its start: standard output, standard error.
fn printed(p: &Program, after: i64) -> (String, String) {
    let until = Until::Moment(crate::api::later(p.start, SignedDuration::from_secs(after)));
    let run = run(p, &World::default(), &Nobody, until);
    let of = |stderr| run.output.iter().filter(|o| o.stderr == stderr).map(|o| o.text.as_str()).collect();
    (of(false), of(true))
}

/// Scripts that end at once, with what they print and their code. What is expected is what dash does:
/// `cargo test --lib shell -- --ignored` compares them with the machine's `sh`.
const SCRIPTS: &[(&str, &str, i32)] = &[
    ("echo hello", "hello\n", 0),
    ("echo 'a  b' \"c $((1+2))\" d\\ e", "a  b c 3 d e\n", 0),
    ("a=1; b=\"x y\"; echo $a $b \"$b\"", "1 x y x y\n", 0),
    ("a='x   y'; echo $a", "x y\n", 0),
    ("echo ${x:-none} ${x-none}; x=; echo ${x:-none}${x-none}.", "none none\nnone.\n", 0),
    ("echo ${x:=set}; echo $x ${#x} ${x:+yes}", "set\nset 3 yes\n", 0),
    ("f=/a/b/c.tar.gz; echo ${f##*/} ${f%/*} ${f%%.*} ${f#*.}", "c.tar.gz /a/b /a/b/c tar.gz\n", 0),
    ("if [ 1 -lt 2 ]; then echo yes; else echo no; fi", "yes\n", 0),
    ("if false; then echo a; elif true; then echo b; fi", "b\n", 0),
    ("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "0\n1\n2\n", 0),
    ("i=3; until [ $i -eq 0 ]; do i=$((i-1)); done; echo $i", "0\n", 0),
    ("for i in a \"b c\" d; do echo \"[$i]\"; done", "[a]\n[b c]\n[d]\n", 0),
    ("for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done", "1\n3\n", 0),
    ("case abc in a*) echo 1;; *) echo 2;; esac; case x in a|x) echo 3;; esac", "1\n3\n", 0),
    ("case \"a*\" in \"a*\") echo quoted;; esac; case b in [!a]) echo not;; esac", "quoted\nnot\n", 0),
    ("f() { echo \"$1-$2-$#\"; return 3; }; f a b; echo $?", "a-b-2\n3\n", 0),
    ("f() { local v=in; echo $v; }; v=out; f; echo $v", "in\nout\n", 0),
    ("(exit 4); echo $?; (a=1; cd /); echo \"$a\"", "4\n\n", 0),
    ("{ echo a; echo b; } | wc -l", "2\n", 0),
    ("echo a | tr a b | sed s/b/c/", "c\n", 0),
    ("printf '%s-%d\\n' a 1 b 2; printf '%05.1f|%-4s|%3s\\n' 2.55 ab c", "a-1\nb-2\n002.5|ab  |  c\n", 0),
    ("x=$(echo a; echo b); echo \"$x\"; echo $x; echo `echo q`", "a\nb\na b\nq\n", 0),
    ("true && echo a || echo b; false && echo c || echo d", "a\nd\n", 0),
    ("! true; echo $?; ! false; echo $?", "1\n0\n", 0),
    ("set -e; echo a; false; echo b", "a\n", 1),
    ("set -e; if false; then :; fi; false || true; ! true; echo end", "end\n", 0),
    ("set -e; (exit 3); echo no", "", 3),
    ("set -- a 'b c'; echo $#; for i; do echo $i; done; shift; echo \"$@\"", "2\na\nb c\nb c\n", 0),
    (
        "set -- 'a b' c; for i in \"$@\"; do echo \"<$i>\"; done; for i in $*; do echo \"<$i>\"; done; echo \"$*\"",
        "<a b>\n<c>\n<a>\n<b>\n<c>\na b c\n",
        0,
    ),
    ("cat <<EOF\na $((2*3)) \\$x\nEOF\necho after", "a 6 $x\nafter\n", 0),
    ("cat <<'EOF'\n$x `y`\nEOF", "$x `y`\n", 0),
    ("if true; then cat <<-A; fi\n\tx\n\tA\necho z", "x\nz\n", 0),
    (
        "echo $((7/2)) $((7%3)) $((1<<4)) $((5>3&&2<1)) $((1?2:3)) $((-3+1)) $((010)) $((0x1f))",
        "3 1 16 0 2 -2 8 31\n",
        0,
    ),
    ("x=5; echo $((x+=2)) $x $((x*x))", "7 7 49\n", 0),
    ("exit 300", "", 44),
    ("trap 'echo bye' EXIT; echo hi; exit 2", "hi\nbye\n", 2),
    ("eval 'x=1; echo $x'", "1\n", 0),
    ("x=1 env | grep ^x=", "x=1\n", 0),
    ("export A=1; B=2; env | grep -E '^(A|B)='", "A=1\n", 0),
    ("sh -c 'echo $0 $1' zero one", "zero one\n", 0),
    ("test -n \"\" ; echo $?; [ ! -e /nonexistent ]; echo $?; [ a = a -a b != c ]; echo $?", "1\n0\n0\n", 0),
    ("echo a b c | { read x y; echo \"$y\"; }", "b c\n", 0),
    ("printf 'a\\nb\\n' | while read l; do echo \"<$l>\"; done", "<a>\n<b>\n", 0),
    ("printf '3\\n1\\n2\\n1\\n' | sort -u | head -n 2; seq 3 | tail -1", "1\n2\n3\n", 0),
    ("printf 'a:b:c\\n' | cut -d: -f2; echo abc | cut -c2-", "b\nbc\n", 0),
    ("echo hello world | grep -o 'o.' ; echo x | grep -q y; echo $?", "o \nor\n1\n", 0),
    ("seq 9 | grep -A1 -B1 '[38]'", "2\n3\n4\n--\n7\n8\n9\n", 0),
    ("seq 5 | grep -n -C 1 '[34]'; seq 3 | grep -A x 1 2>/dev/null; echo $?", "2-2\n3:3\n4:4\n5-5\n2\n", 0),
    ("printf 'a\\na\\nb\\n' | uniq -c | tr -s ' '", " 2 a\n 1 b\n", 0),
    ("echo one two | sed -e 's/\\(one\\) \\(two\\)/\\2 \\1/' -e 's/t/T/g'", "Two one\n", 0),
    ("seq 5 | sed -n '2,3p'; seq 3 | sed 2d; seq 9 | sed '/3/q' | wc -l", "2\n3\n1\n3\n3\n", 0),
    ("expr 1 + 2 \\* 3; expr abc : 'a\\(.*\\)'; basename /a/b.c .c; dirname /a/b/c", "7\nbc\nb\n/a/b\n", 0),
    ("echo a; # comment\necho b #c\necho c#d", "a\nb\nc#d\n", 0),
    ("echo a \\\n b", "a b\n", 0),
    ("x='a b'; y=$x; echo \"$y\"; IFS=:; z=a:b; set -- $z; echo $#", "a b\n2\n", 0),
    ("echo \"$(echo \"a $(echo b)\")\"", "a b\n", 0),
    ("echo \"${x:-\"a b\"}\"; echo ${x:-a   b}", "a b\na b\n", 0),
    ("nosuchcommand; echo $?", "127\n", 0),
    ("echo out; echo err >&2; echo both 2>&1", "out\nboth\n", 0),
    ("ls /nonexistent 2>/dev/null || echo absent", "absent\n", 0),
    ("echo a >/dev/null; { echo x; echo y >&2; } 2>/dev/null", "x\n", 0),
    ("f() { f2; echo in; }; f2() { return 1; }; f && echo ok", "in\nok\n", 0),
    ("for i in 1 2; do for j in 1 2; do [ $j = 2 ] && break 2; echo $i$j; done; done", "11\n", 0),
    ("while :; do break; done; echo end", "end\n", 0),
    ("echo '\\n' | wc -l; printf '%s' '\\n' | wc -c", "2\n2\n", 0),
    ("unset x; echo ${x?gone}; echo not", "", 2),
    ("if", "", 2),
    ("echo )", "", 2),
    (
        "seq 3 | xargs echo n; seq 2 | xargs -n1 echo; seq 2 | xargs -I{} echo '<{}>'",
        "n 1 2 3\n1\n2\n<1>\n<2>\n",
        0,
    ),
    ("sleep 0 & wait; echo done", "done\n", 0),
    ("exec echo replaced; echo not", "replaced\n", 0),
    ("a=b; case $a in\n  a) echo A ;;\n  b)\n    echo B\n    ;;\nesac", "B\n", 0),
    ("command -v nosuchthing || echo none", "none\n", 0),
    ("yes | head -2", "y\ny\n", 0),
    ("echo {1..3}", "{1..3}\n", 0),
    ("printf hello | base64; echo aGVsbG8= | base64 -d", "aGVsbG8=\nhello", 0),
    ("printf %080d 0 | base64 | wc -l; printf abc | base64 -w 0; echo '?' | base64 -d", "2\nYWJj", 1),
    ("printf x | sha256sum", "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881  -\n", 0),
    ("printf x | md5sum", "9dd4e461268c8034f5c8564e155c67a6  -\n", 0),
    ("printf 'a b c\\nd e f\\n' | awk '{print $2, NF, NR}'", "b 3 1\ne 3 2\n", 0),
    ("echo 'MemTotal: 16 kB' | awk '/MemTotal/ {print $2 * 1024}'", "16384\n", 0),
    ("echo a=1=x | awk -F= '{print $NF; $2 = 5; print}'", "x\na 5 x\n", 0),
    (
        "seq 5 | awk '{s += $1} END {print s, s / NR; printf \"%.2f|%3d|%s\\n\", s, NR, \"x\"}'",
        "15 3\n15.00|  5|x\n",
        0,
    ),
    ("seq 10 | awk 'NR == 3, NR == 5; $1 > 9'", "3\n4\n5\n10\n", 0),
    (
        "printf 'b 1\\na 2\\nb 3\\n' | awk '{n[$1] += $2} END {for (k in n) print k \"=\" n[k]}'",
        "a=2\nb=4\n",
        0,
    ),
    (
        "awk 'BEGIN {while (i < 3) {if (i++ == 1) continue; print i}; exit 4} END {print \"not\"}'",
        "1\n3\n",
        4,
    ),
    (
        "echo hello | awk '{gsub(/l/, \"[&]\"); print toupper($0), length($0), index($0, \"o\"), substr($0, 2, 3)}'",
        "HE[L][L]O 9 9 e[l\n",
        0,
    ),
    (
        "awk -v n=3 'BEGIN {x = split(\"a:b:c\", p, \":\"); print x, p[n], (4 in p) ? \"in\" : \"out\"}'",
        "3 c out\n",
        0,
    ),
    ("echo '10 9' | awk '{print ($1 > $2), (\"10\" > \"9\"), $1 ~ /^1/, !x, 2 ^ 3 % 5}'", "1 0 1 1 3\n", 0),
    (
        "cd /tmp; seq 2 | awk '{print > \"o\" $1; print \"e\" > \"/dev/stderr\"}'; cat o1 o2; rm o1 o2",
        "1\n2\n",
        0,
    ),
    (
        "cd /tmp; echo a > s; sha256sum s > t; sha256sum -c t; echo b > s; sha256sum -c t; rm s t",
        "s: OK\ns: FAILED\n",
        0,
    ),
    (
        "mkdir -p /tmp/f/d; touch /tmp/f/d/a.txt; find /tmp/f; rm -r /tmp/f",
        "/tmp/f\n/tmp/f/d\n/tmp/f/d/a.txt\n",
        0,
    ),
    (
        "mkdir -p /tmp/f/d; cd /tmp/f; touch d/b; find . -maxdepth 1 -type d; find . ! -type d -name 'b*'; rm -r /tmp/f",
        ".\n./d\n./d/b\n",
        0,
    ),
    (
        "mkdir /tmp/f; echo x > /tmp/f/a; find /tmp/f -type f -exec cat {} \\;; find /tmp/f -delete; ls /tmp/f",
        "x\n",
        2,
    ),
    ("find /tmp/none", "", 1),
    ("cd /tmp; readlink -f ../tmp/./x; readlink -f /tmp/no/x", "/tmp/x\n", 1),
];

/// POSIX, "Shell Command Language"; BusyBox' `shell/ash.c`.
#[test]
fn scripts() {
    let failures: Vec<String> = SCRIPTS
        .iter()
        .filter_map(|(script, out, code)| {
            let p = sh(script);
            let got = (ends(&p), printed(&p, 0));
            (got.0 != Some((0, *code)) || got.1.0 != *out).then(|| format!("{script}\n{got:?}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn time_passes_only_where_a_command_waits() {
    for (script, want) in [
        ("sleep 5; exit 1", Some((5000, 1))),
        ("sleep 1m 0.5", Some((60500, 0))),
        ("sleep infinity; exit 1", None),
        ("echo hello && sleep 2 && false", Some((2000, 1))),
        ("false && sleep 9; sleep 1", Some((1000, 0))),
        ("for i in 1 2 3; do sleep 2; done", Some((6000, 0))),
        ("sleep 3 & sleep 5 & wait; exit 7", Some((5000, 7))),
        ("sleep 30 & exit 2", Some((0, 2))),
        ("sleep 5 | sleep 7", Some((7000, 0))),
        ("(sleep 3; echo x) | cat", Some((3000, 0))),
        ("x=$(sleep 4; echo y)", Some((4000, 0))),
        ("while true; do date; sleep 1; done", None),
        ("while :; do :; done", None),
        ("for(;;)", Some((0, 2))),
        ("tail -f /dev/null", None),
        ("timeout 3 sleep 10; echo $?; sleep 1", Some((4000, 0))),
        ("sleep -5", Some((0, 1))),
        ("./server --port 80", Some((0, 127))),
        ("f() { f; }; f", Some((0, 2))),
        ("x=a; while :; do x=$x$x; done", None),
        ("yes > /dev/null", None),
    ] {
        assert_eq!(ends(&sh(script)), want, "{script}");
    }
}

#[test]
fn a_program_that_nobody_knows_does_what_the_caller_says() {
    let mut p = Program { complete: false, ..sh("echo a; ./server; echo b") };
    assert_eq!(ends(&p), None);
    p.unknown = Unknown::Ends(SignedDuration::from_secs(4));
    assert_eq!(ends(&p), Some((4000, 0)));
    assert!(!run(&p, &World::default(), &Nobody, Until::End).certain);
    p.words = vec!["/app/server".into()];
    p.unknown = Unknown::Forever;
    p.signal = Some(crate::api::later(p.start, SignedDuration::from_secs(10)));
    assert_eq!(ends(&p), Some((11_000, 0)));
    p.words = vec!["sh".into(), "-c".into(), "exec /app/server".into()];
    assert_eq!(ends(&p), Some((11_000, 0)));
    p.words = vec!["sh".into(), "-c".into(), "echo starts; /app/server".into()];
    assert_eq!(ends(&p), None, "the shell waits for the server and ignores the signal");
}

/// pid_namespaces(7): the first process of a namespace ignores a signal for which it has no handler. POSIX, `trap`: it runs when
/// the command under way has ended, and ends a `wait`.
#[test]
fn signals() {
    let at = |script: &str, seconds: i64| {
        let mut p = sh(script);
        p.signal = Some(crate::api::later(p.start, SignedDuration::from_secs(seconds)));
        p
    };
    assert_eq!(ends(&at("sleep 60", 5)), Some((60_000, 0)), "process 1 ignores it");
    assert_eq!(ends(&Program { first: false, ..at("sleep 60; echo x", 5) }), Some((5000, 143)));
    let handles = "trap 'echo stops; exit 3' TERM; while true; do sleep 2; done";
    assert_eq!(ends(&at(handles, 5)), Some((6000, 3)), "the trap runs when the command under way has ended");
    assert_eq!(printed(&at(handles, 5), 10).0, "stops\n");
    assert_eq!(ends(&at("trap 'exit 0' TERM; sleep infinity & wait", 5)), Some((5000, 0)));
    assert_eq!(ends(&at("trap 'exit 0' TERM; sleep infinity & wait $!; exit 4", 5)), Some((5000, 0)));
    assert_eq!(ends(&at("trap 'exit 0' SIGTERM; sleep infinity", 5)), None);
    assert_eq!(ends(&at("trap '' TERM; sleep 9", 5)), Some((9000, 0)));
}

/// The names that a DNS server knows, and what becomes of all connections.
struct Net(Vec<(&'static str, &'static str)>, Outcome);

impl Outside for Net {
    fn answer(&self, question: &Question) -> Option<Answer> {
        Some(match question {
            Question::Lookup { name, type_, .. } => {
                let found = self.0.iter().filter(|(n, _)| *n == &**name);
                let addresses: Vec<std::net::IpAddr> = found.map(|(_, a)| a.parse().unwrap()).collect();
                let exists = !addresses.is_empty();
                let addresses =
                    addresses.into_iter().filter(|a| a.is_ipv4() == (*type_ == RecordType::A)).collect();
                Answer::Records(Some(Records { exists, addresses, ..Records::default() }))
            }
            _ => Answer::always(self.1.clone()),
        })
    }
}

const RESOLV: &str =
    "search shop.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n";

fn in_a_pod() -> World {
    let mut world = World::default();
    let start = program(&[], Tools::Gnu).start;
    for (path, text) in [
        ("/etc/resolv.conf", RESOLV),
        ("/etc/hosts", "127.0.0.1 localhost\n10.244.0.5 web-0\n"),
        ("/etc/config/a", "x\n"),
    ] {
        world.files.note(&Write { at: start, path: path.into(), change: Change::Put(text.into()) });
    }
    world
}

/// What a command prints and its code, in a pod with a network.
fn online(tools: Tools, script: &str, net: &Net) -> (String, i32) {
    let p = Program { tools, complete: false, ..sh(script) };
    let run = run(&p, &in_a_pod(), net, Until::Moment(Timestamp::MAX));
    let code = match run.end {
        End::Exit(_, code) => code,
        End::Runs => -1,
    };
    (run.output.iter().map(|o| o.text.as_str()).collect(), code)
}

fn serves(status: u16, body: &str) -> Outcome {
    Outcome::Answered(Rc::new(crate::network::Response {
        status,
        server: "nginx/1.27.5".into(),
        content_type: "text/html".into(),
        body: body.into(),
        takes: SignedDuration::ZERO,
        goes_on: SignedDuration::ZERO,
        by: None,
        location: "".into(),
        headers: Default::default(),
    }))
}

#[test]
fn a_program_stops_at_a_question_that_nobody_has_answered() {
    let p = Program {
        tools: Tools::Busybox,
        ..sh("until nc -z db.shop 5432; do echo waiting; sleep 2; done; cat /etc/config/a")
    };
    let mut world = in_a_pod();
    let first = run(&p, &world, &Nobody, Until::End);
    assert_eq!(first.end, End::Runs);
    let asked = first.open.unwrap();
    assert_eq!(asked.to_string(), "db.shop.shop.svc.cluster.local A @10.96.0.10");
    // The answers become others with time.
    let second = |n| crate::api::later(p.start, SignedDuration::from_secs(n));
    let names = Net(vec![("db.shop.svc.cluster.local", "10.96.0.7")], Outcome::Refused);
    let mut answers = BTreeMap::new();
    while let Some(question) = run(&p, &world, &Nobody, Until::End).open {
        let mut all = vec![(p.start, names.answer(&question).unwrap())];
        if matches!(question, Question::Connect { .. }) {
            all.push((second(7), Answer::always(Outcome::Connected)));
        }
        answers.insert(question, all);
        world.answers = Rc::new(answers.clone());
    }
    let run = run(&p, &world, &Nobody, Until::Moment(second(60)));
    assert_eq!(run.end, End::Exit(second(8), 0));
    assert!(run.certain && run.files.contains("/etc/config/a"));
    let asked: Vec<String> = run.asked.iter().map(ToString::to_string).collect();
    assert_eq!(
        asked,
        [
            "db.shop.shop.svc.cluster.local A @10.96.0.10",
            "db.shop.shop.svc.cluster.local AAAA @10.96.0.10",
            "db.shop.svc.cluster.local A @10.96.0.10",
            "db.shop.svc.cluster.local AAAA @10.96.0.10",
            "TCP/10.96.0.7:5432",
        ]
    );
    let out: String = run.output.iter().filter(|o| !o.stderr).map(|o| o.text.as_str()).collect();
    assert_eq!(out, "waiting\nwaiting\nwaiting\nwaiting\nx\n");
}

/// resolv.conf(5); BusyBox' `networking/nslookup.c`, `add_query_with_search`: no search domains for a name with a dot.
#[test]
fn names_are_looked_up_as_the_c_library_does() {
    let net = Net(
        vec![("web.shop.svc.cluster.local", "10.96.0.7"), ("example.com", "203.0.113.1")],
        Outcome::Connected,
    );
    let get = |tools, script: &str| online(tools, script, &net);
    assert_eq!(
        get(Tools::Gnu, "getent hosts web"),
        ("10.96.0.7       web.shop.svc.cluster.local\n".into(), 0)
    );
    assert_eq!(get(Tools::Gnu, "getent hosts example.com."), ("203.0.113.1     example.com\n".into(), 0));
    assert_eq!(get(Tools::Gnu, "getent hosts web-0"), ("10.244.0.5      web-0\n".into(), 0));
    assert_eq!(get(Tools::Gnu, "getent hosts wbe"), (String::new(), 2));
    // BusyBox asks for each search domain, and one that has no such name is an error.
    let (out, code) = get(Tools::Busybox, "nslookup web");
    assert!(out.contains("Name:\tweb.shop.svc.cluster.local\nAddress: 10.96.0.7\n"), "{out}");
    assert!(out.contains("** server can't find web.cluster.local: NXDOMAIN"), "{out}");
    assert_eq!(code, 1);
    assert_eq!(
        get(Tools::Busybox, "nslookup web.shop.svc.cluster.local"),
        (
            "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10:53\n\nName:\tweb.shop.svc.cluster.local\nAddress: 10.96.0.7\n\n\n".into(),
            0
        )
    );
    assert_eq!(
        get(Tools::Busybox, "nslookup web.shop").1,
        1,
        "BusyBox uses no search domains for a name with a dot"
    );
    assert_eq!(
        get(Tools::Gnu, "nslookup web"),
        (
            "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10#53\n\nName:\tweb.shop.svc.cluster.local\nAddress: 10.96.0.7\n\n".into(),
            0
        )
    );
    let p = Program { tools: Tools::Busybox, libc_nslookup: true, ..sh("nslookup web; nslookup wbe") };
    let old = run(&p, &in_a_pod(), &net, Until::Moment(Timestamp::MAX));
    let old: String = old.output.iter().map(|o| o.text.as_str()).collect();
    assert_eq!(
        old,
        "Server:    10.96.0.10\nAddress 1: 10.96.0.10\n\nName:      web\nAddress 1: 10.96.0.7\nServer:    10.96.0.10\nAddress 1: 10.96.0.10\n\nnslookup: can't resolve 'wbe'\n"
    );
}

/// BusyBox' `networking/wget.c`, `networking/nc_bloaty.c` and `libbb/xconnect.c`; libcurl-errors(3): the codes of curl.
#[test]
fn clients_say_what_became_of_a_request() {
    let names = || vec![("web.shop.svc.cluster.local", "10.96.0.7")];
    let say = |tools, script: &str, outcome: Outcome| online(tools, script, &Net(names(), outcome));
    let busy = |script: &str, outcome| say(Tools::Busybox, script, outcome);
    assert_eq!(busy("wget -qO- http://web/", serves(200, "hi\n")), ("hi\n".into(), 0));
    assert_eq!(
        busy("wget -O- web:8080", Outcome::Refused),
        ("Connecting to web:8080 (10.96.0.7:8080)\nwget: can't connect to remote host (10.96.0.7): Connection refused\n".into(), 1)
    );
    assert_eq!(busy("wget -q -T 5 -O- web", Outcome::TimedOut), ("wget: download timed out\n".into(), 1));
    assert_eq!(busy("wget -qO- wbe", serves(200, "")), ("wget: bad address 'wbe'\n".into(), 1));
    assert_eq!(
        busy("wget -q web/x", serves(404, "no")),
        ("wget: server returned error: HTTP/1.1 404 Not Found\n".into(), 1)
    );
    assert_eq!(busy("wget -q web/x && cat x", serves(200, "file")), ("file".into(), 0));
    // Who reads the end of the data has no error of the system to name.
    assert_eq!(busy("wget -qO- web", Outcome::Closed), ("wget: error getting response\n".into(), 1));
    assert_eq!(busy("nc -zv web 80", Outcome::Connected), ("web (10.96.0.7:80) open\n".into(), 0));
    assert_eq!(busy("nc -w 3 web 80", Outcome::TimedOut), ("nc: timed out\n".into(), 1));
    let gnu = |script: &str, outcome| say(Tools::Gnu, script, outcome);
    assert_eq!(gnu("curl -s -o /dev/null -w '%{http_code}\\n' web", serves(503, "x")), ("503\n".into(), 0));
    assert_eq!(gnu("curl -s web", Outcome::Refused), (String::new(), 7));
    assert_eq!(
        gnu("curl web:81", Outcome::Refused),
        ("curl: (7) Failed to connect to web port 81 after 0 ms: Could not connect to server\n".into(), 7)
    );
    assert_eq!(
        gnu("curl --connect-timeout 2 web", Outcome::TimedOut),
        ("curl: (28) Failed to connect to web port 80 after 2000 ms: Timeout was reached\n".into(), 28)
    );
    assert_eq!(
        gnu("curl -sSf web", serves(500, "oh")),
        ("curl: (22) The requested URL returned error: 500\n".into(), 22)
    );
    assert_eq!(gnu("curl web", Outcome::Closed), ("curl: (52) Empty reply from server\n".into(), 52));
    let (out, code) = gnu("wget -O- web", Outcome::Closed);
    assert!(out.ends_with("HTTP request sent, awaiting response... No data received.\n"), "{out}");
    assert_eq!(code, 4);
    assert_eq!(gnu("curl wbe", Outcome::Refused), ("curl: (6) Could not resolve host: wbe\n".into(), 6));
    let (out, _) = gnu("curl -v web", serves(200, "hi\n"));
    assert!(out.contains("* Connected to web (10.96.0.7) port 80\n> GET / HTTP/1.1\n> Host: web\n"), "{out}");
    assert!(out.contains("< HTTP/1.1 200 OK\n< Server: nginx/1.27.5\n"), "{out}");
    assert_eq!(
        gnu("nc -zv web 80", Outcome::Refused),
        ("nc: connect to web (10.96.0.7) port 80 (tcp) failed: Connection refused\n".into(), 1)
    );
}

#[test]
fn files_have_a_history() {
    let p = sh("touch healthy; sleep 30; rm -f healthy; mkdir -p a/b; echo x > a/b/c; mv a d; sleep 600");
    let files = |n: i64| {
        let until = crate::api::later(p.start, SignedDuration::from_secs(n));
        let mut files = Files::default();
        run(&p, &World::default(), &Nobody, Until::Moment(until)).writes.iter().for_each(|w| files.note(w));
        (files.list("/tmp", until), files.at("/tmp/d/b/c", until))
    };
    assert_eq!(files(29), (vec!["healthy".into()], None));
    assert_eq!(files(31), (vec!["d".into()], Some(Node::File("x\n".into()))));
}

/// BusyBox' `shell/ash.c`: `not found`, `nonexistent directory`; `libbb/xconnect.c`: `bad address`.
#[test]
fn messages_of_busybox() {
    let p = |s| Program { tools: Tools::Busybox, ..sh(s) };
    for (script, err, code) in [
        ("cat /tmp/healthy", "cat: can't open '/tmp/healthy': No such file or directory\n", 1),
        ("nothing", "sh: nothing: not found\n", 127),
        ("curl http://x", "sh: curl: not found\n", 127),
        ("wget -qO- http://web", "wget: bad address 'web'\n", 1),
        ("nc -z db 5432", "nc: bad address 'db'\n", 1),
        ("echo x > /no/such", "sh: can't create /no/such: nonexistent directory\n", 1),
        ("ls /none", "ls: /none: No such file or directory\n", 1),
    ] {
        let p = p(script);
        assert_eq!((printed(&p, 0).1.as_str(), ends(&p)), (err, Some((0, code))), "{script}");
    }
    // An applet that is not built is there; another program is not.
    let mut alpine = p("apk add curl; echo done");
    assert_eq!(printed(&alpine, 0).1, "sh: apk: not found\n");
    alpine.others = OF_ALPINE;
    alpine.unknown = Unknown::Ends(SignedDuration::from_secs(3));
    assert_eq!((ends(&alpine), printed(&alpine, 3)), (Some((3000, 0)), ("done\n".into(), String::new())));
    assert_eq!(ends(&p("top -b")), None);
    assert_eq!(
        printed(&p("which vi; test -x /bin/tar && echo tar; which python"), 0).0,
        "/usr/bin/vi\ntar\n"
    );
    assert_eq!(printed(&p("date; hostname; whoami"), 0).0, "Thu Jan  1 00:00:00 UTC 2026\nweb-0\nroot\n");
}

#[cfg(not(target_arch = "wasm32"))]
mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Texts that look like scripts.
    fn script() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "echo ",
            "a",
            "$x",
            "${x",
            "}",
            "${x:-",
            "$(",
            ")",
            "`",
            "\"",
            "'",
            "((",
            "))",
            "$((",
            "1",
            "+",
            "*",
            "/0",
            ";",
            "\n",
            "&",
            "&&",
            "||",
            "|",
            "if ",
            "then ",
            "else ",
            "fi",
            "while ",
            "do ",
            "done",
            "for i in ",
            "case x in ",
            "esac",
            ";;",
            "{ ",
            "[ ",
            "] ",
            "[[ ",
            " ]]",
            "<<E\n",
            "E\n",
            ">",
            "< ",
            ">&",
            "2>&1",
            "f() ",
            "=",
            "x=",
            "!",
            "exec ",
            "trap ",
            "TERM",
            "wait",
            "sleep 1",
            "sleep 9e9",
            "cat ",
            "sed s/a/b/ ",
            "grep [ ",
            "tr a-z ",
            "cut -d",
            "printf %*d ",
            "test ",
            "-eq ",
            "read x",
            "set -eux ",
            "shift 9",
            "break 9",
            "seq 9999999 ",
            "expr ",
            "date +%",
            "xargs ",
            "timeout 1 ",
            "\u{e9}",
            "\\",
            "#",
            "~",
            "*",
            "?",
            "[!",
            "%%",
            "##",
            "/",
            "ls ",
            "cp -r / /tmp ",
            "rm -rf / ",
            "head -n",
            "-",
            "yes",
            "eval ",
            "tail -c ",
        ]);
        prop::collection::vec(piece, 0..40).prop_map(|p| p.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_makes_it_panic(text in script(), bash in any::<bool>(), signal in prop::option::of(0..100i64)) {
            let mut p = program(&[if bash { "bash" } else { "sh" }, "-c", &text], Tools::Busybox);
            p.signal = signal.map(|s| crate::api::later(p.start, SignedDuration::from_secs(s)));
            p.complete = signal.is_some();
            let end = ends(&p);
            prop_assert_eq!(end, ends(&p));
            let _ = printed(&p, 50);
        }

        #[test]
        fn nor_does_any_character(text in "\\PC{0,40}") {
            ends(&sh(&text));
        }
    }
}

#[test]
fn every_name_of_a_builtin_is_one() {
    assert!(super::builtins::NAMES.is_sorted());
    for name in super::builtins::NAMES {
        let error = printed(&Program { tools: Tools::Busybox, ..sh(name) }, 0).1;
        assert!(!error.contains("not found"), "{error}");
    }
    let found = printed(&Program { tools: Tools::Busybox, ..sh("command -v cd eval cut curl which") }, 0).0;
    assert_eq!(found, "cd\neval\n/bin/cut\n/bin/which\n");
}

/// Texts that a few commands make very long, and patterns that are compared with all of their parts, end a script.
#[test]
fn much_work_is_many_commands() {
    let long = "x=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8 9 10 11; do x=$x$x; done; ";
    for rest in ["y=${x//a/$x}", "while :; do y=${x##*b*c}; done", "while :; do y=${x//*b*c/d}; done"] {
        let p = program(&["bash", "-c", &format!("{long}{rest}")], Tools::Gnu);
        assert_eq!(ends(&p), None, "{rest}");
    }
    // Each variable reads the next one ten times.
    let chain: String = (0..20).map(|n| format!("v{n}='{}0'; ", format!("v{}+", n + 1).repeat(10))).collect();
    assert!(printed(&sh(&format!("{chain} echo $((v0))")), 0).1.contains("Illegal number"));
    let p = program(&["bash", "-c", &format!("{long} echo {{1..5000}}$x$x")], Tools::Gnu);
    assert!(printed(&p, 0).0.len() < 1 << 20);
}

/// BusyBox: `procps/ps.c`, `procps/free.c`, `networking/libiproute/ipaddress.c` and `iproute.c`. The routes are those of the CNI
/// plugin `ptp` (`plugins/main/ptp/ptp.go` of containernetworking/plugins).
#[test]
fn what_is_seen_of_the_machine() {
    let machine = Machine {
        memory: Some((8 << 20, 1 << 20)),
        disk: None,
        addresses: vec!["10.244.1.5/24".parse().unwrap(), "fd00:10:244:1::5/64".parse().unwrap()],
        mtu: None,
        process: Some("nginx -g daemon off;".into()),
        beside: Vec::new(),
    };
    let beside = |words: &[&str]| {
        let p = Program { first: false, machine: Rc::new(machine.clone()), ..program(words, Tools::Busybox) };
        printed(&p, 1).0
    };
    let head = "PID   USER     TIME  COMMAND\n    1 root      0:00 nginx -g daemon off;\n";
    assert_eq!(beside(&["ps"]), format!("{head}    7 root      0:00 ps\n"));
    assert_eq!(
        beside(&["sh", "-c", "ps"]),
        format!("{head}    7 root      0:00 sh -c ps\n    8 root      0:00 ps\n")
    );
    // A process namespace that containers share.
    let shared = Machine { beside: vec!["sleep 60".into()], ..machine.clone() };
    let debugger = Program { first: false, machine: Rc::new(shared), ..program(&["ps"], Tools::Busybox) };
    assert_eq!(
        printed(&debugger, 1).0,
        format!("{head}    7 root      0:00 sleep 60\n    8 root      0:00 ps\n")
    );
    let own = printed(&program(&["sh", "-c", "ps"], Tools::Busybox), 1).0;
    assert_eq!(own, "PID   USER     TIME  COMMAND\n    1 root      0:00 sh -c ps\n    7 root      0:00 ps\n");
    assert_eq!(
        beside(&["free", "-m"]),
        "              total        used        free      shared  buff/cache   available\n\
         Mem:           8192        1024        7168           0           0        7168\n\
         Swap:             0           0           0\n"
    );
    assert_eq!(
        beside(&["ip", "-4", "addr", "show", "eth0"]),
        "2: eth0@if3: <BROADCAST,MULTICAST,UP,LOWER_UP,M-DOWN> mtu 1500 qdisc noqueue \n    \
         link/ether 0a:58:0a:f4:01:05 brd ff:ff:ff:ff:ff:ff\n    \
         inet 10.244.1.5/24 brd 10.244.1.255 scope global eth0\n       valid_lft forever preferred_lft forever\n"
    );
    assert!(beside(&["ip", "a"]).contains("    inet6 fd00:10:244:1::5/64 scope global \n"));
    assert_eq!(
        beside(&["ip", "route"]),
        "default via 10.244.1.1 dev eth0 \n10.244.1.0/24 via 10.244.1.1 dev eth0  src 10.244.1.5 \n\
         10.244.1.1 dev eth0 scope link  src 10.244.1.5 \n"
    );
    assert_eq!(beside(&["ip", "link", "show", "eth0"]).lines().count(), 2);
    let overlaid = Machine { mtu: Some(1450), ..machine.clone() };
    let p =
        Program { machine: Rc::new(overlaid), ..program(&["ip", "link", "show", "eth0"], Tools::Busybox) };
    assert!(printed(&p, 1).0.contains(" mtu 1450 "));
    // `libbb/procps.c`, `read_cmdline`: what would break the line is a space.
    assert!(beside(&["sh", "-c", "true\nps"]).contains("7 root      0:00 sh -c true ps\n"));
    // Images with GNU's tools mostly have neither.
    let debian =
        Program { complete: false, unknown: Unknown::Missing, ..program(&["sh", "-c", "ps"], Tools::Gnu) };
    assert!(printed(&debian, 1).1.contains("ps: not found"), "{:?}", printed(&debian, 1));
}

/// The manual of GNU coreutils ("Block size", "dd invocation"); `coreutils/head.c` and `libbb/xatonum.c` of BusyBox; `write(2)`: `ENOSPC`.
/// Zero bytes are counted.
#[test]
fn a_file_can_be_as_large_as_the_disk() {
    let script = "head -c 50M /dev/zero > f; wc -c < f; cp f g; wc -c g; head -c 1K < /dev/zero >> f; wc -c < f; \
                  dd if=/dev/zero of=h bs=1M count=3 status=none; wc -c h; fallocate -l 2K i; wc -c i; head -c 5X /dev/zero";
    let (out, err) = printed(&sh(script), 0);
    assert_eq!(out, "52428800\n52428800 g\n52429824\n3145728 h\n2048 i\n");
    assert_eq!(err, "head: invalid number of bytes: '5X'\n");
    let busybox = |script: &str| printed(&program(&["sh", "-c", script], Tools::Busybox), 0);
    assert_eq!(busybox("head -c 2k /dev/zero > f; wc -c < f").0, "2048\n");
    assert_eq!(busybox("head -c 2M /dev/zero > f").1, "head: invalid number '2M'\n");
    assert_eq!(
        busybox("dd if=/dev/zero of=f bs=3 count=2").1,
        "2+0 records in\n2+0 records out\n6 bytes copied\n"
    );
    let machine = Rc::new(Machine { disk: Some(1 << 20), ..Machine::default() });
    let full = Program { machine, ..sh("head -c 2M /dev/zero > f; echo $?; wc -c < f") };
    let (out, err) = printed(&full, 0);
    assert_eq!(out, "1\n1048576\n");
    assert_eq!(err, "head: error writing 'standard output': No space left on device\n");
}

/// What a program prints and the space of its files, over time: what its loops repeat is counted by the round.
#[test]
fn how_much_a_program_prints_and_writes() {
    let p = sh("echo one; sleep 1; echo a > f; while sleep 2; do echo again; done");
    let run = run(&p, &World::default(), &Nobody, Until::End);
    let after = |n: i64| crate::api::later(p.start, SignedDuration::from_secs(n));
    assert_eq!(run.printed.first(), Some(&(after(0), Printed { bytes: 4, lines: 1 })));
    assert_eq!(run.cycles.last().map(|c| c.printed), Some(Printed { bytes: 6, lines: 1 }));
    assert_eq!(space(&run.writes), [(after(1), 4096)]);
    // A run to a moment says what is printed, not how much.
    let until = shell_until(&p, after(5));
    assert!(until.printed.is_empty() && !until.output.is_empty());
}

fn shell_until(p: &Program, moment: Timestamp) -> Run {
    run(p, &World::default(), &Nobody, Until::Moment(moment))
}

/// POSIX, `ls -l`: a directory's listing begins with the space that its entries take; GNU's and BusyBox' count KiB.
#[test]
fn a_long_list_begins_with_its_total() {
    let script = "mkdir d; cd d; : > empty; echo a > small; ln -s small link; mkdir sub; ls -l | head -n 1; ls -la | head -n 1; ls -l small | wc -l";
    for tools in [Tools::Gnu, Tools::Busybox] {
        let (out, _) = printed(&program(&["sh", "-c", script], tools), 1);
        let words: Vec<&str> = out.split_whitespace().collect();
        assert_eq!(words, ["total", "8", "total", "16", "1"], "{tools:?}");
    }
}
