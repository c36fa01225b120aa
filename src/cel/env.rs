//! What an expression may name: variables, and the fields of objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::decl::{DeclField, DeclType};
use super::overloads::{Overload, overloads};
use super::types::{Type, type_named};

type Fields = Arc<BTreeMap<String, DeclType>>;

/// The type of whole objects that the expressions of mutating policies make.
const OBJECT: &str = "Object";
/// The type of one operation of a JSON patch.
const JSON_PATCH: &str = "JSONPatch";
/// The functions that there are where expressions can make patches only.
const OF_PATCHES: &[&str] = &["jsonpatch.escapeKey"];

/// Why a field of an object type has no type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoField {
    /// There is no such object type.
    NoObject,
    /// The object type has no such field.
    Unknown,
}

/// The variables and types of an expression, next to the functions that every expression has
/// (`k8s.io/apiserver/pkg/cel/environment`).
///
/// ```
/// use steady::cel::{Activation, DeclType, Env, PER_CALL_LIMIT, Value};
/// let env = Env::base().variable("n", DeclType::int());
/// let program = env.compile("n * 2 > 5")?;
/// let three = Activation::new().with("n", Value::Int(3));
/// let evaluation = program.evaluate(&three, PER_CALL_LIMIT);
/// assert_eq!(evaluation.result.ok().and_then(|v| v.as_bool()), Some(true));
/// let issues = env.compile("m").err().map(|i| i.to_string());
/// assert_eq!(issues.as_deref(), Some("ERROR: <input>:1:1: undeclared reference to 'm' (in container '')\n | m\n | ^"));
/// # Ok::<(), steady::cel::Issues>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Env {
    variables: BTreeMap<String, (Type, DeclType)>,
    objects: BTreeMap<Arc<str>, Fields>,
    /// Whether expressions can make patches.
    patches: bool,
    /// Whether `cel.bind` names a value.
    bindings: bool,
}

impl Env {
    /// All functions and no variables.
    pub fn base() -> Env {
        Env::default()
    }

    /// Expressions can name a value: `cel.bind(name, value, expression)` (`ext.Bindings` of cel-go).
    #[must_use]
    pub fn bindings(mut self) -> Env {
        self.bindings = true;
        self
    }

    /// Whether they can.
    pub(super) fn has_bindings(&self) -> bool {
        self.bindings
    }

    /// Declares a variable. Objects in its type get names made of `name` unless they have names.
    #[must_use]
    pub fn variable(mut self, name: &str, decl: DeclType) -> Env {
        let decl = decl.named(name);
        decl.structs(&mut self.objects);
        self.variables.insert(name.to_owned(), (decl.to_type(), decl));
        self
    }

    /// Declares a variable that may have no value: `optional_type` of its type.
    #[must_use]
    pub fn optional_variable(mut self, name: &str, decl: DeclType) -> Env {
        let decl = decl.named(name);
        decl.structs(&mut self.objects);
        self.variables.insert(name.to_owned(), (Type::optional(decl.to_type()), decl));
        self
    }

    /// Declares an object type that expressions can make: `Object{…}`. Objects inside of it are named after it:
    /// `Object.metadata`.
    #[must_use]
    pub fn object_type(mut self, name: &str, decl: DeclType) -> Env {
        decl.named(name).structs(&mut self.objects);
        self
    }

    /// Lets expressions make patches, as those of mutating policies do (`hasPatchTypes` of
    /// `k8s.io/apiserver/pkg/admission/plugin/cel/compile.go`): `JSONPatch{…}`, and `Object{…}`, `Object.spec{…}` and so on, which
    /// may have any fields.
    #[must_use]
    pub fn patches(self) -> Env {
        let field = |name: &str, decl: DeclType| DeclField::new(name, decl, false).verbatim();
        let texts = ["op", "path", "from"].map(|name| field(name, DeclType::string(None)));
        let value = field("value", DeclType::dyn_type());
        let operation = DeclType::object(texts.into_iter().chain([value]).collect());
        Env { patches: true, ..self.object_type(JSON_PATCH, operation) }
    }

    /// Whether a type is one of those that patches are made of. Their values remember which of them they are.
    pub(crate) fn makes_patch(&self, name: &str) -> bool {
        self.patches && (name == JSON_PATCH || self.has_any_field(name))
    }

    /// Whether objects of a type may have any fields (`DynamicTypeResolver` of `k8s.io/apiserver/pkg/cel/mutation`).
    fn has_any_field(&self, name: &str) -> bool {
        let below = name.strip_prefix(OBJECT).filter(|_| self.patches);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// The overloads of a function; `None` if there is none of that name.
    pub(crate) fn function(&self, name: &str) -> Option<&'static [Overload]> {
        overloads(name).filter(|_| self.patches || !OF_PATCHES.contains(&name))
    }

    pub(crate) fn lookup(&self, name: &str) -> Option<Type> {
        if let Some((t, _)) = self.variables.get(name) {
            return Some(t.clone());
        }
        let named = type_named(name).or_else(|| self.is_object(name).then(|| Type::object(name)));
        named.map(Type::type_of)
    }

    /// Whether an object type has this name.
    pub(crate) fn is_object(&self, name: &str) -> bool {
        self.objects.contains_key(name) || self.has_any_field(name)
    }

    /// The type of a field of an object.
    pub(crate) fn field(&self, object: &str, field: &str) -> Result<Type, NoField> {
        match self.objects.get(object) {
            Some(fields) => fields.get(field).map(DeclType::to_type).ok_or(NoField::Unknown),
            None if self.has_any_field(object) => Ok(Type::Dyn),
            None => Err(NoField::NoObject),
        }
    }

    pub(crate) fn object(&self, name: &str) -> Option<&Fields> {
        self.objects.get(name)
    }

    pub(crate) fn declared(&self, variable: &str) -> Option<&DeclType> {
        self.variables.get(variable).map(|(_, decl)| decl)
    }
}
