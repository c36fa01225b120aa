//! A fingerprint of texts that is used as a key.

/// Odd numbers with irregular bits: the fractional parts of the golden ratio and of √2.
const A: u64 = 0x9e37_79b9_7f4a_7c15;
const B: u64 = 0x6a09_e667_f3bc_c909;

/// A fingerprint of 128 bits, which are taken as proof of equality. It has two lanes of 64 bits over words
/// of eight bytes: wasm has no multiplication of 128 bits, and one byte at a time would be eight times the
/// work.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    a: u64,
    b: u64,
}

impl Default for Digest {
    fn default() -> Digest {
        Digest { a: A, b: B }
    }
}

impl Digest {
    fn word(&mut self, word: u64) {
        self.a = (self.a ^ word).wrapping_mul(A).rotate_left(29);
        self.b = self.b.wrapping_add(word).wrapping_mul(B).rotate_left(31) ^ self.a;
    }

    /// Adds a text. The boundaries between texts count.
    #[must_use]
    pub fn with(mut self, text: &str) -> Digest {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        for w in words {
            self.word(u64::from_le_bytes(*w));
        }
        let last = rest.iter().fold(0u64, |n, b| n << 8 | u64::from(*b));
        // The last word has at most seven bytes of text.
        self.word(last | (text.len() as u64) << 56);
        self
    }

    /// Adds a number, for example another fingerprint.
    #[must_use]
    pub fn number(mut self, n: u128) -> Digest {
        // The lower half of the number.
        self.word(n as u64);
        self.word((n >> 64) as u64);
        self
    }

    /// The fingerprint.
    pub fn finish(mut self) -> u128 {
        self.word(A);
        u128::from(self.a) << 64 | u128::from(self.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> u128 {
        texts.iter().fold(Digest::default(), |d, t| d.with(t)).finish()
    }

    #[test]
    fn different_texts_have_different_fingerprints() {
        let texts: Vec<String> = (0..20_000).map(|i| format!("default/web-{i}")).collect();
        let mut all: Vec<u128> = texts.iter().map(|t| of(&[t])).collect();
        all.extend([of(&["ab", "c"]), of(&["a", "bc"]), of(&["abc"]), of(&["abc", ""]), of(&[])]);
        all.extend([of(&["12345678"]), of(&["12345678", ""]), of(&["1234567", "8"]), of(&["\0"]), of(&[""])]);
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
