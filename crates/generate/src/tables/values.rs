//! The values that the editor offers for a field: those of the field's type, if that is an enum.

use std::collections::{BTreeMap, BTreeSet};

use super::{GENERATED, Queue, Table, enums, quoted};
use crate::Result;
use crate::go::{Field, Name, Types};
use crate::kinds::Kind;
use crate::sources::{Source, Sources};

/// Types without the marker `enum` whose constants are worth offering all the same.
const ALSO: &[(&str, &str)] =
    &[("core", "ContainerRestartPolicy"), ("core", "StorageMedium"), ("metav1", "LabelSelectorOperator")];

pub fn table(kinds: &[Kind], sources: &Sources) -> Result<Table> {
    let values = values(sources)?;
    let mut rows = BTreeSet::new();
    let mut queue = Queue::new(kinds.iter().map(Kind::name));
    while let Some(name) = queue.next() {
        let definition = definition(&sources.files, &name)?;
        for (package, field) in fields(&sources.types, &name)? {
            let inner = inner(&sources.types, package, &field.ty);
            // A map's values have no place of their own in the schema.
            let is_map = field.ty.starts_with("map[");
            if sources.types.get(&inner).is_some() {
                queue.need(inner);
            } else if let Some(values) = values.get(&inner).filter(|_| !is_map) {
                let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
                let (field, values) = (field.json().name, values.join(", "));
                rows.insert(format!("    (\"{definition}\", \"{field}\", &[{values}]),\n"));
            }
        }
    }
    let rows: String = rows.into_iter().collect();
    let text = format!(
        "//! The values of string fields that take only a few. `k8s-openapi` has them in the prose of descriptions alone.\n\
         //! {GENERATED}\n\n\
         /// Definition, field, and the values it takes (for a list: those of its items).\n\
         pub const VALUES: &[(&str, &str, &[&str])] = &[\n{rows}];\n"
    );
    Ok(Table { file: "crates/schema/src/enums.rs", text })
}

/// The fields of a struct as JSON has them, each with the package that its type is written in: those of inline structs
/// stand in the struct itself.
fn fields<'a>(types: &'a Types, name: &'a Name) -> Result<Vec<(&'a str, &'a Field)>> {
    let found = types.find(name)?;
    let mut fields_of = Vec::new();
    for field in &found.fields {
        if !field.is_inline() {
            fields_of.push((name.package.as_str(), field));
            continue;
        }
        let inner = Name::resolve(&name.package, &field.ty);
        if let Some((inner, _)) = types.structs().find(|(other, _)| **other == inner) {
            fields_of.extend(fields(types, inner)?);
        }
    }
    Ok(fields_of)
}

/// The values of every enum, in the order of the source. The empty text, and what is a prefix only, are left out.
fn values(sources: &Sources) -> Result<BTreeMap<Name, Vec<String>>> {
    let also = ALSO.iter().map(|(package, name)| Name::new(package, name));
    let mut values = BTreeMap::new();
    for file in sources.files.iter().filter(|file| file.of_kinds) {
        let also = also.clone().filter(|name| name.package == file.package).map(|name| name.name);
        for name in enums::marked(&file.text)?.into_iter().chain(also) {
            let all = enums::values(&name, file, &sources.files)?.into_iter().map(|(value, _)| value);
            let offered: Vec<String> =
                all.filter(|value| !value.is_empty() && !value.ends_with('-')).collect();
            if !offered.is_empty() {
                values.insert(Name::new(&file.package, &name), offered);
            }
        }
    }
    Ok(values)
}

/// The type of a field, or of the items of a list or map.
fn inner(types: &Types, package: &str, text: &str) -> Name {
    let text = text.trim_start_matches('*');
    if let Some(item) = text.strip_prefix("[]") {
        return inner(types, package, item);
    }
    if let Some((_, item)) = text.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        return inner(types, package, item);
    }
    let name = Name::resolve(package, text);
    match types.named(&name) {
        Some(other) if other.starts_with("[]") || other.starts_with("map[") => {
            inner(types, &name.package, other)
        }
        _ => name,
    }
}

/// What OpenAPI calls a struct: `io.k8s.api.core.v1.Pod`.
fn definition(files: &[Source], name: &Name) -> Result<String> {
    let file = files.iter().find(|file| file.package == name.package);
    let file = file.ok_or_else(|| format!("no file has the package of {name}"))?;
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder).replace('/', ".");
    Ok(format!("io.k8s.{}.{folder}.{}", file.repository, name.name))
}
