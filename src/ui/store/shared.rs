//! A shared value that is compared by its address: what components are memoised by.

use std::ops::Deref;
use std::rc::Rc;

/// An `Rc` that is equal only to itself.
#[derive(Debug)]
pub struct Shared<T>(Rc<T>);

impl<T> From<Rc<T>> for Shared<T> {
    fn from(value: Rc<T>) -> Shared<T> {
        Shared(value)
    }
}

impl<T> From<&Rc<T>> for Shared<T> {
    fn from(value: &Rc<T>) -> Shared<T> {
        Shared(value.clone())
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
        Shared(Rc::default())
    }
}
