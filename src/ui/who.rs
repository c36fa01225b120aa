//! The colour of a component, which is the same everywhere. The key is always the component's name, as the engine gives it
//! for commands, requests, events, marks and the map.

/// The class of a name: `who-…` in static/app.css has its colour.
pub fn class(name: &str) -> &'static str {
    // The name of a kubelet can have its node behind it, that of an elector the number of its instance.
    let name = name.split_once(' ').map_or(name, |(name, _)| name);
    known(name).unwrap_or_else(|| shared(name))
}

/// The class of an object's keeper; an empty name is that of no component.
pub fn keeper(name: &str) -> &'static str {
    if name.is_empty() { "who-machinery" } else { class(name) }
}

/// The classes of a person, of the machinery, and of Kubernetes' components.
fn known(name: &str) -> Option<&'static str> {
    Some(match name {
        "you" => "who-you",
        "machinery" | "time" | "kube-apiserver" | "leaderelection" => "who-machinery",
        "kube-scheduler" => "who-scheduler",
        "kubelet" => "who-kubelet",
        "deployment-controller" => "who-deployment",
        "replicaset-controller" | "replicationcontroller-controller" => "who-replicaset",
        "garbage-collector-controller" | "pod-garbage-collector-controller" => "who-gc",
        // Workloads beside Deployments, and what acts on workloads.
        "statefulset-controller"
        | "daemonset-controller"
        | "horizontal-pod-autoscaler-controller"
        | "metrics-server" => "who-a",
        "job-controller"
        | "cronjob-controller"
        | "ttl-after-finished-controller"
        | "disruption-controller"
        | "taint-eviction-controller"
        | "node-lifecycle-controller"
        | "ttl-controller"
        | "resourceclaim-controller" => "who-b",
        // Network and storage.
        "endpoints-controller"
        | "service-cidr-controller"
        | "kubernetes-service-cidr-controller"
        | "ipallocator-repair-controller"
        | "node-ipam-controller"
        | "endpointslice-controller"
        | "endpointslice-mirroring-controller"
        | "persistentvolume-binder-controller"
        | "persistentvolume-attach-detach-controller"
        | "persistentvolume-expander-controller"
        | "persistentvolume-protection-controller"
        | "persistentvolumeclaim-protection-controller"
        | "volumeattributesclass-protection-controller"
        | "ephemeral-volume-controller"
        | "external-provisioner"
        | "external-attacher"
        | "external-resizer"
        | "nginx-gateway-fabric"
        | "nginx-ingress-controller"
        | "kube-proxy" => "who-c",
        // Namespaces, identities, limits, definitions.
        "namespace-controller"
        | "serviceaccount-controller"
        | "serviceaccount-token-controller"
        | "bootstrap-signer-controller"
        | "token-cleaner-controller"
        | "root-ca-certificate-publisher-controller"
        | "resourcequota-controller"
        | "crd-naming-condition-controller"
        | "crd-establishing-controller"
        | "crd-nonstructural-schema-condition-controller"
        | "crd-api-approval-condition-controller"
        | "crd-finalizer"
        | "certificatesigningrequest-signing-controller"
        | "certificatesigningrequest-approving-controller"
        | "certificatesigningrequest-cleaner-controller"
        | "validatingadmissionpolicy-status-controller"
        | "clusterrole-aggregation-controller" => "who-d",
        _ if name.starts_with("leaderelection-") => "who-machinery",
        _ => return None,
    })
}

/// Names that the page does not know, as those of a reader's own controllers, share four colours.
fn shared(name: &str) -> &'static str {
    match name.bytes().fold(0u32, |h, b| h.wrapping_mul(31).wrapping_add(u32::from(b))) % 4 {
        0 => "who-a",
        1 => "who-b",
        2 => "who-c",
        _ => "who-d",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use steady::engine::{Answer, Ask, Begin, Engine, Fault, Input, Output};

    use super::*;

    /// The names of all components: those that the page starts with, the metrics server, kube-proxies, and the electors of processes
    /// with a second instance.
    fn components() -> BTreeSet<String> {
        let mut engine = Engine::new(|| 0.0);
        engine.handle(Input::Begin(Begin::default()));
        engine.handle(Input::Break(Fault::MetricsServer { installed: true }));
        engine.handle(Input::Break(Fault::IngressNginx { installed: true }));
        engine.handle(Input::Break(Fault::GatewayFabric { installed: true }));
        engine.handle(Input::Break(Fault::KubeProxy { mode: Some(Default::default()) }));
        for process in ["kube-controller-manager", "kube-scheduler"] {
            engine.handle(Input::Break(Fault::Replicate { process: process.to_owned() }));
        }
        let mut names = BTreeSet::new();
        for output in engine.handle(Input::Ask(1, Ask::Machinery(Default::default(), None))) {
            let Output::Answer(_, answer) = output else { continue };
            let Answer::Machinery(view) = *answer else { continue };
            let rows = view.overview.components.iter().chain(&view.overview.kubelets);
            names.extend(rows.map(|r| r.name.to_string()));
        }
        names
    }

    #[test]
    fn every_component_has_a_colour_on_purpose() {
        let names = components();
        assert!(names.len() > 35, "{names:?}");
        for there in ["kubelet", "metrics-server", "external-attacher", "leaderelection", "crd-finalizer"] {
            assert!(names.contains(there), "{there} is not in {names:?}");
        }
        let without: Vec<_> = names.iter().filter(|n| known(n).is_none()).collect();
        assert!(without.is_empty(), "src/ui/who.rs does not know {without:?}");
    }

    /// Each name of the table is that of a component, or one that the engine gives where no component acts.
    #[test]
    fn every_name_with_a_colour_is_a_name() {
        let mut names = components();
        names.extend(["you", "machinery", "time", "kube-apiserver"].map(str::to_owned));
        let source = include_str!("who.rs");
        let table = source.split("fn known(").nth(1).and_then(|s| s.split("return None").next());
        let keys = table.unwrap_or_default().split('"').skip(1).step_by(2);
        let gone: Vec<_> = keys
            .filter(|k| !k.starts_with("who-") && *k != "leaderelection-" && !names.contains(*k))
            .collect();
        assert!(gone.is_empty(), "{gone:?} are the names of no component");
    }

    #[test]
    fn a_name_has_one_colour_wherever_it_stands() {
        assert_eq!(class("kubelet node-3"), class("kubelet"));
        assert_eq!(class("leaderelection-2"), class("leaderelection"));
        assert_eq!(class("a-reader's-own"), class("a-reader's-own"));
    }
}
