//! What a person types to find something in a list.

/// Words that are looked for, in small letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought(Vec<String>);

impl Sought {
    /// The words of what was typed.
    pub fn new(typed: &str) -> Sought {
        Sought(typed.split_whitespace().map(str::to_lowercase).collect())
    }

    /// Whether nothing is looked for, so that everything is found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether each of the words stands in one of the texts, be it in the middle of another word: Chinese has no spaces between
    /// words.
    pub fn is_in<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> bool {
        if self.is_empty() {
            return true;
        }
        let texts: Vec<String> = texts.into_iter().map(str::to_lowercase).collect();
        self.0.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_stands_in_one_of_the_texts() {
        let texts = ["A rollout that gets stuck", "卡住的上线", "The new image does not exist."];
        let found = |typed: &str| Sought::new(typed).is_in(texts);
        assert!(found("") && found("  "));
        assert!(found("ROLLOUT") && found("stuck rollout") && found("rollout image") && found("卡住"));
        assert!(found("上线 image") && found("roll"));
        assert!(!found("drain") && !found("rollout drain") && !found("线上"));
    }
}
