//! A shell in a container.
use super::*;
use crate::engine::Happened;

const POD: &str = "kubectl apply -f - <<EOF
apiVersion: v1
kind: Pod
metadata: {name: box}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - {name: main, image: busybox, command: [sleep, infinity]}
  - {name: side, image: nginx}
EOF";

#[test]
fn lines_go_to_the_shell_of_a_container_until_it_is_left() {
    let mut e = with_pod(POD);
    let opened = typed(&mut e, "kubectl exec -it box -- sh");
    assert_eq!(opened.output, "Defaulted container \"main\" out of: main, side\n");
    assert!(opened.said.is_some() && !opened.failed);
    let view = shell(&e).unwrap();
    assert_eq!((view.prompt.as_str(), &*view.pod, &*view.container), ("/ # ", "box", "main"));
    let at = e.shown().at;
    for (line, output, prompt_after) in [
        ("hostname", "box\n", "/ # "),
        ("cd /tmp; A='a b'", "", "/tmp # "),
        ("echo one >f; cat f; echo \"$A\"", "one\na b\n", "/tmp # "),
        ("trap 'echo rm f' EXIT; echo a", "a\nrm f\n", "/tmp # "),
        ("cat f", "one\n", "/tmp # "),
        ("nothing", "sh: nothing: not found\n", "/tmp # "),
        ("echo $?", "127\n", "/tmp # "),
        ("echo out; echo err >&2; echo out", "out\nerr\nout\n", "/tmp # "),
        ("done", "sh: syntax error: unexpected \"done\"\n", "/tmp # "),
        ("echo $?", "2\n", "/tmp # "),
        ("kubectl get pods", "sh: kubectl: not found\n", "/tmp # "),
        ("PS1='> '", "", "> "),
        (r"PS1='\w \$ '", "", "/tmp # "),
        ("", "", "/tmp # "),
    ] {
        let entry = typed(&mut e, line);
        assert_eq!((entry.output.as_str(), prompt(&e).as_str()), (output, prompt_after), "{line}");
        assert_eq!(entry.line, line);
    }
    assert_eq!(e.shown().at, at + 1, "what was written is a moment, and the rest is none");
    let Happened::Executed { pod, container, command } = &*e.shown().happened else { panic!() };
    assert_eq!((pod.as_str(), container.as_str()), ("box", "main"));
    assert_eq!(command, "echo one >f; cat f; echo \"$A\"");
    let endless = typed(&mut e, "echo begin; sleep infinity");
    assert!(endless.output.starts_with("begin\n^C\n"), "{endless:?}");
    assert_eq!(typed(&mut e, "echo $?").output, "130\n");
    let history = shell(&e).unwrap().history;
    assert!(history.contains(&"hostname".to_owned()) && !e.shown().history.contains(&"hostname".to_owned()));
    // A step back takes back what the shell kept from the lines after it.
    e.handle(Input::Back);
    assert_eq!(prompt(&e), "/tmp # ");
    assert_eq!(typed(&mut e, "ls").output, "");
    e.handle(Input::Back);
    assert_eq!(prompt(&e), "/ # ");
    typed(&mut e, "false");
    let left = typed(&mut e, "exit");
    assert_eq!((left.output.as_str(), shell(&e)), ("command terminated with exit code 1\n", None));
    assert!(typed(&mut e, "kubectl get pods -o name").output.contains("pod/box"));
}

#[test]
fn a_shell_ends_with_its_container_and_a_step_back_brings_both_back() {
    let mut e = with_pod(POD);
    e.handle(Input::Terminal("kubectl exec -it box -c main -- sh".into()));
    typed(&mut e, "cd /tmp");
    e.handle(Input::Do("delete pod box --wait=false".into()));
    let entries = e.shown().terminal.len();
    to_steady(&mut e);
    assert_eq!(shell(&e), None);
    let end = last(&e);
    assert_eq!(
        (end.output.as_str(), end.prompt.as_str()),
        ("command terminated with exit code 137\n", "/tmp # ")
    );
    while shell(&e).is_none() {
        e.handle(Input::Back);
    }
    assert_eq!((prompt(&e).as_str(), e.shown().terminal.len()), ("/tmp # ", entries));
    assert_eq!(typed(&mut e, "pwd").output, "/tmp\n");
    to_steady(&mut e);
    assert_eq!(shell(&e), None);
    // Whoever has typed a line outside is outside.
    assert!(!typed(&mut e, "get pods -o name").output.contains("pod/box\n"));
    while e.shown().position > e.shown().beginning {
        e.handle(Input::Back);
    }
    assert_eq!(shell(&e), None);
}

#[test]
fn a_restarted_container_is_another_one() {
    let mut e = with_pod(POD);
    typed(&mut e, "exec -it box -c side -- sh");
    assert_eq!(prompt(&e), "# ", "dash tells no directory");
    typed(&mut e, "exit");
    typed(&mut e, "exec -it box -c side -- bash");
    assert_eq!(prompt(&e), "root@box:/# ");
    let box_ =
        e.shown().graph.nodes.iter().find(|n| n.reference.key.name == "box").unwrap().reference.clone();
    e.handle(Input::Crash(box_, "side".into(), 1));
    to_steady(&mut e);
    assert_eq!((shell(&e), last(&e).output.as_str()), (None, "command terminated with exit code 137\n"));
}

/// kubectl executes a command wherever its flags stand (`cmd/exec/exec.go` of kubectl), and `exec` without it is the shell's own, which
/// replaces the shell (POSIX, section 2.15, `exec`).
#[test]
fn an_entry_says_whether_something_was_executed_in_a_container() {
    let mut e = with_pod(POD);
    for (line, executed) in [
        ("kubectl exec box -c main -- true", true),
        ("kubectl -n default exec box -c main -- true", true),
        ("for i in 1 2; do kubectl exec box -c main -- echo $i; done | cat", true),
        ("exec box -c main -- true", true),
        ("exec 2>&1", false),
        ("kubectl exec none -- true", false),
        ("kubectl get pods", false),
        ("kubectl exec -it box -c main -- sh", true),
        ("exec true", true),
    ] {
        assert_eq!(typed(&mut e, line).inside.is_some(), executed, "{line}");
    }
}

#[test]
fn a_shell_that_cannot_be_started_says_why() {
    let mut e = with_pod(POD);
    for (line, says) in [
        ("exec -it none -- sh", "pods \"none\" not found"),
        ("exec -it box -c other -- sh", "container other is not valid for pod box"),
        ("exec -it box -c main -- bash", "exec: \"bash\": executable file not found in $PATH"),
    ] {
        let entry = typed(&mut e, line);
        assert!(entry.failed && entry.output.contains(says), "{line}: {entry:?}");
        assert_eq!(shell(&e), None);
    }
    assert_eq!(typed(&mut e, "exec -it box -c main -- echo hi").output, "hi\n");
    // A button runs its line outside.
    typed(&mut e, "exec -it box -c main -- sh");
    e.handle(Input::Outside("get pods -o name".into()));
    assert!(last(&e).output.contains("pod/box") && shell(&e).is_none());
}

#[test]
fn paths_are_completed_in_a_shell() {
    let mut e = with_pod(POD);
    typed(&mut e, "exec -it box -c main -- sh");
    typed(&mut e, "mkdir /tmp/dir; echo x >/tmp/file; echo x >/tmp/fin");
    typed(&mut e, "cd /tmp");
    let at = e.shown().at;
    let mut words = |head: &str| completed(&mut e, head).words;
    assert_eq!(words("cat /etc/host"), ["/etc/hostname", "/etc/hosts"]);
    assert_eq!(words("cat f"), ["file", "fin"]);
    assert_eq!(words("ls d"), ["dir/"]);
    assert_eq!(words("ca"), ["cat"]);
    // busybox has no curl.
    assert_eq!(words("cu"), ["cut"]);
    let all = words("");
    assert!(["cd", "eval", "sha256sum", "sh"].iter().all(|name| all.iter().any(|w| w == name)), "{all:?}");
    assert_eq!(words("cat 'nothing"), [""; 0]);
    assert_eq!(e.shown().at, at);
}

/// `command terminated with exit code` (`cmd/util/helpers.go` and `cmd/exec` of kubectl): what stands behind the shell on its line goes on
/// when it ends, with its exit code.
#[test]
fn what_stands_behind_a_shell_on_its_line_sees_its_exit_code() {
    let mut e = with_pod(POD);
    let left = |e: &mut Engine, line: &str, exit: &str| {
        let opened = typed(e, line);
        assert!(opened.said.is_some() && opened.inside.is_some() && prompt(e) == "/ # ", "{opened:?}");
        typed(e, "cd /tmp");
        assert_eq!(prompt(e), "/tmp # ");
        typed(e, exit);
        assert_eq!(shell(e), None);
        let entries = &e.shown().terminal;
        entries.iter().rev().take(2).rev().map(|entry| entry.output.clone()).collect::<Vec<_>>()
    };
    const SHELL: &str = "kubectl exec -it box -c main -- sh";
    let terminated = "command terminated with exit code 3\n";
    assert_eq!(left(&mut e, &format!("{SHELL}; echo code $?"), "exit 3"), [terminated, "code 3\n"]);
    assert_eq!(left(&mut e, &format!("{SHELL} && echo yes || echo no"), "exit 3"), [terminated, "no\n"]);
    assert_eq!(left(&mut e, &format!("echo a; {SHELL} && echo yes"), "exit"), ["", "yes\n"]);
    assert_eq!(
        left(&mut e, &format!("{SHELL} && echo yes"), "exit 3")[1],
        terminated,
        "nothing more is printed"
    );
    // The next line sees how this one has ended, and the one after it that of the next.
    assert_eq!(typed(&mut e, "echo $?").output, "3\n");
    assert_eq!(typed(&mut e, "echo $?").output, "0\n");
    assert_eq!(left(&mut e, SHELL, "exit 4")[1], "command terminated with exit code 4\n");
    assert!(last(&e).failed);
    assert_eq!(typed(&mut e, "echo $?").output, "4\n");
    for (line, printed) in [
        (
            "kubectl exec -it box -c main -- sh -c 'exit 3' ; echo $?",
            "command terminated with exit code 3\n3\n",
        ),
        ("kubectl exec box -c main -- sh -c 'echo a; echo b >&2; echo c'", "a\nb\nc\n"),
        (
            "kubectl exec -it box -c none -- sh || echo none",
            "error: container none is not valid for pod box out of: main, side\nnone\n",
        ),
    ] {
        assert_eq!(typed(&mut e, line).output, printed, "{line}");
    }
    // Clear and Ctrl+C leave the line behind the shell; a line outside ends it.
    typed(&mut e, &format!("{SHELL}; echo behind"));
    e.handle(Input::Interrupt);
    e.handle(Input::Clear);
    assert!(typed(&mut e, "exit").output == "behind\n" && shell(&e).is_none(), "{:?}", last(&e));
    typed(&mut e, &format!("{SHELL}; echo behind"));
    e.handle(Input::Outside("echo outside".into()));
    assert_eq!((last(&e).output.as_str(), shell(&e)), ("outside\n", None));
    // A line that opens one shell after the other.
    typed(&mut e, &format!("{SHELL}; {SHELL}; echo $?"));
    typed(&mut e, "exit 5");
    assert!(shell(&e).is_some(), "{:?}", last(&e));
    typed(&mut e, "exit 6");
    assert_eq!((last(&e).output.as_str(), shell(&e)), ("6\n", None));
    // The container ends, and with it the shell; a step back brings both back.
    typed(&mut e, &format!("{SHELL}; echo $?"));
    e.handle(Input::Do("delete pod box --wait=false".into()));
    to_steady(&mut e);
    assert_eq!((last(&e).output.as_str(), shell(&e)), ("137\n", None));
    while shell(&e).is_none() {
        e.handle(Input::Back);
    }
    assert_eq!(prompt(&e), "/ # ");
}

#[test]
fn a_program_that_is_not_played_is_told_alike_in_every_way_of_executing() {
    let mut e = with_pod(POD);
    let not = "top: the image has this program, and it is not played here\n";
    let direct = typed(&mut e, "kubectl exec box -c main -- top");
    assert_eq!(direct.output, format!("{not}command terminated with exit code 126\n"));
    let script = typed(&mut e, "kubectl exec box -c main -- sh -c 'top; tty; dig; stty'").output;
    assert!(
        script.starts_with(&format!("{not}tty: the image has"))
            && script.contains("sh: dig: not found\nstty: the image has"),
        "{script}"
    );
    assert!(
        typed(&mut e, "kubectl exec box -c main -- dig")
            .output
            .contains("executable file not found in $PATH")
    );
    typed(&mut e, "kubectl exec -it box -c main -- sh");
    assert_eq!(
        (typed(&mut e, "top").output, typed(&mut e, "echo $?").output),
        (not.to_owned(), "126\n".to_owned())
    );
}
