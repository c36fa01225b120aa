//! Quantities: exact amounts such as `250m`, `64Mi`, `1e3` (`k8s.io/apimachinery/pkg/api/resource`).
//!
//! [`Amount`] is the value of a `Quantity`. An object keeps the quantity's text; [`canonicalize`] rewrites
//! it where the API server would.

use std::cmp::Ordering;
use std::fmt;

use super::types::Quantity;

mod parse;

pub(super) use parse::parse;

/// The format of a quantity: the sort of suffix with which it was written and is written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `12e6`
    DecimalExponent,
    /// `12Mi`: powers of 1024.
    BinarySI,
    /// `12M`: powers of 1000.
    DecimalSI,
}

impl Format {
    /// The format's name in Go.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::DecimalExponent => "DecimalExponent",
            Format::BinarySI => "BinarySI",
            Format::DecimalSI => "DecimalSI",
        }
    }
}

/// Why a text is not a quantity, with the API server's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseQuantityError {
    /// The text is not a number with a suffix.
    FormatWrong,
    /// The number cannot be parsed.
    Numeric,
    /// The suffix is unknown.
    Suffix,
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseQuantityError::FormatWrong => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            ParseQuantityError::Numeric => "unable to parse numeric part of quantity",
            ParseQuantityError::Suffix => "unable to parse quantity's suffix",
        })
    }
}

impl std::error::Error for ParseQuantityError {}

/// An exact amount: `unscaled × 10^exponent`.
///
/// Two amounts are equal if their values are, whatever their formats. Go uses a big number where an `int64`
/// is too small; here 38 digits are kept, and finer ones are rounded away from zero.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    unscaled: i128,
    exponent: i32,
    format: Format,
    /// Whether Go would hold the amount as an `inf.Dec` and not as an `int64` with a scale.
    dec: bool,
}

/// The exponent of the finest digit that parsing keeps.
const NANO: i32 = -9;

/// The result of parsing.
pub(super) struct Parsed {
    pub(super) amount: Amount,
    /// Whether Go keeps the text as the canonical form.
    pub(super) keeps_text: bool,
}

// Sums are methods and not operators: the format follows Go's rules, and sums lose what is below 38 digits.
impl Amount {
    /// The amount 0.
    pub const ZERO: Amount = Amount { unscaled: 0, exponent: 0, format: Format::DecimalSI, dec: false };

    /// Parses a text (`resource.ParseQuantity`). Digits below nano are rounded away from zero; binary
    /// amounts are capped at 2^63-1.
    ///
    /// # Errors
    /// The message of the API server.
    pub fn parse(text: &str) -> Result<Amount, ParseQuantityError> {
        parse(text).map(|p| p.amount)
    }

    /// An amount in whole units.
    pub const fn from_value(value: i64, format: Format) -> Amount {
        Amount { unscaled: value as i128, exponent: 0, format, dec: false }
    }

    /// An amount in thousandths.
    pub const fn from_milli(value: i64, format: Format) -> Amount {
        Amount { unscaled: value as i128, exponent: -3, format, dec: false }
    }

    /// The amount in whole units, rounded away from zero; saturates.
    pub fn value(self) -> i64 {
        self.scaled_value(0)
    }

    /// The amount in thousandths, rounded away from zero; saturates.
    pub fn milli_value(self) -> i64 {
        self.scaled_value(-3)
    }

    /// The amount in units of `10^scale`, rounded away from zero; saturates.
    pub fn scaled_value(self, scale: i32) -> i64 {
        let wide = self.at_exponent(scale).0;
        i64::try_from(wide).unwrap_or(if wide < 0 { i64::MIN } else { i64::MAX })
    }

    /// Whether the amount is 0.
    pub const fn is_zero(self) -> bool {
        self.unscaled == 0
    }

    /// The sign: -1, 0 or 1.
    pub const fn sign(self) -> i32 {
        self.unscaled.signum() as i32
    }

    /// The format in which the amount is written.
    pub const fn format(self) -> Format {
        self.format
    }

    /// The sum. Its format is that of `self`, or of `other` if `self` is 0.
    #[must_use]
    pub fn plus(self, other: Amount) -> Amount {
        let format = if self.is_zero() { other.format } else { self.format };
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (hi, lo) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let aligned = pow10(hi.exponent.abs_diff(lo.exponent)).and_then(|p| hi.unscaled.checked_mul(p));
        let (unscaled, exponent) = match aligned.and_then(|a| a.checked_add(lo.unscaled)) {
            Some(sum) => (sum, lo.exponent),
            // More than 38 digits lie between them: the smaller one is below what is kept.
            None if hi.cmp_magnitude(lo) == Ordering::Less => (lo.unscaled, lo.exponent),
            None => (hi.unscaled, hi.exponent),
        };
        let dec = self.dec || other.dec || i64::try_from(unscaled).is_err();
        Amount { unscaled, exponent, format, dec }
    }

    /// The difference. Its format is that of `self`, or of `other` if `self` is 0.
    #[must_use]
    pub fn minus(self, other: Amount) -> Amount {
        self.plus(other.negated())
    }

    /// The amount with the opposite sign.
    #[must_use]
    pub fn negated(self) -> Amount {
        Amount { unscaled: self.unscaled.saturating_neg(), ..self }
    }

    /// The canonical text (`Quantity.String`): no fraction, the largest suffix possible.
    pub fn canonical(self) -> String {
        self.to_string()
    }

    /// The canonical text as a `Quantity`.
    pub fn to_quantity(self) -> Quantity {
        Quantity(self.canonical())
    }

    /// The digits at another exponent, rounded away from zero, and whether that is exact.
    fn at_exponent(self, exponent: i32) -> (i128, bool) {
        let cap = if self.unscaled < 0 { i128::MIN } else { i128::MAX };
        let shift = i64::from(self.exponent) - i64::from(exponent);
        let factor = u32::try_from(shift.unsigned_abs()).ok().and_then(pow10);
        if self.is_zero() {
            (0, true)
        } else if shift >= 0 {
            match factor.and_then(|f| self.unscaled.checked_mul(f)) {
                Some(v) => (v, true),
                None => (cap, false),
            }
        } else {
            match factor {
                Some(f) if self.unscaled % f == 0 => (self.unscaled / f, true),
                Some(f) => (self.unscaled / f + self.unscaled.signum(), false),
                None => (self.unscaled.signum(), false),
            }
        }
    }

    /// Compares the absolute values.
    fn cmp_magnitude(self, other: Amount) -> Ordering {
        let (a, b) = (self.unscaled.unsigned_abs(), other.unscaled.unsigned_abs());
        if a == 0 || b == 0 || self.exponent == other.exponent {
            return a.cmp(&b);
        }
        let factor = pow10(self.exponent.abs_diff(other.exponent)).map(i128::unsigned_abs);
        // Only the side with the larger exponent can overflow, so that side is larger.
        if self.exponent > other.exponent {
            factor.and_then(|f| a.checked_mul(f)).map_or(Ordering::Greater, |a| a.cmp(&b))
        } else {
            factor.and_then(|f| b.checked_mul(f)).map_or(Ordering::Less, |b| a.cmp(&b))
        }
    }

    /// The form in which Go holds the amount in memory.
    pub(super) fn go_form(self) -> GoForm {
        match i64::try_from(self.unscaled) {
            Ok(value) if !self.dec => GoForm::Int64 { value, scale: self.exponent },
            _ => GoForm::Dec { unscaled: self.unscaled, scale: self.exponent.saturating_neg() },
        }
    }
}

/// The forms of Go's `Quantity`.
pub(super) enum GoForm {
    /// `int64Amount`: `value × 10^scale`
    Int64 { value: i64, scale: i32 },
    /// `inf.Dec`: `unscaled × 10^-scale`
    Dec { unscaled: i128, scale: i32 },
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Amount {}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sign().cmp(&other.sign()).then_with(|| {
            let magnitude = self.cmp_magnitude(*other);
            if self.sign() < 0 { magnitude.reverse() } else { magnitude }
        })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        let mut format = self.format;
        if format == Format::BinarySI {
            let (whole, exact) = self.at_exponent(0);
            // Small or fractional binary amounts are written as decimals, so that nothing is lost.
            if exact && whole.unsigned_abs() >= 1024 {
                return write_binary(f, whole);
            }
            format = Format::DecimalSI;
        }
        let (mut digits, mut exponent) = (self.unscaled, self.exponent);
        while digits % 10 == 0 {
            digits /= 10;
            exponent = exponent.saturating_add(1);
        }
        // There is a suffix for every third power of ten; the digits take up the rest.
        for _ in 0..exponent.rem_euclid(3) {
            if let Some(d) = digits.checked_mul(10) {
                digits = d;
                exponent = exponent.saturating_sub(1);
            }
        }
        write!(f, "{digits}")?;
        let suffix = DECIMAL.iter().find(|(_, e)| *e == exponent).map(|(s, _)| *s);
        match (format, suffix) {
            (Format::DecimalSI, Some(s)) => f.write_str(s),
            (_, _) if exponent == 0 => Ok(()),
            (_, _) => write!(f, "e{exponent}"),
        }
    }
}

impl TryFrom<&Quantity> for Amount {
    type Error = ParseQuantityError;
    fn try_from(q: &Quantity) -> Result<Amount, ParseQuantityError> {
        Amount::parse(q.0.trim())
    }
}

/// The amount of a quantity; 0 if it is absent or invalid (validation refuses invalid ones).
pub fn amount_of(quantity: Option<&Quantity>) -> Amount {
    quantity.and_then(|q| Amount::try_from(q).ok()).unwrap_or(Amount::ZERO)
}

/// The text that the API server stores for a text. A text that Go considers canonical stays as it is, as
/// `01` and `+1Ki` do.
///
/// # Errors
/// The message of the API server.
pub fn canonicalize(text: &str) -> Result<String, ParseQuantityError> {
    let text = text.trim();
    let parsed = parse(text)?;
    Ok(if parsed.keeps_text { text.to_owned() } else { parsed.amount.canonical() })
}

fn write_binary(f: &mut fmt::Formatter<'_>, mut whole: i128) -> fmt::Result {
    let mut suffix = "";
    for (s, _) in BINARY {
        if whole % 1024 != 0 {
            break;
        }
        whole /= 1024;
        suffix = s;
    }
    write!(f, "{whole}{suffix}")
}

const DECIMAL: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

const BINARY: [(&str, i32); 6] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

fn pow10(n: u32) -> Option<i128> {
    10i128.checked_pow(n)
}

#[cfg(test)]
#[path = "quantity_tests.rs"]
mod tests;
