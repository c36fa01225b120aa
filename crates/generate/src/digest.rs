//! SHA-256 as text.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The digest in lowercase hexadecimal, as `sha256sum` prints it.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_digest_is_what_sha256sum_prints() {
        assert_eq!(super::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
