//! The set of processes that may have an action enabled, with one bit for each. Every action reads it, and
//! every write adds processes to it.

use std::rc::Rc;

/// A set of process indices. Clones share their content.
#[derive(Clone, Debug, Default)]
pub(super) struct Ready {
    words: Rc<Vec<u64>>,
}

fn place(id: u32) -> (usize, u64) {
    ((id / 64) as usize, 1 << (id % 64))
}

impl Ready {
    /// Adds a process.
    pub(super) fn insert(&mut self, id: u32) {
        let (word, bit) = place(id);
        if self.words.get(word).is_some_and(|w| w & bit != 0) {
            return;
        }
        let words = Rc::make_mut(&mut self.words);
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        if let Some(w) = words.get_mut(word) {
            *w |= bit;
        }
    }

    /// Removes a process.
    pub(super) fn remove(&mut self, id: u32) {
        let (word, bit) = place(id);
        if self.words.get(word).is_some_and(|w| w & bit != 0)
            && let Some(w) = Rc::make_mut(&mut self.words).get_mut(word)
        {
            *w &= !bit;
        }
    }

    /// The smallest index in the set that is not below `from`.
    pub(super) fn next(&self, from: u32) -> Option<u32> {
        let (word, bit) = place(from);
        // In the first word, only the bits from `from` on count.
        let first = self.words.get(word).map(|w| w & !(bit - 1));
        let rest = self.words.iter().skip(word + 1).copied();
        let all = first.into_iter().chain(rest).zip(from / 64..);
        all.filter(|(w, _)| *w != 0).map(|(w, i)| i * 64 + w.trailing_zeros()).next()
    }

    /// All indices, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        std::iter::successors(self.next(0), |last| self.next(last + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_an_ordered_set() {
        let mut set = Ready::default();
        assert_eq!(set.next(0), None);
        for id in [200, 3, 64, 63, 3] {
            set.insert(id);
        }
        let before = set.clone();
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 63, 64, 200]);
        assert_eq!(
            (set.next(4), set.next(64), set.next(65), set.next(201)),
            (Some(63), Some(64), Some(200), None)
        );
        set.remove(64);
        set.remove(1000);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 63, 200]);
        assert_eq!(before.iter().count(), 4);
    }
}
