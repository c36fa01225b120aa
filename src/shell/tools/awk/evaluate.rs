//! What the expressions of awk are worth.

use super::super::super::machine::{Stop, TEXT_LIMIT};
use super::run::{FIELDS, Machine};
use super::syntax::{Expr, Op};
use super::value::{Value, formatted, written};

impl Machine<'_, '_> {
    pub(super) fn evaluate(&mut self, e: &Expr) -> Result<Value, Stop> {
        Ok(match e {
            Expr::Number(n) => Value::Number(*n),
            Expr::Text(text) => Value::Text(text.clone()),
            Expr::Pattern(pattern) => pattern.is_match(&self.record).into(),
            Expr::Variable(name) => self.value(name),
            Expr::Field(n) => {
                let n = self.evaluate(n)?.number().max(0.0) as usize;
                match n.checked_sub(1) {
                    None => Value::Input(self.record.clone()),
                    Some(at) => self.fields.get(at).map_or(Value::Unset, |f| Value::Input(f.clone())),
                }
            }
            Expr::Element(array, at) => {
                let key = self.key(at)?;
                // An element is there once it was asked for.
                self.arrays.entry(array.clone()).or_default().entry(key).or_insert(Value::Unset).clone()
            }
            Expr::In(at, array) => {
                let key = self.key(at)?;
                self.arrays.get(array).is_some_and(|a| a.contains_key(&key)).into()
            }
            Expr::Assign(place, op, value) => {
                let value = self.evaluate(value)?;
                let value = match op {
                    Some(op) => {
                        let before = self.evaluate(place)?;
                        binary(*op, &before, &value)
                    }
                    None => value,
                };
                self.set(place, value.clone())?;
                value
            }
            Expr::Increment(place, by, before) => {
                let old = self.evaluate(place)?.number();
                self.set(place, Value::Number(old + by))?;
                Value::Number(if *before { old } else { old + by })
            }
            Expr::Negative(e) => Value::Number(-self.evaluate(e)?.number()),
            Expr::Positive(e) => Value::Number(self.evaluate(e)?.number()),
            Expr::Not(e) => (!self.evaluate(e)?.is_true()).into(),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.evaluate(a)?, self.evaluate(b)?);
                let value = binary(*op, &a, &b);
                if let Value::Text(text) = &value
                    && text.len() > TEXT_LIMIT
                {
                    return Err(self.shell.block());
                }
                value
            }
            Expr::And(a, b) => (self.evaluate(a)?.is_true() && self.evaluate(b)?.is_true()).into(),
            Expr::Or(a, b) => (self.evaluate(a)?.is_true() || self.evaluate(b)?.is_true()).into(),
            Expr::Match(not, text, pattern) => {
                let text = self.evaluate(text)?.text();
                (self.as_pattern(pattern)?.is_match(&text) != *not).into()
            }
            Expr::Conditional(condition, then, otherwise) => {
                let holds = self.evaluate(condition)?.is_true();
                self.evaluate(if holds { then } else { otherwise })?
            }
            Expr::Call(function, arguments) => self.call(function, arguments)?,
        })
    }

    fn call(&mut self, function: &str, arguments: &[Expr]) -> Result<Value, Stop> {
        let array = match arguments.first() {
            Some(Expr::Variable(name)) if function == "length" => self.arrays.get(name),
            _ => None,
        };
        if let Some(array) = array {
            return Ok(Value::Number(array.len() as f64));
        }
        if matches!(function, "sub" | "gsub") {
            return self.substitute(function == "gsub", arguments);
        }
        if function == "split" {
            return self.split_call(arguments);
        }
        if let ("match", [text, pattern]) = (function, arguments) {
            let text = self.evaluate(text)?.text();
            let pattern = self.as_pattern(pattern)?;
            let found = pattern.find(&text).map(|m| {
                let before = text.get(..m.start()).map_or(0, |t| t.chars().count());
                (before as f64 + 1.0, m.as_str().chars().count() as f64)
            });
            let (start, length) = found.unwrap_or((0.0, -1.0));
            self.variables.insert("RSTART".to_owned(), Value::Number(start));
            self.variables.insert("RLENGTH".to_owned(), Value::Number(length));
            return Ok(Value::Number(start));
        }
        let values = arguments.iter().map(|a| self.evaluate(a)).collect::<Result<Vec<Value>, Stop>>()?;
        let text = || values.first().map_or_else(|| self.record.clone(), Value::text);
        let number = |i: usize| values.get(i).map(Value::number);
        Ok(match function {
            "length" => Value::Number(text().chars().count() as f64),
            "tolower" => Value::Text(text().to_lowercase()),
            "toupper" => Value::Text(text().to_uppercase()),
            "int" => Value::Number(number(0).unwrap_or(0.0).trunc()),
            "index" => {
                let (text, part) = (text(), values.get(1).map(Value::text).unwrap_or_default());
                let at = text.find(&part).and_then(|at| text.get(..at));
                Value::Number(at.map_or(0.0, |before| before.chars().count() as f64 + 1.0))
            }
            "substr" => {
                let first = number(1).unwrap_or(1.0).round();
                let end = number(2).map_or(f64::INFINITY, |length| first + length.round());
                let whole = text();
                let kept = whole.chars().enumerate().filter(|(i, _)| {
                    let at = *i as f64 + 1.0;
                    at >= first && at < end
                });
                Value::Text(kept.map(|(_, c)| c).collect())
            }
            "sprintf" => Value::Text(formatted(&text(), values.get(1..).unwrap_or_default(), TEXT_LIMIT)),
            _ => Value::Unset,
        })
    }

    /// `sub(pattern, with[, place])`, `gsub`
    fn substitute(&mut self, all: bool, arguments: &[Expr]) -> Result<Value, Stop> {
        let record = Expr::Field(Box::new(Expr::Number(0.0)));
        let (Some(pattern), Some(with)) = (arguments.first(), arguments.get(1)) else {
            return Ok(Value::Unset);
        };
        let place = arguments.get(2).unwrap_or(&record);
        let pattern = self.as_pattern(pattern)?;
        let with = self.evaluate(with)?.text();
        let text = self.evaluate(place)?.text();
        let (mut out, mut last, mut count) = (String::new(), 0, 0);
        for found in pattern.find_iter(&text).take(if all { usize::MAX } else { 1 }) {
            out.push_str(text.get(last..found.start()).unwrap_or_default());
            // `&` stands for what was found, `\&` for itself.
            let mut chars = with.chars().peekable();
            while let Some(c) = chars.next() {
                match c {
                    '\\' if chars.peek() == Some(&'&') => out.extend(chars.next()),
                    '&' => out.push_str(found.as_str()),
                    c => out.push(c),
                }
            }
            last = found.end();
            count += 1;
            if out.len() > TEXT_LIMIT {
                return Err(self.shell.block());
            }
        }
        out.push_str(text.get(last..).unwrap_or_default());
        if count > 0 {
            self.set(place, Value::Text(out))?;
        }
        Ok(Value::Number(f64::from(count)))
    }

    /// `split(text, array[, separator])`
    fn split_call(&mut self, arguments: &[Expr]) -> Result<Value, Stop> {
        let (Some(text), Some(Expr::Variable(array))) = (arguments.first(), arguments.get(1)) else {
            return Ok(Value::Unset);
        };
        let text = self.evaluate(text)?.text();
        let parts: Vec<String> = match arguments.get(2) {
            Some(Expr::Pattern(pattern)) if !text.is_empty() => {
                pattern.split(&text).take(FIELDS).map(str::to_owned).collect()
            }
            Some(separator) => {
                let separator = self.evaluate(separator)?.text();
                self.split(&text, &separator)?
            }
            None => {
                let separator = self.value("FS").text();
                self.split(&text, &separator)?
            }
        };
        let count = parts.len();
        let parts =
            parts.into_iter().enumerate().map(|(i, part)| (written(i as f64 + 1.0), Value::Input(part)));
        self.arrays.insert(array.clone(), parts.collect());
        Ok(Value::Number(count as f64))
    }
}

fn binary(op: Op, a: &Value, b: &Value) -> Value {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (x, y) = (a.number(), b.number());
    let ordering = || match (a.compared(), b.compared()) {
        (Some(x), Some(y)) => x.partial_cmp(&y).unwrap_or(Equal),
        _ => a.text().cmp(&b.text()),
    };
    match op {
        Op::Add => Value::Number(x + y),
        Op::Subtract => Value::Number(x - y),
        Op::Multiply => Value::Number(x * y),
        Op::Divide => Value::Number(x / y),
        Op::Modulo => Value::Number(x % y),
        Op::Power => Value::Number(x.powf(y)),
        Op::Concatenate => Value::Text(a.text() + &b.text()),
        Op::Less => (ordering() == Less).into(),
        Op::LessOrEqual => (ordering() != Greater).into(),
        Op::Equal => (ordering() == Equal).into(),
        Op::NotEqual => (ordering() != Equal).into(),
        Op::Greater => (ordering() == Greater).into(),
        Op::GreaterOrEqual => (ordering() != Less).into(),
    }
}
