//! The expansions of a word (POSIX, 2.6): parameters, commands, arithmetic, fields, file names.

use super::arith::{self, Variables};
use super::arrays::is_all;
use super::ast::{Op, Part, Word, literal};
use super::glob::{self, Letter, letters};
use super::machine::{Out, Shell, Stop, TEXT_LIMIT};

/// How many bytes the words have together that a pair of braces makes of one.
const BRACES_LIMIT: usize = 4 << 20;

/// The fields of a word under way.
#[derive(Default)]
struct Fields {
    done: Vec<Vec<Letter>>,
    current: Option<Vec<Letter>>,
}

impl Fields {
    fn push(&mut self, text: &str, quoted: bool) {
        self.current.get_or_insert_default().extend(text.chars().map(|c| (c, quoted)));
    }

    fn end(&mut self) {
        self.done.extend(self.current.take());
    }

    /// Splits the result of an expansion at the characters of IFS.
    fn split(&mut self, text: &str, ifs: &str) {
        for c in text.chars() {
            if !ifs.contains(c) {
                self.current.get_or_insert_default().push((c, false));
            } else if c.is_ascii_whitespace() {
                self.end();
            } else {
                self.current.get_or_insert_default();
                self.end();
            }
        }
    }
}

/// The value of a parameter.
enum Value {
    Text(String),
    List(Vec<String>),
    Unset,
}

impl Variables for Shell<'_> {
    fn read(&self, name: &str) -> String {
        self.variable(name).map(|v| v.to_string()).unwrap_or_default()
    }

    fn assign(&mut self, name: &str, value: i64) {
        self.set(name, &value.to_string());
    }
}

impl Shell<'_> {
    /// The fields of words, as arguments of a command.
    pub(super) fn expand_all(&mut self, words: &[Word]) -> Result<Vec<String>, Stop> {
        let mut all = Vec::new();
        for word in words {
            let mut fields = Fields::default();
            self.expand(word, &mut fields, true, false)?;
            fields.end();
            for field in fields.done {
                if self.frame.bash
                    && let Some(words) = braces(&field)
                {
                    all.extend(words);
                    continue;
                }
                all.extend(self.file_names(field));
            }
            if all.len() > 10_000 {
                return Err(Stop::Never);
            }
        }
        Ok(all)
    }

    /// The text of a word that is not split, for example of an assignment.
    pub(super) fn expand_text(&mut self, word: &Word) -> Result<String, Stop> {
        Ok(self.expand_pattern(word)?.into_iter().map(|(c, _)| c).collect())
    }

    /// A word as a pattern.
    pub(super) fn expand_pattern(&mut self, word: &Word) -> Result<Vec<Letter>, Stop> {
        let mut fields = Fields::default();
        self.expand(word, &mut fields, false, false)?;
        fields.end();
        Ok(fields.done.join(&(' ', true)))
    }

    fn expand(&mut self, word: &Word, out: &mut Fields, split: bool, operand: bool) -> Result<(), Stop> {
        let ifs = self.variable("IFS").map_or_else(|| " \t\n".to_owned(), |v| v.to_string());
        for (i, part) in word.iter().enumerate() {
            match part {
                Part::Text { text, quoted: false } if i == 0 && (text == "~" || text.starts_with("~/")) => {
                    let home = self.variable("HOME").unwrap_or_else(|| "/root".into());
                    out.push(&home, true);
                    out.push(text.get(1..).unwrap_or_default(), false);
                }
                // Together with a list, an empty text between double quotes is not a field of its own.
                Part::Text { text, quoted: true }
                    if text.is_empty()
                        && matches!(word.get(i + 1), Some(Part::Param { name, index, op: Op::None, quoted: true })
                            if is_list(name, index.as_ref())) => {}
                // In a word of an operator, text that is not quoted is split, too.
                Part::Text { text, quoted: false } if operand && split => out.split(text, &ifs),
                Part::Text { text, quoted } => out.push(text, *quoted),
                Part::Param { name, index, op, quoted } => {
                    match self.parameter(name, index.as_ref(), op, out, split)? {
                        Some(Value::List(list)) if *quoted && is_list(name, index.as_ref()) => {
                            for (i, item) in list.iter().enumerate() {
                                if i > 0 {
                                    if split {
                                        out.end();
                                    } else {
                                        out.push(" ", true);
                                    }
                                }
                                out.push(item, true);
                            }
                        }
                        Some(Value::List(list)) if *quoted || !split => {
                            let separator: String = ifs.chars().take(1).collect();
                            out.push(&list.join(&separator), true);
                        }
                        Some(Value::List(list)) => {
                            for item in list {
                                out.end();
                                out.split(&item, &ifs);
                                out.end();
                            }
                        }
                        Some(Value::Text(text)) => push_result(out, &text, *quoted, split, &ifs),
                        Some(Value::Unset) | None => {}
                    }
                }
                Part::Command { script, quoted } => {
                    let text = self.substitute(script)?;
                    push_result(out, &text, *quoted, split, &ifs);
                }
                Part::Arith { text, quoted } => {
                    let value = self.arithmetic(text)?.to_string();
                    push_result(out, &value, *quoted, split, &ifs);
                }
            }
            if out.current.as_ref().is_some_and(|c| c.len() > TEXT_LIMIT) {
                return Err(Stop::Never);
            }
        }
        Ok(())
    }

    /// The value of an arithmetic expression. An error ends the shell.
    pub(super) fn arithmetic(&mut self, text: &Word) -> Result<i64, Stop> {
        let text = self.expand_text(text)?;
        arith::evaluate(&text, self).map_err(|message| {
            self.complain(&message);
            Stop::Exit(2)
        })
    }

    fn substitute(&mut self, script: &super::ast::Node) -> Result<String, Stop> {
        let at = self.buffers.len();
        self.buffers.push(String::new());
        let outer = self.outs.insert(1, Out::Buffer(at));
        let result = self.subshell(|s| s.node(script));
        if let Some(outer) = outer {
            self.outs.insert(1, outer);
        }
        let text = self.buffers.pop().unwrap_or_default();
        self.substituted = Some(result?);
        Ok(text.trim_end_matches('\n').to_owned())
    }

    fn value(&self, name: &str) -> Value {
        let f = &self.frame;
        match name {
            "@" | "*" => Value::List(f.args.clone()),
            "#" => Value::Text(f.args.len().to_string()),
            "?" => Value::Text(self.status.to_string()),
            "$" => Value::Text("1".into()),
            "-" => Value::Text(f.options.clone()),
            "!" => self.jobs.last().map_or(Value::Unset, |j| Value::Text(j.pid.to_string())),
            "0" => Value::Text(f.name.clone()),
            _ => match name.parse::<usize>() {
                Ok(n) => n
                    .checked_sub(1)
                    .and_then(|n| f.args.get(n))
                    .map_or(Value::Unset, |v| Value::Text(v.clone())),
                Err(_) if name == "RANDOM" && f.bash => {
                    self.note_clock();
                    Value::Text((self.steps * 7919 % 32768).to_string())
                }
                Err(_) if name == "SECONDS" && f.bash => {
                    self.note_clock();
                    Value::Text(self.now.duration_since(self.program.start).as_secs().to_string())
                }
                Err(_) => match self.variable(name) {
                    Some(v) => Value::Text(v.to_string()),
                    None => Value::Unset,
                },
            },
        }
    }

    /// The value after the operator; `None` if a word was expanded in its place.
    fn parameter(
        &mut self,
        name: &str,
        index: Option<&Word>,
        op: &Op,
        out: &mut Fields,
        split: bool,
    ) -> Result<Option<Value>, Stop> {
        let value = match index {
            Some(index) if is_all(index) => Value::List(self.elements(name, *op == Op::Indirect)),
            Some(index) => {
                self.element(name, index)?.map_or(Value::Unset, |value| Value::Text(value.to_string()))
            }
            None => self.value(name),
        };
        let value = match value {
            Value::Text(other) if *op == Op::Indirect => self.value(&other),
            value => value,
        };
        if let Op::Default(what, colon, word) = op {
            let empty = match &value {
                Value::Unset => true,
                Value::Text(t) => *colon && t.is_empty(),
                Value::List(l) => l.is_empty() || (*colon && l.iter().all(String::is_empty)),
            };
            return Ok(match (what, empty) {
                ('+', true) => Some(Value::Unset),
                ('+', false) | ('-', true) => {
                    self.expand(word, out, split, true)?;
                    None
                }
                ('=', true) => {
                    let text = self.expand_text(word)?;
                    match index {
                        Some(index) => {
                            self.set_element(name, Some(index), &text, false)?;
                        }
                        None => self.set(name, &text),
                    }
                    Some(Value::Text(text))
                }
                ('?', true) => {
                    let mut text = self.expand_text(word)?;
                    if text.is_empty() {
                        text = "parameter not set or null".into();
                    }
                    self.complain(&format!("{name}: {text}"));
                    return Err(Stop::Exit(if self.frame.bash { 127 } else { 2 }));
                }
                _ => Some(value),
            });
        }
        if matches!(value, Value::Unset) && self.frame.options.contains('u') && name != "!" {
            self.complain(&format!("{name}: parameter not set"));
            return Err(Stop::Exit(if self.frame.bash { 1 } else { 2 }));
        }
        let text = match (op, value) {
            (Op::None | Op::Indirect, value) => return Ok(Some(value)),
            (Op::Length, Value::List(l)) => return Ok(Some(Value::Text(l.len().to_string()))),
            (Op::Slice(from, length), Value::List(mut all)) => {
                // The positional parameters are counted from 1, behind the shell's name.
                if matches!(name, "@" | "*") {
                    all.insert(0, self.frame.name.clone());
                }
                let (from, end) = self.slice(from, length.as_ref(), all.len())?;
                return Ok(Some(Value::List(all.drain(from..end).collect())));
            }
            (_, Value::List(all)) => {
                let mut changed = Vec::with_capacity(all.len());
                for text in all {
                    changed.push(self.operate(op, text)?);
                }
                return Ok(Some(Value::List(changed)));
            }
            (_, Value::Text(text)) => text,
            (_, Value::Unset) => String::new(),
        };
        Ok(Some(Value::Text(self.operate(op, text)?)))
    }

    /// Where a part of so many pieces begins and ends.
    fn slice(&mut self, from: &Word, length: Option<&Word>, count: usize) -> Result<(usize, usize), Stop> {
        let size = i64::try_from(count).unwrap_or(i64::MAX);
        let from = self.arithmetic(from)?;
        let from = if from < 0 { size.saturating_add(from) } else { from }.clamp(0, size);
        let length = match length {
            Some(l) => self.arithmetic(l)?,
            None => size,
        };
        let end = if length < 0 { size.saturating_add(length) } else { from.saturating_add(length) };
        let place = |n: i64| usize::try_from(n).unwrap_or(0).min(count);
        Ok((place(from), place(end.clamp(from, size))))
    }

    /// What an operator makes of a text.
    fn operate(&mut self, op: &Op, text: String) -> Result<String, Stop> {
        let chars: Vec<char> = text.chars().collect();
        Ok(match op {
            Op::Length => chars.len().to_string(),
            Op::Strip(suffix, longest, pattern) => {
                let pattern = self.expand_pattern(pattern)?;
                self.strip(&chars, &pattern, *suffix, *longest)?
            }
            Op::Replace(all, pattern, with) => {
                let (pattern, with) = (self.expand_pattern(pattern)?, self.expand_text(with)?);
                self.replace(&chars, &pattern, &with, *all)?
            }
            Op::Slice(from, length) => {
                let (from, end) = self.slice(from, length.as_ref(), chars.len())?;
                chars.get(from..end).unwrap_or_default().iter().collect()
            }
            Op::None | Op::Indirect | Op::Default(..) => text,
        })
    }

    /// The files that a field stands for, or else its text.
    fn file_names(&mut self, field: Vec<Letter>) -> Vec<String> {
        let text: String = field.iter().map(|(c, _)| c).collect();
        if !glob::is_pattern(&field) || self.frame.options.contains('f') {
            return vec![text];
        }
        let absolute = text.starts_with('/');
        let mut found = vec![if absolute { "/".to_owned() } else { String::new() }];
        for part in field.split(|(c, _)| *c == '/').filter(|p| !p.is_empty()) {
            let plain: String = part.iter().map(|(c, _)| c).collect();
            let mut next = Vec::new();
            for base in found.iter().take(100) {
                let join = |name: &str| match base.as_str() {
                    "" | "/" => format!("{base}{name}"),
                    _ => format!("{base}/{name}"),
                };
                if !glob::is_pattern(part) {
                    let path = join(&plain);
                    next.extend(self.look(&path).is_some().then_some(path));
                    continue;
                }
                let hidden = plain.starts_with('.');
                for name in self.names_in(if base.is_empty() { "." } else { base }) {
                    let letters: Vec<char> = name.chars().collect();
                    if name.starts_with('.') == hidden && glob::matches(part, &letters) {
                        next.push(join(&name));
                    }
                }
            }
            found = next;
        }
        if found.is_empty() { vec![text] } else { found }
    }
}

/// Whether a parameter is a list whose items stay apart between double quotes.
fn is_list(name: &str, index: Option<&Word>) -> bool {
    name == "@" || index.and_then(literal).as_deref() == Some("@")
}

fn push_result(out: &mut Fields, text: &str, quoted: bool, split: bool, ifs: &str) {
    if quoted || !split {
        out.push(text, quoted);
    } else {
        out.split(text, ifs);
    }
}

/// bash's `{1..5}` and `{a,b}` with what stands before and after; `None` if there is none.
fn braces(field: &[Letter]) -> Option<Vec<String>> {
    let open = field.iter().position(|l| *l == ('{', false))?;
    let close = open + field.get(open..)?.iter().position(|l| *l == ('}', false))?;
    let text = |part: &[Letter]| part.iter().map(|(c, _)| c).collect::<String>();
    let (before, inner, after) =
        (text(field.get(..open)?), text(field.get(open + 1..close)?), text(field.get(close + 1..)?));
    let items: Vec<String> = match inner.split_once("..") {
        Some((a, b)) => {
            let (a, b): (i64, i64) = (a.parse().ok()?, b.parse().ok()?);
            let count = a.abs_diff(b).min(5000);
            let step = if a <= b { 1 } else { -1 };
            (0..=count).filter_map(|i| Some((a + step * i64::try_from(i).ok()?).to_string())).collect()
        }
        None if inner.contains(',') => inner.split(',').map(str::to_owned).collect(),
        None => return None,
    };
    // Each of the words has the whole text around the braces.
    if items.len().saturating_mul(before.len() + after.len()) > BRACES_LIMIT {
        return None;
    }
    Some(items.into_iter().map(|i| format!("{before}{i}{after}")).collect())
}

/// Letters of a text for a pattern that is not quoted.
pub(super) fn pattern(text: &str) -> Vec<Letter> {
    letters(text, false)
}
