//! `-o custom-columns=NAME:.metadata.name,…`

use serde_json::Value;

use super::go;
use super::stop::{Result, fail};
use super::tabwriter;
use crate::api::jsonpath::{self, Template};

/// Parsed columns.
pub(super) struct Columns(Vec<(String, Template)>);

impl Columns {
    pub(super) fn parse(spec: &str) -> Result<Columns> {
        if spec.is_empty() {
            return fail("custom-columns format specified but no custom columns given");
        }
        let mut columns = Vec::new();
        for part in spec.split(',') {
            let Some((header, path)) = part.split_once(':') else {
                return fail(format!(
                    "unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>"
                ));
            };
            let path = match jsonpath::relaxed(path) {
                Ok(path) => path,
                Err(e) => return fail(e),
            };
            match Template::parse(&path) {
                Ok(template) => columns.push((header.to_owned(), template)),
                Err(e) => return fail(e),
            }
        }
        Ok(Columns(columns))
    }

    pub(super) fn render(&self, objects: &[Value], headers: bool) -> Result<String> {
        let mut lines = String::new();
        if headers {
            let names: Vec<&str> = self.0.iter().map(|(h, _)| h.as_str()).collect();
            lines.push_str(&names.join("\t"));
            lines.push('\n');
        }
        for object in objects {
            let mut cells = Vec::new();
            for (_, template) in &self.0 {
                let values = match template.find(object) {
                    Ok(values) => values,
                    Err(e) => return fail(e),
                };
                let texts: Vec<String> = values.into_iter().map(go::format_value).collect();
                cells.push(if texts.is_empty() { "<none>".to_owned() } else { texts.join(",") });
            }
            lines.push_str(&cells.join("\t"));
            lines.push('\n');
        }
        Ok(tabwriter::align(&lines, tabwriter::TABLE))
    }
}
