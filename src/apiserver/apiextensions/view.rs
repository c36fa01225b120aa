//! The objects of a custom kind as one request sees them: in the version of its path.

use std::rc::Rc;

use serde_json::Value;

use super::custom_kind::{CustomKind, Decode, Validated};
use super::scale;
use super::served::{Definition, Definitions};
use super::types::CustomResourceSubresourceScale;
use crate::api::field_set::Element;
use crate::api::{Kind, Object, Timestamp};
use crate::apimachinery::Status;

/// A custom kind in one of its versions, with the definition that it is of. Cloning it copies pointers.
///
/// What is stored stands in the version that it was stored in; [`View::read`] and [`View::store`] lead from one to the
/// other.
#[derive(Clone, Debug)]
pub(in crate::apiserver) struct View {
    definition: Rc<Definition>,
    kind: Kind,
    schema: Rc<CustomKind>,
}

/// What becomes of a scale whose object does not say how many replicas it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::apiserver) enum Absent {
    /// It cannot be read.
    Refused,
    /// It has a number that no update may leave there.
    Marked,
    /// It has none.
    LeftOut,
}

impl PartialEq for View {
    fn eq(&self, other: &View) -> bool {
        Rc::ptr_eq(&self.definition, &other.definition) && Rc::ptr_eq(&self.schema, &other.schema)
    }
}

impl Eq for View {}

/// 500 for an error that is none of the API's own (Go's `errors.New`).
fn plain(why: impl std::fmt::Display) -> Status {
    Status::new(500, "", why.to_string())
}

impl Definition {
    /// How the objects are seen in a version.
    ///
    /// # Errors
    /// 500: the definition cannot be served in this version.
    pub(in crate::apiserver) fn view(self: &Rc<Definition>, version: &str) -> Result<View, Status> {
        match self.schema(version) {
            Ok((kind, schema)) => Ok(View { definition: self.clone(), kind, schema }),
            Err(_) => Err(Status::internal_error("error resolving resource")),
        }
    }
}

impl View {
    /// Refuses a new object of a kind whose definition is being deleted (`forbidCreateAdmission` of apiextensions).
    ///
    /// # Errors
    /// 403.
    pub(in crate::apiserver) fn admits_create(&self, object: &Object) -> Result<(), Status> {
        if !self.definition.is_terminating() {
            return Ok(());
        }
        let why = "create not allowed while custom resource definition is terminating";
        Err(Status::forbidden(object.kind(), object.name(), why))
    }

    /// Whether the definition is still as it was when the view was made, its status aside.
    pub(in crate::apiserver) fn is_current(&self, definitions: &Definitions) -> bool {
        let meta = |d: &Definition| (d.crd().metadata.uid.clone(), d.crd().metadata.generation);
        let found = definitions.find(self.kind.group(), self.kind.plural());
        found.is_some_and(|d| {
            meta(d) == meta(&self.definition) && d.served(self.kind.version()) == Some(self.kind)
        })
    }

    /// The kind, in this version.
    pub(in crate::apiserver) fn kind(&self) -> Kind {
        self.kind
    }

    /// The schema, and what follows from it.
    pub(in crate::apiserver) fn schema(&self) -> &CustomKind {
        &self.schema
    }

    /// The paths of the scale subresource.
    ///
    /// # Errors
    /// 404: there is none.
    pub(in crate::apiserver) fn scale(&self) -> Result<&CustomResourceSubresourceScale, Status> {
        self.schema.scale().ok_or_else(Status::no_such_path)
    }

    /// What every request to this version is warned of.
    pub(in crate::apiserver) fn deprecation_warning(&self) -> Option<String> {
        super::deprecation_warning(self.definition.crd(), self.kind.version())
    }

    /// An object of this version from JSON that has the form of the schema.
    pub(in crate::apiserver) fn object(&self, value: Value) -> Result<Object, Status> {
        Object::from_value(self.kind, value).map_err(|e| Status::bad_request(e.to_string()))
    }

    /// A stored object in this version: with the defaults of the version that it is stored in, and without what this
    /// version does not know.
    ///
    /// # Errors
    /// 500: the definition has no such version any more.
    pub(in crate::apiserver) fn read(&self, stored: &Object) -> Result<Object, Status> {
        let schema = self.schema_of(stored)?;
        let mut value = stored.to_value();
        schema.coerce(&mut value, Decode::Stored).map_err(plain)?;
        schema.default(&mut value);
        self.schema.convert(&mut value).map_err(plain)?;
        self.object(value)
    }

    /// What follows from the schema of the version that a stored object is in.
    ///
    /// # Errors
    /// 500: the definition has no such version any more.
    pub(in crate::apiserver) fn schema_of(&self, stored: &Object) -> Result<Rc<CustomKind>, Status> {
        let api_version = stored.custom().map_or(self.kind.api_version(), |o| o.api_version());
        let version = api_version.rsplit('/').next().unwrap_or_default();
        Ok(self.definition.schema(version).map_err(plain)?.1)
    }

    /// An object of this version as it is stored.
    ///
    /// # Errors
    /// 500: the storage version has no structural schema.
    pub(in crate::apiserver) fn store(&self, object: &Object) -> Result<Object, Status> {
        let (kind, schema) = self.definition.schema(self.definition.storage()).map_err(plain)?;
        let mut value = object.to_value();
        schema.convert(&mut value).map_err(plain)?;
        Object::from_value(kind, value).map_err(plain)
    }

    /// Changes an object as JSON.
    fn edit(&self, object: &mut Object, change: impl FnOnce(&CustomKind, &mut Value)) -> Result<(), Status> {
        let mut value = object.to_value();
        change(&self.schema, &mut value);
        *object = self.object(value)?;
        Ok(())
    }

    /// Brings an object into the form of the schema, and fills in its defaults. An object that was decoded of a request
    /// has that form already; one that a component of the cluster sends has not.
    pub(in crate::apiserver) fn default(&self, object: &mut Object) -> Result<(), Status> {
        let mut value = object.to_value();
        self.schema.coerce(&mut value, Decode::Request).map_err(Status::bad_request)?;
        self.schema.default(&mut value);
        *object = self.object(value)?;
        Ok(())
    }

    /// Sets what a new object starts with.
    pub(in crate::apiserver) fn prepare_for_create(&self, object: &mut Object) -> Result<(), Status> {
        self.edit(object, CustomKind::prepare_for_create)
    }

    /// Sets back what an update may not touch, and counts a change of what is wanted.
    pub(in crate::apiserver) fn prepare_for_update(
        &self,
        object: &mut Object,
        old: &Object,
    ) -> Result<(), Status> {
        self.edit(object, |schema, new| schema.prepare_for_update(new, &old.to_value()))
    }

    /// Sets back everything but the status.
    pub(in crate::apiserver) fn prepare_for_status_update(
        &self,
        object: &mut Object,
        old: &Object,
    ) -> Result<(), Status> {
        self.edit(object, |schema, new| schema.prepare_for_status_update(new, &old.to_value()))
    }

    /// What is wrong with a new object.
    pub(in crate::apiserver) fn validate_create(&self, object: &Object) -> Validated {
        self.schema.validate_create(&object.to_value())
    }

    /// What is wrong with an update, or with one of the status alone.
    pub(in crate::apiserver) fn validate_update(
        &self,
        object: &Object,
        old: &Object,
        of_status: bool,
    ) -> Validated {
        let (new, old) = (object.to_value(), old.to_value());
        if of_status {
            self.schema.validate_status_update(&new, &old)
        } else {
            self.schema.validate_update(&new, &old)
        }
    }

    /// An object with another number of wanted replicas.
    ///
    /// # Errors
    /// 400: the scale that was sent has none. 404: there is no scale. 500: a field on the way is no object.
    pub(in crate::apiserver) fn with_replicas(
        &self,
        object: &Object,
        replicas: i32,
    ) -> Result<Object, Status> {
        let paths = self.scale()?;
        let mut value = object.to_value();
        let replicas = i64::from(replicas);
        scale::write(paths, &mut value, replicas).map_err(|e| match replicas {
            scale::NO_REPLICAS => Status::bad_request(e),
            _ => Status::new(500, "", e),
        })?;
        self.object(value)
    }

    /// The `autoscaling/v1` Scale of an object.
    ///
    /// # Errors
    /// 404: there is no scale. 500: a field has the wrong type, or there are no replicas where that is refused.
    pub(in crate::apiserver) fn scale_of(&self, object: &Object, absent: Absent) -> Result<Value, Status> {
        let paths = self.scale()?;
        let value = object.to_value();
        let mut found = scale::read(paths, &value).map_err(|e| Status::new(500, "", e))?;
        if found.replicas.is_none() {
            match absent {
                Absent::Refused => return Err(Status::internal_error(&scale::no_replicas(paths))),
                Absent::Marked => found.replicas = Some(scale::NO_REPLICAS),
                Absent::LeftOut => {}
            }
        }
        Ok(scale::to_value(&found, value.get("metadata").unwrap_or(&Value::Null)))
    }

    /// How many replicas an object wants; 0 if it does not say.
    pub(in crate::apiserver) fn replicas(&self, object: &Value) -> i64 {
        let found = self.schema.scale().and_then(|paths| scale::read(paths, object).ok());
        found.and_then(|s| s.replicas).unwrap_or(0)
    }

    /// The path of the wanted replicas of the scale.
    pub(in crate::apiserver) fn replicas_path(&self) -> Vec<Element> {
        let path = self.schema.scale().map_or("", |s| s.spec_replicas_path.as_str());
        scale::steps(path).map(|s| Element::Field(s.to_owned())).collect()
    }

    /// What a client is warned of at a write that is valid.
    pub(in crate::apiserver) fn warnings(&self, object: &Object, old: Option<&Object>) -> Vec<String> {
        self.schema.warnings(&object.to_value(), old.map(Object::to_value).as_ref())
    }

    /// The value of a field that objects can be selected by; `None` for any other field.
    pub(in crate::apiserver) fn field(&self, object: &Object, name: &str) -> Option<String> {
        self.schema.selectable_field(&object.to_value(), name)
    }

    /// The cells of an object in its table, one for each column.
    pub(in crate::apiserver) fn cells(&self, object: &Object, now: Timestamp) -> Vec<Value> {
        self.schema.cells(&object.to_value(), now)
    }
}
