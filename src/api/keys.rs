//! The keys of a cluster, of the curve P-256: kube-apiserver's key for tokens of ServiceAccounts
//! (`--service-account-signing-key-file`), and the key of the certificate authority (`--cluster-signing-key-file`).
//!
//! They are the same in every cluster and stand in this file, so nothing that is signed with them is a secret. A signature is made
//! without chance (RFC 6979), so a run that is repeated signs the same.

use std::sync::LazyLock;

use p256::ecdsa::signature::hazmat::PrehashVerifier as _;
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use p256::elliptic_curve::ops::Reduce as _;
use p256::{FieldBytes, NonZeroScalar};
use sha2::{Digest as _, Sha256};

/// What stands before the point of a key in `SubjectPublicKeyInfo` (RFC 5480): the algorithm, the curve, and that bits follow.
const POINT_FOLLOWS: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// The first byte of a point of which both coordinates follow (SEC 1, section 2.3.3).
pub const UNCOMPRESSED: u8 = 4;

/// The key that tokens of ServiceAccounts are signed with.
pub static SERVICE_ACCOUNTS: LazyLock<PrivateKey> =
    LazyLock::new(|| PrivateKey::of("the key that Steady signs tokens of ServiceAccounts with"));

/// The key of the certificate authority `kubernetes`.
pub static AUTHORITY: LazyLock<PrivateKey> =
    LazyLock::new(|| PrivateKey::of("the key of Steady's certificate authority"));

/// A key that signs.
pub struct PrivateKey(SigningKey);

/// A key that a signature is checked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PrivateKey {
    /// The key whose number follows from a text.
    fn of(text: &str) -> PrivateKey {
        let digest: [u8; 32] = Sha256::digest(text).into();
        PrivateKey(SigningKey::from(NonZeroScalar::reduce(&FieldBytes::from(digest))))
    }

    fn sign(&self, message: &[u8]) -> Signature {
        #[cfg(test)]
        tests::SIGNED.with(|n| n.set(n.get() + 1));
        self.0.sign(message)
    }

    /// Signs the SHA-256 of a message as JWS has it (RFC 7518, section 3.4): two numbers of 32 bytes.
    pub fn sign_jws(&self, message: &[u8]) -> [u8; 64] {
        self.sign(message).to_bytes().into()
    }

    /// Signs the SHA-256 of a message as certificates have it (`ecdsa-with-SHA256`): two numbers in DER.
    pub fn sign_der(&self, message: &[u8]) -> Vec<u8> {
        self.sign(message).to_der().as_bytes().to_vec()
    }

    /// The key that others check its signatures with.
    pub fn public(&self) -> PublicKey {
        PublicKey(*self.0.verifying_key())
    }
}

impl PublicKey {
    /// Reads a key, both of whose coordinates are given.
    ///
    /// # Errors
    /// In Go's words: its point is not on the curve, or is compressed.
    pub fn of_point(point: &[u8]) -> Result<PublicKey, &'static str> {
        let point = Some(point).filter(|bytes| bytes.first() == Some(&UNCOMPRESSED));
        let key = point.and_then(|point| VerifyingKey::from_sec1_bytes(point).ok());
        key.map(PublicKey).ok_or("x509: failed to unmarshal elliptic curve point")
    }

    /// The coordinates.
    pub fn coordinates(&self) -> ([u8; 32], [u8; 32]) {
        let point = self.0.to_sec1_point(false);
        let coordinate = |bytes: Option<&FieldBytes>| bytes.map_or([0; 32], |b| (*b).into());
        (coordinate(point.x()), coordinate(point.y()))
    }

    /// `SubjectPublicKeyInfo` in DER (`x509.MarshalPKIXPublicKey`).
    pub fn to_der(&self) -> Vec<u8> {
        [&POINT_FOLLOWS[..], self.0.to_sec1_point(false).as_bytes()].concat()
    }

    /// Whether a signature of a JWS is this key's, for a message.
    pub fn verifies_jws(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature).is_ok_and(|s| self.0.verify(message, &s).is_ok())
    }

    /// Whether a signature in DER is this key's, for the digest of a message.
    pub fn verifies_der(&self, digest: &[u8], signature: &[u8]) -> bool {
        Signature::from_der(signature).is_ok_and(|s| self.0.verify_prehash(digest, &s).is_ok())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use std::cell::Cell;

    use x509_cert::SubjectPublicKeyInfo;
    use x509_cert::der::Decode as _;
    use x509_cert::der::oid::db::rfc5912::{ID_EC_PUBLIC_KEY, SECP_256_R_1};

    use super::*;

    thread_local! {
        /// How many signatures this thread has made.
        pub(crate) static SIGNED: Cell<u32> = const { Cell::new(0) };
    }

    impl PublicKey {
        /// Reads `SubjectPublicKeyInfo` in DER; `None` if it is no key of this curve.
        pub(crate) fn from_der(der: &[u8]) -> Option<PublicKey> {
            let info = SubjectPublicKeyInfo::from_der(der).ok()?;
            let curve = info.algorithm.parameters?.decode_as().ok()?;
            let known = info.algorithm.oid == ID_EC_PUBLIC_KEY && SECP_256_R_1 == curve;
            PublicKey::of_point(info.subject_public_key.as_bytes().filter(|_| known)?).ok()
        }
    }

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
    }

    /// RFC 6979, A.2.5: the curve P-256 with SHA-256 and the message `sample`.
    #[test]
    fn a_signature_is_that_of_the_rfc() {
        let secret = bytes("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721");
        let key = PrivateKey(SigningKey::from_slice(&secret).unwrap());
        let signature = key.sign_jws(b"sample");
        assert_eq!(
            signature[..],
            bytes(
                "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
            )
        );
        let public = key.public();
        let x = bytes("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6");
        assert_eq!(public.coordinates().0[..], x);
        assert!(public.verifies_jws(b"sample", &signature));
        assert!(!public.verifies_jws(b"Sample", &signature));
        assert!(!public.verifies_jws(b"sample", &signature[..63]));
        let der = key.sign_der(b"sample");
        let verifies = |message: &[u8]| public.verifies_der(&Sha256::digest(message), &der);
        assert!(verifies(b"sample") && !verifies(b"sampl"));
        assert_eq!(PublicKey::from_der(&public.to_der()), Some(public));
    }

    /// `crypto/x509/parser.go`, `parsePublicKey`.
    #[test]
    fn a_point_is_on_the_curve_and_has_both_coordinates() {
        let key = AUTHORITY.public();
        let refused = Err("x509: failed to unmarshal elliptic curve point");
        let point = &key.to_der()[POINT_FOLLOWS.len()..];
        assert_eq!(PublicKey::of_point(point), Ok(key.clone()));
        let mut other = point.to_vec();
        other[64] ^= 1;
        assert_eq!(PublicKey::of_point(&other), refused);
        assert_eq!(PublicKey::of_point(&point[..64]), refused);
        assert_eq!(PublicKey::of_point(&[]), refused);
        // The same point in 33 bytes: x, and whether y is odd.
        let compressed = key.0.to_sec1_point(true);
        assert_eq!(VerifyingKey::from_sec1_bytes(compressed.as_bytes()).unwrap(), key.0);
        assert_eq!(PublicKey::of_point(compressed.as_bytes()), refused);
    }
}
