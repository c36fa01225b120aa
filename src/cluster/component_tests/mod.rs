//! Tests of components that need a whole cluster.

mod endpoint;
mod garbage_collector;
mod kubelet;
mod namespace;
mod node_lifecycle;
mod persistentvolume;
mod podgc;
mod serviceaccounts_controller;
mod stages;
