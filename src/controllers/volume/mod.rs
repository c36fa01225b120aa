//! The controllers for storage (`k8s.io/kubernetes/pkg/controller/volume`).

pub mod attachdetach;
pub mod ephemeral;
pub mod expand;
pub mod persistentvolume;
pub mod pvcprotection;
pub mod pvprotection;
pub mod vacprotection;
