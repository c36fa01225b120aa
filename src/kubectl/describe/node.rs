//! Nodes: what they have and what is asked of it.

use std::collections::BTreeMap;

use super::super::call::Call;
use super::super::context::{Context, Result, Stop};
use super::{Writer, annotations, moment};
use crate::api::order;
use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::types::{Lease, Node, Pod, Quantity};
use crate::api::{Kind, Object, cells};
use crate::apimachinery::Verb;

pub(in super::super) fn node(cx: &mut Context<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(node) = object.get::<Node>() else { return Ok(true) };
    let spec = node.spec.clone().unwrap_or_default();
    let status = node.status.clone().unwrap_or_default();
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Roles:\t{}", cells::node_roles(node)));
    w.map(0, "Labels", node.metadata.labels.as_ref());
    annotations(w, &node.metadata);
    w.line(0, &format!("CreationTimestamp:\t{}", moment(node.metadata.creation_timestamp.as_ref())));
    let mut taints: Vec<String> = spec
        .taints
        .iter()
        .flatten()
        .map(|t| match t.value.as_deref().unwrap_or_default() {
            "" => format!("{}:{}", t.key, t.effect),
            v => format!("{}={v}:{}", t.key, t.effect),
        })
        .collect();
    order::sort(&mut taints);
    if taints.is_empty() {
        taints.push("<none>".into());
    }
    for (i, t) in taints.iter().enumerate() {
        w.line(0, &format!("{}\t{t}", if i == 0 { "Taints:" } else { "" }));
    }
    w.line(0, &format!("Unschedulable:\t{}", spec.unschedulable.unwrap_or(false)));
    lease(cx, w, object.name())?;
    if let Some(conditions) = status.conditions.as_ref().filter(|c| !c.is_empty()) {
        w.line(0, "Conditions:");
        w.line(1, "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
        w.line(1, "----\t------\t-----------------\t------------------\t------\t-------");
        for c in conditions {
            w.line(
                1,
                &format!(
                    "{} \t{} \t{} \t{} \t{} \t{} ",
                    c.type_,
                    c.status,
                    moment(c.last_heartbeat_time.as_ref()),
                    moment(c.last_transition_time.as_ref()),
                    c.reason.as_deref().unwrap_or_default(),
                    c.message.as_deref().unwrap_or_default()
                ),
            );
        }
    }
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

fn lease(cx: &mut Context<'_>, w: &mut Writer, name: &str) -> Result {
    let lease = match cx.get(Kind::LEASE, "kube-node-lease", name) {
        Ok(object) => object,
        Err(Stop::Error(_)) => {
            w.line(0, &format!("Lease:\tFailed to get lease: leases.coordination.k8s.io {name:?} not found"));
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

/// What a pod asks for: `[cpu requests, cpu limits, memory requests, memory limits, storage …]`.
fn asked(pod: &Pod, resource: &str, limits: bool) -> Amount {
    let spec = pod.spec.as_ref();
    let of = |c: &crate::api::types::Container| {
        let r = c.resources.as_ref();
        let map = r.and_then(|r| if limits { r.limits.as_ref() } else { r.requests.as_ref() });
        amount_of(map.and_then(|m| m.get(resource)))
    };
    let containers = spec.map(|s| s.containers.as_slice()).unwrap_or_default();
    let sum = containers.iter().fold(Amount::ZERO, |a, c| a.add(of(c)));
    let inits = spec.and_then(|s| s.init_containers.as_deref()).unwrap_or_default();
    inits.iter().map(of).fold(sum, Amount::max)
}

fn share(amount: Amount, of: Option<&Quantity>) -> String {
    let (have, total) = (i128::from(amount.milli_value()), i128::from(amount_of(of).milli_value()));
    let percent = if total == 0 { 0 } else { have * 100 / total };
    let text = if amount.is_zero() { "0".to_owned() } else { amount.canonical() };
    format!("{text} ({percent}%)")
}

fn pods(cx: &Context<'_>, w: &mut Writer, pods: &[Object], allocatable: &BTreeMap<String, Quantity>) {
    w.line(0, &format!("Non-terminated Pods:\t({} in total)", pods.len()));
    w.line(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
    w.line(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
    let resources = ["cpu", "memory", "ephemeral-storage"];
    let zero = Amount::from_value(0, Format::DecimalSI);
    let mut totals = [[zero; 2]; 3];
    for o in pods {
        let Some(pod) = o.get::<Pod>() else { continue };
        let mut cells = vec![o.namespace().to_owned(), o.name().to_owned(), String::new()];
        for (resource, total) in resources.iter().zip(totals.iter_mut()) {
            for (limits, sum) in [false, true].into_iter().zip(total.iter_mut()) {
                let amount = asked(pod, resource, limits);
                *sum = sum.add(amount);
                if *resource != "ephemeral-storage" {
                    cells.push(share(amount, allocatable.get(*resource)));
                }
            }
        }
        cells.push(cx.age(o.meta().creation_timestamp.as_ref()));
        w.line(1, &cells.join("\t"));
    }
    w.line(0, "Allocated resources:");
    w.line(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
    w.line(1, "Resource\tRequests\tLimits");
    w.line(1, "--------\t--------\t------");
    for (resource, [requests, limits]) in resources.iter().zip(totals) {
        let of = allocatable.get(*resource);
        w.line(1, &format!("{resource}\t{}\t{}", share(requests, of), share(limits, of)));
    }
}
