//! A piece of a body that is made as it is read: [`Piece`].

use bytes::Bytes;

/// A piece of a body has so many bytes, or as many more as one object has.
const PIECE: usize = 32 * 1024;

/// A piece of a body: texts that follow one another, some of them shared with other pieces.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    texts: Vec<Bytes>,
    len: usize,
}

impl Piece {
    /// The number of its bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its texts, in order.
    pub fn into_texts(self) -> Vec<Bytes> {
        self.texts
    }

    /// Whether another object would be too much.
    pub(super) fn is_full(&self) -> bool {
        self.len >= PIECE
    }

    pub(super) fn push(&mut self, text: impl Into<Bytes>) {
        let text = text.into();
        if !text.is_empty() {
            self.len += text.len();
            self.texts.push(text);
        }
    }
}
