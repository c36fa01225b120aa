//! What a proxy does with a request on its journey, of an ingress controller, of a Gateway, or with a configuration of its own:
//! [`ViaView`].

use serde::{Deserialize, Serialize};

use crate::api::{Key, Kind, ObjectRef};
use crate::network::passing::CATCH_ALL;
pub use crate::network::passing::{Lack, Whose};
use crate::network::question::Via;
use crate::network::{Outcome, Reply};

/// What a proxy does with a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViaView {
    /// Whose proxy it is.
    pub whose: Whose,
    /// The proxy's pod.
    pub pod: ObjectRef,
    /// The host of the rule; empty for the server of all other hosts.
    pub host: String,
    /// The path of the rule with its type; `None` where no rule is for the request.
    pub rule: Option<(String, String)>,
    /// The Ingress or the HTTPRoute.
    pub of: Option<ObjectRef>,
    /// The Service, whose endpoints are asked past its address.
    pub service: Option<ObjectRef>,
    /// Why there is nobody to ask.
    pub lack: Option<Lack>,
    /// The endpoints that were asked before, in vain.
    pub failed: Vec<String>,
    /// Whether an endpoint was asked.
    pub passed: bool,
    /// Where the client is sent instead.
    pub location: Option<String>,
}

impl ViaView {
    /// What is to be said of a reply that came by a proxy.
    pub(super) fn of(reply: &Reply) -> Option<ViaView> {
        let via: &Via = reply.via.as_deref()?;
        let object = |kind: Kind, key: &Key| ObjectRef { kind, key: key.clone() };
        let place = &via.place;
        let location = match &reply.outcome {
            Outcome::Answered(r) if !r.location.is_empty() => Some(r.location.to_string()),
            _ => None,
        };
        let word = |kind: crate::network::passing::PathType| match place.whose {
            Whose::Ingress | Whose::Configuration => kind.as_str().to_owned(),
            Whose::Gateway => kind.as_route_word().to_owned(),
        };
        Some(ViaView {
            whose: place.whose,
            pod: object(Kind::POD, &via.pod),
            host: if &*place.host == CATCH_ALL { String::new() } else { place.host.to_string() },
            rule: place.rule.as_ref().map(|(path, kind)| (path.to_string(), word(*kind))),
            of: place.of.clone(),
            service: place.service.as_ref().map(|(key, _)| object(Kind::SERVICE, key)),
            lack: via.lack,
            failed: via.failed.iter().map(ToString::to_string).collect(),
            passed: via.asked.is_some(),
            location,
        })
    }

    /// The objects that the request comes by there.
    pub(super) fn objects(&self) -> impl Iterator<Item = ObjectRef> {
        [Some(self.pod.clone()), self.of.clone(), self.service.clone()].into_iter().flatten()
    }
}
