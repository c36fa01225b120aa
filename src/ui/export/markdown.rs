//! A run as a page of steps in Markdown.

use std::fmt::Write;

use steady::engine::{StepTold, Written};

use crate::ui::i18n::{Texts, sentence};

/// What a page of steps begins with.
pub struct About<'a> {
    /// The scenario's title.
    pub title: &'a str,
    /// Its text.
    pub story: &'a str,
    /// The address at which the run can be opened; empty for none.
    pub link: &'a str,
    /// The manifest in the editor.
    pub manifest: &'a str,
    /// How many steps there are after those told.
    pub more: usize,
}

/// The page, in a language.
pub fn markdown(steps: &[StepTold], about: &About<'_>, t: &Texts) -> String {
    // Writing to a String does not fail.
    let mut out = format!("# {}\n", plain(about.title));
    for paragraph in [about.story.trim()].into_iter().filter(|p| !p.is_empty()) {
        let _ = write!(out, "\n{paragraph}\n");
    }
    if !about.link.is_empty() {
        let _ = write!(out, "\n[{}]({})\n", t.get("export-open"), about.link);
    }
    for step in steps {
        let seconds = format!("{:.1}", step.time as f64 / 1000.0);
        let who = step
            .by
            .as_deref()
            .map_or_else(String::new, |by| if by == "you" { t.get("you") } else { by.to_owned() });
        let head = t.with(
            "export-step",
            &[("n", step.number.to_string().into()), ("who", who.into()), ("s", seconds.into())],
        );
        let _ = write!(out, "\n## {}\n\n{}\n", plain(&head), quoted(&sentence(t, &step.happened)));
        if !step.written.is_empty() {
            out.push('\n');
        }
        for written in &step.written {
            object(&mut out, written, t);
        }
    }
    if about.more > 0 {
        let _ = write!(out, "\n{}\n", t.with("export-more", &[("n", (about.more as f64).into())]));
    }
    if !about.manifest.trim().is_empty() {
        let fence = if about.manifest.contains("```") { "~~~~" } else { "```" };
        let _ = write!(
            out,
            "\n## {}\n\n{fence}yaml\n{}\n{fence}\n",
            t.get("manifest"),
            about.manifest.trim_end()
        );
    }
    out
}

fn object(out: &mut String, written: &Written, t: &Texts) {
    let name = format!("`{} {}`", written.object.kind.as_str(), code(&written.object.key.to_string()));
    let key = match (written.was, written.is) {
        (false, _) => "export-created",
        (true, true) => "export-changed",
        (true, false) => "export-deleted",
    };
    let _ = writeln!(out, "- {}", t.with(key, &[("object", name.into())]));
    let value =
        |v: &Option<String>| v.as_deref().map_or_else(|| "–".to_owned(), |v| format!("`{}`", code(v)));
    for change in &written.changes {
        let _ =
            writeln!(out, "  - `{}`: {} → {}", code(&change.path), value(&change.old), value(&change.new));
    }
    if written.more > 0 {
        let _ = writeln!(out, "  - {}", t.with("export-fields", &[("n", (written.more as f64).into())]));
    }
}

/// A text on one line, without what Markdown would read as its own.
fn plain(text: &str) -> String {
    text.replace('\n', " ").replace('#', "\\#").replace('<', "&lt;")
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| line.replace('<', "&lt;")).collect::<Vec<_>>().join("\n")
}

/// A text in backquotes.
fn code(text: &str) -> String {
    let short: String = text.chars().take(160).collect();
    short.replace('`', "'").replace('\n', " ")
}
