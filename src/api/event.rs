//! [`Event`], smaller than the struct of `k8s-openapi`.

use k8s_openapi::api::core::v1 as api;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta, Time};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::shared::Shared;

/// An event. There are about five for each pod, more than of any other kind. What few events have is behind a pointer, and
/// all events of one component share where they come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Names, labels, owners and so on.
    pub metadata: ObjectMeta,
    /// What the reporting component was doing.
    pub action: Option<String>,
    /// How often it has occurred.
    pub count: Option<i32>,
    /// When it was first observed, in the newer API.
    pub event_time: Option<MicroTime>,
    /// When it was first recorded.
    pub first_timestamp: Option<Time>,
    /// The object that it is about.
    pub involved_object: api::ObjectReference,
    /// When it was recorded last.
    pub last_timestamp: Option<Time>,
    /// A sentence.
    pub message: Option<String>,
    /// One word.
    pub reason: Option<String>,
    /// A second object.
    pub related: Option<Box<api::ObjectReference>>,
    /// The component that reports it.
    pub reporting_component: Option<String>,
    /// The instance of the component.
    pub reporting_instance: Option<String>,
    /// How it recurs, if it does.
    pub series: Option<Box<api::EventSeries>>,
    /// The component that reports it, in the older API.
    pub source: Option<Shared<api::EventSource>>,
    /// `Normal` or `Warning`.
    pub type_: Option<String>,
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Event, D::Error> {
        let e = api::Event::deserialize(deserializer)?;
        Ok(Event {
            metadata: e.metadata,
            action: e.action,
            count: e.count,
            event_time: e.event_time,
            first_timestamp: e.first_timestamp,
            involved_object: e.involved_object,
            last_timestamp: e.last_timestamp,
            message: e.message,
            reason: e.reason,
            related: e.related.map(Box::new),
            reporting_component: e.reporting_component,
            reporting_instance: e.reporting_instance,
            series: e.series.map(Box::new),
            source: e.source.map(Shared::new),
            type_: e.type_,
        })
    }
}

/// Writes a field that is there.
fn field<S: SerializeStruct, T: Serialize>(
    to: &mut S,
    name: &'static str,
    value: Option<&T>,
) -> Result<(), S::Error> {
    value.map_or(Ok(()), |value| to.serialize_field(name, value))
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut event = serializer.serialize_struct("Event", 17)?;
        event.serialize_field("apiVersion", "v1")?;
        event.serialize_field("kind", "Event")?;
        field(&mut event, "action", self.action.as_ref())?;
        field(&mut event, "count", self.count.as_ref())?;
        field(&mut event, "eventTime", self.event_time.as_ref())?;
        field(&mut event, "firstTimestamp", self.first_timestamp.as_ref())?;
        event.serialize_field("involvedObject", &self.involved_object)?;
        field(&mut event, "lastTimestamp", self.last_timestamp.as_ref())?;
        field(&mut event, "message", self.message.as_ref())?;
        event.serialize_field("metadata", &self.metadata)?;
        field(&mut event, "reason", self.reason.as_ref())?;
        field(&mut event, "related", self.related.as_ref())?;
        field(&mut event, "reportingComponent", self.reporting_component.as_ref())?;
        field(&mut event, "reportingInstance", self.reporting_instance.as_ref())?;
        field(&mut event, "series", self.series.as_ref())?;
        field(&mut event, "source", self.source.as_ref())?;
        field(&mut event, "type", self.type_.as_ref())?;
        event.end()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_is_read_and_written_as_the_struct_with_all_fields_in_place() {
        let about = |name: &str| json!({"kind": "Pod", "name": name, "fieldPath": "spec.containers{app}"});
        let whole = json!({
            "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "labels": {"a": "b"}}, "action": "Binding", "count": 2,
            "eventTime": "2026-01-01T00:00:00.000001Z", "firstTimestamp": "2026-01-01T00:00:00Z",
            "lastTimestamp": "2026-01-01T00:00:02Z", "involvedObject": about("p"), "related": about("q"), "message": "m",
            "reason": "r", "reportingComponent": "c", "reportingInstance": "i", "type": "Normal",
            "series": {"count": 3, "lastObservedTime": "2026-01-01T00:00:03.000000Z"},
            "source": {"component": "c", "host": "h"},
        });
        for value in [whole, json!({"involvedObject": {}, "metadata": {}})] {
            let theirs: api::Event = serde_json::from_value(value.clone()).unwrap();
            let ours: Event = serde_json::from_value(value).unwrap();
            assert_eq!(serde_json::to_string(&ours).unwrap(), serde_json::to_string(&theirs).unwrap());
        }
        assert!(size_of::<Event>() + 200 < size_of::<api::Event>());
    }
}
