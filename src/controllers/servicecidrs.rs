//! The ServiceCIDR controller (`k8s.io/kubernetes/pkg/controller/servicecidrs`): a ServiceCIDR that is being deleted stays
//! until no Service has an address that only this ServiceCIDR has.

use std::net::IpAddr;
use std::rc::Rc;

use ipnet::IpNet;
use jiff::SignedDuration;

use crate::api::service_cidr::{containing, family, is_managed, ranges, ready_condition};
use crate::api::types::networking::{LABEL_IP_ADDRESS_FAMILY, SERVICE_CIDR_READY};
use crate::api::types::{Condition, IPAddress, ServiceCIDR, Time};
use crate::api::{Key, MetaExt, ObjectRef, seconds};
use crate::client::{Caches, Context, Handler, Reconciler, Result, Seen, Watches, Why};

/// The finalizer of a ServiceCIDR (`ServiceCIDRProtectionFinalizer`).
const FINALIZER: &str = "networking.k8s.io/service-cidr-finalizer";
/// How long a ServiceCIDR stays after its deletion began. By then every API server has stopped giving out its addresses.
const DELETION_GRACE_PERIOD: SignedDuration = SignedDuration::from_secs(10);

/// The ServiceCIDR controller.
#[derive(Clone, Copy, Debug)]
pub struct Controller;

impl Reconciler for Controller {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "service-cidr-controller".into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(handle_service_cidr).watches(handle_ip_address)
    }

    async fn sync(self, cx: Context, key: Key) -> Result {
        let Some(cidr) = cx.lister::<ServiceCIDR>().get(&key).cloned() else { return Ok(()) };
        let why =
            |rule| Why::new(rule).read("cidr", ObjectRef::of(&*cidr), "spec.cidrs", cidr.metadata.name());
        if let Some(since) = &cidr.metadata.deletion_timestamp {
            if let Some(address) = blocked_by(&cx, &cidr) {
                let message = "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR";
                let why = why("servicecidr.terminating").with("address", address);
                return update_condition_if_needed(&cx, &cidr, "False", "Terminating", message, why).await;
            }
            let left = DELETION_GRACE_PERIOD - cx.now().duration_since(since.0);
            if left.is_positive() {
                cx.enqueue_after(key, left);
                return Ok(());
            }
            let rule = why("servicecidr.remove_finalizer");
            return patch_finalizers(&cx, &cidr, rule, |all| all.retain(|f| f != FINALIZER)).await;
        }
        let add = |all: &mut Vec<String>| all.push(FINALIZER.to_owned());
        if !cidr.metadata.has_finalizer(FINALIZER) {
            patch_finalizers(&cx, &cidr, why("servicecidr.add_finalizer"), add).await?;
        }
        let message = "Kubernetes Service CIDR is ready";
        let written =
            update_condition_if_needed(&cx, &cidr, "True", "", message, why("servicecidr.ready")).await;
        if written.is_err() {
            let message = "The ServiceCIDR Status can not be set to Ready=True";
            cx.event(&*cidr, "Warning", "KubernetesServiceCIDRError", message);
        }
        written
    }

    fn max_retries(&self) -> Option<u32> {
        Some(15)
    }
}

/// The ServiceCIDRs that the informer has delivered.
fn known(caches: &Caches) -> impl Iterator<Item = &ServiceCIDR> {
    caches
        .of(<ServiceCIDR as crate::api::ApiKind>::KIND)
        .list(None)
        .filter_map(|o| o.get::<ServiceCIDR>())
        .map(|c| &**c)
}

/// A new ServiceCIDR may free those that overlap it, which wait to be deleted.
fn handle_service_cidr(cx: &mut Handler<'_>, seen: Seen<'_, ServiceCIDR>) {
    cx.enqueue(seen.key.clone());
    let (None, Some(new)) = (seen.old, seen.new) else { return };
    let overlaps = |other: &&ServiceCIDR| ranges(new).any(|a| ranges(other).any(|b| overlap(&a, &b)));
    let others: Vec<Key> = known(cx.caches).filter(overlaps).map(|c| c.metadata.key()).collect();
    others.into_iter().for_each(|key| cx.enqueue(key));
}

/// A new address may hold a ServiceCIDR, and one that is gone may free it.
fn handle_ip_address(cx: &mut Handler<'_>, seen: Seen<'_, IPAddress>) {
    if (seen.old.is_some() && seen.new.is_some()) || !is_managed(seen.object()) {
        return;
    }
    let Ok(address) = seen.key.name.parse::<IpAddr>() else { return };
    let holders: Vec<Key> = containing(known(cx.caches), address).map(|c| c.metadata.key()).collect();
    holders.into_iter().for_each(|key| cx.enqueue(key));
}

fn overlap(a: &IpNet, b: &IpNet) -> bool {
    a.contains(b) || b.contains(a)
}

/// An address of a Service that no other ServiceCIDR has; `None` if the ServiceCIDR can go (`canDeleteCIDR`).
fn blocked_by(cx: &Context, cidr: &ServiceCIDR) -> Option<String> {
    let is_only = |found: &[&ServiceCIDR]| match found {
        [] => true,
        [one] => one.metadata.name() == cidr.metadata.name(),
        _ => false,
    };
    let has_parent = ranges(cidr).all(|range| {
        let around = |other: &&ServiceCIDR| ranges(other).any(|r| r.contains(&range));
        !is_only(&known(cx.caches()).filter(around).collect::<Vec<_>>())
    });
    if has_parent {
        return None;
    }
    let families: Vec<&str> = ranges(cidr).map(|range| family(range.addr())).collect();
    let of_family = |ip: &&Rc<IPAddress>| {
        ip.metadata.label(LABEL_IP_ADDRESS_FAMILY).is_some_and(|f| families.contains(&f))
    };
    let holds = |ip: &&Rc<IPAddress>| {
        let Ok(address) = ip.metadata.name().parse::<IpAddr>() else { return false };
        let found: Vec<&ServiceCIDR> = containing(known(cx.caches()), address).collect();
        !found.is_empty() && is_only(&found)
    };
    let all = cx.lister::<IPAddress>();
    let mut managed = all.list(None).filter(|ip| is_managed(ip));
    managed.find(|ip| of_family(ip) && holds(ip)).map(|ip| ip.metadata.name().to_owned())
}

async fn patch_finalizers(
    cx: &Context,
    cidr: &Rc<ServiceCIDR>,
    why: Why,
    change: impl Fn(&mut Vec<String>),
) -> Result {
    let mut to = cidr.clone();
    change(Rc::make_mut(&mut to).metadata.finalizers.get_or_insert_default());
    match cx.patch(cidr.clone(), to).because(why).await {
        Err(e) if !e.is_not_found() => Err(e.into()),
        _ => Ok(()),
    }
}

/// Applies the condition `Ready`, unless the cache has it (`updateConditionIfNeeded`).
async fn update_condition_if_needed(
    cx: &Context,
    cidr: &Rc<ServiceCIDR>,
    status: &str,
    reason: &str,
    message: &str,
    why: Why,
) -> Result {
    let is = |c: &Condition| c.status == status && c.reason == reason && c.message == message;
    if ready_condition(cidr).is_some_and(is) {
        return Ok(());
    }
    let condition = Condition {
        type_: SERVICE_CIDR_READY.into(),
        status: status.into(),
        reason: reason.into(),
        message: message.into(),
        last_transition_time: Time(seconds(cx.now())),
        observed_generation: None,
    };
    let call = cx.apply_condition::<ServiceCIDR>(cidr.metadata.key(), &condition, "service-cidr-controller");
    call.because(why).await?;
    Ok(())
}
