//! Requests for certificates in PKCS #10, and certificates, as far as the API server and kubectl read them
//! (`crypto/x509` and `encoding/pem` of Go).
//!
//! The module `signature` says which signatures are checked, and which keys are known.

mod signature;

use std::net::IpAddr;

use x509_cert::Certificate;
use x509_cert::der::asn1::{Any, AnyRef, Ia5StringRef, PrintableStringRef, Utf8StringRef};
use x509_cert::der::oid::db::rfc4519;
use x509_cert::der::oid::db::rfc5912::{ID_CE_SUBJECT_ALT_NAME, ID_EXTENSION_REQ};
use x509_cert::der::{Decode, Encode as _, SliceReader, Tag, Tagged};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::name::Name;
use x509_cert::request::CertReq;

pub use self::signature::Signature;
use crate::api::quote::go_quote;

const REQUEST: &str = "CERTIFICATE REQUEST";
pub(super) const CERTIFICATE: &str = "CERTIFICATE";

/// What a request for a certificate asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Who is to get the certificate.
    pub subject: Subject,
    /// Alternative names: hosts.
    pub dns_names: Vec<String>,
    /// Alternative names: mail addresses.
    pub email_addresses: Vec<String>,
    /// Alternative names: URIs.
    pub uris: Vec<String>,
    /// Alternative names: IP addresses.
    pub ip_addresses: Vec<IpAddr>,
    /// The key that is to be certified: `SubjectPublicKeyInfo` in DER.
    pub public_key: Vec<u8>,
    /// The signature by which the sender shows that he has the key.
    pub signature: Signature,
}

/// The attributes of a subject's name (`pkix.Name`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// `CN`
    pub common_name: String,
    /// `SERIALNUMBER`
    pub serial_number: String,
    /// `O`
    pub organizations: Vec<String>,
    /// `OU`
    pub organizational_units: Vec<String>,
    /// `C`
    pub countries: Vec<String>,
    /// `L`
    pub localities: Vec<String>,
    /// `ST`
    pub provinces: Vec<String>,
    /// `STREET`
    pub street_addresses: Vec<String>,
    /// `POSTALCODE`
    pub postal_codes: Vec<String>,
}

impl Request {
    /// Reads the first PEM block.
    ///
    /// # Errors
    /// It is no block of a request (in Kubernetes' words), its key is malformed (in Go's), or it is not PKCS #10 (in words of our
    /// own).
    pub fn parse(text: &[u8]) -> Result<Request, String> {
        let block = pem::parse(text).ok().filter(|block| block.tag() == REQUEST);
        let block = block.ok_or("PEM block type must be CERTIFICATE REQUEST")?;
        let read = CertReq::from_der(block.contents()).map_err(|why| malformed(&why))?;
        let mut request = Request {
            subject: Subject::of(&read.info.subject),
            public_key: read.info.public_key.to_der().map_err(|why| malformed(&why))?,
            signature: Signature {
                key: signature::Key::of(&read.info.public_key)?,
                message: signed_part(block.contents()).map_err(|why| malformed(&why))?,
                algorithm: Some(read.algorithm),
                bytes: read.signature.raw_bytes().to_vec(),
            },
            ..Request::default()
        };
        for attribute in read.info.attributes.iter().filter(|a| a.oid == ID_EXTENSION_REQ) {
            for value in attribute.values.iter() {
                let extensions: Vec<Extension> = value.decode_as().map_err(|why| malformed(&why))?;
                for extension in extensions.iter().filter(|e| e.extn_id == ID_CE_SUBJECT_ALT_NAME) {
                    let names = SubjectAltName::from_der(extension.extn_value.as_bytes());
                    request.add(&names.map_err(|why| malformed(&why))?)?;
                }
            }
        }
        Ok(request)
    }

    /// Checks that the request is signed with the key that it names (`CheckSignature`). The signature of another key than one of
    /// the curve P-256 is believed, if Go could check it.
    ///
    /// # Errors
    /// In Go's words: it is not, or Go cannot check it.
    pub fn check_signature(&self) -> Result<(), String> {
        self.signature.check()
    }

    fn add(&mut self, names: &SubjectAltName) -> Result<(), String> {
        for name in &names.0 {
            match name {
                GeneralName::DnsName(host) => self.dns_names.push(host.to_string()),
                GeneralName::Rfc822Name(mail) => self.email_addresses.push(mail.to_string()),
                GeneralName::UniformResourceIdentifier(uri) => self.uris.push(uri.to_string()),
                GeneralName::IpAddress(bytes) => self.ip_addresses.push(ip(bytes.as_bytes())?),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Subject {
    fn of(name: &Name) -> Subject {
        let mut subject = Subject::default();
        for attribute in name.iter() {
            let Some(text) = text(&attribute.value) else { continue };
            match attribute.oid {
                rfc4519::COMMON_NAME => subject.common_name = text,
                rfc4519::SERIAL_NUMBER => subject.serial_number = text,
                rfc4519::COUNTRY_NAME => subject.countries.push(text),
                rfc4519::LOCALITY_NAME => subject.localities.push(text),
                rfc4519::ST => subject.provinces.push(text),
                rfc4519::STREET => subject.street_addresses.push(text),
                rfc4519::ORGANIZATION_NAME => subject.organizations.push(text),
                rfc4519::ORGANIZATIONAL_UNIT_NAME => subject.organizational_units.push(text),
                rfc4519::POSTAL_CODE => subject.postal_codes.push(text),
                _ => {}
            }
        }
        subject
    }
}

/// The first part of a request, which is signed: its bytes as they came.
fn signed_part(request: &[u8]) -> x509_cert::der::Result<Vec<u8>> {
    let mut parts = SliceReader::new(AnyRef::from_der(request)?.value())?;
    AnyRef::decode(&mut parts)?.to_der()
}

fn text(value: &Any) -> Option<String> {
    Some(match value.tag() {
        Tag::PrintableString => value.decode_as::<PrintableStringRef<'_>>().ok()?.to_string(),
        Tag::Utf8String => value.decode_as::<Utf8StringRef<'_>>().ok()?.to_string(),
        Tag::Ia5String => value.decode_as::<Ia5StringRef<'_>>().ok()?.to_string(),
        _ => return None,
    })
}

fn ip(bytes: &[u8]) -> Result<IpAddr, String> {
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return Ok(four.into());
    }
    let sixteen = <[u8; 16]>::try_from(bytes);
    let length = bytes.len();
    sixteen.map(IpAddr::from).map_err(|_| format!("x509: cannot parse IP address of length {length}"))
}

fn malformed(why: &dyn std::fmt::Display) -> String {
    format!("x509: malformed certificate request: {why}")
}

/// Checks that a text is PEM blocks of certificates, at least one (`validateCertificate`).
///
/// # Errors
/// Kubernetes' words, but for a certificate that is malformed.
pub fn check_certificates(text: &[u8]) -> Result<(), String> {
    let blocks = pem::parse_many(text).unwrap_or_default();
    for block in &blocks {
        if block.tag() != CERTIFICATE {
            return Err(format!("only CERTIFICATE PEM blocks are allowed, found {}", go_quote(block.tag())));
        }
        if block.headers().iter().next().is_some() {
            return Err("no PEM block headers are permitted".to_owned());
        }
        Certificate::from_der(block.contents())
            .map_err(|why| format!("x509: malformed certificate: {why}"))?;
    }
    if blocks.is_empty() {
        return Err("must contain at least one CERTIFICATE PEM block".to_owned());
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// `openssl req -new -subj "/O=dev/CN=jane" -addext "subjectAltName=DNS:a.example.com,IP:10.0.0.1"` with a key
    /// of the curve P-256.
    pub(crate) const JANE: &str = include_str!("pkcs10_test.pem");

    /// [`JANE`] with other bytes.
    fn changed(change: impl FnOnce(&mut [u8])) -> String {
        let mut der = pem::parse(JANE).unwrap().contents().to_vec();
        change(&mut der);
        pem::encode(&pem::Pem::new(REQUEST, der))
    }

    /// [`JANE`], whose name was changed to `Jane` after it was signed.
    pub(crate) fn renamed_jane() -> String {
        changed(|der| {
            let at = der.windows(4).position(|w| w == b"jane").unwrap();
            der[at] = b'J';
        })
    }

    #[test]
    fn a_request_is_read() {
        let request = Request::parse(JANE.as_bytes()).unwrap();
        assert_eq!(request.subject.common_name, "jane");
        assert_eq!(request.subject.organizations, ["dev"]);
        assert_eq!(request.dns_names, ["a.example.com"]);
        assert_eq!(request.ip_addresses, ["10.0.0.1".parse::<IpAddr>().unwrap()]);
    }

    /// `pkg/apis/certificates/validation/validation_test.go`: a request that was changed after it was signed.
    #[test]
    fn a_request_is_signed_with_the_key_that_it_names() {
        let signed = Request::parse(JANE.as_bytes()).unwrap();
        assert_eq!(signed.check_signature(), Ok(()));
        let renamed = Request::parse(renamed_jane().as_bytes()).unwrap();
        assert_eq!(renamed.subject.common_name, "Jane");
        assert_eq!(renamed.check_signature().unwrap_err(), "x509: ECDSA verification failure");
        let other = Signature { algorithm: None, ..signed.signature.clone() };
        assert!(Request { signature: other, ..signed }.check_signature().is_err());
    }

    /// `crypto/x509/parser.go`, `parsePublicKey`: a point that is not on the curve.
    #[test]
    fn a_request_whose_key_is_not_on_the_curve_is_refused() {
        let key = Request::parse(JANE.as_bytes()).unwrap().public_key;
        let text = changed(|der| {
            let at = der.windows(key.len()).position(|w| w == key).unwrap();
            let y = &mut der[at + key.len() - 1];
            assert_ne!(*y, 0);
            *y = 0;
        });
        let refused = Request::parse(text.as_bytes()).unwrap_err();
        assert_eq!(refused, "x509: failed to unmarshal elliptic curve point");
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let wrong = "PEM block type must be CERTIFICATE REQUEST";
        assert_eq!(Request::parse(b"nonsense").unwrap_err(), wrong);
        let other = JANE.replace("CERTIFICATE REQUEST", "CERTIFICATE");
        assert_eq!(Request::parse(other.as_bytes()).unwrap_err(), wrong);
        let empty = "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n";
        assert!(Request::parse(empty.as_bytes()).unwrap_err().starts_with("x509: malformed"));
        assert_eq!(
            check_certificates(JANE.as_bytes()).unwrap_err(),
            "only CERTIFICATE PEM blocks are allowed, found \"CERTIFICATE REQUEST\""
        );
        assert_eq!(check_certificates(b"").unwrap_err(), "must contain at least one CERTIFICATE PEM block");
    }
}
