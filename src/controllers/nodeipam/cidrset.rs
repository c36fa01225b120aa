//! The ranges of a cluster's range that nodes have (`pkg/controller/nodeipam/ipam/cidrset`).

use ipnet::IpNet;

use crate::api::ip_family::{self, PodRange};
use crate::api::persistent::Map;

/// A range that is cut into ranges of equal size, and which of these are taken.
#[derive(Clone, Debug)]
pub(super) struct CidrSet {
    of: PodRange,
    /// The ranges that are taken, by their index.
    used: Map<u32, ()>,
    /// The index at which the search for a free range begins.
    next_candidate: u32,
}

impl CidrSet {
    /// A set of which nothing is taken.
    pub(super) fn new(of: PodRange) -> CidrSet {
        CidrSet { of, used: Map::default(), next_candidate: 0 }
    }

    /// How many ranges there are.
    fn count(&self) -> u32 {
        let bits = self.of.node_mask_size.saturating_sub(self.of.cluster.prefix_len());
        1u32.checked_shl(u32::from(bits)).unwrap_or(0)
    }

    /// How many bits of an address are left to a node.
    fn bits(&self) -> u32 {
        u32::from(self.of.cluster.max_prefix_len().saturating_sub(self.of.node_mask_size))
    }

    /// The range with this index (`indexToCIDRBlock`).
    fn range(&self, index: u32) -> Option<IpNet> {
        let first = ip_family::number(self.of.cluster.network());
        let number = first | u128::from(index).checked_shl(self.bits())?;
        IpNet::new(ip_family::address(&self.of.cluster, number)?, self.of.node_mask_size).ok()
    }

    /// The indexes of the ranges that a range touches (`getBeginningAndEndIndices`).
    fn indexes(&self, range: IpNet) -> Result<std::ops::RangeInclusive<u32>, String> {
        let cluster = self.of.cluster;
        if !cluster.contains(&range) && !range.contains(&cluster) {
            return Err(format!("cidr {range} is out the range of cluster cidr {cluster}"));
        }
        if range.contains(&cluster) {
            return Ok(0..=self.count().saturating_sub(1));
        }
        let index = |address| {
            let offset = ip_family::number(address) ^ ip_family::number(cluster.network());
            // An address of the range of the cluster: the index is less than their count.
            u32::try_from(offset.checked_shr(self.bits()).unwrap_or(0)).unwrap_or(0)
        };
        Ok(index(range.network())..=index(range.broadcast()))
    }

    /// Takes the next free range; `None` if there is none (`AllocateNext`).
    pub(super) fn allocate_next(&mut self) -> Option<IpNet> {
        let count = self.count();
        let free = (0..count)
            .map(|i| (self.next_candidate + i) % count)
            .find(|candidate| !self.used.contains_key(candidate))?;
        self.next_candidate = (free + 1) % count;
        self.used.insert(free, ());
        self.range(free)
    }

    /// Takes a range, whether or not it is free (`Occupy`).
    ///
    /// # Errors
    /// The range is not a part of the cluster's.
    pub(super) fn occupy(&mut self, range: IpNet) -> Result<(), String> {
        let indexes = self.indexes(range)?;
        self.used.extend(indexes.map(|index| (index, ())));
        Ok(())
    }

    /// Gives a range back (`Release`).
    ///
    /// # Errors
    /// The range is not a part of the cluster's.
    pub(super) fn release(&mut self, range: IpNet) -> Result<(), String> {
        self.indexes(range)?.for_each(|index| {
            self.used.remove(&index);
        });
        Ok(())
    }

    /// The ranges that are taken and where the next search begins, a line each.
    pub(super) fn lines(&self) -> Vec<String> {
        let range = |index: u32| self.range(index).map(|r| r.to_string()).unwrap_or_default();
        let taken = self.used.keys().map(|index| format!("{} is taken", range(*index)));
        taken.chain([format!("looks from {} on", range(self.next_candidate))]).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn net(text: &str) -> IpNet {
        text.parse().unwrap()
    }

    fn set(cluster: &str, node_mask_size: u8) -> CidrSet {
        CidrSet::new(PodRange { cluster: net(cluster), node_mask_size })
    }

    /// After `cidr_set_test.go`.
    #[test]
    fn ranges_are_taken_in_turn() {
        let mut set = set("127.123.234.0/28", 30);
        let next = |set: &mut CidrSet| set.allocate_next().map(|r| r.to_string());
        assert_eq!(next(&mut set).as_deref(), Some("127.123.234.0/30"));
        assert_eq!(next(&mut set).as_deref(), Some("127.123.234.4/30"));
        set.release(net("127.123.234.0/30")).unwrap();
        // One that was given back waits for its turn.
        assert_eq!(next(&mut set).as_deref(), Some("127.123.234.8/30"));
        set.occupy(net("127.123.234.12/30")).unwrap();
        assert_eq!(next(&mut set).as_deref(), Some("127.123.234.0/30"));
        assert_eq!(next(&mut set), None);
    }

    /// After `cidr_set_test.go`, `TestCIDRSetFullyAllocated` and `TestGetBitforCIDR`.
    #[test]
    fn ranges_of_ipv6_are_taken_in_turn() {
        let mut six = set("beef:1234::/30", 32);
        let ranges: Vec<String> = std::iter::from_fn(|| six.allocate_next()).map(|r| r.to_string()).collect();
        assert_eq!(ranges, ["beef:1234::/32", "beef:1235::/32", "beef:1236::/32", "beef:1237::/32"]);
        let taken = |cluster: &str, mask, range: &str| {
            let mut set = set(cluster, mask);
            set.occupy(net(range)).map(|()| set.used.keys().copied().collect::<Vec<_>>())
        };
        assert_eq!(taken("beef::/16", 32, "beef:3::/32"), Ok(vec![3]));
        assert_eq!(taken("fd00:10:244::/56", 64, "fd00:10:244:ff::/64"), Ok(vec![255]));
        let out = "cidr fd00::/64 is out the range of cluster cidr fd00:10:244::/56";
        assert_eq!(taken("fd00:10:244::/56", 64, "fd00::/64"), Err(out.to_owned()));
    }

    #[test]
    fn a_larger_range_takes_all_that_it_touches() {
        let taken = |range: &str| {
            let mut set = set("10.0.0.0/8", 16);
            set.occupy(net(range)).map(|()| (set.used.len(), set.used.keys().next().copied()))
        };
        assert_eq!(taken("10.0.0.0/8"), Ok((256, Some(0))));
        assert_eq!(taken("0.0.0.0/0"), Ok((256, Some(0))));
        assert_eq!(taken("10.128.0.0/9"), Ok((128, Some(128))));
        assert_eq!(taken("10.3.4.0/24"), Ok((1, Some(3))));
        let out = "cidr 11.0.0.0/16 is out the range of cluster cidr 10.0.0.0/8";
        assert_eq!(taken("11.0.0.0/16"), Err(out.to_owned()));
    }
}
