//! A solution as claims have it in their status.

use std::collections::BTreeMap;

use super::request::devices_of;
use super::search::{ChosenDevice, RequestData, RequestKey, Search};
use crate::api::MetaExt;
use crate::api::types::resource::{
    AllocationResult, DeviceAllocationConfiguration, DeviceAllocationResult, DeviceClaimConfiguration,
    DeviceRequestAllocationResult, ResourceClaim,
};
use crate::api::types::{NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};

/// What all claims get, in their order.
///
/// # Errors
/// Why a claim cannot be told which nodes it is for.
pub(super) fn write(search: &Search<'_>) -> Result<Vec<AllocationResult>, String> {
    let of = |(index, claim): (usize, &std::rc::Rc<ResourceClaim>)| {
        let chosen = search.chosen.get(index).map(Vec::as_slice).unwrap_or_default();
        let node_selector = node_selector(search, chosen)
            .map_err(|why| format!("create NodeSelector for claim {}: {why}", claim.metadata.name()))?;
        let results: Vec<_> =
            chosen.iter().enumerate().filter_map(|(i, c)| device_result(search, claim, i, c)).collect();
        let config = config(search, index, claim);
        Ok(AllocationResult {
            allocation_timestamp: None,
            devices: Some(DeviceAllocationResult {
                config: (!config.is_empty()).then_some(config),
                results: (!results.is_empty()).then_some(results),
            }),
            node_selector,
        })
    };
    search.claims.iter().enumerate().map(of).collect()
}

fn device_result(
    search: &Search<'_>,
    claim: &ResourceClaim,
    index: usize,
    chosen: &ChosenDevice,
) -> Option<DeviceRequestAllocationResult> {
    let data = search.data.get(&chosen.key)?;
    let (_, device, id) = search.device(chosen.at)?;
    let consumed = chosen.share.as_ref().filter(|share| !share.is_empty());
    let quantities = |share: &super::state::Consumed| {
        share.iter().map(|(name, amount)| (name.clone(), amount.to_quantity())).collect()
    };
    Some(DeviceRequestAllocationResult {
        admin_access: data.request.admin_access().then_some(true),
        binding_conditions: device.binding_conditions.clone(),
        binding_failure_conditions: device.binding_failure_conditions.clone(),
        consumed_capacity: consumed.map(quantities),
        device: id.device.to_string(),
        driver: id.driver.to_string(),
        pool: id.pool.to_string(),
        request: data.name(),
        share_id: chosen.share.is_some().then(|| share_id(claim.metadata.uid(), index)),
        tolerations: data.request.tolerations().cloned(),
    })
}

/// The name of a claim's share of a device, in the form of a UUID. It is a hash of the claim's uid and of the result's index, in
/// place of chance (`GenerateShareID`).
fn share_id(claim: &str, index: usize) -> String {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for b in claim.bytes().chain(u64::try_from(index).unwrap_or_default().to_le_bytes()) {
        hash = (hash ^ u128::from(b)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    let version = (hash & !(0xf << 76)) | (0x4 << 76);
    let hex = format!("{:032x}", (version & !(0x3 << 62)) | (0x2 << 62));
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

/// The chosen alternative of a request, or the request itself.
fn chosen_data<'s, 'a>(search: &'s Search<'a>, claim: usize, request: usize) -> Option<&'s RequestData<'a>> {
    let key = RequestKey { claim, request, sub: 0 };
    let data = search.data.get(&key)?;
    search.data.get(&RequestKey { sub: data.selected, ..key })
}

/// The configurations of the classes, each once, and those of the claim.
fn config(search: &Search<'_>, index: usize, claim: &ResourceClaim) -> Vec<DeviceAllocationConfiguration> {
    let mut all: Vec<DeviceAllocationConfiguration> = Vec::new();
    let mut of_class: BTreeMap<&str, std::ops::Range<usize>> = BTreeMap::new();
    let devices = devices_of(claim);
    let requests = devices.and_then(|d| d.requests.as_deref()).unwrap_or_default();
    for i in 0..requests.len() {
        let Some(data) = chosen_data(search, index, i) else { continue };
        if let Some(range) = of_class.get(data.class.metadata.name()) {
            for config in all.get_mut(range.clone()).into_iter().flatten() {
                config.requests.get_or_insert_default().push(data.name());
            }
            continue;
        }
        let first = all.len();
        for config in data.class.spec.config.iter().flatten() {
            all.push(DeviceAllocationConfiguration {
                opaque: config.opaque.clone(),
                requests: Some(vec![data.name()]),
                source: "FromClass".to_owned(),
            });
        }
        of_class.insert(data.class.metadata.name(), first..all.len());
    }
    let from_claim = |config: &DeviceClaimConfiguration| DeviceAllocationConfiguration {
        opaque: config.opaque.clone(),
        requests: config.requests.clone(),
        source: "FromClaim".to_owned(),
    };
    for config in devices.and_then(|d| d.config.as_deref()).unwrap_or_default() {
        let named = config.requests.as_deref().unwrap_or_default();
        if named.is_empty() {
            all.push(from_claim(config));
            continue;
        }
        for (i, request) in requests.iter().enumerate() {
            let alternative =
                chosen_data(search, index, i).filter(|d| d.parent.is_some()).map(RequestData::name);
            if named.contains(&request.name) || alternative.is_some_and(|name| named.contains(&name)) {
                all.push(from_claim(config));
            }
        }
    }
    all
}

/// The nodes that can use all of the devices; `None` if all nodes can (`createNodeSelector`).
fn node_selector(search: &Search<'_>, chosen: &[ChosenDevice]) -> Result<Option<NodeSelector>, String> {
    let mut term = NodeSelectorTerm::default();
    for (slice, device, _) in chosen.iter().filter_map(|c| search.device(c.at)) {
        let by_device = slice.spec.per_device_node_selection == Some(true);
        let (name, selector) = if by_device {
            (&device.node_name, &device.node_selector)
        } else {
            (&slice.spec.node_name, &slice.spec.node_selector)
        };
        if name.is_some() || device.binds_to_node == Some(true) {
            return Ok(Some(one_node(search.node.metadata.name())));
        }
        match selector.as_ref().map(|s| s.node_selector_terms.as_slice()) {
            None | Some([]) => {}
            Some([one]) => {
                add_new(one.match_fields.as_ref(), &mut term.match_fields);
                add_new(one.match_expressions.as_ref(), &mut term.match_expressions);
            }
            Some(many) => {
                return Err(format!("unsupported ResourceSlice.NodeSelector with {} terms", many.len()));
            }
        }
    }
    let some = term.match_fields.is_some() || term.match_expressions.is_some();
    Ok(some.then(|| NodeSelector { node_selector_terms: vec![term] }))
}

fn one_node(name: &str) -> NodeSelector {
    let requirement = NodeSelectorRequirement {
        key: "metadata.name".to_owned(),
        operator: "In".to_owned(),
        values: Some(vec![name.to_owned()]),
    };
    let term = NodeSelectorTerm { match_fields: Some(vec![requirement]), match_expressions: None };
    NodeSelector { node_selector_terms: vec![term] }
}

/// Adds the requirements that are not there yet.
fn add_new(from: Option<&Vec<NodeSelectorRequirement>>, to: &mut Option<Vec<NodeSelectorRequirement>>) {
    let values = |r: &NodeSelectorRequirement| {
        let mut values = r.values.clone().unwrap_or_default();
        crate::api::order::sort(&mut values);
        values.dedup();
        values
    };
    for new in from.into_iter().flatten() {
        let same = |old: &NodeSelectorRequirement| {
            old.key == new.key && old.operator == new.operator && values(old) == values(new)
        };
        if !to.as_ref().is_some_and(|all| all.iter().any(same)) {
            to.get_or_insert_default().push(new.clone());
        }
    }
}
