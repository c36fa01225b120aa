//! Programs whose input somebody writes while they run: BusyBox' `shell/ash.c` (`cmdloop`, `setprompt_if`), POSIX' `sh` and, of a terminal,
//! chapter 11 (General Terminal Interface).
use super::*;

fn at(p: &Program, seconds: i64) -> Timestamp {
    crate::api::later(p.start, SignedDuration::from_secs(seconds))
}

/// What a program with these lines has printed until a moment, each line typed so many seconds after the start, and how it ends.
fn typed(p: &Program, lines: &[(i64, &str)], until: i64) -> (String, Option<(i128, i32)>) {
    let typed =
        lines.iter().map(|(after, text)| Typed { at: at(p, *after), text: (*text).into(), closes: false });
    let world = World { typed: typed.collect(), ..World::default() };
    let now = run(p, &world, &Nobody, Until::Moment(at(p, until)));
    let text = now.output.iter().map(|o| o.text.as_str()).collect();
    let end = match run(p, &world, &Nobody, Until::End).end {
        End::Exit(at, code) => Some((at.duration_since(p.start).as_millis(), code)),
        End::Runs => None,
    };
    (text, end)
}

fn shell(words: &[&str], tools: Tools) -> Program {
    Program { stdin: true, terminal: true, directory: "/".into(), ..program(words, tools) }
}

#[test]
fn a_shell_prompts_for_its_commands_and_echoes_them() {
    let p = shell(&["sh"], Tools::Busybox);
    assert_eq!(typed(&p, &[], 9), ("/ # ".into(), None), "it waits");
    let lines =
        [(1, "A='a b'; cd /tmp\n"), (2, "echo \"$A\" >&2\n"), (3, "\n"), (4, "false\n"), (5, "exit\n")];
    assert_eq!(typed(&p, &lines, 2).0, "/ # A='a b'; cd /tmp\n/tmp # echo \"$A\" >&2\na b\n/tmp # ");
    let (text, end) = typed(&p, &lines, 9);
    assert!(text.ends_with("/tmp # \n/tmp # false\n/tmp # exit\n"), "{text}");
    assert_eq!(end, Some((5000, 1)), "with the status of the last command");
    let bash = shell(&["bash"], Tools::Gnu);
    assert_eq!(typed(&bash, &[(1, "exit 3\n")], 1), ("root@web-0:/# exit 3\nexit\n".into(), Some((1000, 3))));
    assert_eq!(typed(&shell(&["sh"], Tools::Gnu), &[(0, "cd\n")], 1).0, "# cd\n# ");
    let (text, _) = typed(&p, &[(0, "PS1='\\w> '\n"), (0, "for i in 1 2\ndo echo $i\ndone\n")], 1);
    assert_eq!(text, "/ # PS1='\\w> '\n/> for i in 1 2\n> do echo $i\n> done\n1\n2\n/> ");
}

#[test]
fn a_terminal_that_nobody_can_type_into_has_a_prompt_all_the_same() {
    let p = Program { stdin: false, ..shell(&["sh"], Tools::Busybox) };
    assert_eq!(typed(&p, &[], 9), ("/ # ".into(), None));
    let reads = Program { stdin: false, ..shell(&["sh", "-c", "read x; echo read"], Tools::Busybox) };
    assert_eq!(typed(&reads, &[], 9), (String::new(), None));
}

/// BusyBox' `console-tools/clear.c` and `reset.c`; ncurses' `progs/clear.c` with the entry `xterm` of its database.
#[test]
fn a_program_empties_the_terminal() {
    let [busybox, ncurses, reset] = CLEARING;
    let of = |p: &Program, line: &str| typed(p, &[(0, line)], 1).0;
    let p = shell(&["sh"], Tools::Busybox);
    assert_eq!(of(&p, "clear\n"), format!("/ # clear\n{busybox}/ # "));
    assert_eq!(of(&p, "reset\n"), format!("/ # reset\n{reset}/ # "));
    let p = shell(&["sh"], Tools::Gnu);
    assert_eq!(of(&p, "clear\n"), format!("# clear\n{ncurses}# "));
    let p = Program { terminal: false, ..p };
    assert_eq!(of(&p, "clear || echo none\n"), "TERM environment variable not set.\nnone\n");
    let p = Program { terminal: false, ..shell(&["sh"], Tools::Busybox) };
    assert_eq!(of(&p, "reset; echo on\n"), "on\n");
}

#[test]
fn a_mistake_does_not_end_the_shell_of_a_person() {
    let p = shell(&["sh"], Tools::Busybox);
    let lines = [
        (0, "done\n"),
        (0, "echo $?\n"),
        (0, ": ${none?is not set}\n"),
        (0, "nothing\n"),
        (0, "(exit 4)\n"),
        (0, "echo $?\n"),
    ];
    let (text, end) = typed(&p, &lines, 1);
    assert_eq!(end, None, "{text}");
    assert!(text.contains("/ # done\nsh: syntax error: unexpected \"done\"\n/ # echo $?\n2\n"), "{text}");
    assert!(text.contains("is not set\n/ # nothing\nsh: nothing: not found\n"), "{text}");
    assert!(text.ends_with("/ # echo $?\n4\n/ # "), "{text}");
    // What ends a copy of the shell, or another shell within it, does not end the shell, whatever fails behind it on the line.
    for left in ["(exit 4)", "echo $(exit 4)", "exit 4 | cat", "sh -c 'exit 4'", "(trap 'exit 3' EXIT)"] {
        let line = format!("{left}; : ${{none?is not set}}\n");
        let (text, end) = typed(&p, &[(0, &line), (0, "echo here\n")], 1);
        assert!(end.is_none() && text.ends_with("/ # echo here\nhere\n/ # "), "{text}");
    }
    assert_eq!(typed(&p, &[(0, "(exit 4); exit 5\n")], 1).1, Some((0, 5)));
    // Without a terminal the same input is a script, which ends at a mistake.
    let script = Program { terminal: false, ..p };
    assert_eq!(typed(&script, &[(1, "echo a\n"), (2, "done\n")], 3).1, Some((2000, 2)));
    assert_eq!(typed(&script, &[(1, "echo a\n")], 3), ("a\n".into(), None));
}

#[test]
fn commands_take_their_time_and_read_what_is_typed() {
    let p = shell(&["sh"], Tools::Busybox);
    let lines = [(1, "sleep 5; echo woke\n"), (2, "echo ahead\n")];
    // What is typed ahead is echoed at once and kept: the shell shows it once more as it reads it.
    assert_eq!(typed(&p, &lines, 1).0, "/ # sleep 5; echo woke\n");
    assert_eq!(typed(&p, &lines, 5).0, "/ # sleep 5; echo woke\necho ahead\n");
    assert_eq!(
        typed(&p, &lines, 6).0,
        "/ # sleep 5; echo woke\necho ahead\nwoke\n/ # echo ahead\nahead\n/ # "
    );
    // Also in the same moment: the second line was typed into the command that the first one has begun.
    let lines = [(1, "sleep 5\n"), (1, "echo ahead\n")];
    assert_eq!(typed(&p, &lines, 1).0, "/ # sleep 5\necho ahead\n");
    assert!(typed(&p, &lines, 6).0.ends_with("\necho ahead\n/ # echo ahead\nahead\n/ # "));
    // A command that ends at once has ended before the next line is typed.
    assert_eq!(typed(&p, &[(1, "sleep 0\n"), (1, "echo a\n")], 1).0, "/ # sleep 0\n/ # echo a\na\n/ # ");
    // Lines that come as one text are there when the first one is read.
    assert_eq!(typed(&p, &[(1, "sleep 5\necho ahead\n")], 1).0, "/ # sleep 5\n");
    assert_eq!(typed(&p, &[(1, "true\n"), (1, "echo a\n")], 1).0, "/ # true\n/ # echo a\na\n/ # ");
    // A command that reads what was typed ahead does not show it again.
    assert_eq!(
        typed(&p, &[(1, "sleep 5; read x; echo \"[$x]\"\n"), (2, "hi\n")], 6).0,
        "/ # sleep 5; read x; echo \"[$x]\"\nhi\n[hi]\n/ # "
    );
    let lines =
        [(1, "read x; echo \"[$x]\"\n"), (3, "hello\n"), (4, "sort\n"), (5, "b\n"), (6, "a\n"), (7, "\u{4}")];
    assert_eq!(typed(&p, &lines, 3).0, "/ # read x; echo \"[$x]\"\nhello\n[hello]\n/ # ");
    assert!(typed(&p, &lines, 9).0.ends_with("/ # sort\nb\na\na\nb\n/ # "));
}

#[test]
fn keys_interrupt_a_command_and_end_the_input() {
    let p = shell(&["sh"], Tools::Busybox);
    let lines = [(1, "sleep 100\n"), (2, "echo lost\n"), (3, "\u{3}"), (4, "echo $?\n"), (5, "\u{4}")];
    let (text, end) = typed(&p, &lines, 9);
    assert_eq!(text, "/ # sleep 100\necho lost\n^C\n/ # echo $?\n130\n/ # \n");
    let at_once = [(1, "sleep 100\n"), (1, "echo lost\n"), (1, "\u{3}"), (1, "echo $?\n")];
    assert_eq!(typed(&p, &at_once, 1).0, "/ # sleep 100\necho lost\n^C\n/ # echo $?\n130\n/ # ");
    // A line that is taken back stands there.
    assert_eq!(
        typed(&p, &[(1, "echo ha\u{3}"), (1, "echo on\n")], 1).0,
        "/ # echo ha^C\n/ # echo on\non\n/ # "
    );
    assert_eq!(end, Some((5000, 0)));
    // At a prompt it gives another prompt, and a loop that never waits ends with it, too.
    assert_eq!(typed(&p, &[(1, "\u{3}")], 2).0, "/ # ^C\n/ # ");
    let (text, _) = typed(&p, &[(1, "while :; do :; done\n"), (2, "\u{3}"), (3, "echo on\n")], 4);
    assert!(text.ends_with("^C\n/ # echo on\non\n/ # "), "{text}");
    // What runs in the background goes on.
    let (text, _) = typed(&p, &[(1, "(sleep 3; echo bg) &\n"), (2, "\u{3}")], 9);
    assert!(text.contains("bg\n") && text.contains("^C\n"), "{text}");
    // The first process of a container handles no SIGINT unless it is a shell.
    let sleep = shell(&["sleep", "100"], Tools::Busybox);
    assert_eq!(typed(&sleep, &[(1, "\u{3}")], 9).1, Some((100_000, 0)));
    let other = Program { first: false, ..sleep };
    assert_eq!(typed(&other, &[(1, "\u{3}")], 9).1, Some((1000, 130)));
}

#[test]
fn an_input_that_is_closed_ends_the_script() {
    let p = Program { stdin: true, ..program(&["sh"], Tools::Busybox) };
    let typed =
        |closes| -> Rc<[Typed]> { vec![Typed { at: at(&p, 1), text: "echo hi\n".into(), closes }].into() };
    let end = |closes| run(&p, &World { typed: typed(closes), ..World::default() }, &Nobody, Until::End).end;
    assert_eq!((end(false), end(true)), (End::Runs, End::Exit(at(&p, 1), 0)));
}

/// A person waits for an answer, so a program that is not built here is not waited for: an image has it or not (POSIX, `sh`, 2.8.2).
#[test]
fn a_program_that_is_not_played_says_so() {
    let p = shell(&["sh"], Tools::Busybox);
    let lines =
        [(1, "top; echo $?\n"), (1, "dig; echo $?\n"), (1, "stty -echo || chroot /\n"), (1, "tty | cat\n")];
    let (text, _) = typed(&p, &lines, 1);
    let not = |name: &str| format!("{name}: the image has this program, and it is not played here\n");
    assert!(text.contains(&format!("{}126\n", not("top"))), "{text}");
    assert!(text.contains("sh: dig: not found\n127\n"), "{text}");
    assert!(text.contains(&format!("{}{}", not("stty"), not("chroot"))), "{text}");
    assert!(text.ends_with(&format!("{}/ # ", not("tty"))), "{text}");
    let (text, _) = typed(&p, &[(1, "history; echo $?\n")], 1);
    assert!(text.contains("history: the shell has this command, and it is not played here\n126\n"), "{text}");
    // Of an image that nobody knows as a whole a program counts as missing, and in a script that nobody waits for it runs.
    let gnu = Program { complete: false, ..shell(&["bash"], Tools::Gnu) };
    let (text, _) = typed(&gnu, &[(1, "dig\n"), (1, "echo $?\n")], 1);
    assert!(text.contains("dig: command not found\n") && text.contains("\n127\n"), "{text}");
    let script = shell(&["sh", "-c", "top; echo over"], Tools::Busybox);
    assert_eq!(typed(&script, &[], 9), (String::new(), None));
}

#[test]
fn who_reads_is_told_from_who_waits_for_time() {
    let p = shell(&["sh"], Tools::Busybox);
    let reads = |lines: &[(i64, &str)]| {
        let typed = lines.iter().map(|(after, text)| Typed {
            at: at(&p, *after),
            text: (*text).into(),
            closes: false,
        });
        let world = World { typed: typed.collect(), ..World::default() };
        run(&p, &world, &Nobody, Until::Moment(at(&p, 2))).reads
    };
    assert!(reads(&[]) && reads(&[(1, "read x\n")]) && reads(&[(1, "cat\n")]));
    assert!(!reads(&[(1, "sleep 5\n")]) && !reads(&[(1, "sleep infinity\n")]) && !reads(&[(1, "exit\n")]));
    assert!(reads(&[(0, "sleep 1\n"), (1, "\u{3}")]));
}
