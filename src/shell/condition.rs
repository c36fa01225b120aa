//! `test`, `[` and bash's `[[`.

use super::array::Array;
use super::ast::Word;
use super::expand::pattern;
use super::files::Sort;
use super::glob::{self, Letter};
use super::machine::{Ran, Shell};
use super::text::number;

/// The operands of a condition, and where its reader is.
struct Reader {
    words: Vec<String>,
    /// In `[[`, the words as patterns.
    patterns: Vec<Vec<Letter>>,
    at: usize,
    extended: bool,
    depth: usize,
}

impl Reader {
    fn peek(&self, n: usize) -> Option<&str> {
        self.words.get(self.at + n).map(String::as_str)
    }

    fn take(&mut self, words: &[&str]) -> bool {
        let found = self.peek(0).is_some_and(|w| words.contains(&w));
        self.at += usize::from(found);
        found
    }
}

const BINARY: [&str; 16] =
    ["=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "<", ">", "=~", "-nt", "-ot", "-ef", "\\<"];

impl Shell<'_> {
    /// `[[ … ]]`
    pub(super) fn condition(&mut self, words: &[Word]) -> Ran {
        let mut patterns = Vec::with_capacity(words.len());
        for word in words {
            patterns.push(self.expand_pattern(word)?);
        }
        let texts = patterns.iter().map(|p| p.iter().map(|(c, _)| c).collect()).collect();
        self.evaluate_condition(Reader { words: texts, patterns, at: 0, extended: true, depth: 0 }, "[[")
    }

    /// `test` and `[`, without the closing bracket.
    pub(super) fn test_command(&mut self, name: &str, words: &[String]) -> Ran {
        let reader = Reader { words: words.to_vec(), patterns: Vec::new(), at: 0, extended: false, depth: 0 };
        self.evaluate_condition(reader, name)
    }

    fn evaluate_condition(&mut self, mut r: Reader, name: &str) -> Ran {
        if r.words.is_empty() {
            return Ok(1);
        }
        let value = self.either(&mut r);
        match value {
            Ok(_) if r.at < r.words.len() => {
                let word = r.peek(0).unwrap_or_default().to_owned();
                self.complain(&format!("{name}: {word}: unexpected operator"));
                Ok(2)
            }
            Ok(value) => Ok(i32::from(!value)),
            Err(Some(message)) => {
                self.complain(&format!("{name}: {message}"));
                Ok(2)
            }
            Err(None) => Ok(2),
        }
    }

    fn either(&mut self, r: &mut Reader) -> Result<bool, Option<String>> {
        if r.depth > 20 {
            return Err(Some("too deep".into()));
        }
        r.depth += 1;
        let mut value = self.both(r)?;
        while r.take(if r.extended { &["||"] } else { &["-o"] }) {
            value |= self.both(r)?;
        }
        r.depth -= 1;
        Ok(value)
    }

    fn both(&mut self, r: &mut Reader) -> Result<bool, Option<String>> {
        let mut value = self.negation(r)?;
        while r.take(if r.extended { &["&&"] } else { &["-a"] }) {
            value &= self.negation(r)?;
        }
        Ok(value)
    }

    fn negation(&mut self, r: &mut Reader) -> Result<bool, Option<String>> {
        let mut negated = false;
        while r.peek(0) == Some("!") && r.peek(1).is_some() && !r.peek(1).is_some_and(|w| is_binary(w, r)) {
            r.at += 1;
            negated = !negated;
        }
        Ok(self.primary(r)? != negated)
    }

    fn primary(&mut self, r: &mut Reader) -> Result<bool, Option<String>> {
        let Some(first) = r.peek(0).map(str::to_owned) else { return Err(Some("argument expected".into())) };
        if r.peek(1).is_some_and(|w| is_binary(w, r)) {
            return self.compare(r, &first);
        }
        if first == "(" && r.peek(1).is_some() {
            r.at += 1;
            let value = self.either(r)?;
            return if r.take(&[")"]) { Ok(value) } else { Err(Some("closing paren expected".into())) };
        }
        let unary = first.strip_prefix('-').filter(|o| o.chars().count() == 1);
        if let (Some(operator), Some(word)) = (unary, r.peek(1).map(str::to_owned)) {
            r.at += 2;
            return self.unary(operator, &word).ok_or_else(|| Some(format!("{first}: unknown operand")));
        }
        r.at += 1;
        Ok(!first.is_empty())
    }

    fn unary(&mut self, operator: &str, word: &str) -> Option<bool> {
        Some(match operator {
            "z" => word.is_empty(),
            "n" => !word.is_empty(),
            "e" | "a" => self.exists(word),
            "r" => self.exists(word) && self.may(word, 4),
            "w" => self.exists(word) && self.may(word, 2) && !self.is_read_only(word),
            "d" => self.is_directory(word),
            "f" => self.exists(word) && !self.is_directory(word),
            "x" => {
                self.is_directory(word)
                    || (super::tools::is_standard(word) && self.has_program(super::tools::base_name(word)))
                    || (self.exists(word) && self.may(word, 1))
            }
            "h" | "L" => self.link(word).is_some(),
            "s" => match self.look(word) {
                Some(Sort::File) => self.size_of(word) > 0,
                Some(Sort::Directory) => true,
                None => false,
            },
            "v" => self.variable(word).is_some(),
            "b" | "c" | "g" | "k" | "p" | "S" | "t" | "u" => false,
            "O" | "G" => self.exists(word),
            _ => return None,
        })
    }

    /// Whether a path exists. That a path does not exist in an image that nobody has looked into is not certain.
    fn exists(&mut self, path: &str) -> bool {
        let found = self.look(path).is_some();
        if !found {
            self.uncertain(path);
        }
        found
    }

    fn compare(&mut self, r: &mut Reader, left: &str) -> Result<bool, Option<String>> {
        let operator = r.peek(1).unwrap_or_default().to_owned();
        let Some(right) = r.peek(2).map(str::to_owned) else {
            return Err(Some("argument expected".into()));
        };
        let at = r.at + 2;
        r.at += 3;
        let matches = |r: &Reader| {
            let plain = pattern(&right);
            let pattern = r.patterns.get(at).unwrap_or(&plain);
            glob::matches(pattern, &left.chars().collect::<Vec<_>>())
        };
        let number = |text: &str| match number(text) {
            Some(n) => Ok(n),
            None if r.extended && text.is_empty() => Ok(0),
            None => Err(Some(format!("Illegal number: {text}"))),
        };
        Ok(match operator.as_str() {
            "=" | "==" if r.extended => matches(r),
            "!=" if r.extended => !matches(r),
            "=" | "==" => left == right,
            "!=" => left != right,
            "<" | "\\<" => left < right.as_str(),
            ">" => left > right.as_str(),
            "=~" => {
                // What is quoted stands for itself.
                let letters = r.patterns.get(at).cloned().unwrap_or_default();
                let quote = |(c, quoted): (char, bool)| match quoted {
                    true => regex::escape(c.encode_utf8(&mut [0; 4])),
                    false => c.into(),
                };
                let pattern: String = letters.into_iter().map(quote).collect();
                let Some(pattern) = super::tools::regex(&pattern, true, false) else { return Err(None) };
                let found = pattern.captures(left);
                let groups = found.iter().flat_map(|f| f.iter());
                let groups = groups.map(|g| g.map_or("", |g| g.as_str()).to_owned());
                self.set_array("BASH_REMATCH", Array::of(groups));
                found.is_some()
            }
            "-eq" => number(left)? == number(&right)?,
            "-ne" => number(left)? != number(&right)?,
            "-lt" => number(left)? < number(&right)?,
            "-le" => number(left)? <= number(&right)?,
            "-gt" => number(left)? > number(&right)?,
            "-ge" => number(left)? >= number(&right)?,
            "-ef" => self.path(left) == self.path(&right),
            "-nt" => self.exists(left) && !self.exists(&right),
            _ => self.exists(&right) && !self.exists(left),
        })
    }
}

fn is_binary(word: &str, r: &Reader) -> bool {
    BINARY.contains(&word) && (r.extended || word != "=~")
}
