//! DaemonSet.
//!
//! Read from Kubernetes' `pkg/apis/apps/types.go`, `pkg/apis/apps/v1/{conversion,defaults}.go`,
//! `pkg/apis/apps/validation/validation.go`, `pkg/registry/apps/daemonset/strategy.go`,
//! `pkg/registry/apps/daemonset/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::storage::Storage;
use super::{
    AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled, keep,
    mark_empty_selector,
};
use crate::api::go_types::parse_int;
use crate::api::labels::Selector;
use crate::api::labels::format_labels;
use crate::api::types::{self as t, DaemonSet, IntOrString, ObjectMeta};
use crate::api::well_known::DEPRECATED_TEMPLATE_GENERATION;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::defaults::{default, pod_spec as pod_defaults};
use crate::apiserver::printers::pod_template::{selector, template_cells};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::int_or_percent::{
    int_or_percent, not_more_than_100_percent, positive_int_or_percent, quote,
};
use crate::apiserver::validation::meta::{
    IMMUTABLE, label_selector, non_negative, object_meta, object_meta_update,
};
use crate::apiserver::validation::names::name_is_dns_subdomain;
use crate::apiserver::validation::replica_counts::is_decremented;
use crate::apiserver::validation::selected_template::given;
use crate::apiserver::validation::{
    Errors, FieldError, Path, internal, json_map, list, or_default, pod_spec, text,
};
use crate::apiserver::warnings;

impl Strategy for DaemonSet {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::of("Desired", "integer", "The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/"),
        Column::of("Current", "integer", "The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/"),
        Column::of("Ready", "integer", "numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod running with a Ready Condition."),
        Column::of("Up-to-date", "integer", "The total number of nodes that are running updated daemon pod"),
        Column::of("Available", "integer", "The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available (ready for at least spec.minReadySeconds)"),
        Column::text("Node Selector", "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/"),
        AGE,
        Column::text("Containers", "Names of each container in the template.").wide(),
        Column::text("Images", "Images referenced by each container in the template.").wide(),
        Column::text("Selector", "A label query over pods that are managed by the daemon set. Must match in order to be controlled. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for!(field);

    fn convert(body: &mut Value) -> Result<(), String> {
        mark_empty_selector(body);
        // The annotation stands for a field of the internal type, which has a number.
        let annotations = body.pointer("/metadata/annotations");
        match annotations.and_then(|a| a.get(DEPRECATED_TEMPLATE_GENERATION)?.as_str()) {
            Some(generation) => parse_int(generation).map(|_| ()),
            None => Ok(()),
        }
    }

    fn default(this: &mut Rc<Self>) {
        fill_in(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), None);
        let given = template_generation(&this.metadata).max(1);
        set_template_generation(&mut this.metadata, given);
        fill_in(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), old.spec.as_ref().map(|s| &s.template));
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
        let changed = this.spec.as_ref().map(|s| &s.template) != old.spec.as_ref().map(|s| &s.template);
        let generation = template_generation(&old.metadata) + i64::from(changed);
        set_template_generation(&mut this.metadata, generation);
    }

    fn prepare_for_status_update(this: &mut Rc<Self>, old: &Self, _now: Timestamp) {
        let this = Rc::make_mut(this);
        keep(&mut this.spec, &old.spec);
        let generation = template_generation(&old.metadata);
        set_template_generation(&mut this.metadata, generation);
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        validate_spec(errs, or_default(&self.spec, &Default::default()));
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        // The template's generation is counted by the API server itself, so it needs no rule here.
        object_meta_update(errs, &self.metadata, &old.metadata);
        let none = Default::default();
        let (after, before) = (or_default(&self.spec, &none), or_default(&old.spec, &none));
        if after.selector != before.selector {
            let value = internal::quote_selector(given(&after.selector));
            let at = Path::new("spec").child("selector");
            errs.push(FieldError::invalid(&at, value, IMMUTABLE));
        }
        validate_spec(errs, after);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let path = Path::new("status");
        let none = Default::default();
        let status = or_default(&self.status, &none);
        let n = |count: Option<i32>| i64::from(count.unwrap_or_default());
        for (name, count) in [
            ("currentNumberScheduled", status.current_number_scheduled.into()),
            ("numberMisscheduled", status.number_misscheduled.into()),
            ("desiredNumberScheduled", status.desired_number_scheduled.into()),
            ("numberReady", status.number_ready.into()),
            ("observedGeneration", status.observed_generation.unwrap_or_default()),
            ("updatedNumberScheduled", n(status.updated_number_scheduled)),
            ("numberAvailable", n(status.number_available)),
            ("numberUnavailable", n(status.number_unavailable)),
            ("collisionCount", n(status.collision_count)),
        ] {
            non_negative(errs, count, &path.child(name));
        }
        let before = old.status.as_ref().and_then(|s| s.collision_count);
        if is_decremented(status.collision_count, before) {
            let at = path.child("collisionCount");
            errs.push(FieldError::invalid(&at, n(status.collision_count), "cannot be decremented"));
        }
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        warnings::pod_spec::on_create(out, self.spec.as_ref().map(|s| &s.template));
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if template_generation(&self.metadata) != template_generation(&old.metadata) {
            self.warnings_on_create(out);
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let status = self.status.clone().unwrap_or_default();
        let template = self.spec.as_ref().map(|s| &s.template);
        let nodes = template.and_then(|t| t.spec.as_ref()?.node_selector.as_ref());
        let [containers, images] = template_cells(template);
        vec![
            name(&self.metadata),
            status.desired_number_scheduled.to_string(),
            status.current_number_scheduled.to_string(),
            status.number_ready.to_string(),
            status.updated_number_scheduled.unwrap_or(0).to_string(),
            status.number_available.unwrap_or(0).to_string(),
            format_labels(nodes),
            created(&self.metadata, now),
            containers,
            images,
            selector(self.spec.as_ref().map(|s| &s.selector)),
        ]
    }
}

fn template_generation(meta: &ObjectMeta) -> i64 {
    meta.annotation(DEPRECATED_TEMPLATE_GENERATION).and_then(|v| v.parse().ok()).unwrap_or(0)
}

/// Writes the generation as Go writes a number, whatever the client wrote.
fn set_template_generation(meta: &mut ObjectMeta, generation: i64) {
    let text = generation.to_string();
    if meta.annotation(DEPRECATED_TEMPLATE_GENERATION) != Some(text.as_str()) {
        let annotations = meta.annotations.get_or_insert_default();
        annotations.insert(DEPRECATED_TEMPLATE_GENERATION.into(), text);
    }
}

/// Fills in the defaults.
fn fill_in(set: &mut t::DaemonSet) {
    let spec = set.spec.get_or_insert_default();
    let strategy = spec.update_strategy.get_or_insert_default();
    default(&mut strategy.type_, "RollingUpdate");
    if strategy.type_.as_deref() == Some("RollingUpdate") {
        let rolling = strategy.rolling_update.get_or_insert_default();
        rolling.max_unavailable.get_or_insert(IntOrString::Int(1));
        rolling.max_surge.get_or_insert(IntOrString::Int(0));
    }
    spec.revision_history_limit.get_or_insert(10);
    pod_defaults::template(&mut spec.template);
    set.status.get_or_insert_default();
}

fn validate_spec(errs: &mut Errors, spec: &t::DaemonSetSpec) {
    let path = Path::new("spec");
    let at = path.child("selector");
    let selector = given(&spec.selector);
    label_selector(errs, selector, &at);
    let labels = spec.template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    let none = BTreeMap::new();
    if Selector::from_label_selector(selector).is_ok_and(|s| !s.matches(labels.unwrap_or(&none))) {
        let at = path.child("template").child("metadata").child("labels");
        let message = "`selector` does not match template `labels`";
        errs.push(FieldError::invalid(&at, json_map(labels), message));
    }
    if let Some(s) = selector
        && s.match_labels.as_ref().is_none_or(|m| m.is_empty())
        && list(&s.match_expressions).is_empty()
    {
        let message = "empty selector is invalid for daemonset";
        errs.push(FieldError::invalid(&at, internal::quote_selector(selector), message));
    }
    pod_spec::template(errs, &spec.template, &path.child("template"));
    let none = Default::default();
    let pod = or_default(&spec.template.spec, &none);
    let at = path.child("template").child("spec");
    if text(&pod.restart_policy) != "Always" {
        let policy = text(&pod.restart_policy);
        errs.push(FieldError::not_supported(&at.child("restartPolicy"), policy, &["Always"]));
    }
    if pod.active_deadline_seconds.is_some() {
        let message = "activeDeadlineSeconds in DaemonSet is not Supported";
        errs.push(FieldError::forbidden(&at.child("activeDeadlineSeconds"), message));
    }
    non_negative(errs, spec.min_ready_seconds.unwrap_or_default(), &path.child("minReadySeconds"));
    validate_update_strategy(
        errs,
        or_default(&spec.update_strategy, &Default::default()),
        &path.child("updateStrategy"),
    );
    if let Some(limit) = spec.revision_history_limit {
        non_negative(errs, limit, &path.child("revisionHistoryLimit"));
    }
}

fn validate_update_strategy(errs: &mut Errors, strategy: &t::DaemonSetUpdateStrategy, path: &Path) {
    match (text(&strategy.type_), &strategy.rolling_update) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => errs.push(FieldError::required(&path.child("rollingUpdate"), "")),
        ("RollingUpdate", Some(rolling)) => {
            let zero = IntOrString::Int(0);
            let unavailable = rolling.max_unavailable.as_ref().unwrap_or(&zero);
            let surge = rolling.max_surge.as_ref().unwrap_or(&zero);
            let at = path.child("rollingUpdate");
            let (at_unavailable, at_surge) = (at.child("maxUnavailable"), at.child("maxSurge"));
            positive_int_or_percent(errs, unavailable, &at_unavailable);
            positive_int_or_percent(errs, surge, &at_surge);
            not_more_than_100_percent(errs, unavailable, &at_unavailable);
            not_more_than_100_percent(errs, surge, &at_surge);
            match (int_or_percent(unavailable) != 0, int_or_percent(surge) != 0) {
                (true, true) => {
                    let message = "may not be set when maxUnavailable is non-zero";
                    errs.push(FieldError::invalid(&at_surge, quote(surge), message));
                }
                (false, false) => {
                    errs.push(FieldError::required(&at_unavailable, "cannot be 0 when maxSurge is 0"));
                }
                _ => {}
            }
        }
        _ => errs.push(FieldError::not_supported(
            path,
            internal::quote("DaemonSetUpdateStrategy", strategy),
            &["RollingUpdate", "OnDelete"],
        )),
    }
}
