//! What can go wrong with a pod, as a person may cause it.

use std::rc::Rc;

use crate::api::types::{Container, Pod, PodSpec};
use crate::api::{Kind, MetaExt, ObjectRef};
use crate::cluster::{Cluster, Fault, Process};
use crate::etcd::Role;
use crate::kubelet::{self, ProbeType};
use crate::session::{Op, Session};

/// Something that can go wrong with a pod, or right again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodFault {
    /// The key of its name in the catalogue.
    pub key: &'static str,
    /// What it is about: a container, or an image.
    pub what: Rc<str>,
    /// Of a probe, which.
    pub probe: Option<ProbeType>,
    /// What is done.
    pub fault: Fault,
}

/// The faults that make sense for a pod now: a probe that it has fails or passes again, an image
/// vanishes from the registry or comes back. Whether something fails already is read from the run.
pub fn pod_faults(session: &Session, object: &ObjectRef) -> Vec<PodFault> {
    let Some((pod, spec, node)) = placed(session, object) else { return Vec::new() };
    let done = session.ops(session.at());
    let broken = |alike: &dyn Fn(&kubelet::Fault) -> Option<bool>| {
        let mut faults = done.iter().rev().filter_map(|op| match op {
            Op::Fault(Fault::Kubelet { fault, .. }) => alike(fault),
            _ => None,
        });
        faults.next().unwrap_or(false)
    };
    let mut out: Vec<PodFault> = Vec::new();
    for c in containers(spec) {
        let name: Rc<str> = c.name.as_str().into();
        for probe in ProbeType::ALL.into_iter().filter(|p| has_probe(c, *p)) {
            let fails = broken(&|f| match f {
                kubelet::Fault::FailProbe { pod: p, container, probe: which, failing } => {
                    (*p == pod.metadata.key() && *container == name && *which == probe).then_some(*failing)
                }
                _ => None,
            });
            let (pod, container) = (pod.metadata.key(), name.clone());
            let fault = kubelet::Fault::FailProbe { pod, container, probe, failing: !fails };
            let fault = Fault::Kubelet { node: Some(node.to_owned()), fault };
            let key = if fails { "act-probe-passes" } else { "act-probe-fails" };
            out.push(PodFault { key, what: name.clone(), probe: Some(probe), fault });
        }
    }
    for c in containers(spec) {
        let image: Rc<str> = c.image.as_deref().unwrap_or_default().into();
        if out.iter().any(|f| f.probe.is_none() && f.what == image) {
            continue;
        }
        let gone = broken(&|f| match f {
            kubelet::Fault::Image { image: i, pullable, .. } => (*i == image).then_some(!*pullable),
            _ => None,
        });
        let fault = kubelet::Fault::Image { image: image.clone(), pullable: gone, message: "".into() };
        let key = if gone { "act-image-back" } else { "act-image-gone" };
        out.push(PodFault { key, what: image, probe: None, fault: Fault::Kubelet { node: None, fault } });
    }
    out
}

/// Something that can go wrong with the control plane, or right again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaneFault {
    /// The key of its name in the catalogue.
    pub key: &'static str,
    /// What it is about; empty where the name says it.
    pub what: Rc<str>,
    /// What is done.
    pub fault: Fault,
}

/// The faults of the control plane that make sense now.
pub fn plane_faults(cluster: &Cluster) -> Vec<PlaneFault> {
    let mut out = Vec::new();
    let mut say = |key, what: &Rc<str>, fault| out.push(PlaneFault { key, what: what.clone(), fault });
    for p in cluster.processes().filter(|p| p.node.is_none()) {
        let process = p.name.to_string();
        if !p.running {
            say("fault-start", &p.name, Fault::Start { process });
            continue;
        }
        say("fault-restart", &p.name, Fault::Restart { process: process.clone(), node: None });
        say("fault-stop", &p.name, Fault::Stop { process: process.clone() });
        say("fault-watches", &p.name, Fault::CutWatches { process, node: None });
    }
    for p in cluster.processes().filter(|p| p.node.is_none()) {
        out.extend(switches(p));
    }
    let mut say = |key, what: &Rc<str>, fault| out.push(PlaneFault { key, what: what.clone(), fault });
    for name in cluster.replicable() {
        say("fault-replicate", &name.into(), Fault::Replicate { process: name.into() });
    }
    let members = cluster.api().etcd().members();
    for m in &members {
        let (key, fault) = match m.role {
            Role::Lost => ("fault-member-up", Fault::MemberUp { member: m.name.clone() }),
            _ => ("fault-member-down", Fault::MemberDown { member: m.name.clone() }),
        };
        say(key, &m.name.as_str().into(), fault);
    }
    say("fault-compact", &"".into(), Fault::Compact);
    out
}

/// The components of a process that can be switched off, and on again, each by another value of
/// `--controllers`. A process of one component is stopped instead.
fn switches(process: &Process) -> Vec<PlaneFault> {
    let all: Vec<(Rc<str>, bool)> = process.switches().collect();
    let one = |(name, on): &(Rc<str>, bool)| {
        let off = all.iter().filter(|(n, is_on)| if n == name { *on } else { !is_on });
        let controllers = off.fold("*".to_owned(), |list, (n, _)| format!("{list},-{n}"));
        let key = if *on { "fault-controller-off" } else { "fault-controller-on" };
        let process = process.name.to_string();
        PlaneFault { key, what: name.clone(), fault: Fault::Controllers { process, controllers } }
    };
    if all.len() > 1 { all.iter().map(one).collect() } else { Vec::new() }
}

/// The containers of a pod that run now, and so can crash.
pub fn running_containers(session: &Session, object: &ObjectRef) -> Vec<Rc<str>> {
    let Some((pod, spec, _)) = placed(session, object) else { return Vec::new() };
    containers(spec).filter(|c| runs(pod, c)).map(|c| c.name.as_str().into()).collect()
}

/// A container's end, with the exit code that it shall have.
pub fn crash(session: &Session, object: &ObjectRef, container: &str, exit_code: i32) -> Option<Fault> {
    let (pod, _, node) = placed(session, object)?;
    let (pod, container) = (pod.metadata.key(), container.into());
    let fault = kubelet::Fault::CrashContainer { pod, container, exit_code };
    Some(Fault::Kubelet { node: Some(node.to_owned()), fault })
}

/// A pod that is on a node.
fn placed<'a>(session: &'a Session, object: &ObjectRef) -> Option<(&'a Pod, &'a PodSpec, &'a str)> {
    let stored = session.cluster().api().cached(object).filter(|_| object.kind == Kind::POD)?;
    let pod = stored.get::<Pod>()?;
    let spec = pod.spec.as_ref()?;
    Some((pod, spec, spec.node_name.as_deref().filter(|n| !n.is_empty())?))
}

fn containers(spec: &PodSpec) -> impl Iterator<Item = &Container> {
    spec.containers.iter().chain(spec.init_containers.iter().flatten())
}

fn has_probe(c: &Container, probe: ProbeType) -> bool {
    match probe {
        ProbeType::Startup => c.startup_probe.is_some(),
        ProbeType::Liveness => c.liveness_probe.is_some(),
        ProbeType::Readiness => c.readiness_probe.is_some(),
    }
}

fn runs(pod: &Pod, container: &Container) -> bool {
    let status = pod.status.as_ref();
    let regular = status.and_then(|s| s.container_statuses.as_ref());
    let init = status.and_then(|s| s.init_container_statuses.as_ref());
    regular
        .into_iter()
        .chain(init)
        .flatten()
        .find(|s| s.name == container.name)
        .and_then(|s| s.state.as_ref())
        .is_some_and(|s| s.running.is_some())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Depth, scenario};

    fn first_pod(session: &Session) -> ObjectRef {
        session.cluster().api().etcd().range(Kind::POD, None).next().unwrap().0.clone()
    }

    #[test]
    fn a_running_pod_can_crash_and_comes_back() {
        let mut session = scenario::find("01-first-deployment").unwrap().open();
        while session.step(Depth::Command, None) {}
        let pod = first_pod(&session);
        assert_eq!(running_containers(&session, &pod), ["nginx".into()]);
        session.fault(&crash(&session, &pod, "nginx", 137).unwrap()).unwrap();
        while session.step(Depth::Command, None) {}
        let object = session.cluster().api().etcd().get(&pod).unwrap().object.clone();
        let status = object.get::<Pod>().unwrap().status.clone().unwrap().container_statuses.clone().unwrap();
        assert_eq!(status[0].restart_count, 1);
        let last = status[0].last_state.as_ref().unwrap().terminated.as_ref().unwrap();
        assert_eq!(last.exit_code, 137);
    }

    #[test]
    fn what_fails_already_can_be_mended_and_nothing_else() {
        let mut session = scenario::find("01-first-deployment").unwrap().open();
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    image: x:1\n    readinessProbe: {httpGet: {port: 80}}\n    livenessProbe: {httpGet: {port: 80}}\n";
        assert_eq!(session.apply(text).exit, 0);
        while session.step(Depth::Command, None) {}
        let pod = ObjectRef::new(Kind::POD, "default", "p");
        let keys = |s: &Session| pod_faults(s, &pod).iter().map(|f| f.key).collect::<Vec<_>>();
        assert_eq!(keys(&session), ["act-probe-fails", "act-probe-fails", "act-image-gone"]);
        let readiness = pod_faults(&session, &pod).remove(1);
        assert_eq!(readiness.probe, Some(ProbeType::Readiness));
        session.fault(&readiness.fault).unwrap();
        let image = pod_faults(&session, &pod).pop().unwrap();
        session.fault(&image.fault).unwrap();
        assert_eq!(keys(&session), ["act-probe-fails", "act-probe-passes", "act-image-back"]);
        session.back();
        assert_eq!(keys(&session), ["act-probe-fails", "act-probe-passes", "act-image-gone"]);
    }
}
