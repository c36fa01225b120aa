//! Certificates that the cluster's authority issues (`pkg/controller/certificates/authority`, and `CreateCertificate` of Go's
//! `crypto/x509`).

use jiff::SignedDuration;
use pem::{EncodeConfig, LineEnding, Pem};
use sha2::{Digest as _, Sha256};
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::certificate::Rfc5280;
use x509_cert::der::asn1::{
    Any, BitString, ContextSpecific, Ia5String, ObjectIdentifier, OctetString, PrintableStringRef,
    Utf8StringRef,
};
use x509_cert::der::flagset::FlagSet;
use x509_cert::der::oid::db::{rfc4519, rfc5912};
use x509_cert::der::{self, DateTime, Decode as _, Encode as _, EncodeValue, TagMode, TagNumber, Tagged};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages, SubjectAltName,
    SubjectKeyIdentifier,
};
use x509_cert::ext::{Extension, ToExtension as _};
use x509_cert::name::{Name, RdnSequence, RelativeDistinguishedName};
use x509_cert::serial_number::SerialNumber;
use x509_cert::{AlgorithmIdentifier, Certificate, Version, time};

use super::pkcs10::{self, Request, Subject};
use super::{Timestamp, later, root_ca};
use crate::api::keys::AUTHORITY;
use crate::api::quote::go_quote;

/// The algorithm with which the authority signs.
const ALGORITHM: AlgorithmIdentifier =
    AlgorithmIdentifier { oid: rfc5912::ECDSA_WITH_SHA_256, parameters: None };

/// A certificate is valid from so long before it is issued (`Backdate`).
const BACKDATE: SignedDuration = SignedDuration::from_mins(5);
/// A certificate for which at least this long is asked ends [`BACKDATE`] earlier, so that its whole life is as long as was asked; one
/// for a shorter time does not (`Short`).
const SHORT: SignedDuration = SignedDuration::from_hours(8);
/// The longest serial number, in bytes.
const SERIAL: usize = 16;

/// The usages of a key, by their names in the API (`keyUsageDict`).
const KEY_USAGES: [(&str, KeyUsages); 10] = [
    ("signing", KeyUsages::DigitalSignature),
    ("digital signature", KeyUsages::DigitalSignature),
    ("content commitment", KeyUsages::NonRepudiation),
    ("key encipherment", KeyUsages::KeyEncipherment),
    ("data encipherment", KeyUsages::DataEncipherment),
    ("key agreement", KeyUsages::KeyAgreement),
    ("cert sign", KeyUsages::KeyCertSign),
    ("crl sign", KeyUsages::CRLSign),
    ("encipher only", KeyUsages::EncipherOnly),
    ("decipher only", KeyUsages::DecipherOnly),
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
    /// A text that no other certificate has; the serial number is made of it.
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

    /// Of the first certificate in a PEM file; `None` if that cannot be read.
    pub fn of_pem(text: &[u8]) -> Option<Validity> {
        let block = pem::parse(text).ok()?;
        Validity::of(&Certificate::from_der(block.contents()).ok()?)
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
    let certificate = signed(request, &usages, validity, policy.serial, &authority)
        .map_err(|why| format!("the certificate cannot be written: {why}"))?;
    let config = EncodeConfig::new().set_line_ending(LineEnding::LF);
    Ok(pem::encode_config(&Pem::new(pkcs10::CERTIFICATE, certificate), config).into_bytes())
}

/// A certificate in DER. Its parts are of different types, and each is [`Any`] in the sequence.
fn signed(
    request: &Request,
    usages: &Usages,
    validity: Validity,
    serial: &str,
    authority: &Authority,
) -> der::Result<Vec<u8>> {
    let subject = name(&request.subject)?;
    let serial = Sha256::digest(serial);
    let validity = time::Validity::<Rfc5280>::new(moment(validity.not_before)?, moment(validity.not_after)?);
    let tbs = Any::encode_from(&vec![
        explicit(0, Version::V3)?,
        Any::encode_from(&SerialNumber::<Rfc5280>::new(serial.get(..SERIAL).unwrap_or_default())?)?,
        Any::encode_from(&ALGORITHM)?,
        Any::encode_from(&authority.subject)?,
        Any::encode_from(&validity)?,
        Any::encode_from(&subject)?,
        Any::from_der(&request.public_key)?,
        explicit(3, extensions(request, usages, authority, &subject)?)?,
    ])?;
    let signature = BitString::from_bytes(&AUTHORITY.sign_der(&tbs.to_der()?))?;
    vec![tbs, Any::encode_from(&ALGORITHM)?, Any::encode_from(&signature)?].to_der()
}

/// A value with its own tag, inside of a tag of this number that says which field of the certificate it is.
fn explicit<T: EncodeValue + Tagged>(number: u32, value: T) -> der::Result<Any> {
    let tag_number = TagNumber(number);
    Any::encode_from(&ContextSpecific { tag_number, tag_mode: TagMode::Explicit, value })
}

/// A moment, to the second.
fn moment(at: Timestamp) -> der::Result<time::Time> {
    let since = std::time::Duration::from_secs(at.as_second().try_into()?);
    DateTime::from_unix_duration(since).map(time::Time::from)
}

/// What certificates say of the authority that has issued them.
struct Authority {
    subject: Name,
    key_id: OctetString,
    validity: Validity,
}

fn authority() -> Option<Authority> {
    let block = pem::parse(root_ca::CERTIFICATE).ok()?;
    let own = Certificate::from_der(block.contents()).ok()?;
    let (_, key_id) = own.tbs_certificate().get_extension::<SubjectKeyIdentifier>().ok()??;
    let subject = own.tbs_certificate().subject().clone();
    Some(Authority { subject, key_id: key_id.0, validity: Validity::of(&own)? })
}

/// The usages of a key as a certificate says them.
struct Usages {
    key: FlagSet<KeyUsages>,
    extended: Vec<ObjectIdentifier>,
}

/// Reads usages (`keyUsagesFromStrings`).
///
/// # Errors
/// One is not known.
fn usages(names: &[String]) -> Result<Usages, String> {
    let usage = |name: &String| KEY_USAGES.iter().find(|(n, _)| n == name).map(|(_, usage)| *usage);
    let is_extended = |name: &String| EXTENDED_KEY_USAGES.iter().any(|(n, _)| n == name);
    let unknown: Vec<String> =
        names.iter().filter(|name| usage(name).is_none() && !is_extended(name)).map(go_quote).collect();
    if !unknown.is_empty() {
        return Err(format!("unrecognized usage values: [{}]", unknown.join(" ")));
    }
    let key = names.iter().filter_map(usage).fold(FlagSet::default(), |all, usage| all | usage);
    let asked = EXTENDED_KEY_USAGES.iter().filter(|(name, _)| names.iter().any(|n| n == name));
    let mut extended: Vec<ObjectIdentifier> = asked.map(|(_, id)| *id).collect();
    extended.dedup();
    Ok(Usages { key, extended })
}

/// A subject as Go writes it: of the attributes that it knows, all values of one together (`pkix.Name.ToRDNSequence`).
fn name(subject: &Subject) -> der::Result<Name> {
    let parts: [(ObjectIdentifier, &[String]); 9] = [
        (rfc4519::COUNTRY_NAME, &subject.countries),
        (rfc4519::ORGANIZATION_NAME, &subject.organizations),
        (rfc4519::ORGANIZATIONAL_UNIT_NAME, &subject.organizational_units),
        (rfc4519::LOCALITY_NAME, &subject.localities),
        (rfc4519::ST, &subject.provinces),
        (rfc4519::STREET, &subject.street_addresses),
        (rfc4519::POSTAL_CODE, &subject.postal_codes),
        (rfc4519::COMMON_NAME, one(&subject.common_name)),
        (rfc4519::SERIAL_NUMBER, one(&subject.serial_number)),
    ];
    let mut all = RdnSequence::default();
    for (oid, values) in parts.into_iter().filter(|(_, values)| !values.is_empty()) {
        let attribute = |text: &String| Ok(AttributeTypeAndValue { oid, value: string(text)? });
        let attributes: Vec<_> = values.iter().map(attribute).collect::<der::Result<_>>()?;
        all.push(RelativeDistinguishedName::try_from(attributes)?);
    }
    Ok(Name::hazmat_from_rdn_sequence(all))
}

/// The values of an attribute that has one value, or none: an empty text is none.
fn one(text: &String) -> &[String] {
    if text.is_empty() { &[] } else { std::slice::from_ref(text) }
}

/// A string, as Go writes it that is not told of which sort: PrintableString if its letters allow that.
fn string(text: &str) -> der::Result<Any> {
    match PrintableStringRef::new(text) {
        Ok(printable) => Ok(Any::from(printable)),
        Err(_) => Utf8StringRef::new(text).map(Any::from),
    }
}

/// The extensions in the order in which Go writes them (`buildCertExtensions`).
fn extensions(
    request: &Request,
    usages: &Usages,
    authority: &Authority,
    subject: &Name,
) -> der::Result<Vec<Extension>> {
    let mut all = Vec::new();
    if !usages.key.is_empty() {
        all.push((&KeyUsage(usages.key)).to_extension(subject, &[])?);
    }
    if !usages.extended.is_empty() {
        all.push((&ExtendedKeyUsage(usages.extended.clone())).to_extension(subject, &[])?);
    }
    // Whoever has the certificate may not issue others.
    all.push((&BasicConstraints { ca: false, path_len_constraint: None }).to_extension(subject, &[])?);
    let key = AuthorityKeyIdentifier { key_identifier: Some(authority.key_id.clone()), ..Default::default() };
    all.push((&key).to_extension(subject, &[])?);
    let mut names = Vec::new();
    for host in &request.dns_names {
        names.push(GeneralName::DnsName(Ia5String::new(host)?));
    }
    for mail in &request.email_addresses {
        names.push(GeneralName::Rfc822Name(Ia5String::new(mail)?));
    }
    names.extend(request.ip_addresses.iter().copied().map(GeneralName::from));
    for uri in &request.uris {
        names.push(GeneralName::UniformResourceIdentifier(Ia5String::new(uri)?));
    }
    if !names.is_empty() {
        all.push((&SubjectAltName(names)).to_extension(subject, &[])?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
