//! JSON for a person to read: [`Indent`].

/// Writes JSON with a line for each value, as Go's `json.Indent` does, piece by piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Indent {
    depth: usize,
    quoted: bool,
    escaped: bool,
    /// Whether the last character began an object or a list: an empty one has no line of its own.
    begun: bool,
}

impl Indent {
    fn line(&self, out: &mut String) {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", self.depth));
    }

    /// The next piece, indented.
    pub(super) fn text(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() * 2);
        for c in text.chars() {
            if self.quoted {
                out.push(c);
                self.quoted = self.escaped || c != '"';
                self.escaped = c == '\\' && !self.escaped;
                continue;
            }
            if c.is_whitespace() {
                continue;
            }
            let begun = std::mem::take(&mut self.begun);
            let empty = begun && matches!(c, '}' | ']');
            if begun && !empty {
                self.depth += 1;
                self.line(&mut out);
            }
            match c {
                '"' => {
                    self.quoted = true;
                    out.push(c);
                }
                '{' | '[' => {
                    out.push(c);
                    self.begun = true;
                }
                '}' | ']' if empty => out.push(c),
                '}' | ']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.line(&mut out);
                    out.push(c);
                }
                ',' => {
                    out.push(c);
                    self.line(&mut out);
                }
                ':' => out.push_str(": "),
                c => out.push(c),
            }
        }
        out
    }
}

/// JSON with a line for each value, whole.
pub(super) fn indented(text: &str) -> String {
    Indent::default().text(text)
}
