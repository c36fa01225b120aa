//! The syntax of a configuration file of nginx (`ngx_conf_file.c`): directives that end with `;`, or that have a block.

/// The deepest blocks that are read.
const DEPTH: usize = 16;
/// The most directives that are read.
const DIRECTIVES: usize = 10_000;

/// A directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directive {
    /// Its name.
    pub name: String,
    /// Its arguments, without quotes.
    pub args: Vec<String>,
    /// What is in its block; `None` if it ends with `;`.
    pub block: Option<Vec<Directive>>,
}

impl Directive {
    /// The first argument; empty if there is none.
    pub fn arg(&self) -> &str {
        self.args.first().map(String::as_str).unwrap_or_default()
    }
}

/// A part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    End,
    Open,
    Close,
}

/// Reads a file; `None` if nginx would refuse it.
pub(super) fn parse(text: &str) -> Option<Vec<Directive>> {
    let mut tokens = tokens(text)?.into_iter();
    let mut left = DIRECTIVES;
    block(&mut tokens, 0, &mut left)
}

fn block(tokens: &mut impl Iterator<Item = Token>, depth: usize, left: &mut usize) -> Option<Vec<Directive>> {
    let (mut all, mut words) = (Vec::new(), Vec::new());
    loop {
        let token = tokens.next();
        let block = match token {
            Some(Token::Word(word)) => {
                words.push(word);
                continue;
            }
            Some(Token::Close) if depth > 0 && words.is_empty() => return Some(all),
            None if depth == 0 && words.is_empty() => return Some(all),
            Some(Token::End) => None,
            Some(Token::Open) if depth < DEPTH => Some(block(tokens, depth + 1, left)?),
            _ => return None,
        };
        *left = left.checked_sub(1)?;
        let mut words = std::mem::take(&mut words).into_iter();
        all.push(Directive { name: words.next()?, args: words.collect(), block });
    }
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut all = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            c if c.is_ascii_whitespace() => {}
            '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            ';' => all.push(Token::End),
            '{' => all.push(Token::Open),
            '}' => all.push(Token::Close),
            quote @ ('"' | '\'') => {
                let mut word = String::new();
                loop {
                    match rest.next()? {
                        c if c == quote => break,
                        '\\' => word.extend(escaped(rest.next()?)),
                        c => word.push(c),
                    }
                }
                all.push(Token::Word(word));
            }
            first => {
                let mut word = String::new();
                let mut c = Some(first);
                while let Some(now) = c {
                    match now {
                        '\\' => word.extend(escaped(rest.next()?)),
                        // A variable's name can be in braces.
                        '$' if rest.peek() == Some(&'{') => {
                            word.push('$');
                            while let Some(c) = rest.next_if(|c| *c != '}') {
                                word.push(c);
                            }
                            word.push(rest.next()?);
                        }
                        now => word.push(now),
                    }
                    c = rest.next_if(|c| !c.is_ascii_whitespace() && !matches!(c, ';' | '{'));
                }
                all.push(Token::Word(word));
            }
        }
    }
    Some(all)
}

/// What a character behind a backslash stands for. Before any other one the backslash stays: expressions have them.
fn escaped(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        '"' | '\'' | '\\' => (c, None),
        't' => ('\t', None),
        'r' => ('\r', None),
        'n' => ('\n', None),
        c => ('\\', Some(c)),
    };
    std::iter::once(first).chain(second)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// nginx' `src/core/ngx_conf_file.c`, `ngx_conf_read_token`.
    #[test]
    fn directives_have_words_and_blocks() {
        let text = "# a comment; {\nserver {\n  listen 80; # another\n  location ~ \\.php$ { return 200 \"a \\\"b\\\";\\n\"; }\n  set $a ${b}c;\n}";
        let all = parse(text).unwrap();
        let server = all[0].block.as_ref().unwrap();
        assert_eq!((all.len(), server[0].name.as_str(), server[0].arg()), (1, "listen", "80"));
        assert_eq!(server[1].args, ["~", "\\.php$"]);
        assert_eq!(server[1].block.as_ref().unwrap()[0].args, ["200", "a \"b\";\n"]);
        assert_eq!(server[2].args, ["$a", "${b}c"]);
    }

    /// nginx says `unexpected end of file`, `unexpected "}"` and so on, and does not start.
    #[test]
    fn what_nginx_refuses_is_not_read() {
        for text in ["server {", "listen 80", "}", "server { listen 80 }", "a \"b", ";", "{ }", "a {"] {
            assert_eq!(parse(text), None, "{text}");
        }
        let deep = "a {".repeat(1000);
        assert_eq!(parse(&deep), None);
    }
}
