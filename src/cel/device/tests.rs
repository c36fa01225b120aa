//! After `compile_test.go` of `k8s.io/dynamic-resource-allocation/cel`.
#![allow(clippy::expect_used)]

use serde_json::json;

use super::*;

fn device(attributes: serde_json::Value, capacity: serde_json::Value) -> Device {
    let device = json!({"name": "d", "attributes": attributes, "capacity": capacity});
    serde_json::from_value(device).expect("a device")
}

fn all_kinds() -> Device {
    device(
        json!({"name": {"string": "fish"}, "yes": {"bool": true}, "n": {"int": 1}, "v": {"version": "1.0.0"},
               "other.example.com/name": {"bool": true}}),
        json!({"size": {"value": "1Mi"}}),
    )
}

const DRIVER: &str = "dra.example.com";

#[test]
fn a_selector_says_which_devices_it_selects() {
    let compiler = DeviceCompiler::new();
    // An expression, what it says, and what it costs at most.
    for (expression, says, cost) in [
        ("true", Ok(true), 0),
        (r#""no-such-domain" in device.attributes"#, Ok(false), 3),
        (r#""dra.example.com" in device.attributes"#, Ok(true), 3),
        (r#"device.driver == "dra.example.com""#, Ok(true), 4),
        (r#"device.driver == """#, Ok(false), 2),
        (r#"device.attributes["dra.example.com"].yes"#, Ok(true), 4),
        (r#"device.attributes["dra.example.com"]["yes"]"#, Ok(true), 4),
        (r#"cel.bind(dra, device.attributes["dra.example.com"], dra.yes)"#, Ok(true), 15),
        (r#"device.attributes["other.example.com"].name"#, Ok(true), 4),
        (r#"device.attributes["dra.example.com"].n > 0"#, Ok(true), 5),
        (r#"device.attributes["dra.example.com"].name == "fish""#, Ok(true), 5),
        (r#"device.attributes["dra.example.com"].v.isGreaterThan(semver("0.0.1"))"#, Ok(true), 6),
        (r#"device.capacity["dra.example.com"].size.isGreaterThan(quantity("1Ki"))"#, Ok(true), 6),
        (
            r#"!("name" in device.capacity["x"]) || device.capacity["x"].name.isGreaterThan(quantity("1Ki"))"#,
            Ok(true),
            11,
        ),
        (r#"device.attributes.exists_one(x, x == "dra.example.com")"#, Ok(true), 164),
        (r#"device.attributes["dra.example.com"].exists_one(x, x == "name")"#, Ok(true), 133),
        (r#"device.attributes["dra.example.com"].name.split("is").size() >= 2"#, Ok(true), 19),
        (r#"device.attributes["dra.example.com"].name.matches("[^a]?ish")"#, Ok(true), 18),
        ("device.allowMultipleAllocations == false", Ok(true), 3),
        (
            r#"device.attributes["no-such-domain"].noSuchAttr.isGreaterThan(quantity("0"))"#,
            Err("no such key: noSuchAttr"),
            6,
        ),
        (r#"device.attributes["dra.example.com"].n"#, Err("could not be converted to bool"), 4),
    ] {
        let program = compiler.compile(expression).unwrap_or_else(|why| panic!("{expression}: {why}"));
        assert_eq!(program.estimate_cost().max, cost, "{expression}");
        let said = DeviceCompiler::matches(&program, DRIVER, &all_kinds());
        match says {
            Ok(says) => assert_eq!(said, Ok(says), "{expression}"),
            Err(part) => {
                assert!(said.as_ref().is_err_and(|why| why.contains(part)), "{expression}: {said:?}")
            }
        }
    }
}

#[test]
fn a_selector_has_to_give_a_bool() {
    let compiler = DeviceCompiler::new();
    let wrong = |expression: &str| compiler.compile(expression).err().unwrap_or_default();
    assert_eq!(wrong("1"), "must evaluate to bool or the unknown type, not int");
    assert!(wrong("?!").starts_with("compilation failed: ERROR: <input>:1:1: Syntax error"));
    // A function of lists, which are behind a feature gate.
    assert!(
        wrong(r#"device.attributes["a"].b.includes("c")"#).contains("undeclared reference to 'includes'")
    );
    assert!(wrong("device.nothing").contains("undefined field 'nothing'"));
}

#[test]
fn what_costs_too_much_ends() {
    let ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
    let mut expression = "int('1'.find('[0-9]*')) < 100".to_owned();
    for name in ["g", "f", "e", "d", "c", "b", "a"] {
        expression = format!("{ten}.all({name}, {expression})");
    }
    let program = DeviceCompiler::new().compile(&expression).expect("it compiles");
    assert_eq!(program.estimate_cost().max, 85_555_551);
    let said = DeviceCompiler::matches(&program, DRIVER, &Device::default());
    assert!(said.is_err_and(|why| why.contains("actual cost limit exceeded")));
}

#[test]
fn an_attribute_has_a_value_that_is_known() {
    let lists = device(json!({"names": {"strings": ["a"]}}), json!({}));
    let program = DeviceCompiler::new().compile("true").expect("it compiles");
    let said = DeviceCompiler::matches(&program, DRIVER, &lists);
    assert_eq!(said, Err("attribute names: unsupported attribute value".to_owned()));
}
