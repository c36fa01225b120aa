//! Scripts with what bash has beyond POSIX, and scripts that cannot be read to their end.

use super::*;

fn bash(script: &str) -> Program {
    program(&["bash", "-c", script], Tools::Gnu)
}

/// Scripts of bash that end at once, with what they print and their code, as bash 5.2 does.
const SCRIPTS: &[(&str, &str, i32)] = &[
    ("a=(x 'y z'); echo ${a[1]} $a ${#a[@]} ${#a[1]}", "y z x 2 3\n", 0),
    ("a=(x 'y z' w); for i in \"${a[@]}\"; do echo \"[$i]\"; done", "[x]\n[y z]\n[w]\n", 0),
    ("a=(x y z); echo \"${a[*]}\" ${a[-1]} \"${a[@]:1}\" \"${a[@]:0:2}\"", "x y z z y z x y\n", 0),
    (
        "a=(1); a+=(2 3); a[5]=6; echo ${a[@]} ${!a[@]}; unset 'a[1]'; echo ${a[@]}",
        "1 2 3 6 0 1 2 5\n1 3 6\n",
        0,
    ),
    ("i=1; a=(x y); echo ${a[i]} ${a[$i]} ${a[i-1]} ${a[7]:-none}", "y y x none\n", 0),
    ("declare -A m; m[k]=v; m[l]='w x'; echo ${m[k]} ${m[l]} ${#m[@]} \"${m[none]}\"", "v w x 2 \n", 0),
    ("declare -A m=([b]=2 [a]=1); unset 'm[b]'; echo ${!m[@]} ${m[a]}", "a 1\n", 0),
    ("f() { local a=(x y); echo ${a[1]}; }; a=(1 2); f; echo ${a[1]}", "y\n2\n", 0),
    ("s=a; s+=b; echo $s; n=s; echo ${!n}", "ab\nab\n", 0),
    ("printf 'a b\\nc\\n' > f; mapfile -t l < f; echo ${#l[@]} \"${l[0]}\"", "2 a b\n", 0),
    ("read -a w <<< 'a b c'; echo ${w[2]}", "c\n", 0),
    ("a=(a.txt b.txt); echo ${a[@]%.txt} ${a[@]/b/c}", "a b a.txt c.txt\n", 0),
    ("[[ web-2 =~ -([0-9]+)$ ]] || exit 1; echo ${BASH_REMATCH[1]} ${BASH_REMATCH[0]}", "2 -2\n", 0),
    ("[[ web =~ -([0-9]+)$ ]] || echo no ${#BASH_REMATCH[@]}", "no 0\n", 0),
    ("[[ 'a b' =~ ^(a|c)\\ (b)$ && -n x ]] && echo ${BASH_REMATCH[2]}", "b\n", 0),
    ("[[ a.c =~ a'.'c ]] && echo yes; [[ abc =~ a\".\"c ]] || echo no", "yes\nno\n", 0),
    ("r='^(v)([0-9]+)'; [[ v12 =~ $r ]]; echo ${BASH_REMATCH[2]}", "12\n", 0),
    ("set -- a b c; echo ${@:2}", "b c\n", 0),
];

/// The GNU Bash manual, "Arrays" and "Compound Commands".
#[test]
fn arrays_and_groups_are_those_of_bash() {
    for (script, out, code) in SCRIPTS {
        let p = bash(script);
        assert_eq!((printed(&p, 0).0.as_str(), ends(&p)), (*out, Some((0, *code))), "{script}");
    }
}

/// POSIX, "Shell Command Language": a shell reads and executes its input line by line.
#[test]
fn what_stands_before_a_line_that_cannot_be_read_is_executed() {
    let p = bash("echo before\nfor in\necho after");
    let (out, err) = printed(&p, 0);
    assert_eq!((out.as_str(), ends(&p)), ("before\n", Some((0, 2))));
    assert!(err.starts_with("bash: line 3: syntax error: "), "{err}");
    // A line is read as a whole before its first command is executed.
    let p = bash("echo before; echo (x\necho after");
    assert_eq!((printed(&p, 0).0.as_str(), ends(&p)), ("", Some((0, 2))));
    // An array is no syntax of a POSIX shell.
    let p = sh("echo before\na=(x y)");
    assert_eq!((printed(&p, 0).0.as_str(), ends(&p)), ("before\n", Some((0, 2))));
    assert!(printed(&p, 0).1.contains("syntax error"));
    // A shell that has ended does not read on.
    assert_eq!(ends(&bash("exit 3\necho (")), Some((0, 3)));
}

#[test]
fn tail_follows_a_file_while_others_write_it() {
    let p = sh("(while sleep 1; do date +%S >> /tmp/log; done) & tail -n+1 -F /tmp/log");
    assert_eq!((printed(&p, 3).0.as_str(), ends(&p)), ("01\n02\n03\n", None));
    let p = sh("echo a > /tmp/x; (sleep 2; echo b >> /tmp/x; sleep 2; echo c > /tmp/x) & tail -f /tmp/x");
    assert_eq!(printed(&p, 1).0, "a\n");
    assert_eq!(printed(&p, 9).0, "a\nb\nc\n");
}

#[test]
fn a_program_that_is_to_count_as_missing_is_not_found() {
    let of = |script: &str| Program { unknown: Unknown::Missing, complete: false, ..sh(script) };
    for script in ["nginx -v", "tar --version", "/app/run"] {
        let p = of(script);
        let (out, err) = printed(&p, 0);
        assert_eq!((out.as_str(), ends(&p)), ("", Some((0, 127))), "{script}");
        assert!(err.ends_with(": not found\n"), "{err}");
    }
    let p = of("cat /etc/nginx/nginx.conf");
    assert_eq!(ends(&p), Some((0, 1)));
    assert!(
        is_built(&p, "cat") && is_built(&p, "/bin/sh") && !is_built(&p, "tar") && !is_built(&p, "/opt/cat")
    );
}
