//! What an expression of an admission policy may name, and what is wrong with one (`compile.go` and `composition.go` of
//! `k8s.io/apiserver/pkg/admission/plugin/cel`).

use super::decl::{DeclField, DeclType};
use super::env::Env;
use super::issues::Issues;
use super::program::Program;
use super::types::Type;

/// What an expression has to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A bool.
    Bool,
    /// Text.
    String,
    /// Text, or `null`.
    StringOrNull,
    /// A value of any type.
    Anything,
    /// `Object`: what an object is to have.
    Object,
    /// A list of `JSONPatch`: the operations of a JSON patch.
    JsonPatch,
}

impl Wanted {
    /// Why a type is not the wanted one; `None` if it is.
    fn refuses(self, given: &Type) -> Option<String> {
        let (fits, words) = match self {
            Wanted::Bool => (*given == Type::Bool, "bool"),
            Wanted::String => (*given == Type::String, "string"),
            Wanted::StringOrNull => (matches!(given, Type::String | Type::Null), "one of [string null_type]"),
            Wanted::Anything => (true, ""),
            Wanted::Object => (*given == Type::object("Object"), "Object"),
            Wanted::JsonPatch => (*given == Type::list(Type::object("JSONPatch")), "list(JSONPatch)"),
        };
        let given = if *given == Type::Null { "null_type".to_owned() } else { given.to_string() };
        (!fits).then(|| format!("must evaluate to {words} but got {given}"))
    }

    fn is_patch(self) -> bool {
        matches!(self, Wanted::Object | Wanted::JsonPatch)
    }
}

/// Compiles the expressions of one policy.
#[derive(Clone, Debug)]
pub struct PolicyCompiler {
    plain: Env,
    with_authorizer: Env,
    /// The variables that the policy has declared so far; `None` if its expressions may name none.
    variables: Option<Vec<DeclField>>,
}

impl PolicyCompiler {
    /// A compiler for the expressions of a policy: whether it has params, and whether expressions may name its variables.
    pub fn new(params: bool, variables: bool) -> PolicyCompiler {
        let plain = plain(DeclType::dyn_type(), params.then(DeclType::dyn_type));
        let with_authorizer = plain
            .clone()
            .variable("authorizer", DeclType::authorizer())
            .variable("authorizer.requestResource", DeclType::resource_check());
        PolicyCompiler { plain, with_authorizer, variables: variables.then(Vec::new) }
    }

    /// A compiler for expressions about objects and params of these types, which may name variables. It checks types only.
    pub fn typed(object: DeclType, params: Option<DeclType>) -> PolicyCompiler {
        let plain = plain(object, params);
        let with_authorizer = plain.clone().variable("authorizer", DeclType::authorizer());
        PolicyCompiler { plain, with_authorizer, variables: Some(Vec::new()) }
    }

    /// Reads and checks an expression that may ask the authorizer and may give anything.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn check(&self, expression: &str) -> Result<Program, Issues> {
        self.env(true).compile(expression)
    }

    /// The names that an expression may use.
    fn env(&self, authorizer: bool) -> Env {
        let env = if authorizer { &self.with_authorizer } else { &self.plain };
        let Some(fields) = &self.variables else { return env.clone() };
        let object = DeclType::object(fields.clone()).named("kubernetes.variables");
        env.clone().variable("variables", object)
    }

    /// Reads and checks an expression.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn compile(&self, expression: &str, authorizer: bool, wanted: Wanted) -> Result<Program, String> {
        let env = self.env(authorizer);
        let env = if wanted.is_patch() { env.patches() } else { env };
        let program = env.compile(expression).map_err(|issues| format!("compilation failed: {issues}"))?;
        match wanted.refuses(program.output_type()) {
            Some(why) => Err(why),
            None => Ok(program),
        }
    }

    /// Compiles the expression of a variable, which the expressions after it may name.
    ///
    /// # Errors
    /// What is wrong with it. The variable is declared nevertheless.
    pub fn variable(&mut self, name: &str, expression: &str) -> Result<Program, String> {
        let compiled = self.compile(expression, true, Wanted::Anything);
        let decl = compiled.as_ref().map_or_else(|_| DeclType::dyn_type(), |p| DeclType::of(p.output_type()));
        if let Some(fields) = &mut self.variables {
            fields.push(DeclField::new(name, decl, true).verbatim());
        }
        compiled
    }
}

/// The names that every expression may use.
fn plain(object: DeclType, params: Option<DeclType>) -> Env {
    let env = Env::base()
        .variable("object", object.clone())
        .variable("oldObject", object)
        .variable("namespaceObject", namespace_type())
        .variable("request", request_type());
    match params {
        Some(params) => env.variable("params", params),
        None => env,
    }
}

fn required(name: &str, decl: DeclType) -> DeclField {
    DeclField::new(name, decl, true).verbatim()
}

fn text(name: &str) -> DeclField {
    required(name, DeclType::string(None))
}

fn optional(name: &str, decl: DeclType) -> DeclField {
    DeclField::new(name, decl, false).verbatim()
}

fn texts() -> DeclType {
    DeclType::list(DeclType::string(None), None)
}

/// The type of `request` (`BuildRequestType`).
fn request_type() -> DeclType {
    let kind = DeclType::object(vec![text("group"), text("version"), text("kind")])
        .named("kubernetes.GroupVersionKind");
    let resource = DeclType::object(vec![text("group"), text("version"), text("resource")])
        .named("kubernetes.GroupVersionResource");
    let user = DeclType::object(vec![
        optional("username", DeclType::string(None)),
        optional("uid", DeclType::string(None)),
        optional("groups", texts()),
        optional("extra", DeclType::map(texts(), None)),
    ])
    .named("kubernetes.UserInfo");
    DeclType::object(vec![
        required("kind", kind.clone()),
        required("resource", resource.clone()),
        optional("subResource", DeclType::string(None)),
        required("requestKind", kind),
        required("requestResource", resource),
        optional("requestSubResource", DeclType::string(None)),
        text("name"),
        optional("namespace", DeclType::string(None)),
        text("operation"),
        required("userInfo", user),
        optional("dryRun", DeclType::bool()),
        optional("options", DeclType::dyn_type()),
    ])
    .named("kubernetes.AdmissionRequest")
}

/// The type of `namespaceObject` (`BuildNamespaceType`).
fn namespace_type() -> DeclType {
    let labels = || DeclType::map(DeclType::string(None), None);
    let spec = DeclType::object(vec![required("finalizers", texts())]).named("kubernetes.NamespaceSpec");
    let condition = DeclType::object(vec![
        text("status"),
        text("type"),
        required("lastTransitionTime", DeclType::date_time()),
        text("message"),
        text("reason"),
    ])
    .named("kubernetes.NamespaceCondition");
    let status =
        DeclType::object(vec![required("conditions", DeclType::list(condition, None)), text("phase")])
            .named("kubernetes.NamespaceStatus");
    let metadata = DeclType::object(vec![
        text("name"),
        text("generateName"),
        text("namespace"),
        required("labels", labels()),
        required("annotations", labels()),
        text("UID"),
        required("creationTimestamp", DeclType::date_time()),
        required("deletionGracePeriodSeconds", DeclType::int()),
        required("deletionTimestamp", DeclType::date_time()),
        required("generation", DeclType::int()),
        text("resourceVersion"),
        required("finalizers", texts()),
    ])
    .named("kubernetes.NamespaceMetadata");
    DeclType::object(vec![required("metadata", metadata), required("spec", spec), required("status", status)])
        .named("kubernetes.Namespace")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(compiler: &PolicyCompiler, expression: &str, wanted: Wanted) -> String {
        compiler.compile(expression, true, wanted).err().unwrap_or_default()
    }

    /// `CompileCELExpression` in `k8s.io/apiserver/pkg/admission/plugin/cel/compile.go`.
    #[test]
    fn an_expression_gives_what_it_has_to() {
        let compiler = PolicyCompiler::new(false, false);
        assert_eq!(wrong(&compiler, "1 + 1", Wanted::Bool), "must evaluate to bool but got int");
        assert_eq!(
            wrong(&compiler, "1", Wanted::StringOrNull),
            "must evaluate to one of [string null_type] but got int"
        );
        assert_eq!(wrong(&compiler, "null", Wanted::StringOrNull), "");
        assert_eq!(
            wrong(
                &compiler,
                "object.a.b == 1 && request.namespace == namespaceObject.metadata.name",
                Wanted::Bool
            ),
            ""
        );
        assert!(wrong(&compiler, "params.a == 1", Wanted::Bool).contains("undeclared reference to 'params'"));
        assert!(wrong(&compiler, "request.nothing == 1", Wanted::Bool).contains("undefined field 'nothing'"));
        let asks = "authorizer.requestResource.check('get').allowed()";
        assert_eq!(wrong(&compiler, asks, Wanted::Bool), "");
        let plain = compiler.compile(asks, false, Wanted::Bool);
        assert!(plain.is_err_and(|why| why.contains("undeclared reference to 'authorizer'")));
    }

    /// `CompileAndStoreVariable` in `k8s.io/apiserver/pkg/admission/plugin/cel/composition.go`.
    #[test]
    fn a_variable_is_known_to_those_after_it() {
        let mut compiler = PolicyCompiler::new(false, true);
        assert!(wrong(&compiler, "variables.n > 1", Wanted::Bool).contains("undefined field 'n'"));
        assert!(compiler.variable("n", "size(object.a)").is_ok());
        assert!(compiler.variable("wrong", "nothing").is_err());
        assert_eq!(wrong(&compiler, "variables.n > 1 && variables.wrong", Wanted::Bool), "");
        assert!(wrong(&compiler, "variables.n > 'a'", Wanted::Bool).contains("found no matching overload"));
    }
}
