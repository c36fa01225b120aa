//! Whether a Secret can be a listener's certificate (`internal/controller/state/resolver/secrets.go`).

use crate::api::Key;
use crate::api::types::Secret;

/// Whether a text has a block of PEM whose name ends with some words, and in it nothing that is not base64.
fn has_block(text: &str, name: &str) -> bool {
    let mut lines = text.lines().map(str::trim).skip_while(|line| {
        let title = line.strip_prefix("-----BEGIN ").and_then(|l| l.strip_suffix("-----"));
        !title.is_some_and(|t| t.ends_with(name))
    });
    let Some(first) = lines.next() else { return false };
    let end = first.replacen("BEGIN", "END", 1);
    let base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut found = false;
    for line in lines {
        if line == end {
            return found;
        }
        if !line.chars().all(base64) {
            return false;
        }
        found |= !line.is_empty();
    }
    false
}

/// Whether a Secret is of the type `kubernetes.io/tls` and has a certificate and a key. Whether these belong together, and until when
/// the certificate is valid, is not looked at.
///
/// # Errors
/// What is wrong, in the controller's words.
pub fn certificate(secret: Option<&Secret>, key: &Key) -> Result<(), String> {
    let Some(secret) = secret else { return Err(format!("Secret {key} does not exist")) };
    let type_ = secret.type_.as_deref().unwrap_or("Opaque");
    if type_ != "kubernetes.io/tls" {
        return Err(format!("unsupported secret type {type_:?}"));
    }
    let data = |name: &str| {
        let bytes = secret.data.as_ref().and_then(|d| d.get(name)).map(|b| b.0.as_slice());
        String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
    };
    // The words are those of Go's `crypto/tls`.
    if !has_block(&data("tls.crt"), "CERTIFICATE") {
        return Err("tls secret is invalid: tls: failed to find any PEM data in certificate input".to_owned());
    }
    if !has_block(&data("tls.key"), "PRIVATE KEY") {
        return Err("tls secret is invalid: tls: failed to find any PEM data in key input".to_owned());
    }
    Ok(())
}
