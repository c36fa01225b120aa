//! [`Shared`]: a part that several owners have in common until one of them changes it.

use std::fmt;
use std::rc::Rc;

use serde::{Serialize, Serializer};

/// A part that is copied only when it is changed while somebody else still has it: a pod's versions
/// have one spec in common, and a step that touches one component leaves the others where they are.
#[derive(Default)]
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// A part of its own.
    pub fn new(part: T) -> Shared<T> {
        Shared(Rc::new(part))
    }

    /// The same memory, not only the same value.
    pub fn ptr_eq(&self, other: &Shared<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(other) || *self.0 == *other.0
    }
}

impl<T> From<T> for Shared<T> {
    fn from(part: T) -> Self {
        Shared::new(part)
    }
}

impl<T> std::ops::Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> std::ops::DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
