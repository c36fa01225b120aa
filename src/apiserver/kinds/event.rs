//! Event.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/{conversion,defaults}.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/event/strategy.go`,
//! `pkg/registry/core/event/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use serde_json::Value;

use super::{Column, Creation, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::types::Event;
use crate::apiserver::validation::Errors;
use crate::apiserver::{printers, validation};

impl Strategy for Event {
    const COLUMNS: &'static [Column] = &[
        Column::text("Last Seen", "The time at which the most recent occurrence of this event was recorded."),
        Column::text("Type", "Type of this event (Normal, Warning), new types could be added in the future"),
        Column::text("Reason", "This should be a short, machine understandable string that gives the reason for the transition into the object's current status."),
        Column::text("Object", "The object that this event is about."),
        Column::text("Subobject", "If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: \"spec.containers{name}\" (where \"name\" refers to the name of the container that triggered the event) or if no container name is specified \"spec.containers[2]\" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.").wide(),
        Column::text("Source", "The component reporting this event. Should be a short machine understandable string.").wide(),
        Column::text("Message", "A human-readable description of the status of this operation."),
        Column::text("First Seen", "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)").wide(),
        Column::of("Count", "string", "The number of times this event has occurred.").wide(),
        Column::text("Name", "").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::These(&[
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
        "metadata.namespace",
        "metadata.name",
    ]);
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;

    fn convert(_body: &mut Value) {}

    fn default(_this: &mut Rc<Self>) {}

    fn prepare_for_create(_this: &mut Rc<Self>, _creation: &mut Creation<'_>) {}

    fn prepare_for_update(_this: &mut Rc<Self>, _old: &Self) {}

    fn prepare_for_status_update(_this: &mut Rc<Self>, _old: &Self, _now: Timestamp) {}

    fn validate(&self, errs: &mut Errors) {
        validation::event::event(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::event::update(errs, self, old);
    }

    fn validate_status_update(&self, _old: &Self, _errs: &mut Errors) {}

    fn warnings_on_create(&self, _out: &mut Vec<String>) {}

    fn warnings_on_update(&self, _old: &Self, _out: &mut Vec<String>) {}

    fn field(&self, path: &str) -> Option<String> {
        let involved = &self.involved_object;
        match path {
            "involvedObject.kind" => involved.kind.clone(),
            "involvedObject.namespace" => involved.namespace.clone(),
            "involvedObject.name" => involved.name.clone(),
            "involvedObject.uid" => involved.uid.clone(),
            "involvedObject.apiVersion" => involved.api_version.clone(),
            "involvedObject.resourceVersion" => involved.resource_version.clone(),
            "involvedObject.fieldPath" => involved.field_path.clone(),
            "reason" => self.reason.clone(),
            "reportingComponent" => self.reporting_component.clone(),
            "source" => {
                let component = self.source.as_ref().and_then(|s| s.component.clone());
                component.filter(|c| !c.is_empty()).or_else(|| self.reporting_component.clone())
            }
            "type" => self.type_.clone(),
            _ => None,
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        printers::core::event(self, now)
    }
}
