use super::parse;

fn errors(source: &str) -> Vec<String> {
    let Err(issues) = parse(source, false) else { return Vec::new() };
    issues
        .each()
        .map(|(at, m)| at.map_or(m.to_owned(), |(line, column)| format!("{line}:{column}: {m}")))
        .collect()
}

const EXPR: &str = "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/// What kube-apiserver answered (`shared/conformance/api`) and what cel-go's own tests say (`parser/parser_test.go`).
#[test]
fn syntax_errors_are_antlrs() {
    let fields = "expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}";
    let mismatched = |at: &str, what: &str| format!("{at}: Syntax error: mismatched input '{what}' {EXPR}");
    let eof = |at: &str| mismatched(at, "<EOF>");
    let said = |at: &str, what: &str| format!("{at}: Syntax error: {what}");
    for (source, expected) in [
        ("self >", vec![eof("1:7")]),
        ("object.data.", vec![said("1:13", "no viable alternative at input '.'")]),
        ("Object{", vec![said("1:8", &format!("mismatched input '<EOF>' {fields}"))]),
        (
            "*@a | b",
            vec![
                said("1:1", &format!("extraneous input '*' {EXPR}")),
                said("1:2", "token recognition error at: '@'"),
                said("1:5", "token recognition error at: '| '"),
                said("1:7", "extraneous input 'b' expecting <EOF>"),
            ],
        ),
        ("TestAllTypes{}()", vec![said("1:15", "mismatched input '(' expecting <EOF>")]),
        ("1 + $", vec![said("1:5", "token recognition error at: '$'"), eof("1:6")]),
        ("1 + 2\n3 +", vec![said("2:1", "mismatched input '3' expecting <EOF>")]),
        ("{\"a\": 1}.\"a\"", vec![said("1:10", "no viable alternative at input '.\"a\"'")]),
        (
            r#""\a\b\f\n\r\t\v\'\"\\\? Illegal escape \>""#,
            vec![
                said("1:1", r#"token recognition error at: '"\a\b\f\n\r\t\v\'\"\\\? Illegal escape \>'"#),
                said("1:42", "token recognition error at: '\"'"),
                eof("1:43"),
            ],
        ),
        ("in", vec![mismatched("1:1", "in"), eof("1:3")]),
        (
            "func{{a}}",
            vec![
                said("1:6", &format!("extraneous input '{{' {fields}")),
                said("1:8", "mismatched input '}' expecting ':'"),
                said("1:9", "extraneous input '}' expecting <EOF>"),
            ],
        ),
        (
            "msg{:a}",
            vec![
                said("1:5", &format!("extraneous input ':' {fields}")),
                said("1:7", "mismatched input '}' expecting ':'"),
            ],
        ),
        ("{a}", vec![said("1:3", "mismatched input '}' expecting ':'")]),
        ("ind[a{b}]", vec![said("1:8", "mismatched input '}' expecting ':'")]),
        ("--", vec![said("1:3", "no viable alternative at input '-'"), eof("1:3")]),
        ("?", vec![mismatched("1:1", "?"), eof("1:2")]),
        ("self.true == 1", vec![said("1:6", "mismatched input 'true' expecting IDENTIFIER")]),
        ("x{.", vec![said("1:3", &format!("mismatched input '.' {fields}"))]),
        ("(self", vec![said("1:6", "missing ')' at '<EOF>'")]),
    ] {
        assert_eq!(errors(source), expected, "{source}");
    }
}

#[test]
fn what_the_grammar_allows_may_still_be_wrong() {
    for (source, expected) in [
        ("0xFFFFFFFFFFFFFFFFFu", vec!["1:1: invalid uint literal"]),
        ("1.99e90000009", vec!["1:1: invalid double literal"]),
        ("has(m)", vec!["1:5: invalid argument to has() macro"]),
        ("m.filter(a.b, false)", vec!["1:11: argument is not an identifier"]),
        ("as", vec!["1:1: reserved identifier: as"]),
        (
            "[1, 2, 3].map(var, var * var)",
            vec![
                "1:15: reserved identifier: var",
                "1:15: argument is not an identifier",
                "1:20: reserved identifier: var",
                "1:26: reserved identifier: var",
            ],
        ),
        ("x.all(1, true)", vec!["1:7: argument must be a simple name"]),
        ("x.all(a, a, true)", vec!["1:10: duplicate variable name: a"]),
        ("self.`a-b`", vec!["1:6: unsupported syntax: '`'"]),
        (r"'\udead' == '\ufffd'", vec!["1:1: invalid unicode code point"]),
    ] {
        assert_eq!(errors(source), expected, "{source}");
    }
}

#[test]
fn what_is_right_is_read() {
    for source in [
        "a ? b : c ? d : e",
        "!a && !!b || -c.d < - -1",
        "a.?b.orValue([?c, d,])[?0] in {'x': 1, ?'y': z,}",
        ".a.b{c: 1, ?d: e}",
        "x.all(i, v, i < v) // said",
        "a.b.c(d).e[0]",
        "r'\\' + b'a' + br\"\\\" + '''a\n'b'''",
        "1u + 0xfu - .5e3 % 1e-1 == -0x1",
        "a.map(x, x > 1, x).exists_one(y, y == 1)",
        "has(a.b.c) && a.transformMap(k, v, v != '', k + v).size() == 1",
    ] {
        assert_eq!(errors(source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn nesting_has_a_bound() {
    let of = |n: usize, open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let deep = [of(90, "(", "1", ")"), of(90, "[", "1", "]"), of(90, "f(", "1", ")"), of(240, "1+", "1", "")];
    for source in deep {
        assert_eq!(errors(&source), Vec::<String>::new());
    }
    for source in [of(40_000, "(", "1", ")"), of(20_000, "a?b:", "c", ""), of(30_000, "[", "1", "]")] {
        assert_eq!(errors(&source), ["expression recursion limit exceeded: 100"]);
    }
    for source in [of(40_000, "1+", "1", ""), of(40_000, "", "a", ".b"), of(20_000, "", "a", ".b()")] {
        assert_eq!(errors(&source), ["max recursion depth exceeded"]);
    }
    let long = "a".repeat(100_001);
    assert_eq!(errors(&long), ["expression code point size exceeds limit: size: 100001, limit 100000"]);
    let copies = format!("a{}", ".optMap(b, b)".repeat(100));
    assert_eq!(errors(&copies), ["expression has more than 200000 nodes"]);
    assert_eq!(errors(&of(10_000, "a || ", "b", "")), Vec::<String>::new());
}
