//! A line that is attached to the process of a container: `pkg/cmd/attach/attach.go`, `pkg/cmd/debug/debug.go` (`waitForContainer`,
//! `handleAttachPod`) and `pkg/cmd/run/run.go` of kubectl.
use super::*;
use crate::api::later;
use crate::engine::{Entered, Happened};
use crate::kubectl::WaitFor;
use crate::session::CommandLine;

const POD: &str = "kubectl apply -f - <<EOF
apiVersion: v1
kind: Pod
metadata: {name: box}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - {name: main, image: nginx:1.27}
EOF";
const RECORDED: &str = "All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed through the command prompt.\nIf you don't see a command prompt, try pressing enter.\n";

/// Types the lines, and returns what the line that is attached has printed by then.
fn type_all(e: &mut Engine, lines: &[&str]) -> String {
    for line in lines {
        e.handle(Input::Terminal((*line).into()));
    }
    last(e).output
}

fn printed(e: &mut Engine, line: &str) -> String {
    let out = e.session.kubectl(line, &[]);
    format!("{}{}", out.stdout, out.stderr)
}

#[test]
fn a_person_is_in_the_process_of_a_debug_container_until_it_ends() {
    let mut e = with_pod(POD);
    let begun = typed(&mut e, "kubectl debug -it box --image=busybox --target=main");
    assert!(begun.waits && shell(&e).is_none(), "{begun:?}");
    let name = begun.output.lines().last().unwrap();
    let name =
        name.strip_prefix("Defaulting debug container name to ").unwrap().trim_end_matches('.').to_owned();
    let first = begun.output.clone();
    assert!(
        first.starts_with("Targeting container \"main\". If you don't see processes from this container"),
        "{first}"
    );
    to_steady(&mut e);
    let attached = last(&e);
    assert_eq!(attached.output, format!("{first}{RECORDED}"));
    assert!(!attached.waits && !attached.failed && attached.inside == Some(Entered::Attach), "{attached:?}");
    let view = shell(&e).unwrap();
    assert_eq!(
        (view.prompt.as_str(), view.pod.as_str(), view.container.as_str()),
        ("/ # ", "box", name.as_str())
    );
    assert!(view.attached);
    let entries = e.shown().terminal.len();
    let at = e.shown().at;
    let output = type_all(
        &mut e,
        &["cd /tmp; A='a b'", "echo \"$A\"", "wget -qO- localhost | grep -c title", "ps | grep -c nginx:"],
    );
    let session = "/ # cd /tmp; A='a b'\n/tmp # echo \"$A\"\na b\n/tmp # wget -qO- localhost | grep -c title\n1\n/tmp # ps | grep -c nginx:\n";
    assert!(output.starts_with(&format!("{first}{RECORDED}{session}")), "{output}");
    assert_eq!(
        (prompt(&e).as_str(), e.shown().terminal.len()),
        ("/tmp # ", entries),
        "all of it in one entry"
    );
    assert_ne!(e.shown().at, at);
    let Happened::Executed { pod, container, command } = &*e.shown().happened else { panic!() };
    assert_eq!(
        (pod.as_str(), container.as_str(), command.as_str()),
        ("box", name.as_str(), "ps | grep -c nginx:")
    );
    assert!(shell(&e).unwrap().history.contains(&"echo \"$A\"".to_owned()));
    // The session is in the container's log.
    assert!(printed(&mut e, &format!("logs box -c {name}")).contains("/tmp # echo \"$A\"\na b\n"));
    // A step back takes back what was typed after it, and a step forward brings it again.
    e.handle(Input::Back);
    assert!(!last(&e).output.contains("ps |") && prompt(&e) == "/tmp # ", "{:?}", last(&e));
    e.handle(Input::Step);
    let ended = type_all(&mut e, &["(exit 7)", "exit"]);
    let end = format!(
        "exit\nSession ended, the ephemeral container will not be restarted but may be reattached using 'kubectl attach box -c {name} -n default -i -t' if it is still running\n"
    );
    assert!(ended.ends_with(&end) && shell(&e).is_none(), "{ended}");
    assert!(!last(&e).failed && last(&e).inside.is_some());
    to_steady(&mut e);
    let state = "get pod box -o jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.exitCode}";
    assert_eq!(printed(&mut e, state), "7");
    assert!(
        typed(&mut e, &format!("kubectl attach -it box -c {name}"))
            .output
            .contains("not found in pod box_default")
    );
    // What was typed is what a link repeats.
    let link = Link::decode(&Link::of(&e.session).encode()).unwrap();
    let mut replay = Replay::new(&link);
    while !replay.advance(10) {}
    assert!(replay.finish().same);
}

#[test]
fn time_passes_in_the_process_and_keys_reach_it() {
    let mut e = with_pod(POD);
    typed(&mut e, "kubectl debug -it box --image=busybox -c look");
    to_steady(&mut e);
    let output = type_all(&mut e, &["sleep 30; echo woke"]);
    assert!(output.ends_with("/ # sleep 30; echo woke\n") && prompt(&e).is_empty(), "{output}");
    assert!(!shell(&e).unwrap().reads);
    e.handle(Input::Interrupt);
    assert!(last(&e).output.ends_with("sleep 30; echo woke\n^C\n"), "{:?}", last(&e));
    assert_eq!(prompt(&e), "/ # ");
    e.handle(Input::Clear);
    assert!(last(&e).output.is_empty() && prompt(&e) == "/ # ");
    assert_eq!(type_all(&mut e, &["echo $?"]), "/ # echo $?\n130\n");
    // What empties a terminal is written by the process: another program reads the word as it reads every other.
    let output = type_all(&mut e, &["read x", "clear", "echo read $x"]);
    assert!(output.ends_with("/ # read x\nclear\n/ # echo read $x\nread clear\n"), "{output}");
    for line in ["clear", "reset"] {
        assert_eq!((type_all(&mut e, &[line]).as_str(), prompt(&e).as_str()), ("", "/ # "), "{line}");
        assert_eq!(type_all(&mut e, &["echo on"]), "/ # echo on\non\n", "{line}");
    }
    e.handle(Input::Back);
    e.handle(Input::Back);
    assert!(last(&e).output.ends_with("on\n"), "a step back brings it again: {:?}", last(&e));
    e.handle(Input::Step);
    e.handle(Input::Step);
    let ended = type_all(&mut e, &["\u{4}"]);
    assert!(ended.contains("Session ended") && shell(&e).is_none(), "{ended}");
}

#[test]
fn whoever_types_a_line_outside_lets_go_of_a_process_and_can_come_back() {
    let mut e = with_pod(POD);
    typed(&mut e, "kubectl debug -it box --image=busybox -c look");
    to_steady(&mut e);
    type_all(&mut e, &["A=kept"]);
    e.handle(Input::Outside("get pods -o name".into()));
    assert!(last(&e).output.contains("pod/box") && shell(&e).is_none());
    // Without a standard input the terminal is not asked for anything.
    for line in ["kubectl attach box -c look", "kubectl attach -t box -c look"] {
        let looks = typed(&mut e, line);
        assert_eq!((looks.output.as_str(), looks.waits), (RECORDED, true), "{line}");
        assert!(shell(&e).is_none(), "{line}");
    }
    // A client that can let time pass looks again after a second.
    let line = CommandLine { line: "attach box -c look".into(), files: Vec::new(), editor: false };
    let wait = e.session.command(line).waits.unwrap();
    assert!(matches!(wait.what, WaitFor::Attached(_)), "{wait:?}");
    assert_eq!(wait.until, Some(later(e.session.now(), jiff::SignedDuration::from_secs(1))));
    let again = typed(&mut e, "kubectl attach -it box -c look");
    assert_eq!((again.output.as_str(), prompt(&e).as_str()), (RECORDED, "/ # "));
    assert!(type_all(&mut e, &["echo $A"]).ends_with("/ # echo $A\nkept\n"));
    // The container goes with its pod, and the line with the container.
    e.handle(Input::Do("delete pod box --wait=false".into()));
    to_steady(&mut e);
    assert!(shell(&e).is_none());
}

#[test]
fn a_program_that_is_no_shell_shows_what_it_prints_and_one_that_has_ended_its_log() {
    let mut e = with_pod(POD);
    let over = typed(&mut e, "kubectl debug -it box --image=busybox -c once -- echo hi");
    assert!(over.waits);
    to_steady(&mut e);
    let over = last(&e);
    assert_eq!((over.output.as_str(), over.failed, over.waits), ("hi\n", false, false));
    let server = typed(&mut e, "kubectl attach box");
    let defaulted = format!("Defaulted container \"main\" out of: main, once (ephem)\n{RECORDED}");
    assert_eq!((server.output, server.waits), (defaulted, true));
    assert!(shell(&e).is_none());
    e.handle(Input::Do("exec box -- curl -s localhost".into()));
    to_steady(&mut e);
    assert!(last(&e).output.contains("GET / HTTP/1.1"), "{:?}", last(&e));
    e.handle(Input::Interrupt);
    assert!(last(&e).output.ends_with("^C\n"));
    for (line, says) in [
        ("kubectl attach", "error: at least 1 argument is required for attach"),
        ("kubectl attach none", "pods \"none\" not found"),
        (
            "kubectl attach box -c none",
            "error: cannot attach to the container: container none is not valid for pod box out of: main, once (ephem)",
        ),
        ("kubectl attach box --detach-keys=ctrl-a", "error: --detach-keys=ctrl-a cannot be had: "),
        ("kubectl attach box --pod-running-timeout=0", "--pod-running-timeout must be higher than zero"),
    ] {
        let entry = typed(&mut e, line);
        assert!(entry.failed && entry.output.contains(says), "{line}: {entry:?}");
    }
    assert!(typed(&mut e, "kubectl attach box -c main --detach-keys=ctrl-p,ctrl-q").waits);
    let refused = typed(&mut e, "kubectl attach -it box").output;
    assert!(
        refused.contains("\nerror: Unable to use a TTY - container main did not allocate one\n"),
        "{refused}"
    );
}

#[test]
fn a_copy_a_node_and_a_new_pod_are_attached_to() {
    let mut e = with_pod(POD);
    typed(&mut e, "kubectl debug box -it --copy-to=copy --container=main --image=busybox -- sh");
    to_steady(&mut e);
    assert_eq!((prompt(&e).as_str(), &*shell(&e).unwrap().pod), ("/ # ", "copy"));
    let ended = type_all(&mut e, &["exit"]);
    assert!(
        ended.ends_with(
            "Session ended, resume using 'kubectl attach copy -c main -n default -i -t' command\n"
        ),
        "{ended}"
    );
    let node = typed(&mut e, "kubectl debug node/node-1 -it --image=busybox").output;
    assert!(node.starts_with("Creating debugging pod node-debugger-node-1-"), "{node}");
    to_steady(&mut e);
    assert!(shell(&e).is_some_and(|s| s.container == "debugger"));
    type_all(&mut e, &["exit 3"]);
    typed(&mut e, "kubectl run -it --rm --image=busybox x --restart=Never -- sh");
    to_steady(&mut e);
    assert_eq!((prompt(&e).as_str(), &*shell(&e).unwrap().pod), ("/ # ", "x"));
    type_all(&mut e, &["echo hi", "exit 4"]);
    to_steady(&mut e);
    assert!(last(&e).holds, "it would delete the pod: {:?}", last(&e));
    e.handle(Input::Terminal(String::new()));
    let end = last(&e);
    assert!(
        end.output.ends_with("pod \"x\" deleted from default namespace\npod default/x terminated (Error)\n"),
        "{end:?}"
    );
    assert!(end.failed);
}

/// `handleAttachPod` and `removeCreatedObjects` of `pkg/cmd/run/run.go`: what the container has printed before comes first, and the object that
/// was made is the one that is attached to and removed, whatever its name.
#[test]
fn run_attaches_to_what_it_has_made_and_prints_what_was_printed_before() {
    let mut e = with_pod(POD);
    typed(&mut e, "kubectl run --attach --image=busybox early -- sh -c 'echo early; sleep infinity'");
    to_steady(&mut e);
    assert_eq!((last(&e).output, last(&e).waits), (format!("early\n{RECORDED}"), true));
    e.handle(Input::Interrupt);
    let named = r#"{"metadata":{"name":"other"},"spec":{"containers":[{"name":"main","image":"busybox","stdin":true,"stdinOnce":true,"tty":true}]}}"#;
    typed(&mut e, &format!("kubectl run -it --rm --image=busybox x --restart=Never --overrides='{named}'"));
    to_steady(&mut e);
    let view = shell(&e).unwrap();
    assert_eq!((view.prompt.as_str(), &*view.pod, &*view.container), ("/ # ", "other", "main"));
    type_all(&mut e, &["exit 3"]);
    to_steady(&mut e);
    e.handle(Input::Terminal(String::new()));
    let end = last(&e);
    assert!(
        end.output.ends_with(
            "pod \"other\" deleted from default namespace\npod default/other terminated (Error)\n"
        ),
        "{end:?}"
    );
    for (line, says) in [
        ("--pod-running-timeout=0s", "--pod-running-timeout must be higher than zero"),
        ("--detach-keys=ctrl-a", "--detach-keys=ctrl-a cannot be had"),
    ] {
        let entry = typed(&mut e, &format!("kubectl run -it --image=busybox none {line}"));
        assert!(entry.failed && entry.output.contains(says), "{entry:?}");
    }
    assert!(printed(&mut e, "get pod none").contains("NotFound"), "nothing was made");
    // Somebody else has removed the pod: the command says that it has not found it, and not that it has deleted it.
    typed(&mut e, "kubectl run -it --rm --image=busybox gone --restart=Never -- sh");
    to_steady(&mut e);
    e.handle(Input::Do("delete pod gone --force --grace-period=0".into()));
    to_steady(&mut e);
    let end = last(&e);
    assert!(end.failed && !end.output.contains("deleted"), "{end:?}");
    assert!(end.output.ends_with("Error from server (NotFound): pods \"gone\" not found\n"), "{end:?}");
}

#[test]
fn a_pod_that_may_not_be_removed_stays_and_the_terminal_reads_the_next_line() {
    let mut e = with_pod(POD);
    typed(
        &mut e,
        "kubectl create role eve --verb=get,create,watch,list --resource=pods,pods/attach,pods/log",
    );
    typed(&mut e, "kubectl create rolebinding eve --role=eve --user=eve");
    typed(&mut e, "kubectl run -it --rm --image=busybox x --restart=Never --as=eve -- sh");
    to_steady(&mut e);
    assert_eq!(prompt(&e), "/ # ", "{:?}", last(&e));
    type_all(&mut e, &["exit"]);
    to_steady(&mut e);
    assert!(last(&e).holds, "{:?}", last(&e));
    e.handle(Input::Terminal(String::new()));
    let end = last(&e);
    let refused = "Error from server (Forbidden): pods \"x\" is forbidden: User \"eve\" cannot delete resource \"pods\" in API group \"\" in the namespace \"default\"\n";
    assert!(end.output.ends_with(refused) && end.failed && !end.holds && !end.waits, "{end:?}");
    assert_eq!(typed(&mut e, "kubectl get pod x -o name").output, "pod/x\n");
}

#[test]
fn what_the_process_did_not_get_is_told() {
    let mut e = with_pod(POD);
    typed(&mut e, "kubectl debug -it box --image=busybox -c look");
    to_steady(&mut e);
    let node = printed(&mut e, "get pod box -o jsonpath={.spec.nodeName}");
    e.session.fault(&crate::cluster::Fault::NodeDown { node }).unwrap();
    let entries = e.shown().terminal.len();
    let lost = typed(&mut e, "echo lost");
    assert_eq!((lost.line.as_str(), lost.prompt.as_str(), lost.failed), ("echo lost", "/ # ", true));
    assert!(lost.output.starts_with("error: ") && e.shown().terminal.len() == entries + 1, "{lost:?}");
    assert!(e.shown().shell.is_none(), "the client has ended with its connection");
}

/// What is said to the person who has pressed a button.
fn said(out: &[Output]) -> Vec<String> {
    let notice = |o: &Output| match o {
        Output::Notice(n) => match &n.said {
            crate::engine::Said::Key(key, _) => Some(key.to_string()),
            other => Some(format!("{other:?}")),
        },
        _ => None,
    };
    out.iter().filter_map(notice).collect()
}

#[test]
fn a_step_says_that_the_process_waits_for_a_line_and_lets_time_pass_for_one_that_sleeps() {
    let mut e = with_pod(POD);
    typed(&mut e, "kubectl debug -it box --image=busybox -c look");
    to_steady(&mut e);
    assert!(shell(&e).unwrap().reads);
    let at = e.shown().at;
    assert_eq!(said(&e.handle(Input::Step)), ["step-reads"]);
    assert_eq!(said(&e.handle(Input::ToSteady)), ["step-reads"]);
    assert_eq!(e.shown().at, at);
    type_all(&mut e, &["sleep 30; echo woke"]);
    to_steady(&mut e);
    assert_eq!(said(&e.handle(Input::ToSteady)), ["steady-process"]);
    let clock = e.shown().clock;
    e.handle(Input::Step);
    assert_eq!(e.shown().clock, clock + 30_000);
    assert!(
        last(&e).output.ends_with("sleep 30; echo woke\nwoke\n") && shell(&e).unwrap().reads,
        "{:?}",
        last(&e)
    );
    // Time passes by a step of the run, which a step back takes back.
    e.handle(Input::Back);
    assert!(last(&e).output.ends_with("sleep 30; echo woke\n"), "{:?}", last(&e));
}

#[test]
fn what_is_typed_ahead_stays() {
    let mut e = with_pod(POD);
    typed(&mut e, "kubectl debug -it box --image=busybox -c look");
    to_steady(&mut e);
    let output = type_all(&mut e, &["sleep 5", "echo ahead"]);
    assert!(output.ends_with("/ # sleep 5\necho ahead\n"), "{output}");
    to_steady(&mut e);
    e.handle(Input::Step);
    assert!(last(&e).output.ends_with("echo ahead\n/ # echo ahead\nahead\n"), "{:?}", last(&e));
    assert_eq!(prompt(&e), "/ # ");
}

#[test]
fn a_line_that_is_taken_back_leaves_a_trace() {
    let mut e = with_pod(POD);
    e.handle(Input::InterruptLine("kubectl get po".into()));
    assert_eq!(last(&e).line, "kubectl get po^C");
    assert_eq!(typed(&mut e, "echo $?").output, "130\n");
    typed(&mut e, "kubectl exec -it box -- sh");
    e.handle(Input::InterruptLine("ls /e".into()));
    assert_eq!((last(&e).prompt.as_str(), last(&e).line.as_str()), ("# ", "ls /e^C"));
    assert_eq!(typed(&mut e, "echo $?").output, "130\n");
    typed(&mut e, "exit");
    typed(&mut e, "kubectl debug -it box --image=busybox -c look");
    to_steady(&mut e);
    e.handle(Input::InterruptLine("ls /e".into()));
    assert!(last(&e).output.ends_with("/ # ls /e^C\n"), "{:?}", last(&e));
    assert_eq!(prompt(&e), "/ # ");
    assert!(!shell(&e).unwrap().history.iter().any(|line| line.contains("ls /e")));
}

/// The text of an entry does not depend on whether somebody looks after each step or after the last one.
#[test]
fn run_prints_the_same_however_time_is_passed() {
    let script = "kubectl run -i --restart=Never --image=busybox x -- sh -c 'echo a; sleep 2; echo b >&2; sleep 2; echo c'";
    let printed = |pass: &dyn Fn(&mut Engine)| {
        let mut e = with_pod(POD);
        typed(&mut e, script);
        assert_eq!(
            e.shown().happened.as_ref(),
            &Happened::Requested(vec![crate::session::view::RequestWords {
                verb: "create".into(),
                object: "Pod x".into(),
            }])
        );
        pass(&mut e);
        last(&e)
    };
    let stepped = printed(&|e| {
        for _ in 0..80 {
            e.handle(Input::Step);
            while e.due().is_some() && e.must_end_first() {
                e.work();
            }
        }
    });
    let steady = printed(&|e| to_steady(e));
    assert_eq!(stepped.output, steady.output);
    assert!(steady.output.ends_with("b\nc\n") && !steady.failed, "{steady:?}");
}

#[test]
fn a_step_forward_is_the_inverse_of_a_step_back_in_a_session() {
    let mut e = with_pod(POD);
    let begun = e.shown().at;
    typed(&mut e, "kubectl debug -it box --image=busybox -c look");
    to_steady(&mut e);
    type_all(&mut e, &["echo one", "touch f", "echo two"]);
    let (at, output) = (e.shown().at, last(&e).output);
    for back in 1..=3 {
        (0..back).for_each(|_| drop(e.handle(Input::Back)));
        assert_ne!(e.shown().at, at);
        for _ in 0..back {
            e.handle(Input::Step);
        }
        assert_eq!((e.shown().at, last(&e).output), (at, output.clone()), "{back}");
    }
    // Somebody attaches once more, and goes back to where there is no such container yet.
    e.handle(Input::Outside("kubectl attach -it box -c look".into()));
    assert!(shell(&e).is_some());
    e.handle(Input::Goto(begun));
    while e.due().is_some() {
        e.work();
    }
    assert_eq!(shell(&e), None);
    e.handle(Input::Goto(at));
    while e.due().is_some() {
        e.work();
    }
    assert!(shell(&e).is_some());
    e.handle(Input::Goto(begun));
    while e.due().is_some() {
        e.work();
    }
    assert!(typed(&mut e, "kubectl get pods -o name").output.contains("pod/box"));
}
