#![allow(clippy::unwrap_used)]
use super::*;

fn labels(text: &str) -> BTreeMap<String, String> {
    text.split(',').filter_map(|p| p.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

#[test]
fn texts_round_trip() {
    for (text, want) in [
        ("", ""),
        ("a=b", "a=b"),
        (" z == y , a != b ", "a!=b,z==y"),
        ("x in (c,b,a)", "x in (a,b,c)"),
        ("x in ()", "x in ()"),
        ("x in (,a)", "x in (,a)"),
        ("x in (a,,b)", "x in (,a,b)"),
        ("x notin (in,notin)", "x notin (in,notin)"),
        ("in", "in"),
        ("!x", "!x"),
        ("!x=y", "err"),
        ("n>3,n<5", "n>3,n<5"),
        ("a=", "a="),
        ("a=,b", "a=,b"),
    ] {
        match Selector::parse(text) {
            Ok(s) => assert_eq!(s.to_string(), want, "{text}"),
            Err(_) => assert_eq!("err", want, "{text}"),
        }
    }
}

#[test]
fn refusals() {
    for (text, want) in [
        ("tier in", "unable to parse requirement: found '' expected: '('"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("=x", "found '=', expected: !, identifier, or 'end of string'"),
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"),
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        (
            "a>b",
            "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        (
            "a=-b",
            "unable to parse requirement: values[0][a]: Invalid value: \"-b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ),
        (
            "-a",
            "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ),
    ] {
        assert_eq!(Selector::parse(text).unwrap_err(), want, "{text}");
    }
}

#[test]
fn what_they_select() {
    for (text, set, want) in [
        ("", "", true),
        ("a=b", "a=b", true),
        ("a=b", "a=c", false),
        ("a!=b", "", true),
        ("a notin (b)", "a=c", true),
        ("a in (b,c)", "a=c", true),
        ("a in (b,c)", "", false),
        ("!a", "a=", false),
        ("a", "a=", true),
        ("n>3", "n=4", true),
        ("n>3", "n=x", false),
        ("n<3", "", false),
    ] {
        assert_eq!(Selector::parse(text).unwrap().matches(&labels(set)), want, "{text} on {set}");
    }
    assert!(!Selector::nothing().matches(&labels("")));
    assert!(!Selector::nothing().is_empty());
    assert!(Selector::everything().is_empty());
    assert!(Selector::from_set(&labels("a=b")).matches(&labels("a=b,c=d")));
    assert!(Selector::from_label_selector(None).unwrap() == Selector::nothing());
    assert!(Selector::from_label_selector(Some(&LabelSelector::default())).unwrap().is_empty());
}

#[test]
fn selectors_of_a_spec() {
    let selector = |json: serde_json::Value| serde_json::from_value::<LabelSelector>(json).unwrap();
    let s = selector(serde_json::json!({"matchLabels": {"app": "web"}, "matchExpressions": [
        {"key": "tier", "operator": "In", "values": ["b", "a"]}, {"key": "a", "operator": "Exists"}]}));
    assert_eq!(format_label_selector(&s), "a,app=web,tier in (a,b)");
    let s = selector(serde_json::json!({"matchExpressions": [{"key": "a", "operator": "Is"}]}));
    assert_eq!(format_label_selector(&s), "<error>");
    assert_eq!(
        Selector::from_label_selector(Some(&s)).unwrap_err(),
        "\"Is\" is not a valid label selector operator"
    );
    let s = selector(serde_json::json!({"matchExpressions": [{"key": "a", "operator": "In"}]}));
    assert_eq!(
        Selector::from_label_selector(Some(&s)).unwrap_err(),
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
    );
    assert_eq!(format_label_selector(&LabelSelector::default()), "<none>");
}
