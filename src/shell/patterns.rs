//! What parameters are cut to by patterns: `${x#…}`, `${x%…}`, `${x/…/…}`.

use super::glob::{self, Letter};
use super::machine::{Shell, Stop, TEXT_LIMIT};

impl Shell<'_> {
    pub(super) fn strip(
        &mut self,
        text: &[char],
        pattern: &[Letter],
        suffix: bool,
        longest: bool,
    ) -> Result<String, Stop> {
        let n = text.len();
        // Where the text is cut: the shortest piece comes first, or the longest.
        let mut cuts: Vec<usize> = (0..=n).collect();
        if suffix != longest {
            cuts.reverse();
        }
        for at in cuts {
            let (head, tail) = text.split_at(at.min(n));
            let (piece, rest) = if suffix { (tail, head) } else { (head, tail) };
            if self.fits(pattern, piece)? {
                return Ok(rest.iter().collect());
            }
        }
        Ok(text.iter().collect())
    }

    pub(super) fn replace(
        &mut self,
        text: &[char],
        pattern: &[Letter],
        with: &str,
        all: bool,
    ) -> Result<String, Stop> {
        let mut out = String::new();
        let (mut at, mut done) = (0, false);
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            let mut longest = None;
            if all || !done {
                for n in (1..=rest.len().min(1000)).rev() {
                    if self.fits(pattern, rest.get(..n).unwrap_or_default())? {
                        longest = Some(n);
                        break;
                    }
                }
            }
            match longest {
                Some(n) => {
                    out.push_str(with);
                    done = true;
                    at += n;
                }
                None => {
                    out.extend(rest.first());
                    at += 1;
                }
            }
            // Each match can be replaced with a text as long as the whole one.
            if out.len() > 8 * TEXT_LIMIT {
                return Err(Stop::Never);
            }
        }
        Ok(out)
    }

    /// Whether a whole text matches a pattern. Much work counts as commands.
    pub(super) fn fits(&mut self, pattern: &[Letter], text: &[char]) -> Result<bool, Stop> {
        let mut work = 0;
        let fits = glob::counted(pattern, text, &mut work);
        self.note_comparisons(work)?;
        Ok(fits)
    }
}
