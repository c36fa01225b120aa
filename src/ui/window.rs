//! Which lines of a long text are shown: a browser takes longer than a frame to draw the thousands of lines of, say, an Endpoints object with
//! a thousand addresses.

/// So many lines are shown at first.
const AT_FIRST: usize = 250;

/// Lines of a text, as places among all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The place of the first line.
    pub from: usize,
    /// The place behind the last line.
    pub to: usize,
}

impl Window {
    /// The lines around one, of so many.
    pub fn around(line: usize, all: usize) -> Window {
        let from = line.saturating_sub(AT_FIRST / 4).min(all.saturating_sub(AT_FIRST));
        Window { from, to: (from + AT_FIRST).min(all) }
    }

    fn length(self) -> usize {
        self.to - self.from
    }

    /// With as many lines more before it as it has.
    pub fn longer_before(self) -> Window {
        Window { from: self.from.saturating_sub(self.length()), ..self }
    }

    /// With as many lines more behind it as it has, of so many.
    pub fn longer_behind(self, all: usize) -> Window {
        Window { to: (self.to + self.length()).min(all), ..self }
    }

    /// So long that a line is in it, with room on both sides.
    pub fn with(self, line: Option<usize>, all: usize) -> Window {
        match line {
            Some(line) if line < self.from || line >= self.to => {
                let around = Window::around(line, all);
                Window { from: self.from.min(around.from), to: self.to.max(around.to) }
            }
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_shown_whole() {
        assert_eq!(Window::around(100, 120), Window { from: 0, to: 120 });
        assert_eq!(Window::around(0, 0), Window { from: 0, to: 0 });
        assert_eq!(Window::around(249, 250), Window { from: 0, to: 250 });
    }

    #[test]
    fn of_a_long_text_the_lines_around_the_change_are_shown() {
        for line in [0, 50, 4000, 7999] {
            let window = Window::around(line, 8000);
            assert!(
                (window.from..window.to).contains(&line) && window.length() == AT_FIRST,
                "{line} {window:?}"
            );
        }
    }

    #[test]
    fn more_is_shown_until_it_is_all() {
        let (mut window, mut pressed) = (Window::around(4000, 8000), 0);
        while window.length() < 8000 {
            window = window.longer_before().longer_behind(8000);
            pressed += 1;
        }
        assert!(window == Window { from: 0, to: 8000 } && pressed < 6, "{pressed}");
    }

    #[test]
    fn who_walks_out_of_it_makes_it_longer() {
        let window = Window::around(0, 8000);
        assert_eq!(window.with(Some(249), 8000), window);
        let longer = window.with(Some(250), 8000);
        assert!(longer.from == 0 && longer.to > 300, "{longer:?}");
        assert_eq!(window.with(None, 8000), window);
    }
}
