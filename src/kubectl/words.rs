//! Splits a line into words as a POSIX shell does: quotes, backslashes and comments, nothing else.
//! Variables, globs, pipes and redirections are plain text here, and say so where that matters.

/// Why a line has no words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordsError {
    /// A quote that is never closed.
    UnclosedQuote(char),
    /// A backslash with nothing after it.
    TrailingBackslash,
}

impl std::fmt::Display for WordsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WordsError::UnclosedQuote(q) => write!(f, "unclosed quote {q}"),
            WordsError::TrailingBackslash => f.write_str("nothing after the last backslash"),
        }
    }
}

impl std::error::Error for WordsError {}

/// The words of a line.
///
/// # Errors
/// A quote that is not closed, a backslash at the end.
pub fn split(line: &str) -> Result<Vec<String>, WordsError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '#' if word.is_none() => break,
            '\'' => {
                let w = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => w.push(c),
                        None => return Err(WordsError::UnclosedQuote('\'')),
                    }
                }
            }
            '"' => double_quoted(&mut chars, word.get_or_insert_default())?,
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(c) => word.get_or_insert_default().push(c),
                None => return Err(WordsError::TrailingBackslash),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// A line that [`split`] splits into these words. A word is quoted where that is needed.
pub fn join(words: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+{}[]()*?!~^<>|&;$".contains(c);
    let quoted = words.iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

fn double_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), WordsError> {
    loop {
        match chars.next() {
            Some('"') => return Ok(()),
            Some('\\') => match chars.next() {
                Some('\n') => {}
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some(c) => {
                    word.push('\\');
                    word.push(c);
                }
                None => return Err(WordsError::UnclosedQuote('"')),
            },
            Some(c) => word.push(c),
            None => return Err(WordsError::UnclosedQuote('"')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        for (line, want) in [
            ("", vec![]),
            ("  get\tpods  ", vec!["get", "pods"]),
            ("patch d -p '{\"a\": \"b c\"}'", vec!["patch", "d", "-p", "{\"a\": \"b c\"}"]),
            (
                r#"-o jsonpath="{range .items[*]}{\"\n\"}{end}""#,
                vec!["-o", r#"jsonpath={range .items[*]}{"\n"}{end}"#],
            ),
            (r"a\ b c\\d", vec!["a b", r"c\d"]),
            ("note=''", vec!["note="]),
            ("'' x", vec!["", "x"]),
            ("get pods # all of them", vec!["get", "pods"]),
            ("a#b", vec!["a#b"]),
            ("apply \\\n -f x", vec!["apply", "-f", "x"]),
        ] {
            assert_eq!(split(line).unwrap_or_default(), want, "{line}");
        }
        for words in [
            vec!["get", "pods"],
            vec!["-p", "{\"a\": \"it's\"}"],
            vec!["", "#", "\\", "a\nb", "jsonpath={.x[*]}"],
        ] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(split(&join(&words)), Ok(words.clone()), "{words:?}");
        }
        assert_eq!(split("a 'b"), Err(WordsError::UnclosedQuote('\'')));
        assert_eq!(split("a \"b"), Err(WordsError::UnclosedQuote('"')));
        assert_eq!(split("a \\"), Err(WordsError::TrailingBackslash));
    }
}
