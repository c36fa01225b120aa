//! The columns of tables, and those that most kinds have.

/// A column of the table that lists objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, as the API server has it; kubectl prints it in capitals.
    pub name: &'static str,
    /// The OpenAPI type of its cells: `string`, `integer`, `boolean`.
    pub kind: &'static str,
    /// The OpenAPI format of its cells: `name` for the name of an object, else empty.
    pub format: &'static str,
    /// What its cells hold, in the words of Kubernetes' API.
    pub description: &'static str,
    /// Whether its cells are JSON numbers or booleans. Some integers are printed as text.
    pub bare: bool,
    /// Whether only `-o wide` shows it (priority 1).
    pub wide: bool,
}

impl Column {
    pub(super) const fn text(name: &'static str, description: &'static str) -> Column {
        Column { name, kind: "string", format: "", description, bare: false, wide: false }
    }

    pub(super) const fn of(name: &'static str, kind: &'static str, description: &'static str) -> Column {
        Column { name, kind, format: "", description, bare: true, wide: false }
    }

    pub(super) const fn wide(self) -> Column {
        Column { wide: true, ..self }
    }

    pub(super) const fn named(self) -> Column {
        Column { format: "name", ..self }
    }

    pub(super) const fn as_text(self) -> Column {
        Column { bare: false, ..self }
    }
}

/// The column `Name`, in Kubernetes' words.
pub(in crate::apiserver) const NAME: Column = Column::text(
    "Name",
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
)
.named();
/// The column `Age`, in Kubernetes' words.
pub(in crate::apiserver) const AGE: Column = Column::text(
    "Age",
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
);

/// The column of a kind that has no printer of its own.
pub(in crate::apiserver) const CREATED_AT: Column =
    Column { kind: "date", ..Column::text("Created At", AGE.description) };
