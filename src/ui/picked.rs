//! Which bar of the chart of requests is chosen, and what lets it go.

/// The bar that is chosen: pointed at, walked to with the arrow keys, or pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Picked {
    /// Its place.
    at: Option<usize>,
    /// Whether it was pressed: the pointer that leaves the chart does not let it go then.
    held: bool,
}

impl Picked {
    /// The place.
    pub fn place(self) -> Option<usize> {
        self.at
    }

    /// Whether it stays chosen until somebody lets it go.
    pub fn is_held(self) -> bool {
        self.held
    }

    /// The pointer is at a bar. One that was pressed stays chosen.
    pub fn point(self, place: Option<usize>) -> Picked {
        if self.held { self } else { Picked { at: place, held: false } }
    }

    /// The pointer leaves the chart.
    pub fn leave(self) -> Picked {
        self.point(None)
    }

    /// An arrow key leads to a bar.
    pub fn walk(place: usize) -> Picked {
        Picked { at: Some(place), held: false }
    }

    /// A bar is pressed: it is chosen until it is pressed again, or another one is. Also returns whether a request of it is looked for.
    pub fn press(self, place: usize) -> (Picked, bool) {
        if self.held && self.at == Some(place) {
            return (Picked::default(), false);
        }
        (Picked { at: Some(place), held: true }, true)
    }

    /// Escape. `None` if there is nothing to let go.
    pub fn escape(self) -> Option<Picked> {
        self.at.map(|_| Picked::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_press_or_escape_lets_a_bar_go() {
        let (pressed, looks) = Picked::default().point(Some(3)).press(3);
        assert!(looks && pressed.is_held() && pressed.place() == Some(3));
        // What is pressed stays, wherever the pointer goes, until it is pressed again or another one is.
        assert_eq!(pressed.leave(), pressed);
        assert_eq!(pressed.point(Some(5)), pressed);
        assert_eq!(pressed.press(5).0.place(), Some(5));
        assert_eq!(pressed.press(3), (Picked::default(), false));
        assert_eq!(pressed.escape(), Some(Picked::default()));
        assert_eq!(Picked::default().escape(), None, "Escape is left to the page");
        assert_eq!(Picked::walk(4).escape(), Some(Picked::default()));
    }

    #[test]
    fn what_is_only_pointed_at_goes_with_the_pointer() {
        let pointed = Picked::default().point(Some(3));
        assert_eq!((pointed.place(), pointed.leave().place()), (Some(3), None));
    }
}
