//! Tests of components that need a whole cluster.

mod attachdetach;
mod batch;
mod daemon;
mod deployment;
mod disruption;
mod dual_stack;
mod endpoint;
mod field_managers;
mod garbage_collector;
mod journeys;
mod kubelet;
mod namespace;
mod network;
mod node_lifecycle;
mod nodeipam;
mod persistentvolume;
mod podautoscaler;
mod podgc;
mod replicaset;
mod service_cidr;
mod serviceaccounts_controller;
mod sets;
mod stages;
mod statefulset;
mod storage;
mod traffic;
