//! The colours of static/app.css, which a file of its own cannot ask for. A test compares the two.

use crate::ui::who;

/// Names of colours, each with its value on light and on dark ground.
pub const COLOURS: [(&str, &str, &str); 25] = [
    ("bg", "#f5f5f2", "#0f1013"),
    ("panel", "#ffffff", "#16181c"),
    ("sunk", "#efefeb", "#1e2126"),
    ("line", "#e4e3dd", "#272a30"),
    ("line-2", "#cfcdc5", "#3a3e47"),
    ("ink", "#1b1c1f", "#ebecee"),
    ("ink-2", "#54565c", "#abafb8"),
    ("ink-3", "#6c6e75", "#8b909b"),
    ("accent", "#2a59d8", "#82a1ff"),
    ("ok", "#187a4e", "#4fc78e"),
    ("wait", "#96610d", "#e2ab48"),
    ("bad", "#b93730", "#f37e76"),
    ("gone", "#82858c", "#7b808b"),
    ("w-you", "#1b1c1f", "#ebecee"),
    ("w-deployment", "#2a59d8", "#82a1ff"),
    ("w-replicaset", "#7448cc", "#b89bff"),
    ("w-scheduler", "#b4500f", "#f59a60"),
    ("w-kubelet", "#187a4e", "#4fc78e"),
    ("w-gc", "#a03368", "#ea90bb"),
    ("w-a", "#0b7285", "#5cc6d8"),
    ("w-b", "#866312", "#d8b355"),
    ("w-c", "#4a6a1a", "#a5c763"),
    ("w-d", "#8a4a2b", "#dda283"),
    ("w-machinery", "#82858c", "#7b808b"),
    ("w-start", "#1b1c1f", "#ebecee"),
];

/// The colours of one ground.
#[derive(Clone, Copy)]
pub struct Palette {
    /// Whether the ground is dark.
    pub dark: bool,
}

impl Palette {
    /// A colour by its name in static/app.css.
    pub fn get(self, name: &str) -> &'static str {
        let found = COLOURS.iter().find(|(n, ..)| *n == name);
        found.map_or("#82858c", |(_, light, dark)| if self.dark { dark } else { light })
    }

    /// The colour of a component, by its name.
    pub fn who(self, name: &str) -> &'static str {
        self.get(&who::keeper(name).replacen("who-", "w-", 1))
    }
}
