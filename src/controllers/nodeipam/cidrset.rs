//! The ranges of a cluster's range that nodes have (`pkg/controller/nodeipam/ipam/cidrset`).

use ipnet::Ipv4Net;

use crate::api::persistent::Map;

/// A range that is cut into ranges of equal size, and which of these are taken.
#[derive(Clone, Debug, Default)]
pub(super) struct CidrSet {
    /// The ranges that are taken, by their index.
    used: Map<u32, ()>,
    /// The index at which the search for a free range begins.
    next_candidate: u32,
}

/// The ranges for nodes: the range of the whole cluster, and how many bits of an address are a node's range
/// (`--cluster-cidr`, `--node-cidr-mask-size`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranges {
    pub(super) cluster: Ipv4Net,
    pub(super) node_mask_size: u8,
}

impl Ranges {
    fn count(self) -> u32 {
        1u32.checked_shl(u32::from(self.node_mask_size.saturating_sub(self.cluster.prefix_len())))
            .unwrap_or(0)
    }

    fn bits(self) -> u32 {
        u32::from(32u8.saturating_sub(self.node_mask_size))
    }

    /// The range with this index (`indexToCIDRBlock`).
    fn range(self, index: u32) -> Option<Ipv4Net> {
        let address = u32::from(self.cluster.network()) | index.checked_shl(self.bits())?;
        Ipv4Net::new(address.into(), self.node_mask_size).ok()
    }

    /// The indexes of the ranges that a range touches (`getBeginningAndEndIndices`).
    fn indexes(self, range: Ipv4Net) -> Result<std::ops::RangeInclusive<u32>, String> {
        if !self.cluster.contains(&range) && !range.contains(&self.cluster) {
            return Err(format!("cidr {range} is out the range of cluster cidr {}", self.cluster));
        }
        if range.contains(&self.cluster) {
            return Ok(0..=self.count().saturating_sub(1));
        }
        let index = |address: std::net::Ipv4Addr| {
            (u32::from(address) ^ u32::from(self.cluster.network())).checked_shr(self.bits()).unwrap_or(0)
        };
        Ok(index(range.network())..=index(range.broadcast()))
    }
}

impl CidrSet {
    /// Takes the next free range; `None` if there is none (`AllocateNext`).
    pub(super) fn allocate_next(&mut self, of: Ranges) -> Option<Ipv4Net> {
        let count = of.count();
        let free = (0..count)
            .map(|i| (self.next_candidate + i) % count)
            .find(|candidate| !self.used.contains_key(candidate))?;
        self.next_candidate = (free + 1) % count;
        self.used.insert(free, ());
        of.range(free)
    }

    /// Takes a range, whether or not it is free (`Occupy`).
    ///
    /// # Errors
    /// The range is not a part of the cluster's.
    pub(super) fn occupy(&mut self, of: Ranges, range: Ipv4Net) -> Result<(), String> {
        self.used.extend(of.indexes(range)?.map(|index| (index, ())));
        Ok(())
    }

    /// Gives a range back (`Release`).
    ///
    /// # Errors
    /// The range is not a part of the cluster's.
    pub(super) fn release(&mut self, of: Ranges, range: Ipv4Net) -> Result<(), String> {
        of.indexes(range)?.for_each(|index| {
            self.used.remove(&index);
        });
        Ok(())
    }

    /// The ranges that are taken and where the next search begins, a line each.
    pub(super) fn lines(&self, of: Ranges) -> Vec<String> {
        let range = |index: u32| of.range(index).map(|r| r.to_string()).unwrap_or_default();
        let taken = self.used.keys().map(|index| format!("{} is taken", range(*index)));
        taken.chain([format!("looks from {} on", range(self.next_candidate))]).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn net(text: &str) -> Ipv4Net {
        text.parse().unwrap()
    }

    /// After `cidr_set_test.go`.
    #[test]
    fn ranges_are_taken_in_turn() {
        let of = Ranges { cluster: net("127.123.234.0/28"), node_mask_size: 30 };
        let mut set = CidrSet::default();
        let next = |set: &mut CidrSet| set.allocate_next(of).map(|r| r.to_string());
        assert_eq!(next(&mut set).as_deref(), Some("127.123.234.0/30"));
        assert_eq!(next(&mut set).as_deref(), Some("127.123.234.4/30"));
        set.release(of, net("127.123.234.0/30")).unwrap();
        // One that was given back waits for its turn.
        assert_eq!(next(&mut set).as_deref(), Some("127.123.234.8/30"));
        set.occupy(of, net("127.123.234.12/30")).unwrap();
        assert_eq!(next(&mut set).as_deref(), Some("127.123.234.0/30"));
        assert_eq!(next(&mut set), None);
    }

    #[test]
    fn a_larger_range_takes_all_that_it_touches() {
        let of = Ranges { cluster: net("10.0.0.0/8"), node_mask_size: 16 };
        let taken = |range: &str| {
            let mut set = CidrSet::default();
            set.occupy(of, net(range)).map(|()| (set.used.len(), set.used.keys().next().copied()))
        };
        assert_eq!(taken("10.0.0.0/8"), Ok((256, Some(0))));
        assert_eq!(taken("0.0.0.0/0"), Ok((256, Some(0))));
        assert_eq!(taken("10.128.0.0/9"), Ok((128, Some(128))));
        assert_eq!(taken("10.3.4.0/24"), Ok((1, Some(3))));
        let out = "cidr 11.0.0.0/16 is out the range of cluster cidr 10.0.0.0/8";
        assert_eq!(taken("11.0.0.0/16"), Err(out.to_owned()));
    }
}
