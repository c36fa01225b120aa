//! CSIDriver.
//!
//! Read from Kubernetes' `pkg/apis/storage/types.go`, `pkg/apis/storage/v1/defaults.go`,
//! `pkg/apis/storage/validation/validation.go`, `pkg/registry/storage/csidriver/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change};
use crate::api::Timestamp;
use crate::api::types::CSIDriver;
use crate::api::types::storage::{CSIDriverSpec, TokenRequest};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::field::json_of;
use crate::apiserver::validation::meta::{IMMUTABLE, object_meta, object_meta_update};
use crate::apiserver::validation::{Errors, FieldError, Path, list, name_is_dns_subdomain};

/// The shortest life of a token, in seconds.
const MIN_EXPIRATION_SECONDS: i64 = 600;
/// The longest life of a token, in seconds.
const MAX_EXPIRATION_SECONDS: i64 = 1 << 32;
/// The shortest time between two updates of what a node can take, in seconds.
const MIN_UPDATE_PERIOD_SECONDS: i64 = 10;
const FS_GROUP_POLICIES: &[&str] = &["File", "None", "ReadWriteOnceWithFSType"];
const LIFECYCLE_MODES: &[&str] = &["Persistent", "Ephemeral"];
/// What a driver is told that wants tokens and does not say how they are passed.
const TOKENS_IN_SECRETS: &str = "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

impl Strategy for CSIDriver {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of(
            "AttachRequired",
            "boolean",
            "attachRequired indicates this CSI volume driver requires an attach operation (because it implements the CSI ControllerPublishVolume() method), and that the Kubernetes attach detach controller should call the attach volume interface which checks the volumeattachment status and waits until the volume is attached before proceeding to mounting. The CSI external-attacher coordinates with CSI volume driver and updates the volumeattachment status when the attach operation is complete. If the value is specified to false, the attach operation will be skipped. Otherwise the attach operation will be called.\n\nThis field is immutable.",
        ),
        Column::of(
            "PodInfoOnMount",
            "boolean",
            "podInfoOnMount indicates this CSI volume driver requires additional pod information (like podName, podUID, etc.) during mount operations, if set to true. If set to false, pod information will not be passed on mount. Default is false.\n\nThe CSI driver specifies podInfoOnMount as part of driver deployment. If true, Kubelet will pass pod information as VolumeContext in the CSI NodePublishVolume() calls. The CSI driver is responsible for parsing and validating the information passed in as VolumeContext.\n\nThe following VolumeContext will be passed if podInfoOnMount is set to true. This list might grow, but the prefix will be used. \"csi.storage.k8s.io/pod.name\": pod.Name \"csi.storage.k8s.io/pod.namespace\": pod.Namespace \"csi.storage.k8s.io/pod.uid\": string(pod.UID) \"csi.storage.k8s.io/ephemeral\": \"true\" if the volume is an ephemeral inline volume\n                                defined by a CSIVolumeSource, otherwise \"false\"\n\n\"csi.storage.k8s.io/ephemeral\" is a new feature in Kubernetes 1.16. It is only required for drivers which support both the \"Persistent\" and \"Ephemeral\" VolumeLifecycleMode. Other drivers can leave pod info disabled and/or ignore this field. As Kubernetes 1.15 doesn't support this field, drivers can only support one mode when deployed on such a cluster and the deployment determines which mode that is, for example via a command line parameter of the driver.\n\nThis field was immutable in Kubernetes < 1.29 and now is mutable.",
        ),
        Column::of(
            "StorageCapacity",
            "boolean",
            "storageCapacity indicates that the CSI volume driver wants pod scheduling to consider the storage capacity that the driver deployment will report by creating CSIStorageCapacity objects with capacity information, if set to true.\n\nThe check can be enabled immediately when deploying a driver. In that case, provisioning new volumes with late binding will pause until the driver deployment has published some suitable CSIStorageCapacity object.\n\nAlternatively, the driver can be deployed with the field unset or false and it can be flipped later when storage capacity information has been published.\n\nThis field was immutable in Kubernetes <= 1.22 and now is mutable.",
        ),
        Column::text(
            "TokenRequests",
            "tokenRequests indicates the CSI driver needs pods' service account tokens it is mounting volume for to do necessary authentication. Kubelet will pass the tokens in VolumeContext in the CSI NodePublishVolume calls. The CSI driver should parse and validate the following VolumeContext: \"csi.storage.k8s.io/serviceAccount.tokens\": {\n  \"<audience>\": {\n    \"token\": <token>,\n    \"expirationTimestamp\": <expiration timestamp in RFC3339>,\n  },\n  ...\n}\n\nNote: Audience in each TokenRequest should be different and at most one token is empty string. To receive a new token after expiry, RequiresRepublish can be used to trigger NodePublishVolume periodically.",
        ),
        Column::of(
            "RequiresRepublish",
            "boolean",
            "requiresRepublish indicates the CSI driver wants `NodePublishVolume` being periodically called to reflect any possible change in the mounted volume. This field defaults to false.\n\nNote: After a successful initial NodePublishVolume call, subsequent calls to NodePublishVolume should only update the contents of the volume. New mount points will not be seen by a running container.",
        ),
        Column::text(
            "Modes",
            "volumeLifecycleModes defines what kind of volumes this CSI volume driver supports. The default if the list is empty is \"Persistent\", which is the usage defined by the CSI specification and implemented in Kubernetes via the usual PV/PVC mechanism.\n\nThe other mode is \"Ephemeral\". In this mode, volumes are defined inline inside the pod spec with CSIVolumeSource and their lifecycle is tied to the lifecycle of that pod. A driver has to be aware of this because it is only going to get a NodePublishVolume call for such a volume.\n\nFor more information about implementing this mode, see https://kubernetes-csi.github.io/docs/ephemeral-local-volumes.html A driver can support one or more of these modes and more modes may be added in the future.\n\nThis field is beta. This field is immutable.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = false;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for!(convert, prepare_for_status_update, validate_status_update, field);

    fn default(this: &mut Rc<Self>) {
        let spec = &mut Rc::make_mut(this).spec;
        spec.attach_required.get_or_insert(true);
        spec.pod_info_on_mount.get_or_insert(false);
        spec.storage_capacity.get_or_insert(false);
        spec.requires_republish.get_or_insert(false);
        spec.se_linux_mount.get_or_insert(false);
        spec.fs_group_policy.get_or_insert_with(|| "ReadWriteOnceWithFSType".into());
        let modes = spec.volume_lifecycle_modes.get_or_insert_default();
        if modes.is_empty() {
            modes.push("Persistent".into());
        }
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        // The feature VolumeLimitScaling is off.
        Rc::make_mut(this).spec.prevent_pod_scheduling_if_missing = None;
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        if old.spec.prevent_pod_scheduling_if_missing.is_none() {
            this.spec.prevent_pod_scheduling_if_missing = None;
        }
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        validate_spec(errs, &self.spec);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        validate_spec(errs, &self.spec);
        let path = Path::new("spec");
        if self.spec.attach_required != old.spec.attach_required {
            // Kubernetes names the field so.
            let at = path.child("attachedRequired");
            errs.push(FieldError::invalid(&at, json_of(&self.spec.attach_required), IMMUTABLE));
        }
        if self.spec.volume_lifecycle_modes != old.spec.volume_lifecycle_modes {
            let at = path.child("volumeLifecycleModes");
            errs.push(FieldError::invalid(&at, json_of(&self.spec.volume_lifecycle_modes), IMMUTABLE));
        }
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warn_of_tokens(out, &self.spec);
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if self.spec.token_requests != old.spec.token_requests {
            warn_of_tokens(out, &self.spec);
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let spec = &self.spec;
        let audiences =
            |all: &Vec<TokenRequest>| all.iter().map(|t| t.audience.as_str()).collect::<Vec<_>>().join(",");
        let modes = list(&spec.volume_lifecycle_modes).join(",");
        vec![
            name(&self.metadata),
            spec.attach_required.unwrap_or(true).to_string(),
            spec.pod_info_on_mount.unwrap_or(false).to_string(),
            spec.storage_capacity.unwrap_or(false).to_string(),
            spec.token_requests.as_ref().map_or_else(|| "<unset>".to_owned(), audiences),
            spec.requires_republish.unwrap_or(false).to_string(),
            if modes.is_empty() { "<none>".to_owned() } else { modes },
            created(&self.metadata, now),
        ]
    }
}

fn warn_of_tokens(out: &mut Vec<String>, spec: &CSIDriverSpec) {
    if !list(&spec.token_requests).is_empty() && spec.service_account_token_in_secrets.is_none() {
        out.push(TOKENS_IN_SECRETS.to_owned());
    }
}

fn validate_spec(errs: &mut Errors, spec: &CSIDriverSpec) {
    let path = Path::new("spec");
    for (name, value) in [
        ("attachedRequired", spec.attach_required),
        ("podInfoOnMount", spec.pod_info_on_mount),
        ("storageCapacity", spec.storage_capacity),
    ] {
        if value.is_none() {
            errs.push(FieldError::required(&path.child(name), ""));
        }
    }
    if let Some(policy) = &spec.fs_group_policy
        && !FS_GROUP_POLICIES.contains(&policy.as_str())
    {
        errs.push(FieldError::not_supported(&path.child("fsGroupPolicy"), policy, FS_GROUP_POLICIES));
    }
    token_requests(errs, list(&spec.token_requests), &path.child("tokenRequests"));
    for mode in list(&spec.volume_lifecycle_modes).iter().filter(|m| !LIFECYCLE_MODES.contains(&m.as_str())) {
        errs.push(FieldError::not_supported(&path.child("volumeLifecycleModes"), mode, LIFECYCLE_MODES));
    }
    if spec.se_linux_mount.is_none() {
        errs.push(FieldError::required(&path.child("seLinuxMount"), ""));
    }
    if let Some(period) =
        spec.node_allocatable_update_period_seconds.filter(|p| *p < MIN_UPDATE_PERIOD_SECONDS)
    {
        let at = path.child("nodeAllocatableUpdatePeriodSeconds");
        errs.push(FieldError::invalid(&at, period, "must be greater than or equal to 10 seconds"));
    }
    if let Some(in_secrets) = spec.service_account_token_in_secrets
        && list(&spec.token_requests).is_empty()
    {
        let message = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
        let at = path.child("serviceAccountTokenInSecrets");
        errs.push(FieldError::invalid(&at, json_of(&in_secrets), message));
    }
}

/// No audience may be named twice, and at most one request may leave it out (`validateTokenRequests`).
fn token_requests(errs: &mut Errors, requests: &[TokenRequest], path: &Path) {
    let mut audiences = BTreeSet::new();
    for (i, request) in requests.iter().enumerate() {
        let path = path.index(i);
        if !audiences.insert(request.audience.as_str()) {
            errs.push(FieldError::duplicate(&path.child("audience"), &request.audience));
            continue;
        }
        let Some(seconds) = request.expiration_seconds else { continue };
        let at = path.child("expirationSeconds");
        if seconds < MIN_EXPIRATION_SECONDS {
            errs.push(FieldError::invalid(&at, seconds, "may not specify a duration less than 10 minutes"));
        }
        if seconds > MAX_EXPIRATION_SECONDS {
            errs.push(FieldError::invalid(
                &at,
                seconds,
                "may not specify a duration larger than 2^32 seconds",
            ));
        }
    }
}
