//! How a line of the terminal can go on.

/// How a line can go on at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Goes {
    /// With words of kubectl's, after these.
    Kubectl(Vec<String>),
    /// With the name of a node.
    Nodes,
    /// With one of these words.
    With(Vec<&'static str>),
}
