//! After `pkg/apis/networking/validation/validation_test.go`.

use serde_json::{Value, json};

use super::{object, refusals, said};
use crate::api::{Kind, Timestamp};
use crate::apiserver::kinds::row;
use crate::apiserver::rest::validate_update;

fn address(name: &str, parent: Value) -> Value {
    json!({"metadata": {"name": name}, "spec": {"parentRef": parent}})
}

fn service() -> Value {
    json!({"resource": "services", "namespace": "default", "name": "web"})
}

#[test]
fn names_are_addresses_in_canonical_form() {
    for (name, message) in [
        ("192.168.1.1", ""),
        ("2001:4860:4860::8888", ""),
        (
            "dns",
            r#"metadata.name: Invalid value: "dns": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"#,
        ),
        ("10.01.2.3", r#"metadata.name: Invalid value: "10.01.2.3": must not have leading 0s"#),
        (
            "::ffff:10.0.0.1",
            r#"metadata.name: Invalid value: "::ffff:10.0.0.1": must not be an IPv4-mapped IPv6 address"#,
        ),
        (
            "2001:db8:0:0::1",
            r#"metadata.name: Invalid value: "2001:db8:0:0::1": must be in canonical form ("2001:db8::1")"#,
        ),
    ] {
        assert_eq!(refusals(Kind::IP_ADDRESS, address(name, service())), message);
    }
}

#[test]
fn an_address_has_a_parent() {
    for (parent, message) in [
        (json!({"group": "gateway.networking.k8s.io", "resource": "gateways", "name": "g"}), ""),
        (Value::Null, "spec.parentRef: Required value"),
        (json!({}), "[spec.parentRef.resource: Required value, spec.parentRef.name: Required value]"),
        (json!({"resource": "services"}), "spec.parentRef.name: Required value"),
        (
            json!({"group": "a_b", "resource": "c/d", "name": "%", "namespace": ".."}),
            r#"[spec.parentRef.group: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.parentRef.resource: Invalid value: "c/d": may not contain '/', spec.parentRef.name: Invalid value: "%": may not contain '%', spec.parentRef.namespace: Invalid value: "..": may not be '..']"#,
        ),
    ] {
        assert_eq!(refusals(Kind::IP_ADDRESS, address("10.0.0.1", parent)), message);
    }
}

#[test]
fn the_parent_may_not_change() {
    let [old, new] =
        ["web", "api"].map(|name| json!({"resource": "services", "namespace": "default", "name": name}));
    let [old, new] = [old, new].map(|parent| object(Kind::IP_ADDRESS, address("10.0.0.1", parent)));
    assert_eq!(said(&validate_update(&old, &old)), "");
    assert_eq!(
        said(&validate_update(&new, &old)),
        r#"spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"default","Name":"api"}: field is immutable"#
    );
}

#[test]
fn the_table_names_the_parent() {
    let cells = |parent| row(&object(Kind::IP_ADDRESS, address("10.0.0.1", parent)), Timestamp::UNIX_EPOCH);
    assert_eq!(cells(service()), ["10.0.0.1", "services/default/web"]);
    let gateway = json!({"group": "gateway.networking.k8s.io", "resource": "Gateways", "name": "g"});
    assert_eq!(cells(gateway), ["10.0.0.1", "gateways.gateway.networking.k8s.io/g"]);
}

fn ranges(cidrs: &[&str]) -> Value {
    json!({"spec": {"cidrs": cidrs}})
}

#[test]
fn a_service_cidr_has_a_range_of_each_family() {
    let at = "spec.cidrs";
    for (cidrs, message) in [
        (&["10.1.0.0/16"][..], String::new()),
        (&["10.1.0.0/16", "2001:db8::/64"], String::new()),
        (&[], format!("{at}: Required value: at least one CIDR required")),
        (
            &["a", "b", "c"],
            format!(r#"{at}: Invalid value: {{"CIDRs":["a","b","c"]}}: may only hold up to 2 values"#),
        ),
        (
            &["10.1.0.0"],
            format!(
                r#"{at}[0]: Invalid value: "10.1.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"#
            ),
        ),
        (
            &["10.1.0.1/16"],
            format!(
                r#"{at}[0]: Invalid value: "10.1.0.1/16": must not have bits set beyond the prefix length"#
            ),
        ),
        (
            &["2001:db8:0::/64"],
            format!(
                r#"{at}[0]: Invalid value: "2001:db8:0::/64": must be in canonical form ("2001:db8::/64")"#
            ),
        ),
        (
            &["10.1.0.0/16", "10.2.0.0/16"],
            format!(
                r#"{at}: Invalid value: ["10.1.0.0/16","10.2.0.0/16"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"#
            ),
        ),
    ] {
        assert_eq!(refusals(Kind::SERVICE_CIDR, ranges(cidrs)), message);
    }
}

#[test]
fn only_a_second_range_can_be_added() {
    let change = |from: &[&str], to: &[&str]| {
        let [old, new] = [from, to].map(|cidrs| object(Kind::SERVICE_CIDR, ranges(cidrs)));
        said(&validate_update(&new, &old))
    };
    let at = "spec.cidrs";
    assert_eq!(change(&["10.1.0.0/16"], &["10.1.0.0/16"]), "");
    assert_eq!(change(&["10.1.0.0/16"], &["10.1.0.0/16", "2001:db8::/64"]), "");
    assert_eq!(
        change(&["10.1.0.0/16"], &["10.2.0.0/16"]),
        format!(r#"{at}[0]: Invalid value: "10.2.0.0/16": field is immutable"#)
    );
    assert_eq!(
        change(&["10.1.0.0/16", "2001:db8::/64"], &["10.1.0.0/16"]),
        format!(r#"{at}: Invalid value: ["10.1.0.0/16"]: field is immutable"#)
    );
}
