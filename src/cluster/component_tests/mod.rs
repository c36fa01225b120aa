//! Components in a whole cluster: what a test needs that cannot be shown with the component alone.

mod endpoint;
mod garbage_collector;
mod kubelet;
mod namespace;
mod node_lifecycle;
mod persistentvolume;
mod podgc;
mod serviceaccounts_controller;
