//! Costs are those of Kubernetes' own tests (`TestCelCostStability` and `TestCostEstimation` in
//! `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`), messages those that kube-apiserver gave
//! (`shared/conformance/api`, groups 25 and 28).
#![allow(clippy::expect_used)]

use serde_json::{Value as Json, json};

use super::super::{DeclField, DeclType, ListType, cost_error_message, expression_cost};
use super::*;

fn object(fields: Vec<(&str, DeclType)>) -> DeclType {
    DeclType::object(fields.into_iter().map(|(n, d)| DeclField::new(n, d, false)).collect())
}

fn string() -> DeclType {
    DeclType::string(None)
}

fn compile(scope: &RuleScope, rule: &str) -> CompiledRule {
    scope.compile(&Rule { rule, ..Rule::default() })
}

fn error(decl: &DeclType, rule: &str) -> Option<String> {
    compile(&RuleScope::new(decl), rule).error
}

fn run(decl: &DeclType, value: &Json, rule: &str) -> (Result<Option<bool>, String>, u64) {
    let scope = RuleScope::new(decl);
    let compiled = compile(&scope, rule);
    let Some(program) = &compiled.program else { return (Err(compiled.error.unwrap_or_default()), 0) };
    let evaluation = scope.evaluate(program, value, None, false);
    (evaluation.result.map(|v| v.as_bool()).map_err(|e| e.to_string()), evaluation.cost)
}

/// Every rule must be true of the value, at this cost.
#[track_caller]
fn costs(decl: &DeclType, value: &Json, rules: &[(&str, u64)]) {
    for (rule, cost) in rules {
        assert_eq!(run(decl, value, rule), (Ok(Some(true)), *cost), "{rule}");
    }
}

#[test]
fn errors_are_kube_apiservers() {
    let int = DeclType::int();
    let said = |text: &str| Some(format!("compilation failed: ERROR: <input>:{text}"));
    assert_eq!(
        error(&int, "self > 'a'"),
        said(
            "1:6: found no matching overload for '_>_' applied to '(int, string)'\n | self > 'a'\n | .....^"
        )
    );
    let a = object(vec![("a", DeclType::int())]);
    assert_eq!(error(&a, "self.b > 1"), said("1:5: undefined field 'b'\n | self.b > 1\n | ....^"));
    assert_eq!(
        error(&int, "other > 1"),
        said("1:1: undeclared reference to 'other' (in container '')\n | other > 1\n | ^")
    );
    assert_eq!(error(&int, "self + 1").as_deref(), Some("cel expression must evaluate to a bool"));
    assert_eq!(error(&int, " "), None);
    let message = RuleScope::new(&int).compile(&Rule {
        rule: "self > 1",
        message_expression: "self",
        ..Rule::default()
    });
    assert_eq!(
        message.message_expression_error.as_deref(),
        Some("messageExpression must evaluate to a string")
    );
}

#[test]
fn what_a_message_costs_is_unbounded_if_its_size_is() {
    let decl = object(vec![("a", DeclType::int())]);
    let rule =
        Rule { rule: "self.a > 1", message_expression: "'a is ' + string(self.a)", optional_old_self: false };
    assert!(RuleScope::new(&decl).compile(&rule).message_expression_max_cost > 1_000_000_000_000);
}

#[test]
fn old_self_may_be_optional() {
    let scope = RuleScope::new(&DeclType::int());
    let rule = Rule {
        rule: "oldSelf.hasValue() ? self >= oldSelf.value() : true",
        optional_old_self: true,
        ..Rule::default()
    };
    let compiled = scope.compile(&rule);
    assert!(compiled.uses_old_self, "{:?}", compiled.error);
    let program = compiled.program.expect("it compiles");
    let holds = |old: Option<Json>| {
        scope.evaluate(&program, &json!(3), old.as_ref(), true).result.ok().and_then(|v| v.as_bool())
    };
    assert_eq!(
        (holds(None), holds(Some(json!(2))), holds(Some(json!(4)))),
        (Some(true), Some(true), Some(false))
    );
    let strict = compile(&scope, "self == oldSelf").program.expect("it compiles");
    let missing = scope.evaluate(&strict, &json!(3), None, false).result.map_err(|e| e.to_string());
    assert_eq!(missing.err().as_deref(), Some("no such attribute(s): oldSelf"));
}

#[test]
fn scalars_cost_what_they_cost_in_kubernetes() {
    let text = object(vec![("val1", string()), ("val2", string())]);
    let rook = json!({"val1": "Rook takes 👑", "val2": "Rook takes 👑"});
    costs(
        &text,
        &rook,
        &[
            ("self.val1 == 'Rook takes 👑' && 'Rook takes 👑' == self.val1 && self.val1 == self.val2", 14),
            ("self.val1.startsWith('Rook')", 4),
            ("!self.val1.startsWith('knight')", 5),
            ("self.val1.matches('^[^0-9]*$')", 8),
            ("!self.val1.matches('^[0-9]*$')", 7),
            ("type(self.val1) == string", 4),
            ("size(self.val1) == 12", 4),
            ("self.val1.charAt(3) == 'k'", 4),
            ("self.val1.indexOf('o') == 1", 4),
            ("self.val1.indexOf('o', 2) == 2", 4),
            ("self.val1.replace(' ', 'x') == 'Rookxtakesx👑'", 7),
            ("self.val1.replace(' ', 'x', 1) == 'Rookxtakes 👑'", 7),
            ("self.val1.split(' ') == ['Rook', 'takes', '👑']", 6),
            ("self.val1.split(' ', 2) == ['Rook', 'takes 👑']", 6),
            ("self.val1.substring(5) == 'takes 👑'", 5),
            ("self.val1.substring(4, 10).trim() == 'takes'", 6),
            ("self.val1.upperAscii() == 'ROOK TAKES 👑'", 6),
            ("self.val1.lowerAscii() == self.val1.lowerAscii()", 10),
            ("'%o %o %o'.format([7, 8, 9]) == '7 10 11'", 2),
            ("'%b %b %b'.format([7, 8, 9]) == '111 1000 1001'", 3),
            (
                "'%d %s %f %s %s'.format([1, 'abc', 1.0, duration('1m'), timestamp('2000-01-01T00:00:00.000Z')]) == \
                 '1 abc 1.000000 60s 2000-01-01T00:00:00Z'",
                6,
            ),
        ],
    );
    let numbers = object(vec![("val1", DeclType::int()), ("val4", DeclType::double())]);
    costs(
        &numbers,
        &json!({"val1": 5, "val4": 10}),
        &[
            ("double(self.val1) < self.val4", 6),
            ("self.val1 < int(self.val4)", 6),
            ("double(5) < 10.0", 1),
            ("double(self.val1) < 10.0", 4),
            ("type(self.val1) == int", 4),
            ("type(self.val4) == double", 4),
        ],
    );
    let times = object(vec![
        ("day", DeclType::date()),
        ("moment", DeclType::date_time()),
        ("time", DeclType::duration()),
        ("bytes", DeclType::bytes(None)),
    ]);
    costs(
        &times,
        &json!({"day": "1997-07-16", "moment": "2011-08-18T19:03:37.01+01:00", "time": "1h2m3s4ms", "bytes": "QUI="}),
        &[
            ("self.day.getDate() == 16", 4),
            ("self.moment == timestamp('2011-08-18T00:00:00.000+01:00') + duration('19h3m37s10ms')", 4),
            ("self.moment.getDate('01:00') == 18", 4),
            ("type(self.moment) == google.protobuf.Timestamp", 4),
            ("self.time == duration('1h2m') + duration('3s4ms')", 4),
            ("self.time.getHours() == 1", 4),
            ("self.bytes == b'AB'", 3),
            ("size(self.bytes) == 2", 4),
        ],
    );
    let either = object(vec![("something", DeclType::int_or_string(None))]);
    costs(
        &either,
        &json!({"something": 1}),
        &[
            ("type(self.something) == int ? self.something == 1 : self.something == '25%'", 7),
            ("self.something != 'some string'", 3),
            ("self.something == '25%' || self.something == 1", 6),
            ("self.something != ['anything']", 3),
        ],
    );
}

#[test]
fn lists_cost_what_they_cost_in_kubernetes() {
    let set = |of: DeclType| DeclType::list(of, None).with_list_type(ListType::Set);
    let sets = object(vec![("val1", set(string())), ("val2", set(string())), ("val3", set(DeclType::int()))]);
    let many: Vec<i64> = (1..=1000).collect();
    costs(
        &sets,
        &json!({"val1": ["a", "b", "c"], "val2": ["a", "c", "b"], "val3": many}),
        &[
            ("self.val1 == ['c', 'b', 'a']", 3),
            ("self.val1 == self.val2", 5),
            ("'a' in self.val1", 5),
            ("self.val2[0] in self.val1", 8),
            ("self.val1 + self.val2 == ['a', 'b', 'c']", 6),
            ("self.val1 + ['c', 'd'] == ['a', 'b', 'c', 'd']", 4),
            ("sets.contains(self.val1, ['a'])", 6),
            ("sets.equivalent(self.val1, ['a', 'b', 'c'])", 21),
            ("sets.contains(self.val3, [1])", 1003),
            ("!sets.equivalent(self.val3, [1, 2, 3])", 6004),
        ],
    );
    let items = object(vec![("k", string()), ("v", string()), ("v2", string())]);
    let keyed = DeclType::list(items, None).with_list_type(ListType::Map(vec!["k".into()]));
    let decl = object(vec![("listMap", keyed.clone()), ("objs", DeclType::list(keyed, None))]);
    let value = json!({
        "listMap": [{"k": "a1", "v": "b1"}, {"k": "a2", "v": "b2"}, {"k": "a3", "v": "b3", "v2": "z"}],
        "objs": [
            [{"k": "a", "v": "1"}, {"k": "b", "v": "2"}],
            [{"k": "b", "v": "2"}, {"k": "a", "v": "1"}],
            [{"k": "b", "v": "3"}, {"k": "a", "v": "1"}],
            [{"k": "c", "v": "4"}],
        ],
    });
    costs(
        &decl,
        &value,
        &[
            ("self.objs[0] == self.objs[1]", 7),
            ("self.objs[0] + self.objs[2] == self.objs[2]", 11),
            ("self.objs[0] == [self.objs[0][1], self.objs[0][0]]", 22),
            ("self.objs[2] + [self.objs[0][0], self.objs[0][1]] == self.objs[0]", 26),
            ("size(self.objs[0] + [self.objs[3][0]]) == 3", 20),
            ("has(self.listMap[0].v)", 3),
            ("self.listMap.all(m, m.k.startsWith('a'))", 21),
            ("self.listMap.all(m, !has(m.v2) || m.v2 == 'z')", 21),
            ("self.listMap.exists(m, m.k.endsWith('1'))", 13),
            ("self.listMap.exists_one(m, m.k == 'a3')", 15),
            ("!self.listMap.all(m, m.k.endsWith('1'))", 18),
            ("!self.listMap.exists(m, m.v == 'x')", 25),
            ("size(self.listMap.filter(m, m.k == 'a1')) == 1", 27),
            ("self.listMap.map(m, m.v).exists(v, v == 'b1')", 55),
            ("self.listMap.filter(m, has(m.v2) && m.v2 == 'z').map(m, m.v2).size() == 1", 39),
            ("self.listMap.exists(m, m.v2 == 'z')", 24),
            ("!self.listMap.all(m, m.v2 != 'z')", 22),
            ("self.listMap.exists(i, m, has(m.v2) && m.v2 == 'z')", 21),
            ("self.listMap.transformList(i, m, m.v).size() == 3", 47),
        ],
    );
    let array = object(vec![("array", DeclType::list(DeclType::int(), None))]);
    costs(
        &array,
        &json!({"array": [1, 1, 2, 2, 3, 3, 4, 5]}),
        &[
            ("2 in self.array", 10),
            ("self.array.exists(e, e > 2)", 36),
            ("self.array.exists_one(e, e > 4)", 22),
            ("size(self.array.filter(e, e%2 == 0)) == 3", 68),
            ("self.array.map(e, e * 20).filter(e, e > 50).exists(e, e == 60)", 194),
            ("self.array.transformList(i, e, e > 2, e * 2).size() > 0", 77),
        ],
    );
}

#[test]
fn estimates_are_kubernetes() {
    let array = DeclType::list;
    let required = |name: &str| DeclField::new(name, DeclType::string(None), true);
    let objects =
        || DeclType::object(vec![required("required"), DeclField::new("optional", string(), false)]);
    // The type with a limit, the rule, the cost without the limit, and with it.
    type Case = (fn(Option<i64>) -> DeclType, &'static str, i64, u64, u64);
    let cases: &[Case] = &[
        (|n| DeclType::list(DeclType::double(), n), "self.all(x, true)", 10, 4_718_591, 32),
        (|n| DeclType::list(DeclType::string(None), n), "self.all(x, true)", 20, 3_145_727, 62),
        (|n| DeclType::list(DeclType::bool(), n), "self.all(x, true)", 5, 1_887_437, 17),
        (|n| DeclType::map(DeclType::double(), n), "self.all(x, true)", 10, 1_348_169, 32),
        (|n| DeclType::map(DeclType::string(None), n), "self.all(x, true)", 3, 1_179_647, 11),
        (DeclType::string, "self.contains('test')", 10, 314_574, 5),
        (DeclType::string, "self.startsWith('test')", 15, 2, 2),
        (DeclType::string, "size(self + \"hello\") > size(\"hello\")", 4, 314_578, 7),
        (|n| DeclType::list(DeclType::double(), n), "self[1] == 0.0", 5_000, 2, 2),
        (|n| DeclType::list(DeclType::string(None), n), "self[1] == self[1]", 8, 314_577, 314_577),
        (DeclType::string, "self.matches(\"x\")", 50, 314_574, 22),
        (DeclType::string, "\"\".matches(\"(((((((((())))))))))[0-9]\")", 10, 7, 7),
        (DeclType::string, "self.matches(\"\")", 100, 1, 1),
        (|n| DeclType::map(DeclType::string(n), n), "self.all(x, x.contains(self[x]))", 10, 2_752_507, 72),
        (DeclType::string, "self == \"x\"", 0, 2, 1),
        (DeclType::bytes, "self == b\"x\"", 0, 2, 1),
        (
            |n| DeclType::list(DeclType::double(), n),
            "self.all(x, x == 0.0)",
            3 * 1024 * 2048,
            6_291_454,
            25_165_826,
        ),
        (|n| DeclType::list(DeclType::int_or_string(None), n), "self[0] == 5", 10, 3, 3),
        (
            |n| DeclType::list(DeclType::map(DeclType::double(), None), n),
            "self.all(x, x.y == 25.2)",
            12,
            6_291_452,
            74,
        ),
        (|n| DeclType::list(DeclType::duration(), n), "self[0].getHours() == 2", 525, 4, 4),
        (|n| DeclType::list(DeclType::date(), n), "self.all(x, true)", 15, 725_936, 47),
        (|n| DeclType::list(DeclType::date_time(), n), "self.all(x, true)", 25, 428_963, 77),
        (|n| DeclType::map(DeclType::date_time(), n), "self.all(x, true)", 25, 349_526, 77),
        (DeclType::string, "self.find('[0-9]+') == ''", 10, 629_147, 11),
        (|n| DeclType::list(DeclType::string(n), n), "self.join(' ') == 'aa bb'", 10, 329_853_068_905, 43),
        (|n| DeclType::list(DeclType::string(n), n), "self.isSorted() == true", 10, 329_854_432_052, 52),
        (DeclType::string, "self.lowerAscii() == 'lower!'", 10, 314_575, 6),
        (|n| DeclType::map(DeclType::int(), n), "oldSelf.size() == self.size()", 10, 5, 5),
        (|n| DeclType::map(DeclType::date_time(), n), "self[\"a\"] == self[\"b\"]", 7, 8, 8),
        (DeclType::int_or_string, "isQuantity(self)", 20, 314_574, 9),
    ];
    let cost = |decl: &DeclType, rule: &str| {
        let compiled = compile(&RuleScope::new(decl), rule);
        (compiled.error, compiled.max_cost)
    };
    for (decl, rule, limit, free, limited) in cases {
        assert_eq!(cost(&decl(None), rule), (None, *free), "{rule}");
        assert_eq!(cost(&decl(Some(*limit)), rule), (None, *limited), "{rule}, limited");
    }
    assert_eq!(cost(&array(objects(), None), "self.all(x, true)"), (None, 555_128));
    let text = object(vec![
        ("str", string()),
        ("before", DeclType::string(Some(2))),
        ("after", DeclType::string(Some(4))),
        ("separator", string()),
    ]);
    let replace = "self.str.replace(self.before, self.after) == 'does not matter'";
    assert_eq!(cost(&text, replace), (None, 629_154));
    assert_eq!(cost(&text, "self.str.split(self.separator) == []"), (None, 629_160));
    let cubic = cost(&array(DeclType::double(), Some(10)), "self.all(x, self.all(y, self.all(z, true)))");
    assert_eq!(cubic, (None, 3_552));
}

#[test]
fn costs_that_are_too_high_are_told() {
    let end = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
    let said = |cost| cost_error_message("estimated rule cost", cost, 10_000_000);
    let told = |factor: &str| format!("estimated rule cost exceeds budget by factor of {factor} {end}");
    assert_eq!(said(2_000_000_000), told("more than 100x"));
    assert_eq!(said(10_000_001), told("1.000000x"));
    assert_eq!(said(25_000_000), told("2.5x"));
    assert_eq!(expression_cost(7, Some(3), 1), 21);
    assert_eq!(expression_cost(u64::MAX, None, 2), u64::MAX);
}

#[test]
fn what_does_not_fit_the_schema_is_an_error_where_it_is_used() {
    let decl = object(vec![("a", DeclType::int()), ("b", string())]);
    let value = json!({"a": "x", "b": null, "c": 1});
    let (result, _) = run(&decl, &value, "self.a > 1");
    assert_eq!(result, Err("invalid data, expected int, got string".to_owned()));
    assert_eq!(run(&decl, &value, "!has(self.b)").0, Ok(Some(true)));
    assert_eq!(run(&decl, &value, "self.b == ''").0, Err("no such key: b".to_owned()));
}

#[test]
fn one_evaluation_has_a_limit() {
    let decl = DeclType::list(DeclType::int(), None);
    let many: Vec<i64> = (0..2000).collect();
    let scope = RuleScope::new(&decl);
    let program = compile(&scope, "self.all(x, self.all(y, x + y >= 0))").program.expect("it compiles");
    let evaluation = scope.evaluate(&program, &json!(many), None, false);
    let error = evaluation.result.err();
    assert_eq!(
        error.as_ref().map(ToString::to_string).as_deref(),
        Some("operation cancelled: actual cost limit exceeded")
    );
    assert!(error.is_some_and(|e| e.is_cost_limit()) && evaluation.cost > PER_CALL_LIMIT);
}
