//! What is wrong with an object by its own account: [`Ails`].

use serde::{Deserialize, Serialize};

use super::events::Condition;

/// What is wrong with an object by its own account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ails {
    /// One of its conditions says so.
    Condition(Condition),
    /// It is being deleted, and stays until these finalizers are taken away.
    Finalizers(Vec<String>),
}
