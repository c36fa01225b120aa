//! Node.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/node/strategy.go`, `pkg/api/node/util.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::quote::go_quote;
use crate::api::types::{Node, Taint};
use crate::api::{Timestamp, cells};
use crate::apiserver::defaults::quantities;
use crate::apiserver::printers::{created, name, or_none};
use crate::apiserver::validation::meta::{invalid_each, label_name, object_meta, object_meta_update};
use crate::apiserver::validation::{
    Errors, FieldError, Path, internal, ip, json_strings, list, name_is_dns_subdomain, names, or_default,
    resources, scheduling, text,
};
use crate::apiserver::warnings;

/// The longest name of a declared feature, in bytes.
const MAX_FEATURE: usize = 253;

impl Strategy for Node {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Status", "The status of the node"),
        Column::text("Roles", "The roles of the node"),
        AGE,
        Column::text("Version", "Kubelet Version reported by the node."),
        Column::text("Internal-IP", "List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP).").wide(),
        Column::text("External-IP", "List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP).").wide(),
        Column::text("OS-Image", "OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).").wide(),
        Column::text("Kernel-Version", "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).").wide(),
        Column::text("Container-Runtime", "ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2).").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields =
        SelectableFields::These(&["metadata.name", "spec.unschedulable"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage { prefix: Some("minions"), ..Storage::PLAIN };

    nothing_for!(convert);

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        this.spec.get_or_insert_default();
        let status = this.status.get_or_insert_default();
        quantities::list(&mut status.capacity);
        quantities::list(&mut status.allocatable);
        if status.allocatable.is_none() {
            status.allocatable.clone_from(&status.capacity);
        }
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        // Dynamic kubelet configuration was removed in 1.24.
        this.spec.iter_mut().for_each(|s| s.config_source = None);
        this.status.iter_mut().for_each(|s| s.config = None);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        if let Some(spec) =
            this.spec.as_mut().filter(|_| old.spec.as_ref().is_none_or(|s| s.config_source.is_none()))
        {
            spec.config_source = None;
        }
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        let none = Default::default();
        let spec = or_default(&self.spec, &none);
        taints(errs, list(&spec.taints));
        amounts(errs, self);
        swap(errs, self);
        declared_features(errs, self);
        let cidrs = list(&spec.pod_cidrs);
        let path = Path::new("spec").child("podCIDRs");
        for (i, cidr) in cidrs.iter().enumerate() {
            ip::legacy_cidr(errs, cidr, &path.index(i));
        }
        if cidrs.len() > 1 && (!ip::is_dual_stack(cidrs) || cidrs.len() > 2) {
            let message = "may specify no more than one CIDR for each IP family";
            errs.push(FieldError::invalid(&path, json_strings(cidrs), message));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        self.validate(errs);
        update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let Some(spec) = &self.spec else { return };
        if spec.config_source.is_some() {
            out.push("spec.configSource: the feature is removed".to_owned());
        }
        if spec.external_id.as_ref().is_some_and(|id| !id.is_empty()) {
            out.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned());
        }
        for (i, range) in spec.pod_cidrs.iter().flatten().enumerate() {
            warnings::cidr(out, range, &Path::new("spec").child("podCIDRs").index(i));
        }
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn field(&self, path: &str) -> Option<String> {
        (path == "spec.unschedulable")
            .then(|| self.spec.as_ref().and_then(|s| s.unschedulable).unwrap_or_default().to_string())
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let status = self.status.clone().unwrap_or_default();
        let ready = status.conditions.iter().flatten().find(|c| c.type_ == "Ready");
        let mut state = match ready {
            Some(c) if c.status == "True" => "Ready",
            Some(_) => "NotReady",
            None => "Unknown",
        }
        .to_owned();
        if self.spec.as_ref().and_then(|s| s.unschedulable) == Some(true) {
            state.push_str(",SchedulingDisabled");
        }
        let info = status.node_info.clone().unwrap_or_default();
        let address = |type_: &str| {
            let found = status.addresses.iter().flatten().find(|a| a.type_ == type_);
            or_none(found.map(|a| a.address.as_str()))
        };
        let or_unknown = |t: &str| if t.is_empty() { "<unknown>".to_owned() } else { t.to_owned() };
        let kernel = match (info.kernel_version.as_str(), info.architecture.as_str()) {
            ("", _) => "<unknown>".to_owned(),
            (k, "") => k.to_owned(),
            (k, a) => format!("{k} ({a})"),
        };
        vec![
            name(&self.metadata),
            state,
            cells::node_roles(self),
            created(&self.metadata, now),
            info.kubelet_version.clone(),
            address("InternalIP"),
            address("ExternalIP"),
            or_unknown(&info.os_image),
            kernel,
            or_unknown(&info.container_runtime_version),
        ]
    }
}

/// Kubernetes reports taints under `metadata`, not under `spec`.
fn taints(errs: &mut Errors, taints: &[Taint]) {
    let path = Path::new("metadata").child("taints");
    let mut seen = BTreeSet::new();
    for (i, taint) in taints.iter().enumerate() {
        let at = path.index(i);
        label_name(errs, &taint.key, &at.child("key"));
        let value = text(&taint.value);
        let messages = names::label_value(value);
        if !messages.is_empty() {
            invalid_each(errs, &at.child("value"), value, vec![messages.join(";")]);
        }
        scheduling::taint_effect(errs, &taint.effect, false, &at.child("effect"));
        if !seen.insert((&taint.effect, &taint.key)) {
            let mut error = FieldError::duplicate(&at, internal::quote("Taint", taint));
            "taints must be unique by key and effect pair".clone_into(&mut error.detail);
            errs.push(error);
        }
    }
}

fn amounts(errs: &mut Errors, node: &Node) {
    let Some(status) = &node.status else { return };
    for (name, map) in [("capacity", &status.capacity), ("allocatable", &status.allocatable)] {
        let path = Path::new("status").child(name);
        for (resource, amount) in map.iter().flatten() {
            resources::resource_amount(errs, resource, amount, &path.named(resource));
        }
    }
}

/// Validates how much swap a node says that it has (`validateNodeSwapStatus`). Kubernetes names the field as if it stood in
/// the metadata.
fn swap(errs: &mut Errors, node: &Node) {
    let path = Path::new("metadata").child("nodeSwapStatus");
    let info = node.status.as_ref().and_then(|s| s.node_info.as_ref());
    if let Some(capacity) = info.and_then(|i| i.swap.as_ref()?.capacity).filter(|c| *c <= 0) {
        errs.push(FieldError::invalid(&path.child("capacity"), capacity, "must be greater than zero"));
    }
}

/// Validates the features that a node's kubelet declares: `MyFeature` or `MyFeature/part`, each once and in order
/// (`validateNodeDeclaredFeatures`).
fn declared_features(errs: &mut Errors, node: &Node) {
    let features = node.status.as_ref().map_or(&[][..], |s| list(&s.declared_features));
    let path = Path::new("status").child("declaredFeatures");
    for (i, feature) in features.iter().enumerate() {
        if let Some(why) = not_a_feature(feature) {
            let message = format!("invalid feature name {}: {why}", go_quote(feature));
            errs.push(FieldError::invalid(&path.index(i), feature, message));
        }
        match features.get(i + 1) {
            Some(next) if next == feature => {
                errs.push(FieldError::duplicate(&path.index(i + 1), next.as_str()))
            }
            Some(next) if next < feature => {
                let message = "list must be sorted alphabetically";
                errs.push(FieldError::invalid(&path.index(i + 1), next, message));
            }
            _ => {}
        }
    }
}

/// Why a declared feature cannot have a name; `None` if it can (`validateNodeDeclaredFeatureName`).
fn not_a_feature(name: &str) -> Option<&'static str> {
    if name.len() > MAX_FEATURE {
        return Some("must be no more than 253 characters");
    }
    let is_segment = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic()) && part.bytes().all(|c| c.is_ascii_alphanumeric())
    };
    let ok = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.split('/').all(is_segment);
    (!ok).then_some(
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes",
    )
}

/// Validates an update of a Node or of its status.
fn update(errs: &mut Errors, new: &Node, old: &Node) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    amounts(errs, new);
    declared_features(errs, new);
    let mut seen = BTreeSet::new();
    let path = Path::new("status").child("addresses");
    for (i, address) in new.status.iter().flat_map(|s| list(&s.addresses)).enumerate() {
        if !seen.insert((&address.type_, &address.address)) {
            errs.push(FieldError::duplicate(&path.index(i), internal::quote("NodeAddress", address)));
        }
    }
    let none = Default::default();
    let spec = or_default(&new.spec, &none);
    let none_before = Default::default();
    let before = or_default(&old.spec, &none_before);
    let (cidrs, cidrs_before) = (list(&spec.pod_cidrs), list(&before.pod_cidrs));
    if !cidrs_before.is_empty() {
        let path = Path::new("spec").child("podCIDRs");
        let message = "node updates may not change podCIDR except from \"\" to valid";
        let changed = if cidrs.len() == cidrs_before.len() {
            cidrs.iter().zip(cidrs_before).filter(|(a, b)| a != b).count()
        } else {
            1
        };
        errs.extend((0..changed).map(|_| FieldError::forbidden(&path, message)));
    }
    let provider = text(&before.provider_id);
    if !provider.is_empty() && provider != text(&spec.provider_id) {
        errs.push(FieldError::forbidden(
            &Path::new("spec").child("providerID"),
            "node updates may not change providerID except from \"\" to valid",
        ));
    }
    taints(errs, list(&spec.taints));
    if text(&spec.external_id) != text(&before.external_id) {
        errs.push(FieldError::forbidden(&Path::new("spec").child("externalID"), "may not be updated"));
    }
}
