//! [`Shared`]: a value that several owners share until one of them changes it.

use std::fmt;
use std::rc::Rc;

use serde::{Serialize, Serializer};

/// A shared value that is copied only if it is changed while others share it. The versions of a pod share a
/// spec, and a step that changes one component leaves the others shared.
#[derive(Default)]
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// A value that is not shared yet.
    pub fn new(part: T) -> Shared<T> {
        Shared(Rc::new(part))
    }

    /// Whether both share the same memory.
    pub fn ptr_eq(&self, other: &Shared<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The address of the value: its identity as long as it is kept. Nothing may be ordered by it.
    pub fn address(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
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
