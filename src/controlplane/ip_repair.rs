//! The repair loop of cluster IPs (`k8s.io/kubernetes/pkg/registry/core/service/ipallocator/controller`): every address of a
//! Service has an IPAddress that names the Service, and every IPAddress of the allocator belongs to a Service.
//!
//! A change of a Service or of an IPAddress leads to a look at it. Kubernetes besides looks at all of them every three
//! minutes, and only so finds a Service whose IPAddress was deleted. Here such a Service is looked at when these three
//! minutes are over, and the others are not.

use std::fmt;
use std::net::IpAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::service_cidr::{cluster_ips, containing, family, gives, ip_address, is_managed, ranges};
use crate::api::types::networking::{LABEL_IP_ADDRESS_FAMILY, ParentReference};
use crate::api::types::{IPAddress, ObjectMeta, Service, ServiceCIDR};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp};
use crate::apimachinery::DeleteOptions;
use crate::client::{
    Context, EventFlavour, Handler, Reconciler, Recorded, Result, Seen, Watches, Why, object_reference,
};

const NAME: &str = "ipallocator-repair-controller";
/// The interval at which Kubernetes looks at all Services and IPAddresses, in seconds.
const RESYNC: i64 = 180;
/// How long an IPAddress may be there before its Service: the longest time that a request takes.
const GRACE_PERIOD: SignedDuration = SignedDuration::from_secs(60);
/// How long an IPAddress that is younger than its Service may be of a request that is still to give it back.
const REVERT_PERIOD: SignedDuration = SignedDuration::from_secs(5);

/// The repair loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct RepairIpAddress;

/// A key of its work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Check that a Service's addresses have their IPAddresses.
    Service(Key),
    /// Check that an IPAddress has a Service.
    Address(Rc<str>),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Service(key) => write!(f, "service {key}"),
            Task::Address(name) => write!(f, "ipaddress {name}"),
        }
    }
}

type Cx = Context<(), Task>;

impl Reconciler for RepairIpAddress {
    type Key = Task;
    type State = ();

    fn name(&self) -> Rc<str> {
        NAME.into()
    }

    fn user(&self) -> Rc<str> {
        super::USER.into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Events {
            component: NAME.into(),
            instance: "ipallocator-repair-controller-steady".into(),
        }
    }

    fn watches(&self) -> Watches<(), Task> {
        Watches::new().watches(handle_service).watches(handle_address).watches(handle_service_cidr)
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Service(key) => sync_service(&cx, &key).await,
            Task::Address(name) => sync_address(&cx, &name).await,
        }
    }

    fn max_retries(&self) -> Option<u32> {
        Some(15)
    }
}

fn handle_service(cx: &mut Handler<'_, (), Task>, seen: Seen<'_, Service>) {
    cx.enqueue(Task::Service(seen.key.clone()));
    // An IPAddress that was there first waits no longer for its Service.
    for ip in seen.new.iter().flat_map(|s| cluster_ips(s)) {
        cx.cancel(Task::Address(ip.as_str().into()));
    }
    if seen.is_gone() {
        cx.cancel(Task::Service(seen.key.clone()));
    }
}

fn handle_address(cx: &mut Handler<'_, (), Task>, seen: Seen<'_, IPAddress>) {
    cx.enqueue(Task::Address(seen.key.name.as_str().into()));
}

/// When a range is gone, its Services have addresses of no range.
fn handle_service_cidr(cx: &mut Handler<'_, (), Task>, seen: Seen<'_, ServiceCIDR>) {
    if !seen.is_gone() {
        return;
    }
    let gone = seen.object();
    let had = |ip: &String| ip.parse().is_ok_and(|ip| ranges(gone).any(|range| gives(&range, ip)));
    let services = cx.caches.of(Kind::SERVICE).list(None).filter_map(|o| o.get::<Service>());
    let keys: Vec<Key> =
        services.filter(|s| cluster_ips(s).iter().any(had)).map(|s| s.metadata.key()).collect();
    for key in keys {
        cx.enqueue_after(Task::Service(key), until_resync(cx.now));
    }
}

/// The time until Kubernetes looks at all objects.
fn until_resync(now: Timestamp) -> SignedDuration {
    SignedDuration::from_secs(RESYNC - now.as_second().rem_euclid(RESYNC))
}

/// Reports what is wrong. `action` is what the loop was doing.
fn warn<T: ApiKind>(cx: &Cx, about: &T, reason: &str, action: &'static str, message: String) {
    let about = object_reference(about);
    cx.record(Recorded { about, type_: "Warning", reason: reason.into(), message, action, at: cx.now() });
}

/// What is wrong with the IPAddress of a Service's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    /// No range has the address.
    OutOfRange,
    /// There is no IPAddress.
    Missing,
    /// The IPAddress belongs to something that does not have the address.
    Reference,
    /// The IPAddress belongs to another Service that has the address, too.
    Duplicate,
    /// The IPAddress lacks the allocator's labels.
    Labels,
}

/// What is wrong with an address of a Service.
fn wrong(cx: &Cx, service: &Service, address: IpAddr) -> Option<Wrong> {
    let all = cx.lister::<ServiceCIDR>();
    if containing(all.list(None).map(|c| &**c), address).next().is_none() {
        return Some(Wrong::OutOfRange);
    }
    let name = address.to_string();
    let Some(noted) = cx.lister::<IPAddress>().get(&Key::new("", &name)) else { return Some(Wrong::Missing) };
    let parent = &noted.spec.parent_ref;
    if !is_service(parent) {
        return Some(Wrong::Reference);
    }
    if parent_key(parent) != service.metadata.key() {
        match cx.lister::<Service>().get(&parent_key(parent)) {
            None => return Some(Wrong::Reference),
            Some(other) if cluster_ips(other).contains(&name) => return Some(Wrong::Duplicate),
            Some(_) => {}
        }
    }
    let labelled =
        noted.metadata.label(LABEL_IP_ADDRESS_FAMILY) == Some(family(address)) && is_managed(noted);
    (!labelled).then_some(Wrong::Labels)
}

fn is_service(parent: &ParentReference) -> bool {
    parent.group.as_deref().unwrap_or_default().is_empty() && parent.resource == "services"
}

fn parent_key(parent: &ParentReference) -> Key {
    Key::new(parent.namespace.as_deref().unwrap_or_default(), &parent.name)
}

/// Checks that each address of a Service has its IPAddress, and makes what is missing (`syncService`).
async fn sync_service(cx: &Cx, key: &Key) -> Result {
    const ACTION: &str = "ClusterIPAllocation";
    let Some(service) = cx.lister::<Service>().get(key).cloned() else { return Ok(()) };
    let (namespace, name) = (service.metadata.namespace(), service.metadata.name());
    for ip in cluster_ips(&service) {
        let Ok(address) = ip.parse::<IpAddr>() else {
            let message = format!("Cluster IP {ip} is not a valid IP; please recreate Service");
            warn(cx, &*service, "ClusterIPNotValid", "ClusterIPValidation", message);
            continue;
        };
        let of = family(address);
        let Some(found) = wrong(cx, &service, address) else { continue };
        let (reason, message) = match found {
            Wrong::OutOfRange => (
                "ClusterIPOutOfRange",
                format!(
                    "Cluster IP [{of}]: {ip} is not within any configured Service CIDR; please recreate service"
                ),
            ),
            Wrong::Missing => {
                ("ClusterIPNotAllocated", format!("Cluster IP [{of}]: {ip} is not allocated; repairing"))
            }
            Wrong::Reference => (
                "ClusterIPNotAllocated",
                format!(
                    "the ClusterIP [{of}]: {ip} for Service {namespace}/{name} has a wrong reference; repairing"
                ),
            ),
            Wrong::Duplicate => (
                "ClusterIPAlreadyAllocated",
                format!("Cluster IP [{of}]:{ip} was assigned to multiple services; please recreate service"),
            ),
            Wrong::Labels => ("", String::new()),
        };
        if !reason.is_empty() {
            warn(cx, &*service, reason, ACTION, message);
        }
        let why = |rule| {
            Why::new(rule)
                .read("service", ObjectRef::of(&*service), "spec.clusterIPs", name)
                .with("address", ip)
        };
        if matches!(found, Wrong::Reference | Wrong::Labels) {
            delete(cx, ip, why("ipallocator_repair.recreate")).await?;
        }
        if matches!(found, Wrong::Reference | Wrong::Labels | Wrong::Missing) {
            let address = ip_address(address, &service.metadata);
            cx.create(address).because(why("ipallocator_repair.create")).await?;
        }
    }
    Ok(())
}

/// Deletes an IPAddress, if it is there.
async fn delete(cx: &Cx, name: &str, why: Why) -> Result {
    let key = Key::new("", name);
    match cx.delete(Kind::IP_ADDRESS, key, DeleteOptions::default()).because(why).await {
        Err(e) if !e.is_not_found() => Err(e.into()),
        _ => Ok(()),
    }
}

/// Checks that an IPAddress of the allocator belongs to a Service that has the address, and deletes it if not
/// (`syncIPAddress`). Plans a look at Services whose IPAddress is gone or wrong.
async fn sync_address(cx: &Cx, name: &Rc<str>) -> Result {
    const ACTION: &str = "IPAddressAllocation";
    if let Ok(address) = name.parse::<IpAddr>() {
        let has = |s: &&Rc<Service>| cluster_ips(s).iter().any(|ip| **ip == **name);
        for service in cx.lister::<Service>().list(None).filter(has) {
            let task = Task::Service(service.metadata.key());
            match wrong(cx, service, address) {
                Some(_) => cx.enqueue_after(task, until_resync(cx.now())),
                None => cx.cancel(task),
            }
        }
    }
    let address = cx.lister::<IPAddress>().get(&Key::new("", name)).filter(|a| is_managed(a)).cloned();
    let Some(address) = address else { return Ok(()) };
    let parent = &address.spec.parent_ref;
    let (namespace, owner) = (parent.namespace.as_deref().unwrap_or_default(), &parent.name);
    let why = Why::new("ipallocator_repair.delete")
        .read("address", ObjectRef::of(&*address), "spec.parentRef", &**name)
        .with("service", owner);
    if !is_service(parent) {
        let message = format!(
            "IPAddress {name} appears to have been modified, not referencing a Service &ParentReference{{Group:{},Resource:{},Namespace:{namespace},Name:{owner},}}: cleaning up",
            parent.group.as_deref().unwrap_or_default(),
            parent.resource
        );
        warn(cx, &*address, "IPAddressNotAllocated", ACTION, message);
        return delete(cx, name, why).await;
    }
    let created = |meta: &ObjectMeta| meta.creation_timestamp.as_ref().map_or(cx.now(), |t| t.0);
    let age = cx.now().duration_since(created(&address.metadata));
    let Some(service) = cx.lister::<Service>().get(&parent_key(parent)) else {
        let left = GRACE_PERIOD - age;
        if left.is_positive() {
            cx.enqueue_after(Task::Address(name.clone()), left);
            return Ok(());
        }
        let message =
            format!("IPAddress: {name} for Service {namespace}/{owner} appears to have leaked: cleaning up");
        warn(cx, &*address, "IPAddressNotAllocated", ACTION, message);
        return delete(cx, name, why).await;
    };
    if cluster_ips(service).iter().any(|ip| **ip == **name) {
        return Ok(());
    }
    // A Service that is to get its first addresses has them after its IPAddresses.
    let waits = service.spec.as_ref().and_then(|s| s.type_.as_deref()) == Some("ExternalName");
    if waits && age < GRACE_PERIOD {
        cx.enqueue_after(Task::Address(name.clone()), GRACE_PERIOD - age);
        return Ok(());
    }
    if created(&address.metadata) > created(&service.metadata) && age < REVERT_PERIOD {
        cx.enqueue_after(Task::Address(name.clone()), REVERT_PERIOD);
        return Ok(());
    }
    let message =
        format!("IPAddress: {name} for Service {namespace}/{owner} has a wrong reference; cleaning up");
    warn(cx, &*address, "IPAddressWrongReference", ACTION, message);
    delete(cx, name, why).await
}
