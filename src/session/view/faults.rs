//! The faults that a person can inject into a pod or into the control plane.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::api::types::{Container, PersistentVolume, PersistentVolumeClaim, Pod, PodSpec};
use crate::api::volume::{claim_of, volume_name};
use crate::api::{Kind, MetaExt, ObjectRef, csi};
use crate::cluster::{Cluster, Fault, GATEWAY_FABRIC, INGRESS_NGINX, METRICS_SERVER, Process};
use crate::controllers::DISABLED_BY_DEFAULT;
use crate::etcd::Role;
use crate::kubelet::{self, ProbeType, STATIC_POD_PATH};
use crate::session::view::Word;
use crate::session::{Op, Session};

/// A fault of a pod, or its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodFault {
    /// The key of the fault's name in the catalogue.
    pub key: Word,
    /// The container or the image that the fault is about.
    pub what: Rc<str>,
    /// The type of the probe, for a fault of a probe.
    pub probe: Option<ProbeType>,
    /// The fault to inject.
    pub fault: Fault,
}

/// The faults that are possible for a pod now: each of its probes can fail or pass again, each image become
/// unavailable or available. The run says which of them are in effect.
pub fn pod_faults(session: &Session, object: &ObjectRef) -> Vec<PodFault> {
    let Some((pod, spec, node)) = placed(session, object) else { return Vec::new() };
    let done = session.ops(session.at());
    let broken = |alike: &dyn Fn(&kubelet::KubeletFault) -> Option<bool>| {
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
                kubelet::KubeletFault::FailProbe { pod: p, container, probe: which, failing } => {
                    (*p == pod.metadata.key() && *container == name && *which == probe).then_some(*failing)
                }
                _ => None,
            });
            let (pod, container) = (pod.metadata.key(), name.clone());
            let fault = kubelet::KubeletFault::FailProbe { pod, container, probe, failing: !fails };
            let fault = Fault::Kubelet { node: Some(node.to_owned()), fault };
            let key = if fails { "act-probe-passes" } else { "act-probe-fails" };
            let key = Word::new_static(key);
            out.push(PodFault { key, what: name.clone(), probe: Some(probe), fault });
        }
    }
    for c in containers(spec) {
        let image: Rc<str> = c.image.as_deref().unwrap_or_default().into();
        if out.iter().any(|f| f.probe.is_none() && f.what == image) {
            continue;
        }
        let gone = broken(&|f| match f {
            kubelet::KubeletFault::Image { image: i, pullable, .. } => (*i == image).then_some(!*pullable),
            _ => None,
        });
        let fault = kubelet::KubeletFault::Image { image: image.clone(), pullable: gone, message: "".into() };
        let key = if gone { "act-image-back" } else { "act-image-gone" };
        let (key, fault) = (Word::new_static(key), Fault::Kubelet { node: None, fault });
        out.push(PodFault { key, what: image, probe: None, fault });
    }
    for volume in csi_volumes(session.cluster(), pod) {
        let fails = broken(&|f| match f {
            kubelet::KubeletFault::Mount { volume: v, failing, .. } => (*v == volume).then_some(*failing),
            _ => None,
        });
        let key = Word::new_static(if fails { "act-mount-works" } else { "act-mount-fails" });
        let fault =
            kubelet::KubeletFault::Mount { volume: volume.clone(), failing: !fails, message: "".into() };
        out.push(PodFault { key, what: volume, probe: None, fault: Fault::Kubelet { node: None, fault } });
    }
    out
}

/// The names of the CSI volumes that the pod's claims are bound to.
pub(super) fn csi_volumes(cluster: &Cluster, pod: &Pod) -> Vec<Rc<str>> {
    let volumes = pod.spec.as_ref().and_then(|s| s.volumes.as_deref()).unwrap_or_default();
    let of = |v| {
        let (name, _) = claim_of(pod, v)?;
        let claim = ObjectRef::new(Kind::PERSISTENT_VOLUME_CLAIM, MetaExt::namespace(&pod.metadata), &name);
        let claim = cluster.api().cached(&claim)?.get::<PersistentVolumeClaim>()?.clone();
        let volume = ObjectRef::new(Kind::PERSISTENT_VOLUME, "", volume_name(&claim));
        let volume = cluster.api().cached(&volume)?;
        csi::source(volume.get::<PersistentVolume>()?)?;
        Some(volume.name().into())
    };
    volumes.iter().filter_map(of).collect()
}

/// A fault of the control plane, or its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaneFault {
    /// The key of the fault's name in the catalogue.
    pub key: Word,
    /// The process or member that the fault is about; empty if the name says it.
    pub what: Rc<str>,
    /// The fault to inject.
    pub fault: Fault,
}

/// The faults of the control plane that are possible now, and what can be done to the manifests of static pods, of which a
/// control plane can consist.
pub fn plane_faults(session: &Session) -> Vec<PlaneFault> {
    let cluster = session.cluster();
    let mut out = Vec::new();
    let mut say = |key, what: &Rc<str>, fault| {
        out.push(PlaneFault { key: Word::new_static(key), what: what.clone(), fault });
    };
    // The process of a controller in pods is that of its pods, and can be stopped as long as there are some.
    let idle = cluster.ingress_controller().is_none_or(|c| c.instances.is_empty());
    let without = cluster.gateway_controller().is_none_or(|c| c.controllers.is_empty());
    let removed = |p: &Process| match &*p.name {
        METRICS_SERVER => !cluster.has_metrics_server(),
        INGRESS_NGINX => idle,
        GATEWAY_FABRIC => without,
        _ => false,
    };
    for p in cluster.processes().filter(|p| p.node.is_none() && !removed(p)) {
        let process = p.name.to_string();
        if !p.running {
            say("fault-start", &p.name, Fault::Start { process, node: None });
            continue;
        }
        say("fault-restart", &p.name, Fault::Restart { process: process.clone(), node: None });
        say("fault-stop", &p.name, Fault::Stop { process: process.clone(), node: None });
        say("fault-watches", &p.name, Fault::CutWatches { process, node: None });
    }
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
    let installed = !cluster.has_metrics_server();
    let key = if installed { "fault-metrics-install" } else { "fault-metrics-remove" };
    say(key, &"".into(), Fault::MetricsServer { installed });
    let installed = !cluster.has_core_dns();
    let key = if installed { "fault-coredns-install" } else { "fault-coredns-remove" };
    say(key, &"".into(), Fault::CoreDns { installed });
    let installed = !cluster.has_ingress_nginx();
    let key = if installed { "fault-ingress-install" } else { "fault-ingress-remove" };
    say(key, &"".into(), Fault::IngressNginx { installed });
    let installed = !cluster.has_gateway_fabric();
    let key = if installed { "fault-gateway-install" } else { "fault-gateway-remove" };
    say(key, &"".into(), Fault::GatewayFabric { installed });
    for fault in cluster.kube_proxy_faults() {
        let mode = match &fault {
            Fault::KubeProxy { mode } => mode.map(|m| m.name()),
            _ => None,
        };
        let key = mode.map_or("fault-kube-proxy-remove", |_| "fault-kube-proxy-install");
        say(key, &mode.unwrap_or_default().into(), fault);
    }
    for fault in cluster.network_plugin_faults() {
        let Fault::NetworkPlugin { plugin } = &fault else { continue };
        say("fault-network-plugin", &plugin.name().into(), fault);
    }
    out.extend(manifest_faults(session));
    out
}

/// Each manifest on a node can be taken away, and each that this run has taken away can be put back.
fn manifest_faults(session: &Session) -> Vec<PlaneFault> {
    let of = |key: &'static str, node: &str, file: &str, text: Option<String>| PlaneFault {
        key: Word::new_static(key),
        what: format!("{node}:{STATIC_POD_PATH}/{file}").into(),
        fault: Fault::Manifest { node: node.to_owned(), file: file.to_owned(), text },
    };
    let there: BTreeSet<(&str, &str)> =
        session.cluster().manifests().map(|(node, file, _)| (node, file)).collect();
    let mut out: Vec<PlaneFault> =
        there.iter().map(|(node, file)| of("fault-manifest-remove", node, file, None)).collect();
    let ops = session.ops(session.at());
    let mut known: BTreeMap<(&str, &str), &String> = BTreeMap::new();
    for op in &ops {
        if let Op::Fault(Fault::Manifest { node, file, text: Some(text) }) = op {
            known.insert((node, file), text);
        }
    }
    known.retain(|at, _| !there.contains(at));
    out.extend(
        known
            .into_iter()
            .map(|((node, file), text)| of("fault-manifest-put", node, file, Some(text.clone()))),
    );
    out
}

/// What switches a component of a process off, or on again: the other value of `--controllers`. `None` for a component
/// that `--controllers` does not name, and for the only component of a process, which is stopped instead.
pub(super) fn switch(process: &Process, component: &str) -> Option<Fault> {
    let all: Vec<(Rc<str>, bool)> = process.switches().collect();
    let known = all.len() > 1 && all.iter().any(|(name, _)| **name == *component);
    // What `*` does not mean is named if it is to run, and anything else if it is not.
    let entry = |(name, on): &(Rc<str>, bool)| {
        let (stays, named) = (*on != (**name == *component), DISABLED_BY_DEFAULT.contains(&&**name));
        (stays == named).then(|| if stays { format!(",{name}") } else { format!(",-{name}") })
    };
    let controllers = format!("*{}", all.iter().filter_map(entry).collect::<String>());
    known.then(|| Fault::Controllers { process: process.name.to_string(), controllers })
}

/// The running containers of a pod, which can crash.
pub fn running_containers(session: &Session, object: &ObjectRef) -> Vec<Rc<str>> {
    let Some((pod, spec, _)) = placed(session, object) else { return Vec::new() };
    containers(spec).filter(|c| runs(pod, c)).map(|c| c.name.as_str().into()).collect()
}

/// The fault that ends a container with an exit code; `None` if the pod has no node.
pub fn crash(session: &Session, object: &ObjectRef, container: &str, exit_code: i32) -> Option<Fault> {
    let (pod, _, node) = placed(session, object)?;
    let (pod, container) = (pod.metadata.key(), container.into());
    let fault = kubelet::KubeletFault::CrashContainer { pod, container, exit_code };
    Some(Fault::Kubelet { node: Some(node.to_owned()), fault })
}

/// A pod with its spec and its node; `None` if it has no node.
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
        let keys = |s: &Session| pod_faults(s, &pod).iter().map(|f| f.key.to_string()).collect::<Vec<_>>();
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

    #[test]
    fn kube_proxies_are_installed_in_any_mode_and_taken_away() {
        let mut session = scenario::find("01-first-deployment").unwrap().open();
        let offered = |s: &Session| {
            let all = plane_faults(s).into_iter();
            all.filter(|f| matches!(f.fault, Fault::KubeProxy { .. })).collect::<Vec<_>>()
        };
        let names = |s: &Session| {
            offered(s).iter().map(|f| format!("{} {}", f.key, f.what)).collect::<Vec<_>>().join(", ")
        };
        let install = "fault-kube-proxy-install";
        let at_first = format!("{install} iptables, {install} nftables, {install} ipvs");
        assert_eq!(names(&session), at_first);
        session.fault(&offered(&session).remove(1).fault).unwrap();
        assert_eq!(names(&session), format!("{install} iptables, {install} ipvs, fault-kube-proxy-remove "));
        session.fault(&offered(&session).pop().unwrap().fault).unwrap();
        assert_eq!(names(&session), at_first);
    }

    #[test]
    fn a_manifest_is_taken_away_and_put_back() {
        let mut session = scenario::find("38-static-pods").unwrap().open();
        let offered = |s: &Session| {
            let all = plane_faults(s).into_iter();
            all.filter(|f| matches!(f.fault, Fault::Manifest { .. })).collect::<Vec<_>>()
        };
        let names =
            |s: &Session| offered(s).iter().map(|f| format!("{} {}", f.key, f.what)).collect::<Vec<_>>();
        let file = "node-1:/etc/kubernetes/manifests/web.yaml";
        assert_eq!(names(&session), [format!("fault-manifest-remove {file}")]);
        session.fault(&offered(&session).remove(0).fault).unwrap();
        assert_eq!(names(&session), [format!("fault-manifest-put {file}")]);
        session.fault(&offered(&session).remove(0).fault).unwrap();
        assert_eq!(names(&session), [format!("fault-manifest-remove {file}")]);
    }

    #[test]
    fn a_switch_leads_to_the_other_state_and_leaves_other_components_as_they_are() {
        let mut session = scenario::find("01-first-deployment").unwrap().open();
        let of = |s: &Session, component: &str| {
            let process = s.cluster().processes().find(|p| &*p.name == "kube-controller-manager").unwrap();
            switch(process, component)
        };
        let lists = |s: &Session, component: &str| match of(s, component) {
            Some(Fault::Controllers { controllers, .. }) => controllers,
            other => panic!("{other:?}"),
        };
        const KUBEADM: &str = "bootstrap-signer-controller,token-cleaner-controller";
        let without = |name: &str| format!("*,-{name},{KUBEADM}");
        assert_eq!(lists(&session, "replicaset-controller"), without("replicaset-controller"));
        session.fault(&of(&session, "replicaset-controller").unwrap()).unwrap();
        assert_eq!(lists(&session, "replicaset-controller"), format!("*,{KUBEADM}"));
        let both = lists(&session, "deployment-controller");
        assert_eq!(both.split(',').count(), 5, "{both}");
        session.fault(&of(&session, "replicaset-controller").unwrap()).unwrap();
        assert_eq!(lists(&session, "deployment-controller"), without("deployment-controller"));
        // One that `*` does not mean is left out.
        assert_eq!(lists(&session, "token-cleaner-controller"), "*,bootstrap-signer-controller");
        session.fault(&of(&session, "token-cleaner-controller").unwrap()).unwrap();
        assert_eq!(lists(&session, "token-cleaner-controller"), format!("*,{KUBEADM}"));
        // What takes part in the election of a leader is none of them, and the scheduler is stopped instead.
        assert_eq!(of(&session, "no-such-controller"), None);
        let scheduler = session.cluster().processes().find(|p| &*p.name == "kube-scheduler").unwrap();
        assert_eq!(switch(scheduler, "kube-scheduler"), None);
    }
}
