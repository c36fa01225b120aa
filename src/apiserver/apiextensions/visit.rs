//! All schemas that a schema is made of.

use super::types::{
    JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool, JSONSchemaPropsOrStringArray,
};

/// Calls `each` with a schema and all that it is made of (`SchemaHas`).
pub(super) fn visit<'a>(s: &'a JSONSchemaProps, each: &mut dyn FnMut(&'a JSONSchemaProps)) {
    each(s);
    match &s.items {
        Some(JSONSchemaPropsOrArray::Schema(items)) => visit(items, each),
        Some(JSONSchemaPropsOrArray::Schemas(list)) => list.iter().for_each(|s| visit(s, each)),
        None => {}
    }
    for s in [&s.all_of, &s.any_of, &s.one_of].into_iter().flatten().flatten() {
        visit(s, each);
    }
    if let Some(s) = &s.not {
        visit(s, each);
    }
    for s in s.properties.iter().flat_map(|m| m.values()) {
        visit(s, each);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(s)) = &s.additional_properties {
        visit(s, each);
    }
    for s in s.pattern_properties.iter().flat_map(|m| m.values()) {
        visit(s, each);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(s)) = &s.additional_items {
        visit(s, each);
    }
    for s in s.definitions.iter().flat_map(|m| m.values()) {
        visit(s, each);
    }
    for d in s.dependencies.iter().flat_map(|m| m.values()) {
        if let JSONSchemaPropsOrStringArray::Schema(s) = d {
            visit(s, each);
        }
    }
}
