//! Whatever is written: an issue or a program, a value or an error, within a bounded time.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn env() -> Env {
    let item = DeclType::object(vec![
        DeclField::new("name", DeclType::string(Some(10)), true),
        DeclField::new("n", DeclType::int_or_string(None), false),
    ]);
    let decl = DeclType::object(vec![
        DeclField::new(
            "items",
            DeclType::list(item, Some(5)).with_list_type(ListType::Map(vec!["name".into()])),
            false,
        ),
        DeclField::new("labels", DeclType::map(DeclType::string(None), None), false),
        DeclField::new("n", DeclType::int(), false),
        DeclField::new("s", DeclType::string(None), false),
    ]);
    Env::base()
        .variable("self", decl.clone())
        .optional_variable("oldSelf", decl)
        .variable("d", DeclType::dyn_type())
}

fn activation(env: &Env) -> Activation {
    let value = json!({"items": [{"name": "a", "n": 1}, {"name": "b", "n": "x"}], "labels": {"k": "v"}, "n": 3, "s": "a-b"});
    let decl = env.declared("self").cloned().unwrap_or_else(DeclType::dyn_type);
    Activation::new()
        .with("self", Value::typed(&value, &decl))
        .with("oldSelf", Value::from_json(&json!(null)))
        .with("d", Value::from_json(&value))
}

fn run(source: &str) {
    let env = env();
    match env.compile(source) {
        Ok(program) => {
            let estimate = program.estimate_cost();
            assert!(estimate.min <= estimate.max || estimate.max == 0, "{source}: {estimate:?}");
            let evaluation = program.evaluate(&activation(&env), 10_000);
            assert!(evaluation.result.is_err() || evaluation.cost <= 10_000, "{source}");
        }
        Err(issues) => assert!(issues.to_string().starts_with("ERROR: <input>:"), "{source}"),
    }
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-1",
        "2u",
        "1.5",
        "'a'",
        "b'a'",
        "true",
        "null",
        "self",
        "self.n",
        "self.s",
        "self.items",
        "self.labels",
        "d",
        "d.n",
        "d.items",
        "oldSelf",
        "x",
        "[]",
        "{}",
        "int",
        "9223372036854775807",
        "optional.none()",
        "duration('1h')",
        "timestamp(0)",
        "quantity('1Gi')",
        "ip('::1')",
        "cidr('10.0.0.0/8')",
        "url('https://a/b?c')",
        "semver('1.2.3')",
        "format.uuid()",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(6, 64, 4, |inner| {
        let (a, b, c) = (inner.clone(), inner.clone(), inner.clone());
        let binary = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "in",
        ]);
        let method = prop::sample::select(vec![
            "size",
            "sum",
            "min",
            "max",
            "isSorted",
            "join",
            "reverse",
            "distinct",
            "flatten",
            "sort",
            "first",
            "value",
            "hasValue",
            "trim",
            "lowerAscii",
            "getHours",
            "family",
            "masked",
            "asInteger",
            "getQuery",
            "major",
            "unwrapOpt",
        ]);
        let with_one = prop::sample::select(vec![
            "startsWith",
            "contains",
            "matches",
            "find",
            "findAll",
            "split",
            "indexOf",
            "lastIndexOf",
            "charAt",
            "substring",
            "format",
            "join",
            "orValue",
            "or",
            "add",
            "sub",
            "compareTo",
            "containsIP",
            "validate",
            "flatten",
        ]);
        let macros = prop::sample::select(vec![
            "all",
            "exists",
            "exists_one",
            "map",
            "filter",
            "optMap",
            "optFlatMap",
            "sortBy",
        ]);
        let two = prop::sample::select(vec![
            "all",
            "exists",
            "existsOne",
            "transformList",
            "transformMap",
            "transformMapEntry",
        ]);
        let function = prop::sample::select(vec![
            "size",
            "int",
            "uint",
            "double",
            "string",
            "bytes",
            "type",
            "dyn",
            "bool",
            "duration",
            "timestamp",
            "lists.range",
            "optional.of",
            "optional.ofNonZeroValue",
            "isQuantity",
            "sign",
            "strings.quote",
            "has",
        ]);
        prop_oneof![
            (a.clone(), binary, b.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (a.clone(), b.clone(), c.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            (a.clone(), method).prop_map(|(a, m)| format!("{a}.{m}()")),
            (a.clone(), with_one, b.clone()).prop_map(|(a, m, b)| format!("{a}.{m}({b})")),
            (a.clone(), macros, b.clone()).prop_map(|(a, m, b)| format!("{a}.{m}(x, {b})")),
            (a.clone(), two, b.clone()).prop_map(|(a, m, b)| format!("{a}.{m}(x, y, {b})")),
            (function, a.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            (a.clone(), b.clone()).prop_map(|(a, b)| format!("{a}[{b}]")),
            (a.clone(), b.clone()).prop_map(|(a, b)| format!("{a}[?{b}]")),
            (a.clone(), b.clone()).prop_map(|(a, b)| format!("[{a}, {b}, ?optional.of({a})]")),
            (a.clone(), b.clone()).prop_map(|(a, b)| format!("{{{a}: {b}}}")),
            (a.clone(), b, c).prop_map(|(a, b, c)| format!("{a}.replace({b}, {c})")),
            a.clone().prop_map(|a| format!("{a}.?name")),
            a.clone().prop_map(|a| format!("!{a}")),
            a.prop_map(|a| format!("has({a}.name)")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expressions_end(source in expression()) {
        run(&source);
    }

    #[test]
    fn any_text_ends(source in "[\\PC\n]{0,40}") {
        run(&source);
    }

    #[test]
    fn any_tokens_end(tokens in prop::collection::vec(prop::sample::select(vec![
        "a", "self", "1", "1.5", "'s'", "true", "in", "==", "<", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!",
        "?", ":", "+", "*", "#", "f(", "`q`", "has(", ".all(x,", "\n", "é", "0x", "b'", "\"\"\"",
    ]), 0..24)) {
        run(&tokens.join(" "));
        run(&tokens.concat());
    }
}

/// As deep as an expression may be: on the stack that a test has.
#[test]
fn the_deepest_expressions_end() {
    for n in [10, 50, 98, 245] {
        for source in [
            format!("1{} == 1", " + 1".repeat(n)),
            format!("true{}", " && true".repeat(n)),
            format!("{}1{} == 1", "(".repeat(n), ")".repeat(n)),
            format!("{}true", "!".repeat(n)),
            format!("{}true", "true ? true : ".repeat(n)),
            format!("d{} == 1", ".b".repeat(n)),
            format!("d{} == 1", ".size()".repeat(n)),
            format!("{}{} == []", "[".repeat(n), "]".repeat(n)),
            format!("{}true{}", "[1].all(a, ".repeat(n), ")".repeat(n)),
            format!("{}1{} == 1", "[".repeat(n), "].map(x, x)[0]".repeat(n)),
            format!("{}1{}", "{1: ".repeat(n), "}".repeat(n)),
            format!("{}1{}", "dyn(".repeat(n), ")".repeat(n)),
        ] {
            run(&source);
        }
    }
}
