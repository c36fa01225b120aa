//! The overloads of every function, read from `tables.rs`.

mod tables;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::types::{OPAQUES, Type};
use tables::{COMPARABLE, FUNCTIONS, OBJECTS};

/// One way to call a function.
#[derive(Clone, Debug)]
pub(crate) struct Overload {
    pub id: String,
    /// Whether it is called on its first argument.
    pub member: bool,
    pub args: Vec<Type>,
    pub result: Type,
}

/// The overloads of each function, in the order in which they are tried.
pub(crate) type Functions = BTreeMap<String, Vec<Overload>>;

/// All functions of Kubernetes' CEL.
static ALL: LazyLock<Functions> = LazyLock::new(all);

/// The overloads of a function; `None` if there is none of that name.
pub(crate) fn overloads(function: &str) -> Option<&'static [Overload]> {
    ALL.get(function).map(Vec::as_slice)
}

fn all() -> Functions {
    let mut functions = Functions::new();
    let mut add = |line: &str| {
        let Some((name, id, overload)) = read(line) else { return };
        functions.entry(name).or_default().push(Overload { id, ..overload });
    };
    FUNCTIONS.lines().for_each(&mut add);
    for (operator, name) in
        [("_<_", "less"), ("_<=_", "less_equals"), ("_>_", "greater"), ("_>=_", "greater_equals")]
    {
        relations(name)
            .iter()
            .for_each(|(id, left, right)| add(&format!("{operator} {id} ({left}, {right}) bool")));
    }
    for t in COMPARABLE {
        add(&format!(".isSorted list_{t}_is_sorted_bool (list({t})) bool"));
        add(&format!(".max list_{t}_max_{t} (list({t})) {t}"));
        add(&format!(".min list_{t}_min_{t} (list({t})) {t}"));
        add(&format!(".sort list_{t}_sort (list({t})) list({t})"));
        add(&format!(".@sortByAssociatedKeys list_{t}_sortByAssociatedKeys (list(T), list({t})) list(T)"));
    }
    functions
}

/// The pairs of types that can be compared, with the ids of the overloads.
fn relations(name: &str) -> Vec<(String, &'static str, &'static str)> {
    const NUMBERS: [(&str, &str); 3] = [("int", "int64"), ("uint", "uint64"), ("double", "double")];
    let mut all = vec![(format!("{name}_bool"), "bool", "bool")];
    for (left, left_id) in NUMBERS {
        // A number is compared with its own type first, then with the two others.
        all.push((format!("{name}_{left_id}"), left, left));
        for (right, right_id) in NUMBERS.into_iter().rev().filter(|(right, _)| *right != left) {
            all.push((format!("{name}_{left_id}_{right_id}"), left, right));
        }
    }
    for t in ["string", "bytes", "timestamp", "duration"] {
        all.push((format!("{name}_{t}"), t, t));
    }
    all
}

fn read(line: &str) -> Option<(String, String, Overload)> {
    let (name, rest) = line.split_once(' ')?;
    let (id, rest) = rest.split_once(' ')?;
    let mut types = Reader { rest: rest.strip_prefix('(')? };
    let mut args = Vec::new();
    while !types.skip(")") {
        args.push(types.read()?);
        types.skip(", ");
    }
    types.skip(" ");
    let result = types.read()?;
    let member = name.starts_with('.');
    let name = name.strip_prefix('.').unwrap_or(name).to_owned();
    Some((name, id.to_owned(), Overload { id: String::new(), member, args, result }))
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn read(&mut self) -> Option<Type> {
        let end = self.rest.find(['(', ')', ',', ' ']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        let mut params = Vec::new();
        if self.skip("(") {
            while !self.skip(")") {
                params.push(self.read()?);
                self.skip(", ");
            }
        }
        let mut params = params.into_iter();
        let mut next = || params.next().unwrap_or(Type::Dyn);
        Some(match name {
            "bool" => Type::Bool,
            "int" => Type::Int,
            "uint" => Type::Uint,
            "double" => Type::Double,
            "string" => Type::String,
            "bytes" => Type::Bytes,
            "timestamp" => Type::Timestamp,
            "duration" => Type::Duration,
            "dyn" => Type::Dyn,
            "list" => Type::list(next()),
            "map" => Type::map(next(), next()),
            "type" => Type::type_of(next()),
            "optional" => Type::optional(next()),
            _ => named(name)?,
        })
    }
}

fn named(name: &str) -> Option<Type> {
    const PARAMS: [&str; 5] = ["A", "B", "K", "V", "T"];
    let find = |table: &[(&str, &'static str)]| table.iter().find(|(n, _)| *n == name).map(|(_, full)| *full);
    let param = PARAMS.into_iter().find(|p| *p == name).map(Type::Param);
    param
        .or_else(|| find(OBJECTS).map(Type::object))
        .or_else(|| find(OPAQUES).map(|full| Type::opaque(full, Vec::new())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        for line in FUNCTIONS.lines().filter(|l| !l.is_empty()) {
            assert!(read(line).is_some(), "{line}");
        }
        let overload = ALL.get("getQuery").and_then(|all| all.first());
        assert_eq!(overload.map(|o| o.result.to_string()).as_deref(), Some("map(string, list(string))"));
        let ids: Vec<_> = ALL.get("_<_").into_iter().flatten().map(|o| o.id.as_str()).collect();
        assert_eq!(ids.len(), 14);
        assert_eq!(
            ids.get(..4),
            Some(&["less_bool", "less_int64", "less_int64_double", "less_int64_uint64"][..])
        );
    }
}
