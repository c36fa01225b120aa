//! ResourceSlice.
//!
//! Read from Kubernetes' `pkg/apis/resource/types.go`, `pkg/apis/resource/validation/validation.go`,
//! `pkg/registry/resource/resourceslice/strategy.go` and `pkg/printers/internalversion/printers.go`.

mod capacity;
mod device;

use std::rc::Rc;

use serde_json::Value;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::quote::go_quote;
use crate::api::types::resource::{Device, ResourcePool, ResourceSliceSpec};
use crate::api::types::{NodeSelector, ResourceSlice, Time};
use crate::apiserver::defaults::prepare;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::field::pointer;
use crate::apiserver::validation::meta::{IMMUTABLE, invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::scheduling::node_selector;
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, devices, internal, list, name_is_dns_subdomain, semantic_eq, text,
};

/// How many devices are in a slice (`ResourceSliceMaxDevices`), and how many if one of them has taints or uses counters
/// (`ResourceSliceMaxDevicesWithAdvancedFeatures`).
const MAX_DEVICES: usize = 128;
const MAX_ADVANCED_DEVICES: usize = 64;
/// How many sets of counters are in a slice (`ResourceSliceMaxCounterSets`).
const MAX_COUNTER_SETS: usize = 8;

impl Strategy for ResourceSlice {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Node",
            "NodeName identifies the node which provides the resources in this pool. A field selector can be used to list only ResourceSlice objects belonging to a certain node.\n\nThis field can be used to limit access from nodes to ResourceSlices with the same node name. It also indicates to autoscalers that adding new nodes of the same type as some old node might also make new resources available.\n\nExactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set. This field is immutable.",
        ),
        Column::text(
            "Driver",
            "Driver identifies the DRA driver providing the capacity information. A field selector can be used to list only ResourceSlice objects with a certain driver name.\n\nMust be a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. It should use only lower case characters. This field is immutable.",
        ),
        Column::text(
            "Pool",
            "Name is used to identify the pool. For node-local devices, this is often the node name, but this is not required.\n\nIt must not be longer than 253 characters and must consist of one or more DNS sub-domains separated by slashes. This field is immutable.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields =
        SelectableFields::TheseOfKind(&["metadata.name", "spec.nodeName", "spec.driver"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for!(prepare_for_status_update, validate_status_update);

    fn convert(body: &mut Value) -> Result<(), String> {
        let Some(spec) = body.get_mut("spec") else { return Ok(()) };
        quantities_as_text(spec.get_mut("sharedCounters"));
        for device in spec.get_mut("devices").and_then(Value::as_array_mut).into_iter().flatten() {
            quantities_as_text(device.get_mut("consumesCounters"));
            let capacity = device.get_mut("capacity").and_then(Value::as_object_mut);
            for capacity in capacity.into_iter().flat_map(|map| map.values_mut()) {
                capacity.get_mut("value").into_iter().for_each(prepare::to_text);
                for place in ["default", "validRange/min", "validRange/max", "validRange/step"] {
                    let field = capacity.pointer_mut(&format!("/requestPolicy/{place}"));
                    field.into_iter().for_each(prepare::to_text);
                }
                let values = capacity.pointer_mut("/requestPolicy/validValues").and_then(Value::as_array_mut);
                values.into_iter().flatten().for_each(prepare::to_text);
            }
        }
        Ok(())
    }

    fn default(this: &mut Rc<Self>) {
        capacity::canonical(&mut Rc::make_mut(this).spec);
    }

    fn prepare_for_create(this: &mut Rc<Self>, creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        drop_disabled(&mut this.spec, None);
        let devices = this.spec.devices.iter_mut().flatten();
        for taint in devices.flat_map(|d| d.taints.iter_mut().flatten()) {
            taint.time_added.get_or_insert(Time(creation.now));
        }
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        let changed = !semantic_eq(&this.spec, &old.spec);
        super::count_change(&mut this.metadata, &old.metadata, changed);
        drop_disabled(&mut this.spec, Some(&old.spec));
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, false, name_is_dns_subdomain);
        validate_spec(errs, &self.spec, None);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        validate_spec(errs, &self.spec, Some(&old.spec));
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let driver = &self.spec.driver;
        if driver.chars().any(char::is_uppercase) {
            let driver = go_quote(driver);
            out.push(format!(
                "spec.driver: driver names should be lowercase; {driver} contains uppercase characters"
            ));
        }
    }

    fn warnings_on_update(&self, _old: &Self, out: &mut Vec<String>) {
        self.warnings_on_create(out);
    }

    fn field(&self, path: &str) -> Option<String> {
        match path {
            "spec.nodeName" => Some(text(&self.spec.node_name).to_owned()),
            "spec.driver" => Some(self.spec.driver.clone()),
            _ => None,
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        vec![
            name(&self.metadata),
            text(&self.spec.node_name).to_owned(),
            self.spec.driver.clone(),
            self.spec.pool.name.clone(),
            created(&self.metadata, now),
        ]
    }
}

/// Turns the counters of sets from numbers into text.
fn quantities_as_text(sets: Option<&mut Value>) {
    for set in sets.and_then(Value::as_array_mut).into_iter().flatten() {
        let counters = set.get_mut("counters").and_then(Value::as_object_mut);
        for counter in counters.into_iter().flat_map(|map| map.values_mut()) {
            counter.get_mut("value").into_iter().for_each(prepare::to_text);
        }
    }
}

/// Drops the fields that belong to features which are off: lists as attributes (`DRAListTypeAttributes`) and devices that are
/// counted among a node's allocatable resources (`DRANodeAllocatableResources`). A slice that has them already keeps them.
fn drop_disabled(spec: &mut ResourceSliceSpec, old: Option<&ResourceSliceSpec>) {
    let had = |which: fn(&Device) -> bool| old.is_some_and(|old| list(&old.devices).iter().any(which));
    let had_lists = had(|d| {
        d.attributes.iter().flatten().any(|(_, a)| {
            a.bools.is_some() || a.ints.is_some() || a.strings.is_some() || a.versions.is_some()
        })
    });
    let had_mappings = had(|d| d.node_allocatable_resource_mappings.as_ref().is_some_and(|m| !m.is_empty()));
    for device in spec.devices.iter_mut().flatten() {
        if !had_mappings {
            device.node_allocatable_resource_mappings = None;
        }
        if had_lists {
            continue;
        }
        for attribute in device.attributes.iter_mut().flat_map(|a| a.values_mut()) {
            (attribute.bools, attribute.ints) = (None, None);
            (attribute.strings, attribute.versions) = (None, None);
        }
    }
}

fn validate_spec(errs: &mut Errors, spec: &ResourceSliceSpec, old: Option<&ResourceSliceSpec>) {
    let path = Path::new("spec");
    devices::driver_name(errs, &spec.driver, &path.child("driver"));
    validate_pool(errs, &spec.pool, &path.child("pool"));
    if let Some(old) = old {
        validate_immutable(errs, spec, old, &path);
    }
    let set = validate_nodes(errs, spec, &path);
    const ONE: &str =
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    match set.as_slice() {
        [] => errs.push(FieldError::required(&path, ONE)),
        [_] => {}
        more => {
            let why = format!("{ONE}, but multiple fields are set");
            errs.push(FieldError::invalid(&path, format!("{{{}}}", more.join(", ")).as_str(), why));
        }
    }
    if spec.shared_counters.is_some() && spec.devices.is_some() {
        errs.push(FieldError::invalid(&path, "", "only one of `sharedCounters` or `devices` is allowed"));
    }
    let all = list(&spec.devices);
    let advanced = |d: &Device| !list(&d.taints).is_empty() || !list(&d.consumes_counters).is_empty();
    let max = if all.iter().any(advanced) { MAX_ADVANCED_DEVICES } else { MAX_DEVICES };
    let at = path.child("devices");
    if devices::fits(errs, all, max, &at) {
        let before = |name: &str| old.and_then(|old| list(&old.devices).iter().find(|d| d.name == name));
        let each_on_its_node = spec.per_device_node_selection == Some(true);
        for (i, device) in all.iter().enumerate() {
            device::validate(errs, device, before(&device.name), each_on_its_node, &at.index(i));
        }
        devices::unique_texts(errs, all.iter().map(|d| d.name.as_str()), &at);
    }
    let (sets, at) = (list(&spec.shared_counters), path.child("sharedCounters"));
    if devices::fits(errs, sets, MAX_COUNTER_SETS, &at) {
        for (i, set) in sets.iter().enumerate() {
            capacity::counters(errs, "name", &set.name, &set.counters, &at.index(i));
        }
        devices::unique_texts(errs, sets.iter().map(|set| set.name.as_str()), &at);
    }
}

fn validate_pool(errs: &mut Errors, pool: &ResourcePool, path: &Path) {
    devices::pool_name(errs, &pool.name, &path.child("name"));
    if pool.resource_slice_count <= 0 {
        let at = path.child("resourceSliceCount");
        errs.push(FieldError::invalid(&at, pool.resource_slice_count, "must be greater than zero"));
    }
    if pool.generation < 0 {
        let why = "must be greater than or equal to zero";
        errs.push(FieldError::invalid(&path.child("generation"), pool.generation, why));
    }
}

/// The pool, the driver and the node of a slice stay what they are.
fn validate_immutable(errs: &mut Errors, spec: &ResourceSliceSpec, old: &ResourceSliceSpec, path: &Path) {
    if spec.pool.name != old.pool.name {
        errs.push(FieldError::invalid(&path.child("pool").child("name"), &spec.pool.name, IMMUTABLE));
    }
    if spec.driver != old.driver {
        errs.push(FieldError::invalid(&path.child("driver"), &spec.driver, IMMUTABLE));
    }
    if spec.node_name != old.node_name {
        errs.push(FieldError::invalid(&path.child("nodeName"), pointer(&spec.node_name), IMMUTABLE));
    }
}

/// Validates where the devices of a slice are, and says by which fields that is told.
fn validate_nodes(errs: &mut Errors, spec: &ResourceSliceSpec, path: &Path) -> Vec<&'static str> {
    let mut set = Vec::new();
    match spec.node_name.as_deref() {
        None => {}
        Some("") => {
            let why = "must be either unset or set to a non-empty string";
            errs.push(FieldError::invalid(&path.child("nodeName"), "", why));
        }
        Some(node) => {
            set.push("`nodeName`");
            node_name(errs, node, &path.child("nodeName"));
        }
    }
    if let Some(selector) = &spec.node_selector {
        set.push("`nodeSelector`");
        let at = path.child("nodeSelector");
        node_selector(errs, selector, &at);
        if selector.node_selector_terms.len() != 1 {
            let why = "must have exactly one node selector term";
            errs.push(FieldError::invalid(&at.child("nodeSelectorTerms"), quote_terms(selector), why));
        }
    }
    for (name, shown, flag) in [
        ("allNodes", "`allNodes`", spec.all_nodes),
        ("perDeviceNodeSelection", "`perDeviceNodeSelection`", spec.per_device_node_selection),
    ] {
        match flag {
            None => {}
            Some(true) => set.push(shown),
            Some(false) => {
                errs.push(FieldError::invalid(
                    &path.child(name),
                    false,
                    "must be either unset or set to true",
                ));
            }
        }
    }
    set
}

fn quote_terms(selector: &NodeSelector) -> BadValue {
    let terms = selector.node_selector_terms.iter();
    let terms = terms.map(|term| internal::quote("NodeSelectorTerm", term).to_string());
    BadValue::Json(format!("[{}]", terms.collect::<Vec<_>>().join(",")))
}

/// Validates the name of a node.
fn node_name(errs: &mut Errors, name: &str, path: &Path) {
    invalid_each(errs, path, name, name_is_dns_subdomain(name, false));
}
