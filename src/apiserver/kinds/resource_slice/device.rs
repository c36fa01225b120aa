//! The devices of a slice (`validateDevice`).

use super::{capacity, node_name};
use crate::api::types::resource::{
    Device, DeviceAttribute, DeviceTaint, MAX_ATTRIBUTE_VALUE, MAX_ATTRIBUTES_AND_CAPACITIES, MAX_DOMAIN,
    MAX_ID,
};
use crate::apiserver::validation::meta::label_name;
use crate::apiserver::validation::scheduling::node_selector;
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, devices, internal, list, semantic_eq, text,
};

/// How many taints a device has (`DeviceTaintsMaxLength`).
const MAX_TAINTS: usize = 16;
/// How many sets of counters a device uses (`ResourceSliceMaxDeviceCounterConsumptionsPerDevice`).
const MAX_CONSUMPTIONS: usize = 2;

/// Validates a device. `old` is the device of the same name before, `each_on_its_node` whether every device of the slice says
/// where it is.
pub(super) fn validate(
    errs: &mut Errors,
    device: &Device,
    old: Option<&Device>,
    each_on_its_node: bool,
    path: &Path,
) {
    devices::device_name(errs, &device.name, &path.child("name"));
    let (attributes, amounts) = (device.attributes.as_ref(), device.capacity.as_ref());
    let count = attributes.map_or(0, |a| a.len()) + amounts.map_or(0, |c| c.len());
    if count > MAX_ATTRIBUTES_AND_CAPACITIES {
        let why = format!(
            "the total number of attributes and capacities must not exceed {MAX_ATTRIBUTES_AND_CAPACITIES}"
        );
        errs.push(FieldError::invalid(path, i64::try_from(count).unwrap_or(i64::MAX), why));
    }
    let at = path.child("attributes");
    for (name, attribute) in attributes.into_iter().flatten() {
        devices::qualified_name(errs, name, &at);
        validate_attribute(errs, attribute, &at.key(&shortened(name)));
    }
    let shared = device.allow_multiple_allocations == Some(true);
    let same = |old: &Device| {
        semantic_eq(&old.capacity, &device.capacity)
            && (old.allow_multiple_allocations == Some(true)) == shared
    };
    if !old.is_some_and(same) {
        let at = path.child("capacity");
        for (name, amount) in amounts.into_iter().flatten() {
            devices::qualified_name(errs, name, &at);
            capacity::validate(errs, amount, shared, &at.key(&shortened(name)));
        }
    }
    if old.is_none_or(|old| !semantic_eq(&old.taints, &device.taints)) {
        let (taints, at) = (list(&device.taints), path.child("taints"));
        if devices::fits(errs, taints, MAX_TAINTS, &at) {
            for (i, taint) in taints.iter().enumerate() {
                validate_taint(errs, taint, &at.index(i));
            }
        }
    }
    let (consumed, at) = (list(&device.consumes_counters), path.child("consumesCounters"));
    if devices::fits(errs, consumed, MAX_CONSUMPTIONS, &at) {
        for (i, of) in consumed.iter().enumerate() {
            capacity::counters(errs, "counterSet", &of.counter_set, &of.counters, &at.index(i));
        }
        devices::unique_texts(errs, consumed.iter().map(|c| c.counter_set.as_str()), &at);
    }
    validate_node(errs, device, each_on_its_node, path);
    let (conditions, failures) = (list(&device.binding_conditions), list(&device.binding_failure_conditions));
    devices::binding_conditions(errs, conditions, failures, path);
}

/// A key as paths have it: the middle of one that is too long is left out (`truncateIfTooLong`).
fn shortened(key: &str) -> String {
    const MAX: usize = MAX_DOMAIN + 1 + MAX_ID;
    if key.len() <= MAX {
        return key.to_owned();
    }
    let rest = MAX - "...".len();
    let begin = key.get(..rest.div_ceil(2)).unwrap_or_default();
    let end = key.get(key.len() - rest / 2..).unwrap_or_default();
    format!("{begin}...{end}")
}

/// Validates where a device is.
fn validate_node(errs: &mut Errors, device: &Device, each_on_its_node: bool, path: &Path) {
    const ONE: &str = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    if !each_on_its_node {
        if device.node_name.is_some() || device.node_selector.is_some() || device.all_nodes.is_some() {
            let why = "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
            errs.push(FieldError::invalid(path, BadValue::Json("null".to_owned()), why));
        }
        return;
    }
    let mut set = Vec::new();
    match device.node_name.as_deref() {
        None => {}
        Some("") => errs.push(FieldError::invalid(&path.child("nodeName"), "", "must not be empty")),
        Some(node) => {
            set.push("`nodeName`");
            node_name(errs, node, &path.child("nodeName"));
        }
    }
    if let Some(selector) = &device.node_selector {
        set.push("`nodeSelector`");
        node_selector(errs, selector, &path.child("nodeSelector"));
    }
    match device.all_nodes {
        None => {}
        Some(true) => set.push("`allNodes`"),
        Some(false) => {
            let why = "must be either unset or set to true";
            errs.push(FieldError::invalid(&path.child("allNodes"), false, why));
        }
    }
    match set.as_slice() {
        [] => errs.push(FieldError::required(path, ONE)),
        [_] => {}
        more => errs.push(FieldError::invalid(path, format!("{{{}}}", more.join(", ")).as_str(), ONE)),
    }
}

fn validate_attribute(errs: &mut Errors, attribute: &DeviceAttribute, path: &Path) {
    const ONE: &str = "exactly one value must be specified";
    if text(&attribute.string).len() > MAX_ATTRIBUTE_VALUE {
        errs.push(FieldError::too_long(&path.child("string"), MAX_ATTRIBUTE_VALUE));
    }
    if let Some(version) = &attribute.version {
        let at = path.child("version");
        if !is_semver(version) {
            let why = "must be a string compatible with semver.org spec 2.0.0";
            errs.push(FieldError::invalid(&at, version, why));
        }
        if version.len() > MAX_ATTRIBUTE_VALUE {
            errs.push(FieldError::too_long(&at, MAX_ATTRIBUTE_VALUE));
        }
    }
    let set = [
        attribute.bool.is_some(),
        attribute.int.is_some(),
        attribute.string.is_some(),
        attribute.version.is_some(),
        attribute.bools.is_some(),
        attribute.ints.is_some(),
        attribute.strings.is_some(),
        attribute.versions.is_some(),
    ];
    match set.iter().filter(|set| **set).count() {
        0 => errs.push(FieldError::invalid(path, "", ONE)),
        1 => {}
        _ => errs.push(FieldError::invalid(path, internal::quote("DeviceAttribute", attribute), ONE)),
    }
}

/// Whether a text is a version of <https://semver.org>.
fn is_semver(version: &str) -> bool {
    let (version, build) = version.split_once('+').map_or((version, None), |(v, b)| (v, Some(b)));
    let (numbers, pre) = version.split_once('-').map_or((version, None), |(v, p)| (v, Some(p)));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let number = |text: &str| digits(text) && (text == "0" || !text.starts_with('0'));
    let word = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
    let mut parts = numbers.split('.');
    let three = parts.clone().count() == 3 && parts.all(number);
    let pre = pre.is_none_or(|pre| pre.split('.').all(|p| word(p) && (!digits(p) || number(p))));
    three && pre && build.is_none_or(|build| build.split('.').all(word))
}

fn validate_taint(errs: &mut Errors, taint: &DeviceTaint, path: &Path) {
    label_name(errs, &taint.key, &path.child("key"));
    let value = text(&taint.value);
    if !value.is_empty() {
        devices::label_value(errs, value, &path.child("value"));
    }
    match taint.effect.as_str() {
        "" => errs.push(FieldError::required(&path.child("effect"), "")),
        effect if devices::EFFECTS.contains(&effect) => {}
        other => errs.push(FieldError::not_supported(&path.child("effect"), other, &devices::EFFECTS)),
    }
}
