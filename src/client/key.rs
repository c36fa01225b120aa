//! Keys of work queues.
//!
//! A controller names the type of its keys, [`Reconciler::Key`](super::Reconciler::Key): mostly
//! [`Key`], an object's namespace and name; an enum where the controller has several sorts of work.
//! Queues, timers and the records of steps hold an [`AnyKey`], so that they are the same for all
//! controllers; a handler and a sync only ever see the controller's own type.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use crate::api::Key;

/// What can be a key of a work queue.
///
/// `Display` is how the key is shown on the component map, in the words of a step and in the
/// explorer's states; two keys that differ have to be shown differently. `Ord` decides which of two
/// keys comes first that are due at the same moment.
pub trait WorkKey: Clone + Ord + fmt::Display + fmt::Debug + 'static {}

impl<T: Clone + Ord + fmt::Display + fmt::Debug + 'static> WorkKey for T {}

/// A key whose type only its controller knows. Cloning it copies pointers.
#[derive(Clone)]
pub struct AnyKey(Repr);

#[derive(Clone)]
enum Repr {
    /// Most keys are objects' keys, which need no allocation of their own.
    Object(Key),
    Other(Rc<dyn Erased>),
}

/// A [`WorkKey`] without its type.
trait Erased {
    fn as_any(&self) -> &dyn Any;
    /// `None` if the other key is of another type.
    fn compare(&self, other: &dyn Any) -> Option<Ordering>;
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl<K: WorkKey> Erased for K {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn compare(&self, other: &dyn Any) -> Option<Ordering> {
        other.downcast_ref::<K>().map(|other| self.cmp(other))
    }
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl AnyKey {
    /// A key without its type.
    pub fn new<K: WorkKey>(key: K) -> AnyKey {
        let any: &dyn Any = &key;
        match any.downcast_ref::<Key>() {
            Some(object) => AnyKey(Repr::Object(object.clone())),
            None => AnyKey(Repr::Other(Rc::new(key))),
        }
    }

    /// The key, if it is of this type.
    pub fn get<K: WorkKey>(&self) -> Option<&K> {
        let any: &dyn Any = match &self.0 {
            Repr::Object(key) => key,
            Repr::Other(key) => (**key).as_any(),
        };
        any.downcast_ref()
    }
}

impl From<Key> for AnyKey {
    fn from(key: Key) -> AnyKey {
        AnyKey(Repr::Object(key))
    }
}

impl Ord for AnyKey {
    /// Keys of one type are in the order of that type. Keys of different types are in the order of
    /// their texts; one component has keys of one type only.
    fn cmp(&self, other: &AnyKey) -> Ordering {
        let same_type = match (&self.0, &other.0) {
            (Repr::Object(a), Repr::Object(b)) => Some(a.cmp(b)),
            (Repr::Other(a), Repr::Other(b)) => (**a).compare((**b).as_any()),
            _ => None,
        };
        same_type.unwrap_or_else(|| self.to_string().cmp(&other.to_string()))
    }
}

impl PartialOrd for AnyKey {
    fn partial_cmp(&self, other: &AnyKey) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for AnyKey {
    fn eq(&self, other: &AnyKey) -> bool {
        match (&self.0, &other.0) {
            // Cheaper than an order where namespaces are shared.
            (Repr::Object(a), Repr::Object(b)) => a == b,
            _ => self.cmp(other) == Ordering::Equal,
        }
    }
}

impl Eq for AnyKey {}

impl fmt::Display for AnyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Object(key) => key.fmt(f),
            Repr::Other(key) => key.show(f),
        }
    }
}

impl fmt::Debug for AnyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Object(key) => fmt::Debug::fmt(key, f),
            Repr::Other(key) => key.debug(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    enum Task {
        Second,
        First(u8),
    }

    impl fmt::Display for Task {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Task::Second => f.write_str("second"),
                Task::First(n) => write!(f, "first/{n}"),
            }
        }
    }

    #[test]
    fn a_key_comes_back_as_what_it_was() {
        let object = AnyKey::new(Key::new("default", "web"));
        assert_eq!(object.get::<Key>(), Some(&Key::new("default", "web")));
        assert_eq!(object.get::<Task>(), None);
        assert_eq!(object, AnyKey::from(Key::new("default", "web")));
        let task = AnyKey::new(Task::First(7));
        assert_eq!(task.get::<Task>(), Some(&Task::First(7)));
        assert_eq!((task.to_string(), format!("{task:?}")), ("first/7".into(), "First(7)".into()));
    }

    #[test]
    fn keys_of_one_type_have_the_order_of_their_type() {
        let mut keys = [Task::First(2), Task::First(1), Task::Second].map(AnyKey::new);
        keys.sort();
        assert_eq!(keys.map(|k| k.to_string()), ["second", "first/1", "first/2"]);
        assert!(AnyKey::new(Key::new("a", "z")) < AnyKey::new(Key::new("b", "a")));
        assert!(AnyKey::new(Key::new("", "a")) < AnyKey::new(Task::Second));
    }
}
