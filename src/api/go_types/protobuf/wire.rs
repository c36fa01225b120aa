//! The wire format of protobuf: numbered values one after the other.

use super::Error;

/// A value, as far as the format distinguishes values.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wire<'a> {
    /// A number.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// A string, bytes or a message.
    Bytes(&'a [u8]),
    /// Four bytes. No kind has such a field.
    Fixed32,
}

impl<'a> Wire<'a> {
    pub(super) fn bytes(self) -> Result<&'a [u8], Error> {
        match self {
            Wire::Bytes(b) => Ok(b),
            other => Err(format!("proto: wrong wireType: {other:?} where bytes are wanted")),
        }
    }

    pub(super) fn varint(self) -> Result<u64, Error> {
        match self {
            Wire::Varint(n) => Ok(n),
            other => Err(format!("proto: wrong wireType: {other:?} where a number is wanted")),
        }
    }

    pub(super) fn double(self) -> Result<f64, Error> {
        match self {
            Wire::Fixed64(n) => Ok(f64::from_bits(n)),
            other => Err(format!("proto: wrong wireType: {other:?} where a double is wanted")),
        }
    }
}

/// The numbered values of a message, in order.
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Fields<'a> {
        Fields(bytes)
    }

    /// The last value with a number, which is the one that counts; `None` if there is none.
    pub(super) fn last(bytes: &'a [u8], number: u64) -> Result<Option<Wire<'a>>, Error> {
        let mut found = None;
        for field in Fields(bytes) {
            let (n, wire) = field?;
            if n == number {
                found = Some(wire);
            }
        }
        Ok(found)
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], Error> {
        let (head, rest) = self.0.split_at_checked(n).ok_or("unexpected EOF")?;
        self.0 = rest;
        Ok(head)
    }

    fn varint(&mut self) -> Result<u64, Error> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or("unexpected EOF")?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("proto: integer overflow".into())
    }

    fn read(&mut self) -> Result<(u64, Wire<'a>), Error> {
        let tag = self.varint()?;
        let wire = match tag & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(self.take(8)?.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))),
            2 => {
                let n = self.varint()?;
                Wire::Bytes(self.take(usize::try_from(n).unwrap_or(usize::MAX))?)
            }
            5 => {
                self.take(4)?;
                Wire::Fixed32
            }
            other => return Err(format!("proto: illegal wireType {other}")),
        };
        Ok((tag >> 3, wire))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Wire<'a>), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_err() {
            // What follows an error is not parsed.
            self.0 = &[];
        }
        Some(field)
    }
}

/// A packed list of numbers.
pub(super) fn varints(bytes: &[u8]) -> Result<Vec<u64>, Error> {
    let mut fields = Fields(bytes);
    let mut out = Vec::new();
    while !fields.0.is_empty() {
        out.push(fields.varint()?);
    }
    Ok(out)
}
