//! The allocator of cluster IPs (`pkg/registry/core/service/ipallocator`): a Service gets its address from a range of a
//! ServiceCIDR that is ready, and an IPAddress notes who has it.
//!
//! Kubernetes reads both kinds from its informers' caches, which may be behind; here they are read as they are stored.

use std::net::IpAddr;
use std::rc::Rc;

use ipnet::IpNet;

use crate::api::ip_family;
use crate::api::service_cidr::{cluster_ips, family, gives, ip_address, is_ready, ranges};
use crate::api::types::{ObjectMeta, Service, ServiceCIDR};
use crate::api::{ApiKind, Key, Kind, Object, ObjectRef, order};
use crate::apimachinery::{Body, Request, Verb};
use crate::apiserver::context::RequestContext;
use crate::apiserver::{ApiServer, OWN_USER};

/// `ErrFull`
pub(super) const FULL: &str = "range is full";
/// `ErrAllocated`
const ALLOCATED: &str = "provided IP is already allocated";
/// `ErrMismatchedNetwork`
const MISMATCHED_NETWORK: &str = "the provided network does not match the current range";
/// `ErrNotReady`
const NOT_READY: &str = "allocator not ready";

/// Why no address was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unavailable {
    /// No range has a free one.
    Full,
    /// Something else, in its own words.
    Other(String),
}

/// The addresses that a request takes and gives back. If the request fails, what it took is given back, and what it
/// wanted to give back is kept.
#[derive(Debug, Default)]
pub(in crate::apiserver) struct Transaction {
    allocated: Vec<String>,
    released: Vec<String>,
}

impl Transaction {
    /// Takes an address for a Service.
    ///
    /// # Errors
    /// The words of the refusal: no range has the address, or somebody else has it.
    pub(super) fn allocate(
        &mut self,
        api: &mut ApiServer,
        ip: &str,
        service: &ObjectMeta,
        dry_run: bool,
    ) -> Result<(), String> {
        let mut ready = service_ranges(api).into_iter().filter(|(_, ready)| *ready);
        let address = ip.parse().ok().filter(|a| ready.any(|(range, _)| gives(&range, *a)));
        let address = address.ok_or(MISMATCHED_NETWORK)?;
        if dry_run {
            return Ok(());
        }
        create(api, address, service)?;
        self.allocated.push(ip.to_owned());
        Ok(())
    }

    /// Takes the first free address of a family for a Service. Kubernetes begins to look for one at a random place.
    ///
    /// # Errors
    /// No range has a free address, or is ready.
    pub(super) fn allocate_next(
        &mut self,
        api: &mut ApiServer,
        of_family: &str,
        service: &ObjectMeta,
        dry_run: bool,
    ) -> Result<String, Unavailable> {
        let mut ranges = service_ranges(api);
        ranges.retain(|(range, _)| family(range.network()) == of_family);
        if dry_run {
            // Nobody looks for a free address: the answer has the first address of any range, which nobody can have.
            let first = ranges.first().filter(|(_, ready)| *ready);
            let first = first.map(|(range, _)| range.network().to_string());
            return first.ok_or_else(|| Unavailable::Other(NOT_READY.to_owned()));
        }
        for (range, _) in ranges.into_iter().filter(|(_, ready)| *ready) {
            let free = |ip: &IpAddr| {
                let key = Key::new("", &ip.to_string());
                api.etcd.get(&ObjectRef { kind: Kind::IP_ADDRESS, key }).is_none()
            };
            let [dynamic, fixed] = bands(range);
            let mut all = dynamic.chain(fixed).filter_map(|n| ip_family::address(&range, n));
            if let Some(ip) = all.find(free) {
                create(api, ip, service).map_err(Unavailable::Other)?;
                self.allocated.push(ip.to_string());
                return Ok(ip.to_string());
            }
        }
        Err(Unavailable::Full)
    }

    /// Gives an address back if the request succeeds.
    pub(super) fn release(&mut self, ip: &str) {
        self.released.push(ip.to_owned());
    }

    /// Ends the request.
    pub(in crate::apiserver) fn finish(self, api: &mut ApiServer, succeeded: bool) {
        let free = if succeeded { self.released } else { self.allocated };
        free.iter().for_each(|ip| release(api, ip));
    }
}

/// Gives the addresses of a Service back that is gone (`releaseAllocatedResources`).
pub(in crate::apiserver) fn release_all(api: &mut ApiServer, service: &Object) {
    let Some(service) = Service::from_object(service).map(Rc::clone) else { return };
    cluster_ips(&service).iter().for_each(|ip| release(api, ip));
}

/// The ranges of all ServiceCIDRs, those of the oldest one first, and whether addresses of each can be given out. A range
/// that several ServiceCIDRs have is there once, and ready if one of them is. There are no allocators for families that
/// the cluster does not have, and none for IPv6 ranges of more than 64 bits.
fn service_ranges(api: &ApiServer) -> Vec<(IpNet, bool)> {
    const SHORTEST_IPV6_PREFIX: u8 = 64;
    let families = api.ip_family().families();
    let stored = api.etcd.range(Kind::SERVICE_CIDR, None);
    let mut all: Vec<&Rc<ServiceCIDR>> =
        stored.filter_map(|(_, record)| ServiceCIDR::from_object(&record.object)).collect();
    order::sort_by_key(&mut all, |cidr| cidr.metadata.creation_timestamp.as_ref().map(|t| t.0));
    let mut found: Vec<(IpNet, bool)> = Vec::new();
    for cidr in all {
        for range in ranges(cidr) {
            let too_large = range.network().is_ipv6() && range.prefix_len() < SHORTEST_IPV6_PREFIX;
            if too_large || !families.contains(&family(range.network())) {
                continue;
            }
            match found.iter_mut().find(|(other, _)| *other == range) {
                Some((_, ready)) => *ready |= is_ready(cidr),
                None => found.push((range, is_ready(cidr))),
            }
        }
    }
    found
}

/// The addresses of a range in two bands: those that are given out first, and those below them, which are left to whoever
/// asks for one of them as long as there are others (KEP-3070, `calculateRangeOffset`).
///
/// The first address is given to nobody, nor is the last one of an IPv4 range.
fn bands(range: IpNet) -> [std::ops::Range<u128>; 2] {
    const MIN: u128 = 16;
    const MAX: u128 = 256;
    const STEP: u128 = 16;
    let bits = range.max_prefix_len().saturating_sub(range.prefix_len());
    let size = 1u128.checked_shl(u32::from(bits)).unwrap_or(u128::MAX);
    let offset = if size < MIN { 0 } else { (size / STEP).clamp(MIN, MAX) };
    let first = ip_family::number(range.network()).saturating_add(1);
    let last = ip_family::number(range.broadcast());
    let end = if range.network().is_ipv4() { last } else { last.saturating_add(1) };
    let middle = first.saturating_add(offset).min(end);
    [middle..end, first..middle]
}

fn create(api: &mut ApiServer, address: IpAddr, service: &ObjectMeta) -> Result<(), String> {
    let object = Object::from(Rc::new(ip_address(address, service)));
    let request = Request::new(&OWN_USER.into(), Verb::Create, Kind::IP_ADDRESS, object.key());
    let request = request.body(Body::Object(object.clone()));
    match api.create_object(&request, object, &mut RequestContext::default()) {
        Ok(_) => Ok(()),
        Err(refusal) if refusal.is_already_exists() => Err(ALLOCATED.to_owned()),
        Err(refusal) => Err(refusal.message),
    }
}

/// Deletes the IPAddress of an address, whoever its parent is. An address that no ServiceCIDR has is left alone.
fn release(api: &mut ApiServer, ip: &str) {
    let Ok(address) = ip.parse::<IpAddr>() else { return };
    if !service_ranges(api).iter().any(|(range, _)| gives(range, address)) {
        return;
    }
    let key = Key::new("", &address.to_string());
    let request = Request::new(&OWN_USER.into(), Verb::Delete, Kind::IP_ADDRESS, key);
    // If the IPAddress is gone already, the address is free. The repair loop finds what is left for another reason.
    let _ = api.delete(&request, &mut RequestContext::default());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::bands;

    #[test]
    fn addresses_are_given_out_from_the_upper_band_first() {
        let of = |range: &str| {
            bands(range.parse().unwrap()).map(|band| {
                let range: ipnet::IpNet = range.parse().unwrap();
                let text = |ip| crate::api::ip_family::address(&range, ip).unwrap().to_string();
                if band.is_empty() {
                    String::new()
                } else {
                    format!("{} {}", text(band.start), text(band.end - 1))
                }
            })
        };
        assert_eq!(of("10.96.0.0/16"), ["10.96.1.1 10.96.255.254", "10.96.0.1 10.96.1.0"]);
        assert_eq!(of("10.0.0.0/24"), ["10.0.0.17 10.0.0.254", "10.0.0.1 10.0.0.16"]);
        // A range with no more addresses than the lower band has.
        assert_eq!(of("10.0.0.0/28"), ["", "10.0.0.1 10.0.0.14"]);
        assert_eq!(of("10.0.0.0/30"), ["10.0.0.1 10.0.0.2", ""]);
        for range in ["10.0.0.0/31", "10.0.0.0/32", "255.255.255.255/32"] {
            assert_eq!(of(range), ["", ""]);
        }
        assert_eq!(
            of("fd00:10:96::/112"),
            ["fd00:10:96::101 fd00:10:96::ffff", "fd00:10:96::1 fd00:10:96::100"]
        );
        assert_eq!(of("fd00::/126"), ["fd00::1 fd00::3", ""]);
        assert_eq!(of("fd00::/128"), ["", ""]);
        assert_eq!(of("0.0.0.0/0"), ["0.0.1.1 255.255.255.254", "0.0.0.1 0.0.1.0"]);
    }
}
