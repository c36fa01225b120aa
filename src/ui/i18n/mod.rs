//! Every text of the page, in English and Simplified Chinese. Kubernetes' own words stay as they
//! are in both.

mod sentence;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::rc::Rc;

use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use steady::engine::Text;

#[cfg(target_arch = "wasm32")]
pub use sentence::seconds;
pub use sentence::{middle, sentence};

const EN: &str = include_str!("en.ftl");
const ZH: &str = include_str!("zh.ftl");

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English
    #[default]
    En,
    /// Simplified Chinese
    Zh,
}

impl Lang {
    /// Its BCP 47 tag.
    pub fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Zh => "zh-CN",
        }
    }

    /// The language of a tag that a browser or a link gives.
    pub fn of_tag(tag: &str) -> Lang {
        if tag.to_ascii_lowercase().starts_with("zh") { Lang::Zh } else { Lang::En }
    }

    fn source(self) -> &'static str {
        match self {
            Lang::En => EN,
            Lang::Zh => ZH,
        }
    }
}

/// The texts of one language. By default nothing is loaded, and each text is its key.
#[derive(Clone, Default)]
pub struct Texts {
    lang: Lang,
    bundle: Rc<FluentBundle<FluentResource>>,
}

impl PartialEq for Texts {
    fn eq(&self, other: &Texts) -> bool {
        self.lang == other.lang
    }
}

/// Named values of a text.
pub type Args<'a> = &'a [(&'a str, FluentValue<'a>)];

impl Texts {
    /// The texts of a language.
    pub fn new(lang: Lang) -> Texts {
        // Texts that do not parse are left out by Fluent; a test keeps the files whole.
        let resource = FluentResource::try_new(lang.source().to_owned()).unwrap_or_else(|(r, _)| r);
        let mut bundle = FluentBundle::new(lang.tag().parse().into_iter().collect());
        // Marks around every value would show up in copied text: `isolated` puts them where they are needed.
        bundle.set_use_isolating(false);
        let _ = bundle.add_resource(resource);
        Texts { lang, bundle: Rc::new(bundle) }
    }

    /// The address of a page of documentation in the page's language.
    pub fn page(&self, url: &str) -> String {
        match self.lang {
            Lang::En => url.to_owned(),
            Lang::Zh => url.replacen("https://kubernetes.io/docs/", "https://kubernetes.io/zh-cn/docs/", 1),
        }
    }

    /// Which language.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// A scenario's or a lesson's own text.
    pub fn of<S: ToString>(&self, text: &Text<S>) -> String {
        match self.lang {
            Lang::En => text.en.to_string(),
            Lang::Zh => text.zh.to_string(),
        }
    }

    /// Whether there is such a text.
    pub fn has(&self, key: &str) -> bool {
        self.bundle.has_message(key)
    }

    /// A text; its key, where there is none.
    pub fn get(&self, key: &str) -> String {
        self.with(key, &[])
    }

    /// A text with values in it.
    pub fn with(&self, key: &str, args: Args<'_>) -> String {
        let Some(pattern) = self.bundle.get_message(key).and_then(|m| m.value()) else {
            return key.to_owned();
        };
        let args: FluentArgs<'_> =
            args.iter().map(|(k, v)| (Cow::Owned::<str>((*k).to_owned()), isolated(v))).collect();
        let mut errors = Vec::new();
        let text = self.bundle.format_pattern(pattern, Some(&args), &mut errors).into_owned();
        if self.lang == Lang::Zh { spaced(&text) } else { text }
    }

    /// What stands between the language's own words and a text after them: a space, but not between Chinese words.
    pub fn gap(&self, after: &str) -> &'static str {
        if self.lang == Lang::Zh && after.chars().next().is_some_and(is_han) { "" } else { " " }
    }
}

/// A value between marks that keep its direction to itself, if it has characters that could turn that of the words after it: a
/// name, a message and a label are whatever somebody has written. (Unicode's Bidirectional Algorithm, UAX #9: isolates.)
fn isolated<'a>(value: &FluentValue<'a>) -> FluentValue<'a> {
    const FIRST_STRONG_ISOLATE: &str = "\u{2068}";
    const POP_ISOLATE: &str = "\u{2069}";
    match value {
        FluentValue::String(text) if text.chars().any(turns) => {
            // What the value closes itself is opened for it beforehand, and what it leaves open is closed.
            let opens = text.chars().filter(|c| ('\u{2066}'..='\u{2068}').contains(c)).count();
            let closes = text.matches(POP_ISOLATE).count();
            let (before, after) =
                (FIRST_STRONG_ISOLATE.repeat(closes + 1), POP_ISOLATE.repeat(closes + 1 + opens));
            FluentValue::String(format!("{before}{text}{after}").into())
        }
        other => other.clone(),
    }
}

/// Whether a character is of a script that is written from right to left, or sets a direction.
fn turns(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08ff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// A text with a space between Chinese words and Latin words or numbers. The catalogue has them; where a value begins or
/// ends, it cannot know.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut last = None;
    for c in text.chars() {
        let meets = |a: char, b: char| is_han(a) && b.is_ascii_alphanumeric();
        if last.is_some_and(|last| meets(last, c) || meets(c, last)) {
            out.push(' ');
        }
        out.push(c);
        last = Some(c);
    }
    out
}
