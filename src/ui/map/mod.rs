//! The component map: etcd, the API server, and one component from its reflectors to its worker, with
//! what a step moved going along the wires. A view of [`steady::engine::machinery`].

#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code))]
mod wires;

#[cfg(target_arch = "wasm32")]
mod calls;
#[cfg(target_arch = "wasm32")]
mod held;
#[cfg(target_arch = "wasm32")]
mod into;
#[cfg(target_arch = "wasm32")]
mod machine;
#[cfg(target_arch = "wasm32")]
mod overview;
#[cfg(target_arch = "wasm32")]
mod pane;
#[cfg(target_arch = "wasm32")]
mod rooms;
#[cfg(target_arch = "wasm32")]
mod stages;
#[cfg(target_arch = "wasm32")]
mod token;

#[cfg(target_arch = "wasm32")]
pub use calls::CallsOf;
#[cfg(target_arch = "wasm32")]
pub use into::{Into, StepIn};
#[cfg(target_arch = "wasm32")]
pub use pane::{MachineMap, ViewSwitch};
