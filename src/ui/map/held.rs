//! What the parts of the map share: properties, and a number as texts take it.

use std::rc::Rc;

use steady::engine::machinery::Stop;
use yew::prelude::*;

/// A value that is drawn anew only where it is another.
#[derive(Clone)]
pub struct Held<T>(pub Rc<T>);

impl<T: PartialEq> PartialEq for Held<T> {
    fn eq(&self, other: &Held<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

/// Which of the map's parts a step touched.
#[derive(Clone, Default, PartialEq)]
pub struct Lit(Rc<[Stop]>);

impl Lit {
    /// The parts that a step went through, in their order.
    pub fn new(path: Rc<[Stop]>) -> Lit {
        Lit(path)
    }

    /// The parts, in the order in which the step went through them.
    pub fn path(&self) -> Rc<[Stop]> {
        self.0.clone()
    }

    /// The classes of a part: whether the step went through it, and whether it ended there.
    pub fn class(&self, stop: Stop) -> Classes {
        let on = self.0.contains(&stop);
        classes!(on.then_some("lit"), (self.0.last() == Some(&stop)).then_some("end"))
    }
}

/// A number as a text takes it.
pub fn n(count: usize) -> [(&'static str, fluent_bundle::FluentValue<'static>); 1] {
    [("n", (count as f64).into())]
}
