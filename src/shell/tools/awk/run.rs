//! Running an awk program.

use std::collections::BTreeMap;

use regex::Regex;

use super::super::super::machine::{Out, Ran, Shell, Stop, TEXT_LIMIT};
use super::super::regex;
use super::syntax::{Expr, Rule, Statement, When};
use super::value::{Value, formatted};

/// What a statement leads to.
enum Flow {
    On,
    Next,
    Break,
    Continue,
    Exit,
}

/// What separates the parts of an element's name: `SUBSEP`.
const SUBSEP: &str = "\u{1c}";
/// After this many statements a program that has not ended runs for ever.
const STEPS: usize = 100_000;
/// The most fields of a record.
pub(super) const FIELDS: usize = 10_000;

/// A program that runs.
pub(super) struct Machine<'m, 's> {
    pub(super) shell: &'m mut Shell<'s>,
    rules: &'m [Rule],
    pub(super) variables: BTreeMap<String, Value>,
    pub(super) arrays: BTreeMap<String, BTreeMap<String, Value>>,
    pub(super) record: String,
    pub(super) fields: Vec<String>,
    /// The ranges of which a record has matched the beginning, and none the end.
    inside: Vec<usize>,
    files: Vec<String>,
    code: i32,
    steps: usize,
}

impl<'m, 's> Machine<'m, 's> {
    pub(super) fn new(shell: &'m mut Shell<'s>, rules: &'m [Rule]) -> Machine<'m, 's> {
        let text = |t: &str| Value::Text(t.to_owned());
        let variables = [("FS", " "), ("OFS", " "), ("ORS", "\n"), ("RS", "\n"), ("SUBSEP", SUBSEP)];
        let environment =
            shell.program.env.iter().map(|(k, v)| (k.clone(), Value::Input(v.clone()))).collect();
        Machine {
            variables: variables.map(|(name, value)| (name.to_owned(), text(value))).into(),
            arrays: BTreeMap::from([("ENVIRON".to_owned(), environment)]),
            shell,
            rules,
            record: String::new(),
            fields: Vec::new(),
            inside: Vec::new(),
            files: Vec::new(),
            code: 0,
            steps: 0,
        }
    }

    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > STEPS { Err(self.shell.block()) } else { Ok(()) }
    }

    /// Sets a variable to what a command line says.
    pub(super) fn assign(&mut self, name: &str, value: String) {
        self.variables.insert(name.to_owned(), Value::Input(value));
    }

    /// Runs the program on files, or on standard input. An operand `NAME=VALUE` sets a variable when its turn has come.
    pub(super) fn run(mut self, operands: &[&str]) -> Ran {
        let rules = self.rules;
        for rule in rules.iter().filter(|r| matches!(r.when, When::Begin)) {
            if let Flow::Exit = self.action(rule)? {
                return self.end(true);
            }
        }
        if rules.iter().all(|r| matches!(r.when, When::Begin)) {
            return Ok(self.code);
        }
        let mut read = false;
        for operand in operands {
            if let Some((name, value)) = operand.split_once('=').filter(|(name, _)| is_name(name)) {
                self.assign(name, super::syntax::unescaped(value));
                continue;
            }
            read = true;
            let (texts, failed) = self.shell.inputs_of("awk", &[operand])?;
            if failed {
                self.code = 2;
            }
            self.assign("FILENAME", (*operand).to_owned());
            for (_, text) in texts {
                if let Flow::Exit = self.records(&text)? {
                    return self.end(true);
                }
            }
        }
        if !read {
            let text = self.shell.read_input()?;
            if let Flow::Exit = self.records(&text)? {
                return self.end(true);
            }
        }
        self.end(false)
    }

    fn end(mut self, exited: bool) -> Ran {
        let rules = self.rules;
        for rule in rules.iter().filter(|r| !exited && matches!(r.when, When::End)) {
            if let Flow::Exit = self.action(rule)? {
                break;
            }
        }
        Ok(self.code)
    }

    fn records(&mut self, text: &str) -> Result<Flow, Stop> {
        self.variables.insert("FNR".to_owned(), Value::Number(0.0));
        let separator = self.value("RS").text();
        let paragraphs = separator.is_empty();
        let separator = if paragraphs { "\n\n".to_owned() } else { separator };
        let mut rest = if paragraphs { text.trim_matches('\n') } else { text };
        while !rest.is_empty() {
            let (record, after) = rest.split_once(separator.as_str()).unwrap_or((rest, ""));
            rest = if paragraphs { after.trim_start_matches('\n') } else { after };
            for counter in ["NR", "FNR"] {
                let n = self.value(counter).number() + 1.0;
                self.variables.insert(counter.to_owned(), Value::Number(n));
            }
            self.set_record(record.to_owned())?;
            if let Flow::Exit = self.rules_of_record()? {
                return Ok(Flow::Exit);
            }
        }
        Ok(Flow::On)
    }

    fn rules_of_record(&mut self) -> Result<Flow, Stop> {
        let rules = self.rules;
        for rule in rules {
            self.step()?;
            let applies = match &rule.when {
                When::Begin | When::End => false,
                When::Always => true,
                When::If(condition) => self.evaluate(condition)?.is_true(),
                When::Range(from, to, n) => {
                    let begun = self.inside.contains(n) || self.evaluate(from)?.is_true();
                    if begun {
                        self.inside.retain(|i| i != n);
                        if !self.evaluate(to)?.is_true() {
                            self.inside.push(*n);
                        }
                    }
                    begun
                }
            };
            if applies {
                match self.action(rule)? {
                    Flow::Exit => return Ok(Flow::Exit),
                    Flow::Next => break,
                    Flow::On | Flow::Break | Flow::Continue => {}
                }
            }
        }
        Ok(Flow::On)
    }

    fn action(&mut self, rule: &Rule) -> Result<Flow, Stop> {
        match &rule.action {
            Some(action) => self.execute(action),
            None => {
                let line = format!("{}{}", self.record, self.value("ORS").text());
                self.shell.print(&line);
                Ok(Flow::On)
            }
        }
    }

    fn execute(&mut self, statement: &Statement) -> Result<Flow, Stop> {
        self.step()?;
        match statement {
            Statement::Expression(e) => {
                self.evaluate(e)?;
            }
            Statement::Print(format, values, to) => self.print(*format, values, to.as_ref())?,
            Statement::If(condition, then, otherwise) => {
                if self.evaluate(condition)?.is_true() {
                    return self.execute(then);
                }
                if let Some(otherwise) = otherwise {
                    return self.execute(otherwise);
                }
            }
            Statement::While(condition, after, body, body_first) => {
                let mut first = *body_first;
                loop {
                    self.step()?;
                    if let Some(condition) = condition.as_ref().filter(|_| !first)
                        && !self.evaluate(condition)?.is_true()
                    {
                        break;
                    }
                    first = false;
                    match self.execute(body)? {
                        Flow::Break => break,
                        Flow::On | Flow::Continue => {}
                        flow => return Ok(flow),
                    }
                    if let Some(after) = after {
                        self.execute(after)?;
                    }
                }
            }
            Statement::ForIn(variable, array, body) => {
                let keys: Vec<String> =
                    self.arrays.get(array).map_or_else(Vec::new, |a| a.keys().cloned().collect());
                for key in keys {
                    self.variables.insert(variable.clone(), Value::Input(key));
                    match self.execute(body)? {
                        Flow::Break => break,
                        Flow::On | Flow::Continue => {}
                        flow => return Ok(flow),
                    }
                }
            }
            Statement::Block(all) => {
                for statement in all {
                    match self.execute(statement)? {
                        Flow::On => {}
                        flow => return Ok(flow),
                    }
                }
            }
            Statement::Delete(array, at) if at.is_empty() => {
                self.arrays.remove(array);
            }
            Statement::Delete(array, at) => {
                let key = self.key(at)?;
                if let Some(array) = self.arrays.get_mut(array) {
                    array.remove(&key);
                }
            }
            Statement::Next => return Ok(Flow::Next),
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Exit(code) => {
                if let Some(code) = code {
                    self.code = self.evaluate(code)?.number() as i32;
                }
                return Ok(Flow::Exit);
            }
        }
        Ok(Flow::On)
    }

    fn print(&mut self, format: bool, values: &[Expr], to: Option<&(bool, Expr)>) -> Result<(), Stop> {
        let mut all = values.iter().map(|v| self.evaluate(v)).collect::<Result<Vec<Value>, Stop>>()?;
        let text = if format {
            let rest = all.split_off(1.min(all.len()));
            formatted(&all.first().map(Value::text).unwrap_or_default(), &rest, TEXT_LIMIT)
        } else if values.is_empty() {
            format!("{}{}", self.record, self.value("ORS").text())
        } else {
            let texts: Vec<String> = all.iter().map(Value::text).collect();
            format!("{}{}", texts.join(&self.value("OFS").text()), self.value("ORS").text())
        };
        let Some((append, path)) = to else {
            self.shell.print(&text);
            return Ok(());
        };
        let path = self.evaluate(path)?.text();
        match path.as_str() {
            "/dev/stdout" => self.shell.print(&text),
            "/dev/stderr" => self.shell.write(2, &text),
            _ => {
                // A file is emptied when it is opened, not for each record.
                let append = *append || self.files.contains(&path);
                match self.shell.open(&path, append) {
                    Ok(out) => self.write_to(out, &text),
                    Err(why) => {
                        self.shell.error(&format!("awk: {path}: {why}"));
                        self.code = 2;
                    }
                }
                self.files.push(path);
            }
        }
        Ok(())
    }

    fn write_to(&mut self, out: Out, text: &str) {
        let before = self.shell.outs.insert(1, out);
        self.shell.write(1, text);
        match before {
            Some(before) => self.shell.outs.insert(1, before),
            None => self.shell.outs.remove(&1),
        };
    }

    pub(super) fn value(&self, name: &str) -> Value {
        match name {
            "NF" => Value::Number(self.fields.len() as f64),
            _ => self.variables.get(name).cloned().unwrap_or(Value::Unset),
        }
    }

    fn set_record(&mut self, record: String) -> Result<(), Stop> {
        let separator = self.value("FS").text();
        self.fields = self.split(&record, &separator)?;
        self.record = record;
        Ok(())
    }

    /// The parts of a text between separators: blanks, one character, or a regular expression.
    pub(super) fn split(&mut self, text: &str, separator: &str) -> Result<Vec<String>, Stop> {
        let parts: Vec<String> = match separator {
            _ if text.is_empty() => Vec::new(),
            " " => text.split_whitespace().map(str::to_owned).collect(),
            "" => text.chars().map(String::from).collect(),
            one if one.chars().count() == 1 => text.split(one).map(str::to_owned).collect(),
            pattern => self.pattern(pattern)?.split(text).map(str::to_owned).collect(),
        };
        Ok(parts.into_iter().take(FIELDS).collect())
    }

    /// A text as a regular expression.
    fn pattern(&mut self, text: &str) -> Result<Regex, Stop> {
        match regex(text, true, false) {
            Some(pattern) => Ok(pattern),
            // What a pattern means that is none here, nobody knows.
            None => Err(match self.shell.unknown(super::NOT_BUILT) {
                Err(stop) => stop,
                Ok(_) => self.shell.block(),
            }),
        }
    }

    pub(super) fn as_pattern(&mut self, e: &Expr) -> Result<Regex, Stop> {
        if let Expr::Pattern(pattern) = e {
            return Ok(pattern.clone());
        }
        let text = self.evaluate(e)?.text();
        self.pattern(&text)
    }

    pub(super) fn key(&mut self, at: &[Expr]) -> Result<String, Stop> {
        let parts = at.iter().map(|e| Ok(self.evaluate(e)?.text())).collect::<Result<Vec<String>, Stop>>()?;
        Ok(parts.join(SUBSEP))
    }

    /// Sets what an expression names.
    pub(super) fn set(&mut self, place: &Expr, value: Value) -> Result<(), Stop> {
        match place {
            Expr::Variable(name) if name == "NF" => {
                let n = (value.number().max(0.0) as usize).min(FIELDS);
                self.fields.resize(n, String::new());
                self.join();
            }
            Expr::Variable(name) => {
                self.variables.insert(name.clone(), value);
            }
            Expr::Field(n) => {
                let n = (self.evaluate(n)?.number().max(0.0) as usize).min(FIELDS);
                match n.checked_sub(1) {
                    None => self.set_record(value.text())?,
                    Some(at) => {
                        if self.fields.len() < n {
                            self.fields.resize(n, String::new());
                        }
                        if let Some(field) = self.fields.get_mut(at) {
                            *field = value.text();
                        }
                        self.join();
                    }
                }
            }
            Expr::Element(array, at) => {
                let key = self.key(at)?;
                self.arrays.entry(array.clone()).or_default().insert(key, value);
            }
            // The parser lets nothing else be assigned to.
            _ => {}
        }
        Ok(())
    }

    /// Makes the record of its fields.
    fn join(&mut self) {
        self.record = self.fields.join(&self.value("OFS").text());
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
