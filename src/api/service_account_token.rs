//! The text of a token of a ServiceAccount (`pkg/serviceaccount/claims.go`, `jwt.go`).
//!
//! Steady has no key to sign with, so a token is an unsecured JWT (RFC 7519, section 6): it says what a real one says, and ends where
//! the signature would begin.

mod legacy;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

pub use legacy::{LEGACY_ISSUER, LegacyClaims};

/// Who issues the tokens of kubeadm's clusters, and for whom they are if nobody says.
pub const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// The life that admission asks for. A token of it that is bound to a pod and for the API server stays valid for a year, so that programs
/// that read it once go on (`WarnOnlyBoundTokenExpirationSeconds`, `ExpirationExtensionSeconds`).
const WARN_ONLY: i64 = 3607;
const EXTENDED: i64 = 365 * 24 * 3600;

/// How a token's text begins: its header, which says that it is not signed.
pub const HEADER: &str = "eyJhbGciOiJub25lIn0.";

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

/// The text of a token with these claims.
fn encode(claims: &Value) -> String {
    format!("{HEADER}{}.", URL_SAFE_NO_PAD.encode(claims.to_string()))
}

fn reference((name, uid): Bound<'_>) -> Value {
    let mut value = json!({"name": name});
    if let Some(uid) = uid {
        value["uid"] = uid.into();
    }
    value
}

impl Claims<'_> {
    /// The token.
    pub fn text(&self) -> String {
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
