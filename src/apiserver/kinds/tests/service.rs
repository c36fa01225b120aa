//! After `pkg/apis/core/validation/validation.go` and `pkg/registry/core/service/strategy.go`.

use serde_json::{Value, json};

use super::{object, prepare_for_update, said};
use crate::api::{Kind, Object};
use crate::apiserver::rest::{
    validate_create, validate_status_update, validate_update, warnings_on_status_update, warnings_on_update,
};

fn service(spec: Value) -> Object {
    let mut all = json!({"ports": [{"port": 80}], "clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"]});
    let (Value::Object(fields), Value::Object(spec)) = (&mut all, spec) else { unreachable!() };
    fields.extend(spec);
    object(Kind::SERVICE, json!({"metadata": {}, "spec": all}))
}

fn balanced(address: &str) -> Object {
    let mut body = service(json!({"type": "LoadBalancer"})).to_value();
    body["status"] = json!({"loadBalancer": {"ingress": [{"ip": address, "ipMode": "VIP"}]}});
    object(Kind::SERVICE, body)
}

/// `dropTypeDependentFields`
#[test]
fn a_service_that_is_balanced_no_more_shows_no_balancer() {
    let old = balanced("192.0.2.1");
    let mut same = old.clone();
    prepare_for_update(&mut same, &old);
    assert_eq!(same.to_value()["status"], old.to_value()["status"]);
    let mut new = service(json!({"type": "ClusterIP"}));
    prepare_for_update(&mut new, &old);
    assert_eq!(new.to_value()["status"], json!({"loadBalancer": {}}));
}

/// `ExternallyAccessible` in `pkg/api/service/util.go`, as `dropTypeDependentFields` asks it.
#[test]
fn external_addresses_make_services_of_type_cluster_ip_external_alone() {
    let external = json!({"externalIPs": ["192.0.2.1"], "externalTrafficPolicy": "Cluster"});
    let old = service(external.clone());
    assert_eq!(said(&validate_create(&old)), "");
    let mut new = external;
    new["type"] = "ExternalName".into();
    new["externalName"] = "example.com".into();
    let mut new = service(new);
    prepare_for_update(&mut new, &old);
    assert_eq!(new.to_value()["spec"].get("externalTrafficPolicy"), None);
}

/// `IsValidIPForLegacyField` and `IsValidCIDRForLegacyField` with what the old object has, as `validateService` and
/// `ValidateLoadBalancerStatus` call them.
#[test]
fn addresses_that_are_stored_need_not_be_mended() {
    let with = |address: &str, range: &str| {
        service(json!({
            "type": "LoadBalancer", "clusterIP": address, "clusterIPs": [address],
            "externalIPs": [address], "loadBalancerSourceRanges": [range]}))
    };
    let old = with("10.96.0.09", "10.0.0.1/8");
    assert_eq!(validate_create(&old).len(), 3);
    assert_eq!(said(&validate_update(&old, &old)), "");
    let annotated = |range: &str| {
        let mut body = service(json!({"type": "LoadBalancer"})).to_value();
        body["metadata"]["annotations"] =
            json!({"service.beta.kubernetes.io/load-balancer-source-ranges": range});
        object(Kind::SERVICE, body)
    };
    let old = annotated("10.0.0.1/8");
    assert_eq!(said(&validate_update(&old, &old)), "");
    assert_eq!(validate_update(&annotated("10.0.0.2/8"), &old).len(), 1);
    let old = balanced("192.0.2.01");
    assert_eq!(said(&validate_status_update(&old, &old)), "");
    assert_ne!(said(&validate_status_update(&balanced("192.0.2.02"), &old)), "");
}

/// `GetWarningsForIP` and `GetWarningsForCIDR` in `k8s.io/apimachinery/pkg/util/validation/ip.go`, `WarningsOnUpdate` of the
/// status strategies of Services and Ingresses.
#[test]
fn addresses_that_are_stored_are_spoken_of() {
    let old = balanced("192.0.2.01");
    let zeros =
        r#"status.loadBalancer.ingress[0]: non-standard IP address "192.0.2.01" is invalid: use "192.0.2.1""#;
    assert_eq!(warnings_on_status_update(&old, &old), [zeros]);
    let status = json!({"loadBalancer": {"ingress": [{"ip": "::ffff:192.0.2.1"}, {"ip": "2001:DB8::1"}]}});
    let ingress = object(Kind::INGRESS, json!({"metadata": {}, "spec": {}, "status": status}));
    assert_eq!(
        warnings_on_status_update(&ingress, &ingress),
        [
            r#"status.loadBalancer.ingress[0]: non-standard IP address "::ffff:192.0.2.1" is invalid: use "192.0.2.1""#,
            r#"status.loadBalancer.ingress[1]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")"#,
        ]
    );
    let ranges = ["10.0.0.1/8", "010.0.0.0/8", "2001:DB8::/64", "2001:db8::1/64", "10.0.0.0/8"];
    let ranges = service(json!({"type": "LoadBalancer", "loadBalancerSourceRanges": ranges}));
    assert_eq!(
        warnings_on_update(&ranges, &ranges),
        [
            r#"spec.loadBalancerSourceRanges[0]: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)"#,
            r#"spec.loadBalancerSourceRanges[1]: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8""#,
            r#"spec.loadBalancerSourceRanges[2]: IPv6 CIDR value "2001:DB8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")"#,
            r#"spec.loadBalancerSourceRanges[3]: CIDR value "2001:db8::1/64" is ambiguous in this context (should be "2001:db8::/64" or "2001:db8::1/128"?)"#,
        ]
    );
}

/// `validateEndpointAddress`, `ValidateEndpointIP`; `validateEndpoints` and `validateHints` in
/// `pkg/apis/discovery/validation/validation.go`.
#[test]
fn addresses_of_endpoints() {
    let endpoints = json!({"metadata": {}, "subsets": [{"addresses": [{"ip": "a"}, {"ip": "127.0.0.01"}]}]});
    let at = |i: usize| format!("subsets[0].addresses[{i}].ip: Invalid value:");
    assert_eq!(
        super::refusals(Kind::ENDPOINTS, endpoints),
        format!(
            "[{a} \"a\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), {a} \"a\": must be a valid IP address, \
             {b} \"127.0.0.01\": must not have leading 0s, {b} \"127.0.0.01\": may not be in the loopback range (127.0.0.0/8, ::1/128)]",
            a = at(0),
            b = at(1)
        )
    );
    let slice = |kind: &str, endpoint: Value| {
        super::refusals(
            Kind::ENDPOINT_SLICE,
            json!({"metadata": {}, "addressType": kind, "endpoints": [endpoint]}),
        )
    };
    assert_eq!(
        slice("IPv6", json!({"addresses": ["2001:DB8::1"]})),
        r#"endpoints[0].addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")"#
    );
    assert_eq!(slice("IPv6", json!({"addresses": ["2001:db8::1"]})), "");
    let names = |n: usize| -> Value { (0..n).map(|_| json!({"name": "a b"})).collect() };
    let hints = json!({"forZones": names(9), "forNodes": names(1)});
    assert_eq!(
        slice("IPv4", json!({"addresses": ["10.0.0.1"], "hints": hints})),
        "endpoints[0].hints.forZones: Too many: 9: must have at most 8 items"
    );
    // `ValidateEndpoints`, `ValidateEndpointSlice`: what is wrong with addresses that stay is not told of.
    let endpoints = |more: Value| {
        let mut addresses = vec![json!({"ip": "127.0.0.1"})];
        addresses.extend(more.as_array().unwrap().iter().cloned());
        object(Kind::ENDPOINTS, json!({"metadata": {}, "subsets": [{"addresses": addresses}]}))
    };
    let old = endpoints(json!([]));
    assert_eq!(said(&validate_update(&old, &old)), "");
    assert_ne!(said(&validate_update(&endpoints(json!([{"ip": "10.0.0.1"}])), &old)), "");
    let slice = |addresses: Value| {
        let endpoints = json!([{"addresses": addresses}]);
        object(Kind::ENDPOINT_SLICE, json!({"metadata": {}, "addressType": "IPv4", "endpoints": endpoints}))
    };
    let old = slice(json!(["127.0.0.1"]));
    assert_eq!(said(&validate_update(&old, &old)), "");
    assert_ne!(said(&validate_update(&slice(json!(["127.0.0.2"])), &old)), "");
}
