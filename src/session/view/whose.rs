//! Whose address it was that nobody has any more.

use std::net::{IpAddr, SocketAddr};

use serde::{Deserialize, Serialize};

use crate::api::types::{Pod, Service};
use crate::api::{Key, Kind, ObjectRef};
use crate::session::{MomentId, Session};

/// An address that nobody has, to which a request was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NobodysAddress {
    /// The address.
    pub address: String,
    /// The pod of the run that had it last before the request; `None` if none had.
    pub pod: Option<String>,
    /// The Service that was asked, by its name or by one of its addresses; `None` if none was.
    pub service: Option<String>,
}

/// The address to which a request was sent: that of the endpoint that was chosen for it or, without one, the host of its URL; `None` if
/// that is a name. `until` is the last moment before the request, and `namespace` that of its client.
pub fn nobodys(
    session: &Session,
    until: MomentId,
    (namespace, host): (&str, &str),
    endpoint: Option<SocketAddr>,
) -> Option<NobodysAddress> {
    let asked = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
    let address = endpoint.map(|e| e.ip()).or(asked)?;
    let service = match asked {
        Some(ip) => service_with(session, ip),
        None => service_named(session, namespace, host),
    };
    let pod = pod_that_had(session, until, address).map(|key| key.to_string());
    Some(NobodysAddress { address: address.to_string(), pod, service: service.map(|key| key.to_string()) })
}

fn has(pod: &Pod, address: IpAddr) -> bool {
    let mut all = pod.status.iter().flat_map(|s| s.pod_ips.iter().flatten());
    all.any(|ip| ip.ip.parse() == Ok(address))
}

/// The pod with an address of which the run has written last, on the way to a moment.
fn pod_that_had(session: &Session, until: MomentId, address: IpAddr) -> Option<Key> {
    let place = session.place(until)?;
    let moments = session.timeline().get(..=place)?.iter().rev().filter_map(|id| session.moment(*id));
    for moment in moments {
        for write in moment.writes().into_iter().rev().filter(|w| w.object.kind == Kind::POD) {
            let states = [&write.next, &write.last, &write.prev].into_iter().flatten();
            if states.filter_map(|o| o.get::<Pod>()).any(|pod| has(pod, address)) {
                return Some(write.object.key.clone());
            }
        }
    }
    None
}

/// The Service that a name means to a client in a namespace.
fn service_named(session: &Session, namespace: &str, host: &str) -> Option<Key> {
    let mut labels = host.split('.');
    let name = labels.next().filter(|name| !name.is_empty())?;
    let key = Key::new(labels.next().unwrap_or(namespace), name);
    session.cluster().api().cached(&ObjectRef { kind: Kind::SERVICE, key: key.clone() }).map(|_| key)
}

/// The Service with an address.
fn service_with(session: &Session, address: IpAddr) -> Option<Key> {
    let is = |ip: &String| ip.parse() == Ok(address);
    let has = |s: &Service| {
        let spec = s.spec.iter();
        let own = spec.flat_map(|s| s.cluster_ips.iter().flatten().chain(s.external_ips.iter().flatten()));
        let balancers = s.status.iter().filter_map(|s| s.load_balancer.as_ref());
        let balanced = balancers.flat_map(|b| b.ingress.iter().flatten()).filter_map(|i| i.ip.as_ref());
        own.chain(balanced).any(is)
    };
    let mut all = session.cluster().api().cached_list(Kind::SERVICE, None);
    all.find(|(_, o)| o.get::<Service>().is_some_and(|s| has(s))).map(|(of, _)| of.key.clone())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use jiff::SignedDuration;

    use super::*;
    use crate::session::view::sent::sent;
    use crate::session::{Depth, Passing, scenario};

    /// A client that has written down a pod's address goes on to ask it when the pod is gone.
    #[test]
    fn the_pod_is_named_that_had_the_address() {
        let mut s = scenario::find("66-busy-neighbour").unwrap().open();
        let line = "get pods -l app=web -o jsonpath={.items[0].metadata.name},{.items[0].status.podIP}";
        let told = s.kubectl(line, &[]).stdout;
        let (name, ip) = told.split_once(',').unwrap();
        let asks =
            format!("annotate pod client sim.steady/requests='5/s http://{ip}/ timeout=1s' --overwrite");
        for line in [asks, format!("delete pod {name}")] {
            assert_eq!(s.kubectl(&line, &[]).exit, 0, "{line}");
        }
        while s.step(Depth::Command, None) {}
        let mut passing = Passing::by(&s, SignedDuration::from_secs(10));
        while passing.once(&mut s) {}
        let view = sent(&s, s.now().as_second() - 5, 1).unwrap();
        let pod = Some(format!("default/{name}"));
        let nobody = NobodysAddress { address: ip.to_owned(), pod: pod.clone(), service: None };
        assert_eq!(view.nobody, Some(nobody), "{:?}", view.lost);
        // Who was led there by the rules of a Service had asked for that.
        let endpoint = Some(SocketAddr::new(ip.parse().unwrap(), 80));
        let service = Some("default/web".to_owned());
        let asked = nobodys(&s, s.at(), ("default", "web"), endpoint).unwrap();
        assert_eq!((asked.pod, asked.service), (pod, service.clone()));
        let cluster_ip = s.kubectl("get service web -o jsonpath={.spec.clusterIP}", &[]).stdout;
        let asked = nobodys(&s, s.at(), ("default", &cluster_ip), endpoint).unwrap();
        assert_eq!(asked.service, service);
        assert_eq!(nobodys(&s, s.at(), ("default", "192.0.2.1"), None).unwrap().pod, None);
    }
}
