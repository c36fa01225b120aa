//! Node.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/node/strategy.go`,
//! `pkg/registry/core/node/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, keep};
use crate::api::Timestamp;
use crate::api::types::Node;
use crate::apiserver::validation::Errors;
use crate::apiserver::{defaults, printers, validation, warnings};

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

    fn convert(_body: &mut Value) {}

    fn default(this: &mut Rc<Self>) {
        defaults::core::node(Rc::make_mut(this));
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

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
    }

    fn validate(&self, errs: &mut Errors) {
        validation::node::node(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::node::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        validation::node::update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warnings::node(out, self);
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        warnings::node(out, self);
    }

    fn field(&self, path: &str) -> Option<String> {
        (path == "spec.unschedulable")
            .then(|| self.spec.as_ref().and_then(|s| s.unschedulable).unwrap_or_default().to_string())
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::core::node(self, now)
    }
}
