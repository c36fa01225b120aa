//! CertificateSigningRequests through their paths.
#![allow(clippy::unwrap_used)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::tests::{send, server, value};
use crate::api::pkcs10::tests::{JANE, renamed_jane};

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

fn request() -> Value {
    json!({"metadata": {"name": "jane"}, "spec": {"request": STANDARD.encode(JANE), "signerName": "example.com/mine",
        "usages": ["client auth"], "username": "somebody"}})
}

fn condition(type_: &str) -> Value {
    json!({"type": type_, "status": "True", "reason": "Test", "message": "said the test"})
}

#[test]
fn a_request_is_approved_and_gets_its_certificate() {
    let mut api = server();
    let made = send(&mut api, "POST", REQUESTS, "", "", &request());
    assert_eq!(made.status, 201, "{}", made.body);
    let mut object = value(&made);
    assert_eq!(object["spec"]["username"], "kubernetes-admin");
    assert_eq!(
        (&object["spec"]["groups"], &object["status"]),
        (&json!(["system:masters", "system:authenticated"]), &json!({}))
    );
    // Only the path of approval lets a decision in.
    object["status"]["conditions"] = json!([condition("Approved")]);
    let refused = send(&mut api, "PUT", &format!("{REQUESTS}/jane/status"), "", "", &object);
    assert!(
        refused.body.contains(r#"updates may not add a condition of type \"Approved\""#),
        "{}",
        refused.body
    );
    object["spec"]["signerName"] = "example.com/other".into();
    let approved = send(&mut api, "PUT", &format!("{REQUESTS}/jane/approval"), "", "", &object);
    assert_eq!(approved.status, 200, "{}", approved.body);
    let approved = value(&approved);
    assert_eq!(approved["spec"]["signerName"], "example.com/mine");
    assert!(approved["status"]["conditions"][0]["lastUpdateTime"].is_string());
    let mut both = approved.clone();
    both["status"]["conditions"] = json!([condition("Approved"), condition("Denied")]);
    let refused = send(&mut api, "PUT", &format!("{REQUESTS}/jane/approval"), "", "", &both);
    assert!(
        refused.body.contains("Approved and Denied conditions are mutually exclusive"),
        "{}",
        refused.body
    );
    both["status"]["conditions"] = json!([]);
    let refused = send(&mut api, "PUT", &format!("{REQUESTS}/jane/approval"), "", "", &both);
    assert!(
        refused.body.contains(r#"updates may not remove a condition of type \"Approved\""#),
        "{}",
        refused.body
    );
    let mut issued = approved;
    issued["status"]["certificate"] = STANDARD.encode("no certificate").into();
    let refused = send(&mut api, "PUT", &format!("{REQUESTS}/jane/status"), "", "", &issued);
    assert!(refused.body.contains("must contain at least one CERTIFICATE PEM block"), "{}", refused.body);
    let found = value(&send(
        &mut api,
        "GET",
        REQUESTS,
        "fieldSelector=spec.signerName%3Dexample.com/mine",
        "",
        &Value::Null,
    ));
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
}

/// `pkg/apis/certificates/validation/validation_test.go`: `TestValidateCertificateSigningRequestCreate`, a request whose signature is
/// that of another one.
#[test]
fn a_request_that_was_changed_after_it_was_signed_is_refused() {
    let mut api = server();
    let mut body = request();
    body["spec"]["request"] = STANDARD.encode(renamed_jane()).into();
    let refused = send(&mut api, "POST", REQUESTS, "", "", &body);
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("x509: ECDSA verification failure"), "{}", refused.body);
}

#[test]
fn what_is_wrong_with_a_request_is_told() {
    let mut api = server();
    let mut body = request();
    body["spec"]["request"] = STANDARD.encode("nonsense").into();
    body["spec"]["usages"] = json!(["fly", "signing", "signing"]);
    body["spec"]["signerName"] = "Example.com/x".into();
    body["spec"]["expirationSeconds"] = 60.into();
    let refused = value(&send(&mut api, "POST", REQUESTS, "", "", &body));
    let causes: Vec<String> = refused["details"]["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| format!("{} {}", c["reason"].as_str().unwrap(), c["field"].as_str().unwrap()))
        .collect();
    assert_eq!(
        causes,
        [
            "FieldValueInvalid spec.request",
            "FieldValueNotSupported spec.usages[0]",
            "FieldValueDuplicate spec.usages[2]",
            "FieldValueInvalid spec.signerName",
            "FieldValueInvalid spec.expirationSeconds",
        ]
    );
    assert_eq!(
        refused["details"]["causes"][0]["message"],
        r#"Invalid value: "bm9uc2Vuc2U=": PEM block type must be CERTIFICATE REQUEST"#
    );
}
