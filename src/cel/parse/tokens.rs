//! The words of CEL's grammar, and sets of them as they are written into messages.

macro_rules! tokens {
    ($($name:ident $text:literal,)*) => {
        /// A kind of token, in the order in which the grammar of cel-go (`parser/gen/CEL.g4`) numbers them: messages
        /// list what was expected in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Tok { $($name,)* }

        impl Tok {
            const ALL: &[Tok] = &[$(Tok::$name,)*];

            /// The name of the kind in messages.
            fn display(self) -> &'static str {
                match self { $(Tok::$name => $text,)* }
            }
        }
    };
}

tokens! {
    Eof "<EOF>",
    Equals "'=='",
    NotEquals "'!='",
    In "'in'",
    Less "'<'",
    LessEquals "'<='",
    GreaterEquals "'>='",
    Greater "'>'",
    And "'&&'",
    Or "'||'",
    LBracket "'['",
    RBracket "']'",
    LBrace "'{'",
    RBrace "'}'",
    LParen "'('",
    RParen "')'",
    Dot "'.'",
    Comma "','",
    Minus "'-'",
    Exclam "'!'",
    Question "'?'",
    Colon "':'",
    Plus "'+'",
    Star "'*'",
    Slash "'/'",
    Percent "'%'",
    True "'true'",
    False "'false'",
    Null "'null'",
    Float "NUM_FLOAT",
    Int "NUM_INT",
    Uint "NUM_UINT",
    String "STRING",
    Bytes "BYTES",
    Ident "IDENTIFIER",
    EscIdent "ESC_IDENTIFIER",
}

use Tok::*;

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set(u64);

impl Set {
    pub const NONE: Set = Set(0);
    /// How a literal begins.
    pub const LITERAL: Set = Set::of(&[Minus, True, False, Null, Float, Int, Uint, String, Bytes]);
    /// How a primary begins.
    pub const PRIMARY: Set = Set::LITERAL.and(Set::of(&[LBracket, LBrace, LParen, Dot, Ident]));
    /// How an expression begins.
    pub const EXPR: Set = Set::PRIMARY.and(Set::of(&[Exclam]));
    pub const RELATION: Set = Set::of(&[Equals, NotEquals, In, Less, LessEquals, GreaterEquals, Greater]);
    pub const CALC: Set = Set::of(&[Plus, Minus, Star, Slash, Percent]);
    pub const MEMBER: Set = Set::of(&[Dot, LBracket]);
    pub const FIELD_NAME: Set = Set::of(&[Ident, EscIdent]);

    pub const fn of(kinds: &[Tok]) -> Set {
        let (mut bits, mut n) = (0, 0);
        while n < kinds.len() {
            bits |= 1 << kinds[n] as u64;
            n += 1;
        }
        Set(bits)
    }

    pub const fn and(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    pub const fn has(self, kind: Tok) -> bool {
        self.0 & (1 << kind as u64) != 0
    }
}

impl std::fmt::Display for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = Tok::ALL.iter().filter(|t| self.has(**t)).map(|t| t.display()).collect();
        match names.as_slice() {
            [one] => f.write_str(one),
            many => write!(f, "{{{}}}", many.join(", ")),
        }
    }
}
