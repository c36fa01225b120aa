//! What kubectl prints of a refusal, with the reason apart from what was refused. In such a message the whole patch can
//! stand before the reason.

use serde::{Deserialize, Serialize};

/// A refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Who refused, and why.
    pub reason: String,
    /// All that was printed, if that is more than the reason; else empty.
    pub whole: String,
}

impl Refusal {
    /// Of a message.
    pub fn of(message: &str) -> Refusal {
        let message = message.trim();
        let reason = without_patch(message).or_else(|| without_value(message));
        let reason = reason.as_deref().unwrap_or(message);
        // The reason can be a list, and it can be followed by lines with what differs.
        let mut lines = reason.lines();
        let first = lines.next().unwrap_or_default();
        let listed = lines.take_while(|l| l.starts_with("* "));
        let reason = std::iter::once(first).chain(listed).collect::<Vec<_>>().join("\n");
        let whole = if reason == message { String::new() } else { message.to_owned() };
        Refusal { reason, whole }
    }

    /// Of all messages that a command printed, one below the other.
    pub fn of_all(stderr: &str) -> Refusal {
        let mut messages: Vec<String> = Vec::new();
        for line in stderr.trim().lines() {
            match messages.last_mut() {
                Some(last) if !begins(line) => {
                    last.push('\n');
                    last.push_str(line);
                }
                _ => messages.push(line.to_owned()),
            }
        }
        let reasons: Vec<String> = messages.iter().map(|m| Refusal::of(m).reason).collect();
        let reason = reasons.join("\n");
        let whole = if reason == stderr.trim() { String::new() } else { stderr.trim().to_owned() };
        Refusal { reason, whole }
    }
}

/// Whether a line is the first one of a message of kubectl.
fn begins(line: &str) -> bool {
    ["error", "Error", "The ", "Warning"].iter().any(|word| line.starts_with(word))
}

/// `error when applying patch:`, the patch, the object, and `for: "FILE": error when patching "FILE": ` come before the
/// reason (`pkg/cmd/apply/patcher.go` in kubectl).
fn without_patch(message: &str) -> Option<String> {
    let (head, rest) = message.split_once("error when applying patch:\n")?;
    let (_, rest) = rest.rsplit_once("\nfor: ")?;
    let (file, mut reason) = after_quoted(rest)?;
    if let Some(inner) = reason.strip_prefix(&format!("error when patching {file}: ")) {
        reason = inner;
    }
    Some(format!("{head}{reason}"))
}

/// `Invalid value: ` and the value as Go quotes it, then the reason.
fn without_value(message: &str) -> Option<String> {
    let (head, rest) = message.split_once("patch: Invalid value: ")?;
    let (_, reason) = after_quoted(rest)?;
    Some(format!("{head}{reason}"))
}

/// The quoted text at the beginning, and what comes after it and a colon.
fn after_quoted(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    })?;
    if !text.starts_with('"') {
        return None;
    }
    let (quoted, rest) = text.split_at(end.0 + 1);
    Some((quoted, rest.strip_prefix(": ")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(message: &str) -> String {
        Refusal::of(message).reason
    }

    #[test]
    fn the_reason_stands_before_the_patch() {
        let patch = "Error from server (Forbidden): error when applying patch:\n{\"spec\":{\"a\":\"\\n\"}}\nto:\nResource: \"x\"\n\
                     for: \"manifest.yaml\": error when patching \"manifest.yaml\": claims \"a\" is forbidden: no room";
        assert_eq!(reason(patch), "Error from server (Forbidden): claims \"a\" is forbidden: no room");
        assert_eq!(Refusal::of(patch).whole, patch);
        let value = r#"The request is invalid: patch: Invalid value: "map[a:{\"b\":1}]": strict decoding error: unknown field "spec.replicaz""#;
        assert_eq!(
            reason(value),
            r#"The request is invalid: strict decoding error: unknown field "spec.replicaz""#
        );
    }

    #[test]
    fn a_message_without_a_patch_stays_as_it_is() {
        assert_eq!(
            Refusal::of("error: no objects passed to apply\n"),
            Refusal { reason: "error: no objects passed to apply".into(), whole: String::new() }
        );
        assert_eq!(
            reason("The Pod \"a\" is invalid: spec: Forbidden: no\n  core.PodSpec{\n-  a"),
            "The Pod \"a\" is invalid: spec: Forbidden: no"
        );
        let list = "The Service \"a\" is invalid: \n* spec.a: Required value\n* spec.b: Required value";
        assert_eq!(Refusal::of_all(list), Refusal { reason: list.into(), whole: String::new() });
        let two = Refusal::of_all("error: one\n  more\nerror: two");
        assert_eq!((two.reason.as_str(), two.whole.is_empty()), ("error: one\nerror: two", false));
        for odd in
            ["error when applying patch:\n", "patch: Invalid value: ", "patch: Invalid value: \"a", "\""]
        {
            assert_eq!(reason(odd), odd.lines().next().unwrap_or_default().trim());
        }
    }
}
