//! A shared value that is compared by its address: what components are memoised by.

use std::ops::Deref;
use std::rc::Rc;

/// An `Rc` that is equal only to itself.
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// Shares a value.
    pub fn new(value: T) -> Shared<T> {
        Shared(Rc::new(value))
    }
}

impl<T: Clone> Shared<T> {
    /// Another shared value, made of a changed copy.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut T)) -> Shared<T> {
        let mut copy = (*self.0).clone();
        change(&mut copy);
        Shared::new(copy)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(self.0.clone())
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Default> Default for Shared<T> {
    fn default() -> Self {
        Shared::new(T::default())
    }
}
