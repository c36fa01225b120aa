//! Pod.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/pod/strategy.go`,
//! `pkg/registry/core/pod/storage/{storage,eviction}.go` and `pkg/printers/internalversion/printers.go`.

pub(in crate::apiserver) mod deletion;
pub(super) mod disabled;
pub(in crate::apiserver) mod row;
pub(in crate::apiserver) mod status;
pub(in crate::apiserver) mod strategy;
pub(in crate::apiserver) mod subresources;
mod update;
pub(in crate::apiserver) mod validation;

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, keep};
use crate::api::types::{Pod, PodSpec};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::defaults::pod_spec;
use crate::apiserver::validation::Errors;
use crate::apiserver::warnings;

impl Strategy for Pod {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Ready", "The aggregate readiness state of this pod for accepting traffic."),
        Column::text("Status", "The aggregate status of the containers in this pod."),
        Column::text("Restarts", "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted."),
        AGE,
        Column::text("IP", "podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.").wide(),
        Column::text("Node", "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename").wide(),
        Column::text("Nominated Node", "nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.").wide(),
        Column::text("Readiness Gates", "If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to \"True\" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::These(&[
        "metadata.name",
        "metadata.namespace",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.podIPs",
        "status.nominatedNodeName",
        "spec.host",
    ]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage {
        reset: &[(
            "status",
            &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]],
        )],
        ..Storage::RETURNS_DELETED_OBJECT
    };

    nothing_for!(convert, warnings_on_update);

    fn default(this: &mut Rc<Self>) {
        // A pod template does not get the defaults after those of the spec: templates that were stored before these came
        // into being stay as they were.
        let pod = Rc::make_mut(this);
        let spec: &mut PodSpec = pod.spec.get_or_insert_default();
        pod_spec::pod_spec(spec);
        let containers = spec.containers.iter_mut().chain(spec.init_containers.iter_mut().flatten());
        for container in containers {
            pod_spec::requests_from_limits(container.resources.get_or_insert_default());
        }
        pod_spec::pod_level_huge_pages(spec);
        pod_spec::pod_level_requests(spec);
        spec.enable_service_links.get_or_insert(true);
        if spec.host_network == Some(true) {
            let containers = spec.containers.iter_mut().chain(spec.init_containers.iter_mut().flatten());
            for port in containers.flat_map(|c| c.ports.iter_mut().flatten()) {
                if port.host_port.unwrap_or_default() == 0 && port.container_port != 0 {
                    port.host_port = Some(port.container_port);
                }
            }
        }
        pod.status.get_or_insert_default();
    }

    fn prepare_for_create(this: &mut Rc<Self>, creation: &mut Creation<'_>) {
        strategy::prepare_for_create(Rc::make_mut(this), creation.now, creation.warnings);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        if let Some(spec) = this.spec.as_mut().filter(|s| disabled::uses_disabled(s)) {
            disabled::drop_disabled(spec, old.spec.as_deref());
        }
        if this.spec != old.spec {
            count_change(&mut this.metadata, &old.metadata, true);
        }
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        // What is not written stays shared.
        if this.metadata.owner_references != old.metadata.owner_references {
            this.metadata.owner_references.clone_from(&old.metadata.owner_references);
        }
        if let Some(s) = this.status.as_mut() {
            status::drop_disabled(s, old.status.as_deref());
        }
        let Some(before) = &old.status else { return };
        if let Some(s) = this.status.as_mut() {
            if s.qos_class.is_none() {
                s.qos_class.clone_from(&before.qos_class);
            }
            status::preserve_observed_generation(s, before);
        }
    }

    fn validate(&self, errs: &mut Errors) {
        validation::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        update::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        status::update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warnings::label_name(out, self.metadata.name(), "the Pod's hostname");
        warnings::pod_spec::spec(out, &self.whole_spec(), &self.metadata, None);
    }

    fn field(&self, path: &str) -> Option<String> {
        let (spec, status) = (self.spec.as_ref(), self.status.as_ref());
        match path {
            "spec.nodeName" | "spec.host" => spec?.node_name.clone(),
            "spec.restartPolicy" => spec?.restart_policy.clone(),
            "spec.schedulerName" => spec?.scheduler_name.clone(),
            "spec.serviceAccountName" => spec?.service_account_name.clone(),
            "spec.hostNetwork" => Some(spec.and_then(|s| s.host_network).unwrap_or_default().to_string()),
            "status.phase" => status?.phase.clone(),
            "status.podIP" => status?.pod_ip.clone(),
            "status.nominatedNodeName" => status?.nominated_node_name.clone(),
            _ => None,
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        row::row(self, now)
    }
}
