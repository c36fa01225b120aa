//! YAML in the format of `kubectl -o yaml` (`sigs.k8s.io/yaml.Marshal`): block style, keys sorted, lists not
//! indented under their key, quotes where YAML 1.1 would read something else.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::resolve::{self, Scalar};

/// Go's library folds plain and single-quoted text at the first blank after this column.
const WIDTH: usize = 80;
/// A longer key is written with `? `.
const MAX_SIMPLE_KEY: usize = 128;

/// The YAML text of a value.
pub fn to_yaml(value: &Value) -> String {
    emit(value, WIDTH)
}

/// The YAML text of a value without folding: each line of a text is one line, so that it can be compared
/// line by line.
pub fn to_yaml_unfolded(value: &Value) -> String {
    emit(value, usize::MAX)
}

/// The lines of [`to_yaml_unfolded`], each with the path of the field that it is about. `item` names an item
/// of a list in the path, given the path of the list and the index. All lines of a text of several lines
/// have the same path.
pub fn to_yaml_placed<'v>(value: &'v Value, item: &NameOfItem<'v>) -> Vec<(Vec<Cow<'v, str>>, String)> {
    let mut e = Emitter { places: Some((Vec::new(), item)), ..Emitter::new(usize::MAX) };
    e.all(value);
    let places = e.places.map_or(Vec::new(), |(places, _)| places);
    places.into_iter().zip(e.out.lines().map(str::to_owned)).collect()
}

/// A function that names an item of a list: the path of the list, the index, the item.
pub type NameOfItem<'v> = dyn Fn(&[Cow<'v, str>], usize, &'v Value) -> Cow<'v, str> + 'v;

fn emit(value: &Value, width: usize) -> String {
    let mut e = Emitter::new(width);
    e.all(value);
    e.out
}

struct Emitter<'v, 'n> {
    out: String,
    /// The number of characters on the current line.
    column: usize,
    /// The column after which text is folded.
    width: usize,
    /// The path of what is being written.
    path: Vec<Cow<'v, str>>,
    /// If paths are wanted, the path of each finished line, and the function that names items.
    places: Option<(Vec<Vec<Cow<'v, str>>>, &'n NameOfItem<'v>)>,
}

impl<'v, 'n> Emitter<'v, 'n> {
    fn new(width: usize) -> Self {
        Emitter { out: String::new(), column: 0, width, path: Vec::new(), places: None }
    }

    fn all(&mut self, value: &'v Value) {
        match value {
            Value::Object(map) if !map.is_empty() => self.map(map, 0),
            Value::Array(items) if !items.is_empty() => self.list(items, 0),
            scalar => {
                self.scalar(scalar, 2, false);
                self.newline();
            }
        }
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn newline(&mut self) {
        if let Some((places, _)) = &mut self.places {
            places.push(self.path.clone());
        }
        self.out.push('\n');
        self.column = 0;
    }

    fn indent(&mut self, indent: usize) {
        self.newline();
        self.write(&" ".repeat(indent));
    }

    /// Writes a map. Its first key continues the current line.
    fn map(&mut self, map: &'v Map<String, Value>, indent: usize) {
        for (i, (key, value)) in sorted(map).into_iter().enumerate() {
            self.path.push(Cow::Borrowed(key));
            if i > 0 {
                self.write(&" ".repeat(indent));
            }
            if key.len() > MAX_SIMPLE_KEY || key.contains('\n') {
                self.write("? ");
                self.text(key, indent + 2, false);
                self.indent(indent);
            } else {
                self.text(key, indent + 2, true);
            }
            self.write(":");
            match value {
                Value::Object(inner) if !inner.is_empty() => {
                    self.indent(indent + 2);
                    self.map(inner, indent + 2);
                }
                Value::Array(items) if !items.is_empty() => {
                    self.indent(indent);
                    self.list(items, indent);
                }
                scalar => {
                    self.write(" ");
                    self.scalar(scalar, indent + 2, false);
                    self.newline();
                }
            }
            self.path.pop();
        }
    }

    /// Writes a list. Its first dash continues the current line.
    fn list(&mut self, items: &'v [Value], indent: usize) {
        for (i, item) in items.iter().enumerate() {
            let name = self.places.as_ref().map(|(_, name)| name(&self.path, i, item));
            self.path.push(name.unwrap_or_default());
            if i > 0 {
                self.write(&" ".repeat(indent));
            }
            self.write("- ");
            match item {
                Value::Object(map) if !map.is_empty() => self.map(map, indent + 2),
                Value::Array(items) if !items.is_empty() => self.list(items, indent + 2),
                scalar => {
                    self.scalar(scalar, indent + 2, false);
                    self.newline();
                }
            }
            self.path.pop();
        }
    }

    fn scalar(&mut self, value: &Value, indent: usize, key: bool) {
        match value {
            Value::Null => self.write("null"),
            Value::Bool(b) => self.write(if *b { "true" } else { "false" }),
            Value::Number(n) => self.write(&n.to_string()),
            Value::String(s) => self.text(s, indent, key),
            Value::Array(_) => self.write("[]"),
            Value::Object(_) => self.write("{}"),
        }
    }

    fn text(&mut self, text: &str, indent: usize, key: bool) {
        let facts = Facts::of(text);
        let plain = matches!(resolve::resolve(text), Scalar::Text(_))
            && text != "<<"
            && !is_base60(text)
            && !resolve::is_timestamp(text);
        if text.contains('\n') && facts.block && !key {
            self.literal(text, indent);
        } else if text.contains('\n') || !plain {
            self.double_quoted(text, indent, key);
        } else if facts.plain {
            self.folded(text, indent, key, "");
        } else if facts.single {
            self.write("'");
            self.folded(text, indent, key, "'");
            self.write("'");
        } else {
            self.double_quoted(text, indent, key);
        }
    }

    /// Writes plain text, or the content of single quotes, folded at blanks.
    fn folded(&mut self, text: &str, indent: usize, key: bool, quote: &str) {
        let mut chars = text.chars().enumerate().peekable();
        let last = text.chars().count().saturating_sub(1);
        let mut after_blank = false;
        while let Some((i, c)) = chars.next() {
            let blank = c == ' ';
            let next_blank = chars.peek().is_some_and(|(_, c)| *c == ' ');
            let inside = quote.is_empty() || (i > 0 && i < last);
            if blank && !key && !after_blank && self.column > self.width && inside && !next_blank {
                self.indent(indent);
            } else {
                if c == '\'' && !quote.is_empty() {
                    self.write("'");
                }
                self.out.push(c);
                self.column += 1;
            }
            after_blank = blank;
        }
    }

    fn double_quoted(&mut self, text: &str, indent: usize, key: bool) {
        self.write("\"");
        let mut chars = text.chars().enumerate().peekable();
        let last = text.chars().count().saturating_sub(1);
        let mut after_blank = false;
        while let Some((i, c)) = chars.next() {
            let blank = c == ' ';
            match c {
                ' ' if !key && !after_blank && self.column > self.width && i > 0 && i < last => {
                    self.indent(indent);
                    if chars.peek().is_some_and(|(_, c)| *c == ' ') {
                        self.write("\\");
                    }
                }
                '"' => self.write("\\\""),
                '\\' => self.write("\\\\"),
                '\0' => self.write("\\0"),
                '\u{7}' => self.write("\\a"),
                '\u{8}' => self.write("\\b"),
                '\t' => self.write("\\t"),
                '\n' => self.write("\\n"),
                '\u{b}' => self.write("\\v"),
                '\u{c}' => self.write("\\f"),
                '\r' => self.write("\\r"),
                '\u{1b}' => self.write("\\e"),
                '\u{85}' => self.write("\\N"),
                '\u{a0}' => self.write("\\_"),
                '\u{2028}' => self.write("\\L"),
                '\u{2029}' => self.write("\\P"),
                c if printable(c) => {
                    self.out.push(c);
                    self.column += 1;
                }
                c => match c as u32 {
                    n @ 0..=0xff => self.write(&format!("\\x{n:02X}")),
                    n @ 0x100..=0xffff => self.write(&format!("\\u{n:04X}")),
                    n => self.write(&format!("\\U{n:08X}")),
                },
            }
            after_blank = blank;
        }
        self.write("\"");
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.write("|");
        if text.starts_with([' ', '\n']) {
            self.write("2");
        }
        let body = text.strip_suffix('\n');
        match body {
            None => self.write("-"),
            Some(body) if body.is_empty() || body.ends_with('\n') => self.write("+"),
            Some(_) => {}
        }
        for line in body.unwrap_or(text).split('\n') {
            if line.is_empty() {
                self.newline();
            } else {
                self.indent(indent);
                self.write(line);
            }
        }
    }
}

fn printable(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a1}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
        && !matches!(c, '\u{2028}' | '\u{2029}')
}

/// The styles in which a text can be written (libyaml's analysis of a scalar).
struct Facts {
    plain: bool,
    single: bool,
    block: bool,
}

impl Facts {
    fn of(text: &str) -> Facts {
        let chars: Vec<char> = text.chars().collect();
        let at = |i: usize| chars.get(i).copied();
        let blank_after = |i: usize| at(i + 1).is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
        let mut indicator = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut break_space, mut space_break) = (false, false, false);
        for (i, &c) in chars.iter().enumerate() {
            let previous = i.checked_sub(1).and_then(at);
            indicator |= match c {
                '#' if i > 0 => previous.is_some_and(|p| matches!(p, ' ' | '\t' | '\n')),
                ':' => blank_after(i),
                '?' | '-' if i == 0 => blank_after(i),
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
                | '`' => i == 0,
                _ => false,
            };
            special |= !printable(c) && c != '\n';
            break_space |= c == ' ' && previous == Some('\n');
            space_break |= c == '\n' && previous == Some(' ');
        }
        let edge = |c: Option<char>| matches!(c, Some(' ' | '\n'));
        let edges = edge(at(0)) || edge(chars.last().copied());
        let broken = space_break || special;
        Facts {
            plain: !(indicator || edges || break_space || broken || text.contains('\n')),
            single: !(break_space || broken),
            block: !(broken || chars.last() == Some(&' ')),
        }
    }
}

/// Whether a text is a sexagesimal number in YAML 1.1: `12:30` is 750.
fn is_base60(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = rest.split(':');
    let first = parts.next().unwrap_or_default();
    let starts = first.starts_with(|c: char| c.is_ascii_digit());
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let sixty = |s: &str| match s.as_bytes() {
        [a] => a.is_ascii_digit(),
        [a, b] => (b'0'..=b'5').contains(a) && b.is_ascii_digit(),
        _ => false,
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return false;
    };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    starts && digits(first) && parts.iter().all(|p| sixty(p)) && sixty(last) && digits(fraction)
}

fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    // The order is not transitive for odd keys. A merge sort of our own cannot panic because of that.
    let mut entries: Vec<(&String, &Value)> = map.iter().collect();
    let mut width = 1;
    while width < entries.len() {
        let mut next = Vec::with_capacity(entries.len());
        for pair in entries.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut l, mut r) = (left.iter().peekable(), right.iter().peekable());
            loop {
                let from_right = match (l.peek(), r.peek()) {
                    (Some(a), Some(b)) => natural(b.0, a.0) == Ordering::Less,
                    (None, Some(_)) => true,
                    (Some(_), None) => false,
                    (None, None) => break,
                };
                next.extend(if from_right { r.next() } else { l.next() });
            }
        }
        entries = next;
        width *= 2;
    }
    entries
}

/// The order of keys in Go's library: numbers by value, other characters before letters.
fn natural(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(i) = a.iter().zip(&b).position(|(x, y)| x != y) else {
        return a.len().cmp(&b.len());
    };
    let (Some(&x), Some(&y)) = (a.get(i), b.get(i)) else {
        return Ordering::Equal;
    };
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x.cmp(&y),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // A zero after other digits belongs to their number.
    let inside = (x == '0' || y == '0')
        && a.iter().take(i).rev().take_while(|c| c.is_ascii_digit()).any(|c| *c != '0');
    let number = |s: &[char]| {
        let digits = s.iter().skip(i).map_while(|c| c.to_digit(10));
        digits.fold((u128::from(inside), 0usize), |(n, len), d| {
            (n.saturating_mul(10).saturating_add(d.into()), len + 1)
        })
    };
    number(&a).cmp(&number(&b)).then(x.cmp(&y))
}
