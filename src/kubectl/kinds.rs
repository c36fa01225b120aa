//! What kubectl knows of kinds (`k8s.io/kubectl/pkg/{describe,polymorphichelpers}`): a row for each built-in kind, and one
//! for all kinds that a CustomResourceDefinition made.
//!
//! The match has no wildcard and the rows name every field, so a kind that is added to the table of `api::kinds` does not
//! compile until its row is here. What discovery says of a kind (its scope, its subresources) is not repeated: `scale`
//! and `autoscale` ask the server whether a resource has the subresource `scale`.

use super::describers::{self, Writer};
use super::invocation::{Invocation, Result};
use super::rollouts::{DAEMON_SETS, Deployments, Rollout, STATEFUL_SETS};
use super::selectors::{self, Selects};
use crate::api::{BuiltIn, Kind, Object};

/// Writes the description of an object; whether its events belong under it.
pub(super) type Describe = fn(&mut Invocation<'_>, &mut Writer, &Object) -> Result<bool>;

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
    pub(super) expose: Option<Selects>,
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
        return described(describers::unstructured);
    };
    match built_in {
        BuiltIn::Pod => Known {
            describe: describers::pod,
            set: POD,
            rollout: None,
            expose: Some(selectors::of_pod),
            pods: PodSelector::Nothing,
        },
        BuiltIn::Deployment => Known {
            describe: describers::deployment,
            set: TEMPLATE,
            rollout: Some(&Deployments),
            expose: Some(selectors::of_match_labels),
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::ReplicaSet => Known {
            describe: describers::replica_set,
            set: TEMPLATE,
            rollout: None,
            expose: Some(selectors::of_match_labels),
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::ReplicationController => Known {
            describe: describers::replication_controller,
            set: TEMPLATE,
            rollout: None,
            expose: Some(selectors::of_selector),
            pods: PodSelector::Labels,
        },
        BuiltIn::StatefulSet => Known {
            describe: describers::stateful_set,
            set: TEMPLATE,
            rollout: Some(&STATEFUL_SETS),
            expose: None,
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::DaemonSet => Known {
            describe: describers::daemon_set,
            set: TEMPLATE,
            rollout: Some(&DAEMON_SETS),
            expose: None,
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::Job => Known {
            describe: describers::job,
            set: TEMPLATE,
            rollout: None,
            expose: None,
            pods: PodSelector::LabelSelector,
        },
        BuiltIn::CronJob => Known {
            describe: describers::cron_job,
            set: JOB_TEMPLATE,
            rollout: None,
            expose: None,
            pods: PodSelector::Nothing,
        },
        BuiltIn::Service => Known {
            describe: describers::service,
            set: Selector,
            rollout: None,
            expose: Some(selectors::of_selector),
            pods: PodSelector::Labels,
        },
        BuiltIn::RoleBinding | BuiltIn::ClusterRoleBinding => Known {
            describe: describers::binding,
            set: Subjects,
            rollout: None,
            expose: None,
            pods: PodSelector::Nothing,
        },
        BuiltIn::Node => described(describers::node),
        BuiltIn::ConfigMap => described(describers::config_map),
        BuiltIn::Secret => described(describers::secret),
        BuiltIn::Namespace => described(describers::namespace),
        BuiltIn::HorizontalPodAutoscaler => described(describers::autoscaler),
        BuiltIn::LimitRange => described(describers::limit_range),
        BuiltIn::ResourceQuota => described(describers::quota),
        BuiltIn::Ingress => described(describers::ingress),
        BuiltIn::IngressClass => described(describers::ingress_class),
        BuiltIn::NetworkPolicy => described(describers::network_policy),
        BuiltIn::Role | BuiltIn::ClusterRole => described(describers::role),
        BuiltIn::PodDisruptionBudget => described(describers::disruption_budget),
        BuiltIn::PersistentVolumeClaim => described(describers::claim),
        BuiltIn::EndpointSlice => described(describers::endpoint_slice),
        BuiltIn::Endpoints => described(describers::endpoints),
        BuiltIn::PersistentVolume => described(describers::volume),
        BuiltIn::PriorityClass => described(describers::priority_class),
        BuiltIn::ServiceAccount => described(describers::service_account),
        BuiltIn::StorageClass => described(describers::storage_class),
        BuiltIn::VolumeAttributesClass => described(describers::volume_attributes_class),
        BuiltIn::CSINode => described(describers::csi_node),
        BuiltIn::ServiceCIDR => described(describers::service_cidr),
        BuiltIn::IPAddress => described(describers::ip_address),
        BuiltIn::CertificateSigningRequest => described(describers::certificate_signing_request),
        BuiltIn::CSIDriver
        | BuiltIn::CSIStorageCapacity
        | BuiltIn::ControllerRevision
        | BuiltIn::CustomResourceDefinition
        | BuiltIn::DeviceClass
        | BuiltIn::Event
        | BuiltIn::Lease
        | BuiltIn::MutatingAdmissionPolicy
        | BuiltIn::MutatingAdmissionPolicyBinding
        | BuiltIn::PodTemplate
        | BuiltIn::ResourceClaim
        | BuiltIn::ResourceClaimTemplate
        | BuiltIn::ResourceSlice
        | BuiltIn::RuntimeClass
        | BuiltIn::ValidatingAdmissionPolicy
        | BuiltIn::ValidatingAdmissionPolicyBinding
        | BuiltIn::VolumeAttachment => described(describers::unstructured),
    }
}
