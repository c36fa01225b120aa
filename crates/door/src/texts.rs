//! A piece of a body as the sockets take it: several texts that are not copied.

use std::collections::VecDeque;
use std::io::IoSlice;

use bytes::{Buf, Bytes};
use steady::apiserver::http::Piece;

/// Consecutive texts.
#[derive(Debug, Default)]
pub struct Texts {
    texts: VecDeque<Bytes>,
    remaining: usize,
}

impl From<Bytes> for Texts {
    fn from(text: Bytes) -> Texts {
        Texts { remaining: text.len(), texts: VecDeque::from([text]) }
    }
}

impl From<Vec<Bytes>> for Texts {
    fn from(texts: Vec<Bytes>) -> Texts {
        Texts { remaining: texts.iter().map(Bytes::len).sum(), texts: texts.into() }
    }
}

impl From<Piece> for Texts {
    fn from(piece: Piece) -> Texts {
        piece.into_texts().into()
    }
}

impl Texts {
    /// Whether nothing is left to read.
    pub fn is_empty(&self) -> bool {
        self.remaining == 0
    }
}

impl Buf for Texts {
    fn remaining(&self) -> usize {
        self.remaining
    }

    fn chunk(&self) -> &[u8] {
        self.texts.front().map(|t| &**t).unwrap_or_default()
    }

    fn chunks_vectored<'a>(&'a self, into: &mut [IoSlice<'a>]) -> usize {
        let pairs = into.iter_mut().zip(&self.texts);
        pairs.map(|(slice, text)| *slice = IoSlice::new(text)).count()
    }

    fn advance(&mut self, mut count: usize) {
        self.remaining = self.remaining.saturating_sub(count);
        while let Some(first) = self.texts.front_mut() {
            if count < first.len() {
                return first.advance(count);
            }
            count -= first.len();
            self.texts.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_across_their_borders() {
        let mut texts = Texts {
            texts: ["ab", "c", "def"].map(|t| Bytes::from_static(t.as_bytes())).into(),
            remaining: 6,
        };
        assert_eq!(texts.chunks_vectored(&mut [IoSlice::new(&[]); 2]), 2);
        texts.advance(1);
        assert_eq!((texts.chunk(), texts.remaining()), (&b"b"[..], 5));
        texts.advance(3);
        assert_eq!((texts.chunk(), texts.remaining()), (&b"ef"[..], 2));
        assert_eq!(texts.copy_to_bytes(2), "ef");
        assert!(!texts.has_remaining());
    }
}
