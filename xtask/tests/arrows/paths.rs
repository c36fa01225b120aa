//! The paths of a Rust file into its own crate: in `use` declarations, in expressions and types, and in
//! macros.
//!
//! They are found in the tokens, not in a syntax tree, since the body of a macro has no tree.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree, token_stream::IntoIter};

/// A path that begins at the crate's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The line, counted from 1.
    pub line: usize,
    /// The names in the path: `api`, `types`, `Pod`. Names in the braces of a `use` make several paths.
    pub segments: Vec<String>,
    /// Whether it is in code that is compiled for tests only.
    pub in_test: bool,
}

/// What a file contains.
#[derive(Debug, Default)]
pub struct Found {
    /// Its paths, in order.
    pub paths: Vec<Path>,
    /// The modules in files of their own that it declares for tests only. For one with the attribute `path`,
    /// the two modules that the file can be: beside this file, and in its folder.
    pub test_modules: Vec<Vec<String>>,
}

/// Finds the paths of a file. `module` is the file's module in the crate: `api`, `patch`. `root` has the
/// names of the crate's root in this file: `crate`, and in a binary or another member the library's name.
pub fn read(text: &str, module: &[String], root: &[&str]) -> Result<Found, String> {
    let tokens: TokenStream = text.parse().map_err(|e| format!("{e}"))?;
    let mut reader = Reader { root, found: Found::default() };
    reader.stream(tokens, &mut module.to_vec(), false);
    Ok(reader.found)
}

struct Reader<'a> {
    root: &'a [&'a str],
    found: Found,
}

type Tokens = Peekable<IntoIter>;

impl Reader<'_> {
    fn stream(&mut self, tokens: TokenStream, module: &mut Vec<String>, in_test: bool) {
        let mut tokens = tokens.into_iter().peekable();
        // Whether the item that begins is for tests only.
        let mut marked = false;
        // The file's name in the attribute `path`, if there is one.
        let mut elsewhere: Option<String> = None;
        // Whether the last tokens were part of a path, so that the following ones are, too.
        let mut inside = false;
        while let Some(token) = tokens.next() {
            let was_inside = std::mem::take(&mut inside);
            match token {
                TokenTree::Punct(p) if p.as_char() == '#' => {
                    if let Some(TokenTree::Group(g)) = tokens.peek()
                        && g.delimiter() == Delimiter::Bracket
                    {
                        marked |= is_for_tests(g.stream());
                        elsewhere = path_attribute(g.stream()).or(elsewhere);
                    }
                }
                TokenTree::Punct(p) if p.as_char() == ';' || p.as_char() == ',' => marked = false,
                TokenTree::Punct(p) => inside = p.as_char() == ':',
                TokenTree::Ident(word) if word == "mod" => {
                    let Some(TokenTree::Ident(name)) = tokens.next_if(is_ident) else { continue };
                    let elsewhere = elsewhere.take();
                    module.push(plain(&name.to_string()));
                    if let Some(TokenTree::Group(body)) = tokens.next_if(is_braces) {
                        self.stream(body.stream(), module, in_test || marked);
                        marked = false;
                    } else if marked {
                        self.found.test_modules.push(module.clone());
                    }
                    module.pop();
                    if let Some(file) = elsewhere.filter(|_| marked) {
                        let above = module.split_last().map(|(_, above)| above.to_vec()).unwrap_or_default();
                        for mut folder in [module.clone(), above] {
                            folder.push(file.clone());
                            self.found.test_modules.push(folder);
                        }
                    }
                }
                TokenTree::Ident(word) if !was_inside => {
                    let word_text = word.to_string();
                    let start = match word_text.as_str() {
                        "self" => Some(module.clone()),
                        "super" => {
                            Some(module.split_last().map(|(_, above)| above.to_vec()).unwrap_or_default())
                        }
                        name if self.root.contains(&name) => Some(Vec::new()),
                        _ => None,
                    };
                    if let Some(start) = start
                        && double_colon(&mut tokens)
                    {
                        self.path(&mut tokens, start, word.span(), in_test || marked);
                    }
                }
                TokenTree::Group(group) => {
                    self.stream(group.stream(), module, in_test || marked);
                    if group.delimiter() == Delimiter::Brace {
                        marked = false;
                    }
                }
                TokenTree::Ident(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// Parses the rest of a path after `::`.
    fn path(&mut self, tokens: &mut Tokens, mut segments: Vec<String>, span: Span, in_test: bool) {
        loop {
            match tokens.peek() {
                Some(TokenTree::Ident(word)) if word == "super" => {
                    segments.pop();
                    tokens.next();
                    if !double_colon(tokens) {
                        break;
                    }
                }
                Some(TokenTree::Ident(word)) => {
                    // `self` in braces is the module itself.
                    if word != "self" {
                        segments.push(plain(&word.to_string()));
                    }
                    tokens.next();
                    if !double_colon(tokens) {
                        break;
                    }
                }
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    let mut branches = group.stream().into_iter().peekable();
                    tokens.next();
                    while let Some(first) = branches.peek() {
                        let span = first.span();
                        self.path(&mut branches, segments.clone(), span, in_test);
                        // The rest of the branch: `as name`.
                        while branches
                            .next_if(|t| !matches!(t, TokenTree::Punct(p) if p.as_char() == ','))
                            .is_some()
                        {}
                        branches.next();
                    }
                    return;
                }
                // `*`, `<`
                _ => break,
            }
        }
        self.found.paths.push(Path { line: span.start().line, segments, in_test });
    }
}

fn is_ident(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(_))
}

fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace)
}

/// A name without `r#`.
fn plain(name: &str) -> String {
    name.strip_prefix("r#").unwrap_or(name).to_owned()
}

/// Consumes `::`, if it comes next. Returns whether it did.
fn double_colon(tokens: &mut Tokens) -> bool {
    let colon = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ':');
    // A single colon is not part of a path and is not needed again.
    tokens.next_if(colon).is_some() && tokens.next_if(colon).is_some()
}

/// The name in `path = "name.rs"`.
fn path_attribute(attribute: TokenStream) -> Option<String> {
    let text = attribute.to_string();
    let name = text.strip_prefix("path")?.trim_start().strip_prefix('=')?;
    Some(name.trim().trim_matches('"').strip_suffix(".rs")?.to_owned())
}

/// Whether an attribute is `cfg(test)` or `cfg(all(test, …))`.
fn is_for_tests(attribute: TokenStream) -> bool {
    let mut tokens = attribute.into_iter();
    let Some(TokenTree::Ident(name)) = tokens.next() else { return false };
    let Some(TokenTree::Group(condition)) = tokens.next() else { return false };
    let text = condition.stream().to_string();
    name == "cfg"
        && (text == "test" || (text.starts_with("all") && text.contains("test") && !text.contains("not")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let module = ["api".to_owned(), "patch".to_owned()];
        let found = read(text, &module, &["crate", "steady"]).expect("Rust");
        let show =
            |p: &Path| format!("{}{} {}", p.line, if p.in_test { "t" } else { "" }, p.segments.join("/"));
        found.paths.iter().map(show).collect()
    }

    #[test]
    fn a_tree_of_imports_is_several_paths() {
        let text = "use crate::{api::{self, Kind as K}, etcd::*,\n    client::Context};\nuse std::rc::Rc;";
        assert_eq!(found(text), ["1 api", "1 api/Kind", "1 etcd", "2 client/Context"]);
    }

    #[test]
    fn super_leads_out_of_the_module() {
        assert_eq!(found("use super::super::etcd;"), ["1 etcd"]);
        assert_eq!(found("use super::yaml::parse;"), ["1 api/yaml/parse"]);
        assert_eq!(found("use self::types::f;"), ["1 api/patch/types/f"]);
        assert_eq!(found("mod inner {\n use super::f;\n}"), ["2 api/patch/f"]);
    }

    #[test]
    fn paths_are_found_in_code_types_and_macros() {
        assert_eq!(
            found("fn f(a: &crate::etcd::Etcd) -> Vec<steady::api::Kind> { crate::cel::run::<u8>(a) }"),
            ["1 etcd/Etcd", "1 api/Kind", "1 cel/run"]
        );
        assert_eq!(found("macro_rules! m { ($a:ident) => { $crate::api::Kind::$a } }"), ["1 api/Kind"]);
        assert_eq!(found("println!(\"{}\", crate::client::NAME);"), ["1 client/NAME"]);
    }

    #[test]
    fn what_is_no_path_into_the_crate_is_passed_over() {
        let text =
            "// crate::etcd\npub(crate) fn f(&self) -> Self { std::crate_name(\"crate::etcd\"); self.api }";
        assert_eq!(found(text), [""; 0]);
        assert_eq!(found("pub(in crate::api) fn f() {}"), ["1 api"]);
    }

    #[test]
    fn code_for_tests_is_told_apart() {
        let text = "#[cfg(test)]\nuse crate::a;\nuse crate::b;\n#[cfg(test)]\nmod tests {\n use crate::c;\n}\nuse crate::d;\n\
                    #[cfg(not(test))]\nuse crate::e;";
        assert_eq!(found(text), ["2t a", "3 b", "6t c", "8 d", "10 e"]);
        let found =
            read("#[cfg(test)]\nmod tests;\nmod types;", &["api".to_owned()], &["crate"]).expect("Rust");
        assert_eq!(found.test_modules, [["api".to_owned(), "tests".to_owned()]]);
        let text = "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;";
        let found = read(text, &["api".to_owned(), "a".to_owned()], &["crate"]).expect("Rust");
        assert!(found.test_modules.contains(&vec!["api".to_owned(), "a_tests".to_owned()]));
    }
}
