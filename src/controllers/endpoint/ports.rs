//! In which order ports are written. Kubernetes sorts them by a hash of the text that Go's spew library prints of a port
//! (`dump.ForHash`), so that equal ports have equal text whatever order a Service names them in.

use md5::{Digest, Md5};

use crate::api::order;
use crate::api::types::{self, discovery};

/// Sorts the ports of an EndpointSlice (`portsInOrder` in `k8s.io/endpointslice/util`, which hashes with FNV-1a of
/// 128 bits).
pub(super) fn sort_slice_ports(ports: &mut [discovery::EndpointPort]) {
    if ports.len() > 1 {
        order::sort_by_key(ports, |p| fnv128a(slice_port_text(p).as_bytes()));
    }
}

/// Sorts the ports of a subset of Endpoints (`portsByHash` in `pkg/api/v1/endpoints`, which hashes with MD5).
pub(super) fn sort_subset_ports(ports: &mut [types::EndpointPort]) {
    if ports.len() > 1 {
        order::sort_by_key(ports, |p| Md5::digest(subset_port_text(p).as_bytes()).to_vec());
    }
}

fn pointer(value: Option<&str>) -> &str {
    value.unwrap_or("<nil>")
}

fn slice_port_text(p: &discovery::EndpointPort) -> String {
    let number = p.port.map(|n| n.to_string());
    format!(
        "(v1.EndpointPort){{Name:(*string){} Protocol:(*v1.Protocol){} Port:(*int32){} AppProtocol:(*string){}}}",
        pointer(p.name.as_deref()),
        pointer(p.protocol.as_deref()),
        pointer(number.as_deref()),
        pointer(p.app_protocol.as_deref()),
    )
}

fn subset_port_text(p: &types::EndpointPort) -> String {
    format!(
        "(v1.EndpointPort){{Name:(string){} Port:(int32){} Protocol:(v1.Protocol){} AppProtocol:(*string){}}}",
        p.name.as_deref().unwrap_or_default(),
        p.port,
        p.protocol.as_deref().unwrap_or_default(),
        pointer(p.app_protocol.as_deref()),
    )
}

fn fnv128a(bytes: &[u8]) -> u128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = (1 << 88) | 0x13b;
    bytes.iter().fold(OFFSET, |hash, b| (hash ^ u128::from(*b)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DNS: [(&str, &str, i32); 3] =
        [("metrics", "TCP", 9153), ("dns-tcp", "TCP", 53), ("dns", "UDP", 53)];

    /// `kubectl get endpointslices` of a cluster's DNS prints `53,53,9153` since Kubernetes 1.35. It printed
    /// `9153,53,53` before, when the same text was hashed with MD5.
    #[test]
    fn ports_of_slices_are_sorted_by_their_hash() {
        let port = |(name, protocol, port): (&str, &str, i32)| discovery::EndpointPort {
            name: Some(name.into()),
            protocol: Some(protocol.into()),
            port: Some(port),
            app_protocol: None,
        };
        let mut ports = DNS.map(port);
        let names = |ports: &[discovery::EndpointPort]| {
            ports.iter().filter_map(|p| p.name.clone()).collect::<Vec<_>>()
        };
        sort_slice_ports(&mut ports);
        assert_eq!(names(&ports), ["dns", "dns-tcp", "metrics"]);
        order::sort_by_key(&mut ports, |p| Md5::digest(slice_port_text(p).as_bytes()).to_vec());
        assert_eq!(names(&ports), ["metrics", "dns", "dns-tcp"]);
    }

    /// `portsByHash`: `kubectl get endpoints kube-dns` prints the TCP port of DNS before the UDP one.
    #[test]
    fn ports_of_subsets_are_sorted_by_their_hash() {
        let port = |(name, protocol, port): (&str, &str, i32)| types::EndpointPort {
            name: Some(name.into()),
            protocol: Some(protocol.into()),
            port,
            app_protocol: None,
        };
        let mut ports = DNS.map(port);
        sort_subset_ports(&mut ports);
        let names: Vec<_> = ports.iter().filter_map(|p| p.name.as_deref()).collect();
        assert_eq!(names, ["dns-tcp", "dns", "metrics"]);
    }
}
