//! Expressions of the Common Expression Language.

use serde_json::json;
use steady::cel::{
    Activation, DeclField, DeclType, Env, PER_CALL_LIMIT, Rule, RuleScope, Value, expression_cost,
};
use steady::lessons::{AtMoment, Expression, Measure, Now};

use crate::heard::Heard;

pub(crate) const WORDS: &[&str] = &[
    "self",
    "oldSelf",
    "object",
    "has(",
    ".all(x, ",
    ".exists(x, ",
    ".map(x, ",
    ".filter(x, ",
    ".size()",
    "size(",
    "matches(",
    "[0]",
    "[-1]",
    "'a'",
    "\"\\u0000\"",
    "r'\\d'",
    "b'\\xff'",
    "1u",
    "-9223372036854775808",
    "9223372036854775807",
    "0x7fffffffffffffff",
    "1e308",
    "1.0",
    "null",
    "true",
    "int(",
    "uint(",
    "double(",
    "string(",
    "bytes(",
    "timestamp(",
    "duration(",
    "dyn(",
    "type(",
    "'9999-12-31T23:59:59Z'",
    "'-1h'",
    " in ",
    " ? ",
    " : ",
    " && ",
    " || ",
    "!",
    "-",
    " + ",
    " * ",
    " / ",
    " % ",
    " == ",
    " < ",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    ".",
    "?",
    "optional.of(",
    "optional.none()",
    ".orValue(",
    ".?",
    "quantity('1Gi')",
    ".isGreaterThan(",
    "url('http://a')",
    "ip('::1')",
    "cidr('10.0.0.0/8')",
    ".containsIP(",
    "semver('1.2.3')",
    ".split(',')",
    ".join('x')",
    ".replace('a','bb')",
    ".substring(",
    ".lowerAscii()",
    ".format([",
    "'%s %d %.3f %x'",
    ".indexOf('",
    ".charAt(",
    ".sort()",
    ".sum()",
    ".isSorted()",
    ".find('a')",
    ".findAll('",
    ".reverse()",
    ".getFullYear('",
    "sets.contains(",
    "cel.bind(x, ",
    "math.greatest(",
    "format.dns1123Label()",
    ".trim()",
    "commands",
    "now",
    "//",
    "\n",
    ".transformList(i, v, ",
    ".existsOne(i, v, ",
    "lists.range(",
];

/// The type of `self`: a bit of everything.
fn declared() -> DeclType {
    let field = |name: &str, decl: DeclType| DeclField::new(name, decl, false);
    DeclType::object(vec![
        field("i", DeclType::int()),
        field("b", DeclType::bool()),
        field("d", DeclType::double()),
        field("s", DeclType::string(Some(200))),
        field("bytes", DeclType::bytes(None)),
        field("duration", DeclType::duration()),
        field("time", DeclType::date_time()),
        field("either", DeclType::int_or_string(None)),
        field("list", DeclType::list(DeclType::string(None), Some(20))),
        field("numbers", DeclType::list(DeclType::int(), None)),
        field("map", DeclType::map(DeclType::string(None), None)),
        field("any", DeclType::dyn_type()),
        field("replicas", DeclType::int()),
        field("minReplicas", DeclType::int()),
        field("maxReplicas", DeclType::int()),
        field("in", DeclType::list(DeclType::object(vec![field("x-y", DeclType::int())]), Some(5))),
    ])
}

pub(crate) fn run(input: &[u8], heard: &mut Heard) {
    let text = &*String::from_utf8_lossy(input);
    let value = json!({
        "i": 7, "b": true, "d": 1.5, "s": "a,é,c", "bytes": "aGk=", "duration": "1h", "time": "2026-01-01T00:00:00Z", "either": "50%",
        "list": ["a", "b", "a"], "numbers": [3, 1, 2], "map": {"a": "1", "é": ""}, "any": {"x": [1, null, {"y": 1.5}]},
        "replicas": 3, "minReplicas": 1, "maxReplicas": 5, "in": [{"x-y": 1}],
        "metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {"replicas": 3, "containers": [{"name": "a", "image": "b:1"}]},
    });
    let scope = RuleScope::new(&declared());
    let compiled = scope.compile(&Rule { rule: text, message_expression: text, optional_old_self: false });
    let said = [&compiled.error, &compiled.message_expression_error];
    said.into_iter().flatten().for_each(|why| heard.say("rule", why));
    if let Some(program) = compiled.program.as_ref().or(compiled.message_expression.as_ref()) {
        for old in [None, Some(&value)] {
            let evaluation = scope.evaluate(program, &value, old, false);
            assert!(evaluation.cost <= PER_CALL_LIMIT + 1_000_000, "{} is spent", evaluation.cost);
            result(&evaluation.result, heard);
        }
    }
    // Everything that is named is there, and of any type.
    let names = [
        "self",
        "oldSelf",
        "object",
        "oldObject",
        "request",
        "params",
        "variables",
        "objects",
        "now",
        "commands",
    ];
    let env = names.iter().fold(Env::base(), |env, name| env.variable(name, DeclType::dyn_type()));
    match env.compile(text) {
        Err(issues) => {
            let lines = text.split('\n').count().max(1);
            let mut some = false;
            for (at, why) in issues.each() {
                some = true;
                assert!(!why.is_empty(), "an issue without words");
                assert!(
                    at.is_none_or(|(line, column)| (1..=lines).contains(&line) && column >= 1),
                    "{at:?}: {why}"
                );
                heard.say("issue", why);
            }
            assert!(some, "it is refused without an issue");
            assert!(
                issues.to_string().len() < 100_000 + 200 * text.len(),
                "{} bytes say why",
                issues.to_string().len()
            );
        }
        Ok(program) => {
            heard.say("type", program.output_type().name());
            heard.count("cost", program.estimate_cost().max as usize);
            let _ = (program.loops(), program.is_bool());
            let activation =
                names.iter().fold(Activation::new(), |a, name| a.with(name, Value::from_json(&value)));
            let once = program.evaluate(&activation, PER_CALL_LIMIT);
            assert!(once.cost <= PER_CALL_LIMIT + 1_000_000, "{} is spent", once.cost);
            let twice = program.evaluate(&activation, PER_CALL_LIMIT);
            assert_eq!(
                (once.cost, format!("{:?}", once.result)),
                (twice.cost, format!("{:?}", twice.result))
            );
            result(&once.result, heard);
        }
    }
    let _ = expression_cost;
    for why in [
        Expression::<Now>::compile(text).err(),
        Expression::<AtMoment>::compile(text).err(),
        Expression::<Measure>::compile(text).err(),
    ] {
        heard.say("lesson", &why.unwrap_or_default());
    }
}

fn result<E: std::fmt::Display>(result: &Result<Value, E>, heard: &mut Heard) {
    match result {
        Ok(value) => heard.say("value", value.type_of().name()),
        Err(why) => heard.say("fails", &why.to_string()),
    }
}
