//! Arithmetic (POSIX, 2.6.4) on signed numbers of 64 bits, which wrap around.

use super::parser::is_name;

/// How deep an expression can be nested, also by variables whose values are expressions.
const DEPTH_LIMIT: usize = 24;

/// How often an expression reads variables whose values are expressions. Each of these can read several others, so their
/// number would grow with the power of the depth.
const EXPRESSIONS_LIMIT: usize = 2_000;

/// What an expression reads and assigns.
pub(super) trait Variables {
    fn read(&self, name: &str) -> String;
    fn assign(&mut self, name: &str, value: i64);
}

/// The value of an expression; the error is the message.
pub(super) fn evaluate(text: &str, variables: &mut dyn Variables) -> Result<i64, String> {
    let mut left = EXPRESSIONS_LIMIT;
    expression(text, variables, 0, &mut left)
}

fn expression(
    text: &str,
    variables: &mut dyn Variables,
    depth: usize,
    left: &mut usize,
) -> Result<i64, String> {
    if text.trim().is_empty() {
        return Ok(0);
    }
    let mut e = Expression { s: text.chars().collect(), at: 0, variables, depth, left };
    let value = e.comma(true)?;
    e.blanks();
    if e.at < e.s.len() {
        Err(format!("arithmetic expression: expecting EOF: \"{text}\""))
    } else {
        Ok(value)
    }
}

struct Expression<'a> {
    s: Vec<char>,
    at: usize,
    variables: &'a mut dyn Variables,
    depth: usize,
    /// How many further expressions may be read.
    left: &'a mut usize,
}

/// The binary operators, those that bind least first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Expression<'_> {
    fn blanks(&mut self) {
        while self.s.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.s.get(self.at + i) == Some(&c))
    }

    fn take(&mut self, text: &str) -> bool {
        self.blanks();
        let found = self.looking_at(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// `live` is whether the value counts: what is not reached assigns nothing and cannot fail.
    fn comma(&mut self, live: bool) -> Result<i64, String> {
        let mut value = self.assignment(live)?;
        while self.take(",") {
            value = self.assignment(live)?;
        }
        Ok(value)
    }

    fn assignment(&mut self, live: bool) -> Result<i64, String> {
        self.blanks();
        let start = self.at;
        let name = self.name();
        if is_name(&name) {
            self.blanks();
            const OPERATORS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];
            let found = OPERATORS.into_iter().find(|o| self.looking_at(o) && !self.looking_at("=="));
            if let Some(o) = found {
                self.at += o.len();
                let right = self.nested(live)?;
                let value = match o.strip_suffix('=').filter(|o| !o.is_empty()) {
                    Some(o) => binary(o, self.variable(&name)?, right, live)?,
                    None => right,
                };
                if live {
                    self.variables.assign(&name, value);
                }
                return Ok(value);
            }
        }
        self.at = start;
        let condition = self.level(0, live)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.nested(live && condition != 0)?;
        if !self.take(":") {
            return Err("arithmetic expression: expecting ':'".into());
        }
        let no = self.nested(live && condition == 0)?;
        Ok(if condition != 0 { yes } else { no })
    }

    fn nested(&mut self, live: bool) -> Result<i64, String> {
        if self.depth >= DEPTH_LIMIT {
            return Err("arithmetic expression: too deep".into());
        }
        self.depth += 1;
        let value = self.assignment(live);
        self.depth -= 1;
        value
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.s.get(self.at).filter(|c| **c == '_' || c.is_ascii_alphanumeric()) {
            name.push(*c);
            self.at += 1;
        }
        name
    }

    fn level(&mut self, level: usize, live: bool) -> Result<i64, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary(live) };
        let mut left = self.level(level + 1, live)?;
        loop {
            self.blanks();
            let found = operators.iter().find(|o| {
                let after = self.s.get(self.at + o.len()).copied();
                // `|` is not `||`, `<` is not `<<`, and `+=` is an assignment.
                self.looking_at(o)
                    && (o.len() == 2 || !(after == o.chars().next() && "|&<>".contains(**o)))
                    && (after != Some('=') || matches!(**o, "==" | "!=" | "<=" | ">="))
            });
            let Some(o) = found else { return Ok(left) };
            self.at += o.len();
            let counts = match *o {
                "&&" => left != 0,
                "||" => left == 0,
                _ => true,
            };
            let right = self.level(level + 1, live && counts)?;
            left = binary(o, left, right, live && counts)?;
        }
    }

    fn unary(&mut self, live: bool) -> Result<i64, String> {
        self.blanks();
        for (sign, by) in [("++", 1), ("--", -1)] {
            if self.looking_at(sign) {
                self.at += 2;
                self.blanks();
                let name = self.name();
                if !is_name(&name) {
                    return Err("arithmetic expression: expecting primary".into());
                }
                let value = self.variable(&name)?.wrapping_add(by);
                if live {
                    self.variables.assign(&name, value);
                }
                return Ok(value);
            }
        }
        let sign = self.s.get(self.at).copied().filter(|c| matches!(c, '-' | '+' | '!' | '~'));
        let Some(sign) = sign else { return self.primary(live) };
        self.at += 1;
        if self.depth >= DEPTH_LIMIT {
            return Err("arithmetic expression: too deep".into());
        }
        self.depth += 1;
        let value = self.unary(live);
        self.depth -= 1;
        let value = value?;
        Ok(match sign {
            '-' => value.wrapping_neg(),
            '!' => i64::from(value == 0),
            '~' => !value,
            _ => value,
        })
    }

    fn primary(&mut self, live: bool) -> Result<i64, String> {
        if self.take("(") {
            if self.depth >= DEPTH_LIMIT {
                return Err("arithmetic expression: too deep".into());
            }
            self.depth += 1;
            let value = self.comma(live);
            self.depth -= 1;
            if !self.take(")") {
                return Err("arithmetic expression: expecting ')'".into());
            }
            return value;
        }
        let word = self.name();
        if is_name(&word) {
            let value = self.variable(&word)?;
            for (sign, by) in [("++", 1), ("--", -1)] {
                if self.looking_at(sign) {
                    self.at += 2;
                    if live {
                        self.variables.assign(&word, value.wrapping_add(by));
                    }
                }
            }
            return Ok(value);
        }
        number(&word).ok_or_else(|| {
            let text: String = self.s.iter().collect();
            format!("arithmetic expression: expecting primary: \"{text}\"")
        })
    }

    fn variable(&mut self, name: &str) -> Result<i64, String> {
        let text = self.variables.read(name);
        let text = text.trim();
        if text.is_empty() {
            return Ok(0);
        }
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |d| (true, d));
        if let Some(n) = number(digits) {
            return Ok(if negative { n.wrapping_neg() } else { n });
        }
        if self.depth >= DEPTH_LIMIT || *self.left == 0 {
            return Err(format!("Illegal number: {text}"));
        }
        *self.left -= 1;
        expression(text, self.variables, self.depth + 1, self.left)
            .map_err(|_| format!("Illegal number: {text}"))
    }
}

fn number(text: &str) -> Option<i64> {
    match text {
        "0" => Some(0),
        _ => match (text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")), text.strip_prefix('0')) {
            (Some(hex), _) => i64::from_str_radix(hex, 16).ok(),
            (None, Some(octal)) => i64::from_str_radix(octal, 8).ok(),
            _ => text.parse().ok(),
        },
    }
}

fn binary(operator: &str, a: i64, b: i64, live: bool) -> Result<i64, String> {
    let shift = u32::try_from(b & 63).unwrap_or(0);
    Ok(match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => {
            if live {
                return Err("divide by zero".into());
            }
            0
        }
        "/" => a.wrapping_div(b),
        "%" => a.wrapping_rem(b),
        "<<" => a.wrapping_shl(shift),
        ">>" => a.wrapping_shr(shift),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "&&" => i64::from(a != 0 && b != 0),
        "||" => i64::from(a != 0 || b != 0),
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<=" => i64::from(a <= b),
        ">=" => i64::from(a >= b),
        "<" => i64::from(a < b),
        _ => i64::from(a > b),
    })
}
