//! What an expression of a policy may name, and what is wrong with one (`compile.go` and `composition.go` of
//! `k8s.io/apiserver/pkg/admission/plugin/cel`).

use crate::cel::{DeclField, DeclType, Env, Program, Type};

/// What an expression has to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::apiserver) enum Wanted {
    Bool,
    String,
    StringOrNull,
    Anything,
}

impl Wanted {
    /// Why a type is not the wanted one; `None` if it is.
    fn refuses(self, given: &Type) -> Option<String> {
        let (fits, words) = match self {
            Wanted::Bool => (*given == Type::Bool, "bool"),
            Wanted::String => (*given == Type::String, "string"),
            Wanted::StringOrNull => (matches!(given, Type::String | Type::Null), "one of [string null_type]"),
            Wanted::Anything => (true, ""),
        };
        let given = if *given == Type::Null { "null_type".to_owned() } else { given.to_string() };
        (!fits).then(|| format!("must evaluate to {words} but got {given}"))
    }
}

/// Compiles the expressions of one policy.
pub(in crate::apiserver) struct Compiler {
    plain: Env,
    with_authorizer: Env,
    /// The variables that the policy has declared so far; `None` if its expressions may name none.
    variables: Option<Vec<DeclField>>,
}

impl Compiler {
    /// A compiler for the expressions of a policy: whether it has params, and whether expressions may name its variables.
    pub(in crate::apiserver) fn new(params: bool, variables: bool) -> Compiler {
        let mut plain = Env::base()
            .variable("object", DeclType::dyn_type())
            .variable("oldObject", DeclType::dyn_type())
            .variable("namespaceObject", namespace_type())
            .variable("request", request_type());
        if params {
            plain = plain.variable("params", DeclType::dyn_type());
        }
        let with_authorizer = plain
            .clone()
            .variable("authorizer", DeclType::authorizer())
            .variable("authorizer.requestResource", DeclType::resource_check());
        Compiler { plain, with_authorizer, variables: variables.then(Vec::new) }
    }

    /// Reads and checks an expression.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(in crate::apiserver) fn compile(
        &self,
        expression: &str,
        authorizer: bool,
        wanted: Wanted,
    ) -> Result<Program, String> {
        let base = if authorizer { &self.with_authorizer } else { &self.plain };
        let composed;
        let env = match &self.variables {
            None => base,
            Some(fields) => {
                let object = DeclType::object(fields.clone()).named("kubernetes.variables");
                composed = base.clone().variable("variables", object);
                &composed
            }
        };
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
    pub(in crate::apiserver) fn variable(&mut self, name: &str, expression: &str) -> Result<Program, String> {
        let compiled = self.compile(expression, true, Wanted::Anything);
        let decl = compiled.as_ref().map_or_else(|_| DeclType::dyn_type(), |p| DeclType::of(p.output_type()));
        if let Some(fields) = &mut self.variables {
            fields.push(DeclField::new(name, decl, true));
        }
        compiled
    }
}

fn required(name: &str, decl: DeclType) -> DeclField {
    DeclField::new(name, decl, true)
}

fn text(name: &str) -> DeclField {
    required(name, DeclType::string(None))
}

fn optional(name: &str, decl: DeclType) -> DeclField {
    DeclField::new(name, decl, false)
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
