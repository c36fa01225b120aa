//! The rules of a node, which lead packets to endpoints: those that its kube-proxy has written, or those that it would write.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::rc::Rc;

use super::memo::Rules;
use super::network::Network;
use crate::api::types::discovery::LABEL_SERVICE_NAME;
use crate::api::types::{EndpointSlice, Node, Service};
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::kube_proxy;
use crate::network::dns::Objects;
use crate::network::proxy::{Family, Mode, Proxier, Ruleset};

impl<'a> Network<'a> {
    /// The rules of a node: what its kube-proxy has written or, where there is none to be looked at, what it would write for
    /// the Services of an address.
    pub(super) fn rules_of(&self, node: &Key, to: SocketAddr) -> Cow<'a, Ruleset> {
        match self.written_rules(node, to) {
            Some((_, rules)) => Cow::Borrowed(rules),
            None => Cow::Owned(self.rules_at(node, to)),
        }
    }

    /// The rules that the kube-proxy of a node has written, and those of them that are for the family of an address; `None` where
    /// there is no kube-proxy to be looked at.
    pub(super) fn written_rules(
        &self,
        node: &Key,
        to: SocketAddr,
    ) -> Option<(&'a Rc<[Ruleset]>, &'a Ruleset)> {
        self.note_led_by(node);
        let family = Family::of(to.ip());
        let own = self.processes.iter().filter(|p| p.node.as_deref() == Some(&*node.name));
        let on = own.flat_map(|p| (0..).zip(&p.components).filter(|(i, _)| p.is_on(*i)).map(|(_, c)| c));
        let mut states = on.filter_map(|c| c.state().downcast_ref::<kube_proxy::State>());
        let written = states.find(|s| s.written.is_some())?;
        written.rules.iter().find(|r| r.family == family).map(|rules| (&written.rules, rules))
    }

    /// Notes that what is answered follows from what the kube-proxy of a node has done.
    pub(super) fn note_led_by(&self, node: &Key) {
        if let Some(nodes) = self.led_by {
            nodes.borrow_mut().insert(node.name.to_string().into());
        }
    }

    /// What the rules of a node for an address would be made of now.
    pub(super) fn sources(&self, node: &Key, to: SocketAddr) -> Rules {
        let at = ObjectRef { kind: Kind::NODE, key: node.clone() };
        let object = self.api.cached(&at).and_then(|o| o.get::<Node>()).cloned();
        let services = self.services_at(to);
        let keys: Vec<Key> = services.iter().map(|s| s.metadata.key()).collect();
        let service = |key: &Key| {
            self.api.cached(&ObjectRef { kind: Kind::SERVICE, key: key.clone() })?.get::<Service>().cloned()
        };
        let mut slices = Vec::new();
        for (service, key) in services.iter().zip(&keys) {
            let all = self.api.cached_list(Kind::ENDPOINT_SLICE, Some(&key.namespace));
            let all = all.filter_map(|(_, o)| o.get::<EndpointSlice>());
            let name = service.metadata.name();
            slices.extend(all.filter(|s| s.metadata.label(LABEL_SERVICE_NAME) == Some(name)).cloned());
        }
        Rules::Made(keys.iter().filter_map(service).collect(), slices, object)
    }

    /// The rules that the kube-proxy of a node would write now for the Services of an address.
    pub(super) fn rules_at(&self, node: &Key, to: SocketAddr) -> Ruleset {
        self.rules_for(node, Family::of(to.ip()), &self.services_at(to))
    }

    /// The rules that the kube-proxy of a node would write now for some Services.
    pub(super) fn rules_for(&self, node: &Key, family: Family, services: &[&Service]) -> Ruleset {
        let at = ObjectRef { kind: Kind::NODE, key: node.clone() };
        let object = self.api.cached(&at).and_then(|o| o.get::<Node>()).map(|n| &**n);
        let config = kube_proxy::config(&node.name, object, Mode::default(), family, self.api.ip_family());
        let slices: Vec<&EndpointSlice> =
            services.iter().flat_map(|s| self.slices(&s.metadata.key())).collect();
        Proxier::sync(&config, services.iter().copied(), slices.into_iter())
    }
}
