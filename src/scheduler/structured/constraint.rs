//! What the devices of a claim must have in common, or must not (`constraint.go`, `allocator_incubating.go`).

use std::collections::{BTreeMap, BTreeSet};

use crate::api::types::resource::{Device, DeviceAttribute, DeviceConstraint};

/// A constraint, and what is known of the devices that were chosen so far.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    /// The requests that it is about; all if there are none.
    requests: BTreeSet<String>,
    /// The qualified name of the attribute.
    attribute: String,
    chosen: Chosen,
    devices: usize,
}

#[derive(Clone, Debug)]
enum Chosen {
    /// All devices have this value (`matchAttribute`).
    Same(Option<DeviceAttribute>),
    /// All devices have different values (`distinctAttribute`). Of a request the last one is remembered.
    Different(BTreeMap<String, DeviceAttribute>),
}

/// The name of a request, and of the alternative of it that is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking<'c> {
    pub(super) request: &'c str,
    pub(super) alternative: Option<&'c str>,
}

impl Constraint {
    /// Reads a constraint; `None` if it is of no known type.
    pub(super) fn parse(constraint: &DeviceConstraint) -> Option<Constraint> {
        let (attribute, chosen) = match (&constraint.match_attribute, &constraint.distinct_attribute) {
            (Some(name), _) => (name, Chosen::Same(None)),
            (None, Some(name)) => (name, Chosen::Different(BTreeMap::new())),
            (None, None) => return None,
        };
        let requests = constraint.requests.iter().flatten().cloned().collect();
        Some(Constraint { requests, attribute: attribute.clone(), chosen, devices: 0 })
    }

    fn concerns(&self, asking: Asking<'_>) -> bool {
        let named = |sub: &str| self.requests.contains(&format!("{}/{sub}", asking.request));
        self.requests.is_empty()
            || self.requests.contains(asking.request)
            || asking.alternative.is_some_and(named)
    }

    /// Adds a device to those that were chosen; false if it does not go with them.
    pub(super) fn add(&mut self, asking: Asking<'_>, driver: &str, device: &Device) -> bool {
        if !self.concerns(asking) {
            return true;
        }
        let Some(value) = lookup(device, driver, &self.attribute) else { return false };
        let first = self.devices == 0;
        match &mut self.chosen {
            Chosen::Same(_) if !first && kind(value).is_none() => return false,
            Chosen::Same(same) if first => *same = Some(value.clone()),
            Chosen::Same(same) => {
                if same.as_ref().and_then(kind) != kind(value) {
                    return false;
                }
            }
            Chosen::Different(values) => {
                let taken = |other: &DeviceAttribute| kind(value).is_none() || kind(other) == kind(value);
                if !first && values.values().any(taken) {
                    return false;
                }
                values.insert(asking.request.to_owned(), value.clone());
            }
        }
        self.devices += 1;
        true
    }

    /// Takes back one device that was added.
    pub(super) fn remove(&mut self, asking: Asking<'_>) {
        if !self.concerns(asking) {
            return;
        }
        if let Chosen::Different(values) = &mut self.chosen {
            values.remove(asking.request);
        }
        self.devices = self.devices.saturating_sub(1);
    }
}

/// The one value of an attribute.
#[derive(PartialEq, Eq)]
enum Single<'a> {
    Int(i64),
    Bool(bool),
    Text(&'a str),
    Version(&'a str),
}

fn kind(attribute: &DeviceAttribute) -> Option<Single<'_>> {
    match attribute {
        DeviceAttribute { string: Some(text), .. } => Some(Single::Text(text)),
        DeviceAttribute { int: Some(n), .. } => Some(Single::Int(*n)),
        DeviceAttribute { bool: Some(b), .. } => Some(Single::Bool(*b)),
        DeviceAttribute { version: Some(version), .. } => Some(Single::Version(version)),
        _ => None,
    }
}

/// The attribute with a qualified name. The device may leave out the domain if it is the driver's (`lookupAttribute`).
fn lookup<'d>(device: &'d Device, driver: &str, name: &str) -> Option<&'d DeviceAttribute> {
    let attributes = device.attributes.as_ref()?;
    attributes.get(name).or_else(|| {
        let (domain, id) = name.split_once('/')?;
        attributes.get(id).filter(|_| domain == driver)
    })
}
