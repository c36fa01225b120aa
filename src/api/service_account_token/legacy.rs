//! A token that a Secret holds (`pkg/serviceaccount/legacy.go`): it has no end and is for no audience, and is good as long as its Secret
//! and its account are there.

use serde_json::{Value, json};

use super::encode;

/// Who issues such tokens.
pub const LEGACY_ISSUER: &str = "kubernetes/serviceaccount";

const NAMESPACE: &str = "kubernetes.io/serviceaccount/namespace";
const SECRET: &str = "kubernetes.io/serviceaccount/secret.name";
const ACCOUNT: &str = "kubernetes.io/serviceaccount/service-account.name";
const UID: &str = "kubernetes.io/serviceaccount/service-account.uid";

/// What such a token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegacyClaims<'a> {
    /// The namespace of the account and of the Secret.
    pub namespace: &'a str,
    /// The name of the Secret.
    pub secret: &'a str,
    /// The name of the account.
    pub account: &'a str,
    /// The account's uid.
    pub uid: &'a str,
}

fn subject(namespace: &str, account: &str) -> String {
    format!("system:serviceaccount:{namespace}:{account}")
}

impl<'a> LegacyClaims<'a> {
    /// The text of the token (`LegacyClaims`).
    pub fn text(&self) -> String {
        let token = encode(&json!({
            "iss": LEGACY_ISSUER,
            NAMESPACE: self.namespace,
            SECRET: self.secret,
            ACCOUNT: self.account,
            UID: self.uid,
            "sub": subject(self.namespace, self.account),
        }));
        token.text().to_owned()
    }

    /// Reads the claims of a token; `None` if it says something else than such a token does (`legacyValidator.Validate`).
    pub fn read(claims: &'a Value) -> Option<LegacyClaims<'a>> {
        let text = |claim: &str| claims.get(claim)?.as_str().filter(|text| !text.is_empty());
        let read = LegacyClaims {
            namespace: text(NAMESPACE)?,
            secret: text(SECRET)?,
            account: text(ACCOUNT)?,
            uid: text(UID)?,
        };
        let fits = text("iss")? == LEGACY_ISSUER && text("sub")? == subject(read.namespace, read.account);
        fits.then_some(read)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    /// `pkg/serviceaccount/legacy.go`, `LegacyClaims` and the first half of `Validate`; `jwt.go`, `GenerateToken`.
    #[test]
    fn a_token_names_its_secret_and_its_account() {
        let claims = LegacyClaims { namespace: "d", secret: "s", account: "a", uid: "u" };
        let text = claims.text();
        let said = URL_SAFE_NO_PAD.decode(text.split('.').nth(1).unwrap()).unwrap();
        let said: Value = serde_json::from_slice(&said).unwrap();
        assert_eq!(
            said,
            json!({
                "iss": "kubernetes/serviceaccount",
                "kubernetes.io/serviceaccount/namespace": "d",
                "kubernetes.io/serviceaccount/secret.name": "s",
                "kubernetes.io/serviceaccount/service-account.name": "a",
                "kubernetes.io/serviceaccount/service-account.uid": "u",
                "sub": "system:serviceaccount:d:a",
            })
        );
        assert_eq!(LegacyClaims::read(&said), Some(claims));
        for claim in ["iss", NAMESPACE, SECRET, ACCOUNT, UID, "sub"] {
            for wrong in [json!(""), json!(1), json!(null)] {
                let mut said = said.clone();
                said[claim] = wrong;
                assert_eq!(LegacyClaims::read(&said), None, "{said}");
            }
        }
        let mut other = said.clone();
        other["sub"] = "system:serviceaccount:d:b".into();
        assert_eq!(LegacyClaims::read(&other), None);
    }
}
