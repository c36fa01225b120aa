//! What a variable may hold: types with the sizes that a schema bounds, after `DeclType` in
//! `k8s.io/apiserver/pkg/cel/types.go` and the arithmetic of `SchemaDeclType` in `pkg/cel/common/schemas.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::escape::escape;
use super::types::Type;

/// The largest request that the API server takes, in bytes. What a schema leaves unbounded is bounded by it.
pub const MAX_REQUEST_SIZE_BYTES: u64 = 3 * 1024 * 1024;

/// The smallest JSON of each kind, in bytes, and the largest of those whose length is bounded
/// (`k8s.io/apiserver/pkg/cel/limits.go`).
const MIN_STRING_SIZE: u64 = 2;
const MIN_BOOL_SIZE: u64 = 4;
const MIN_NUMBER_SIZE: u64 = 1;
const MIN_DURATION_SIZE: u64 = 3;
const MIN_QUANTITY_SIZE: u64 = 8;
const MAX_DURATION_SIZE: u64 = 32;
const DATE_SIZE: u64 = 12;
const MIN_DATE_TIME_SIZE: u64 = 21;
const MAX_DATE_TIME_SIZE: u64 = 32;
const NO_MAXIMUM: u64 = i64::MAX as u64;

/// How the items of a list are told apart (`x-kubernetes-list-type`).
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ListType {
    /// A list is equal to one with the same items in the same order.
    #[default]
    Atomic,
    /// The order does not matter, and `+` adds what is not there yet.
    Set,
    /// Items are objects, told apart by these properties. The order does not matter, and `+` replaces items.
    Map(Vec<String>),
}

/// The type of a variable or of a part of it, with bounds on its size.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclType(Arc<Decl>);

#[derive(Clone, Debug, PartialEq)]
struct Decl {
    kind: DeclKind,
    nullable: bool,
    max_elements: u64,
    min_serialized_size: u64,
    /// What the keys of a map are, if that is declared.
    keys: Option<DeclType>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DeclKind {
    /// What has no parts.
    Simple(Type),
    IntOrString,
    /// `format: date`: a timestamp at midnight, UTC.
    Date,
    List(DeclType, ListType),
    Map(DeclType),
    /// The type's name once an environment gave it one, and its fields by their names in JSON.
    Object(Option<Arc<str>>, Arc<BTreeMap<String, DeclField>>),
    /// Data that is kept but has no schema: an expression cannot reach it, only compare it.
    Unknown,
}

/// A property of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclField {
    name: String,
    decl: DeclType,
    required: bool,
    has_default: bool,
    verbatim: bool,
}

impl DeclField {
    /// A property by its name in JSON.
    pub fn new(name: impl Into<String>, decl: DeclType, required: bool) -> DeclField {
        DeclField { name: name.into(), decl, required, has_default: false, verbatim: false }
    }

    /// Whether the schema gives the property a default. One that has need not be sent, though it is required.
    pub fn with_default(mut self, has_default: bool) -> DeclField {
        self.has_default = has_default;
        self
    }

    /// A property that expressions name as it is, also where its name is a word of CEL's grammar. A property of a schema is
    /// named by its [escaped](super::escape) name.
    pub fn verbatim(self) -> DeclField {
        DeclField { verbatim: true, ..self }
    }

    pub(crate) fn decl(&self) -> &DeclType {
        &self.decl
    }
}

fn bound(limit: i64) -> u64 {
    u64::try_from(limit).unwrap_or(0)
}

impl DeclType {
    fn make(kind: DeclKind, max_elements: u64, min_serialized_size: u64) -> DeclType {
        DeclType(Arc::new(Decl { kind, nullable: false, max_elements, min_serialized_size, keys: None }))
    }

    fn simple(t: Type, max_elements: u64, min_serialized_size: u64) -> DeclType {
        DeclType::make(DeclKind::Simple(t), max_elements, min_serialized_size)
    }

    /// `type: boolean`
    pub fn bool() -> DeclType {
        DeclType::simple(Type::Bool, 0, MIN_BOOL_SIZE)
    }

    /// `type: integer`
    pub fn int() -> DeclType {
        DeclType::simple(Type::Int, 0, MIN_NUMBER_SIZE)
    }

    /// An integer without a sign. No schema declares one.
    pub fn uint() -> DeclType {
        DeclType::simple(Type::Uint, 0, MIN_NUMBER_SIZE)
    }

    /// `type: number`
    pub fn double() -> DeclType {
        DeclType::simple(Type::Double, 0, MIN_NUMBER_SIZE)
    }

    /// Nothing but `null`.
    pub fn null() -> DeclType {
        DeclType::simple(Type::Null, 0, MIN_BOOL_SIZE)
    }

    /// Whatever JSON there is.
    pub fn dyn_type() -> DeclType {
        DeclType::simple(Type::Dyn, NO_MAXIMUM, 1)
    }

    /// `google.protobuf.Any`; the same as [`DeclType::dyn_type`] but for its name.
    pub fn any() -> DeclType {
        DeclType::simple(Type::Any, NO_MAXIMUM, 1)
    }

    /// The authorizer, which expressions of policies ask what the sender of a request may do.
    pub fn authorizer() -> DeclType {
        DeclType::simple(Type::object("kubernetes.authorization.Authorizer"), 0, 1)
    }

    /// A question to the authorizer about a resource.
    pub fn resource_check() -> DeclType {
        DeclType::simple(Type::object("kubernetes.authorization.ResourceCheck"), 0, 1)
    }

    /// What a variable may hold that has the value of an expression of this type (`convertCelTypeToDeclType`).
    pub fn of(of: &Type) -> DeclType {
        match of {
            Type::Any => DeclType::any(),
            Type::Bool => DeclType::bool(),
            Type::Bytes => DeclType::bytes(None),
            Type::Double => DeclType::double(),
            Type::Duration => DeclType::duration(),
            Type::Int => DeclType::int(),
            Type::Null => DeclType::null(),
            Type::String => DeclType::string(None),
            Type::Timestamp => DeclType::date_time(),
            Type::Uint => DeclType::uint(),
            Type::List(_) => DeclType::list(DeclType::of(&of.param(0)), None),
            Type::Map(_) if of.param(0) == Type::String => DeclType::map(DeclType::of(&of.param(1)), None),
            _ => DeclType::dyn_type(),
        }
    }

    /// `type: string` with its `maxLength`, in code points. A code point takes up to four bytes, and sizes are
    /// counted in bytes.
    pub fn string(max_length: Option<i64>) -> DeclType {
        let most = max_length.map_or(MAX_REQUEST_SIZE_BYTES - 2, |l| bound(l).saturating_mul(4));
        DeclType::simple(Type::String, most, MIN_STRING_SIZE)
    }

    /// `type: string` with an `enum` and no `maxLength`.
    pub fn string_enum(values: &[Json]) -> DeclType {
        let longest = values.iter().filter_map(|v| v.as_str()).map(|s| s.len() as u64).max();
        DeclType::simple(Type::String, longest.unwrap_or(0), MIN_STRING_SIZE)
    }

    /// `type: string` with `format: byte`, and its `maxLength`.
    pub fn bytes(max_length: Option<i64>) -> DeclType {
        DeclType::simple(Type::Bytes, max_length.map_or(MAX_REQUEST_SIZE_BYTES - 2, bound), MIN_STRING_SIZE)
    }

    /// `type: string` with `format: duration`.
    pub fn duration() -> DeclType {
        DeclType::simple(Type::Duration, MAX_DURATION_SIZE, MIN_DURATION_SIZE)
    }

    /// `type: string` with `format: date`.
    pub fn date() -> DeclType {
        DeclType::make(DeclKind::Date, DATE_SIZE, DATE_SIZE)
    }

    /// `type: string` with `format: date-time`.
    pub fn date_time() -> DeclType {
        DeclType::simple(Type::Timestamp, MAX_DATE_TIME_SIZE, MIN_DATE_TIME_SIZE)
    }

    /// `x-kubernetes-int-or-string`, with the `maxLength` of the string.
    pub fn int_or_string(max_length: Option<i64>) -> DeclType {
        let most = max_length.map_or(MAX_REQUEST_SIZE_BYTES - 2, |l| bound(l).saturating_mul(4));
        DeclType::make(DeclKind::IntOrString, most, MIN_NUMBER_SIZE)
    }

    /// `type: array` of `items`, with its `maxItems`.
    pub fn list(items: DeclType, max_items: Option<i64>) -> DeclType {
        let fit = (MAX_REQUEST_SIZE_BYTES - 2) / items.0.min_serialized_size.saturating_add(1);
        DeclType::make(DeclKind::List(items, ListType::Atomic), max_items.map_or(fit, bound), 2)
    }

    /// Sets the `x-kubernetes-list-type` of a list. Nothing happens to a type that is no list.
    pub fn with_list_type(self, list_type: ListType) -> DeclType {
        let mut decl = (*self.0).clone();
        if let DeclKind::List(_, of) = &mut decl.kind {
            *of = list_type;
        }
        DeclType(Arc::new(decl))
    }

    /// `type: object` with `additionalProperties` of `values`, and its `maxProperties`.
    pub fn map(values: DeclType, max_properties: Option<i64>) -> DeclType {
        let fit = (MAX_REQUEST_SIZE_BYTES - 2) / values.0.min_serialized_size.saturating_add(6);
        DeclType::make(DeclKind::Map(values), max_properties.map_or(fit, bound), 2)
    }

    /// A map of the type [`DeclType::map`] whose keys have declared sizes. The name of a value is then as good as its key: `m.a`
    /// has the size that `m["a"]` has.
    pub fn map_of(keys: DeclType, values: DeclType, max: u64) -> DeclType {
        let map = DeclType::map(values, None).with_max_elements(max);
        DeclType(Arc::new(Decl { keys: Some(keys), ..(*map.0).clone() }))
    }

    /// `kubernetes.Quantity`
    pub fn quantity() -> DeclType {
        DeclType::simple(Type::object("kubernetes.Quantity"), 0, MIN_QUANTITY_SIZE)
    }

    /// The type with another bound on its items, characters or bytes.
    #[must_use]
    pub fn with_max_elements(self, max_elements: u64) -> DeclType {
        DeclType(Arc::new(Decl { max_elements, ..(*self.0).clone() }))
    }

    /// `type: object` with `properties`.
    pub fn object(fields: Vec<DeclField>) -> DeclType {
        let least = fields.iter().filter(|f| f.required && !f.has_default).fold(2u64, |sum, f| {
            sum.saturating_add(f.name.len() as u64 + 4).saturating_add(f.decl.0.min_serialized_size)
        });
        let fields = fields.into_iter().map(|f| (f.name.clone(), f)).collect();
        DeclType::make(DeclKind::Object(None, Arc::new(fields)), 0, least)
    }

    /// The object at the root of a resource, or one with `x-kubernetes-embedded-resource`: `apiVersion`, `kind`,
    /// `metadata.name` and `metadata.generateName` can be read whether the schema names them or not, and nothing
    /// else of `metadata`.
    pub fn resource(fields: Vec<DeclField>) -> DeclType {
        let metadata = ["name", "generateName"].map(|n| DeclField::new(n, DeclType::string(None), false));
        let own = [
            DeclField::new("apiVersion", DeclType::string(None), false),
            DeclField::new("kind", DeclType::string(None), false),
            DeclField::new("metadata", DeclType::object(metadata.into()), false),
        ];
        let mut all: Vec<DeclField> =
            fields.into_iter().filter(|f| own.iter().all(|o| o.name != f.name)).collect();
        all.extend(own);
        DeclType::object(all)
    }

    /// `x-kubernetes-preserve-unknown-fields` without a type: kept as it is. An expression cannot reach it, so it
    /// takes part in comparisons of what it is in and in nothing else.
    pub fn unknown() -> DeclType {
        DeclType::make(DeclKind::Unknown, 0, 1)
    }

    /// The keys of a map: strings of which nothing is known, and whose size Kubernetes takes for 0.
    pub(crate) fn map_key() -> DeclType {
        DeclType::simple(Type::String, 0, MIN_STRING_SIZE)
    }

    /// Whether `null` may stand for a value.
    pub fn nullable(self, nullable: bool) -> DeclType {
        let mut decl = (*self.0).clone();
        decl.nullable = nullable;
        DeclType(Arc::new(decl))
    }

    /// The smallest JSON of this type, in bytes.
    pub fn min_serialized_size(&self) -> u64 {
        self.0.min_serialized_size
    }

    /// How many items, properties or bytes it has at most.
    pub fn max_elements(&self) -> u64 {
        self.0.max_elements
    }

    /// The type of a property by its name in JSON.
    pub fn field(&self, name: &str) -> Option<&DeclType> {
        match &self.0.kind {
            DeclKind::Object(_, fields) => fields.get(name).map(DeclField::decl),
            _ => None,
        }
    }

    /// The type of the keys of a map.
    pub(crate) fn key(&self) -> DeclType {
        self.0.keys.clone().unwrap_or_else(DeclType::map_key)
    }

    /// The type of a value of a map by the value's name, which says something of its size only if the map's keys are declared
    /// (the size estimator of `k8s.io/dynamic-resource-allocation/cel`).
    pub(crate) fn named_value(&self) -> Option<&DeclType> {
        self.element().filter(|values| self.0.keys.is_some() && values.to_type() == Type::Any)
    }

    /// The type of the items of a list, or of the values of a map.
    pub fn element(&self) -> Option<&DeclType> {
        match &self.0.kind {
            DeclKind::List(items, _) => Some(items),
            DeclKind::Map(values) => Some(values),
            _ => None,
        }
    }

    pub(crate) fn kind(&self) -> &DeclKind {
        &self.0.kind
    }

    pub(crate) fn is_nullable(&self) -> bool {
        self.0.nullable
    }

    /// The type as the checker sees it.
    pub fn to_type(&self) -> Type {
        match &self.0.kind {
            DeclKind::Simple(t) => t.clone(),
            DeclKind::IntOrString | DeclKind::Unknown => Type::Dyn,
            DeclKind::Date => Type::Timestamp,
            DeclKind::List(items, _) => Type::list(items.to_type()),
            DeclKind::Map(values) => Type::map(Type::String, values.to_type()),
            DeclKind::Object(name, _) => Type::Struct(name.clone().unwrap_or_else(|| "object".into())),
        }
    }

    /// The type with a name for every object in it, made of where the object stands (`MaybeAssignTypeName`).
    /// An object that has one already keeps it.
    #[must_use]
    pub fn named(&self, name: &str) -> DeclType {
        let kind = match &self.0.kind {
            DeclKind::Object(own, fields) => {
                let name = own.as_deref().unwrap_or(name);
                let fields = fields.iter().map(|(n, f)| {
                    let decl = f.decl.named(&format!("{name}.{}", escape(n).as_deref().unwrap_or(n)));
                    (n.clone(), DeclField { decl, ..f.clone() })
                });
                DeclKind::Object(Some(name.into()), Arc::new(fields.collect()))
            }
            DeclKind::List(items, list_type) => {
                DeclKind::List(items.named(&format!("{name}.@idx")), list_type.clone())
            }
            DeclKind::Map(values) => DeclKind::Map(values.named(&format!("{name}.@elem"))),
            other => other.clone(),
        };
        DeclType(Arc::new(Decl { kind, ..(*self.0).clone() }))
    }

    /// Every object type in it, by name. An object without a name is not among them: see [`DeclType::named`].
    pub(crate) fn structs(&self, into: &mut BTreeMap<Arc<str>, Arc<BTreeMap<String, DeclType>>>) {
        match &self.0.kind {
            DeclKind::Object(name, fields) => {
                let Some(name) = name else { return };
                if into.contains_key(name) {
                    return;
                }
                let visible = |f: &DeclField| f.decl.0.kind != DeclKind::Unknown;
                let known = fields.iter().filter(|(_, f)| visible(f));
                let shown = |n: &String, f: &DeclField| if f.verbatim { Some(n.clone()) } else { escape(n) };
                let known = known.filter_map(|(n, f)| Some((shown(n, f)?, f.decl.clone()))).collect();
                into.insert(name.clone(), Arc::new(known));
                fields.values().for_each(|f| f.decl.structs(into));
            }
            DeclKind::List(inner, _) | DeclKind::Map(inner) => inner.structs(into),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_schema_decl_type() {
        assert_eq!(DeclType::string(Some(20)).max_elements(), 80);
        assert_eq!(DeclType::string(Some(-1)).max_elements(), 0);
        assert_eq!(DeclType::string(None).max_elements(), 3_145_726);
        assert_eq!(DeclType::list(DeclType::int(), None).max_elements(), 1_572_863);
        assert_eq!(DeclType::list(DeclType::string(None), Some(5)).max_elements(), 5);
        assert_eq!(DeclType::map(DeclType::string(None), None).max_elements(), 393_215);
        let required = DeclField::new("abc", DeclType::int(), true);
        assert_eq!(DeclType::object(vec![required.clone()]).min_serialized_size(), 2 + 3 + 1 + 4);
        assert_eq!(DeclType::object(vec![required.with_default(true)]).min_serialized_size(), 2);
    }

    #[test]
    fn objects_are_named_by_where_they_stand() {
        let inner = DeclType::object(vec![DeclField::new("b-c", DeclType::int(), false)]);
        let root = DeclType::object(vec![DeclField::new("a", DeclType::list(inner, None), false)]).named("T");
        let mut structs = BTreeMap::new();
        root.structs(&mut structs);
        let names: Vec<_> = structs.iter().map(|(n, f)| (n.to_string(), f.len())).collect();
        assert_eq!(names, [("T".to_owned(), 1), ("T.a.@idx".to_owned(), 1)]);
        assert!(structs.get("T.a.@idx").is_some_and(|f| f.contains_key("b__dash__c")));
    }
}
