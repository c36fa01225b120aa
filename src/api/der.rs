//! Writing DER (X.690), as far as certificates need it.

use x509_cert::der::asn1::ObjectIdentifier;

/// The tags of what is written.
const BIT_STRING: u8 = 0x03;
const BOOLEAN: u8 = 0x01;
const GENERALIZED_TIME: u8 = 0x18;
const INTEGER: u8 = 0x02;
const OBJECT_IDENTIFIER: u8 = 0x06;
const OCTET_STRING: u8 = 0x04;
const PRINTABLE_STRING: u8 = 0x13;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const UTC_TIME: u8 = 0x17;
const UTF8_STRING: u8 = 0x0c;

/// The years that a UTCTime can say begin here, and end before this one.
const UTC_YEARS: std::ops::Range<i16> = 1950..2050;

/// A value of a tag.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match u8::try_from(content.len()) {
        Ok(short) if short < 0x80 => out.push(short),
        _ => {
            let length = content.len().to_be_bytes();
            let digits: Vec<u8> = length.into_iter().skip_while(|b| *b == 0).collect();
            // A length has eight bytes at most.
            out.push(0x80 | digits.len() as u8);
            out.extend(digits);
        }
    }
    out.extend(content);
    out
}

pub(super) fn sequence(items: &[Vec<u8>]) -> Vec<u8> {
    tagged(SEQUENCE, &items.concat())
}

/// A set, whose members stand in the order of their bytes.
pub(super) fn set(mut items: Vec<Vec<u8>>) -> Vec<u8> {
    super::order::sort(&mut items);
    tagged(SET, &items.concat())
}

pub(super) fn object_identifier(id: &ObjectIdentifier) -> Vec<u8> {
    tagged(OBJECT_IDENTIFIER, id.as_bytes())
}

/// A number that is not negative, of its bytes, the highest first.
pub(super) fn unsigned(bytes: &[u8]) -> Vec<u8> {
    let mut digits: Vec<u8> = bytes.iter().copied().skip_while(|b| *b == 0).collect();
    // The highest bit is the sign.
    if digits.first().is_none_or(|b| b & 0x80 != 0) {
        digits.insert(0, 0);
    }
    tagged(INTEGER, &digits)
}

pub(super) fn yes() -> Vec<u8> {
    tagged(BOOLEAN, &[0xff])
}

pub(super) fn octets(content: &[u8]) -> Vec<u8> {
    tagged(OCTET_STRING, content)
}

/// Whole bytes as bits.
pub(super) fn bits(content: &[u8]) -> Vec<u8> {
    tagged(BIT_STRING, &[&[0], content].concat())
}

/// Bits with names, of which the first is the lowest of `flags`. Those behind the last that is set are left out.
pub(super) fn named_bits(flags: u16) -> Vec<u8> {
    let count = 16 - flags.leading_zeros();
    let [high, low] = flags.reverse_bits().to_be_bytes();
    let length = count.div_ceil(8) as usize;
    let unused = length as u32 * 8 - count;
    let content: Vec<u8> =
        std::iter::once(unused as u8).chain([high, low].into_iter().take(length)).collect();
    tagged(BIT_STRING, &content)
}

/// A string, as Go writes it that is not told of which sort: PrintableString if its letters allow that.
pub(super) fn string(text: &str) -> Vec<u8> {
    let printable = |b: u8| b.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(&b);
    tagged(if text.bytes().all(printable) { PRINTABLE_STRING } else { UTF8_STRING }, text.as_bytes())
}

/// A moment, to the second.
pub(super) fn time(at: super::Timestamp) -> Vec<u8> {
    if UTC_YEARS.contains(&at.to_zoned(jiff::tz::TimeZone::UTC).year()) {
        tagged(UTC_TIME, at.strftime("%y%m%d%H%M%SZ").to_string().as_bytes())
    } else {
        tagged(GENERALIZED_TIME, at.strftime("%Y%m%d%H%M%SZ").to_string().as_bytes())
    }
}

/// A value whose own tag is replaced by this number.
pub(super) fn implicit(number: u8, content: &[u8]) -> Vec<u8> {
    tagged(0x80 | number, content)
}

/// A value with its own tag inside of this number.
pub(super) fn explicit(number: u8, value: &[u8]) -> Vec<u8> {
    tagged(0xa0 | number, value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// X.690, 8.1.3, 8.3, 8.6 and 11.2.2; `encoding/asn1/marshal_test.go`.
    #[test]
    fn values_are_as_short_as_they_can_be() {
        assert_eq!(unsigned(&[0, 0, 5]), [2, 1, 5]);
        assert_eq!(unsigned(&[0x80]), [2, 2, 0, 0x80]);
        assert_eq!(unsigned(&[]), [2, 1, 0]);
        assert_eq!(octets(&[7; 127])[..3], [4, 127, 7]);
        assert_eq!(octets(&[7; 128])[..4], [4, 0x81, 128, 7]);
        assert_eq!(octets(&[7; 300])[..5], [4, 0x82, 1, 44, 7]);
        // The first, the third and the sixth bit, as those of a certificate authority; then the ninth.
        assert_eq!(named_bits(0b10_0101), [3, 2, 2, 0xa4]);
        assert_eq!(named_bits(1 << 8), [3, 3, 7, 0, 0x80]);
        assert_eq!(string("system:node:a")[0], PRINTABLE_STRING);
        assert_eq!(string("a*")[0], UTF8_STRING);
        assert_eq!(set(vec![vec![2], vec![1]]), [0x31, 2, 1, 2]);
        let at = |text: &str| time(text.parse().unwrap());
        assert_eq!(at("2049-12-31T23:59:59Z"), [&[0x17, 13][..], b"491231235959Z"].concat());
        assert_eq!(at("2050-01-01T00:00:00Z"), [&[0x18, 15][..], b"20500101000000Z"].concat());
    }
}
