//! A version of a custom kind as the API server serves it: its schema with everything that follows from
//! it, and what happens to an object on its way into the store
//! (`pkg/apiserver/customresource_handler.go`, `pkg/registry/customresource/strategy.go`).

use serde_json::{Map, Value};

use super::cel_rules::Rules;
use super::columns::{self, Column};
use super::correlation::Correlated;
use super::schema::Structural;
use super::types::{
    CustomResourceDefinition, CustomResourceDefinitionVersion, CustomResourceSubresourceScale,
};
use super::{defaulting, listtype, objectmeta, pruning, scale, values};
use crate::api::go_types::go_type;
use crate::api::jsonpath::Template;
use crate::api::types::ObjectMeta;
use crate::api::{MetaExt, Timestamp, order, patch};
use crate::apiserver::validation::{
    BadValue, ErrorType, Errors, FieldError, Path, go_quote, name_is_dns_subdomain, object_meta_at,
    object_meta_update_generic, qualified_name,
};
use crate::cel::RUNTIME_COST_BUDGET;

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decode {
    /// From a client: metadata of the wrong type is an error.
    Request,
    /// From the store, which may be older than the schema: metadata of the wrong type is dropped.
    Stored,
}

/// The outcome of validating an object of a custom kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validated {
    /// What is wrong.
    pub errors: Errors,
    /// Rules that the object did not keep before either; for `Warning` headers.
    pub warnings: Vec<String>,
}

/// A served version of a custom kind.
#[derive(Clone)]
pub struct CustomKind {
    group: String,
    version: String,
    kind: String,
    namespaced: bool,
    schema: Structural,
    rules: Option<Rules>,
    has_status: bool,
    scale: Option<CustomResourceSubresourceScale>,
    columns: Vec<Column>,
    /// Names and paths of the fields that objects may be selected by.
    selectable: Vec<(String, Template)>,
}

impl std::fmt::Debug for CustomKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CustomKind({}, {})", self.kind, self.api_version())
    }
}

impl CustomKind {
    /// A version of a definition. This compiles the rules of its schema, so it is to be kept as long as
    /// the definition's spec stays the same.
    ///
    /// # Errors
    /// The version is not there, or its schema is not structural; validation lets no such definition in.
    pub fn new(crd: &CustomResourceDefinition, version: &str) -> Result<CustomKind, String> {
        let find = |v: &&CustomResourceDefinitionVersion| v.name == version;
        let Some(found) = crd.spec.versions.iter().find(find) else {
            return Err(format!(
                "version {version} not found in apiextensionsv1.CustomResourceDefinition: {}",
                MetaExt::name(&crd.metadata)
            ));
        };
        let written = found.schema.as_ref().and_then(|s| s.open_api_v3_schema.as_ref());
        let mut schema = match written {
            Some(written) => Structural::new(written)?,
            // Without a schema everything is pruned.
            None => Structural { type_: "object".to_owned(), ..Structural::default() },
        };
        defaulting::prune_defaults(&mut schema);
        let subresources = found.subresources.as_ref();
        let selectable = (found.selectable_fields.iter().flatten()).filter_map(|field| {
            let name = field.json_path.strip_prefix('.').unwrap_or(&field.json_path);
            let path = Template::parse(&format!("{{{}}}", field.json_path)).ok()?;
            Some((name.to_owned(), path))
        });
        Ok(CustomKind {
            group: crd.spec.group.clone(),
            version: version.to_owned(),
            kind: crd.spec.names.kind.clone(),
            namespaced: crd.spec.scope == "Namespaced",
            rules: Rules::new(&schema, true),
            schema,
            has_status: subresources.is_some_and(|s| s.status.is_some()),
            scale: subresources.and_then(|s| s.scale.clone()),
            columns: columns::columns(found.additional_printer_columns.as_deref().unwrap_or_default()),
            selectable: selectable.collect(),
        })
    }

    /// Its schema, with pruned defaults.
    pub fn schema(&self) -> &Structural {
        &self.schema
    }

    /// The paths of its scale subresource, if it has one.
    pub fn scale(&self) -> Option<&CustomResourceSubresourceScale> {
        self.scale.as_ref()
    }

    /// `example.com/v1`
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }

    /// Brings an object of another version to this one: on its way into the store to the storage version,
    /// and out of it to the version that was asked for. Its `apiVersion` changes, and what this version's
    /// schema does not know is taken out. Nothing is filled in: an object has the defaults of the version
    /// that it was decoded in.
    ///
    /// # Errors
    /// Metadata of the wrong type.
    pub fn convert(&self, object: &mut Value) -> Result<(), String> {
        let wanted = Value::from(self.api_version());
        if object.get("apiVersion") == Some(&wanted) {
            return Ok(());
        }
        if let Value::Object(map) = object {
            map.insert("apiVersion".to_owned(), wanted);
        }
        self.coerce(object, Decode::Request).map(drop)
    }

    /// Brings a decoded object into the form of its schema: what the schema does not know is taken out,
    /// and so are nulls that may not be and have no default. Gives the paths of unknown fields, in the
    /// order of Kubernetes' warnings; they are `unknown field "spec.x"`, as warnings or as strict errors.
    ///
    /// A whole number that is written with a fraction becomes an integer.
    ///
    /// # Errors
    /// Metadata of the wrong type: answer 400.
    pub fn coerce(&self, object: &mut Value, from: Decode) -> Result<Vec<String>, String> {
        let drop_invalid = from == Decode::Stored;
        whole_numbers(object);
        for name in ["kind", "apiVersion"] {
            if let Some(value) = object.get(name).filter(|v| !v.is_string()) {
                let text = patch::go_value(value);
                return Err(format!(
                    ".{name} accessor error: {text} is of the type {}, expected string",
                    go_type(value)
                ));
            }
        }
        let mut unknown = objectmeta::coerce_own(object, drop_invalid)?;
        let metadata = object.get("metadata").cloned();
        if self.is_of_kind(object) {
            unknown.extend(pruning::prune(object, &self.schema, true));
            defaulting::prune_nulls(object, Some(&self.schema));
            let resource = self.schema.embedded_resource;
            let inside = objectmeta::coerce(object, &self.schema, resource, drop_invalid);
            unknown.extend(inside.map_err(|error| error.to_string())?);
        }
        if let (Some(mut metadata), Value::Object(map)) = (metadata, object) {
            if from == Decode::Stored
                && let Value::Object(meta) = &mut metadata
            {
                meta.entry("generation").or_insert_with(|| 1.into());
            }
            map.insert("metadata".to_owned(), metadata);
        }
        Ok(unknown)
    }

    fn is_of_kind(&self, object: &Value) -> bool {
        let get = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        get("kind") == self.kind
            && get("apiVersion").rsplit_once('/').is_some_and(|(group, _)| group == self.group)
    }

    /// Fills in the defaults of the schema. This is done to what was coerced: to a request's object, to
    /// one out of the store, and to the result of a patch.
    pub fn default(&self, object: &mut Value) {
        defaulting::default(object, &self.schema);
    }

    /// A new object: it has no status, if that is a subresource.
    pub fn prepare_for_create(&self, object: &mut Value) {
        if let Value::Object(map) = object {
            if self.has_status {
                map.remove("status");
            }
            set_generation(map, 1);
        }
    }

    /// An update: the status stays, if it is a subresource, and any change outside of metadata is a new
    /// generation.
    pub fn prepare_for_update(&self, new: &mut Value, old: &Value) {
        let (Value::Object(new), Value::Object(old)) = (new, old) else { return };
        if self.has_status {
            match old.get("status") {
                Some(status) => new.insert("status".to_owned(), status.clone()),
                None => new.remove("status"),
            };
        }
        let generation = generation(old);
        if !same_outside_metadata(new, old) {
            set_generation(new, generation + 1);
        }
    }

    /// An update of the status: only the status changes, and the managed fields with it.
    pub fn prepare_for_status_update(&self, new: &mut Value, old: &Value) {
        let status = new.get("status").cloned();
        let managed = new.pointer("/metadata/managedFields").cloned();
        let mut out = old.clone();
        if let Value::Object(map) = &mut out {
            match status {
                Some(status) => map.insert("status".to_owned(), status),
                None => map.remove("status"),
            };
            if let Some(Value::Object(metadata)) = map.get_mut("metadata") {
                match managed {
                    Some(managed) => metadata.insert("managedFields".to_owned(), managed),
                    None => metadata.remove("managedFields"),
                };
            }
        }
        *new = out;
    }

    /// What is wrong with a new object.
    pub fn validate_create(&self, object: &Value) -> Validated {
        let mut errs = self.type_meta(object);
        if errs.is_empty() {
            match meta(object) {
                Ok(meta) => {
                    let path = Path::new("metadata");
                    object_meta_at(&mut errs, &meta, self.namespaced, &name_is_dns_subdomain, &path);
                }
                Err(error) => errs.push(error),
            }
            errs.extend(values::validate(object, &self.schema, &Path::new("")));
            if let Some(paths) = &self.scale {
                errs.extend(scale::validate_spec(paths, object));
                errs.extend(scale::validate_status(paths, object));
            }
        }
        let nowhere = Path::new("");
        errs.extend(objectmeta::validate(object, &self.schema, false, &nowhere));
        errs.extend(listtype::validate(object, &self.schema, &nowhere));
        self.evaluate(errs, object, None)
    }

    /// What is wrong with an update. Both objects are of this version.
    pub fn validate_update(&self, new: &Value, old: &Value) -> Validated {
        let correlated = Correlated::new(new, old, &self.schema);
        let nowhere = Path::new("");
        let mut errs = self.type_meta(new);
        if errs.is_empty() {
            metadata_update(&mut errs, new, old);
            errs.extend(values::validate_update(new, &self.schema, &nowhere, Some(correlated)));
            if let Some(paths) = &self.scale {
                errs.extend(scale::validate_spec(paths, new));
                errs.extend(scale::validate_status(paths, new));
            }
        }
        errs.extend(objectmeta::validate(new, &self.schema, false, &nowhere));
        self.lists_update(&mut errs, new, old);
        self.evaluate(errs, new, Some(old))
    }

    /// What is wrong with an update of the status. Its texts name fields without `status` before them.
    pub fn validate_status_update(&self, new: &Value, old: &Value) -> Validated {
        let mut errs = self.type_meta(new);
        if errs.is_empty() {
            metadata_update(&mut errs, new, old);
            if let (Some(status), Some(schema)) = (new.get("status"), self.schema.properties.get("status")) {
                let correlated = Correlated::new(new, old, &self.schema).key("status");
                errs.extend(values::validate_update(status, schema, &Path::new("status"), correlated));
            }
            if let Some(paths) = &self.scale {
                errs.extend(scale::validate_status(paths, new));
            }
        }
        self.lists_update(&mut errs, new, old);
        self.evaluate(errs, new, Some(old))
    }

    fn type_meta(&self, object: &Value) -> Errors {
        let mut errs = Errors::new();
        for (name, wanted) in [("kind", self.kind.clone()), ("apiVersion", self.api_version())] {
            let found = object.get(name).and_then(Value::as_str).unwrap_or_default();
            if found != wanted {
                errs.push(FieldError::invalid(&Path::new(name), found, format!("must be {wanted}")));
            }
        }
        errs
    }

    /// Lists that had an item twice may keep it.
    fn lists_update(&self, errs: &mut Errors, new: &Value, old: &Value) {
        let nowhere = Path::new("");
        if listtype::validate(old, &self.schema, &nowhere).is_empty() {
            errs.extend(listtype::validate(new, &self.schema, &nowhere));
        }
    }

    /// Evaluates the rules, unless the object is so wrong that they would fail for that.
    fn evaluate(&self, mut errors: Errors, object: &Value, old: Option<&Value>) -> Validated {
        let mut warnings = Vec::new();
        if let Some(rules) = &self.rules {
            let blocks = |e: &FieldError| {
                matches!(
                    e.kind,
                    ErrorType::NotSupported
                        | ErrorType::Required
                        | ErrorType::TooLong
                        | ErrorType::TooMany
                        | ErrorType::TypeInvalid
                )
            };
            if errors.iter().any(blocks) {
                let null = BadValue::Json("null".to_owned());
                let detail = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
                let error = FieldError::invalid(&Path::new(super::ROOT), null, detail);
                errors.push(error);
            } else {
                let correlated = old.map(|old| Correlated::new(object, old, &self.schema));
                let found = rules.validate(object, old, correlated, &Path::new(""), RUNTIME_COST_BUDGET);
                errors.extend(found.errors);
                warnings = found.warnings;
            }
        }
        Validated { errors, warnings }
    }

    /// What is to be said of a write that is valid: finalizers whose names others might use, too.
    pub fn warnings(&self, new: &Value, old: Option<&Value>) -> Vec<String> {
        let finalizers = |object: &Value| -> Vec<String> {
            let list = object.pointer("/metadata/finalizers").and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let before = old.map(finalizers).unwrap_or_default();
        let mut added: Vec<String> = finalizers(new).into_iter().filter(|f| !before.contains(f)).collect();
        order::sort(&mut added);
        added.dedup();
        let mut out = Vec::new();
        for name in added {
            let place = format!("metadata.finalizers: {}", go_quote(&name));
            out.extend(qualified_name(&name).into_iter().map(|bad| format!("{place}: {bad}")));
            if name.contains('/') || matches!(name.as_str(), "orphan" | "foregroundDeletion" | "kubernetes") {
                continue;
            }
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            out.push(format!(
                "{place}: prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"
            ));
        }
        out
    }

    /// The columns of its tables.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// An object's cells in them.
    pub fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        columns::cells(&self.columns, object, now)
    }

    /// The names of the fields that objects may be selected by, besides name and namespace.
    pub fn selectable_fields(&self) -> impl Iterator<Item = &str> {
        self.selectable.iter().map(|(name, _)| name.as_str())
    }

    /// The value of such a field, empty if the object has none; `None` for any other field.
    pub fn selectable_field(&self, object: &Value, name: &str) -> Option<String> {
        let (_, path) = self.selectable.iter().find(|(n, _)| n == name)?;
        let found = path.find(object).unwrap_or_default();
        Some(found.first().filter(|v| !v.is_null()).map(|v| patch::go_value(v)).unwrap_or_default())
    }
}

fn metadata_update(errs: &mut Errors, new: &Value, old: &Value) {
    match (meta(new), meta(old)) {
        (Ok(new), Ok(old)) => {
            object_meta_update_generic(errs, new.resource_version.as_deref(), &new, &old);
        }
        (Err(error), _) | (_, Err(error)) => errs.push(error),
    }
}

fn meta(object: &Value) -> Result<ObjectMeta, FieldError> {
    let metadata = object.get("metadata").cloned().unwrap_or_else(|| Value::Object(Map::new()));
    objectmeta::meta_of(metadata).map_err(|e| FieldError::internal(&Path::new("metadata"), e))
}

fn generation(object: &Map<String, Value>) -> i64 {
    object.get("metadata").and_then(|m| m.get("generation")).and_then(Value::as_i64).unwrap_or_default()
}

fn set_generation(object: &mut Map<String, Value>, generation: i64) {
    if let Value::Object(metadata) = object.entry("metadata").or_insert_with(|| Value::Object(Map::new())) {
        metadata.insert("generation".to_owned(), generation.into());
    }
}

fn same_outside_metadata(new: &Map<String, Value>, old: &Map<String, Value>) -> bool {
    let rest = |map: &Map<String, Value>| map.keys().filter(|k| *k != "metadata").count();
    rest(new) == rest(old) && new.iter().filter(|(k, _)| *k != "metadata").all(|(k, v)| old.get(k) == Some(v))
}

/// Go writes `3.0` as `3`.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Number(n) if n.is_f64() => {
            // Beyond 2^53 not every integer is a float.
            let whole = n.as_f64().filter(|f| f.fract() == 0.0 && f.abs() <= 9_007_199_254_740_992.0);
            if let Some(whole) = whole {
                *value = Value::from(whole as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        Value::Object(map) => map.values_mut().for_each(whole_numbers),
        _ => {}
    }
}
