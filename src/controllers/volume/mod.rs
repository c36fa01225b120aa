//! The controllers for storage (`k8s.io/kubernetes/pkg/controller/volume`).

pub mod persistentvolume;
pub mod pvcprotection;
pub mod pvprotection;
