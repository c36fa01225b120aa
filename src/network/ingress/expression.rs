//! The regular expressions of locations. An expression can be one that nginx takes and that is not simulated
//! ([`Unusable::NotSimulated`]).

use regex::{Captures, Regex};

use crate::network::pattern::compile;

/// What `regex` says of expressions that PCRE does not take either.
const INVALID: [&str; 6] = [
    "unclosed group",
    "unopened group",
    "unclosed character class",
    "repetition operator missing expression",
    "invalid repetition count range, the start must be <= the end",
    "invalid character class range, the start must be <= the end",
];

/// Why there is no expression for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It is none: nginx does not start with it.
    Invalid(String),
    /// nginx may take it, and it cannot be followed here.
    NotSimulated,
}

/// The path of a location as an expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// From the beginning of a request's path (`~* "^PATH"`).
    location: Regex,
    /// Anywhere in it (`rewrite "(?i)PATH"`); `None` if the location is not rewritten.
    rewrite: Option<Regex>,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.location.as_str() == other.location.as_str() && self.rewrite.is_some() == other.rewrite.is_some()
    }
}

/// Whether PCRE does not take a path either.
fn unusable(path: &str, why: String) -> Unusable {
    // To PCRE `[` is an ordinary character within a class, and `(*` begins a verb.
    let may_be_pcre = (why.contains("class") && path.matches('[').count() > 1) || path.contains("(*");
    if INVALID.contains(&&*why) && !may_be_pcre { Unusable::Invalid(why) } else { Unusable::NotSimulated }
}

impl Expression {
    /// The expression of a path.
    ///
    /// # Errors
    /// It is none, or none that is simulated.
    pub fn new(path: &str, rewrites: bool) -> Result<Expression, Unusable> {
        let of = |text: &str| compile(text, true).map_err(|why| unusable(path, why));
        Ok(Expression {
            location: of(&format!("^{path}"))?,
            rewrite: rewrites.then(|| of(path)).transpose()?,
        })
    }

    /// Whether the path of a request begins with it.
    pub fn is_match(&self, asked: &str) -> bool {
        self.location.is_match(asked)
    }

    /// Its groups in the path of a request that is rewritten.
    pub fn captures<'h>(&self, asked: &'h str) -> Option<Captures<'h>> {
        self.rewrite.as_ref()?.captures(asked)
    }
}
