//! Signatures of a text that leave the text out (`k8s.io/cluster-bootstrap/token/jws`; RFC 7515, appendix F).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::json;
use sha2::Sha256;

/// The signature of a text by the secret of the token with an id (`ComputeDetachedSignature`). A key of HMAC may have any length, so there is always one.
pub(super) fn detached_signature(content: &str, id: &str, secret: &[u8]) -> Option<String> {
    let header = URL_SAFE_NO_PAD.encode(json!({"alg": "HS256", "kid": id}).to_string());
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    mac.update(header.as_bytes());
    mac.update(b".");
    mac.update(URL_SAFE_NO_PAD.encode(content).as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    Some(format!("{header}..{signature}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `jws_test.go`: `TestComputeDetachedSignature`.
    #[test]
    fn a_signature_is_that_of_kubernetes() {
        const CONTENT: &str = "Hello from the other side. I must have called a thousand times.";
        const SECRET: &[u8] = b"my voice is my passcode";
        for (content, secret, signature) in [
            (CONTENT, SECRET, "VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8"),
            ("", SECRET, "7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk"),
            (CONTENT, b"", "UfkqvDGiIFxrMnFseDj9LYJOLNrvjW8aHhF71mvvAs8"),
        ] {
            let expected = format!("eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..{signature}");
            assert_eq!(detached_signature(content, "joshua", secret), Some(expected));
        }
    }
}
