//! Texts are those of kube-apiserver (`shared/conformance/api`) and of cel-go's own tests (`checker/checker_test.go`).

use super::super::{DeclField, DeclType, Env};

fn env() -> Env {
    let item = DeclType::object(vec![DeclField::new("name", DeclType::string(None), false)]);
    let object = DeclType::object(vec![
        DeclField::new("n", DeclType::int(), false),
        DeclField::new("items", DeclType::list(item, None), false),
        DeclField::new("labels", DeclType::map(DeclType::string(None), None), false),
        DeclField::new("a-b", DeclType::bool(), false),
    ]);
    let metadata = DeclType::object(vec![DeclField::new("name", DeclType::string(None), false)]);
    let made = DeclType::object(vec![DeclField::new("metadata", metadata, false)]);
    Env::base()
        .variable("self", object)
        .variable("any", DeclType::dyn_type())
        .optional_variable("maybe", DeclType::int())
        .object_type("Object", made)
}

fn type_of(source: &str) -> Result<String, String> {
    env().compile(source).map(|p| p.output_type().to_string()).map_err(|issues| {
        issues
            .each()
            .map(|(at, m)| at.map_or(m.to_owned(), |(_, column)| format!("{column}: {m}")))
            .collect::<Vec<_>>()
            .join("; ")
    })
}

#[test]
fn expressions_have_types() {
    for (source, expected) in [
        ("self.n + 1", "int"),
        ("self.items[0].name", "string"),
        ("self.items.map(i, i.name)", "list(string)"),
        ("self.labels['a']", "string"),
        ("self.labels.a", "string"),
        ("self.a__dash__b", "bool"),
        ("any.a.b[0] + 1", "int"),
        ("any.a", "dyn"),
        ("self.?n", "optional_type(int)"),
        ("self.?n.orValue(2)", "int"),
        ("maybe.hasValue() ? maybe.value() : 0", "int"),
        ("self.labels.all(k, v, k != v)", "bool"),
        ("self.labels.transformMap(k, v, size(v))", "map(string, int)"),
        ("self.items.transformList(i, x, i)", "list(int)"),
        ("[]", "list(dyn)"),
        ("[1, 2] + []", "list(int)"),
        ("{}", "map(dyn, dyn)"),
        ("type(1)", "type(int)"),
        ("type(self) == map", "bool"),
        ("[1, 2].sortBy(x, -x)", "list(int)"),
        ("ip('1.2.3.4').family()", "int"),
        ("quantity('1').add(2)", "kubernetes.Quantity"),
        ("url('a').getQuery()", "map(string, list(string))"),
        ("format.named('x')", "optional_type(kubernetes.NamedFormat)"),
        ("optional.of(1).optMap(x, string(x))", "optional_type(string)"),
        ("Object{metadata: Object.metadata{name: 'a'}}", "Object"),
        ("self.items.filter(i, i.name == null)", "error"),
    ] {
        if expected == "error" {
            assert!(type_of(source).is_err(), "{source}");
        } else {
            assert_eq!(type_of(source).as_deref(), Ok(expected), "{source}");
        }
    }
}

#[test]
fn errors_are_told_with_their_places() {
    for (source, expected) in [
        ("nothing == 1", "1: undeclared reference to 'nothing' (in container '')"),
        ("self.b > 1", "5: undefined field 'b'"),
        ("self.n > 'a'", "8: found no matching overload for '_>_' applied to '(int, string)'"),
        ("self.n.foo()", "11: undeclared reference to 'foo' (in container '')"),
        (
            "self.n.startsWith('a')",
            "18: found no matching overload for 'startsWith' applied to 'int.(string)'",
        ),
        ("size(1)", "5: found no matching overload for 'size' applied to '(int)'"),
        ("!self.n", "1: found no matching overload for '!_' applied to '(int)'"),
        ("self.n && true", "5: expected type 'bool' but found 'int'"),
        ("[1, 'a']", "5: expected type 'int' but found 'string'"),
        ("{'a': 1, 'b': 'c'}", "15: expected type 'int' but found 'string'"),
        ("self.n.a", "7: type 'int' does not support field selection"),
        (
            "self.n.all(x, true)",
            "5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
        ),
        ("self.items.all(x, x.name)", "20: expected type 'bool' but found 'string'"),
        ("self.n == 'a'", "8: found no matching overload for '_==_' applied to '(int, string)'"),
        ("true ? 1 : 'a'", "6: found no matching overload for '_?_:_' applied to '(bool, int, string)'"),
        ("Object{nothing: 1}", "15: undefined field 'nothing'"),
        ("Nothing{}", "8: undeclared reference to 'Nothing' (in container '')"),
        (
            "Object{metadata: 1}",
            "16: expected type of field 'metadata' is 'Object.metadata' but provided type is 'int'",
        ),
        ("duration('x')", "10: invalid duration argument"),
        ("timestamp('x')", "11: invalid timestamp argument"),
        ("'a'.matches('(')", "13: invalid matches argument"),
        ("quantity('1').x", "14: unexpected failed resolution of 'kubernetes.Quantity'"),
    ] {
        assert_eq!(type_of(source), Err(expected.to_owned()), "{source}");
    }
}
