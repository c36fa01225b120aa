//! ingress-nginx as a program: which Ingresses it serves, what it makes of them, and where it sends a request.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`annotations`] | what annotations of an Ingress say ([`HONOURED`](annotations::HONOURED)) |
//! | [`backends`] | the endpoints of a Service, as ingress-nginx finds them |
//! | [`build`] | from Ingresses, Services and EndpointSlices to a [`Configuration`] |
//! | [`class`] | whether an Ingress is one of this controller's, and the controller's flags |
//! | [`configuration`] | servers, locations and backends, as the file `nginx.conf` has them |
//! | [`expression`] | paths that are regular expressions |
//! | [`route`] | which location a request meets, and what is done with it there |
//!
//! The facts are those of kubernetes/ingress-nginx v1.15.1, its last release. Nothing here has a clock or a store: what a controller
//! has heard of goes in, and what nginx does with a request comes out. Who asks the endpoints is the network of a cluster.
//!
//! ```
//! use steady::api::types::Ingress;
//! use steady::network::ingress::{Configuration, Request, Then};
//!
//! let ingress: Ingress = serde_json::from_value(serde_json::json!({
//!     "metadata": {"namespace": "default", "name": "shop"},
//!     "spec": {"ingressClassName": "nginx", "rules": [{"host": "shop.example", "http": {"paths": [{
//!         "path": "/cart", "pathType": "Prefix",
//!         "backend": {"service": {"name": "cart", "port": {"number": 80}}},
//!     }]}}]},
//! })).unwrap();
//! let configuration = Configuration::build(&[&ingress], &Default::default()).unwrap();
//! let ask = |path| configuration.route(&Request { host: "shop.example", path, tls: false });
//! // There is no Service `cart`, and no rule for any other path.
//! assert!(matches!(ask("/cart/1").then, Then::Error { status: 503, .. }));
//! assert!(matches!(ask("/help").then, Then::Error { status: 404, .. }));
//! ```

pub mod annotations;
pub mod backends;
pub mod build;
pub mod class;
pub mod configuration;
pub mod expression;
pub mod route;
#[cfg(test)]
mod tests;

pub use build::Known;
pub use class::{Flags, NotServed};
pub use configuration::{Backend, Configuration, Lack, Location, PathType, Server};
pub use route::{Nginx, Request};

pub use super::passing::{Passed, Place, Routed, Then};
