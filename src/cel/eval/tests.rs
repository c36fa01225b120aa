//! Values are those of cel-go's and Kubernetes' own tests of their libraries.

use serde_json::json;

use super::super::{Activation, DeclType, Env, PER_CALL_LIMIT, Value};

fn env() -> Env {
    Env::base().variable("x", DeclType::dyn_type()).variable("y", DeclType::dyn_type())
}

fn run(source: &str) -> Result<Value, String> {
    let program = env().compile(source).map_err(|issues| issues.to_string())?;
    let x = Value::from_json(&json!({"a": {"b": [1, 2, 3]}, "n": null, "s": "text", "i": 7, "d": 1.5}));
    let activation = Activation::new().with("x", x);
    program.evaluate(&activation, PER_CALL_LIMIT).result.map_err(|e| e.to_string())
}

#[track_caller]
fn all_true(sources: &[&str]) {
    for source in sources {
        assert_eq!(run(source).map(|v| v.as_bool()), Ok(Some(true)), "{source}");
    }
}

#[test]
fn operators_and_macros() {
    all_true(&[
        "1 + 2 * 3 - 4 / 2 == 5 && 7 % 3 == 1 && -7 / 2 == -3",
        "1u + 2u == 3u && 1.5 + 1.5 == 3.0",
        "dyn(1) == 1.0 && dyn(1u) == 1 && dyn('1') != 1",
        "1 < 1.5 && 2u > 1 && 'a' < 'b' && b'a' < b'b' && false < true",
        "x.a.b[1] == 2 && x['a']['b'][2] == 3 && x.n == null",
        "has(x.a.b) && !has(x.a.c) && has(x.n)",
        "x.?a.?c.orValue(5) == 5 && x.?a.?b.hasValue() && x.a[?'b'][0] == optional.of(1)",
        "x.a.?b[?7] == optional.none()",
        "[1, 2, 3].map(i, i > 1, i * 2) == [4, 6]",
        "{'a': 1, 'b': 2}.exists(k, k == 'b') && {'a': 1}.all(k, v, k == 'a' && v == 1)",
        "[1, 2].existsOne(i, v, i == v - 1 && v == 2)",
        "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1) == {'b': 3}",
        "{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}",
        "[optional.of(1), optional.none()].unwrapOpt() == [1]",
        "[?optional.none(), 1] == [1] && {?'a': optional.none()} == {}",
        "optional.of(2).optMap(y, y * 2).value() == 4",
        "optional.none().or(optional.of(1)).value() == 1",
        "optional.of({'a': 1}).optFlatMap(m, m[?'b']) == optional.none()",
        "type(1) == int && type([]) == list && type(x) == map && type(null) == null_type && type(int) == type",
        "(1 / 0 > 1) || true",
        "!((1 / 0 > 1) && false)",
        "[0, 1].exists(i, 1 / i == 1)",
        "1 in [1, 2] && !(3 in [1, 2]) && 'a' in {'a': 1} && dyn(1.0) in [1]",
        "{1: 'a'}[dyn(1u)] == 'a'",
    ]);
}

#[test]
fn errors_have_cel_gos_words() {
    for (source, expected) in [
        ("x.nothing", "no such key: nothing"),
        ("x['nothing']", "no such key: nothing"),
        ("x.a.b[7]", "index out of bounds: 7"),
        ("1 / 0", "division by zero"),
        ("1 % 0", "modulus by zero"),
        ("9223372036854775807 + 1", "integer overflow"),
        ("0u - 1u", "unsigned integer overflow"),
        ("x.s + 1", "no such overload"),
        ("x.i.startsWith('a')", "no such overload: int.startsWith(string)"),
        ("int('a')", "type conversion error from 'string' to 'int'"),
        ("int(1e99)", "integer overflow"),
        ("uint(-1)", "unsigned integer overflow"),
        ("y", "no such attribute(s): y"),
        ("optional.none().value()", "optional.none() dereference"),
        ("'abc'.substring(4)", "index out of range: 4"),
        ("[].min()", "min called on empty list"),
        ("[1].slice(0, 2)", "cannot slice(0, 2), list is length 1"),
        ("timestamp('9999-12-30T12:00:00Z') + duration('48h')", "timestamp overflow"),
        (
            "cidr('1.2.3.4')",
            "network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(\"1.2.3.4\"): no '/'",
        ),
        (
            "quantity('a')",
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        ("semver('1.2')", "No Major.Minor.Patch elements found"),
        ("x.i.all(a, true)", "got 'int', expected iterable type"),
    ] {
        assert_eq!(run(source).err().as_deref(), Some(expected), "{source}");
    }
}

#[test]
fn text_functions() {
    all_true(&[
        "size('👑') == 1 && 'abc'.size() == 3 && size(b'\\xff') == 1",
        "'tacocat'.indexOf('ac') == 1 && 'tacocat'.indexOf('a', 3) == 5 && 'tacocat'.indexOf('none') == -1",
        "'tacocat'.lastIndexOf('at') == 5 && 'tacocat'.lastIndexOf('a', 3) == 1 && 'tacocat'.lastIndexOf('') == 7",
        "'hello hello'.replace('he', 'we', 1) == 'wello hello' && 'ab'.replace('', '_') == '_a_b_'",
        "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'ab'.split('') == ['a', 'b']",
        "'a,b'.split(',', 0) == [] && 'a,b'.split(',', 1) == ['a,b']",
        "'  a\\t'.trim() == 'a' && 'Ab'.lowerAscii() == 'ab' && 'Ab'.upperAscii() == 'AB'",
        "['a', 'b'].join() == 'ab' && ['a', 'b'].join('-') == 'a-b' && [].join() == ''",
        "'abc 123 def 4'.find('[0-9]+') == '123' && 'ab'.find('x') == ''",
        "'1 a 2'.findAll('[0-9]') == ['1', '2'] && '1 a 2'.findAll('[0-9]', 1) == ['1']",
        "'%s %d %.2f %x %X %o'.format(['a', 1, 2.345, 255, 'hi', 8]) == 'a 1 2.35 ff 6869 10'",
        "'%s'.format([{'a': [1, 2.5, 'x']}]) == '{\"a\":[1, 2.500000, \"x\"]}'",
        "strings.quote('a\"b') == '\"a\\\\\"b\"'",
        "string(1.0) == '1' && string(1e6) == '1e+06' && string(true) == 'true' && string(b'a') == 'a'",
        "bool('true') && int('-3') == -3 && double('1.5') == 1.5 && uint(3) == 3u && bytes('a') == b'a'",
    ]);
}

#[test]
fn list_functions() {
    all_true(&[
        "[1, 2, 3].sum() == 6 && [duration('1s'), duration('2s')].sum() == duration('3s') && [].sum() == 0",
        "[3, 1, 2].max() == 3 && ['b', 'a'].min() == 'a' && [1, 2, 2].isSorted() && ![2, 1].isSorted()",
        "[1, 2, 2].indexOf(2) == 1 && [1, 2, 2].lastIndexOf(2) == 2 && [1].indexOf(5) == -1",
        "[3, 1, 2].sort() == [1, 2, 3] && ['bb', 'a'].sortBy(s, size(s)) == ['a', 'bb']",
        "[1, 2, 2, 1].distinct() == [1, 2] && [1, 2].reverse() == [2, 1] && lists.range(3) == [0, 1, 2]",
        "[[1], [2, 3]].flatten() == [1, 2, 3] && [[[1]], [[2]]].flatten(2) == [1, 2]",
        "[1, 2, 3].slice(1, 3) == [2, 3] && [1, 2].first() == optional.of(1) && [].last() == optional.none()",
        "sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 1], [1])",
    ]);
}

#[test]
fn libraries_of_kubernetes() {
    all_true(&[
        "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('50k').add(20) == quantity('50020')",
        "quantity('1k').sub(quantity('1')).asInteger() == 999 && !quantity('50.5').isInteger()",
        "quantity('-1').compareTo(quantity('1')) == -1 && sign(quantity('-1')) == -1 && isQuantity('1M') && !isQuantity('x')",
        "quantity('1.5').asApproximateFloat() == 1.5",
        "ip('192.168.0.1').family() == 4 && ip('::1').isLoopback() && !isIP('1.2.3.256') && ip.isCanonical('::1')",
        "!isIP('::ffff:1.2.3.4') && ip('169.254.1.1').isLinkLocalUnicast() && ip('8.8.8.8').isGlobalUnicast()",
        "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16'))",
        "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('::/64').prefixLength() == 64",
        "string(cidr('10.1.2.3/8').ip()) == '10.1.2.3' && !isCIDR('10.0.0.0/33')",
        "url('https://u@example.com:80/a/b?k=v&k=w').getHostname() == 'example.com'",
        "url('https://example.com:80/').getPort() == '80' && url('https://[::1]:80/a b').getEscapedPath() == '/a%20b'",
        "url('/p?k=v&k=w').getQuery() == {'k': ['v', 'w']} && isURL('https://a') && !isURL('a/b')",
        "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-rc.1').compareTo(semver('1.0.0')) == -1",
        "semver('v1.02', true).minor() == 2 && !isSemver('1.02.3') && semver('1.2.3+x') == semver('1.2.3')",
        "!format.dns1123Label().validate('my-name').hasValue()",
        "format.named('uuid').value().validate('x').value() == ['does not match the UUID format']",
        "format.dns1123LabelPrefix().validate('a-') == optional.none() && format.dns1035Label().validate('1').hasValue()",
        "format.date().validate('2021-01-01') == optional.none() && format.byte().validate('!').hasValue()",
    ]);
}

#[test]
fn moments() {
    all_true(&[
        "timestamp('2023-07-14T10:30:45.123Z').getMonth() == 6 && timestamp('2023-07-14T10:30:45.123Z').getMilliseconds() == 123",
        "timestamp('2023-01-01T05:30:00Z').getFullYear('-08:00') == 2022 && timestamp(0).getDayOfWeek() == 4",
        "timestamp('2023-01-10T12:00:00Z') - timestamp('2023-01-10T00:00:00Z') == duration('12h')",
        "string(timestamp('1970-01-01T00:00:00Z')) == '1970-01-01T00:00:00Z' && int(timestamp('1970-01-01T00:00:01Z')) == 1",
        "string(duration('1h30m')) == '5400s' && duration('3723s').getMinutes() == 62 && int(duration('1s')) == 1000000000",
    ]);
}

#[test]
fn work_that_costs_nothing_is_bounded_as_well() {
    // A list that doubles forty times, and the comparison of two lists that hold one of these each.
    let mut source = "[1]".to_owned();
    for _ in 0..40 {
        source = format!("[{source}].map(l, l + l)[0]");
    }
    let compare = format!("[{source}].map(l, [l] == [l + []])[0]");
    assert_eq!(run(&compare).err().as_deref(), Some("operation cancelled: actual cost limit exceeded"));
    let text = format!(
        "['{}'].map(s, s.replace('', s).replace('', s).replace('', s).replace('', s))",
        "a".repeat(64)
    );
    assert!(run(&text).is_err());
}
