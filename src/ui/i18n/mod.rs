//! Every text of the page, in English and Simplified Chinese. Kubernetes' own words stay as they
//! are in both.

mod catalogue;
mod sentence;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use catalogue::Catalogue;

pub use catalogue::Value;
pub use sentence::step_sentence;
#[cfg(target_arch = "wasm32")]
pub use sentence::{middle, seconds};

const EN: &str = include_str!("en.ftl");
const ZH: &str = include_str!("zh.ftl");

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// English
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

/// The texts of one language.
#[derive(Clone)]
pub struct Texts {
    lang: Lang,
    catalogue: Rc<Catalogue>,
}

impl PartialEq for Texts {
    fn eq(&self, other: &Texts) -> bool {
        self.lang == other.lang
    }
}

/// Named values of a text.
pub type Args<'a> = &'a [(&'a str, Value<'a>)];

impl Texts {
    /// The texts of a language.
    pub fn new(lang: Lang) -> Texts {
        Texts { lang, catalogue: Rc::new(Catalogue::new(lang, lang.source())) }
    }

    /// Which language.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// Whether there is such a text.
    pub fn has(&self, key: &str) -> bool {
        self.catalogue.has(key)
    }

    /// A text; its key, where there is none.
    pub fn get(&self, key: &str) -> String {
        self.with(key, &[])
    }

    /// A text with values in it.
    pub fn with(&self, key: &str, args: Args<'_>) -> String {
        self.catalogue.text(key, args).unwrap_or_else(|| key.to_owned())
    }
}
