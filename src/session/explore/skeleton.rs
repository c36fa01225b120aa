//! Texts without what only the order of actions decides: uids, generated names, addresses, times.
//!
//! Two runs of the same manifest give their pods different names. What both have in common is the text with
//! each such name replaced by *the object that it names*: a [`Skeleton`] is the fingerprint of the rest of
//! the text, and the list of the names in it.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use serde_json::Value;

use super::address::OfAddress;
use crate::api::digest::Digest;

/// The number of a name in the table [`Names`].
pub(super) type NameId = u32;

/// A text without the names of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Skeleton {
    /// The fingerprint of the text without names.
    pub literal: u128,
    /// The names in the text, in order.
    pub names: Rc<[NameId]>,
    /// What the text comes to where it has no names and nothing names it: [`spread`] of `literal`.
    pub alone: u128,
}

impl Skeleton {
    /// The skeleton of a text with this fingerprint.
    pub fn new(literal: u128, names: Rc<[NameId]>) -> Skeleton {
        Skeleton { literal, names, alone: spread(literal) }
    }
}

/// A fingerprint of fingerprints in this order.
pub(super) fn mix(first: u128, rest: impl IntoIterator<Item = u128>) -> u128 {
    rest.into_iter().fold(Digest::default().number(first), Digest::number).finish()
}

/// A fingerprint that can be added to others, where their order does not matter: each of its bits depends on all bits of `n`
/// (the last step of MurmurHash3, once for each half).
pub(super) fn spread(n: u128) -> u128 {
    let half = |mut n: u64| {
        n = (n ^ n >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        n = (n ^ n >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        n ^ n >> 33
    };
    let (high, low) = ((n >> 64) as u64, n as u64);
    let high = half(high ^ low.rotate_left(32));
    let low = half(low.wrapping_add(high));
    u128::from(high) << 64 | u128::from(low)
}

/// The table of names and uids that stand for an object and have no other meaning.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// By the fingerprint of the name.
    ids: HashMap<u128, NameId, BuildHasherDefault<OfAddress>>,
    /// A bit for each length of a name; the last one is for all that are longer.
    lengths: u64,
}

/// The bit of a length.
fn bit(length: usize) -> u64 {
    1 << length.min(63)
}

impl Names {
    /// The number of a name, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> NameId {
        let next = NameId::try_from(self.ids.len()).unwrap_or(NameId::MAX);
        self.lengths |= bit(name.len());
        *self.ids.entry(Digest::default().with(name).finish()).or_insert(next)
    }

    /// The number of a name; `None` if it is not in the table.
    pub fn get(&self, name: &str) -> Option<NameId> {
        if self.lengths & bit(name.len()) == 0 {
            return None;
        }
        self.ids.get(&Digest::default().with(name).finish()).copied()
    }

    /// The number of names in the table.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Splits a text into names and the rest. Names that are not in the table stay in the rest.
    pub fn skeleton(&mut self, text: &str) -> Skeleton {
        let mut reading = Reading::new(self);
        reading.text(text);
        reading.done()
    }

    /// As [`Names::skeleton`], of all texts in a JSON value and their places in it.
    pub fn skeleton_of(&mut self, value: &Value) -> Skeleton {
        let mut reading = Reading::new(self);
        reading.value(value);
        reading.done()
    }
}

/// A skeleton in the making.
pub(super) struct Reading<'a> {
    table: &'a mut Names,
    digest: Digest,
    names: Vec<NameId>,
}

impl Reading<'_> {
    pub fn new(table: &mut Names) -> Reading<'_> {
        Reading { table, digest: Digest::default(), names: Vec::new() }
    }

    /// What was read.
    pub fn done(self) -> Skeleton {
        Skeleton::new(self.digest.finish(), self.names.into())
    }

    /// Adds what was read before.
    pub fn skeleton(&mut self, s: &Skeleton) {
        self.digest = self.digest.number(s.literal);
        self.names.extend(s.names.iter());
    }

    /// Adds a JSON value.
    pub fn value(&mut self, value: &Value) {
        let tag = |digest: Digest, tag: u8, n: u64| digest.number(u128::from(tag) << 64 | u128::from(n));
        match value {
            Value::Null => self.digest = tag(self.digest, 0, 0),
            Value::Bool(is) => self.digest = tag(self.digest, 1, u64::from(*is)),
            Value::Number(n) => {
                self.digest = match (n.as_i64(), n.as_u64()) {
                    (Some(n), _) => tag(self.digest, 2, n.cast_unsigned()),
                    (None, Some(n)) => tag(self.digest, 3, n),
                    (None, None) => tag(self.digest, 4, n.as_f64().unwrap_or_default().to_bits()),
                };
            }
            Value::String(text) => {
                self.digest = tag(self.digest, 5, 0);
                self.text(text);
            }
            Value::Array(all) => {
                self.digest = tag(self.digest, 6, all.len() as u64);
                all.iter().for_each(|v| self.value(v));
            }
            Value::Object(all) => {
                self.digest = tag(self.digest, 7, all.len() as u64);
                for (key, value) in all {
                    self.text(key);
                    self.value(value);
                }
            }
        }
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        let mut plain = 0;
        let mut at = 0;
        let bytes = text.as_bytes();
        while at < bytes.len() {
            if !IS_WORD[usize::from(bytes[at])] {
                at += 1;
                continue;
            }
            let mut end =
                bytes[at..].iter().position(|b| !IS_WORD[usize::from(*b)]).map_or(bytes.len(), |n| at + n);
            // The end of a sentence, and the colon after what it is about, are not of the word.
            while end > at + 1 && matches!(bytes.get(end - 1), Some(b'.' | b':')) {
                end -= 1;
            }
            // A word is ASCII, so both its ends are on character boundaries.
            let word = &text[at..end];
            if let Some(placeholder) = self.placeholder(word) {
                self.digest = self.digest.with(&text[plain..at]).with(placeholder);
                plain = end;
            }
            at = end;
        }
        self.digest = self.digest.with(&text[plain..]);
    }

    /// What stands for a word, if it is a name or differs from run to run.
    fn placeholder(&mut self, word: &str) -> Option<&'static str> {
        // Most words are shorter than what `classify` looks for, and no number begins them.
        let is_plain = word.len() < 20 && !word.starts_with(|c: char| c.is_ascii_digit());
        match if is_plain { Word::Plain } else { classify(word) } {
            Word::Plain => self.names.push(self.table.get(word)?),
            Word::Uid => self.names.push(self.table.intern(word)),
            Word::Noise(what) => return Some(what),
        }
        Some("\u{1}name")
    }
}

/// Whether a byte is of a word.
const IS_WORD: [bool; 256] = {
    let mut is = [false; 256];
    let mut b = 0u8;
    while b < 128 {
        is[b as usize] = b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b':');
        b += 1;
    }
    is
};

/// The kind of a word, by its form.
enum Word {
    Plain,
    Uid,
    /// A word that differs from run to run and names no object.
    Noise(&'static str),
}

fn classify(word: &str) -> Word {
    let bytes = word.as_bytes();
    let hex = |b: &[u8]| b.iter().all(u8::is_ascii_hexdigit);
    if bytes.len() == 36 && [8, 13, 18, 23].iter().all(|i| bytes.get(*i) == Some(&b'-')) {
        if word.split('-').all(|part| hex(part.as_bytes())) {
            return Word::Uid;
        }
    } else if bytes.len() >= 20 && bytes.get(4) == Some(&b'-') && bytes.get(10) == Some(&b'T') {
        if bytes.last() == Some(&b'Z') && bytes.first().is_some_and(u8::is_ascii_digit) {
            return Word::Noise("\u{1}time");
        }
    } else if bytes.len() >= 32 && hex(bytes) {
        return Word::Noise("\u{1}id");
    }
    if word.strip_prefix(crate::api::pod::TOKEN_VOLUME_PREFIX).is_some_and(|rest| rest.len() == 5) {
        return Word::Noise("\u{1}volume");
    }
    let mut parts = 0;
    let address = word.split('.').all(|part| {
        parts += 1;
        part.parse::<u8>().is_ok()
    });
    if address && parts == 4 { Word::Noise("\u{1}address") } else { Word::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skeleton(names: &mut Names, text: &str) -> (u128, usize) {
        let s = names.skeleton(text);
        (s.literal, s.names.len())
    }

    #[test]
    fn identities_are_taken_out_and_everything_else_counts() {
        let mut n = Names::default();
        n.intern("web-7c5-abcde");
        n.intern("web-7c5-fghij");
        let a = skeleton(&mut n, "pod \"web-7c5-abcde\" at 10.244.0.3, 2026-01-01T00:00:01Z");
        let b = skeleton(&mut n, "pod \"web-7c5-fghij\" at 10.244.1.7, 2026-01-01T00:00:02.5Z");
        assert_eq!(a, b);
        assert_eq!(a.1, 1);
        assert_ne!(a, skeleton(&mut n, "pod \"web-7c5-other\" at 10.244.1.7, 2026-01-01T00:00:02.5Z"));
        let at_work = |name: &str| format!("kubelet works on ns/{name}: pod={name}_ns(1). It is {name}.");
        let a = skeleton(&mut n, &at_work("web-7c5-abcde"));
        assert_eq!(a, skeleton(&mut n, &at_work("web-7c5-fghij")));
        assert_eq!(a.1, 3);
        let uid = skeleton(&mut n, "6f1c1e0e-7f0c-4c3d-9b3a-0d9c8a1b2c3d");
        assert_eq!(uid.1, 1);
        assert_ne!(skeleton(&mut n, "1.2.3"), skeleton(&mut n, "1.2.4"), "a version is no address");
        assert_ne!(skeleton(&mut n, "ü-1"), skeleton(&mut n, "ü-2"));
    }
}
