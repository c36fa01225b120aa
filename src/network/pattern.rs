//! Regular expressions of proxies. nginx' are those of PCRE; here they are those of the crate `regex`, which has no lookaround and no
//! backreferences.

use regex::{Regex, RegexBuilder};

/// The most bytes that a compiled expression may take.
const EXPRESSION_LIMIT: usize = 1 << 20;

/// Compiles an expression. With `ignore_case` upper and lower case are the same.
///
/// # Errors
/// What is wrong with it, in the words of `regex`.
pub fn compile(text: &str, ignore_case: bool) -> Result<Regex, String> {
    let compiled = RegexBuilder::new(text).case_insensitive(ignore_case).size_limit(EXPRESSION_LIMIT).build();
    compiled.map_err(|why| {
        let text = why.to_string();
        let last = text.lines().last().unwrap_or_default();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    })
}
