//! NGINX Gateway Fabric as a program: what it makes of the objects of the Gateway API, what it says of them, and what the nginx of a
//! Gateway does with a request.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`objects`], [`proxy_settings`] | the objects, as far as they are read |
//! | [`graph`] | all that a controller finds out: its class, its Gateways, the routes that name them |
//! | [`listener`], [`hostname`], [`secrets`] | whether a listener can be used, and for which hosts |
//! | [`route_graph`], [`mod@matches`], [`backend`], [`grants`] | whether a route's rules and backends can be used |
//! | [`bind`] | which routes attach to which listeners |
//! | [`condition`], [`field`], [`status`] | what is said of it in statuses |
//! | [`build`], [`configuration`] | what nginx is told |
//! | [`routing`] | what nginx does with a request |
//!
//! The facts are those of nginx/nginx-gateway-fabric v2.6.7, which is made for v1.5.1 of the Gateway API. Nothing here has a clock or a
//! store. Who makes the objects of a Gateway, and when nginx hears what, stands in [`crate::gateway_fabric`].
//!
//! ```
//! use steady::network::gateway::graph::{Graph, Known};
//! use steady::network::gateway::{condition, status};
//!
//! // Without a class a Gateway has nobody.
//! let gateway = serde_json::from_value(serde_json::json!({
//!     "gatewayClassName": "nginx", "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}],
//! })).unwrap();
//! let source = steady::network::gateway::objects::Source {
//!     key: steady::api::Key::new("default", "web"), uid: "u".into(), generation: 1, created: None,
//!     spec: gateway, status: Default::default(),
//! };
//! let known = Known { gateways: vec![source], ..Known::default() };
//! let graph = Graph::build("nginx", "gateway.nginx.org/nginx-gateway-controller", &known);
//! let said = status::of_gateway(&graph.gateways[0], &[], None, "2026-01-01T00:00:00Z");
//! assert_eq!(said["conditions"][0]["type"], condition::ACCEPTED);
//! assert_eq!(said["conditions"][0]["message"], "The GatewayClass doesn't exist");
//! ```

pub mod backend;
pub mod bind;
pub mod build;
pub mod condition;
pub mod configuration;
pub mod field;
pub mod grants;
pub mod graph;
pub mod hostname;
mod kinds;
pub mod listener;
pub mod matches;
mod names;
pub mod objects;
pub mod proxy_settings;
pub mod route_graph;
pub mod routing;
pub mod secrets;
pub mod status;
#[cfg(test)]
mod tests;

pub use configuration::Configuration;
pub use graph::{Graph, Known};
pub use kinds::kind_of;
pub use names::name_of_resources;
