//! The only door to etcd: decode, default, admit, validate, store, watch.

pub mod defaults;
pub mod validation;
