//! What a node's kube-proxy answers when a load balancer asks for its health, or for that of a Service on the node, and when somebody
//! on the node asks in which mode it runs (`serveMetrics`, `cmd/kube-proxy/app/server.go`).

use std::borrow::Cow;
use std::net::SocketAddr;
use std::rc::Rc;

use super::network::Network;
use crate::api::types::{Node, Service};
use crate::api::{Key, Kind, ObjectRef};
use crate::kube_proxy;
use crate::network::header::HeaderFields;
use crate::network::proxy::healthcheck::{Answer, ProxyHealth};
use crate::network::proxy::{Family, Mode, Rules, Ruleset};
use crate::network::{Outcome, Question, Response};

/// The port on which a kube-proxy answers for itself (`healthzBindAddress`).
pub(super) const HEALTHZ: u16 = 10_256;

/// The port on which it answers at the node's own loopback address alone (`metricsBindAddress`).
const METRICS: u16 = 10_249;

/// The kube-proxy of a node.
enum Proxy<'a> {
    /// Nobody looks at kube-proxies, so it has written all rules.
    Current,
    /// One that runs.
    Running(&'a kube_proxy::State),
    /// One that does not run.
    Stopped,
}

impl Proxy<'_> {
    /// In which mode it runs; the default one before it has written its first rules.
    fn mode(&self) -> Mode {
        let rules = match self {
            Proxy::Running(state) => state.rules.first().map(|r| &r.rules),
            Proxy::Current | Proxy::Stopped => None,
        };
        match rules {
            Some(Rules::Nftables(_)) => Mode::Nftables,
            Some(Rules::Ipvs(_)) => Mode::Ipvs,
            Some(Rules::Iptables(_)) | None => Mode::Iptables,
        }
    }
}

impl<'a> Network<'a> {
    /// What becomes of a connection to a port of a node on which its kube-proxy listens; `None` if it is none of these.
    pub(super) fn of_kube_proxy(&self, node: &Key, question: &Question) -> Option<Outcome> {
        let (to, path) = match question {
            Question::Fetch { to, tls: false, path, .. } => (*to, Some(&**path)),
            // A handshake of TLS is no request of HTTP.
            Question::Fetch { to, .. } | Question::Connect { to, .. } => (*to, None),
            Question::Lookup { .. } | Question::Echo { .. } => return None,
        };
        let proxy = self.proxy_of(node);
        let health = match &proxy {
            Proxy::Stopped => return None,
            Proxy::Current => ProxyHealth::current(kube_proxy::families(self.api.ip_family()), self.now),
            Proxy::Running(state) => state.health(),
        };
        let path = path.map(|p| p.split('?').next().unwrap_or_default());
        let answer = if to.port() == METRICS && to.ip().is_loopback() {
            match path {
                Some("/proxyMode") => Answer::text(200, proxy.mode().name()),
                Some("/healthz") => Answer::text(200, "ok"),
                _ => Answer::not_found(),
            }
        } else if to.port() == HEALTHZ {
            let at = ObjectRef { kind: Kind::NODE, key: node.clone() };
            let object = self.api.cached(&at).and_then(|o| o.get::<Node>());
            match path {
                Some("/healthz") => health.healthz(object.map(|n| &**n), self.now),
                Some("/livez") => health.livez(self.now),
                _ => Answer::not_found(),
            }
        } else {
            self.with_health_port(&proxy, node, to)?.service_health(to.port(), health.healthy(self.now))?
        };
        Some(if path.is_some() { Outcome::Answered(Rc::new(response(answer))) } else { Outcome::Connected })
    }

    fn proxy_of(&self, node: &Key) -> Proxy<'a> {
        self.note_led_by(node);
        let mut found = Proxy::Current;
        for process in self.processes.iter().filter(|p| p.node.as_deref() == Some(&*node.name)) {
            for (index, component) in (0..).zip(&process.components) {
                if let Some(state) = component.state().downcast_ref::<kube_proxy::State>() {
                    let runs = process.running && process.is_on(index);
                    found = if runs { Proxy::Running(state) } else { Proxy::Stopped };
                }
            }
        }
        found
    }

    /// The rules of a node for the Service whose health is asked for at an address.
    fn with_health_port(&self, proxy: &Proxy<'a>, node: &Key, to: SocketAddr) -> Option<Cow<'a, Ruleset>> {
        let family = Family::of(to.ip());
        if let Proxy::Running(state) = proxy {
            return state.rules.iter().find(|r| r.family == family).map(Cow::Borrowed);
        }
        let all = self.api.cached_list(Kind::SERVICE, None);
        let all = all.filter_map(|(_, o)| o.get::<Service>().map(|s| &**s));
        let asked = |s: &&Service| {
            s.spec.as_ref().and_then(|s| s.health_check_node_port) == Some(i32::from(to.port()))
        };
        let services: Vec<&Service> = all.filter(asked).collect();
        (!services.is_empty()).then(|| Cow::Owned(self.rules_for(node, family, &services)))
    }
}

fn response(answer: Answer) -> Response {
    let mut headers = answer.headers;
    let at = headers.iter().position(|(name, _)| *name == "Content-Type");
    let content_type = at.map(|at| headers.remove(at).1).unwrap_or_default();
    Response {
        status: answer.status,
        server: "".into(),
        content_type: content_type.into(),
        body: answer.body.into(),
        location: "".into(),
        headers: HeaderFields::new(headers.into_iter().map(|(n, v)| (n.into(), v.into())).collect()),
        takes: Default::default(),
        goes_on: Default::default(),
        by: None,
    }
}
