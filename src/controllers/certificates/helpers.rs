//! What a kubelet may ask for (`pkg/apis/certificates/helpers.go`), and what a client of the API server may.

use std::collections::BTreeSet;

use crate::api::pkcs10::Request;
use crate::apimachinery::user::{NODE_PREFIX, NODES};

/// Checks that usages are all of these; `key encipherment`, which only RSA keys are used for, may be left out.
fn check_usages(usages: &[String], required: [&str; 3]) -> Result<(), String> {
    let has: BTreeSet<&str> = usages.iter().map(String::as_str).collect();
    let all = BTreeSet::from(required);
    let others: BTreeSet<&str> = all.iter().copied().filter(|u| *u != "key encipherment").collect();
    if has == all || has == others {
        return Ok(());
    }
    Err(format!("usages did not match [{}]", all.into_iter().collect::<Vec<_>>().join(" ")))
}

fn check_organization(request: &Request) -> Result<(), String> {
    if request.subject.organizations == [NODES] {
        return Ok(());
    }
    Err("subject organization is not system:nodes".to_owned())
}

fn check_name(request: &Request) -> Result<(), String> {
    if request.subject.common_name.starts_with(NODE_PREFIX) {
        return Ok(());
    }
    Err("subject common name does not begin with system:node:".to_owned())
}

fn none<T>(names: &[T], what: &str) -> Result<(), String> {
    if names.is_empty() { Ok(()) } else { Err(format!("{what} subjectAltNames are not allowed")) }
}

/// Checks that a request is one for the certificate with which a kubelet serves (`ValidateKubeletServingCSR`).
pub(super) fn validate_kubelet_serving(request: &Request, usages: &[String]) -> Result<(), String> {
    check_organization(request)?;
    if request.dns_names.is_empty() && request.ip_addresses.is_empty() {
        return Err("DNS or IP subjectAltName is required".to_owned());
    }
    none(&request.email_addresses, "Email")?;
    none(&request.uris, "URI")?;
    check_usages(usages, ["digital signature", "key encipherment", "server auth"])?;
    check_name(request)
}

/// Checks that a request is one for the certificate by which the API server knows a kubelet (`ValidateKubeletClientCSR`).
pub(super) fn validate_kubelet_client(request: &Request, usages: &[String]) -> Result<(), String> {
    check_organization(request)?;
    none(&request.dns_names, "DNS")?;
    none(&request.email_addresses, "Email")?;
    none(&request.ip_addresses, "IP")?;
    none(&request.uris, "URI")?;
    check_name(request)?;
    check_usages(usages, ["client auth", "digital signature", "key encipherment"])
}

/// Checks the usages of the certificate of a client of the API server (`validAPIServerClientUsages`).
pub(super) fn validate_client_usages(usages: &[String]) -> Result<(), String> {
    const CLIENT: &str = "client auth";
    let allowed = [CLIENT, "digital signature", "key encipherment"];
    if let Some(other) = usages.iter().find(|u| !allowed.contains(&u.as_str())) {
        return Err(format!("invalid usage for client certificate: {other}"));
    }
    if !usages.iter().any(|u| u == CLIENT) {
        return Err(format!("missing required usage for client certificate: {CLIENT}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::pkcs10::Subject;

    fn kubelet() -> Request {
        let subject = Subject {
            common_name: "system:node:foo".into(),
            organizations: vec!["system:nodes".into()],
            ..Subject::default()
        };
        Request { subject, ..Request::default() }
    }

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(|u| (*u).to_owned()).collect()
    }

    /// `pkg/apis/certificates/helpers_test.go`: `TestIsKubeletServingCSR`.
    #[test]
    fn a_kubelet_serves_with_a_name_or_an_address() {
        let usages = texts(&["digital signature", "key encipherment", "server auth"]);
        let named = |names: &[&str]| Request { dns_names: texts(names), ..kubelet() };
        let said = |request: &Request, usages: &[String]| validate_kubelet_serving(request, usages).err();
        assert_eq!(said(&named(&["n"]), &usages), None);
        assert_eq!(said(&named(&["n"]), &texts(&["server auth", "digital signature"])), None);
        assert_eq!(said(&named(&[]), &usages).unwrap(), "DNS or IP subjectAltName is required");
        assert_eq!(
            said(&named(&["n"]), &texts(&["server auth"])).unwrap(),
            "usages did not match [digital signature key encipherment server auth]"
        );
        let mail = Request { email_addresses: texts(&["a@b"]), ..named(&["n"]) };
        assert_eq!(said(&mail, &usages).unwrap(), "Email subjectAltNames are not allowed");
        let mut other = named(&["n"]);
        other.subject.common_name = "foo".into();
        assert_eq!(said(&other, &usages).unwrap(), "subject common name does not begin with system:node:");
        other.subject.organizations.push("x".into());
        assert_eq!(said(&other, &usages).unwrap(), "subject organization is not system:nodes");
    }

    /// `pkg/apis/certificates/helpers_test.go`: `TestIsKubeletClientCSR`.
    #[test]
    fn a_kubelet_is_known_by_its_name_alone() {
        let usages = texts(&["client auth", "digital signature"]);
        let said = |request: &Request, usages: &[String]| validate_kubelet_client(request, usages).err();
        assert_eq!(said(&kubelet(), &usages), None);
        let named = Request { dns_names: texts(&["n"]), ..kubelet() };
        assert_eq!(said(&named, &usages).unwrap(), "DNS subjectAltNames are not allowed");
        let placed = Request { ip_addresses: vec!["10.0.0.1".parse().unwrap()], ..kubelet() };
        assert_eq!(said(&placed, &usages).unwrap(), "IP subjectAltNames are not allowed");
        assert_eq!(
            said(&kubelet(), &texts(&["client auth", "server auth", "digital signature"])).unwrap(),
            "usages did not match [client auth digital signature key encipherment]"
        );
    }

    /// `pkg/controller/certificates/signer/signer_test.go`: `TestHandle`, the usages of `kubernetes.io/kube-apiserver-client`.
    #[test]
    fn a_client_needs_the_usage_of_clients_and_gets_no_other() {
        let said = |usages: &[&str]| validate_client_usages(&texts(usages)).err();
        assert_eq!(said(&["client auth", "digital signature", "key encipherment"]), None);
        assert_eq!(
            said(&["digital signature"]).unwrap(),
            "missing required usage for client certificate: client auth"
        );
        assert_eq!(
            said(&["client auth", "server auth"]).unwrap(),
            "invalid usage for client certificate: server auth"
        );
    }
}
