//! Objects of the API: kinds, metadata, labels and selectors, quantities, time.
//!
//! The types of the built-in kinds are those of `k8s-openapi`, shared as [`Rc`](std::rc::Rc)s in [`Object`].
//! Nothing here depends on a store, a request or a controller.
//!
//! ```
//! use steady::api::{Kind, Object};
//! let pod = Object::from_value(Kind::POD, serde_json::json!({
//!     "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}
//! })).unwrap();
//! assert_eq!(pod.name(), "p");
//! assert_eq!(pod.kind().plural(), "pods");
//! ```

pub mod bootstrap_policy;
pub mod bootstrap_token;
pub mod cells;
pub mod certificate;
pub mod certificate_signing_request;
pub mod cron;
pub mod csi;
mod custom;
pub mod definition;
pub mod digest;
pub mod disruption_budget;
pub mod duration;
mod event;
pub mod field_set;
pub mod fields;
pub mod go_types;
pub mod intstr;
pub mod ip_family;
pub mod jsonpath;
pub mod keys;
mod kind;
mod kind_as_text;
mod kinds;
pub mod labels;
mod managers;
mod meta;
mod metadata;
pub mod metrics;
pub mod names;
pub mod node_selector;
mod object;
pub mod order;
pub mod patch;
pub mod persistent;
pub mod pkcs10;
pub mod pod;
pub mod pod_references;
pub mod pod_template_hash;
pub mod quantity;
pub mod queue;
pub mod quote;
pub mod regexp;
pub mod release;
pub mod resource;
pub mod resource_claim;
pub mod rfc3339;
pub mod root_ca;
pub mod scale;
pub mod service_account_token;
pub mod service_cidr;
mod shared;
mod structs;
pub mod toleration;
pub mod versions;
pub mod volume;
pub mod well_known;
pub mod yaml;

pub use custom::CustomObject;
pub(crate) use kind::{BuiltIn, OtherVersion};
pub use kind::{CustomNames, Kind, Scope};
pub use managers::Manager;
pub use meta::{Key, MetaExt, Name, ObjectRef, owner_reference};
pub use metadata::Metadata;
pub use object::{ApiKind, Decoded, Object};
pub use shared::Shared;
pub use structs::{DecodeError, to_value};

/// The types of the built-in kinds, and of their parts.
pub mod types {
    // Not the types of k8s-openapi, which are larger, and one of which would be copied as a whole for every version of a pod.
    pub use super::event::Event;
    pub use super::pod::Pod;
    pub use k8s_openapi::api::admissionregistration::v1::{
        MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, ValidatingAdmissionPolicy,
        ValidatingAdmissionPolicyBinding,
    };
    pub use k8s_openapi::api::apps::v1::*;
    pub use k8s_openapi::api::autoscaling::v2::{HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec};
    pub use k8s_openapi::api::batch::v1::*;
    pub use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
    pub use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
    /// What a container says of a claim of its pod.
    pub use k8s_openapi::api::core::v1::ResourceClaim as ContainerResourceClaim;
    pub use k8s_openapi::api::core::v1::*;
    pub use k8s_openapi::api::discovery::v1::EndpointSlice;
    pub use k8s_openapi::api::networking::v1::{
        IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR,
    };
    pub use k8s_openapi::api::node::v1::RuntimeClass;
    pub use k8s_openapi::api::policy::v1::{
        PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus,
    };
    pub use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
    pub use k8s_openapi::api::resource::v1::{
        DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice,
    };
    pub use k8s_openapi::api::scheduling::v1::PriorityClass;
    pub use k8s_openapi::api::storage::v1::{
        CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
    };
    pub use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    pub use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
    pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
        Condition, LabelSelector, LabelSelectorRequirement, ManagedFieldsEntry, MicroTime, ObjectMeta,
        OwnerReference, Time,
    };
    pub use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
    pub use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

    /// The parts of admission policies.
    pub mod admission {
        pub use k8s_openapi::api::admissionregistration::v1::*;
    }

    /// The parts of HorizontalPodAutoscalers.
    pub mod autoscaling {
        pub use k8s_openapi::api::autoscaling::v2::*;
    }

    /// The parts of Ingresses, NetworkPolicies, ServiceCIDRs and IPAddresses.
    pub mod networking {
        pub use k8s_openapi::api::networking::v1::*;

        /// The label of an IPAddress with the family of the address (`LabelIPAddressFamily`).
        pub const LABEL_IP_ADDRESS_FAMILY: &str = "ipaddress.kubernetes.io/ip-family";
        /// The label of an IPAddress with the component that takes and frees it (`LabelManagedBy`).
        pub const LABEL_MANAGED_BY: &str = "ipaddress.kubernetes.io/managed-by";
        /// The condition of a ServiceCIDR whose addresses can be given out (`ServiceCIDRConditionReady`).
        pub const SERVICE_CIDR_READY: &str = "Ready";
    }

    /// The parts of roles and role bindings.
    pub mod rbac {
        pub use k8s_openapi::api::rbac::v1::*;
    }

    /// The parts of CertificateSigningRequests.
    pub mod certificates {
        pub use k8s_openapi::api::certificates::v1::*;
    }

    /// The parts of CSIDrivers, CSINodes and VolumeAttachments.
    pub mod storage {
        pub use k8s_openapi::api::storage::v1::*;
    }

    /// The parts of ResourceClaims, ResourceClaimTemplates, DeviceClasses and ResourceSlices, and the limits on them.
    pub mod resource {
        pub use k8s_openapi::api::resource::v1::*;

        /// The finalizer of a claim that is allocated (`Finalizer`).
        pub const FINALIZER: &str = "resource.kubernetes.io/delete-protection";
        /// The annotation of a claim that was made from a template: the pod's name for it (`PodResourceClaimAnnotation`).
        pub const POD_CLAIM_NAME: &str = "resource.kubernetes.io/pod-claim-name";
        /// The label of a namespace in which claims may ask for admin access (`DRAAdminNamespaceLabelKey`).
        pub const ADMIN_ACCESS: &str = "resource.kubernetes.io/admin-access";
        /// What evaluating a selector may cost (`CELSelectorExpressionMaxCost`).
        pub const MAX_SELECTOR_COST: u64 = 1_000_000;
        /// The length of a selector, in bytes (`CELSelectorExpressionMaxLength`).
        pub const MAX_SELECTOR_LENGTH: usize = 10 * 1024;
        /// The length of the name of a driver, in bytes (`DriverNameMaxLength`).
        pub const MAX_DRIVER_NAME: usize = 63;
        /// The length of the domain of an attribute's name, in bytes (`DeviceMaxDomainLength`).
        pub const MAX_DOMAIN: usize = 63;
        /// The length of an attribute's name without its domain, in bytes (`DeviceMaxIDLength`).
        pub const MAX_ID: usize = 32;
        /// The length of a text or a version that is an attribute's value, in bytes (`DeviceAttributeMaxValueLength`).
        pub const MAX_ATTRIBUTE_VALUE: usize = 64;
        /// How many attributes and capacities a device has together (`ResourceSliceMaxAttributesAndCapacitiesPerDevice`).
        pub const MAX_ATTRIBUTES_AND_CAPACITIES: usize = 32;
        /// How many objects a claim can be reserved for (`ResourceClaimReservedForMaxSize`).
        pub const MAX_RESERVED_FOR: usize = 256;
    }

    /// The parts of EndpointSlices, some of which have the same names as parts of Endpoints.
    pub mod discovery {
        pub use k8s_openapi::api::discovery::v1::*;

        /// The label of an EndpointSlice with the name of its Service (`LabelServiceName`).
        pub const LABEL_SERVICE_NAME: &str = "kubernetes.io/service-name";
        /// The label of an EndpointSlice with the controller that writes it (`LabelManagedBy`).
        pub const LABEL_MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
    }
}

/// A moment of virtual time.
pub type Timestamp = jiff::Timestamp;

/// A moment rounded down to whole seconds, as times in objects are (`metav1.Time`).
pub fn seconds(t: Timestamp) -> Timestamp {
    Timestamp::from_second(t.as_second()).unwrap_or(t)
}

/// The moment `by` after `from` (before it if negative), at most the largest (smallest) moment, so that no
/// number in a manifest overflows it. All code adds to moments with this function.
pub fn later(from: Timestamp, by: jiff::SignedDuration) -> Timestamp {
    from.checked_add(by).unwrap_or(if by.is_negative() { Timestamp::MIN } else { Timestamp::MAX })
}
