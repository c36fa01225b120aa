//! Collections whose clones share what they have in common, so that keeping an old one costs a pointer.

use imbl::shared_ptr::RcK;

/// A persistent ordered map: cloning shares the tree.
pub type Map<K, V> = imbl::GenericOrdMap<K, V, RcK>;
/// A persistent vector: cloning shares the tree.
pub type Vector<T> = imbl::GenericVector<T, RcK>;
