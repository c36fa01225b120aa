//! Events of `events.k8s.io/v1`: the Events of the core group with other names of fields and tighter rules
//! (`pkg/apis/events/v1/conversion.go`, `pkg/apis/core/validation/events.go`).

use serde_json::Value;

use crate::api::types::{Event, EventSeries};
use crate::api::{Object, to_value};
use crate::apiserver::kinds::version::{Version, rename};
use crate::apiserver::validation::meta::{IMMUTABLE, object_meta, object_meta_update};
use crate::apiserver::validation::{BadValue, Errors, FieldError, Path, name_is_dns_subdomain, text};

/// The names of fields here and in the core group.
const NAMES: &[(&str, &str)] = &[
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

/// The version `events.k8s.io/v1`.
pub(in crate::apiserver::kinds) struct EventsV1Event;

impl Version for EventsV1Event {
    const SELECTABLE_FIELDS: Option<&'static [(&'static str, &'static str)]> = Some(&[
        ("reason", "reason"),
        ("regarding.kind", "involvedObject.kind"),
        ("regarding.namespace", "involvedObject.namespace"),
        ("regarding.name", "involvedObject.name"),
        ("regarding.uid", "involvedObject.uid"),
        ("regarding.apiVersion", "involvedObject.apiVersion"),
        ("regarding.resourceVersion", "involvedObject.resourceVersion"),
        ("regarding.fieldPath", "involvedObject.fieldPath"),
        ("reportingController", "reportingComponent"),
        ("type", "type"),
        ("metadata.name", "metadata.name"),
        ("metadata.namespace", "metadata.namespace"),
    ]);

    fn to_stored(value: &mut Value) {
        rename(value, NAMES.iter().copied());
    }

    fn from_stored(value: &mut Value) {
        rename(value, NAMES.iter().map(|(here, stored)| (*stored, *here)));
    }

    fn validate(new: &Object, old: Option<&Object>, errs: &mut Errors) {
        let Some(event) = new.get::<Event>() else { return };
        // Of the fields that the rules for every version speak of, this one alone is named as the version has it.
        for error in errs.iter_mut().filter(|e| e.field == "reportingComponent") {
            "reportingController".clone_into(&mut error.field);
        }
        match old.and_then(|old| old.get::<Event>()) {
            Some(old) => validate_update(errs, event, old),
            None => validate_create(errs, event),
        }
    }
}

fn validate_create(errs: &mut Errors, event: &Event) {
    object_meta(errs, &event.metadata, true, name_is_dns_subdomain);
    validate_series(errs, event.series.as_deref());
    if event.event_time.is_none() {
        errs.push(FieldError::required(&Path::new("eventTime"), ""));
    }
    let kind = text(&event.type_);
    if !matches!(kind, "Normal" | "Warning") {
        errs.push(FieldError::invalid(&Path::new("type"), "", format!("has invalid value: {kind}")));
    }
    let source =
        event.source.as_ref().is_some_and(|s| !text(&s.component).is_empty() || !text(&s.host).is_empty());
    for (name, is_set) in [
        ("firstTimestamp", event.first_timestamp.is_some()),
        ("lastTimestamp", event.last_timestamp.is_some()),
        ("count", event.count.is_some_and(|n| n != 0)),
        ("source", source),
    ] {
        if is_set {
            errs.push(FieldError::invalid(&Path::new(name), "", "needs to be unset"));
        }
    }
}

fn validate_update(errs: &mut Errors, new: &Event, old: &Event) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    if new.series != old.series {
        validate_series(errs, new.series.as_deref());
    }
    let (new, old) = (to_value(new), to_value(old));
    for name in [
        "involvedObject",
        "reason",
        "message",
        "source",
        "firstTimestamp",
        "lastTimestamp",
        "count",
        // Kubernetes asks for the reason twice, too.
        "reason",
        "type",
        "eventTime",
        "action",
        "related",
        "reportingController",
        "reportingInstance",
    ] {
        let field = if name == "reportingController" { "reportingComponent" } else { name };
        let of = |event: &Value| event.get(field).cloned().unwrap_or_default();
        // In Go a field that is left out is its type's zero value. Of these only `related` is a pointer, which can be nil.
        let given = |event: &Value| Some(of(event)).filter(|v| name == "related" || !is_zero(v));
        if given(&new) != given(&old) {
            let value = BadValue::Json(of(&new).to_string());
            errs.push(FieldError::invalid(&Path::new(name), value, IMMUTABLE));
        }
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_i64() == Some(0),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn validate_series(errs: &mut Errors, series: Option<&EventSeries>) {
    let Some(series) = series else { return };
    if series.count.unwrap_or_default() < 2 {
        errs.push(FieldError::invalid(&Path::new("series.count"), "", "should be at least 2"));
    }
    if series.last_observed_time.is_none() {
        errs.push(FieldError::required(&Path::new("series.lastObservedTime"), ""));
    }
}
