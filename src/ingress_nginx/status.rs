//! The addresses of Ingresses: the leader looks every minute whether what they say is still so (`internal/ingress/status/status.go`).

use std::net::IpAddr;
use std::rc::Rc;

use super::Task;
use super::state::{Instance, State};
use crate::api::pod::is_ready;
use crate::api::types::networking::{IngressLoadBalancerIngress, IngressLoadBalancerStatus};
use crate::api::types::{Ingress, Node, Pod, Service};
use crate::api::{Key, MetaExt, ObjectRef};
use crate::client::{Context, Result, Why};
use crate::network::ingress::Flags;

type Cx = Context<State, Task>;

/// An address: a host name, or an IP address.
type Address = (Option<String>, Option<String>);

fn address(text: &str) -> Address {
    match text.parse::<IpAddr>() {
        Ok(_) => (None, Some(text.to_owned())),
        Err(_) => (Some(text.to_owned()), None),
    }
}

/// The addresses of a node: the external ones, or else those within the cluster (`GetNodeIPs`).
fn of_node(cx: &Cx, name: &str, internal: bool) -> Vec<Address> {
    let Some(node) = cx.lister::<Node>().get(&Key::new("", name)) else { return Vec::new() };
    let all = |type_: &str| {
        let addresses = node.status.iter().flat_map(|s| s.addresses.iter().flatten());
        addresses.filter(|a| a.type_ == type_).map(|a| address(&a.address)).collect::<Vec<_>>()
    };
    let external = if internal { Vec::new() } else { all("ExternalIP") };
    if external.is_empty() { all("InternalIP") } else { external }
}

/// The addresses of the Service in front of the controller (`statusAddressFromService`); `None` if it is not there.
fn of_service(cx: &Cx, key: &Key) -> Option<Vec<Address>> {
    let service = cx.lister::<Service>().get(key)?;
    let spec = service.spec.as_ref()?;
    let external: Vec<Address> = spec.external_ips.iter().flatten().map(|a| address(a)).collect();
    let own = || spec.cluster_ip.iter().map(|ip| address(ip)).collect();
    Some(match spec.type_.as_deref().unwrap_or("ClusterIP") {
        "ExternalName" => spec.external_name.iter().map(|name| (Some(name.clone()), None)).collect(),
        "NodePort" if !external.is_empty() => external,
        "LoadBalancer" => {
            let status = service.status.as_ref().and_then(|s| s.load_balancer.as_ref());
            let given = status.iter().flat_map(|l| l.ingress.iter().flatten());
            given.map(|i| (i.hostname.clone(), i.ip.clone())).chain(external).collect()
        }
        _ => own(),
    })
}

/// Which pods are alike.
#[derive(Clone, Copy, PartialEq)]
enum Alike {
    /// Those with all labels of a pod (`runningAddresses`): of a Deployment, those of the same template.
    OfTemplate,
    /// Those with all labels that are not of a template (`isRunningMultiplePods`).
    OfAny,
}

/// The pods with the labels of a pod, itself among them.
fn alike<'c>(cx: &'c Cx, key: &Key, which: Alike) -> Vec<&'c Rc<Pod>> {
    const OF_TEMPLATE: [&str; 3] =
        ["pod-template-hash", "controller-revision-hash", "pod-template-generation"];
    let pods = cx.lister::<Pod>();
    let own = pods.get(key).map(|p| p.metadata.labels_or_empty().clone()).unwrap_or_default();
    let has = |p: &&Rc<Pod>| {
        let counts = |name: &str| which == Alike::OfTemplate || !OF_TEMPLATE.contains(&name);
        let mut wanted = own.iter().filter(|(name, _)| counts(name));
        wanted.all(|(name, value)| p.metadata.label(name) == Some(value))
    };
    cx.caches()
        .of(crate::api::Kind::POD)
        .list(None)
        .filter_map(crate::api::ApiKind::from_object)
        .filter(has)
        .filter(|p: &&Rc<Pod>| *p.metadata.namespace() == *key.namespace)
        .collect()
}

/// Where the controller is reached; `None` if that cannot be said.
fn addresses(cx: &Cx, key: &Key, flags: &Flags) -> Option<Vec<Address>> {
    if !flags.publish_addresses.is_empty() {
        return Some(flags.publish_addresses.iter().map(|a| address(a)).collect());
    }
    if let Some(service) = &flags.publish_service {
        return of_service(cx, service);
    }
    let mut all: Vec<Address> = Vec::new();
    for pod in alike(cx, key, Alike::OfTemplate).into_iter().filter(|p| is_ready(p)) {
        let node = pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default();
        for address in of_node(cx, node, flags.internal_addresses) {
            if !all.contains(&address) {
                all.push(address);
            }
        }
    }
    Some(all)
}

fn said(ingress: &Ingress) -> Vec<Address> {
    let status = ingress.status.as_ref().and_then(|s| s.load_balancer.as_ref());
    let all = status.iter().flat_map(|l| l.ingress.iter().flatten());
    let mut all: Vec<Address> = all.map(|i| (i.hostname.clone(), i.ip.clone())).collect();
    crate::api::order::sort(&mut all);
    all
}

/// Writes the addresses of all Ingresses of the leader whose status says others.
pub(super) async fn write(cx: Cx) -> Result {
    let leader = cx.state(|s| s.leader().map(|(key, i)| (key.clone(), i.clone())));
    let (key, instance, mut wanted): (Key, Rc<Instance>, Vec<Address>) = match leader {
        Some((key, instance)) => match addresses(&cx, &key, &instance.flags) {
            Some(wanted) => (key, instance, wanted),
            None => return Ok(()),
        },
        // Nobody goes on: the last one takes the address back.
        None => {
            let last = cx.state(|s| s.instances.iter().next().map(|(key, i)| (key.clone(), i.clone())));
            let Some((key, instance)) = last else { return Ok(()) };
            // Several addresses, or several pods, are left to the next one (`Shutdown`).
            let several = addresses(&cx, &key, &instance.flags).is_none_or(|all| all.len() > 1);
            if several || alike(&cx, &key, Alike::OfAny).len() > 1 {
                return Ok(());
            }
            (key, instance, Vec::new())
        }
    };
    crate::api::order::sort(&mut wanted);
    let ingresses: Vec<Key> = instance.ingresses.iter().flatten().map(|(key, _)| key.clone()).collect();
    for ingress in ingresses.iter().filter(|_| instance.flags.update_status) {
        let known = cx.lister::<Ingress>().get(ingress);
        if known.is_none_or(|i| said(i) == wanted) {
            continue;
        }
        let mut object = match cx.get::<Ingress>(ingress.clone()).await {
            Ok(object) => object,
            Err(e) if e.is_not_found() => continue,
            Err(e) => return Err(e.into()),
        };
        let words =
            wanted.iter().map(|(host, ip)| host.as_ref().or(ip.as_ref()).cloned().unwrap_or_default());
        let words: Vec<String> = words.collect();
        let why = if words.is_empty() {
            Why::new("ingress_nginx.clear_status")
        } else {
            Why::new("ingress_nginx.update_status").with("addresses", words.join(", "))
        };
        let why = why.read("ingress", ObjectRef::of(&*object), "metadata.name", &ingress.name);
        let why = why.with("pod", &key.name);
        let changed = Rc::make_mut(&mut object);
        let given = wanted.iter().map(|(hostname, ip)| IngressLoadBalancerIngress {
            hostname: hostname.clone(),
            ip: ip.clone(),
            ports: None,
        });
        let given: Vec<IngressLoadBalancerIngress> = given.collect();
        let balancer = IngressLoadBalancerStatus { ingress: Some(given).filter(|g| !g.is_empty()) };
        changed.status.get_or_insert_default().load_balancer = Some(balancer);
        cx.update_status(object).because(why).await?;
    }
    Ok(())
}
