//! Keys of requests for certificates, and the signatures that are made with them (`parsePublicKey`, `getSignatureAlgorithmFromAI` and
//! `checkSignature` of Go's `crypto/x509`).
//!
//! The signature of a key of the curve P-256 is checked. That of another key is believed if Go could check it.

use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use x509_cert::SubjectPublicKeyInfo;
use x509_cert::der::asn1::{Any, AnyRef, ContextSpecific, IntRef, Null, ObjectIdentifier};
use x509_cert::der::oid::db::rfc5912::{
    DSA_WITH_SHA_1, DSA_WITH_SHA_256, ECDSA_WITH_SHA_256, ECDSA_WITH_SHA_384, ECDSA_WITH_SHA_512,
    ID_EC_PUBLIC_KEY, ID_MGF_1, ID_RSASSA_PSS, ID_SHA_256, ID_SHA_384, ID_SHA_512, MD_5_WITH_RSA_ENCRYPTION,
    RSA_ENCRYPTION, SECP_224_R_1, SECP_256_R_1, SECP_384_R_1, SECP_521_R_1, SHA_1_WITH_RSA_ENCRYPTION,
    SHA_256_WITH_RSA_ENCRYPTION, SHA_384_WITH_RSA_ENCRYPTION, SHA_512_WITH_RSA_ENCRYPTION,
};
use x509_cert::der::oid::db::rfc8410::ID_ED_25519;
use x509_cert::der::{self, Decode as _, SliceReader, Tag, TagNumber, Tagged as _};
use x509_cert::spki::AlgorithmIdentifierOwned;

use crate::api::keys::{PublicKey, UNCOMPRESSED};

/// `ecdsa-with-SHA1` (RFC 3279).
const ECDSA_WITH_SHA_1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.1");
/// The number that ISO gives [`SHA_1_WITH_RSA_ENCRYPTION`].
const ISO_SHA_1_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.14.3.2.29");

/// The fewest bits of an RSA key that Go's `crypto/rsa` checks signatures with (`checkKeySize`).
const RSA_BITS: usize = 1024;
/// How many bytes a key of Ed25519 has.
const ED_25519_BYTES: usize = 32;

/// A key that is to be certified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Key {
    /// A key of the curve P-256.
    P256(PublicKey),
    /// A key of another curve that Go knows.
    OtherCurve,
    /// A key of RSA, whose modulus has this many bits.
    Rsa(usize),
    /// A key of Ed25519.
    Ed25519,
    /// A key with which Go checks no signatures.
    #[default]
    Other,
}

impl Key {
    /// Reads a key.
    ///
    /// # Errors
    /// In Go's words: it is malformed, or of a curve that Go does not know.
    pub(super) fn of(info: &SubjectPublicKeyInfo) -> Result<Key, &'static str> {
        let parameters = info.algorithm.parameters.as_ref();
        let bytes = info.subject_public_key.as_bytes().unwrap_or_default();
        match info.algorithm.oid {
            RSA_ENCRYPTION if parameters.is_none_or(|p| p.tag() != Tag::Null) => {
                Err("x509: RSA key missing NULL parameters")
            }
            RSA_ENCRYPTION => rsa_bits(bytes).map(Key::Rsa),
            ID_EC_PUBLIC_KEY => {
                let curve = parameters.and_then(|curve| curve.decode_as().ok());
                of_curve(curve.ok_or("x509: invalid ECDSA parameters")?, bytes)
            }
            ID_ED_25519 if parameters.is_some() => Err("x509: Ed25519 key encoded with illegal parameters"),
            ID_ED_25519 if bytes.len() != ED_25519_BYTES => Err("x509: wrong Ed25519 public key size"),
            ID_ED_25519 => Ok(Key::Ed25519),
            _ => Ok(Key::Other),
        }
    }

    /// What Go's `%T` writes of a key that it checks signatures with, and the algorithm of such signatures.
    fn go_type(&self) -> Option<(&'static str, Scheme)> {
        match self {
            Key::P256(_) | Key::OtherCurve => Some(("*ecdsa.PublicKey", Scheme::Ecdsa)),
            Key::Rsa(_) => Some(("*rsa.PublicKey", Scheme::Rsa)),
            Key::Ed25519 => Some(("ed25519.PublicKey", Scheme::Ed25519)),
            Key::Other => None,
        }
    }
}

/// The key of a curve. Whether its point is on the curve is looked at for P-256.
fn of_curve(curve: ObjectIdentifier, point: &[u8]) -> Result<Key, &'static str> {
    let coordinate = match curve {
        SECP_256_R_1 => return Ok(Key::P256(PublicKey::of_point(point)?)),
        SECP_224_R_1 => 28,
        SECP_384_R_1 => 48,
        SECP_521_R_1 => 66,
        _ => return Err("x509: unsupported elliptic curve"),
    };
    if point.first() == Some(&UNCOMPRESSED) && point.len() == 1 + 2 * coordinate {
        Ok(Key::OtherCurve)
    } else {
        Err("x509: failed to unmarshal elliptic curve point")
    }
}

/// How many bits the modulus of an RSA key has.
fn rsa_bits(key: &[u8]) -> Result<usize, &'static str> {
    let malformed = "x509: invalid RSA public key";
    let sequence = SliceReader::new(key).and_then(|mut reader| AnyRef::decode(&mut reader));
    let sequence = sequence.ok().filter(|sequence| sequence.tag() == Tag::Sequence).ok_or(malformed)?;
    let mut numbers = SliceReader::new(sequence.value()).map_err(|_| malformed)?;
    let modulus = IntRef::decode(&mut numbers).map_err(|_| "x509: invalid RSA modulus")?;
    let exponent = i64::decode(&mut numbers).map_err(|_| "x509: invalid RSA public exponent")?;
    // In the two's complement of a positive number a zero can stand first, and nothing else.
    let bytes = modulus.as_bytes();
    let bytes = bytes.strip_prefix(&[0]).unwrap_or(bytes);
    let negative = modulus.as_bytes().first().is_some_and(|first| first & 0x80 != 0);
    let Some(first) = bytes.first().filter(|_| !negative) else {
        return Err("x509: RSA modulus is not a positive number");
    };
    if exponent <= 0 {
        return Err("x509: RSA public exponent is not a positive number");
    }
    Ok(8 * bytes.len() - first.leading_zeros() as usize)
}

/// The algorithm of a signature's key (`PublicKeyAlgorithm`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Rsa,
    Dsa,
    Ecdsa,
    Ed25519,
}

impl Scheme {
    /// Go's name of it.
    fn name(self) -> &'static str {
        match self {
            Scheme::Rsa => "RSA",
            Scheme::Dsa => "DSA",
            Scheme::Ecdsa => "ECDSA",
            Scheme::Ed25519 => "Ed25519",
        }
    }
}

/// What of a message is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hash {
    Md5,
    Sha1,
    Sha256,
    Sha384,
    Sha512,
    /// No digest, but the message itself.
    Whole,
}

impl Hash {
    /// The digest of a message. MD5 signs nothing that is believed.
    fn of(self, message: &[u8]) -> Vec<u8> {
        match self {
            Hash::Sha1 => Sha1::digest(message).to_vec(),
            Hash::Sha256 => Sha256::digest(message).to_vec(),
            Hash::Sha384 => Sha384::digest(message).to_vec(),
            Hash::Sha512 => Sha512::digest(message).to_vec(),
            Hash::Md5 | Hash::Whole => message.to_vec(),
        }
    }
}

/// A signature's algorithm; `None` if Go does not know it.
fn algorithm(of: &AlgorithmIdentifierOwned) -> Option<(Scheme, Hash)> {
    Some(match of.oid {
        MD_5_WITH_RSA_ENCRYPTION => (Scheme::Rsa, Hash::Md5),
        SHA_1_WITH_RSA_ENCRYPTION | ISO_SHA_1_WITH_RSA => (Scheme::Rsa, Hash::Sha1),
        SHA_256_WITH_RSA_ENCRYPTION => (Scheme::Rsa, Hash::Sha256),
        SHA_384_WITH_RSA_ENCRYPTION => (Scheme::Rsa, Hash::Sha384),
        SHA_512_WITH_RSA_ENCRYPTION => (Scheme::Rsa, Hash::Sha512),
        ID_RSASSA_PSS => (Scheme::Rsa, of_pss(of.parameters.as_ref()?).ok()??),
        DSA_WITH_SHA_1 => (Scheme::Dsa, Hash::Sha1),
        DSA_WITH_SHA_256 => (Scheme::Dsa, Hash::Sha256),
        ECDSA_WITH_SHA_1 => (Scheme::Ecdsa, Hash::Sha1),
        ECDSA_WITH_SHA_256 => (Scheme::Ecdsa, Hash::Sha256),
        ECDSA_WITH_SHA_384 => (Scheme::Ecdsa, Hash::Sha384),
        ECDSA_WITH_SHA_512 => (Scheme::Ecdsa, Hash::Sha512),
        ID_ED_25519 if of.parameters.is_none() => (Scheme::Ed25519, Hash::Whole),
        _ => return None,
    })
}

/// The hash function of RSA-PSS (`pssParameters`; RFC 8017, A.2.3); `None` if its parameters are not those that Go takes: one hash
/// function of the family SHA-2 for both the message and the mask, and a salt as long as its digest.
fn of_pss(parameters: &Any) -> der::Result<Option<Hash>> {
    if parameters.tag() != Tag::Sequence {
        return Ok(None);
    }
    let mut fields = SliceReader::new(parameters.value())?;
    let hash = ContextSpecific::<AlgorithmIdentifierOwned>::decode_explicit(&mut fields, TagNumber(0))?;
    let mask = ContextSpecific::<AlgorithmIdentifierOwned>::decode_explicit(&mut fields, TagNumber(1))?;
    let salt = ContextSpecific::<u32>::decode_explicit(&mut fields, TagNumber(2))?;
    let trailer = match der::Reader::is_finished(&fields) {
        true => None,
        false => ContextSpecific::<u32>::decode_explicit(&mut fields, TagNumber(3))?,
    };
    let (Some(hash), Some(mask), Some(salt)) = (hash, mask, salt) else { return Ok(None) };
    let (hash, mask) = (hash.value, mask.value);
    let Some(of_mask) = mask.parameters else { return Ok(None) };
    let of_mask: AlgorithmIdentifierOwned = of_mask.decode_as()?;
    let is_plain =
        |of: &AlgorithmIdentifierOwned| of.parameters.as_ref().is_none_or(|p| p.decode_as::<Null>().is_ok());
    let usual = is_plain(&hash)
        && mask.oid == ID_MGF_1
        && of_mask.oid == hash.oid
        && is_plain(&of_mask)
        && trailer.is_none_or(|t| t.value == 1);
    Ok(match (hash.oid, salt.value) {
        (ID_SHA_256, 32) if usual => Some(Hash::Sha256),
        (ID_SHA_384, 48) if usual => Some(Hash::Sha384),
        (ID_SHA_512, 64) if usual => Some(Hash::Sha512),
        _ => None,
    })
}

/// A signature, and what is signed by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The key that it is checked with.
    pub(super) key: Key,
    /// The bytes that are signed.
    pub(super) message: Vec<u8>,
    /// `None` if nothing is signed.
    pub(super) algorithm: Option<AlgorithmIdentifierOwned>,
    /// The signature itself.
    pub(super) bytes: Vec<u8>,
}

impl Signature {
    /// Checks it; that of a key of another curve than P-256 and of another algorithm than ECDSA is believed.
    ///
    /// # Errors
    /// In Go's words: it is not this key's signature, or Go cannot check it.
    pub(super) fn check(&self) -> Result<(), String> {
        let unimplemented = "x509: cannot verify signature: algorithm unimplemented";
        let (scheme, hash) = self.algorithm.as_ref().and_then(algorithm).ok_or(unimplemented)?;
        if hash == Hash::Md5 {
            return Err("x509: cannot verify signature: insecure algorithm MD5-RSA".to_owned());
        }
        let (go_type, of_key) = self.key.go_type().ok_or(unimplemented)?;
        if scheme != of_key {
            let scheme = scheme.name();
            return Err(format!(
                "x509: signature algorithm specifies an {scheme} public key, but have public key of type {go_type}"
            ));
        }
        match &self.key {
            Key::P256(key) if !key.verifies_der(&hash.of(&self.message), &self.bytes) => {
                Err("x509: ECDSA verification failure".to_owned())
            }
            Key::Rsa(bits) if *bits < RSA_BITS => Err(format!(
                "crypto/rsa: {bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)"
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use x509_cert::der::asn1::BitString;
    use x509_cert::der::oid::db::rfc5912::{ECDSA_WITH_SHA_224, SHA_224_WITH_RSA_ENCRYPTION};

    use super::super::Request;
    use super::*;
    use crate::api::keys::AUTHORITY;

    /// What `openssl req -new -subj /CN=jane` wrote, each time with another key or another algorithm, which stands before it.
    const REQUESTS: &str = include_str!("signature_test.pem");

    /// The request with this heading.
    fn request(heading: &str) -> &'static str {
        let end = "-----END CERTIFICATE REQUEST-----\n";
        let found = REQUESTS.split_inclusive(end).find_map(|r| r.strip_prefix(heading)?.strip_prefix('\n'));
        found.unwrap()
    }

    fn checked(heading: &str) -> Result<(), String> {
        Request::parse(request(heading).as_bytes())?.check_signature()
    }

    /// `crypto/x509/parser.go`, `parsePublicKey`; `x509.go`, `checkSignature`; `crypto/rsa/rsa.go`, `checkKeySize`.
    #[test]
    fn what_go_cannot_check_is_refused() {
        let unimplemented = "x509: cannot verify signature: algorithm unimplemented";
        for (heading, why) in [
            ("secp256k1", "x509: unsupported elliptic curve"),
            ("brainpoolP256r1", "x509: unsupported elliptic curve"),
            ("explicit parameters", "x509: invalid ECDSA parameters"),
            ("Ed448", unimplemented),
            ("DSA", unimplemented),
            ("P-256, SHA-224", unimplemented),
            ("RSA, SHA-224", unimplemented),
            ("RSA-PSS, the longest salt", unimplemented),
            ("RSA, MD5", "x509: cannot verify signature: insecure algorithm MD5-RSA"),
            (
                "RSA 512",
                "crypto/rsa: 512-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)",
            ),
        ] {
            assert_eq!(checked(heading), Err(why.to_owned()), "{heading}");
        }
        for heading in ["P-256, SHA-1", "P-384", "Ed25519", "RSA 1024", "RSA-PSS"] {
            assert_eq!(checked(heading), Ok(()), "{heading}");
        }
    }

    /// A signature of SHA-1 is checked as those of SHA-2 are (`allowSHA1`).
    #[test]
    fn a_signature_of_another_message_is_refused() {
        let mut signature = Request::parse(request("P-256, SHA-1").as_bytes()).unwrap().signature;
        signature.message.push(0);
        assert_eq!(signature.check(), Err("x509: ECDSA verification failure".to_owned()));
    }

    #[test]
    fn a_signature_is_of_the_algorithm_of_its_key() {
        let with = |key: Key, oid: ObjectIdentifier| {
            let algorithm = Some(AlgorithmIdentifierOwned { oid, parameters: None });
            Signature { key, algorithm, ..Signature::default() }.check()
        };
        let mismatch = |scheme: &str, go_type: &str| {
            Err(format!(
                "x509: signature algorithm specifies an {scheme} public key, but have public key of type {go_type}"
            ))
        };
        let p256 = || Key::P256(AUTHORITY.public());
        assert_eq!(with(p256(), SHA_256_WITH_RSA_ENCRYPTION), mismatch("RSA", "*ecdsa.PublicKey"));
        assert_eq!(with(Key::OtherCurve, ID_ED_25519), mismatch("Ed25519", "*ecdsa.PublicKey"));
        assert_eq!(with(Key::Rsa(512), ECDSA_WITH_SHA_1), mismatch("ECDSA", "*rsa.PublicKey"));
        assert_eq!(with(Key::Ed25519, DSA_WITH_SHA_256), mismatch("DSA", "ed25519.PublicKey"));
        let unimplemented = Err("x509: cannot verify signature: algorithm unimplemented".to_owned());
        assert_eq!(with(Key::Rsa(2048), ID_RSASSA_PSS), unimplemented);
        assert_eq!(with(Key::Rsa(2048), SHA_224_WITH_RSA_ENCRYPTION), unimplemented);
        assert_eq!(with(p256(), ECDSA_WITH_SHA_224), unimplemented);
        assert_eq!(with(Key::Other, ECDSA_WITH_SHA_256), unimplemented);
        assert_eq!(Signature::default().check(), unimplemented);
        assert_eq!(
            with(Key::Rsa(1023), SHA_1_WITH_RSA_ENCRYPTION).unwrap_err().split(' ').nth(1),
            Some("1023-bit")
        );
        assert_eq!(with(Key::Rsa(1024), ISO_SHA_1_WITH_RSA), Ok(()));
    }

    /// `crypto/x509/parser.go`, `parsePublicKey`.
    #[test]
    fn a_malformed_key_is_refused() {
        let of = |oid: ObjectIdentifier, parameters: Option<Any>, key: &[u8]| {
            let algorithm = AlgorithmIdentifierOwned { oid, parameters };
            let subject_public_key = BitString::from_bytes(key).unwrap();
            Key::of(&SubjectPublicKeyInfo { algorithm, subject_public_key })
        };
        let p384 = || Some(Any::from(&SECP_384_R_1));
        let point = [&[4][..], &[1; 96]].concat();
        let no_point = Err("x509: failed to unmarshal elliptic curve point");
        assert_eq!(of(ID_EC_PUBLIC_KEY, p384(), &point), Ok(Key::OtherCurve));
        assert_eq!(of(ID_EC_PUBLIC_KEY, p384(), &point[..96]), no_point);
        assert_eq!(of(ID_EC_PUBLIC_KEY, p384(), &[&[2][..], &point[1..]].concat()), no_point);
        assert_eq!(of(ID_EC_PUBLIC_KEY, None, &point), Err("x509: invalid ECDSA parameters"));
        let rsa = |key: &[u8]| of(RSA_ENCRYPTION, Some(Any::null()), key);
        assert_eq!(of(RSA_ENCRYPTION, None, &[]), Err("x509: RSA key missing NULL parameters"));
        assert_eq!(rsa(&[]), Err("x509: invalid RSA public key"));
        assert_eq!(rsa(&[2, 1, 3]), Err("x509: invalid RSA public key"));
        assert_eq!(rsa(&[0x30, 0]), Err("x509: invalid RSA modulus"));
        assert_eq!(rsa(&[0x30, 3, 2, 1, 3]), Err("x509: invalid RSA public exponent"));
        assert_eq!(rsa(&[0x30, 6, 2, 1, 0, 2, 1, 3]), Err("x509: RSA modulus is not a positive number"));
        assert_eq!(rsa(&[0x30, 6, 2, 1, 0x80, 2, 1, 3]), Err("x509: RSA modulus is not a positive number"));
        assert_eq!(
            rsa(&[0x30, 6, 2, 1, 9, 2, 1, 0]),
            Err("x509: RSA public exponent is not a positive number")
        );
        assert_eq!(rsa(&[0x30, 6, 2, 1, 9, 2, 1, 3]), Ok(Key::Rsa(4)));
        assert_eq!(rsa(&[0x30, 7, 2, 2, 0, 0x80, 2, 1, 3]), Ok(Key::Rsa(8)));
        let edwards = |parameters, key: &[u8]| of(ID_ED_25519, parameters, key);
        assert_eq!(edwards(None, &[0; 31]), Err("x509: wrong Ed25519 public key size"));
        let illegal = "x509: Ed25519 key encoded with illegal parameters";
        assert_eq!(edwards(Some(Any::null()), &[0; 32]), Err(illegal));
    }
}
