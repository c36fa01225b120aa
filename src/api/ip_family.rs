//! The address families of a cluster, and the ranges that its Services and pods get addresses from.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use serde::{Deserialize, Serialize};

/// The family of IPv4 addresses, as `spec.ipFamilies` of Services has it.
pub const IPV4: &str = "IPv4";
/// The family of IPv6 addresses.
pub const IPV6: &str = "IPv6";

/// The address families of a cluster, with the names that kind gives them in `networking.ipFamily`. Each process of the
/// control plane is told of them by its own flag, as in Kubernetes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IpFamily {
    /// IPv4 only.
    #[default]
    Ipv4,
    /// IPv4 first, and IPv6 (dual stack, KEP-563).
    Dual,
}

/// There are no such address families: the name that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchIpFamily(String);

impl std::fmt::Display for NoSuchIpFamily {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ipFamily must be \"ipv4\" or \"dual\", not {:?}", self.0)
    }
}

impl std::error::Error for NoSuchIpFamily {}

impl std::str::FromStr for IpFamily {
    type Err = NoSuchIpFamily;

    fn from_str(name: &str) -> Result<IpFamily, NoSuchIpFamily> {
        match name {
            "ipv4" => Ok(IpFamily::Ipv4),
            "dual" => Ok(IpFamily::Dual),
            other => Err(NoSuchIpFamily(other.to_owned())),
        }
    }
}

/// A range of addresses of pods, and the length of the prefix of each node's part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodRange {
    /// The range of the whole cluster (`--cluster-cidr`).
    pub cluster: IpNet,
    /// `--node-cidr-mask-size-ipv4`, `--node-cidr-mask-size-ipv6`
    pub node_mask_size: u8,
}

const SERVICES: [IpNet; 2] = [
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(10, 96, 0, 0), 16)),
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(0xfd00, 0x10, 0x96, 0, 0, 0, 0, 0), 112)),
];
const PODS: [PodRange; 2] = [
    PodRange {
        cluster: IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(10, 244, 0, 0), 16)),
        node_mask_size: 24,
    },
    PodRange {
        cluster: IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(0xfd00, 0x10, 0x244, 0, 0, 0, 0, 0), 56)),
        node_mask_size: 64,
    },
];

impl IpFamily {
    /// The families as Services name them, the cluster's default first.
    pub fn families(self) -> &'static [&'static str] {
        match self {
            IpFamily::Ipv4 => &[IPV4],
            IpFamily::Dual => &[IPV4, IPV6],
        }
    }

    /// The ranges that kube-apiserver is started with (`--service-cluster-ip-range`), in the order of the families.
    pub fn service_ranges(self) -> impl Iterator<Item = IpNet> {
        SERVICES.into_iter().take(self.families().len())
    }

    /// The ranges that kube-controller-manager is started with (`--cluster-cidr`), in the order of the families.
    pub fn pod_ranges(self) -> &'static [PodRange] {
        match self {
            IpFamily::Ipv4 => PODS.split_at(1).0,
            IpFamily::Dual => &PODS,
        }
    }

    /// Whether it is [`IpFamily::Ipv4`], which links and scenarios leave out.
    pub fn is_default(&self) -> bool {
        *self == IpFamily::default()
    }
}

/// The family of an address in text; that of IPv4 if it is no address.
pub fn family_of(address: &str) -> &'static str {
    if address.contains(':') { IPV6 } else { IPV4 }
}

/// An address as a number, to count addresses of a range.
pub fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(ip) => u128::from(u32::from(ip)),
        IpAddr::V6(ip) => u128::from(ip),
    }
}

/// The address of a number, in the family of a range; `None` if an IPv4 address is not as large.
pub fn address(range: &IpNet, number: u128) -> Option<IpAddr> {
    match range {
        IpNet::V4(_) => u32::try_from(number).ok().map(|n| Ipv4Addr::from(n).into()),
        IpNet::V6(_) => Some(Ipv6Addr::from(number).into()),
    }
}
