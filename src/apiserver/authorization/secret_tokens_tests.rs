//! Tests of tokens that Secrets hold.
#![allow(clippy::unwrap_used)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::api::Timestamp;
use crate::api::service_account_token::LegacyClaims;
use crate::apimachinery::{HttpRequest, HttpResponse};
use crate::apiserver::ApiServer;
use crate::apiserver::http::http;

struct Server(ApiServer);

impl Server {
    fn new() -> Server {
        let mut server = Server(ApiServer::new(1));
        for namespace in ["default", "kube-system"] {
            server.create("/api/v1/namespaces", &json!({"metadata": {"name": namespace}}));
        }
        server
    }

    fn ask(&mut self, token: Option<&str>, method: &str, path: &str, body: &Value) -> HttpResponse {
        let identity = token.map(|t| ("Authorization".to_owned(), format!("Bearer {t}")));
        let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "" };
        let request = HttpRequest {
            method: method.into(),
            path: path.into(),
            identity: identity.into_iter().collect(),
            body: body.to_string().into_bytes(),
            content_type: content_type.into(),
            ..HttpRequest::default()
        };
        http(&mut self.0, &request)
    }

    fn create(&mut self, path: &str, body: &Value) -> Value {
        let answer = self.ask(None, "POST", path, body);
        assert_eq!(answer.status, 201, "{}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    fn patch(&mut self, path: &str, body: &Value) {
        assert_eq!(self.ask(None, "PATCH", path, body).status, 200);
    }

    fn code(&mut self, token: &str) -> u16 {
        self.ask(Some(token), "GET", "/version", &Value::Null).status
    }

    /// The answer to a TokenReview for audiences.
    fn review(&mut self, token: &str, audiences: &[&str]) -> Value {
        let body = json!({"spec": {"token": token, "audiences": audiences}});
        self.create("/apis/authentication.k8s.io/v1/tokenreviews", &body)["status"].clone()
    }
}

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const SECRET: &str = "/api/v1/namespaces/default/secrets/robot";
const TOKENS: &str = "/api/v1/namespaces/kube-system/secrets";

/// A server with an account and a Secret that holds its token, and the token.
fn with_token() -> (Server, String) {
    let mut server = Server::new();
    let account = server.create(ACCOUNTS, &json!({"metadata": {"name": "robot"}}));
    let uid = account["metadata"]["uid"].as_str().unwrap();
    let token = LegacyClaims { namespace: "default", secret: "robot", account: "robot", uid }.text();
    let annotations = json!({"kubernetes.io/service-account.name": "robot"});
    let secret = json!({
        "metadata": {"name": "robot", "annotations": annotations},
        "type": "kubernetes.io/service-account-token", "stringData": {"token": token},
    });
    server.create(SECRETS, &secret);
    (server, token)
}

/// `pkg/serviceaccount/jwt_test.go`: `TestTokenGenerateAndValidate`, `TestLegacyTokenGenerateAndValidate`.
#[test]
fn a_token_is_its_accounts_as_long_as_its_secret_has_it() {
    let (mut server, token) = with_token();
    assert_eq!(server.code(&token), 200);
    let status = server.review(&token, &[]);
    assert_eq!(status["user"]["username"], "system:serviceaccount:default:robot");
    assert!(status["user"].get("extra").is_none(), "{status}");
    assert_eq!(status["audiences"], json!(["https://kubernetes.default.svc.cluster.local"]));
    assert_eq!(server.review(&token, &["vault"])["error"], "invalid bearer token");

    server.patch(SECRET, &json!({"stringData": {"token": "other"}}));
    assert_eq!(server.code(&token), 401);
    server.patch(SECRET, &json!({"stringData": {"token": token}}));
    assert_eq!(server.code(&token), 200);
    server.patch(SECRET, &json!({"metadata": {"finalizers": ["example.com/hold"]}}));
    assert_eq!(server.ask(None, "DELETE", SECRET, &Value::Null).status, 200);
    assert_eq!(server.code(&token), 401);
}

/// The same file: the account is another one than the token's.
#[test]
fn a_token_does_not_survive_its_account() {
    let (mut server, token) = with_token();
    let account = format!("{ACCOUNTS}/robot");
    assert_eq!(server.ask(None, "DELETE", &account, &Value::Null).status, 200);
    assert_eq!(server.code(&token), 401);
    server.create(ACCOUNTS, &json!({"metadata": {"name": "robot"}}));
    assert_eq!(server.code(&token), 401);
}

/// `pkg/serviceaccount/legacy.go`, `Validate`: what is marked invalid, and what an account names.
#[test]
fn a_token_can_be_marked_invalid_and_one_that_its_account_names_is_warned_of() {
    let (mut server, token) = with_token();
    let quiet = server.ask(Some(&token), "GET", "/version", &Value::Null);
    assert!(quiet.warnings.is_empty(), "{:?}", quiet.warnings);
    server.patch(&format!("{ACCOUNTS}/robot"), &json!({"secrets": [{"name": "robot"}]}));
    let warned = server.ask(Some(&token), "GET", ACCOUNTS, &Value::Null);
    assert_eq!((warned.status, warned.warnings.len()), (403, 1));
    assert!(
        warned.warnings[0].contains("instead of auto-generated secret-based tokens."),
        "{:?}",
        warned.warnings
    );

    let label =
        |value: Value| json!({"metadata": {"labels": {"kubernetes.io/legacy-token-invalid-since": value}}});
    server.patch(SECRET, &label("2026-01-01".into()));
    assert_eq!(server.code(&token), 401);
    server.patch(SECRET, &label(Value::Null));
    assert_eq!(server.code(&token), 200);
}

/// `plugin/pkg/auth/authenticator/token/bootstrap/bootstrap_test.go`: `TestTokenAuthenticator`.
#[test]
fn a_bootstrap_token_is_a_user_in_groups() {
    let mut server = Server::new();
    server.0.set_now(Timestamp::from_second(1_000_000).unwrap());
    let secret = |id: &str, data: Value| {
        let mut all = json!({
            "token-id": id, "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true",
        });
        for (key, value) in data.as_object().unwrap() {
            all[key] = value.clone();
        }
        json!({
            "metadata": {"name": format!("bootstrap-token-{id}")},
            "type": "bootstrap.kubernetes.io/token", "stringData": all,
        })
    };
    let groups = json!({"auth-extra-groups": "system:bootstrappers:foo"});
    server.create(TOKENS, &secret("abcdef", groups));
    let status = server.review("abcdef.0123456789abcdef", &[]);
    assert_eq!(status["user"]["username"], "system:bootstrap:abcdef");
    assert_eq!(
        status["user"]["groups"],
        json!(["system:bootstrappers", "system:bootstrappers:foo", "system:authenticated"])
    );
    assert_eq!(server.code("abcdef.0123456789abcdef"), 200);
    assert_eq!(server.review("abcdef.0123456789abcdef", &["vault"])["error"], "invalid bearer token");
    for wrong in ["abcdef.0123456789abcdee", "abcdee.0123456789abcdef", "abcdef.0123456789abcde", "abcdef"] {
        assert_eq!(server.code(wrong), 401, "{wrong}");
    }
    for (id, data) in [
        ("aaaaaa", json!({"usage-bootstrap-authentication": "false"})),
        ("bbbbbb", json!({"token-id": "cccccc"})),
        ("dddddd", json!({"expiration": "1970-01-12T13:46:40Z"})),
        ("eeeeee", json!({"auth-extra-groups": "masters"})),
    ] {
        server.create(TOKENS, &secret(id, data));
        assert_eq!(server.code(&format!("{id}.0123456789abcdef")), 401, "{id}");
    }
    let path = format!("{TOKENS}/bootstrap-token-abcdef");
    server.patch(&path, &json!({"data": {"token-secret": STANDARD.encode("fedcba9876543210")}}));
    assert_eq!(server.code("abcdef.0123456789abcdef"), 401);
    assert_eq!(server.code("abcdef.fedcba9876543210"), 200);
}
