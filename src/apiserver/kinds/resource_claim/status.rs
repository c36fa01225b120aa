//! What may be written into the status of a claim (`ValidateResourceClaimStatusUpdate`).

use std::collections::BTreeSet;

use crate::api::MetaExt;
use crate::api::types::ResourceClaim;
use crate::api::types::resource::{
    AllocatedDeviceStatus, AllocationResult, DeviceAllocationConfiguration, DeviceRequestAllocationResult,
    MAX_RESERVED_FOR, NetworkDeviceData, ResourceClaimConsumerReference, ResourceClaimStatus,
};
use crate::apiserver::validation::devices::{self, MAX_CONFIG, MAX_REQUESTS, RequestNames};
use crate::apiserver::validation::ip::parse_cidr;
use crate::apiserver::validation::meta::{IMMUTABLE, conditions};
use crate::apiserver::validation::scheduling::node_selector;
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, go_json_string, go_quote, internal, list, semantic_eq, text,
};

/// How many conditions the status of a device has (`AllocatedDeviceStatusMaxConditions`).
const MAX_CONDITIONS: usize = 8;
/// The size of what a driver says of a device, in bytes (`AllocatedDeviceStatusDataMaxLength`).
const MAX_DATA: usize = 10 * 1024;
/// `NetworkDeviceDataInterfaceNameMaxLength`, in bytes.
const MAX_INTERFACE: usize = 256;
/// `NetworkDeviceDataHardwareAddressMaxLength`, in bytes.
const MAX_HARDWARE_ADDRESS: usize = 128;
/// `NetworkDeviceDataMaxIPs`
const MAX_IPS: usize = 16;

/// What tells an allocated device, or the share of one, from others.
type DeviceId<'a> = (&'a str, &'a str, &'a str, &'a str);

pub(super) fn validate(errs: &mut Errors, this: &ResourceClaim, old: &ResourceClaim) {
    let none = ResourceClaimStatus::default();
    let (status, before) = (this.status.as_ref().unwrap_or(&none), old.status.as_ref().unwrap_or(&none));
    let path = Path::new("status");
    let (reserved, at) = (list(&status.reserved_for), path.child("reservedFor"));
    if devices::fits(errs, reserved, MAX_RESERVED_FOR, &at) {
        for (i, consumer) in reserved.iter().enumerate() {
            validate_consumer(errs, consumer, &at.index(i));
        }
        devices::unique_texts(errs, reserved.iter().map(|r| r.uid.as_str()), &at);
    }
    let allocated = allocated(status.allocation.as_ref());
    let at_devices = path.child("devices");
    let reported = list(&status.devices);
    for (i, device) in reported.iter().enumerate() {
        validate_device(errs, device, &allocated, &at_devices.index(i));
    }
    devices::unique(errs, reported.iter().map(id_of), &at_devices, quote_id);
    if !reserved.is_empty() {
        if status.allocation.is_none() {
            errs.push(FieldError::forbidden(&at, "may not be specified when `allocated` is not set"));
        } else if this.metadata.is_deleting()
            && reserved.iter().any(|r| !list(&before.reserved_for).contains(r))
        {
            let why =
                "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
            errs.push(FieldError::forbidden(&at, why));
        }
    }
    let at = path.child("allocation");
    match (&status.allocation, &before.allocation) {
        (Some(new), Some(old)) => {
            if !semantic_eq(new, old) {
                errs.push(FieldError::invalid(&at, internal::quote("AllocationResult", new), IMMUTABLE));
            }
        }
        (Some(new), None) => validate_allocation(errs, new, &RequestNames::of(&this.spec), &at),
        (None, _) => {}
    }
}

fn validate_consumer(errs: &mut Errors, consumer: &ResourceClaimConsumerReference, path: &Path) {
    for (name, value) in [("resource", &consumer.resource), ("name", &consumer.name), ("uid", &consumer.uid)]
    {
        if value.is_empty() {
            errs.push(FieldError::required(&path.child(name), ""));
        }
    }
}

fn allocated(allocation: Option<&AllocationResult>) -> BTreeSet<DeviceId<'_>> {
    let results = allocation.and_then(|a| a.devices.as_ref()).map_or(&[][..], |d| list(&d.results));
    results.iter().map(result_id).collect()
}

fn result_id(result: &DeviceRequestAllocationResult) -> DeviceId<'_> {
    (&result.driver, &result.pool, &result.device, text(&result.share_id))
}

fn id_of(device: &AllocatedDeviceStatus) -> DeviceId<'_> {
    (&device.driver, &device.pool, &device.device, text(&device.share_id))
}

/// `structured.SharedDeviceID`, whose fields are unique strings that JSON shows as text.
fn quote_id((driver, pool, device, share): &DeviceId<'_>) -> BadValue {
    let [driver, pool, device, share] = [driver, pool, device, share].map(|s| go_json_string(s));
    BadValue::Json(format!(r#"{{"Driver":{driver},"Pool":{pool},"Device":{device},"ShareID":{share}}}"#))
}

fn validate_allocation(
    errs: &mut Errors,
    allocation: &AllocationResult,
    names: &RequestNames<'_>,
    path: &Path,
) {
    let at = path.child("devices");
    let none = Default::default();
    let devices = allocation.devices.as_ref().unwrap_or(&none);
    let (results, at_results) = (list(&devices.results), at.child("results"));
    if devices::fits(errs, results, MAX_REQUESTS, &at_results) {
        for (i, result) in results.iter().enumerate() {
            validate_result(errs, result, names, &at_results.index(i));
        }
    }
    // Those of the class and those of the claim.
    let (config, at_config) = (list(&devices.config), at.child("config"));
    if devices::fits(errs, config, 2 * MAX_CONFIG, &at_config) {
        for (i, config) in config.iter().enumerate() {
            validate_config(errs, config, names, &at_config.index(i));
        }
    }
    if let Some(selector) = &allocation.node_selector {
        node_selector(errs, selector, &path.child("nodeSelector"));
    }
}

fn validate_result(
    errs: &mut Errors,
    result: &DeviceRequestAllocationResult,
    names: &RequestNames<'_>,
    path: &Path,
) {
    names.reference(errs, &result.request, &path.child("request"));
    devices::driver_name(errs, &result.driver, &path.child("driver"));
    devices::pool_name(errs, &result.pool, &path.child("pool"));
    devices::device_name(errs, &result.device, &path.child("device"));
    let (conditions, failures) = (list(&result.binding_conditions), list(&result.binding_failure_conditions));
    devices::binding_conditions(errs, conditions, failures, path);
    devices::tolerations(errs, list(&result.tolerations), &path.child("tolerations"));
    if let Some(share) = &result.share_id {
        validate_uid(errs, share, &path.child("shareID"));
    }
}

fn validate_config(
    errs: &mut Errors,
    config: &DeviceAllocationConfiguration,
    names: &RequestNames<'_>,
    path: &Path,
) {
    let at = path.child("source");
    match config.source.as_str() {
        "" => errs.push(FieldError::required(&at, "")),
        "FromClaim" | "FromClass" => {}
        other => errs.push(FieldError::not_supported(&at, other, &["FromClaim", "FromClass"])),
    }
    names.references(errs, list(&config.requests), &path.child("requests"));
    devices::configuration(errs, config.opaque.as_ref(), false, path);
}

fn validate_device(
    errs: &mut Errors,
    device: &AllocatedDeviceStatus,
    allocated: &BTreeSet<DeviceId<'_>>,
    path: &Path,
) {
    devices::driver_name(errs, &device.driver, &path.child("driver"));
    devices::pool_name(errs, &device.pool, &path.child("pool"));
    devices::device_name(errs, &device.device, &path.child("device"));
    if let Some(share) = &device.share_id {
        validate_uid(errs, share, &path.child("shareID"));
    }
    if !allocated.contains(&id_of(device)) {
        let why = "must be an allocated device in the claim";
        errs.push(FieldError::invalid(path, quote_id(&id_of(device)), why));
    }
    let at = path.child("conditions");
    let said = list(&device.conditions);
    devices::fits(errs, said, MAX_CONDITIONS, &at);
    conditions(errs, said, &at);
    if let Some(data) = &device.data {
        devices::raw_extension(errs, data, Some(MAX_DATA), &path.child("data"));
    }
    if let Some(data) = &device.network_data {
        validate_network(errs, data, &path.child("networkData"));
    }
}

fn validate_network(errs: &mut Errors, data: &NetworkDeviceData, path: &Path) {
    for (name, value, max) in [
        ("interfaceName", &data.interface_name, MAX_INTERFACE),
        ("hardwareAddress", &data.hardware_address, MAX_HARDWARE_ADDRESS),
    ] {
        if text(value).len() > max {
            errs.push(FieldError::too_long(&path.child(name), max));
        }
    }
    let (ips, at) = (list(&data.ips), path.child("ips"));
    if devices::fits(errs, ips, MAX_IPS, &at) {
        for (i, ip) in ips.iter().enumerate() {
            validate_interface_address(errs, ip, &at.index(i));
        }
        devices::unique_texts(errs, ips.iter().map(String::as_str), &at);
    }
}

/// An address with the size of its network, in its one form (`IsValidInterfaceAddress`).
fn validate_interface_address(errs: &mut Errors, value: &str, path: &Path) {
    let Some((ip, bits)) = parse_cidr(value) else {
        let why = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
        errs.push(FieldError::invalid(path, value, why));
        return;
    };
    // In Go an IPv4 address in IPv6's form is an IPv4 address.
    let (ip, was_v6) = (ip.to_canonical(), ip.is_ipv6());
    let bits = if ip.is_ipv4() && was_v6 { bits.saturating_sub(96) } else { bits };
    let canonical = format!("{ip}/{bits}");
    if value != canonical {
        let why = format!("must be in canonical form ({})", go_quote(&canonical));
        errs.push(FieldError::invalid(path, value, why));
    }
}

/// The uid of a share of a device (`validateUID`).
fn validate_uid(errs: &mut Errors, uid: &str, path: &Path) {
    let hyphens = [8, 13, 18, 23];
    let fits = uid.len() == 36
        && uid.bytes().enumerate().all(
            |(i, c)| {
                if hyphens.contains(&i) { c == b'-' } else { c.is_ascii_hexdigit() }
            },
        );
    if !fits {
        let why = if uid.len() == 36 { "invalid UUID format".to_owned() } else { wrong_length(uid) };
        errs.push(FieldError::invalid(path, uid, format!("error validating uid: {why}")));
    } else if uid.bytes().any(|c| c.is_ascii_uppercase()) {
        let why = "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
        errs.push(FieldError::invalid(path, uid, why));
    }
}

fn wrong_length(uid: &str) -> String {
    format!("invalid UUID length: {}", uid.len())
}
