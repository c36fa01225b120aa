//! Reads redirections and here-documents.

use super::ast::{Part, Redirect, Target, Word};
use super::parser::{Parsed, Parser};

impl Parser {
    pub(super) fn redirects(&mut self) -> Parsed<Vec<Redirect>> {
        let mut all = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(r) => all.push(r),
                None => return Ok(all),
            }
        }
    }

    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        if self.take("&>") {
            self.skip_blanks();
            return Ok(Some(Redirect { fd: 1, to: Target::Both(self.word()?) }));
        }
        let digit = self.peek().and_then(|c| c.to_digit(10));
        let skip = usize::from(digit.is_some());
        if !matches!(self.ahead(skip), Some('<' | '>')) {
            return Ok(None);
        }
        self.at += skip;
        let output = self.peek() == Some('>');
        let fd = digit.and_then(|d| u8::try_from(d).ok()).unwrap_or(u8::from(output));
        let make = |to| Ok(Some(Redirect { fd, to }));
        if self.take("<<<") {
            self.skip_blanks();
            let mut text = self.word()?;
            text.push(Part::Text { text: "\n".into(), quoted: true });
            return make(Target::Text(text));
        }
        if self.take("<<") {
            let strip = self.take("-");
            return make(Target::Text(self.document(strip)?));
        }
        let kind = [">>", ">&", "<&", ">|", "<>", ">", "<"].into_iter().find(|k| self.take(k));
        self.skip_blanks();
        let word = self.word()?;
        make(match kind {
            Some(">>") => Target::Append(word),
            Some(">&" | "<&") => Target::Copy(word),
            Some("<" | "<>") => Target::Read(word),
            _ => Target::Write(word),
        })
    }

    /// A here-document: its text begins after the current line, or after the one before it.
    fn document(&mut self, strip: bool) -> Parsed<Word> {
        self.skip_blanks();
        let raw = self.plain();
        let end: String = raw.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        let mut at = match self.documents {
            Some(at) => at,
            None => {
                let line = self.s.iter().skip(self.at).position(|c| *c == '\n');
                line.map_or(self.s.len(), |n| self.at + n + 1)
            }
        };
        let mut text = String::new();
        let mut ended = false;
        while at < self.s.len() {
            let line: String = self.s.iter().skip(at).take_while(|c| **c != '\n').collect();
            at += line.chars().count() + 1;
            let line = if strip { line.trim_start_matches('\t') } else { &line };
            if line == end {
                ended = true;
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        self.open_document |= !ended;
        self.documents = Some(at.min(self.s.len()));
        if end != raw {
            return Ok(vec![Part::Text { text, quoted: true }]);
        }
        self.nested(|p| Parser { depth: p.depth, ..Parser::new(&text, p.bash) }.double_quoted(None))
    }
}
