#![allow(clippy::unwrap_used)]
use super::*;
use crate::api::keys::PublicKey;
use crate::api::pkcs10::tests::{JANE, renamed_jane};

const DAY: SignedDuration = SignedDuration::from_hours(24);

fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

fn issued(usages: &[&str], duration: SignedDuration) -> (Request, Certificate, Vec<u8>) {
    let request = Request::parse(JANE.as_bytes()).unwrap();
    let usages: Vec<String> = usages.iter().map(|u| (*u).to_owned()).collect();
    let policy = Policy { usages: &usages, duration, now: now(), serial: "uid" };
    let text = issue(&request, &policy).unwrap();
    let der = pem::parse(&text).unwrap().contents().to_vec();
    (request, Certificate::from_der(&der).unwrap(), text)
}

fn signed_by(key: &PublicKey, certificate: &Certificate) -> bool {
    let tbs = certificate.tbs_certificate().to_der().unwrap();
    key.verifies_der(&Sha256::digest(tbs), certificate.signature().raw_bytes())
}

#[test]
fn the_authority_has_signed_itself_with_the_key_of_the_cluster() {
    let own = Certificate::from_der(pem::parse(root_ca::CERTIFICATE).unwrap().contents()).unwrap();
    let key = own.tbs_certificate().subject_public_key_info().to_der().unwrap();
    assert_eq!(PublicKey::from_der(&key), Some(AUTHORITY.public()));
    assert!(signed_by(&AUTHORITY.public(), &own));
}

/// `pkg/controller/certificates/authority/authority_test.go`: `TestCertificateAuthority`; `signer_test.go`: `TestSigner`.
#[test]
fn a_certificate_says_what_was_asked_for_and_is_signed_by_the_authority() {
    let asked = ["digital signature", "key encipherment", "client auth", "server auth"];
    let (request, certificate, text) = issued(&asked, DAY);
    assert!(text.starts_with(b"-----BEGIN CERTIFICATE-----\n") && !text.contains(&b'\r'));
    assert!(signed_by(&AUTHORITY.public(), &certificate));
    let tbs = certificate.tbs_certificate();
    assert_eq!(tbs.issuer().to_string(), "CN=kubernetes");
    assert_eq!(tbs.subject().to_string(), "CN=jane,O=dev");
    assert_eq!(tbs.subject_public_key_info().to_der().unwrap(), request.public_key);
    let (critical, usage) = tbs.get_extension::<KeyUsage>().unwrap().unwrap();
    assert!(critical && usage.digital_signature() && usage.key_encipherment() && !usage.key_cert_sign());
    let (_, extended) = tbs.get_extension::<ExtendedKeyUsage>().unwrap().unwrap();
    let ids: Vec<String> = extended.0.iter().map(ToString::to_string).collect();
    assert_eq!(ids, ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
    let (critical, constraints) = tbs.get_extension::<BasicConstraints>().unwrap().unwrap();
    assert!(critical && !constraints.ca);
    let (_, names) = tbs.get_extension::<SubjectAltName>().unwrap().unwrap();
    assert_eq!(names.0.len(), 2);
    let (_, key) = tbs.get_extension::<AuthorityKeyIdentifier>().unwrap().unwrap();
    assert_eq!(key.key_identifier.unwrap().as_bytes(), authority().unwrap().key_id.as_bytes());
    assert_eq!(issued(&asked, DAY).2, text, "a run repeats");
}

/// `pkg/controller/certificates/authority/policies_test.go`: `TestKeyUsagesFromStrings`.
#[test]
fn usages_are_those_of_go() {
    let read = |names: &[&str]| usages(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
    assert_eq!(
        read(&["signing", "digital signature", "crl sign"]).unwrap().key,
        KeyUsages::DigitalSignature | KeyUsages::CRLSign
    );
    assert_eq!(read(&["s/mime", "email protection"]).unwrap().extended.len(), 1);
    assert_eq!(read(&["fly", "signing"]).err().unwrap(), r#"unrecognized usage values: ["fly"]"#);
}

/// `pkg/controller/certificates/authority/authority_test.go`: the cases `backdate without short`, `backdate with short`,
/// `truncate expiration`, `backdate zero`, `signer expired`.
#[test]
fn a_certificate_begins_before_it_is_issued_and_ends_with_its_authority() {
    let of = |duration: SignedDuration, authority: SignedDuration| {
        let policy = Policy { usages: &[], duration, now: now(), serial: "" };
        let seconds = |at: Timestamp| at.as_second() - now().as_second();
        let validity = Validity::new(&policy, later(now(), authority))?;
        Ok::<_, String>((seconds(validity.not_before), seconds(validity.not_after)))
    };
    let hours = SignedDuration::from_hours;
    assert_eq!(of(hours(10), hours(100)), Ok((-300, 36_000 - 300)));
    assert_eq!(of(hours(1), hours(100)), Ok((-300, 3600)));
    assert_eq!(of(hours(10), hours(2)), Ok((-300, 7200)));
    assert!(of(hours(1), SignedDuration::from_mins(-6)).unwrap_err().starts_with("the signer has expired"));
    assert!(of(hours(1), SignedDuration::ZERO).unwrap_err().starts_with("refusing to sign"));
    let (_, certificate, text) = issued(&["client auth"], hours(24));
    let validity = Validity::of_pem(&text).unwrap();
    assert_eq!(Some(validity), Validity::of(&certificate));
    assert_eq!(validity.not_after, later(now(), hours(24) - BACKDATE));
    assert_eq!(Validity::of_pem(b"x"), None);
}

/// `pkg/controller/certificates/authority/authority.go`, `Sign`: `CheckSignature`.
#[test]
fn a_request_with_a_wrong_signature_gets_no_certificate() {
    let request = Request::parse(renamed_jane().as_bytes()).unwrap();
    let policy = Policy { usages: &[], duration: DAY, now: now(), serial: "" };
    assert!(
        issue(&request, &policy).unwrap_err().starts_with("unable to verify certificate request signature")
    );
}

/// The snapshots pin each byte of certificates; `openssl x509 -text` prints what they say.
#[test]
fn a_certificate_is_written_as_go_writes_it() {
    let texts = |all: &[&str]| all.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    let asked = Request::parse(JANE.as_bytes()).unwrap();
    let written = |request: &Request, usages: &[&str], duration, now| {
        let usages = texts(usages);
        String::from_utf8(issue(request, &Policy { usages: &usages, duration, now, serial: "uid" }).unwrap())
            .unwrap()
    };
    insta::assert_snapshot!(written(&asked, &["client auth"], DAY, now()));
    let many = Request {
        subject: Subject {
            common_name: "system:node:a".into(),
            serial_number: "7".into(),
            organizations: texts(&["the last and the longest", "b", "a*", "b", "größer als alle anderen"]),
            organizational_units: texts(&["unit"]),
            countries: texts(&["CH", "AT"]),
            localities: texts(&["Bern"]),
            provinces: texts(&["BE"]),
            street_addresses: texts(&["Way 1"]),
            postal_codes: texts(&["3000"]),
        },
        dns_names: texts(&["a.example.com", "b.example.com"]),
        email_addresses: texts(&["jane@example.com"]),
        uris: texts(&["spiffe://example.com/a"]),
        ip_addresses: vec!["10.0.0.1".parse().unwrap(), "fd00::1".parse().unwrap()],
        ..asked.clone()
    };
    let usages =
        ["signing", "cert sign", "decipher only", "any", "s/mime", "email protection", "netscape sgc"];
    let last_of_utc = "2049-12-31T23:59:59Z".parse().unwrap();
    insta::assert_snapshot!(written(&many, &usages, DAY, last_of_utc));
    // Without a subject, the alternative names are critical. Without usages, there is no extension for them.
    let nameless = Request { subject: Subject::default(), ..asked.clone() };
    insta::assert_snapshot!(written(&nameless, &[], DAY * 3, "2050-01-01T00:00:00.5Z".parse().unwrap()));
    // Without alternative names, there is no extension for them, either.
    let bare = Request { subject: Subject::default(), dns_names: vec![], ip_addresses: vec![], ..asked };
    insta::assert_snapshot!(written(
        &bare,
        &["key encipherment"],
        SHORT,
        "2050-01-01T00:05:00Z".parse().unwrap()
    ));
}
