#![allow(clippy::unwrap_used)]
use super::*;
use serde_json::json;

fn value(text: &str) -> Value {
    documents(text, &Limits::default()).unwrap().remove(0).value
}

fn error(text: &str) -> YamlError {
    documents(text, &Limits::default()).unwrap_err()
}

#[test]
fn scalars_are_yaml_1_1() {
    for (text, want) in [
        ("yes", json!(true)),
        ("off", json!(false)),
        ("y", json!(true)),
        ("\"yes\"", json!("yes")),
        ("!!str yes", json!("yes")),
        ("010", json!(8)),
        ("0o10", json!(8)),
        ("08", json!(8)),
        ("0x1F", json!(31)),
        ("0b11", json!(3)),
        ("1_000", json!(1000)),
        ("-5", json!(-5)),
        ("+5", json!(5)),
        ("1.50", json!(1.5)),
        ("1e3", json!(1000)),
        (".5", json!(0.5)),
        ("18446744073709551615", json!(18446744073709551615u64)),
        ("12:30", json!("12:30")),
        ("2024-01-01", json!("2024-01-01")),
        ("1.2.3", json!("1.2.3")),
        ("100m", json!("100m")),
        ("25%", json!("25%")),
        ("nginx:1.27", json!("nginx:1.27")),
        ("a_b", json!("a_b")),
        ("_1", json!("_1")),
        ("Null", Value::Null),
    ] {
        assert_eq!(value(&format!("a: {text}"))["a"], want, "{text}");
    }
}

#[test]
fn maps_merge_and_keys_become_text() {
    let v = value(
        "base: &b {a: 1, b: 2}\nx:\n  <<: *b\n  b: 3\nz:\n  <<: [*b, {a: 9, c: 4}]\n1: one\ntrue: t\n1.5: f\n",
    );
    assert_eq!(v["x"], json!({"a": 1, "b": 3}));
    assert_eq!(v["z"], json!({"a": 1, "b": 2, "c": 4}));
    assert_eq!((&v["1"], &v["true"], &v["1.5"]), (&json!("one"), &json!("t"), &json!("f")));
    assert_eq!(error("x:\n  <<: 1\n").message, "map merge requires map or sequence of maps as the value");
}

#[test]
fn several_documents() {
    let text = "# nothing\n---\na: 1\n--- # two\n\nb: |\n  x\n   y\n---\n---\nnull\n---   \nc: 3";
    let d = documents(text, &Limits::default()).unwrap();
    let values: Vec<_> = d.iter().map(|d| d.value.clone()).collect();
    assert_eq!(values, [json!({"a": 1}), json!({"b": "x\n y\n"}), json!({"c": 3})]);
    assert_eq!(d.iter().map(|d| d.start_line).collect::<Vec<_>>(), [3, 5, 13]);
    assert_eq!(d[0].text, "a: 1\n");
    assert_eq!(position_of(text, 1, "b"), Some((6, 1)));
    assert_eq!(position_of(text, 2, "c"), Some((13, 1)));
    assert!(documents("", &Limits::default()).unwrap().is_empty());
    let d = documents("a: 1\n...\n--- {b: 2}\n", &Limits::default()).unwrap();
    assert_eq!((d.len(), d[0].warnings[0].line), (1, 3));
}

#[test]
fn json_is_accepted() {
    let text = "{\"a\": 1,\n\t\"b\": [true]}\n{\"c\": null}\n";
    let d = documents(text, &Limits::default()).unwrap();
    assert_eq!((&d[0].value, &d[1].value), (&json!({"a": 1, "b": [true]}), &json!({"c": null})));
    assert_eq!((d[0].start_line, d[1].start_line), (1, 3));
    // A text that is almost JSON is YAML.
    assert_eq!(value("{\"a\": 1, b: 2,}"), json!({"a": 1, "b": 2}));
}

#[test]
fn duplicate_keys_are_warnings() {
    let d = documents("---\na: 1\nb:\n  x: 1\n  x: 2\n", &Limits::default()).unwrap().remove(0);
    assert_eq!(d.value, json!({"a": 1, "b": {"x": 2}}));
    let w = &d.warnings[0];
    assert_eq!((w.line, w.column, w.message.as_str()), (5, 3, "key \"x\" already set in map"));
}

/// The messages that kubectl prints for the same texts.
#[test]
fn errors_are_kubectls() {
    for (text, line, want) in [
        (
            "apiVersion: v1\nkind: ConfigMap\n metadata:\n  name: x\n",
            3,
            "error converting YAML to JSON: yaml: line 3: mapping values are not allowed in this context",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: x\n",
            4,
            "error converting YAML to JSON: yaml: line 4: found character that cannot start any token",
        ),
        (
            "a: b: c\n",
            1,
            "error converting YAML to JSON: yaml: mapping values are not allowed in this context",
        ),
    ] {
        let e = error(text);
        assert_eq!((e.line, e.kubectl_text().as_str()), (line, want), "{text}");
        let e = error(&format!("x: 1\n---\n{text}"));
        assert_eq!((e.line, e.kubectl_text().as_str()), (line + 2, want), "{text}");
    }
}

#[test]
fn limits() {
    let limit = |text: &str| error(text).limit;
    assert_eq!(limit(&"a".repeat(Limits::default().bytes + 1)), Some(Limit::Bytes));
    assert_eq!(limit(&"{a: ".repeat(20_000)), Some(Limit::Depth));
    assert_eq!(limit(&"[".repeat(900_000)), Some(Limit::Depth));
    assert_eq!(limit(&"{\"a\":".repeat(100_000)), Some(Limit::Depth));
    assert_eq!(limit(&format!("a: {}", "- ".repeat(400_000))), None);
    assert_eq!(limit(&"- ".repeat(400_000)), Some(Limit::Depth));
    assert_eq!(limit(&"a\n---\n".repeat(3_000)), Some(Limit::Documents));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    let mut chain = "a0: &a0 [x]\n".to_owned();
    for i in 1..12 {
        let alias = format!("*a{}", i - 1);
        bomb += &format!("a{i}: &a{i} [{}]\n", [alias.as_str(); 10].join(", "));
    }
    for i in 1..2000 {
        chain += &format!("a{i}: &a{i} [*a{}]\n", i - 1);
    }
    assert_eq!(limit(&bomb), Some(Limit::Nodes));
    assert_eq!(limit(&chain), Some(Limit::Depth));
    assert_eq!(error("a: &a [*a]\n").message, "anchor value contains itself");
}

#[test]
fn positions() {
    let text = "kind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - name: a\n        image: x\n      - name: b\ndata:\n  app.properties: x\n  app: y\n";
    for (path, want) in [
        ("spec.template.spec.containers[0].image", (7, 9)),
        ("spec.template.spec.containers[1]", (8, 9)),
        ("spec.template.spec.containers[1].image", (8, 9)),
        ("spec.template.spec.containers[7].image", (5, 7)),
        ("spec.replicas", (2, 1)),
        ("data.app.properties", (10, 3)),
        ("data[app.properties]", (10, 3)),
        ("data.app", (11, 3)),
        ("nothing", (1, 1)),
        ("", (1, 1)),
    ] {
        assert_eq!(position_of(text, 0, path), Some(want), "{path}");
    }
    assert_eq!(position_of(text, 1, "spec"), None);
}

#[test]
fn printing() {
    let v = json!({
        "b": [{"x": 1, "a": [1, [2, 3]]}, "s", [], {}], "a10": null, "a2": true, "e": {}, "f": 1.5,
        "q": ["yes", "1e3", "0x1", "1_000", "12:30", "2024-01-01T00:00:00Z", "", "~", "a: b", "a #b", "#a", "- a",
              "it's", " x", "x ", "a\tb", "*a", "true", "T+2", "null", "é", "a:b", "\u{7}", "<<", "1.27", "nginx:1.27", "-", "-a"],
        "t": ["l1\nl2\n", "l1\nl2", "l1\n\n", "\n", " l1\nl2", "l1 \nl2", "a\n\nb\n"],
        "long": "The quick brown fox jumps over the lazy dog and then it runs away from the very quick brown fox that jumps: no",
        "10": 1, "9": 2, "A": 1,
    });
    let want = r##""9": 2
"10": 1
A: 1
a2: true
a10: null
b:
- a:
  - 1
  - - 2
    - 3
  x: 1
- s
- []
- {}
e: {}
f: 1.5
long: 'The quick brown fox jumps over the lazy dog and then it runs away from the
  very quick brown fox that jumps: no'
q:
- "yes"
- "1e3"
- "0x1"
- "1_000"
- "12:30"
- "2024-01-01T00:00:00Z"
- ""
- "~"
- 'a: b'
- 'a #b'
- '#a'
- '- a'
- it's
- ' x'
- 'x '
- "a\tb"
- '*a'
- "true"
- T+2
- "null"
- é
- a:b
- "\a"
- "<<"
- "1.27"
- nginx:1.27
- '-'
- -a
t:
- |
  l1
  l2
- |-
  l1
  l2
- |+
  l1

- |2+

- |2-
   l1
  l2
- "l1 \nl2"
- |
  a

  b
"##;
    assert_eq!(to_yaml(&v), want);
    assert_eq!(value(&to_yaml(&v)), v);
}

#[test]
fn what_is_printed_reads_back() {
    let pieces = [
        "a",
        " ",
        "\n",
        ":",
        "#",
        "-",
        "'",
        "\"",
        "\t",
        "é",
        "0",
        "{",
        "|",
        "\\",
        "%",
        "\u{85}",
        "word word word",
    ];
    let mut seed = 1u64;
    for _ in 0..5000 {
        let mut text = String::new();
        for _ in 0..(seed >> 60) {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text += pieces[(seed >> 33) as usize % pieces.len()];
        }
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let v = json!({"k": [text.clone(), {"x": text.clone()}], text.clone(): 1});
        let yaml = to_yaml(&v);
        assert_eq!(
            documents(&yaml, &Limits::default()).map(|mut d| d.remove(0).value),
            Ok(v),
            "{text:?}\n{yaml}"
        );
    }
}

#[test]
fn unfolded_text_stays_on_its_line() {
    let long = format!("{}: {}", "a word ".repeat(30), "'quoted' ".repeat(20));
    let v = json!({"message": long, "plain": "word ".repeat(40).trim()});
    assert!(to_yaml(&v).lines().count() > 4);
    let text = to_yaml_unfolded(&v);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert_eq!(value(&text), v);
}

/// Repeated fragments, and random texts: there is a result, and never a panic. (With 900 KB of any fragment
/// the time is about the same, so nothing is quadratic.)
#[test]
fn any_text_gets_an_answer() {
    let pieces = [
        "a: b\n",
        "[a, ",
        "a,",
        "&a ",
        "? ",
        "- ",
        "*a ",
        ": ",
        "'",
        "\"",
        "\"a\" ",
        "{",
        "}",
        "[]",
        "[],",
        "{}\n",
        "!a ",
        "!<",
        "%",
        "# ",
        "#\n",
        "|\n",
        "- |\n ",
        "a\n",
        "a ",
        "\\",
        "\t",
        "\n",
        " ",
        "\r",
        "--- ",
        "...\n",
        "a: &a\n",
        "<<: ",
        "é",
        "\u{feff}",
        "[a: b, ",
        "{a: b, ",
        "a: {b: c}\n",
        "- a: b\n",
        "a:\n- ",
        ">-\n",
        "\"\\x41",
        "k: [",
        "\"a\": ",
        "x: 'it''s'\n",
        "?\n",
        "? a\n",
        ",",
        "&",
        "!",
        "!!a ",
        "[\n",
        "{\n",
        "[?",
        "a:\n ",
        "\u{85}",
        "\u{2028}",
    ];
    let look = |text: &str| {
        if let Ok(documents) = documents(text, &Limits::default()) {
            for d in &documents {
                let again = to_yaml(&d.value);
                let back = super::documents(&again, &Limits::default()).map(|mut d| d.remove(0).value);
                assert_eq!(back.as_ref(), Ok(&d.value), "{text:?}\n{again}");
            }
        }
        let _ = position_of(text, 0, "a[0].b.a[1][\"x\"]..]");
    };
    for piece in pieces {
        for before in ["", "[", "{", "a: ", "- \"", "a: |\n "] {
            look(&format!("{before}{}", piece.repeat(300)));
        }
    }
    let mut seed = 5u64;
    for _ in 0..4000 {
        let mut text = String::new();
        for _ in 0..12 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text += pieces[(seed >> 33) as usize % pieces.len()];
        }
        look(&text);
    }
}

#[test]
fn what_stands_in_brackets_or_quotes_need_not_be_indented() {
    for (text, want) in [
        ("a:\n  b: [\n    1, 2\n  ]\n  c: 3\n", json!({"a": {"b": [1, 2], "c": 3}})),
        ("a:\n  b: [\n1,\n2\n]\n  c: 3\n", json!({"a": {"b": [1, 2], "c": 3}})),
        ("- a: {\n  b: 1\n}\n- 2\n", json!([{"a": {"b": 1}}, 2])),
        ("a:\n  b: \"x\ny\n  z\"\n  c: 3\n", json!({"a": {"b": "x y z", "c": 3}})),
        ("a:\n  b: 'x\n\n\ny'\n", json!({"a": {"b": "x\n\ny"}})),
    ] {
        assert_eq!(documents(text, &Limits::default()).unwrap()[0].value, want, "{text}");
    }
    // Positions are those of the text as it was written.
    let text = "a:\n  b: [\n{j: 1},\n{k: 2}\n]\n  c: 3\n";
    assert_eq!(position_of(text, 0, "a.b[1].k"), Some((4, 2)));
    assert_eq!(position_of(text, 0, "a.c"), Some((6, 3)));
    let error = documents("a:\n  b: [\n1,\n2: [\n]\n", &Limits::default()).unwrap_err();
    assert_eq!((error.line, error.column), (6, 1));
}
