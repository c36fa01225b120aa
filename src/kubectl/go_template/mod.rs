//! `-o go-template=…`: Go's `text/template` over JSON, with the functions that kubectl adds to it
//! (`k8s.io/cli-runtime/pkg/printers/template.go`).
//!
//! What needs methods or functions of Go values (`call`, method calls) is refused, as there are none in JSON.

mod eval;
mod functions;
mod lex;
mod parse;

use std::collections::BTreeMap;

use serde_json::Value;

/// How deep blocks, parentheses and templates may nest.
const MAX_DEPTH: usize = 20;
/// How much a template may print.
const MAX_OUTPUT: usize = 4_000_000;
/// How many nodes and items it may visit.
const MAX_STEPS: usize = 200_000;

/// A parsed template.
pub(super) struct Template {
    text: String,
    nodes: Vec<Node>,
    /// What `define` and `block` named.
    named: BTreeMap<String, Vec<Node>>,
}

/// One part of a template.
enum Node {
    Text(String),
    Print(Pipeline),
    If(Branch),
    With(Branch),
    Range(Branch),
    Break,
    Continue,
    /// `{{template "name" pipeline}}`, with the place of its name.
    Template(usize, String, Option<Pipeline>),
}

/// A block that is carried out for a value, and the one for no value.
struct Branch {
    pipeline: Pipeline,
    body: Vec<Node>,
    other: Vec<Node>,
}

/// `$i, $x := command | command`
struct Pipeline {
    /// The variables that get the value.
    variables: Vec<String>,
    /// Whether the variables are new (`:=`).
    declares: bool,
    commands: Vec<Command>,
}

/// A function with its arguments, or an operand alone.
struct Command {
    /// Where it begins, in bytes.
    at: usize,
    /// As it stands in the template.
    text: String,
    operands: Vec<Operand>,
}

/// Something that has a value.
struct Operand {
    /// Where Go says that it is.
    at: usize,
    text: String,
    base: Base,
    /// `.a.b` after it.
    fields: Vec<String>,
}

/// What an operand begins with.
enum Base {
    Dot,
    Literal(Value),
    Variable(String),
    Function(String),
    Parenthesized(Pipeline),
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Go's words.
    pub(super) fn parse(text: &str) -> Result<Template, String> {
        let (nodes, named) = parse::template(text)?;
        Ok(Template { text: text.to_owned(), nodes, named })
    }

    /// What the template prints for a value. With `strict` a key that is missing is an error.
    ///
    /// # Errors
    /// Go's words.
    pub(super) fn render(&self, value: &Value, strict: bool) -> Result<String, String> {
        eval::render(self, value, strict)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn render(template: &str) -> Result<String, String> {
        let value = serde_json::json!({
            "items": [{"name": "a", "n": 1}, {"name": "b"}], "m": {"x/y": "z"}, "b": "aGk=", "no": null,
        });
        Template::parse(template)?.render(&value, false)
    }

    #[test]
    fn templates() {
        for (template, want) in [
            ("{{range .items}}{{.name}}{{\"\\n\"}}{{end}}", "a\nb\n"),
            ("{{range .items}}{{if .n}}{{.n}}{{else}}-{{end}}{{end}}", "1-"),
            ("{{len .items}} {{.nothing}} {{index .m \"x/y\"}}", "2 <no value> z"),
            ("plain", "plain"),
            ("{{.b | base64decode}}", "hi"),
            ("{{.b | base64decode | printf \"%s-%03d|%q\" \"a\" 7}}", "a-007|\"hi\""),
            ("{{range $i, $x := .items}}{{$i}}={{$x.name}};{{end}}", "0=a;1=b;"),
            ("{{range $k, $v := .m}}{{$k}}:{{$v}}{{end}}", "x/y:z"),
            ("{{range .none}}x{{else}}empty{{end}}", "empty"),
            ("{{$n := 1}}{{range .items}}{{$n = 2}}{{end}}{{$n}}", "2"),
            ("{{with .m}}{{len .}}{{end}}{{with .none}}x{{else}}y{{end}}", "1y"),
            ("{{if eq .b \"x\" \"aGk=\"}}same{{else if true}}other{{end}}", "same"),
            ("{{if and (gt (len .items) 1) (not .no)}}many{{end}}", "many"),
            ("{{or .no \"default\"}} {{and 1 .b}}", "default aGk="),
            ("{{(index .items 0).name}}", "a"),
            ("a {{- /* gone */ -}} b {{- 1 -}} c", "ab1c"),
            ("{{range .items}}{{if eq .name \"b\"}}{{break}}{{end}}{{.name}}{{end}}", "a"),
            ("{{range .items}}{{if .n}}{{continue}}{{end}}{{.name}}{{end}}", "b"),
            ("{{define \"t\"}}<{{.}}>{{end}}{{template \"t\" .b}}", "<aGk=>"),
            ("{{exists .m \"x/y\"}} {{exists .m \"x\"}}", "true false"),
            ("{{println 1 \"a\"}}{{print 1 2 \"a\"}}{{html \"<a>\"}}", "1 a\n1 2a&lt;a&gt;"),
            ("{{slice \"abcd\" 1 3}} {{`raw\\n`}} {{'a'}} {{1.5}}", "bc raw\\n 97 1.5"),
            ("{{.}}", "map[b:aGk= items:[map[n:1 name:a] map[name:b]] m:map[x/y:z] no:<nil>]"),
        ] {
            assert_eq!(render(template).as_deref(), Ok(want), "{template}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_gos_words() {
        for (template, want) in [
            ("{{.a", "template: output:1: unclosed action"),
            ("{{range .a}}", "template: output:1: unexpected EOF"),
            ("{{end}}", "template: output:1: unexpected {{end}}"),
            ("a\n{{foo .a .b}}", "template: output:2: function \"foo\" not defined"),
            ("{{}}", "template: output:1: missing value for command"),
            ("{{$x}}", "template: output:1: undefined variable \"$x\""),
            (
                "{{.b.c.d}}",
                "template: output:1:4: executing \"output\" at <.b.c.d>: can't evaluate field c in type interface {}",
            ),
            (
                "{{base64decode \"?\"}}",
                "template: output:1:2: executing \"output\" at <base64decode \"?\">: error calling base64decode: base64 decode failed: illegal base64 data at input byte 0",
            ),
            (
                "{{index .items 7}}",
                "template: output:1:2: executing \"output\" at <index .items 7>: error calling index: reflect: slice index out of range",
            ),
        ] {
            assert_eq!(render(template), Err(want.to_owned()), "{template}");
        }
        let strict = Template::parse("{{.x}}").unwrap().render(&serde_json::json!({}), true);
        let want = "template: output:1:2: executing \"output\" at <.x>: map has no entry for key \"x\"";
        assert_eq!(strict, Err(want.to_owned()));
        let deep = "{{(".repeat(50);
        assert!(Template::parse(&deep).is_err());
    }
}
