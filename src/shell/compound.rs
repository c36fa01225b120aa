//! Reads compound commands (POSIX, 2.9.4).

use super::ast::{Node, Part, literal};
use super::parser::{Parsed, Parser, SyntaxError, is_meta, is_name};

impl Parser {
    pub(super) fn command(&mut self) -> Parsed<Node> {
        self.nested(|p| p.any_command())
    }

    fn any_command(&mut self) -> Parsed<Node> {
        let node = if self.take("((") {
            Node::Arith(self.arithmetic("))")?)
        } else if self.take("(") {
            let list = self.some(&[])?;
            self.expect_word_char(')')?;
            Node::Subshell(Box::new(list))
        } else if self.take_word("{") {
            let list = self.some(&["}"])?;
            self.expect_word("}")?;
            list
        } else if self.take_word("if") {
            self.conditional()?
        } else if self.at_word("while") || self.at_word("until") {
            let until = self.at_word("until");
            self.at += 5;
            let condition = self.some(&["do"])?;
            Node::Loop(until, Box::new(condition), Box::new(self.body()?))
        } else if self.take_word("for") {
            self.for_loop()?
        } else if self.take_word("case") {
            self.case()?
        } else if self.take_word("[[") {
            self.condition()?
        } else {
            return self.simple();
        };
        let redirects = self.redirects()?;
        Ok(if redirects.is_empty() { node } else { Node::Redirected(Box::new(node), redirects) })
    }

    pub(super) fn expect_word_char(&mut self, c: char) -> Parsed<()> {
        self.skip_lines();
        if self.peek() != Some(c) {
            return self.unexpected_here(&c.to_string());
        }
        self.at += 1;
        Ok(())
    }

    fn conditional(&mut self) -> Parsed<Node> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.some(&["then"])?;
            self.expect_word("then")?;
            arms.push((condition, self.some(&["elif", "else", "fi"])?));
            if self.take_word("elif") {
                continue;
            }
            if self.take_word("else") {
                otherwise = Some(Box::new(self.some(&["fi"])?));
            }
            self.expect_word("fi")?;
            return Ok(Node::If(arms, otherwise));
        }
    }

    fn body(&mut self) -> Parsed<Node> {
        self.expect_word("do")?;
        let body = self.some(&["done"])?;
        self.expect_word("done")?;
        Ok(body)
    }

    fn for_loop(&mut self) -> Parsed<Node> {
        self.skip_blanks();
        if self.take("((") {
            let parts = [self.arithmetic(";")?, self.arithmetic(";")?, self.arithmetic("))")?];
            self.separator();
            return Ok(Node::Count(parts, Box::new(self.body()?)));
        }
        let name = self.plain();
        if !is_name(&name) {
            return Err(SyntaxError("bad for loop variable".into()));
        }
        self.skip_lines();
        let mut words = None;
        if self.take_word("in") {
            let mut all = Vec::new();
            loop {
                self.skip_blanks();
                match self.peek() {
                    Some(c) if !is_meta(c) => all.push(self.word()?),
                    _ => break,
                }
            }
            words = Some(all);
        }
        self.separator();
        Ok(Node::For(name, words, Box::new(self.body()?)))
    }

    fn separator(&mut self) {
        self.skip_blanks();
        self.take(";");
        self.skip_lines();
    }

    pub(super) fn plain(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| !is_meta(c)) {
            self.at += 1;
        }
        self.s.iter().skip(start).take(self.at - start).collect()
    }

    fn case(&mut self) -> Parsed<Node> {
        self.skip_blanks();
        let word = self.word()?;
        self.expect_word("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines();
            if self.take_word("esac") {
                return Ok(Node::Case(word, arms));
            }
            self.take("(");
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                patterns.push(self.word()?);
                self.skip_blanks();
                if !self.take("|") {
                    break;
                }
            }
            self.expect_word_char(')')?;
            arms.push((patterns, self.list(&["esac"])?));
            self.skip_lines();
            if !self.take(";;") && !self.at_word("esac") {
                return self.unexpected_here("esac");
            }
        }
    }

    fn condition(&mut self) -> Parsed<Node> {
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.take_word("]]") {
                return Ok(Node::Condition(words));
            }
            let operator = ["&&", "||", "(", ")", "<", ">"].into_iter().find(|o| self.looking_at(o));
            match operator {
                Some(o) => {
                    self.at += o.len();
                    words.push(vec![Part::Text { text: o.into(), quoted: false }]);
                }
                None => {
                    let word = self.word()?;
                    let matches = literal(&word).as_deref() == Some("=~") && !words.is_empty();
                    words.push(word);
                    if matches {
                        self.skip_blanks();
                        words.push(self.regular_expression()?);
                    }
                }
            }
        }
    }
}
