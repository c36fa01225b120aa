//! What kubectl knows of kinds (`k8s.io/kubectl/pkg/{describe,polymorphichelpers}`): a row for each built-in kind, and one
//! for all kinds that a CustomResourceDefinition made.
//!
//! The match has no wildcard and the rows name every field, so a kind that is added to the table of `api::kinds` does not
//! compile until its row is here. What discovery says of a kind (its scope, its subresources) is not repeated: `scale`
//! and `autoscale` ask the server whether a resource has the subresource `scale`.

use super::context::{Context, Result};
use super::describe::{self, Writer};
use super::expose;
use super::rollout::{DAEMON_SETS, Deployments, Rollout, STATEFUL_SETS};
use crate::api::{BuiltIn, Kind, Object};

/// Writes the description of an object; whether its events belong under it.
pub(super) type Describe = fn(&mut Context<'_>, &mut Writer, &Object) -> Result<bool>;

/// What kubectl does with objects of a kind that it does not do with every object.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// `kubectl describe`
    pub(super) describe: Describe,
    /// `kubectl set`
    pub(super) set: Settable,
    /// `kubectl rollout`; `None` for a kind that has no rollouts.
    pub(super) rollout: Option<&'static dyn Rollout>,
    /// `kubectl expose`: the labels that a Service for the object selects, or why there are none; `None` for a kind that
    /// cannot be exposed.
    pub(super) expose: Option<expose::Selects>,
    /// How the spec selects pods: `kubectl logs TYPE/NAME` reads the log of one of them.
    pub(super) pods: PodSelector,
}

/// How the spec of a kind selects pods (`k8s.io/kubectl/pkg/polymorphichelpers.SelectorsForObject`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PodSelector {
    /// `spec.selector` is a LabelSelector.
    LabelSelector,
    /// `spec.selector` is a map of labels.
    Labels,
    /// The kind selects no pods, or kubectl does not know how.
    Nothing,
}

/// What `kubectl set` can change of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settable {
    /// A pod spec, at this JSON pointer: `set image`, `env`, `resources`, `serviceaccount`.
    PodSpec(&'static str),
    /// The selector of a Service: `set selector`.
    Selector,
    /// The subjects of a binding: `set subject`.
    Subjects,
    Nothing,
}

impl Settable {
    /// Where the pod spec is, if the kind has one.
    pub(super) fn pod_spec(self) -> Option<&'static str> {
        match self {
            Settable::PodSpec(path) => Some(path),
            Settable::Selector | Settable::Subjects | Settable::Nothing => None,
        }
    }
}

const POD: Settable = Settable::PodSpec("/spec");
const TEMPLATE: Settable = Settable::PodSpec("/spec/template/spec");
const JOB_TEMPLATE: Settable = Settable::PodSpec("/spec/jobTemplate/spec/template/spec");

/// A kind that kubectl only describes.
const fn described(describe: Describe) -> Known {
    Known { describe, set: Settable::Nothing, rollout: None, expose: None, pods: PodSelector::Nothing }
}

/// What kubectl knows of a kind.
pub(super) fn known(kind: Kind) -> Known {
    use Settable::{Selector, Subjects};
    let Some(built_in) = kind.built_in() else {
        // A kind that a CustomResourceDefinition made.
        return described(describe::unstructured);
    };
    match built_in {
        BuiltIn::Pod => Known {
            describe: describe::pod,
            set: POD,
            rollout: None,
            expose: Some(expose::of_pod),
            pods: PodSelector::Nothing,
        },
        BuiltIn::Deployment => Known {
            describe: describe::deployment,
            set: TEMPLATE,
            rollout: Some(&Deployments),
            expose: Some(expose::of_match_labels),
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::ReplicaSet => Known {
            describe: describe::replica_set,
            set: TEMPLATE,
            rollout: None,
            expose: Some(expose::of_match_labels),
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::ReplicationController => Known {
            describe: describe::replication_controller,
            set: TEMPLATE,
            rollout: None,
            expose: Some(expose::of_selector),
            pods: PodSelector::Labels,
        },
        BuiltIn::StatefulSet => Known {
            describe: describe::stateful_set,
            set: TEMPLATE,
            rollout: Some(&STATEFUL_SETS),
            expose: None,
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::DaemonSet => Known {
            describe: describe::daemon_set,
            set: TEMPLATE,
            rollout: Some(&DAEMON_SETS),
            expose: None,
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::Job => Known {
            describe: describe::job,
            set: TEMPLATE,
            rollout: None,
            expose: None,
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::CronJob => Known {
            describe: describe::cron_job,
            set: JOB_TEMPLATE,
            rollout: None,
            expose: None,
            pods: PodSelector::Nothing,
        },
        BuiltIn::Service => Known {
            describe: describe::service,
            set: Selector,
            rollout: None,
            expose: Some(expose::of_selector),
            pods: PodSelector::Labels,
        },
        BuiltIn::RoleBinding | BuiltIn::ClusterRoleBinding => Known {
            describe: describe::binding,
            set: Subjects,
            rollout: None,
            expose: None,
            pods: PodSelector::Nothing,
        },
        BuiltIn::Node => described(describe::node),
        BuiltIn::ConfigMap => described(describe::config_map),
        BuiltIn::Secret => described(describe::secret),
        BuiltIn::Namespace => described(describe::namespace),
        BuiltIn::HorizontalPodAutoscaler => described(describe::autoscaler),
        BuiltIn::LimitRange => described(describe::limit_range),
        BuiltIn::ResourceQuota => described(describe::quota),
        BuiltIn::Ingress => described(describe::ingress),
        BuiltIn::IngressClass => described(describe::ingress_class),
        BuiltIn::NetworkPolicy => described(describe::network_policy),
        BuiltIn::Role | BuiltIn::ClusterRole => described(describe::role),
        BuiltIn::PodDisruptionBudget => described(describe::disruption_budget),
        BuiltIn::PersistentVolumeClaim => described(describe::claim),
        BuiltIn::EndpointSlice => described(describe::endpoint_slice),
        BuiltIn::Endpoints => described(describe::endpoints),
        BuiltIn::PersistentVolume => described(describe::volume),
        BuiltIn::PriorityClass => described(describe::priority_class),
        BuiltIn::ServiceAccount => described(describe::service_account),
        BuiltIn::StorageClass => described(describe::storage_class),
        BuiltIn::VolumeAttributesClass => described(describe::volume_attributes_class),
        BuiltIn::CSINode => described(describe::csi_node),
        BuiltIn::ServiceCIDR => described(describe::service_cidr),
        BuiltIn::IPAddress => described(describe::ip_address),
        BuiltIn::CertificateSigningRequest => described(describe::certificate_signing_request),
        BuiltIn::CSIDriver
        | BuiltIn::CSIStorageCapacity
        | BuiltIn::ControllerRevision
        | BuiltIn::CustomResourceDefinition
        | BuiltIn::Event
        | BuiltIn::Lease
        | BuiltIn::VolumeAttachment => described(describe::unstructured),
    }
}
