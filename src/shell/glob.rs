//! Patterns of the shell (POSIX, 2.13): `*`, `?`, `[…]`.

/// A character of a word, and whether it was quoted: then it stands for itself.
pub(super) type Letter = (char, bool);

/// A text as letters of a pattern.
pub(super) fn letters(text: &str, quoted: bool) -> Vec<Letter> {
    text.chars().map(|c| (c, quoted)).collect()
}

/// Whether a word has characters of patterns in it.
pub(super) fn is_pattern(word: &[Letter]) -> bool {
    word.iter().any(|(c, quoted)| !quoted && matches!(c, '*' | '?' | '['))
}

/// Whether a whole text matches.
pub(super) fn matches(pattern: &[Letter], text: &[char]) -> bool {
    counted(pattern, text, &mut 0)
}

/// Whether a whole text matches. Adds the number of comparisons to `work`: it can be the product of the lengths.
pub(super) fn counted(pattern: &[Letter], text: &[char], work: &mut usize) -> bool {
    // The position after the last `*`, and the text that it has taken so far.
    let (mut p, mut t, mut star) = (0, 0, None);
    loop {
        *work += 1;
        match pattern.get(p) {
            Some(('*', false)) => {
                star = Some((p + 1, t));
                p += 1;
                continue;
            }
            None if t == text.len() => return true,
            Some(_) if t < text.len() => {
                if let Some(next) = text.get(t).and_then(|c| one(pattern, p, *c)) {
                    (p, t) = (next, t + 1);
                    continue;
                }
            }
            _ => {}
        }
        match star {
            Some((after, taken)) if taken < text.len() => {
                star = Some((after, taken + 1));
                (p, t) = (after, taken + 1);
            }
            _ => return false,
        }
    }
}

/// The position after the element at `p`, if it matches the character.
fn one(pattern: &[Letter], p: usize, c: char) -> Option<usize> {
    match pattern.get(p)? {
        ('?', false) => Some(p + 1),
        ('[', false) => match bracket(pattern, p, c) {
            Some((end, fits)) => fits.then_some(end),
            None => (c == '[').then_some(p + 1),
        },
        (letter, _) => (*letter == c).then_some(p + 1),
    }
}

/// The position after a bracket expression, and whether it has the character; `None` if it does not end.
fn bracket(pattern: &[Letter], start: usize, c: char) -> Option<(usize, bool)> {
    let mut at = start + 1;
    let negated = matches!(pattern.get(at), Some(('!' | '^', false)));
    at += usize::from(negated);
    let (first, mut found) = (at, false);
    loop {
        let (from, quoted) = *pattern.get(at)?;
        if from == ']' && !quoted && at > first {
            return Some((at + 1, found != negated));
        }
        if from == '[' && matches!(pattern.get(at + 1), Some((':', _))) {
            let name: String = pattern.iter().skip(at + 2).map(|l| l.0).take_while(|c| *c != ':').collect();
            found |= class(&name, c);
            at += name.chars().count() + 4;
            continue;
        }
        match (pattern.get(at + 1), pattern.get(at + 2)) {
            (Some(('-', false)), Some((to, _))) if *to != ']' => {
                found |= (from..=*to).contains(&c);
                at += 3;
            }
            _ => {
                found |= from == c;
                at += 1;
            }
        }
    }
}

/// Whether a character is of a class, for example `digit`.
pub(super) fn class(name: &str, c: char) -> bool {
    match name {
        "alnum" => c.is_ascii_alphanumeric(),
        "alpha" => c.is_ascii_alphabetic(),
        "blank" => matches!(c, ' ' | '\t'),
        "digit" => c.is_ascii_digit(),
        "lower" => c.is_ascii_lowercase(),
        "punct" => c.is_ascii_punctuation(),
        "space" => c.is_ascii_whitespace() || c == '\u{b}',
        "upper" => c.is_ascii_uppercase(),
        "xdigit" => c.is_ascii_hexdigit(),
        _ => false,
    }
}
