//! CertificateSigningRequests.

use super::super::invocation::{Invocation, Result, fail};
use super::{Writer, moment};
use crate::api::Object;
use crate::api::cells::certificate_condition;
use crate::api::duration::human_duration;
use crate::api::labels::format_labels;
use crate::api::pkcs10::Request;
use crate::api::types::CertificateSigningRequest;

pub(in super::super) fn certificate_signing_request(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(r) = object.get::<CertificateSigningRequest>() else { return Ok(true) };
    let asked = match Request::parse(&r.spec.request.0) {
        Ok(asked) => asked,
        Err(why) => return fail(format!("Error parsing CSR: {why}")),
    };
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Labels:\t{}", format_labels(r.metadata.labels.as_ref())));
    // What `apply` keeps for itself is among them, as in kubectl.
    w.line(0, &format!("Annotations:\t{}", format_labels(r.metadata.annotations.as_ref())));
    w.line(0, &format!("CreationTimestamp:\t{}", moment(r.metadata.creation_timestamp.as_ref())));
    w.line(0, &format!("Requesting User:\t{}", r.spec.username.as_deref().unwrap_or_default()));
    if !r.spec.signer_name.is_empty() {
        w.line(0, &format!("Signer:\t{}", r.spec.signer_name));
    }
    if let Some(seconds) = r.spec.expiration_seconds {
        let duration = human_duration(jiff::SignedDuration::from_secs(seconds.into()));
        w.line(0, &format!("Requested Duration:\t{duration}"));
    }
    w.line(0, &format!("Status:\t{}", certificate_condition(r)));
    let subject = &asked.subject;
    w.line(0, "Subject:");
    w.line(0, &format!("\tCommon Name:\t{}", subject.common_name));
    w.line(0, &format!("\tSerial Number:\t{}", subject.serial_number));
    list(w, "Organization", &subject.organizations);
    list(w, "Organizational Unit", &subject.organizational_units);
    list(w, "Country", &subject.countries);
    list(w, "Locality", &subject.localities);
    list(w, "Province", &subject.provinces);
    list(w, "StreetAddress", &subject.street_addresses);
    list(w, "PostalCode", &subject.postal_codes);
    let addresses: Vec<String> = asked.ip_addresses.iter().map(ToString::to_string).collect();
    let names = [
        ("DNS Names", &asked.dns_names),
        ("Email Addresses", &asked.email_addresses),
        ("URIs", &asked.uris),
        ("IP Addresses", &addresses),
    ];
    if names.iter().any(|(_, values)| !values.is_empty()) {
        w.line(0, "Subject Alternative Names:");
        for (name, values) in names {
            list(w, name, values);
        }
    }
    Ok(true)
}

/// Values under a name, each on its line; nothing if there are none.
fn list(w: &mut Writer, name: &str, values: &[String]) {
    if !values.is_empty() {
        w.line(0, &format!("\t{name}:\t{}", values.join("\n\t\t")));
    }
}
