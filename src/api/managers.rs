//! The entries of `metadata.managedFields`: who owns which fields of an object.

use std::rc::Rc;

use serde_json::{Value, json};

use super::field_set::Set;
use super::types::ManagedFieldsEntry;
use super::{Timestamp, order, seconds};

/// A field manager: an entry of `metadata.managedFields`.
#[derive(Clone, Debug, PartialEq)]
pub struct Manager {
    /// The manager's name.
    pub name: Rc<str>,
    /// Whether the operation is `Apply` (server-side apply) and not `Update`.
    pub apply: bool,
    /// The version of the kind to which the fields belong, for example `apps/v1`.
    pub api_version: Rc<str>,
    /// The subresource that was written; empty for the object itself.
    pub subresource: Rc<str>,
    /// The time of the last change; `None` for a manager that only agreed to existing values.
    pub time: Option<Timestamp>,
    /// The fields that the manager owns.
    pub fields: Rc<Set>,
}

impl Manager {
    /// Whether both are the same manager (`BuildManagerIdentifier`). The version is compared only for the
    /// operation `Update`.
    pub fn is(&self, other: &Manager) -> bool {
        self.name == other.name
            && self.apply == other.apply
            && self.subresource == other.subresource
            && (self.apply || self.api_version == other.api_version)
    }

    /// Whether two lists are the same entries in the same order, times aside (`IgnoreManagedFieldsTimestampsTransformer` of
    /// `k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/equality.go`). The order follows the times, so a manager that writes
    /// once more and comes behind another one by that is a difference.
    pub fn own_the_same(some: &[Manager], others: &[Manager]) -> bool {
        let entries = |list: &[Manager]| {
            let mut list = list.to_vec();
            Manager::sort(&mut list);
            list.iter_mut().for_each(|m| m.time = None);
            list
        };
        entries(some) == entries(others)
    }

    /// Reads entries (`DecodeManagedFields`); `None` if one of them is malformed.
    pub fn read(entries: &[ManagedFieldsEntry]) -> Option<Vec<Manager>> {
        let mut out: Vec<Manager> = Vec::with_capacity(entries.len());
        for e in entries {
            let text = |t: &Option<String>| t.as_deref().unwrap_or_default().to_owned();
            let operation = text(&e.operation);
            let api_version = text(&e.api_version);
            let known = matches!(&*operation, "Apply" | "Update") && text(&e.fields_type) == "FieldsV1";
            if !known || api_version.is_empty() {
                return None;
            }
            let fields = match &e.fields_v1 {
                Some(fields) if !fields.0.is_null() => Set::from_value(&fields.0)?,
                _ => Set::default(),
            };
            let manager = Manager {
                name: text(&e.manager).into(),
                apply: operation == "Apply",
                api_version: api_version.into(),
                subresource: text(&e.subresource).into(),
                time: e.time.as_ref().map(|t| t.0),
                fields: Rc::new(fields),
            };
            out.retain(|m| !m.is(&manager));
            out.push(manager);
        }
        Some(out)
    }

    /// Brings managers into Kubernetes' order of entries.
    pub fn sort(managers: &mut [Manager]) {
        order::sort_by_key(managers, |m| {
            // No time is before every time.
            let seconds = m.time.map_or(i64::MIN, Timestamp::as_second);
            (!m.apply, seconds, m.name.clone(), m.api_version.clone(), m.subresource.clone())
        });
    }

    /// The value of `metadata.managedFields`, in Kubernetes' order.
    pub fn to_value(managers: &[Manager]) -> Value {
        let mut sorted = managers.to_vec();
        Manager::sort(&mut sorted);
        sorted
            .iter()
            .map(|m| {
                let mut v = json!({
                    "manager": &*m.name,
                    "operation": if m.apply { "Apply" } else { "Update" },
                    "apiVersion": &*m.api_version,
                    "fieldsType": "FieldsV1",
                    "fieldsV1": m.fields.to_value(),
                });
                if let Some(t) = m.time {
                    v["time"] = seconds(t).to_string().into();
                }
                if !m.subresource.is_empty() {
                    v["subresource"] = (&*m.subresource).into();
                }
                v
            })
            .collect()
    }
}
