//! What came of an input: what the library said, as far as it tells one way through the code from another.

use std::collections::BTreeSet;

/// What an execution has heard.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    shapes: BTreeSet<u64>,
}

impl Heard {
    /// Notes an answer. Numbers, quotations and what comes late in a long text do not count: two answers with the same
    /// sentence are the same answer.
    pub(crate) fn say(&mut self, of: &str, text: &str) {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut put = |c: char| hash = (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3);
        of.chars().for_each(&mut put);
        put('|');
        let mut quote = None;
        for c in text.chars().take(240) {
            match quote {
                Some(open) if c == open => quote = None,
                Some(_) => {}
                None if matches!(c, '"' | '`') => {
                    quote = Some(c);
                    put('q');
                }
                None if c.is_ascii_digit() => {}
                None if c.is_ascii() => put(c),
                None => {}
            }
        }
        self.shapes.insert(hash);
    }

    /// Notes how much of something there was, by its magnitude.
    pub(crate) fn count(&mut self, of: &str, n: usize) {
        let letter = char::from(b'a' + n.checked_ilog2().map_or(0, |log| log as u8 + 1));
        self.say(of, &letter.to_string());
    }

    pub(crate) fn shapes(self) -> BTreeSet<u64> {
        self.shapes
    }
}
