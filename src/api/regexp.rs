//! Regular expressions in Go's syntax (`regexp/syntax` with Perl's flags, which is that of RE2), with Go's
//! error messages. The `regex` crate matches them; it guarantees linear time as well.
//!
//! ```
//! use steady::api::regexp::compile;
//! assert!(compile("^[a-z]+$").unwrap().is_match("abc"));
//! assert_eq!(compile("[").unwrap_err(), "error parsing regexp: missing closing ]: `[`");
//! ```

use regex::{Regex, RegexBuilder};

/// The most repetitions of a part, nested ones multiplied (`maxRepeat`).
const MAX_REPEAT: usize = 1000;
/// The most bytes of a compiled expression.
const MAX_SIZE: usize = 1 << 20;
/// The deepest nesting of groups (`maxHeight`).
const MAX_DEPTH: usize = 250;

const CHAR_CLASS: &str = "invalid character class range";
const ESCAPE: &str = "invalid escape sequence";
const NAMED_CAPTURE: &str = "invalid named capture";
const PERL: &str = "invalid or unsupported Perl syntax";
const NESTED_REPEAT: &str = "invalid nested repetition operator";
const REPEAT_SIZE: &str = "invalid repeat count";
const NO_BRACKET: &str = "missing closing ]";
const NO_PAREN: &str = "missing closing )";
const NO_ARGUMENT: &str = "missing argument to repetition operator";
const BACKSLASH: &str = "trailing backslash at end of expression";
const PAREN: &str = "unexpected )";
const DEPTH: &str = "expression nests too deeply";
const LARGE: &str = "expression too large";

/// Compiles an expression.
///
/// # Errors
/// The message of Go's `regexp.Compile`.
pub fn compile(expression: &str) -> Result<Regex, String> {
    let error = |(code, text): Failure| format!("error parsing regexp: {code}: `{text}`");
    let mut parser = Parser { whole: expression, rest: expression, out: String::new() };
    parser.run().map_err(error)?;
    RegexBuilder::new(&parser.out).size_limit(MAX_SIZE).build().map_err(|e| {
        error((if matches!(e, regex::Error::CompiledTooBig(_)) { LARGE } else { CHAR_CLASS }, expression))
    })
}

/// The kind of an error, and the part of the expression that has it.
type Failure<'a> = (&'static str, &'a str);

struct Parser<'a> {
    whole: &'a str,
    rest: &'a str,
    /// The expression in the syntax of the `regex` crate.
    out: String,
}

/// An open group: the size of its largest repetition, and whether something in it can be repeated.
#[derive(Default)]
struct Group {
    repeat: usize,
    item: Item,
}

/// What precedes the present place in a group.
#[derive(Clone, Copy, Default, PartialEq)]
enum Item {
    /// Nothing that can be repeated: the group or an alternative begins here.
    #[default]
    None,
    /// A part that can be repeated; the product of its own repetitions.
    Part(usize),
}

impl<'a> Parser<'a> {
    fn run(&mut self) -> Result<(), Failure<'a>> {
        let mut groups = vec![Group::default()];
        // The text from the last repetition on, if a repetition is what precedes.
        let mut last: Option<&'a str> = None;
        while let Some(c) = self.rest.chars().next() {
            let before = self.rest;
            let mut repetition = None;
            match c {
                '(' => {
                    if groups.len() > MAX_DEPTH {
                        return Err((DEPTH, self.whole));
                    }
                    if before.starts_with("(?") {
                        if self.perl_group()? {
                            groups.push(Group::default());
                        }
                    } else {
                        self.take(1);
                        self.out.push('(');
                        groups.push(Group::default());
                    }
                }
                ')' => {
                    self.take(1);
                    self.out.push(')');
                    let closed = groups.pop().unwrap_or_default();
                    let Some(outer) = groups.last_mut() else { return Err((PAREN, self.whole)) };
                    part(outer, closed.repeat.max(1));
                }
                '|' => {
                    self.take(1);
                    self.out.push('|');
                    item(&mut groups, Item::None);
                }
                '*' | '+' | '?' => {
                    self.take(1);
                    repetition = Some((1, c.to_string()));
                }
                '{' => match bounds(before) {
                    None => self.literal(&mut groups),
                    Some((min, max, length)) => {
                        self.take(length);
                        let text = before.get(..length).unwrap_or(before);
                        let most = max.unwrap_or(min);
                        if min > MAX_REPEAT || most > MAX_REPEAT || most < min {
                            return Err((REPEAT_SIZE, text));
                        }
                        repetition = Some((most.max(1), text.to_owned()));
                    }
                },
                '[' => {
                    self.class()?;
                    item(&mut groups, Item::Part(1));
                }
                '^' | '$' | '.' => {
                    self.take(1);
                    self.out.push(c);
                    item(&mut groups, Item::Part(1));
                }
                '\\' => {
                    self.backslash()?;
                    item(&mut groups, Item::Part(1));
                }
                _ => self.literal(&mut groups),
            }
            match repetition {
                None => last = None,
                Some((times, mut text)) => {
                    if self.rest.starts_with('?') {
                        self.take(1);
                        text.push('?');
                    }
                    if let Some(first) = last {
                        return Err((NESTED_REPEAT, self.since(first)));
                    }
                    let Some(group) = groups.last_mut() else { return Err((PAREN, self.whole)) };
                    let Item::Part(inside) = group.item else {
                        return Err((NO_ARGUMENT, self.since(before)));
                    };
                    let times = inside.saturating_mul(times);
                    if times > MAX_REPEAT {
                        return Err((REPEAT_SIZE, self.since(before)));
                    }
                    part(group, times);
                    self.out.push_str(&text);
                    last = Some(before);
                }
            }
        }
        if groups.len() == 1 { Ok(()) } else { Err((NO_PAREN, self.whole)) }
    }

    fn take(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.take(c.len_utf8());
        Some(c)
    }

    /// The text from `start`, a suffix of the expression, to the present place.
    fn since(&self, start: &'a str) -> &'a str {
        start.get(..start.len() - self.rest.len()).unwrap_or(start)
    }

    fn push(&mut self, c: char) {
        self.out.push_str(&format!("\\x{{{:x}}}", c as u32));
    }

    fn literal(&mut self, groups: &mut [Group]) {
        if let Some(c) = self.next() {
            self.push(c);
            item(groups, Item::Part(1));
        }
    }

    /// Parses `(?flags)`, `(?flags:`, `(?P<name>` or `(?<name>`. Returns whether a group begins.
    fn perl_group(&mut self) -> Result<bool, Failure<'a>> {
        let start = self.rest;
        for (prefix, least) in [("(?P<", 5), ("(?<", 4)] {
            if start.starts_with(prefix) && start.len() >= least {
                let Some(end) = start.find('>') else { return Err((NAMED_CAPTURE, start)) };
                let name = start.get(prefix.len()..end).unwrap_or_default();
                if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                    return Err((NAMED_CAPTURE, start.get(..=end).unwrap_or(start)));
                }
                self.take(end + 1);
                self.out.push('(');
                return Ok(true);
            }
        }
        self.take(2);
        let (mut negative, mut seen) = (false, false);
        let mut flags = String::new();
        while let Some(c) = self.next() {
            match c {
                'i' | 'm' | 's' | 'U' => {
                    flags.push(c);
                    seen = true;
                }
                '-' if !negative => {
                    negative = true;
                    seen = false;
                    flags.push('-');
                }
                ':' | ')' if !negative || seen => {
                    // Go accepts an empty `(?)`, the crate does not.
                    if c == ')' && flags.is_empty() {
                        return Ok(false);
                    }
                    self.out.push_str(&format!("(?{flags}{c}"));
                    return Ok(c == ':');
                }
                _ => break,
            }
        }
        Err((PERL, self.since(start)))
    }

    /// Parses a backslash sequence outside of a class.
    fn backslash(&mut self) -> Result<(), Failure<'a>> {
        let start = self.rest;
        let simple = match start.as_bytes().get(1) {
            Some(b'A') => "\\A",
            Some(b'b') => "(?-u:\\b)",
            Some(b'B') => "(?-u:\\B)",
            Some(b'z') => "\\z",
            Some(b'C') => return Err((ESCAPE, "\\C")),
            Some(b'Q') => {
                let text = start.get(2..).unwrap_or_default();
                let (quoted, after) = text.split_once("\\E").unwrap_or((text, ""));
                self.rest = after;
                self.out.push_str("(?:");
                quoted.chars().for_each(|c| self.push(c));
                self.out.push(')');
                return Ok(());
            }
            _ => "",
        };
        if !simple.is_empty() {
            self.take(2);
            self.out.push_str(simple);
            return Ok(());
        }
        if self.unicode_class()? || self.perl_class() {
            return Ok(());
        }
        let c = self.escape()?;
        self.push(c);
        Ok(())
    }

    /// Parses `\d`, `\s`, `\w` and their opposites, which are ASCII classes in Go. Returns whether there was
    /// one.
    fn perl_class(&mut self) -> bool {
        let class = match self.rest.as_bytes() {
            [b'\\', b'd', ..] => "[0-9]",
            [b'\\', b'D', ..] => "[^0-9]",
            [b'\\', b's', ..] => "[\\t\\n\\x0c\\r\\x20]",
            [b'\\', b'S', ..] => "[^\\t\\n\\x0c\\r\\x20]",
            [b'\\', b'w', ..] => "[0-9A-Za-z_]",
            [b'\\', b'W', ..] => "[^0-9A-Za-z_]",
            _ => return false,
        };
        self.take(2);
        self.out.push_str(class);
        true
    }

    /// Parses `\pL`, `\p{Greek}` or `\P{^Lu}`. Returns whether there was one.
    fn unicode_class(&mut self) -> Result<bool, Failure<'a>> {
        let start = self.rest;
        let [b'\\', letter @ (b'p' | b'P'), ..] = start.as_bytes() else { return Ok(false) };
        self.take(2);
        let name = match self.next() {
            Some('{') => {
                let Some(end) = self.rest.find('}') else { return Err((CHAR_CLASS, start)) };
                let name = self.rest.get(..end).unwrap_or_default();
                self.take(end + 1);
                name
            }
            Some(c) => start.get(2..2 + c.len_utf8()).unwrap_or_default(),
            None => return Err((CHAR_CLASS, start)),
        };
        let (name, not) = name.strip_prefix('^').map_or((name, false), |n| (n, true));
        let letter = if (*letter == b'P') == not { 'p' } else { 'P' };
        let class = format!("\\{letter}{{{name}}}");
        if name.contains(['=', ':', '!']) || Regex::new(&class).is_err() {
            return Err((CHAR_CLASS, self.since(start)));
        }
        self.out.push_str(&class);
        Ok(true)
    }

    /// Parses one escaped character.
    fn escape(&mut self) -> Result<char, Failure<'a>> {
        let start = self.rest;
        self.take(1);
        let Some(c) = self.next() else { return Err((BACKSLASH, "")) };
        let octal = |c: char| c.to_digit(8);
        let found = match c {
            'a' => Some('\u{7}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            // A single digit would refer to a group, which is not supported.
            '0'..='7' if c == '0' || self.rest.starts_with(|c: char| octal(c).is_some()) => {
                let mut value = octal(c).unwrap_or_default();
                for _ in 0..2 {
                    let Some(digit) = self.rest.chars().next().and_then(octal) else { break };
                    value = value * 8 + digit;
                    self.take(1);
                }
                char::from_u32(value)
            }
            'x' => self.hexadecimal(),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(c),
            _ => None,
        };
        found.ok_or_else(|| (ESCAPE, self.since(start)))
    }

    fn hexadecimal(&mut self) -> Option<char> {
        if self.rest.starts_with('{') {
            self.take(1);
            let mut value = 0u32;
            let mut digits = 0;
            loop {
                match self.next()? {
                    '}' if digits > 0 => return char::from_u32(value),
                    c => {
                        value =
                            value.checked_mul(16)?.checked_add(c.to_digit(16)?).filter(|v| *v <= 0x10_ffff)?
                    }
                }
                digits += 1;
            }
        }
        let high = self.next()?.to_digit(16)?;
        let low = self.next()?.to_digit(16)?;
        char::from_u32(high * 16 + low)
    }

    /// Parses a class, `[…]`.
    fn class(&mut self) -> Result<(), Failure<'a>> {
        let start = self.rest;
        self.take(1);
        self.out.push('[');
        if self.rest.starts_with('^') {
            self.take(1);
            self.out.push('^');
        }
        let mut first = true;
        while first || !self.rest.starts_with(']') {
            first = false;
            if self.rest.starts_with("[:")
                && let Some(end) = self.rest.get(2..).and_then(|r| r.find(":]"))
            {
                let name = self.rest.get(..end + 4).unwrap_or_default();
                let bare = name.trim_start_matches("[:").trim_start_matches('^').trim_end_matches(":]");
                const NAMES: [&str; 14] = [
                    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
                    "space", "upper", "word", "xdigit",
                ];
                if !NAMES.contains(&bare) {
                    return Err((CHAR_CLASS, name));
                }
                self.take(name.len());
                self.out.push_str(name);
                continue;
            }
            if self.unicode_class()? || self.perl_class() {
                continue;
            }
            let range = self.rest;
            let low = self.class_char(start)?;
            let mut high = low;
            if self.rest.starts_with('-') && self.rest.len() >= 2 && !self.rest.starts_with("-]") {
                self.take(1);
                high = self.class_char(start)?;
                if high < low {
                    return Err((CHAR_CLASS, self.since(range)));
                }
            }
            self.push(low);
            self.out.push('-');
            self.push(high);
        }
        self.take(1);
        self.out.push(']');
        Ok(())
    }

    fn class_char(&mut self, class: &'a str) -> Result<char, Failure<'a>> {
        if self.rest.starts_with('\\') {
            return self.escape();
        }
        self.next().ok_or((NO_BRACKET, class))
    }
}

fn item(groups: &mut [Group], item: Item) {
    if let Some(group) = groups.last_mut() {
        if let Item::Part(times) = item {
            group.repeat = group.repeat.max(times);
        }
        group.item = item;
    }
}

fn part(group: &mut Group, times: usize) {
    group.repeat = group.repeat.max(times);
    group.item = Item::Part(times);
}

/// Parses `{n}`, `{n,}` or `{n,m}` at the beginning of a text: both numbers, and the length. A number that
/// does not fit a machine word is larger than any limit.
fn bounds(text: &str) -> Option<(usize, Option<usize>, usize)> {
    let inside = text.strip_prefix('{')?;
    let inside = inside.get(..inside.find('}')?)?;
    let number = |t: &str| {
        let digits =
            !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit()) && (t.len() == 1 || !t.starts_with('0'));
        digits.then(|| t.parse().unwrap_or(usize::MAX))
    };
    let (min, max) = match inside.split_once(',') {
        None => (number(inside)?, None),
        Some((min, "")) => (number(min)?, None),
        Some((min, max)) => (number(min)?, Some(number(max)?)),
    };
    Some((min, max, inside.len() + 2))
}

#[cfg(test)]
#[path = "regexp_tests.rs"]
mod tests;
