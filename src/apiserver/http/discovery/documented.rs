//! The table of kinds in `docs/fidelity.md`: made from what is served.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Write;

use super::table;
use crate::api::Kind;
use crate::api::go_types::{self, GoStruct, Type};
use crate::apiserver::http::path::{self, RequestPath};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/fidelity.md");
const BEGIN: &str = "<!-- kinds: written by STEADY_UPDATE=1 cargo test --lib documented -->\n";
const END: &str = "<!-- end of kinds -->";

/// The parts of a Pod that its kubelet answers (`http::runtime`).
const BY_KUBELET: [&str; 3] = ["attach", "exec", "log"];

/// The structs below a struct, itself among them.
fn structs(of: &'static GoStruct, seen: &mut BTreeSet<&'static str>) -> usize {
    if !seen.insert(of.name) {
        return 0;
    }
    let below = of.fields.iter().map(|f| {
        let mut kind = f.kind;
        while let Type::Pointer(t) | Type::Named(_, t) | Type::List(t) | Type::Map(t) = kind {
            kind = *t;
        }
        1 + if let Type::Struct(s) = kind { structs(s, seen) } else { 0 }
    });
    below.sum()
}

fn kinds() -> String {
    let mut text = String::from(
        "| kind | verbs | parts that are served | parts of Kubernetes' that are not | fields |\n| --- | --- | --- | --- | --- |\n",
    );
    for kind in Kind::BUILT_IN {
        let version = kind.api_version().rsplit('/').next().unwrap();
        let groups = table::GROUPS.iter().filter(|g| g.name == kind.group());
        let resources: Vec<_> =
            groups.flat_map(|g| g.versions).filter(|(v, _)| *v == version).flat_map(|(_, r)| *r).collect();
        let whole = resources.iter().find(|r| r.name == kind.plural()).unwrap();
        let parts = resources.iter().filter_map(|r| r.name.strip_prefix(kind.plural())?.strip_prefix('/'));
        let root = if kind.group().is_empty() { "/api" } else { "/apis" };
        let namespace = if kind.namespaced() { "/namespaces/n" } else { "" };
        let (served, absent): (Vec<&str>, Vec<&str>) = parts.partition(|part| {
            let path = format!("{root}/{}{namespace}/{}/x/{part}", kind.api_version(), kind.plural());
            let by_kubelet = *kind == Kind::POD && BY_KUBELET.contains(part);
            by_kubelet || matches!(path::parse(&path), RequestPath::Objects(_))
        });
        let verbs = if whole.verbs.len() == 8 { "all".to_owned() } else { whole.verbs.join(", ") };
        let fields = structs(go_types::of(*kind), &mut BTreeSet::new());
        let (version, served, absent) = (kind.api_version(), served.join(", "), absent.join(", "));
        writeln!(
            text,
            "| {version} {kind} | {verbs} | {served} | {absent} | {fields} |",
            kind = kind.as_str()
        )
        .unwrap();
    }
    text
}

#[test]
fn the_table_of_kinds_in_the_documentation_is_of_this_program() {
    let text = std::fs::read_to_string(FILE).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (table, after) = rest.split_once(END).unwrap();
    let want = format!("\n{}\n", kinds());
    if std::env::var_os("STEADY_UPDATE").is_some() && table != want {
        std::fs::write(FILE, format!("{before}{BEGIN}{want}{END}{after}")).unwrap();
        return;
    }
    assert_eq!(table, want, "stale: STEADY_UPDATE=1 cargo test --lib documented");
}
