//! Validation of CertificateSigningRequests (`pkg/apis/certificates/validation/validation.go`).

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::api::certificate_signing_request::{certificate, conditions};
use crate::api::pkcs10;
use crate::api::types::CertificateSigningRequest;
use crate::api::types::certificates::CertificateSigningRequestCondition as Condition;
use crate::api::well_known::LEGACY_UNKNOWN_SIGNER;
use crate::apiserver::validation::meta::{object_meta, object_meta_update};
use crate::apiserver::validation::names::{dns1123_label, dns1123_subdomain};
use crate::apiserver::validation::{Errors, FieldError, Path, go_quote, list};

/// The shortest life of a certificate that may be asked for, in seconds.
const MIN_EXPIRATION_SECONDS: i32 = 600;
/// The longest name of a domain, in bytes.
const MAX_DOMAIN: usize = 253;
/// The longest name of a signer: a domain, a namespace and a name, with what stands between them, in bytes.
const MAX_SIGNER_NAME: usize = MAX_DOMAIN + 1 + 63 + 1 + MAX_DOMAIN;

const USAGES: &[&str] = &[
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// What an update through a path may change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Through {
    /// The object itself.
    Main,
    /// `status`: the certificate.
    Status,
    /// `approval`: the conditions Approved and Denied.
    Approval,
}

/// Validates a new request (`ValidateCertificateSigningRequestCreate`).
pub(super) fn create(errs: &mut Errors, request: &CertificateSigningRequest) {
    validate(errs, request, None);
}

/// Validates an update (`ValidateCertificateSigningRequestUpdate`).
pub(super) fn update(errs: &mut Errors, new: &CertificateSigningRequest, old: &CertificateSigningRequest) {
    validate_update(errs, new, old, Through::Main);
}

/// Validates an update of the status (`ValidateCertificateSigningRequestStatusUpdate`).
pub(super) fn status_update(
    errs: &mut Errors,
    new: &CertificateSigningRequest,
    old: &CertificateSigningRequest,
) {
    validate_update(errs, new, old, Through::Status);
}

/// Validates an update through `approval` (`ValidateCertificateSigningRequestApprovalUpdate`).
pub(in crate::apiserver) fn approval_update(
    errs: &mut Errors,
    new: &CertificateSigningRequest,
    old: &CertificateSigningRequest,
) {
    validate_update(errs, new, old, Through::Approval);
}

/// Validates a request. What was wrong before an update may stay wrong.
fn validate(errs: &mut Errors, request: &CertificateSigningRequest, old: Option<&CertificateSigningRequest>) {
    // A request may have any name.
    object_meta(errs, &request.metadata, false, |_, _| Vec::new());
    let (spec, path) = (&request.spec, Path::new("spec"));
    if let Err(why) = pkcs10::Request::parse(&spec.request.0).and_then(|request| request.check_signature()) {
        errs.push(FieldError::invalid(
            &path.child("request"),
            STANDARD.encode(&spec.request.0).as_str(),
            why,
        ));
    }
    let usages = list(&spec.usages);
    let at = path.child("usages");
    if usages.is_empty() {
        errs.push(FieldError::required(&at, ""));
    }
    let before = old.map_or(&[][..], |o| list(&o.spec.usages));
    let is_known = |usage: &String| USAGES.contains(&usage.as_str());
    if before.iter().all(is_known) {
        for (i, usage) in usages.iter().enumerate().filter(|(_, u)| !is_known(u)) {
            errs.push(FieldError::not_supported(&at.index(i), usage, USAGES));
        }
    }
    if repeated(before.iter()).is_empty() {
        for (i, usage) in repeated(usages.iter()) {
            errs.push(FieldError::duplicate(&at.index(i), usage));
        }
    }
    let at = path.child("signerName");
    let was_legacy = old.is_some_and(|o| o.spec.signer_name == LEGACY_UNKNOWN_SIGNER);
    if spec.signer_name == LEGACY_UNKNOWN_SIGNER && !was_legacy {
        let message = "the legacy signerName is not allowed via this API version";
        errs.push(FieldError::invalid(&at, &spec.signer_name, message));
    } else {
        signer_name(errs, &spec.signer_name, &at);
    }
    if let Some(seconds) = spec.expiration_seconds.filter(|s| *s < MIN_EXPIRATION_SECONDS) {
        let message = "may not specify a duration less than 600 seconds (10 minutes)";
        errs.push(FieldError::invalid(&path.child("expirationSeconds"), seconds, message));
    }
    let path = Path::new("status");
    validate_conditions(errs, conditions(request), old.map_or(&[], conditions), &path.child("conditions"));
    let (certificate, before) = (certificate(request), old.map(certificate));
    let tolerated = before.is_some_and(|b| b == certificate || pkcs10_error(b).is_some());
    if let Some(why) = pkcs10_error(certificate).filter(|_| !tolerated) {
        errs.push(FieldError::invalid(&path.child("certificate"), "<certificate data>", why));
    }
}

/// What is wrong with an issued certificate; nothing with one that is not there yet.
fn pkcs10_error(certificate: &[u8]) -> Option<String> {
    if certificate.is_empty() { None } else { pkcs10::check_certificates(certificate).err() }
}

/// The items that came before, each with its index.
fn repeated<T: Ord + Copy>(items: impl Iterator<Item = T>) -> Vec<(usize, T)> {
    let mut seen = BTreeSet::new();
    items.enumerate().filter(|(_, item)| !seen.insert(*item)).collect()
}

/// Validates the name of a signer, `example.com/name` (`ValidateSignerName`).
fn signer_name(errs: &mut Errors, name: &str, path: &Path) {
    if name.is_empty() {
        errs.push(FieldError::required(path, ""));
        return;
    }
    let Some((domain, rest)) = name.split_once('/').filter(|(_, rest)| !rest.contains('/')) else {
        let message = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        errs.push(FieldError::invalid(path, name, message));
        return;
    };
    if domain.len() > MAX_DOMAIN {
        errs.push(FieldError::too_long(path, MAX_DOMAIN));
    }
    each_label(errs, domain, dns1123_label, path);
    if !domain.contains('.') {
        let message = "should be a domain with at least two segments separated by dots";
        errs.push(FieldError::invalid(path, domain, message));
    }
    each_label(errs, rest, dns1123_subdomain, path);
    if name.len() > MAX_SIGNER_NAME {
        errs.push(FieldError::too_long(path, MAX_SIGNER_NAME));
    }
}

/// Validates the parts between dots. Only the first part that is wrong is told of.
fn each_label(errs: &mut Errors, whole: &str, rule: fn(&str) -> Vec<String>, path: &Path) {
    let wrong = whole.split('.').map(|part| (part, rule(part))).find(|(_, messages)| !messages.is_empty());
    let Some((part, messages)) = wrong else { return };
    for message in messages {
        let message = format!("validating label {}: {message}", go_quote(part));
        errs.push(FieldError::invalid(path, whole, message));
    }
}

fn validate_conditions(errs: &mut Errors, conditions: &[Condition], before: &[Condition], path: &Path) {
    let was_both = ["Approved", "Denied"].iter().all(|type_| before.iter().any(|c| c.type_ == *type_));
    let was_empty = before.iter().any(|c| c.type_.is_empty());
    let (mut approved, mut denied) = (false, false);
    let again = repeated(conditions.iter().map(|c| c.type_.as_str()));
    let was_repeated = !repeated(before.iter().map(|c| c.type_.as_str())).is_empty();
    for (i, condition) in conditions.iter().enumerate() {
        let (at, type_) = (path.index(i), condition.type_.as_str());
        if type_.is_empty() && !was_empty {
            errs.push(FieldError::required(&at.child("type"), ""));
        }
        let allowed: &[&str] = match type_ {
            "Approved" | "Denied" | "Failed" => &["True"],
            _ => &["False", "True", "Unknown"],
        };
        if condition.status.is_empty() {
            errs.push(FieldError::required(&at.child("status"), ""));
        } else if !allowed.contains(&condition.status.as_str()) {
            errs.push(FieldError::not_supported(&at.child("status"), &condition.status, allowed));
        }
        approved |= type_ == "Approved";
        denied |= type_ == "Denied";
        if approved && denied && matches!(type_, "Approved" | "Denied") && !was_both {
            let message = "Approved and Denied conditions are mutually exclusive";
            errs.push(FieldError::invalid(path, type_, message));
        }
        if !was_repeated && again.iter().any(|(n, _)| *n == i) {
            errs.push(FieldError::duplicate(&at.child("type"), type_));
        }
    }
}

fn validate_update(
    errs: &mut Errors,
    new: &CertificateSigningRequest,
    old: &CertificateSigningRequest,
    through: Through,
) {
    validate(errs, new, Some(old));
    let of = |request, type_: &str| -> Vec<Condition> {
        conditions(request).iter().filter(|c: &&Condition| c.type_ == type_).cloned().collect()
    };
    let at = Path::new("status").child("conditions");
    for type_ in ["Approved", "Denied", "Failed"] {
        if of(new, type_).len() < of(old, type_).len() {
            let message =
                format!("updates may not remove a condition of type {type_}", type_ = go_quote(type_));
            errs.push(FieldError::forbidden(&at, message));
        }
    }
    if through != Through::Approval {
        for type_ in ["Approved", "Denied"] {
            // A condition that was changed has been set back before (`preserve`), so only a new one is found here.
            if of(new, type_).len() > of(old, type_).len() {
                let message =
                    format!("updates may not add a condition of type {type_}", type_ = go_quote(type_));
                errs.push(FieldError::forbidden(&at, message));
            }
        }
    }
    if certificate(new) != certificate(old) {
        let message = match through {
            Through::Status if certificate(old).is_empty() => None,
            Through::Status => Some("updates may not modify existing certificate content"),
            Through::Main | Through::Approval => Some("updates may not set certificate content"),
        };
        if let Some(message) = message {
            errs.push(FieldError::forbidden(&Path::new("status").child("certificate"), message));
        }
    }
    object_meta_update(errs, &new.metadata, &old.metadata);
}
