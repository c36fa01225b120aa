//! Sorting and collecting with one copy of the algorithm.
//!
//! The standard library's sort is compiled again for every type and comparison, to four kilobytes of wasm
//! each even if optimised for size, and so is collecting into an ordered map. No sort in this library is
//! critical for speed, so all of them sort indexes.

use std::cmp::Ordering;

/// Sorts items. The sort is stable.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts items by a comparison. The sort is stable.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = sorted(items.len(), &mut |a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    arrange(items, order);
}

/// Sorts items by a key, which is computed once for each. The sort is stable.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl FnMut(&T) -> K) {
    let keys: Vec<K> = items.iter().map(key).collect();
    let order = sorted(items.len(), &mut |a, b| keys.get(a).cmp(&keys.get(b)));
    arrange(items, order);
}

/// Collects items into an ordered map or set by inserting them one by one; `collect` would sort them first.
pub fn gather<C: Default + Extend<T>, T>(items: impl IntoIterator<Item = T>) -> C {
    let mut all = C::default();
    all.extend(items);
    all
}

/// The indexes below `len`, sorted by a comparison of indexes.
fn sorted(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Reorders items: `order` has, for each place, the index of the item for it.
fn arrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for first in 0..order.len() {
        // Follows the cycle that begins here. A finished place has its own index.
        let mut at = first;
        while let Some(place) = order.get_mut(at) {
            let from = std::mem::replace(place, at);
            if from == first || from == at {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_sorts_is_what_the_standard_library_sorts() {
        let mut seed = 1_u32;
        for len in 0..60 {
            let mut items: Vec<(u32, usize)> = (0..len)
                .map(|i| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    ((seed >> 16) % 8, i)
                })
                .collect();
            let (mut by_key, mut by) = (items.clone(), items.clone());
            sort_by_key(&mut by_key, |x| x.0);
            sort_by(&mut by, |a, b| b.0.cmp(&a.0));
            items.sort_by_key(|x| x.0);
            assert_eq!(by_key, items);
            items.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            assert_eq!(by, items);
            sort(&mut by);
            items.sort();
            assert_eq!(by, items);
        }
        let map: std::collections::BTreeMap<u8, &str> = gather([(2, "b"), (1, "a"), (2, "c")]);
        assert_eq!(map.into_iter().collect::<Vec<_>>(), [(1, "a"), (2, "c")]);
    }
}
