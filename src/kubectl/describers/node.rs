//! Nodes: what they have and what is asked of it.

use std::collections::BTreeMap;

use super::super::call::Call;
use super::super::invocation::{Invocation, Result, Stop};
use super::{Writer, annotations, conditions, instant, moment};
use crate::api::order;
use crate::api::quantity::{Amount, amount_of};
use crate::api::quote::go_quote;
use crate::api::resource::{self, Amounts};
use crate::api::types::{Lease, Node, NodeCondition, Pod, Quantity};
use crate::api::well_known::NODE_LEASE_NAMESPACE;
use crate::api::{Kind, Object, cells};
use crate::apimachinery::Verb;

pub(in super::super) fn node(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(node) = object.get::<Node>() else { return Ok(true) };
    let spec = node.spec.clone().unwrap_or_default();
    let status = node.status.clone().unwrap_or_default();
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Roles:\t{}", cells::node_roles(node)));
    w.map(0, "Labels", node.metadata.labels.as_ref());
    annotations(w, 0, node.metadata.annotations.as_ref());
    w.line(0, &format!("CreationTimestamp:\t{}", moment(node.metadata.creation_timestamp.as_ref())));
    let mut sorted = spec.taints.clone().unwrap_or_default();
    order::sort_by_key(&mut sorted, |t| format!("{},{}", t.effect, t.key));
    let mut taints: Vec<String> = sorted
        .iter()
        .map(|t| match t.value.as_deref().unwrap_or_default() {
            "" => format!("{}:{}", t.key, t.effect),
            v => format!("{}={v}:{}", t.key, t.effect),
        })
        .collect();
    if taints.is_empty() {
        taints.push("<none>".into());
    }
    for (i, t) in taints.iter().enumerate() {
        w.line(0, &format!("{}\t{t}", if i == 0 { "Taints:" } else { "" }));
    }
    w.line(0, &format!("Unschedulable:\t{}", spec.unschedulable.unwrap_or(false)));
    lease(cx, w, object.name())?;
    let row = |c: &NodeCondition| {
        [
            c.type_.clone(),
            c.status.clone(),
            instant(c.last_heartbeat_time.as_ref()),
            instant(c.last_transition_time.as_ref()),
            c.reason.clone().unwrap_or_default(),
            c.message.clone().unwrap_or_default(),
        ]
    };
    conditions(w, "LastHeartbeatTime", status.conditions.iter().flatten().map(row));
    w.line(0, "Addresses:");
    for a in status.addresses.iter().flatten() {
        w.line(1, &format!("{}:\t{}", a.type_, a.address));
    }
    amounts(w, "Capacity", status.capacity.as_ref());
    amounts(w, "Allocatable", status.allocatable.as_ref());
    let info = status.node_info.clone().unwrap_or_default();
    w.line(0, "System Info:");
    for (name, value) in [
        ("Machine ID", &info.machine_id),
        ("System UUID", &info.system_uuid),
        ("Boot ID", &info.boot_id),
        ("Kernel Version", &info.kernel_version),
        ("OS Image", &info.os_image),
        ("Operating System", &info.operating_system),
        ("Architecture", &info.architecture),
        ("Container Runtime Version", &info.container_runtime_version),
        ("Kubelet Version", &info.kubelet_version),
    ] {
        w.line(1, &format!("{name}:\t{value}"));
    }
    if let Some(cidr) = &spec.pod_cidr {
        w.line(0, &format!("PodCIDR:\t{cidr}"));
    }
    if let Some(cidrs) = spec.pod_cidrs.as_ref().filter(|c| !c.is_empty()) {
        w.line(0, &format!("PodCIDRs:\t{}", cidrs.join(",")));
    }
    if let Some(id) = spec.provider_id.as_deref().filter(|id| !id.is_empty()) {
        w.line(0, &format!("ProviderID:\t{id}"));
    }
    let mut call = Call::new(Verb::List, Kind::POD, "", "");
    call.field_selector =
        format!("spec.nodeName={},status.phase!=Succeeded,status.phase!=Failed", object.name());
    // What cannot be listed is left out.
    let pods = match cx.all(call) {
        Err(Stop::Error(_)) => Vec::new(),
        pods => pods?,
    };
    let allocatable = status.allocatable.or(status.capacity).unwrap_or_default();
    self::pods(cx, w, &pods, &allocatable);
    Ok(true)
}

fn lease(cx: &mut Invocation<'_>, w: &mut Writer, name: &str) -> Result {
    let lease = match cx.get(Kind::LEASE, NODE_LEASE_NAMESPACE, name) {
        Ok(object) => object,
        Err(Stop::Error(_)) => {
            w.line(
                0,
                &format!(
                    "Lease:\tFailed to get lease: leases.coordination.k8s.io {name} not found",
                    name = go_quote(name)
                ),
            );
            return Ok(());
        }
        Err(stop) => return Err(stop),
    };
    let spec = lease.get::<Lease>().and_then(|l| l.spec.clone()).unwrap_or_default();
    let time = |t: Option<&crate::api::types::MicroTime>| match t {
        Some(t) => moment(Some(&crate::api::types::Time(t.0))),
        None => "<unset>".to_owned(),
    };
    w.line(0, "Lease:");
    w.line(1, &format!("HolderIdentity:\t{}", spec.holder_identity.as_deref().unwrap_or("<unset>")));
    w.line(1, &format!("AcquireTime:\t{}", time(spec.acquire_time.as_ref())));
    w.line(1, &format!("RenewTime:\t{}", time(spec.renew_time.as_ref())));
    Ok(())
}

fn amounts(w: &mut Writer, title: &str, map: Option<&BTreeMap<String, Quantity>>) {
    let Some(map) = map.filter(|m| !m.is_empty()) else { return };
    w.line(0, &format!("{title}:"));
    for (k, q) in map {
        w.line(1, &format!("{k}:\t{}", q.0));
    }
}

/// An amount and its share of what the node has, in whole percent. As in Go, the share is a float, whose fraction is cut off:
/// 1160m of 4 CPUs are 28 percent. CPU is counted in thousandths. `of_nothing` is what is printed of a node that has none.
fn share(resource: &str, amount: Amount, of: Option<&Quantity>, of_nothing: i64) -> String {
    let count = |a: Amount| (if resource == "cpu" { a.milli_value() } else { a.value() }) as f64;
    let total = count(amount_of(of));
    let percent = if total == 0.0 { of_nothing } else { (count(amount) / total * 100.0) as i64 };
    format!("{} ({percent}%)", self::amount(amount))
}

fn pods(cx: &Invocation<'_>, w: &mut Writer, pods: &[Object], allocatable: &BTreeMap<String, Quantity>) {
    w.line(0, &format!("Non-terminated Pods:\t({} in total)", pods.len()));
    w.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
    w.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
    for o in pods {
        let Some(pod) = o.get::<Pod>() else { continue };
        let mut cells = vec![o.namespace().to_owned(), o.name().to_owned(), String::new()];
        for resource in ["cpu", "memory"] {
            for limits in [false, true] {
                // Go divides by zero here, and makes the smallest number of the result.
                let of = allocatable.get(resource);
                let all = resource::resources_in_use(pod, limits);
                let amount = all.get(resource).copied().unwrap_or(Amount::ZERO);
                cells.push(share(resource, amount, of, i64::MIN));
            }
        }
        cells.push(cx.age(o.meta().creation_timestamp.as_ref()));
        w.line(1, &cells.join("\t"));
    }
    w.line(0, "Allocated resources:");
    w.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
    w.line(1, "Resource\tRequests\tLimits");
    w.line(1, "--------\t--------\t------");
    // The sums are those of the specs, whatever is allocated.
    let sums = [false, true].map(|limits| {
        let specs = pods.iter().filter_map(|o| o.get::<Pod>()?.spec.as_deref());
        specs.fold(Amounts::new(), |mut sum, spec| {
            resource::add(&mut sum, &resource::pod_resources(spec, limits));
            sum
        })
    });
    let total =
        |resource: &str| sums.each_ref().map(|sum| sum.get(resource).copied().unwrap_or(Amount::ZERO));
    let huge = allocatable.keys().map(String::as_str).filter(|r| r.starts_with(HUGE_PAGES));
    for resource in STANDARD.into_iter().chain(huge) {
        let of = allocatable.get(resource);
        let [requests, limits] = total(resource);
        let share = |amount| share(resource, amount, of, 0);
        w.line(1, &format!("{resource}\t{}\t{}", share(requests), share(limits)));
    }
    let extended =
        |r: &&str| !STANDARD.contains(r) && !r.starts_with(HUGE_PAGES) && *r != "pods" && *r != "storage";
    for resource in allocatable.keys().map(String::as_str).filter(extended) {
        let [requests, limits] = total(resource);
        w.line(1, &format!("{resource}\t{}\t{}", amount(requests), amount(limits)));
    }
}

/// The resources that every node has.
const STANDARD: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
/// How the names of huge pages begin.
const HUGE_PAGES: &str = "hugepages-";

fn amount(of: Amount) -> String {
    if of.is_zero() { "0".to_owned() } else { of.canonical() }
}
