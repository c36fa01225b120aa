//! The text of a token of a ServiceAccount (`pkg/serviceaccount/claims.go`, `jwt.go`): a JWT that is signed as kube-apiserver signs one
//! whose key is of the curve P-256 (RFC 7515, `ES256`).
//!
//! Each container has a token in a file, and hardly one is ever read, so a [`Token`] is signed when somebody reads it.

use std::cell::OnceCell;
use std::fmt;

mod legacy;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::api::keys::{PublicKey, SERVICE_ACCOUNTS};

pub use legacy::{LEGACY_ISSUER, LegacyClaims};

/// Who issues the tokens of kubeadm's clusters, and for whom they are if nobody says.
pub const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// The life that admission asks for. A token of it that is bound to a pod and for the API server stays valid for a year, so that programs
/// that read it once go on (`WarnOnlyBoundTokenExpirationSeconds`, `ExpirationExtensionSeconds`).
const WARN_ONLY: i64 = 3607;
const EXTENDED: i64 = 365 * 24 * 3600;

/// How a token's text begins: its header, which names the algorithm and the key.
pub const HEADER: &str =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6IlhSYzUwcEtiME9hZzlITmF5bXN3SnY4VTlqZzZ3bzlxbXljXzZ6ejhZOGMifQ.";

/// How many letters a signature has.
const SIGNATURE: usize = 86;

/// The name of the key (`keyIDFromPublicKey`).
fn key_id(key: &PublicKey) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(key.to_der()))
}

/// The keys that tokens are checked with, as `/openid/v1/jwks` has them (`openIDKeysetJSON`).
pub fn key_set() -> String {
    let key = SERVICE_ACCOUNTS.public();
    let (x, y) = key.coordinates();
    let (kid, x, y) = (key_id(&key), URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
    format!(
        r#"{{"keys":[{{"use":"sig","kty":"EC","kid":"{kid}","crv":"P-256","alg":"ES256","x":"{x}","y":"{y}"}}]}}"#
    )
}

/// A token, which is signed when its text is read.
pub struct Token {
    /// What is signed: header and claims.
    message: String,
    text: OnceCell<String>,
}

/// Whether it has been read already is left out.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Token").field(&self.message).finish()
    }
}

/// The signature follows from the rest.
impl PartialEq for Token {
    fn eq(&self, other: &Token) -> bool {
        self.message == other.message
    }
}

impl Eq for Token {}

impl Token {
    /// The text.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let signature = SERVICE_ACCOUNTS.sign_jws(self.message.as_bytes());
            format!("{}.{}", self.message, URL_SAFE_NO_PAD.encode(signature))
        })
    }

    /// How many bytes the text has. For this nothing is signed.
    pub fn size(&self) -> usize {
        self.message.len() + 1 + SIGNATURE
    }
}

/// The claims of a token's text, if it is signed with the key of this cluster.
pub fn claims_of(text: &str) -> Option<Value> {
    let (message, signature) = text.rsplit_once('.')?;
    let payload = message.strip_prefix(HEADER)?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    if !SERVICE_ACCOUNTS.public().verifies_jws(message.as_bytes(), &signature) {
        return None;
    }
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()
}

/// An object that a token is bound to: its name, and its uid if that is known.
pub type Bound<'a> = (&'a str, Option<&'a str>);

/// What a token says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims<'a> {
    /// The id of the token; `None` if nobody has given it one.
    pub id: Option<&'a str>,
    /// Whom it is for.
    pub audiences: Vec<&'a str>,
    /// When it was issued, in seconds since 1970.
    pub from: i64,
    /// How long it was asked for, in seconds.
    pub seconds: i64,
    /// The namespace of the account.
    pub namespace: &'a str,
    /// The account.
    pub account: Bound<'a>,
    /// The pod that it is bound to.
    pub pod: Option<Bound<'a>>,
    /// The node that it is bound to, or on which its pod is.
    pub node: Option<Bound<'a>>,
    /// The Secret that it is bound to.
    pub secret: Option<Bound<'a>>,
}

/// A token with these claims.
fn encode(claims: &Value) -> Token {
    let message = format!("{HEADER}{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
    Token { message, text: OnceCell::new() }
}

fn reference((name, uid): Bound<'_>) -> Value {
    let mut value = json!({"name": name});
    if let Some(uid) = uid {
        value["uid"] = uid.into();
    }
    value
}

impl Claims<'_> {
    /// The text of the token.
    pub fn text(&self) -> String {
        self.token().text().to_owned()
    }

    /// The token.
    pub fn token(&self) -> Token {
        let extends =
            self.seconds == WARN_ONLY && self.pod.is_some() && self.audiences.iter().all(|a| *a == ISSUER);
        let mut kubernetes = json!({"namespace": self.namespace, "serviceaccount": reference(self.account)});
        for (field, bound) in [("node", self.node), ("pod", self.pod), ("secret", self.secret)] {
            if let Some(bound) = bound {
                kubernetes[field] = reference(bound);
            }
        }
        if extends {
            kubernetes["warnafter"] = (self.from + self.seconds).into();
        }
        let mut claims = json!({
            "aud": self.audiences,
            "exp": self.from + if extends { EXTENDED } else { self.seconds },
            "iat": self.from,
            "iss": ISSUER,
            "kubernetes.io": kubernetes,
            "nbf": self.from,
            "sub": format!("system:serviceaccount:{}:{}", self.namespace, self.account.0),
        });
        if let Some(id) = self.id {
            claims["jti"] = id.into();
        }
        encode(&claims)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::keys::tests::SIGNED;

    fn claims() -> Claims<'static> {
        Claims {
            audiences: vec![ISSUER],
            from: 1_000_000,
            seconds: 3600,
            namespace: "d",
            account: ("a", Some("u")),
            ..Claims::default()
        }
    }

    /// `pkg/serviceaccount/jwt_test.go`: `TestTokenGenerateAndValidate`, the key `ecdsaPublicKey`; `signerFromECDSAPrivateKey`,
    /// `keyIDFromPublicKey`.
    #[test]
    fn a_token_is_checked_with_the_published_key() {
        let text = claims().text();
        let parts: Vec<&str> = text.split('.').collect();
        let set: Value = serde_json::from_str(&key_set()).unwrap();
        let jwk = &set["keys"][0];
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let header: Value = serde_json::from_slice(&decode(parts[0])).unwrap();
        assert_eq!(header, json!({"alg": "ES256", "kid": jwk["kid"]}));
        let coordinate = |name: &str| decode(jwk[name].as_str().unwrap());
        let der = SERVICE_ACCOUNTS.public().to_der();
        assert_eq!(der[der.len() - 65..], [vec![4], coordinate("x"), coordinate("y")].concat());
        let key = PublicKey::from_der(&der).unwrap();
        let message = format!("{}.{}", parts[0], parts[1]);
        assert!(key.verifies_jws(message.as_bytes(), &decode(parts[2])));
        assert_eq!(claims_of(&text).unwrap()["sub"], "system:serviceaccount:d:a");
    }

    #[test]
    fn a_token_that_is_changed_or_not_signed_says_nothing() {
        let text = claims().text();
        let (message, signature) = text.rsplit_once('.').unwrap();
        let other = Claims { account: ("admin", Some("u")), ..claims() }.text();
        let (other, _) = other.rsplit_once('.').unwrap();
        let unsecured = format!("eyJhbGciOiJub25lIn0.{}.", message.split('.').nth(1).unwrap());
        let short = &signature[..signature.len() - 4];
        for wrong in
            [format!("{other}.{signature}"), format!("{message}."), format!("{message}.{short}"), unsecured]
        {
            assert_eq!(claims_of(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_token_is_signed_when_it_is_read_and_once() {
        let token = claims().token();
        let before = SIGNED.get();
        let size = token.size();
        assert_eq!(token, claims().token());
        assert_eq!(SIGNED.get(), before);
        assert_eq!((token.text().len(), token.text()), (size, token.text()));
        assert_eq!(SIGNED.get(), before + 1);
    }
}
