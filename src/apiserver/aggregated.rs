//! What the API server knows of the metrics server, to which it passes requests for `metrics.k8s.io` on.

use std::rc::Rc;

use crate::api::quote::go_quote;
use crate::api::{Key, Kind, Object};
use crate::apimachinery::{Details, Request, Response, Status, Verb};

/// The API group `metrics.k8s.io`, whose requests kube-apiserver passes on to a metrics server
/// (`k8s.io/kube-aggregator`).
#[derive(Clone, Debug, Default)]
pub enum Aggregated {
    /// There is no APIService for the group.
    #[default]
    Absent,
    /// There is one, and its metrics server does not answer.
    Unavailable,
    /// There is one. The PodMetrics and NodeMetrics that its metrics server has; the list may be empty for a
    /// request that does not read them.
    Available(Rc<[Object]>),
}

impl Aggregated {
    /// Whether there is an APIService for the group.
    pub fn is_registered(&self) -> bool {
        !matches!(self, Aggregated::Absent)
    }

    /// Answers a `get` or `list` of a component.
    pub fn answer(&self, r: &Request) -> Response {
        let resource = r.kind.group_resource();
        let refused = |code, reason, what: &str| {
            // Clients name the HTTP method.
            let message = format!("the server {what} ({} {resource})", r.verb.method().to_ascii_lowercase());
            Response::Failure(Box::new(Status::new(code, reason, message)))
        };
        let all = match self {
            Aggregated::Absent => return refused(404, "NotFound", "could not find the requested resource"),
            Aggregated::Unavailable => {
                return refused(503, "ServiceUnavailable", "is currently unable to handle the request");
            }
            Aggregated::Available(all) => all,
        };
        let of_kind = |o: &&Object| o.kind() == r.kind;
        match r.verb {
            Verb::List => {
                let here = |o: &&Object| r.key.namespace.is_empty() || o.namespace() == &*r.key.namespace;
                let items = all.iter().filter(of_kind).filter(here).cloned().collect();
                Response::List { items, revision: 0 }
            }
            Verb::Get => match all.iter().filter(of_kind).find(|o| o.key() == r.key) {
                Some(object) => Response::Object { object: object.clone(), created: false },
                None => Response::Failure(Box::new(no_metrics(r.kind, &r.key))),
            },
            verb => Response::Failure(Box::new(Status::method_not_supported(r.kind, verb.as_str()))),
        }
    }
}

/// 404 for an object that a metrics server has nothing about.
fn no_metrics(kind: Kind, key: &Key) -> Status {
    let resource = format!("{}.{}", kind.as_str().to_ascii_lowercase(), kind.group());
    let name = if key.namespace.is_empty() { key.name.to_string() } else { key.to_string() };
    let message = format!("{resource} {} not found", go_quote(&name));
    let details = Details {
        name,
        group: kind.group().into(),
        kind: kind.as_str().to_ascii_lowercase(),
        ..Details::default()
    };
    Status::new(404, "NotFound", message).with(details)
}
