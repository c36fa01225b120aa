//! A line that is being written: which command the cursor is in.

use super::parser::is_meta;

/// The command that the cursor is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtCursor {
    /// The words of the command before the one at the cursor, without their quotes.
    pub words: Vec<String>,
    /// The word at the cursor as far as it is written, without its quotes.
    pub partial: String,
    /// The text before that word.
    pub before: String,
}

/// Reads the text before the cursor; `None` where no word of a command is written: in a comment, in a here-document, or in
/// the name of a file after `<` or `>`.
pub fn at_cursor(text: &str) -> Option<AtCursor> {
    let mut at = AtCursor::default();
    // Where the current word begins, and whether there is one.
    let (mut start, mut word) = (0, None::<String>);
    let (mut redirected, mut document) = (false, false);
    let mut chars = text.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        if word.is_none() && !is_meta(c) {
            start = i;
        }
        match c {
            '#' if word.is_none() => {
                // A comment ends with its line.
                chars.by_ref().find(|(_, c)| *c == '\n')?;
                at.words.clear();
            }
            '\'' | '"' => {
                let w = word.get_or_insert_default();
                while let Some((_, inner)) = chars.next() {
                    match inner {
                        _ if inner == c => break,
                        '\\' if c == '"' => w.extend(chars.next().map(|(_, c)| c)),
                        inner => w.push(inner),
                    }
                }
            }
            '\\' => match chars.next() {
                Some((_, '\n')) | None => {}
                Some((_, c)) => word.get_or_insert_default().push(c),
            },
            ' ' | '\t' => {
                // The file of a redirection is no word of the command.
                let file = word.is_some() && std::mem::take(&mut redirected);
                at.words.extend(word.take().filter(|_| !file));
            }
            '<' | '>' => {
                document |= c == '<' && text.get(i + 1..).is_some_and(|rest| rest.starts_with('<'));
                let number = |w: &String| w.chars().all(|c| c.is_ascii_digit());
                at.words.extend(word.take().filter(|w| !number(w)));
                redirected = true;
            }
            '\n' if document => return None,
            '|' | '&' | ';' | '\n' | '(' | ')' => {
                at.words.clear();
                word = None;
                redirected = false;
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    if redirected {
        return None;
    }
    at.before = text.get(..if word.is_some() { start } else { text.len() })?.to_owned();
    at.partial = word.unwrap_or_default();
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_at_the_cursor_is_the_last_one_that_was_begun() {
        let at = |text: &str| at_cursor(text).map(|a| (a.words.join("|"), a.partial, a.before));
        let want = |words: &str, partial: &str, before: &str| {
            Some((words.to_owned(), partial.to_owned(), before.to_owned()))
        };
        assert_eq!(at(""), want("", "", ""));
        assert_eq!(at("get po"), want("get", "po", "get "));
        assert_eq!(at("get pods "), want("get|pods", "", "get pods "));
        assert_eq!(
            at("get pods | grep -v x; k get 'my "),
            want("k|get", "my ", "get pods | grep -v x; k get ")
        );
        assert_eq!(at("a && b \\\n c"), want("b", "c", "a && b \\\n "));
        assert_eq!(at("get # po"), None);
        assert_eq!(at("get > fi"), None);
        assert_eq!(at("get 2>/dev/null po"), want("get", "po", "get 2>/dev/null "));
        assert_eq!(at("apply -f - <<EOF\nkind: Po"), None);
    }
}
