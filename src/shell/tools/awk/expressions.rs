//! The parser of awk's expressions, from the sign that binds least to the one that binds most.

use super::parser::{DEPTH, Parser};
use super::syntax::{Expr, FUNCTIONS, Op, Token};

impl Parser {
    pub(super) fn expression(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let expression = self.assignment();
        self.depth -= 1;
        expression
    }

    fn assignment(&mut self) -> Option<Expr> {
        let left = self.conditional()?;
        let ops = [
            ("=", None),
            ("+=", Some(Op::Add)),
            ("-=", Some(Op::Subtract)),
            ("*=", Some(Op::Multiply)),
            ("/=", Some(Op::Divide)),
            ("%=", Some(Op::Modulo)),
            ("^=", Some(Op::Power)),
        ];
        let Some((_, op)) = ops.into_iter().find(|(sign, _)| self.is_sign(sign)) else { return Some(left) };
        if !is_place(&left) {
            return None;
        }
        self.at += 1;
        self.skip_newlines();
        Some(Expr::Assign(Box::new(left), op, Box::new(self.expression()?)))
    }

    fn conditional(&mut self) -> Option<Expr> {
        let condition = self.or()?;
        if !self.take("?") {
            return Some(condition);
        }
        let then = self.expression()?;
        self.expect(":")?;
        Some(Expr::Conditional(Box::new(condition), Box::new(then), Box::new(self.expression()?)))
    }

    fn or(&mut self) -> Option<Expr> {
        let mut left = self.and()?;
        while self.take("||") {
            self.skip_newlines();
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Some(left)
    }

    fn and(&mut self) -> Option<Expr> {
        let mut left = self.membership()?;
        while self.take("&&") {
            self.skip_newlines();
            left = Expr::And(Box::new(left), Box::new(self.membership()?));
        }
        Some(left)
    }

    fn membership(&mut self) -> Option<Expr> {
        let mut left = self.matching()?;
        while self.word("in") {
            let Some(Token::Name(array)) = self.peek().cloned() else { return None };
            self.at += 1;
            left = Expr::In(vec![left], array);
        }
        Some(left)
    }

    fn matching(&mut self) -> Option<Expr> {
        let mut left = self.comparison()?;
        while self.is_sign("~") || self.is_sign("!~") {
            let not = self.take("!~");
            if !not {
                self.at += 1;
            }
            left = Expr::Match(not, Box::new(left), Box::new(self.comparison()?));
        }
        Some(left)
    }

    fn comparison(&mut self) -> Option<Expr> {
        let left = self.concatenation()?;
        let ops = [
            ("<", Op::Less),
            ("<=", Op::LessOrEqual),
            ("==", Op::Equal),
            ("!=", Op::NotEqual),
            (">", Op::Greater),
            (">=", Op::GreaterOrEqual),
        ];
        let found = ops.into_iter().find(|(sign, _)| self.is_sign(sign));
        let Some((_, op)) = found.filter(|(sign, _)| !(self.in_print && *sign == ">")) else {
            return Some(left);
        };
        self.at += 1;
        Some(Expr::Binary(op, Box::new(left), Box::new(self.concatenation()?)))
    }

    pub(super) fn concatenation(&mut self) -> Option<Expr> {
        let mut left = self.sum()?;
        while self.begins_operand() {
            left = Expr::Binary(Op::Concatenate, Box::new(left), Box::new(self.sum()?));
        }
        Some(left)
    }

    /// Whether the next token begins an operand of a concatenation.
    fn begins_operand(&self) -> bool {
        match self.peek() {
            Some(Token::Number(_) | Token::Text(_) | Token::Pattern(_) | Token::Function(_)) => true,
            Some(Token::Name(name)) => name != "in",
            Some(Token::Sign(sign)) => matches!(*sign, "$" | "!" | "(" | "++" | "--"),
            Some(Token::Newline) | None => false,
        }
    }

    /// Operands between the signs of one level.
    fn level(&mut self, ops: &[(&str, Op)], operand: fn(&mut Parser) -> Option<Expr>) -> Option<Expr> {
        let mut left = operand(self)?;
        while let Some((_, op)) = ops.iter().find(|(sign, _)| self.is_sign(sign)) {
            self.at += 1;
            left = Expr::Binary(*op, Box::new(left), Box::new(operand(self)?));
        }
        Some(left)
    }

    fn sum(&mut self) -> Option<Expr> {
        self.level(&[("+", Op::Add), ("-", Op::Subtract)], Parser::product)
    }

    fn product(&mut self) -> Option<Expr> {
        let ops = [("*", Op::Multiply), ("/", Op::Divide), ("%", Op::Modulo)];
        self.level(&ops, Parser::unary)
    }

    fn unary(&mut self) -> Option<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let expression = if self.take("!") {
            Some(Expr::Not(Box::new(self.unary()?)))
        } else if self.take("-") {
            Some(Expr::Negative(Box::new(self.unary()?)))
        } else if self.take("+") {
            Some(Expr::Positive(Box::new(self.unary()?)))
        } else {
            self.power()
        };
        self.depth -= 1;
        expression
    }

    fn power(&mut self) -> Option<Expr> {
        let base = self.postfix()?;
        if self.take("^") || self.take("**") {
            return Some(Expr::Binary(Op::Power, Box::new(base), Box::new(self.unary()?)));
        }
        Some(base)
    }

    fn postfix(&mut self) -> Option<Expr> {
        for (sign, by) in [("++", 1.0), ("--", -1.0)] {
            if self.take(sign) {
                let place = self.primary()?;
                return is_place(&place).then(|| Expr::Increment(Box::new(place), by, false));
            }
        }
        let place = self.primary()?;
        for (sign, by) in [("++", 1.0), ("--", -1.0)] {
            if is_place(&place) && self.take(sign) {
                return Some(Expr::Increment(Box::new(place), by, true));
            }
        }
        Some(place)
    }

    fn primary(&mut self) -> Option<Expr> {
        let token = self.peek()?.clone();
        self.at += 1;
        match token {
            Token::Number(n) => Some(Expr::Number(n)),
            Token::Text(text) => Some(Expr::Text(text)),
            Token::Pattern(pattern) => Some(Expr::Pattern(pattern)),
            Token::Sign("$") => {
                self.depth += 1;
                let of = if self.depth > DEPTH { None } else { self.postfix_of_field() };
                self.depth -= 1;
                Some(Expr::Field(Box::new(of?)))
            }
            Token::Sign("(") => {
                let before = std::mem::replace(&mut self.in_print, false);
                let mut all = self.list(")")?;
                self.in_print = before;
                if all.len() > 1 {
                    if !self.word("in") {
                        return None;
                    }
                    let Some(Token::Name(array)) = self.peek().cloned() else { return None };
                    self.at += 1;
                    return Some(Expr::In(all, array));
                }
                all.pop()
            }
            Token::Name(name) if name == "length" => Some(Expr::Call("length", Vec::new())),
            Token::Name(name) => match name.as_str() {
                "getline" | "function" | "func" | "return" | "nextfile" => None,
                _ if self.take("[") => Some(Expr::Element(name, self.list("]")?)),
                _ => Some(Expr::Variable(name)),
            },
            Token::Function(name) => {
                let function = FUNCTIONS.into_iter().find(|f| *f == name)?;
                self.expect("(")?;
                let before = std::mem::replace(&mut self.in_print, false);
                let arguments = self.list(")")?;
                self.in_print = before;
                Some(Expr::Call(function, arguments))
            }
            Token::Sign(_) | Token::Newline => None,
        }
    }

    /// What stands after `$`: it binds more closely than any sign but `++` and `--` before a name.
    fn postfix_of_field(&mut self) -> Option<Expr> {
        if self.take("-") {
            return Some(Expr::Negative(Box::new(self.primary()?)));
        }
        for (sign, by) in [("++", 1.0), ("--", -1.0)] {
            if self.take(sign) {
                let place = self.primary()?;
                return is_place(&place).then(|| Expr::Increment(Box::new(place), by, false));
            }
        }
        self.primary()
    }
}

/// Whether something can be assigned to it.
fn is_place(e: &Expr) -> bool {
    matches!(e, Expr::Variable(_) | Expr::Field(_) | Expr::Element(..))
}
