//! An expression that was read, after `common/ast` of cel-go: macros are expanded already.

/// One node. Its number is the only one of its kind in the expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub id: usize,
    /// Where it stands: code points from the start of the source.
    pub at: usize,
    /// How deep operators, selections, indices and member calls lie in each other from here on.
    pub levels: u32,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// What could not be read; an error says why.
    Broken,
    Literal(Literal),
    Ident(String),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        operand: Box<Expr>,
        field: String,
        test: bool,
    },
    Call(Box<Call>),
    List(Vec<Item>),
    Map(Vec<Entry>),
    /// An object by its type's name.
    Struct(String, Vec<Field>),
    /// A loop: what the macros over lists and maps become.
    Fold(Box<Fold>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub function: String,
    pub target: Option<Expr>,
    pub args: Vec<Expr>,
}

/// An item of a list literal; an optional one is left out if it has no value.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub optional: bool,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub optional: bool,
    pub key: Expr,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub at: usize,
    pub name: String,
    pub optional: bool,
    pub value: Expr,
}

/// A loop over `range` that keeps one value, `accu`.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    pub range: Expr,
    /// The name of the item or key.
    pub var: String,
    /// With two names the first is the index or key and this is the item or value.
    pub var2: Option<String>,
    pub accu: String,
    pub init: Expr,
    /// The loop ends where this is false.
    pub condition: Expr,
    pub step: Expr,
    pub result: Expr,
}

/// The accumulator of the macros. No expression can name it.
pub(crate) const ACCU: &str = "@result";

/// The functions that operators stand for.
pub(crate) mod operators {
    pub const CONDITIONAL: &str = "_?_:_";
    pub const AND: &str = "_&&_";
    pub const OR: &str = "_||_";
    pub const NOT: &str = "!_";
    pub const ADD: &str = "_+_";
    pub const SUBTRACT: &str = "_-_";
    pub const MULTIPLY: &str = "_*_";
    pub const DIVIDE: &str = "_/_";
    pub const MODULO: &str = "_%_";
    pub const NEGATE: &str = "-_";
    pub const EQUALS: &str = "_==_";
    pub const NOT_EQUALS: &str = "_!=_";
    pub const LESS: &str = "_<_";
    pub const LESS_EQUALS: &str = "_<=_";
    pub const GREATER: &str = "_>_";
    pub const GREATER_EQUALS: &str = "_>=_";
    pub const IN: &str = "@in";
    pub const INDEX: &str = "_[_]";
    pub const OPT_INDEX: &str = "_[?_]";
    pub const OPT_SELECT: &str = "_?._";
    pub const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
    pub const MAP_INSERT: &str = "cel.@mapInsert";
}

impl Expr {
    /// Calls `see` with every node below this one, and this one.
    pub fn walk(&self, see: &mut dyn FnMut(&Expr)) {
        see(self);
        match &self.kind {
            ExprKind::Broken | ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select { operand, .. } => operand.walk(see),
            ExprKind::Call(call) => call.target.iter().chain(&call.args).for_each(|n| n.walk(see)),
            ExprKind::List(items) => items.iter().for_each(|i| i.value.walk(see)),
            ExprKind::Map(entries) => entries.iter().for_each(|e| {
                e.key.walk(see);
                e.value.walk(see);
            }),
            ExprKind::Struct(_, fields) => fields.iter().for_each(|f| f.value.walk(see)),
            ExprKind::Fold(f) => {
                let parts = [&f.range, &f.init, &f.condition, &f.step, &f.result];
                parts.into_iter().for_each(|n| n.walk(see));
            }
        }
    }

    /// `a.b.c` as a name, if it is nothing but names and dots.
    pub fn qualified_name(&self) -> Option<String> {
        match &self.kind {
            ExprKind::Ident(name) => Some(name.clone()),
            ExprKind::Select { operand, field, test: false } => {
                Some(format!("{}.{field}", operand.qualified_name()?))
            }
            _ => None,
        }
    }
}

impl ExprKind {
    pub fn is_literal(&self, value: &Literal) -> bool {
        matches!(self, ExprKind::Literal(literal) if literal == value)
    }
}
