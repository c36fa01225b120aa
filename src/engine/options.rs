//! How the page shows a run: the part of its address after `?`. The part after `#` says which run is shown; the two do not
//! depend on each other, so a link stays as short as it is, whatever options stand before it. docs/embed.md lists the
//! options for people who write such addresses.

use serde::{Deserialize, Serialize};

/// A part of the page that an embedded or presented page can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// The objects and the lines between them.
    Graph,
    /// The scenario's text.
    Story,
    /// The next commands, to choose among.
    Next,
    /// The strip with all steps.
    Timeline,
    /// The editor with the manifest.
    Manifest,
    /// What is known of the selected object.
    Object,
}

impl Part {
    /// All parts, each with its name in an address.
    pub const ALL: [(Part, &'static str); 6] = [
        (Part::Graph, "graph"),
        (Part::Story, "story"),
        (Part::Next, "next"),
        (Part::Timeline, "timeline"),
        (Part::Manifest, "manifest"),
        (Part::Object, "object"),
    ];

    /// The part's name in an address.
    pub fn name(self) -> &'static str {
        Part::ALL.iter().find(|(part, _)| *part == self).map_or("graph", |(_, name)| name)
    }
}

/// What the page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// The whole page, in which a person works.
    #[default]
    Whole,
    /// A part of somebody else's page: few buttons, and nothing is kept.
    Embedded,
    /// Large type and keys only, to present with.
    Presented,
}

/// The options of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// What the page is: `embed` or `present`; the whole page without either.
    pub shape: Shape,
    /// The language, as a BCP 47 tag (`lang`); the visitor's own if absent.
    pub lang: Option<String>,
    /// Whether the page is dark (`theme=dark`) or light (`theme=light`); as the visitor's system is if absent.
    pub dark: Option<bool>,
    /// The parts of an embedded page (`panes`), separated by commas; the graph and the scenario's text if empty.
    pub parts: Vec<Part>,
    /// The id of a scenario (`scenario`), which a link after `#` outranks.
    pub scenario: Option<String>,
    /// How many steps after the beginning the page opens (`at`).
    pub at: Option<usize>,
    /// How many steps after the beginning an embedded page stops (`until`).
    pub until: Option<usize>,
    /// The tab of the inspector (`tab`).
    pub tab: Option<String>,
    /// Whether an embedded page has no buttons (`controls=none`): the page around it steps.
    pub bare: bool,
}

impl Options {
    /// Reads the options of an address, with or without the `?`. Unknown options, and values that an option does not
    /// have, are as if they were not there: an address of a newer page opens here, too.
    pub fn parse(query: &str) -> Options {
        let mut options = Options::default();
        for pair in query.trim_start_matches('?').split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decoded(value);
            let word = Some(value.clone()).filter(|v| is_word(v));
            match name {
                "embed" if value != "false" => options.shape = Shape::Embedded,
                "present" if value != "false" => options.shape = Shape::Presented,
                "lang" => options.lang = word,
                "theme" if value == "dark" => options.dark = Some(true),
                "theme" if value == "light" => options.dark = Some(false),
                "panes" => {
                    let part = |name: &str| Part::ALL.iter().find(|(_, n)| *n == name).map(|(part, _)| *part);
                    options.parts = value.split(',').filter_map(part).collect();
                }
                "scenario" => options.scenario = word,
                "at" => options.at = value.parse().ok(),
                "until" => options.until = value.parse().ok(),
                "tab" => options.tab = word,
                "controls" => options.bare = value == "none",
                _ => {}
            }
        }
        options
    }

    /// The options as an address has them, with the `?`; empty if there is nothing to say.
    pub fn query(&self) -> String {
        let mut pairs: Vec<String> = Vec::new();
        match self.shape {
            Shape::Whole => {}
            Shape::Embedded => pairs.push("embed".to_owned()),
            Shape::Presented => pairs.push("present".to_owned()),
        }
        let mut put = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                pairs.push(format!("{name}={value}"));
            }
        };
        put("lang", self.lang.clone());
        put("theme", self.dark.map(|dark| if dark { "dark" } else { "light" }.to_owned()));
        let names: Vec<&str> = self.parts.iter().map(|part| part.name()).collect();
        put("panes", Some(names.join(",")).filter(|names| !names.is_empty()));
        put("scenario", self.scenario.clone());
        put("at", self.at.map(|n| n.to_string()));
        put("until", self.until.map(|n| n.to_string()));
        put("tab", self.tab.clone());
        put("controls", self.bare.then(|| "none".to_owned()));
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }

    /// Whether a part is shown.
    pub fn shows(&self, part: Part) -> bool {
        if self.parts.is_empty() {
            matches!(part, Part::Graph | Part::Story)
        } else {
            self.parts.contains(&part)
        }
    }

    /// What stays in the address once the run is open: how the page looks, and not what it opened.
    #[must_use]
    pub fn lasting(&self) -> Options {
        Options { lang: self.lang.clone(), dark: self.dark, shape: self.shape, ..Options::default() }
    }
}

/// Whether a value is a name: a language's tag, a scenario's id, a tab.
fn is_word(value: &str) -> bool {
    !value.is_empty() && value.len() <= 80 && value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// A value without the percent signs of an address.
fn decoded(value: &str) -> String {
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|two| u8::from_str_radix(two, 16).ok()).filter(|_| *byte == b'%') {
            Some(escaped) => {
                out.push(escaped);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_its_options_say() {
        let text = "?embed&lang=zh&theme=dark&panes=graph,story&scenario=04-rolling-update&at=3&until=12&tab=events&controls=none";
        let options = Options::parse(text);
        assert_eq!(options.query(), text);
        assert_eq!(options.shape, Shape::Embedded);
        assert_eq!(options.parts, [Part::Graph, Part::Story]);
        assert_eq!(options.lasting().query(), "?embed&lang=zh&theme=dark");
        assert_eq!(Options::parse("panes=graph%2Cnext").parts, [Part::Graph, Part::Next]);
        assert_eq!(Options::default().query(), "");
        assert!(Options::default().shows(Part::Story) && !Options::default().shows(Part::Manifest));
    }

    #[test]
    fn what_is_no_option_is_not_there() {
        let nothing =
            ["", "?", "?&&==", "?utm_source=x", "?theme=blue", "?until=many", "?lang=%3Cb%3E", "?panes=x,,y"];
        for text in nothing {
            assert_eq!(Options::parse(text), Options::default(), "{text}");
        }
        assert_eq!(Options::parse("?at=%").at, None);
        assert_eq!(Options::parse("?embed=false").shape, Shape::Whole);
    }
}
