//! The text of a Corefile: server blocks, each with its keys and its directives. The rules are those of Caddy's lexer and parser
//! (`github.com/coredns/caddy/caddyfile`), which CoreDNS uses, and so are the words of the errors.

use std::collections::BTreeMap;

use sha2::{Digest, Sha512};

/// A word of the text, and its line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

/// A directive with its arguments and the lines of its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stanza {
    /// The directive itself and what stands on its line, without the `{`.
    pub(super) words: Vec<Token>,
    /// The lines between its braces.
    pub(super) block: Vec<Vec<Token>>,
}

/// A server block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) keys: Vec<Token>,
    pub(super) stanzas: Vec<Stanza>,
    /// All tokens of each directive, for the checksum.
    tokens: BTreeMap<String, Vec<Token>>,
}

/// An error at a line of a file, as Caddy prints it.
pub(super) fn error_at(file: &str, line: usize, why: &str) -> String {
    format!("{file}:{line} - Error during parsing: {why}")
}

fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut line = 1;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\n' {
            line += 1;
        }
        if c.is_whitespace() || c == '\u{feff}' {
            continue;
        }
        if c == '#' {
            while chars.next_if(|c| *c != '\n').is_some() {}
            continue;
        }
        let from = line;
        let mut word = String::new();
        if c == '"' {
            while let Some(c) = chars.next() {
                match c {
                    '"' => break,
                    '\\' if chars.peek() == Some(&'"') => word.extend(chars.next()),
                    _ => {
                        line += usize::from(c == '\n');
                        word.push(c);
                    }
                }
            }
        } else {
            word.push(c);
            while let Some(c) = chars.next_if(|c| !c.is_whitespace()) {
                word.push(c);
            }
        }
        all.push(Token { text: word, line: from });
    }
    all
}

/// Puts variables of the environment in the place of `{$NAME}` and `{%NAME%}`. One that is not set is empty.
fn replace_variables(text: &str, env: &BTreeMap<String, String>) -> String {
    let mut out = text.to_owned();
    for (begin, end) in [("{%", "%}"), ("{$", "}")] {
        let mut rest = std::mem::take(&mut out);
        while let Some((before, after)) = rest.split_once(begin) {
            let Some((name, behind)) = after.split_once(end) else { break };
            out.push_str(before);
            out.push_str(env.get(name).map(String::as_str).unwrap_or_default());
            rest = behind.to_owned();
        }
        out.push_str(&rest);
    }
    out
}

struct Parser<'a> {
    file: &'a str,
    all: Vec<Token>,
    at: usize,
    directives: &'a [&'a str],
}

impl Parser<'_> {
    fn next(&mut self) -> Option<Token> {
        let token = self.all.get(self.at)?.clone();
        self.at += 1;
        Some(token)
    }

    fn peek(&self) -> Option<&Token> {
        self.all.get(self.at)
    }

    /// The line of the token that was taken last.
    fn line(&self) -> usize {
        let last = self.at.checked_sub(1).and_then(|at| self.all.get(at));
        last.map_or(1, |t| t.line)
    }

    fn error<T>(&self, why: &str) -> Result<T, String> {
        Err(error_at(self.file, self.line(), why))
    }

    fn block(&mut self) -> Result<Block, String> {
        let mut block = Block { keys: Vec::new(), stanzas: Vec::new(), tokens: BTreeMap::new() };
        let mut more = true;
        let mut braces = false;
        while let Some(token) = self.peek().cloned() {
            let same_line = block.keys.last().is_none_or(|last: &Token| last.line == token.line);
            if !more && !same_line {
                break;
            }
            self.at += 1;
            if token.text == "{" {
                if more {
                    return self.error(&format!(
                        "Expected another address but had '{}' - check for extra comma",
                        token.text
                    ));
                }
                braces = true;
                break;
            }
            more = token.text.ends_with(',');
            let key = token.text.trim_end_matches(',');
            if key.starts_with('(') && key.ends_with(')') || key == "import" {
                return self.error("snippets and files that are imported are not simulated here");
            }
            if !key.is_empty() {
                block.keys.push(Token { text: key.to_owned(), line: token.line });
            }
        }
        while let Some(token) = self.next() {
            if token.text == "}" {
                if !braces {
                    return self.error("Syntax error: Unexpected token '}', expecting EOF");
                }
                return Ok(block);
            }
            self.directive(token, &mut block)?;
        }
        if braces { self.error("Syntax error: Unexpected token '', expecting '}'") } else { Ok(block) }
    }

    fn directive(&mut self, first: Token, block: &mut Block) -> Result<(), String> {
        if first.text == "import" {
            return self.error("snippets and files that are imported are not simulated here");
        }
        if !self.directives.contains(&first.text.as_str()) {
            return self.error(&format!("Unknown directive '{}'", first.text));
        }
        let mut tokens = vec![first.clone()];
        let mut stanza = Stanza { words: vec![first], block: Vec::new() };
        let (mut nesting, mut line) = (0_usize, self.line());
        while let Some(token) = self.peek().cloned() {
            if token.text != "{" && token.line > line && nesting == 0 {
                break;
            }
            if token.text == "}" && nesting == 0 {
                self.at += 1;
                return self.error("Unexpected '}' because no matching opening brace");
            }
            self.at += 1;
            let begins = token.line > line;
            line = token.line;
            tokens.push(token.clone());
            match token.text.as_str() {
                "{" => nesting += 1,
                "}" => nesting = nesting.saturating_sub(1),
                _ if nesting == 0 => stanza.words.push(token),
                _ => match stanza.block.last_mut().filter(|_| !begins) {
                    Some(last) => last.push(token),
                    None => stanza.block.push(vec![token]),
                },
            }
        }
        if nesting > 0 {
            return self.error("Unexpected EOF");
        }
        block
            .tokens
            .entry(stanza.words.first().map_or_else(String::new, |w| w.text.clone()))
            .or_default()
            .extend(tokens);
        block.stanzas.push(stanza);
        Ok(())
    }
}

/// Reads the text of a file. `directives` are the words that a directive can begin with.
///
/// # Errors
/// The first error, in Caddy's words.
pub(super) fn parse(
    file: &str,
    text: &str,
    env: &BTreeMap<String, String>,
    directives: &[&str],
) -> Result<Vec<Block>, String> {
    let all = tokens(text).into_iter();
    let all = all.map(|t| Token { text: replace_variables(&t.text, env), ..t }).collect();
    let mut parser = Parser { file, all, at: 0, directives };
    let mut blocks = Vec::new();
    while parser.peek().is_some() {
        blocks.push(parser.block()?);
    }
    Ok(blocks)
}

/// The checksum of a configuration, as the plugin `reload` prints it: of its server blocks as Go writes them as JSON.
pub(super) fn checksum(blocks: &[Block]) -> String {
    let token = |t: &Token| serde_json::json!({"File": "", "Line": t.line, "Text": t.text});
    let one = |b: &Block| {
        let keys: Vec<String> = b.keys.iter().map(|k| json_text(&k.text)).collect();
        let tokens: Vec<String> = b
            .tokens
            .iter()
            .map(|(name, all)| {
                let all: Vec<String> = all.iter().map(|t| token(t).to_string()).collect();
                format!("{}:[{}]", json_text(name), all.join(","))
            })
            .collect();
        format!("{{\"Keys\":[{}],\"Tokens\":{{{}}}}}", keys.join(","), tokens.join(","))
    };
    let all: Vec<String> = blocks.iter().map(one).collect();
    let digest = Sha512::digest(format!("[{}]", all.join(",")).as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
