//! One mutation of a policy: an expression gives what an object is to have, or a JSON patch, and the object is what that leads to
//! (`policy/mutating/patch`).

use serde_json::{Map, Value as Json};

use super::attributes::{Attributes, Part};
use super::evaluation::{Evaluator, Expression, Inputs, Variable};
use crate::api::patch::{self, PatchError};
use crate::api::types::admission;
use crate::api::{Kind, Object, go_types};
use crate::apimachinery::Status;
use crate::apiserver::apiextensions::View;
use crate::apiserver::decode::to_object;
use crate::apiserver::managed_fields::{Layout, configured};
use crate::apiserver::validation::text;
use crate::apiserver::{ApiServer, rest};
use crate::cel::{PolicyCompiler, RUNTIME_COST_BUDGET, Value, Wanted};

/// A mutation whose expression is compiled.
pub(super) enum Mutation {
    /// What the object is to have (`smd.go`).
    Configuration(Expression),
    /// The operations of a JSON patch (`json_patch.go`).
    JsonPatch(Expression),
}

/// Why a mutation is not applied.
pub(super) enum Failed {
    /// Why the policy is not carried out.
    Because(String),
    /// An answer to the request, whatever the policy says of failures.
    Answer(Box<Status>),
}

impl From<String> for Failed {
    fn from(why: String) -> Failed {
        Failed::Because(why)
    }
}

impl From<Status> for Failed {
    fn from(status: Status) -> Failed {
        Failed::Answer(Box::new(status))
    }
}

impl Mutation {
    pub(super) fn of(mutation: &admission::Mutation, compiler: &PolicyCompiler) -> Option<Mutation> {
        let expression = |of: &Option<String>, wanted| Expression::of(compiler, text(of), true, wanted);
        match mutation.patch_type.as_str() {
            "ApplyConfiguration" => {
                let of = mutation.apply_configuration.as_ref()?;
                Some(Mutation::Configuration(expression(&of.expression, Wanted::Object)))
            }
            "JSONPatch" => {
                let of = mutation.json_patch.as_ref()?;
                Some(Mutation::JsonPatch(expression(&of.expression, Wanted::JsonPatch)))
            }
            _ => None,
        }
    }

    /// The object that the mutation makes of the object of a request, with its defaults.
    ///
    /// # Errors
    /// It cannot be applied.
    pub(super) fn apply(
        &self,
        api: &ApiServer,
        of: &Attributes,
        matched: Kind,
        inputs: &Inputs,
        variables: &[Variable],
    ) -> Result<Object, Failed> {
        let (Mutation::Configuration(expression) | Mutation::JsonPatch(expression)) = self;
        if let Err(why) = &expression.compiled {
            return Err(why.clone().into());
        }
        let mut evaluator = Evaluator::new(inputs, variables, RUNTIME_COST_BUDGET);
        let made = evaluator.evaluate(expression)??;
        let Some(Part::Stored(object)) = &of.object else {
            return Err("the object cannot be changed".to_owned().into());
        };
        let kind = of.kind_for(matched);
        let live = of.present(&Part::Stored(object), kind);
        let view = kind.is_custom().then(|| api.view(kind)).transpose()?;
        let mut changed = match self {
            Mutation::Configuration(_) => {
                let layout = view.as_ref().map_or(Layout::BuiltIn(kind), View::layout);
                let config = configuration(&made, kind)?;
                let value = configured(layout, &live, &config);
                let value = value.map_err(|why| format!("error applying patch: {why}"))?;
                match &view {
                    Some(view) => view.object(value)?,
                    None => converted(kind, &value)?,
                }
            }
            Mutation::JsonPatch(_) => {
                let value = match patch::json_patch(live.clone(), &json_patch(&made)?) {
                    Ok(value) => value,
                    // A patch whose test fails is not applied, and that is all.
                    Err(PatchError::TestFailed(_)) => return Ok((*object).clone()),
                    Err(why) => return Err(format!("JSON Patch: {why}").into()),
                };
                match &view {
                    Some(view) => view.object(value)?,
                    None => decoded(kind, &value)?,
                }
            }
        };
        // Who owns which fields follows from what was sent.
        if changed.meta().managed_fields.is_some() {
            changed.meta_mut().managed_fields = None;
        }
        match &view {
            Some(view) => view.default(&mut changed)?,
            None => rest::default(&mut changed),
        }
        // What is written the same is the same, also where a component left something empty in it.
        let same = of.present(&Part::Stored(&changed), kind) == live;
        Ok(if same { (*object).clone() } else { changed })
    }
}

/// An object in a version of its kind. Built-in kinds are kept in the stored version, whatever version is spoken of.
///
/// # Errors
/// The kind is gone, or the object does not fit the version.
pub(super) fn in_version(api: &ApiServer, kind: Kind, object: &Object) -> Result<Object, Status> {
    let is_other = |o: &Object| o.custom().is_some_and(|o| o.api_version() != kind.api_version());
    if !is_other(object) {
        return Ok(object.clone());
    }
    let mut value = object.to_value();
    value["apiVersion"] = kind.api_version().into();
    let view = api.view(kind)?;
    let mut object = view.object(value)?;
    view.default(&mut object)?;
    Ok(object)
}

/// What an object is to have, as JSON.
fn configuration(made: &Value, kind: Kind) -> Result<Json, String> {
    let wrong = made.misnamed();
    if !wrong.is_empty() {
        return Err(format!("type mismatch: {}", wrong.join("\n")));
    }
    let Ok(Json::Object(mut config)) = made.to_json() else {
        return Err("invalid return type: *dynamic.ObjectVal".to_owned());
    };
    config.insert("apiVersion".to_owned(), kind.api_version().into());
    config.insert("kind".to_owned(), kind.as_str().into());
    Ok(Json::Object(config))
}

/// The JSON patch that an expression made.
fn json_patch(made: &Value) -> Result<Json, String> {
    let operations = made.items().into_iter().flatten().map(operation);
    Ok(Json::Array(operations.collect::<Result<_, _>>()?))
}

/// `evaluatePatchExpression`
fn operation(made: &Value) -> Result<Json, String> {
    let mut operation = Map::new();
    for key in ["op", "path", "from"] {
        let given = match made.field(key) {
            None => "",
            Some(Value::String(text)) => text,
            Some(other) => {
                let of = other.type_of();
                return Err(format!("unexpected type {of} for JSONPatchType '{key}' field"));
            }
        };
        if key != "from" || !given.is_empty() {
            operation.insert(key.to_owned(), given.into());
        }
    }
    if let Some(value) = made.field("value") {
        let wrong = value.misnamed();
        if !wrong.is_empty() {
            return Err(format!("type mismatch: {}", wrong.join("\n")));
        }
        let json = value.to_json().map_err(|why| {
            format!("JSONPath valueExpression evaluated to a type that could not marshal to JSON: {why}")
        })?;
        operation.insert("value".to_owned(), json);
    }
    Ok(Json::Object(operation))
}

/// An object of a built-in kind that a configuration led to (`FromUnstructured`).
fn converted(kind: Kind, value: &Json) -> Result<Object, Failed> {
    let decoded = go_types::convert(go_types::of(kind), &go_types::Json::from(value)).map_err(|why| {
        let group_version = match kind.group() {
            "" => format!("/{}", kind.version()),
            _ => kind.api_version().to_owned(),
        };
        format!("unable to convert unstructured object to {group_version}, Kind={}: {why}", kind.as_str())
    })?;
    Ok(to_object(kind, decoded.value)?)
}

/// An object of a built-in kind that a JSON patch led to. Fields that the kind does not have are an error.
fn decoded(kind: Kind, value: &Json) -> Result<Object, Failed> {
    let decoded = go_types::decode(go_types::of(kind), &go_types::Json::from(value))
        .map_err(|why| Status::internal_error(&why))?;
    if !decoded.strict.is_empty() {
        let all: Vec<String> = decoded.strict.iter().map(ToString::to_string).collect();
        return Err(Status::internal_error(&format!("strict decoding error: {}", all.join(", "))).into());
    }
    Ok(to_object(kind, decoded.value)?)
}
