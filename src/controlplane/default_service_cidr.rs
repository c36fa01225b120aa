//! The controller of the default ServiceCIDR (`k8s.io/kubernetes/pkg/controlplane/controller/defaultservicecidr`): the
//! ServiceCIDR `kubernetes` has the ranges that kube-apiserver was started with, and is created again if somebody deletes it.
//!
//! Kubernetes looks at it every ten seconds. Here it is looked at when it has changed, at the next of these moments.

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::ip_family::IpFamily;
use crate::api::service_cidr::{DEFAULT_SERVICE_CIDR, ready_condition};
use crate::api::types::networking::{SERVICE_CIDR_READY, ServiceCIDRSpec};
use crate::api::types::{Condition, ObjectMeta, ServiceCIDR, Time};
use crate::api::{Key, MetaExt, ObjectRef, Timestamp, seconds};
use crate::client::{Context, Memory, Reconciler, Result, Seen, Wait, Watches, Why};

const NAME: &str = "kubernetes-service-cidr-controller";
/// The interval at which Kubernetes looks at the ServiceCIDR, in seconds.
const INTERVAL: i64 = 10;

/// The controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct DefaultServiceCidr {
    /// What kube-apiserver was started with.
    pub(super) ip_family: IpFamily,
}

impl DefaultServiceCidr {
    /// The ranges of `--service-cluster-ip-range`.
    fn flag(self) -> Vec<String> {
        self.ip_family.service_ranges().map(|range| range.to_string()).collect()
    }
}

/// What the controller has reported, which it does once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    mismatched: bool,
    not_ready: bool,
}

impl Memory for State {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let lines =
            [(self.mismatched, "has reported other ranges"), (self.not_ready, "has reported Ready=False")];
        lines.into_iter().filter(|(is, _)| *is).map(|(_, line)| line.to_owned()).collect()
    }
}

type Cx = Context<State>;

fn key() -> Key {
    Key::new("", DEFAULT_SERVICE_CIDR)
}

impl Reconciler for DefaultServiceCidr {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        NAME.into()
    }

    fn user(&self) -> Rc<str> {
        super::USER.into()
    }

    fn watches(&self) -> Watches<State> {
        let flag = self.flag();
        Watches::new().watches(move |cx, seen: Seen<'_, ServiceCIDR>| {
            if *seen.key != key() {
                return;
            }
            if seen.new.is_some_and(|cidr| !has_work(cidr, cx.state, &flag)) {
                return cx.cancel(key());
            }
            let next = INTERVAL - cx.now.as_second().rem_euclid(INTERVAL);
            cx.enqueue_after(key(), SignedDuration::from_secs(next));
        })
    }

    fn initial_keys(&self, _: &Self::State) -> Vec<Key> {
        vec![key()]
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let flag = self.flag();
        let Some(cidr) = cx.lister::<ServiceCIDR>().get(&key).cloned() else {
            let spec = ServiceCIDRSpec { cidrs: Some(flag.clone()) };
            let metadata =
                ObjectMeta { name: Some(DEFAULT_SERVICE_CIDR.to_owned()), ..ObjectMeta::default() };
            let cidr = ServiceCIDR { metadata, spec: Some(spec), status: None };
            let why = Why::new("default_servicecidr.create").with("range", flag.join(","));
            return match cx.create(cidr.clone()).because(why).await {
                Ok(created) => sync_status(&cx, &created, &flag).await,
                Err(e) if e.is_already_exists() => Ok(()),
                Err(e) => {
                    let message = "The default ServiceCIDR can not be created";
                    cx.event(&cidr, "Warning", "KubernetesDefaultServiceCIDRError", message);
                    Err(e.into())
                }
            };
        };
        if is_of_one_family(&cidr, &flag) {
            upgrade(&cx, cidr, &flag).await;
            return Ok(());
        }
        sync_status(&cx, &cidr, &flag).await
    }
}

/// Whether the ServiceCIDR has the range of the first of two families only.
fn is_of_one_family(cidr: &ServiceCIDR, flag: &[String]) -> bool {
    let ranges = cidr.spec.as_ref().and_then(|s| s.cidrs.as_deref()).unwrap_or_default();
    flag.len() == 2 && ranges.len() == 1 && ranges.first() == flag.first()
}

/// Gives the ServiceCIDR the range of the second family.
async fn upgrade(cx: &Cx, cidr: Rc<ServiceCIDR>, flag: &[String]) {
    let mut to = cidr.clone();
    Rc::make_mut(&mut to).spec.get_or_insert_default().cidrs = Some(flag.to_vec());
    let why = Why::new("default_servicecidr.upgrade").read(
        "cidr",
        ObjectRef::of(&*cidr),
        "spec.cidrs",
        DEFAULT_SERVICE_CIDR,
    );
    let Err(e) = cx.update(to).because(why.with("range", flag.join(","))).await else { return };
    let message = format!(
        "The default ServiceCIDR can not be upgraded from {} to dual stack [{}] : {}",
        flag.first().map(String::as_str).unwrap_or_default(),
        flag.join(" "),
        e.message
    );
    cx.event(&*cidr, "Warning", "KubernetesDefaultServiceCIDRError", message);
    cx.enqueue_waiting(key(), SignedDuration::from_secs(INTERVAL), Wait::Resync);
}

fn has_same_ranges(cidr: &ServiceCIDR, flag: &[String]) -> bool {
    let ranges = cidr.spec.as_ref().and_then(|s| s.cidrs.as_deref()).unwrap_or_default();
    ranges == flag
}

/// Whether a look at the ServiceCIDR would lead to anything.
fn has_work(cidr: &ServiceCIDR, state: &State, flag: &[String]) -> bool {
    if is_of_one_family(cidr, flag) {
        return true;
    }
    if cidr.metadata.is_deleting() {
        return false;
    }
    match ready_condition(cidr).map(|c| c.status.as_str()) {
        _ if !has_same_ranges(cidr, flag) => !state.mismatched,
        Some("True") => false,
        Some("False") => !state.not_ready,
        _ => true,
    }
}

/// Says that the ServiceCIDR is ready, if nobody has said whether it is (`syncStatus`).
async fn sync_status(cx: &Cx, cidr: &Rc<ServiceCIDR>, flag: &[String]) -> Result {
    if !cx.state(|s| has_work(cidr, s, flag)) {
        return Ok(());
    }
    if !has_same_ranges(cidr, flag) {
        let ranges = cidr.spec.as_ref().and_then(|s| s.cidrs.as_deref()).unwrap_or_default();
        let message = format!(
            "The default ServiceCIDR [{}] does not match the controller flag configurations [{}]",
            ranges.join(" "),
            flag.join(" ")
        );
        cx.event(&**cidr, "Warning", "KubernetesDefaultServiceCIDRInconsistent", message);
        cx.update_state(|s| s.mismatched = true);
        return Ok(());
    }
    if let Some(c) = ready_condition(cidr).filter(|c| c.status == "False") {
        let message = format!("Configuration matches, but {}", c.message);
        cx.event(&**cidr, "Warning", &c.reason, message);
        cx.update_state(|s| s.not_ready = true);
        return Ok(());
    }
    let condition = Condition {
        type_: SERVICE_CIDR_READY.into(),
        status: "True".into(),
        reason: String::new(),
        message: "Kubernetes default Service CIDR is ready".into(),
        last_transition_time: Time(seconds(cx.now())),
        observed_generation: None,
    };
    let why = Why::new("default_servicecidr.ready").read(
        "cidr",
        ObjectRef::of(&**cidr),
        "spec.cidrs",
        DEFAULT_SERVICE_CIDR,
    );
    if cx.apply_condition::<ServiceCIDR>(key(), &condition, NAME).because(why).await.is_err() {
        let message = "The default ServiceCIDR Status can not be set to Ready=True";
        cx.event(&**cidr, "Warning", "KubernetesDefaultServiceCIDRError", message);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `sync` in `pkg/controlplane/controller/defaultservicecidr/default_servicecidr_controller.go`: a ServiceCIDR of the first of
    /// two families gets the second one, also if it is being deleted or other ranges were reported before.
    #[test]
    fn a_range_of_one_family_is_work_for_a_cluster_of_two() {
        let ranges = |all: &[&str]| -> Vec<String> { all.iter().map(|r| (*r).to_owned()).collect() };
        let reported = State { mismatched: true, not_ready: true };
        let work = |has: &[&str], flag: &[&str]| {
            let spec = ServiceCIDRSpec { cidrs: Some(ranges(has)) };
            let cidr = ServiceCIDR { spec: Some(spec), ..Default::default() };
            has_work(&cidr, &reported, &ranges(flag))
        };
        let both = ["10.96.0.0/16", "fd00::/112"];
        assert!(work(&both[..1], &both));
        assert!(!work(&both[1..], &both));
        assert!(!work(&both, &both[..1]));
    }
}
