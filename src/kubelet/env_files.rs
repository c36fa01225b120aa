//! Environment variables from a file of a volume (`env[].valueFrom.fileKeyRef`, KEP-3721), which an init container has written.
//!
//! Source: `pkg/util/env/env.go` (`ParseEnv`), and `makeEnvironmentVariables` in `pkg/kubelet/kubelet_pods.go`. The file is read from
//! the volume, whether or not the container mounts it, when the container is created.

use super::turn::Turn;
use crate::api::types::FileKeySelector;
use crate::shell::{Files, Node, absolute};

/// Why a file of variables cannot be read: the line, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NotVariables(usize, &'static str);

/// The value of a variable in a file: of the first line that sets it. `None` if no line does, or if a blank stands before the value.
///
/// # Errors
/// A line before that one cannot be read. Lines after it are not looked at.
fn parse(text: &str, key: &str) -> Result<Option<String>, NotVariables> {
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let wrong = |why| NotVariables(number, why);
        let line = line.trim_start_matches([' ', '\t']);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = line.split_once('=').ok_or(wrong("missing '='"))?;
        match name.trim_end_matches([' ', '\t']) {
            "" => return Err(wrong("empty variable name")),
            trimmed if trimmed != name => return Err(wrong("whitespace before '=' is not allowed")),
            _ => {}
        }
        if value.starts_with([' ', '\t']) {
            if name == key {
                return Ok(None);
            }
            continue;
        }
        let Some(mut rest) = value.strip_prefix('\'') else {
            return Err(wrong("value must be enclosed in single quotes"));
        };
        let mut whole = String::new();
        let after = loop {
            if let Some((part, after)) = rest.split_once('\'') {
                whole.push_str(part);
                break after.trim_start_matches([' ', '\t']);
            }
            whole.push_str(rest);
            whole.push('\n');
            rest = lines.next().ok_or(wrong("unclosed single quote"))?.0;
        };
        if !after.is_empty() && !after.starts_with('#') {
            return Err(wrong("unexpected content after closing quote"));
        }
        if name == key {
            return Ok(Some(whole).filter(|value| !value.is_empty()));
        }
    }
    Ok(None)
}

impl Turn<'_> {
    /// The value of a variable from a file; `None` if it is optional and not set there.
    ///
    /// # Errors
    /// The kubelet's message: the file does not exist or cannot be read, or does not have the variable.
    pub(super) fn variable_of_file(&self, from: &FileKeySelector) -> Result<Option<String>, String> {
        let mut volumes = self.spec.volumes.iter().flatten();
        let Some(volume) = volumes.find(|v| v.name == from.volume_name) else {
            return Err(format!("cannot find the volume {:?} referenced by FileKeyRef", from.volume_name));
        };
        let mut files = Files::default();
        // Only what containers write is known of a volume's files.
        let written = if volume.empty_dir.is_some() { self.written_into_volumes() } else { Vec::new() };
        written.iter().for_each(|w| files.note(w));
        let path = absolute("/", &format!("{}/{}", from.volume_name, from.path));
        let Some(Node::File(text)) = files.at(&path, self.now) else {
            return Err("couldn't parse env file".to_owned());
        };
        match parse(&text, &from.key) {
            Ok(Some(value)) => Ok(Some(value)),
            Ok(None) if from.optional == Some(true) => Ok(None),
            Ok(None) => {
                let on_node =
                    format!("/var/lib/kubelet/pods/{}/volumes/kubernetes.io~empty-dir{path}", self.rt.uid);
                Err(format!("environment variable key {:?} not found in file {on_node:?}", from.key))
            }
            Err(_) => Err("couldn't parse env file".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules in the comment of `ParseEnv` and the cases of `pkg/util/env/env_test.go`.
    #[test]
    fn variables_stand_in_single_quotes() {
        let read = |text: &str, key: &str| parse(text, key).map_err(|NotVariables(line, why)| (line, why));
        let some = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(read("A='1'\nB='two words' # why\n", "B"), some("two words"));
        assert_eq!(read("# a comment\n\n  \tA='$x \"y\" \\n'", "A"), some("$x \"y\" \\n"));
        assert_eq!(read("A='one\n# two\n\nthree'\nB='4'", "A"), some("one\n# two\n\nthree"));
        assert_eq!(read("A='one\ntwo'\nB='4'", "B"), some("4"));
        assert_eq!(read("A='1'\nA='2'", "A"), some("1"));
        assert_eq!(read("A='1'", "B"), Ok(None));
        assert_eq!(read("A= '1'\n", "A"), Ok(None));
        assert_eq!(read("A=''\n", "A"), Ok(None));
        assert_eq!(read("\nA", "A"), Err((2, "missing '='")));
        assert_eq!(read("='1'", "A"), Err((1, "empty variable name")));
        assert_eq!(read("A ='1'", "A"), Err((1, "whitespace before '=' is not allowed")));
        assert_eq!(read("A=1", "A"), Err((1, "value must be enclosed in single quotes")));
        assert_eq!(read("B='0'\nA='1", "A"), Err((2, "unclosed single quote")));
        assert_eq!(read("A='1'2", "A"), Err((1, "unexpected content after closing quote")));
        // What comes after the variable is not looked at.
        assert_eq!(read("A='1'\nB", "A"), some("1"));
    }
}
