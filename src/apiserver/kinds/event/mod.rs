//! Event.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/conversion.go`,
//! `pkg/apis/core/validation/events.go`, `pkg/registry/core/event/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

pub(super) mod events_v1;

use super::storage::Storage;
use super::{Column, NAME, SelectableFields, Strategy};
use crate::api::duration::{age, age_micro};
use crate::api::types::Event;
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::printers::name;
use crate::apiserver::validation::meta::invalid_each;
use crate::apiserver::validation::{Errors, FieldError, Path, names, text};

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
        NAME.wide(),
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
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, default, prepare_for_create, prepare_for_update, prepare_for_status_update,
        validate_status_update, warnings_on_create, warnings_on_update
    }

    fn validate(&self, errs: &mut Errors) {
        let namespace = MetaExt::namespace(&self.metadata);
        let involved = text(&self.involved_object.namespace);
        let at = Path::new("involvedObject").child("namespace");
        let mismatch = |errs: &mut Errors| {
            errs.push(FieldError::invalid(&at, involved, "does not match event.namespace"));
        };
        if self.event_time.is_none() {
            let fits =
                if involved.is_empty() { matches!(namespace, "" | "default") } else { namespace == involved };
            if !fits {
                mismatch(errs);
            }
        } else {
            if involved.is_empty() && !matches!(namespace, "default" | "kube-system") {
                mismatch(errs);
            }
            let controller = text(&self.reporting_component);
            let at = Path::new("reportingComponent");
            if controller.is_empty() {
                errs.push(FieldError::required(&at, ""));
            }
            invalid_each(errs, &at, controller, names::qualified_name(controller));
            for (name, value) in [
                ("reportingInstance", &self.reporting_instance),
                ("action", &self.action),
                ("reason", &self.reason),
            ] {
                let at = Path::new(name);
                if text(value).is_empty() {
                    errs.push(FieldError::required(&at, ""));
                }
                at_most(errs, text(value), MAX_WORD, &at);
            }
            at_most(errs, text(&self.message), MAX_MESSAGE, &Path::new("message"));
        }
        invalid_each(errs, &Path::new("namespace"), namespace, names::dns1123_subdomain(namespace));
    }

    fn validate_update(&self, _old: &Self, errs: &mut Errors) {
        self.validate(errs);
    }

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
        let first = match &self.first_timestamp {
            Some(_) => age(self.first_timestamp.as_ref(), now),
            None => age_micro(self.event_time.as_ref(), now),
        };
        let mut last = match &self.last_timestamp {
            Some(_) => age(self.last_timestamp.as_ref(), now),
            None => first.clone(),
        };
        let mut count = self.count.filter(|c| *c != 0).unwrap_or(1);
        if let Some(series) = &self.series {
            last = age_micro(series.last_observed_time.as_ref(), now);
            count = series.count.unwrap_or(0);
        }
        let kind = self.involved_object.kind.as_deref().unwrap_or_default().to_lowercase();
        let object = match self.involved_object.name.as_deref().unwrap_or_default() {
            "" => kind,
            name => format!("{kind}/{name}"),
        };
        vec![
            last,
            self.type_.clone().unwrap_or_default(),
            self.reason.clone().unwrap_or_default(),
            object,
            self.involved_object.field_path.clone().unwrap_or_default(),
            reporter(self),
            self.message.as_deref().unwrap_or_default().trim().to_owned(),
            first,
            count.to_string(),
            name(&self.metadata),
        ]
    }
}

/// The length of a word of an event, such as its reason, in bytes.
const MAX_WORD: usize = 128;
/// The length of its message, in bytes.
const MAX_MESSAGE: usize = 1024;

fn at_most(errs: &mut Errors, value: &str, max: usize, path: &Path) {
    if value.len() > max {
        errs.push(FieldError::invalid(path, "", format!("can have at most {max} characters")));
    }
}

/// Who reports the event, as a cell shows it (`formatEventSource`).
fn reporter(e: &Event) -> String {
    let source = e.source.as_deref().cloned().unwrap_or_default();
    let component =
        source.component.filter(|c| !c.is_empty()).or(e.reporting_component.clone()).unwrap_or_default();
    let host = source.host.filter(|h| !h.is_empty()).or(e.reporting_instance.clone()).unwrap_or_default();
    if host.is_empty() { component } else { format!("{component}, {host}") }
}
