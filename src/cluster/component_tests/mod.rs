//! Tests of components that need a whole cluster.

mod batch;
mod daemon;
mod endpoint;
mod garbage_collector;
mod kubelet;
mod namespace;
mod node_lifecycle;
mod persistentvolume;
mod podautoscaler;
mod podgc;
mod serviceaccounts_controller;
mod sets;
mod stages;
mod statefulset;
