//! Certificates that the cluster's authority issues (`pkg/controller/certificates/authority`, and `CreateCertificate` of Go's
//! `crypto/x509`).

use std::net::IpAddr;

use jiff::SignedDuration;
use pem::{EncodeConfig, LineEnding, Pem};
use sha2::{Digest as _, Sha256};
use x509_cert::Certificate;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode as _, Encode as _};
use x509_cert::ext::pkix::SubjectKeyIdentifier;

use super::pkcs10::{self, Request, Subject};
use super::{Timestamp, der, later, root_ca};
use crate::api::keys::AUTHORITY;
use crate::api::quote::go_quote;

const ECDSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
const SUBJECT_ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const AUTHORITY_KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.35");
const EXTENDED_KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37");

/// A certificate is valid from so long before it is issued (`Backdate`).
const BACKDATE: SignedDuration = SignedDuration::from_mins(5);
/// One that is asked for so long or longer ends as much earlier (`Short`).
const SHORT: SignedDuration = SignedDuration::from_hours(8);
/// The longest serial number, in bytes.
const SERIAL: usize = 16;

/// The usages of a key, by their names in the API, each with its bit (`keyUsageDict`).
const KEY_USAGES: [(&str, u16); 10] = [
    ("signing", 0),
    ("digital signature", 0),
    ("content commitment", 1),
    ("key encipherment", 2),
    ("data encipherment", 3),
    ("key agreement", 4),
    ("cert sign", 5),
    ("crl sign", 6),
    ("encipher only", 7),
    ("decipher only", 8),
];

/// The extended usages of a key in the order in which they stand in a certificate (`extKeyUsageDict`).
const EXTENDED_KEY_USAGES: [(&str, ObjectIdentifier); 13] = [
    ("any", ObjectIdentifier::new_unwrap("2.5.29.37.0")),
    ("server auth", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1")),
    ("client auth", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2")),
    ("code signing", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.3")),
    ("email protection", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4")),
    ("s/mime", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4")),
    ("ipsec end system", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.5")),
    ("ipsec tunnel", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.6")),
    ("ipsec user", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.7")),
    ("timestamping", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8")),
    ("ocsp signing", ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.9")),
    ("microsoft sgc", ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.10.3.3")),
    ("netscape sgc", ObjectIdentifier::new_unwrap("2.16.840.1.113730.4.1")),
];

/// What the authority is asked to sign (`PermissiveSigningPolicy`).
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// The usages of the key, by their names in the API.
    pub usages: &'a [String],
    /// How long the certificate is to be valid.
    pub duration: SignedDuration,
    /// When it is issued.
    pub now: Timestamp,
    /// What its serial number is made of; no other certificate has the same.
    pub serial: &'a str,
}

/// The moments from which and to which a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// `NotBefore`
    pub not_before: Timestamp,
    /// `NotAfter`
    pub not_after: Timestamp,
}

impl Validity {
    fn of(certificate: &Certificate) -> Option<Validity> {
        let validity = certificate.tbs_certificate().validity();
        let at = |duration: std::time::Duration| {
            Timestamp::from_second(i64::try_from(duration.as_secs()).ok()?).ok()
        };
        Some(Validity {
            not_before: at(validity.not_before.to_unix_duration())?,
            not_after: at(validity.not_after.to_unix_duration())?,
        })
    }

    /// Of the first certificate in a PEM file.
    ///
    /// # Errors
    /// It has none, or one that cannot be read.
    pub fn of_pem(text: &[u8]) -> Result<Validity, String> {
        let block = pem::parse(text)
            .map_err(|_| "expected the certificate associated with the CSR to be PEM encoded".to_owned())?;
        let unreadable = |why: String| format!("unable to parse certificate data: {why}");
        let certificate =
            Certificate::from_der(block.contents()).map_err(|why| unreadable(why.to_string()))?;
        Validity::of(&certificate).ok_or_else(|| unreadable("x509: malformed validity".to_owned()))
    }

    /// The validity of a certificate that an authority issues whose own one ends at `authority` (`apply`).
    ///
    /// # Errors
    /// The authority's certificate is over.
    fn new(policy: &Policy<'_>, authority: Timestamp) -> Result<Validity, String> {
        let Policy { duration, now, .. } = *policy;
        let not_before = later(now, -BACKDATE);
        let not_after = later(now, if duration < SHORT { duration } else { duration - BACKDATE });
        if not_before >= authority {
            return Err(format!("the signer has expired: NotAfter={authority}"));
        }
        if now >= authority {
            return Err(format!(
                "refusing to sign a certificate that expired in the past: NotAfter={authority}"
            ));
        }
        Ok(Validity { not_before, not_after: not_after.min(authority) })
    }
}

/// Issues the certificate that a request asks for, as PEM (`CertificateAuthority.Sign`).
///
/// # Errors
/// The signature of the request is wrong, a usage is not known, or the authority's own certificate is over.
pub fn issue(request: &Request, policy: &Policy<'_>) -> Result<Vec<u8>, String> {
    request
        .check_signature()
        .map_err(|why| format!("unable to verify certificate request signature: {why}"))?;
    let authority = authority().ok_or("the certificate of the authority cannot be read")?;
    let usages = usages(policy.usages)?;
    let validity = Validity::new(policy, authority.validity.not_after)?;
    let algorithm = der::sequence(&[der::object_identifier(&ECDSA_WITH_SHA256)]);
    let serial = Sha256::digest(policy.serial);
    let tbs = der::sequence(&[
        // Version 3.
        der::explicit(0, &der::unsigned(&[2])),
        der::unsigned(serial.get(..SERIAL).unwrap_or_default()),
        algorithm.clone(),
        authority.subject,
        der::sequence(&[der::time(validity.not_before), der::time(validity.not_after)]),
        name(&request.subject),
        request.public_key.clone(),
        der::explicit(3, &der::sequence(&extensions(request, &usages, &authority.key_id))),
    ]);
    let signature = der::bits(&AUTHORITY.sign_der(&tbs));
    let certificate = der::sequence(&[tbs, algorithm, signature]);
    let config = EncodeConfig::new().set_line_ending(LineEnding::LF);
    Ok(pem::encode_config(&Pem::new(pkcs10::CERTIFICATE, certificate), config).into_bytes())
}

/// What certificates say of the authority that has issued them.
struct Authority {
    subject: Vec<u8>,
    key_id: Vec<u8>,
    validity: Validity,
}

fn authority() -> Option<Authority> {
    let block = pem::parse(root_ca::CERTIFICATE).ok()?;
    let own = Certificate::from_der(block.contents()).ok()?;
    let (_, key_id) = own.tbs_certificate().get_extension::<SubjectKeyIdentifier>().ok()??;
    Some(Authority {
        subject: own.tbs_certificate().subject().to_der().ok()?,
        key_id: key_id.0.as_bytes().to_vec(),
        validity: Validity::of(&own)?,
    })
}

/// The usages of a key as a certificate says them.
struct Usages {
    bits: u16,
    extended: Vec<ObjectIdentifier>,
}

/// Reads usages (`keyUsagesFromStrings`).
///
/// # Errors
/// One is not known.
fn usages(names: &[String]) -> Result<Usages, String> {
    let bit = |name: &str| KEY_USAGES.iter().find(|(n, _)| *n == name).map(|(_, bit)| *bit);
    let is_extended = |name: &str| EXTENDED_KEY_USAGES.iter().any(|(n, _)| *n == name);
    let unknown: Vec<String> =
        (names.iter()).filter(|name| bit(name).is_none() && !is_extended(name)).map(go_quote).collect();
    if !unknown.is_empty() {
        return Err(format!("unrecognized usage values: [{}]", unknown.join(" ")));
    }
    let bits = names.iter().filter_map(|name| bit(name)).fold(0, |all, bit| all | 1 << bit);
    let asked = EXTENDED_KEY_USAGES.iter().filter(|(name, _)| names.iter().any(|n| n == name));
    let mut extended: Vec<ObjectIdentifier> = asked.map(|(_, id)| *id).collect();
    extended.dedup();
    Ok(Usages { bits, extended })
}

/// A subject as Go writes it: of the attributes that it knows, all values of one together (`pkix.Name.ToRDNSequence`).
fn name(subject: &Subject) -> Vec<u8> {
    let one = |text: &String| if text.is_empty() { Vec::new() } else { vec![text.clone()] };
    let parts: [(&str, Vec<String>); 9] = [
        ("2.5.4.6", subject.countries.clone()),
        ("2.5.4.10", subject.organizations.clone()),
        ("2.5.4.11", subject.organizational_units.clone()),
        ("2.5.4.7", subject.localities.clone()),
        ("2.5.4.8", subject.provinces.clone()),
        ("2.5.4.9", subject.street_addresses.clone()),
        ("2.5.4.17", subject.postal_codes.clone()),
        ("2.5.4.3", one(&subject.common_name)),
        ("2.5.4.5", one(&subject.serial_number)),
    ];
    let attribute = |id: &ObjectIdentifier, text: &String| {
        der::sequence(&[der::object_identifier(id), der::string(text)])
    };
    let all = parts.iter().filter(|(_, values)| !values.is_empty()).map(|(id, values)| {
        let id = ObjectIdentifier::new_unwrap(id);
        der::set(values.iter().map(|text| attribute(&id, text)).collect())
    });
    der::sequence(&all.collect::<Vec<_>>())
}

fn extension(id: &ObjectIdentifier, critical: bool, value: &[u8]) -> Vec<u8> {
    let critical = if critical { der::yes() } else { Vec::new() };
    der::sequence(&[der::object_identifier(id), critical, der::octets(value)])
}

/// The extensions in the order in which Go writes them (`buildCertExtensions`).
fn extensions(request: &Request, usages: &Usages, authority: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    if usages.bits != 0 {
        all.push(extension(&KEY_USAGE, true, &der::named_bits(usages.bits)));
    }
    if !usages.extended.is_empty() {
        let ids: Vec<Vec<u8>> = usages.extended.iter().map(der::object_identifier).collect();
        all.push(extension(&EXTENDED_KEY_USAGE, false, &der::sequence(&ids)));
    }
    // It is no authority.
    all.push(extension(&BASIC_CONSTRAINTS, true, &der::sequence(&[])));
    let key = der::sequence(&[der::implicit(0, authority)]);
    all.push(extension(&AUTHORITY_KEY_IDENTIFIER, false, &key));
    let addresses = request.ip_addresses.iter().map(|ip| match ip {
        IpAddr::V4(ip) => der::implicit(7, &ip.octets()),
        IpAddr::V6(ip) => der::implicit(7, &ip.octets()),
    });
    let texts = |number: u8, texts: &[String]| -> Vec<Vec<u8>> {
        texts.iter().map(|text| der::implicit(number, text.as_bytes())).collect()
    };
    let names = [texts(2, &request.dns_names), texts(1, &request.email_addresses)].concat();
    let names: Vec<Vec<u8>> = names.into_iter().chain(addresses).chain(texts(6, &request.uris)).collect();
    if !names.is_empty() {
        let nameless = request.subject == Subject::default();
        all.push(extension(&SUBJECT_ALT_NAME, nameless, &der::sequence(&names)));
    }
    all
}

#[cfg(test)]
mod tests;
