//! What is shown, as a file of its own: the graph as a picture, the run as an animated picture and as a page of text. These
//! are functions of plain data, which need no browser. The forms without sentences and places are `session::export`.

mod animated;
mod markdown;
mod palette;
mod svg;
#[cfg(test)]
mod tests;

pub use animated::animated;
pub use markdown::{About, markdown};
pub use svg::{Picture, svg};

/// A text in XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no control characters.
            c if c.is_control() && c != '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
