//! What an expression may name: variables, and the fields of objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::decl::DeclType;
use super::types::{Type, type_named};

type Fields = Arc<BTreeMap<String, DeclType>>;

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
}

impl Env {
    /// All functions and no variables.
    pub fn base() -> Env {
        Env::default()
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

    pub(crate) fn lookup(&self, name: &str) -> Option<Type> {
        if let Some((t, _)) = self.variables.get(name) {
            return Some(t.clone());
        }
        let named = type_named(name).or_else(|| self.objects.contains_key(name).then(|| Type::object(name)));
        named.map(Type::type_of)
    }

    pub(crate) fn object(&self, name: &str) -> Option<&Fields> {
        self.objects.get(name)
    }

    pub(crate) fn declared(&self, variable: &str) -> Option<&DeclType> {
        self.variables.get(variable).map(|(_, decl)| decl)
    }
}
