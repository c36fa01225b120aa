//! Collections whose clones share their content, so that keeping an old version costs a pointer.

use imbl::shared_ptr::RcK;

/// A persistent ordered map. Clones share the tree.
pub type Map<K, V> = imbl::GenericOrdMap<K, V, RcK>;
/// A persistent vector. Clones share the tree.
pub type Vector<T> = imbl::GenericVector<T, RcK>;
